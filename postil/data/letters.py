"""Writing the same letters in the same way, however a keyboard or a program composes them."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, normalize

# Marks that stand on one letter are put in order in a time with the square of their number. No language puts
# more than a few there; a file made to stop a server puts a million.
_PIECE = 200


def same_letters(text: str) -> str:
    """A text in which letters that look alike to a reader are the same (NFKC), in a time with its length."""
    return "".join(normalize("NFKC", piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Short parts of a text; a letter stays with its marks, unless there are far too many."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        while end < len(text) and end < start + 2 * _PIECE and combining(text[end]):
            end += 1
        yield text[start:end]
        start = end
