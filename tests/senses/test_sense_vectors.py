"""Contextual vectors: what is read around a word, and which vector is the word's own."""

from __future__ import annotations

import numpy as np
import pytest

from postil.data.formats.senseval import SenseInstance, Token
from postil.language.network import WIDTH
from postil.senses import features
from postil.senses.features import CONTEXT, context_vectors


def said(text: str, head: int) -> SenseInstance:
    return SenseInstance("1", "x", tuple(Token(form) for form in text.split(" ")), (head,), (0,))


def test_two_vectors_side_by_side_and_the_word_is_its_own():
    text = "the bank of the river and the bank that lent money"
    first, second = context_vectors([said(text, 1), said(text, 7)])
    assert first.shape == (2 * WIDTH,)
    assert (first[WIDTH:] == second[WIDTH:]).all()
    assert not np.allclose(first[:WIDTH], second[:WIDTH])


def test_what_was_read_is_not_read_again(monkeypatch):
    instance = said("a bench in the park", 1)
    before = context_vectors([instance])

    def fail():
        raise AssertionError

    monkeypatch.setattr(
        features, "encoder", lambda: type("E", (), {"words": lambda self, texts: [fail() for _ in texts]})()
    )
    assert (context_vectors([instance]) == before).all()


def test_only_the_neighbourhood_is_read():
    far = " ".join(["far"] * (CONTEXT + 20))
    long, short = said(f"{far} bank {far}", CONTEXT + 20), said("bank", 0)
    text, start = features._text(long)
    assert len(text.split()) == 2 * CONTEXT + 1
    assert text[start:].startswith("bank ")
    assert features._text(short) == ("bank", 0)


@pytest.mark.parametrize("text", ["\u200b", "\u00ad", "😀"])
def test_what_cannot_be_read_gets_a_vector_all_the_same(text):
    assert np.isfinite(context_vectors([said(text, 0)])).all()


def test_no_instances():
    assert context_vectors([]).shape == (0, 2 * WIDTH)
