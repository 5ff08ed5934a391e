"""What an answer earns, from 0 to 1: by its label, and where a teacher wrote a rubric, by what it says.

>>> from postil.data.questions import Facet
>>> facets = (Facet("a", "it is warm"), Facet("b", "it evaporates", weight=3.0))
>>> earned("partially_correct_incomplete", facets, {"b": "Expressed"})
0.75
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from postil.data.judgements import CONTRADICTED, CREDIT, EXPRESSED, FacetOutcome
from postil.data.labels import PARTLY
from postil.data.questions import Facet

# What became of each claim, by its id; None where nobody has looked for them all.
Outcomes = Mapping[str, str] | None
_RIGHT, _CONTRADICTS = "correct", "contradictory"


def earned(label: str, facets: Sequence[Facet] | None, outcomes: Outcomes) -> float:
    """What an answer with this label earns.

    By a teacher's rubric it is what its items add, at most the whole, less what wrong statements take off;
    by the label alone where the teacher wrote none, or where nobody has looked for the items.
    """
    if facets and outcomes is not None and by_items(label, facets):
        shares = item_shares(label, facets, outcomes)
        gained = min(1.0, sum(share for share in shares if share > 0))
        return max(0.0, gained + sum(share for share in shares if share < 0))
    return CREDIT.get(label, 0.0)


def by_items(label: str | None, facets: Sequence[Facet] | None) -> bool:
    """Whether the items of a rubric count for an answer with this label.

    They do where it is partly right. If the rubric says what wrong statements cost, a correct answer can lose
    by them, and a contradictory one earns by what it says besides. Off the point, an answer earns nothing.
    """
    if label == PARTLY:
        return bool(facets)
    return label in (_RIGHT, _CONTRADICTS) and any(facet.deduction for facet in facets or ())


def item_shares(label: str, facets: Sequence[Facet], outcomes: Mapping[str, str]) -> tuple[float, ...]:
    """What each item adds to or takes off what an answer earns, as a share of the whole.

    A correct answer says all that is required, so it has those shares whether or not they were found.
    """
    if not by_items(label, facets) and label != _RIGHT:
        return (0.0,) * len(facets)
    said = {facet.id for facet in facets if not facet.wrong and outcomes.get(facet.id) == EXPRESSED}
    required = {facet.id for facet in facets if facet.required}
    counting = _best(facets, required, said) if label == _RIGHT else _best(facets, said)
    full = worth(facets)
    shares = []
    for facet in facets:
        gained = facet.weight if facet.id in counting else 0.0
        at_fault = outcomes.get(facet.id) == (EXPRESSED if facet.wrong else CONTRADICTED)
        shares.append((gained - facet.deduction * at_fault) / full)
    return tuple(shares)


def worth(facets: Sequence[Facet]) -> float:
    """The weight of all that is required, which is the whole: of a group, of as many as are needed."""
    best = _best(facets, {facet.id for facet in facets if facet.required})
    return sum(facet.weight for facet in facets if facet.id in best)


def _best(facets: Sequence[Facet], among: Collection[str], first: Collection[str] = ()) -> set[str]:
    """Those of some claims that count: all that are in no group, and of each group as many as are needed.

    Of a group those that come `first` count, then those that weigh most.
    """
    counting = {facet.id for facet in facets if not facet.group and facet.id in among}
    for group in {facet.group for facet in facets} - {""}:
        members = [facet for facet in facets if facet.group == group]
        chosen = [facet for facet in members if facet.id in among]
        chosen.sort(key=lambda facet: (facet.id not in first, -facet.weight))
        counting |= {facet.id for facet in chosen[: needed_of(members)]}
    return counting


def needed_of(members: Sequence[Facet]) -> int:
    """How many claims of a group suffice: as many as one of them says, or else one."""
    return max(1, *(facet.needed for facet in members))


def earns_nothing(label: str, outcomes: Sequence[FacetOutcome]) -> bool:
    """Whether an answer is called partly right and yet expresses none of the teacher's facets."""
    claims = claims_of(outcomes)
    return label == PARTLY and bool(claims) and all(outcome.label != EXPRESSED for outcome in claims)


def claims_of(outcomes: Sequence[FacetOutcome]) -> list[FacetOutcome]:
    """The outcomes of what an answer should say, without wrong statements."""
    return [outcome for outcome in outcomes if not outcome.facet.wrong]


def as_read(outcomes: Sequence[FacetOutcome]) -> list[FacetOutcome]:
    """The outcomes that a reader is told of: a wrong statement only where the answer makes it."""
    return [outcome for outcome in outcomes if not outcome.facet.wrong or outcome.label == EXPRESSED]
