"""A server that is asked over HTTP: which addresses are allowed, and connections that are kept.

A server's name is looked up once for each connection, every address that it has is checked, and the
connection goes to one of those: nobody can let the name mean another computer after it was checked.
Redirections are refused, and a proxy that the environment names is not used.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv6Address, ip_address, ip_network
from threading import BoundedSemaphore, Lock, Timer
from typing import Any
from urllib.parse import urlsplit

from postil.errors import PostilError

# Loopback, private and link-local ones, of both kinds. `ip_address(…).is_private` says yes to more, such as
# addresses of IPv6 in which those of the whole IPv4 network are hidden.
_NEAR = tuple(
    map(
        ip_network,
        (
            *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
            *("::1/128", "fc00::/7", "fe80::/10"),
        ),
    )
)
_LONGEST_REPLY = 1 << 20
_REACHED_WITHIN = 10.0  # seconds
_PAUSES = (0.25, 1.0)  # seconds before it is asked again
# The server is busy, is still loading its model, or stands behind another one that does not reach it.
_PASSING = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
_Found = tuple[int, Any]  # a kind of network, and an address in it


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and the path that all of its own begin with."""

    secure: bool
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address such as http://localhost:8080/v1; without a path, /v1 is meant."""
        hint = "It looks like http://localhost:8080/v1."
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise PostilError("this is not the address of a server.", hint=hint) from error
        if parts.scheme not in ("http", "https") or not host or not text.isascii() or not text.isprintable():
            raise PostilError("this is not the address of a server.", hint=hint)
        if " " in text or parts.username is not None or parts.query or parts.fragment:
            what = "the address of a server has neither a password nor anything behind ? or #."
            raise PostilError(what, hint="A key is kept in a file of its own: --key-file.")
        secure = parts.scheme == "https"
        return cls(secure, host, port or (443 if secure else 80), parts.path.rstrip("/") or "/v1")

    @property
    def origin(self) -> str:
        """The server without the path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def __str__(self) -> str:
        return self.origin + self.path


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered: the status, and the JSON behind it; None if it was none."""

    status: int
    content: Any

    @property
    def good(self) -> bool:
        """Whether the server did what it was asked for."""
        return self.status == HTTPStatus.OK

    @property
    def complaint(self) -> str:
        """What the server says is wrong. It may repeat what it was sent: only for texts of our own."""
        error = self.content.get("error", self.content) if isinstance(self.content, Mapping) else None
        message = error.get("message") if isinstance(error, Mapping) else error
        text = message if isinstance(message, str) else ""
        return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:200]


