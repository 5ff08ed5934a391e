"""Denials spelled out: "don't", "dont" and "cannot" become "do not" and "can not".

A network that reads pieces of words sees in "don't" three pieces, none of which it knows from "not".

>>> spelled_out("It doesnt melt and can't burn.")
'It does not melt and can not burn.'
"""

from __future__ import annotations

import re

_WHOLE = {"can't": "can not", "cannot": "can not", "cant": "can not", "won't": "will not", "ain't": "is not"}
_HELPERS = "do|does|did|is|are|was|were|would|could|should|must|might|has|have|had|need"
_DENIAL = re.compile(
    rf"\b(?P<whole>{'|'.join(_WHOLE)})\b|\b(?P<helper>{_HELPERS})(?:n't|nt)\b",
    re.IGNORECASE,
)


def spelled_out(text: str) -> str:
    """The text with its contracted denials in two words."""
    return _DENIAL.sub(_in_two_words, text.replace("’", "'"))


def _in_two_words(match: re.Match[str]) -> str:
    found = match["whole"]
    if not found:
        return f"{match['helper']} not"
    words = _WHOLE[found.lower()]
    return words.capitalize() if found[0].isupper() else words
