"""Long lists a page at a time, for programs: a page begins behind what the one before ended with."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from postil.workbench.records import Change, Job
from postil.workbench.store.database import Store
from postil.workbench.store.judgements import changed
from postil.workbench.store.rows import change_of, job_of, storable
from postil.workbench.store.tables import AnswerRow, JobRow, JudgementRow, ProposalRow


def jobs_before(store: Store, question_id: int, before: int | None, limit: int) -> list[Job]:
    """The jobs of a question, the newest first, that are older than one."""
    wanted = select(JobRow).where(JobRow.question_id == question_id)
    if before is not None:
        wanted = wanted.where(JobRow.id < before)
    with store.reading() as session:
        return [job_of(row) for row in session.scalars(wanted.order_by(JobRow.id.desc()).limit(limit))]


def changes_after(store: Store, job_id: int, place: int | None, limit: int) -> list[Change]:
    """What a regrade would change, in the order of the answers, behind a place."""
    wanted = changed(job_id, AnswerRow, JudgementRow, ProposalRow)
    if place is not None:
        wanted = wanted.where(AnswerRow.place > place)
    with store.reading() as session:
        return [change_of(*row) for row in session.execute(wanted.order_by(AnswerRow.place).limit(limit))]


def numbers_of(store: Store, question_id: int, keys: Sequence[str]) -> list[int]:
    """The numbers of answers, named by the ids that they were stored with, in this order."""
    wanted = select(AnswerRow.key, AnswerRow.id).where(AnswerRow.question_id == question_id)
    with store.reading() as session:
        numbers = dict(session.execute(wanted).all())
    named = (storable(key).strip() for key in keys)
    return [numbers[key] for key in named if key in numbers]
