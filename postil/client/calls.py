"""Calls to the API: with the token, tried again where that is safe and useful, and errors as exceptions."""

from __future__ import annotations

import os
import time
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from postil import __version__
from postil.errors import PostilError

T = TypeVar("T")
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
        errors = problem.get("errors")
        self.errors = tuple(
            Fault(str(error.get("where", "")), str(error.get("what", "")))
            for error in (errors if isinstance(errors, list) else ())
            if isinstance(error, dict)
        )
        self.retry_after = retry_after
        faults = "; ".join(f"{fault.where}: {fault.what}" for fault in self.errors)
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
        token = _demanded(token, "POSTIL_TOKEN", "token from the server's account page")
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
            parameters = {**(query or {}), "limit": PER_PAGE, "after": after}
            page, items = read_items(kind, self._call("GET", path, query=parameters))
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
        parameters: dict[str, Any] = {
            name: value for name, value in (query or {}).items() if value is not None
        }
        request = self._http.build_request(method, path, params=parameters, json=body, headers=headers)
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._http.send(request)
            except httpx.TransportError as error:
                if last:
                    raise UnreachableError(
                        f"the server did not answer ({type(error).__name__}).",
                        hint="Is it running, and is this its address?",
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


def read(kind: type[T], data: object) -> T:
    """A dataclass from the JSON object that describes it, by the types of its fields.

    Fields that a newer server adds are passed over; one that is missing is an error.
    """
    result: T = _read(kind, data, kind.__name__)
    return result


def _read(kind: Any, data: object, where: str) -> Any:
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(data, dict):
        hints = _hints(kind)
        missing = next((name for name in hints if name not in data), None)
        if missing:
            raise _strange(f"{where}.{missing}")
        return kind(**{name: _read(hint, data[name], f"{where}.{name}") for name, hint in hints.items()})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (other,) = (option for option in inner if option is not type(None))
        return None if data is None else _read(other, data, where)
    if origin is tuple and isinstance(data, list):
        return tuple(_read(inner[0], item, where) for item in data)
    if origin is Mapping and isinstance(data, dict):
        return {name: _read(inner[1], value, where) for name, value in data.items()}
    if kind is datetime and isinstance(data, str):
        return datetime.fromisoformat(data)
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)  # JSON may write 2.0 as 2
    if origin is None and isinstance(data, kind):
        return data
    raise _strange(where)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _strange(where: str) -> PostilError:
    return PostilError(
        f"the server's answer is not what this client expects ({where}).",
        hint="Is this the address of a Postil server of the same version?",
    )


def read_items(kind: type[T], answer: httpx.Response) -> tuple[Mapping[str, Any], list[T]]:
    """An answer that has several things in it: as it came, and the things."""
    page = _json(answer)
    if not isinstance(page, dict) or not isinstance(page.get("items"), list):
        raise PostilError("the server's answer is not a list of items.")
    return page, [read(kind, item) for item in page["items"]]


def _demanded(value: str | None, variable: str, what: str) -> str:
    value = os.environ.get(variable, "") if value is None else value
    if not value:
        raise PostilError(f"there is no {what}.", hint=f"Give it, or set {variable}.")
    return value


def _json(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except ValueError as error:
        raise PostilError(
            "the server's answer is not JSON.", hint="Is this the address of a Postil server?"
        ) from error


def _problem(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        problem = answer.json()
    except ValueError:  # of a proxy in between, perhaps
        return {}
    return problem if isinstance(problem, dict) else {}


def _retry_after(answer: httpx.Response) -> float | None:
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
