"""What every page needs: a template filled in, a way back, a message, and how errors look."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException as AnyHTTPException

from postil import __version__
from postil.data.judgements import CONTRADICTED, EXPRESSED
from postil.data.labels import PLAIN_NAMES
from postil.errors import PostilError, is_disk_full, number_of
from postil.explain.highlighting import SIGNS
from postil.explain.notes import PLAIN_OUTCOMES
from postil.explain.page import printable
from postil.workbench.exports import REPORT_POLICY, Graded, report
from postil.workbench.http.addresses import client_address, is_students, page_of
from postil.workbench.jobs import readers
from postil.workbench.records import LABELS, Decision, Level, Person, Question, View
from postil.workbench.store.access import Right
from postil.workbench.store.accounts import names_of
from postil.workbench.store.answers import Filter, find_views
from postil.workbench.store.database import Store, StoreAwayError, StoreFullError
from postil.workbench.store.events import log_event
from postil.workbench.store.logins import Session, add_message, take_messages
from postil.workbench.store.rounds import count_waiting

_STYLES = {label: f"l{place}" for place, label in enumerate(LABELS)} | {"incorrect": "l2"}
# A sign beside the colour, for those who do not see the colours apart.
_SIGNS = dict(zip(LABELS, "✓◐✗↗–", strict=True)) | {"incorrect": "✗"}
_OUTCOME_STYLES = {EXPRESSED: "l0", CONTRADICTED: "l2"}
# Responses with an error status are shown as well; they say where themselves (HX-Retarget).
_HTMX = {
    "includeIndicatorStyles": False,
    "allowEval": False,
    "selfRequestsOnly": True,
    "defaultSettleDelay": 0,  # what was just drawn answers at once: a quick hand's choice is not lost
    "historyCacheSize": 0,  # pupils' answers do not stay in the browser's storage
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "[45]..", "swap": True, "error": True},
    ],
}


@dataclass(frozen=True, slots=True)
class Message:
    """Something to tell a person on the page they see next: a `note`, a `warning` or an `error`."""

    text: str
    kind: str = "note"
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Once:
    """A secret that is shown once, such as a link or a token, and what a person has to know about it."""

    title: str
    text: str
    hint: str


def get_store(request: Request) -> Store:
    """The store that the application was made with."""
    store: Store = request.app.state.store
    return store


OfStore = Annotated[Store, Depends(get_store)]


def render(
    request: Request,
    name: str,
    /,
    *,
    status: int = 200,
    messages: Sequence[Message] = (),
    error: PostilError | None = None,
    **context: Any,
) -> HTMLResponse:
    """Fill in a template, and show with it the messages that wait for this person.

    With an `error`, a form is shown again (400). A fragment for htmx leaves waiting messages for the next
    whole page.
    """
    if error is not None:
        status, messages = 400, [*messages, Message(error.what, "error", error.hint)]
    if not is_htmx(request):
        messages = [*_take_messages(request), *messages]
    right: Right | None = getattr(request.state, "right", None)
    known = {
        "request": request,
        "person": getattr(request.state, "person", None),
        "local": request.app.state.settings.local,
        "level": right.level if right else Level.HELP,
    }
    text = _environment().get_template(name).render(messages=messages, **known, **context)
    return HTMLResponse(text, status_code=status)


def fill(name: str, /, **context: Any) -> str:
    """Fill in a template that knows nothing of a request: a file to keep or to print."""
    return _environment().get_template(name).render(**context)


def _take_messages(request: Request) -> list[Message]:
    session: Session | None = getattr(request.state, "session", None)
    if session is None or not (session.has_messages or getattr(request.state, "told", False)):
        return []
    try:
        return [Message(**message) for message in take_messages(get_store(request), session.digest)]
    except StoreAwayError:  # the page that says so has to be shown
        return []


def back(url: str) -> RedirectResponse:
    """Send the browser to another page after a form was taken."""
    return RedirectResponse(url, status_code=303)


def download(data: bytes, media_type: str, name: str) -> Response:
    """Send a file under this name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=media_type, headers=headers)


def report_page(graded: Graded, course: str) -> HTMLResponse:
    """Graded questions as a page to print, with a policy that allows its style."""
    return HTMLResponse(report(graded, course), headers={"Content-Security-Policy": REPORT_POLICY})


def all_views(store: Store, question: Question, state: str = "all", *, aligned: bool) -> list[View]:
    """The answers to a question for an export, in the order in which they were added."""
    chosen = Filter(state=state, order="place")
    return find_views(store, question.id, chosen, 0, max(1, question.answers), aligned=aligned)


