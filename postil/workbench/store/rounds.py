"""Rounds: who labels which answers blind, what they said, whom a round waits for, and its decisions.

Whoever writes locks the round's question first, so that nobody labels what is being settled.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, func, insert, or_, select
from sqlalchemy.orm import Session, aliased

from postil.errors import PostilError, number_of
from postil.senses.corpus.items import REMOVED, Tagging, TagSet
from postil.workbench import rounds
from postil.workbench.records import LABELS, Person
from postil.workbench.rounds import Round, Work
from postil.workbench.store.accounts import demand_account, has_unlabelled, hold_account, person_of
from postil.workbench.store.courses import lock_question
from postil.workbench.store.database import Store, forget_deleted
from postil.workbench.store.decisions import keep_labelled
from postil.workbench.store.rows import demand, storable
from postil.workbench.store.tables import AnswerRow, RoundAnswerRow, RoundRow, TaggingRow, now

LONGEST_NOTE = 2_000
_LONGEST_LOOK = 900.0  # seconds; whoever took longer for one answer was away from the desk
_TAGS = TagSet(LABELS)
_DROPPED = "It may have been deleted in the meantime."
_IS_OPEN = RoundRow.closed.is_(None)


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
    """Have two people label the answers of a question, or `size` of them drawn by chance.

    The three people are accounts that can log in, no two of them the same. Returns the round's number.
    """
    if len({first, second, referee}) < 3:
        what = "the same person was chosen twice."
        raise PostilError(what, hint="Choose two people to label and a third to settle differences.")
    if size is not None and size < 1:
        raise PostilError("a round needs at least one answer.", hint="Say how many, or take all.")
    with store.writing() as session:
        for account_id in sorted((first, second, referee)):
            _demand_active(session, account_id)
        lock_question(session, question_id)
        own = select(AnswerRow.id).where(AnswerRow.question_id == question_id)
        answers = rounds.sample(session.scalars(own), size, seed)
        if not answers:
            raise PostilError("there are no answers to label.", hint="Add answers to the question first.")
        row = RoundRow(question_id=question_id, first_id=first, second_id=second, referee_id=referee)
        row.seed, row.state, row.created = seed, "open", now()
        session.add(row)
        session.flush()
        session.execute(insert(RoundAnswerRow), [{"round_id": row.id, "answer_id": id} for id in answers])
        return row.id


def get_work(store: Store, round_id: int) -> Work:
    """A round, with the labels given in it."""
    with store.reading() as session:
        return _work(session, _demand_round(session, round_id))


def list_work(store: Store, question_id: int) -> list[Work]:
    """The rounds of a question, the newest first."""
    return _list(store, RoundRow.question_id == question_id)


def work_of(store: Store, person: Person, *, closed: bool = False) -> list[Work]:
    """The open rounds in which a person has a part, the newest first; also those `closed`."""
    return _list(store, _has_part(person) if closed else _IS_OPEN & _has_part(person))


def part_in(store: Store, person: Person, round_id: int) -> int | None:
    """The question of a round, open or closed, in which a person labels or settles; None if they do not."""
    query = select(RoundRow.question_id).where(RoundRow.id == round_id, _has_part(person))
    with store.reading() as session:
        return session.scalars(query).one_or_none()


def count_waiting(store: Store, person: Person) -> int:
    """How many rounds wait for this person, as in `rounds.waits_for`; quickly, because every page asks."""
    both_done = ~has_unlabelled(RoundRow.first_id), ~has_unlabelled(RoundRow.second_id)
    settling = RoundRow.referee_id == person.id, *both_done, _has_undecided()
    labelling = _labels(person), has_unlabelled(person.id)
    with store.reading() as session:
        queries = (select(func.count()).where(_IS_OPEN, *part) for part in (settling, labelling))
        return sum(session.scalars(query).one() for query in queries)


def blind_round(store: Store, person: Person, question_id: int, at: int = 0) -> int | None:
    """A round of a question in which this person can still give or change labels, if there is one.

    Until both have finished they must not see what Postil or anybody else says of the answers. Of several
    such rounds it is the one `at` which the person is working.
    """
    unfinished = or_(has_unlabelled(RoundRow.first_id), has_unlabelled(RoundRow.second_id))
    query = select(RoundRow.id).where(RoundRow.question_id == question_id, _IS_OPEN)
    query = query.where(_labels(person), unfinished).order_by(RoundRow.id != at, RoundRow.id)
    with store.reading() as session:
        return session.scalars(query).first()


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
    """Store the label that a person of the round gives an answer, in place of their earlier one.

    The two who label can do so until both have finished; from then on the referee can, where they differ,
    until the round is closed. `seconds` adds up over the looks at an answer.
    """
    tags = _TAGS.read(label)
    if not tags:
        raise PostilError("no label was chosen.", hint=f"Choose one of the five, or {REMOVED}.")
    note = storable(note).strip()
    if len(note) > LONGEST_NOTE:
        raise PostilError(f"a note can have at most {LONGEST_NOTE:,} characters.", hint="Shorten it.")
    with store.writing() as session:
        work = _lock(session, round_id)
        account_id = _demand_turn(work, person, answer_id)
        row = session.get(TaggingRow, (round_id, answer_id, account_id))
        if row is None:
            row = TaggingRow(round_id=round_id, answer_id=answer_id, account_id=account_id, seconds=None)
            session.add(row)
        row.label, row.note, row.made = tags[0], note, now()
        if seconds is not None and 0 <= seconds <= _LONGEST_LOOK:
            row.seconds = (row.seconds or 0.0) + seconds


def untag_last(store: Store, round_id: int, person: Person) -> int | None:
    """Undo a person's last label in a round; returns the answer it was about, if any."""
    with store.writing() as session:
        work = _lock(session, round_id)
        own = TaggingRow.round_id == round_id, TaggingRow.account_id == person.id
        row = session.scalars(select(TaggingRow).where(*own).order_by(TaggingRow.made.desc())).first()
        if row is None:
            return None
        _demand_turn(work, person, row.answer_id)
        session.delete(row)
        return row.answer_id


