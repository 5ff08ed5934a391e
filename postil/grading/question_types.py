"""What kind of answer a question asks for: a what, a how or a why."""

from __future__ import annotations

import re
from typing import Literal, get_args

QuestionType = Literal["how", "what", "why"]
QUESTION_TYPES: tuple[QuestionType, ...] = get_args(QuestionType)

_WORD = re.compile(r"[a-z]+")


def question_type(text: str) -> QuestionType:
    """Tell the type of a question by the words in it, wherever they stand.

    "What" decides before "how", and "how" before "why" and "explain": a question that asks for a thing first
    and for the reason after ("what would happen, and why?") counts as a what. Questions with none of these
    words ("Describe the crystals.") ask for a thing as well. Of the orders of these words, and of rules that
    look at the last sentence alone, this was the closest to the counts that Aldabe et al. (2013) give for the
    challenge's training set.
    """
    words = set(_WORD.findall(text.lower()))
    if "what" in words:
        return "what"
    if "how" in words:
        return "how"
    if words & {"why", "explain"}:
        return "why"
    return "what"
