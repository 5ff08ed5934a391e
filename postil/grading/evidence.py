"""What speaks for and against the answers of a class: the features that the stack weighs, a row an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from postil.data.arrays import Floats, Singles
from postil.grading.answers import shortened
from postil.language.measures.coverage import COVERAGE, Side, coverage, crowd, new_recall, side
from postil.language.measures.features import feature_table
from postil.language.measures.overlap import overlap, overlap_words
from postil.language.network import Cascade, Encoder, Pair, Reader, beside, encoder, one_thread_each
from postil.language.spelling import spelled_out

OVERLAP = ("f_measure", "lesk", "new_f_measure")
_SOFT = tuple(
    f"reference_soft_{name}" for name in ("jaccard", "dice", "cosine", "first_covered", "second_covered")
)
_OPPOSITION = ("reference_opposites", "reference_polarity_clashes", "reference_net_oppositions")
WORDS = (*_SOFT, *_OPPOSITION)
ENCODER = tuple(
    f"encoder_{label}" for label in ("correct", "partial", "contradictory", "irrelevant", "non_domain")
)
# Compared with the rest of the class: the same evidence means more where others have less of it.
_COMPARED = ("newer_recall", "missing", "mostly_missing", "newer_precision")
IN_CLASS = tuple(f"class_{name}" for name in (*_COMPARED, *ENCODER[:4]))
EVIDENCE = (*ENCODER, *COVERAGE, *IN_CLASS, *OVERLAP, *WORDS, *(f"new_{name}" for name in _SOFT))
_BY_WORDS = frozenset((*OVERLAP, *WORDS, *(f"new_{name}" for name in _SOFT)))
_MOST_OVERLAPPING = 200  # words whose overlap is measured: every one is compared with every other
_SMALL_CLASS = 5  # answers at which a class's own mean and spread count half


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The table, and of each answer its reference, its weighted words, and the reader that was believed."""

    table: Floats
    references: tuple[str, ...]
    sides: tuple[Side, ...]
    readers: tuple[str, ...]


def gather(
    question: str,
    references: Sequence[str],
    answers: Sequence[str],
    reader: Reader | None = None,
    features: Sequence[str] = EVIDENCE,
) -> Evidence:
    """The evidence about the answers to one question, by the quick reader unless another is given.

    Equal answers are looked at once. Words are compared only if some of the features that count need it.
    """
    if not answers:
        return Evidence(np.zeros((0, len(EVIDENCE))), (), (), ())
    distinct = list(dict.fromkeys(answers))
    question = shortened(question)
    whole = {shortened(reference): reference for reference in references}
    row_of = {answer: row for row, answer in enumerate(distinct)}
    rows = np.array([row_of[answer] for answer in answers], np.intp)
    network = encoder()
    reader = reader or network
    with one_thread_each(), beside() as pool:
        covered, chosen, sides = best_coverage(network, question, list(whole), distinct)
        # The network works outside the interpreter, so words are compared meanwhile.
        beginnings = [" ".join(spelled_out(answer).split()[: reader.most_words]) for answer in distinct]
        read = list(zip(beginnings, map(spelled_out, chosen), strict=True))
        opinion = pool.submit(_response, reader, read, question)
        needed = not _BY_WORDS.isdisjoint(features)
        words = (
            word_table(question, chosen, distinct) if needed else np.zeros((len(distinct), len(_BY_WORDS)))
        )
        logits, names = opinion.result()
        table = assemble(log_softmax(logits.astype(np.float64), axis=-1), covered, words, rows)
    return Evidence(
        table,
        tuple(whole[chosen[row]] for row in rows),
        tuple(sides[row] for row in rows),
        tuple(names[row] for row in rows),
    )


def _response(reader: Reader, pairs: Sequence[Pair], question: str) -> tuple[Singles, Sequence[str]]:
    """What a reader says of each pair, and who of a cascade said it."""
    if isinstance(reader, Cascade):
        logits, names = reader.read(pairs, question=question)
        return logits["response"], names
    return reader.pairs(pairs, question=question)["response"], [reader.name] * len(pairs)


def assemble(encoded: Floats, covered: Floats, words: Floats, rows: NDArray[np.intp]) -> Floats:
    """Put the kinds of evidence about distinct answers together, a row for each answer of the class."""
    columns = [COVERAGE.index(name) for name in _COMPARED]
    compared = np.hstack([covered[:, columns], encoded[:, :4]])[rows]
    return np.hstack([encoded[rows], covered[rows], in_class(compared), words[rows]])


def in_class(values: Floats) -> Floats:
    """How far each value is from the class's mean, in spreads; nothing for a class of one."""
    count = len(values)
    if count < 2:
        return np.zeros_like(values)
    deviations: Floats = (values - values.mean(axis=0)) / (values.std(axis=0) + 0.05)
    return deviations * (count / (count + _SMALL_CLASS))


def landmarks(questions: Sequence[tuple[str, str]]) -> Singles:
    """Where questions with their references are: a vector of length 1 for each."""
    asked, told = (encoder().meanings([shortened(pair[side]) for pair in questions]) for side in (0, 1))
    joined: Singles = np.hstack([asked, told]) / np.float32(np.sqrt(2))
    return joined


def nearness(question: str, references: Sequence[str], learned: Singles) -> float:
    """How alike a question is to the most alike of those that were learned from, up to 1."""
    if not len(learned):
        return 0.0
    return float((landmarks([(question, reference) for reference in references]) @ learned.T).max())


def word_table(question: str, references: Sequence[str], answers: Sequence[str]) -> Floats:
    """What comparing words tells, with and without the question's."""
    triplets = [(question, *pair) for pair in zip(references, answers, strict=True)]
    tables = (feature_table(triplets, WORDS), feature_table(triplets, _SOFT, demote=True))
    return np.hstack([np.array([_overlaps(*triplet) for triplet in triplets]), *tables])


def _overlaps(question: str, reference: str, answer: str) -> tuple[float, float, float]:
    asked = frozenset(overlap_words(question))
    first, second = (overlap_words(text)[:_MOST_OVERLAPPING] for text in (reference, answer))
    both = overlap(first, second)
    new = overlap(
        [word for word in first if word not in asked], [word for word in second if word not in asked]
    )
    return both.f1, both.lesk, new.f1


def best_coverage(
    network: Encoder, question: str, references: Sequence[str], answers: Sequence[str]
) -> tuple[Floats, list[str], list[Side]]:
    """Coverage of each answer's best reference, that reference, and the answers' weighted words."""
    asked, *pieces = network.words([question, *references, *answers])
    known = [side(reference, asked) for reference in pieces[: len(references)]]
    sides = [side(answer, asked) for answer in pieces[len(references) :]]
    everyone = crowd(sides)
    tables = np.stack([coverage(reference, everyone) for reference in known], axis=1)
    recall, precision = COVERAGE.index("newer_recall"), COVERAGE.index("newer_precision")
    best = (tables[:, :, recall] + 0.25 * tables[:, :, precision]).argmax(axis=1)
    return tables[np.arange(len(best)), best], [references[index] for index in best], sides


def similarities(sides: Sequence[Side], others: Sequence[Side]) -> Floats:
    """How alike answers to one question are: the mean of how much each covers of the other."""
    mine, theirs = crowd(sides), crowd(others)
    there = np.array([new_recall(answer, theirs) for answer in sides]).reshape(len(sides), len(others))
    back = np.array([new_recall(answer, mine) for answer in others]).reshape(len(others), len(sides)).T
    likeness: Floats = np.sqrt(np.clip(there, 0, 1) * np.clip(back, 0, 1))
    return likeness
