"""Chance that can be repeated: an order, or a draw, that depends on nothing but names and a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def shuffled(names: Iterable[str], *seed: object) -> list[str]:
    """Bring names into an order of chance, the same for the same seed.

    Each name's place comes from a hash of the seed and the name itself. Names that are added later therefore
    slip in between the others and leave their order as it was.
    """
    salt = "\x1f".join(map(str, seed))

    def place(name: str) -> tuple[bytes, str]:
        return hashlib.sha256(f"{salt}\x1e{name}".encode("utf-8", "surrogatepass")).digest(), name

    return sorted(names, key=place)
