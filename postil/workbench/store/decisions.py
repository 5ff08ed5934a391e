"""Decisions: labels that people gave. All are kept, the last one counts, and the last step can be undone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, func, insert, select, update
from sqlalchemy.orm import Session

from postil.data.judgements import Reason
from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError, unknown_label
from postil.workbench.records import LABELS, Decision, Version
from postil.workbench.store.courses import lock_question
from postil.workbench.store.database import Store
from postil.workbench.store.rows import ChangedError, batches_of, decision_of
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow, QuestionRow, now

SOURCES = ("review", "start", "group", "accepted")
LABELLED, SETTLED = "labelled", "settled"  # by two people alike, or by a referee where they differed
UPLOADED = "uploaded"  # what a person had decided before: no step in the workbench, so undoing passes it over
_NOBODY = -1  # no account has this number
# Answers to other questions that show how strict a teacher is: of one question, and in all. They have to be
# read for every grading, which takes the careful reader some five seconds; more would hardly say it better.
MOST_LESSONS_EACH, MOST_LESSONS = 30, 200
# What the machine says of an answer, if anything: a label and the probabilities.
_Machine = tuple[str | None, dict[str, Any] | None]
Versions = Mapping[int, Version]  # what somebody saw of answers, by their numbers


def decide(
    store: Store,
    question_id: int,
    answer_ids: Sequence[int],
    label: str,
    source: str,
    ticked: Mapping[str, bool] | None = None,
    *,
    by: int | None = None,
    seen: Versions | None = None,
    exact: bool = False,
) -> int:
    """Label answers, and keep what the machine said of them; returns the number of this step, for undoing.

    `by` is the account that decides. `ticked` has the facets that the person was asked about, and whether the
    answer says them; without it, the ticks of the previous decision still count.

    `seen` are the versions on which it is decided: if somebody else has decided since, or the machine's label
    that is "accepted" is another by now, nothing is stored (`ChangedError`). If `exact`, neither one's own
    decisions nor a new judgement may have come in between.
    """
    with store.writing() as session:
        return put_decisions(
            session, question_id, answer_ids, label, source, ticked, by=by, seen=seen, exact=exact
        )


def put_decisions(
    session: Session,
    question_id: int,
    answer_ids: Sequence[int],
    label: str,
    source: str,
    ticked: Mapping[str, bool] | None = None,
    *,
    by: int | None = None,
    seen: Versions | None = None,
    exact: bool = False,
) -> int:
    """Label answers within a transaction, as `decide` does."""
    ids = _demand_usable(answer_ids, label, source)
    lock_question(session, question_id)
    machine = _demand_answers(session, question_id, ids)
    changed = set() if seen is None else _changed(session, ids, seen, by, exact=exact)
    if source == "accepted":
        changed |= {id for id, (said, _) in machine.items() if said != label}
    if changed:
        raise _in_between(session, changed)
    return _label(session, question_id, ids, machine, label, source, ticked, by=by)


def decide_unchanged(
    store: Store,
    question_id: int,
    answer_ids: Sequence[int],
    label: str,
    source: str,
    *,
    by: int | None,
    seen: Versions,
) -> list[Decision]:
    """Label those answers that nobody has decided since they were `seen`; returns what was decided since.

    What is missing in `seen` was undecided then. Even one's own decisions in between stay: nobody who decides
    about many at once looks at each.
    """
    ids = _demand_usable(answer_ids, label, source)
    with store.writing() as session:
        lock_question(session, question_id)
        machine = _demand_answers(session, question_id, ids)
        changed = _changed(session, ids, seen, _NOBODY)
        left = [id for id in ids if id not in changed]
        if left:
            _label(session, question_id, left, machine, label, source, by=by)
        return _standing(session, sorted(changed))


def pass_all(
    store: Store,
    question_id: int,
    answer_ids: Sequence[int],
    *,
    by: int | None = None,
    seen: Versions | None = None,
) -> int:
    """Let the machine's labels of answers count as decided, without a look at each, as one step.

    Returns how many. What somebody has decided or the machine has judged anew since it was `seen` stays as
    it is.
    """
    with store.writing() as session:
        lock_question(session, question_id)
        ids = sorted(set(answer_ids))
        machine = _demand_answers(session, question_id, ids)
        standing = DecisionRow.question_id == question_id, DecisionRow.standing
        decided = set(session.scalars(select(DecisionRow.answer_id).where(*standing)))
        if seen is not None:
            decided |= _changed(session, ids, seen, by, exact=True)
        labels = {id: label for id, (label, _) in machine.items() if label and id not in decided}
        if not labels:
            raise PostilError("there is nothing to accept.", hint="These answers are already decided.")
        _keep(session, question_id, labels, machine, "passed", by=by)
        return len(labels)


def keep_uploaded(session: Session, question_id: int, labels: Mapping[int, str]) -> None:
    """Keep the labels that came with new answers, named by their numbers."""
    if labels:
        _keep(session, question_id, labels, dict.fromkeys(labels, (None, None)), UPLOADED)


def keep_labelled(
    session: Session,
    question_id: int,
    agreed: Mapping[int, str],
    settled: Mapping[int, str],
    referee: int,
    begun: datetime,
) -> int:
    """Keep what two people labelled alike, and what a referee settled, as one step; returns how many.

    What somebody has decided on the question's own pages since this was `begun` stays as it is.
    """
    standing = DecisionRow.question_id == question_id, DecisionRow.standing, DecisionRow.made > begun
    since = set(session.scalars(select(DecisionRow.answer_id).where(*standing)))
    ids = sorted({*agreed, *settled} - since)
    machine = _demand_answers(session, question_id, ids)
    ticks = _step_aside(session, ids)
    step = None
    for outcomes, source, by in ((agreed, LABELLED, None), (settled, SETTLED, referee)):
        labels = {id: label for id, label in outcomes.items() if id not in since}
        if labels:
            step = _keep(session, question_id, labels, machine, source, ticks, by=by, step=step)
    return len(ids)


def undo_last(store: Store, question_id: int, *, seen: int | None = None) -> list[Decision]:
    """Undo the last step: what was decided before counts again. Returns what was undone, or nothing.

    `seen` is a decision that the last step is thought to have; if it has not, nothing is undone.
    """
    with store.writing() as session:
        lock_question(session, question_id)
        undone = session.scalars(_last_step(question_id)).all()
        if seen is not None and seen not in {row.id for row in undone}:
            what = "somebody has decided or undone something in the meantime, so nothing was undone."
            raise ChangedError(what, "Look at the last decision again.", [decision_of(row) for row in undone])
        newest = undone[0].batch if undone else None
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
        for ids in batches_of(session.scalars(earlier).all()):
            session.execute(update(DecisionRow).where(DecisionRow.id.in_(ids)).values(standing=True))
        return [decision_of(row) for row in undone]


def last_step(store: Store, question_id: int) -> tuple[Decision, int] | None:
    """The newest decision that `undo_last` would undo now, and how many it would undo with it."""
    with store.reading() as session:
        step = _last_step(question_id)
        row = session.scalars(step.order_by(None).order_by(DecisionRow.id.desc()).limit(1)).first()
        if row is None:
            return None
        count = session.scalars(step.with_only_columns(func.count()).order_by(None)).one()
        return decision_of(row), count


def history(store: Store, answer_id: int) -> list[Decision]:
    """All decisions about an answer, the newest first."""
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

    What was accepted without a look is the machine's own label: it must not teach itself.
    """
    return [decision for decision in current(store, question_id) if decision.source != "passed"]


