"""Answers that say what the reference says in a way that a person should look at."""

from __future__ import annotations

import pytest

from postil.data.judgements import Reason
from postil.grading.oddities import is_question, oddity

DENSE = "Ice is less dense than water because its molecules are farther apart."


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("water molecules apart than less because dense is its ice are farther", Reason.ORDER),
        ("apart farther are molecules its because water than dense less is ice", Reason.ORDER),
        ("apart, dense, farther, ice, less, molecules, water", Reason.ORDER),
        ("Some people say that ice is less dense than water, but that is wrong.", Reason.TAKEN_BACK),
        ("It is less dense than water, or not.", Reason.TAKEN_BACK),
        ("Is ice less dense than water?", Reason.ASKED),
        ("ice is less dense than water", None),
        ("ice less dense, molecules farther apart", None),
        ("because its molecules are farther apart, ice is less dense than water", None),
        ("Its molecules are not packed as closely as those of water.", None),
    ],
)
def test_an_answer_is_taken_at_its_word_unless_it_is_odd(answer: str, reason: Reason | None) -> None:
    assert oddity("Why does ice float?", [DENSE], answer, gullible=True) is reason


def test_words_of_the_question_or_the_reference_take_nothing_back() -> None:
    assert oddity("Is it true or false?", ["It is false."], "It is false.", gullible=True) is None
    assert (
        oddity("Which is wrong?", ["The second is wrong."], "the second one is wrong", gullible=True) is None
    )


RISES = "The hot air rises and the cold air sinks."


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("The cold air rises and the cold air sinks.", Reason.OPPOSITE),
        ("the hot air falls and the cold air sinks", Reason.OPPOSITE),
        ("the hot air doesn't fall and the cold air sinks", None),  # denied, so it is no longer turned
        ("The cold air sinks and the hot air rises.", None),  # both words, both right
        ("The warm air rises and the cool air sinks.", None),
        ("air that is hot goes up, cold air goes down", None),
    ],
)
def test_a_word_turned_into_its_opposite_is_seen_by_every_reader(answer: str, reason: Reason | None) -> None:
    for gullible in (True, False):
        assert oddity("What does air do?", [RISES], answer, gullible=gullible) is reason


@pytest.mark.parametrize(
    ("reference", "answer", "reason"),
    [
        ("The sun warms the sea.", "the sea warms the sun", Reason.ORDER),
        (
            "The large ball is heavier than the small one.",
            "The small ball is heavier than the large one.",
            Reason.ORDER,
        ),
        ("It holds salt and water.", "It holds water and salt.", None),
        ("The sun warms the sea.", "The sea is warmed by the sun.", None),
        ("Plants grow when they have light.", "when they have light plants grow", None),
    ],
)
def test_things_that_have_changed_places_are_seen_by_every_reader(reference, answer, reason) -> None:
    assert oddity("What happens?", [reference], answer, gullible=False) is reason


def test_a_word_with_a_prefix_is_the_opposite_of_the_one_without() -> None:
    question, reference = "Why is it off?", "The lamp is connected to the wrong wire."
    answer = "The lamp is unconnected to the wrong wire."
    assert oddity(question, [reference], answer, gullible=False) is Reason.OPPOSITE


def test_an_answer_is_turned_only_beside_the_reference_that_it_is_closest_to() -> None:
    references = ["It is connected to the positive pole.", "It is not connected to the negative pole."]
    assert oddity("Why?", references, "It is connected to the negative pole.", gullible=False) is None
    assert oddity("Why?", references, "It is not connected to the negative pole", gullible=False) is None
    assert oddity("Why?", references[:1], "It is connected to the negative pole.", gullible=False) is not None


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("Paris?", True),
        ("is it Paris ?!", True),
        ("(is it Paris?)", True),
        ("“Is it Paris?”", True),
        ("The book is called “Is Paris Burning?”", False),
        ("It's not a trick question, is it? Anyway, Paris.", False),
        ("could it be Paris", True),
        ("hmm, is it Paris or what", True),
        ("is the capital of France", False),
        ("is that it has the most people", False),
        ("Paris", False),
        ("?", True),
    ],
)
def test_what_is_asked_is_no_title(answer: str, asked: bool) -> None:
    assert is_question("What is the capital of France?", ["Paris"], answer) == asked


def test_who_quotes_the_question_or_is_asked_for_a_question_does_not_ask() -> None:
    question = 'Ann asks: "Does ice float?" What does she ask?'
    assert not is_question(question, ["She asks about ice."], "She asks: does ice float?")
    assert not is_question("What would you ask?", ["Does ice float?"], "does ice swim?")


def test_many_facts_at_once_are_looked_at_unless_more_than_one_was_asked_for() -> None:
    question, reference = "Why does ice float?", "It is less dense than water."
    facts = " ".join(["It is less dense.", *["Iron rusts in wet air."] * 6])
    assert oddity(question, [reference], facts, gullible=False) is Reason.WORDY
    assert oddity(question, [reference, facts], facts, gullible=False) is None
    assert oddity(f"{question} Why does iron rust?", [reference], facts, gullible=False) is None
    # A name may stand in a sentence of any length.
    assert oddity("What floats?", ["ice"], "it is ice that floats on water", gullible=False) is None
