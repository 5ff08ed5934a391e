"""Whether Postil is there, and whom a token speaks for."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from sqlalchemy import text

from postil import __version__
from postil.workbench.api import schemas
from postil.workbench.api.auth import OfCaller, count_stranger, needs, refuse_unknown
from postil.workbench.http.rendering import OfStore

router = APIRouter(tags=["status"])


@router.get("/me", dependencies=[needs(), Depends(refuse_unknown)], summary="Who am I?")
def me(caller: OfCaller) -> schemas.Me:
    """Whom the token speaks for, and what it may be used for."""
    return schemas.Me.model_validate(
        {
            "login": caller.person.login,
            "name": caller.person.name,
            "role": caller.person.role,
            "token": caller.token.name,
            "scopes": caller.token.scopes,
            "expires": caller.token.expires,
        }
    )


@router.get(
    "/health", dependencies=[Depends(count_stranger), Depends(refuse_unknown)], summary="Is Postil there?"
)
def health(store: OfStore) -> schemas.Health:
    """That Postil answers and reaches its database; needs no token."""
    with store.reading() as session:
        session.execute(text("SELECT 1"))
    return schemas.Health(status="ok", version=__version__)
