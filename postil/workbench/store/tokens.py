"""Tokens: with one a program speaks for a person, for what the token was made for and no longer than that."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import ColumnElement, delete, func, select, update

from postil.errors import PostilError
from postil.workbench.people import LOCAL, Person
from postil.workbench.store.accounts import hold_account, person_of
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.replies import delete_old
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import AccountRow, TokenRow, now

# judge: judge texts that come with the request, and store nothing; read: courses and what is in them;
# write: change these. None of them implies another.
SCOPES = ("judge", "read", "write")
LONGEST_NAME = 100
MOST_DAYS = 3650
MOST_TOKENS = 50  # of one account
_PREFIX = "postil_"  # so that a program that looks for secrets in the wrong places knows one
_USED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it: everything but the secret, which is shown once."""

    id: int
    name: str
    scopes: tuple[str, ...]
    created: datetime
    used: datetime | None
    expires: datetime | None

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and self.expires <= now()


def create_token(
    store: Store, account_id: int | None, name: str, scopes: Collection[str], days: int | None
) -> tuple[Token, str]:
    """Make a token that works for some days, or until it is revoked; returns it with its secret."""
    name, secret = _demand_name(name), _PREFIX + secrets.token_urlsafe(32)
    row = TokenRow(account_id=account_id, name=name, digest=_digest(secret), created=now())
    row.scopes, row.expires = _demand_scopes(scopes), _demand_end(days)
    with store.writing() as session:
        if account_id is not None and hold_account(session, account_id).closed is not None:
            raise PostilError("this account is closed.", hint="Open it again first.")
        own = select(func.count()).select_from(TokenRow).where(_of(account_id))
        if session.scalars(own).one() >= MOST_TOKENS:
            raise PostilError(f"there are {MOST_TOKENS} tokens already.", hint="Revoke one that is not used.")
        session.add(row)
        session.flush()
        return _record(row), secret


def list_tokens(store: Store, account_id: int | None) -> list[Token]:
    """The tokens of an account, or of the one person without one, the newest first."""
    wanted = select(TokenRow).where(_of(account_id)).order_by(TokenRow.id.desc())
    with store.reading() as session:
        return [_record(row) for row in session.scalars(wanted)]


def revoke_token(store: Store, account_id: int | None, token_id: int) -> None:
    """End a token at once; only its own account's can be named."""
    with store.writing() as session:
        gone = session.execute(
            delete(TokenRow).where(TokenRow.id == token_id, _of(account_id)).returning(TokenRow.id)
        )
        if gone.first() is None:
            raise PostilError("this token is not there.", hint="It may have been revoked in another window.")


def find_token(store: Store, secret: str) -> tuple[Person, Token] | None:
    """Whom a secret speaks for; None if it is unknown or expired, or its account is closed."""
    wanted = (
        select(TokenRow, AccountRow)
        .outerjoin(AccountRow, AccountRow.id == TokenRow.account_id)
        .where(TokenRow.digest == _digest(secret))
    )
    with store.reading() as session:
        found = session.execute(wanted).one_or_none()
    if found is None:
        return None
    row, account = found
    token = _record(row)
    if token.expired or (account is not None and account.closed is not None):
        return None
    if token.used is None or token.used < now() - _USED_EVERY:  # a write at every request would cost more
        # Who only reads does not wait for those who write: it can be noted with the next request.
        with suppress(StoreAwayError), store.writing() as session:
            session.execute(update(TokenRow).where(TokenRow.id == token.id).values(used=now()))
            delete_old(session)
    return (LOCAL if account is None else person_of(account)), token


def _of(account_id: int | None) -> ColumnElement[bool]:
    return TokenRow.account_id.is_(None) if account_id is None else TokenRow.account_id == account_id


def _digest(secret: str) -> str:
    # The secret is long and random: a plain hash is enough, and can be looked up.
    return sha256(storable(secret).encode()).hexdigest()


def _record(row: TokenRow) -> Token:
    return Token(row.id, row.name, tuple(row.scopes), row.created, row.used, row.expires)


def _demand_name(name: str) -> str:
    name = " ".join(storable(name).split())
    if not 0 < len(name) <= LONGEST_NAME:
        what = f"a token's name has 1 to {LONGEST_NAME} characters."
        raise PostilError(what, hint="Name the program that will use it.")
    return name


def _demand_scopes(scopes: Collection[str]) -> list[str]:
    wanted = [scope for scope in SCOPES if scope in scopes]
    if not wanted or len(wanted) < len(set(scopes)):
        raise PostilError("a token needs something to do.", hint=f"Choose from: {', '.join(SCOPES)}.")
    return wanted


def _demand_end(days: int | None) -> datetime | None:
    if days is None:
        return None
    if not 0 < days <= MOST_DAYS:
        raise PostilError(f"a token works for 1 to {MOST_DAYS} days.", hint="Or leave its end open.")
    return now() + timedelta(days=days)
