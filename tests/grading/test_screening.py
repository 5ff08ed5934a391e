"""Screening of questions: a written list of good and doubtful ones, and what the sentences say."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from postil.data.questions import Question, Reference
from postil.grading.asks import find_asks
from postil.grading.screening import KINDS, Concern, screen

CASES = Path(__file__).parents[1] / "fixtures" / "screening.tsv"
# What screening gets wrong, and why; all the rest of the list is right.
KNOWN_FAILURES = {
    "How many apples are there in all?": "nothing in the words says that there is a picture",
    "How could a town reduce its traffic?": "an open question without any of the words of one",
    "Why do magnets attract iron?": "true and on the topic, but not the reason",
    "Why did Pat's teacher recommend using the weather map when planning a trip?": "no pupil need see it",
}


def asked(text: str, *references: str) -> Question:
    return Question("q", text, tuple(Reference(f"r{place}", one) for place, one in enumerate(references, 1)))


@cache
def cases() -> tuple[tuple[Question, frozenset[str], frozenset[str]], ...]:
    """Every question of the list with the kinds of concern expected and found."""
    with CASES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))
    found = []
    for row in rows:
        question = asked(row["question"], *filter(None, row["references"].split(" // ")))
        kinds = frozenset(concern.kind for concern in screen(question))
        found.append((question, frozenset(row["kinds"].split()), kinds))
    return tuple(found)


def test_the_list_is_long_and_balanced():
    expected = [kinds for _, kinds, _ in cases()]
    assert len(expected) >= 60
    assert 0.4 < sum(not kinds for kinds in expected) / len(expected) < 0.6
    assert frozenset[str]().union(*expected) == set(KINDS)


def test_the_written_list():
    wrong = {question.text: (expected, found) for question, expected, found in cases() if expected != found}
    assert len(KNOWN_FAILURES) <= 4
    assert wrong.keys() == KNOWN_FAILURES.keys(), wrong


def test_precision_and_recall_of_each_kind(record_property):
    right, expected, found = Counter[str](), Counter[str](), Counter[str]()
    for _, wanted, got in cases():
        right.update(wanted & got)
        expected.update(wanted)
        found.update(got)
    for kind in KINDS:
        precision, recall = right[kind] / found[kind], right[kind] / expected[kind]
        sys.stdout.write(f"{kind}: precision {precision:.3f}, recall {recall:.3f} of {expected[kind]}\n")
        record_property(kind, (precision, recall))
        assert precision >= 0.9
        assert recall >= 0.9


def test_every_sentence_is_one_and_says_what_to_do():
    sentences = {concern.sentence for question, _, _ in cases() for concern in screen(question)}
    for sentence in sentences:
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        problem, remedy = sentence.rsplit(": ", 1)
        assert problem
        assert remedy.split()[0] in {"add", "begin", "check", "put", "say", "split", "write"}, sentence


def test_concerns_come_in_order_and_cannot_be_changed():
    concerns = screen(asked("Look at the map. Name one river. Where does it end?"))
    assert [concern.kind for concern in concerns] == [
        "missing_material",
        "many_right_answers",
        "no_reference",
        "two_questions",
    ]
    with pytest.raises(AttributeError):
        concerns[0].sentence = ""


def test_the_sentence_names_what_is_pointed_to():
    (concern,) = screen(asked("What does   the bar\ngraph show about ice?", "It melts faster in salt water."))
    assert "“the bar graph show”" in concern.sentence


def test_the_sentence_names_the_reference():
    concerns = screen(asked("Why does iron rust?", "It reacts with water and oxygen.", "See rubric", "?"))
    assert [one.sentence.split(" ")[:2] for one in concerns] == [["Reference", "2"], ["Reference", "3"]]


@pytest.mark.parametrize(("references", "expected"), [((), 2), (("Copper.",), 1), (("Copper.", "Iron."), 0)])
def test_more_references_than_are_asked_for_settle_an_open_question(references, expected):
    assert len(screen(asked("Give an example of a metal.", *references))) == expected


def test_a_list_of_two_wants_three_references():
    two, three = ("Wind and sun.", "Tides and wind."), ("Wind and sun.", "Tides and wind.", "Sun and tides.")
    question = "List two sources of energy that do not run out."
    assert [one.kind for one in screen(asked(question, *two))] == ["many_right_answers"]
    assert screen(asked(question, *three)) == ()


@pytest.mark.parametrize(
    ("reference", "kinds"),
    [
        ("It sinks.", ["two_questions"]),
        ("It sinks, because it is denser than water.", []),
        ("It sinks. Stone is denser than water.", []),
    ],
)
def test_a_reason_asked_for_and_given_is_no_second_question(reference, kinds):
    question = asked("What happens to a stone in water? Explain your answer.", reference)
    assert [one.kind for one in screen(question)] == kinds


@pytest.mark.parametrize("text", ["", " \n", "?", "…"])
def test_an_empty_question(text):
    assert [concern.kind for concern in screen(asked(text, "It is warm."))] == ["missing_material"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Ice floats.", ()),
        ("Why does ice float?", ("Why does ice float?",)),
        ("Is it 3.5 m long? Describe it.", ("Is it 3.5 m long?", "Describe it.")),
        ("What floats, and why?", ("What floats", "why?")),
        ("Have you ever seen ice? Why does it float?", ("Why does it float?",)),
        ("Which one floats? A. lead (B. ice) C. iron. Explain why.", ("Explain why.",)),
    ],
)
def test_asks(text, asks):
    assert find_asks(text) == asks


def test_long_and_odd_texts_do_not_hurt():
    for text in ("why " * 3000, "\x00\x01?", "¿Por qué?", "the " * 5000 + "picture below"):
        assert all(isinstance(concern, Concern) for concern in screen(asked(text, text)))
