"""The log: who did what, for those who look after the installation, and of a course for its owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from postil.workbench.exports import CSV, delimited, file_name
from postil.workbench.http.access import may, may_own_installation, read_number, with_accounts
from postil.workbench.http.rendering import OfStore, render
from postil.workbench.records import Course, Level, Person
from postil.workbench.store.access import list_members
from postil.workbench.store.accounts import list_accounts, names_of
from postil.workbench.store.courses import course_names, get_course
from postil.workbench.store.database import Store
from postil.workbench.store.events import KINDS, Event, list_events

router = APIRouter()
_ON_A_PAGE = 100
_MOST_ROWS = 100_000  # of a download
_HEADER = ("when", "who", "login", "what", "course", "about")
# The kinds of events that belong to a course begin with what they are about.
_IN_COURSES = ("course ", "question ", "answer", "round ")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which part of the log somebody asks for."""

    person: int | None
    kind: str
    before: int | None

    @property
    def query(self) -> str:
        """The same as an address has it, without the page; empty for the whole log."""
        given = {"person": self.person, "kind": self.kind}
        return urlencode({name: value for name, value in given.items() if value})


def choose(person: str = "", kind: str = "", before: str = "") -> Chosen:
    """What an address asks for; what nobody could have chosen counts as not chosen."""
    return Chosen(read_number(person), kind if kind in KINDS else "", read_number(before))


OfLog = Annotated[Chosen, Depends(choose)]


@router.get("/log", dependencies=[may_own_installation])
def show_log(request: Request, store: OfStore, chosen: OfLog) -> HTMLResponse:
    """What was done in the whole installation, the newest first."""
    people = [account.person for account in list_accounts(store)]
    return _page(request, store, "/log", chosen, _found(store, chosen), people)


@router.get("/log.csv", dependencies=[may_own_installation])
def log_table(store: OfStore, chosen: OfLog) -> Response:
    """The same as a table."""
    found = _found(store, chosen, _MOST_ROWS)
    rows = [[*cells, event.address] for cells, event in zip(_cells(store, found), found, strict=True)]
    return _download([*_HEADER, "from"], rows, "log")


@router.get("/courses/{course_id}/log", dependencies=[may(Level.OWN), with_accounts])
def show_course_log(request: Request, course_id: int, store: OfStore, chosen: OfLog) -> HTMLResponse:
    """What was done in a course, the newest first; not from where."""
    course = get_course(store, course_id)
    people = [member.person for member in list_members(store, course_id)]
    people = [course.owner, *people] if course.owner else people
    found = _found(store, chosen, course_id=course_id)
    return _page(request, store, f"/courses/{course_id}/log", chosen, found, people, course)


@router.get("/courses/{course_id}/log.csv", dependencies=[may(Level.OWN), with_accounts])
def course_log_table(course_id: int, store: OfStore, chosen: OfLog) -> Response:
    """The same as a table."""
    found = _found(store, chosen, _MOST_ROWS, course_id=course_id)
    name = file_name(get_course(store, course_id).name, "log")
    return _download(_HEADER, _cells(store, found), name)


def _found(
    store: Store, chosen: Chosen, limit: int = _ON_A_PAGE + 1, course_id: int | None = None
) -> list[Event]:
    """The events that were asked for; on a page one more, to see whether there is another."""
    kind = chosen.kind or None
    return list_events(store, chosen.before, limit, account_id=chosen.person, what=kind, course_id=course_id)


def _page(
    request: Request,
    store: Store,
    path: str,
    chosen: Chosen,
    found: Sequence[Event],
    people: Sequence[Person],
    course: Course | None = None,
) -> HTMLResponse:
    shown = found[:_ON_A_PAGE]
    query = f"?{chosen.query}" if chosen.query else ""
    older = f"{path}{query}{'&' if query else '?'}before={shown[-1].id}" if len(found) > len(shown) else ""
    names, courses = _names(store, shown)
    return render(
        request,
        "log.html",
        path=path,
        course=course,
        chosen=chosen,
        events=shown,
        names=names,
        courses=courses,
        people=people,
        kinds=[kind for kind in KINDS if course is None or kind.startswith(_IN_COURSES)],
        query=query,
        older=older,
    )


def _names(store: Store, events: Sequence[Event]) -> tuple[dict[int, str], dict[int, str]]:
    """The names of the people and of the courses that events are about."""
    people = {event.account_id for event in events if event.account_id is not None}
    courses = {event.course_id for event in events if event.course_id is not None}
    return names_of(store, people), course_names(store, courses)


def _cells(store: Store, events: Sequence[Event]) -> list[list[str]]:
    """The rows of a table, under the names of `_HEADER`."""
    names, courses = _names(store, events)
    return [
        [
            event.at.isoformat(timespec="seconds"),
            names.get(event.account_id or 0, ""),
            event.who,
            event.what,
            courses.get(event.course_id or 0, ""),
            event.about,
        ]
        for event in events
    ]


def _download(header: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(delimited(header, rows), media_type=CSV, headers=headers)
