"""Feedback to students, for their teacher: what is shown, sheets to print, links to send, second looks."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from zipfile import ZIP_DEFLATED, ZipFile

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError, number_of
from postil.workbench.exports import CSV, REPORT_POLICY, as_table, clean, file_name
from postil.workbench.feedback import FeedbackSheet, sheet_of
from postil.workbench.http.access import OfPerson, may, read_number, refuse_blind
from postil.workbench.http.addresses import STUDENTS, is_secure, main_origin
from postil.workbench.http.rendering import (
    Flashing,
    OfStore,
    Once,
    all_views,
    back,
    download,
    fill,
    flash,
    note,
    render,
)
from postil.workbench.records import Level, Person, Version
from postil.workbench.store import events
from postil.workbench.store.access import Right
from postil.workbench.store.answers import get_views
from postil.workbench.store.courses import get_course, list_questions
from postil.workbench.store.database import Store
from postil.workbench.store.feedback import (
    CHANGED,
    DAYS,
    LONGEST_COMMENT,
    Showing,
    Student,
    answer_look,
    count_open_looks,
    end_links,
    get_showing,
    get_student,
    list_looks,
    list_students,
    make_links,
    open_looks,
    set_showing,
)
from postil.workbench.store.rounds import blind_round

router = APIRouter()
Text = Annotated[str, Form()]
_ZIP = "application/zip"


@dataclass(frozen=True, slots=True)
class Filled:
    """What somebody wrote in reply to a request before it was refused."""

    look: int = 0
    label: str = ""
    comment: str = ""


@router.get("/courses/{course_id}/feedback", dependencies=[may(Level.TEACH)])
def show_feedback(request: Request, course_id: int, store: OfStore) -> HTMLResponse:
    """What students see, who they are, and which of them have a link."""
    students = list_students(store, course_id)
    return render(
        request,
        "feedback.html",
        course=get_course(store, course_id),
        showing=get_showing(store, course_id),
        students=students,
        linked=sum(student.link is not None for student in students.items),
        waiting=count_open_looks(store, [course_id]).get(course_id, 0),
        secure=is_secure(request.app.state.settings),
        days=DAYS,
    )


@router.post("/courses/{course_id}/feedback", dependencies=[may(Level.TEACH)])
def change_feedback(
    request: Request, course_id: int, store: OfStore, shown: Text = "", points: Text = "", looks: Text = ""
) -> RedirectResponse:
    """Set what students see."""
    before, after = get_showing(store, course_id), Showing(bool(shown), bool(points), bool(looks))
    set_showing(store, course_id, after)
    if after != before:
        parts = (("feedback", after.shown), ("points", after.points), ("second looks", after.looks))
        about = ", ".join(f"{name} {'on' if on else 'off'}" for name, on in parts)
        note(request, events.FEEDBACK_CHANGED, course_id=course_id, about=about)
    words = "on. Create links, or print the sheets" if after.shown else "off: no link works"
    flash(request, f"Feedback is {words}.")
    return back(f"/courses/{course_id}/feedback")


@router.get("/courses/{course_id}/feedback/sheets", dependencies=[may(Level.TEACH)])
def show_sheets(request: Request, course_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """The sheets of all students, each on a page of its own, to print or to save as PDF."""
    sheets = _class_sheets(store, person, course_id)
    _note_sheets(request, course_id, len(sheets))
    return _page_of(sheets, f"Feedback · {sheets[0].course}")


@router.get("/courses/{course_id}/feedback/sheets.zip", dependencies=[may(Level.TEACH)])
def download_sheets(request: Request, course_id: int, store: OfStore, person: OfPerson) -> Response:
    """The sheets of all students, one file for each."""
    sheets = _class_sheets(store, person, course_id)
    _note_sheets(request, course_id, len(sheets))
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for number, sheet in enumerate(sheets, 1):
            name = f"{number:03}-{file_name(sheet.student, sheet.key)}.html"  # two may have one name
            archive.writestr(name, fill("sheets.html", sheets=[sheet], title=sheet.name))
    return download(buffer.getvalue(), _ZIP, f"{file_name(sheets[0].course)}-feedback.zip")


@router.post("/courses/{course_id}/feedback/links", dependencies=[may(Level.TEACH)])
def create_links(
    request: Request, course_id: int, store: OfStore, days: Text = "", replace: Text = ""
) -> Response:
    """Create links for all students, as a table that is given out this one time."""
    with Flashing(request):
        made = make_links(store, course_id, read_number(days) or 0, replace=bool(replace))
        note(request, events.STUDENT_LINKS_MADE, course_id=course_id, about=number_of(len(made), "link"))
        rows = [[clean(who.student), clean(who.key), _address(request, secret)] for who, secret in made]
        name = file_name(get_course(store, course_id).name)
        return download(as_table(("name", "id", "link"), rows), CSV, f"{name}-links.csv")
    return back(f"/courses/{course_id}/feedback")


@router.post("/courses/{course_id}/feedback/revoke", dependencies=[may(Level.TEACH)])
def revoke_links(request: Request, course_id: int, store: OfStore) -> RedirectResponse:
    """Make all links of a course stop working."""
    ended = number_of(end_links(store, course_id), "link")
    note(request, events.STUDENT_LINKS_REVOKED, course_id=course_id, about=ended)
    flash(request, f"{ended} revoked.")
    return back(f"/courses/{course_id}/feedback")


@router.get("/answers/{answer_id}/student", dependencies=[may(Level.TEACH)])
def show_student(request: Request, answer_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """What the student who wrote an answer sees of the whole course."""
    return _student(request, store, person, answer_id)


@router.get("/answers/{answer_id}/sheet", dependencies=[may(Level.TEACH)])
def show_sheet(request: Request, answer_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """The sheet of one student to print."""
    course_id = _course_of(request)
    showing = _demand_shown(store, course_id)
    student = get_student(store, course_id, answer_id)
    sheet = _sheet(store, person, course_id, student, showing, looks=False)
    _note_sheets(request, course_id, 1)
    return _page_of([sheet], sheet.name)


@router.post("/answers/{answer_id}/link", dependencies=[may(Level.TEACH)])
def create_link(
    request: Request, answer_id: int, store: OfStore, person: OfPerson, days: Text = ""
) -> Response:
    """Create a link for one student in the place of any other, and show it this one time."""
    course_id = _course_of(request)
    with Flashing(request):
        ((student, secret),) = make_links(
            store, course_id, read_number(days) or 0, only=answer_id, replace=True
        )
        note(request, events.STUDENT_LINKS_MADE, course_id=course_id, about="1 link")
        hint = "Copy it now: it will not be shown again. Whoever has it sees this student’s feedback."
        once = Once(f"Link for {student.name}", _address(request, secret), hint)
        return _student(request, store, person, answer_id, once)
    return back(f"/answers/{answer_id}/student")


@router.post("/answers/{answer_id}/link/revoke", dependencies=[may(Level.TEACH)])
def revoke_link(request: Request, answer_id: int, store: OfStore) -> RedirectResponse:
    """Make the link of one student stop working."""
    course_id = _course_of(request)
    ended = number_of(end_links(store, course_id, answer_id), "link")
    note(request, events.STUDENT_LINKS_REVOKED, course_id=course_id, about=ended)
    flash(request, f"{ended} revoked.")
    return back(f"/answers/{answer_id}/student")


@router.get("/courses/{course_id}/looks", dependencies=[may(Level.HELP)])
def show_looks(request: Request, course_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """The requests that wait."""
    return _looks(request, store, person, course_id)


@router.post("/answers/{answer_id}/look", dependencies=[may(Level.HELP)])
def reply(
    request: Request,
    answer_id: int,
    store: OfStore,
    person: OfPerson,
    look: Text = "",
    label: Text = "",
    comment: Text = "",
    seen: Text = "",
) -> Response:
    """Keep or change the grade of an answer, and say why."""
    course_id, number = _course_of(request), read_number(look) or 0
    try:
        outcome = answer_look(store, answer_id, number, label, comment, person, Version.read(seen))
    except PostilError as error:
        return _looks(request, store, person, course_id, Filled(number, label, comment), error)
    note(request, events.LOOK_ANSWERED, course_id=course_id, about=f"answer {answer_id}: {outcome}")
    flash(
        request,
        f"The grade was {'changed' if outcome == CHANGED else 'kept'}. The student can read your reply.",
    )
    return back(f"/courses/{course_id}/looks")


def _looks(
    request: Request,
    store: Store,
    person: Person,
    course_id: int,
    filled: Filled | None = None,
    error: PostilError | None = None,
) -> HTMLResponse:
    questions = {question.id: question for question in list_questions(store, course_id)}
    blind = {id for id in questions if person.id is not None and blind_round(store, person, id) is not None}
    looks = [item for item in open_looks(store, course_id) if item[1].answer.question_id not in blind]
    return render(
        request,
        "looks.html",
        error=error,
        course=get_course(store, course_id),
        questions=questions,
        looks=looks,
        filled=filled or Filled(),
        longest=LONGEST_COMMENT,
    )


def _student(
    request: Request, store: Store, person: Person, answer_id: int, once: Once | None = None
) -> HTMLResponse:
    course_id = _course_of(request)
    student, showing = get_student(store, course_id, answer_id), get_showing(store, course_id)
    return render(
        request,
        "feedback_student.html",
        course=get_course(store, course_id),
        student=student,
        showing=showing,
        sheet=_sheet(store, person, course_id, student, showing),
        days=DAYS,
        once=once,
    )


def _sheet(
    store: Store,
    person: Person,
    course_id: int,
    student: Student,
    showing: Showing,
    *,
    looks: bool = True,
) -> FeedbackSheet:
    questions = list_questions(store, course_id)
    for question in questions:
        refuse_blind(store, person, question.id)
    views = {view.answer.id: view for view in get_views(store, student.answers)}
    asked = list_looks(store, student.answers) if looks else ()
    return sheet_of(get_course(store, course_id).name, student, showing, questions, views, asked)


def _class_sheets(store: Store, person: Person, course_id: int) -> list[FeedbackSheet]:
    showing, questions = _demand_shown(store, course_id), list_questions(store, course_id)
    for question in questions:
        refuse_blind(store, person, question.id)
    students = list_students(store, course_id).items
    if not students:
        what = "this course has no students whose answers are certain."
        raise PostilError(what, hint="Import answers with the students’ ids or names.")
    name = get_course(store, course_id).name
    decided = (
        view for question in questions for view in all_views(store, question, "decided", aligned=False)
    )
    views = {view.answer.id: view for view in decided}
    return [sheet_of(name, student, showing, questions, views) for student in students]


def _demand_shown(store: Store, course_id: int) -> Showing:
    showing = get_showing(store, course_id)
    if not showing.shown:
        raise PostilError("feedback is off for this course.", hint="Turn it on, then print the sheets.")
    return showing


def _page_of(sheets: Sequence[FeedbackSheet], title: str) -> HTMLResponse:
    page = fill("sheets.html", sheets=sheets, title=title)
    return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})


def _note_sheets(request: Request, course_id: int, count: int) -> None:
    note(request, events.FEEDBACK_TAKEN, course_id=course_id, about=number_of(count, "sheet"))


def _course_of(request: Request) -> int:
    right: Right = request.state.right
    return right.course_id


def _address(request: Request, secret: str) -> str:
    return f"{main_origin(request.app.state.settings)}{STUDENTS}{secret}"
