"""The way in: a link that works once opens a session in the browser that uses it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from postil.service.web.pages import back, render
from postil.service.web.security import cookie_name

router = APIRouter()


@router.get("/open")
def show_door(request: Request, token: str = "") -> HTMLResponse:
    """A page with one button: a program that only looks at the link (for a preview, say) does not use it up.

    The button also makes what follows a request from this site, to which the browser sends a strict cookie.
    """
    return render(request, "opened.html", token=token)


@router.post("/open")
def open_door(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Use the link up and let this browser in."""
    key = request.app.state.door.open(token)
    if key is None:
        if request.state.session is not None:
            return back("/")  # somebody who is in already used the link a second time
        return render(request, "opened.html", status=403, token="")
    answer = back(request.app.state.first_page)
    name = cookie_name(request.app.state.settings)
    answer.set_cookie(name, key, httponly=True, samesite="strict", path="/")
    return answer
