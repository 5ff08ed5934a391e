"""A text and a hypothesis read side by side: which words support which, which numbers, which opposites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.entailment.numbers import Compared, Outcome, compare_numbers
from postil.entailment.passages import mentions, sentence_support
from postil.entailment.support import support, weight
from postil.language.document import Document, Token
from postil.language.measures.opposition import Opposition, opposition

Floats = NDArray[np.float64]

FOUND = 0.5  # support from which on a word counts as found in the text


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A pair as it was read; rows are the hypothesis's content words, columns the text's tokens."""

    text: Document
    hypothesis: Document
    wanted: tuple[Token, ...]  # the hypothesis's content words
    weights: Floats
    table: Floats  # how well each token of the text supports each of them
    shares: Floats  # how much of them each sentence of the text supports
    links: Mapping[int, Sequence[int]]  # what pronouns and short names of the text stand for
    numbers: tuple[Compared, ...]
    opposed: Opposition

    @property
    def best(self) -> Floats:
        """How well each content word of the hypothesis is supported anywhere in the text."""
        found: Floats = self.table.max(axis=1, initial=0.0)
        return found

    @property
    def sentence(self) -> int:
        """The sentence that bears most on the hypothesis; -1 for a text without any."""
        return int(self.shares.argmax()) if len(self.shares) else -1

    def places(self, row: int) -> list[int]:
        """The tokens of the text that support a content word of the hypothesis."""
        found: list[int] = np.flatnonzero(self.table[row] >= FOUND).tolist()
        return found


def read_pair(text: Document, hypothesis: Document) -> Reading:
    """Compare the words of a text and a hypothesis."""
    wanted, given = hypothesis.content_words, text.content_words
    table = np.zeros((len(wanted), len(text.tokens)))
    if wanted and given:
        table[:, [token.index for token in given]] = support(given, wanted)
    numbers = compare_numbers(text, hypothesis)
    _support_numbers(table, wanted, numbers)
    weights = np.array([weight(token.lemma.lower()) for token in wanted])
    links = mentions(text)
    for index, thing in links.items():  # a pronoun supports what its name does
        table[:, index] = np.maximum(table[:, index], table[:, thing].max(axis=1, initial=0.0))
    return Reading(
        text,
        hypothesis,
        wanted,
        weights,
        table,
        sentence_support(text, table, weights),
        links,
        numbers,
        opposition(text, hypothesis),
    )


def _support_numbers(table: Floats, wanted: Sequence[Token], numbers: Sequence[Compared]) -> None:
    """A number of the hypothesis that the text has in another form supports its word: twelve, 12."""
    for one in numbers:
        if one.outcome is Outcome.SUPPORTED and one.given is not None:
            for row, token in enumerate(wanted):
                if one.wanted.start <= token.index < one.wanted.end:
                    table[row, one.given.start] = 1.0
