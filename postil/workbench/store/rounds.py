"""Rounds: who labels which answers blind, what they said, and how it becomes decisions.

Whoever writes locks the round's question first, so that nobody labels what is being settled.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.orm import Session

from postil.errors import PostilError, number_of
from postil.senses.corpus.items import REMOVED, Tagging, TagSet
from postil.workbench import rounds
from postil.workbench.records import LABELS, Person
from postil.workbench.rounds import Round, Work
from postil.workbench.store.accounts import demand_account, hold_account, person_of
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.decisions import keep_labelled
from postil.workbench.store.questions import lock_question
from postil.workbench.store.rows import storable
from postil.workbench.store.tables import AnswerRow, RoundAnswerRow, RoundRow, TaggingRow, now
from postil.workbench.store.waiting import CLOSED, OPEN, has_part

LONGEST_NOTE = 2_000
_LONGEST_LOOK = 900.0  # seconds; who took longer for one answer was away from the desk
_TAGS = TagSet(LABELS)


def make_round(
    store: Store,
    question_id: int,
    first: int,
    second: int,
    referee: int,
    *,
    size: int | None = None,
    seed: int = 0,
) -> int:
    """Have two people label the answers of a question, or so many of them drawn by chance.

    The three people are accounts that can log in, no two of them the same. Returns the round's number.
    """
    if len({first, second, referee}) < 3:
        raise PostilError(
            "the same person was chosen twice.", hint="Choose two who label, and a third who settles."
        )
    if size is not None and size < 1:
        raise PostilError("there must be at least one answer.", hint="Say how many, or take all.")
    with store.writing() as session:
        for account_id in sorted((first, second, referee)):
            _demand_active(session, account_id)
        lock_question(session, question_id)
        own = select(AnswerRow.id).where(AnswerRow.question_id == question_id)
        answers = rounds.sample(session.scalars(own), size, seed)
        if not answers:
            raise PostilError("there are no answers to label.", hint="Add answers to the question first.")
        row = RoundRow(question_id=question_id, first_id=first, second_id=second, referee_id=referee)
        row.seed, row.state, row.created = seed, OPEN, now()
        session.add(row)
        session.flush()
        session.execute(insert(RoundAnswerRow), [{"round_id": row.id, "answer_id": id} for id in answers])
        return row.id


def get_work(store: Store, round_id: int) -> Work:
    """A round, and what was said in it."""
    with store.reading() as session:
        return _work(session, _demand_round(session, round_id))


def list_work(store: Store, question_id: int) -> list[Work]:
    """The rounds of a question, the newest first."""
    return _list(store, RoundRow.question_id == question_id)


def work_of(store: Store, person: Person, *, closed: bool = False) -> list[Work]:
    """The rounds that go on and in which a person has a part, the newest first; also those `closed`."""
    return _list(store, has_part(person) if closed else (RoundRow.state == OPEN) & has_part(person))


def tag(
    store: Store,
    round_id: int,
    person: Person,
    answer_id: int,
    label: str,
    *,
    seconds: float | None = None,
    note: str = "",
) -> None:
    """Keep what a person of the round says of an answer, in the place of what they said before.

    Who labels can do so until both have finished; the referee can from then on, where they differ, until
    the round is closed. `seconds` adds up over the looks at an answer.
    """
    label = _demand_label(label)
    note = storable(note).strip()
    if len(note) > LONGEST_NOTE:
        raise PostilError(f"a note has at most {LONGEST_NOTE:,} characters.", hint="Shorten it.")
    with store.writing() as session:
        work = _lock(session, round_id)
        account_id = _demand_turn(work, person, answer_id)
        row = session.get(TaggingRow, (round_id, answer_id, account_id))
        if row is None:
            row = TaggingRow(round_id=round_id, answer_id=answer_id, account_id=account_id, seconds=None)
            session.add(row)
        row.label, row.note, row.made = label, note, now()
        if seconds is not None and 0 <= seconds <= _LONGEST_LOOK:
            row.seconds = (row.seconds or 0.0) + seconds


def untag_last(store: Store, round_id: int, person: Person) -> int | None:
    """Take back the last thing that a person said in a round; returns the answer it was about, if any."""
    with store.writing() as session:
        work = _lock(session, round_id)
        own = TaggingRow.round_id == round_id, TaggingRow.account_id == person.id
        row = session.scalars(select(TaggingRow).where(*own).order_by(TaggingRow.made.desc())).first()
        if row is None:
            return None
        _demand_turn(work, person, row.answer_id)
        session.delete(row)
        return row.answer_id


def close_round(store: Store, round_id: int) -> int:
    """Let the labels that came out of a round count as decisions; returns how many.

    What was decided about these answers before counts no longer. Answers called not fit (X) are left as
    they are.
    """
    with store.writing() as session:
        work = _lock(session, round_id)
        demand_settled(work)
        if work.round.closed is not None:
            raise PostilError("this round is closed already.", hint="Its labels are decisions.")
        came = [one for one in rounds.outcomes(work) if one.kept]
        agreed = {int(one.item): one.tags[0] for one in came if one.how == "agreed"}
        settled = {int(one.item): one.tags[0] for one in came if one.how == "decided"}
        row = _demand_round(session, round_id)
        keep_labelled(session, row.question_id, agreed, settled, row.referee_id)
        row.state, row.closed = CLOSED, now()
        return len(came)


def drop_round(store: Store, round_id: int) -> None:
    """Delete a round with all that was said in it; what became decisions stays."""
    with store.writing() as session:
        _lock(session, round_id)
        session.execute(delete(RoundRow).where(RoundRow.id == round_id))
    forget_deleted(store)


def demand_settled(work: Work) -> None:
    """Refuse a round in which an answer has no label yet."""
    far = rounds.progress(work)
    if not far.finished:
        raise PostilError("not everything is labelled yet.", hint="Wait until both have finished.")
    if far.undecided:
        raise PostilError(
            f"{number_of(far.undecided, 'disagreement')} waits for the referee."
            if far.undecided == 1
            else f"{far.undecided} disagreements wait for the referee.",
            hint="They are settled one by one on the referee's page.",
        )


def gone() -> PostilError:
    """Say that a round is not there."""
    return PostilError("this round is not there.", hint="It may have been dropped in the meantime.")


def _demand_label(label: str) -> str:
    tags = _TAGS.read(label)
    if not tags:
        raise PostilError("no label was chosen.", hint=f"Choose one of the five, or {REMOVED}.")
    return tags[0]


def _demand_active(session: Session, account_id: int) -> None:
    row = hold_account(session, account_id)
    if row.closed is not None or row.password is None:
        raise PostilError(f"{row.name} cannot log in now.", hint="Choose somebody whose account is open.")


def _demand_round(session: Session, round_id: int) -> RoundRow:
    row = session.get(RoundRow, round_id)
    if row is None:
        raise gone()
    return row


def _demand_turn(work: Work, person: Person, answer_id: int) -> int:
    """The account of a person who may say something of this answer now, or why they may not."""
    far = rounds.progress(work)
    if person.id is None or not (work.round.labels(person) or work.round.settles(person)):
        raise PostilError("you have no part in this round.", hint="Its three people do the work.")
    if work.round.closed is not None:
        raise PostilError("this round is closed.", hint="Its labels are decisions now.")
    if answer_id not in work.round.answers:
        raise PostilError("this answer is not in the round.", hint="It may have been deleted.")
    if work.round.labels(person) and far.finished:
        raise PostilError(
            "both have finished, so labels stay as they are.", hint="The referee settles where they differ."
        )
    if work.round.settles(person):
        if not far.finished:
            raise PostilError("there is nothing to settle yet.", hint="Wait until both have finished.")
        if str(answer_id) not in {one.item for one in rounds.disagreements(work)}:
            raise PostilError("both gave this answer the same label.", hint="It needs no referee.")
    return person.id


def _lock(session: Session, round_id: int) -> Work:
    """A round that nobody else changes until this transaction ends."""
    wanted = select(RoundRow.question_id).where(RoundRow.id == round_id)
    question_id = session.scalars(wanted).one_or_none()
    if question_id is None:
        raise gone()
    lock_question(session, question_id)
    return _work(session, _demand_round(session, round_id))


def _list(store: Store, wanted: ColumnElement[bool]) -> list[Work]:
    with store.reading() as session:
        found = session.scalars(select(RoundRow).where(wanted).order_by(RoundRow.id.desc())).all()
        return [_work(session, row) for row in found]


def _work(session: Session, row: RoundRow) -> Work:
    three = (row.first_id, row.second_id, row.referee_id)
    first, second, referee = (person_of(demand_account(session, id)) for id in three)
    in_order = (
        select(AnswerRow.id)
        .join(RoundAnswerRow, RoundAnswerRow.answer_id == AnswerRow.id)
        .where(RoundAnswerRow.round_id == row.id)
        .order_by(AnswerRow.place)
    )
    answers = tuple(session.scalars(in_order))
    # Plain columns: a row object for every one of thousands of labels takes five times as long.
    columns = (TaggingRow.account_id, TaggingRow.answer_id, TaggingRow.label)
    said = (
        select(*columns, TaggingRow.seconds, TaggingRow.note)
        .join(AnswerRow, AnswerRow.id == TaggingRow.answer_id)
        .where(TaggingRow.round_id == row.id)
        .order_by(AnswerRow.place, TaggingRow.account_id)
    )
    group = str(row.question_id)
    all_said = [
        (account_id, Tagging(str(answer_id), group, str(account_id), (label,), seconds, note))
        for account_id, answer_id, label, seconds, note in session.execute(said)
    ]
    given = Round(row.id, row.question_id, first, second, referee, row.seed, row.created, row.closed, answers)
    return Work(
        given,
        tuple(one for account_id, one in all_said if account_id != row.referee_id),
        tuple(one for account_id, one in all_said if account_id == row.referee_id),
    )