def lessons(store: Store, question_id: int) -> list[Question]:
    """The other questions of the same course, with the answers that people decided last and their labels.

    As in `teaching`, what was accepted without a look is left out; and so is what could not be read.
    """
    course = select(QuestionRow.course_id).where(QuestionRow.id == question_id).scalar_subquery()
    place = func.row_number().over(partition_by=DecisionRow.question_id, order_by=DecisionRow.id.desc())
    taught = (
        select(DecisionRow.id, place.label("place"))
        .join(QuestionRow, QuestionRow.id == DecisionRow.question_id)
        .outerjoin(JudgementRow, JudgementRow.answer_id == DecisionRow.answer_id)
        .where(QuestionRow.course_id == course, QuestionRow.id != question_id)
        .where(DecisionRow.standing, DecisionRow.source != "passed")
        .where(JudgementRow.reason.is_distinct_from(Reason.UNREAD))
        .subquery()
    )
    query = (
        select(QuestionRow, AnswerRow, DecisionRow.label)
        .join(taught, taught.c.id == DecisionRow.id)
        .join(AnswerRow, AnswerRow.id == DecisionRow.answer_id)
        .join(QuestionRow, QuestionRow.id == DecisionRow.question_id)
        .where(taught.c.place <= MOST_LESSONS_EACH)
        .order_by(DecisionRow.id.desc())
        .limit(MOST_LESSONS)
    )
    questions: dict[int, QuestionRow] = {}
    labelled: dict[int, list[Answer]] = {}
    with store.reading() as session:
        for question, answer, label in session.execute(query):
            questions[question.id] = question
            labelled.setdefault(question.id, []).append(Answer(str(answer.id), answer.text, label))
        return [
            Question(
                str(id),
                questions[id].text,
                tuple(Reference(str(n), text) for n, text in enumerate(questions[id].reference_texts)),
                tuple(labelled[id]),
            )
            for id in sorted(questions)
        ]


