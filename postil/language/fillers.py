"""Words that only stress or comment ("really", "luckily"): an answer says the same without them."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Adverbs of degree without a limit, of stress, and comments on a whole sentence. Those that change what is
# said ("hardly", "almost", "slightly", "probably", "mostly") are not among them.
_STRESS = "very really quite truly extremely totally absolutely definitely certainly surely literally simply"
_COMMENT = """actually basically obviously clearly honestly frankly naturally evidently apparently indeed
luckily fortunately unfortunately sadly happily hopefully thankfully interestingly surprisingly amazingly
oddly funnily strangely curiously remarkably admittedly undoubtedly"""
FILLERS = frozenset(f"{_STRESS} {_COMMENT}".split())

_WORD = re.compile(r"[^\W_]+")
# With the comma that follows a comment at the beginning.
_FILLER = re.compile(rf"\b({'|'.join(sorted(FILLERS))})\b,?\s*", re.IGNORECASE)


def without_fillers(text: str, known: Iterable[str] = ()) -> str:
    """Leave out fillers, except those that the known texts use; a text of nothing else stays as it is."""
    known_words = {word.lower() for known_text in known for word in _WORD.findall(known_text)}

    def without(match: re.Match[str]) -> str:
        return match[0] if match[1].lower() in known_words else ""

    shorter = _FILLER.sub(without, text).strip()
    return shorter if _WORD.search(shorter) else text
