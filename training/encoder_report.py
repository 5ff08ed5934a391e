"""Quick figures of the encoder alone, to watch it learn; the grader's own are made by `grader_figures.py`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def macro(gold: np.ndarray, given: np.ndarray, classes: int) -> float:
    """The mean of the classes' F1."""
    hits = [((gold == one) & (given == one)).sum() for one in range(classes)]
    sums = [(gold == one).sum() + (given == one).sum() for one in range(classes)]
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
