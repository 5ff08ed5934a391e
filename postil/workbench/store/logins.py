"""The way in: links that work once, sessions of browsers, the first owner, and failed logins.

Of links and sessions' keys only hashes are kept: whoever reads the database cannot get in.
What is done by a link is one transaction with using it up: if it fails, the link can be tried again.

After failures the next attempt has to wait. They are counted for a login from one address, and with much
more patience for a login from anywhere and for an address whatever the login. So a stranger who guesses a
teacher's password has to wait, and the teacher does not. Guesses from many addresses make the login wait
everywhere except in browsers where its owner has logged in before: those keep a mark of theirs, and only
failures in the same browser count for them.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, func, not_, select, text, update
from sqlalchemy.orm import Session as Transaction

from postil.errors import PostilError
from postil.workbench.records import LOCAL, OWNER, Person
from postil.workbench.store.access import delete_old_replies
from postil.workbench.store.accounts import (
    add_account,
    demand_account,
    fold_login,
    get_account,
    hash_password,
    lock_account,
    new_account,
    person_of,
)
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.drafts import forget_drafts
from postil.workbench.store.events import COURSE_HANDED_OVER, add_event
from postil.workbench.store.passwords import demand_password
from postil.workbench.store.rows import digest_of, storable
from postil.workbench.store.tables import (
    AccountRow,
    AttemptRow,
    CourseRow,
    LinkRow,
    SessionRow,
    TokenRow,
    now,
    shared_now,
)

OPEN, FIRST_OWNER, INVITATION, RESET = "open", "owner", "invitation", "reset"
PURPOSES = (OPEN, FIRST_OWNER, INVITATION, RESET)
IDLE = timedelta(hours=12)
OLDEST = timedelta(days=7)
_SEEN_EVERY = timedelta(minutes=1)  # otherwise every page would be a write
_LONGEST_AGENT = 300
_MOST_MESSAGES = 20
_WINDOW = timedelta(minutes=15)
_AHEAD = timedelta(minutes=1)  # what is later than that was written before the clock was set back
_TRIES, _TRIES_IN_ALL = 5, 50
_FIRST_WAIT = 30.0  # seconds; each further failure doubles it
_MOST_MARKS = 8  # of people who share a browser, in a staff room, say
_BETWEEN_MARKS = "~"
_MOST_DIGITS = 10  # of an account's number; a forged one may have more


@dataclass(frozen=True, slots=True)
class Link:
    """A link that was not used yet: what it is for, and which account it is about, if any."""

    purpose: str
    person: Person | None


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that was let in: who it is, the token its forms carry, and if messages wait for it."""

    digest: str
    person: Person
    csrf: str
    agent: str
    created: datetime
    seen: datetime
    has_messages: bool


def make_link(store: Store, purpose: str, account_id: int | None = None, hours: float = 24) -> str:
    """Make a link that works once, and return its token; links to the same account end."""
    if purpose not in PURPOSES:
        raise ValueError(f"no such purpose of a link: {purpose}")
    token = secrets.token_urlsafe(32)
    row = LinkRow(digest=digest_of(token), purpose=purpose, account_id=account_id, created=now())
    row.expires = row.created + timedelta(hours=hours)
    with store.writing() as session:
        if account_id is not None:
            session.execute(delete(LinkRow).where(LinkRow.account_id == account_id))
        session.add(row)
    return token


def peek_link(store: Store, token: str) -> Link | None:
    """What a link is for, if it is valid; it stays valid."""
    with store.reading() as session:
        return _find_link(session, token)


def use_link(store: Store, token: str) -> Link | None:
    """Use a link up, and return it; None if it is not valid. If two try at once, only one succeeds."""
    with store.writing() as session:
        return _take_link(session, token)


def begin_session(store: Store, account_id: int | None, agent: str = "") -> str:
    """Let a browser in, and return the key that its cookie holds; what has expired is deleted."""
    key, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    row = SessionRow(digest=digest_of(key), account_id=account_id, csrf=csrf, messages=[])
    row.agent, row.created, row.seen = storable(agent)[:_LONGEST_AGENT], now(), now()
    with store.writing() as session:
        session.execute(delete(SessionRow).where(not_(_fresh())))
        session.execute(delete(LinkRow).where(LinkRow.expires <= now()))
        delete_old_replies(session)
        session.add(row)
    forget_drafts(store)
    return key


