"""Failed logins: how long the next attempt has to wait, and the browsers that no stranger can keep waiting.

Failures are counted for a login from one address, and with much more patience for a login from anywhere and
for an address whatever the login. So a stranger who guesses a teacher's password has to wait, and the teacher
does not. Guesses from many addresses make the login wait everywhere except in browsers where its owner has
logged in before: those keep a mark of theirs, and only failures in the same browser count for them.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, func, not_, select
from sqlalchemy.orm import Session

from postil.workbench.store.accounts import fold_login
from postil.workbench.store.database import Store
from postil.workbench.store.rows import digest_of
from postil.workbench.store.tables import AccountRow, AttemptRow, shared_now

_WINDOW = timedelta(minutes=15)
_AHEAD = timedelta(minutes=1)  # what is later than that was written before the clock was set back
_TRIES, _TRIES_IN_ALL = 5, 50
_FIRST_WAIT = 30.0  # seconds; each further failure doubles it
_MOST_MARKS = 8  # of people who share a browser, in a staff room, say
_BETWEEN_MARKS = "~"
_MOST_DIGITS = 10  # of an account's number; a forged one may have more


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody who tries a password: whose it would be, and from which address.

    `mark` is that of a browser which is known to be the account's, otherwise empty.
    """

    login: str
    address: str
    mark: str = ""


def count_failure(store: Store, attempt: Attempt) -> None:
    """Remember that an attempt failed; those of long ago are forgotten."""
    with store.writing() as session:
        moment = shared_now(session)
        session.execute(delete(AttemptRow).where(not_(_is_recent(moment))))
        session.add_all(AttemptRow(digest=digest, at=moment) for digest in _counted(attempt))


def wait_before(store: Store, attempt: Attempt) -> float:
    """How many seconds this attempt has to wait; 0 for none.

    The wait begins with the fifth failure for the login from the address, or the fiftieth of either alone,
    and grows.
    """
    with store.reading() as session:
        return max(_wait(session, digest, tries) for digest, tries in _counted(attempt).items())


def forgive(store: Store, attempt: Attempt) -> None:
    """Forget the failures before a right password; those of the address and the login alone stay.

    Others may still be guessing there.
    """
    own = next(iter(_counted(attempt)))
    with store.writing() as session:
        session.execute(delete(AttemptRow).where(AttemptRow.digest == own))


def add_mark(store: Store, account_id: int, marks: str) -> str:
    """The marks of a browser in which somebody has just logged in, theirs first.

    A mark is signed with the hash of the password: it ends when the password changes.
    """
    with store.reading() as session:
        account = session.get_one(AccountRow, account_id)
        others = [mark for mark in _split(marks) if not _is_of(mark, account)]
        own = _signed(secrets.token_urlsafe(16), account)
        return _BETWEEN_MARKS.join([own, *others][:_MOST_MARKS])


def find_mark(store: Store, login: str, marks: str) -> str:
    """Which of a browser's marks is that of the account with this login; empty if none is."""
    if not marks:
        return ""
    query = select(AccountRow).where(AccountRow.login == fold_login(login), AccountRow.closed.is_(None))
    with store.reading() as session:
        account = session.scalars(query).one_or_none()
        if account is None:
            return ""
        return next((mark for mark in _split(marks) if _is_of(mark, account)), "")


def find_any_mark(store: Store, marks: str) -> str:
    """Any of a browser's marks that is somebody's; empty if none is."""
    numbers = {number for mark in _split(marks) if (number := mark.partition(".")[0]).isdecimal()}
    numbered = AccountRow.id.in_([int(number) for number in numbers if len(number) < _MOST_DIGITS])
    with store.reading() as session:
        accounts = session.scalars(select(AccountRow).where(numbered, AccountRow.closed.is_(None))).all()
        return next((mark for mark in _split(marks) for row in accounts if _is_of(mark, row)), "")


def _counted(attempt: Attempt) -> dict[str, int]:
    """What an attempt counts for, as hashes, and how many failures of each are free; its own comes first."""
    if attempt.mark:
        return {digest_of(f"browser {attempt.mark}"): _TRIES}
    login, address = f"name {fold_login(attempt.login)}", f"address {attempt.address}"
    tries = {f"{login} {address}": _TRIES, login: _TRIES_IN_ALL, address: _TRIES_IN_ALL}
    return {digest_of(name): free for name, free in tries.items()}


def _wait(session: Session, digest: str, free: int) -> float:
    """How many seconds are left to wait after recent failures, of which so many are `free`."""
    moment = shared_now(session)
    recent = AttemptRow.digest == digest, _is_recent(moment)
    failures, last = session.execute(select(func.count(), func.max(AttemptRow.at)).where(*recent)).one()
    if failures < free:
        return 0.0
    wait = min(_FIRST_WAIT * 2.0 ** (failures - free), _WINDOW.total_seconds())
    return max(0.0, wait - max(0.0, (moment - last).total_seconds()))


def _is_recent(moment: datetime) -> ColumnElement[bool]:
    return and_(AttemptRow.at > moment - _WINDOW, AttemptRow.at < moment + _AHEAD)


def _split(marks: str) -> list[str]:
    return [mark for mark in marks.split(_BETWEEN_MARKS, _MOST_MARKS)[:_MOST_MARKS] if mark]


def _is_of(mark: str, account: AccountRow) -> bool:
    expected = _signed(mark.partition(".")[2].partition(".")[0], account)
    return account.password is not None and hmac.compare_digest(mark.encode(), expected.encode())


def _signed(nonce: str, account: AccountRow) -> str:
    key = digest_of(f"known browser {account.password}")
    signature = hmac.digest(key.encode(), f"{account.id} {nonce}".encode(), "sha256")
    return f"{account.id}.{nonce}.{urlsafe_b64encode(signature).decode().rstrip('=')}"
