"""The label scorer by hand, by its laws, and against a plain re-implementation."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil import __version__
from postil.data.formats.sra import LabelledItem
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES
from postil.errors import MismatchError
from postil.scoring.responses import (
    check_ids,
    class_scores,
    guess_corpus,
    score_labels,
    tally_classes,
    tally_labels,
)
from postil.scoring.significance import SumTally

FIVE, THREE, TWO = (RESPONSE_SCHEMES[name] for name in ("5way", "3way", "2way"))
SHORT = {
    "c": "correct",
    "p": "partially_correct_incomplete",
    "x": "contradictory",
    "i": "irrelevant",
    "n": "non_domain",
}


def runs(labels=FIVE.labels, min_size=1):
    label = st.sampled_from(labels)
    return st.lists(st.tuples(label, label), min_size=min_size, max_size=40)


def score(pairs, scheme=FIVE, corpus=""):
    gold = [LabelledItem(str(number), label) for number, (label, _) in enumerate(pairs)]
    given_labels = {str(number): label for number, (_, label) in enumerate(pairs)}
    return score_labels("sra", tally_labels(gold, given_labels, scheme, corpus), scheme, corpus)


def plain(pairs, labels, macro_labels):
    """The challenge's definitions, one loop at a time."""
    by_class = {}
    for label in labels:
        hits = sum(a == b == label for a, b in pairs)
        predicted = sum(b == label for _, b in pairs)
        true = sum(a == label for a, _ in pairs)
        if not predicted and not true:
            by_class[label] = (1.0, 1.0, 1.0, 0)
            continue
        p = hits / predicted if predicted else 0.0
        r = hits / true if true else 0.0
        by_class[label] = (p, r, 2 * p * r / (p + r) if p + r else 0.0, true)
    figures = {"accuracy": sum(a == b for a, b in pairs) / len(pairs)}
    for index, name in enumerate(("precision", "recall", "f1")):
        figures[f"macro_{name}"] = sum(by_class[x][index] for x in macro_labels) / len(macro_labels)
        figures[f"weighted_{name}"] = sum(x[index] * x[3] for x in by_class.values()) / len(pairs)
    figures["macro_f1_5"] = sum(x[2] for x in by_class.values()) / len(labels)
    return by_class, figures


@settings(deadline=None, max_examples=100)
@given(runs(), st.sampled_from(["", "beetle", "sciEntsBank"]), st.sampled_from([FIVE, THREE, TWO]))
def test_agrees_with_a_plain_implementation(pairs, corpus, scheme):
    collapsed = [(scheme.collapse(a), scheme.collapse(b)) for a, b in pairs]
    macro = [x for x in scheme.labels if not (x == "non_domain" and corpus == "sciEntsBank")]
    by_class, figures = plain(collapsed, scheme.labels, macro)
    given_score = score(pairs, scheme, corpus)
    assert dict(given_score.metrics) == pytest.approx(figures, abs=1e-12)
    for label, wanted in by_class.items():
        found = given_score.per_class[label]
        assert (found.precision, found.recall, found.f1, found.support) == pytest.approx(wanted)
    assert all(0 <= value <= 1 for value in given_score.metrics.values())


def test_by_hand():
    # gold c c c p x, given c c p p c: P(c) = 2/3, R(c) = 2/3; P(p) = 1/2, R(p) = 1; x never found.
    pairs = [tuple(SHORT[letter] for letter in pair) for pair in ("cc", "cc", "cp", "pp", "xc")]
    result = score(pairs)
    assert result.per_class["correct"].f1 == pytest.approx(2 / 3)
    assert result.per_class["partially_correct_incomplete"].f1 == pytest.approx(2 / 3)
    assert result.per_class["contradictory"].f1 == 0
    assert result.per_class["irrelevant"].f1 == 1  # neither in the gold nor predicted
    assert result.metrics["macro_f1"] == pytest.approx((2 / 3 + 2 / 3 + 0 + 1 + 1) / 5)
    assert result.metrics["weighted_f1"] == pytest.approx((3 * 2 / 3 + 2 / 3) / 5)
    assert result.metrics["accuracy"] == pytest.approx(3 / 5)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from(FIVE.labels), min_size=1, max_size=30))
def test_a_perfect_run_scores_one(labels):
    for corpus in ("beetle", "sciEntsBank"):
        for scheme in (FIVE, THREE, TWO):
            metrics = score([(label, label) for label in labels], scheme, corpus).metrics
            assert set(metrics.values()) == {1.0}


@settings(deadline=None, max_examples=50)
@given(runs(), st.randoms())
def test_the_order_of_rows_does_not_matter(pairs, shuffler: random.Random):
    gold = [LabelledItem(str(number), label) for number, (label, _) in enumerate(pairs)]
    labels = [(str(number), label) for number, (_, label) in enumerate(pairs)]
    before = score_labels("sra", tally_labels(gold, dict(labels), FIVE), FIVE)
    shuffler.shuffle(gold)
    shuffler.shuffle(labels)
    after = score_labels("sra", tally_labels(gold, dict(labels), FIVE), FIVE)
    assert dict(after.metrics) == pytest.approx(dict(before.metrics))


@settings(deadline=None, max_examples=50)
@given(runs())
def test_collapsing_in_steps_is_collapsing_at_once(pairs):
    three = [(THREE.collapse(a), THREE.collapse(b)) for a, b in pairs]
    assert dict(score(pairs, THREE).metrics) == dict(score(three, THREE).metrics)
    # 3-way keeps contradictory apart; 2-way can be reached from either.
    two = [(TWO.collapse(a), TWO.collapse(b)) for a, b in three]
    assert None not in {label for pair in two for label in pair}
    assert dict(score(pairs, TWO).metrics) == dict(score(two, TWO).metrics)
    assert score(pairs, TWO).metrics["accuracy"] >= score(pairs, THREE).metrics["accuracy"]
    assert score(pairs, THREE).metrics["accuracy"] >= score(pairs).metrics["accuracy"]


