"""The sense systems by name: which learners they have, on which features, and how these are combined.

They are those of the Basque task, and ours. `learn_word` makes a model of one word by the recipe of a system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.special import softmax

from postil.data.arrays import Floats
from postil.data.formats.senseval import SenseInstance
from postil.errors import PostilError
from postil.scoring.significance import fold_numbers
from postil.senses.features import VECTORS, Rows, Table, make_table
from postil.senses.learners import (
    MostFrequentSense,
    adaboost,
    bagged_trees,
    complement_bayes,
    cosine,
    decision_list,
    kernel_machine,
    maximum_entropy,
    naive_bayes,
    prior,
    support_vectors,
)

# pool: weights learned on held-out examples; vote: one vote a member; sum: scores as they are;
# claims: as sum, but an instance that no sense's machine claims is not answered.
Combination = Literal["pool", "vote", "sum", "claims"]

FOLDS = 5  # parts of the examples, each held out once, to learn a pool's weights
_BATCH = 1000  # instances read at once, which bounds the memory
_PENALTY = 0.01  # keeps a weight finite if the held-out examples are told apart without an error
_LITTLE = 1e-3  # weight of members that tell nothing, on the scale on which their scores vary by 1


class Scorer(Protocol):
    """Something learned that gives each sense a score; its fields are arrays."""

    def scores(self, rows: Rows, /) -> Floats:
        """One row an instance, one column a sense."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to learn: whether it wants features weighted or only present and absent, and draws at random."""

    learn: Callable[..., Scorer]  # from rows, shares and, if it draws, seed=
    weighted: bool
    draws: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One learner on some groups of features."""

    learner: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A system: its members and how they are combined; without members, the most frequent sense."""

    members: tuple[Member, ...]
    combination: Combination = "sum"

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups of features that the members use, each once."""
        return tuple(dict.fromkeys(group for member in self.members for group in member.groups))


LEARNERS: Mapping[str, Learner] = {
    "adaboost": Learner(adaboost, weighted=False),
    "maximum-entropy": Learner(maximum_entropy, weighted=True),
    "cosine": Learner(cosine, weighted=True),
    "decision-list": Learner(decision_list, weighted=False),
    "naive-bayes": Learner(naive_bayes, weighted=False),
    "complement-bayes": Learner(complement_bayes, weighted=True),
    "support-vectors": Learner(support_vectors, weighted=True, draws=True),
    "kernel-machine": Learner(kernel_machine, weighted=True),
    "bagged-trees": Learner(bagged_trees, weighted=False, draws=True),
}

NEIGHBOURS = ("head", "words", "others", "pos", "case", "word-sequences", "pos-sequences")
CONTEXT = ("near", "sentence", "bag", "bag-others")
# What the teams shared: local windows with their n-grams, and the bag of the context.
_TASK = (*NEIGHBOURS, "bag")
_ALL = (*NEIGHBOURS, *CONTEXT, "relations")
_BAYES = (Member("complement-bayes", _ALL), Member("complement-bayes", CONTEXT))
_OURS = (*_BAYES, Member("cosine", _ALL))
_KERNELS = ("head", "word-subsequences", "pos-subsequences", "bag")


def _each(*learners: str) -> tuple[Member, ...]:
    return tuple(Member(learner, _TASK) for learner in learners)


RECIPES: Mapping[str, Recipe] = {
    "mfs": Recipe(()),
    "swat-hk-bo": Recipe(_each("adaboost")),
    "swat-hk": Recipe(_each("adaboost", "maximum-entropy", "cosine", "decision-list", "naive-bayes"), "vote"),
    "swat": Recipe(_each("cosine", "decision-list", "naive-bayes"), "vote"),
    "bcu-svm": Recipe(_each("support-vectors")),
    "bcu-comb": Recipe(_each("support-vectors", "cosine", "naive-bayes"), "vote"),
    "irst": Recipe((Member("kernel-machine", _KERNELS),)),
    "duluth": Recipe(
        tuple(Member("bagged-trees", groups) for groups in (("bag",), ("bigrams",), ("head", "words"))),
        "vote",
    ),
    "umd": Recipe(_each("support-vectors"), "claims"),
    "postil": Recipe((Member("support-vectors", _ALL), Member("support-vectors", CONTEXT), *_OURS), "pool"),
    "postil-encoder": Recipe(
        (Member("support-vectors", (*_ALL, VECTORS)), Member("support-vectors", (VECTORS,)), *_OURS), "pool"
    ),
}


def find_recipe(system: str) -> Recipe:
    """Look a system up by its name."""
    if system not in RECIPES:
        raise PostilError(f"there is no sense system {system!r}.", hint=f"Choose from: {', '.join(RECIPES)}.")
    return RECIPES[system]


def vote(members: Sequence[Floats]) -> Floats:
    """The share of the members whose best sense it is; members' chances only break ties."""
    votes = np.zeros_like(members[0])
    every = np.arange(len(votes))
    for scores in members:
        votes[every, scores.argmax(axis=1)] += 1
    ties = np.mean([softmax(scores, axis=1) for scores in members], axis=0)
    return np.asarray((votes + 1e-3 * ties) / (len(members) + 1e-3))