def _last_step(question_id: int) -> Select[Any]:
    counts = DecisionRow.question_id == question_id, DecisionRow.undone.is_(None)
    newest = select(func.max(DecisionRow.batch)).where(*counts, DecisionRow.source != UPLOADED)
    step = DecisionRow.batch == newest.scalar_subquery()
    return select(DecisionRow).where(*counts, step).order_by(DecisionRow.id)


def _changed(
    session: Session, ids: Sequence[int], seen: Versions, by: int | None, *, exact: bool = False
) -> set[int]:
    """Which of these answers are no longer as they were seen.

    Unless `exact`, only what somebody else has decided counts: people may correct themselves.
    """
    changed = set()
    for batch in batches_of(ids):
        standing = and_(DecisionRow.answer_id == AnswerRow.id, DecisionRow.standing)
        query = (
            select(AnswerRow.id, DecisionRow.id, DecisionRow.account_id, JudgementRow.made)
            .outerjoin(DecisionRow, standing)
            .outerjoin(JudgementRow, JudgementRow.answer_id == AnswerRow.id)
            .where(AnswerRow.id.in_(batch))
        )
        for id, decision, account, made in session.execute(query):
            before, after = seen.get(id, Version()), Version.of(decision, made)
            other = decision is not None and after.decision != before.decision and account != by
            if after != before if exact else other:
                changed.add(id)
    return changed


def _standing(session: Session, ids: Sequence[int]) -> list[Decision]:
    """The decisions about answers that count."""
    return [
        decision_of(row)
        for batch in batches_of(ids)
        for row in session.scalars(
            select(DecisionRow).where(DecisionRow.answer_id.in_(batch), DecisionRow.standing)
        )
    ]


def _in_between(session: Session, changed: Collection[int]) -> ChangedError:
    what = "this has been decided or judged anew since you looked, so nothing was decided."
    return ChangedError(what, "Look at it again, then decide.", _standing(session, sorted(changed)))


def _demand_usable(answer_ids: Sequence[int], label: str, source: str) -> list[int]:
    """The answers to be labelled, each once, or an error that says why they cannot be."""
    if label not in LABELS:
        raise PostilError(unknown_label(label), hint=f"Labels: {', '.join(LABELS)}.")
    if source not in SOURCES:
        raise ValueError(f"no such source of a decision: {source}")
    if not answer_ids:
        raise PostilError("no answer was chosen.", hint="Choose at least one.")
    return sorted(set(answer_ids))


def _label(
    session: Session,
    question_id: int,
    ids: Sequence[int],
    machine: Mapping[int, _Machine],
    label: str,
    source: str,
    ticked: Mapping[str, bool] | None = None,
    *,
    by: int | None,
) -> int:
    ticks = _step_aside(session, ids)
    if ticked is not None:
        ticks = dict.fromkeys(ids, ticked)
    chosen = set(ids)
    labels = {id: label for id in machine if id in chosen}
    return _keep(session, question_id, labels, machine, source, ticks, by=by)


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
    """Retire earlier decisions on answers; returns their ticks, which the new decisions may take over."""
    ticks: dict[int, Mapping[str, bool]] = {}
    for batch in batches_of(ids):
        earlier = DecisionRow.answer_id.in_(batch), DecisionRow.standing
        query = select(DecisionRow.answer_id, DecisionRow.ticked).where(*earlier)
        ticks |= {id: ticked for id, ticked in session.execute(query) if ticked}
        session.execute(update(DecisionRow).where(*earlier).values(standing=False))
    return ticks


def _demand_answers(session: Session, question_id: int, ids: Sequence[int]) -> dict[int, _Machine]:
    """What the machine says of answers that must be this question's."""
    machine: dict[int, _Machine] = {}
    for batch in batches_of(ids):
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
