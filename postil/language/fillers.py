"""Words that only stress or comment ("really", "to be honest"): an answer says the same without them."""

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

# Comments that could say something elsewhere ("seriously ill") but not before a comma at the beginning: the
# other adverbs of this kind that grammars list, and phrases. "Probably" and "I think" are not among them.
_OPENING = """personally seriously truthfully candidly sincerely bluntly plainly ironically regrettably
understandably predictably importantly crucially annoyingly astonishingly disappointingly unexpectedly
tragically weirdly incidentally doubtless undeniably unquestionably indubitably incredibly well"""
_PHRASES = r"""to be (?:honest|frank|fair)|to tell the truth|in all honesty|in my (?:humble |own )?opinion
if you ask me|by the way|needless to say|of course|in fact|as (?:we|you) (?:all )?know|you know|I mean"""

_WORD = re.compile(r"[^\W_]+")
# With the comma that follows a comment at the beginning.
_FILLER = re.compile(rf"\b({'|'.join(sorted(FILLERS))})\b,?\s*", re.IGNORECASE)
_OPENER = re.compile(rf"^((?:{'|'.join((*_OPENING.split(), *_PHRASES.splitlines()))}))\s*,\s*", re.IGNORECASE)


def without_fillers(text: str, known: Iterable[str] = ()) -> str:
    """Leave out fillers, except those that the known texts use; a text of nothing else stays as it is."""
    known_words = {word.lower() for known_text in known for word in _WORD.findall(known_text)}

    def without(match: re.Match[str]) -> str:
        return match[0] if known_words.issuperset(_WORD.findall(match[1].lower())) else ""

    shorter = _FILLER.sub(without, _OPENER.sub(without, text)).strip()
    return shorter if _WORD.search(shorter) else text
