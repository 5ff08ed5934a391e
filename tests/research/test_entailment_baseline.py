"""The word-overlap baseline of entailment on small made-up pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.data.formats.rte import Pair
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.errors import PostilError
from postil.research.baselines import WordOverlap, word_coverage

TWO, THREE = ENTAILMENT_SCHEMES["2way"], ENTAILMENT_SCHEMES["3way"]


@pytest.fixture
def pairs() -> list[Pair]:
    texts = [("the bell rings at noon", "the bell rings"), ("a dog runs home", "a dog runs")]
    covered = [Pair(f"y{n}", t, h, "ENTAILMENT") for n, (t, h) in enumerate(texts * 3)]
    apart = [Pair(f"n{n}", t, "cats sleep", "UNKNOWN") for n, (t, _) in enumerate(texts * 2)]
    against = [Pair("c0", "the bell rings", "no cats", "CONTRADICTION")]
    return [*covered, *apart, *against]


@pytest.mark.parametrize(
    ("text", "hypothesis", "share"),
    [
        ("The bell rings at noon.", "A bell rings", 2 / 3),
        ("The bell, rings!", "the bell rings", 1),
        ("noon", "bell", 0),
        ("a b", "a a c d", 1 / 2),
        ("", "bell", 0),
        ("bell", "", 1),
    ],
)
def test_coverage_by_hand(text, hypothesis, share):
    assert word_coverage(Pair("1", text, hypothesis)) == pytest.approx(share)


def test_it_learns_how_much_is_enough(pairs):
    test = [
        Pair("1", "the moon shines at night", "the moon shines"),
        Pair("2", "the moon shines at night", "birds sing"),
        Pair("3", "the moon shines at night", "the birds sing"),
    ]
    judged = WordOverlap().fit(pairs).predict(test, TWO)
    assert [(item.id, item.label) for item in judged[:2]] == [("1", "ENTAILMENT"), ("2", "NO_ENTAILMENT")]
    confidence = [item.confidence for item in judged]
    assert 1 >= confidence[0] > confidence[2] > confidence[1] >= 0
    assert all((item.confidence >= 0.5) == (item.label == "ENTAILMENT") for item in judged)


def test_three_way_has_the_usual_negative(pairs):
    test = [Pair("2", "the moon shines", "birds sing")]
    assert WordOverlap().fit(pairs).predict(test, THREE)[0].label == "UNKNOWN"
    flipped = {"UNKNOWN": "CONTRADICTION", "CONTRADICTION": "UNKNOWN"}
    others = [replace(pair, label=flipped.get(pair.label, pair.label)) for pair in pairs]
    assert WordOverlap().fit(others).predict(test, THREE)[0].label == "CONTRADICTION"
    two_way = [replace(p, label=p.label if p.label == "ENTAILMENT" else "NO_ENTAILMENT") for p in pairs]
    assert WordOverlap().fit(two_way).predict(test, THREE)[0].label == "UNKNOWN"


def test_labels_are_not_read_when_judging_and_runs_repeat(pairs):
    model = WordOverlap().fit(pairs)
    hidden = [replace(pair, label=None) for pair in pairs]
    wrong = [replace(pair, label="CONTRADICTION") for pair in pairs]
    for scheme in (TWO, THREE):
        given = model.predict(pairs, scheme)
        assert given == model.predict(hidden, scheme) == model.predict(wrong, scheme)
        assert given == WordOverlap().fit(pairs).predict(pairs, scheme)


@pytest.mark.parametrize("label", ["ENTAILMENT", "NO_ENTAILMENT"])
def test_one_kind_of_pair_teaches_nothing(pairs, label):
    with pytest.raises(PostilError, match="pairs without"):
        WordOverlap().fit([replace(pair, label=label) for pair in pairs])
