"""A person's own account: name, password, where they are logged in, and tokens for programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.errors import PostilError
from postil.workbench.http.access import Number, OfPerson, id_of, with_accounts
from postil.workbench.http.addresses import client_address
from postil.workbench.http.rendering import Flashing, OfStore, Once, back, flash, note, render
from postil.workbench.pages.login import in_turn
from postil.workbench.records import Person
from postil.workbench.store import access, accounts, events, logins
from postil.workbench.store.accounts import LONGEST_PASSWORD, SHORTEST_PASSWORD
from postil.workbench.store.database import Store

router = APIRouter()
Text = Annotated[str, Form()]
SCOPES = {
    "judge": "Grade texts that the program sends. Nothing is stored, and it cannot see your courses.",
    "read": "Read your courses and everything in them.",
    "write": "Change your courses: add questions and answers, grade them, decide.",
}
NEVER = "never"  # a form cannot send an empty field: it counts as left out
LASTING = {"30": "30 days", "90": "90 days", "365": "a year", NEVER: "until revoked"}
_EMPTY: dict[str, Any] = {"name": "", "scopes": ("judge",), "days": "90"}
# Looked for in this order: many browsers also name the ones they are made from.
_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
_SYSTEMS = ("Windows", "Android", "iPhone", "iPad", "CrOS", "Mac", "Linux")


@dataclass(frozen=True, slots=True)
class Place:
    """A browser in which somebody is logged in."""

    where: str
    since: datetime
    seen: datetime
    here: bool


@router.get("/account")
def show_account(request: Request, store: OfStore) -> HTMLResponse:
    """The person's account; for the one person of `--local` only the tokens."""
    return _account(request, store)


@router.post("/account/name", dependencies=[with_accounts])
def give_name(request: Request, store: OfStore, person: OfPerson, name: Text = "") -> RedirectResponse:
    """Be called by another name."""
    with Flashing(request):
        accounts.rename_account(store, id_of(person), name)
        note(request, events.ACCOUNT_CHANGED, about=person.login)
        flash(request, "Your name has been changed.")
    return back("/account")


@router.post("/account/password", dependencies=[with_accounts])
async def give_password(
    request: Request,
    store: OfStore,
    person: OfPerson,
    current: Text = "",
    new: Text = "",
    again: Text = "",
) -> Response:
    """Choose another password; who knows only the session's cookie cannot."""
    return await in_turn(_give_password, request, store, person, current, new, again)


def _give_password(
    request: Request, store: Store, person: Person, current: str, new: str, again: str
) -> Response:
    with Flashing(request):
        _demand_password(request, store, person, current)
        if new != again:
            raise PostilError("the two new passwords do not match.", hint="Type them again.")
        accounts.set_password(store, id_of(person), new)
        logins.end_sessions(store, id_of(person), but=request.state.session.digest)
        note(request, events.PASSWORD_CHANGED, about=person.login)
        flash(request, "Your password has been changed. You have been logged out in all other browsers.")
    return back("/account")


@router.post("/account/sessions/end", dependencies=[with_accounts])
def end_others(request: Request, store: OfStore, person: OfPerson) -> RedirectResponse:
    """Log out in all other browsers."""
    logins.end_sessions(store, id_of(person), but=request.state.session.digest)
    note(request, events.SESSIONS_ENDED, about=person.login)
    flash(request, "You are now logged in only here.")
    return back("/account")


@router.post("/account/tokens")
def make_token(
    request: Request,
    store: OfStore,
    person: OfPerson,
    name: Text = "",
    scopes: Annotated[tuple[str, ...], Form()] = (),
    days: Text = "90",
) -> HTMLResponse:
    """Make a token, and show its secret this one time."""
    try:
        made, secret = access.create_token(store, person.id, name, scopes, _days(days))
    except PostilError as error:
        return _account(request, store, error=error, filled={"name": name, "scopes": scopes, "days": days})
    note(request, events.TOKEN_MADE, about=f"{made.name}: {', '.join(made.scopes)}")
    hint = "Copy it now: it will not be shown again. The program sends it as “Authorization: Bearer …”."
    return _account(request, store, once=Once(f"Your token “{made.name}”", secret, hint))


@router.post("/account/tokens/{token_id}/revoke")
def revoke_token(request: Request, token_id: Number, store: OfStore, person: OfPerson) -> RedirectResponse:
    """End a token at once."""
    names = {token.id: token.name for token in access.list_tokens(store, person.id)}
    if token_id not in names:
        raise HTTPException(404)
    access.revoke_token(store, person.id, token_id)
    note(request, events.TOKEN_REVOKED, about=names[token_id])
    flash(request, f"The token “{names[token_id]}” has been revoked.")
    return back("/account")


def _account(
    request: Request,
    store: Store,
    *,
    once: Once | None = None,
    filled: dict[str, Any] = _EMPTY,
    error: PostilError | None = None,
) -> HTMLResponse:
    person: Person = request.state.person
    return render(
        request,
        "account.html",
        error=error,
        places=[] if person.id is None else _places(request, store, person.id),
        tokens=access.list_tokens(store, person.id),
        scopes=SCOPES,
        lasting=LASTING,
        filled=filled,
        once=once,
        shortest=SHORTEST_PASSWORD,
        longest=LONGEST_PASSWORD,
    )


def _places(request: Request, store: Store, account_id: int) -> list[Place]:
    here = request.state.session.digest
    return [
        Place(browser_of(session.agent), session.created, session.seen, session.digest == here)
        for session in logins.list_sessions(store, account_id)
    ]


def browser_of(agent: str) -> str:
    """What a browser says it is, in words that a person knows it by."""
    name = next((name for sign, name in _BROWSERS.items() if sign in agent), "A browser")
    system = next((system for system in _SYSTEMS if system in agent), "")
    return f"{name} on {system}" if system else name


def _demand_password(request: Request, store: Store, person: Person, password: str) -> None:
    """Refuse a wrong password, and let nobody guess it from a session that was left open."""
    came_from = client_address(request)
    if logins.wait_before_login(store, person.login, came_from) > 0:
        raise PostilError("too many wrong passwords.", hint="Wait a few minutes, then try again.")
    if accounts.check_password(store, person.login, password) is None:
        logins.failed_login(store, person.login, came_from)
        note(request, events.LOGIN_FAILED, about=f"{person.login}, to change the password")
        raise PostilError("that is not your current password.", hint="Nothing was changed. Try again.")


def _days(text: str) -> int | None:
    if text not in LASTING:
        raise PostilError("choose how long the token is valid from the list.")
    return None if text == NEVER else int(text)
