"""Randomisation against the enumeration of all exchanges, the bootstrap, and how long they take."""

from __future__ import annotations

import random
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.formats.rte import EntailmentRun, Pair, PairJudgement
from postil.data.formats.sensekeys import SenseAnswer
from postil.data.judgements import AlignedPair, Alignment
from postil.data.labels import ENTAILMENT_SCHEMES, FACET_SCHEMES, RESPONSE_SCHEMES
from postil.errors import MismatchError
from postil.scoring.alignment import tally_alignments
from postil.scoring.entailment import tally_entailment
from postil.scoring.responses import tally_classes
from postil.scoring.senses import tally_senses
from postil.scoring.significance import approximate_randomisation, bootstrap, compare, group_numbers

FIVE = RESPONSE_SCHEMES["5way"]
TWO = ENTAILMENT_SCHEMES["2way"]
THREE = ENTAILMENT_SCHEMES["3way"]


# --- two runs of every kind ---------------------------------------------------------------------------------


def random_labels(size, seed, labels=FIVE.labels, accuracies=(0.7, 0.5)):
    """Gold labels and two runs that keep some of them."""
    chooser = random.Random(seed)
    gold = chooser.choices(labels, k=size)
    runs = [
        [label if chooser.random() < accuracy else chooser.choice(labels) for label in gold]
        for accuracy in accuracies
    ]
    return gold, *runs


def label_tallies(size=40, seed=0, accuracies=(0.7, 0.5), scheme=FIVE, left_out=("non_domain",)):
    gold, one, two = random_labels(size, seed, scheme.labels, accuracies)
    return tally_classes(gold, one, scheme, left_out), tally_classes(gold, two, scheme, left_out)


def entailment_tallies(size=40, seed=0, ranked=(False, False), confident=(True, True)):
    gold_labels, *runs = random_labels(size, seed, THREE.labels)
    chooser = random.Random(seed)
    gold = [Pair(str(number), "", "", label) for number, label in enumerate(gold_labels)]
    tallies = []
    for labels, is_ranked, sure in zip(runs, ranked, confident, strict=True):
        judged = [
            PairJudgement(str(number), label, chooser.choice([0.2, 0.5, 0.9]) if sure else None)
            for number, label in enumerate(labels)
        ]
        chooser.shuffle(judged)
        tallies.append(tally_entailment(gold, EntailmentRun(tuple(judged), is_ranked), THREE))
    return tuple(tallies)


def alignment_tallies(size=40, seed=0):
    chooser = random.Random(seed)

    def aligned(number, right):
        label = "EQUI" if chooser.random() < right else "SIMI"
        target = 1 if chooser.random() < right else 2
        alignments = (Alignment((1,), (target,), (label,), float(chooser.randint(3, 5))),)
        return AlignedPair(str(number), ("a", "b"), ("c", "d"), alignments)

    gold, one, two = ([aligned(n, right) for n in range(size)] for right in (1.0, 0.8, 0.4))
    return tally_alignments(gold, one), tally_alignments(gold, two)


def sense_tallies(size=40, seed=0):
    gold, one, two = random_labels(size, seed, ("1", "2", "3"))

    def answers(labels):
        return [SenseAnswer(f"i{n}", "arm.n", ((label, None),)) for n, label in enumerate(labels)]

    return tuple(tally_senses(answers(gold), answers(run)) for run in (one, two))


def facet_tallies(size=40, seed=0):
    return label_tallies(size, seed, scheme=FACET_SCHEMES["2way"], left_out=())


KINDS = {
    "responses": label_tallies,
    "facets": facet_tallies,
    "entailment": entailment_tallies,
    "alignment": alignment_tallies,
    "senses": sense_tallies,
}


# --- the randomisation test ---------------------------------------------------------------------------------


def share_at_least(observed, differences):
    return sum(abs(difference) >= abs(observed) - 1e-9 for difference in differences) / len(differences)


def accuracy(gold, labels):
    return sum(a == b for a, b in zip(gold, labels, strict=True)) / len(gold)


def macro_f1(gold, labels):
    """The mean of 2·hits / (predicted + gold), a class that neither has counting 1."""
    total = 0.0
    for label in FIVE.labels:
        hits = sum(a == b == label for a, b in zip(gold, labels, strict=True))
        seen = gold.count(label) + labels.count(label)
        total += 2 * hits / seen if seen else 1.0
    return total / len(FIVE.labels)


@pytest.mark.parametrize("seed", range(4))
def test_randomisation_comes_close_to_trying_every_exchange(seed):
    gold, one, two = random_labels(9, seed, accuracies=(0.9, 0.3))
    tallies = tally_classes(gold, one, FIVE), tally_classes(gold, two, FIVE)
    p_values = approximate_randomisation(*tallies, iterations=20_000, seed=seed)
    for name, figure in (("accuracy", accuracy), ("macro_f1", macro_f1)):
        differences = []
        for mask in product([False, True], repeat=len(gold)):
            first = [b if swap else a for a, b, swap in zip(one, two, mask, strict=True)]
            second = [a if swap else b for a, b, swap in zip(one, two, mask, strict=True)]
            differences.append(figure(gold, first) - figure(gold, second))
        # The first mask exchanges nothing.
        assert p_values[name] == pytest.approx(share_at_least(differences[0], differences), abs=0.015), name


