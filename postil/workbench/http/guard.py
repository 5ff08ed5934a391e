"""What every request passes first: a guard that checks host, origin, size, session and rate."""

from __future__ import annotations

import hmac
import logging
import time
import traceback
from collections import deque
from collections.abc import Callable, Coroutine
from math import ceil
from threading import Lock
from typing import Any

from fastapi import HTTPException, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postil.errors import is_disk_full
from postil.workbench.http import monitoring, problems
from postil.workbench.http.addresses import (
    client_address,
    is_secure,
    is_students,
    login_path,
    main_origin,
    origins_of,
)
from postil.workbench.http.rendering import is_htmx, refuse, too_large, too_many
from postil.workbench.records import Person
from postil.workbench.settings import Settings
from postil.workbench.store.database import Store, StoreAwayError, StoreFullError
from postil.workbench.store.logins import find_any_mark, find_session

API = "/api/v1"
_LOG = logging.getLogger("postil.workbench")
_DRAINED = 8  # times the limit: so much of too large an upload is read, so that the browser shows our answer
_OTHER_FIELDS = 1000  # of a large form, beside one for each answer
_READING = ("GET", "HEAD", "OPTIONS")
_WAYS_IN = ("/login", "/open")
_MINUTE = 60.0
_FORMS_PER_LOGIN = 5  # a form is opened by many who do not log in, and costs less than a password
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: with it browsers send `Origin: null` with forms, and the origin could not be checked.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# A student's link stands in the address, so that no other page, cache or search engine may hear of it.
_FOR_STUDENTS = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow, noarchive"}
_PER_MISS = 10  # a link that does not work counts as so many requests: guessing is not worth anybody's while
_MARKS_KEPT = 365 * 24 * 3600  # seconds
_ONLY_TLS = "max-age=31536000"  # for a year, browsers do not even try without it


class Limits:
    """The requests of the last minute, by person, and by address from which nobody is logged in.

    Logging in has buckets of its own: a school that opens its pages, all behind one address, must not keep
    its teachers from logging in. Each server process counts for itself, in memory, by a clock that is never
    set back.
    """

    def __init__(self, settings: Settings) -> None:
        self._local = settings.local
        self._most = {
            "person": settings.person_per_minute,
            "address": settings.stranger_per_minute,
            "form": _FORMS_PER_LOGIN * settings.login_per_minute,
            "login": settings.login_per_minute,
            "browser": settings.login_per_minute,
            "student": settings.stranger_per_minute,
        }
        self._moments: dict[tuple[str, str], deque[float]] = {}
        self._swept = time.monotonic()
        self._lock = Lock()  # the API asks from other threads than the pages

    def refusal(self, request: Request, person: Person | None, mark: str = "") -> HTTPException | None:
        """Count a request, and return a refusal if its sender must wait (never with `--local`).

        A browser with the `mark` of somebody who is not logged in now is counted by itself.
        """
        if self._local:
            return None
        if person is not None:
            wait = self._wait("person", str(person.id))
        elif mark:
            wait = self._wait("browser", mark)
        elif is_students(request.scope["path"]):
            wait = self._wait("student", client_address(request))
        elif request.scope["path"] in _WAYS_IN:
            wait = self._wait("form" if request.method in _READING else "login", client_address(request))
        else:
            wait = self._wait("address", client_address(request))
        return too_many(max(1, ceil(wait))) if wait > 0 else None

    def count_miss(self, request: Request) -> None:
        """Count a student's link that did not work as more than the one request that it was."""
        if not self._local:
            for _ in range(_PER_MISS - 1):
                self._wait("student", client_address(request))

    def _wait(self, kind: str, who: str) -> float:
        """Count a request, or say after how many seconds it would be counted."""
        with self._lock:
            moment = time.monotonic()
            self._sweep(moment)
            moments = self._moments.setdefault((kind, who), deque())
            while moments and moments[0] <= moment - _MINUTE:
                moments.popleft()
            if len(moments) >= self._most[kind]:
                return moments[0] + _MINUTE - moment if moments else _MINUTE
            moments.append(moment)
            return 0.0

    def _sweep(self, moment: float) -> None:
        """Once a minute, forget whoever has not asked for a minute: strangers have many addresses."""
        if moment > self._swept + _MINUTE:
            self._swept = moment
            oldest = moment - _MINUTE
            old = [key for key, moments in self._moments.items() if not moments or moments[-1] <= oldest]
            for key in old:
                del self._moments[key]


