"""What somebody still has to do before they can leave: others wait for it."""

from __future__ import annotations

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from postil.errors import PostilError
from postil.workbench.store.tables import QuestionRow, RoundAnswerRow, RoundRow, TaggingRow
from postil.workbench.store.waiting import OPEN

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
