"""FACT and POL: on aligned chunks, and on chunks alone."""

from __future__ import annotations

import pytest

from postil.alignment.rules import additions, lone_additions
from postil.language.pipeline import analyse_tokens


def of(first: str, second: str, source, target):
    one, other = analyse_tokens([first.split(), second.split()])
    return additions(one, other, source, target)


@pytest.mark.parametrize(
    ("first", "second", "source", "target", "expected"),
    [
        ("a suspected thief ran", "a thief ran", (1, 2, 3), (1, 2), ("FACT",)),
        ("a thief ran", "an alleged thief ran", (1, 2), (1, 2, 3), ("FACT",)),
        ("the bridge may fall", "the bridge falls", (3, 4), (3,), ("FACT",)),
        ("two suspected thieves ran", "three suspected thieves ran", (1, 2, 3), (1, 2, 3), ()),
        ("the bridge may fall", "the bridge might collapse", (3, 4), (3, 4), ()),
        # Both are yet to happen.
        ("they may delay it", "they promised to delay it", (2, 3), (3, 4), ()),
        # Nouns are things: a suspect is a person, May a month.
        ("the suspect ran", "the man ran", (1, 2), (1, 2), ()),
        ("on May 5", "on Monday", (1, 2, 3), (1, 2), ()),
        ("a good idea won", "a bad idea won", (1, 2, 3), (1, 2, 3), ("POL",)),
        ("a good idea won", "a great idea won", (1, 2, 3), (1, 2, 3), ()),
        ("a good idea won", "an idea won", (1, 2, 3), (1, 2), ()),
    ],
)
def test_aligned_chunks(first, second, source, target, expected):
    assert of(first, second, source, target) == expected


@pytest.mark.parametrize(
    ("own", "chunk", "other", "unaligned", "expected"),
    [
        ("the mayor says the bridge is safe", (3,), "the bridge is safe", (), ("FACT",)),
        ("the bridge is safe , the mayor says", (8,), "the bridge is safe .", (5,), ("FACT",)),
        # The other sentence says something else besides.
        ("the mayor says the bridge is safe", (3,), "the bridge is safe and new", (5, 6), ()),
        # The other one names its source, too.
        ("the mayor says the bridge is safe", (3,), "mayor : the bridge is safe", (), ()),
        ("the mayor says the bridge is safe", (3,), "the bridge is safe , says the mayor", (), ()),
        ("the bridge is reportedly safe", (4,), "the bridge is new", (4,), ("FACT",)),
        ("the bridge is safe - sources", (6,), "the bridge is safe", (), ("FACT",)),
        # More than a word tells more than whose word it is.
        ("the mayor says the bridge is safe", (1, 2, 3), "the bridge is safe", (), ()),
        ("the bridge is safe", (4,), "the bridge is new", (4,), ()),
    ],
)
def test_chunks_without_a_partner(own, chunk, other, unaligned, expected):
    one, second = analyse_tokens([own.split(), other.split()])
    assert lone_additions(one, chunk, second, unaligned) == expected
