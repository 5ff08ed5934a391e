"""Stores what a draft holds, completely or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files

from sqlalchemy.orm import Session

from postil.data.formats.tables import read_table
from postil.errors import PostilError
from postil.workbench.drafts import Draft
from postil.workbench.plans import Plan, Planned
from postil.workbench.records import NewAnswer
from postil.workbench.store.answers import add_answers, put_answers
from postil.workbench.store.courses import create_course, delete_course, lock_course
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.drafts import use_draft
from postil.workbench.store.questions import NewQuestion, create_question, put_questions

EXAMPLE = "Example class"


def store_plan(store: Store, draft: Draft, plan: Plan, points: float = 1.0) -> list[int]:
    """Store what was planned, use the draft up, and return the numbers of the questions it went to."""
    if plan.problems:
        raise PostilError(plan.problems[0])
    with store.writing() as session:
        # First the course: two who store at once must not wait for each other's questions.
        lock_course(session, draft.course_id)
        use_draft(session, draft.token)
        if draft.question_id is not None:
            for planned in plan.questions:
                put_answers(session, draft.question_id, planned.answers, planned.labels)
            stored = [draft.question_id]
        else:
            # A question that has all of its answers stays out.
            wanted = [one for one in plan.questions if one.question_id is None or one.answers]
            stored = [_store(session, draft.course_id, planned, points) for planned in wanted]
    forget_deleted(store)
    return stored


def store_questions(store: Store, draft: Draft, wanted: Sequence[NewQuestion]) -> list[int]:
    """Make the questions of a quiz that a person wants, all or none, and return their numbers."""
    with store.writing() as session:
        lock_course(session, draft.course_id)
        use_draft(session, draft.token)
        made = put_questions(session, draft.course_id, wanted)
    forget_deleted(store)
    return made


def _store(session: Session, course_id: int, planned: Planned, points: float) -> int:
    """Store a question with its answers, or the answers of one that is there; returns its number."""
    question_id = planned.question_id
    if question_id is None:
        (question_id,) = put_questions(session, course_id, [(planned.text, planned.references, points)])
    put_answers(session, question_id, planned.answers, planned.labels)
    return question_id


def store_example(store: Store, owner: int | None = None) -> int:
    """Make a course of the class that ships with Postil; its labels stay out, so that there is work to do."""
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    course_id = create_course(store, EXAMPLE, owner)
    try:
        for question in questions:
            references = [reference.text for reference in question.references]
            question_id = create_question(store, course_id, question.text, references, 2.0)
            answers = [NewAnswer(answer.id, "", answer.text) for answer in question.answers]
            add_answers(store, question_id, answers)
    except PostilError:
        delete_course(store, course_id)
        raise
    return course_id
