"""Accounts: create, list, change and close them, and check passwords."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from postil.errors import PostilError
from postil.workbench.records import ASSISTANT, OWNER, ROLES, Account, Person
from postil.workbench.store.database import Store
from postil.workbench.store.passwords import LONGEST_PASSWORD, composed, demand_password
from postil.workbench.store.rows import demand, demand_name
from postil.workbench.store.tables import (
    AccountRow,
    CourseRow,
    LinkRow,
    MemberRow,
    QuestionRow,
    RoundAnswerRow,
    RoundRow,
    SessionRow,
    TaggingRow,
    TokenRow,
    now,
)

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LONGEST_LOGIN, LONGEST_NAME = 80, 200
_LOGIN = re.compile(rf"[\w.@+-]{{2,{LONGEST_LOGIN}}}")
_LOOK_AGAIN = "Reload the list of people."
_SHOWN = 80  # characters of a question in a message
# What OWASP asks for at least. The library's own choice takes ten times as long: a school whose teachers all
# log in at the bell would wait for nothing else.
_ROUNDS, _KIBIBYTES, _LANES = 2, 19 * 1024, 1
# A hash takes 19 MiB while it is made: of fifty people who log in at once, most wait a moment.
_HASHING = BoundedSemaphore(4)


def count_accounts(store: Store) -> int:
    """How many accounts there are, closed ones as well; none before the first start."""
    with store.reading() as session:
        return session.scalars(select(func.count()).select_from(AccountRow)).one()


def create_account(store: Store, login: str, name: str, role: str, password: str | None) -> int:
    """Create an account and return its number; without a password nobody can log in with it yet."""
    row = new_account(login, name, role, password)
    with store.writing() as session:
        return add_account(session, row)


def list_accounts(store: Store) -> list[Account]:
    """All accounts by name, the closed ones last."""
    query = _counted().order_by(AccountRow.closed.is_not(None), AccountRow.name, AccountRow.id)
    with store.reading() as session:
        return [_record(*row) for row in session.execute(query)]


def names_of(store: Store, account_ids: Collection[int]) -> dict[int, str]:
    """What people are called, by the numbers of their accounts."""
    query = select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(account_ids))
    with store.reading() as session:
        return {row.id: row.name for row in session.execute(query)}


def get_account(store: Store, account_id: int) -> Account:
    """One account."""
    with store.reading() as session:
        row = session.execute(_counted().where(AccountRow.id == account_id)).one_or_none()
    return _record(*demand(row, "account", _LOOK_AGAIN))


def find_account(store: Store, login: str) -> Account | None:
    """The account with this login, if there is one."""
    with store.reading() as session:
        row = session.execute(_counted().where(AccountRow.login == fold_login(login))).one_or_none()
    return None if row is None else _record(*row)


def check_password(store: Store, login: str, password: str) -> Person | None:
    """Who this is, if the password is right and the account is open.

    It takes as long for an unknown login: otherwise one could find out who has an account.
    """
    with store.reading() as session:
        row = session.scalars(select(AccountRow).where(AccountRow.login == fold_login(login))).one_or_none()
    known = None if row is None or row.closed is not None else row.password
    is_right = _is_right(known or _nobodys_hash(), password)
    if row is None or known is None or not is_right:
        return None
    if _hasher().check_needs_rehash(known):  # an older version of Postil made it with less work
        same = AccountRow.id == row.id, AccountRow.password == known
        hashed = hash_password(password)
        with store.writing() as session:
            session.execute(update(AccountRow).where(*same).values(password=hashed))
    return person_of(row)


def change_role(store: Store, account_id: int, role: str) -> None:
    """Give somebody another role; an assistant has no courses, and one owner stays."""
    _demand_role(role)
    with store.writing() as session:
        row = lock_account(session, account_id)
        if role != OWNER:
            _keep_an_owner(session, row)
        own = select(func.count()).select_from(CourseRow).where(CourseRow.owner_id == account_id)
        if role == ASSISTANT and session.scalars(own).one():
            what = "this person owns courses, and assistants cannot own any."
            raise PostilError(what, hint="Ask them to hand their courses over first.")
        row.role = role


def rename_account(store: Store, account_id: int, name: str) -> None:
    """Give somebody another name."""
    name = _demand_name(name)
    with store.writing() as session:
        demand_account(session, account_id).name = name


def close_account(store: Store, account_id: int, heir: int | None) -> None:
    """Close an account: its courses go to the heir, its sessions, tokens and links end.

    Without courses it needs no heir. What was decided with the account stays. Refused while a round waits
    for what the person has to label or to settle.
    """
    with store.writing() as session:
        row = lock_account(session, account_id, heir)
        _keep_an_owner(session, row)
        _refuse_needed(session, account_id)
        own = select(CourseRow).where(CourseRow.owner_id == account_id)
        courses = session.scalars(own.order_by(CourseRow.id).with_for_update(key_share=True)).all()
        if courses:
            if heir is None or heir == account_id:
                raise PostilError("somebody must take over this person's courses.", hint="Choose who.")
            demand_heir(session, heir)
            for course in courses:
                give(session, course, heir)
        for table in (MemberRow, SessionRow, TokenRow, LinkRow):
            session.execute(delete(table).where(table.account_id == account_id))
        row.closed = now()


def reopen_account(store: Store, account_id: int) -> None:
    """Open a closed account again; its courses stay with their new owners."""
    with store.writing() as session:
        demand_account(session, account_id).closed = None


def new_account(login: str, name: str, role: str, password: str | None, site: str = "") -> AccountRow:
    """The row of a new account, or what is wrong with it; making a password's hash takes a moment."""
    login, name = fold_login(login), _demand_name(name)
    if not _LOGIN.fullmatch(login):
        what = f"a login has 2 to {LONGEST_LOGIN} characters: letters, digits and . _ - + @."
        raise PostilError(what, hint="A short name or an email address works well.")
    _demand_role(role)
    hashed = None if password is None else hash_password(demand_password(password, login, name, site))
    return AccountRow(login=login, name=name, role=role, password=hashed, created=now(), closed=None)


