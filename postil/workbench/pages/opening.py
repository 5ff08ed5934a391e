"""Links that work once: one opens `--local`, others lead to a form in which a password is chosen."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from postil.errors import PostilError, number_of
from postil.workbench.http.addresses import client_address
from postil.workbench.http.noting import note_of
from postil.workbench.http.rendering import Message, OfStore, back, render
from postil.workbench.pages.login import let_in
from postil.workbench.store import accounts, events, logins, welcome
from postil.workbench.store.database import Store
from postil.workbench.store.logins import FIRST_OWNER, OPEN, RESET, Link
from postil.workbench.store.passwords import LONGEST_PASSWORD, SHORTEST_PASSWORD

router = APIRouter()
Text = Annotated[str, Form()]
_RULES = {"shortest": SHORTEST_PASSWORD, "longest": LONGEST_PASSWORD, "longest_login": accounts.LONGEST_LOGIN}

_REPLACED = Message(
    "Your password was changed. Other browsers are logged out, and your tokens for programs were revoked.",
    hint="Programs that you still use need new ones: make them on your account’s page.",
)


@router.get("/open")
def show_door(request: Request, store: OfStore, token: str = "") -> Response:
    """What a link is for, and a button: a program that only looks at it (for a preview) does not use it up.

    The button also makes what follows a request from this site, to which the browser sends a strict cookie.
    """
    link = _good_link(request, store, token)
    return _used_up(request) if link is None else _form(request, link, token)


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
            raise PostilError("the two passwords are not the same.", hint="Write the same one twice.")
        if link.purpose == FIRST_OWNER:
            return _make_owner(request, store, token, name, login, password)
        return _choose_password(request, store, token, password)
    except PostilError as error:
        return _form(request, link, token, error, name=name, login=login)


def _good_link(request: Request, store: Store, token: str) -> Link | None:
    """The link of a token; those of `--local` are good only there, and the others only elsewhere."""
    link = logins.peek_link(store, token)
    local: bool = request.app.state.settings.local
    return link if link is not None and (link.purpose == OPEN) == local else None


def _make_owner(request: Request, store: Store, token: str, name: str, login: str, password: str) -> Response:
    person = welcome.create_first_owner(store, token, login, name, password)
    if person is None:
        return _used_up(request)
    note_of(request, person, events.ACCOUNT_MADE, about=f"{person.login}, the first owner")
    return let_in(request, store, person, "/")


def _choose_password(request: Request, store: Store, token: str, password: str) -> Response:
    chosen = welcome.choose_password(store, token, password)
    if chosen is None:
        return _used_up(request)
    person, purpose, revoked = chosen
    logins.forgive(store, person.login, client_address(request))
    note_of(request, person, events.LINK_USED, about=purpose)
    if revoked:
        about = f"{number_of(revoked, 'token')}, by a new password"
        note_of(request, person, events.TOKEN_REVOKED, about=about)
    return let_in(request, store, person, "/", _REPLACED if purpose == RESET else None)


def _used_up(request: Request) -> Response:
    if request.state.session is not None:
        return back("/")  # somebody who is in already used the link a second time
    return render(request, "opened.html", status=403, token="")


def _form(
    request: Request, link: Link, token: str, error: PostilError | None = None, **filled: Any
) -> HTMLResponse:
    """The page of a link, with what is wrong with what was filled in."""
    messages = [Message(error.what, "error", error.hint)] if error else []
    context = {"name": "", "login": "", **filled, **_RULES, "link": link, "token": token}
    if link.purpose == OPEN:
        return render(request, "opened.html", token=token)
    return render(request, "welcome.html", status=400 if error else 200, messages=messages, **context)