@pytest.mark.parametrize("seed", range(4))
def test_randomisation_by_group_exchanges_whole_groups(seed):
    gold, one, two = random_labels(12, seed, accuracies=(0.9, 0.3))
    groups = [0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 4]
    differences = []
    for mask in product([False, True], repeat=5):
        first = [b if mask[group] else a for a, b, group in zip(one, two, groups, strict=True)]
        second = [a if mask[group] else b for a, b, group in zip(one, two, groups, strict=True)]
        differences.append(accuracy(gold, first) - accuracy(gold, second))
    p_values = approximate_randomisation(
        tally_classes(gold, one, FIVE),
        tally_classes(gold, two, FIVE),
        groups=np.array(groups),
        iterations=20_000,
    )
    assert p_values["accuracy"] == pytest.approx(share_at_least(differences[0], differences), abs=0.015)


def plain_average_precision(entailed, judged):
    """Ranked by confidence; ties by the place in the run's file, then by the gold's order."""
    ranking = sorted(range(len(entailed)), key=lambda i: (-judged[i][0], judged[i][1], i))
    found, total = 0, 0.0
    for rank, index in enumerate(ranking, start=1):
        if entailed[index]:
            found += 1
            total += found / rank
    return total / found if found else 0.0


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.booleans(), *[st.sampled_from([0.1, 0.5, 0.9])] * 2), min_size=2, max_size=6),
    st.randoms(),
    st.booleans(),
)
def test_exchanged_pairs_take_confidence_and_place_along(rows, shuffler: random.Random, ranked):
    entailed = [row[0] for row in rows]
    gold = [Pair(str(n), "", "", "ENTAILMENT" if yes else "NO_ENTAILMENT") for n, yes in enumerate(entailed)]
    judged, tallies = [], []
    for column in (1, 2):
        order = list(range(len(rows)))
        shuffler.shuffle(order)
        places = {index: place for place, index in enumerate(order)}
        run = [PairJudgement(str(i), "ENTAILMENT", None if ranked else rows[i][column]) for i in order]
        tallies.append(tally_entailment(gold, EntailmentRun(tuple(run), ranked), TWO))
        strength = [-places[i] if ranked else rows[i][column] for i in range(len(rows))]
        judged.append([(strength[i], places[i]) for i in range(len(rows))])
    masks = np.array(list(product([False, True], repeat=len(rows))))
    first, second = tallies[0].swapped(tallies[1], masks)
    assert ("confidence_weighted_score" in first) is not ranked
    for row, mask in enumerate(masks):
        one = [b if swap else a for a, b, swap in zip(*judged, mask, strict=True)]
        two = [a if swap else b for a, b, swap in zip(*judged, mask, strict=True)]
        assert first["average_precision"][row] == pytest.approx(plain_average_precision(entailed, one))
        assert second["average_precision"][row] == pytest.approx(plain_average_precision(entailed, two))


@pytest.mark.parametrize("kind", KINDS)
def test_exchanging_nothing_or_everything(kind):
    first, second = KINDS[kind]()
    masks = np.array([[False] * first.size, [True] * first.size])
    one, two = first.swapped(second, masks)
    assert {name: values[0] for name, values in one.items()} == pytest.approx(first.values())
    assert {name: values[0] for name, values in two.items()} == pytest.approx(second.values())
    assert {name: values[1] for name, values in one.items()} == pytest.approx(second.values())
    assert {name: values[1] for name, values in two.items()} == pytest.approx(first.values())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_tally_can_be_compared(kind):
    first, second = KINDS[kind]()
    comparisons = compare(first, second, iterations=400, resamples=400, seed=3)
    assert set(comparisons) == set(first.values())
    for name, comparison in comparisons.items():
        assert comparison.metric == name
        assert comparison.first == first.values()[name]
        assert comparison.second == second.values()[name]
        assert comparison.difference == comparison.first - comparison.second
        assert comparison.interval.low <= comparison.difference <= comparison.interval.high
        assert 0 < comparison.p_value <= 1
        assert comparison.significant == (comparison.p_value <= 0.05)
    assert comparisons == compare(first, second, iterations=400, resamples=400, seed=3)
    others = compare(first, second, iterations=400, resamples=400, seed=4)
    assert others != comparisons


@pytest.mark.parametrize("kind", KINDS)
def test_a_system_does_not_differ_from_itself(kind):
    first, _ = KINDS[kind]()
    assert set(approximate_randomisation(first, first, iterations=200).values()) == {1.0}
    for comparison in compare(first, first, iterations=200, resamples=200).values():
        assert (comparison.interval.low, comparison.interval.high) == (0, 0)
        assert not comparison.significant


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_systems_does_not_matter(kind):
    first, second = KINDS[kind]()
    there = approximate_randomisation(first, second, iterations=500, seed=1)
    assert approximate_randomisation(second, first, iterations=500, seed=1) == there


