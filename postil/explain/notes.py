"""Notes on a judged answer, for the teacher and for the pupil: what the alignment shows, to fit the label.

Grader and aligner look at an answer separately. Where they disagree, the label decides what is said: a
correct answer is not criticised, and no contradiction is invented. Words that are merely similar are not set
against each other, since such links are often wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, Explanation, FacetOutcome, Judgement
from postil.data.labels import PARTLY, PLAIN_NAMES
from postil.data.questions import Facet
from postil.explain.differences import Difference, find_differences
from postil.explain.explanation import contradictions, shared, telling_differences, whole_text
from postil.explain.findings import Sides, common_names, left_over, without_parts
from postil.explain.hints import hint_list, praise
from postil.explain.phrases import (
    base,
    carries_meaning,
    forms,
    forms_in,
    is_punctuation,
    is_unbroken,
    lemma,
    quoted,
    trimmed,
    wordset,
)
from postil.explain.wording import Content, Kind, Statement, Subject, Verb, sentences_of, write
from postil.grading.credit import as_read, claims_of
from postil.grading.decision import disagreement, unsaid
from postil.language.document import Document, Token

if TYPE_CHECKING:
    from postil.grading.comparison import Comparison

PLAIN_OUTCOMES = {EXPRESSED: "said", UNADDRESSED: "left out", CONTRADICTED: "contradicted"}
_NAMED = 2  # facets named in a sentence


def facet_text(facet: Facet) -> str:
    """A facet as people read it: its two terms, or its only one."""
    return f"{facet.first} – {facet.second}" if facet.second else facet.first


def _by_outcome(outcomes: Sequence[FacetOutcome], starts: Mapping[str, str]) -> list[str]:
    """The facets of each outcome that there is, behind its words: "said: A; B"."""
    facets = {
        label: [facet_text(outcome.facet) for outcome in outcomes if outcome.label == label]
        for label in starts
    }
    return [f"{starts[label]}: {'; '.join(names)}" for label, names in facets.items() if names]


def facets_in_words(outcomes: Sequence[FacetOutcome]) -> str:
    """A sentence for each kind of outcome that there is, naming its facets."""
    if not outcomes:
        return "The reference has no points to check."
    starts = {EXPRESSED: "The answer says", UNADDRESSED: "It leaves out", CONTRADICTED: "It contradicts"}
    distinct = {(outcome.label, facet_text(outcome.facet)): outcome for outcome in outcomes}
    sentences = [f"{part}." for part in _by_outcome(list(distinct.values()), starts)]
    if all(outcome.label != EXPRESSED for outcome in outcomes):
        sentences.insert(0, "The answer makes none of the reference's points.")
    return " ".join(sentences)


def short_list(outcomes: Sequence[FacetOutcome]) -> str:
    """Every facet under its outcome, in one line: "said: A; B · left out: C · wrong: D"."""
    wrong = "; ".join(facet_text(outcome.facet) for outcome in as_read(outcomes) if outcome.facet.wrong)
    listed = _by_outcome(claims_of(outcomes), PLAIN_OUTCOMES)
    return " · ".join([*listed, *([f"wrong: {wrong}"] if wrong else [])])


def spoken_against(label: str, outcomes: Sequence[FacetOutcome]) -> list[Statement]:
    """That facets speak against a label, for the end of a note to a teacher; nothing where they do not."""
    if not disagreement(label, outcomes):
        return []
    words = [f"“{PLAIN_NAMES[label]}”"]
    if label != "correct":
        return [Statement(Kind.SEEMS_COMPLETE, tuple(words), check=True)]
    words += [f"“{facet_text(outcome.facet)}”" for outcome in unsaid(outcomes)[:_NAMED]]
    kind = Kind.POINT_NOT_FOUND if len(words) == 2 else Kind.POINTS_NOT_FOUND
    return [Statement(kind, tuple(words), check=True)]


_AGAINST = ("negated", "opposite", "number", "opinion")
# What to say to a pupil when only the label is known.
_BY_LABEL = {
    "correct": (Kind.RIGHT,),
    PARTLY: (Kind.PARTLY_RIGHT,),
    "contradictory": (Kind.WRONG,),
    "irrelevant": (Kind.OFF_THE_QUESTION, Kind.READ_AGAIN),
    "non_domain": (Kind.NOT_AN_ANSWER, Kind.READ_AGAIN),
}
_CONDITIONS = frozenset(("if", "when", "unless", "whether", "until", "longer"))
_EMPTY = wordset("use have make do get go be need put take give say think know")


def for_teacher(
    differences: Sequence[Difference],
    source: Document,
    target: Document,
    label: str,
    outcomes: Sequence[FacetOutcome] = (),
    *,
    deferred: bool = False,
    read_to: int | None = None,
) -> tuple[str, str]:
    """Say to a teacher in one to three sentences why an answer (the source) has its label, and what to check.

    The second text is for whoever decides: that claims speak against the label, or that something was not
    found, or that of a long answer only so much was read. It is empty where there is nothing to check.
    """
    sides = Sides.of(source, target)
    against = spoken_against(label, outcomes)
    if label == "correct":
        # What was not found is said once.
        plan = list(_correct(differences, sides, deferred=deferred and not against))
        plan = plan[:1] if against else plan
    elif label == PARTLY:
        plan = list(_partly(differences, sides))
    elif label == "contradictory":
        plan = [_contradicting(differences, sides, outcomes)]
    elif label == "irrelevant":
        plan = list(_off_the_point(differences, sides))
    else:
        plan = [Statement(Kind.NO_ANSWER), _reference(sides)]
    plan += against
    if read_to is not None:
        plan.append(Statement(Kind.READ_TO, (str(read_to),), check=True))
    sentences = sentences_of(plan)
    doubt = next((index for index, statement in enumerate(plan) if statement.check), len(plan))
    return " ".join(sentences[:doubt]), " ".join(sentences[doubt:])


def for_student(
    differences: Sequence[Difference],
    source: Document,
    target: Document,
    label: str,
    question: Document | None = None,
    *,
    deferred: bool = False,
) -> str:
    """Say to a pupil what is right about an answer, or what to look at again; nothing is given away."""
    sides = Sides.of(source, target)
    plan: list[Statement] = []
    if label == "correct":
        plan = praise(sides, differences) or ([Statement(Kind.LOOKS_RIGHT)] if deferred else [])
    elif label == PARTLY:
        plan = _missing_hint(differences, sides, question)
    elif label == "contradictory":
        plan = hint_list(_contradictions(differences, sides), sides, question)
    return write(plan or map(Statement, _BY_LABEL[label]), "student")


def feedback_by_label(label: str) -> str:
    """What to say to a pupil when only the label is known."""
    return write(map(Statement, _BY_LABEL[label]), "student")


def _missing_hint(
    differences: Sequence[Difference], sides: Sides, question: Document | None
) -> list[Statement]:
    """What is right, and the one thing to say that can be asked for plainly; empty where there is neither.

    What is named too generally, or otherwise, is often meant well; and "say more about the material" sends
    a pupil anywhere. What no link was found for may be there all the same: a pupil is asked for it, not told
    that it is not.
    """
    if all(difference.kind in ("missing", "extra") for difference in differences):
        return []
    praised = praise(sides, differences)
    hints = hint_list(_of(differences, "missing"), sides, question)
    clear = [hint for hint in hints if hint.kind is Kind.NOT_YET and hint.clear]
    asked = [replace(hint, kind=Kind.MORE_CLEARLY) for hint in clear[:1]]
    if not praised:
        return asked
    return [*praised, *(asked or [Statement(Kind.MISSING)])]


def _of(differences: Sequence[Difference], *kinds: str) -> list[Difference]:
    return [difference for difference in differences if difference.kind in kinds]


def _reference(sides: Sides, *, check: bool = False) -> Statement:
    """What the reference says."""
    return Statement(Kind.WHOLE, contents=(whole_text(sides.target),), subject=Subject.SECOND, check=check)


def _not_found(differences: Sequence[Difference], sides: Sides) -> tuple[Content, ...]:
    """Parts of the reference that no words of the answer were found for."""
    missing = [
        left_over(difference, sides)
        for difference in _of(differences, "missing")
        if _tells(sides.words(difference)[1])
    ]
    return without_parts([content for content in missing if not _is_mostly_said(content, sides)][:_NAMED])


def _is_mostly_said(content: Content, sides: Sides) -> bool:
    """Whether the answer has half of the words of a statement: the rest may be there in other words."""
    known = forms_in(sides.source.document)
    # Words before a comma have never counted here; counting them would change notes.
    followed = zip_longest(content.tokens, content.tokens[1:])
    words = forms(token for token, after in followed if after is None or not is_punctuation(after))
    own = [token for token in sides.target.document.tokens if token.text.lower() in words]
    said = [lemma(token) in known for token in own if carries_meaning(token)]
    return content.verb is Verb.SAY and 2 * sum(said) >= len(said)


def _correct(differences: Sequence[Difference], sides: Sides, *, deferred: bool) -> Iterator[Statement]:
    """What matches; then what was not found, which did not count against the answer."""
    telling = telling_differences(differences, sides)
    whole = (whole_text(sides.target),)
    if not telling:
        answer, reference = sides.documents
        known = {lemma(token) for token in answer.tokens}
        same = all(lemma(token) in known for token in reference.tokens if carries_meaning(token))
        yield Statement(Kind.SAME) if same else Statement(Kind.AGREES, contents=whole)
        return
    both = shared(differences, sides, "teacher")
    only_names = both is not None and both.verb is Verb.MENTION
    if both:
        yield (
            Statement(Kind.AGREES_ON_NAMES, (both.words,))
            if only_names
            else Statement(Kind.SHARED, contents=(both,))
        )
    elif words := _equal_words(differences, sides):
        yield words
    else:
        yield Statement(Kind.JUDGED_CORRECT, contents=whole, check=deferred)
        return
    missing = _not_found(telling, sides)
    if only_names and all(content.verb is not Verb.SAY for content in missing):
        yield _reference(sides, check=deferred)  # what is right about them is for the reader to see
    elif missing:
        yield Statement(Kind.LEFT_OUT, missing=missing, check=deferred)


def _tells(tokens: Sequence[Token]) -> bool:
    return any(
        carries_meaning(token) and token.pos != "PRON" and lemma(token) not in _EMPTY for token in tokens
    )


def _equal_words(differences: Sequence[Difference], sides: Sides) -> Statement | None:
    """Words that speak for a correct answer where no statement or thing is shared; often there are none."""
    for difference in _of(differences, "same"):
        phrases = sides.words(difference)
        if all(map(_tells, phrases)) and all(map(is_unbroken, phrases)):
            ours, theirs = phrases
            if forms(trimmed(ours)) == forms(trimmed(theirs)):
                return Statement(Kind.AGREES_ON_WORDS, (quoted(theirs),))
            return Statement(Kind.AGREES_IN_OTHER_WORDS, (quoted(ours), quoted(theirs)))
    return None


def _partly(differences: Sequence[Difference], sides: Sides) -> Iterator[Statement]:
    """What both say, and what was not found; a figure that differs before that."""
    telling = telling_differences(differences, sides)
    if not telling:
        yield Statement(Kind.NOT_ALL)
        return
    numbers, missing = contradictions(_of(telling, "number"), sides), _not_found(telling, sides)
    if not numbers and not missing:
        yield Statement(Kind.ONLY_A_PART, contents=(whole_text(sides.target),))
        return
    both = shared(differences, sides, "teacher")
    yield Statement(Kind.SHARED, contents=(both,)) if both else Statement(Kind.A_PART)
    yield from numbers
    if missing:
        yield Statement(Kind.LEFT_OUT, missing=missing)


def _contradicting(
    differences: Sequence[Difference], sides: Sides, outcomes: Sequence[FacetOutcome]
) -> Statement:
    """The contradiction, if alignment or facets show one; else only that there is one, and with what."""
    against = _contradictions(telling_differences(differences, sides), sides)
    if against:
        return contradictions(against, sides)[0]
    points = [outcome for outcome in outcomes if outcome.label == CONTRADICTED]
    if points and len(outcomes) > 1:
        point = max(points, key=lambda outcome: outcome.contradicted)
        return Statement(Kind.CONTRADICTS_POINT, (f"“{facet_text(point.facet)}”",))
    return Statement(Kind.CONTRADICTS, contents=(whole_text(sides.target),))


def _contradictions(differences: Sequence[Difference], sides: Sides) -> list[Difference]:
    """The contradictions to believe.

    What holds under a condition is not denied by a "not", and where the answer is about another thing than
    the reference, nothing is.
    """
    words = {token.text.lower() for text in sides.documents for token in text.tokens}
    conditional = not words.isdisjoint(_CONDITIONS)
    missing = (token for difference in _of(differences, "missing") for token in sides.words(difference)[1])
    elsewhere = any(base(token).startswith("nsubj") and _tells([token]) for token in missing)
    kinds = [kind for kind in _AGAINST if kind != "negated" or not (conditional or elsewhere)]
    return [difference for difference in _of(differences, *kinds) if _holds(difference, sides)]


def _holds(difference: Difference, sides: Sides) -> bool:
    """Whether to mention a contradiction: "is" denies nothing, and "east and west" contradicts neither."""
    source, target = sides.words(difference)
    if difference.kind != "opposite":
        return _tells(target) and all(lemma(token) != "than" for token in target)
    ours, theirs = ({lemma(token) for token in side if carries_meaning(token)} for side in (source, target))
    answer, reference = ({lemma(token) for token in text.tokens} for text in sides.documents)
    return not (theirs - ours <= answer or ours - theirs <= reference)


def _off_the_point(differences: Sequence[Difference], sides: Sides) -> Iterator[Statement]:
    names = common_names(sides.target.document, sides.source.document, differences, of_source=False)
    if not names:
        yield Statement(Kind.OFF_THE_POINT, contents=(whole_text(sides.target),))
        return
    yield Statement(Kind.ONLY_MENTIONS, (names,))
    missing = _not_found(telling_differences(differences, sides), sides)
    if missing:
        yield Statement(Kind.LEFT_OUT, missing=missing)


def explained(judgements: Sequence[Judgement], comparisons: Sequence[Comparison | None]) -> list[Judgement]:
    """The judgements with their explanations; what was not compared with a reference gets none."""

    @cache
    def words(comparison: Comparison, label: str, deferred: bool) -> Explanation:
        texts = comparison.answer, comparison.reference
        differences = find_differences(comparison.alignment, *texts)
        read_to = None if comparison.whole else len(comparison.answer.tokens)
        note, doubt = for_teacher(
            differences, *texts, label, claims_of(comparison.claims), deferred=deferred, read_to=read_to
        )
        student = for_student(differences, *texts, label, comparison.question, deferred=deferred)
        return Explanation(comparison.alignment, note, student, comparison.claims, doubt)

    return [
        judgement
        if comparison is None
        else replace(judgement, explanation=words(comparison, judgement.label, judgement.deferred))
        for judgement, comparison in zip(judgements, comparisons, strict=True)
    ]
