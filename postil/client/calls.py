"""Calls to the API: with the token, tried again where that is safe and useful, and errors as exceptions."""

from __future__ import annotations

import os
import time
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from postil import __version__
from postil.errors import PostilError

# JSON into dataclasses, by the types of their fields.
#
# Fields that a newer server adds are passed over; one that is missing is an error.

T = TypeVar("T")


def read(kind: type[T], given: object) -> T:
    """A dataclass from the JSON object that describes it."""
    found: T = _read(kind, given, kind.__name__)
    return found


def _read(kind: Any, given: object, where: str) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, given, where)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (other,) = (one for one in inner if one is not type(None))
        return None if given is None else _read(other, given, where)
    if origin is tuple and isinstance(given, list):
        return tuple(_read(inner[0], one, where) for one in given)
    if origin is Mapping and isinstance(given, dict):
        return {name: _read(inner[1], one, where) for name, one in given.items()}
    if kind is datetime and isinstance(given, str):
        return datetime.fromisoformat(given)
    if kind is float and isinstance(given, int) and not isinstance(given, bool):
        return float(given)  # JSON may write 2.0 as 2
    if origin is None and isinstance(given, kind):
        return given
    raise _strange(where)


def _record(kind: Any, given: object, where: str) -> Any:
    if not isinstance(given, dict):
        raise _strange(where)
    hints = _hints(kind)
    missing = [one.name for one in fields(kind) if one.name not in given]
    if missing:
        raise _strange(f"{where}.{missing[0]}")
    return kind(**{name: _read(hint, given[name], f"{where}.{name}") for name, hint in hints.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _strange(where: str) -> PostilError:
    return PostilError(
        f"the server's answer is not what this client expects ({where}).",
        hint="Is the address that of a Postil server, and is it of the same version?",
    )


TIMEOUT = 60.0  # seconds; a class judged at once may take half of them
RETRIES = 3
PER_PAGE = 100
_PATIENCE = 60  # seconds that a server may ask to wait
_FIRST_PAUSE = 0.5  # seconds after a lost connection; doubled each time
_AGAIN = (409, 429, 503)  # if they say when; of 409 that is a key whose first request is still under way
_WRITES = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a request: where in it, and what."""

    where: str
    what: str


class ApiError(PostilError):
    """What the server answered instead of a result, with the fields of its problem+json."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.type = str(problem.get("type", "about:blank"))
        self.title = str(problem.get("title", f"HTTP {status}"))
        self.detail = str(problem.get("detail") or self.title)
        self.errors = tuple(_faults(problem.get("errors")))
        self.retry_after = retry_after
        faults = "; ".join(f"{one.where}: {one.what}" for one in self.errors)
        super().__init__(
            f"{self.detail} ({faults})" if faults else self.detail, hint=str(problem.get("hint") or "")
        )


class UnreachableError(PostilError):
    """The server did not answer, or broke off."""


class Caller:
    """Calls the API; `Client` has a method for each thing that can be asked for."""

    def __init__(
        self,
        address: str | None = None,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        address = _demanded(address, "POSTIL_ADDRESS", "address of the server, such as http://127.0.0.1:8400")
        token = _demanded(token, "POSTIL_TOKEN", "token that the server's account page has made")
        if urlsplit(address).scheme not in ("http", "https"):
            raise PostilError("the address must begin with http:// or https://.")
        self._retries = retries
        self._http = httpx.Client(
            base_url=f"{address.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {token}", "User-Agent": f"postil-client/{__version__}"},
            timeout=timeout,
            transport=transport,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _ask(
        self,
        kind: type[T],
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        keyed: bool = True,
    ) -> T:
        """Call, and read what comes back."""
        return read(kind, _json(self._call(method, path, query=query, body=body, keyed=keyed)))

    def _pages(
        self, kind: type[T], path: str, query: Mapping[str, object] | None = None
    ) -> Iterator[tuple[Mapping[str, Any], list[T]]]:
        """Each page of a list, with the things on it."""
        after: str | None = None
        while True:
            asked = {**(query or {}), "limit": PER_PAGE, "after": after}
            page, items = read_items(kind, self._call("GET", path, query=asked))
            yield page, items
            after = page.get("next")
            if after is None:
                return

    def _list(self, kind: type[T], path: str, query: Mapping[str, object] | None = None) -> Iterator[T]:
        """The things of a list, page by page as they are needed."""
        for _, items in self._pages(kind, path, query):
            yield from items

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        keyed: bool = True,
    ) -> httpx.Response:
        """Call until there is an answer; a write has a key by which the server knows it again."""
        headers = {"Idempotency-Key": str(uuid4())} if keyed and method in _WRITES else {}
        given: dict[str, Any] = {name: one for name, one in (query or {}).items() if one is not None}
        asked = self._http.build_request(method, path, params=given, json=body, headers=headers)
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._http.send(asked)
            except httpx.TransportError as error:
                if last:
                    raise UnreachableError(
                        f"the server did not answer ({type(error).__name__}).",
                        hint="Does it run, and is this its address?",
                    ) from error
                time.sleep(_FIRST_PAUSE * 2**attempt)
                continue
            if answer.is_success:
                return answer
            wait = _retry_after(answer)
            if last or answer.status_code not in _AGAIN or wait is None or wait > _PATIENCE:
                raise ApiError(answer.status_code, _problem(answer), wait)
            time.sleep(wait)
        raise AssertionError  # the last attempt returns or raises


def read_items(kind: type[T], answer: httpx.Response) -> tuple[Mapping[str, Any], list[T]]:
    """An answer that has several things in it: as it came, and the things."""
    given = _json(answer)
    if not isinstance(given, dict) or not isinstance(given.get("items"), list):
        raise PostilError("the server's answer is not a list of things.")
    return given, [read(kind, one) for one in given["items"]]


def _demanded(given: str | None, variable: str, what: str) -> str:
    found = os.environ.get(variable, "") if given is None else given
    if not found:
        raise PostilError(f"there is no {what}.", hint=f"Give it, or set {variable}.")
    return found


def _json(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except ValueError as error:
        raise PostilError(
            "the server's answer is not JSON.", hint="Is the address that of a Postil server?"
        ) from error


def _problem(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        given = answer.json()
    except ValueError:  # of a proxy in between, perhaps
        return {}
    return given if isinstance(given, dict) else {}


def _faults(given: object) -> Iterator[Fault]:
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict):
            yield Fault(str(one.get("where", "")), str(one.get("what", "")))


def _retry_after(answer: httpx.Response) -> float | None:
    given = answer.headers.get("Retry-After", "")
    return float(given) if given.isdecimal() else None
