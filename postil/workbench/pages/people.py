"""People: who can log in here, with whom a course is shared, and the log of who did what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError
from postil.workbench.exports import CSV, delimited, file_name
from postil.workbench.http.access import (
    Number,
    OfPerson,
    id_of,
    may,
    may_own_installation,
    read_number,
    with_accounts,
)
from postil.workbench.http.addresses import main_origin
from postil.workbench.http.rendering import Flashing, OfStore, Once, back, download, flash, note, render
from postil.workbench.records import ASSISTANT, OWNER, SHARED, TEACHER, Account, Course, Level, Person
from postil.workbench.store import accounts, events
from postil.workbench.store.access import hand_over, list_members, share_course, unshare_course
from postil.workbench.store.accounts import find_account, list_accounts, names_of
from postil.workbench.store.courses import course_names, get_course
from postil.workbench.store.database import Store
from postil.workbench.store.events import IN_COURSES, KINDS, Event, list_events
from postil.workbench.store.logins import INVITATION, RESET, list_sessions, make_link

router = APIRouter(dependencies=[may_own_installation])
Text = Annotated[str, Form()]
ROLES = {
    TEACHER: "can create courses and share them.",
    ASSISTANT: "helps with other people’s courses: labels answers and starts grading. Cannot create courses.",
    OWNER: "is a teacher who is also the administrator: manages people and sees the log.",
}
_DAYS = 3  # that a link is good for: a weekend long


@router.get("/people")
def show_people(request: Request, store: OfStore) -> HTMLResponse:
    """Everybody who has an account, and a form to invite somebody."""
    return _people(request, store)


@router.post("/people")
def invite(
    request: Request, store: OfStore, name: Text = "", login: Text = "", role: Text = TEACHER
) -> HTMLResponse:
    """Make an account without a password, and show the link with which the password is chosen."""
    try:
        account_id = accounts.create_account(store, login, name, role, None)
    except PostilError as error:
        return _people(request, store, error=error, filled={"name": name, "login": login, "role": role})
    account = accounts.get_account(store, account_id)
    note(request, events.ACCOUNT_MADE, about=account.person.login)
    return _people(request, store, once=_new_link(request, store, account))


@router.get("/people/{account_id}")
def show_person(request: Request, account_id: Number, store: OfStore) -> HTMLResponse:
    """One account, and what can be done with it."""
    return _person(request, store, account_id)


@router.post("/people/{account_id}/link")
def give_link(request: Request, account_id: Number, store: OfStore) -> HTMLResponse:
    """Show a link with which a password is chosen: the first one, or another for one forgotten."""
    account = accounts.get_account(store, account_id)
    if account.closed:
        raise PostilError("this account is closed.", hint="Reopen it first.")
    note(request, events.LINK_MADE, about=account.person.login)
    return _person(request, store, account_id, once=_new_link(request, store, account))


@router.post("/people/{account_id}/role")
def give_role(request: Request, account_id: Number, store: OfStore, role: Text = "") -> RedirectResponse:
    """Give somebody another role."""
    if accounts.get_account(store, account_id).person.role == role:
        return back(f"/people/{account_id}")
    with Flashing(request):
        accounts.change_role(store, account_id, role)
        person = accounts.get_account(store, account_id).person
        note(request, events.ROLE_CHANGED, about=f"{person.login}: {role}")
        flash(request, f"{person.name} is now {'a' if role == TEACHER else 'an'} {role}.")
        if person.id == request.state.person.id and role != OWNER:
            return back("/")
    return back(f"/people/{account_id}")


@router.post("/people/{account_id}/close")
def close_account(request: Request, account_id: Number, store: OfStore, heir: Text = "") -> RedirectResponse:
    """Close an account; somebody else gets its courses."""
    person = accounts.get_account(store, account_id).person
    with Flashing(request):
        if person.id == request.state.person.id:
            raise PostilError("this is your own account.", hint="Ask another owner to close it.")
        accounts.close_account(store, account_id, read_number(heir))
        note(request, events.ACCOUNT_CLOSED, about=person.login)
        flash(request, f"{person.name}’s account has been closed.")
    return back(f"/people/{account_id}")


@router.post("/people/{account_id}/reopen")
def reopen_account(request: Request, account_id: Number, store: OfStore) -> RedirectResponse:
    """Open an account again that was closed."""
    person = accounts.get_account(store, account_id).person
    accounts.reopen_account(store, account_id)
    note(request, events.ACCOUNT_REOPENED, about=person.login)
    flash(request, f"{person.name} can log in again.")
    return back(f"/people/{account_id}")


def _people(
    request: Request,
    store: Store,
    *,
    once: Once | None = None,
    filled: dict[str, str] | None = None,
    error: PostilError | None = None,
) -> HTMLResponse:
    return render(
        request,
        "people.html",
        error=error,
        accounts=accounts.list_accounts(store),
        state_of=state_of,
        roles=ROLES,
        filled=filled or {"name": "", "login": "", "role": TEACHER},
        once=once,
    )


def _person(request: Request, store: Store, account_id: int, once: Once | None = None) -> HTMLResponse:
    account = accounts.get_account(store, account_id)
    sessions = list_sessions(store, account_id)
    return render(
        request,
        "person.html",
        account=account,
        state_of=state_of,
        seen=sessions[0].seen if sessions else None,
        roles=ROLES,
        filled={"role": account.person.role},
        heirs=[
            heir
            for heir in accounts.list_accounts(store)
            if heir.active and heir.person.makes_courses and heir.person.id != account_id
        ],
        once=once,
    )


def state_of(account: Account) -> str:
    """The state of an account, in one word."""
    if account.closed:
        return "closed"
    return "active" if account.has_password else "invited"


def _new_link(request: Request, store: Store, account: Account) -> Once:
    """A link to choose a password with, and what to say beside it; it is shown only once."""
    token = make_link(store, RESET if account.has_password else INVITATION, account.person.id, 24 * _DAYS)
    return Once(
        f"A link for {account.person.name}",
        f"{main_origin(request.app.state.settings)}/open?token={token}",
        f"Pass it on now: it will not be shown again. It works once, within {_DAYS} days, and lets them "
        "choose a password. Anyone who has the link can do that, so do not send it to anyone else.",
    )


# With whom a course is shared: see it, share, change, leave, hand the course over.

sharing_router = APIRouter(dependencies=[with_accounts])
LEVELS = {
    "help": "Read everything, label answers and start grading. Cannot change or export anything else.",
    "teach": "Also edit questions, import answers, apply changes and export. Not for assistants.",
}
_MOST_LISTED = 200  # people; of more, one knows the login
_NAMES = {level: name for name, level in SHARED.items()}


@sharing_router.get("/courses/{course_id}/people", dependencies=[may(Level.HELP)])
def show_sharing(request: Request, course_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """Whose a course is and with whom it is shared; for its owner, with the forms to change that."""
    return _page(request, store, person, course_id)


@sharing_router.post("/courses/{course_id}/people", dependencies=[may(Level.OWN)])
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
    flash(request, f"The course is now shared with {other.name}.")
    return back(f"/courses/{course_id}/people")


@sharing_router.post("/courses/{course_id}/people/{account_id}", dependencies=[may(Level.OWN)])
def change_level(
    request: Request, course_id: int, account_id: Number, store: OfStore, level: Text = ""
) -> RedirectResponse:
    """Change what somebody may do in a shared course."""
    other = _demand_member(store, course_id, account_id)
    with Flashing(request):
        _share(request, store, course_id, other, level)
        flash(request, f"{other.name} can now {level}.")
    return back(f"/courses/{course_id}/people")


@sharing_router.post("/courses/{course_id}/people/{account_id}/remove", dependencies=[may(Level.OWN)])
def unshare(request: Request, course_id: int, account_id: Number, store: OfStore) -> RedirectResponse:
    """Stop sharing a course with somebody."""
    other = _demand_member(store, course_id, account_id)
    unshare_course(store, course_id, account_id)
    note(request, events.COURSE_UNSHARED, course_id=course_id, about=other.login)
    flash(request, f"{other.name} can no longer see the course.")
    return back(f"/courses/{course_id}/people")


@sharing_router.post("/courses/{course_id}/leave", dependencies=[may(Level.HELP)])
def leave(request: Request, course_id: int, store: OfStore, person: OfPerson) -> RedirectResponse:
    """Leave a course that somebody else has shared."""
    course = get_course(store, course_id)
    if person.id is None or course.owner == person:
        flash(request, "You own this course.", "error", "Transfer it to someone else first.")
        return back(f"/courses/{course_id}/people")
    unshare_course(store, course_id, person.id)
    note(request, events.COURSE_UNSHARED, course_id=course_id, about=person.login)
    flash(request, f"You have left “{course.name}”.")
    return back("/")


@sharing_router.post("/courses/{course_id}/handover", dependencies=[may(Level.OWN)])
def give_away(request: Request, course_id: int, store: OfStore, login: Text = "") -> RedirectResponse:
    """Transfer the course to somebody else; its former owner can still teach in it."""
    with Flashing(request):
        other = _demand_person(store, login)
        hand_over(store, course_id, id_of(other))
        note(request, events.COURSE_HANDED_OVER, course_id=course_id, about=other.login)
        flash(request, f"The course now belongs to {other.name}.")
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
    inside = {course.owner, *(member.person for member in members)}
    active = [account.person for account in list_accounts(store) if account.closed is None]
    others = [other for other in active if other not in inside]
    return render(
        request,
        "sharing.html",
        error=error,
        course=course,
        owner=course.owner,
        own=course.owner == person,
        members=members,
        shared_for=lambda member: _NAMES[member.level],
        levels=LEVELS,
        others=others if len(others) <= _MOST_LISTED else [],
        filled=filled or {"login": "", "level": "help"},
    )


def _share(request: Request, store: Store, course_id: int, other: Person, level: str) -> None:
    if level not in SHARED:
        raise PostilError("choose whether they can help or teach.")
    if (other, SHARED[level]) in ((member.person, member.level) for member in list_members(store, course_id)):
        return  # nothing is changed, so the log has nothing to say
    share_course(store, course_id, id_of(other), SHARED[level])
    note(request, events.COURSE_SHARED, course_id=course_id, about=f"{other.login}: {level}")


def _demand_person(store: Store, login: str) -> Person:
    """The person with this login; a closed account counts as missing."""
    account = find_account(store, login)
    if account is None or account.closed:
        raise PostilError(f"nobody here has the login “{login}”.", hint="Check the spelling.")
    return account.person


def _demand_member(store: Store, course_id: int, account_id: int) -> Person:
    """A person with whom a course is shared; for anybody else, the page does not exist."""
    people = {member.person.id: member.person for member in list_members(store, course_id)}
    if account_id not in people:
        raise HTTPException(404)
    return people[account_id]


log_router = APIRouter()
_ON_A_PAGE = 100
_MOST_ROWS = 100_000  # of a download
_HEADER = ("when", "who", "login", "what", "course", "about")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which part of the log somebody asks for."""

    person: int | None
    kind: str
    before: int | None

    @property
    def query(self) -> str:
        """The same as part of an address, without the page; empty for the whole log."""
        given = {"person": self.person, "kind": self.kind}
        return urlencode({name: value for name, value in given.items() if value})