def find_session(store: Store, key: str) -> Session | None:
    """The session of a key; not if it is too old, was idle for too long, or its account is closed."""
    if not key:
        return None
    with store.reading() as session:
        row = session.execute(_sessions().where(_is(SessionRow, key), _fresh())).one_or_none()
    if row is None:
        return None
    record = _record(*row)
    moment = now()
    if abs(moment - record.seen) > _SEEN_EVERY:
        # If the clock was set back, the session would otherwise last longer than it may.
        visit = {"seen": moment, "created": min(record.created, moment)}
        # A page does not wait for writers: the next one can record the visit.
        with suppress(StoreAwayError), store.writing() as session:
            session.execute(update(SessionRow).where(_is(SessionRow, key)).values(visit))
    return record


def end_session(store: Store, key: str) -> None:
    """Forget a session; its key opens nothing any more."""
    with store.writing() as session:
        session.execute(delete(SessionRow).where(_is(SessionRow, key)))


def end_sessions(store: Store, account_id: int, *, but: str | None = None) -> int:
    """Forget the sessions of an account, but for the one with this digest; returns how many."""
    which = SessionRow.account_id == account_id, SessionRow.digest != (but or "")
    with store.writing() as session:
        return len(session.scalars(delete(SessionRow).where(*which).returning(SessionRow.digest)).all())


def end_local_sessions(store: Store) -> None:
    """Delete the sessions and links of `--local`, the mode for one person."""
    with store.writing() as session:
        session.execute(delete(SessionRow).where(SessionRow.account_id.is_(None)))
        session.execute(delete(LinkRow).where(LinkRow.purpose == OPEN))


def list_sessions(store: Store, account_id: int | None) -> list[Session]:
    """The sessions of an account, the last seen first."""
    query = _sessions().where(SessionRow.account_id == account_id, _fresh())
    with store.reading() as session:
        return [_record(*row) for row in session.execute(query.order_by(SessionRow.seen.desc()))]


def add_message(store: Store, digest: str, message: dict[str, Any]) -> None:
    """Keep a message for the next page that a session sees."""
    with store.writing() as session:
        row = _lock_session(session, digest)
        if row is not None:
            row.messages = [*row.messages, message][-_MOST_MESSAGES:]


def take_messages(store: Store, digest: str) -> list[dict[str, Any]]:
    """The messages that wait for a session; they are shown once."""
    with store.writing() as session:
        row = _lock_session(session, digest)
        if row is None:
            return []
        taken, row.messages = row.messages, []
        return taken


def has_owner(store: Store) -> bool:
    """Whether the installation has an owner who can log in."""
    with store.reading() as session:
        return session.scalars(_active_owners()).first() is not None


def create_first_owner(
    store: Store, token: str, login: str, name: str, password: str, site: str = ""
) -> Person | None:
    """Make the account with which an installation begins; courses without an owner become its own.

    None if the link is not valid. Refused where there is an owner who can log in.
    """
    row = new_account(login, name, OWNER, password, site)
    with store.writing() as session:
        if session.connection().dialect.name == "postgresql":  # nobody else makes an account meanwhile
            session.execute(text("LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE"))
        if session.scalars(_active_owners()).first() is not None:
            raise PostilError("there is already an owner.", hint="Ask them to invite you.")
        if _take_link(session, token) is None:
            return None
        add_account(session, row)
        _adopt(session, row)
        return person_of(row)


def adopt_courses(store: Store) -> int:
    """Give the courses without an owner to the first owner who can log in; returns how many.

    They were created with `--local`, after there were accounts.
    """
    with store.writing() as session:
        owner = session.scalars(_active_owners().with_for_update(read=True)).first()
        return 0 if owner is None else _adopt(session, owner)


def choose_password(
    store: Store, token: str, password: str, site: str = ""
) -> tuple[Person, str, int] | None:
    """Give the account of a link another password, and end its sessions; None if the link is not valid.

    If the old one was forgotten or known to others, the tokens of programs end as well. Returns whose account
    it is, what the link was for, and how many tokens ended.
    """
    link = peek_link(store, token)
    person = None if link is None else link.person
    if link is None or person is None or person.id is None:
        return None
    hashed = hash_password(demand_password(password, person.login, person.name, site))
    with store.writing() as session:
        lock_account(session, person.id)
        if _take_link(session, token) is None:
            return None
        ended = _replace_password(session, person.id, hashed, keep_tokens=link.purpose != RESET)
        return person, link.purpose, ended


