"""The way in: links that work once, sessions of browsers, logins that failed, and the first owner.

Of links, sessions' keys, names and addresses only hashes are kept: whoever reads the database cannot get in.
What is done by a link is one transaction with using it up: if it fails, the link can be tried again.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, func, not_, select, text, update
from sqlalchemy.orm import Session as Transaction

from postil.errors import PostilError
from postil.workbench.records import LOCAL, OWNER, Person
from postil.workbench.store.accounts import (
    add_account,
    demand_password,
    fold_login,
    hash_password,
    lock_account,
    new_account,
    person_of,
    replace_password,
)
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.drafts import forget_drafts
from postil.workbench.store.events import COURSE_HANDED_OVER, add_event
from postil.workbench.store.replies import delete_old
from postil.workbench.store.rows import digest_of, storable
from postil.workbench.store.tables import (
    AccountRow,
    AttemptRow,
    CourseRow,
    LinkRow,
    SessionRow,
    TokenRow,
    now,
)

OPEN, FIRST_OWNER, INVITATION, RESET = "open", "owner", "invitation", "reset"
PURPOSES = (OPEN, FIRST_OWNER, INVITATION, RESET)
IDLE = timedelta(hours=12)
OLDEST = timedelta(days=7)
_SEEN_EVERY = timedelta(minutes=1)  # every page would be a write, otherwise
_LONGEST_AGENT = 300
_MOST_MESSAGES = 20

_WINDOW = timedelta(minutes=15)
_TRIES_OF_NAME, _TRIES_FROM_ADDRESS = 5, 20
_FIRST_WAIT = 30.0  # seconds; each further failure doubles it


@dataclass(frozen=True, slots=True)
class Link:
    """A link that was not used yet: what it is for, and whose account it is about, if anybody's."""

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
    """What a link is for, if it is good; it stays good."""
    with store.reading() as session:
        return _find_link(session, token)


def use_link(store: Store, token: str) -> Link | None:
    """Use a link up, and say what it was for; None if it is not good. Of two at once only one can."""
    with store.writing() as session:
        return _take_link(session, token)


def begin_session(store: Store, account_id: int | None, agent: str = "") -> str:
    """Let a browser in, and return the key that its cookie holds."""
    key = secrets.token_urlsafe(32)
    row = SessionRow(
        digest=digest_of(key), account_id=account_id, csrf=secrets.token_urlsafe(32), messages=[]
    )
    row.agent, row.created, row.seen = storable(agent)[:_LONGEST_AGENT], now(), now()
    with store.writing() as session:
        _forget_old(session)
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
    if record.seen < now() - _SEEN_EVERY:
        # Whoever looks at a page does not wait for those who write: it can be noted with the next one.
        with suppress(StoreAwayError), store.writing() as session:
            session.execute(update(SessionRow).where(_is(SessionRow, key)).values(seen=now()))
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
    """Forget the sessions and links of the mode for one person."""
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


def failed_login(store: Store, login: str, address: str) -> None:
    """Remember that a login failed, by its name and by where it came from."""
    with store.writing() as session:
        session.execute(delete(AttemptRow).where(AttemptRow.at < now() - _WINDOW))
        session.add_all(AttemptRow(digest=digest, at=now()) for digest in _tried(login, address))


def wait_before_login(store: Store, login: str, address: str) -> float:
    """For how many seconds nobody gets in by this name or from this address; 0 without a wait.

    The wait begins with the fifth failure for a name and the twentieth from an address, and grows.
    """
    name, origin = _tried(login, address)
    with store.reading() as session:
        return max(_wait(session, name, _TRIES_OF_NAME), _wait(session, origin, _TRIES_FROM_ADDRESS))


def forgive(store: Store, login: str, address: str) -> None:
    """Forget the failures of a name that got in; those of the address stay: others may be trying from it."""
    name, _ = _tried(login, address)
    with store.writing() as session:
        session.execute(delete(AttemptRow).where(AttemptRow.digest == name))


def has_owner(store: Store) -> bool:
    """Whether somebody can log in who looks after the installation."""
    with store.reading() as session:
        return session.scalars(_active_owners()).first() is not None


def create_first_owner(store: Store, token: str, login: str, name: str, password: str) -> Person | None:
    """Make the account with which an installation begins; courses that are nobody's become its own.

    None if the link is not good. Refused where there is an owner who can log in.
    """
    row = new_account(login, name, OWNER, password)
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
    """Give the courses that are nobody's to the first owner who can log in; returns how many.

    They were made with `--local`, after there were accounts.
    """
    with store.writing() as session:
        owner = session.scalars(_active_owners().with_for_update(read=True)).first()
        return 0 if owner is None else _adopt(session, owner)


def choose_password(store: Store, token: str, password: str) -> tuple[Person, str, int] | None:
    """Give the account of a link another password, and end its sessions; None if the link is not good.

    If the old one was forgotten or known to others, the tokens of programs end as well. Returns whose account
    it is, what the link was for, and how many tokens ended.
    """
    link = peek_link(store, token)
    person = None if link is None else link.person
    if link is None or person is None or person.id is None:
        return None
    hashed = hash_password(demand_password(password, person.login))
    with store.writing() as session:
        lock_account(session, person.id)
        if _take_link(session, token) is None:
            return None
        replace_password(session, person.id, hashed)
        session.execute(delete(SessionRow).where(SessionRow.account_id == person.id))
        if link.purpose != RESET:
            return person, link.purpose, 0
        own = delete(TokenRow).where(TokenRow.account_id == person.id)
        return person, link.purpose, len(session.scalars(own.returning(TokenRow.id)).all())


def _is(table: type[LinkRow] | type[SessionRow], secret: str) -> ColumnElement[bool]:
    # Looked up by its hash, a guessed secret tells nothing by how long the comparison takes.
    return table.digest == digest_of(secret)


def _take_link(session: Transaction, token: str) -> Link | None:
    """Use a link up together with what is done by it: where that fails, the link stays good."""
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
    query = select(SessionRow).where(SessionRow.digest == digest)
    return session.scalars(query.with_for_update(key_share=True)).one_or_none()


def _forget_old(session: Transaction) -> None:
    """Delete the sessions and links that are no longer good, and what programs were answered long ago."""
    session.execute(delete(SessionRow).where(not_(_fresh())))
    session.execute(delete(LinkRow).where(LinkRow.expires <= now()))
    delete_old(session)


def _tried(login: str, address: str) -> tuple[str, str]:
    return digest_of(f"name {fold_login(login)}"), digest_of(f"address {address}")


def _wait(session: Transaction, digest: str, free: int) -> float:
    """How many seconds are left to wait after recent failures, of which so many are `free`."""
    recent = AttemptRow.digest == digest, AttemptRow.at > now() - _WINDOW
    failures, last = session.execute(select(func.count(), func.max(AttemptRow.at)).where(*recent)).one()
    if failures < free:
        return 0.0
    wait = min(_FIRST_WAIT * 2.0 ** (failures - free), _WINDOW.total_seconds())
    return max(0.0, wait - (now() - last).total_seconds())


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