def test_a_clear_difference_is_significant_and_a_small_one_is_not():
    clear = approximate_randomisation(*label_tallies(200, accuracies=(0.95, 0.3)), iterations=1000)
    assert max(clear.values()) <= 0.05
    assert clear["accuracy"] == pytest.approx(1 / 1001)  # no shuffle comes near it
    equal = approximate_randomisation(*label_tallies(200, seed=5, accuracies=(0.6, 0.6)), iterations=1000)
    assert equal["accuracy"] > 0.05


def test_ranked_and_unranked_runs():
    mixed = approximate_randomisation(*entailment_tallies(ranked=(True, False)), iterations=200)
    assert set(mixed) == {"accuracy", "accuracy_2way", "average_precision"}
    both = approximate_randomisation(*entailment_tallies(ranked=(True, True)), iterations=200)
    assert set(both) == set(mixed)
    bare = approximate_randomisation(*entailment_tallies(confident=(True, False)), iterations=200)
    assert set(bare) == {"accuracy", "accuracy_2way"}


def test_a_system_that_attempts_nothing():
    # After an exchange a system may be left with no answer at all: its precision is 0, not noise.
    key = [SenseAnswer(f"i{n}", "arm.n", (("1", None),)) for n in range(12)]
    weighted = [SenseAnswer(f"i{n}", "arm.n", (("1", 0.1), ("2", 0.2 + n / 100))) for n in range(7)]
    some, none = tally_senses(key, weighted), tally_senses(key, [])
    masks = np.array(list(product([False, True], repeat=12)))
    for figures in some.swapped(none, masks):
        assert figures["precision"].min() >= 0
        assert figures["precision"].max() <= 1
        assert (figures["precision"][figures["attempted"] < 1e-9] == 0).all()


def test_different_test_sets_are_refused():
    with pytest.raises(MismatchError, match="40 and 39"):
        approximate_randomisation(label_tallies(40)[0], label_tallies(39)[0])
    with pytest.raises(ValueError, match="group"):
        approximate_randomisation(*label_tallies(40), groups=np.zeros(39, dtype=np.intp))


# --- the bootstrap ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_holds_the_value(kind):
    tally, _ = KINDS[kind](60)
    intervals = bootstrap(tally, iterations=500)
    for name, value in tally.values().items():
        assert 0 <= intervals[name].low <= value <= intervals[name].high <= 1, name
    assert bootstrap(tally, iterations=500) == intervals
    assert bootstrap(tally, iterations=500, seed=1) != intervals
    name = next(iter(intervals))
    narrow, wide = bootstrap(tally, iterations=500, level=0.5)[name], intervals[name]
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_interval_is_that_of_a_proportion():
    # Of 400 answers 300 right: near the normal interval, .75 ± 1.96 · √(.75 · .25 / 400).
    tally = tally_classes(["correct"] * 400, ["correct"] * 300 + ["irrelevant"] * 100, FIVE)
    interval = bootstrap(tally, iterations=4000)["accuracy"]
    half = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert interval.low == pytest.approx(0.75 - half, abs=0.006)
    assert interval.high == pytest.approx(0.75 + half, abs=0.006)


@pytest.mark.parametrize("kind", ["labels", "entailment"])
def test_answers_of_one_question_widen_the_interval(kind):
    # 20 questions, each answered all right or all wrong: there are 20 facts, not 200.
    questions = [f"q{number // 10}" for number in range(200)]
    right = [int(name[1:]) % 2 == 0 for name in questions]
    if kind == "labels":
        tally = tally_classes(["correct"] * 200, ["correct" if yes else "irrelevant" for yes in right], FIVE)
    else:
        gold = [Pair(str(n), "", "", "ENTAILMENT") for n in range(200)]
        run = [PairJudgement(str(n), "ENTAILMENT" if yes else "UNKNOWN", 0.5) for n, yes in enumerate(right)]
        tally = tally_entailment(gold, EntailmentRun(tuple(run)), THREE)
    by_item = bootstrap(tally, iterations=1000)["accuracy"]
    by_question = bootstrap(tally, iterations=1000, groups=group_numbers(questions))["accuracy"]
    assert by_question.high - by_question.low > 2 * (by_item.high - by_item.low)
    assert by_question.low <= 0.5 <= by_question.high


def test_groups_of_unequal_size():
    groups = group_numbers(["a"] * 25 + ["b"] * 10 + ["c"] * 5)
    for kind in KINDS.values():
        first, second = kind(40)
        for comparison in compare(first, second, iterations=100, resamples=100, groups=groups).values():
            assert 0 < comparison.p_value <= 1
            assert comparison.interval.low <= comparison.interval.high


def test_group_numbers():
    assert group_numbers(["q2", "q1", "q2", "q3"]).tolist() == [0, 1, 0, 2]


@pytest.mark.slow
@pytest.mark.parametrize("by_question", [False, True])
def test_the_challenges_test_set_takes_seconds(by_question):
    first, second = label_tallies(5835)
    groups = np.arange(5835) // 40 if by_question else None
    started = time.perf_counter()
    approximate_randomisation(first, second, iterations=10_000, groups=groups)
    assert time.perf_counter() - started < 5
