"""How what went wrong looks: a page that says what happened and what to do, or a message in the page."""

from __future__ import annotations

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException as AnyHTTPException

from postil.errors import PostilError
from postil.service.web.pages import Message, is_htmx, render, show_message

_TITLES = {
    400: "The form could not be read",
    403: "This page is locked",
    404: "There is no such page",
    405: "There is no such page",
    413: "The file is too large",
    421: "This is not the workbench's address",
    422: "Something is missing in the form",
    500: "Something went wrong inside Postil",
}
_TEXTS = {
    400: "It holds more than is read at once, or came damaged. Nothing was stored. Shorten it, or split it.",
    403: "The workbench opens with the link that “postil serve” shows in its terminal window.",
    404: "It may have been deleted, or the address was cut short.",
    405: "It may have been deleted, or the address was cut short.",
    422: "A field is missing, or holds something else than it should. Go back and look.",
    500: "What is stored is safe. Go back and try again; the terminal window says where it happened.",
}


def too_large(most_bytes: int) -> HTTPException:
    """What a person is told whose file is larger than the workbench reads."""
    return HTTPException(
        413,
        f"This is more than the {most_bytes // 2**20} MB that are read at once, so nothing was stored. "
        "A class's answers are rarely more than one or two: remove pictures and other sheets, or split it.",
    )


def refuse(request: Request, error: Exception) -> HTMLResponse:
    """Answer a request that cannot be met, in our own words where nobody else has any."""
    status = error.status_code if isinstance(error, AnyHTTPException) else 422
    own = error.detail if isinstance(error, HTTPException) and status in (403, 413, 421) else ""
    if own == "Forbidden":
        own = ""
    text = own or _TEXTS.get(status, "The workbench could not do that.")
    title = "That form was not taken" if own and status == 403 else _TITLES.get(status, "That did not work")
    return _show(request, title, Message(text, "error"), status)


def tell(request: Request, error: Exception) -> HTMLResponse:
    """Answer with what a person can mend."""
    if not isinstance(error, PostilError):
        raise error
    # A page that cannot be shown is one that is not there; a form that cannot be taken is a wrong one.
    status = 404 if request.method == "GET" else 400
    return _show(request, "That did not work", Message(error.what, "error", error.hint), status)


def _show(request: Request, title: str, message: Message, status: int) -> HTMLResponse:
    if is_htmx(request):
        return show_message(request, message, status=status)
    locked = request.state.session is None
    return render(request, "error.html", status=status, title=title, message=message, locked=locked)
