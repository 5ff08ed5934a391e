"""How much is judged at once: as much as is judged within the time that a request has."""

from __future__ import annotations

from collections.abc import Iterable

# What these let through is judged within about 20 seconds, by models that are loaded, on one slow core.
MOST_ANSWERS = 200
MOST_DECIDED, DECIDED_TOGETHER = 50, 10_000  # answers, and their characters
REFERENCES_TOGETHER = 20_000  # characters
MOST_EXPLAINED, EXPLAINED_TOGETHER, LONGEST_EXPLAINED = 50, 10_000, 500  # answers, and their characters
MOST_PAIRS = 50
LONGEST_SENTENCE = 500  # aligning takes much longer for longer ones
LONGEST_PASSAGE, LONGEST_HYPOTHESIS = 20_000, 2_000  # what the entailer reads
PAIRS_TOGETHER = 100_000
LONGEST_FACETED = 1_000
NAMED_TOGETHER = 500  # characters of facets that are named


def refuse_more(what: str, texts: Iterable[str], most: int) -> None:
    """Refuse texts that have more characters together; none of them is repeated."""
    if sum(map(len, texts)) > most:
        raise ValueError(f"the {what} have more than {most:,} characters together")
