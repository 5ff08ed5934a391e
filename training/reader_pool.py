"""The pool that the readers and their teacher learn from: its labels, what is drawn from it, and batches of it.

Imports nothing of Postil, since it runs where that is not installed.
"""

from __future__ import annotations

import json
import lzma
import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

TASKS = {
    "response": ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain"),
    "claim": ("expressed", "contradicted", "unaddressed"),
    "nli": ("entailment", "neutral", "contradiction"),
}
LABELS = tuple((task, label) for task, labels in TASKS.items() for label in labels)
# A coarse label is any of these, and its probability the sum of theirs.
COARSE = {
    "not_correct": TASKS["response"][1:], "wrong": TASKS["response"][2:], "not_said": TASKS["claim"][1:],
    "not_entailment": TASKS["nli"][1:],
}  # fmt: skip


def read_pool(path: Path, limit: int = 0) -> list[dict]:
    """The pairs that `reader_data.py` packed; with a limit, so many of them, to try a script."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return random.Random(0).sample(rows, limit) if limit else rows


def kind_of(row: Mapping[str, str]) -> str:
    """What kind of source a pair comes from: the first word of its name; honest tricks are a kind of their own."""
    first, _, rest = row["source"].partition(" ")
    return "honest" if (first, rest) == ("trick", "honest") else first


def rounded(length: int) -> int:
    """A multiple of eight: with few different shapes, matrix products are planned only once."""
    return -(-int(length) // 8) * 8


class Pool:
    """Pairs as pieces of words, which labels each of them can have, and which would be right."""

    def __init__(self, rows: Sequence[dict], pieces: Sequence[np.ndarray]) -> None:
        self.rows, self.pieces = rows, pieces
        self.lengths = np.array([len(ids) for ids in pieces])
        self.possible = np.array([[task == row["task"] for task, _ in LABELS] for row in rows])
        allowed = [COARSE.get(row["label"], (row["label"],)) for row in rows]
        self.right = self.possible & np.array([[label in one for _, label in LABELS] for one in allowed])

    def ids(self, group: Sequence[int], padding: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
        """The pieces of some pairs, padded on the right, and how many each has."""
        lengths = self.lengths[list(group)]
        ids = np.full((len(group), rounded(lengths.max())), padding, np.int64)
        for place, row in enumerate(group):
            ids[place, : lengths[place]] = self.pieces[row]
        return torch.from_numpy(ids), torch.from_numpy(lengths)

    def batches(self, rows: Sequence[int], tokens: int) -> Iterator[list[int]]:
        """Batches of pairs of about one length, the longest first; of so many pieces, padding counted."""
        group: list[int] = []
        for row in sorted(rows, key=self.lengths.__getitem__, reverse=True):
            if group and (len(group) + 1) * rounded(self.lengths[group[0]]) > tokens:
                yield group
                group = []
            group.append(row)
        if group:
            yield group

    def draws(
        self, shares: Mapping[str, float], held: Collection[str], again: float = 1, labelled: bool = False
    ) -> tuple[list[int], list[float]]:
        """The pairs to learn from and how often each is drawn.

        Pairs of which neither a person nor a teacher has said anything are left out, and with `labelled` those
        of which only a teacher has. Kinds have shares; within a kind, sources count by the square roots of their sizes. What was held back
        is drawn `again` times as often as others, once it may be learned from.
        """
        kinds: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, row in enumerate(self.rows):
            known = row["label"] or (row.get("soft") and not labelled)
            if known and row["held"] in held and kind_of(row) in shares:
                kinds[kind_of(row)][row["source"]].append(number)
        rows, weights = [], []
        for kind, sources in kinds.items():
            total = sum(math.sqrt(len(group)) for group in sources.values())
            for group in sources.values():
                each = shares[kind] / total / math.sqrt(len(group))
                rows += group
                weights += [each * (again if self.rows[row]["held"] else 1) for row in group]
        return rows, weights

    def drawn(
        self,
        rows: Sequence[int],
        weights: Sequence[float],
        tokens: int,
        rng: random.Random,
        count: int = 8192,
    ) -> Iterator[list[int]]:
        """Batch after batch, without an end."""
        while True:
            groups = list(self.batches(rng.choices(rows, weights, k=count), tokens))
            rng.shuffle(groups)
            yield from groups


def masked(logits: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    """The logits of some labels; those of the others are as small as can be."""
    return logits.masked_fill(~allowed, torch.finfo(logits.dtype).min)


def label_cost(logits: torch.Tensor, possible: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """What each pair costs against its label, which may be any of several finer ones."""
    return torch.logsumexp(masked(logits, possible), 1) - torch.logsumexp(masked(logits, right), 1)