def pool(members: Sequence[Floats], weights: Floats) -> Floats:
    """A log-linear pool: the chances of the weighted sum of scores."""
    return np.asarray(softmax(np.einsum("mis,m->is", np.stack(members), weights), axis=1))


def learn_pool(members: Sequence[Floats], shares: Floats) -> Floats:
    """The non-negative weights under which the scores of held-out examples make their labels most likely.

    Only one weight a member is learned, so a few dozen examples suffice; even a single member's scores are
    brought to the scale on which they are chances.
    """
    from scipy.optimize import minimize

    stacked = np.stack(members)

    def loss(weights: Floats) -> tuple[float, Floats]:
        chances = pool(members, weights)
        value = -float((shares * np.log(chances + 1e-12)).sum()) + _PENALTY * float(weights @ weights)
        slope = np.einsum("is,mis->m", chances - shares, stacked) + 2 * _PENALTY * weights
        return value / len(shares), slope / len(shares)

    spread = stacked.std(axis=(1, 2))
    start = 1 / np.where(spread > 1e-6, spread, 1.0) / len(members)
    bounds = [(0, None)] * len(start)
    learned: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    # Members that tell nothing still rank the senses, but with nearly the same chance for each.
    return learned if learned.any() else _LITTLE * start


@dataclass(frozen=True, slots=True, eq=False)
class WordModel:
    """What was learned of a word; `weights` are its pool's. A single sense needs no table and no members."""

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
        chances: Floats = softmax(scores[0], axis=1)
        if self.recipe.combination == "claims":
            chances[scores[0].max(axis=1) <= 0] = 0
        return chances


def learn_word(instances: Sequence[SenseInstance], recipe: Recipe, *, seed: int = 0) -> WordModel:
    """Learn a word from its labelled examples; one with several senses counts in part for each."""
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
    rows = both[LEARNERS[member.learner].weighted]
    columns = table.columns_of(member.groups)
    return rows if len(columns) == table.width else rows[:, columns]


def learn_members(recipe: Recipe, each: Sequence[Rows], shares: Floats, seed: int) -> tuple[Scorer, ...]:
    """Learn every member from its rows, each with a seed of its own.

    Without features, or with a single sense, only the frequencies are learned.
    """
    scorers: list[Scorer] = []
    for number, (member, rows) in enumerate(zip(recipe.members, each, strict=True), start=seed):
        learner = LEARNERS[member.learner]
        if not rows.shape[1] or (shares.sum(axis=0) > 0).sum() < 2:
            scorers.append(prior(shares, rows.shape[1]))
        else:
            options = {"seed": number} if learner.draws else {}
            scorers.append(learner.learn(rows, shares, **options))
    return tuple(scorers)


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
