"""The feature table: what is measured between a question, a reference and an answer, a row for each triplet.

`THIRTY` are EHU-ALM's features (Aldabe, Maritxalar & Lopez de Lacalle 2013); `EXTENDED` adds to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from postil.data.arrays import Floats
from postil.language.document import Document
from postil.language.measures.matching import opposition
from postil.language.measures.overlap import RATIOS, soft_overlap_of, soft_words
from postil.language.measures.structure import predicate_overlap, structure_overlap
from postil.language.measures.texts import TEXT_MEASURES, View, compare_views, view
from postil.language.pipeline import documents_of
from postil.language.roles import find_predicates

Triplet = tuple[str, str, str]  # question, reference, answer
Progress = Callable[[int, int], None]

_BATCH = 1000  # triplets that are measured together
_MOST_VALUES = 120_000  # pairs that are remembered
_MOST_REMEMBERED = 10_000  # a table of more triplets is not asked for again, as those of folds are
_OPPOSITION = ("opposites", "polarity_clashes", "net_oppositions")
_PAIRS = {
    "reference": "reference and answer",
    "question": "question and answer",
    "question_reference": "question and reference",
}


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of the table: its name and family, what it says, and where its value comes from.

    `pair` says which two texts are measured, `block` and `column` which of the values measured together.
    """

    name: str
    family: str
    about: str
    pair: str
    block: str
    column: int


def _features() -> Iterator[Feature]:
    texts = [(one.name, one.family, one.title) for one in TEXT_MEASURES.values()]
    blocks = {
        "texts": texts,
        "structure": [("structure", "structure", "overlap of dependency graphs")],
        "predicates": [("predicates", "predicates", "overlap of predicates and their arguments")],
        "soft": [(f"soft_{name}", "soft cardinality", f"{name} of soft cardinalities") for name in RATIOS],
        "opposition": [(name, "opposition", name.replace("_", " ")) for name in _OPPOSITION],
    }
    # In this order the first thirty are the paper's.
    wanted = (
        ("reference", "texts"),
        ("question", "texts"),
        ("reference", "structure"),
        ("reference", "predicates"),
        ("question_reference", "texts"),
        ("reference", "soft"),
        ("question", "soft"),
        ("reference", "opposition"),
    )
    for pair, block in wanted:
        for column, (name, family, title) in enumerate(blocks[block]):
            yield Feature(f"{pair}_{name}", family, f"{title}, {_PAIRS[pair]}", pair, block, column)


FEATURES: Mapping[str, Feature] = {feature.name: feature for feature in _features()}
EXTENDED = tuple(FEATURES)
THIRTY = EXTENDED[:30]


def feature_families(names: Sequence[str] = EXTENDED) -> dict[str, tuple[str, ...]]:
    """The names of the features by family."""
    families = dict.fromkeys(FEATURES[name].family for name in names)
    return {family: tuple(name for name in names if FEATURES[name].family == family) for family in families}


