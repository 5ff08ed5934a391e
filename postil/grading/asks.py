"""What a question asks for: its type, and each thing that it asks."""

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
    if "what" not in words and "how" in words:
        return "how"
    return "why" if "what" not in words and words & {"why", "explain"} else "what"


def either(*parts: str) -> re.Pattern[str]:
    """A pattern that matches any of these, whatever the case."""
    return re.compile("|".join(parts), re.IGNORECASE)


QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
# "Which one? (The left one.)" and "Which? A. salt (B. alum)": the answer is given, the rest is asked.
_ANSWERED = re.compile(r"[^.?!]*\?\s*\([^)]*\)\.?|[^.?!]*\?(?=\s+\(?A[.)].*\([A-E][.)])|\([^)]*\)")
_SENTENCE = re.compile(r"(?:[^.?!\n]|\.(?=\w))+[.?!]*")
_REQUEST = either(
    r"(?:(?:if|when|in|for|using) [^,]*, |then |briefly |please )*(?:explain|describe|justify|define|compare"
    r"|contrast|discuss|state|list|name|give|identify|suggest|outline|calculate|tell)\b"
)
# Nobody expects an answer to these, and a pupil in the story asks what has an "I".
_NOT_ASKED = either(r"^(?:have you ever|did you know|ever wonder)|\bI\b")
_BESIDES = either(
    r"(?<!how)(?<!when)(?<!where)(?<!what)[, ]+and (?=(?:why|(?:briefly )?(?:explain|justify|describe|give)"
    r"|(?:how|what|where|who) (?:is|are|was|were|do|does|did|can|could|will|would|he|she|they))\b)"
)
YES_OR_NO = either(
    r"^(?:(?:if|when|in|for|after) [^,]*, )?(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had)"
    r"(?:n['’]?t)? (?!(?:you|we) (?:explain|describe|tell|give|name|think|say|list|define)\b)(?!.*\bor\b)"
)
A_NUMBER = either(
    r"^(?:(?:about|if|when|in|at) [^?]*?,? )?(?:how (?:many|old|tall|heavy)|(?:in )?(?:which|what) year"
    r"|what (?:percent\w*|fraction|number)|calculate)\b"
)


def find_asks(text: str) -> tuple[str, ...]:
    """The parts of a question that each ask for something; not what is quoted or already answered.

    >>> find_asks("Ann has two magnets. Do they attract? (Yes) What are poles, and why do they attract?")
    ('What are poles', 'why do they attract?')
    """
    plain = _ANSWERED.sub(" ", QUOTED.sub('""', text))
    sentences = (sentence.strip() for sentence in _SENTENCE.findall(plain))
    return tuple(
        part
        for sentence in sentences
        if (sentence.endswith("?") and not _NOT_ASKED.search(sentence)) or _REQUEST.match(sentence)
        for part in _BESIDES.split(sentence, maxsplit=1)
    )
