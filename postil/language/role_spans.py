"""How far an argument reaches: its head's subtree, less the branches that belong to something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from postil.language.document import Argument
from postil.language.role_features import Candidate, Tree, code, hashed

# The label of a word that continues the argument to its left: "make [the water] [evaporate]" is one argument.
JOINED = "+"

ATOMS = (
    "role",
    "h_rel",
    "h_pos",
    "k_rel",
    "k_pos",
    "k_lemma",
    "k_case",
    "side",
    "shape",
    "where",
    "p_pos",
    "p_lemma",
    "edge",
)
_PLACES = {name: place for place, name in enumerate(ATOMS)}
_TEMPLATES = """
k_rel / k_rel role / k_rel role side / k_rel h_rel / k_rel h_rel side shape / k_rel role shape
k_rel h_pos side / k_rel shape where side / k_lemma k_rel / k_lemma k_rel role / k_lemma k_rel shape
k_case k_rel role / k_case k_rel shape / k_rel p_pos role shape / k_rel p_lemma role
k_rel p_lemma shape where / k_rel k_pos h_pos side / k_rel k_lemma p_pos / role shape / role where side
k_rel edge k_lemma / k_rel edge role where / shape k_rel k_pos where / k_lemma where shape
"""
TEMPLATES = tuple(
    tuple(_PLACES[name] for name in template.split())
    for line in _TEMPLATES.strip().splitlines()
    for template in line.split(" / ")
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate with the role it was given and how sure that is (a log-probability)."""

    candidate: Candidate
    role: str
    score: float


def branches(tree: Tree, predicate: int, head: int, others: frozenset[int]) -> list[int]:
    """The dependents of an argument's head that may be part of it: without predicate or other argument."""
    return [
        kid
        for kid in tree.kids[head]
        if not tree.left[kid] <= predicate <= tree.right[kid]
        and not any(tree.left[kid] <= other <= tree.right[kid] for other in others)
    ]


def branch_atoms(tree: Tree, predicate: int, choice: Choice, kid: int) -> list[int]:
    """How a branch stands to the argument's head and to the predicate, in the order of ATOMS."""
    tokens = tree.tokens
    head = choice.candidate.node
    low, high = min(predicate, head), max(predicate, head)
    where = "between" if low < kid < high else "beyond" if (kid < head) == (head < predicate) else "behind"
    edge = (tree.left[kid] == tree.left[head], tree.right[kid] == tree.right[head])
    return [
        code(choice.role),
        code(tokens[head].relation),
        code(tokens[head].pos),
        code(tokens[kid].relation),
        code(tokens[kid].pos),
        code(tree.lemma(kid)),
        code(tree.lemma(tree.kid(kid, "case", "mark"))),
        int(kid < head),
        code(choice.candidate.shape),
        code(where),
        code(tokens[predicate].pos),
        code(tree.lemma(predicate)),
        code(str(edge)),
    ]


def reach(tree: Tree, head: int, kept: Sequence[int], walls: Sequence[int]) -> tuple[int, int]:
    """The first and last word of the unbroken stretch around a head that its kept branches cover."""
    covered = {head}
    for kid in kept:
        covered.update(range(tree.left[kid], tree.right[kid] + 1))
    covered.difference_update(walls)
    first = last = head
    while first - 1 in covered:
        first -= 1
    while last + 1 in covered:
        last += 1
    while first < head and tree.tokens[first].pos == "PUNCT":
        first += 1
    while last > head and tree.tokens[last].pos == "PUNCT":
        last -= 1
    return first, last


@dataclass(frozen=True, slots=True)
class SpanModel:
    """Weights of hashed features of (argument, branch): above zero, the branch is part of the argument."""

    weights: npt.NDArray[np.float32]
    bits: int

    def __call__(
        self, trees: Sequence[Tree], chosen: Mapping[tuple[int, int], Sequence[Choice]]
    ) -> dict[tuple[int, int], list[Argument]]:
        """The arguments of each (tree, predicate)."""
        rows: list[list[int]] = []
        owners: list[tuple[tuple[int, int], int, int]] = []
        for key, choices in chosen.items():
            tree = trees[key[0]]
            heads = frozenset(choice.candidate.node for choice in choices)
            for choice in choices:
                head = choice.candidate.node
                for kid in branches(tree, key[1], head, heads - {head}):
                    rows.append(branch_atoms(tree, key[1], choice, kid))
                    owners.append((key, head, kid))
        kept: dict[tuple[tuple[int, int], int], list[int]] = {}
        if rows:
            for (key, head, kid), score in zip(
                owners, self.score(np.array(rows, dtype=np.uint64)), strict=True
            ):
                if score > 0:
                    kept.setdefault((key, head), []).append(kid)
        return {
            key: assemble(
                trees[key[0]],
                key[1],
                [(choice, kept.get((key, choice.candidate.node), ())) for choice in choices],
            )
            for key, choices in chosen.items()
        }

    def score(self, atoms: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]:
        """The score of each row."""
        total: npt.NDArray[np.float32] = self.weights[hashed(atoms, TEMPLATES, self.bits)].sum(axis=1)
        return total


def assemble(tree: Tree, predicate: int, chosen: Sequence[tuple[Choice, Sequence[int]]]) -> list[Argument]:
    """Turn heads and branches into arguments that do not overlap; the surest keeps contested words."""
    heads = [choice.candidate.node for choice, _ in chosen]
    found: list[tuple[float, str, int, int, int]] = []
    for choice, kept in chosen:
        head = choice.candidate.node
        first, last = reach(tree, head, kept, [predicate, *(other for other in heads if other != head)])
        found.append((choice.score, choice.role, first, last + 1, head))
    found.sort(reverse=True)
    arguments: list[Argument] = []
    for _, role, start, end, head in found:
        if role != JOINED and all(end <= one.start or start >= one.end for one in arguments):
            arguments.append(Argument(role, start, end, head))
    for _, role, start, end, head in sorted(found, key=lambda one: one[2]):
        if role == JOINED:
            arguments = _joined(arguments, start, end, head, tree)
    return arguments


def _joined(arguments: list[Argument], start: int, end: int, head: int, tree: Tree) -> list[Argument]:
    """Lengthen the argument that ends where this stretch begins (commas between them do not count)."""
    for place, one in enumerate(arguments):
        gap = range(one.end, start)
        if one.end <= start and all(tree.tokens[index].pos == "PUNCT" for index in gap):
            free = all(end <= other.start or start >= other.end for other in arguments)
            if free:
                # In a clause without a verb form of its own ("make it hot") the predicate is the later part.
                lead = head if tree.tokens[head].relation in ("xcomp", "ccomp") else one.head
                arguments[place] = Argument(one.role, one.start, end, lead)
            break
    return arguments
