"""Logging in and out, links that work once, and a person's own account: name, password, tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import ceil
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.errors import PostilError, number_of
from postil.workbench.http.access import Number, OfPerson, id_of, with_accounts
from postil.workbench.http.addresses import client_address, local_path, main_origin
from postil.workbench.http.guard import cookie_name, drop_cookie, known_marks, set_cookie, set_marks
from postil.workbench.http.rendering import (
    Flashing,
    Message,
    OfStore,
    Once,
    back,
    flash,
    note,
    note_of,
    render,
)
from postil.workbench.records import Person
from postil.workbench.store import access, accounts, events, logins
from postil.workbench.store.database import Store
from postil.workbench.store.logins import FIRST_OWNER, OPEN, RESET, Attempt, Link
from postil.workbench.store.passwords import LONGEST_PASSWORD, SHORTEST_PASSWORD

router = APIRouter()
Text = Annotated[str, Form()]

# Checking a password takes a moment, on purpose. Those who log in wait for each other here, and pages do not
# wait for them. It also keeps somebody from guessing often at once before the first failure is counted.
_LOGINS = ThreadPoolExecutor(4, thread_name_prefix="postil-login")
_WRONG = Message(
    "Wrong login or password.",
    "error",
    "Forgotten your password? Your administrator can give you a link to choose a new one.",
)


@router.get("/login")
def show_login(request: Request, store: OfStore, next: str = "") -> Response:  # noqa: A002 - as in addresses
    """The form to log in; anyone who is already logged in goes straight on."""
    _demand_accounts(request)
    if request.state.person is not None:
        return back(local_path(next))
    return _form(request, store, next)


@router.post("/login")
async def log_in(
    request: Request,
    store: OfStore,
    login: Text = "",
    password: Text = "",
    next: Text = "",  # noqa: A002 - as in the form
) -> Response:
    """Let somebody in who knows the password; always with a new session."""
    _demand_accounts(request)
    return await in_turn(_try, request, store, login, password, next)


@router.post("/logout")
def log_out(request: Request, store: OfStore) -> Response:
    """End the session, here and in the database."""
    settings = request.app.state.settings
    logins.end_session(store, request.cookies.get(cookie_name(settings), ""))
    note(request, events.LOGGED_OUT)
    answer = back("/" if settings.local else "/login?ended=out")
    drop_cookie(answer, settings)
    return answer


async def in_turn(call: Callable[..., Response], *given: Any) -> Response:
    """Run a call that checks a password, when its turn comes."""
    return await asyncio.get_running_loop().run_in_executor(_LOGINS, call, *given)


def let_in(
    request: Request, store: Store, person: Person | None, where: str, message: Message | None = None
) -> Response:
    """Log a browser in with a new session, and send it on, perhaps with a message for its first page.

    The session that it had ends: a key that somebody else put into the browser is worth nothing after that.
    """
    settings = request.app.state.settings
    logins.end_session(store, request.cookies.get(cookie_name(settings), ""))
    account_id = person.id if person else None
    key = logins.begin_session(store, account_id, request.headers.get("user-agent", ""))
    session = logins.find_session(store, key) if message else None
    if message and session:
        logins.add_message(store, session.digest, asdict(message))
    note_of(request, person, events.LOGGED_IN)
    answer = back(where)
    set_cookie(answer, settings, key)
    if account_id is not None:
        _make_known(request, store, account_id, answer)
    return answer


def _make_known(request: Request, store: Store, account_id: int, answer: Response) -> None:
    """Mark this browser as known, so that strangers' failed logins no longer make its user wait."""
    settings = request.app.state.settings
    set_marks(answer, settings, logins.add_mark(store, account_id, known_marks(request, settings)))


