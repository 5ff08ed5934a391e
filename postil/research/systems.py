"""The systems that can be benchmarked: what each must be able to do, and what each name stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, Self, runtime_checkable

from postil.data.formats.claim_sets import ClaimRow
from postil.data.formats.rte import Pair, PairJudgement
from postil.data.formats.sensekeys import SenseAnswer
from postil.data.formats.senseval import SenseInstance
from postil.data.formats.sra import GapRow
from postil.data.judgements import AlignedPair, ChunkedPair
from postil.data.labels import Scheme
from postil.data.questions import Question
from postil.errors import PostilError

_NEARLY_ALL = 0.9  # the share of known items from which a test is the training set itself


class ResponseSystem(Protocol):
    """Learns from labelled questions (of any corpus) and labels answers in any scheme."""

    def fit(self, questions: Sequence[Question], /) -> Any:
        """Learn from questions whose answers are labelled."""

    def predict(self, questions: Sequence[Question], scheme: Scheme, /) -> list[str]:
        """One label for each answer, in order, without reading the labels of these answers."""


class EntailmentSystem(Protocol):
    """Learns from labelled pairs and judges pairs in either scheme."""

    def fit(self, pairs: Sequence[Pair], /) -> Any:
        """Learn from labelled pairs, two-way and three-way ones together."""

    def predict(self, pairs: Sequence[Pair], scheme: Scheme, /) -> list[PairJudgement]:
        """One judgement for each pair, in order, with the confidence of entailment."""


class AlignmentSystem(Protocol):
    """Learns from aligned pairs and aligns chunked ones."""

    def fit(self, pairs: Sequence[AlignedPair], chunks: Sequence[ChunkedPair], /) -> Any:
        """Learn from aligned pairs and their chunks, one for one."""

    def predict(self, pairs: Sequence[ChunkedPair], /) -> list[AlignedPair]:
        """One aligned pair for each chunked pair, in order."""


class FacetSystem(Protocol):
    """Says which words of references answers leave out."""

    def fit(self, rows: Sequence[GapRow], /) -> Any:
        """Learn from rows whose gaps are known."""

    def predict(self, rows: Sequence[GapRow], /) -> list[tuple[bool, ...]]:
        """For each row, in order, whether each of its words is missing, without reading the gaps."""


class ClaimSystem(Protocol):
    """Says whether texts make claims."""

    def fit(self, rows: Sequence[ClaimRow], /) -> Any:
        """Learn from claims whose labels are known."""

    def predict(self, rows: Sequence[ClaimRow], /) -> list[tuple[str, float]]:
        """For each row, in order, the outcome and the chance that the claim is made; labels are not read."""


class SenseSystem(Protocol):
    """Learns from sense-tagged instances and tags others."""

    def fit(self, instances: Sequence[SenseInstance], /) -> Any:
        """Learn from tagged instances."""

    def predict(self, instances: Sequence[SenseInstance], /) -> list[SenseAnswer]:
        """Answers for the instances it attempts."""


@runtime_checkable
class Experienced(Protocol):
    """A system that can tell which items it has learned from: figures without them are given as well."""

    def learned_from(self, items: Sequence[Any], /) -> list[bool]:
        """For each item to predict, whether it was learned from; a question counts once for each answer."""


@runtime_checkable
class ChoosesReader(Protocol):
    """A system that can judge with any of the readers."""

    def choose(self, reader: str | None, /) -> str:
        """Judge with this reader, or with the default one; gives its name."""


def refuse_known(known: Sequence[bool], system: str, hint: str) -> None:
    """Refuse a test of which nearly all items were learned from; single ones are left out beside."""
    if known and sum(known) >= _NEARLY_ALL * len(known):
        what = f"{system} has learned from {sum(known):,} of these {len(known):,} items"
        raise PostilError(f"{what}: testing it on them would flatter it.", hint=hint)


class Finished:
    """A system that has learned all it ever will, or has nothing to learn."""

    def fit(self, *examples: object) -> Self:
        """Learn nothing."""
        return self


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered system: its factory as "module:name", what that is called with, and one line about it."""

    task: str
    name: str
    target: str
    about: str
    arguments: tuple[str, ...] = ()


