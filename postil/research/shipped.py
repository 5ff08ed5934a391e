"""What ships as systems of the benchmarks: the grader, the entailer, the aligner, the facets and the claims.

They have learned already, so fitting teaches them nothing (the grader remembers the answers). They say which
items they have learned from, and refuse a test that consists of such items, because it would flatter them.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from postil.alignment.aligner import load_aligner
from postil.data.formats.claim_sets import ClaimRow
from postil.data.formats.rte import Pair, PairJudgement
from postil.data.formats.sra import GapRow
from postil.data.judgements import EXPRESSED, AlignedPair, ChunkedPair
from postil.data.labels import Scheme
from postil.data.questions import Question, count_answers
from postil.entailment.entailer import load_entailer
from postil.grader import Grader, load
from postil.grading.answers import fingerprint
from postil.grading.claims import judge_facets
from postil.grading.verdicts import Asked, judge_claims
from postil.language.measures.overlap import overlap_words
from postil.language.network import default_reader, demand_reader
from postil.research.baselines import words_outside
from postil.research.systems import Finished, refuse_known

LEARNED_FILE = "learned.txt"
_DIGITS = 12  # hexadecimal digits of a fingerprint: among thousands of pairs no two are alike by chance


class ShippedGrader:
    """Judges with the reader and stack that ship, which have learned from the challenge's training sets.

    `postil` has the default reader; `postil-quick`, `postil-careful` and so on name theirs.
    """

    def __init__(self, system: str = "postil") -> None:
        self.grader: Grader = load(reader=system.partition("-")[2] or None)
        self._learned: Counter[str] = Counter()
        self._answers: set[tuple[str, str, str]] = set()  # fingerprint of the question, id and text
        self._labels: dict[tuple[str, str, str], dict[str, str]] = {}

    def fit(self, questions: Sequence[Question]) -> ShippedGrader:
        """Remember the labelled answers."""
        for question in questions:
            references = [reference.text for reference in question.references]
            name = _name(question)
            self._learned[name] += count_answers([question])
            self._answers.update((name, answer.id, answer.text) for answer in question.answers)
            labelled = [(answer.text, answer.label) for answer in question.answers if answer.label]
            self.grader.remember(question.text, references, labelled)
        return self

    def predict(self, questions: Sequence[Question], scheme: Scheme) -> list[str]:
        """Label the answers; each question is judged once for all schemes."""
        refuse_known(
            self.learned_from(questions),
            "the shipped grader",
            "Give a test set with --test whose answers are not in --train; docs/benchmarks.md has figures "
            "from encoders trained fold by fold (training/grader.py).",
        )
        collapsed: list[str] = []
        for question in questions:
            key = question.corpus, question.test_set, question.id
            ids = [answer.id for answer in question.answers]
            if key not in self._labels or not self._labels[key].keys() >= set(ids):
                ((_, judgements),) = self.grader.grade_many([question])
                self._labels[key] = dict(zip(ids, [each.label for each in judgements], strict=True))
            collapsed += [scheme.collapse(self._labels[key][id]) or "" for id in ids]
        return collapsed

    def learned_from(self, questions: Sequence[Question]) -> list[bool]:
        """Which answers were learned from: those told, and all to a question that the encoder alone knows."""
        return [
            self._has_seen(question) or (_name(question), answer.id, answer.text) in self._answers
            for question in questions
            for answer in question.answers
        ]

    def _has_seen(self, question: Question) -> bool:
        """Whether the encoder has learned from more answers to a question than the training data hold.

        These may be the others.
        """
        name = _name(question)
        return self._learned[name] < self.grader.known.get(name, 0)


def _name(question: Question) -> str:
    return fingerprint(question.text, [reference.text for reference in question.references])


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


class ShippedEntailer(Finished):
    """Judges with the default reader and the stack for it, which have learned from RTE-1 to RTE-3."""

    @property
    def reader(self) -> str:
        """Who reads the pairs, for the signature."""
        return load_entailer().reader.name

    def predict(self, pairs: Sequence[Pair], scheme: Scheme) -> list[PairJudgement]:
        """Judge every pair, in order."""
        refuse_known(
            self.learned_from(pairs),
            "the shipped entailer",
            "Give a file of another year with --test; docs/researchers/entailment.md has cross-validated "
            "figures (training/entailment.py).",
        )
        judgements = load_entailer().judge([(pair.text, pair.hypothesis) for pair in pairs])
        return [
            PairJudgement(pair.id, scheme.collapse(judgement.label) or judgement.label, judgement.confidence)
            for pair, judgement in zip(pairs, judgements, strict=True)
        ]

    def learned_from(self, pairs: Sequence[Pair]) -> list[bool]:
        """Which pairs were learned from, whatever file they are in; a few are in several years' sets."""
        return [has_learned(pair.text, pair.hypothesis) for pair in pairs]


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
        refuse_known(
            self.learned_from(pairs),
            "the shipped aligner",
            "Give another folder with --test; docs/benchmarks.md has cross-validated figures "
            "(training/aligner.py).",
        )
        return load_aligner().align(pairs)

    def learned_from(self, pairs: Sequence[ChunkedPair]) -> list[bool]:
        """Which pairs of sentences are among the training data."""
        return [(pair.source, pair.target) in self._learned for pair in pairs]


class ShippedFacets(Finished):
    """Judges the facets of each reference; words that no expressed facet holds are missing."""

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """Judge the rows with the same question and reference together."""
        groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            groups[row.question, row.reference].append(number)
        missing: dict[int, tuple[bool, ...]] = {}
        for (question, reference), numbers in groups.items():
            judged = judge_facets(question, reference, [rows[number].answer for number in numbers])
            for number, outcomes in zip(numbers, judged, strict=True):
                expressed = (outcome for outcome in outcomes if outcome.label == EXPRESSED)
                spans = [span for outcome in expressed for span in outcome.reference_spans]
                missing[number] = words_outside(rows[number], spans)
        return [missing[number] for number in range(len(rows))]


class ShippedClaims(Finished):
    """Judges whether texts make claims, with the default reader or the one chosen."""

    def __init__(self) -> None:
        self._reader = default_reader()

    def choose(self, reader: str | None) -> str:
        """Judge with this reader, or with the default one; gives its name."""
        if reader is not None:
            demand_reader(reader)
            self._reader = reader
        return self._reader

    def predict(self, rows: Sequence[ClaimRow]) -> list[tuple[str, float]]:
        """Judge every row, in order."""
        items = [Asked(row.text, row.claim, row.question) for row in rows]
        return [(verdict.label, verdict.expressed) for verdict in judge_claims(items, self._reader)]
