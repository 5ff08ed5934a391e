"""What a write answers with words in it, read anew: so that the words need not be kept for a replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from postil.workbench.api import records, schemas
from postil.workbench.store.courses import get_course
from postil.workbench.store.database import Store
from postil.workbench.store.facets import is_outdated
from postil.workbench.store.jobs import get_job
from postil.workbench.store.questions import get_question


@dataclass(frozen=True, slots=True)
class Shown:
    """How something is shown: what its number is called in addresses, and how it is read."""

    name: str
    read: Callable[[Store, int], BaseModel]


def course(store: Store, course_id: int) -> schemas.Course:
    """A course as it is now."""
    return records.course(get_course(store, course_id))


def question(store: Store, question_id: int) -> schemas.Question:
    """A question as it is now."""
    return records.question(get_question(store, question_id))


def facets(store: Store, question_id: int) -> schemas.Facets:
    """The facets of a question as they are now."""
    outdated = is_outdated(store, question_id)
    return records.facets(get_question(store, question_id), outdated=outdated)


def job(store: Store, job_id: int) -> schemas.Job:
    """A job as it is now."""
    return records.job(get_job(store, job_id))


# All other answers to writes have only numbers and labels in them.
WITH_WORDS: dict[object, Shown] = {
    schemas.Course: Shown("course_id", course),
    schemas.Question: Shown("question_id", question),
    schemas.Facets: Shown("question_id", facets),
    schemas.Job: Shown("job_id", job),
}
