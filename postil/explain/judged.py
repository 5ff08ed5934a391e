"""Give judgements their explanation: the answer's chunks beside the reference's, and what they show in words.

>>> from postil.grader import load
>>> judged = load().grade("Why is it lit?", ["It is in a closed path."], "it is in a path", explain=True)
>>> judged.explanation is not None
True
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from postil.alignment.aligner import chunked_pair, load_aligner
from postil.alignment.features import Pair as WordPair
from postil.alignment.features import prepare, read
from postil.data.judgements import AlignedPair, ChunkedPair, Explanation, FacetOutcome, Facets, Judgement
from postil.data.questions import Question
from postil.explain.differences import find_differences
from postil.explain.notes import for_student, for_teacher
from postil.grading.claims import find_points, judge_found, locate
from postil.grading.decision import reconciled
from postil.language.document import Document
from postil.language.pipeline import documents_of
from postil.language.reader import beside, one_thread_each
from postil.language.spelling import spelled_out

_TOGETHER = 256  # answers; many are explained faster than a few
_ALIGNED = 64  # pairs aligned at a time: memory grows with their number
Pair = tuple[str, str]  # an answer and the reference that it was compared with
Prepared = tuple[ChunkedPair, WordPair]  # the two in chunks, and their words compared
Compared = tuple[str, Pair, Facets]  # an answer as it is explained: the question, the pair, the facets given


@dataclass(frozen=True, slots=True)
class Class:
    """The answers to a question and their judgements, to be explained; with facets that a person gave."""

    question: str
    answers: Sequence[str]
    judgements: Sequence[Judgement]
    facets: Facets = None


def explained(
    question: str, answers: Sequence[str], judgements: Sequence[Judgement], facets: Facets = None
) -> list[Judgement]:
    """The judgements of the answers to a question, each with its explanation.

    Its facets are those given, or else the points of the reference. What was decided without a model keeps
    its `because` and gets no explanation.
    """
    return explained_many([Class(question, answers, judgements, facets)])[0]


def explained_questions(
    judged: Iterable[tuple[Question, list[Judgement]]], read: Callable[[Question], Sequence[str]]
) -> Iterator[tuple[Question, list[Judgement]]]:
    """Questions with judgements explained, some of them together; `read` gives answers as they were read."""
    waiting: list[tuple[Question, list[Judgement]]] = []
    for one in judged:
        waiting.append(one)
        if sum(len(judgements) for _, judgements in waiting) >= _TOGETHER:
            yield from _together(waiting, read)
            waiting = []
    yield from _together(waiting, read)


def _together(
    judged: Sequence[tuple[Question, list[Judgement]]], read: Callable[[Question], Sequence[str]]
) -> Iterator[tuple[Question, list[Judgement]]]:
    found = explained_many([Class(one.text, read(one), judgements) for one, judgements in judged])
    return zip([question for question, _ in judged], found, strict=True)


def explained_many(classes: Sequence[Class]) -> list[list[Judgement]]:
    """The same for several questions at once, which is faster; equal texts are looked at once."""
    compared = [_compared(one) for one in classes]
    wanted = list(dict.fromkeys(one for its in compared for one in its if one is not None))
    if not wanted:
        return [list(one.judgements) for one in classes]
    pairs = list(dict.fromkeys(pair for _, pair, _ in wanted))
    with one_thread_each(), beside() as pool:
        known = documents_of([*chain.from_iterable(pairs), *(question for question, *_ in wanted)])
        prepared = _prepared(pairs, known)
        # Facets are read by the network, which works outside the interpreter; chunks are aligned meanwhile.
        judging = pool.submit(_judge_facets, wanted, known, prepared)
        aligned = _align(prepared)
        outcomes = judging.result()

    @cache
    def words(one: Compared, label: str, deferred: bool) -> Explanation:
        question, pair, _ = one
        texts = known[pair[0]], known[pair[1]]
        return _words(aligned[pair], texts, known[question], label, outcomes[one], deferred=deferred)

    def explain(judgement: Judgement, one: Compared | None) -> Judgement:
        if one is None:
            return judgement
        judgement = reconciled(judgement, outcomes[one])
        return replace(judgement, explanation=words(one, judgement.label, judgement.deferred))

    return [
        [explain(*pair) for pair in zip(one.judgements, its, strict=True)]
        for one, its in zip(classes, compared, strict=True)
    ]


def _compared(one: Class) -> list[Compared | None]:
    """What each answer is compared with; None where nothing needs to be said."""
    read = [spelled_out(" ".join(answer.split())) for answer in one.answers]
    return [
        (one.question, (answer, judgement.reference), one.facets) if _needs_words(answer, judgement) else None
        for answer, judgement in zip(read, one.judgements, strict=True)
    ]


def _needs_words(answer: str, judgement: Judgement) -> bool:
    return bool(judgement.reference) and not judgement.because and any(map(str.isalnum, answer))


def _prepared(pairs: Sequence[Pair], known: Mapping[str, Document]) -> dict[Pair, Prepared]:
    """Each answer beside its reference, in chunks, and their words compared."""
    sides = [(known[answer], known[reference]) for answer, reference in pairs]
    chunked = [chunked_pair(str(number), *side) for number, side in enumerate(sides, 1)]
    reading = read([(one.text, other.text) for one, other in sides])
    compared = prepare(chunked, [document for side in sides for document in side], reading)
    return dict(zip(pairs, zip(chunked, compared, strict=True), strict=True))


def _align(prepared: Mapping[Pair, Prepared]) -> dict[Pair, AlignedPair]:
    """Align each answer with its reference, some at a time."""
    aligner, items = load_aligner(), list(prepared.values())
    found: list[AlignedPair] = []
    for start in range(0, len(items), _ALIGNED):
        chunked, compared = zip(*items[start : start + _ALIGNED], strict=True)
        found += aligner.align_prepared(chunked, compared)
    return dict(zip(prepared, found, strict=True))


def _judge_facets(
    wanted: Sequence[Compared], known: Mapping[str, Document], prepared: Mapping[Pair, Prepared]
) -> dict[Compared, tuple[FacetOutcome, ...]]:
    """What each answer does with the facets given, or else with the points of its reference."""
    together: defaultdict[tuple[str, str, Facets], list[Compared]] = defaultdict(list)
    for one in wanted:
        question, (_, reference), facets = one
        together[question, reference, facets].append(one)
    outcomes: dict[Compared, tuple[FacetOutcome, ...]] = {}
    for (question, reference, facets), its in together.items():
        target = known[reference]
        found = find_points(target, known[question]) if facets is None else locate(facets, target)
        compared = [prepared[pair][1] for _, pair, _ in its]
        outcomes |= zip(its, judge_found(found, compared), strict=True)
    return outcomes


def _words(
    pair: AlignedPair,
    texts: tuple[Document, Document],
    question: Document,
    label: str,
    outcomes: tuple[FacetOutcome, ...],
    *,
    deferred: bool,
) -> Explanation:
    differences = find_differences(pair, *texts)
    return Explanation(
        pair,
        for_teacher(differences, *texts, label, outcomes, deferred=deferred),
        for_student(differences, *texts, label, question, deferred=deferred),
        outcomes,
    )