def feature_table(
    triplets: Sequence[Triplet],
    names: Sequence[str] = THIRTY,
    *,
    demote: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Measure triplets of question, reference and answer: a row each, a column a feature.

    With `demote`, words of the question are left out of reference and answer where these two are compared
    word by word: an answer that repeats the question says nothing yet. Triplets of one question should stand
    together: what they share is worked out once. With more `workers` than one, so many processes share the
    work; each loads what it needs, so this pays for thousands of triplets.
    """
    table = np.zeros((len(triplets), len(names)))
    starts = range(0, len(triplets), _BATCH)
    batches = [triplets[start : start + _BATCH] for start in starts]
    remember = len(triplets) <= _MOST_REMEMBERED
    measure = partial(_rows, names=tuple(names), demote=demote, remember=remember)
    note = progress or (lambda done, total: None)
    note(0, len(triplets))
    with _pool(min(workers, len(batches))) as run:
        for start, rows in zip(starts, run(measure, batches), strict=True):
            table[start : start + _BATCH] = rows
            note(start + len(rows), len(triplets))
    return table


def _rows(triplets: Sequence[Triplet], names: Sequence[str], demote: bool, remember: bool) -> Floats:
    maker = _maker()
    rows = maker.rows(triplets, names, demote)
    if not remember:
        maker.values.clear()
    return rows


@contextmanager
def _pool(workers: int) -> Iterator[Callable[..., Iterator[Floats]]]:
    """Something like `map`, in this process or in several."""
    if workers <= 1:
        yield map
        return
    # Fresh processes: a copy of this one could hold locks of its threads. Each is one of them, so it needs no
    # threads of its own.
    with ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=threadpool_limits, initargs=(1,)
    ) as pool:
        yield pool.map


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts to measure, and the text whose words are left out of both (or none)."""

    first: str
    second: str
    without: str = ""


def pair_of(triplet: Triplet, pair: str, block: str, demote: bool) -> Pair:
    """The two texts of a triplet that a block of features measures."""
    question, reference, answer = triplet
    if pair == "question":
        return Pair(question, answer)
    if pair == "question_reference":
        return Pair(question, reference)
    return Pair(reference, answer, question if demote and block in ("texts", "soft") else "")


@dataclass(slots=True)
class _Maker:
    """Measures pairs of texts and remembers what it found: triplets share texts, folds share triplets."""

    values: dict[tuple[str, Pair], Floats] = field(default_factory=dict)

    def rows(self, triplets: Sequence[Triplet], names: Sequence[str], demote: bool) -> Floats:
        """The table of some triplets."""
        features = [FEATURES[name] for name in names]
        columns = np.zeros((len(triplets), len(features)))
        for pair, block in dict.fromkeys((one.pair, one.block) for one in features):
            pairs = [pair_of(triplet, pair, block, demote) for triplet in triplets]
            self._measure(block, pairs)
            found = np.stack([self.values[block, one] for one in pairs])
            for place, feature in enumerate(features):
                if (feature.pair, feature.block) == (pair, block):
                    columns[:, place] = found[:, feature.column]
        return columns

    def _measure(self, block: str, pairs: Sequence[Pair]) -> None:
        wanted = dict.fromkeys(pairs)
        if len(self.values) + len(wanted) > _MOST_VALUES:
            self.values = {
                key: value for key, value in self.values.items() if key[0] == block and key[1] in wanted
            }
        missing = [pair for pair in wanted if (block, pair) not in self.values]
        # Those with the same first text together: they share words.
        missing.sort(key=lambda pair: (pair.without, pair.first))
        if missing:
            texts = {text for pair in missing for text in (pair.first, pair.second, pair.without)}
            documents = documents_of(texts)
            if block == "predicates":
                find_predicates([documents[text] for text in sorted(texts)])
            rows = _MEASURES[block]([_measured(pair, documents) for pair in missing])
            for pair, row in zip(missing, rows, strict=True):
                self.values[block, pair] = row


@dataclass(frozen=True, slots=True)
class Measured:
    """Two documents to measure, and the one whose words are left out of both."""

    first: Document
    second: Document
    without: Document | None = None

    @property
    def views(self) -> tuple[View, View]:
        """What the text-level measures see of the two."""
        first, second = view(self.first), view(self.second)
        if self.without is None:
            return first, second
        question = view(self.without)
        return first.without(question), second.without(question)


def _measured(pair: Pair, documents: Mapping[str, Document]) -> Measured:
    left_out = documents[pair.without] if pair.without else None
    return Measured(documents[pair.first], documents[pair.second], left_out)


def _texts(pairs: Sequence[Measured]) -> Floats:
    views = [pair.views for pair in pairs]
    return compare_views([first for first, _ in views], [second for _, second in views])


def _soft(pairs: Sequence[Measured]) -> Floats:
    rows = []
    for pair in pairs:
        left_out = frozenset(soft_words(pair.without)) if pair.without else frozenset()
        first, second = (
            [word for word in soft_words(one) if word not in left_out] for one in (pair.first, pair.second)
        )
        found = soft_overlap_of(first, second)
        rows.append([getattr(found, ratio) for ratio in RATIOS])
    return np.array(rows)


def _opposition(pairs: Sequence[Measured]) -> Floats:
    found = [opposition(pair.first, pair.second) for pair in pairs]
    return np.array([[getattr(one, name) for name in _OPPOSITION] for one in found])


def _structure(pairs: Sequence[Measured]) -> Floats:
    return np.array([[structure_overlap(pair.first, pair.second)] for pair in pairs])


def _predicates(pairs: Sequence[Measured]) -> Floats:
    return np.array([[predicate_overlap(pair.first, pair.second)] for pair in pairs])


_MEASURES: Mapping[str, Callable[[Sequence[Measured]], Floats]] = {
    "texts": _texts,
    "structure": _structure,
    "predicates": _predicates,
    "soft": _soft,
    "opposition": _opposition,
}


@cache
def _maker() -> _Maker:
    return _Maker()
