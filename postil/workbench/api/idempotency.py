"""Writes that are done once however often they are sent: `Idempotency-Key` names the request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from postil.errors import PostilError
from postil.workbench.api import routes, rubric_schemas, schemas
from postil.workbench.api.auth import Handler, TokenRoute, check_again, identify, writes
from postil.workbench.http.access import THINGS, refuse_blind
from postil.workbench.http.problems import ProblemError
from postil.workbench.records import LOCAL, Level
from postil.workbench.store import access
from postil.workbench.store.access import Reply, right_on
from postil.workbench.store.database import Store, StoreAwayError, watch_commits

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
_KEY = "^[!-~]{1,200}$"
_KEPT_HEADERS = ("content-type", "location")
_GONE = "This was done, but what it was about no longer exists."
Reader = Callable[[Store, int], BaseModel]

# What a write answers with words in it is read anew, by the number in its address, so that the words need not
# be kept for a replay. All other answers to writes have only numbers and labels in them.
WITH_WORDS: dict[object, tuple[str, Reader]] = {
    schemas.Course: ("course_id", routes.read_course),
    schemas.Question: ("question_id", routes.read_question),
    rubric_schemas.Facets: ("question_id", routes.read_facets),
    schemas.Job: ("job_id", routes.read_job),
}


def _declare_key(
    _: Annotated[
        str | None,
        Header(
            alias=HEADER,
            pattern=_KEY,
            description="Your own name for this request, such as a UUID. If the same request is sent again "
            "with the same key within 24 hours, it is not done again: the first answer is returned, with "
            f"`{REPLAYED}: true`.",
        ),
    ] = None,
) -> None:
    """Have the header described and checked; `KeyedRoute` acts on it."""


def writes_once(level: Level | None = None) -> list[Any]:
    """The dependencies of a route that changes something only once for each key."""
    return [*writes(level), Depends(_declare_key)]


class KeyedRoute(TokenRoute):
    """A route whose writes are done once for each key."""

    def get_route_handler(self) -> Handler:
        """The route's handler, which first looks for an earlier response to the same request."""
        handle = super().get_route_handler()
        if not WRITES & (self.methods or set()):
            return handle

        async def keyed(request: Request) -> Response:
            caller = await run_in_threadpool(identify, request)
            key = request.headers.get(HEADER)
            if key is None or not re.fullmatch(_KEY, key):
                return await handle(request)  # a wrong one is refused there
            return await _once(request, self, f"token {caller.token.id}", key, handle)

        return keyed


async def _once(request: Request, route: TokenRoute, caller: str, key: str, handle: Handler) -> Response:
    store: Store = request.app.state.store
    fingerprint = _fingerprint(request, await request.body())
    before = await run_in_threadpool(access.begin_reply, store, caller, key, fingerprint)
    if before is not None:
        return await run_in_threadpool(_again, request, route, before, fingerprint)
    with watch_commits() as watch:
        try:
            response = await handle(request)
        except (PostilError, HTTPException, RequestValidationError) as error:
            # Where the database went away after something was stored, the key stays taken: it was half done.
            if not (watch.committed and isinstance(error, StoreAwayError)):
                with suppress(StoreAwayError):
                    await run_in_threadpool(access.free_key, store, caller, key)
            raise
    record = _record(request, route, response)
    with suppress(StoreAwayError):  # it was done: the response says so, even if it cannot be stored
        await run_in_threadpool(access.keep_reply, store, caller, key, response.status_code, record)
    return response


def _fingerprint(request: Request, body: bytes) -> str:
    named = f"{request.method} {request.url.path}?{request.url.query}\n".encode("utf-8", "replace")
    return sha256(named + body).hexdigest()


def _again(request: Request, route: TokenRoute, before: Reply, fingerprint: str) -> Response:
    """Repeat the response to an earlier request, if the caller may still have it."""
    if before.request != fingerprint:
        raise ProblemError("key-reused")
    if before.status is None:
        raise ProblemError("key-in-use", headers={"Retry-After": "1"})
    # Confirming a deletion once more reveals nothing.
    if before.status != HTTPStatus.NO_CONTENT or not _is_gone(request):
        check_again(request, route.dependencies)
    record = json.loads(before.body)
    if record.get("erased"):
        raise ProblemError("not-found", _GONE)
    body = record.get("body")
    if body is None:
        body = _read_anew(request, *WITH_WORDS[route.response_model], record["number"])
    return Response(body, before.status, {**record["headers"], REPLAYED: "true"})


def _record(request: Request, route: TokenRoute, response: Response) -> str:
    """What is stored of a response: only numbers and labels, nothing that anybody wrote."""
    headers = {name: value for name in _KEPT_HEADERS if (value := response.headers.get(name))}
    if route.response_model not in WITH_WORDS:
        return json.dumps({"headers": headers, "body": bytes(response.body).decode()})
    name, _ = WITH_WORDS[route.response_model]
    location = headers.get("location")
    number = location.rpartition("/")[2] if location else request.path_params[name]
    return json.dumps({"headers": headers, "number": int(number)})


def _read_anew(request: Request, name: str, read: Reader, number: int) -> str:
    store, person = request.app.state.store, request.state.person
    right = right_on(store, person, **{name: number})
    if right is None:
        raise ProblemError("not-found", _GONE)
    if right.question_id is not None:
        refuse_blind(store, person, right.question_id)
    return read(store, number).model_dump_json()


def _is_gone(request: Request) -> bool:
    """Whether something that the address names no longer exists."""
    numbers = {name: int(text) for name, text in request.path_params.items() if name in THINGS}
    store = request.app.state.store
    return any(right_on(store, LOCAL, **{name: number}) is None for name, number in numbers.items())
