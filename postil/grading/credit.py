"""What an answer earns, from 0 to 1: by its label, and where a teacher says what counts, by what it says.

>>> from postil.data.questions import Facet
>>> facets = (Facet("a", "it is warm"), Facet("b", "it evaporates", weight=3.0))
>>> earned("partially_correct_incomplete", facets, {"b"})
0.75
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from postil.data.judgements import CREDIT, EXPRESSED, FacetOutcome
from postil.data.labels import PARTLY
from postil.data.questions import Facet


def earned(label: str, facets: Sequence[Facet] | None, ticked: Collection[str] | None) -> float:
    """What an answer with this label earns.

    Correct is correct, and wrong is wrong, whatever is ticked. A partly right answer earns the share of the
    teacher's facets that it says; half where the teacher set none, or where nobody has looked for them.
    """
    if label == PARTLY and facets and ticked is not None:
        return share_of(facets, ticked)
    return CREDIT.get(label, 0.0)


def share_of(facets: Sequence[Facet], ticked: Collection[str]) -> float:
    """The weight of the ticked facets, where the required ones together are the whole.

    Optional ones only make up for others: nothing is worth more than the whole.
    """
    whole = sum(facet.weight for facet in facets if facet.required)
    said = sum(facet.weight for facet in facets if facet.id in ticked)
    return min(1.0, said / whole)


def earns_nothing(label: str, outcomes: Sequence[FacetOutcome]) -> bool:
    """Whether an answer is called partly right and yet expresses none of the teacher's facets."""
    return label == PARTLY and bool(outcomes) and all(outcome.label != EXPRESSED for outcome in outcomes)
