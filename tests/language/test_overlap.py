"""Text overlap: its words, its greedy phrases, its figures."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.measures.overlap import NO_OVERLAP, overlap, overlap_words, shared_phrases

SEQUENCES = st.lists(st.sampled_from("abc"), max_size=9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The bulb is 1.5 volts.", ["the", "bulb", "is", "1", "5", "volts"]),
        ("it's the bulb's 'gap'", ["it's", "the", "bulb's", "gap"]),
        ("the bulbs' gap", ["the", "bulbs", "gap"]),
        ("'tis", ["tis"]),
        ("don''t", ["don", "t"]),
        ("a well-lit path", ["a", "well-lit", "path"]),
        ("a path--and a gap", ["a", "path", "and", "a", "gap"]),
        ("snake_case (x) {y} <z> a@b", ["snake", "case", "x", "y", "z", "a", "b"]),
        ('"Yes!" he said: `no`; 5% of $3, why?', ["yes", "he", "said", "no", "5", "of", "3", "why"]),
        ("A/B + [c] = #1 & x*y", ["a/b", "+", "[c]", "=", "#1", "&", "x*y"]),
        ("Été\tà\nNOËL", ["été", "à", "noël"]),
        ("", []),
        ("... ''' !?", []),
    ],
)
def test_words(text, words):
    assert overlap_words(text) == words


@pytest.mark.parametrize(
    ("first", "second", "phrases"),
    [
        ("a b c", "a b c", [3]),
        ("a b c", "c b a", [1, 1, 1]),
        ("a b", "x y", []),
        ("", "a", []),
        ("a a a", "a", [1]),
        ("a b c d", "c d a b", [2, 2]),
        # The longest first, although it breaks two phrases of two words.
        ("a b c d e", "b c d", [3]),
        # `a b` and `b c` are equally long: the leftmost in the first sequence is taken, then c alone.
        ("a b c", "b c x a b", [2, 1]),
        # With the sides exchanged `b c` is leftmost, then a alone.
        ("b c x a b", "a b c", [2, 1]),
        # Taking the left `a b` first leaves `c d`; the right one would leave nothing longer than 1.
        ("a b c d", "a b x b c x c d", [2, 2]),
        # Used words part what stood beside them: after `b c` goes, a and d are not neighbours.
        ("a b c d", "b c a d", [2, 1, 1]),
    ],
)
def test_phrases(first, second, phrases):
    assert shared_phrases(first.split(), second.split()) == phrases


def test_equally_long_phrases_are_taken_from_the_left():
    # `b b` is leftmost in the first sequence. Had `a b` been taken before it, `b b` would remain: 2 and 2.
    assert shared_phrases(list("bbab"), list("abbb")) == [2, 1, 1]
    assert shared_phrases(list("dbba"), list("dbadb")) == [2, 1, 1]
    # From the other side `a b` is leftmost.
    assert shared_phrases(list("abbb"), list("bbab")) == [2, 2]


def naive_phrases(first: list[str], second: list[str]) -> list[int]:
    """Cross out, again and again, the longest common run; of equals the leftmost in first, then in second."""
    first, second = list(first), list(second)
    lengths = []
    fresh = iter(range(10**6))
    while True:
        for length in range(min(len(first), len(second)), 0, -1):
            spots = [
                (i, j)
                for i in range(len(first) - length + 1)
                for j in range(len(second) - length + 1)
                if first[i : i + length] == second[j : j + length]
            ]
            if spots:
                break
        else:
            return lengths
        i, j = spots[0]
        # What is crossed out differs from everything, itself included, and keeps its place.
        first[i : i + length] = [f"first {next(fresh)}" for _ in range(length)]
        second[j : j + length] = [f"second {next(fresh)}" for _ in range(length)]
        lengths.append(length)


@settings(deadline=None, max_examples=300)
@given(SEQUENCES, SEQUENCES)
def test_phrases_are_the_naive_ones(first, second):
    assert shared_phrases(first, second) == naive_phrases(first, second)


@settings(deadline=None, max_examples=200)
@given(SEQUENCES, SEQUENCES)
def test_laws(first, second):
    here, there = overlap(first, second), overlap(second, first)
    # Every shared word is matched in the end, so the count is that of bags of words.
    assert here.count == there.count == sum((Counter(first) & Counter(second)).values())
    assert here.f1 == pytest.approx(there.f1)
    assert here.cosine == pytest.approx(there.cosine)
    assert 0 <= here.f1 <= here.cosine + 1e-12 <= 1 + 2e-12
    assert 0 <= here.lesk <= 1
    lengths = shared_phrases(first, second)
    assert lengths == sorted(lengths, reverse=True)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9))
def test_identical_texts(words):
    assert overlap(words, words).count == len(words)
    assert overlap(words, words).f1 == overlap(words, words).lesk == 1
    assert overlap(words, words).cosine == pytest.approx(1)


def test_figures_by_hand():
    first = overlap_words("The gap is between one and two.")
    result = overlap(first, overlap_words("There is a gap between one and six."))
    # `between one and` (3), then `gap` and `is` apart: s = 5, 7 and 8 words.
    assert result.count == 5
    assert result.f1 == pytest.approx(10 / 15)
    assert result.lesk == pytest.approx((9 + 1 + 1) / 56)
    assert result.cosine == pytest.approx(5 / sqrt(56))


def test_nothing_in_common():
    assert overlap([], ["a"]) == overlap(["b"], ["a"]) == overlap([], []) == NO_OVERLAP
