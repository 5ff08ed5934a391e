"""Notes on a judged answer, for the teacher and for the pupil: what it says, what is missing, what is wrong.

A note is made of claims and of nothing else: it is a function of the label, of what the answer does with each
claim, and of the texts. It never says otherwise than the label or the rubric beside it, and where there is
nothing to say, there is no note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from postil.data.judgements import (
    CONTRADICTED,
    EXPRESSED,
    UNADDRESSED,
    Explanation,
    FacetOutcome,
    Judgement,
    Pupils,
)
from postil.data.labels import PARTLY, PLAIN_NAMES
from postil.explain.clauses import Tree
from postil.explain.coverage import Coverage, coverage_of, vectors_of
from postil.explain.feedback import doubted, for_student
from postil.explain.highlighting import as_written
from postil.explain.phrases import forms_in, listed
from postil.explain.points import (
    FEW,
    LONG_CLAIM,
    LONG_POINT,
    Point,
    claim_in_words,
    facet_text,
    missing_of,
    points_of,
    texts_of,
)
from postil.explain.quotations import whole_quotation
from postil.explain.topics import View
from postil.explain.wording import Content, Kind, Statement, Subject, Verb, sentences_of, write
from postil.grading.credit import as_read, claims_of
from postil.grading.decision import disagreement, unsaid
from postil.language.document import Document
from postil.language.pipeline import documents_of

if TYPE_CHECKING:
    from postil.grading.comparison import Comparison

PLAIN_OUTCOMES = {EXPRESSED: "said", UNADDRESSED: "left out", CONTRADICTED: "contradicted"}
_NAMED = 2  # claims named in a sentence
_BELIEVED, _SURE = 0.6, 0.75  # how sure an outcome must be to be named, and to be named beside another
_AGAINST = 0.2  # the chance from which on a claim may be the one that a contradictory answer contradicts
_ENOUGH = 0.75  # share of a claim's new words from which on it cannot be said that it is not said


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


def _chosen(points: Sequence[Point]) -> list[Point]:
    """The surest of some points, and a second if it is sure as well, in the order of the reference.

    What only repeats the question comes last.
    """
    ranked = sorted(points, key=lambda point: (point.is_given, -point.sureness))[:_NAMED]
    second = [
        point
        for point in ranked[1:]
        if point.sureness >= _SURE and not point.is_given and _are_short(_contents(ranked))
    ]
    return [point for point in points if point in [*ranked[:1], *second]]


def _are_short(contents: Sequence[Content]) -> bool:
    """Whether several claims can be named in a sentence that can be read."""
    return sum(len(content.words.split()) for content in contents) <= LONG_CLAIM


def _contents(points: Iterable[Point]) -> tuple[Content, ...]:
    return tuple(point.content for point in points)


def for_teacher(
    label: str,
    points: Sequence[Point],
    written: str,
    about: str = "",
    documents: Mapping[str, Document] = {},
    *,
    read_to: int | None = None,
) -> tuple[str, str]:
    """Say to a teacher in at most two sentences why an answer has its label, and what there is to check.

    `about` is what was asked. The second text is for whoever decides: that claims speak against the label,
    or that of a long answer only so much was read. Either text is empty where there is nothing to say.
    """
    plans = {"correct": _correct, PARTLY: _partly, "contradictory": _contradictory, "irrelevant": _irrelevant}
    against = spoken_against(label, [point.outcome for point in points], documents)
    plan = list(plans[label](points, written, about)) if label in plans else []
    if against and label == "correct":
        plan = []  # what is missing is said once
    doubts = list(against)
    if read_to is not None:
        doubts.append(Statement(Kind.READ_TO, (str(read_to),), check=True))
    return write(plan), " ".join(sentences_of(doubts))


def spoken_against(
    label: str, outcomes: Sequence[FacetOutcome], documents: Mapping[str, Document] = {}
) -> list[Statement]:
    """That claims speak against a label, for whoever decides; nothing where they do not.

    A claim whose text is not among the `documents` is quoted.
    """
    name = (f"“{PLAIN_NAMES[label]}”",)
    if not disagreement(label, outcomes):
        return []
    if label != "correct":
        return [Statement(Kind.SEEMS_COMPLETE, name, check=True)]
    doubted = unsaid(outcomes)

    def contents(outcomes: Sequence[FacetOutcome]) -> tuple[Content, ...]:
        return tuple(
            claim_in_words(outcome.facet, documents.get(next(iter(texts_of(outcome.facet)), "")))
            for outcome in outcomes
        )

    wrong = [outcome for outcome in doubted if outcome.label == CONTRADICTED]
    if wrong:
        denied = _of_reference(contents(wrong)[0])
        return [Statement(Kind.NOT_IN_LINE, name, contents=(denied,), check=True)]
    missing = contents(doubted[:_NAMED])
    missing = missing if _are_short(missing) else missing[:1]
    return [Statement(Kind.NOT_FOUND, name, missing=missing, check=True)]


def _correct(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """Of a correct answer only what differs and did not count."""
    missing = [
        point
        for point in missing_of(points)
        if not point.outcome.facet.required and not point.is_given and point.is_surely_left_out
    ]
    chosen = max(missing, key=lambda point: point.sureness, default=None)
    if chosen is not None and chosen.sureness >= _BELIEVED:
        yield Statement(Kind.NOT_COUNTED, missing=(chosen.content,))


def _said(points: Sequence[Point]) -> Iterator[Statement]:
    """What an answer says, as far as that is sure; only the pupil's words where they are others."""
    said = [
        point
        for point in points
        if point.outcome.label == EXPRESSED and point.sureness >= _BELIEVED and not point.is_given
    ]
    covered = _chosen([point for point in said if point.is_covered])
    others = [point for point in said if point.quote and point.is_spoken_of]
    if len(covered) == 1 and covered[0].is_reworded:
        yield Statement(Kind.SAID_SO, (covered[0].quote,), contents=_contents(covered))
    elif covered:
        yield Statement(Kind.SAID, contents=_contents(covered))
    elif others:
        best = max(others, key=lambda point: point.sureness)
        yield Statement(Kind.AGREES, (best.quote,), subject=Subject.SECOND)


