"""What the routes share: numbers in addresses, where something new is found, and the log."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response

from postil.workbench.api.fields import MOST_NUMBER
from postil.workbench.http.addresses import client_address
from postil.workbench.people import Person
from postil.workbench.store.events import log_event

CourseId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of a course.")]
QuestionId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of a question.")]
AnswerId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of an answer.")]
JobId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of a job.")]


def point_to(request: Request, response: Response, path: str) -> None:
    """Say where what was made can be found."""
    response.headers["Location"] = f"{request.scope.get('root_path', '')}{path}"


def log(request: Request, what: str, course_id: int, about: str = "") -> None:
    """Write down what the caller did."""
    person: Person = request.state.person
    store = request.app.state.store
    log_event(store, person, what, course_id=course_id, about=about, address=client_address(request))
