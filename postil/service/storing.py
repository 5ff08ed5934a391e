"""Stores what a draft holds, completely or not at all."""

from __future__ import annotations

from importlib.resources import as_file, files

from postil.corpora.tables import read_table
from postil.errors import PostilError
from postil.service.drafts import Draft
from postil.service.plans import Plan
from postil.service.records import NewAnswer
from postil.service.store.answers import add_answers
from postil.service.store.courses import create_course, delete_course
from postil.service.store.database import Store
from postil.service.store.questions import create_question, delete_question

EXAMPLE = "Example class"


def store_plan(store: Store, draft: Draft, plan: Plan, points: float = 1.0) -> list[int]:
    """Store what was planned, and return the numbers of the questions it went to."""
    if plan.problems:
        raise PostilError(plan.problems[0])
    if draft.question_id is not None:
        for planned in plan.questions:
            add_answers(store, draft.question_id, planned.answers, planned.labels)
        return [draft.question_id]
    made: list[int] = []
    try:
        for planned in plan.questions:
            made.append(create_question(store, draft.course_id, planned.text, planned.references, points))
            add_answers(store, made[-1], planned.answers, planned.labels)
    except PostilError:
        for question_id in made:
            delete_question(store, question_id)
        raise
    return made


def store_example(store: Store) -> int:
    """Make a course of the class that ships with Postil; its labels stay out, so that there is work to do."""
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    course_id = create_course(store, EXAMPLE)
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
