"""Courses: the first page, a course with its questions, and making, renaming and deleting one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel

from postil.errors import PostilError, number_of
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.rendering import (
    Flashing,
    NotAllowedError,
    OfStore,
    back,
    flash,
    missing_reader,
    note,
    render,
)
from postil.workbench.jobs.readers import choices, demand_usable, installed
from postil.workbench.records import Course, Level, Person, Question
from postil.workbench.rounds import progress, waits_for
from postil.workbench.store import events
from postil.workbench.store.courses import (
    create_course,
    create_question,
    delete_course,
    delete_question,
    edit_course,
    edit_question,
    get_course,
    get_question,
    list_courses,
    list_questions,
)
from postil.workbench.store.database import Store
from postil.workbench.store.drafts import EXAMPLE, store_example
from postil.workbench.store.feedback import count_open_looks
from postil.workbench.store.jobs import changed_settings, enqueue
from postil.workbench.store.rounds import work_of
from postil.workbench.store.rows import ChangedError

router = APIRouter()
Text = Annotated[str, Form()]
# How a page offers each strictness, and how it then says that answers are graded.
STRICTNESS_WORDS = {
    "lenient": "Lenient: more readily than usual",
    "normal": "Normal: like the teachers Postil has learned from",
    "strict": "Strict: less readily than usual",
}
_ADVERBS = {"lenient": "leniently", "normal": "as usual", "strict": "strictly"}


def _demand_maker(person: OfPerson) -> None:
    if not person.makes_courses:
        raise NotAllowedError("Assistants help with other people’s courses and cannot create their own.")


@router.get("/")
def show_courses(request: Request, store: OfStore, person: OfPerson) -> HTMLResponse:
    """A person's courses; at the very beginning, ways to begin."""
    unlabelled, unsettled = _waiting(store, person)
    courses = list_courses(store, person)
    return render(
        request,
        "courses.html",
        courses=courses,
        looks=count_open_looks(store, [course.id for course in courses]),
        unlabelled=unlabelled,
        unsettled=unsettled,
        choices=STRICTNESS_WORDS,
        readers=choices(_memory(request)),
        installed=installed(),
    )


@router.post("/courses", dependencies=[Depends(_demand_maker)])
def make_course(
    request: Request,
    store: OfStore,
    person: OfPerson,
    name: Text = "",
    strictness: Text = "normal",
    reader: Text = "",
) -> RedirectResponse:
    """Make a course and go there."""
    with Flashing(request):
        demand_usable(reader or None, _memory(request))
        course_id = create_course(store, name, person.id, strictness=strictness, reader=reader or None)
        note(request, events.COURSE_MADE, course_id=course_id, about=get_course(store, course_id).name)
        return back(f"/courses/{course_id}")
    return back("/")


@router.post("/courses/demo", dependencies=[Depends(_demand_maker)])
def make_example(request: Request, store: OfStore, person: OfPerson) -> RedirectResponse:
    """Make a course of the class that ships with Postil."""
    course_id = store_example(store, person.id)
    note(request, events.COURSE_MADE, course_id=course_id, about=EXAMPLE)
    flash(request, "This is a made-up class for trying things out. Open a question to begin.")
    return back(f"/courses/{course_id}")


@router.get("/courses/{course_id}", dependencies=[may(Level.HELP)])
def show_course(request: Request, course_id: int, store: OfStore) -> HTMLResponse:
    """A course with its questions."""
    course, questions = get_course(store, course_id), list_questions(store, course_id)
    return render(
        request,
        "course.html",
        course=course,
        questions=questions,
        looks=count_open_looks(store, [course_id]).get(course_id, 0),
        choices=STRICTNESS_WORDS,
        adverb=_ADVERBS[course.strictness],
        readers=choices(_memory(request)),
        installed=installed(),
        missing=missing_reader(request)(course.reader) if course.reader else "",
    )


