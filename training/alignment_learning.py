"""Learn to align from aligned pairs: boosted trees for links and groups, trees and a line for types and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from postil.alignment.aligner import LINK_TYPES, SCORES, Models, Predict, Table, group_table, single_table
from postil.alignment.features import Pair, Weights, prepared
from postil.alignment.optimiser import Group, groups
from postil.data.arrays import Floats
from postil.data.judgements import AlignedPair, ChunkedPair, Chunks
from postil.errors import PostilError
from postil.language.pieces import LinkPieces
from postil.language.pipeline import analyse_tokens

Labels = NDArray[np.intp]
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Learned:
    """What is behind the four models."""

    aligned: HistGradientBoostingClassifier
    grouped: HistGradientBoostingClassifier
    types: VotingClassifier
    scores: VotingClassifier

    def models(self) -> Models:
        """Functions from features to chances."""
        return Models(
            _second(self.aligned),
            _second(self.grouped),
            _all(self.types, range(len(LINK_TYPES))),
            _all(self.scores, SCORES),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A pair to learn from: its features, and its links as groups of chunks with type and score."""

    pair: Pair
    table: Table
    links: dict[Group, tuple[str, float | None]]

    @property
    def types(self) -> Labels:
        """The type of every two chunks, as a number; one more than the last for those not aligned."""
        found = np.full(self.table.shape[:2], len(LINK_TYPES), np.intp)
        for (first, second), (kind, _) in self.links.items():
            found[np.ix_(first, second)] = LINK_TYPES.index(kind)
        return found

    @property
    def scores(self) -> Labels:
        """The score of every two chunks, 0 for those that have none."""
        found = np.zeros(self.table.shape[:2], np.intp)
        for (first, second), (_, score) in self.links.items():
            found[np.ix_(first, second)] = round(score or 0)
        return found


def learn(examples: Sequence[Example]) -> Learned:
    """Learn from examples."""
    examples = [example for example in examples if example.table.size]
    if not any(example.links for example in examples):
        raise PostilError("there is no aligned pair to learn from.")
    # Trees on all cores are slower than on one when anything else is running.
    with threadpool_limits(1, user_api="openmp"):
        aligned = _boosted(_rows(examples), _flat(examples) < len(LINK_TYPES))
        grouped = _learn_groups(examples)
        types, scores = _learn_types(examples)
    return Learned(aligned, grouped, types, scores)


def examples_of(
    pairs: Sequence[AlignedPair], chunks: Sequence[ChunkedPair], spoken: Sequence[tuple[LinkPieces, Weights]]
) -> list[Example]:
    """Aligned pairs, their chunks, and what an encoder that has not seen them says of them, one for one."""
    documents = list(analyse_tokens(words for chunk in chunks for words in (chunk.source, chunk.target)))
    found = []
    for row, (pair, chunked, (own, weights)) in enumerate(zip(pairs, chunks, spoken, strict=True)):
        compared = prepared(chunked, *documents[2 * row : 2 * row + 2], own, weights)
        wanted = {
            (
                _inside(chunked.source_chunks, alignment.source),
                _inside(chunked.target_chunks, alignment.target),
            ): (
                alignment.type,
                alignment.score,
            )
            for alignment in pair.alignments
            if alignment.source and alignment.target
        }
        found.append(Example(compared, single_table(compared), wanted))
    return found


def _inside(chunks: Chunks, numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(index for index, chunk in enumerate(chunks) if set(chunk) & set(numbers))


def _learn_groups(examples: Sequence[Example]) -> HistGradientBoostingClassifier:
    """Which groups are aligned, among those that chances from other folds make possible."""
    rows, wanted = [], []
    for fold in range(_FOLDS):
        others = [example for number, example in enumerate(examples) if number % _FOLDS != fold]
        own = [example for number, example in enumerate(examples) if number % _FOLDS == fold]
        if not others or not own:
            continue
        predict = _second(_boosted(_rows(others), _flat(others) < len(LINK_TYPES)))
        for one in own:
            chances = predict(one.table.reshape(-1, one.table.shape[-1])).reshape(one.table.shape[:2])
            some = list(groups(chances))
            rows.append(group_table(one.pair, some, chances))
            wanted += [group in one.links for group in some]
    filled = [table for table in rows if len(table)]
    if not filled:
        raise PostilError("there are too few aligned pairs to learn from.")
    return _boosted(np.concatenate(filled), np.array(wanted))


def _learn_types(
    examples: Sequence[Example],
) -> tuple[VotingClassifier, VotingClassifier]:
    """Types of aligned chunks, and the scores of those that are not equivalent."""
    rows, types = _rows(examples), _flat(examples)
    scores = np.concatenate([example.scores.ravel() for example in examples])
    aligned = types < len(LINK_TYPES)
    scored = aligned & (types > 0) & (scores > 0)
    trees, few_trees = _trees(), _trees(iterations=100, leaves=8)
    graded = _voted(few_trees, rows[scored], np.clip(scores[scored], SCORES[0], SCORES[-1]))
    return _voted(trees, rows[aligned], types[aligned]), graded


def _boosted(rows: Table, wanted: NDArray[np.generic]) -> HistGradientBoostingClassifier:
    return _trees().fit(rows, np.asarray(wanted, np.int64))


def _voted(
    trees: HistGradientBoostingClassifier, rows: Table, wanted: NDArray[np.generic]
) -> VotingClassifier:
    """Trees and a line: they err differently, and the mean of both errs less."""
    line = make_pipeline(StandardScaler(), LogisticRegression(C=0.03, max_iter=1000))
    both = VotingClassifier([("trees", trees), ("line", line)], voting="soft", flatten_transform=False)
    return both.fit(rows, np.asarray(wanted, np.int64))


def _trees(iterations: int = 150, leaves: int = 12) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=iterations,
        learning_rate=0.06,
        max_leaf_nodes=leaves,
        min_samples_leaf=15,
        l2_regularization=2.0,
        early_stopping=False,
        random_state=0,
    )


def _rows(examples: Sequence[Example]) -> Table:
    return np.concatenate([example.table.reshape(-1, example.table.shape[-1]) for example in examples])


def _flat(examples: Sequence[Example]) -> Labels:
    return np.concatenate([example.types.ravel() for example in examples])


def _second(model: HistGradientBoostingClassifier) -> Predict:
    """The chance of the second of two classes; of the only one, where there is one."""

    def predict(rows: Table) -> Floats:
        found: Floats = model.predict_proba(rows)[:, -1:]
        return found

    return predict


def _all(model: VotingClassifier, classes: Sequence[int]) -> Predict:
    """The chances of all classes, also of those that were never seen."""
    places = [list(classes).index(one) for one in model.classes_.tolist()]

    def predict(rows: Table) -> Floats:
        found = np.zeros((len(rows), len(classes)))
        found[:, places] = model.predict_proba(rows)
        return found

    return predict