def _left_out(points: Sequence[Point]) -> Statement:
    """What an answer does not say, or not clearly: what is surely left out is told first."""
    sure = [point for point in points if point.is_surely_left_out and not point.is_given]
    if sure:
        return Statement(Kind.LEFT_OUT, missing=_contents(_chosen(sure)))
    least = min(points, key=lambda point: (point.is_given, point.outcome.expressed, _share(point)))
    return (
        _set_beside(least)
        if least.coverage is not None
        else Statement(Kind.UNCLEAR, missing=(least.content,))
    )


def _share(point: Point) -> float:
    return point.coverage.new if point.coverage is not None else 0.0


def _set_beside(point: Point) -> Statement:
    """A claim that an answer makes only in part, with the things that it names and those that it does not."""
    contents = (_of_reference(point.content),)
    coverage = point.coverage or Coverage()
    absent = listed(coverage.absent, "or")
    if absent and coverage.present:
        return Statement(Kind.MENTIONS, (listed(coverage.present), absent), contents=contents)
    if absent:
        return Statement(Kind.NOT_MENTIONED, (absent,), contents=contents)
    if coverage.new >= _ENOUGH or point.content.verb in (Verb.POINT, Verb.EXAMPLE):
        return Statement(Kind.OF_REFERENCE, contents=contents)
    return Statement(Kind.UNCLEAR, missing=(point.content,))


