"""What programs send to have texts judged at once, and what they receive; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from postil.data.judgements import Reason
from postil.data.rubrics import LONGEST_ITEM, MOST_FACETS
from postil.workbench.api.schemas import (
    LONGEST_ANSWER,
    LONGEST_KEY,
    LONGEST_TEXT,
    MOST_REFERENCES,
    NewReader,
    Outcome,
    Received,
    Reference,
    Shown,
    shows,
    words,
)

ASKED = "Why does the bulb light up?"
REFERENCE = "The circuit is closed, so current flows."
ANSWER = "because the circuit is closed"
SENTENCES: dict[str, Any] = {"source": ANSWER, "target": REFERENCE}
PAIR: dict[str, Any] = {"text": "The dog is asleep on the mat.", "hypothesis": "The dog sleeps."}

FEEDBACK: dict[str, Any] = {
    "teacher": "The answer says that the circuit is closed. It does not say that current flows.",
    "student": "“the circuit is closed” is right. What else can you say about the circuit?",
}
FACET: dict[str, Any] = {
    "id": "p1",
    "first": "circuit is closed",
    "second": "",
    "relation": "",
    "label": "Expressed",
    "confidence": 0.9062,
    "words": ["circuit", "closed"],
}
LINK: dict[str, Any] = {
    "source": [2, 3],
    "target": [1, 2],
    "source_text": "the circuit",
    "target_text": "The circuit",
    "type": "EQUI",
    "additions": [],
    "score": 5.0,
}
ALIGNMENT: dict[str, Any] = {
    "source": ["because", "the", "circuit", "is", "closed"],
    "target": ["The", "circuit", "is", "closed", ",", "so", "current", "flows", "."],
    "alignments": [LINK],
}
JUDGEMENT: dict[str, Any] = {
    "id": "u17",
    "label": "correct",
    "probabilities": {
        "correct": 0.7,
        "partially_correct_incomplete": 0.24,
        "contradictory": 0.03,
        "irrelevant": 0.02,
        "non_domain": 0.01,
    },
    "score": 0.82,
    "confidence": 0.46,
    "deferred": True,
    "because": "",
    "reference": REFERENCE,
    "feedback": FEEDBACK,
    "facets": [FACET],
    "alignment": ALIGNMENT,
    "reason": None,
    "reader": "cascade",
    "read_by": "careful",
}
ALIGNED: dict[str, Any] = {
    "id": "1",
    **ALIGNMENT,
    "approximate": False,
    "explanation": "Both sentences say that the circuit is closed. Only the second says that current flows.",
}
ENTAILMENT: dict[str, Any] = {
    "id": "1",
    "label": "ENTAILMENT",
    "confidence": 0.69,
    "probabilities": {"ENTAILMENT": 0.69, "CONTRADICTION": 0.05, "UNKNOWN": 0.26},
    "sentence": "The dog is asleep on the mat.",
    "stands_for": {},
    "supported": ["The dog"],
    "unsupported": ["sleeps"],
    "differences": [],
    "justification": "The text says so: “The dog is asleep on the mat”. It says “is asleep” for “sleeps”.",
}
FOUND: dict[str, Any] = {"id": "u17", "facets": [FACET], "explanation": "The answer says: circuit is closed."}


# How many texts and characters may be sent. Of these, what would take more than about 3 seconds is refused
# as well (jobs/prices.py).
MOST_ANSWERS = 200
MOST_DECIDED, DECIDED_TOGETHER = 50, 10_000  # answers, and their characters
REFERENCES_TOGETHER = 20_000  # characters
MOST_EXPLAINED, EXPLAINED_TOGETHER, LONGEST_EXPLAINED = 50, 10_000, 500  # answers, and their characters
MOST_PAIRS = 50
LONGEST_SENTENCE = 500  # aligning takes much longer for longer ones
LONGEST_PASSAGE, LONGEST_HYPOTHESIS = 20_000, 2_000  # what the entailer reads
PAIRS_TOGETHER = 100_000
LONGEST_FACETED = 1_000
NAMED_TOGETHER = 500  # characters of facets that are named


def refuse_more(what: str, texts: Iterable[str], most: int) -> None:
    """Refuse texts that have more characters together; none of them is repeated."""
    if sum(map(len, texts)) > most:
        raise ValueError(f"the {what} have more than {most:,} characters in all")


Scheme = Literal["5way", "3way", "2way"]
AnyLabel = Literal[
    "correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain", "incorrect"
]
AlignmentType = Literal["EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI"]
_HAS_WORDS = r"[^\W_]"  # a letter or a digit

_Id = Annotated[str, Field(max_length=LONGEST_KEY)] | None
_Question = Annotated[str, words(LONGEST_TEXT, "The question as it was asked.")]
_FacetNames = Annotated[
    list[Annotated[str, words(LONGEST_ITEM, "What an answer has to say, in a few words.")]],
    Field(min_length=1, max_length=MOST_FACETS, description="At most 500 characters in all."),
]
_CUT_OFF = Field(
    default_factory=list[str],
    description="Which texts were not read to their end, and up to where each was read.",
)
_Sentence = Annotated[str, Field(min_length=1, max_length=LONGEST_SENTENCE, pattern=_HAS_WORDS)]


class GivenAnswer(Received):
    """An answer to judge."""

    id: _Id = Field(None, description="Returned with the judgement; by default the answer's number.")
    text: str = Field(max_length=LONGEST_ANSWER, description="The answer; it may be empty.")
    model_config = shows(id="u17", text=ANSWER)


class GivenDecision(Received):
    """An answer to the same question that a person has labelled; similar ones are judged like it."""

    text: str = Field(max_length=LONGEST_ANSWER)
    label: AnyLabel
    model_config = shows(text="it has a battery", label="partially_correct_incomplete")


class GradeTexts(Received):
    """A class to judge at once.

    The references can have at most 20,000 characters in all, and the decided answers 10,000. With `explain`
    or `facets`, a class can have at most 50 answers with 10,000 characters in all, and a reference can have
    at most 500.
    """

    question: _Question
    references: list[Reference] = Field(
        min_length=1, max_length=MOST_REFERENCES, description="Right answers to compare with."
    )
    answers: list[GivenAnswer] = Field(min_length=1, max_length=MOST_ANSWERS)
    decided: list[GivenDecision] = Field(default_factory=list, max_length=MOST_DECIDED)
    scheme: Scheme = Field("5way", description="How many labels to use.")
    explain: bool = Field(
        False, description="Explain in words how each answer compares with the reference; takes longer."
    )
    facets: bool | _FacetNames = Field(
        False,
        description="Judge each point of the reference, or each of the points named here.",
    )
    strictness: Literal["lenient", "normal", "strict"] = Field(
        "normal", description="How readily answers are called correct; decided answers say it more exactly."
    )
    reader: NewReader = None
    pupils: Literal["younger", "older"] = Field(
        "older", description="With `explain`: whom the feedback is for; younger pupils get simpler words."
    )
    model_config = shows(
        question=ASKED, references=[REFERENCE], answers=[{"id": "u17", "text": ANSWER}], explain=True
    )

    @model_validator(mode="after")
    def _is_not_too_much(self) -> Self:
        refuse_more("references", self.references, REFERENCES_TOGETHER)
        refuse_more("decided", [decision.text for decision in self.decided], DECIDED_TOGETHER)
        if self.explain or self.facets is not False:
            if len(self.answers) > MOST_EXPLAINED:
                raise ValueError(
                    f"with explain or facets, at most {MOST_EXPLAINED} answers can be judged at once"
                )
            if max(map(len, self.references)) > LONGEST_EXPLAINED:
                what = f"with explain or facets, a reference can have at most {LONGEST_EXPLAINED} characters"
                raise ValueError(what)
            refuse_more("answers", [answer.text for answer in self.answers], EXPLAINED_TOGETHER)
            named = self.facets if isinstance(self.facets, list) else ()
            refuse_more("facets", named, NAMED_TOGETHER)
        return self


class Feedback(Shown):
    """How an answer compares with the reference, for the teacher and for the student."""

    teacher: str
    student: str = Field(description="Does not give away the reference.")
    model_config = shows(**FEEDBACK)


class FoundFacet(Shown):
    """Whether an answer expresses one facet of the reference."""

    id: str
    first: str = Field(description="The facet in words, or its first term.")
    second: str = Field(description="Its second term, if it has two.")
    relation: str
    label: Outcome
    confidence: float
    words: list[str] = Field(description="The words of the answer that express or contradict it.")
    model_config = shows(**FACET)


class Link(Shown):
    """Two chunks that belong together, or one that has no partner."""

    source: list[int] = Field(
        description="The chunk's tokens, counted from 1; empty if only the other sentence has a chunk."
    )
    target: list[int]
    source_text: str
    target_text: str
    type: AlignmentType
    additions: list[Literal["FACT", "POL"]] = Field(
        description="Whether the two differ in factuality or in polarity."
    )
    score: float | None = Field(
        ge=0, le=5, description="How alike the two chunks are; null if there is only one."
    )
    model_config = shows(**LINK)


class TextAlignment(Shown):
    """Two sentences as tokens, and how their chunks belong together."""

    source: list[str]
    target: list[str]
    alignments: list[Link]
    model_config = shows(**ALIGNMENT)


class TextJudgement(Shown):
    """Postil's judgement of one answer."""

    id: str
    label: AnyLabel
    probabilities: dict[str, float] = Field(description="The probability of each label of the scheme.")
    score: float = Field(description="What the answer earns, from 0 to 1.")
    confidence: float = Field(
        description="The chance that the answer was rightly judged correct or not correct."
    )
    deferred: bool = Field(description="Whether a person should look at it.")
    because: str = Field(
        description="What decided instead of the model, or set the answer apart; otherwise empty."
    )
    reference: str = Field(description="The reference it was compared with, if any.")
    feedback: Feedback | None = Field(description="With `explain`, if a model judged.")
    facets: list[FoundFacet] | None = Field(description="With `facets`, if a model judged.")
    alignment: TextAlignment | None = Field(description="With `explain`: the answer and the reference.")
    reason: Reason | None = Field(description="`because` for programs; null if it is empty.")
    reader: str = Field(
        "",
        description="The reader that was asked for: `quick`, `careful`, `cascade`, `expert`, `thorough` or "
        "`server:` with a model; empty if no reader was needed.",
    )
    read_by: str = Field(
        "", description="The reader that decided: of a cascade, `quick`, `careful` or `expert`."
    )
    model_config = shows(**JUDGEMENT)


