"""Texts in the spaces: lists of words in, vectors and similarities out, whatever the words are."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.words.spaces import (
    LDA,
    LSA,
    Idf,
    Space,
    cosines,
    idf,
    lda,
    lsa,
    undone,
    vocabulary,
)

SPACES = {"lsa": lsa, "lda": lda}
KNOWN = ("water", "evaporates", "bulb", "circuit", "the", "battery", "cell", "leaves", "gravity", "not")
STRANGE = ("", " ", "xyzzyq", "вода", "水", "💡", "café", "1.5", "-", "ing", "s", "\x00", "a" * 5000)
TEXTS = st.lists(st.sampled_from(KNOWN + STRANGE) | st.text(max_size=8), max_size=12)
WATER = ["water", "evaporate", "into", "vapor"]
STEAM = ["liquid", "turn", "to", "gas", "when", "heat"]
PLANT = ["leaf", "make", "sugar", "from", "sunlight"]


@pytest.fixture(params=SPACES)
def space(request: pytest.FixtureRequest) -> Space:
    return SPACES[request.param]()


def test_dimensions() -> None:
    assert lsa().vector(WATER).shape == (100,)
    assert lda().vector(WATER).shape == (50,)


def test_what_is_about_the_same_is_nearer(space: Space) -> None:
    assert space.similarity(WATER, STEAM) > 0.2 + space.similarity(WATER, PLANT)


def test_the_same_text_is_as_near_as_can_be(space: Space) -> None:
    assert space.similarity(WATER, WATER) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("voltage", "potential", "chlorophyll"),
        ("evaporate", "condense", "enzyme"),
        ("leaf", "chlorophyll", "resistor"),
        ("gravity", "fall", "bacteria"),
        ("sound", "vibrate", "sugar"),
    ],
)
def test_words_of_one_field_are_nearer(space: Space, word: str, near: str, far: str) -> None:
    assert space.similarity([word], [near]) > space.similarity([word], [far])


@settings(max_examples=60, deadline=None)
@given(first=TEXTS, second=TEXTS)
@pytest.mark.parametrize("name", SPACES)
def test_similarity_is_symmetric_and_in_range(name: str, first: list[str], second: list[str]) -> None:
    space = SPACES[name]()
    value = space.similarity(first, second)
    assert value == space.similarity(second, first)
    assert (-1 if name == "lsa" else 0) <= value <= 1


@settings(max_examples=60, deadline=None)
@given(words=TEXTS, data=st.data())
@pytest.mark.parametrize("name", SPACES)
def test_order_does_not_count(name: str, words: list[str], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(words))
    assert np.array_equal(SPACES[name]().vector(words), SPACES[name]().vector(shuffled))


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, max_size=8))
@pytest.mark.parametrize("name", SPACES)
def test_a_batch_is_its_texts(name: str, texts: list[list[str]]) -> None:
    space = SPACES[name]()
    batch = space.vectors(texts)
    assert batch.shape[0] == len(texts)
    assert np.isfinite(batch).all()
    for row, words in zip(batch, texts, strict=True):
        np.testing.assert_allclose(row, space.vector(words), rtol=1e-5, atol=1e-6)


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [WATER, [], STEAM, ["xyzzyq"], PLANT * 3, [], WATER + PLANT]
    whole = lda().vectors(texts)
    for size in (1, 5, 9):
        monkeypatch.setattr("postil.language.words.spaces._BLOCK", size)
        np.testing.assert_allclose(lda().vectors(texts), whole, rtol=1e-5)


def test_pairs_are_compared_row_by_row(space: Space) -> None:
    found = space.similarities([WATER, PLANT, []], [STEAM, PLANT, WATER])
    expected = [space.similarity(WATER, STEAM), 1, 0]
    assert found.tolist() == pytest.approx(expected, abs=1e-6)
    assert space.similarities([], []).shape == (0,)
    with pytest.raises(ValueError, match="2 texts cannot be paired with 1"):
        space.similarities([WATER, STEAM], [PLANT])


@pytest.mark.parametrize("words", [[], ["xyzzyq"], ["вода", "水"], ["💡", "", " "], ["the", "of", "it"]])
def test_nothing_known_is_like_nothing(space: Space, words: list[str]) -> None:
    assert not space.vector(words).any()
    assert space.similarity(words, WATER) == 0.0
    assert space.similarity(words, words) == 0.0


def test_unknown_words_change_nothing(space: Space) -> None:
    assert np.array_equal(space.vector([*WATER, "xyzzyq", "水"]), space.vector(WATER))


def test_no_texts(space: Space) -> None:
    assert space.vectors([]).shape[0] == 0


def test_mixtures_sum_to_one() -> None:
    mixtures = lda().vectors([WATER, STEAM, PLANT, WATER * 1000])
    assert (mixtures > 0).all()
    np.testing.assert_allclose(mixtures.sum(axis=1), 1, rtol=1e-5)


def test_a_word_said_more_often_weighs_more() -> None:
    toward = lsa().vector(["battery"])
    often, once = (lsa().vector(["leaf", *["battery"] * n]) for n in (5, 1))
    likeness = cosines(np.stack([often, once]), np.stack([toward, toward]))
    assert likeness[0] > likeness[1]


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("evaporates", "evaporate"),
        ("Voltages", "voltage"),
        ("mice", "mouse"),
        ("froze", "freeze"),
        ("denser", "dense"),
        ("batteries", "battery"),
        ("axes", "axis"),
        ("physics", "physics"),
        ("species", "species"),
        ("scoops", "scoop"),  # the books have only "scoop": the ending is undone at the time
        ("Newton", "newton"),
    ],
)
def test_forms_find_their_lemma(form: str, lemma: str) -> None:
    words = vocabulary()
    assert words.lemmas[words.row(form)] == lemma
    assert np.array_equal(lsa().vector([form]), lsa().vector([lemma]))


def test_every_lemma_is_its_own() -> None:
    words = vocabulary()
    assert [words.row(lemma) for lemma in words.lemmas] == list(range(len(words.lemmas)))


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("tries", "try"),
        ("tried", "try"),
        ("boxes", "box"),
        ("making", "make"),
        ("stopped", "stop"),
        ("fizzed", "fizz"),
    ],
)
def test_endings_are_undone(form: str, base: str) -> None:
    assert base in undone(form)


@pytest.mark.parametrize("form", ["", "s", "ing", "as", "bed", "x", "水"])
def test_short_words_have_no_ending(form: str) -> None:
    assert list(undone(form)) == []


def test_idf_orders_words_by_rarity() -> None:
    weights = idf()
    assert (
        0
        <= weights("the")
        < weights("water")
        < weights("photosynthesis")
        < weights("xyzzyq")
        == weights.unseen
    )
    assert weights("Cells") == weights("cell")


def test_idf_formula() -> None:
    words = vocabulary()
    assert idf().unseen == pytest.approx(math.log(103_308 + 1), abs=1e-6)
    # The last lemmas are in two paragraphs each, the fewest that give a word a weight of its own.
    assert idf()(words.lemmas[-1]) == pytest.approx(math.log((103_308 + 1) / 3), abs=1e-5)


def test_idf_array() -> None:
    words = ["the", "xyzzyq", "", "вода", "voltages"]
    assert idf().array(words).tolist() == pytest.approx([idf()(word) for word in words])
    assert idf().array([]).shape == (0,)


def test_nearest_words() -> None:
    near = lsa().nearest("voltage", 5)
    assert len(near) == 5
    assert [value for _, value in near] == sorted((value for _, value in near), reverse=True)
    assert {"current", "resistor", "volt", "ohm", "circuit", "battery"} & {word for word, _ in near}
    assert "voltage" not in dict(near)


@pytest.mark.parametrize("word", ["", "xyzzyq", "the", "水"])
def test_nearest_to_nothing(word: str) -> None:
    assert lsa().nearest(word) == []


def test_topics_hang_together() -> None:
    topic = int(lda().vector(["planet", "orbit", "star", "sun"]).argmax())
    assert (
        len({"planet", "orbit", "star", "sun", "earth", "moon", "galaxy"} & set(lda().top_words(topic, 20)))
        >= 2
    )


def test_cosine() -> None:
    values = cosines(np.array([[1.0, 0.0], [0.0, 0.0]]), np.ones((2, 2)))
    assert values.tolist() == pytest.approx([1 / math.sqrt(2), 0])
    assert cosines(np.eye(2), -np.eye(2)).tolist() == [-1, -1]


def test_a_resource_is_read_once() -> None:
    assert lsa() is lsa()
    assert lda().vocabulary is lsa().vocabulary is idf().vocabulary
    assert (type(lsa()), type(lda()), type(idf())) == (LSA, LDA, Idf)
