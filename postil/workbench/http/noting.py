"""What is done on the pages goes into the log, with who did it and from where."""

from __future__ import annotations

from fastapi import Request

from postil.workbench.http.addresses import client_address
from postil.workbench.http.rendering import get_store
from postil.workbench.people import Person
from postil.workbench.store.events import log_event


def note(request: Request, what: str, *, course_id: int | None = None, about: str = "") -> None:
    """Write down what the person who is logged in did; nothing of pupils, not even a name."""
    note_of(request, request.state.person, what, course_id=course_id, about=about)


def note_of(
    request: Request, person: Person | None, what: str, *, course_id: int | None = None, about: str = ""
) -> None:
    """Write down what somebody did before a session says who it is."""
    where = client_address(request)
    log_event(get_store(request), person, what, course_id=course_id, about=about, address=where)
