"""People: who can log in here, for those who look after the installation. Invite, change, close."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.errors import PostilError
from postil.workbench.http.access import may_own_installation
from postil.workbench.http.acting import Number, read_number
from postil.workbench.http.addresses import main_origin
from postil.workbench.http.noting import note
from postil.workbench.http.once import Once
from postil.workbench.http.rendering import Message, OfStore, back, flash, flash_error, render
from postil.workbench.people import ASSISTANT, OWNER, TEACHER, Account
from postil.workbench.store import accounts, events
from postil.workbench.store.database import Store
from postil.workbench.store.logins import INVITATION, RESET, list_sessions, make_link

router = APIRouter(dependencies=[may_own_installation])
Text = Annotated[str, Form()]
ROLES = {
    TEACHER: "makes courses and shares them.",
    ASSISTANT: "makes no courses; helps in those of others: labels answers and starts gradings.",
    OWNER: "is a teacher who also looks after this installation: its people and its log.",
}
_DAYS = 3  # that a link is good for: a weekend long


@router.get("/people")
def show_people(request: Request, store: OfStore) -> HTMLResponse:
    """Everybody who has an account, and a form to invite somebody."""
    return _people(request, store)


@router.post("/people")
def invite(
    request: Request, store: OfStore, name: Text = "", login: Text = "", role: Text = TEACHER
) -> HTMLResponse:
    """Make an account without a password, and show the link with which the password is chosen."""
    try:
        account_id = accounts.create_account(store, login, name, role, None)
    except PostilError as error:
        return _people(request, store, error=error, filled={"name": name, "login": login, "role": role})
    account = accounts.get_account(store, account_id)
    note(request, events.ACCOUNT_MADE, about=account.person.login)
    return _people(request, store, once=_new_link(request, store, account))


@router.get("/people/{account_id}")
def show_person(request: Request, account_id: Number, store: OfStore) -> HTMLResponse:
    """One account, and what can be done with it."""
    return _person(request, store, account_id)


@router.post("/people/{account_id}/link")
def give_link(request: Request, account_id: Number, store: OfStore) -> HTMLResponse:
    """Show a link with which a password is chosen: the first one, or another for one forgotten."""
    account = accounts.get_account(store, account_id)
    if account.closed:
        raise PostilError("this account is closed.", hint="Open it again first.")
    note(request, events.LINK_MADE, about=account.person.login)
    return _person(request, store, account_id, once=_new_link(request, store, account))


@router.post("/people/{account_id}/role")
def give_role(request: Request, account_id: Number, store: OfStore, role: Text = "") -> RedirectResponse:
    """Give somebody another role."""
    if accounts.get_account(store, account_id).person.role == role:
        return back(f"/people/{account_id}")
    try:
        accounts.change_role(store, account_id, role)
    except PostilError as error:
        flash_error(request, error)
        return back(f"/people/{account_id}")
    person = accounts.get_account(store, account_id).person
    note(request, events.ROLE_CHANGED, about=f"{person.login}: {role}")
    flash(request, f"The role of {person.name} is “{role}” now.")
    return back("/" if person.id == request.state.person.id and role != OWNER else f"/people/{account_id}")


@router.post("/people/{account_id}/close")
def close_account(request: Request, account_id: Number, store: OfStore, heir: Text = "") -> RedirectResponse:
    """Close an account; somebody else gets its courses."""
    person = accounts.get_account(store, account_id).person
    try:
        if person.id == request.state.person.id:
            raise PostilError("this is your own account.", hint="Let another owner close it.")
        accounts.close_account(store, account_id, read_number(heir))
        note(request, events.ACCOUNT_CLOSED, about=person.login)
        flash(request, f"The account of {person.name} is closed.")
    except PostilError as error:
        flash_error(request, error)
    return back(f"/people/{account_id}")


@router.post("/people/{account_id}/reopen")
def reopen_account(request: Request, account_id: Number, store: OfStore) -> RedirectResponse:
    """Open an account again that was closed."""
    person = accounts.get_account(store, account_id).person
    accounts.reopen_account(store, account_id)
    note(request, events.ACCOUNT_REOPENED, about=person.login)
    flash(request, f"{person.name} can log in again.")
    return back(f"/people/{account_id}")


def _people(
    request: Request,
    store: Store,
    *,
    once: Once | None = None,
    filled: dict[str, str] | None = None,
    error: PostilError | None = None,
) -> HTMLResponse:
    return render(
        request,
        "people.html",
        status=400 if error else 200,
        messages=[Message(error.what, "error", error.hint)] if error else [],
        accounts=accounts.list_accounts(store),
        state_of=state_of,
        roles=ROLES,
        filled=filled or {"name": "", "login": "", "role": TEACHER},
        once=once,
    )


def _person(request: Request, store: Store, account_id: int, once: Once | None = None) -> HTMLResponse:
    account = accounts.get_account(store, account_id)
    sessions = list_sessions(store, account_id)
    return render(
        request,
        "person.html",
        account=account,
        state_of=state_of,
        seen=sessions[0].seen if sessions else None,
        roles=ROLES,
        filled={"role": account.person.role},
        heirs=_heirs(store, account),
        once=once,
    )


def state_of(account: Account) -> str:
    """How far an account is, in a word."""
    if account.closed:
        return "closed"
    return "active" if account.has_password else "invited"


def _heirs(store: Store, account: Account) -> list[Account]:
    """Who could get somebody's courses."""
    return [
        one
        for one in accounts.list_accounts(store)
        if one.active and one.person.makes_courses and one.person.id != account.person.id
    ]


def _new_link(request: Request, store: Store, account: Account) -> Once:
    """A link to choose a password with, and what to say beside it; it is shown this one time."""
    token = make_link(store, RESET if account.has_password else INVITATION, account.person.id, 24 * _DAYS)
    return Once(
        f"A link for {account.person.name}",
        f"{main_origin(request.app.state.settings)}/open?token={token}",
        f"Pass it on now: it is not shown again. It works once, within {_DAYS} days, and opens a form in "
        "which they choose their password. Whoever has it can do that, so send it to nobody else.",
    )