def close_round(store: Store, round_id: int) -> tuple[int, int]:
    """Make the labels of a round decisions; returns how many became decisions, and how many did not.

    Decisions from before the round about these answers count no longer; those made since it began stay.
    Answers called unfit (X) are left as they are.
    """
    with store.writing() as session:
        work = _lock(session, round_id)
        demand_settled(work)
        if work.round.closed is not None:
            raise PostilError("this round is already closed.", hint="Its labels are decisions now.")
        outcomes = [outcome for outcome in rounds.outcomes(work) if outcome.kept]
        agreed, settled = (
            {int(outcome.item): outcome.tags[0] for outcome in outcomes if outcome.how == how}
            for how in ("agreed", "decided")
        )
        row = _demand_round(session, round_id)
        count = keep_labelled(session, row.question_id, agreed, settled, row.referee_id, row.created)
        row.state, row.closed = "closed", now()
        return count, len(outcomes) - count


def drop_round(store: Store, round_id: int) -> None:
    """Delete a round with its labels; those that became decisions stay."""
    with store.writing() as session:
        _lock(session, round_id)
        session.execute(delete(RoundRow).where(RoundRow.id == round_id))
    forget_deleted(store)


def demand_settled(work: Work) -> None:
    """Refuse a round in which an answer has no label yet."""
    progress = rounds.progress(work)
    if not progress.finished:
        raise PostilError("not everything is labelled yet.", hint="Wait until both have finished.")
    if progress.undecided:
        disagreements = number_of(progress.undecided, "disagreement")
        what = f"{disagreements} wait{'s' if progress.undecided == 1 else ''} for the referee."
        raise PostilError(what, hint="The referee settles them one by one on a page of their own.")


def _has_part(person: Person) -> ColumnElement[bool]:
    return or_(_labels(person), RoundRow.referee_id == person.id)


def _labels(person: Person) -> ColumnElement[bool]:
    return or_(RoundRow.first_id == person.id, RoundRow.second_id == person.id)


