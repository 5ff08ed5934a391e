"""What is learned of one word: its senses, its features, and the members of a system that tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from postil.data.formats.senses import SenseInstance
from postil.research.svm import fold_numbers
from postil.senses.combination import chances, learn_pool, pool, vote
from postil.senses.learners import prior
from postil.senses.senses import MostFrequentSense
from postil.senses.systems import LEARNERS, Member, Recipe, Scorer
from postil.senses.table import Floats, Rows, Table, make_table

FOLDS = 5  # parts of the examples, each held out once, to learn a pool's weights
_BATCH = 1000  # instances read at once, which bounds the memory


@dataclass(frozen=True, slots=True, eq=False)
class WordModel:
    """A word as learned; `weights` are its pool's. Where one sense is all there is, it stands alone."""

    senses: tuple[str, ...]
    recipe: Recipe
    table: Table | None = None
    members: tuple[Scorer, ...] = ()
    weights: Floats | None = None

    def chances(self, instances: Sequence[SenseInstance]) -> Floats:
        """The chance of each sense, one row an instance; a row of zeros where the system does not answer."""
        if self.table is None or not instances:
            return np.ones((len(instances), len(self.senses)))
        batches = (instances[start : start + _BATCH] for start in range(0, len(instances), _BATCH))
        return np.concatenate([self._combined(self.table, batch) for batch in batches])

    def _combined(self, table: Table, instances: Sequence[SenseInstance]) -> Floats:
        both = table.rows(instances)
        scores = [
            scorer.scores(_rows_for(member, table, both))
            for member, scorer in zip(self.recipe.members, self.members, strict=True)
        ]
        if self.recipe.combination == "vote":
            return vote(scores)
        if self.weights is not None:
            return pool(scores, self.weights)
        found = chances(scores[0])
        if self.recipe.combination == "claims":
            found[scores[0].max(axis=1) <= 0] = 0
        return found


def learn_word(instances: Sequence[SenseInstance], recipe: Recipe, *, seed: int = 0) -> WordModel:
    """Learn a word from its labelled examples; those with several senses count in part for each."""
    senses = tuple(sorted({sense for instance in instances for sense in instance.senses}))
    if len(senses) < 2:
        return WordModel(senses, recipe)
    if not recipe.members:
        return WordModel(tuple(MostFrequentSense().fit(instances).senses_.values()), recipe)
    shares = np.zeros((len(instances), len(senses)))
    for row, instance in enumerate(instances):
        shares[row, [senses.index(sense) for sense in instance.senses]] = 1 / len(instance.senses)
    table = make_table(instances, recipe.groups)
    both = table.rows(instances)
    each = [_rows_for(member, table, both) for member in recipe.members]
    members = learn_members(recipe, each, shares, seed)
    weights = _pool_weights(recipe, each, shares, seed) if recipe.combination == "pool" else None
    return WordModel(senses, recipe, table, members, weights)


def _rows_for(member: Member, table: Table, both: tuple[Rows, Rows]) -> Rows:
    rows = both[LEARNERS[member.learner].weighed]
    places = table.places(member.groups)
    return rows if len(places) == table.width else rows[:, places]


def learn_members(recipe: Recipe, each: Sequence[Rows], shares: Floats, seed: int) -> tuple[Scorer, ...]:
    """Learn every member from its rows; each draws by a seed of its own."""
    return tuple(
        _learn_member(member.learner, rows, shares, seed + number)
        for number, (member, rows) in enumerate(zip(recipe.members, each, strict=True))
    )


def _learn_member(name: str, rows: Rows, shares: Floats, seed: int) -> Scorer:
    """Learn from rows; without features, or with one sense only, there is nothing to tell senses apart by."""
    if not rows.shape[1] or (shares.sum(axis=0) > 0).sum() < 2:
        return prior(shares, rows.shape[1])
    learner = LEARNERS[name]
    return learner.learn(rows, shares, seed=seed) if learner.draws else learner.learn(rows, shares)


def _pool_weights(recipe: Recipe, each: Sequence[Rows], shares: Floats, seed: int) -> Floats:
    """Score every example by members that have not seen it, and learn the pool from these scores."""
    folds = fold_numbers(range(len(shares)), FOLDS, seed)
    held_out = [np.zeros_like(shares) for _ in each]
    for fold in np.unique(folds):
        inside, outside = folds != fold, folds == fold
        if not inside.any():  # a word with one example
            continue
        members = learn_members(recipe, [rows[inside] for rows in each], shares[inside], seed)
        for scorer, rows, scores in zip(members, each, held_out, strict=True):
            scores[outside] = scorer.scores(rows[outside])
    return learn_pool(held_out, shares)
