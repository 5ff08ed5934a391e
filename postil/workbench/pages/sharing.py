"""With whom a course is shared: see it, share, change, leave, hand the course over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.acting import Number, id_of, with_accounts
from postil.workbench.http.noting import note
from postil.workbench.http.rendering import Message, OfStore, back, flash, flash_error, render
from postil.workbench.people import SHARED, Level, Member, Person
from postil.workbench.records import Course
from postil.workbench.store import events
from postil.workbench.store.access import hand_over, list_members, share_course, unshare_course
from postil.workbench.store.accounts import find_account, list_accounts
from postil.workbench.store.courses import get_course
from postil.workbench.store.database import Store

router = APIRouter(dependencies=[with_accounts])
Text = Annotated[str, Form()]
LEVELS = {
    "help": "Read everything, label answers, start a grading. Change and take away nothing else.",
    "teach": "Also write and change questions, bring answers, apply regradings, export. Not for assistants.",
}
_MOST_LISTED = 200  # people; of more, one knows the login
_NAMES = {level: name for name, level in SHARED.items()}


@router.get("/courses/{course_id}/people", dependencies=[may(Level.HELP)])
def show_sharing(request: Request, course_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """Whose a course is and with whom it is shared; for its owner, with the forms to change that."""
    return _page(request, store, person, course_id)


@router.post("/courses/{course_id}/people", dependencies=[may(Level.OWN)])
def share(
    request: Request,
    course_id: int,
    store: OfStore,
    person: OfPerson,
    login: Text = "",
    level: Text = "help",
) -> Response:
    """Share a course with somebody, whom the form names by login."""
    try:
        other = _demand_person(store, login)
        _share(request, store, course_id, other, level)
    except PostilError as error:
        return _page(request, store, person, course_id, {"login": login, "level": level}, error)
    flash(request, f"The course is shared with {other.name}.")
    return back(f"/courses/{course_id}/people")


@router.post("/courses/{course_id}/people/{account_id}", dependencies=[may(Level.OWN)])
def change_level(
    request: Request, course_id: int, account_id: Number, store: OfStore, level: Text = ""
) -> RedirectResponse:
    """Share a course with somebody for more or less than before."""
    other = _demand_member(store, course_id, account_id)
    try:
        _share(request, store, course_id, other, level)
        flash(request, f"{other.name} can {level} now.")
    except PostilError as error:
        flash_error(request, error)
    return back(f"/courses/{course_id}/people")


@router.post("/courses/{course_id}/people/{account_id}/remove", dependencies=[may(Level.OWN)])
def unshare(request: Request, course_id: int, account_id: Number, store: OfStore) -> RedirectResponse:
    """Share a course no longer with somebody."""
    other = _demand_member(store, course_id, account_id)
    unshare_course(store, course_id, account_id)
    note(request, events.COURSE_UNSHARED, course_id=course_id, about=other.login)
    flash(request, f"{other.name} does not see the course any more.")
    return back(f"/courses/{course_id}/people")


@router.post("/courses/{course_id}/leave", dependencies=[may(Level.HELP)])
def leave(request: Request, course_id: int, store: OfStore, person: OfPerson) -> RedirectResponse:
    """See a course of somebody else no longer."""
    course = get_course(store, course_id)
    if person.id is None or course.owner == person:
        flash(request, "The course is yours.", "error", "Hand it over to somebody else first.")
        return back(f"/courses/{course_id}/people")
    unshare_course(store, course_id, person.id)
    note(request, events.COURSE_UNSHARED, course_id=course_id, about=person.login)
    flash(request, f"You have left “{course.name}”.")
    return back("/")


@router.post("/courses/{course_id}/handover", dependencies=[may(Level.OWN)])
def give_away(request: Request, course_id: int, store: OfStore, login: Text = "") -> RedirectResponse:
    """Make the course somebody else's; who had it can go on teaching in it."""
    try:
        other = _demand_person(store, login)
        hand_over(store, course_id, id_of(other))
    except PostilError as error:
        flash_error(request, error)
        return back(f"/courses/{course_id}/people")
    note(request, events.COURSE_HANDED_OVER, course_id=course_id, about=other.login)
    flash(request, f"The course belongs to {other.name} now.")
    return back(f"/courses/{course_id}/people")


def _page(
    request: Request,
    store: Store,
    person: Person,
    course_id: int,
    filled: dict[str, str] | None = None,
    error: PostilError | None = None,
) -> HTMLResponse:
    course, members = get_course(store, course_id), list_members(store, course_id)
    return render(
        request,
        "sharing.html",
        status=400 if error else 200,
        messages=[Message(error.what, "error", error.hint)] if error else [],
        course=course,
        owner=course.owner,
        own=course.owner == person,
        members=members,
        shared_for=_name_of,
        levels=LEVELS,
        others=_others(store, course, members),
        filled=filled or {"login": "", "level": "help"},
    )


def _others(store: Store, course: Course, members: Sequence[Member]) -> list[Person]:
    """Those to choose from, with whom a course is not shared; nobody where they are too many for a list."""
    inside = {course.owner, *(one.person for one in members)}
    found = [one.person for one in list_accounts(store) if one.closed is None and one.person not in inside]
    return found if len(found) <= _MOST_LISTED else []


def _share(request: Request, store: Store, course_id: int, other: Person, level: str) -> None:
    if level not in SHARED:
        raise PostilError("a course is shared to help or to teach.", hint="Choose one.")
    if any(one.person == other and one.level == SHARED[level] for one in list_members(store, course_id)):
        return  # nothing is changed, so the log has nothing to say
    share_course(store, course_id, id_of(other), SHARED[level])
    note(request, events.COURSE_SHARED, course_id=course_id, about=f"{other.login}: {level}")


def _demand_person(store: Store, login: str) -> Person:
    """Somebody by their login; a closed account is as good as none."""
    found = find_account(store, login)
    if found is None or found.closed:
        raise PostilError(f"nobody here has the login “{login}”.", hint="Look at how they write it.")
    return found.person


def _demand_member(store: Store, course_id: int, account_id: int) -> Person:
    """Somebody with whom a course is shared; others are not there as far as this course is concerned."""
    found = [one.person for one in list_members(store, course_id) if one.person.id == account_id]
    if not found:
        raise HTTPException(404)
    return found[0]


def _name_of(member: Member) -> str:
    return _NAMES[member.level]
