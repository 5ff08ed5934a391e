"""Chunks from BIO tags."""

from hypothesis import given
from hypothesis import strategies as st

from postil.language.chunks import spans_of
from postil.language.document import Span


def test_conll_tags() -> None:
    tags = ["B-NP", "I-NP", "O", "B-VP", "B-NP", "I-PP"]
    expected = (Span(0, 2, "NP"), Span(3, 4, "VP"), Span(4, 5, "NP"), Span(5, 6, "PP"))
    assert spans_of(tags) == expected


def test_bare_tags() -> None:
    assert spans_of(["I", "I", "B", "B", "I"]) == (Span(0, 2), Span(2, 3), Span(3, 5))


@given(st.lists(st.integers(1, 4), max_size=8))
def test_chunks_come_back(lengths: list[int]) -> None:
    tags = ["B" if index == 0 else "I" for length in lengths for index in range(length)]
    assert [span.end - span.start for span in spans_of(tags)] == lengths


@given(st.lists(st.sampled_from(("O", "B-NP", "I-NP", "B-VP", "I-VP")), max_size=12))
def test_spans_are_apart_and_cover_what_is_not_outside(tags: list[str]) -> None:
    covered = [index for span in spans_of(tags) for index in range(span.start, span.end)]
    assert covered == [index for index, tag in enumerate(tags) if tag != "O"]
