"""The identical-tokens baseline of alignment on hand-made chunks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.judgements import Alignment, ChunkedPair
from postil.research.baselines import IdenticalTokens


def chunked(source: str, target: str) -> ChunkedPair:
    """Make a pair from sentences with bars between their chunks."""
    sides = []
    for text in (source, target):
        chunks, start = [], 1
        for chunk in text.split("|"):
            size = len(chunk.split())
            chunks.append(tuple(range(start, start + size)))
            start += size
        sides.append((tuple(text.replace("|", " ").split()), tuple(chunks)))
    return ChunkedPair("1", sides[0][0], sides[1][0], sides[0][1], sides[1][1])


def align(source: str, target: str) -> list[tuple]:
    (pair,) = IdenticalTokens().predict([chunked(source, target)])
    return [(item.source, item.target) for item in pair.alignments if item.labels == ("EQUI",)]


def test_by_hand():
    (pair,) = IdenticalTokens().predict(
        [chunked("The bell | rings twice | at noon", "a bell | rings | daily")]
    )
    assert pair.alignments == (
        Alignment((1, 2), (1, 2), ("EQUI",), 5.0),
        Alignment((3, 4), (3,), ("EQUI",), 5.0),
        Alignment((5, 6), (), ("NOALI",), None),
        Alignment((), (4,), ("NOALI",), None),
    )
    assert pair.source == ("The", "bell", "rings", "twice", "at", "noon")
    assert pair.target == ("a", "bell", "rings", "daily")


def test_case_does_not_matter():
    assert align("The BELL", "the bell") == [((1, 2), (1, 2))]


def test_the_chunks_that_share_most_go_together():
    # `the` alone would pair the first chunks; two words in common win.
    assert align("the red bell | rings", "the day | red bell") == [((1, 2, 3), (3, 4))]


def test_a_chunk_has_one_partner():
    assert align("the bell | the gong", "the bell the gong") == [((1, 2), (1, 2, 3, 4))]


def test_among_equals_the_first_of_the_sentence():
    assert align("the bell | the gong", "the man | the cow") == [((1, 2), (1, 2)), ((3, 4), (3, 4))]


def test_every_occurrence_counts_with_every_other():
    # `a a` with `a a` are four links, more than the three of b c d.
    assert align("a a | b c d", "a a b c d") == [((1, 2), (1, 2, 3, 4, 5))]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3), min_size=1, max_size=4), st.data())
def test_every_chunk_has_exactly_one_line(source, data):
    target = data.draw(
        st.lists(st.lists(st.sampled_from("abxy"), min_size=1, max_size=3), min_size=1, max_size=4)
    )
    pair = chunked(" | ".join(map(" ".join, source)), " | ".join(map(" ".join, target)))
    model = IdenticalTokens().fit([], [])
    (aligned,) = model.predict([pair])
    assert model.predict([pair]) == [aligned]
    assert sorted(item.source for item in aligned.alignments if item.source) == list(pair.source_chunks)
    assert sorted(item.target for item in aligned.alignments if item.target) == list(pair.target_chunks)
    for item in aligned.alignments:
        shared = {pair.source[n - 1] for n in item.source} & {pair.target[n - 1] for n in item.target}
        assert bool(shared) == (item.labels == ("EQUI",)) == (item.score == 5.0)
    # Nothing that could be paired is left alone.
    left = {pair.source[n - 1] for item in aligned.alignments if not item.target for n in item.source}
    right = {pair.target[n - 1] for item in aligned.alignments if not item.source for n in item.target}
    assert not left & right
