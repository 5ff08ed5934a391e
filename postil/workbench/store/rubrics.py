"""Rubrics that a question had before, and drafts of new ones: what they would change, before they count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, select

from postil.data.judgements import Facets
from postil.data.questions import Facet
from postil.errors import PostilError
from postil.workbench.claims import Outcome
from postil.workbench.records import Job
from postil.workbench.store.courses import demand_rubric, identified, lock_question, replace_rubric
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import lock_job, put_job
from postil.workbench.store.judgements import take_over
from postil.workbench.store.rows import columns_of_facets, demand, facets_of, outcomes_of
from postil.workbench.store.tables import JobRow, JudgementRow, ProposalRow, RubricRow

_KIND = "preview"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A rubric that a question had, when it was replaced, and by whom; None is Postil's own."""

    id: int
    facets: Facets
    made: datetime
    by: int | None


def earlier_rubrics(store: Store, question_id: int) -> list[Earlier]:
    """The rubrics that a question had, the one that was replaced last first."""
    query = select(RubricRow).where(RubricRow.question_id == question_id).order_by(RubricRow.id.desc())
    with store.reading() as session:
        return [
            Earlier(row.id, facets_of(row.facets), row.made, row.account_id) for row in session.scalars(query)
        ]


def get_earlier(store: Store, question_id: int, rubric_id: int) -> Earlier:
    """One of the rubrics that a question had."""
    own = (rubric for rubric in earlier_rubrics(store, question_id) if rubric.id == rubric_id)
    return demand(next(own, None), "rubric")


def draft_rubric(store: Store, question_id: int, facets: Sequence[Facet], seen: str) -> int:
    """Have the machine look in all answers for the items of a draft; returns the job's number.

    `seen` is the version of the rubric that the draft was made from. An earlier draft is forgotten.
    """
    with store.writing() as session:
        row = lock_question(session, question_id)
        demand_rubric(row, seen)
        draft = columns_of_facets(identified(session, row, facets))
        session.execute(delete(JobRow).where(JobRow.question_id == question_id, JobRow.kind == _KIND))
        return put_job(session, _KIND, question_id, {"draft": draft, "seen": seen})


def drafted(job: Job) -> tuple[Facet, ...]:
    """The draft that a job is about."""
    columns = job.result.get("draft")
    return facets_of(columns if isinstance(columns, list) else []) or ()


def found_for(store: Store, job: Job) -> Mapping[int, tuple[Outcome, ...]]:
    """What the machine found for a draft, by answer; of those judged otherwise since, nothing."""
    query = (
        select(ProposalRow.answer_id, ProposalRow.facets)
        .join(JudgementRow, JudgementRow.answer_id == ProposalRow.answer_id)
        .where(ProposalRow.job_id == job.id, ProposalRow.label == JudgementRow.label)
    )
    with store.reading() as session:
        return {id: outcomes_of(columns) for id, columns in session.execute(query)}


def apply_draft(
    store: Store, job_id: int, facets: Sequence[Facet], *, seen: str | None = None, by: int | None = None
) -> None:
    """Set the rubric, with what a job has found for its items; labels and decisions stay.

    If the rubric is not the version `seen`, nothing changes.
    """
    with store.writing() as session:
        job = lock_job(session, job_id)
        if job is None or job.kind != _KIND or job.state != "done":
            raise PostilError(
                "this draft is no longer available.", hint="Open the rubric and change it again."
            )
        row = lock_question(session, job.question_id)
        demand_rubric(row, seen)
        replace_rubric(session, row, identified(session, row, facets), by)
        same = JudgementRow.answer_id == ProposalRow.answer_id, JudgementRow.label == ProposalRow.label
        take_over(session, job, exists().where(*same))
