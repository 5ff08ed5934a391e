"""Addresses: what the workbench is called, where a request comes from, and where it may be sent next."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlencode, urlsplit

from fastapi import Request

from postil.errors import PostilError
from postil.workbench.settings import Settings

_LOOPBACK = ("127.0.0.1", "localhost")
_USUAL_PORTS = {"http": 80, "https": 443}  # browsers do not name them
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - what is refused as a name
_LONGEST = 2000
STUDENTS = "/feedback/"  # what is below it is opened by a student's link and by nothing else
# A blank or a control character is dropped by browsers, and `/\evil` is `//evil` to them.
_SUSPICIOUS = re.compile(r"[\x00-\x20\x7f\\]")
_OF_PROXIES = ("x-forwarded-for", "x-real-ip", "forwarded", "via")
_NOT_NEXT = ("/login", "/logout", "/open")


def origins_of(settings: Settings) -> dict[str, str]:
    """The names by which browsers may ask for the workbench, and where its forms come from then."""
    if settings.address:
        origin = read_address(settings.address)
        return {urlsplit(origin).netloc: origin}
    names = [*_LOOPBACK, *_own_name(settings)]
    hosts = [f"{name}:{settings.port}" for name in names]
    if settings.port == _USUAL_PORTS["http"]:
        hosts += names
    return {host: f"http://{host}" for host in hosts}


def main_origin(settings: Settings) -> str:
    """The address to give to people."""
    if settings.address:
        return read_address(settings.address)
    return f"http://{[*_own_name(settings), *_LOOPBACK][0]}:{settings.port}"


def _own_name(settings: Settings) -> list[str]:
    """The host name or IP address that the workbench listens on, unless it is loopback or stands for all."""
    if settings.host in (*_ANYWHERE, *_LOOPBACK):
        return []
    return [f"[{settings.host}]" if ":" in settings.host else settings.host.lower()]


def is_secure(settings: Settings) -> bool:
    """Whether browsers reach the workbench by TLS."""
    return settings.address.lower().startswith("https:")


def read_address(address: str) -> str:
    """An address as browsers name it when they say where a form comes from."""
    try:
        parts = urlsplit(address.strip().lower())
        port = parts.port
    except ValueError:
        raise _not_an_address() from None
    extra = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if parts.scheme not in _USUAL_PORTS or not parts.hostname or extra:
        raise _not_an_address()
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    own = "" if port in (None, _USUAL_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{name}{own}"


def is_students(path: str) -> bool:
    """Whether an address is one of those that a student's link opens, without a login."""
    return path.startswith(STUDENTS)


def client_address(request: Request) -> str:
    """The address that a request comes from; for IPv6 its /64 network, as each household has a whole one."""
    address = _ip(_host(request))
    if address is None:
        return _host(request)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)


def read_networks(networks: str) -> list[IPv4Network | IPv6Network]:
    """Networks and single addresses, separated by commas."""
    try:
        return [ip_network(name.strip(), strict=False) for name in networks.split(",") if name.strip()]
    except ValueError:
        raise PostilError(
            "--monitor names something that is not a network.",
            hint="Give addresses or networks separated by commas, such as 10.0.0.7,192.168.4.0/24",
        ) from None


def is_monitor(request: Request, settings: Settings) -> bool:
    """Whether a request comes from where `--monitor` says, and directly: a proxy speaks for anybody.

    Unless networks were named, monitors are programs on this computer. A browser there is none: the name that
    it asks for may be another site's that was made to point here, which an address in numbers cannot be.
    """
    address = _ip(_host(request))
    if address is None or any(name in request.headers for name in _OF_PROXIES):
        return False
    host = request.headers.get("host", "").lower()
    if is_secure(settings) and host in origins_of(settings):
        return False  # by the name for which a proxy speaks TLS, so through one that adds no header
    if settings.monitor:
        return any(address in network for network in read_networks(settings.monitor))
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # anybody can write anything there
        return False
    return address.is_loopback and (name in _LOOPBACK or _ip(name) is not None)


def _host(request: Request) -> str:
    return request.client.host if request.client else ""


def _ip(host: str) -> IPv4Address | IPv6Address | None:
    """Parse a numeric address; an IPv4 address written as IPv6 counts as the IPv4 address."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def local_path(path: str) -> str:
    """A page of the workbench to go to next; the first page where something else is named."""
    plain = path.startswith("/") and not path.startswith("//") and not _SUSPICIOUS.search(path)
    if not plain or len(path) > _LONGEST or urlsplit(path).path.rstrip("/") in _NOT_NEXT:
        return "/"
    return path


def login_path(request: Request, *, had_session: bool = False) -> str:
    """The login page's address; after logging in, people come back to the page that they asked for.

    With `had_session`, the login page says that the session has ended and that nothing was stored.
    """
    page = page_of(request)
    query = {"next": page} if page != "/" else {}
    if had_session:
        query["ended"] = "read" if request.method in ("GET", "HEAD") else "sent"
    return f"/login?{urlencode(query)}" if query else "/login"


def page_of(request: Request) -> str:
    """The page that somebody is looking at; for a form or a part of a page, the page that contains it."""
    if request.headers.get("HX-Request") == "true":
        return _shown(request.headers.get("HX-Current-URL", ""))
    if request.method not in ("GET", "HEAD"):
        before = request.headers.get("referer", "")
        own = request.headers.get("origin", "")
        return _shown(before) if own and before.startswith(f"{own}/") else "/"
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    path = raw.decode("ascii", "replace").partition("?")[0]
    return local_path(f"{path}?{request.url.query}" if request.url.query else path)


def _shown(address: str) -> str:
    """The workbench's local path for the full address that a browser shows."""
    parts = urlsplit(address)
    return local_path(f"{parts.path}?{parts.query}" if parts.query else parts.path)


def _not_an_address() -> PostilError:
    return PostilError(
        "--address is not a web address.", hint="Write it like this: https://postil.example.org"
    )
