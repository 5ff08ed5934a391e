"""Who asks: the person that a bearer token speaks for, and whether the token is for such things."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Request, Response, Security, params
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer, SecurityScopes
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from postil.workbench.api.schemas import ScopeName, Shown, shows
from postil.workbench.http.access import May, may
from postil.workbench.http.guard import Limits
from postil.workbench.http.problems import ProblemError
from postil.workbench.records import Level, Person
from postil.workbench.store.access import SCOPES, Token, find_token

_BEARER = HTTPBearer(
    scheme_name="token",
    description="A token from your account page, as in `Authorization: Bearer postil_…`. "
    f"It has one or more of the scopes {', '.join(f'`{scope}`' for scope in SCOPES)}.",
    auto_error=False,
)
_INVALID = 'Bearer error="invalid_token"'
# In JSON these come before every value but the first; each value takes much more memory than its text.
_BEFORE_VALUES = (b",", b"[", b"{")
_MOST_VALUES = 1_000_000
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class Caller:
    """A program: for whom it speaks, and with which token."""

    person: Person
    token: Token


class Me(Shown):
    """The account that a token belongs to, and what the token may be used for."""

    login: str = Field(description="The account's login; empty if Postil runs for one person.")
    name: str = Field(description="The account's name; empty if Postil runs for one person.")
    role: Literal["owner", "teacher", "assistant"]
    token: str = Field(description="The name given to the token when it was made.")
    scopes: list[ScopeName]
    expires: datetime | None = Field(description="When the token stops working; null for never.")
    model_config = shows(
        login="ada",
        name="Ada Ruiz",
        role="teacher",
        token="grade book",  # noqa: S106 - its name
        scopes=["read", "write"],
        expires=None,
    )


def identify(request: Request) -> Caller:
    """Who sent a request; it is counted once, however often this is asked."""
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        return known
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise _unknown(request, "The request has no token.", "Bearer")
    owner = find_token(request.app.state.store, secret.strip())
    # A token from `--local` is worthless where there are accounts, and the other way round.
    if owner is None or (owner[0].id is None) != request.app.state.settings.local:
        raise _unknown(request, "This token is unknown or no longer valid.", _INVALID)
    caller = Caller(*owner)
    _count(request, caller.person)
    request.state.caller, request.state.person = caller, caller.person
    return caller


class TokenRoute(APIRoute):
    """A route that reads JSON only from those who have a token, and only if it has not too many values.

    FastAPI itself reads a request before it asks who sent it.
    """

    def get_route_handler(self) -> Handler:
        """The route's handler, which looks at the token first."""
        handle = super().get_route_handler()

        async def checked(request: Request) -> Response:
            await run_in_threadpool(identify, request)
            demand_readable(await request.body())
            return await handle(request)

        return checked


def demand_readable(body: bytes) -> None:
    """Refuse JSON that has too many values, before it is read."""
    if sum(map(body.count, _BEFORE_VALUES)) > _MOST_VALUES:
        raise ProblemError("too-large", f"The request has more than {_MOST_VALUES:,} values.")


def demand_scopes(
    request: Request, required: SecurityScopes, _: Annotated[object, Security(_BEARER)]
) -> Caller:
    """The caller, whose token must be for this."""
    caller = identify(request)
    missing = [scope for scope in required.scopes if scope not in caller.token.scopes]
    if missing:
        raise ProblemError(
            "insufficient-scope",
            f"The token lacks the scope {missing[0]}.",
            headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{missing[0]}"'},
        )
    return caller


def count_stranger(request: Request) -> None:
    """Count an anonymous request, or refuse it if there are too many."""
    _count(request, None)


OfCaller = Annotated[Caller, Depends(identify)]


def needs(*scopes: str) -> Any:
    """The dependency of a route that only tokens with these scopes may use; list it before `may`."""
    return Security(demand_scopes, scopes=list(scopes))


def reads(level: Level | None = None) -> list[Any]:
    """The dependencies of a route that only reads; `level` is for routes about one course."""
    return [*_allows("read", level), Depends(refuse_unknown)]


def writes(level: Level | None = None) -> list[Any]:
    """The dependencies of a route that changes something; `level` is for routes about one course."""
    return [*_allows("write", level), Depends(refuse_unknown)]


def check_again(request: Request, declared: Iterable[params.Depends]) -> None:
    """Check whether the caller may use a route, where the route itself is not run."""
    for dependency in declared:
        if isinstance(dependency.dependency, May):
            dependency.dependency(request, request.app.state.store, request.state.person)
        elif dependency.dependency is demand_scopes and isinstance(dependency, params.Security):
            demand_scopes(request, SecurityScopes(list(dependency.scopes or ())), None)


def refuse_unknown(request: Request) -> None:
    """Refuse an address with an unknown parameter: a misspelt filter must not give everything."""
    operation = request.app.openapi()["paths"][request.scope["route"].path_format][request.method.lower()]
    parameters = operation.get("parameters", ())
    known = [parameter["name"] for parameter in parameters if parameter["in"] == "query"]
    if not request.query_params.keys() <= set(known):
        hint = f"Known: {', '.join(known)}." if known else "Leave it out."
        raise ProblemError("invalid", "The address has an unknown parameter.", hint=hint)


def _allows(scope: str, level: Level | None) -> list[Any]:
    return [needs(scope)] if level is None else [needs(scope), may(level)]


def _unknown(request: Request, what: str, challenge: str) -> ProblemError:
    count_stranger(request)
    return ProblemError("unauthorized", what, headers={"WWW-Authenticate": challenge})


def _count(request: Request, person: Person | None) -> None:
    limits: Limits = request.app.state.limits
    refusal = limits.refusal(request, person)
    if refusal:
        raise refusal
