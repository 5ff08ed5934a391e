"""The feature table: what is measured between a question, a reference and an answer, one row per triplet.

`THIRTY` are EHU-ALM's features (Aldabe, Maritxalar & Lopez de Lacalle 2013); `EXTENDED` adds to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from postil.data.arrays import Floats
from postil.language.document import Document
from postil.language.measures.matching import opposition
from postil.language.measures.overlap import RATIOS, soft_overlap_of, soft_words
from postil.language.measures.structure import predicate_overlap, structure_overlap
from postil.language.measures.texts import TEXT_MEASURES, compare_views, view
from postil.language.pipeline import documents_of
from postil.language.roles import find_predicates

Triplet = tuple[str, str, str]  # question, reference, answer
Progress = Callable[[int, int], None]

_BATCH = 1000  # triplets that are measured together
_MOST_VALUES = 120_000  # pairs that are remembered
_MOST_REMEMBERED = 10_000  # triplets of a table that may be asked for again, as those of folds are
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
    blocks = {
        "texts": [(measure.name, measure.family, measure.title) for measure in TEXT_MEASURES.values()],
        "structure": [("structure", "structure", "overlap of dependency graphs")],
        "predicates": [("predicates", "predicates", "overlap of predicates and their arguments")],
        "soft": [(f"soft_{name}", "soft cardinality", f"{name} of soft cardinalities") for name in RATIOS],
        "opposition": [(name, "opposition", name.replace("_", " ")) for name in _OPPOSITION],
    }
    # In this order the first thirty are the paper's.
    order = (
        ("reference", "texts"),
        ("question", "texts"),
        ("reference", "structure"),
        ("reference", "predicates"),
        ("question_reference", "texts"),
        ("reference", "soft"),
        ("question", "soft"),
        ("reference", "opposition"),
    )
    for pair, block in order:
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
    """Measure triplets of question, reference and answer: one row each, one column per feature.

    With `demote`, words of the question are left out of reference and answer where these two are compared
    word by word: an answer that repeats the question says nothing yet. Triplets of one question should stand
    together: what they share is worked out once. Several `workers` are processes that share the work; each
    loads what it needs, so they pay off for thousands of triplets.
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


@contextmanager
def _pool(workers: int) -> Iterator[Callable[..., Iterator[Floats]]]:
    """Something like `map`, in this process or in several."""
    if workers <= 1:
        yield map
        return
    # Fresh processes: a copy of this one could hold locks of its threads. Each is one of them, so it needs no
    # threads of its own.
    with ProcessPoolExecutor(workers, get_context("spawn"), threadpool_limits, (1,)) as pool:
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


# What was measured, by block and pair: triplets share texts, and folds share triplets.
_VALUES: dict[tuple[str, Pair], Floats] = {}


def forget_measured() -> None:
    """Forget what was measured, so that speed can be measured from a fresh start."""
    _VALUES.clear()


def _rows(triplets: Sequence[Triplet], names: Sequence[str], demote: bool, remember: bool) -> Floats:
    features = [FEATURES[name] for name in names]
    table = np.zeros((len(triplets), len(features)))
    for pair, block in dict.fromkeys((feature.pair, feature.block) for feature in features):
        pairs = [pair_of(triplet, pair, block, demote) for triplet in triplets]
        _measure(block, dict.fromkeys(pairs))
        values = np.stack([_VALUES[block, texts] for texts in pairs])
        for column, feature in enumerate(features):
            if (feature.pair, feature.block) == (pair, block):
                table[:, column] = values[:, feature.column]
    if not remember:
        _VALUES.clear()
    return table


def _measure(block: str, pairs: Mapping[Pair, None]) -> None:
    """Measure the pairs that are not remembered."""
    if len(_VALUES) + len(pairs) > _MOST_VALUES:
        for key in [key for key in _VALUES if key[0] != block or key[1] not in pairs]:
            del _VALUES[key]
    # Those with the same first text together: they share words.
    missing = sorted(
        (pair for pair in pairs if (block, pair) not in _VALUES), key=lambda pair: (pair.without, pair.first)
    )
    if missing:
        texts = {text for pair in missing for text in (pair.first, pair.second, pair.without)}
        documents = documents_of(texts)
        if block == "predicates":
            find_predicates([documents[text] for text in sorted(texts)])
        triples = [(documents[p.first], documents[p.second], documents[p.without]) for p in missing]
        if block == "texts":
            sides = ([view(docs[side]).without(view(docs[2])) for docs in triples] for side in (0, 1))
            rows = compare_views(*sides)
        else:
            rows = np.array([_MEASURES[block](*triple) for triple in triples])
        _VALUES.update(zip(((block, pair) for pair in missing), rows, strict=True))


def _soft_row(first: Document, second: Document, left_out: Document) -> list[float]:
    dropped = frozenset(soft_words(left_out))
    words, others = ([word for word in soft_words(text) if word not in dropped] for text in (first, second))
    overlap = soft_overlap_of(words, others)
    return [getattr(overlap, ratio) for ratio in RATIOS]


def _opposition_row(first: Document, second: Document, _: Document) -> list[float]:
    opposed = opposition(first, second)
    return [getattr(opposed, name) for name in _OPPOSITION]


# What measures two documents, and a third whose words are left out of both; "texts" are measured together.
_MEASURES: Mapping[str, Callable[[Document, Document, Document], list[float]]] = {
    "structure": lambda first, second, _: [structure_overlap(first, second)],
    "predicates": lambda first, second, _: [predicate_overlap(first, second)],
    "soft": _soft_row,
    "opposition": _opposition_row,
}
