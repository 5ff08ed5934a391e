"""The systems of the Basque task by name, and ours: which learners, on which features, combined how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from postil.errors import PostilError
from postil.senses.boosting import adaboost
from postil.senses.decision_list import decision_list
from postil.senses.learners import (
    complement_bayes,
    cosine,
    kernel_machine,
    maximum_entropy,
    naive_bayes,
    support_vectors,
)
from postil.senses.table import VECTORS, Floats, Rows
from postil.senses.trees import bagged_trees

# pool: weights learned on held-out examples; vote: one vote a member; sum: scores as they are;
# claims: as sum, but an instance that no sense's machine claims is not answered.
Combination = Literal["pool", "vote", "sum", "claims"]


class Scorer(Protocol):
    """Something learned that gives each sense a score; its fields are arrays."""

    def scores(self, rows: Rows, /) -> Floats:
        """One row an instance, one column a sense."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to learn; whether it wants features weighed or only there and not there, and draws at random."""

    learn: Callable[..., Scorer]  # from rows, shares and, where it draws, seed=
    weighed: bool
    draws: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One learner on some groups of features."""

    learner: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A system: its members, and how they come to one answer; without members, the most frequent sense."""

    members: tuple[Member, ...]
    combination: Combination = "sum"

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups of features that the members look at, each once."""
        return tuple(dict.fromkeys(group for member in self.members for group in member.groups))


LEARNERS: Mapping[str, Learner] = {
    "adaboost": Learner(adaboost, weighed=False),
    "maximum-entropy": Learner(maximum_entropy, weighed=True),
    "cosine": Learner(cosine, weighed=True),
    "decision-list": Learner(decision_list, weighed=False),
    "naive-bayes": Learner(naive_bayes, weighed=False),
    "complement-bayes": Learner(complement_bayes, weighed=True),
    "support-vectors": Learner(support_vectors, weighed=True, draws=True),
    "kernel-machine": Learner(kernel_machine, weighed=True),
    "bagged-trees": Learner(bagged_trees, weighed=False, draws=True),
}

NEIGHBOURS = ("head", "words", "others", "pos", "case", "word-sequences", "pos-sequences")
CONTEXT = ("near", "sentence", "bag", "bag-others")
# What the teams shared: local windows with their n-grams, and the bag of the context.
_TASK = (*NEIGHBOURS, "bag")
_ALL = (*NEIGHBOURS, *CONTEXT, "relations")
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
        (
            Member("bagged-trees", ("bag",)),
            Member("bagged-trees", ("bigrams",)),
            Member("bagged-trees", ("head", "words")),
        ),
        "vote",
    ),
    "umd": Recipe(_each("support-vectors"), "claims"),
    "postil": Recipe(
        (
            Member("support-vectors", _ALL),
            Member("support-vectors", CONTEXT),
            Member("complement-bayes", _ALL),
            Member("complement-bayes", CONTEXT),
            Member("cosine", _ALL),
        ),
        "pool",
    ),
    "postil-encoder": Recipe(
        (
            Member("support-vectors", (*_ALL, VECTORS)),
            Member("support-vectors", (VECTORS,)),
            Member("complement-bayes", _ALL),
            Member("complement-bayes", CONTEXT),
            Member("cosine", _ALL),
        ),
        "pool",
    ),
}


def find_recipe(system: str) -> Recipe:
    """Look a system up by its name."""
    if system not in RECIPES:
        raise PostilError(f"there is no sense system {system!r}.", hint=f"There are {', '.join(RECIPES)}.")
    return RECIPES[system]
