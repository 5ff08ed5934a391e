"""Puts the API together: its routes, how its errors look, and its OpenAPI description."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import asdict
from threading import Lock
from typing import Any, ClassVar

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from markupsafe import Markup, escape
from pydantic import BaseModel
from sqlalchemy import text
from starlette.exceptions import HTTPException

from postil import __version__
from postil.errors import PostilError
from postil.workbench.api import auth, courses, jobs, judging, judging_schemas, pupils, schemas
from postil.workbench.api.auth import OfCaller, count_stranger, needs, refuse_unknown
from postil.workbench.api.idempotency import HEADER, REPLAYED
from postil.workbench.http import problems
from postil.workbench.http.guard import Limits
from postil.workbench.http.problems import KINDS, MEDIA_TYPE, FieldError, Problem, example_of
from postil.workbench.http.rendering import OfStore, render
from postil.workbench.jobs.judging import JudgingProcess
from postil.workbench.settings import Settings
from postil.workbench.store.access import forget_old_replies
from postil.workbench.store.database import Store

# The OpenAPI description: what every operation shares is said here once, and examples come with it.

Spec = dict[str, Any]

DESCRIPTION = """\
Everything that the workbench's pages do, for programs: courses, questions, answers, decisions, jobs and
exports; and judgements of texts that are sent with a request and not stored.

Send a token as `Authorization: Bearer postil_…`. Lists come in pages: send `next` as `after`. Errors are
`application/problem+json`. A write with an `Idempotency-Key` is done once, however often it is sent.
"""
TAGS = [
    {"name": "judging", "description": "Judge texts that are sent with the request. Nothing is stored."},
    {"name": "courses", "description": "Courses that are yours or shared with you."},
    {
        "name": "questions",
        "description": "Questions with their references, and the points that a full answer makes.",
    },
    {"name": "answers", "description": "Answers, with the machine's judgements and people's decisions."},
    {"name": "decisions", "description": "People's labels, which override the machine's."},
    {"name": "jobs", "description": "Grading in the background."},
    {"name": "exports", "description": "Files for spreadsheets, Moodle, printing and programs."},
    {"name": "pupils", "description": "One pupil's data over all courses: find, export and erase it."},
    {"name": "status", "description": "Whether Postil is running, and whose token is used."},
]
_FASTAPI = ("HTTPValidationError", "ValidationError")  # how errors would look without `problems`
# What can go wrong everywhere, and what with a token, a path, a write, a body and anything that is checked.
_ALWAYS = ("too-many-requests", "internal", "unavailable", "storage-full")
_WITH_TOKEN = ("unauthorized", "forbidden")
_NAMING = ("/pupils/export", "/pupils/erase")  # say who is meant, though not in the path
_MODELS = (schemas, judging_schemas, pupils, auth)
_DONE = {"200": "Done.", "201": "Created.", "202": "Accepted.", "204": "Done."}
_METHODS = ("get", "post", "put", "patch", "delete")


def complete(spec: Spec) -> Spec:
    """Add errors, examples and headers to what FastAPI found out about the routes."""
    schemas: Spec = spec["components"]["schemas"]
    for name in _FASTAPI:
        schemas.pop(name, None)
    for model in (Problem, FieldError):
        shown = model.model_json_schema(ref_template="#/components/schemas/{model}")
        shown.pop("$defs", None)
        schemas[model.__name__] = shown
    for module in _MODELS:  # once more, because FastAPI leaves out of an example whatever is null
        for name, model in vars(module).items():
            if name in schemas and isinstance(model, type) and issubclass(model, BaseModel):
                schemas[name] |= deepcopy(model.model_config.get("json_schema_extra") or {})
    _give_pages_examples(schemas)
    for path, operations in spec["paths"].items():
        for method in _METHODS:
            if method in operations:
                _complete_operation(operations[method], path, schemas)
    return spec


def _complete_operation(operation: Spec, path: str, schemas: Spec) -> None:
    responses: Spec = operation["responses"]
    for parameter in operation.get("parameters", ()):
        _forbid_null(parameter["schema"])
    for status, said in _DONE.items():
        if status in responses and responses[status]["description"] == "Successful Response":
            responses[status]["description"] = said
    for place in (operation.get("requestBody", {}), *responses.values()):
        for media in place.get("content", {}).values():
            _give_example(media, schemas)
    responses.pop("422", None)
    for kind in _kinds_of(operation, path):
        responses[str(KINDS[kind].status)] = _problem(kind)
    if _is_keyed(operation):
        for status, response in responses.items():
            if status.startswith("2"):
                shown = {
                    "schema": {"type": "string"},
                    "description": "`true` if the request was done before.",
                }
                response.setdefault("headers", {})[REPLAYED] = shown
    for status in ("201", "202"):
        if status in responses and path != "/questions/{question_id}/answers":
            where = {"schema": {"type": "string"}, "description": "Where it can be found."}
            responses[status].setdefault("headers", {})["Location"] = where


def _forbid_null(schema: Spec) -> None:
    """Drop null from a parameter's schema: it can be left out, but an address cannot contain null."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) == 1:
        del schema["anyOf"]
        schema.update(kinds[0])


