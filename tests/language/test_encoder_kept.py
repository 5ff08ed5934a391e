"""What the encoder keeps of pairs that it has read: the same as reading again, and only so many."""

import numpy as np

from postil.language import network as module
from postil.language.network import encoder

PAIRS = [
    ("the bulb is lit", "the bulb is on"),
    ("a gap", "there is a gap"),
    ("the bulb is lit", "the bulb is on"),
]


def test_kept_and_fresh_are_the_same():
    network = encoder()
    network.forget()
    fresh, pieces = network.pairs(PAIRS, ("response", "nli")), network.link_pieces(PAIRS)
    kept = network.pairs(PAIRS, ("response", "nli"))
    network.forget()
    again = network.link_pieces(PAIRS)
    for head in ("response", "nli"):
        np.testing.assert_array_equal(fresh[head], kept[head])
        np.testing.assert_array_equal(fresh[head][0], fresh[head][2])
    for one, other in zip(pieces, again, strict=True):
        np.testing.assert_array_equal(one.vectors[0], other.vectors[0])
        np.testing.assert_array_equal(one.starts[1], other.starts[1])


def test_a_pair_is_read_once(monkeypatch):
    network = encoder()
    network.forget()
    read = []
    run = type(network)._run
    monkeypatch.setattr(type(network), "_run", lambda *given: read.append(len(given[3])) or run(*given))
    network.pairs(PAIRS)
    network.link_pieces(PAIRS[:2])
    assert read == [2, 0]


def test_only_the_last_ones_are_kept(monkeypatch):
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    network = encoder()
    network.forget()
    network.pairs([("one", "a"), ("two", "a"), ("three", "a")])
    assert list(network._recent) == [("two", "a"), ("three", "a")]
    assert len(network.pairs([])["response"]) == 0
