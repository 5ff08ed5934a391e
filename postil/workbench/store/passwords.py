"""Passwords: which can be used, and the hashes that are kept of them."""

from __future__ import annotations

from functools import cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING
from unicodedata import normalize

from postil.errors import PostilError
from postil.workbench.store.rows import storable

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
_MOST_SIGNS = 4 * LONGEST_PASSWORD  # a keyboard may compose one letter of several
# What OWASP asks for at least. The library's own choice takes ten times as long: a school whose teachers all
# log in at the bell would wait for nothing else.
_ROUNDS, _KIBIBYTES, _LANES = 2, 19 * 1024, 1
# A hash takes 19 MiB while it is made: of fifty people who log in at once, most wait a moment.
_HASHING = BoundedSemaphore(4)


def demand_password(password: str, login: str) -> str:
    """A password that can be used, or what is wrong with it."""
    is_long = len(password) > _MOST_SIGNS
    password = _normal(password)
    if len(password) < SHORTEST_PASSWORD:
        raise PostilError(
            f"a password has at least {SHORTEST_PASSWORD} characters.",
            hint="Three or four words that only you would put together are good.",
        )
    if is_long or len(password) > LONGEST_PASSWORD:
        raise PostilError(f"a password has at most {LONGEST_PASSWORD} characters.", hint="Shorten it.")
    if password.strip().casefold() == login.casefold():
        raise PostilError("the password is the login.", hint="Choose one that others cannot guess.")
    return password


def hash_password(password: str) -> str:
    """The hash of a password, with argon2id and a salt of its own."""
    with _HASHING:
        return _hasher().hash(_normal(password))


def is_right(known: str | None, password: str) -> bool:
    """Whether a password belongs to a hash; never where there is none, and that takes as long to say."""
    from argon2.exceptions import InvalidHashError, VerificationError

    given = _normal(password)[: LONGEST_PASSWORD + 1]
    hashed = known or _nobodys_hash()
    try:
        with _HASHING:
            return _hasher().verify(hashed, given) and known is not None
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(known: str) -> bool:
    """Whether a hash was made with other parameters than hashes are made with today."""
    return _hasher().check_needs_rehash(known)


def _normal(password: str) -> str:
    # The same letters, however a keyboard or a system composes them. Cut before: that takes time with the
    # square of the length, and strangers send passwords.
    return normalize("NFKC", storable(password[: _MOST_SIGNS + 1]))


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES)


@cache
def _nobodys_hash() -> str:
    return hash_password("nobody has this password")
