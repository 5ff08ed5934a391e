"""What a request costs, estimated before anybody works on it, and what would take too long is refused.

The prices are seconds on one core of 2024, with models loaded, so that even hostile texts keep them
(benchmarks/hostile.py --requests). A text is read only to a certain length, so it has a highest price. What a
reader adds is in `prices.json`, from benchmarks/hostile.py --prices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from postil.grading.facets import MOST_CLAUSES
from postil.language.network import MOST_OF_A_QUESTION
from postil.workbench.jobs.judging import (
    SMALLER,
    AlignTask,
    ClassTask,
    EntailTask,
    FacetsTask,
    Task,
    TooMuchError,
)
from postil.workbench.jobs.readers import reader_price

MOST_SECONDS = 3.0
# A word or sign; a run of letters that is too long for a word counts as several.
_WORD = re.compile(r"\w{1,20}|[^\w\s]")
# What networks read. They know most English words as a whole, and spell out all else, above all consonants.
# Long runs of letters that are no words cost twice as much as this says, and the prices allow for that.
_CONSONANT = "[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]"
_PIECE = re.compile(rf"{_CONSONANT}{{2}}(?={_CONSONANT})|[A-Za-z]{{1,5}}|[0-9]{{1,2}}|[^\sA-Za-z0-9]")

# The words of a text that count: for grading, for aligning, and of the two sides of entailment.
_GRADED, _ALIGNED, _PASSAGE, _HYPOTHESIS = 400, 200, 2_000, 200
_MOST_CLAIMS = 20
_LONGEST_WHOLE = 60  # words of a reference that is read beside an answer as a whole where facets are found
_IN_PASSAGE, _PASSAGE_PIECES = 40, 160  # words, and at most so many pieces
_CLAUSE = re.compile(r"[.!?;:,]\s|\b(?:and|or|but|because|that|if|when|which|who|so)\b", re.IGNORECASE)

# Seconds.
_ANSWER, _ANSWER_PIECE, _BESIDE_REFERENCE = 4e-3, 2.5e-4, 2.5e-7  # for a word beside one of a reference
_BESIDE_DECIDED = 4e-8  # for a piece beside one of the answers that a person has labelled
_PAIR, _PAIR_WORD, _BESIDE_WORD = 3e-3, 3e-4, 6e-6
_ALONE, _ALONE_WORD, _ALONE_BESIDE = 1e-2, 1e-3, 1.3e-5  # for a pair that is only aligned, and explained so
_CLAIM, _CLAIM_PIECE = 3e-3, 5e-5  # in a passage
_ENTAILED, _PASSAGE_WORD, _HYPOTHESIS_WORD, _BESIDE_HYPOTHESIS = 8e-3, 1.8e-4, 3.5e-4, 2.4e-6
_JUSTIFIED = 3e-6  # more for a word that is aligned with one of the hypothesis


def demand_affordable(task: Task) -> None:
    """Refuse a task that would keep others waiting for too long."""
    seconds = estimate(task)
    if seconds > MOST_SECONDS:
        what = f"judging this would take about {seconds:.0f} seconds; at most {MOST_SECONDS:.0f} are allowed."
        raise TooMuchError(what, hint=SMALLER)


def estimate(task: Task) -> float:
    """The seconds that a task takes on one core, about."""
    if isinstance(task, ClassTask):
        graded = _grading(task)
        if not (task.explain or task.with_facets):
            return graded
        longest = max(_count(reference, _ALIGNED) for reference in task.references)
        claims = task.facets or max(map(_claims, task.references))
        looked = _looking_for(claims, task.answers)
        looked += _reading(claims, task.question, task.references, task.answers, MOST_CLAUSES)
        return graded + _aligning(longest, task.answers) + looked
    if isinstance(task, AlignTask):
        return sum(_aligning_pair(*pair) for pair in task.pairs)
    if isinstance(task, EntailTask):
        return sum(_entailing(text, hypothesis) for text, hypothesis in task.pairs)
    return _comparing(task)


def _grading(task: ClassTask) -> float:
    reader = reader_price(task.reader)
    texts = [*task.answers, *(text for text, _ in task.decided)]
    words = sum(_count(text, _GRADED) for text in texts)
    beside = sum(_count(reference, _GRADED) for reference in task.references)
    asked = _pieces(task.question, _GRADED)
    expected = [_pieces(reference, _GRADED) for reference in task.references]
    given = [_pieces(text, _GRADED) for text in texts]
    price = _ANSWER * len(texts) + _ANSWER_PIECE * (asked + sum(expected) + sum(given))
    price += _BESIDE_REFERENCE * words * beside
    price += _BESIDE_DECIDED * sum(given) * sum(given[len(task.answers) :])
    question = " ".join(task.question.split()[-MOST_OF_A_QUESTION:])
    against = _pieces(question, reader.pieces) + max(expected)
    return reader.times * price + sum(reader.of(against + pieces) for pieces in given)


def _comparing(task: FacetsTask) -> float:
    reference = _count(task.reference, _ALIGNED)
    claims = task.facets or _claims(task.reference)
    read = (task.reference,) if reference <= _LONGEST_WHOLE else ()
    return (
        _ANSWER * len(task.answers)
        + _PAIR_WORD * reference
        + _aligning(reference, task.answers)
        + _looking_for(claims, task.answers)
        + _reading(claims, task.question, (task.reference,), task.answers, MOST_CLAUSES)
        + _reading(read, task.question, (), task.answers, 1)
    )


def _aligning(reference: int, texts: Iterable[str]) -> float:
    """The price of aligning texts with one that has this many words and has been read already."""
    counts = [_count(text, _ALIGNED) for text in texts]
    return _PAIR * len(counts) + (_PAIR_WORD + _BESIDE_WORD * reference) * sum(counts)


def _aligning_pair(source: str, target: str) -> float:
    first, second = _count(source, _ALIGNED), _count(target, _ALIGNED)
    return _ALONE + _ALONE_WORD * (first + second) + _ALONE_BESIDE * first * second


def _looking_for(claims: tuple[str, ...] | int, answers: tuple[str, ...]) -> float:
    """The price of looking for claims, given or only counted, in answers, which are read in passages."""
    passages = [1 + _count(answer, _ALIGNED) / _IN_PASSAGE for answer in answers]
    pieces = sum(
        min(_pieces(answer, _PASSAGE), _PASSAGE_PIECES * parts)
        for answer, parts in zip(answers, passages, strict=True)
    )
    if isinstance(claims, int):
        return claims * (_CLAIM * sum(passages) + _CLAIM_PIECE * pieces)
    # What the reference may not say is read a second time, as if it were one.
    together = len(claims) * pieces + len(answers) * sum(_pieces(claim, _PASSAGE) for claim in claims)
    return _CLAIM * len(claims) * sum(passages) + 2 * _CLAIM_PIECE * together


def _reading(
    claims: tuple[str, ...] | int,
    question: str,
    references: tuple[str, ...],
    answers: tuple[str, ...],
    most: int,
) -> float:
    """What a reader adds that reads claims beside each answer: those given, or parts of a reference."""
    reader = reader_price()
    if not reader.pair:  # the quick one
        return 0.0
    asked = _pieces(" ".join(question.split()[-MOST_OF_A_QUESTION:]), reader.pieces)
    if isinstance(claims, int):
        whole = max((_pieces(reference, reader.pieces) for reference in references), default=0)
        told = [whole // claims] * (min(claims, most) if claims > 1 else 0)
    else:
        told = [_pieces(claim, reader.pieces) for claim in claims]
    given = [_pieces(answer, _ALIGNED * 2) for answer in answers]
    return sum(reader.of(asked + claim + pieces) for claim in told for pieces in given)


def _claims(reference: str) -> int:
    """How many claims a reference may make, by what could begin a clause."""
    return 1 + _first(_CLAUSE, reference, _MOST_CLAIMS - 1)


def _entailing(text: str, hypothesis: str) -> float:
    there, here = _count(text, _PASSAGE), _count(hypothesis, _HYPOTHESIS)
    words = _PASSAGE_WORD * there + _HYPOTHESIS_WORD * here
    read = reader_price().of(_pieces(text, _PASSAGE) + _pieces(hypothesis, _HYPOTHESIS))
    compared = (_BESIDE_HYPOTHESIS * there + _JUSTIFIED * min(there, _ALIGNED)) * here
    return _ENTAILED + words + compared + read


def _count(text: str, most: int) -> int:
    return _first(_WORD, text, most)


def _pieces(text: str, most: int) -> int:
    return _first(_PIECE, text, most)


def _first(pattern: re.Pattern[str], text: str, most: int) -> int:
    """How often a pattern is found, up to so many times: the rest of a long text is not looked at."""
    return sum(1 for _ in islice(pattern.finditer(text), most))
