"""What ships as systems of the benchmarks: the grader, the entailer, the aligner and the facets.

They have learned already, so fitting teaches them nothing (the grader remembers the answers), and they refuse
to be tested on what they have learned from, because that would flatter them.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Self

from postil.alignment.aligner import load_aligner
from postil.data.formats.rte import Pair, PairJudgement
from postil.data.formats.sra import GapRow
from postil.data.judgements import EXPRESSED, AlignedPair, ChunkedPair, FacetOutcome
from postil.data.labels import Scheme
from postil.data.questions import Question, count_answers
from postil.entailment.entailer import load_entailer
from postil.errors import PostilError
from postil.grader import Grader, load
from postil.grading.answers import fingerprint
from postil.grading.claims import judge_facets
from postil.language.measures.overlap import overlap_words

LEARNED_FILE = "learned.txt"
_DIGITS = 12  # hexadecimal digits of a fingerprint: among thousands of pairs no two are alike by chance
_FEW = 0.02  # the share of known pairs that a test may have


class ShippedGrader:
    """Judges with the encoder and stack that ship, which have learned from the challenge's training sets."""

    def __init__(self) -> None:
        self.grader: Grader = load()
        self._learned: dict[str, int] = {}
        self._labels: dict[tuple[str, str, str], dict[str, str]] = {}

    def fit(self, questions: Sequence[Question]) -> ShippedGrader:
        """Remember the labelled answers."""
        for question in questions:
            references = [reference.text for reference in question.references]
            name = fingerprint(question.text, references)
            self._learned[name] = self._learned.get(name, 0) + count_answers([question])
            labelled = [(answer.text, answer.label) for answer in question.answers if answer.label]
            self.grader.remember(question.text, references, labelled)
        return self

    def predict(self, questions: Sequence[Question], scheme: Scheme) -> list[str]:
        """Label the answers; each question is judged once for all schemes."""
        self._refuse_known(questions)
        collapsed: list[str] = []
        for question in questions:
            key = question.corpus, question.test_set, question.id
            ids = [answer.id for answer in question.answers]
            if key not in self._labels or not self._labels[key].keys() >= set(ids):
                ((_, judgements),) = self.grader.grade_many([question])
                self._labels[key] = dict(zip(ids, [each.label for each in judgements], strict=True))
            collapsed += [scheme.collapse(self._labels[key][id]) or "" for id in ids]
        return collapsed

    def _refuse_known(self, questions: Sequence[Question]) -> None:
        """Refuse to judge answers that the encoder has learned from."""
        for question in questions:
            name = fingerprint(question.text, [reference.text for reference in question.references])
            if self._learned.get(name, 0) < self.grader.known.get(name, 0):
                raise PostilError(
                    f"the shipped encoder has learned from question {question.id}, so cross-validating on it "
                    "would flatter the result.",
                    hint="Give a test set with --test; docs/benchmarks.md has figures from encoders trained "
                    "fold by fold (training/grader.py).",
                )


def pair_fingerprint(text: str, hypothesis: str) -> str:
    """A short name for a pair, whatever its case and punctuation."""
    words = " ".join(overlap_words(f"{text} | {hypothesis}"))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def has_learned(text: str, hypothesis: str) -> bool:
    """Whether the entailer that ships has learned from this pair."""
    return pair_fingerprint(text, hypothesis) in _learned()


def as_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """The fingerprints of pairs as the file of learned pairs lists them."""
    return "".join(f"{name}\n" for name in sorted({pair_fingerprint(*pair) for pair in pairs}))


@cache
def _learned() -> frozenset[str]:
    path = files("postil.resources").joinpath("entailment", LEARNED_FILE)
    return frozenset(path.read_text("utf-8").split())


class ShippedEntailer:
    """Judges with the encoder and stack that ship, which have learned from RTE-1 to RTE-3."""

    def fit(self, pairs: Sequence[Pair]) -> ShippedEntailer:
        """Learn nothing."""
        return self

    def predict(self, pairs: Sequence[Pair], scheme: Scheme) -> list[PairJudgement]:
        """Judge every pair, in order."""
        known = [pair.id for pair in pairs if has_learned(pair.text, pair.hypothesis)]
        # A few pairs occur in several years' sets; they make no difference.
        if len(known) > _FEW * len(pairs):
            raise PostilError(
                f"the shipped entailer has learned from pair {known[0]}: testing it there would flatter it.",
                hint="Give a file of another year with --test; docs/researchers/entailment.md has "
                "cross-validated figures (training/entailment.py).",
            )
        judgements = load_entailer().judge([(pair.text, pair.hypothesis) for pair in pairs])
        return [
            PairJudgement(pair.id, scheme.collapse(judgement.label) or judgement.label, judgement.confidence)
            for pair, judgement in zip(pairs, judgements, strict=True)
        ]


class ShippedAligner:
    """Aligns with the models that ship, which have learned from the task's training sets."""

    def __init__(self) -> None:
        self._learned: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()

    def fit(self, pairs: Sequence[AlignedPair], chunks: Sequence[ChunkedPair]) -> ShippedAligner:
        """Learn nothing; note which sentences are called training data."""
        self._learned.update((pair.source, pair.target) for pair in pairs)
        return self

    def predict(self, pairs: Sequence[ChunkedPair]) -> list[AlignedPair]:
        """Align every pair of chunked sentences."""
        known = next((pair for pair in pairs if (pair.source, pair.target) in self._learned), None)
        if known is not None:
            raise PostilError(
                f"the shipped aligner has learned from pair {known.id}: testing it there would flatter it.",
                hint="Give another folder with --test; docs/benchmarks.md has cross-validated figures "
                "(training/aligner.py).",
            )
        return load_aligner().align(pairs)


class ShippedFacets:
    """Judges the facets of each reference; words that no expressed facet holds are missing."""

    def fit(self, rows: Sequence[GapRow]) -> Self:
        """Learn nothing."""
        return self

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """Judge the rows with the same question and reference together."""
        groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            groups[row.question, row.reference].append(number)
        missing: dict[int, tuple[bool, ...]] = {}
        for (question, reference), numbers in groups.items():
            judged = judge_facets(question, reference, [rows[number].answer for number in numbers])
            for number, outcomes in zip(numbers, judged, strict=True):
                missing[number] = _missing(rows[number], outcomes)
        return [missing[number] for number in range(len(rows))]


def _missing(row: GapRow, outcomes: Sequence[FacetOutcome]) -> tuple[bool, ...]:
    held = [span for outcome in outcomes if outcome.label == EXPRESSED for span in outcome.reference_spans]
    return tuple(not any(start < word.end and word.start < end for start, end in held) for word in row.words)