def _has_undecided() -> ColumnElement[bool]:
    """Whether the two gave an answer of a round different labels, and the referee has not decided."""
    first, second, decision = aliased(TaggingRow), aliased(TaggingRow), aliased(TaggingRow)
    differ = (
        select(first.answer_id)
        .join(second, (second.round_id == first.round_id) & (second.answer_id == first.answer_id))
        .where(first.round_id == RoundRow.id, first.account_id == RoundRow.first_id)
        .where(second.account_id == RoundRow.second_id, second.label != first.label)
    )
    settled = select(decision.answer_id).where(
        decision.round_id == RoundRow.id,
        decision.answer_id == first.answer_id,
        decision.account_id == RoundRow.referee_id,
    )
    return differ.where(~settled.exists()).exists()


def _demand_active(session: Session, account_id: int) -> None:
    row = hold_account(session, account_id)
    if row.closed is not None or row.password is None:
        raise PostilError(f"{row.name} cannot log in.", hint="Choose somebody whose account is active.")


def _demand_round(session: Session, round_id: int) -> RoundRow:
    return demand(session.get(RoundRow, round_id), "round", _DROPPED)


def _demand_turn(work: Work, person: Person, answer_id: int) -> int:
    """The account of a person who may label this answer now, or an error that says why they may not."""
    progress, labels, settles = rounds.progress(work), work.round.labels(person), work.round.settles(person)
    if person.id is None or not (labels or settles):
        raise PostilError("you are not part of this round.", hint="Only its three people can work on it.")
    if work.round.closed is not None:
        raise PostilError("this round is closed.", hint="Its labels are decisions now.")
    if answer_id not in work.round.answers:
        raise PostilError("this answer is not in the round.", hint="It may have been deleted.")
    if labels and progress.finished:
        what = "both people have finished, so labels can no longer change."
        raise PostilError(what, hint="The referee settles their differences.")
    if settles and not progress.finished:
        raise PostilError("there is nothing to settle yet.", hint="Wait until both have finished.")
    if settles and str(answer_id) not in {disputed.item for disputed in rounds.disagreements(work)}:
        raise PostilError("both people gave this answer the same label.", hint="It needs no referee.")
    return person.id


def _lock(session: Session, round_id: int) -> Work:
    """A round that nobody else changes until this transaction ends."""
    query = select(RoundRow.question_id).where(RoundRow.id == round_id)
    lock_question(session, demand(session.scalars(query).one_or_none(), "round", _DROPPED))
    return _work(session, _demand_round(session, round_id))


def _list(store: Store, condition: ColumnElement[bool]) -> list[Work]:
    with store.reading() as session:
        rows = session.scalars(select(RoundRow).where(condition).order_by(RoundRow.id.desc())).all()
        return [_work(session, row) for row in rows]


def _work(session: Session, row: RoundRow) -> Work:
    accounts = row.first_id, row.second_id, row.referee_id
    first, second, referee = (person_of(demand_account(session, id)) for id in accounts)
    answers = (
        select(AnswerRow.id)
        .join(RoundAnswerRow, RoundAnswerRow.answer_id == AnswerRow.id)
        .where(RoundAnswerRow.round_id == row.id)
        .order_by(AnswerRow.place)
    )
    ids = tuple(session.scalars(answers))
    # Plain columns: a row object for every one of thousands of labels takes five times as long.
    columns = (TaggingRow.account_id, TaggingRow.answer_id, TaggingRow.label)
    query = (
        select(*columns, TaggingRow.seconds, TaggingRow.note)
        .join(AnswerRow, AnswerRow.id == TaggingRow.answer_id)
        .where(TaggingRow.round_id == row.id)
        .order_by(AnswerRow.place, TaggingRow.account_id)
    )
    group = str(row.question_id)
    taggings = [
        Tagging(str(answer_id), group, str(account_id), (label,), seconds, note)
        for account_id, answer_id, label, seconds, note in session.execute(query)
    ]
    return Work(
        Round(row.id, row.question_id, first, second, referee, row.seed, row.created, row.closed, ids),
        tuple(tagging for tagging in taggings if tagging.person != str(referee.id)),
        tuple(tagging for tagging in taggings if tagging.person == str(referee.id)),
    )
