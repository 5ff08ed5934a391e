"""The words for judged answers fit their labels, whatever the alignment shows."""

from __future__ import annotations

import pytest

from postil.data.judgements import AlignedPair, Alignment
from postil.data.labels import PARTLY
from postil.explain import notes
from postil.explain.differences import find_differences
from postil.explain.notes import for_student
from postil.language.document import Document
from postil.language.pipeline import analyse, analyse_tokens

QUESTION = analyse("What happens to the price when demand rises, and why?")
REFERENCE = "the price rises because buyers compete for the product"
LABELS = ("correct", PARTLY, "contradictory", "irrelevant", "non_domain")
FAULTS = ("opposite", "denies", "contradict", "nothing", "not yet", "again", "wrong", "but")


def for_teacher(*case, **options) -> str:
    """All that is said to a teacher: the note, and what to check."""
    return " ".join(filter(None, notes.for_teacher(*case, **options)))


def aligned(
    answer: str, *links: tuple[str, str, str], reference: str = REFERENCE
) -> tuple[object, Document, Document]:
    """The differences of an answer from the reference; a link is two phrases and a type."""
    words, others = answer.split(), reference.split()

    def numbers(text: str, phrase: str, all_words: list[str]) -> tuple[int, ...]:
        start = all_words.index(phrase.split()[0]) + 1
        assert phrase in text
        return tuple(range(start, start + len(phrase.split())))

    found = [
        Alignment(
            numbers(answer, one, words),
            numbers(reference, other, others),
            (kind,),
            5 if kind == "EQUI" else 3,
        )
        for one, other, kind in links
    ]
    for place, side in enumerate((words, others)):
        taken = {number for one in found for number in (one.source, one.target)[place]}
        loose = tuple(number for number in range(1, len(side) + 1) if number not in taken)
        if loose:
            found.append(Alignment(*((), loose) if place else (loose, ()), ("NOALI",), None))
    pair = AlignedPair("1", tuple(words), tuple(others), tuple(found))
    first, second = analyse_tokens([words, others])
    return find_differences(pair, first, second), first, second


ALL = aligned("the price rises", ("the price", "the price", "EQUI"), ("rises", "rises", "EQUI"))
OPPOSITE = aligned("the price falls", ("the price", "the price", "EQUI"), ("falls", "rises", "OPPO"))
RELATED = aligned("the price wobbles", ("the price", "the price", "EQUI"), ("wobbles", "rises", "REL"))
NOTHING = aligned("I like apples")


@pytest.mark.parametrize("case", [ALL, OPPOSITE, RELATED, NOTHING])
def test_a_correct_answer_is_not_reproached(case):
    told = (for_teacher(*case, "correct"), for_student(*case, "correct", QUESTION))
    assert not [fault for fault in FAULTS for text in told if fault in text.lower()]


def test_what_was_not_found_is_asked_for_where_a_person_looks():
    assert for_teacher(*ALL, "correct") == (
        "Like the reference, the answer says that the price rises. "
        "It does not say that buyers compete for the product."
    )
    assert for_teacher(*ALL, "correct", deferred=True) == (
        "Like the reference, the answer says that the price rises. "
        "Please check: it does not say that buyers compete for the product."
    )
    assert for_student(*OPPOSITE, "correct", deferred=True) == "Your answer looks right."


def test_a_part_is_right_and_a_part_is_missing():
    assert for_teacher(*ALL, PARTLY) == (
        "Like the reference, the answer says that the price rises. "
        "It does not say that buyers compete for the product."
    )
    assert for_student(*ALL, PARTLY, QUESTION) == (
        "You are right that the price rises. Say more clearly why the price rises."
    )


def test_partly_right_is_neither_all_nor_nothing():
    same = aligned(
        "the price rises", ("the price rises", "the price rises", "EQUI"), reference="the price rises"
    )
    assert for_teacher(*same, PARTLY) == "The answer covers much of the reference, but not all of it."
    assert for_student(*same, PARTLY) == "You are right that the price rises. Something is still missing."
    assert for_teacher(*NOTHING, PARTLY).startswith("The answer covers part of the reference.")
    assert for_student(*NOTHING, PARTLY) == "Your answer is partly right: something is still missing."
    assert "opposite" not in for_teacher(*OPPOSITE, PARTLY)


def test_the_contradiction_comes_first():
    assert for_teacher(*OPPOSITE, "contradictory").startswith(
        "The answer says “falls”, but the reference says the opposite: “rises”."
    )
    assert for_student(*OPPOSITE, "contradictory", QUESTION) == "You say that the price falls. Is that right?"


def test_no_contradiction_is_invented():
    assert for_teacher(*RELATED, "contradictory").startswith(
        "The answer contradicts the reference, which says that the price rises because buyers compete for "
        "the product."
    )
    assert for_student(*RELATED, "contradictory", QUESTION).startswith(
        "Something in your answer is not right."
    )
    assert for_student(*ALL, "contradictory", QUESTION) == "Something in your answer is not right."


def test_off_the_point():
    assert for_teacher(*RELATED, "irrelevant").startswith(
        "The answer mentions the price, as the reference does, but is off the point."
    )
    assert for_teacher(*NOTHING, "irrelevant").startswith("The answer is off the point: the")
    assert for_student(*NOTHING, "irrelevant", QUESTION).startswith(
        "Your answer does not answer the question yet. "
    )
    assert for_student(*NOTHING, "non_domain", QUESTION).endswith("Read the question again.")


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("case", [ALL, OPPOSITE, RELATED, NOTHING])
def test_nothing_is_given_away(label, case):
    told = for_student(*case, label, QUESTION)
    assert told[0].isupper()
    assert told[-1] in ".?"
    assert not {"buyers", "compete", "product"} & set(told.strip(".?").split())


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("case", [ALL, OPPOSITE, RELATED, NOTHING])
def test_a_teacher_is_told_in_whole_sentences(label, case):
    told = for_teacher(*case, label)
    assert told.startswith(("The answer ", "Like the reference, the answer "))
    assert told.endswith((".", "”."))
    assert told == for_teacher(*case, label)


def test_a_reference_of_several_sentences_is_quoted_as_it_stands():
    case = aligned("I like apples", reference="No. The price rises.")
    assert for_teacher(*case, "contradictory") == (
        "The answer contradicts the reference, which says “No. The price rises”."
    )


def test_a_condition_is_no_denial():
    case = aligned(
        "if connected it is zero", ("connected", "not connected", "OPPO"), reference="they are not connected"
    )
    assert for_teacher(*case, "contradictory").startswith("The answer contradicts the reference, which says")


def test_an_opposite_that_the_answer_has_too_is_no_contradiction():
    both = aligned(
        "the shadow points west and the sun is east",
        ("the shadow", "the shadow", "EQUI"),
        ("points", "points", "EQUI"),
        ("west", "east", "OPPO"),
        reference="the shadow points east",
    )
    assert for_teacher(*both, "contradictory").startswith("The answer contradicts the reference, which says")
