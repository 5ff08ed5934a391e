"""What is seen around a word, with and without lemmas, and what becomes of it in a table."""

from __future__ import annotations

import numpy as np
import pytest

from postil.data.formats.senseval import SenseInstance, Token
from postil.senses.features import GROUPS, features, make_table


def said(text: str, word: str = "bank", *, sentences: tuple[int, ...] = (0,)) -> SenseInstance:
    tokens = tuple(Token(form) for form in text.split())
    return SenseInstance("1", "bank.n", tokens, (text.lower().split().index(word),), sentences)


def seen(instance: SenseInstance, group: str) -> set[str]:
    (found,) = features(instance, [group])
    return set(found)


def test_neighbours_with_their_place_end_at_the_sentence():
    instance = said("It rained . The old bank lent him money", sentences=(0, 3))
    assert seen(instance, "words") == {
        "-2 the",
        "-1 old",
        "1 lent",
        "2 him",
        "3 money",
        "-4 #",
        "-3 #",
        "4 #",
    }
    assert "-1 old lent" in seen(instance, "word-sequences")
    assert "1 lent him money" in seen(instance, "word-sequences")


def test_the_bag_is_the_whole_context_and_the_sentence_is_not():
    instance = said("It rained . The old bank lent money", sentences=(0, 3))
    assert seen(instance, "bag") == {"it", "rained", ".", "the", "old", "lent", "money"}
    assert seen(instance, "sentence") == {"the", "old", "lent", "money"}


def test_forms_are_cut_where_there_is_no_lemma():
    assert "1 retur" in seen(said("the bank returned"), "others")
    lemmas = (Token("bankuak", "banku", "IZE", "ERG"), Token("itzultzen", "itzuli", "ADI"))
    instance = SenseInstance("1", "banku", lemmas, (0,), (0,))
    assert "1 itzuli" in seen(instance, "words")
    assert "1 itzultzen" in seen(instance, "others")
    assert {"word banku", "other bankuak", "pos IZE", "case ERG"} == seen(instance, "head")
    assert seen(instance, "relations") == {"right pos ADI itzuli"}


def test_kinds_and_cases_are_told_apart_by_their_whole_names():
    tokens = (
        Token("ate", "ate", "IZE"),
        Token("ireki", "ireki", "ADI"),
        Token("du", "ukan", "ADL"),
        Token("etxean", "etxe", "IZE", "INE"),
        Token("ikusi", "ikusi", "ADI"),
        Token("INE", "x", "INE"),
    )
    instance = SenseInstance("1", "ate", tokens, (0,), (0,))
    assert seen(instance, "relations") == {
        "right pos ADI ireki",
        "right pos ADL ukan",
        "right pos IZE etxe",
        "right case INE etxe",
        "right pos INE x",
    }


def test_pairs_may_leave_tokens_out():
    assert {"the @", "@ lent", "the lent", "@ him", "lent him", "the him"} == seen(
        said("the bank lent him"), "word-subsequences"
    )


def test_a_word_of_several_tokens_and_a_second_occurrence():
    tokens = tuple(Token(form) for form in ["a", "river", "bank", "or", "bank", "here"])
    instance = SenseInstance("1", "bank.n", tokens, (1, 2, 4), (0,))
    assert "1 or" in seen(instance, "words")
    assert "word river bank" in seen(instance, "head")


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_bears_a_word_alone(group):
    assert all(isinstance(feature, str) for feature in seen(said("bank"), group))


def test_rows_have_unit_groups_and_no_unknown_features():
    table = make_table([said("the bank lent money"), said("the bank of the river")], ["words", "bag"])
    there, weighed = table.rows([said("the bank lent water"), said("bank")])
    assert there.shape == weighed.shape == (2, table.width)
    assert set(there.data) == {1.0}
    for group in ("words", "bag"):
        lengths = np.linalg.norm(weighed[:, table.columns_of([group])].toarray(), axis=1)
        assert lengths[0] == pytest.approx(1)
    assert there[[1]][:, table.columns_of(["bag"])].sum() == 0
    weights = table.weights[table.spans()["bag"]]
    common, rare = (weights[table.columns["bag"][word]] for word in ("the", "lent"))
    assert common < rare