def choose(person: str = "", kind: str = "", before: str = "") -> Chosen:
    """Read the filter in an address; values that the page does not offer are ignored."""
    return Chosen(read_number(person), kind if kind in KINDS else "", read_number(before))


OfLog = Annotated[Chosen, Depends(choose)]


@log_router.get("/log", dependencies=[may_own_installation])
def show_log(request: Request, store: OfStore, chosen: OfLog) -> HTMLResponse:
    """What was done in the whole installation, the newest first."""
    people = [account.person for account in list_accounts(store)]
    return _log_page(request, store, "/log", chosen, _listed(store, chosen), people)


@log_router.get("/log.csv", dependencies=[may_own_installation])
def log_table(store: OfStore, chosen: OfLog) -> Response:
    """The same as a table."""
    listed = _listed(store, chosen, _MOST_ROWS)
    rows = [[*cells, event.address] for cells, event in zip(_cells(store, listed), listed, strict=True)]
    return download(delimited([*_HEADER, "from"], rows), CSV, "log.csv")


@log_router.get("/courses/{course_id}/log", dependencies=[may(Level.OWN), with_accounts])
def show_course_log(request: Request, course_id: int, store: OfStore, chosen: OfLog) -> HTMLResponse:
    """What was done in a course, newest first, without the addresses it was done from."""
    course = get_course(store, course_id)
    people = [member.person for member in list_members(store, course_id)]
    people = [course.owner, *people] if course.owner else people
    listed = _listed(store, chosen, course_id=course_id)
    return _log_page(request, store, f"/courses/{course_id}/log", chosen, listed, people, course)