def _memory(request: Request) -> int:
    memory: int = request.app.state.settings.memory
    return memory


@router.post("/courses/{course_id}/grade", dependencies=[may(Level.HELP)])
def grade_waiting(request: Request, course_id: int, store: OfStore) -> RedirectResponse:
    """Have all questions graded that have answers which nobody has judged, in the background."""
    questions = list_questions(store, course_id)
    waiting = [question for question in questions if question.answers > question.judged]
    for question in waiting:
        enqueue(store, "grade", question.id)
    if waiting:
        flash(request, f"{number_of(len(waiting), 'question')} will be graded, one after another.")
    else:
        flash(request, "There is nothing to grade: every answer is graded already.")
    return back(f"/courses/{course_id}")


@router.post("/courses/{course_id}/rename", dependencies=[may(Level.OWN)])
def give_name(request: Request, course_id: int, store: OfStore, name: Text = "") -> RedirectResponse:
    """Give a course another name."""
    with Flashing(request):
        edit_course(store, course_id, name)
        note(request, events.COURSE_RENAMED, course_id=course_id, about=get_course(store, course_id).name)
    return back(f"/courses/{course_id}")


@router.post("/courses/{course_id}/strictness", dependencies=[may(Level.OWN)])
def set_strictness(
    request: Request, course_id: int, store: OfStore, strictness: Text = ""
) -> RedirectResponse:
    """Set how readily answers are called correct; questions that are graded offer to be graded again."""
    before = get_course(store, course_id)
    with Flashing(request):
        edit_course(store, course_id, strictness=strictness)
        if strictness != before.strictness:
            note(request, events.STRICTNESS_CHANGED, course_id=course_id, about=before.name)
        _tell_setting(request, store, course_id, f"Answers are now graded {_ADVERBS[strictness]}.")
    return back(f"/courses/{course_id}")


@router.post("/courses/{course_id}/reader", dependencies=[may(Level.OWN)])
def set_reader(request: Request, course_id: int, store: OfStore, reader: Text = "") -> RedirectResponse:
    """Set who reads the answers; an empty name is the reader that is installed."""
    before, chosen = get_course(store, course_id), reader or None
    with Flashing(request):
        if chosen != before.reader:
            demand_usable(chosen, _memory(request))
            edit_course(store, course_id, reader=chosen)
            note(request, events.READER_CHANGED, course_id=course_id, about=before.name)
        who = f"the {reader} reader" if reader else "the reader that is installed"
        _tell_setting(request, store, course_id, f"Answers are now read by {who}.")
    return back(f"/courses/{course_id}")


def _tell_setting(request: Request, store: Store, course_id: int, message: str) -> None:
    """Tell what has been set, and how it is applied to questions that are graded already."""
    missing = missing_reader(request)
    questions = [question for question in list_questions(store, course_id) if question.judged]
    graded = any(changed_settings(store, question.id, missing) for question in questions)
    hint = "No label has changed. Open a question that is already graded to grade it again."
    flash(request, message, hint=hint if graded else "")


@router.post("/courses/{course_id}/delete", dependencies=[may(Level.OWN)])
def remove_course(request: Request, course_id: int, store: OfStore) -> RedirectResponse:
    """Delete a course and everything in it."""
    name = get_course(store, course_id).name
    delete_course(store, course_id)
    note(request, events.COURSE_DELETED, course_id=course_id, about=name)
    flash(request, f"“{name}” and everything in it has been deleted.")
    return back("/")


def _waiting(store: Store, person: Person) -> tuple[int, int]:
    """How many answers wait to be labelled by a person in rounds, and how many to be settled."""
    works = [work for work in work_of(store, person) if waits_for(work, person)] if person.id else []
    label = sum(len(work.round.answers) - len(work.of(person)) for work in works if work.round.labels(person))
    return label, sum(progress(work).undecided for work in works if work.round.settles(person))


