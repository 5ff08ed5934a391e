"""Which text is which question, and what is wrong with questions of a quiz."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from postil.data.formats.quizzes import Quiz, QuizQuestion
from postil.workbench.plans import make_choices, match_questions
from postil.workbench.records import Question


def known(*texts):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    return [Question(id, 1, text, ("x",), 1, now, 0, 0, 0) for id, text in enumerate(texts, 11)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Why does ice float?\n[image]", True),
        ("WHY does ICE float? [an iceberg]", True),
        ("Why   does _ice_ float?", True),
        ("Why does ice sink?", False),
        ("Response 1", False),
        ("???", False),
    ],
)
def test_platforms_write_a_text_in_several_ways(text, found):
    assert bool(match_questions([text], known("Why does ice float?\n[image]", "What is dew?"))) is found


def test_texts_that_differ_in_signs_only_are_told_apart_or_not_at_all():
    alike = known("What is 2 + 2?", "What is 2 - 2?")
    assert match_questions(["What is 2 - 2?", "What is 2 : 2?"], alike) == {0: 12}
    assert match_questions(["+", "-"], known("-", "+")) == {0: 12, 1: 11}


def test_no_question_is_found_twice():
    assert match_questions(["Why?", "Why?"], known("Why?")) == {0: 11}


def test_choices_before_and_after_a_form():
    quiz = Quiz((QuizQuestion("a", "Why?", references=("So.",), points=0), QuizQuestion("b", "How?")))
    why, how = make_choices(quiz, known("how?"), None)
    assert (why.taken, why.points, why.references, why.problem) == (True, "1", "So.", "")
    assert (how.taken, how.there, how.problem) == (False, True, "")
    fields = {"take-0": "1", "take-1": "1", "right-0": "So.\n\n Thus. ", "points-0": "2,5", "points-1": "1"}
    why, how = make_choices(quiz, [], fields)
    assert why.wanted == ("Why?", ["So.", "Thus."], 2.5)
    assert "no right answer" in how.problem


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"right-0": ""}, "no right answer"),
        ({"right-0": "x" * 5001}, "5,000 characters"),
        ({"right-0": "x", "points-0": "0"}, "above 0"),
        ({"right-0": "x", "points-0": "many"}, "above 0"),
        ({"right-0": "x", "points-0": "inf"}, "above 0"),
    ],
)
def test_what_is_wrong_with_a_question(fields, words):
    (choice,) = make_choices(Quiz((QuizQuestion("a", "Why?"),)), [], {"take-0": "1", **fields})
    assert words in choice.problem
