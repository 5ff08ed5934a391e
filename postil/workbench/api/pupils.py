"""One pupil's data over all courses: find it, take it away and erase it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from postil.errors import PostilError
from postil.workbench.api.auth import TokenRoute, reads
from postil.workbench.api.idempotency import KeyedRoute, writes_once
from postil.workbench.api.schemas import LONGEST_KEY, MOST_NUMBER, Number, Received, SentNumber, Shown, shows
from postil.workbench.api.schemas import words as text_field
from postil.workbench.http.access import OfPerson, refuse_blind
from postil.workbench.http.addresses import client_address
from postil.workbench.http.problems import ProblemError
from postil.workbench.http.rendering import OfStore, download
from postil.workbench.pupils import ZIP, pupil_zip
from postil.workbench.records import Person
from postil.workbench.store import pupils as stored
from postil.workbench.store.accounts import names_of
from postil.workbench.store.database import Store, StoreAwayError
from postil.workbench.store.rows import ChangedError
from postil.workbench.store.tables import now

router = APIRouter(tags=["pupils"], route_class=TokenRoute)
erasing_router = APIRouter(tags=["pupils"], route_class=KeyedRoute)
_MOST_CHOSEN = 200  # in one request
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_FILE: dict[int | str, dict[str, Any]] = {200: {"description": "The file.", "content": {ZIP: _BINARY}}}


class SoughtPupil(Received):
    """Whose data is wanted."""

    name_or_id: Annotated[str, text_field(LONGEST_KEY, "The pupil's name or id, as in the answers.")]
    model_config = shows(name_or_id="Kim Lee")


class Pupil(Shown):
    """A pupil as one course knows them."""

    answer_id: Annotated[Number, Field(description="Their first answer, by which they are named here.")]
    course_id: Number
    course: str = Field(description="The name of the course.")
    student: str
    key: str
    answers: int = Field(ge=1, description="How many answers the course has of them.")
    model_config = shows(
        answer_id=101, course_id=3, course="Physics 7b", student="Kim Lee", key="u17", answers=12
    )


class Pupils(Shown):
    """Those who were found, at most 200."""

    items: list[Pupil]
    model_config = shows(
        items=[
            {
                "answer_id": 101,
                "course_id": 3,
                "course": "Physics 7b",
                "student": "Kim Lee",
                "key": "u17",
                "answers": 12,
            }
        ]
    )


class ErasedPupils(Received):
    """Whose data to erase."""

    who: list[SentNumber] = Field(
        min_length=1, max_length=_MOST_CHOSEN, description="`answer_id` of those that were found."
    )
    answers: SentNumber = Field(description="How many answers this is about, all together.")
    model_config = shows(who=[101, 205], answers=14)


class Erased(Shown):
    """How much was erased."""

    answers: int = Field(ge=0)
    uploads: int = Field(ge=0, description="Uploads with them that nobody had added yet.")
    model_config = shows(answers=14, uploads=0)


@router.post("/pupils/find", dependencies=reads(), summary="Find a pupil")
def find_pupils(store: OfStore, person: OfPerson, sought: SoughtPupil) -> Pupils:
    """Those whose name or id this is, upper and lower case alike, with how many answers each course has.

    An administrator finds them in all courses, others in the courses where they teach. The name is sent in
    the body, so that no server's log has it. Two pupils can have the same name: look before you go on.
    """
    pupils = stored.find_pupils(store, sought.name_or_id, person, exact=True)
    return Pupils.model_validate({"items": pupils})


@router.get(
    "/pupils/export",
    dependencies=reads(),
    summary="Export a pupil's data",
    response_class=Response,
    responses=_FILE,
)
def export_pupils(
    request: Request,
    store: OfStore,
    person: OfPerson,
    who: Annotated[
        list[Annotated[int, Field(ge=1, le=MOST_NUMBER)]],
        Query(min_length=1, max_length=_MOST_CHOSEN, description="`answer_id` of those that were found."),
    ],
) -> Response:
    """Everything that is stored about them: questions, answers, labels, points, notes and dates. Logged.

    The file has a table (`answers.csv`), the full data (`answers.json`) and a note for people.
    """
    pupils, data = _chosen(store, person, who)
    stored.note_export(store, pupils, person, client_address(request))
    deciders = {decision.by for item in data for decision in item.decisions if decision.by is not None}
    return download(pupil_zip(data, now(), names_of(store, deciders)), ZIP, "pupil.zip")


@erasing_router.post("/pupils/erase", dependencies=writes_once(), summary="Erase a pupil's data")
def erase_pupils(request: Request, store: OfStore, person: OfPerson, chosen: ErasedPupils) -> Erased:
    """Erase their answers with everything said about them, and uploads that contain them. Logged.

    `answers` is how many you expect to erase: if there are more or fewer by now, nothing is erased.
    """
    pupils, data = _chosen(store, person, chosen.who)
    try:
        if len(data) != chosen.answers:
            raise ChangedError("the number of answers has changed.", "Find the pupil again.")
        return Erased.model_validate(stored.erase(store, pupils, person, address=client_address(request)))
    except ChangedError as error:
        current = {"answers": len(data)}
        raise ProblemError("changed", error.what, hint=error.hint, current=current) from error


def _chosen(
    store: Store, person: Person, who: Sequence[int]
) -> tuple[list[stored.Pupil], list[stored.Stored]]:
    """The named pupils and their stored data; refused to people who are still labelling some of it blind."""
    try:
        pupils = stored.get_pupils(store, who, person)
    except StoreAwayError:
        raise
    except PostilError as error:
        raise ProblemError("not-found", error.what, hint=error.hint) from error
    data = stored.stored_of(store, pupils)
    for question_id in {item.question.id for item in data}:
        refuse_blind(store, person, question_id)
    return pupils, data
