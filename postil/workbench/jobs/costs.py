"""What a request to judge texts costs, estimated before anybody works on it; too much is refused.

The prices were measured on one core of 2024, models loaded, so that even hostile texts keep them
(benchmarks/hostile.py --requests). A text is read only to a certain length, so it has a highest price.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from postil.workbench.jobs.judging import AlignTask, ClassTask, EntailTask, FacetsTask, Task, TooMuchError

MOST_SECONDS = 3.0
# A word or sign; a run of letters that is too long for a word counts as several.
_WORD = re.compile(r"\w{1,20}|[^\w\s]")

# The words of a text that count: for grading, for aligning, and of the two sides of entailment.
_GRADED, _ALIGNED, _PASSAGE, _HYPOTHESIS = 400, 200, 2_000, 200
_MOST_CLAIMS = 20
_IN_PASSAGE = 40  # words
_CLAUSE = re.compile(r"[.!?;:,]\s|\b(?:and|or|but|because|that|if|when|which|who|so)\b", re.IGNORECASE)

# Seconds.
_ANSWER, _ANSWER_WORD, _BESIDE_REFERENCE = 4e-3, 2.5e-4, 2.5e-7  # for a word beside one of a reference
_PAIR, _PAIR_WORD, _BESIDE_WORD = 3e-3, 3e-4, 6e-6
_ALONE, _ALONE_WORD, _ALONE_BESIDE = 1e-2, 1e-3, 1.3e-5  # for a pair that is only aligned, and explained so
_CLAIM = 3e-3  # in a passage
_ENTAILED, _PASSAGE_WORD, _HYPOTHESIS_WORD, _BESIDE_HYPOTHESIS = 8e-3, 1.8e-4, 3.5e-4, 2.4e-6


def demand_affordable(task: Task) -> None:
    """Refuse a task that would keep others waiting for too long."""
    seconds = estimate(task)
    if seconds > MOST_SECONDS:
        what = f"judging this would take about {seconds:.0f} seconds; at most {MOST_SECONDS:.0f} are allowed."
        hint = "Send fewer or shorter texts at once, or store the answers in a course and start a job."
        raise TooMuchError(what, hint=hint)


def estimate(task: Task) -> float:
    """The seconds that a task takes on one core, about."""
    if isinstance(task, ClassTask):
        graded = _grading(task)
        if not (task.explain or task.with_facets):
            return graded
        longest = max(_count(reference, _ALIGNED) for reference in task.references)
        claims = task.facets or max(map(_claims, task.references))
        return graded + _aligning(longest, task.answers) + _looking_for(claims, task.answers)
    if isinstance(task, AlignTask):
        return sum(_aligning_pair(*pair) for pair in task.pairs)
    if isinstance(task, EntailTask):
        return sum(_entailing(text, hypothesis) for text, hypothesis in task.pairs)
    return _comparing(task)


def _grading(task: ClassTask) -> float:
    beside = sum(_count(reference, _GRADED) for reference in task.references)
    texts = [*task.answers, *(text for text, _ in task.decided)]
    words = sum(_count(text, _GRADED) for text in texts)
    read = _count(task.question, _GRADED) + beside
    return _ANSWER * len(texts) + _ANSWER_WORD * (read + words) + _BESIDE_REFERENCE * words * beside


def _comparing(task: FacetsTask) -> float:
    reference = _count(task.reference, _ALIGNED)
    return (
        _ANSWER * len(task.answers)
        + _PAIR_WORD * reference
        + _aligning(reference, task.answers)
        + _looking_for(task.facets or _claims(task.reference), task.answers)
    )


def _aligning(reference: int, texts: Iterable[str]) -> float:
    """The price of texts beside one that has so many words, and is read already."""
    counts = [_count(text, _ALIGNED) for text in texts]
    return _PAIR * len(counts) + (_PAIR_WORD + _BESIDE_WORD * reference) * sum(counts)


def _aligning_pair(source: str, target: str) -> float:
    first, second = _count(source, _ALIGNED), _count(target, _ALIGNED)
    return _ALONE + _ALONE_WORD * (first + second) + _ALONE_BESIDE * first * second


def _looking_for(claims: tuple[str, ...] | int, answers: tuple[str, ...]) -> float:
    """The price of claims, or of so many, in answers, which are read in passages."""
    count = claims if isinstance(claims, int) else len(claims)
    return _CLAIM * count * sum(1 + _count(answer, _ALIGNED) / _IN_PASSAGE for answer in answers)


def _claims(reference: str) -> int:
    """How many claims a reference may make, by what could begin a clause."""
    return min(_MOST_CLAIMS, 1 + sum(1 for _ in _CLAUSE.finditer(reference)))


def _entailing(text: str, hypothesis: str) -> float:
    there, here = _count(text, _PASSAGE), _count(hypothesis, _HYPOTHESIS)
    words = _PASSAGE_WORD * there + _HYPOTHESIS_WORD * here
    return _ENTAILED + words + _BESIDE_HYPOTHESIS * there * here


def _count(text: str, most: int) -> int:
    return min(most, sum(1 for _ in _WORD.finditer(text)))