@log_router.get("/courses/{course_id}/log.csv", dependencies=[may(Level.OWN), with_accounts])
def course_log_table(course_id: int, store: OfStore, chosen: OfLog) -> Response:
    """The same as a table."""
    listed = _listed(store, chosen, _MOST_ROWS, course_id=course_id)
    name = file_name(get_course(store, course_id).name, "log")
    return download(delimited(_HEADER, _cells(store, listed)), CSV, f"{name}.csv")


def _listed(
    store: Store, chosen: Chosen, limit: int = _ON_A_PAGE + 1, course_id: int | None = None
) -> list[Event]:
    """The events that were asked for; on a page one more, to see whether there is another."""
    kind = chosen.kind or None
    return list_events(store, chosen.before, limit, account_id=chosen.person, what=kind, course_id=course_id)


def _log_page(
    request: Request,
    store: Store,
    path: str,
    chosen: Chosen,
    listed: Sequence[Event],
    people: Sequence[Person],
    course: Course | None = None,
) -> HTMLResponse:
    shown = listed[:_ON_A_PAGE]
    query = f"?{chosen.query}" if chosen.query else ""
    older = f"{path}{query}{'&' if query else '?'}before={shown[-1].id}" if len(listed) > len(shown) else ""
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
        kinds=[kind for kind in KINDS if course is None or kind in IN_COURSES],
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