def cookie_name(settings: Settings) -> str:
    """What the cookie is called; ports share their cookies, so the name tells two workbenches apart.

    Behind TLS browsers hold the name to a promise: set by this host, over TLS, for all of its pages.
    """
    return "__Host-postil" if is_secure(settings) else f"postil-{settings.port}"


def set_cookie(answer: Response, settings: Settings, key: str) -> None:
    """Give a browser the key of its session.

    With accounts the cookie is Lax: people send each other links to a question, and who follows one from a
    mail shall not have to log in again. Such a request only reads; all that writes is a form with a token.
    The one person of `--local` comes from nowhere else, so there it is Strict.
    """
    answer.set_cookie(cookie_name(settings), key, path="/", **_cookie_rules(settings))


def drop_cookie(answer: Response, settings: Settings) -> None:
    """Take a browser's key away."""
    answer.delete_cookie(cookie_name(settings), path="/", **_cookie_rules(settings))


def known_marks(request: Request, settings: Settings) -> str:
    """The marks of those who have logged in with this browser before."""
    return request.cookies.get(_marks_name(settings), "")


def set_marks(answer: Response, settings: Settings, marks: str) -> None:
    """Store the marks of the people who have logged in with this browser."""
    name = _marks_name(settings)
    answer.set_cookie(name, marks, max_age=_MARKS_KEPT, path="/", **_cookie_rules(settings))


def _marks_name(settings: Settings) -> str:
    return "__Host-postil-known" if is_secure(settings) else f"postil-{settings.port}-known"


def _cookie_rules(settings: Settings) -> dict[str, Any]:
    site = "strict" if settings.local else "lax"
    return {"httponly": True, "samesite": site, "secure": is_secure(settings)}


async def demand_token(request: Request) -> None:
    """Refuse a form that was not made for this session.

    Before there is a session a form has no token: that of a link proves itself by the link's, and that of the
    login by its password. Both were sent by a page of this origin, as the guard has made sure.
    """
    path = request.url.path
    if request.method in _READING or path in _WAYS_IN or is_students(path):
        return  # who may send a student's form, `WithLink` says
    token = request.headers.get("X-CSRF-Token") or (await request.form()).get("csrf")
    own: str = request.state.session.csrf
    if not isinstance(token, str) or not hmac.compare_digest(token.encode(), own.encode()):
        raise HTTPException(403, "This form has expired. Go back, reload the page and send it again.")


