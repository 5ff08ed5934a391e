"""A teacher's log-probabilities of pairs, kept so that another reader can learn from them.

They are found by a pair's texts, not by its place, so a pool may be packed again or in another order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np


def key_of(row: Mapping[str, str]) -> int:
    """A number that stands for a pair and what is asked about it, wherever it is in a pool."""
    text = "\x1f".join(row[name] for name in ("task", "question", "first", "second"))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def save_soft(path: Path, rows: Sequence[dict], soft: np.ndarray) -> None:
    """Keep the log-probabilities of each pair's labels; not a number where there are fewer than five."""
    keys, places = np.unique(np.array([key_of(row) for row in rows], np.uint64), return_index=True)
    part = path.with_suffix(".part.npz")
    np.savez_compressed(part, keys=keys, soft=soft[places].astype(np.float16))
    part.rename(path)


def read_soft(path: Path, rows: Sequence[dict]) -> list[list[float] | None]:
    """What was said of each pair, or None where the teacher was not asked."""
    with np.load(path, allow_pickle=False) as file:
        keys, soft = file["keys"], file["soft"].astype(np.float32)
    wanted = np.array([key_of(row) for row in rows], np.uint64)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return [
        soft[place][~np.isnan(soft[place])].tolist() if keys[place] == key else None
        for place, key in zip(places, wanted, strict=True)
    ]