# Questions: making, changing and deleting one. Its own page, with the answers, is the table's.


class QuestionForm(BaseModel):
    """The form for a question, whatever was typed."""

    text: str = ""
    references: str = ""
    points: str = "1"
    seen: str = ""  # the version that the form was filled with

    def read(self) -> tuple[str, list[str], float]:
        """The text, the references (one on each line) and the points."""
        lines = [line.strip() for line in self.references.splitlines() if line.strip()]
        return self.text, lines, read_number(self.points, "the points")


OfForm = Annotated[QuestionForm, Form()]


@router.get("/courses/{course_id}/questions/new", dependencies=[may(Level.TEACH)])
def show_new(request: Request, course_id: int, store: OfStore) -> HTMLResponse:
    """An empty form for a question."""
    return _question_form(request, get_course(store, course_id), None, QuestionForm())


@router.post("/courses/{course_id}/questions/new", dependencies=[may(Level.TEACH)])
def make_question(request: Request, course_id: int, store: OfStore, form: OfForm) -> Response:
    """Make a question, and go to its page, where answers are added."""
    try:
        question_id = create_question(store, course_id, *form.read())
    except PostilError as error:
        return _question_form(request, get_course(store, course_id), None, form, error)
    return back(f"/questions/{question_id}")


@router.get("/questions/{question_id}/edit", dependencies=[may(Level.TEACH, spares_owner=True)])
def show_edit(request: Request, question_id: int, store: OfStore) -> HTMLResponse:
    """The form with a question as it is."""
    question = get_question(store, question_id)
    references = "\n".join(" ".join(reference.split()) for reference in question.references)
    points, seen = f"{question.points:g}", question.version
    form = QuestionForm(text=question.text, references=references, points=points, seen=seen)
    return _question_form(request, get_course(store, question.course_id), question, form)


@router.post("/questions/{question_id}/edit", dependencies=[may(Level.TEACH, spares_owner=True)])
def change_question(request: Request, question_id: int, store: OfStore, form: OfForm) -> Response:
    """Change a question; with another text or references its answers are graded anew.

    If somebody else has changed it since the form was opened, theirs is shown beside what was written.
    """
    before = get_question(store, question_id)
    try:
        edit_question(store, question_id, *form.read(), seen=form.seen or None)
    except PostilError as error:
        now = get_question(store, question_id)
        theirs = now if isinstance(error, ChangedError) else None
        if theirs:
            form = form.model_copy(update={"seen": theirs.version})
        return _question_form(request, get_course(store, before.course_id), now, form, error, theirs)
    after = get_question(store, question_id)
    if before.judged and not after.judged:
        flash(request, "The question has been changed, so its answers have to be graded again.", "warning")
    else:
        flash(request, "The question has been changed.")
    return back(f"/questions/{question_id}")


@router.post("/questions/{question_id}/delete", dependencies=[may(Level.TEACH, spares_owner=True)])
def remove_question(request: Request, question_id: int, store: OfStore) -> Response:
    """Delete a question with its answers."""
    course_id = get_question(store, question_id).course_id
    delete_question(store, question_id)
    note(request, events.QUESTION_DELETED, course_id=course_id, about=f"question {question_id}")
    flash(request, "The question and its answers have been deleted.")
    return back(f"/courses/{course_id}")


def _question_form(
    request: Request,
    course: Course,
    question: Question | None,
    form: QuestionForm,
    error: PostilError | None = None,
    theirs: Question | None = None,
) -> HTMLResponse:
    """The form with what was written in it, and what is wrong; `theirs` is what somebody else has written."""
    context = {"course": course, "question": question, "theirs": theirs, **form.model_dump()}
    return render(request, "question_form.html", error=error, **context)


def read_number(text: str, what: str) -> float:
    """A number that somebody typed; `what` it is, for the message where it is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise PostilError(f"{what} must be a number.", hint="For example 2 or 1.5.") from None
