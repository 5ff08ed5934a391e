"""The shipped grader as a system of the benchmark: it remembers training answers, and learns nothing else."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, partial
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
from postil.senses.tagger import Tagger


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
        found: list[str] = []
        for question in questions:
            key = question.corpus, question.test_set, question.id
            if key not in self._labels or any(one.id not in self._labels[key] for one in question.answers):
                ((_, judged),) = self.grader.grade_many([question])
                ids = [answer.id for answer in question.answers]
                self._labels[key] = dict(zip(ids, [one.label for one in judged], strict=True))
            labels = self._labels[key]
            found += [scheme.collapse(labels[answer.id]) or "" for answer in question.answers]
        return found

    def _refuse_known(self, questions: Sequence[Question]) -> None:
        """Cross-validation would judge answers that the encoder has learned from, and flatter."""
        for question in questions:
            name = fingerprint(question.text, [reference.text for reference in question.references])
            if self._learned.get(name, 0) < self.grader.known.get(name, 0):
                raise PostilError(
                    f"the shipped encoder has learned from question {question.id}, so cross-validating on it "
                    "would flatter.",
                    hint="Give a test set with --test; docs/benchmarks.md has figures from encoders trained "
                    "fold by fold (training/grader.py).",
                )


# Which pairs the entailer has learned from, told by fingerprints: testing it on these would flatter.

LEARNED_FILE = "learned.txt"
_LENGTH = 12  # hexadecimal digits: among thousands of pairs no two will meet by chance


def pair_fingerprint(text: str, hypothesis: str) -> str:
    """A short name for a pair, whatever its case and punctuation."""
    words = " ".join(overlap_words(f"{text} | {hypothesis}"))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:_LENGTH]


def has_learned(text: str, hypothesis: str) -> bool:
    """Whether the entailer that ships has learned from this pair."""
    return pair_fingerprint(text, hypothesis) in _learned()


def as_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """The fingerprints of pairs as they are kept, a line each."""
    return "".join(f"{one}\n" for one in sorted({pair_fingerprint(*pair) for pair in pairs}))


@cache
def _learned() -> frozenset[str]:
    path = files("postil.resources").joinpath("entailment", LEARNED_FILE)
    return frozenset(path.read_text("utf-8").split())


# The shipped entailer as a system of the benchmark: it has learned from RTE-1 to RTE-3 already.

_FEW = 0.02  # the share of known pairs that a test may have


class ShippedEntailer:
    """Judges with the encoder and stack that ship, and refuses to be tested on their own training pairs."""

    def fit(self, pairs: Sequence[Pair]) -> ShippedEntailer:
        """Learn nothing: what ships has learned."""
        return self

    def predict(self, pairs: Sequence[Pair], scheme: Scheme) -> list[PairJudgement]:
        """Judge every pair, in order."""
        known = [pair.id for pair in pairs if has_learned(pair.text, pair.hypothesis)]
        # The years share a pair now and then, which flatters nobody.
        if len(known) > _FEW * len(pairs):
            raise PostilError(
                f"the shipped entailer has learned from pair {known[0]}, so testing it there would flatter.",
                hint="Give a file of another year with --test; docs/researchers/entailment.md has "
                "cross-validated figures (training/entailment.py).",
            )
        judged = load_entailer().judge([(pair.text, pair.hypothesis) for pair in pairs])
        return [
            PairJudgement(pair.id, scheme.collapse(one.label) or one.label, one.confidence)
            for pair, one in zip(pairs, judged, strict=True)
        ]


# The shipped aligner as a system of the benchmark: it has learned from the task's training sets already.


class ShippedAligner:
    """Aligns with the models that ship, and refuses to be tested on its own training pairs."""

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
                f"the shipped aligner has learned from pair {known.id}, so testing it there would flatter.",
                hint="Give another folder with --test; docs/benchmarks.md has cross-validated figures "
                "(training/aligner.py).",
            )
        return load_aligner().align(pairs)


# The shipped facets as a system of the benchmark: words that no expressed facet holds are missing.


class ShippedFacets:
    """Judges the facets of each reference; rows with the same question and reference together."""

    def fit(self, rows: Sequence[GapRow]) -> Self:
        """Learn nothing."""
        return self

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """For each row whether each word is held by no facet that the answer expresses."""
        groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            groups[row.question, row.reference].append(place)
        found: dict[int, tuple[bool, ...]] = {}
        for (question, reference), places in groups.items():
            judged = judge_facets(question, reference, [rows[place].answer for place in places])
            for place, outcomes in zip(places, judged, strict=True):
                found[place] = _missing(rows[place], outcomes)
        return [found[place] for place in range(len(rows))]


def _missing(row: GapRow, outcomes: Sequence[FacetOutcome]) -> tuple[bool, ...]:
    held = [span for one in outcomes if one.label == EXPRESSED for span in one.reference_spans]
    return tuple(not any(start < word.end and word.start < end for start, end in held) for word in row.words)


# The sense systems as the benchmark makes them: a fresh tagger for each name.

swat_hk_bo = partial(Tagger, "swat-hk-bo")
swat_hk = partial(Tagger, "swat-hk")
swat = partial(Tagger, "swat")
bcu_svm = partial(Tagger, "bcu-svm")
bcu_comb = partial(Tagger, "bcu-comb")
irst = partial(Tagger, "irst")
duluth = partial(Tagger, "duluth")
umd = partial(Tagger, "umd")
postil = partial(Tagger, "postil")
postil_encoder = partial(Tagger, "postil-encoder")
