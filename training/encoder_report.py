"""Quick figures of the encoder alone, to watch it learn; the grader's own are made by `grader_figures.py`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def macro(gold: np.ndarray, given: np.ndarray, classes: int) -> float:
    """The mean of the classes' F1."""
    hits = [((gold == index) & (given == index)).sum() for index in range(classes)]
    sums = [(gold == index).sum() + (given == index).sum() for index in range(classes)]
    return float(np.mean([2 * hit / max(total, 1) for hit, total in zip(hits, sums, strict=True)]))


def report(corpora: Sequence[str], gold: np.ndarray, logits: np.ndarray) -> str:
    """Macro F1 in 5-, 3- and 2-way by corpus, F1 of contradictory answers."""
    parts = []
    chances = np.exp(logits - logits.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    for corpus in ("beetle", "sciEntsBank"):
        here = np.array([one == corpus for one in corpora])
        five, p = gold[here].astype(int), chances[here]
        three = np.stack([p[:, 0], p[:, 2], p[:, 1] + p[:, 3] + p[:, 4]], 1).argmax(1)
        gold3 = np.array([0, 2, 1, 2, 2])[five]
        parts.append(
            f"{corpus} 5-way {macro(five, p.argmax(1), 5 if corpus == 'beetle' else 4):.3f} "
            f"3-way {macro(gold3, three, 3):.3f} "
            f"contradictory {macro((gold3 != 1) * 1, (three != 1) * 1, 1):.3f} "
            f"2-way {macro((five > 0) * 1, (p[:, 0] < 0.5) * 1, 2):.3f}"
        )
    return " | ".join(parts)


def link_report(targets: Sequence[np.ndarray], tables: Sequence[np.ndarray]) -> str:
    """F1 of the pairs of chunks that are aligned; of these, how many types are right, and how far scores are off."""
    gold = np.concatenate([target.reshape(-1, 2) for target in targets])
    given = np.concatenate([table.reshape(-1, table.shape[-1]) for table in tables])
    none = given.shape[1] - 2
    aligned, found = gold[:, 0] < none, given[:, :-1].argmax(1) < none
    right = given[aligned, :none].argmax(1) == gold[aligned, 0]
    opposites = gold[aligned, 0] == 1
    scored = aligned & (gold[:, 1] >= 0)
    off = np.abs(1 / (1 + np.exp(-given[scored, -1])) - gold[scored, 1]) * 5
    f1 = 2 * (aligned & found).sum() / max(aligned.sum() + found.sum(), 1)
    return (
        f"aligned {f1:.3f} types {right.mean():.3f} of opposites {right[opposites].mean():.3f} "
        f"({opposites.sum()}) scores off by {off.mean():.2f}"
    )