def _partly(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """What an answer says, and what it gets wrong or leaves out."""
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    missing = missing_of(points)
    said = list(_said(points))
    if wrong:
        yield from said
        worst = max(wrong, key=lambda point: point.outcome.contradicted)
        yield _set_against(worst, written, about, points, partly=True)
    elif len(points) == 1 and missing:
        yield _set_beside(points[0])
    elif missing:
        yield from said
        yield _left_out(missing)
    elif points and not disagreement(PARTLY, [point.outcome for point in points]):
        required = [point for point in points if point.outcome.facet.required and not point.is_given]
        yield _set_beside(min(required or points, key=lambda point: point.outcome.expressed))


def _contradictory(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """Both sides: what the pupil writes and what the reference says."""
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    if not wrong:
        others = [point for point in points if point.outcome.label != EXPRESSED] or list(points)
        likely = max(others, key=_likely_denied, default=None)
        if likely is None:
            return
        sure = len(others) == 1 or likely.outcome.contradicted >= _AGAINST
        wrong = [likely] if sure else others[:1]
    yield _set_against(max(wrong, key=_likely_denied), written, about, points)


def _likely_denied(point: Point) -> tuple[bool, float]:
    return not point.is_given, point.outcome.contradicted


def _set_against(
    point: Point, written: str, about: str, points: Sequence[Point], *, partly: bool = False
) -> Statement:
    """What the pupil writes beside the claim that it contradicts, where the two are about the same thing."""
    quote = doubted(point, points, written, about, partly=partly)
    whole = whole_quotation(written, FEW)
    contents = (_of_reference(point.content),)
    if quote and (quote == point.quote or quote == point.sentence or whole or point.is_spoken_of):
        return Statement(Kind.WROTE, (quote,), contents=contents)
    return Statement(Kind.OF_REFERENCE, contents=contents)


def _of_reference(content: Content) -> Content:
    """A claim as the reference's words, which are its own whether they are a sentence or not."""
    if content.verb in (Verb.SAY, Verb.TELL, Verb.EXAMPLE):
        return content
    return replace(content, verb=Verb.HAVE, words=content.words.strip("“”"))


def _irrelevant(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """What an answer that is off the point would have to say."""
    missing = missing_of(points)
    said = [point for point in points if point.outcome.label == EXPRESSED]
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    if said and missing:
        yield from _said(points)
        yield _left_out(missing)
    elif wrong or missing:
        quote = whole_quotation(written)
        chosen = _chosen(missing) or wrong[:1]
        if quote and not said:
            yield Statement(Kind.WROTE, (quote,), contents=_briefly(chosen))
        elif missing and all(point.content.verb is Verb.POINT for point in missing):
            yield Statement(Kind.OF_REFERENCE, contents=_briefly(chosen))
        elif missing:
            yield _left_out(missing)


def _briefly(points: Sequence[Point]) -> tuple[Content, ...]:
    """Claims as the reference's words: two where they are short."""
    contents = tuple(_of_reference(point.content) for point in points)
    words = sum(len(content.words.split()) for content in contents)
    return (
        contents if words <= LONG_POINT and len({content.verb for content in contents}) == 1 else contents[:1]
    )


def explained(
    judgements: Sequence[Judgement],
    comparisons: Sequence[Comparison | None],
    answers: Sequence[str],
    pupils: Pupils = Pupils.OLDER,
) -> list[Judgement]:
    """The judgements with their explanations; what was not compared with a reference gets none.

    `answers` are as they were written: only their own words are quoted.
    """
    read = [comparison for comparison in comparisons if comparison is not None]
    documents = documents_of(
        text for comparison in read for outcome in comparison.claims for text in texts_of(outcome.facet)
    )
    trees = {text: Tree.of(document) for text, document in documents.items()}
    vectors = vectors_of([*documents.values(), *(comparison.answer for comparison in read)])

    @cache
    def words(comparison: Comparison, label: str, deferred: bool, written: str) -> Explanation:
        outcomes = as_written(comparison.claims, comparison.answer.text, written)
        about, known = comparison.question.text, forms_in(comparison.question)
        coverages = {
            text: coverage_of(documents[text], comparison.answer, known, vectors)
            for outcome in outcomes
            for text in texts_of(outcome.facet)
        }
        points = points_of(
            claims_of(outcomes),
            written,
            documents,
            comparison.reference,
            coverages=coverages,
            question=about,
        )
        read_to = None if comparison.whole else len(comparison.answer.tokens)
        note, doubt = for_teacher(label, points, written, about, documents, read_to=read_to)
        view = View(comparison.question, comparison.answer)
        student = for_student(
            label, points, written, view, comparison.reference, trees, deferred=deferred, pupils=pupils
        )
        return Explanation(comparison.alignment, note, student, outcomes, doubt)

    return [
        judgement
        if comparison is None
        else replace(judgement, explanation=words(comparison, judgement.label, judgement.deferred, written))
        for judgement, comparison, written in zip(judgements, comparisons, answers, strict=True)
    ]
