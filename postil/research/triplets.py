"""Question, reference and answer put together: which reference an answer is compared with."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from postil.data.questions import Answer, Question, Reference
from postil.language.measures.overlap import overlap, overlap_words

BEST = "BEST"


@dataclass(frozen=True, slots=True)
class Triplet:
    """The three texts that a judgement rests on, and the question they belong to."""

    question: str
    reference: str
    answer: str
    source: tuple[str, str]  # the question's corpus and id

    @property
    def texts(self) -> tuple[str, str, str]:
        """The three texts alone."""
        return self.question, self.reference, self.answer


ChooseReference = Callable[[Question, Answer], str]


def make_triplets(questions: Sequence[Question], choose: ChooseReference) -> list[Triplet]:
    """One triplet an answer, in order, with the reference that `choose` picks."""
    return [
        Triplet(question.text, choose(question, answer), answer.text, (question.corpus, question.id))
        for question in questions
        for answer in question.answers
    ]


def first_reference(question: Question, answer: Answer) -> str:
    """The text of the first reference; the empty text where a question has none."""
    return question.references[0].text if question.references else ""


def matched_or_random(seed: int = 0) -> ChooseReference:
    """For training: the reference that an annotator matched, else one at random, a BEST one where there is.

    The draw depends on the seed, the question and the answer only, so that an answer keeps its reference
    whatever fold it is in.
    """

    def choose(question: Question, answer: Answer) -> str:
        for reference in question.references:
            if answer.match and reference.id == answer.match:
                return reference.text
        best = [reference for reference in question.references if reference.category == BEST]
        pool = best or list(question.references)
        if not pool:
            return ""
        name = "\0".join((question.corpus, question.id, answer.id))
        draw = np.random.default_rng([seed, zlib.crc32(name.encode())]).integers(len(pool))
        return pool[int(draw)].text

    return choose


def best_reference(question: Question, answer: Answer) -> str:
    """The reference most like the answer: highest mean of word-overlap F and cosine.

    Among equals a BEST one is taken, then the first. Nothing is read but the texts, so it serves training and
    judging alike.
    """
    if not question.references:
        return ""
    return max(question.references, key=lambda reference: _nearness(reference, answer.text)).text


def _nearness(reference: Reference, answer: str) -> tuple[float, bool]:
    return _likeness(reference.text, answer), reference.category == BEST


@lru_cache(maxsize=1 << 17)
def _likeness(reference: str, answer: str) -> float:
    """How alike two texts are; cross-validation meets every pair again in each fold."""
    shared = overlap(overlap_words(reference), overlap_words(answer))
    return (shared.f1 + shared.cosine) / 2
