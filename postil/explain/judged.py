"""Explains judged answers from their comparison with the reference; the judgements stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from postil.data.judgements import Explanation, Judgement
from postil.explain.differences import find_differences
from postil.explain.notes import for_student, for_teacher
from postil.grading.comparison import Comparison


def explained(judgements: Sequence[Judgement], comparisons: Sequence[Comparison | None]) -> list[Judgement]:
    """The judgements with their explanations; what was not compared with a reference gets none."""

    @cache
    def words(comparison: Comparison, label: str, deferred: bool) -> Explanation:
        texts = comparison.answer, comparison.reference
        differences = find_differences(comparison.alignment, *texts)
        return Explanation(
            comparison.alignment,
            for_teacher(differences, *texts, label, comparison.claims, deferred=deferred),
            for_student(differences, *texts, label, comparison.question, deferred=deferred),
            comparison.claims,
        )

    return [
        judgement
        if comparison is None
        else replace(judgement, explanation=words(comparison, judgement.label, judgement.deferred))
        for judgement, comparison in zip(judgements, comparisons, strict=True)
    ]
