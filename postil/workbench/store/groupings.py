"""Groupings: which groups a question's answers form, how large they are, and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from postil.workbench.store.database import Store
from postil.workbench.store.questions import demand_question
from postil.workbench.store.tables import AnswerRow, DecisionRow, JudgementRow
from postil.workbench.store.views import joined


@dataclass(frozen=True, slots=True)
class Group:
    """Answers that are alike: how most of them put it, and what they are called together.

    `first` is its first answer; a later grouping can give the same number to other answers. `labels` are
    those that count, and `likely` is what the machine calls most of them.
    """

    number: int
    first: int
    size: int
    decided: int
    text: str
    labels: tuple[str, ...]
    likely: str | None


def group_sizes(store: Store, question_id: int) -> dict[int, int]:
    """How many answers each group of two and more has, the largest first; ungrouped answers are left out."""
    count = func.count()
    wanted = (
        select(AnswerRow.group_number, count)
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number > 0)
        .group_by(AnswerRow.group_number)
        .having(count > 1)
        .order_by(count.desc(), AnswerRow.group_number)
    )
    with store.reading() as session:
        demand_question(session, question_id)
        return {row[0]: row[1] for row in session.execute(wanted)}


def get_groups(store: Store, question_id: int, numbers: Collection[int]) -> list[Group]:
    """These groups, in the order of their numbers' list; one without answers is left out."""
    kinds = (AnswerRow.group_number, AnswerRow.text, JudgementRow.label, DecisionRow.label)
    # Answers of one text and label are counted by the database: a group can be half of a class.
    wanted = (
        joined(*kinds, func.count(), func.min(AnswerRow.id))
        .where(AnswerRow.question_id == question_id, AnswerRow.group_number.in_(numbers))
        .group_by(*kinds)
        .order_by(func.min(AnswerRow.place))
    )
    rows: dict[int, list[Any]] = {number: [] for number in numbers}
    with store.reading() as session:
        for number, *row in session.execute(wanted):
            rows[number].append(row)
    return [_group(number, its) for number, its in rows.items() if its]


def _group(number: int, rows: list[Any]) -> Group:
    texts, counting, said = Counter[str](), Counter[str](), Counter[str]()
    decided = 0
    for text, judged, told, count, _ in rows:
        texts[text] += count
        counting[told or judged or ""] += count
        said[judged or ""] += count
        decided += count if told else 0
    return Group(
        number,
        min(first for *_, first in rows),
        sum(texts.values()),
        decided,
        texts.most_common(1)[0][0],
        tuple(label for label, _ in counting.most_common() if label),
        next((label for label, _ in said.most_common() if label), None),
    )
