"""Puts the workbench together: the pages, what guards them, and how their errors look."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from postil.errors import PostilError
from postil.workbench.api.app import create_api
from postil.workbench.http import monitoring
from postil.workbench.http.access import demand_rules
from postil.workbench.http.guard import API, Guard, Limits, demand_token
from postil.workbench.http.monitoring import Metered
from postil.workbench.http.rendering import refuse, tell
from postil.workbench.pages import (
    claims,
    courses,
    exports,
    feedback,
    labels,
    login,
    people,
    pupils,
    review,
    rounds,
    student,
    table,
    trust,
    uploads,
)
from postil.workbench.settings import Settings
from postil.workbench.store.database import Store

_ROUTERS = (
    login.router,
    people.router,
    people.log_router,
    courses.router,
    pupils.router,
    people.sharing_router,
    claims.router,
    uploads.router,
    labels.router,
    table.router,
    review.router,
    review.groups_router,
    trust.router,
    rounds.router,
    exports.router,
    feedback.router,
    student.router,
    monitoring.router,
)
# Made once: FastAPI looks through the parameters of each route when it is first asked for, in every
# application anew, unless applications share their routes.
_ROUTES = APIRouter(dependencies=[Depends(demand_token)])
for _router in _ROUTERS:
    _ROUTES.include_router(_router)


def create_app(settings: Settings, store: Store) -> FastAPI:
    """The workbench over a store; refuses routes that show a course without declaring who may see it."""
    app = FastAPI(
        title="Postil",
        # The API describes itself; pages are for people.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.store = store
    app.state.limits = Limits(settings)
    app.state.monitor = monitoring.Monitor(settings, store)
    app.state.first_page = "/"
    app.router.routes.extend(_ROUTES.routes)
    api = create_api(settings, store)
    app.state.judging = api.state.judging
    api.state.limits = app.state.limits  # one limit for a person, on pages and in the API together
    demand_rules([*app.routes, *api.routes])
    app.mount(API, api)
    app.mount("/static", StaticFiles(directory=str(files("postil.workbench.pages").joinpath("static"))))
    app.add_middleware(Guard, settings=settings, store=store, limits=app.state.limits)
    app.add_middleware(Metered, metrics=app.state.monitor.metrics, api=API, unmetered=monitoring.PATHS)
    app.add_exception_handler(PostilError, tell)
    app.add_exception_handler(HTTPException, refuse)
    app.add_exception_handler(RequestValidationError, refuse)
    return app
