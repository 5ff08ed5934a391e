"""How it begins: the first owner, passwords chosen by a link, and courses that are nobody's yet.

A link is used up in the same transaction: whoever cannot be let in can try again with it.
"""

from __future__ import annotations

from sqlalchemy import Select, delete, select, text, update
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.people import OWNER, Person
from postil.workbench.store.accounts import (
    add_account,
    lock_account,
    new_account,
    person_of,
    replace_password,
)
from postil.workbench.store.database import Store
from postil.workbench.store.events import COURSE_HANDED_OVER, add_event
from postil.workbench.store.logins import RESET, peek_link, take_link
from postil.workbench.store.passwords import demand_password, hash_password
from postil.workbench.store.tables import AccountRow, CourseRow, SessionRow, TokenRow


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
        _alone(session)
        if session.scalars(_active_owners()).first() is not None:
            raise PostilError("there is an owner already.", hint="Ask them to invite you.")
        if take_link(session, token) is None:
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

    Where one was forgotten or known to others, the tokens of programs end, too. Returns whose account it
    is, what the link was for, and how many tokens ended.
    """
    known = peek_link(store, token)
    if known is None or known.person is None or known.person.id is None:
        return None
    hashed = hash_password(demand_password(password, known.person.login))
    with store.writing() as session:
        lock_account(session, known.person.id)
        link = take_link(session, token)
        if link is None:
            return None
        replace_password(session, known.person.id, hashed)
        session.execute(delete(SessionRow).where(SessionRow.account_id == known.person.id))
        if link.purpose != RESET:
            return known.person, link.purpose, 0
        own = delete(TokenRow).where(TokenRow.account_id == known.person.id)
        return known.person, link.purpose, len(session.scalars(own.returning(TokenRow.id)).all())


def _active_owners() -> Select[AccountRow]:
    active = AccountRow.closed.is_(None), AccountRow.password.is_not(None)
    return select(AccountRow).where(AccountRow.role == OWNER, *active).order_by(AccountRow.id).limit(1)


def _alone(session: Session) -> None:
    """On PostgreSQL, let nobody else make or change an account until this is done."""
    if session.connection().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE"))


def _adopt(session: Session, owner: AccountRow) -> int:
    orphans = update(CourseRow).where(CourseRow.owner_id.is_(None)).values(owner_id=owner.id)
    adopted = session.scalars(orphans.returning(CourseRow.id)).all()
    about = f"{owner.login}, was nobody's"
    for course_id in adopted:
        add_event(session, None, COURSE_HANDED_OVER, course_id=course_id, about=about)
    return len(adopted)
