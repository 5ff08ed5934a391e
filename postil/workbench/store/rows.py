"""Between rows and records: what is kept of a judgement, a decision, an answer and a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any, TypeVar

from postil.data.judgements import AlignedPair, Alignment, Facets
from postil.data.questions import Facet
from postil.errors import PostilError
from postil.workbench.claims import Outcome
from postil.workbench.records import Answer, Change, Decision, Job, Judged
from postil.workbench.store.tables import AnswerRow, DecisionRow, JobRow, JudgementRow, ProposalRow

_UNSTORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)), "\ufffd")
_DELETED = "It may have been deleted in another window."
_Row = TypeVar("_Row")


def storable(text: str) -> str:
    """A text as any database takes it: without NUL and halves of characters."""
    return text.translate(_UNSTORABLE)


def digest_of(secret: str) -> str:
    """The hash by which a long and random secret is looked up: stored instead of it, it opens nothing."""
    return sha256(storable(secret).encode()).hexdigest()


def demand(row: _Row | None, thing: str, hint: str = _DELETED) -> _Row:
    """The row, or an error that says that this thing does not exist."""
    if row is None:
        raise gone(thing, hint)
    return row


def gone(thing: str, hint: str = _DELETED) -> PostilError:
    """The error that says that something does not exist."""
    return PostilError(f"this {thing} does not exist.", hint=hint)


def answer_of(row: AnswerRow) -> Answer:
    """The record of an answer."""
    return Answer(row.id, row.question_id, row.key, row.student, row.text, row.place, row.group_number)


def judged_of(row: JudgementRow | ProposalRow, *, aligned: bool = True) -> Judged:
    """The record of a judgement, current or proposed; if not `aligned`, without its long alignment."""
    alignment = row.alignment if aligned else None
    return Judged(
        answer_id=row.answer_id,
        label=row.label,
        probabilities=row.probabilities,
        score=row.score,
        confidence=row.confidence,
        deferred=row.deferred,
        reason=row.reason,
        reference=row.reference,
        teacher=row.teacher,
        doubt=row.doubt,
        student=row.student,
        alignment=None if alignment is None else _alignment_of(alignment),
        made=row.made,
        facets=outcomes_of(row.facets),
        looked_for=row.looked_for,
    )


def columns_of(judged: Judged) -> dict[str, Any]:
    """What is kept of a judgement, by column."""
    return {
        "answer_id": judged.answer_id,
        "label": judged.label,
        "probabilities": dict(judged.probabilities),
        "score": judged.score,
        "confidence": judged.confidence,
        "deferred": judged.deferred,
        "reason": judged.reason,
        "reference": storable(judged.reference),
        "teacher": storable(judged.teacher),
        "doubt": storable(judged.doubt),
        "student": storable(judged.student),
        "alignment": None if judged.alignment is None else asdict(judged.alignment),
        "made": judged.made,
        "facets": [_outcome_columns(one) for one in judged.facets],
        "looked_for": judged.looked_for,
    }


def change_of(answer: AnswerRow, before: JudgementRow, after: ProposalRow) -> Change:
    """The record of what a regrade would change about an answer."""
    return Change(answer_of(answer), judged_of(before), judged_of(after))


def decision_of(row: DecisionRow) -> Decision:
    """The record of a decision."""
    return Decision(
        id=row.id,
        answer_id=row.answer_id,
        label=row.label,
        made=row.made,
        source=row.source,
        batch=row.batch,
        undone=row.undone,
        machine_label=row.machine_label,
        machine_probabilities=row.machine_probabilities,
        ticked=row.ticked,
        by=row.account_id,
    )


def facets_of(columns: Sequence[Mapping[str, Any]] | None) -> Facets:
    """The facets that a teacher set; None where the teacher set none."""
    if columns is None:
        return None
    return tuple(
        Facet(facet["id"], facet["name"], weight=facet["weight"], required=facet["required"])
        for facet in columns
    )


def outcomes_of(kept: Sequence[Mapping[str, Any]] | None) -> tuple[Outcome, ...]:
    """What the machine found about facets; judgements made before it looked for any have none."""
    return tuple(
        Outcome(one["id"], one["name"], one["label"], one["confidence"], tuple(one["words"]))
        for one in kept or ()
    )


def job_of(row: JobRow) -> Job:
    """The record of a job."""
    return Job(
        id=row.id,
        question_id=row.question_id,
        kind=row.kind,
        state=row.state,
        phase=row.phase,
        done=row.done,
        total=row.total,
        error=row.error,
        result=row.result,
        created=row.created,
        started=row.started,
        finished=row.finished,
        lease=row.worker,
    )


def _outcome_columns(outcome: Outcome) -> dict[str, Any]:
    words = [storable(word) for word in outcome.words]
    return asdict(outcome) | {"name": storable(outcome.name), "words": words}


def _alignment_of(kept: Mapping[str, Any]) -> AlignedPair:
    alignments = tuple(
        Alignment(tuple(one["source"]), tuple(one["target"]), tuple(one["labels"]), one["score"])
        for one in kept["alignments"]
    )
    return AlignedPair(
        id=kept["id"],
        source=tuple(kept["source"]),
        target=tuple(kept["target"]),
        alignments=alignments,
        source_text=kept["source_text"],
        target_text=kept["target_text"],
        status=kept["status"],
    )
