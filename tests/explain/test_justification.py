"""Justifications of entailment in words."""

from __future__ import annotations

import pytest

from postil.data.judgements import AlignedPair, Alignment
from postil.entailment.entailer import Entailment, load_entailer
from postil.entailment.findings import Difference, Findings
from postil.explain.explanation import justified, justify

SOURCE, TARGET = ("Park", "bought", "a", "mill", "."), ("Park", "purchased", "a", "mill")
ALIGNED = AlignedPair(
    "1",
    SOURCE,
    TARGET,
    (
        Alignment((1,), (1,), ("EQUI",), 5.0),
        Alignment((2,), (2,), ("EQUI",), 5.0),
        Alignment((3, 4), (3, 4), ("EQUI",), 5.0),
    ),
)
CHANCES = {"ENTAILMENT": 0.8, "CONTRADICTION": 0.1, "UNKNOWN": 0.1}


def judged(label: str, **found: object) -> Entailment:
    return Entailment(label, CHANCES, 0.8, Findings("Park bought a mill.", **found))


def test_the_sentence_and_its_other_words_are_named():
    said = justify(judged("ENTAILMENT"), ALIGNED)
    assert said == "The text says so: “Park bought a mill”. It says “bought” for “purchased”."


def test_pronouns_are_explained():
    said = justify(judged("ENTAILMENT", stands_for=(("she", "Ellen Park"),)), ALIGNED)
    assert "Here “she” refers to “Ellen Park”." in said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("number", "The text says “12” where the hypothesis says “10”."),
        ("opposite", "“12” is the opposite of “10”."),
        ("negation", "The text negates “12”."),
        ("open", "“12” does not settle whether “10” is true."),
    ],
)
def test_differences_are_told(kind, said):
    one = judged("CONTRADICTION", differences=(Difference(kind, "10", "12"),))
    assert said in justify(one, ALIGNED)


def test_what_is_missing_is_told_and_not_hidden_where_it_seems_to_follow():
    assert "It does not mention “in May”." in justify(judged("UNKNOWN", unsupported=("in May",)), ALIGNED)
    said = justify(judged("ENTAILMENT", unsupported=("in May",)), ALIGNED)
    assert "It does not mention “in May”, but that seems to follow." in said


def test_what_was_aligned_is_not_called_missing():
    assert "does not mention" not in justify(judged("UNKNOWN", unsupported=("purchased",)), ALIGNED)


def test_where_all_words_are_there_this_is_said():
    assert "does not put them together" in justify(judged("UNKNOWN"), ALIGNED)


def test_long_sentences_are_cut():
    one = Entailment("ENTAILMENT", CHANCES, 0.8, Findings("word " * 100))
    assert len(justify(one, ALIGNED).split()) < 60


def test_the_shipped_models_together():
    texts = ["The bulb is lit.", "", "The bulb is lit."]
    pairs = [("The bulb is not lit.", texts[0]), ("The bulb is lit.", texts[1]), ("", texts[2])]
    first, *empty = justified(texts, load_entailer().judge(pairs))
    assert first.justification.startswith("The text says otherwise: ")
    assert "negates “lit”" in first.justification
    assert all("no words" in one.justification for one in empty)
