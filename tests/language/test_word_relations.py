"""How two words are related."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.words.relations import Relation, kinds, word_relation
from postil.language.words.wordnet import wordnet

TURNED = {
    Relation.MORE_SPECIFIC: Relation.MORE_GENERAL,
    Relation.MORE_GENERAL: Relation.MORE_SPECIFIC,
    Relation.PART: Relation.WHOLE,
    Relation.WHOLE: Relation.PART,
}


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("mice", "mouse", Relation.SAME),
        ("Zorblax", "zorblax", Relation.SAME),
        ("car", "automobile", Relation.SYNONYM),
        ("begin", "start", Relation.SYNONYM),
        ("hot", "cold", Relation.OPPOSITE),
        ("increase", "decrease", Relation.OPPOSITE),
        ("tiny", "large", Relation.OPPOSITE),
        ("poodle", "dog", Relation.MORE_SPECIFIC),
        ("liquid", "water", Relation.MORE_GENERAL),
        ("finger", "hand", Relation.PART),
        ("hand", "finger", Relation.WHOLE),
        ("evaporate", "evaporation", Relation.DERIVED),
        ("dog", "person", None),
        ("voltage", "leaf", None),
        ("zorblax", "dog", None),
        ("", "dog", None),
        ("水", "dog", None),
    ],
)
def test_relations(one: str, other: str, relation: Relation | None) -> None:
    assert word_relation(one, other) is relation


def test_a_part_of_speech_restricts_the_senses() -> None:
    assert word_relation(("hot", "a"), ("cold", "a")) is Relation.OPPOSITE
    assert word_relation(("hot", "n"), ("cold", "n")) is None
    assert word_relation(("light", "a"), ("heavy", "a")) is Relation.OPPOSITE
    assert word_relation(("light", "v"), ("heavy", "a")) is None
    assert word_relation("light", ("heavy", "a")) is Relation.OPPOSITE


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_turning_two_words_round_turns_their_relation(first: int, second: int) -> None:
    words = wordnet().words
    one, other = words[first % len(words)], words[second % len(words)]
    relation = word_relation(one, other)
    assert word_relation(other, one) is (TURNED.get(relation, relation) if relation else None)


def test_kinds_are_found_among_many_words():
    words = ["poodle", ("poodle", "n"), "dog", "water", "liquid", "hot", "sprint", ("run", "v"), "zorb", ""]
    expected = [
        (i, j)
        for i, word in enumerate(words)
        for j, other in enumerate(words)
        if word_relation(word, other) is Relation.MORE_SPECIFIC
    ]
    assert list(kinds(words, words)) == expected
    assert {(0, 2), (1, 2), (3, 4), (6, 7)} <= set(expected)
    assert not list(kinds(words, []))
    assert not list(kinds([], words))
