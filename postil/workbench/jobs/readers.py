"""The readers that a course can have here: what each is good for, what it costs, and what it still needs.

A course keeps its reader even where that is missing; its answers are then read by the one that is installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from postil.errors import PostilError
from postil.language.llama import MOST_SEATS
from postil.language.network import (
    CAREFUL,
    CASCADE,
    EXPERT,
    QUICK,
    SERVER,
    THOROUGH,
    cores,
    default_reader,
    kind_of,
)
from postil.language.readers import Description, descriptions

# What a teacher wants to know of each: what it is good for, and how long a class takes (docs/readers.md).
_GOOD_FOR = {
    QUICK: "Quick: for very many answers or an old computer; thirty answers in no time",
    CAREFUL: "Careful: right for most classes; thirty answers in about a second",
    CASCADE: "Cascade: about as good as careful, and faster with many answers",
    EXPERT: "Expert: for exams with long references, and against tricks; thirty answers in ten seconds",
    THOROUGH: "Thorough: nearly as good as the expert; thirty answers in about four seconds",
    SERVER: "Server: a language model that your school runs; how good and how fast depends on the model",
}


@dataclass(frozen=True, slots=True)
class ReaderPrice:
    """What a reader adds to what everything costs with the quick one (seconds on one core), and needs."""

    pair: float  # seconds for any pair of texts
    piece: float  # seconds for a piece of a word
    pieces: int  # of a pair that are read at most
    times: float  # what the rest costs beside that: of some questions the quick reader is asked as well
    patience: float  # seconds that a job allows for any answer
    loading: float = 0.0  # seconds until it can read, where it is not loaded yet
    memory: int = 0  # megabytes for a process that judges; a file that all processes share does not count
    seat: int = 0  # megabytes more for each answer that is read at once, on a core of its own

    def of(self, pieces: int) -> float:
        """The price of a pair with so many pieces."""
        return self.pair + self.piece * min(pieces, self.pieces)

    @property
    def megabytes(self) -> int:
        """The memory that a process needs on this machine."""
        return self.memory + self.seat * min(cores(), MOST_SEATS)


@cache
def reader_prices() -> Mapping[str, ReaderPrice]:
    """The prices of all readers."""
    text = files("postil.workbench.jobs").joinpath("prices.json").read_text("utf-8")
    return {name: ReaderPrice(**price) for name, price in json.loads(text).items()}


def reader_price(name: str | None = None) -> ReaderPrice:
    """What a reader costs, by default the one that is installed; one without a price costs the most."""
    known = reader_prices()
    return known.get(kind_of(name or default_reader())) or max(known.values(), key=lambda price: price.pair)


@dataclass(frozen=True, slots=True)
class Choice:
    """A reader in a teacher's words; `missing` says why it cannot be used here, and is empty where it can."""

    name: str
    words: str
    missing: str


def choices(memory: int) -> list[Choice]:
    """All readers, the smallest first; `memory` is what each process that judges may use, in megabytes."""
    return [
        Choice(
            reader.name,
            _GOOD_FOR.get(reader.name, f"{reader.name.capitalize()}: {reader.what}"),
            _missing(reader, memory),
        )
        for reader in descriptions()
    ]


def installed() -> str:
    """The reader of courses that have chosen none; empty where the one that is set does not work."""
    try:
        return default_reader()
    except PostilError:
        return ""


def missing(name: str, memory: int) -> str:
    """Why a reader cannot be used here; empty if it can."""
    known = {reader.name: reader for reader in descriptions()}
    kind = kind_of(name)
    return _missing(known[kind], memory) if kind in known else "this version of Postil does not know it"


def _missing(reader: Description, memory: int) -> str:
    needed = reader_price(reader.name).megabytes
    if reader.missing:
        return f"it needs {reader.missing}"
    if memory and memory < needed:
        return f"it needs {needed:,} MB for each process that judges, and --memory allows {memory:,}"
    return ""


def demand_usable(name: str | None, memory: int) -> None:
    """Refuse a reader that cannot be used here; None is the one that is installed."""
    why = missing(name, memory) if name is not None else ""
    if why:
        can = ", ".join(choice.name for choice in choices(memory) if not choice.missing)
        raise PostilError(f"the {name} reader does not work here: {why}.", hint=f"These do: {can}.")
