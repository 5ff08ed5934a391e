"""The sense scorer against the organisers' figures, by hand, and by its laws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.data.formats.sensekeys import (
    SenseAnswer,
    SenseMap,
    read_sense_answers,
    read_sense_key,
    read_sense_map,
)
from postil.errors import MismatchError, PostilError
from postil.scoring.senses import tally_senses

CASES = Path(__file__).parent.parent / "conformance" / "senses"
MAP = SenseMap(
    {
        "a1": ((2, "a"), (3, "top")),
        "a2": ((2, "a"), (3, "top")),
        "a": ((3, "top"),),
        "b": ((3, "top"),),
        "top": (),
    }
)


def entry(*senses: str | tuple[str, float], name: str = "i", lexelt: str = "w") -> SenseAnswer:
    pairs = tuple((sense, None) if isinstance(sense, str) else sense for sense in senses)
    return SenseAnswer(name, lexelt, pairs)


# --- the organisers' figures ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "granularity", "with_map", "single"),
    [
        ("fine_no_map", "fine", False, False),
        ("fine", "fine", True, False),
        ("coarse", "coarse", True, False),
        ("mixed", "mixed", True, False),
        ("fine_single_key_only", "fine", True, True),
    ],
)
def test_conformance(case, granularity, with_map, single):
    expected = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))[case]
    tally = tally_senses(
        read_sense_key(CASES / "key"),
        read_sense_answers(CASES / "answers"),
        granularity=granularity,
        sense_map=read_sense_map(CASES / "sensemap") if with_map else None,
        single_key_only=single,
    )
    assert tally.values()["precision"] == pytest.approx(expected["precision"], abs=5e-4)
    assert tally.values()["recall"] == pytest.approx(expected["recall"], abs=5e-4)
    assert 100 * tally.values()["attempted"] == pytest.approx(expected["attempted_percent"], abs=5e-3)
    assert tally.counts[:, 0].sum() == pytest.approx(expected["correct"], abs=5e-4)
    assert tally.counts[:, 1].sum() == pytest.approx(expected["attempted_mass"], abs=5e-4)
    assert len(tally.ids) == expected["total"]
    assert tally.unknown == ("warm.a.999",)


# --- by hand ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "answer", "credit", "mass"),
    [
        (["x"], ["x"], 1, 1),
        (["x"], ["y"], 0, 1),
        (["x", "y"], ["y"], 1, 1),
        (["x"], ["x", "y"], 0.5, 1),
        (["x", "y"], ["x", "y", "z"], 2 / 3, 1),
        (["x"], [("x", 3.0), ("y", 1.0)], 0.75, 1),
        (["x"], [("x", 0.6), ("y", 0.2)], 0.6, 0.8),
        (["x"], [("x", 0.6), "y"], 0.5, 1),
        (["x"], [("x", 0.0)], 0, 0),
        (["x"], [], 0, 0),
        (["x"], [("x", 1e308), ("y", 1e308)], 0.5, 1),
        ([("x", 0.1)], ["x"], 1, 1),
    ],
)
def test_fine_credit(key, answer, credit, mass):
    tally = tally_senses([entry(*key)], [entry(*answer)])
    assert tally.counts[:, 0] == pytest.approx([credit])
    assert tally.counts[:, 1] == pytest.approx([mass])


@pytest.mark.parametrize(
    ("key", "answer", "coarse", "mixed"),
    [
        (["a1"], ["a1"], 1, 1),
        (["a1"], ["a2"], 1, 0),
        (["a1"], ["a"], 1, 1 / 2),
        (["a1"], ["top"], 1, 1 / 6),
        (["a"], ["a1"], 1, 1),
        (["top"], ["a1"], 1, 1),
        (["a1", "a2"], ["a"], 1, 1),
        (["a1", "b"], ["top"], 1, 1 / 6 + 1 / 3),
        (["a1"], ["a", "b"], 1, 1 / 4),
        (["a1"], ["U"], 0, 0),
        (["U"], ["U"], 1, 1),
    ],
)
def test_coarse_and_mixed_credit(key, answer, coarse, mixed):
    for granularity, credit in (("coarse", coarse), ("mixed", mixed)):
        tally = tally_senses([entry(*key)], [entry(*answer)], granularity=granularity, sense_map=MAP)
        assert tally.counts[:, 0] == pytest.approx([credit]), granularity
        assert tally.counts[:, 1] == pytest.approx([1])


def test_single_key_only_counts_after_coarsening():
    key = [entry("a1", "a2", name="1"), entry("a1", "U", name="2"), entry("b", name="3")]
    fine = tally_senses(key, key, single_key_only=True)
    assert fine.ids == ("3",)
    coarse = tally_senses(key, key, granularity="coarse", sense_map=MAP, single_key_only=True)
    assert coarse.ids == ("1", "3")
    # An instance that is left out is not unknown.
    assert fine.unknown == coarse.unknown == ()


def test_instances_are_joined_by_word_and_name():
    tally = tally_senses([entry("x")], [entry("x", lexelt="other"), entry("x", name="j")])
    assert tally.unknown == ("i", "j")
    assert tuple(tally.values().values()) == (0, 0, 0)


def test_nothing_to_score_gives_zeros():
    for key, answers in (([], []), ([], [entry("x")]), ([entry("x")], []), ([entry()], [entry("x")])):
        tally = tally_senses(key, answers)
        assert tuple(tally.values().values()) == (0.0, 0.0, 0.0)
        assert tally.counts.dtype == np.float64


def test_misuse_is_named():
    with pytest.raises(PostilError, match="Coarse-grained scoring needs a sense map"):
        tally_senses([entry("x")], [], granularity="coarse")
    with pytest.raises(ValueError, match="granularity is fine, coarse or mixed"):
        tally_senses([entry("x")], [], granularity="rough")
    with pytest.raises(MismatchError, match="more than once in the key: 'i'"):
        tally_senses([entry("x"), entry("y")], [])
    with pytest.raises(MismatchError, match="more than once in the answers"):
        tally_senses([entry("x")], [entry("x"), entry("x")])


# --- laws -------------------------------------------------------------------------------------------------

senses = st.sampled_from(["a1", "a2", "a", "b", "top", "U", "odd"])
grains = st.sampled_from(["fine", "coarse", "mixed"])


def tables(weights):
    pairs = st.dictionaries(senses, weights, min_size=1, max_size=4).map(lambda found: tuple(found.items()))
    return st.dictionaries(st.integers(0, 12).map(str), pairs, min_size=1, max_size=8).map(
        lambda found: [SenseAnswer(name, "w", given) for name, given in found.items()]
    )


keys = tables(st.none())
runs = tables(st.none() | st.floats(0, 5))


@given(keys, grains)
def test_a_key_answers_itself_perfectly(key, grain):
    tally = tally_senses(key, key, granularity=grain, sense_map=MAP)
    assert tuple(tally.values().values()) == pytest.approx((1, 1, 1))


@given(keys, runs, grains, st.booleans())
def test_scores_are_fractions_and_precision_is_at_least_recall(key, run, grain, single):
    tally = tally_senses(key, run, granularity=grain, sense_map=MAP, single_key_only=single)
    assert 0 <= tally.values()["recall"] <= tally.values()["precision"] <= 1
    assert 0 <= tally.values()["attempted"] <= 1
    assert (tally.counts[:, 0] <= tally.counts[:, 1]).all()
    assert len(tally.ids) == tally.size


@given(keys, runs, grains, st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(key, run, grain, random):
    tally = tally_senses(key, run, granularity=grain, sense_map=MAP)
    random.shuffle(key)
    random.shuffle(run)
    other = tally_senses(key, run, granularity=grain, sense_map=MAP)
    assert dict(zip(tally.ids, tally.counts[:, 0], strict=True)) == dict(
        zip(other.ids, other.counts[:, 0], strict=True)
    )
    assert other.values()["recall"] == pytest.approx(tally.values()["recall"])
    assert sorted(other.unknown) == sorted(tally.unknown)


@given(keys, runs)
def test_mixed_lies_between_fine_and_coarse(key, run):
    fine, mixed, coarse = (
        tally_senses(key, run, granularity=grain, sense_map=MAP) for grain in ("fine", "mixed", "coarse")
    )
    assert (fine.counts[:, 0] <= mixed.counts[:, 0] + 1e-12).all()
    assert (mixed.counts[:, 0] <= coarse.counts[:, 0] + 1e-12).all()


@given(keys, runs, st.floats(1, 1000))
def test_weights_above_one_in_all_are_relative(key, run, factor):
    heavy = [
        SenseAnswer(a.instance, a.lexelt, tuple((s, 1.0 + (w or 0.0)) for s, w in a.senses)) for a in run
    ]
    scaled = [
        SenseAnswer(a.instance, a.lexelt, tuple((s, w * factor) for s, w in a.senses if w is not None))
        for a in heavy
    ]
    assert tally_senses(key, scaled).values()["recall"] == pytest.approx(
        tally_senses(key, heavy).values()["recall"]
    )