class GradedTexts(Shown):
    """The judgements, in the order of the answers."""

    items: list[TextJudgement]
    warnings: list[str] = Field(
        description="Problems with the question or its references that make judgements less reliable."
    )
    model_config = shows(items=[JUDGEMENT], warnings=[])


class SentencePair(Received):
    """Two sentences to align."""

    id: _Id = Field(None, description="Returned with the result; by default the pair's number.")
    source: _Sentence
    target: _Sentence
    model_config = shows(**SENTENCES)


class AlignTexts(Received):
    """Pairs of sentences to align."""

    pairs: list[SentencePair] = Field(min_length=1, max_length=MOST_PAIRS)
    model_config = shows(pairs=[SENTENCES])


class AlignedSentences(TextAlignment):
    """Two aligned sentences, and what the alignment shows."""

    id: str
    approximate: bool = Field(description="Whether so many chunks are alike that other links may be better.")
    explanation: str
    model_config = shows(**ALIGNED)


class AlignedTexts(Shown):
    """The aligned pairs, in order."""

    items: list[AlignedSentences]
    warnings: list[str] = _CUT_OFF
    model_config = shows(items=[ALIGNED], warnings=[])


class TextPair(Received):
    """A text, and a statement that it may imply."""

    id: _Id = Field(None, description="Returned with the result; by default the pair's number.")
    text: Annotated[str, words(LONGEST_PASSAGE, "The text, which is taken to be true.")]
    hypothesis: Annotated[str, words(LONGEST_HYPOTHESIS, "A statement that may follow from it.")]
    model_config = shows(**PAIR)


