"""The shipped facets as a system of the benchmark: words that no expressed facet holds are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Self

from postil.data.formats.gaps import GapRow
from postil.data.outcome import EXPRESSED, FacetOutcome
from postil.grading.claims import judge_facets


class ShippedFacets:
    """Judges the facets of each reference; rows with the same question and reference together."""

    def fit(self, rows: Sequence[GapRow]) -> Self:
        """Learn nothing."""
        return self

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """For each row whether each word is held by no facet that the answer expresses."""
        groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            groups[row.question, row.reference].append(place)
        found: dict[int, tuple[bool, ...]] = {}
        for (question, reference), places in groups.items():
            judged = judge_facets(question, reference, [rows[place].answer for place in places])
            for place, outcomes in zip(places, judged, strict=True):
                found[place] = _missing(rows[place], outcomes)
        return [found[place] for place in range(len(rows))]


def _missing(row: GapRow, outcomes: Sequence[FacetOutcome]) -> tuple[bool, ...]:
    held = [span for one in outcomes if one.label == EXPRESSED for span in one.reference_spans]
    return tuple(not any(start < word.end and word.start < end for start, end in held) for word in row.words)