def flash(request: Request, message: str, kind: str = "note", hint: str = "") -> None:
    """Keep a message for the next whole page that this person sees; it is lost where the disk is full."""
    with suppress(StoreFullError):  # what it tells of is done, and no reason to say that it failed
        _keep_message(request, Message(message, kind, hint))


def _keep_message(request: Request, message: Message) -> None:
    add_message(get_store(request), request.state.session.digest, asdict(message))
    request.state.told = True


@dataclass(frozen=True, slots=True)
class Flashing:
    """Keeps an error raised inside `with Flashing(request)`, and what to do about it, for the next page."""

    request: Request

    def __enter__(self) -> None:
        """Do nothing: errors are handled on leaving the block."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        """Keep the error if it is one that the user can correct and the disk has room for it."""
        if not isinstance(error, PostilError) or isinstance(error, StoreFullError) or is_disk_full(error):
            return False
        _keep_message(self.request, Message(error.what, "error", error.hint))
        return True


def is_htmx(request: Request) -> bool:
    """Whether htmx asks for a part of a page."""
    return request.headers.get("HX-Request") == "true"


def _when(moment: datetime) -> str:
    """A moment by the server's clock, with its time zone: the reader may be in another."""
    local = moment.astimezone()
    return f"{local.day} {local:%B %Y, %H:%M %Z}"


