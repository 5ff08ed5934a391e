from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.words.walks import (
    DAMPING,
    Walker,
    Weights,
    Word,
    disambiguate,
    graph,
    make_graph,
    pagerank,
    restarts,
    similarities,
    similarity,
    turns,
    walk,
    walker,
)
from postil.language.words.wordnet import wordnet

# Few enough that their walks are computed once for all tests.
WORDS: tuple[Word, ...] = (
    "water",
    ("evaporate", "v"),
    "bulb",
    ("battery", "n"),
    ("hot", "a"),
    "quickly",
    ("run", "v"),
    "bank",
    ("river", "n"),
    "money",
    "dog",
    "circuit",
)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)
few = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def exact() -> dict[Word, np.ndarray]:
    """The words' walks over the whole graph, solved far beyond what is promised, nothing dropped."""
    found = pagerank(graph(), restarts(WORDS, graph().size), tolerance=1e-7)
    return dict(zip(WORDS, found.T.astype(np.float64), strict=True))


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


# A small graph: a square with a tail, a pair, and a node alone.
LINKS = (np.array([0, 1, 2, 3, 3, 5, 1, 0]), np.array([1, 2, 3, 0, 4, 6, 0, 0]))
SMALL = make_graph(LINKS, 8)


def solved(restart: np.ndarray) -> np.ndarray:
    steps = np.zeros((8, 8))
    for one, other in [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (5, 6)]:
        steps[one, other] = steps[other, one] = 1.0
    steps[7, 7] = 1.0
    steps /= steps.sum(axis=0)
    return np.linalg.solve(np.eye(8) - DAMPING * steps, (1 - DAMPING) * restart)


@pytest.mark.parametrize("start", range(8))
def test_walks_on_a_small_graph_are_the_solution_of_their_equation(start: int) -> None:
    restart = np.zeros((8, 2), dtype=np.float32)
    restart[start, 0] = 1.0
    restart[:, 1] = 1 / 8
    found = pagerank(SMALL, restart.copy(), tolerance=1e-7)
    np.testing.assert_allclose(found[:, 0], solved(restart[:, 0]), atol=1e-5)
    np.testing.assert_allclose(found[:, 1], solved(restart[:, 1]), atol=1e-5)


def test_a_pair_has_its_walk_in_closed_form() -> None:
    restart = np.zeros((8, 1), dtype=np.float32)
    restart[5] = 1.0
    found = pagerank(SMALL, restart, tolerance=1e-7)[:, 0]
    assert found[5] == pytest.approx(1 / (1 + DAMPING), abs=1e-5)
    assert found[6] == pytest.approx(DAMPING / (1 + DAMPING), abs=1e-5)
    assert found[:5].max() == 0.0


def test_restarts_are_left_as_they_were() -> None:
    restart = np.eye(8, dtype=np.float32)
    pagerank(SMALL, restart)
    assert (restart == np.eye(8)).all()


def test_the_error_shrinks_as_the_tolerance_says() -> None:
    restart = np.eye(8, dtype=np.float32)
    exact = np.stack([solved(column) for column in np.eye(8)]).T
    errors = [np.abs(pagerank(SMALL, restart, tolerance=one) - exact).max() for one in (1e-1, 1e-2, 1e-4)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-4
    assert turns(1e-2) < turns(1e-4) < 30


def test_the_graph_is_undirected_and_its_columns_add_up() -> None:
    steps = graph().steps
    assert graph().size == wordnet().size
    np.testing.assert_allclose(steps.astype(np.float64).sum(axis=0), 1.0, atol=1e-4)
    pattern = steps.astype(bool)
    assert (pattern != pattern.T).nnz == 0
    assert graph().region.min() == 0


def test_shapes_have_length_one_in_each_region() -> None:
    lengths = np.bincount(graph().region, weights=graph().shape.astype(np.float64) ** 2)
    np.testing.assert_allclose(lengths[lengths > 0], 1.0, atol=1e-5)


def test_every_relation_is_a_link() -> None:
    steps, wn = graph().steps, wordnet()
    place = np.argsort(graph().order)
    for one, other in (("dog.n.01", "canine.n.02"), ("hot.a.01", "cold.a.01")):
        assert steps[place[wn.find(one)], place[wn.find(other)]] > 0


def test_restarts_follow_the_counts_of_senses() -> None:
    senses, counts = wordnet().synsets("bank", "n"), wordnet().sense_counts("bank", "n")
    column = restarts([("bank", "n")], graph().size)[:, 0]
    assert column.sum() == pytest.approx(1.0, abs=1e-6)
    assert np.count_nonzero(column) == len(senses)
    expected = [(count + 1) / (sum(counts) + len(counts)) for count in counts]
    np.testing.assert_allclose(column[list(senses)], expected, rtol=1e-5)


@few
@given(one=texts, other=texts)
def test_cosines_equal_the_direct_computation(
    one: list[Word], other: list[Word], exact: dict[Word, np.ndarray]
) -> None:
    left, right = (np.mean([exact[word] for word in text], axis=0) for text in (one, other))
    assert similarity(one, other) == pytest.approx(cosine(left, right), abs=1e-3)


@few
@given(text=texts)
def test_values_equal_the_direct_computation(text: list[Word], exact: dict[Word, np.ndarray]) -> None:
    found = walk(text)
    dense = np.zeros(graph().size)
    dense[found.ids] = found.values
    assert np.abs(dense - np.mean([exact[word] for word in text], axis=0)).max() < 1e-3


@few
@given(text=texts)
def test_a_walk_is_a_distribution_but_for_its_tail(text: list[Word]) -> None:
    found = walk(text)
    assert 0.5 < found.values.sum() < 1.01
    assert found.values.min() > 0.0
    assert (np.diff(found.values) <= 0).all()
    assert len(set(found.ids.tolist())) == len(found.ids)


@few
@given(one=texts, other=texts)
def test_similarity_is_symmetric_and_within_bounds(one: list[Word], other: list[Word]) -> None:
    assert similarity(one, other) == pytest.approx(similarity(other, one), abs=1e-6)
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, one) == pytest.approx(1.0, abs=1e-6)