class Guard:
    """What every request passes first: host, size, session and origin are checked, headers are added.

    It is written for ASGI itself because a body that is too large must be stopped before anybody reads it.
    The API has no cookies: its requests bring a token, which it checks itself.
    """

    def __init__(self, app: ASGIApp, settings: Settings, store: Store, limits: Limits) -> None:
        self.app = app
        self.settings = settings
        self.store = store
        self.limits = limits
        self.origins = origins_of(settings)
        self.headers = _HEADERS | ({"Strict-Transport-Security": _ONLY_TLS} if is_secure(settings) else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a page that says why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _add_headers(message, scope["path"], self.headers)
            await send(message)

        try:
            refusal = await self._refusal(request)
            if refusal is None:
                await self.app(scope, self._limited(receive), answer)
                return
            await _drain(receive, _DRAINED * self.settings.most_bytes)
        except StoreAwayError as error:  # before anybody is known: later it is shown like other errors
            refusal = HTTPException(507 if isinstance(error, StoreFullError) else 503, str(error))
        except Exception as error:  # noqa: BLE001 — whatever it is, its text may be a pupil's and stays out of logs
            _log(request, error)
            if started:
                return
            refusal = HTTPException(507, str(StoreFullError())) if is_disk_full(error) else HTTPException(500)
        response = await run_in_threadpool(_respond, request, refusal)
        await response(scope, receive, answer)

    async def _refusal(self, request: Request) -> HTTPException | Response | None:
        """Why a request may not pass; None if it may. Sets its session, and who is acting."""
        request.state.session, request.state.person = None, None
        if request.scope["path"] in monitoring.PATHS:
            return None
        host = request.headers.get("host", "").lower()
        if host not in self.origins:
            # Another site whose name was made to point to this computer, say.
            where = main_origin(self.settings)
            return HTTPException(421, f"This is not Postil’s address: open {where} instead.")
        length = request.headers.get("content-length") or "0"
        if not length.isdecimal() or int(length[:20]) > self.settings.most_bytes:
            return too_large(self.settings.most_bytes)
        path: str = request.scope["path"]
        if _is_api(path):
            return None
        if request.method not in _READING and not self._from_here(request, host):
            return HTTPException(403, "This form came from another site, so it was ignored.")
        if path.startswith("/static/"):
            return None
        if is_students(path):  # whoever is logged in: a student's page knows only the link
            return self.limits.refusal(request, None)
        key = request.cookies.get(cookie_name(self.settings), "")
        session = await run_in_threadpool(find_session, self.store, key)
        # A key from `--local` is worthless where there are accounts, and the other way round.
        if session is not None and (session.person.id is None) == self.settings.local:
            request.state.session, request.state.person = session, session.person
        return await self._too_many(request) or self._locked(request)

    def _from_here(self, request: Request, host: str) -> bool:
        """Whether a form was sent by a page of this origin.

        Pages that send no referrer send the origin "null", as pages of nobody do: there the browser itself
        must say that they are ours.
        """
        site = request.headers.get("sec-fetch-site")
        origin = request.headers.get("origin", "")
        if is_students(request.scope["path"]) and origin == "null":
            return site == "same-origin"
        return site in (None, "same-origin") and origin == self.origins[host]

    async def _too_many(self, request: Request) -> HTTPException | None:
        """Why a request must wait; a known browser is not held up by others at the same address."""
        refusal = self.limits.refusal(request, request.state.person)
        marks = known_marks(request, self.settings)
        if refusal and marks and request.state.person is None:
            mark = await run_in_threadpool(find_any_mark, self.store, marks)
            return self.limits.refusal(request, None, mark) if mark else refusal
        return refusal

    def _locked(self, request: Request) -> HTTPException | Response | None:
        """The response to somebody who must log in first; None if the request may pass."""
        if request.state.person is not None or request.scope["path"] in _WAYS_IN:
            return None
        if self.settings.local:
            return HTTPException(403)
        where = login_path(request, had_session=cookie_name(self.settings) in request.cookies)
        if is_htmx(request):
            return Response(status_code=401, headers={"HX-Redirect": where})
        return RedirectResponse(where, status_code=303)

    def _limited(self, receive: Receive) -> Receive:
        """Count what comes in; a body without a length, or longer than it claims, is stopped at the limit."""
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.settings.most_bytes:
                raise too_large(self.settings.most_bytes)
            return message

        return counted


def _is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def _respond(request: Request, refusal: HTTPException | Response) -> Response:
    if isinstance(refusal, Response):
        return refusal
    return problems.refuse(refusal) if _is_api(request.scope["path"]) else refuse(request, refusal)


def _add_headers(message: Message, path: str, own: dict[str, str]) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in _FOR_STUDENTS.items() if is_students(path) else ():
        headers[name] = value
    for name, value in own.items():
        headers.setdefault(name, value)  # a page may bring its own policy: a report has a style and no script
    kept = path.startswith("/static/") and message["status"] in (200, 304)
    headers["Cache-Control"] = "public, max-age=31536000, immutable" if kept else "no-store"


async def _drain(receive: Receive, most: int) -> None:
    """Read what a browser is still sending; it looks at our answer only after that."""
    seen, more = 0, True
    while more and seen <= most:
        message = await receive()
        seen += len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)


def _log(request: Request, error: Exception) -> None:
    """Say where an error happened, and not what its message says."""
    frames = traceback.extract_tb(error.__traceback__)
    route = getattr(request.scope.get("route"), "path", "?")
    _LOG.error("%s at %s %s", type(error).__name__, request.method, route)
    for frame in frames[-12:]:
        _LOG.error("  %s, line %s, in %s", frame.filename, frame.lineno, frame.name)


class LargeForm(APIRoute):
    """A page whose form may be as large as an upload: it is read here, before FastAPI reads it.

    FastAPI itself reads no more than a thousand fields, each up to a megabyte.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The page's handler; the request keeps the form that was read, and gives it to whoever asks."""
        handle = super().get_route_handler()

        async def read_first(request: Request) -> Response:
            settings: Settings = request.app.state.settings
            if request.method == "POST":
                most = settings.most_answers + _OTHER_FIELDS
                await request.form(max_fields=most, max_part_size=settings.most_bytes)
            return await handle(request)

        return read_first