def change_password(
    store: Store,
    account_id: int,
    password: str,
    *,
    but: str | None = None,
    keep_tokens: bool = False,
    site: str = "",
) -> int:
    """Give somebody another password; returns how many tokens of programs ended with the old one.

    All sessions end `but` the one with this digest, and all tokens unless they are to be kept.
    """
    person = get_account(store, account_id).person
    hashed = hash_password(demand_password(password, person.login, person.name, site))
    with store.writing() as session:
        lock_account(session, account_id)
        return _replace_password(session, account_id, hashed, but=but, keep_tokens=keep_tokens)


def _replace_password(
    session: Transaction, account_id: int, hashed: str, *, but: str | None = None, keep_tokens: bool
) -> int:
    """Store a new password's hash; ends links for choosing one, other sessions and, unless kept, tokens."""
    demand_account(session, account_id).password = hashed
    session.flush()
    session.execute(delete(LinkRow).where(LinkRow.account_id == account_id))
    others = SessionRow.account_id == account_id, SessionRow.digest != (but or "")
    session.execute(delete(SessionRow).where(*others))
    if keep_tokens:
        return 0
    own = delete(TokenRow).where(TokenRow.account_id == account_id)
    return len(session.scalars(own.returning(TokenRow.id)).all())


def _is(table: type[LinkRow] | type[SessionRow], secret: str) -> ColumnElement[bool]:
    # Looked up by its hash, a guessed secret tells nothing by how long the comparison takes.
    return table.digest == digest_of(secret)


def _take_link(session: Transaction, token: str) -> Link | None:
    """Use a link up within a transaction: if what the link allows fails, the link stays valid."""
    link = _find_link(session, token)
    if link is None:
        return None
    # There is one first owner: with one of their links, all are used up.
    same = LinkRow.purpose == FIRST_OWNER if link.purpose == FIRST_OWNER else _is(LinkRow, token)
    used = session.scalars(delete(LinkRow).where(same).returning(LinkRow.digest)).all()
    return link if digest_of(token) in used else None


def _find_link(session: Transaction, token: str) -> Link | None:
    query = select(LinkRow, AccountRow).outerjoin(AccountRow, AccountRow.id == LinkRow.account_id)
    good = _is(LinkRow, token), LinkRow.expires > now(), AccountRow.closed.is_(None)
    for row, account in session.execute(query.where(*good)):
        return Link(row.purpose, None if account is None else person_of(account))
    return None


def _sessions() -> Any:
    query = select(SessionRow, AccountRow).outerjoin(AccountRow, AccountRow.id == SessionRow.account_id)
    return query.where(AccountRow.closed.is_(None))


def _fresh() -> ColumnElement[bool]:
    return and_(SessionRow.seen > now() - IDLE, SessionRow.created > now() - OLDEST)


def _record(row: SessionRow, account: AccountRow | None) -> Session:
    person = LOCAL if account is None else person_of(account)
    return Session(row.digest, person, row.csrf, row.agent, row.created, row.seen, bool(row.messages))


def _lock_session(session: Transaction, digest: str) -> SessionRow | None:
    return session.get(SessionRow, digest, with_for_update={"key_share": True})


def _active_owners() -> Select[AccountRow]:
    active = AccountRow.closed.is_(None), AccountRow.password.is_not(None)
    return select(AccountRow).where(AccountRow.role == OWNER, *active).order_by(AccountRow.id).limit(1)


def _adopt(session: Transaction, owner: AccountRow) -> int:
    orphans = update(CourseRow).where(CourseRow.owner_id.is_(None)).values(owner_id=owner.id)
    adopted = session.scalars(orphans.returning(CourseRow.id)).all()
    for course_id in adopted:
        about = f"{owner.login}, had no owner"
        add_event(session, None, COURSE_HANDED_OVER, course_id=course_id, about=about)
    return len(adopted)


# Failed logins, and the browsers that no stranger can keep waiting


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to enter a password: for which login, and from which address.

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
    """Forget the failures before a right password, but not those of the address or the login alone.

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
    """The hashes that an attempt is counted under, with the failures each allows; its own comes first."""
    if attempt.mark:
        return {digest_of(f"browser {attempt.mark}"): _TRIES}
    login, address = f"name {fold_login(attempt.login)}", f"address {attempt.address}"
    tries = {f"{login} {address}": _TRIES, login: _TRIES_IN_ALL, address: _TRIES_IN_ALL}
    return {digest_of(name): free for name, free in tries.items()}


def _wait(session: Transaction, digest: str, free: int) -> float:
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