@few
@given(text=texts, data=st.data())
def test_the_order_of_words_does_not_matter(text: list[Word], data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(text))
    assert similarity(text, mixed) == pytest.approx(1.0, abs=1e-6)


@few
@given(batch=st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_a_batch_equals_its_texts_one_by_one(batch: list[tuple[list[Word], list[Word]]]) -> None:
    together = similarities([one for one, _ in batch], [other for _, other in batch])
    apart = [similarity(one, other) for one, other in batch]
    np.testing.assert_allclose(together, apart, atol=1e-6)


def expanded(texts: list[list[Word]], weights: Weights | None = None) -> np.ndarray:
    rows = walker().texts(texts, weights)
    return np.hstack([rows.left.toarray(), rows.shares])


def test_a_text_is_the_mean_of_its_words() -> None:
    rows = expanded([["dog", "money", "money"], ["dog"], ["money"]])
    np.testing.assert_allclose(rows[0], rows[1] / 3 + 2 * rows[2] / 3, atol=1e-6)


def test_weights_weigh_words() -> None:
    weights = {"dog": 3.0, "money": 1.0, "bulb": 0.0}
    rows = expanded([["dog", "money", "bulb"]], weights.__getitem__)
    np.testing.assert_allclose(rows, expanded([["dog"] * 3 + ["money"]]), atol=1e-6)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_words_without_a_proper_weight_are_left_out(weight: float) -> None:
    assert similarity(["dog"], ["dog"], lambda _: weight) == 0.0


@pytest.mark.parametrize("text", [[], ["qqzzx"], ["水"], [""], [" "], [("dog", "x")], [("dog", "")]])
def test_unknown_words_have_no_walk(text: list[Word]) -> None:
    found = walk(text)
    assert len(found.ids) == len(found.values) == 0
    assert similarity(text, ["dog"]) == 0.0
    assert similarity(text, text) == 0.0


def test_unknown_words_do_not_dilute_known_ones() -> None:
    assert similarity(["dog", "qqzzx"], ["dog"]) == pytest.approx(1.0, abs=1e-6)


def test_no_texts_give_no_walks() -> None:
    assert similarities([], []).shape == (0,)
    with pytest.raises(ValueError, match="paired"):
        similarities([["dog"]], [])


def test_related_words_are_closer() -> None:
    assert similarity(["doctor"], ["nurse"]) > 5 * similarity(["doctor"], ["violin"])
    assert similarity(["car"], ["automobile"]) > 0.9


def test_the_likeliest_synset_is_the_commonest_sense() -> None:
    assert wordnet().name(int(walk([("dog", "n")]).ids[0])) == "dog.n.01"


def test_what_is_remembered_is_bounded() -> None:
    small = Walker(make_graph(LINKS, wordnet().size), most=3000)
    words = ["dog", "cat", "bird", "fish", "cow", "horse", "pig", "hen"]
    first = small.rows(words).left.toarray()
    assert 0 < len(small._known) < len(words)
    assert small._size == sum(one.size for one in small._known.values()) <= 3000
    assert (small.rows(words).left.toarray() == first).all()


def test_remembered_words_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    walk(["dog"])
    monkeypatch.setattr("postil.language.words.walks.pagerank", None)
    assert len(walk(["dog"]).ids) > 100


# Senses


def names(words: list[tuple[str, str]], **options: object) -> list[str | None]:
    chosen = disambiguate(words, **options)  # type: ignore[arg-type]
    return [None if synset is None else wordnet().name(synset) for synset in chosen]


MONEY = [("bank", "n"), ("money", "n"), ("deposit", "v")]
RIVER = [("bank", "n"), ("river", "n"), ("water", "n")]


@pytest.mark.parametrize("prior", [True, False])
def test_a_bank_is_told_by_the_words_around_it(prior: bool) -> None:
    assert names(MONEY, prior=prior)[0] == "depository_financial_institution.n.01"
    assert names(RIVER, prior=prior)[0] == "bank.n.01"


def test_a_plant_is_told_by_the_words_around_it() -> None:
    assert names([("plant", "n"), ("leaf", "n"), ("grow", "v")])[0] == "plant.n.02"
    assert names([("plant", "n"), ("worker", "n"), ("factory", "n")])[0] == "plant.n.01"


@pytest.mark.parametrize("method", ["w2w", "ppr"])
@pytest.mark.parametrize("prior", [True, False])
def test_each_word_gets_one_of_its_senses(method: str, prior: bool) -> None:
    words = [*MONEY, ("qqzzx", "n"), *RIVER, ("bank", "n")]
    for word, synset in zip(words, disambiguate(words, method=method, prior=prior), strict=True):
        assert (synset is None) == (word[0] == "qqzzx")
        assert synset is None or synset in wordnet().synsets(*word)


@pytest.mark.parametrize("prior", [True, False])
def test_a_word_alone_has_its_first_sense(prior: bool) -> None:
    assert names([("bank", "n")], prior=prior) == ["bank.n.01"]
    assert disambiguate([]) == ()


def test_far_words_do_not_count() -> None:
    far = [("bank", "n")] + [("qqzzx", "n")] * 25 + [("money", "n"), ("deposit", "v")]
    assert names(far, prior=False)[0] == "bank.n.01"


def test_another_method_is_refused() -> None:
    with pytest.raises(ValueError, match="w2w or ppr"):
        disambiguate([("dog", "n")], method="lesk")
