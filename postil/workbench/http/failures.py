"""How what went wrong looks: a page that says what happened and what to do, or a message in the page."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException as AnyHTTPException

from postil.errors import PostilError, number_of
from postil.workbench.http.addresses import page_of
from postil.workbench.http.rendering import Message, is_htmx, render, show_message
from postil.workbench.store.database import StoreAwayError

_TITLES = {
    400: "The form could not be read",
    403: "This page is locked",
    404: "Page not found",
    405: "Page not found",
    413: "The file is too large",
    421: "Wrong address",
    422: "The form is incomplete",
    429: "Too many requests",
    503: "Postil is not available right now",
    500: "Something went wrong inside Postil",
}
_AGAIN = "Try again"
# What is said of these may be more than the page says anyway.
_OWN_WORDS = (403, 404, 413, 421, 429, 503)
_TEXTS = {
    400: "It is too large or arrived damaged. Nothing was stored. Shorten it, or split it.",
    403: "To open Postil, use the link that “postil serve --local” shows in its terminal window.",
    404: "It may have been deleted, or the address is incomplete.",
    405: "It may have been deleted, or the address is incomplete.",
    422: "A field is missing or filled in incorrectly. Go back and check.",
    500: "Your data is safe. Go back and try again; the terminal window shows where it happened.",
}


class NotAllowedError(HTTPException):
    """Something that this person sees and may not do; `way` is an address to go to instead, and its words."""

    def __init__(self, why: str, way: tuple[str, str] | None = None) -> None:
        super().__init__(403, why)
        self.way = way


def too_many(seconds: int) -> HTTPException:
    """What somebody is told who asks for more than is given in a minute."""
    what = f"You have made too many requests in a minute. Try again in {number_of(seconds, 'second')}."
    return HTTPException(429, what, headers={"Retry-After": str(seconds)})


def too_large(most_bytes: int) -> HTTPException:
    """What a person is told whose file is larger than the workbench reads."""
    return HTTPException(
        413,
        f"This is larger than the limit of {most_bytes // 2**20} MB, so nothing was stored. A class's "
        "answers rarely take more than one or two: remove pictures and other sheets, or split the file.",
    )


def refuse(request: Request, error: Exception) -> Response:
    """Answer a request that cannot be met, in our own words where nobody else has any."""
    status = error.status_code if isinstance(error, AnyHTTPException) else 422
    own = error.detail if isinstance(error, HTTPException) and status in _OWN_WORDS else ""
    if own == HTTPStatus(status).phrase:
        own = ""
    text = own or _TEXTS.get(status, "Postil could not do that.")
    title = _TITLES.get(status, "That did not work")
    way = None
    if isinstance(error, NotAllowedError):
        title, way = "You cannot do this", error.way
    elif status == 503:
        way = (page_of(request), _AGAIN)
    elif own and status == 403:
        title = "The form was not accepted"
    answer = _show(request, title, Message(text, "error"), status, way)
    if isinstance(error, AnyHTTPException) and error.headers:
        answer.headers.update(error.headers)
    return answer


def tell(request: Request, error: Exception) -> HTMLResponse:
    """Answer with what a person can mend."""
    if not isinstance(error, PostilError):
        raise error
    # A page that cannot be shown is one that is not there; a form that cannot be taken is a wrong one.
    message = Message(error.what, "error", error.hint)
    if isinstance(error, StoreAwayError):
        return _show(request, _TITLES[503], message, 503, (page_of(request), _AGAIN))
    return _show(request, "That did not work", message, 404 if request.method == "GET" else 400)


def _show(
    request: Request, title: str, message: Message, status: int, way: tuple[str, str] | None = None
) -> HTMLResponse:
    if is_htmx(request):
        return show_message(request, message, status=status)
    locked = request.state.session is None
    return render(request, "error.html", status=status, title=title, message=message, locked=locked, way=way)
