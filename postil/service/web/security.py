"""Who may see the workbench: one-time links, sessions, and a guard in front of every page."""

from __future__ import annotations

import hmac
import logging
import secrets
import traceback
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock

from fastapi import HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postil.service.settings import Settings
from postil.service.web import pages
from postil.service.web.failures import refuse, too_large

_LOG = logging.getLogger("postil.service")
_MOST_LINKS = 20  # open at a time; the oldest is forgotten
_MOST_SESSIONS = 50
_USUAL_PORT = 80  # browsers do not name it
_DRAINED = 8  # times the limit: so much of too large an upload is read, so that the browser shows our answer
_READING = ("GET", "HEAD", "OPTIONS")
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


@dataclass(slots=True)
class Session:
    """One browser that was let in: the token its forms carry, and messages for the next page it sees."""

    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    messages: list[pages.Message] = field(default_factory=list)

    def take_messages(self) -> list[pages.Message]:
        """The messages that wait; they are shown once."""
        taken, self.messages = self.messages, []
        return taken


class Door:
    """The one-time links that are open, and the sessions that were opened with them; all in memory."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._links: list[str] = []
        self._sessions: dict[str, Session] = {}

    def new_link(self) -> str:
        """A token that opens the door once."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._links = [*self._links[1 - _MOST_LINKS :], token]
        return token

    def is_unused(self, token: str) -> bool:
        """Whether a link would still open the door."""
        with self._lock:
            return token in self._links

    def open(self, token: str) -> str | None:
        """Use a link up, and return the cookie's value that it earns; None if the link is not good."""
        with self._lock:
            good = [known for known in self._links if hmac.compare_digest(known.encode(), token.encode())]
            if not good:
                return None
            self._links = [known for known in self._links if known not in good]
            key = secrets.token_urlsafe(32)
            while len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[_fold(key)] = Session()
            return key

    def session(self, key: str) -> Session | None:
        """The session that a cookie belongs to."""
        return self._sessions.get(_fold(key))


def _fold(key: str) -> str:
    # Looked up by its hash, a guessed key tells nothing by how long the comparison takes.
    return sha256(key.encode()).hexdigest()


def cookie_name(settings: Settings) -> str:
    """What the cookie is called; ports share their cookies, so the name tells two workbenches apart."""
    return f"postil-{settings.port}"


async def demand_token(request: Request) -> None:
    """Refuse a form that was not made for this session; the link's own form proves itself by its token."""
    if request.method in _READING or request.url.path == "/open":
        return
    given = request.headers.get("X-CSRF-Token") or (await request.form()).get("csrf")
    wanted: str = request.state.session.csrf
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise HTTPException(403, "This form is too old. Go back, load the page again, and send it once more.")


class Guard:
    """What every request passes first: host, size, session and origin are checked, headers are added.

    It is written for ASGI itself because a body that is too large must be stopped before anybody reads it.
    """

    def __init__(self, app: ASGIApp, settings: Settings, door: Door) -> None:
        self.app = app
        self.settings = settings
        self.door = door
        names = {"127.0.0.1", "localhost"}
        self.hosts = {f"{name}:{settings.port}" for name in names}
        if settings.port == _USUAL_PORT:
            self.hosts |= names

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
                _add_headers(message, scope["path"])
            await send(message)

        try:
            refusal = self._refusal(request)
            if refusal is None:
                await self.app(scope, self._limited(receive), answer)
                return
            await _drain(receive, _DRAINED * self.settings.most_bytes)
        except Exception as error:  # noqa: BLE001 — whatever it is, its text may be a pupil's and stays out of logs
            _log(request, error)
            if started:
                return
            refusal = HTTPException(500)
        await refuse(request, refusal)(scope, receive, answer)

    def _refusal(self, request: Request) -> HTTPException | None:
        """Why a request may not pass; None if it may. Sets its session."""
        request.state.session = self.door.session(request.cookies.get(cookie_name(self.settings), ""))
        if request.headers.get("host", "") not in self.hosts:
            # Another site whose name was made to point to this computer, say.
            return HTTPException(421, f"This address is not the workbench's: open {self._address()}.")
        if int(request.headers.get("content-length") or 0) > self.settings.most_bytes:
            return too_large(self.settings.most_bytes)
        if request.method not in _READING and not self._from_here(request):
            return HTTPException(403, "This form came from another site, so nothing was done.")
        if request.state.session is None and not _is_open_to_all(request.url.path):
            return HTTPException(403)
        return None

    def _address(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"

    def _from_here(self, request: Request) -> bool:
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin", "")
        return site == "same-origin" and origin == f"http://{request.headers['host']}"

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


def _is_open_to_all(path: str) -> bool:
    return path == "/open" or path.startswith("/static/")


def _add_headers(message: Message, path: str) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in _HEADERS.items():
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
