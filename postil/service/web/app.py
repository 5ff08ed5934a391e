"""Puts the workbench together: the pages, what guards them, and how their errors look."""

from __future__ import annotations

from importlib.resources import files

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from postil.errors import PostilError
from postil.service.drafts import Drafts
from postil.service.settings import Settings
from postil.service.store.database import Store
from postil.service.web import (
    courses,
    exporting,
    facets,
    grouped,
    learning,
    opening,
    questions,
    review,
    starting,
    table,
    trusting,
    uploads,
)
from postil.service.web.failures import refuse, tell
from postil.service.web.security import Door, Guard, demand_token

_PAGES = (
    opening,
    courses,
    questions,
    facets,
    uploads,
    starting,
    table,
    review,
    grouped,
    learning,
    trusting,
    exporting,
)


def create_app(settings: Settings, store: Store) -> FastAPI:
    """The workbench over a store; `app.state.door` makes the links by which a browser gets in."""
    app = FastAPI(
        title="Postil",
        dependencies=[Depends(demand_token)],
        # There is no API yet to describe, and the describing pages fetch scripts from elsewhere.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.store = store
    app.state.door = Door()
    app.state.drafts = Drafts()
    app.state.first_page = "/"
    for page in _PAGES:
        app.include_router(page.router)
    app.mount("/static", StaticFiles(directory=str(files("postil.service.web").joinpath("static"))))
    app.add_middleware(Guard, settings=settings, door=app.state.door)
    app.add_exception_handler(PostilError, tell)
    app.add_exception_handler(HTTPException, refuse)
    app.add_exception_handler(RequestValidationError, refuse)
    return app