def _shown(value: object) -> object:
    """Replace unprintable characters in a value; Jinja calls this for every value before escaping it."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@pass_context
def _decider(context: Context, decision: Decision | None) -> str:
    """Who has decided, as the reader of a page would call them: “you”, or a name."""
    person: Person | None = context["person"]
    if decision is None or person is None or person.id is None or decision.by == person.id:
        return "you"
    if decision.by is None:
        return "somebody"
    request: Request = context["request"]
    known: dict[int, str] = getattr(request.state, "names", {})
    if decision.by not in known:
        known |= names_of(get_store(request), [decision.by])
        request.state.names = known
    return known[decision.by]


@pass_context
def _csrf(context: Context) -> Markup:
    """The hidden field that every form carries."""
    return Markup('<input type="hidden" name="csrf" value="{}">').format(_token(context))


@pass_context
def _count_to_label(context: Context) -> int:
    """How many rounds of labelling wait for the person; none while the store cannot say."""
    person: Person | None = context["person"]
    if person is None or person.id is None:
        return 0
    try:
        return count_waiting(get_store(context["request"]), person)
    except StoreAwayError:
        return 0


@pass_context
def _csrf_headers(context: Context) -> Markup:
    return escape(json.dumps({"X-CSRF-Token": _token(context)}))


def _token(context: Context) -> str:
    session = getattr(context["request"].state, "session", None)
    return session.csrf if session is not None else ""


@cache
def _static(name: str) -> str:
    """The address of a static file; it changes with the file, so that browsers may keep it."""
    content = files("postil.workbench.pages").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:10]}"


@cache
def _inlined(name: str) -> Markup:
    """A style of ours, for a page that is kept as a file."""
    return Markup(files("postil.workbench.pages").joinpath("static", name).read_text("utf-8"))  # noqa: S704


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("postil.workbench.pages", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "style": lambda label: _STYLES.get(label, "open"),
        "sign": lambda label: _SIGNS.get(label, "○"),
        "plain": lambda label: PLAIN_NAMES.get(label, label) if label else "not graded",
        "plain_outcome": PLAIN_OUTCOMES.__getitem__,
        "outcome_sign": SIGNS.__getitem__,
        "outcome_style": lambda label: _OUTCOME_STYLES.get(label, "l4"),
        "percent": "{:.0%}".format,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "when": _when,
    }
    environment.globals |= {
        "count_to_label": _count_to_label,
        "csrf": _csrf,
        "decider": _decider,
        "csrf_headers": _csrf_headers,
        "inlined": _inlined,
        "htmx_config": json.dumps(_HTMX),
        "Level": Level,
        "labels": LABELS,
        "number_of": number_of,
        "static": _static,
        "version": __version__,
    }
    return environment


def missing_reader(request: Request) -> Callable[[str], str]:
    """A function that says why a reader cannot be used here; it says nothing of one that can."""
    return partial(readers.missing, memory=request.app.state.settings.memory)


def note(request: Request, what: str, *, course_id: int | None = None, about: str = "") -> None:
    """Write down what the person who is logged in did; nothing of pupils, not even a name."""
    note_of(request, request.state.person, what, course_id=course_id, about=about)


def note_of(
    request: Request, person: Person | None, what: str, *, course_id: int | None = None, about: str = ""
) -> None:
    """Write down what somebody did before a session says who it is."""
    where = client_address(request)
    log_event(get_store(request), person, what, course_id=course_id, about=about, address=where)


# How errors are shown: a page that says what happened and what to do, or a message within a page.

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
    507: "The disk is full",
    500: "Something went wrong inside Postil",
}
_AGAIN = "Try again"
_NO_LINK = Message(
    "It may have ended, or the address is incomplete.", "error", "Ask your teacher for a new one."
)
# For these, the text of the error may say more than the standard text does.
_OWN_WORDS = (403, 404, 413, 421, 429, 503, 507)
_TEXTS = {
    400: "It is too large or arrived damaged. Nothing was stored. Shorten it, or split it.",
    403: "To open Postil, use the link that “postil serve --local” shows in its terminal window.",
    404: "It may have been deleted, or the address is incomplete.",
    405: "It may have been deleted, or the address is incomplete.",
    422: "A field is missing or filled in incorrectly. Go back and check.",
    500: "Your data is safe. Go back and try again; the terminal window shows where it happened.",
}


class NotAllowedError(HTTPException):
    """The person may see this but not do it; `way` is another page to go to, and the words of its link."""

    def __init__(self, why: str, way: tuple[str, str] | None = None) -> None:
        super().__init__(403, why)
        self.way = way


def too_many(seconds: int) -> HTTPException:
    """The response to somebody who has sent too many requests in a minute."""
    what = f"You have made too many requests in a minute. Try again in {number_of(seconds, 'second')}."
    return HTTPException(429, what, headers={"Retry-After": str(seconds)})


def too_large(most_bytes: int) -> HTTPException:
    """The response to a file that is larger than the limit."""
    return HTTPException(
        413,
        f"This is larger than the limit of {most_bytes // 2**20} MB, so nothing was stored. A class's "
        "answers rarely take more than one or two: remove pictures and other sheets, or split the file.",
    )


def refuse(request: Request, error: Exception) -> Response:
    """Answer a request that cannot be met, with a standard text where the error has none of its own."""
    if is_disk_full(error):  # where it kept a large form, say
        return tell(request, StoreFullError())
    status = error.status_code if isinstance(error, AnyHTTPException) else 422
    own = error.detail if isinstance(error, HTTPException) and status in _OWN_WORDS else ""
    if own == HTTPStatus(status).phrase:
        own = ""
    text = own or _TEXTS.get(status, "Postil could not do that.")
    title = _TITLES.get(status, "That did not work")
    way = None
    if isinstance(error, NotAllowedError):
        title, way = "You cannot do this", error.way
    elif status in (503, 507):
        way = (page_of(request), _AGAIN)
    elif own and status == 403:
        title = "The form was not accepted"
    answer = _show(request, title, Message(text, "error"), status, way)
    if isinstance(error, AnyHTTPException) and error.headers:
        answer.headers.update(error.headers)
    return answer


def tell(request: Request, error: Exception) -> HTMLResponse:
    """Show an error that the user can correct."""
    if not isinstance(error, PostilError):
        raise error
    # A page that cannot be shown counts as missing (404); a form that cannot be accepted is at fault (400).
    if is_disk_full(error):
        error = StoreFullError()
    message = Message(error.what, "error", error.hint)
    if isinstance(error, StoreAwayError):
        status = 507 if isinstance(error, StoreFullError) else 503
        return _show(request, _TITLES[status], message, status, (page_of(request), _AGAIN))
    return _show(request, "That did not work", message, 404 if request.method == "GET" else 400)


def _show(
    request: Request, title: str, message: Message, status: int, way: tuple[str, str] | None = None
) -> HTMLResponse:
    if is_students(request.scope["path"]):
        if status in (404, 405):  # alike whatever is wrong with the link, and whether it ever worked
            title, message = "This link does not work", _NO_LINK
        elif status >= 500:
            message = Message("Nothing is lost.", "error", "Try again in a few minutes.")
        return render(request, "student_error.html", status=status, title=title, message=message)
    if is_htmx(request):
        # In the place that a page has for messages.
        answer = render(request, "_messages.html", status=status, messages=[message])
        answer.headers.update({"HX-Retarget": "#messages", "HX-Reswap": "innerHTML"})
        return answer
    locked = request.state.session is None
    return render(request, "error.html", status=status, title=title, message=message, locked=locked, way=way)
