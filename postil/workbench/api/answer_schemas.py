"""What programs send and receive about answers: texts, the machine's judgements, people's decisions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from postil.workbench.api.schemas import (
    LONGEST_ANSWER,
    LONGEST_KEY,
    MOST_ANSWERS,
    WHEN,
    Label,
    Number,
    Outcome,
    Page,
    Received,
    Share,
    shows,
    words,
)
from postil.workbench.store.questions import LONGEST_NAME, MOST_FACETS

_JUDGEMENT: JsonDict = {
    "label": "partially_correct_incomplete",
    "probabilities": {
        "correct": 0.11,
        "partially_correct_incomplete": 0.78,
        "contradictory": 0.04,
        "irrelevant": 0.06,
        "non_domain": 0.01,
    },
    "confidence": 0.78,
    "deferred": False,
    "reference": "The circuit is closed, so current flows.",
    "explanation": "It says that the circuit is closed. It leaves out “current flows”.",
    "made": WHEN,
}
_DECISION: JsonDict = {
    "id": 31,
    "answer_id": 101,
    "label": "correct",
    "source": "review",
    "made": WHEN,
    "undone": None,
    "machine_label": "partially_correct_incomplete",
    "ticked": None,
}


class NewAnswer(Received):
    """An answer to store."""

    key: Annotated[str, words(LONGEST_KEY, "Its id in your own system; a question has each only once.")]
    text: str = Field(max_length=LONGEST_ANSWER, description="What the pupil wrote; may be empty.")
    student: str = Field("", max_length=LONGEST_KEY, description="The pupil's name, if you want to see it.")
    label: Label | None = Field(None, description="What a person has decided before, if anybody has.")
    model_config = shows(key="u17", text="because the circuit is closed", student="Kim")


class NewAnswers(Received):
    """Answers to store: all of them, or none."""

    answers: list[NewAnswer] = Field(min_length=1, max_length=MOST_ANSWERS)
    model_config = shows(
        answers=[
            {"key": "u17", "text": "because the circuit is closed", "student": "Kim"},
            {"key": "u18", "text": "The battery is full."},
        ]
    )


class Added(BaseModel):
    """The numbers of the answers that were stored, in the order in which they were sent."""

    ids: list[int]
    model_config = shows(ids=[101, 102])


class Judgement(BaseModel):
    """What the machine says of an answer."""

    label: Label
    probabilities: dict[str, Share] = Field(description="Of each label.")
    confidence: Share = Field(description="How sure the machine is of its label.")
    deferred: bool = Field(description="Whether it is too unsure, and a person should look.")
    reference: str = Field(description="The reference that the answer was compared with.")
    explanation: str = Field(description="How it compares, for the teacher.")
    made: datetime
    model_config = shows(**_JUDGEMENT)


class NewDecision(Received):
    """A person's label for an answer: it counts before the machine's."""

    label: Label
    ticked: list[Annotated[str, Field(max_length=LONGEST_NAME)]] | None = Field(
        None,
        max_length=MOST_FACETS,
        description="The ids of the facets that the answer says, where a teacher has set facets; "
        "left out, those ticked before go on to count.",
    )
    model_config = shows(label="correct")


class Decision(BaseModel):
    """A person's label for an answer, and what the machine had said when it was given."""

    id: Number
    answer_id: Number
    label: Label
    source: str = Field(description="How it came about, such as `review`, `group` or `uploaded`.")
    made: datetime
    undone: datetime | None = Field(description="When it was taken back; null if it was not.")
    machine_label: Label | None
    ticked: dict[str, bool] | None = Field(description="Facets, by id, and whether the answer says them.")
    model_config = shows(**_DECISION)


class Decisions(Page):
    """All that was ever decided about an answer, the newest first."""

    items: list[Decision]


class Undone(BaseModel):
    """What was taken back: the last step, which may have been about several answers."""

    undone: list[Decision]
    model_config = shows(undone=[_DECISION | {"undone": WHEN}])


class AnswerFacet(BaseModel):
    """What an answer does with one facet."""

    id: str
    name: str
    outcome: Outcome | None = Field(description="The one that counts; null where nobody has looked.")
    decided: bool = Field(description="Whether a person said so.")
    model_config = shows(id="f1a2b3c4", name="the circuit is closed", outcome="Expressed", decided=False)


class Answer(BaseModel):
    """An answer with all that is known of it; a person's decision counts before the machine's judgement."""

    id: Number
    question_id: Number
    key: str
    student: str
    text: str
    place: int = Field(ge=0, description="Where it stands among the question's answers.")
    group: int = Field(ge=0, description="Like answers share a number; 0 before they are grouped.")
    label: Label | None = Field(description="The label that counts; null before anybody has judged.")
    points: float | None = Field(ge=0, description="What the answer earns of the question's points.")
    doubtful: bool = Field(description="Whether a person should look at it.")
    feedback: str = Field(description="What to say to the pupil; it fits the label that counts.")
    judgement: Judgement | None
    decision: Decision | None
    facets: list[AnswerFacet]
    model_config = shows(
        id=101,
        question_id=7,
        key="u17",
        student="Kim",
        text="because the circuit is closed",
        place=0,
        group=1,
        label="correct",
        points=2.0,
        doubtful=False,
        feedback="Your answer is right.",
        judgement=_JUDGEMENT,
        decision=_DECISION,
        facets=[],
    )


class Answers(Page):
    """Answers of a question, in their order."""

    items: list[Answer]
