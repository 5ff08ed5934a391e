"""Reading a text with a hypothesis: pronouns, sentences, words, names, numbers, polarity, certainty."""

from __future__ import annotations

import time

import pytest

from postil.entailment.findings import WORDS, bonds, denied, left_open, word_evidence
from postil.entailment.reading import (
    Outcome,
    Reading,
    compare_numbers,
    condensed,
    is_near,
    mentions,
    read_pair,
    supports_name,
)
from postil.language.pipeline import analyse


def read(text: str, hypothesis: str) -> Reading:
    return read_pair(analyse(text), analyse(hypothesis))


def evidence(text: str, hypothesis: str) -> dict[str, float]:
    return dict(zip(WORDS, word_evidence(read(text, hypothesis)), strict=True))


def stands_for(text: str) -> dict[str, str]:
    document = analyse(text)
    return {
        document.tokens[index].text: " ".join(document.tokens[place].text for place in thing)
        for index, thing in mentions(document).items()
    }


@pytest.mark.parametrize(
    ("text", "word", "meant"),
    [
        ("Ellen Park founded the club. She led it for years.", "She", "Ellen Park"),
        ("Ellen Park founded the club. Park led it for years.", "Park", "Ellen Park"),
        ("The farmers sold the mill. They moved to Leeds.", "They", "farmers"),
        ("The battery is new. It drives the motor.", "It", "battery"),
    ],
)
def test_what_pronouns_and_short_names_stand_for(text, word, meant):
    assert stands_for(text)[word] == meant


def test_a_pronoun_without_anything_before_it_stands_for_nothing():
    assert stands_for("She sleeps.") == {}


def test_the_sentence_that_bears_on_the_hypothesis():
    reading = read("Rain fell in Bath. Ellen Park won the race. Trains were late.", "Park won a race.")
    assert reading.sentence == 1


def test_a_pronoun_supports_what_its_name_does():
    reading = read("Ellen Park is a baker. In May she won the race.", "Park won the race.")
    assert reading.sentence == 1
    assert reading.shares[1] == pytest.approx(1)


def test_long_texts_are_condensed_to_what_bears_on_the_hypothesis():
    dull = "The weather was fine and the streets were full of people. " * 20
    reading = read(f"{dull}Ellen Park won the race. {dull}", "Park won the race.")
    short = condensed(reading.text, reading.shares, 40)
    assert "Ellen Park won the race." in short
    assert len(short.split()) <= 45
    assert condensed(reading.text, reading.shares, 10_000) == reading.text.text


@pytest.mark.parametrize(
    ("text", "hypothesis", "missing"),
    [
        ("He owns a poodle.", "He owns a dog.", 0),
        ("He owns a dog.", "He owns a poodle.", 1),
        ("The company bought the mill.", "The company purchased the mill.", 0),
    ],
)
def test_kinds_and_synonyms_support(text, hypothesis, missing):
    assert evidence(text, hypothesis)["nouns_missing"] == missing


def test_names_nearly_alike_and_places_inside_places():
    assert is_near("mercedes", "mercedez")
    assert is_near("jersey", "yersey")
    assert not is_near("iran", "iraq")
    assert not is_near("mercedes", "mercury")
    assert supports_name("London", "Europe")
    assert not supports_name("Europe", "London")


def test_missing_names_are_counted():
    assert evidence("Ellen Park lives in Namibia.", "Ellen Park lives in Africa.")["names_missing"] == 0
    assert evidence("Ellen Park lives in Namibia.", "Ellen Park lives in Peru.")["names_missing"] == 1


@pytest.mark.parametrize(
    ("text", "hypothesis", "outcome"),
    [
        ("Twelve people died.", "12 people died.", Outcome.SUPPORTED),
        ("Twelve people died.", "Ten people died.", Outcome.CONTRADICTED),
        ("Twelve people died.", "More than ten people died.", Outcome.SUPPORTED),
        ("Twelve people died.", "At least 20 people died.", Outcome.CONTRADICTED),
        ("The mill opened in 1988.", "The mill opened in 1990.", Outcome.CONTRADICTED),
        ("The mill is 3 km away.", "The mill is 3000 m away.", Outcome.SUPPORTED),
        ("The mill is old.", "The mill is 300 years old.", Outcome.MISSING),
        ("About 98 people came.", "100 people came.", Outcome.SUPPORTED),
    ],
)
def test_numbers_are_compared(text, hypothesis, outcome):
    assert [number.outcome for number in compare_numbers(analyse(text), analyse(hypothesis))] == [outcome]


@pytest.mark.parametrize(
    "text",
    [
        "The committee may approve the plan.",
        "The committee hopes to approve the plan.",
        "If the committee approves the plan, work begins.",
        "The committee would approve the plan.",
    ],
)
def test_what_may_be_is_left_open(text):
    assert left_open(read(text, "The committee approves the plan.")) is not None


@pytest.mark.parametrize(
    ("text", "hypothesis"),
    [
        ("The committee approved the plan.", "The committee approves the plan."),
        ("The committee may approve the plan.", "The committee may approve the plan."),
        ("The committee may approve it. On Monday it approved the plan.", "The committee approved the plan."),
        ("Sound cannot travel there.", "Sound does not travel there."),
    ],
)
def test_what_is_stated_is_not_open(text, hypothesis):
    assert left_open(read(text, hypothesis)) is None


def test_what_the_text_negates_is_denied():
    reading = read("Penguins are birds, yet they cannot fly.", "Penguins can fly.")
    found = denied(reading)
    assert found is not None
    assert (reading.hypothesis.tokens[found[0]].text, reading.text.tokens[found[1]].text) == ("fly", "fly")


@pytest.mark.parametrize(
    ("text", "hypothesis"),
    [
        ("Penguins cannot fly.", "Penguins do not fly."),
        ("Penguins can fly.", "Penguins can fly."),
        ("Penguins do not sing. Penguins fly.", "Penguins fly."),
    ],
)
def test_what_both_say_is_not_denied(text, hypothesis):
    assert denied(read(text, hypothesis)) is None


def test_bonds_tell_who_does_what():
    same, swapped = bonds(read("The dog bit the man.", "The dog bit the man."))
    assert (same, swapped) == (1.0, 0)
    _, swapped = bonds(read("The dog bit the man.", "The man bit the dog."))
    assert swapped > 0


def test_bonds_need_the_words_to_stand_together():
    apart, _ = bonds(read("The dog sleeps. In spring the girl paints a house.", "The dog paints."))
    assert apart == 0


def test_bonds_of_words_said_again_and_again_are_found_in_linear_time():
    stem = "The open switch made a gap, so the bulb was no longer in a closed path with the battery."
    reading = read(stem + "½ ¾ ⅞ 1⁄2 " * 300, "There is a gap in the path. " + "½ ¾ ⅞ 1⁄2 " * 30)
    begun = time.process_time()
    shared, _ = bonds(reading)
    assert 0 < shared < 1
    assert time.process_time() - begun < 0.5  # .02 on a quiet machine, and 1.5 when every pair was looked at


@pytest.mark.parametrize(("text", "hypothesis"), [("", "A dog."), ("A dog.", ""), ("", ""), ("...", "?")])
def test_texts_without_words_have_evidence_too(text, hypothesis):
    assert len(word_evidence(read(text, hypothesis))) == len(WORDS)