def test_the_classes_of_each_scheme():
    assert [THREE.collapse(label) for label in FIVE.labels] == [
        "correct",
        "incorrect",
        "contradictory",
        "incorrect",
        "incorrect",
    ]
    assert {TWO.collapse(label) for label in FIVE.labels[1:]} == {"incorrect"}
    assert FIVE.collapse("incorrect") is None


def test_scientsbank_leaves_non_domain_out_of_the_main_macro_average_only():
    pairs = [(SHORT["c"], SHORT["c"]), (SHORT["n"], SHORT["c"]), (SHORT["p"], SHORT["p"])]
    beetle, scientsbank = score(pairs, corpus="beetle"), score(pairs, corpus="sciEntsBank")
    # F1: correct 2/3, partially 1, contradictory and irrelevant absent 1, non_domain 0.
    assert beetle.metrics["macro_f1"] == pytest.approx((2 / 3 + 3) / 5)
    assert scientsbank.metrics["macro_f1"] == pytest.approx((2 / 3 + 3) / 4)
    assert scientsbank.metrics["macro_f1_5"] == beetle.metrics["macro_f1_5"] == beetle.metrics["macro_f1"]
    assert scientsbank.metrics["weighted_f1"] == beetle.metrics["weighted_f1"]
    assert scientsbank.signature == f"task:sra|scheme:5way|classes:4|n:3|v:{__version__}"
    assert "classes:5" in beetle.signature
    for scheme in (THREE, TWO):
        assert dict(score(pairs, scheme, "sciEntsBank").metrics) == dict(score(pairs, scheme).metrics)


def test_scientsbank_is_known_by_its_ids():
    assert guess_corpus(["EM.45b.110.1", "VB.1.2.3"]) == "sciEntsBank"
    assert guess_corpus(["EM.45b.110.1", "FaultFinding-BULB_C_VOLTAGE_EXPLAIN_WHY1.sbj3-l1.qa193"]) == ""


def test_facets_collapse_contradicted():
    gold = [LabelledItem("f1*a", "Contradicted"), LabelledItem("f2*a", "Expressed")]
    given_labels = {"f1*a": "Unaddressed", "f2*a": "Expressed"}
    two = score_labels(
        "facets", tally_labels(gold, given_labels, FACET_SCHEMES["2way"]), FACET_SCHEMES["2way"]
    )
    three = score_labels(
        "facets", tally_labels(gold, given_labels, FACET_SCHEMES["3way"]), FACET_SCHEMES["3way"]
    )
    assert two.metrics["accuracy"] == 1
    assert three.metrics["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("gold", "system", "named"),
    [
        (["a", "b"], ["a"], "'b'"),
        (["a"], ["a", "z"], "'z'"),
        (["a", "b"], ["a", "z"], "'z'"),
        (["a", "a"], ["a"], "more than once in the gold"),
        (["a"], ["a", "a"], "more than once in the system"),
    ],
)
def test_items_must_be_the_same(gold, system, named):
    with pytest.raises(MismatchError, match=named):
        check_ids(gold, system)


def test_mismatched_runs_are_refused():
    gold = [LabelledItem("1", "correct"), LabelledItem("2", "correct")]
    with pytest.raises(MismatchError, match="'3'"):
        tally_labels(gold, {"1": "correct", "3": "correct"}, FIVE)
    with pytest.raises(MismatchError, match="'incorrect'"):
        tally_labels(gold, {"1": "correct", "2": "incorrect"}, FIVE)
    with pytest.raises(MismatchError, match="gold"):
        tally_labels([LabelledItem("1", "incorrect")], {"1": "correct"}, FIVE)


@settings(deadline=None, max_examples=40)
@given(runs(min_size=2), st.integers(0, 2**32 - 1))
def test_resampling_is_scoring_the_repeated_items(pairs, seed):
    gold, labels = zip(*pairs, strict=True)
    tally = tally_classes(gold, labels, FIVE)
    weights = np.random.default_rng(seed).integers(0, 4, size=(3, len(pairs)))
    weights[:, 0] += 1  # at least one item
    resampled = tally.resampled(weights.astype(np.float32))
    for row, times in enumerate(weights):
        repeated = [pair for pair, count in zip(pairs, times, strict=True) for _ in range(count)]
        wanted = score(repeated).metrics
        assert {name: values[row] for name, values in resampled.items()} == pytest.approx(dict(wanted))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(*[st.sampled_from(FIVE.labels)] * 3, st.booleans()), min_size=1, max_size=30))
def test_swapping_is_scoring_the_exchanged_items(rows):
    gold, one, two, mask = (list(column) for column in zip(*rows, strict=True))
    first, second = tally_classes(gold, one, FIVE), tally_classes(gold, two, FIVE)
    swapped = first.swapped(second, np.array([mask]))
    exchanged = [(b, a) if swap else (a, b) for a, b, swap in zip(one, two, mask, strict=True)]
    for index in (0, 1):
        wanted = score([(label, pair[index]) for label, pair in zip(gold, exchanged, strict=True)]).metrics
        assert {name: values[0] for name, values in swapped[index].items()} == pytest.approx(dict(wanted))


def test_class_scores_need_a_tally_of_classes():
    with pytest.raises(TypeError, match="classes"):
        class_scores(SumTally(np.ones((1, 1)), lambda sums: {"sum": sums[..., 0]}), FIVE)
