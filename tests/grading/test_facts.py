"""Answers that name a fact: amounts with units, names, lists of things."""

from __future__ import annotations

import pytest

from postil.data.judgements import Reason
from postil.grading.answers import plain_case
from postil.grading.facts import items_named, names_others, other_amount, same_fact
from postil.grading.oddities import oddity

LONG = "How long is the table?"
GASES = "Name two gases in the air."


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("The table is 1.2 metres long.", True),
        ("it's 120cm", True),
        ("The table is not 120 cm long.", False),
        ("The table is 120 cm or 2 m long.", False),
        ("the table is more than 120 cm long", False),
        ("The table is 2.1 metres long.", False),
        ("120 cm wide", False),
    ],
)
def test_an_amount_may_stand_in_the_words_of_its_question(answer: str, same: bool) -> None:
    assert same_fact(LONG, "120 cm", answer) == same


def test_thousands_may_be_parted_by_blanks() -> None:
    assert same_fact("How fast is light?", "300,000 km/s", "300 000 km/s")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("120 m", True),
        ("120", True),
        ("The table is 2.1 metres long.", True),
        ("1.2 m", False),
        ("as long as my bed", False),
        ("120 cm and then something", False),
    ],
)
def test_another_amount_is_left_to_a_person(answer: str, other: bool) -> None:
    assert other_amount(LONG, ["120 cm"], answer) == other
    reason = oddity(LONG, ["120 cm"], answer, gullible=False)
    assert reason is (Reason.NUMBER if other else None)


def test_another_number_in_the_same_place_is_left_to_a_person() -> None:
    reference = "The war lasted from 1914 to 1918 and 65,000 died."
    for answer, reason in {
        "The war lasted from 1914 to 1919 and 65,000 died.": Reason.NUMBER,
        "the war lasted from 1914 to 1918 and 65000 died": None,
    }.items():
        assert oddity("What do you know?", [reference], answer, gullible=False) is reason


@pytest.mark.parametrize(
    ("references", "answer", "label"),
    [
        (["nitrogen and oxygen"], "oxygen", "partially_correct_incomplete"),
        (["nitrogen and oxygen"], "oxygen, nitrogen", "correct"),
        (["nitrogen and oxygen"], "oxygen and iron", None),
        (["nitrogen", "oxygen", "argon"], "argon", "partially_correct_incomplete"),
        (["nitrogen", "oxygen", "argon"], "argon and oxygen", "correct"),
        (["nitrogen", "oxygen", "argon"], "argon and oxygen, nitrogen", "correct"),
        (["nitrogen", "oxygen", "argon"], "argon and iron", None),
        (["nitrogen, oxygen, argon"], "argon and oxygen", "correct"),
        (["nitrogen and oxygen", "argon and neon"], "argon and oxygen", None),
        (["There is nitrogen and there is oxygen."], "oxygen", None),
        (["nitrogen"], "nitrogen", "correct"),  # the reference names fewer as well
    ],
)
def test_what_is_asked_for_is_counted(references: list[str], answer: str, label: str | None) -> None:
    case = plain_case(GASES, references, answer)
    assert (case.label if case else None) == label


def test_nothing_is_counted_where_no_number_or_an_order_is_asked_for() -> None:
    assert items_named("Which gases are in the air?", ["nitrogen and oxygen"], "oxygen") is None
    assert items_named("Name the first two stages.", ["egg and larva"], "larva, egg") is None


@pytest.mark.parametrize(
    ("question", "reference", "answer", "others"),
    [
        ("What is the capital of France?", "Paris", "Paris or Lyon", True),
        ("What is the capital of France?", "Paris", "Paris, London, Rome", True),
        ("Which planet is the largest?", "Jupiter", "Saturn and Jupiter", True),
        ("When did it end?", "1945", "1945 or 1946", True),
        ("What is the capital of France?", "Paris", "Paris and nothing else than France", False),
        ("Where was it?", "Sydney", "Sydney, Australia", False),
        ("When was it?", "1 May 1931", "May 1, 1931", False),
        ("Was it Paris or Lyon?", "Paris", "Paris or rather not Lille", False),
        ("Which planet is the largest?", "Jupiter", "It is Jupiter, I think", False),
        ("Why?", "The lamp and the cell are both in the path.", "The lamp or the wire is.", False),
    ],
)
def test_who_names_other_things_as_well_is_left_to_a_person(
    question: str, reference: str, answer: str, others: bool
) -> None:
    assert names_others(question, [reference], answer) == others


def test_words_may_be_written_as_one() -> None:
    assert plain_case("Which gas is it?", ["carbon dioxide"], "carbondioxide") is not None
    assert plain_case("Which numbers are they?", ["12 3"], "1 23") is None