class EntailTexts(Received):
    """Pairs of a text and a hypothesis, with at most 100,000 characters in all."""

    pairs: list[TextPair] = Field(min_length=1, max_length=MOST_PAIRS)
    scheme: Literal["3way", "2way"] = "3way"
    model_config = shows(pairs=[PAIR])

    @model_validator(mode="after")
    def _is_not_too_much(self) -> Self:
        refuse_more("pairs", [pair.text + pair.hypothesis for pair in self.pairs], PAIRS_TOGETHER)
        return self


class TextDifference(Shown):
    """A place where the text says something different from the hypothesis."""

    kind: str
    hypothesis: str
    text: str
    model_config = shows(kind="number", hypothesis="four", text="three")


class TextEntailment(Shown):
    """Whether a text implies a hypothesis, and which part of it says so."""

    id: str
    label: Literal["ENTAILMENT", "CONTRADICTION", "UNKNOWN", "NO_ENTAILMENT"]
    confidence: float = Field(description="The chance of entailment.")
    probabilities: dict[str, float] = Field(
        description="The probabilities of entailment, contradiction and unknown."
    )
    sentence: str = Field(description="The sentence of the text that comes closest.")
    stands_for: dict[str, str] = Field(description="Words of that sentence, and what they stand for.")
    supported: list[str] = Field(description="Parts of the hypothesis that the text supports.")
    unsupported: list[str] = Field(description="Parts of it that the text does not mention.")
    differences: list[TextDifference]
    justification: str
    model_config = shows(**ENTAILMENT)


class EntailedTexts(Shown):
    """The judged pairs, in order."""

    items: list[TextEntailment]
    warnings: list[str] = _CUT_OFF
    model_config = shows(items=[ENTAILMENT], warnings=[])


class FacetTexts(Received):
    """Answers in which to look for the points of a reference, with at most 10,000 characters in all."""

    question: str = Field(
        "", max_length=LONGEST_TEXT, description="The question; an answer need not repeat what it says."
    )
    reference: Annotated[str, Field(min_length=1, max_length=LONGEST_FACETED, pattern=_HAS_WORDS)]
    answers: list[GivenAnswer] = Field(min_length=1, max_length=MOST_PAIRS)
    facets: _FacetNames | None = Field(
        None, description="What to look for; by default Postil finds the facets."
    )
    model_config = shows(question=ASKED, reference=REFERENCE, answers=[{"text": ANSWER}])

    @model_validator(mode="after")
    def _is_not_too_much(self) -> Self:
        refuse_more("answers", [answer.text for answer in self.answers], EXPLAINED_TOGETHER)
        refuse_more("facets", self.facets or (), NAMED_TOGETHER)
        return self


class AnswerFacets(Shown):
    """Whether one answer expresses each facet."""

    id: str
    facets: list[FoundFacet]
    explanation: str
    model_config = shows(**FOUND)


class FoundFacets(Shown):
    """Whether the answers express the facets, in the order of the answers."""

    items: list[AnswerFacets]
    warnings: list[str] = _CUT_OFF
    model_config = shows(items=[FOUND], warnings=[])
