"""What a program is told when something goes wrong: problem+json (RFC 9457), of a few kinds that stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.routing import compile_path

from postil.errors import PostilError
from postil.workbench.store.database import StoreAwayError

MEDIA_TYPE = "application/problem+json"
_TYPES = "/api/v1/docs#"  # a kind's address is also where it is described
_MOST_ERRORS = 20
_READING = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, its title, and what to do about it."""

    status: int
    title: str
    meaning: str


KINDS = {
    "bad-request": Kind(400, "The request could not be read", "It came damaged. Nothing was done."),
    "unauthorized": Kind(401, "A token is needed", "The token is missing, wrong, expired or revoked."),
    "forbidden": Kind(403, "This is not allowed", "You may see this, but not do that with it."),
    "insufficient-scope": Kind(403, "The token is for other things", "Make a token with the scope named."),
    "not-found": Kind(
        404, "There is no such thing", "It was deleted, or never was, or is not shared with you."
    ),
    "method-not-allowed": Kind(405, "This cannot be done here", "The address knows other methods."),
    "conflict": Kind(409, "This does not go together", "What is stored does not allow it. Nothing was done."),
    "key-in-use": Kind(
        409,
        "A request with this key has not ended",
        "It is still under way: ask again in a moment. If it was broken off, see whether it was done, and "
        "only then send it with another key.",
    ),
    "too-large": Kind(413, "This is too much at once", "Split it. Nothing was done."),
    "misdirected": Kind(421, "This is not the address", "Use the address that the workbench shows."),
    "invalid": Kind(
        422, "Something in the request is not as it should be", "It does not fit its description."
    ),
    "key-reused": Kind(422, "This key belongs to another request", "Use a new key for every new request."),
    "too-many-requests": Kind(429, "Too many requests", "Wait as many seconds as `Retry-After` says."),
    "internal": Kind(500, "Something went wrong inside Postil", "Try again, then look at the server's log."),
    "busy": Kind(503, "This cannot be judged now", "Try again as `Retry-After` says, or send less."),
    "unavailable": Kind(503, "The database cannot be reached now", "What is stored is safe. Try again soon."),
}
# What a status alone means: the first kind that has it.
_USUAL = {kind.status: name for name, kind in reversed(KINDS.items())} | {503: "unavailable"}


class FieldError(BaseModel):
    """What is wrong with one part of a request; what stood there is not repeated."""

    where: str = Field(description="Such as `body.points` or `query.limit`.")
    what: str


class Problem(BaseModel):
    """Why a request was not met."""

    type: str = Field(description="The kind of problem: it stays the same, whatever the words say.")
    title: str
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="What is wrong, in a sentence.")
    hint: str | None = Field(None, description="What to do about it.")
    errors: list[FieldError] | None = Field(None, description="Of `invalid`: everything that is wrong.")


def example_of(kind: str) -> dict[str, Any]:
    """A problem of a kind as the OpenAPI description shows it."""
    known = KINDS[kind]
    example: dict[str, Any] = {"type": _TYPES + kind, "title": known.title, "status": known.status}
    example["detail"] = known.meaning
    if kind == "invalid":
        example["detail"] = _count(1)
        example["errors"] = [{"where": "query.limit", "what": "Input should be less than or equal to 200"}]
    return example


class ProblemError(HTTPException):
    """A problem of a kind that its status alone does not tell."""

    def __init__(
        self, kind: str, detail: str = "", *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(KINDS[kind].status, detail or KINDS[kind].meaning, dict(headers or {}))
        self.kind = kind
        self.hint = hint


def problem(
    kind: str,
    detail: str = "",
    *,
    hint: str = "",
    errors: Sequence[FieldError] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The answer to a request that cannot be met."""
    known = KINDS[kind]
    content = Problem(
        type=_TYPES + kind,
        title=known.title,
        status=known.status,
        detail=detail or known.meaning,
        hint=hint or None,
        errors=list(errors) if errors is not None else None,
    ).model_dump(exclude_none=True)
    return JSONResponse(content, known.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def refuse(error: AnyHTTPException) -> JSONResponse:
    """The answer where somebody has raised a status."""
    if isinstance(error, ProblemError):
        return problem(error.kind, error.detail, hint=error.hint, headers=error.headers)
    status, phrase = error.status_code, HTTPStatus(error.status_code).phrase
    own = "" if error.detail == phrase else str(error.detail)
    if status in _USUAL:
        return problem(_USUAL[status], own, headers=error.headers)
    content = {"type": "about:blank", "title": phrase, "status": status, "detail": own or phrase}
    return JSONResponse(content, status, headers=dict(error.headers or {}), media_type=MEDIA_TYPE)


async def answer_refused(request: Request, error: Exception) -> JSONResponse:
    """Answer what has a status."""
    if not isinstance(error, AnyHTTPException):
        raise error
    answer = refuse(error)
    if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        answer.headers["Allow"] = ", ".join(_allowed(request))
    return answer


async def answer_told(request: Request, error: Exception) -> JSONResponse:
    """Answer with what a person can mend: nothing was stored."""
    if not isinstance(error, PostilError):
        raise error
    if isinstance(error, StoreAwayError):
        return problem("unavailable", error.what, hint=error.hint, headers={"Retry-After": "5"})
    # What cannot be read is not there any more; what cannot be written does not go with what is there.
    kind = "not-found" if request.method in _READING else "conflict"
    return problem(kind, error.what, hint=error.hint)


async def answer_invalid(_: Request, error: Exception) -> JSONResponse:
    """Answer a request that does not fit its description, without repeating what was sent."""
    if not isinstance(error, RequestValidationError):
        raise error
    errors = error.errors()
    return problem("invalid", _count(len(errors)), errors=[_field(field) for field in errors[:_MOST_ERRORS]])


async def answer_broken(_: Request, __: Exception) -> JSONResponse:
    """Answer where Postil itself made a mistake; the log says which."""
    return problem("internal")


def _allowed(request: Request) -> list[str]:
    """The methods that an address knows; Starlette names only those of the first route."""
    path = request.url.path.removeprefix(request.scope.get("root_path", ""))
    known: Mapping[str, Mapping[str, Any]] = request.app.openapi()["paths"]
    here = [operations for template, operations in known.items() if compile_path(template)[0].match(path)]
    return sorted({method.upper() for operations in here for method in operations})


def _count(errors: int) -> str:
    return "One thing is not as described." if errors == 1 else f"{errors} things are not as described."


def _field(error: Mapping[str, Any]) -> FieldError:
    place = [str(part) for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        place = place[:-1]  # the name of an unknown field is what somebody sent
    return FieldError(where=".".join(place), what=str(error["msg"]))
