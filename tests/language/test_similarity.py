"""The seven measures: NLTK's values, what holds of any measure, and matrices against single pairs."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import PostilError
from postil.language.measures.overlap import shared_phrases
from postil.language.words import wordnet_measures
from postil.language.words.glosses import gloss_overlap, gloss_words
from postil.language.words.wordnet import wordnet
from postil.language.words.wordnet_measures import (
    MEASURES,
    best_senses,
    information,
    similarity_matrix,
    synset_similarity,
    word_similarity,
)

FROZEN = Path(__file__).parents[1] / "fixtures" / "similarity_nltk.tsv"
CAP = {"n": 1 / np.log(information().totals[0] / (information().totals[0] - 1))}
CAP["v"] = 1 / np.log(information().totals[1] / (information().totals[1] - 1))
WORDS = [
    "dog",
    "cats",
    ("run", "n"),
    ("run", "v"),
    "evaporate",
    "bulb",
    "hot",
    "quickly",
    "zorp",
    "",
    "狗",
    "be",
]

names = st.sampled_from(sorted(MEASURES))
synsets = st.integers(0, wordnet().size - 1)
tree_synsets = st.integers(0, int((wordnet().pos <= 1).sum()) - 1)
words = st.sampled_from(WORDS)


def frozen() -> list[tuple[str, str, dict[str, float]]]:
    lines = [line.split("\t") for line in FROZEN.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    return [
        (one, other, {name: float(value) for name, value in zip(lines[0][2:], values, strict=True)})
        for one, other, *values in lines[1:]
    ]


def test_frozen_values_are_many_and_of_all_kinds() -> None:
    rows = frozen()
    assert len(rows) >= 200
    assert sum(values["wup"] == 1.0 for *_, values in rows) < 60
    assert {one.split(".")[-2] for one, *_ in rows} == {"n", "v"}


@pytest.mark.parametrize("name", ["res", "lin", "jcn", "lch", "wup"])
def test_values_are_nltks(name: str) -> None:
    wn = wordnet()
    for one, other, values in frozen():
        a, b = wn.find(one), wn.find(other)
        expected = min(values[name], CAP[wn.letter(a)]) if name == "jcn" else values[name]
        assert synset_similarity(a, b, name) == pytest.approx(expected, rel=1e-9, abs=1e-12), (one, other)


@given(tree_synsets, synsets, names, st.booleans())
@settings(max_examples=200, deadline=None)
def test_symmetry_range_and_identity(one: int, other: int, name: str, normalised: bool) -> None:
    value = synset_similarity(one, other, name, normalised=normalised)
    assert value == pytest.approx(synset_similarity(other, one, name, normalised=normalised), rel=1e-6)
    assert np.isfinite(value)
    assert value >= 0.0
    greatest = 1.0 if normalised else MEASURES[name].greatest
    assert greatest is None or value <= greatest
    # An overlap with a synset of many relatives can be more than one with itself, unless normalised.
    if name != "lesk" or normalised:
        assert value <= synset_similarity(one, one, name, normalised=normalised) + 1e-9


@given(tree_synsets, st.sampled_from(["lin", "jcn", "lch", "wup", "lesk"]))
@settings(max_examples=100, deadline=None)
def test_identical_synsets_have_1_when_normalised(one: int, name: str) -> None:
    if name != "lesk" or gloss_words(one):
        assert synset_similarity(one, one, name, normalised=True) == pytest.approx(1.0)


def test_identity_is_1_even_below_a_deeper_parent() -> None:
    """Synset 13630 has a parent whose shortest way to the root is longer than its own: NLTK has .94."""
    wn = wordnet()
    assert wn.depth(13630)[0] <= max(wn.depth(parent)[0] for parent in wn.hypernyms(13630))
    assert synset_similarity(13630, 13630, "wup") == 1.0


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("name", sorted(MEASURES))
def test_the_matrix_is_the_loop_over_words(
    name: str, normalised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = similarity_matrix(WORDS, WORDS[::-1], name, normalised=normalised)
    loop = [[word_similarity(a, b, name, normalised=normalised) for b in WORDS[::-1]] for a in WORDS]
    assert whole == pytest.approx(np.array(loop), rel=1e-6)
    monkeypatch.setattr(wordnet_measures, "_BLOCK", 7)
    assert similarity_matrix(WORDS, WORDS[::-1], name, normalised=normalised) == pytest.approx(
        whole, rel=1e-6
    )


@given(words, words, names)
@settings(max_examples=30, deadline=None)
def test_words_have_their_best_pair_of_senses(
    one: str | tuple[str, str], other: str | tuple[str, str], name: str
) -> None:
    wn = wordnet()
    senses = [wn.synsets(*word) if isinstance(word, tuple) else wn.synsets(word) for word in (one, other)]
    pairs = itertools.product(*senses)
    best = max((synset_similarity(a, b, name) for a, b in pairs), default=0.0)
    assert word_similarity(one, other, name) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_unknown_and_empty(name: str) -> None:
    assert similarity_matrix([], ["dog"], name).shape == (0, 1)
    assert similarity_matrix(["dog"], [], name).shape == (1, 0)
    assert not similarity_matrix(["zorp", "", "狗"], ["dog", "zorp", ""], name).any()


def test_parts_of_speech_are_compared_with_themselves() -> None:
    assert word_similarity(("dog", "n"), ("run", "v"), "wup") == 0.0
    assert word_similarity("hot", ("warm", "a"), "res") == 0.0
    assert word_similarity(("hot", "a"), ("warm", "a"), "lesk") > 0.0
    assert word_similarity(("evaporate", "v"), ("evaporation", "n"), "vector") > 0.5


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_near_is_nearer_than_far(name: str) -> None:
    near = word_similarity(("dog", "n"), ("wolf", "n"), name)
    assert near > word_similarity(("dog", "n"), ("equation", "n"), name)


def test_an_unknown_measure_is_a_message() -> None:
    with pytest.raises(PostilError, match="Choose one of res, lin"):
        word_similarity("dog", "cat", "path")


def test_information_content() -> None:
    wn = wordnet()
    content = information().content
    assert content[wn.find("entity.n.01")] == 0.0
    for synset in range(0, 95_000, 61):
        assert all(content[parent] <= content[synset] for parent in wn.hypernyms(synset))


def phrase_overlap(first: Sequence[str], second: Sequence[str]) -> int:
    """As the paper defines it: the longest shared phrase is counted and taken out of both, then the next."""
    return sum(length * length for length in shared_phrases(first, second))


PHRASES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(PHRASES, PHRASES)
def test_phrases_count_as_squares_whatever_way_they_are_counted(one: list[str], other: list[str]) -> None:
    """The identity that the sparse product rests on: shared n-grams, single ones once, longer ones twice."""
    grams = [
        {tuple(text[i:j]) for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
        for text in (one, other)
    ]
    assert phrase_overlap(one, other) == sum(1 if len(gram) == 1 else 2 for gram in grams[0] & grams[1])


def test_gloss_overlap_without_relatives_is_that_of_the_definitions() -> None:
    wn = wordnet()
    plain = [
        one
        for one in range(0, wn.size, 7)
        if not any(wn.related(one, name) for name in wn.relations if "derivation" not in name)
    ]
    plain = [one for one in plain if len(set(gloss_words(one))) == len(gloss_words(one))][:60]
    rows = np.array(plain, dtype=np.int32)
    values = gloss_overlap(rows, rows)
    expected = [[phrase_overlap(gloss_words(a), gloss_words(b)) for b in plain] for a in plain]
    assert len(plain) == 60
    assert values.tolist() == expected


@pytest.mark.parametrize("name", MEASURES)
def test_the_senses_it_was_by(name: str) -> None:
    pair = best_senses("cat", ("dog", "n"), name)
    assert pair is not None
    assert synset_similarity(*pair, name) == pytest.approx(word_similarity("cat", ("dog", "n"), name))
    assert best_senses("zorblax", "dog", name) is None
