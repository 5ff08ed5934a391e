"""Give judgements their explanation: the answer's chunks beside the reference's, and what they show in words.

>>> from postil.grader import load
>>> judged = load().grade("Why is it lit?", ["It is in a closed path."], "it is in a path", explain=True)
>>> judged.explanation is not None
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from postil.corpora.alignments import AlignedPair
from postil.corpora.responses import Question
from postil.explain.differences import find_differences
from postil.explain.verdict import for_student, for_teacher
from postil.models.alignment.aligner import chunked_pair, load_aligner
from postil.models.responses.judgement import Explanation, Judgement
from postil.models.threads import one_thread_each
from postil.text.contractions import spelled_out
from postil.text.document import Document
from postil.text.pipeline import analyse_many

_TOGETHER = 256  # answers; many are explained faster than a few
Class = tuple[str, Sequence[str], Sequence[Judgement]]  # a question, its answers and their judgements
Pair = tuple[str, str]  # an answer and the reference that it was compared with


@dataclass(frozen=True, slots=True)
class _Aligned:
    source: Document
    target: Document
    pair: AlignedPair


def explained(question: str, answers: Sequence[str], judgements: Sequence[Judgement]) -> list[Judgement]:
    """The judgements of the answers to a question, each with its explanation.

    What was decided without a model keeps its `because` and gets no explanation.
    """
    return explained_many([(question, answers, judgements)])[0]


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
    found = explained_many([(one.text, read(one), judgements) for one, judgements in judged])
    return zip([question for question, _ in judged], found, strict=True)


def explained_many(classes: Sequence[Class]) -> list[list[Judgement]]:
    """The same for several questions at once, which is faster; equal texts are looked at once."""
    compared = [_compared(answers, judgements) for _, answers, judgements in classes]
    pairs = list(dict.fromkeys(pair for its in compared for pair in its if pair is not None))
    if not pairs:
        return [list(judgements) for *_, judgements in classes]
    texts = list(dict.fromkeys([*(text for pair in pairs for text in pair), *(one for one, *_ in classes)]))
    with one_thread_each():
        known = dict(zip(texts, analyse_many(texts), strict=True))
        aligned = _align(pairs, known)

    @cache
    def words(pair: Pair, question: str, label: str, deferred: bool) -> Explanation:
        return _words(aligned[pair], known[question], label, deferred)

    return [
        [
            judgement
            if pair is None
            else replace(judgement, explanation=words(pair, question, judgement.label, judgement.deferred))
            for pair, judgement in zip(its, judgements, strict=True)
        ]
        for its, (question, _, judgements) in zip(compared, classes, strict=True)
    ]


def _compared(answers: Sequence[str], judgements: Sequence[Judgement]) -> list[Pair | None]:
    """What each answer is compared with; None where nothing needs to be said."""
    read = [spelled_out(" ".join(answer.split())) for answer in answers]
    return [
        (answer, judgement.reference) if _needs_words(answer, judgement) else None
        for answer, judgement in zip(read, judgements, strict=True)
    ]


def _needs_words(answer: str, judgement: Judgement) -> bool:
    return bool(judgement.reference) and not judgement.because and any(map(str.isalnum, answer))


def _align(pairs: Sequence[Pair], known: dict[str, Document]) -> dict[Pair, _Aligned]:
    """Align each answer with its reference."""
    documents = [known[text] for pair in pairs for text in pair]
    sides = list(zip(documents[::2], documents[1::2], strict=True))
    chunked = [chunked_pair(str(number), *side) for number, side in enumerate(sides, 1)]
    found = load_aligner().align_analysed(chunked, documents)
    return {pair: _Aligned(*side, one) for pair, side, one in zip(pairs, sides, found, strict=True)}


def _words(one: _Aligned, question: Document, label: str, deferred: bool) -> Explanation:
    texts = one.source, one.target
    differences = find_differences(one.pair, *texts)
    return Explanation(
        one.pair,
        for_teacher(differences, *texts, label, deferred=deferred),
        for_student(differences, *texts, label, question, deferred=deferred),
    )
