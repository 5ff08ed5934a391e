"""Decisions: labels that people gave. All are kept, the last one counts, and the last step can be undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from postil.errors import PostilError, unknown_label
from postil.workbench.records import LABELS, Decision
from postil.workbench.store.courses import lock_question
from postil.workbench.store.database import Store
from postil.workbench.store.rows import decision_of
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow, now

SOURCES = ("review", "start", "group", "accepted")
LABELLED, SETTLED = "labelled", "settled"  # by two people alike, or by a referee where they differed
UPLOADED = "uploaded"  # what a person had decided before: no step in the workbench, so undoing passes it over
_TOGETHER = 1000  # answers named in one query; databases take a limited number
# What the machine says of an answer, if anything: a label and the probabilities.
_Machine = tuple[str | None, dict[str, Any] | None]


def decide(
    store: Store,
    question_id: int,
    answer_ids: Sequence[int],
    label: str,
    source: str,
    ticked: Mapping[str, bool] | None = None,
    *,
    by: int | None = None,
) -> int:
    """Label answers, and keep what the machine said of them; returns the number of this step, for undoing.

    `by` is the account that decides. `ticked` has the facets that the person was asked about, and whether the
    answer says them; without it, the ticks of the previous decision still count.
    """
    if label not in LABELS:
        raise PostilError(unknown_label(label), hint=f"Labels: {', '.join(LABELS)}.")
    if source not in SOURCES:
        raise ValueError(f"no such source of a decision: {source}")
    ids = sorted(set(answer_ids))
    if not ids:
        raise PostilError("no answer was chosen.", hint="Choose at least one.")
    with store.writing() as session:
        lock_question(session, question_id)
        machine = _demand_answers(session, question_id, ids)
        ticks = _step_aside(session, ids)
        if ticked is not None:
            ticks = dict.fromkeys(ids, ticked)
        return _keep(session, question_id, dict.fromkeys(machine, label), machine, source, ticks, by=by)


def pass_all(store: Store, question_id: int, answer_ids: Sequence[int], *, by: int | None = None) -> int:
    """Let the machine's labels of answers count as decided, without a look at each, as one step.

    Returns how many. What somebody has decided in the meantime stays as it is.
    """
    with store.writing() as session:
        lock_question(session, question_id)
        machine = _demand_answers(session, question_id, sorted(set(answer_ids)))
        standing = DecisionRow.question_id == question_id, DecisionRow.standing
        decided = set(session.scalars(select(DecisionRow.answer_id).where(*standing)))
        labels = {id: label for id, (label, _) in machine.items() if label and id not in decided}
        if not labels:
            raise PostilError("there is nothing to accept.", hint="These answers are already decided.")
        _keep(session, question_id, labels, machine, "passed", by=by)
        return len(labels)


def keep_uploaded(session: Session, question_id: int, labels: Mapping[int, str]) -> None:
    """Keep the labels that new answers, named by their numbers, brought with them."""
    if labels:
        _keep(session, question_id, labels, dict.fromkeys(labels, (None, None)), UPLOADED)


def keep_labelled(
    session: Session, question_id: int, agreed: Mapping[int, str], settled: Mapping[int, str], referee: int
) -> None:
    """Keep what two people labelled alike, and what a referee settled, as one step."""
    ids = sorted({*agreed, *settled})
    machine = _demand_answers(session, question_id, ids)
    ticks = _step_aside(session, ids)
    step = None
    for labels, source, by in ((agreed, LABELLED, None), (settled, SETTLED, referee)):
        if labels:
            step = _keep(session, question_id, labels, machine, source, ticks, by=by, step=step)


def undo_last(store: Store, question_id: int) -> list[Decision]:
    """Undo the last step: what was decided before counts again. Returns what was undone, or nothing."""
    with store.writing() as session:
        lock_question(session, question_id)
        counts = DecisionRow.question_id == question_id, DecisionRow.undone.is_(None)
        steps = select(func.max(DecisionRow.batch)).where(*counts, DecisionRow.source != UPLOADED)
        newest = session.scalars(steps).one()
        undone = session.scalars(select(DecisionRow).where(*counts, DecisionRow.batch == newest)).all()
        for row in undone:
            row.undone, row.standing = now(), False
        session.flush()  # before others stand: only one may
        batch = DecisionRow.question_id == question_id, DecisionRow.batch == newest
        earlier = (
            select(func.max(DecisionRow.id))
            .where(DecisionRow.answer_id.in_(select(DecisionRow.answer_id).where(*batch)))
            .where(DecisionRow.undone.is_(None))
            .group_by(DecisionRow.answer_id)
        )
        for ids in _batches(session.scalars(earlier).all()):
            session.execute(update(DecisionRow).where(DecisionRow.id.in_(ids)).values(standing=True))
        return [decision_of(row) for row in undone]


def history(store: Store, answer_id: int) -> list[Decision]:
    """All that was ever decided about an answer, the newest first."""
    query = select(DecisionRow).where(DecisionRow.answer_id == answer_id).order_by(DecisionRow.id.desc())
    with store.reading() as session:
        return [decision_of(row) for row in session.scalars(query)]


def current(store: Store, question_id: int) -> list[Decision]:
    """The decisions of a question that count, in the order of its answers."""
    query = (
        select(DecisionRow)
        .join(AnswerRow, AnswerRow.id == DecisionRow.answer_id)
        .where(DecisionRow.question_id == question_id, DecisionRow.standing)
        .order_by(AnswerRow.place)
    )
    with store.reading() as session:
        return [decision_of(row) for row in session.scalars(query)]


def teaching(store: Store, question_id: int) -> list[Decision]:
    """The decisions that count and that the machine can learn from.

    What was accepted without a look is the machine's own word: it must not teach itself.
    """
    return [decision for decision in current(store, question_id) if decision.source != "passed"]


def _keep(
    session: Session,
    question_id: int,
    labels: Mapping[int, str],
    machine: Mapping[int, _Machine],
    source: str,
    ticks: Mapping[int, Mapping[str, bool]] | None = None,
    by: int | None = None,
    step: int | None = None,
) -> int:
    """Keep labels, by answer, beside what the machine says: as a step of their own, or as part of one.

    Returns the step's number.
    """
    newest = select(func.max(DecisionRow.batch)).where(DecisionRow.question_id == question_id)
    batch = step or (session.scalars(newest).one() or 0) + 1
    made = now()
    rows = [
        {
            "question_id": question_id,
            "answer_id": id,
            "label": label,
            "made": made,
            "source": source,
            "batch": batch,
            "standing": True,
            "machine_label": machine[id][0],
            "machine_probabilities": machine[id][1],
            "ticked": ticks.get(id) if ticks else None,
            "account_id": by,
        }
        for id, label in labels.items()
    ]
    session.execute(insert(DecisionRow), rows)
    return batch


def _step_aside(session: Session, ids: Sequence[int]) -> dict[int, Mapping[str, bool]]:
    """Let earlier decisions on answers count no longer; returns their ticks, which may go on to count."""
    ticks: dict[int, Mapping[str, bool]] = {}
    for batch in _batches(ids):
        earlier = DecisionRow.answer_id.in_(batch), DecisionRow.standing
        query = select(DecisionRow.answer_id, DecisionRow.ticked).where(*earlier)
        ticks |= {id: ticked for id, ticked in session.execute(query) if ticked}
        session.execute(update(DecisionRow).where(*earlier).values(standing=False))
    return ticks


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _TOGETHER):
        yield ids[start : start + _TOGETHER]


def _demand_answers(session: Session, question_id: int, ids: Sequence[int]) -> dict[int, _Machine]:
    """What the machine says of answers that must be this question's."""
    machine: dict[int, _Machine] = {}
    for batch in _batches(ids):
        query = (
            select(AnswerRow.id, JudgementRow.label, JudgementRow.probabilities)
            .outerjoin(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
            .where(AnswerRow.question_id == question_id, AnswerRow.id.in_(batch))
            .order_by(AnswerRow.place)
        )
        machine |= {id: (label, probabilities) for id, label, probabilities in session.execute(query)}
    if len(machine) < len(ids):
        what = "one of the answers no longer exists."
        raise PostilError(what, hint="It may have been deleted in another window.")
    return machine
