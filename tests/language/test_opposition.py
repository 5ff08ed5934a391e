"""Opposites and negation between two texts."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.measures.matching import Opposition, WordPair, clause_of, opposition
from postil.language.pipeline import analyse, analyse_many

SHARES = ("opposites", "polarity_clashes", "net_oppositions")


def test_the_shares_by_hand() -> None:
    none, not_a, not_b = frozenset[int](), frozenset({0}), frozenset({1})
    pairs = (
        # A clause with a negation and a pair of opposites: they cancel.
        WordPair(0, 0, False, not_a, none, (0, 0)),
        WordPair(1, 1, True, not_a, none, (0, 0)),
        # A clause with opposites only.
        WordPair(4, 4, True, none, none, (4, 4)),
        WordPair(5, 5, False, none, none, (4, 4)),
        # A clause that is negated in both texts.
        WordPair(7, 7, False, not_b, not_b, (7, 7)),
    )
    found = Opposition(pairs)
    assert found.opposites == pytest.approx(2 / 5)
    assert found.polarity_clashes == pytest.approx(1 / 5)
    assert found.net_oppositions == pytest.approx(2 / 5)
    assert Opposition(()).net_oppositions == 0.0


@pytest.mark.parametrize(
    ("first", "second", "has_opposites", "clashes", "disagrees"),
    [
        ("The switch is open.", "The switch is closed.", True, False, True),
        ("The switch is open.", "The switch is not closed.", True, False, False),
        ("The switch is not open.", "The switch is not closed.", True, False, True),
        ("The bulb is not lit.", "The bulb is lit.", False, True, True),
        ("The bulb is not lit.", "The bulb is never lit.", False, False, False),
        # A prefix makes another word, an opposite one; it is not a negation besides.
        ("The circuit is connected.", "The circuit is unconnected.", True, False, True),
        ("The circuit is not connected.", "The circuit is unconnected.", True, False, False),
        ("The volume increases.", "There is a decrease in volume.", True, False, True),
        # Negation in another place of the clause.
        ("There is no gap in the circuit.", "The circuit does not have a gap.", False, True, False),
        ("The bulb glows.", "Seeds need soil to grow.", False, False, False),
        ("Current flows from positive to negative.", "Current flows from negative to positive.",
         False, False, False),
    ],
)  # fmt: skip
def test_who_disagrees(first: str, second: str, has_opposites: bool, clashes: bool, disagrees: bool) -> None:
    one, other = analyse_many([first, second])
    found = opposition(one, other)
    assert (found.opposites > 0, found.polarity_clashes > 0, found.net_oppositions > 0) == (
        has_opposites,
        clashes,
        disagrees,
    )


def test_oppositions_of_two_clauses_do_not_cancel() -> None:
    sinks, floats = analyse_many(
        ["The ball sinks because it is heavy.", "The ball floats because it is light."]
    )
    found = opposition(sinks, floats)
    assert found.opposites == pytest.approx(2 / 3)
    assert found.net_oppositions == 1.0


def test_of_equal_words_those_in_like_places_pair() -> None:
    one, other = analyse_many(
        ["Terminal 4 is not connected to the negative terminal.", "It is connected to the negative terminal."]
    )
    pairs = {one.tokens[pair.first].text: pair for pair in opposition(one, other).pairs}
    assert "Terminal" not in pairs
    assert pairs["terminal"].flipped


def test_cues_are_not_words_to_pair() -> None:
    one, other = analyse_many(["The bulb never glows.", "The lamp never glows."])
    found = opposition(one, other)
    assert "never" not in {one.tokens[pair.first].text for pair in found.pairs}


def test_clauses() -> None:
    document = analyse("The bulb glows because the switch is closed.")
    clauses = [
        document.tokens[clause_of(document.tokens, token.index)].text for token in document.tokens[:-1]
    ]
    assert clauses == ["glows"] * 3 + ["closed"] * 5


TEXTS = (
    "", "?!", "水は蒸発する", "Not.", "never", "the bulb", "zorblax 🙂 blorps", "The bulb is not lit.",
    "No gap; no current!", "It is not unlikely that the positive and the negative terminal are not open.",
    "Terminals 4, 5 and 6 are not connected to the negative battery terminal",
)  # fmt: skip


@pytest.mark.parametrize("share", SHARES)
def test_every_value_is_defined(share: str) -> None:
    documents = list(analyse_many(TEXTS))
    for first, second in product(documents, repeat=2):
        value = getattr(opposition(first, second), share)
        assert 0.0 <= value <= 1.0
        assert value == getattr(opposition(second, first), share)
    for document in documents:
        assert getattr(opposition(document, document), share) == 0.0


SOME = "the bulb is not no never connected unconnected open closed positive negative terminal and . hot cold"
WORDS = st.sampled_from(SOME.split())


@settings(max_examples=50, deadline=None)
@given(st.lists(WORDS, max_size=14), st.lists(WORDS, max_size=14))
def test_any_words(first: list[str], second: list[str]) -> None:
    one, other = analyse_many([" ".join(first), " ".join(second)])
    found, back = opposition(one, other), opposition(other, one)
    assert {(pair.first, pair.second) for pair in found.pairs} == {
        (pair.second, pair.first) for pair in back.pairs
    }
    for name in SHARES:
        assert 0.0 <= getattr(found, name) == getattr(back, name) <= 1.0