def add_account(session: Session, row: AccountRow) -> int:
    """Store a new account, and return its number."""
    session.add(row)
    try:
        session.flush()
    except IntegrityError as error:
        what = f"the login {row.login!r} is taken."
        raise PostilError(what, hint="Choose another; closed accounts keep theirs.") from error
    return row.id


def demand_account(session: Session, account_id: int) -> AccountRow:
    """The row of an account, which must exist."""
    return demand(session.get(AccountRow, account_id), "account", _LOOK_AGAIN)


def hold_account(session: Session, account_id: int) -> AccountRow:
    """The row of an account, which must exist; it stays open and keeps its role until this is done.

    Whoever also locks a course or a question does so after this.
    """
    row = session.get(AccountRow, account_id, with_for_update={"read": True})
    return demand(row, "account", _LOOK_AGAIN)


def lock_account(session: Session, account_id: int, heir: int | None = None) -> AccountRow:
    """An account's row; on PostgreSQL nobody else changes it, its heir's or any owner's until this is done.

    Otherwise two owners could close each other's accounts at the same moment. All are locked in one order.
    """
    query = select(AccountRow).where(or_(AccountRow.id.in_([account_id, heir]), AccountRow.role == OWNER))
    rows = session.scalars(query.order_by(AccountRow.id).with_for_update(key_share=True)).all()
    return demand(next((row for row in rows if row.id == account_id), None), "account", _LOOK_AGAIN)


def demand_heir(session: Session, account_id: int) -> AccountRow:
    """The row of an account that can own courses, until this transaction ends."""
    row = hold_account(session, account_id)
    if row.closed is not None or row.role == ASSISTANT:
        what = "this person cannot own courses."
        raise PostilError(what, hint="Choose an owner or a teacher whose account is open.")
    return row


def give(session: Session, course: CourseRow, account_id: int) -> None:
    """Make somebody the owner of a course; they need no share in it any more."""
    share = MemberRow.course_id == course.id, MemberRow.account_id == account_id
    session.execute(delete(MemberRow).where(*share))
    course.owner_id = account_id


def has_unlabelled(account_id: int | InstrumentedAttribute[int] | None) -> ColumnElement[bool]:
    """Whether somebody has not labelled all answers of a round; a condition on `RoundRow`."""
    answers = select(func.count()).where(RoundAnswerRow.round_id == RoundRow.id)
    own = TaggingRow.round_id == RoundRow.id, TaggingRow.account_id == account_id
    labelled = select(func.count()).where(*own)
    return labelled.correlate(RoundRow).scalar_subquery() < answers.correlate(RoundRow).scalar_subquery()


def person_of(row: AccountRow) -> Person:
    """The person of an account."""
    return Person(row.id, row.login, row.name, row.role)


def fold_login(login: str) -> str:
    """A login as it is kept: capitals do not matter, nor how a keyboard composes its letters."""
    return composed(login, LONGEST_LOGIN).strip().casefold()


def hash_password(password: str) -> str:
    """The hash of a password, with argon2id and a salt of its own."""
    with _HASHING:
        return _hasher().hash(composed(password, LONGEST_PASSWORD))


def _is_right(hashed: str, password: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        with _HASHING:
            return _hasher().verify(hashed, composed(password, LONGEST_PASSWORD)[: LONGEST_PASSWORD + 1])
    except (VerificationError, InvalidHashError):
        return False


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES)


@cache
def _nobodys_hash() -> str:
    return hash_password("nobody has this password")


def _demand_name(name: str) -> str:
    return demand_name(name, LONGEST_NAME, "a", "Use the name others know.")


def _demand_role(role: str) -> None:
    if role not in ROLES:
        raise PostilError("this role does not exist.", hint=f"Roles: {', '.join(ROLES)}.")


def _keep_an_owner(session: Session, row: AccountRow) -> None:
    others = select(func.count()).where(
        AccountRow.role == OWNER,
        AccountRow.id != row.id,
        AccountRow.closed.is_(None),
        AccountRow.password.is_not(None),
    )
    if row.role == OWNER and row.closed is None and not session.scalars(others).one():
        raise PostilError("this is the only owner who can log in.", hint="Make somebody else an owner first.")


def _refuse_needed(session: Session, account_id: int) -> None:
    """Refuse to lose somebody without whom an open round of labelling could not be finished.

    That is its referee, and anybody who has not labelled all its answers.
    """
    labels = or_(RoundRow.first_id == account_id, RoundRow.second_id == account_id)
    needed = or_(RoundRow.referee_id == account_id, labels & has_unlabelled(account_id))
    query = select(QuestionRow.text).join(RoundRow, RoundRow.question_id == QuestionRow.id)
    query = query.where(RoundRow.closed.is_(None), needed).order_by(RoundRow.id)
    text = session.scalars(query).first()
    if text is not None:
        shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        what = f"this person is still needed in a labelling round: “{shown}”."
        raise PostilError(what, hint="Finish or delete the round first.")


def _counted() -> Select[Any]:
    own = select(func.count()).select_from(CourseRow).where(CourseRow.owner_id == AccountRow.id)
    return select(AccountRow, own.correlate(AccountRow).scalar_subquery())


def _record(row: AccountRow, courses: int) -> Account:
    return Account(person_of(row), row.created, row.closed, row.password is not None, courses)
