"""Errors as programs get them: problem+json (RFC 9457), of a few kinds whose names never change."""

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

from postil.errors import PostilError, is_disk_full
from postil.workbench.store.database import StoreAwayError, StoreFullError

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
    "bad-request": Kind(400, "The request could not be read", "It arrived damaged. Nothing was done."),
    "unauthorized": Kind(401, "A token is needed", "The token is missing, wrong, expired or revoked."),
    "forbidden": Kind(403, "This is not allowed", "You may see this, but you may not do that with it."),
    "insufficient-scope": Kind(403, "The token lacks a scope", "Create a token with the scope named."),
    "not-found": Kind(404, "Not found", "It was deleted, never existed, or is not shared with you."),
    "method-not-allowed": Kind(405, "Method not allowed", "The address supports other methods."),
    "conflict": Kind(409, "Conflict", "What is stored does not allow this. Nothing was done."),
    "changed": Kind(
        409,
        "It has changed in the meantime",
        "Somebody was faster, and nothing was done. `current` is what is stored now.",
    ),
    "key-in-use": Kind(
        409,
        "A request with this key is in progress",
        "Try again in a moment. If it was interrupted, check whether it was carried out, and only then send "
        "it with another key.",
    ),
    "too-large": Kind(413, "The request is too large", "Split it. Nothing was done."),
    "misdirected": Kind(421, "Wrong address", "Use the address that the workbench shows."),
    "invalid": Kind(
        422, "Something in the request is not as it should be", "It does not match its description."
    ),
    "key-reused": Kind(422, "This key belongs to another request", "Use a new key for every new request."),
    "too-many-requests": Kind(429, "Too many requests", "Wait as many seconds as `Retry-After` says."),
    "internal": Kind(500, "Something went wrong inside Postil", "Try again, then look at the server's log."),
    "busy": Kind(503, "Too busy to judge this now", "Try again as `Retry-After` says, or send less."),
    "unavailable": Kind(503, "The database is not available", "Stored data is safe. Try again soon."),
    "storage-full": Kind(507, "The disk is full", "Stored data is safe. Make room on the server's disk."),
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
    current: dict[str, Any] | None = Field(
        None, description="Of `changed`: what is stored now, with its `version`."
    )


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
        self,
        kind: str,
        detail: str = "",
        *,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
        current: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(KINDS[kind].status, detail or KINDS[kind].meaning, dict(headers or {}))
        self.kind = kind
        self.hint = hint
        self.current = current


def problem(
    kind: str,
    detail: str = "",
    *,
    hint: str = "",
    errors: Sequence[FieldError] | None = None,
    headers: Mapping[str, str] | None = None,
    current: Mapping[str, Any] | None = None,
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
        current=None,
    ).model_dump(exclude_none=True)
    if current is not None:  # as it is, with what is null in it
        content["current"] = current
    return JSONResponse(content, known.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def refuse(error: AnyHTTPException) -> JSONResponse:
    """The answer where somebody has raised a status."""
    if isinstance(error, ProblemError):
        return problem(
            error.kind, error.detail, hint=error.hint, headers=error.headers, current=error.current
        )
    status, phrase = error.status_code, HTTPStatus(error.status_code).phrase
    own = "" if error.detail == phrase else str(error.detail)
    if status in _USUAL:
        return problem(_USUAL[status], own, headers=error.headers)
    content = {"type": "about:blank", "title": phrase, "status": status, "detail": own or phrase}
    return JSONResponse(content, status, headers=dict(error.headers or {}), media_type=MEDIA_TYPE)


async def answer_error(request: Request, error: Exception) -> JSONResponse:
    """Answer whatever was raised, without repeating what was sent."""
    if isinstance(error, AnyHTTPException):
        response = refuse(error)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["Allow"] = ", ".join(_allowed(request))
        return response
    if isinstance(error, RequestValidationError):
        errors = error.errors()
        shown = [_field(field) for field in errors[:_MOST_ERRORS]]
        return problem("invalid", _count(len(errors)), errors=shown)
    if is_disk_full(error):
        error = StoreFullError()
    if isinstance(error, StoreFullError):
        return problem("storage-full", error.what, hint=error.hint)
    if isinstance(error, StoreAwayError):
        return problem("unavailable", error.what, hint=error.hint, headers={"Retry-After": "5"})
    if isinstance(error, PostilError):
        # What cannot be read no longer exists; what cannot be written conflicts with what exists.
        kind = "not-found" if request.method in _READING else "conflict"
        return problem(kind, error.what, hint=error.hint)
    return problem("internal")  # Postil itself made a mistake; the log says which


def _allowed(request: Request) -> list[str]:
    """The methods that an address knows; Starlette names only those of the first route."""
    path = request.url.path.removeprefix(request.scope.get("root_path", ""))
    known: Mapping[str, Mapping[str, Any]] = request.app.openapi()["paths"]
    here = [operations for template, operations in known.items() if compile_path(template)[0].match(path)]
    return sorted({method.upper() for operations in here for method in operations})


def _count(errors: int) -> str:
    return "One field is invalid." if errors == 1 else f"{errors} fields are invalid."


def _field(error: Mapping[str, Any]) -> FieldError:
    place = [str(part) for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        place = place[:-1]  # the name of an unknown field is what somebody sent
    return FieldError(where=".".join(place), what=str(error["msg"]))
