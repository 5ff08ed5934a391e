"""What waits for whom: a person's part in rounds, counted by the database, because every page asks."""

from __future__ import annotations

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from postil.errors import PostilError
from postil.workbench.records import Person
from postil.workbench.store.database import Store
from postil.workbench.store.tables import QuestionRow, RoundAnswerRow, RoundRow, TaggingRow

OPEN, CLOSED = "open", "closed"


def part_in(store: Store, person: Person, round_id: int) -> int | None:
    """The question of a round, open or closed, in which a person labels or settles; None if they do not."""
    with store.reading() as session:
        wanted = select(RoundRow.question_id).where(RoundRow.id == round_id, has_part(person))
        return session.scalars(wanted).one_or_none()


def count_waiting(store: Store, person: Person) -> int:
    """How many rounds cannot go on without this person, as `rounds.waits_for` has it."""
    with store.reading() as session:
        settling = select(func.count()).where(RoundRow.state == OPEN, RoundRow.referee_id == person.id)
        finished = ~_has_left(RoundRow.first_id), ~_has_left(RoundRow.second_id)
        labelling = select(func.count()).where(RoundRow.state == OPEN, _labels(person), _has_left(person.id))
        return (
            session.scalars(settling.where(*finished, _has_undecided())).one()
            + session.scalars(labelling).one()
        )


def blind_round(store: Store, person: Person, question_id: int, at: int = 0) -> int | None:
    """A round of a question in which this person can still give or change labels, if there is one.

    Until both have finished they must not see what Postil or anybody else says of the answers. Where there
    are several such rounds, it is the one `at` which the person is, if it is one of them.
    """
    unfinished = or_(_has_left(RoundRow.first_id), _has_left(RoundRow.second_id))
    wanted = select(RoundRow.id).where(RoundRow.question_id == question_id, RoundRow.state == OPEN)
    wanted = wanted.where(_labels(person), unfinished).order_by(RoundRow.id != at, RoundRow.id)
    with store.reading() as session:
        return session.scalars(wanted).first()


def has_part(person: Person) -> ColumnElement[bool]:
    """Whether a person labels or settles in a round."""
    columns = (RoundRow.first_id, RoundRow.second_id, RoundRow.referee_id)
    return or_(*(column == person.id for column in columns))


def _labels(person: Person) -> ColumnElement[bool]:
    """Whether a person is one of the two who label in a round."""
    return or_(RoundRow.first_id == person.id, RoundRow.second_id == person.id)


def _has_left(account_id: int | InstrumentedAttribute[int] | None) -> ColumnElement[bool]:
    """Whether somebody has not labelled all answers of a round."""
    answers = select(func.count()).where(RoundAnswerRow.round_id == RoundRow.id)
    own = (TaggingRow.round_id == RoundRow.id) & (TaggingRow.account_id == account_id)
    done = select(func.count()).where(own)
    return done.correlate(RoundRow).scalar_subquery() < answers.correlate(RoundRow).scalar_subquery()


def _has_undecided() -> ColumnElement[bool]:
    """Whether the two gave an answer of a round different labels, and the referee has not decided."""
    first, second, decided = aliased(TaggingRow), aliased(TaggingRow), aliased(TaggingRow)
    differ = (
        select(first.answer_id)
        .join(second, (second.round_id == first.round_id) & (second.answer_id == first.answer_id))
        .where(first.round_id == RoundRow.id, first.account_id == RoundRow.first_id)
        .where(second.account_id == RoundRow.second_id, second.label != first.label)
    )
    settled = select(decided.answer_id).where(
        decided.round_id == RoundRow.id,
        decided.answer_id == first.answer_id,
        decided.account_id == RoundRow.referee_id,
    )
    return differ.where(~settled.exists()).exists()


# What somebody still has to do before they can leave: others wait for it.

_SHOWN = 80  # characters of a question in a message


def demand_nothing_left(session: Session, account_id: int) -> None:
    """Refuse to lose somebody without whom an open round of labelling could not be finished.

    That is its referee, and who has not labelled all answers.
    """
    own = (TaggingRow.round_id == RoundRow.id) & (TaggingRow.account_id == account_id)
    done = select(func.count()).where(own).correlate(RoundRow).scalar_subquery()
    answers = select(func.count()).where(RoundAnswerRow.round_id == RoundRow.id)
    labels = or_(RoundRow.first_id == account_id, RoundRow.second_id == account_id)
    left = labels & (done < answers.correlate(RoundRow).scalar_subquery())
    needed = (
        select(QuestionRow.text)
        .join(RoundRow, RoundRow.question_id == QuestionRow.id)
        .where(RoundRow.state == OPEN, or_(RoundRow.referee_id == account_id, left))
    )
    text = session.scalars(needed.order_by(RoundRow.id)).first()
    if text is not None:
        shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        raise PostilError(
            f"a round of labelling needs this person: “{shown}”.", hint="Settle or drop the round first."
        )