def _try(request: Request, store: Store, login: str, password: str, page: str) -> Response:
    mark = logins.find_mark(store, login, known_marks(request, request.app.state.settings))
    attempt = Attempt(login, client_address(request), mark)
    wait = ceil(logins.wait_before(store, attempt))
    if wait:  # also for the right password: whether it is right is not told now
        long = number_of(ceil(wait / 60), "minute") if wait >= 60 else number_of(wait, "second")
        message = Message("Too many attempts.", "error", f"Wait {long}, then try again.")
        answer = _form(request, store, page, login, message, 429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    person = accounts.check_password(store, login, password)
    if person is None:
        logins.count_failure(store, attempt)
        known = accounts.find_account(store, login)
        about = known.person.login if known else ""  # what nobody is called may be a password typed too early
        note_of(request, None, events.LOGIN_FAILED, about=about)
        return _form(request, store, page, login, _WRONG, 403)
    logins.forgive(store, attempt)
    return let_in(request, store, person, local_path(page))


def _form(
    request: Request,
    store: Store,
    page: str,
    login: str = "",
    message: Message | None = None,
    status: int = 200,
) -> HTMLResponse:
    return render(
        request,
        "login.html",
        status=status,
        messages=[message] if message else [],
        login=login,
        next=local_path(page),
        empty=accounts.count_accounts(store) == 0,
    )


def _demand_accounts(request: Request) -> None:
    if request.app.state.settings.local:
        raise HTTPException(403 if request.state.session is None else 404)


_RULES = {"shortest": SHORTEST_PASSWORD, "longest": LONGEST_PASSWORD, "longest_login": accounts.LONGEST_LOGIN}

_NEW_TOKENS = "Programs that you still use need new tokens: create them on your account page."
_REPLACED = Message(
    "Your password has been changed. All other browsers are logged out, and your tokens are revoked.",
    hint=_NEW_TOKENS,
)
_CHANGED = "Your password has been changed. You have been logged out in all other browsers."


@router.get("/open")
def show_door(request: Request, store: OfStore, token: str = "") -> Response:
    """What a link is for, and a button: a program that only looks at it (for a preview) does not use it up.

    The button also makes what follows a request from this site, to which the browser sends a strict cookie.
    """
    link = _good_link(request, store, token)
    return _used_up(request) if link is None else _password_form(request, link, token)


@router.post("/open")
def open_door(
    request: Request,
    store: OfStore,
    token: Text = "",
    name: Text = "",
    login: Text = "",
    password: Text = "",
    again: Text = "",
) -> Response:
    """Use the link up and let this browser in; a form that is not filled in well leaves the link as it is."""
    link = _good_link(request, store, token)
    if link is None:
        return _used_up(request)
    if link.purpose == OPEN:
        if logins.use_link(store, token) is None:
            return _used_up(request)
        return let_in(request, store, None, request.app.state.first_page)
    try:
        if password != again:
            raise PostilError("the two passwords do not match.", hint="Type the same password twice.")
        if link.purpose == FIRST_OWNER:
            person = logins.create_first_owner(store, token, login, name, password, _site(request))
            if person is None:
                return _used_up(request)
            note_of(request, person, events.ACCOUNT_MADE, about=f"{person.login}, the first owner")
            return let_in(request, store, person, "/")
        return _choose_password(request, store, token, password)
    except PostilError as error:
        return _password_form(request, link, token, error, name=name, login=login)


def _good_link(request: Request, store: Store, token: str) -> Link | None:
    """The link of a token, if it is valid here: `--local` links work only there, others only elsewhere."""
    link = logins.peek_link(store, token)
    local: bool = request.app.state.settings.local
    return link if link is not None and (link.purpose == OPEN) == local else None


def _choose_password(request: Request, store: Store, token: str, password: str) -> Response:
    chosen = logins.choose_password(store, token, password, _site(request))
    if chosen is None:
        return _used_up(request)
    person, purpose, revoked = chosen
    logins.forgive(store, Attempt(person.login, client_address(request)))
    note_of(request, person, events.LINK_USED, about=purpose)
    if revoked:
        _note_revoked(request, person, revoked)
    return let_in(request, store, person, "/", _REPLACED if purpose == RESET else None)


def _note_revoked(request: Request, person: Person, revoked: int) -> None:
    about = f"{number_of(revoked, 'token')}, by a new password"
    note_of(request, person, events.TOKEN_REVOKED, about=about)


def _site(request: Request) -> str:
    """The host name of the workbench: often the school's, so it may not be part of a password."""
    return urlsplit(main_origin(request.app.state.settings)).hostname or ""


def _used_up(request: Request) -> Response:
    if request.state.session is not None:
        return back("/")  # somebody who is in already used the link a second time
    return render(request, "opened.html", status=403, token="")


def _password_form(
    request: Request, link: Link, token: str, error: PostilError | None = None, **filled: Any
) -> HTMLResponse:
    """The page of a link, with what is wrong with what was filled in."""
    if link.purpose == OPEN:
        return render(request, "opened.html", token=token)
    context = {"name": "", "login": "", **filled, **_RULES}
    return render(request, "welcome.html", error=error, link=link, token=token, **context)


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


@router.get("/account")
def show_account(request: Request, store: OfStore) -> HTMLResponse:
    """The person's account; for the one person of `--local` only the tokens."""
    return _account(request, store)


@router.post("/account/name", dependencies=[with_accounts])
def give_name(request: Request, store: OfStore, person: OfPerson, name: Text = "") -> RedirectResponse:
    """Change the name of the person who is logged in."""
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
    keep_tokens: Annotated[bool, Form()] = False,
) -> Response:
    """Change the password, which takes the current password: a stolen session cookie is not enough."""
    return await in_turn(_give_password, request, store, person, current, new, again, keep_tokens)


