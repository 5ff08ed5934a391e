"""Which words match, and which are negated."""

from itertools import combinations

import pytest

from postil.language.document import Token
from postil.language.measures.matching import (
    MATCHES,
    bearings,
    match,
    negated_heads,
    negations_of,
    relation,
    relations,
    word_of,
)
from postil.language.pipeline import analyse
from postil.language.words.relations import Relation, word_relation


def word(lemma: str, part: str, form: str = "") -> tuple[str, str, str]:
    return lemma, part, form or lemma


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (word("bulb", "n"), word("bulb", "n"), Relation.SAME),
        (word("light", "n"), word("light", "v"), Relation.SAME),
        (word("connect", "v", "connected"), word("connected", "a"), Relation.SAME),
        (word("big", "a"), word("large", "a"), Relation.SYNONYM),
        # As verbs they share no common sense, as nouns they do.
        (word("slap", "v"), word("smack", "v"), Relation.SYNONYM),
        (word("evaporate", "v"), word("evaporation", "n"), Relation.DERIVED),
        (word("positive", "a"), word("negative", "a"), Relation.OPPOSITE),
        (word("increase", "v"), word("decrease", "n"), Relation.OPPOSITE),
        (word("close", "v", "closed"), word("open", "a"), Relation.OPPOSITE),
        (word("connect", "v", "connected"), word("unconnected", "a"), Relation.OPPOSITE),
        (word("metal", "n"), word("nonmetal", "n"), Relation.OPPOSITE),
        # The adjective is the opposite of "heavy", the verb is not.
        (word("heavy", "a"), word("light", "a"), Relation.OPPOSITE),
        (word("heavy", "a"), word("light", "v"), None),
        (word("mosquito", "n"), word("bee", "n"), None),
        (word("4", ""), word("5", ""), None),
        (word("zorblax", "n"), word("bulb", "n"), None),
        (word("der", "n"), word("under", "a"), None),
    ],
)
def test_relations(one: tuple[str, str, str], other: tuple[str, str, str], expected: Relation | None) -> None:
    assert relation(one, other) is expected
    assert relation(other, one) is expected
    assert match(one, other) == (MATCHES.get(expected, 0.0) if expected else 0.0)


def test_passing_over_words_with_nothing_in_common_misses_nothing() -> None:
    """The quick check before WordNet is asked must not change the result."""
    texts = (
        "big large tiny small hot cold warm increase decrease slap smack sink float melt freeze heavy light"
    )
    words = [(text, part) for text in texts.split() for part in "nva"]
    kept = (Relation.SYNONYM, Relation.OPPOSITE)
    for one, other in combinations(words, 2):
        if one[1] == other[1] and (found := word_relation(one, other)) in kept and one[0] != other[0]:
            # Another part of speech may come first, but never nothing.
            assert relation(word(*one), word(*other)) in kept, (one, other, found)


def test_long_texts_give_what_short_ones_give() -> None:
    texts = (
        "big small hot cold increase decrease slap smack sink float melt heavy light unconnected connected 4"
    )
    words = [word(text, part) for text in texts.split() for part in ("n", "v", "a", "r", "")]
    assert len(words) ** 2 > 4096
    pairs = [
        (i, j, found)
        for i, one in enumerate(words)
        for j, other in enumerate(words)
        if (found := relation(one, other)) is not None
    ]
    assert list(relations(words, words)) == pairs
    assert [pair for pair in pairs if max(pair[:2]) < 10] == list(relations(words[:10], words[:10]))


def test_a_participle_is_an_adjective_too() -> None:
    token = Token(0, "Closed", 0, "close", "VERB", "VBN", 0, "root")
    assert word_of(token) == ("close", "v", "closed")


def heads(text: str) -> set[str]:
    document = analyse(text)
    return {document.tokens[index].text for index in negated_heads(document)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The bulb is not connected to the battery.", {"connected"}),
        ("There is no gap in the circuit.", {"gap"}),
        ("The water does not move or flow.", {"move", "flow"}),
        ("The bulb is unconnected.", set()),
        ("The bulb is connected.", set()),
        ("", set()),
    ],
)
def test_what_a_negation_bears_on(text: str, expected: set[str]) -> None:
    assert heads(text) == expected


def test_each_negation_has_its_bearing() -> None:
    document = analyse("The bulb is not connected and the unlit lamp does not glow.")
    found = [{document.tokens[index].text for index in one} for one in bearings(document)]
    assert found == [{"connected"}, {"glow"}]
    assert len(negations_of(document)) == 2 < len(document.negations)