def _kinds_of(operation: Spec, path: str) -> list[str]:
    """The kinds of problem that an operation can answer with, by what it takes."""
    body, parameters = "requestBody" in operation, operation.get("parameters", [])
    kinds = list(_WITH_TOKEN) if "security" in operation else []
    kinds += ["not-found"] if "{" in path or path in _NAMING else []
    # A request for judgements may name a reader that does not work here.
    may_conflict = _is_keyed(operation) or "export" in path or "preview" in path or path == "/grade"
    kinds += ["conflict"] if may_conflict else []
    kinds += ["bad-request", "too-large"] if body else []
    kinds += ["invalid"] if body or parameters else []
    return [*kinds, *_ALWAYS]


def _is_keyed(operation: Spec) -> bool:
    return any(parameter["name"] == HEADER for parameter in operation.get("parameters", ()))


def _problem(kind: str) -> Spec:
    known = KINDS[kind]
    content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example_of(kind)}
    return {"description": f"{known.title}. {known.meaning}", "content": {MEDIA_TYPE: content}}


def _give_example(media: Spec, schemas: Spec) -> None:
    """Put a model's example beside the place where it is used, where readers and programs look for it."""
    name = media.get("schema", {}).get("$ref", "").rpartition("/")[2]
    examples = schemas.get(name, {}).get("examples")
    if examples and "example" not in media and "examples" not in media:
        media["example"] = deepcopy(examples[0])


def _give_pages_examples(schemas: Spec) -> None:
    """The example of a page is one of its items."""
    for schema in schemas.values():
        properties = schema.get("properties", {})
        if "next" not in properties or "examples" in schema:
            continue
        item = properties["items"]["items"]["$ref"].rpartition("/")[2]
        example: Spec = {"items": deepcopy(schemas[item]["examples"]), "next": "101"}
        if "job_id" in properties:
            example["job_id"] = 13
        schema["examples"] = [example]


def show_reference(request: Request) -> HTMLResponse:
    """The whole description as one page: without scripts, and with nothing fetched from elsewhere."""
    spec: Spec = request.app.openapi()
    root = spec["servers"][0]["url"]
    parts: dict[str, list[Spec]] = {}
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            shown = _operation(f"{method.upper()} {root}{path}", operation)
            parts.setdefault(operation["tags"][0], []).append(shown)
    listed = [(tag, parts[tag["name"]]) for tag in spec["tags"] if tag["name"] in parts]
    return render(request, "reference.html", spec=spec, parts=listed, kinds=KINDS, coded=_coded)


def _operation(call: str, operation: Spec) -> Spec:
    """One thing that can be done, as the page shows it."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    responses = operation["responses"].items()
    return {
        "id": operation["operationId"],
        "call": call,
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "locked": "security" in operation,
        "scopes": ", ".join(scope for need in operation.get("security", ()) for scope in need["token"]),
        "parameters": operation.get("parameters", ()),
        "sends": _json(body.get("example")),
        "gets": [(status, _example(response)) for status, response in responses if status.startswith("2")],
        "problems": [status for status, response in responses if MEDIA_TYPE in response.get("content", {})],
    }


def _example(response: Spec) -> str:
    content: Spec = response.get("content", {})
    own = content.get("application/json", {}).get("example")
    return _json(own) if own is not None else ", ".join(content)


def _coded(text: str) -> Markup:
    """Escape a text of the description, and turn whatever is between backticks into code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


def _json(example: object) -> str:
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)


router = APIRouter(tags=["status"])


@router.get("/me", dependencies=[needs(), Depends(refuse_unknown)], summary="Who am I?")
def me(caller: OfCaller) -> auth.Me:
    """The account that the token belongs to, and what it may be used for."""
    token = caller.token
    shown = {**asdict(caller.person), "token": token.name, "scopes": token.scopes, "expires": token.expires}
    return auth.Me.model_validate(shown)


@router.get(
    "/health", dependencies=[Depends(count_stranger), Depends(refuse_unknown)], summary="Is Postil running?"
)
def health(store: OfStore) -> schemas.Health:
    """Whether Postil is running and can reach its database; needs no token."""
    with store.reading() as session:
        session.execute(text("SELECT 1"))
    return schemas.Health(status="ok", version=__version__)


ROOT = "/api/v1"
_DESCRIBING = Lock()
_GROUPS = (
    judging.router,
    courses.router,
    courses.questions_router,
    courses.answers_router,
    courses.decisions_router,
    jobs.router,
    jobs.exports_router,
    pupils.router,
    pupils.erasing_router,
    router,
)


# Made once, as the pages' routes are. The name of a function is what clients call its operation.
_ROUTES = APIRouter(generate_unique_id_function=lambda route: route.name)
for _group in _GROUPS:
    _ROUTES.include_router(_group)


class Api(FastAPI):
    """FastAPI with a description that also says what all operations share."""

    _description: ClassVar[dict[str, Any] | None] = None

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI description, made once: it is the same over every store."""
        with _DESCRIBING:
            if Api._description is None:
                Api._description = complete(super().openapi())
            return Api._description


def create_api(settings: Settings, store: Store | None) -> FastAPI:
    """The API over a store, to be mounted at `ROOT`; without one it can only describe itself."""
    if store is not None:
        forget_old_replies(store)
    app = Api(
        title="Postil",
        version=__version__,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        servers=[{"url": ROOT}],
        root_path_in_servers=False,
        # The usual describing pages fetch scripts from elsewhere; ours has none.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.store = store
    app.state.limits = Limits(settings)
    app.state.judging = JudgingProcess(memory=settings.memory)
    app.router.routes.extend(_ROUTES.routes)
    app.add_api_route(
        "/docs", show_reference, include_in_schema=False, dependencies=[Depends(count_stranger)]
    )
    for kind in (PostilError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, problems.answer_error)
    return app