# By task and factory, the systems with a line about each. Factories are named, not imported: listing systems
# must not load scikit-learn. A factory of several systems is called with the system's name.
_SYSTEMS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "responses": {
        "research.baselines:MajorityLabel": {
            "majority": "most frequent label of the corpus (challenge baseline)"
        },
        "research.baselines:LexicalOverlap": {
            "lexical": "decision tree on eight lexical-overlap features (challenge baseline)"
        },
        "research.shipped:ShippedGrader": {
            "postil": "the grader: default reader, features and memory (needs a test set of its own)",
            "postil-quick": "… with the quick reader, which ships",
            "postil-careful": "… with the careful reader, of the package postil-careful",
            "postil-cascade": "… with the careful reader where the quick one is unsure",
            "postil-expert": "… with the expert reader, a language model with an adapter",
            "postil-thorough": "… with the expert reader where the quick and the careful one are unsure",
            "postil-server": "… with the language model of the server that is connected",
        },
        "research.ehu_alm:create": {
            "ehu-alm-run1": "30 similarity features, one RBF-SVM (Aldabe et al. 2013)",
            "ehu-alm-run2": "… and a second classifier for questions met in training",
            "ehu-alm-run3": "… and experts for what, how and why",
            "ehu-alm-best-reference": "run2 with the reference most like the answer",
            "ehu-alm-demoted": "best-reference, and the features without the question's words",
            "ehu-alm-opposition": "best-reference, and features of negation and opposites",
            "ehu-alm-soft": "best-reference, and soft cardinality",
            "ehu-alm-extended": "all these steps and features, a classifier for each scheme",
        },
    },
    "entailment": {
        "research.baselines:WordOverlap": {"overlap": "share of the hypothesis's words found in the text"},
        "research.shipped:ShippedEntailer": {
            "postil": "the shipped entailer: encoder, words, numbers, negation (needs a test file of its own)"
        },
    },
    "alignment": {
        "research.baselines:IdenticalTokens": {
            "identical": "chunks with most identical tokens are equivalent (task baseline)"
        },
        "research.shipped:ShippedAligner": {
            "postil": "the shipped aligner: encoder, trees and optimiser (needs a test set of its own)"
        },
    },
    "facets": {
        "research.baselines:MajorityOutcome": {
            "majority": "all words missing or none, whichever is more frequent in the table"
        },
        "research.baselines:LexicalOutcome": {
            "lexical": "a word is missing if its lemma is not in the answer"
        },
        "research.shipped:ShippedFacets": {
            "postil": "the shipped facets: a word is missing if no facet that holds it is expressed"
        },
    },
    "claims": {
        "research.baselines:SharedWords": {"overlap": "share of the claim's words found in the text"},
        "research.shipped:ShippedClaims": {
            "postil": "the shipped judgement of claims, by the default reader (--reader names another)"
        },
    },
    "senses": {
        "senses.learners:MostFrequentSense": {"mfs": "most frequent sense of the word (task baseline)"},
        "senses.tagger:Tagger": {
            "swat-hk-bo": "AdaBoost (Senseval-3 Basque: swat_hk-bo)",
            "swat-hk": "vote of AdaBoost, maximum entropy, cosine, decision list, naive Bayes",
            "swat": "vote of cosine, decision list, naive Bayes",
            "bcu-svm": "support vectors, one machine a sense",
            "bcu-comb": "vote of support vectors, cosine, naive Bayes",
            "irst": "support vectors on a sum of kernels",
            "duluth": "vote of three bagged decision trees: words, bigrams, neighbours",
            "umd": "support vectors that leave out what no sense claims",
            "postil": "ours: a learned pool of support vectors, complement Bayes and cosine; any language",
            "postil-encoder": "… and contextual vectors of the encoder; English",
        },
    },
}
REGISTRY: tuple[Entry, ...] = tuple(
    Entry(task, name, f"postil.{target}", about, (name,) if len(systems) > 1 else ())
    for task, factories in _SYSTEMS.items()
    for target, systems in factories.items()
    for name, about in systems.items()
)


def names(task: str) -> list[str]:
    """The names registered for a task."""
    return [entry.name for entry in REGISTRY if entry.task == task]


def create(task: str, name: str) -> Any:
    """Make a fresh system by its name."""
    entry = find(task, name)
    module, _, attribute = entry.target.partition(":")
    return getattr(import_module(module), attribute)(*entry.arguments)


def find(task: str, name: str) -> Entry:
    """Look a system up by its name."""
    for entry in REGISTRY:
        if (entry.task, entry.name) == (task, name):
            return entry
    known = ", ".join(names(task)) or "none yet"
    raise PostilError(f"there is no system {name!r} for {task}.", hint=f"Registered: {known}.")
