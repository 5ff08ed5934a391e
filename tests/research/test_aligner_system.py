"""The shipped aligner as a system: it learns nothing more, and refuses what would flatter."""

from __future__ import annotations

import pytest

from postil.data.judgements import AlignedPair, Alignment, ChunkedPair
from postil.errors import PostilError
from postil.research.shipped import ShippedAligner
from postil.research.systems import create

WORDS, OTHERS = ("the", "bell", "rings"), ("a", "bell", "sounds")
GOLD = AlignedPair("1", WORDS, OTHERS, (Alignment((1, 2), (1, 2), ("EQUI",), 5.0),))
CHUNKED = ChunkedPair("1", WORDS, OTHERS, ((1, 2), (3,)), ((1, 2), (3,)))
TURNED = ChunkedPair("2", OTHERS, WORDS, ((1, 2), (3,)), ((1, 2), (3,)))


def test_it_is_registered() -> None:
    assert isinstance(create("alignment", "postil"), ShippedAligner)


def test_it_aligns_other_pairs() -> None:
    (found,) = ShippedAligner().fit([GOLD], [CHUNKED]).predict([TURNED])
    assert found.id == "2"
    assert found.alignments


def test_it_says_which_pairs_it_knows_and_refuses_the_training_set() -> None:
    system = ShippedAligner().fit([GOLD], [CHUNKED])
    assert system.learned_from([TURNED, CHUNKED]) == [False, True]
    assert len(system.predict([TURNED, CHUNKED])) == 2
    with pytest.raises(PostilError, match="learned from 1 of these 1 items"):
        system.predict([CHUNKED])
