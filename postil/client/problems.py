"""What went wrong between the client and the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from postil.errors import PostilError

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one part of a request."""

    where: str
    what: str


class ApiError(PostilError):
    """An error that the server returned, with the fields of its problem+json."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.type = str(problem.get("type", "about:blank"))
        self.title = str(problem.get("title", f"HTTP {status}"))
        self.detail = str(problem.get("detail") or self.title)
        errors = problem.get("errors")
        self.errors = tuple(
            FieldError(str(error.get("where", "")), str(error.get("what", "")))
            for error in (errors if isinstance(errors, list) else ())
            if isinstance(error, dict)
        )
        current = problem.get("current")
        self.current: Mapping[str, Any] | None = current if isinstance(current, dict) else None
        self.retry_after = retry_after
        faults = "; ".join(f"{fault.where}: {fault.what}" for fault in self.errors)
        super().__init__(
            f"{self.detail} ({faults})" if faults else self.detail, hint=str(problem.get("hint") or "")
        )


class UnreachableError(PostilError):
    """The server did not answer, or the connection broke."""


def json_of(answer: httpx.Response) -> object:
    """The JSON in a response."""
    try:
        return answer.json()
    except ValueError as error:
        raise PostilError(
            "the server's answer is not JSON.", hint="Is this the address of a Postil server?"
        ) from error


def problem_of(answer: httpx.Response) -> Mapping[str, Any]:
    """The problem that a response describes; empty if it describes none."""
    try:
        problem = answer.json()
    except ValueError:  # of a proxy in between, perhaps
        return {}
    return problem if isinstance(problem, dict) else {}


def retry_after_of(answer: httpx.Response) -> float | None:
    """After how many seconds the server asks to try again; None if it does not."""
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