def _give_password(
    request: Request, store: Store, person: Person, current: str, new: str, again: str, keep_tokens: bool
) -> Response:
    answer = back("/account")
    with Flashing(request):
        _demand_password(request, store, person, current)
        if new != again:
            raise PostilError("the two new passwords do not match.", hint="Type them again.")
        own = request.state.session.digest
        revoked = logins.change_password(
            store, id_of(person), new, but=own, keep_tokens=keep_tokens, site=_site(request)
        )
        note(request, events.PASSWORD_CHANGED, about=person.login)
        if revoked:
            _note_revoked(request, person, revoked)
        flash(request, _CHANGED, hint=_NEW_TOKENS if revoked else "")
        _make_known(request, store, id_of(person), answer)
    return answer


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
        if days not in LASTING:
            raise PostilError("choose how long the token is valid from the list.")
        lasting = None if days == NEVER else int(days)
        made, secret = access.create_token(store, person.id, name, scopes, lasting)
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
        sessions=[] if person.id is None else logins.list_sessions(store, person.id),
        browser_of=browser_of,
        tokens=access.list_tokens(store, person.id),
        scopes=SCOPES,
        lasting=LASTING,
        filled=filled,
        once=once,
        shortest=SHORTEST_PASSWORD,
        longest=LONGEST_PASSWORD,
    )


def browser_of(agent: str) -> str:
    """What a browser says it is, in words that a person knows it by."""
    name = next((name for sign, name in _BROWSERS.items() if sign in agent), "A browser")
    system = next((system for system in _SYSTEMS if system in agent), "")
    return f"{name} on {system}" if system else name


def _demand_password(request: Request, store: Store, person: Person, password: str) -> None:
    """Refuse a wrong password, and keep people from guessing it in a session that was left open."""
    # Counted for those who are logged in as this person: strangers cannot keep somebody from a new password.
    attempt = Attempt(person.login, client_address(request), mark=f"account {person.id}")
    if logins.wait_before(store, attempt) > 0:
        raise PostilError("too many wrong passwords.", hint="Wait a few minutes, then try again.")
    if accounts.check_password(store, person.login, password) is None:
        logins.count_failure(store, attempt)
        note(request, events.LOGIN_FAILED, about=f"{person.login}, to change the password")
        raise PostilError("that is not your current password.", hint="Nothing was changed. Try again.")