class Endpoint:
    """A server. It is asked over several connections at once, which are kept for the next questions.

    `patience` is how many seconds it has for everything about one question, from the connection to the last
    byte; what it sends drop by drop is not waited for any longer.
    """

    def __init__(
        self, address: Address, *, public: bool = False, key: str = "", patience: float = 60, at_once: int = 4
    ) -> None:
        self.address = address
        self._public = public
        self._headers = {
            "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "postil",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }  # fmt: skip
        self._key = key.encode()
        self._patience = patience
        self._places = BoundedSemaphore(at_once)
        self._idle: list[_Connection] = []
        self._lock = Lock()

    @cached_property
    def _context(self) -> ssl.SSLContext | None:
        return ssl.create_default_context() if self.address.secure else None

    def ask(self, path: str, content: Mapping[str, Any] | None = None) -> Reply:
        """Send JSON to a path and give the answer; without anything to send, only ask for the path.

        A server that is busy or breaks off is asked twice more.
        """
        body = None if content is None else json.dumps(content).encode()
        pauses = iter(_PAUSES)
        while True:
            pause = next(pauses, None)
            try:
                with self._places:
                    reply = self._exchange(path, body)
            except (OSError, HTTPException) as error:
                self.close()  # the others that were kept may be as dead
                if pause is None or isinstance(error, TimeoutError):
                    raise self._unreached(error) from error
            else:
                if pause is None or reply.status not in _PASSING:
                    return reply
            time.sleep(pause)

    def _exchange(self, path: str, body: bytes | None) -> Reply:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        connection = connection or _Connection(self.address, self._context, public=self._public)
        timer = Timer(self._patience, connection.give_up)
        timer.daemon = True
        timer.start()
        try:
            connection.request(
                "GET" if body is None else "POST", self.address.path + path, body, self._headers
            )
            response = connection.getresponse()
            data = response.read(_LONGEST_REPLY + 1)
        except BaseException as error:
            connection.close()
            if connection.late and isinstance(error, OSError | HTTPException):
                raise self._late() from error
            raise
        finally:
            timer.cancel()
        if connection.late or len(data) > _LONGEST_REPLY or response.will_close or not response.isclosed():
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        if connection.late:
            raise self._late()
        if len(data) > _LONGEST_REPLY:
            raise PostilError(f"the server at {self.address.origin} sends far more than it was asked for.")
        if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
            raise PostilError(
                f"the server at {self.address.origin} sends Postil to another address; it did not go there.",
                hint="Connect the last address itself: postil readers connect URL",
            )
        if self._key and response.status != HTTPStatus.OK:
            data = data.replace(self._key, b"")  # no message can repeat it
        return Reply(response.status, _json(data))

    def _late(self) -> PostilError:
        return PostilError(
            f"the server at {self.address.origin} took more than {self._patience:g} seconds for one answer.",
            hint="Is it busy, or its model too large? Wait longer with: postil readers connect … --patience",
        )

    def _unreached(self, error: Exception) -> PostilError:
        why = str(getattr(error, "strerror", None) or "") or type(error).__name__
        if isinstance(error, ssl.SSLCertVerificationError):
            why = f"its certificate is not valid here: {error.verify_message}"
        return PostilError(
            f"no server answers at {self.address.origin} ({why}).",
            hint="Is it running, and is this its address? See: postil readers",
        )

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class _Connection(HTTPConnection):
    """A connection to an address that was checked."""

    def __init__(self, address: Address, context: ssl.SSLContext | None, *, public: bool) -> None:
        super().__init__(address.host, address.port)
        self._address = address
        self._context = context
        self._public = public
        self.late = False

    def connect(self) -> None:
        """Connect to the first of the server's addresses that can be reached."""
        for place, (family, target) in enumerate(found := allowed(self._address, public=self._public)):
            self.sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                self.sock.settimeout(_REACHED_WITHIN)
                self.sock.connect(target)
                if self.late:
                    raise TimeoutError
                break
            except OSError:
                self.sock.close()
                if self.late or place == len(found) - 1:
                    raise
        self.sock.settimeout(None)  # from here on `give_up` is what ends it
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._context is not None:
            self.sock = self._context.wrap_socket(
                self.sock, server_hostname=self._address.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def give_up(self) -> None:
        """End whatever is going on: whoever waits for the server gets an error."""
        self.late = True
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)


def allowed(address: Address, *, public: bool) -> list[_Found]:
    """The addresses of a server; refused unless all of them are near, or public ones may be used."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise PostilError(
            f"the name {address.host} is unknown in this network.",
            hint="Is it spelt right? See: postil readers",
        ) from error
    if not all(is_near(str(place[4][0])) for place in found):
        if not public:
            raise PostilError(
                f"{address.host} is outside your own network, and pupils' answers would leave it.",
                hint="If you may do that, and want to: postil readers connect URL --public",
            )
        if not address.secure:
            raise PostilError(
                f"{address.origin} is outside your own network, and everybody on the way could read along.",
                hint="Use its https:// address.",
            )
    return [(place[0], place[4]) for place in found]


def is_near(text: str) -> bool:
    """Whether an address belongs to this computer or to the network that it is in."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address in network for network in _NEAR)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
