"""To which questions of a course the answers of a draft belong: those of the same text, or as is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from postil.workbench.drafts import Draft
from postil.workbench.plans import Target, make_plan
from postil.workbench.quizzes import match_questions
from postil.workbench.roles import Columns
from postil.workbench.store.answers import list_answers
from postil.workbench.store.database import Store
from postil.workbench.store.questions import list_questions


def find_targets(
    store: Store, draft: Draft, columns: Columns, fields: Mapping[str, Any]
) -> dict[int, Target]:
    """The questions of the course to which answers go, by the numbers of a draft's own questions.

    A form says it in fields such as `to-0`, in which nothing means a new question. No question of the course
    is taken for two of the draft.
    """
    if draft.question_id is not None:
        return {}
    known = {question.id: question for question in list_questions(store, draft.course_id)}
    if not known:
        return {}
    texts = [planned.text for planned in make_plan(draft, columns).questions]
    guessed = match_questions(texts, list(known.values()))
    wanted = {
        number: str(fields.get(f"to-{number}", guessed.get(number, ""))) for number in range(len(texts))
    }
    targets: dict[int, Target] = {}
    for number, value in wanted.items():
        question = known.get(int(value)) if value.isdecimal() and len(value) < 12 else None
        if question is None or any(one.question_id == question.id for one in targets.values()):
            continue
        keys = frozenset(answer.key for answer in list_answers(store, question.id))
        targets[number] = Target(question.id, question.references, keys)
    return targets
