"""What programs send and receive about the facets of a question, and what others would change."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic.config import JsonDict

from postil.data.rubrics import LONGEST_ITEM, MOST_FACETS, MOST_WEIGHT
from postil.workbench.api.schemas import (
    LONGEST_KEY,
    Number,
    Received,
    SeenVersion,
    SentCount,
    Shown,
    shows,
    words,
)

_FACET: JsonDict = {
    "id": "f1a2b3c4",
    "name": "the circuit is closed",
    "weight": 2.0,
    "required": True,
    "group": "",
    "needed": 0,
    "deduction": 1.0,
    "points": 2.0,
}


class NewFacet(Received):
    """One point that a full answer makes."""

    id: Annotated[str, Field(max_length=LONGEST_KEY)] | None = Field(
        None, description="The id of an existing facet, which may get another name."
    )
    name: Annotated[str, words(LONGEST_ITEM, "What an answer has to say, in a few words.")]
    weight: float = Field(
        1.0,
        ge=0,
        le=MOST_WEIGHT,
        allow_inf_nan=False,
        description="Its points, in proportion to the others; 0 with a deduction: a wrong statement.",
    )
    required: bool = Field(
        True, description="Required facets together earn all the points; optional ones only add."
    )
    group: str = Field("", max_length=LONGEST_ITEM, description="Facets of which some suffice share a name.")
    needed: SentCount = Field(0, ge=0, le=MOST_FACETS, description="How many facets of the group suffice.")
    deduction: float = Field(
        0.0,
        ge=0,
        le=MOST_WEIGHT,
        allow_inf_nan=False,
        description="What an answer loses that contradicts the facet, or makes the wrong statement.",
    )
    model_config = shows(name="the circuit is closed", weight=2, required=True, deduction=1)


class NewFacets(Received):
    """All the points that a full answer makes; facets that are left out are removed."""

    facets: list[NewFacet] = Field(min_length=1, max_length=MOST_FACETS)
    version: SeenVersion = None
    model_config = shows(facets=[{"name": "the circuit is closed", "weight": 2}, {"name": "current flows"}])


class Facet(Shown):
    """One point that a full answer makes."""

    id: str
    name: str
    weight: float
    required: bool
    group: str = ""
    needed: int = 0
    deduction: float = 0.0
    points: float = Field(0.0, description="What it adds, in the question's own points.")
    model_config = shows(**_FACET)


class Facets(Shown):
    """The points that a full answer makes, as set by a teacher."""

    facets: list[Facet] | None = Field(description="null if nobody has set any: Postil then finds its own.")
    outdated: bool = Field(
        description="Whether answers were judged with other facets; a `recheck` job looks again."
    )
    version: str = Field(description="Another one after each change of the facets.")
    model_config = shows(
        facets=[_FACET],
        outdated=False,
        version="7d793037a0760186",
    )


class PointsChange(Shown):
    """What other facets would change about the points of one answer."""

    answer_id: Number
    key: str
    before: float
    after: float
    model_config = shows(answer_id=101, key="u17", before=1.0, after=1.5)


class FacetsPreview(Shown):
    """What other facets would change, by what is known of the answers now; nothing is stored."""

    changes: list[PointsChange] = Field(description="The first 200, in the order of the answers.")
    count: int = Field(description="How many answers would earn another number of points.")
    graded: int
    before: float = Field(description="The mean of the points of all graded answers.")
    after: float
    unknown: int = Field(description="Answers whose facets have to be looked for before this is certain.")
    model_config = shows(
        changes=[{"answer_id": 101, "key": "u17", "before": 1.0, "after": 1.5}],
        count=1,
        graded=28,
        before=1.21,
        after=1.23,
        unknown=0,
    )
