"""Puts the API together: its routes, how its errors look, and its description."""

from __future__ import annotations

from dataclasses import asdict
from threading import Lock
from typing import Any, ClassVar

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy import text
from starlette.exceptions import HTTPException

from postil import __version__
from postil.errors import PostilError
from postil.workbench.api import answers, courses, description, exports, jobs, judging, schemas
from postil.workbench.api.auth import OfCaller, count_stranger, needs, refuse_unknown
from postil.workbench.api.description import show_reference
from postil.workbench.http import problems
from postil.workbench.http.guard import Limits
from postil.workbench.http.rendering import OfStore
from postil.workbench.jobs.judging import JudgingProcess
from postil.workbench.settings import Settings
from postil.workbench.store.database import Store
from postil.workbench.store.replies import forget_old

router = APIRouter(tags=["status"])


@router.get("/me", dependencies=[needs(), Depends(refuse_unknown)], summary="Who am I?")
def me(caller: OfCaller) -> schemas.Me:
    """The account that the token belongs to, and what it may be used for."""
    token = caller.token
    shown = {**asdict(caller.person), "token": token.name, "scopes": token.scopes, "expires": token.expires}
    return schemas.Me.model_validate(shown)


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
    answers.router,
    answers.decisions_router,
    jobs.router,
    exports.router,
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
                Api._description = description.complete(super().openapi())
            return Api._description


def create_api(settings: Settings, store: Store | None) -> FastAPI:
    """The API over a store, to be mounted at `ROOT`; without one it can only describe itself."""
    if store is not None:
        forget_old(store)
    app = Api(
        title="Postil",
        version=__version__,
        description=description.DESCRIPTION,
        openapi_tags=description.TAGS,
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
    app.state.judging = JudgingProcess()
    app.router.routes.extend(_ROUTES.routes)
    app.add_api_route(
        "/docs", show_reference, include_in_schema=False, dependencies=[Depends(count_stranger)]
    )
    app.add_exception_handler(PostilError, problems.answer_told)
    app.add_exception_handler(HTTPException, problems.answer_refused)
    app.add_exception_handler(RequestValidationError, problems.answer_invalid)
    app.add_exception_handler(Exception, problems.answer_broken)
    return app
