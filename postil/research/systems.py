"""The registry of systems: what a name stands for, and what a system must be able to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from postil.data.formats.rte import Pair, PairJudgement
from postil.data.formats.sensekeys import SenseAnswer
from postil.data.formats.senseval import SenseInstance
from postil.data.formats.sra import GapRow
from postil.data.judgements import AlignedPair, ChunkedPair
from postil.data.labels import Scheme
from postil.data.questions import Question
from postil.errors import PostilError


class ResponseSystem(Protocol):
    """Learns from labelled questions (of any corpus) and labels answers in any scheme."""

    def fit(self, questions: Sequence[Question], /) -> Any:
        """Learn from questions whose answers are labelled."""

    def predict(self, questions: Sequence[Question], scheme: Scheme, /) -> list[str]:
        """One label an answer, in order; labels of the given answers must not be read."""


class EntailmentSystem(Protocol):
    """Learns from labelled pairs and judges pairs in either scheme."""

    def fit(self, pairs: Sequence[Pair], /) -> Any:
        """Learn from labelled pairs, two-way and three-way ones together."""

    def predict(self, pairs: Sequence[Pair], scheme: Scheme, /) -> list[PairJudgement]:
        """One judgement a pair, in order, with the confidence of entailment."""


class AlignmentSystem(Protocol):
    """Learns from aligned pairs and aligns chunked ones."""

    def fit(self, pairs: Sequence[AlignedPair], chunks: Sequence[ChunkedPair], /) -> Any:
        """Learn from aligned pairs and their chunks, one for one."""

    def predict(self, pairs: Sequence[ChunkedPair], /) -> list[AlignedPair]:
        """One aligned pair a chunked pair, in order."""


class FacetSystem(Protocol):
    """Says which words of references answers leave out."""

    def fit(self, rows: Sequence[GapRow], /) -> Any:
        """Learn from rows whose gaps are known."""

    def predict(self, rows: Sequence[GapRow], /) -> list[tuple[bool, ...]]:
        """For each row, in order, whether each of its words is missing; gaps must not be read."""


class SenseSystem(Protocol):
    """Learns from sense-tagged instances and tags others."""

    def fit(self, instances: Sequence[SenseInstance], /) -> Any:
        """Learn from tagged instances."""

    def predict(self, instances: Sequence[SenseInstance], /) -> list[SenseAnswer]:
        """Answers for the instances it attempts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered system: where its class is, and one line about it."""

    task: str
    name: str
    target: str
    about: str


# Classes are named, not imported: listing systems must not load scikit-learn.
REGISTRY: tuple[Entry, ...] = (
    Entry(
        "responses",
        "majority",
        "postil.research.baselines:MajorityLabel",
        "most frequent label of the corpus (challenge baseline)",
    ),
    Entry(
        "responses",
        "lexical",
        "postil.research.baselines:LexicalOverlap",
        "decision tree on eight lexical-overlap features (challenge baseline)",
    ),
    Entry(
        "responses",
        "postil",
        "postil.research.shipped:ShippedGrader",
        "the shipped grader: encoder, features and memory (needs a test set of its own)",
    ),
    Entry(
        "responses",
        "ehu-alm-run1",
        "postil.research.ehu_alm:run1",
        "30 similarity features, one RBF-SVM (Aldabe et al. 2013)",
    ),
    Entry(
        "responses",
        "ehu-alm-run2",
        "postil.research.ehu_alm:run2",
        "… and a second classifier for questions met in training",
    ),
    Entry(
        "responses",
        "ehu-alm-run3",
        "postil.research.ehu_alm:run3",
        "… and experts for what, how and why",
    ),
    Entry(
        "responses",
        "ehu-alm-best-reference",
        "postil.research.ehu_alm:with_best_reference",
        "run2 with the reference most like the answer",
    ),
    Entry(
        "responses",
        "ehu-alm-demoted",
        "postil.research.ehu_alm:demoted",
        "best-reference, and the features without the question's words",
    ),
    Entry(
        "responses",
        "ehu-alm-opposition",
        "postil.research.ehu_alm:opposition",
        "best-reference, and features of negation and opposites",
    ),
    Entry(
        "responses",
        "ehu-alm-soft",
        "postil.research.ehu_alm:soft",
        "best-reference, and soft cardinality",
    ),
    Entry(
        "responses",
        "ehu-alm-extended",
        "postil.research.ehu_alm:extended",
        "all these steps and features, a classifier for each scheme",
    ),
    Entry(
        "entailment",
        "overlap",
        "postil.research.baselines:WordOverlap",
        "share of the hypothesis's words found in the text",
    ),
    Entry(
        "entailment",
        "postil",
        "postil.research.shipped:ShippedEntailer",
        "the shipped entailer: encoder, words, numbers, negation (needs a test file of its own)",
    ),
    Entry(
        "alignment",
        "identical",
        "postil.research.baselines:IdenticalTokens",
        "chunks with most identical tokens are equivalent (task baseline)",
    ),
    Entry(
        "alignment",
        "postil",
        "postil.research.shipped:ShippedAligner",
        "the shipped aligner: encoder, trees and optimiser (needs a test set of its own)",
    ),
    Entry(
        "facets",
        "majority",
        "postil.research.baselines:MajorityOutcome",
        "all words missing or none, whichever is more frequent in the table",
    ),
    Entry(
        "facets",
        "lexical",
        "postil.research.baselines:LexicalOutcome",
        "a word is missing if its lemma is not in the answer",
    ),
    Entry(
        "facets",
        "postil",
        "postil.research.shipped:ShippedFacets",
        "the shipped facets: a word is missing if no facet that holds it is expressed",
    ),
    Entry(
        "senses",
        "mfs",
        "postil.senses.learners:MostFrequentSense",
        "most frequent sense of the word (task baseline)",
    ),
    Entry(
        "senses",
        "swat-hk-bo",
        "postil.research.shipped:swat_hk_bo",
        "AdaBoost (Senseval-3 Basque: swat_hk-bo)",
    ),
    Entry(
        "senses",
        "swat-hk",
        "postil.research.shipped:swat_hk",
        "vote of AdaBoost, maximum entropy, cosine, decision list, naive Bayes",
    ),
    Entry(
        "senses",
        "swat",
        "postil.research.shipped:swat",
        "vote of cosine, decision list, naive Bayes",
    ),
    Entry(
        "senses",
        "bcu-svm",
        "postil.research.shipped:bcu_svm",
        "support vectors, one machine a sense",
    ),
    Entry(
        "senses",
        "bcu-comb",
        "postil.research.shipped:bcu_comb",
        "vote of support vectors, cosine, naive Bayes",
    ),
    Entry(
        "senses",
        "irst",
        "postil.research.shipped:irst",
        "support vectors on a sum of kernels",
    ),
    Entry(
        "senses",
        "duluth",
        "postil.research.shipped:duluth",
        "vote of three bagged decision trees: words, bigrams, neighbours",
    ),
    Entry(
        "senses",
        "umd",
        "postil.research.shipped:umd",
        "support vectors that leave out what no sense claims",
    ),
    Entry(
        "senses",
        "postil",
        "postil.research.shipped:postil",
        "ours: a learned pool of support vectors, complement Bayes and cosine; any language",
    ),
    Entry(
        "senses",
        "postil-encoder",
        "postil.research.shipped:postil_encoder",
        "… and contextual vectors of the encoder; English",
    ),
)


def names(task: str) -> list[str]:
    """The names registered for a task."""
    return [entry.name for entry in REGISTRY if entry.task == task]


def create(task: str, name: str) -> Any:
    """Make a fresh system by its name."""
    module, _, attribute = find(task, name).target.partition(":")
    return getattr(import_module(module), attribute)()


def find(task: str, name: str) -> Entry:
    """Look a system up by its name."""
    for entry in REGISTRY:
        if (entry.task, entry.name) == (task, name):
            return entry
    known = ", ".join(names(task)) or "none yet"
    raise PostilError(f"there is no system {name!r} for {task}.", hint=f"Registered: {known}.")
