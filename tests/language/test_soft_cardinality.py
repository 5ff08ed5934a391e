"""Soft cardinality."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.measures.overlap import (
    POWER,
    RATIOS,
    SoftOverlap,
    letter_groups,
    soft_overlap_of,
    soft_similarity,
    soft_words,
    word_alike,
)
from postil.language.pipeline import analyse, analyse_many
from postil.language.words.spaces import idf


def soft_cardinality(words: list[str], *, power: float = POWER, weighted: bool = False) -> float:
    return soft_overlap_of(words, [], power=power, weighted=weighted).first


def test_letter_groups_mark_the_ends() -> None:
    assert letter_groups("ab") == {" a", "ab", "b ", " ab", "ab ", " ab "}
    assert letter_groups("a") == {" a", "a ", " a "}


def test_words_alike_by_hand() -> None:
    # Groups that "ab" and "abc" share: " a", "ab", " ab"; they have 6 and 9.
    assert word_alike("ab", "abc", 1.0) == pytest.approx(2 * 3 / (6 + 9))
    assert word_alike("ab", "abc") == word_alike("abc", "ab") == pytest.approx((2 * 3 / (6 + 9)) ** 2)
    assert word_alike("ab", "ab") == 1.0
    assert word_alike("ab", "xy") == 0.0


def test_the_cardinality_by_hand() -> None:
    alike = word_alike("ab", "abc")
    assert soft_cardinality(["ab", "xy"]) == 2.0
    assert soft_cardinality(["ab", "abc"]) == pytest.approx(2 / (1 + alike))
    assert soft_cardinality(["ab", "abc", "xy", "ab"]) == pytest.approx(2 / (1 + alike) + 1)
    assert soft_cardinality([]) == 0.0


def test_many_words_are_counted_as_few_are() -> None:
    """Long texts go through matrices; the sums written out are the same."""
    words = [
        f"{start}{middle}{end}" for start in "abc" for middle in ("el", "mo", "xyz") for end in "pqrstuvw"
    ]
    others = [*(word[::-1] for word in words), *words[:9]]

    def written(some: set[str]) -> float:
        return sum(1 / sum(word_alike(one, two, 1.5) for two in some) for one in some)

    union = {*words, *others}
    assert len(union) > 100
    found = soft_overlap_of(words, others, power=1.5)
    assert found.first == pytest.approx(written(set(words)), rel=1e-5)
    assert found.second == pytest.approx(written(set(others)), rel=1e-5)
    assert found.shared == pytest.approx(found.first + found.second - written(union), rel=1e-4)
    assert soft_cardinality(union, power=1.5) == pytest.approx(written(union), rel=1e-5)


def test_ratios_by_hand() -> None:
    found = SoftOverlap(first=4.0, second=2.0, shared=1.0)
    assert found.jaccard == pytest.approx(1 / 5)
    assert found.dice == pytest.approx(2 / 6)
    assert found.cosine == pytest.approx(1 / math.sqrt(8))
    assert found.first_covered == 0.25
    assert found.second_covered == 0.5


def test_a_misspelling_costs_less_than_another_word() -> None:
    right, wrong, other = analyse_many(["the evaporation", "the evaporaton", "the mosquito"])
    assert 1.0 > soft_similarity(right, wrong) > soft_similarity(right, other) > 0.0


def test_rare_words_weigh_more_when_asked() -> None:
    words, others = ["osmosis", "the"], ["osmosis", "a"]
    plain = soft_overlap_of(words, others)
    heavy = soft_overlap_of(words, others, weighted=True)
    assert heavy.first == pytest.approx(idf()("osmosis") + idf()("the"), rel=1e-3)
    assert heavy.dice > plain.dice


def test_words_are_all_but_punctuation() -> None:
    assert soft_words(analyse("The bulb, the BULB!")) == ["the", "bulb"]


def test_an_unknown_ratio_is_an_error() -> None:
    document = analyse("bulb")
    with pytest.raises(ValueError, match="not one of"):
        soft_similarity(document, document, "first")


@pytest.mark.parametrize("text", ["", "?!", "水は蒸発する", "zorblax 🙂", "\u0000", "a" * 5000])
def test_every_value_is_defined(text: str) -> None:
    odd, plain = analyse_many([text, "The water evaporates."])
    for one, other in ((odd, plain), (plain, odd), (odd, odd)):
        for weighted in (False, True):
            for ratio in RATIOS:
                assert 0.0 <= soft_similarity(one, other, ratio, weighted=weighted) <= 1.0
    assert soft_similarity(odd, odd) == pytest.approx(float(bool(soft_words(odd))))


LISTS = st.lists(st.text("abcde", min_size=1, max_size=6), max_size=10)


@given(LISTS, LISTS, st.sampled_from([0.5, 1.0, 2.0, 4.0]), st.booleans())
def test_any_words(first: list[str], second: list[str], power: float, weighted: bool) -> None:
    found = soft_overlap_of(first, second, power=power, weighted=weighted)
    back = soft_overlap_of(second, first, power=power, weighted=weighted)
    for ratio in RATIOS:
        assert 0.0 <= getattr(found, ratio) <= 1.0
    for ratio in ("jaccard", "dice", "cosine"):
        assert getattr(found, ratio) == pytest.approx(getattr(back, ratio), abs=1e-9)
    assert found.first_covered == pytest.approx(back.second_covered, abs=1e-9)
    assert found.first == pytest.approx(soft_cardinality(first, power=power, weighted=weighted))
    both = soft_cardinality([*first, *second], power=power, weighted=weighted)
    least = min(found.first, found.second)
    assert found.shared == pytest.approx(max(0.0, min(least, found.first + found.second - both)), abs=1e-9)
    same = soft_overlap_of(first, first, power=power, weighted=weighted)
    for ratio in RATIOS:
        assert getattr(same, ratio) == pytest.approx(float(bool(first)))
