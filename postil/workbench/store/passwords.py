"""Which passwords are too easy to guess, and why.

Whoever guesses begins with common passwords, words and names, with digits and signs around them or in place
of letters, with rows of keys, and with what is known of the person and the school. So what counts is how much
is left of a password without these. The list of common ones ships with Postil; nothing is looked up online.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from enum import Enum
from importlib.resources import files
from unicodedata import combining, normalize

from postil.errors import PostilError
from postil.workbench.store.rows import storable

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
_SIGNS_PER_LETTER = 4  # of which a keyboard may compose one letter
_FEWEST_LEFT = 6  # characters beside what is known of the person, and beside rows of keys
_FEWEST_LETTERS = 4  # between digits and signs
_FEWEST_DIFFERENT = 4
_SHORTEST_OWN, _SHORTEST_OF_SITE = 3, 4  # shorter parts of names are in many words
_ADVICE = "Three or four words that only you would put together make a good one."
_INSTEAD_OF_LETTERS = str.maketrans("@483$501!7", "aabessoiit")
_ROWS = (
    *("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn"),
    *("abcdefghijklmnopqrstuvwxyz", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qawsedrftgyhujikolp"),
    *("1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm"),
)
_SHORT_ROWS = ("01234567890", "abc", "xyz", "qaz", "wsx", "edc", "rfv", "tgb", "yhn", "ujm")


class Weakness(Enum):
    """Why a password is easy to guess."""

    COMMON = "common"
    DIGITS = "digits"
    REPEATED = "repeated"
    KEYS = "keys"
    PERSON = "person"
    SITE = "site"


_SENTENCES = {
    Weakness.COMMON: "this password is a common one, a word or a name, perhaps with a few digits or symbols.",
    Weakness.DIGITS: "this password is little more than digits and symbols.",
    Weakness.REPEATED: "this password repeats the same few characters.",
    Weakness.KEYS: "this password is little more than a row of keys or letters, such as qwerty or abcd.",
    Weakness.PERSON: "this password is little more than your name or login.",
    Weakness.SITE: "this password is little more than the name of your school or of Postil.",
}


def demand_password(password: str, login: str, name: str = "", site: str = "") -> str:
    """A password that can be used, or what is wrong with it.

    Whose it is to be is in `login` and `name`; `site` is the name under which people reach the workbench.
    """
    is_long = len(password) > _SIGNS_PER_LETTER * LONGEST_PASSWORD
    password = composed(password, LONGEST_PASSWORD)
    if len(password) < SHORTEST_PASSWORD:
        raise PostilError(f"a password needs at least {SHORTEST_PASSWORD} characters.", hint=_ADVICE)
    if is_long or len(password) > LONGEST_PASSWORD:
        raise PostilError(f"a password can have at most {LONGEST_PASSWORD} characters.", hint="Shorten it.")
    weakness = weakness_of(password, login, name, site)
    if weakness is not None:
        raise PostilError(_SENTENCES[weakness], hint=_ADVICE)
    return password


def weakness_of(password: str, login: str, name: str = "", site: str = "") -> Weakness | None:
    """Why a password is easy to guess for somebody who knows whose it is; None if it is not."""
    text = _plain(password)
    if not any(sign.isalpha() for sign in text):
        return Weakness.DIGITS
    if len(set(text)) < _FEWEST_DIFFERENT or _is_repeated(text):
        return Weakness.REPEATED
    user, _, domain = login.partition("@")
    known = {
        Weakness.PERSON: _words(f"{user} {name}", _SHORTEST_OWN),
        Weakness.SITE: ["postil", *_words(f"{domain} {site}", _SHORTEST_OF_SITE)],
    }
    common = _common()
    for variant in (text, _core(text).translate(_INSTEAD_OF_LETTERS)):
        weakness, left = _take_out(variant, known)
        if weakness is not None and len(left) < _FEWEST_LEFT:
            return weakness
        if any(f"\n{part}\n" in common for part in (left, _joined(_core(variant)), _joined(text))):
            return Weakness.COMMON
        if len(left) < _FEWEST_LETTERS:
            return Weakness.DIGITS
    letters = re.sub(r"[\W\d_]+", "", text)
    repeated = _is_repeated(_joined(_core(text))) or _is_repeated(letters)
    return Weakness.REPEATED if repeated else None


def composed(text: str, longest: int) -> str:
    """A text in one Unicode form (NFKC), however a keyboard or a system composes its letters."""
    # Cut before: composing takes time with the square of the length, and strangers send logins and passwords.
    return normalize("NFKC", storable(text[: _SIGNS_PER_LETTER * longest + 1]))


def _take_out(text: str, known: dict[Weakness, list[str]]) -> tuple[Weakness | None, str]:
    """Strip known words and rows of keys from a text; returns the first weakness found, and what is left."""
    weakness = None
    for reason, words in known.items():
        for word in sorted(words, key=len, reverse=True):
            if word in text:
                text, weakness = text.replace(word, " "), weakness or reason
    left = _ROW.sub(" ", text)
    if left != text:
        weakness = weakness or Weakness.KEYS
    return weakness, _joined(_core(left))


def _plain(text: str) -> str:
    """A text without capitals and accents."""
    return "".join(sign for sign in normalize("NFKD", text.casefold()) if not combining(sign))


def _core(text: str) -> str:
    """A text without the digits and signs around it."""
    return re.sub(r"^[\W\d_]+|[\W\d_]+$", "", text)


def _joined(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def _words(text: str, shortest: int) -> list[str]:
    return [word for word in re.split(r"[\W\d_]+", _plain(text)) if len(word) >= shortest]


def _is_repeated(text: str) -> bool:
    """Whether a text only repeats a shorter one that is too short for a password."""
    lengths = range(1, min(SHORTEST_PASSWORD, len(text) // 2 + 1))
    return any(text == (text[:length] * len(text))[: len(text)] for length in lengths)


def _runs(rows: Iterable[str], shortest: int) -> set[str]:
    ways = [way for row in rows for way in (row, row[::-1])]
    return {
        way[start:end]
        for way in ways
        for start in range(len(way))
        for end in range(start + shortest, len(way) + 1)
    }


_ROW = re.compile("|".join(sorted(_runs(_ROWS, 4) | _runs(_SHORT_ROWS, 3), key=len, reverse=True)))


def _common() -> str:
    """The list, one to a line; it is read when somebody chooses a password, and not kept in memory."""
    file = files("postil.resources").joinpath("passwords", "common.txt.gz")
    return gzip.decompress(file.read_bytes()).decode()
