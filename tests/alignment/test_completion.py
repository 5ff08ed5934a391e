"""A link takes in an unaligned chunk that says what only its partner says."""

from __future__ import annotations

import pytest

from postil.alignment.aligner import Aligner, load_aligner
from postil.data.judgements import ChunkedPair


def links(first: str, second: str) -> set[tuple[str, str]]:
    """The links of two sentences whose chunks are separated by bars."""
    sides = [[chunk.split() for chunk in text.split("|")] for text in (first, second)]
    tokens, numbers = [], []
    for chunks in sides:
        tokens.append(tuple(word for chunk in chunks for word in chunk))
        ends = [sum(map(len, chunks[: n + 1])) for n in range(len(chunks))]
        numbers.append(
            tuple(
                tuple(range(end - len(chunk) + 1, end + 1)) for chunk, end in zip(chunks, ends, strict=True)
            )
        )
    aligner: Aligner = load_aligner()
    (pair,) = aligner.align([ChunkedPair("1", *tokens, *numbers)])
    return {
        tuple(
            " ".join(words[number - 1] for number in side)
            for words, side in zip(tokens, (link.source, link.target), strict=True)
        )
        for link in pair.alignments
        if link.source and link.target
    }


@pytest.mark.parametrize(
    ("first", "second", "link"),
    [
        (
            "the switch | is connected | with the bulb",
            "the switch and the bulb | are connected",
            ("the switch with the bulb", "the switch and the bulb"),
        ),
        (
            "Terminal 4 and the positive terminal | are separated | by a gap",
            "the positive terminal | is separated | by a gap | from terminal 4",
            ("Terminal 4 and the positive terminal", "the positive terminal from terminal 4"),
        ),
    ],
)
def test_two_things_named_together_and_apart(first, second, link):
    assert link in links(first, second)


def test_a_chunk_that_says_something_else_as_well_stays_alone():
    found = links("the switch | burns | like a green bulb", "the switch and the bulb | burn")
    assert not any("green" in source for source, _ in found)
