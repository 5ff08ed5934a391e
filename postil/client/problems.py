"""What can go wrong with a call: what the server refused, and answers that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from postil.errors import PostilError

if TYPE_CHECKING:
    import httpx


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
        current = problem.get("current")
        self.current: Mapping[str, Any] | None = current if isinstance(current, dict) else None
        self.retry_after = retry_after
        faults = "; ".join(f"{fault.where}: {fault.what}" for fault in self.errors)
        super().__init__(
            f"{self.detail} ({faults})" if faults else self.detail, hint=str(problem.get("hint") or "")
        )


class UnreachableError(PostilError):
    """The server did not answer, or broke off."""


def json_of(answer: httpx.Response) -> object:
    """The JSON that an answer has in it."""
    try:
        return answer.json()
    except ValueError as error:
        raise PostilError(
            "the server's answer is not JSON.", hint="Is this the address of a Postil server?"
        ) from error


def problem_of(answer: httpx.Response) -> Mapping[str, Any]:
    """The problem that an answer tells of; empty where it tells of none."""
    try:
        problem = answer.json()
    except ValueError:  # of a proxy in between, perhaps
        return {}
    return problem if isinstance(problem, dict) else {}


def retry_after_of(answer: httpx.Response) -> float | None:
    """After how many seconds the server asks to try again; None if it does not."""
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
