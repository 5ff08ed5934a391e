"""The baselines of facets: what an answer leaves out, by the usual case or by the words that it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from postil.data.formats.gaps import GapRow
from postil.language.document import Document
from postil.language.pipeline import analyse_many


class MajorityOutcome:
    """Calls every word missing, or none, whichever is more frequent; `missing_` holds what was learned."""

    def fit(self, rows: Sequence[GapRow]) -> Self:
        """Count the words that are missing."""
        words = [missing for row in rows for missing in row.missing]
        self.missing_ = 2 * sum(words) > len(words)
        return self

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """The same for every word."""
        return [(self.missing_,) * len(row.words) for row in rows]


class LexicalOutcome:
    """Calls a word missing if its lemma is not in the answer."""

    def fit(self, rows: Sequence[GapRow]) -> Self:
        """Learn nothing."""
        return self

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """Look for each word's lemma among those of the answer."""
        texts = list(dict.fromkeys(text for row in rows for text in (row.reference, row.answer)))
        known = dict(zip(texts, analyse_many(texts), strict=True))
        return [_missing(row, known[row.reference], known[row.answer]) for row in rows]


def _missing(row: GapRow, reference: Document, answer: Document) -> tuple[bool, ...]:
    said = {token.lemma.lower() for token in answer.tokens}
    return tuple(
        not any(
            token.lemma.lower() in said
            for token in reference.tokens
            if token.start < word.end and word.start < token.end
        )
        for word in row.words
    )
