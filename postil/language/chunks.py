"""Chunks from BIO tags, in the two conventions: CoNLL-2000's and iSTS's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from postil.language.document import Span


def spans_of(tags: Iterable[str]) -> tuple[Span, ...]:
    """The spans that BIO tags mark; an I that continues nothing begins a span, as conlleval has it."""
    found: list[Span] = []
    start, kind = -1, ""
    index = -1
    for index, tag in enumerate(tags):
        position, _, label = tag.partition("-")
        if start >= 0 and (position != "I" or label != kind):
            found.append(Span(start, index, kind))
            start = -1
        if position == "B" or (position == "I" and start < 0):
            start, kind = index, label
    if start >= 0:
        found.append(Span(start, index + 1, kind))
    return tuple(found)


def tags_of(spans: Sequence[Span], size: int) -> list[str]:
    """The BIO tags of spans over so many tokens."""
    tags = ["O"] * size
    for span in spans:
        kind = f"-{span.kind}" if span.kind else ""
        tags[span.start : span.end] = [f"B{kind}", *[f"I{kind}"] * (span.end - span.start - 1)]
    return tags
