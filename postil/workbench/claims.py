"""What an answer does with each facet of its question, as it is stored, shown and ticked.

Teachers know facets as the items of a rubric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome, Facets, Spans
from postil.data.questions import Facet
from postil.explain.notes import short_list
from postil.explain.points import facet_text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the machine found about one facet, in a form that can be kept.

    `spans` are characters of the answer as it was written: the words that make the claim or contradict it.
    """

    id: str
    name: str
    label: str
    confidence: float
    words: tuple[str, ...] = ()
    spans: Spans = ()


@dataclass(frozen=True, slots=True)
class FacetView:
    """A facet as a page shows it: what the machine says of it, and whether it is ticked.

    `machine` is its outcome, None where it has not looked; `told` means that the tick, or its absence, is a
    person's. An answer that says the opposite is not `ticked`, but `denied`.
    """

    facet: Facet
    machine: Outcome | None
    ticked: bool
    told: bool = False
    denied: bool = False

    @property
    def can_lose(self) -> bool:
        """Whether it matters that an answer contradicts the facet, so that a person can say so."""
        return self.facet.deduction > 0 and not self.facet.wrong

    @property
    def label(self) -> str | None:
        """The outcome that counts; None where nobody has looked."""
        if self.machine is None and not self.told:
            return None
        if self.ticked:
            return EXPRESSED
        return CONTRADICTED if self.denied else UNADDRESSED

    @property
    def outcome(self) -> FacetOutcome:
        """The outcome as explanations show it; a person's is certain.

        The words that the machine found stand for it as long as nobody says otherwise.
        """
        label, machine = self.label or UNADDRESSED, self.machine
        if machine is None or machine.label != label:
            return FacetOutcome(self.facet, label, 1.0)
        sure = 1.0 if self.told else machine.confidence
        return FacetOutcome(self.facet, label, sure, machine.words, machine.spans)


def kept_outcome(outcome: FacetOutcome) -> Outcome:
    """An outcome as it is stored."""
    facet = outcome.facet
    name = facet_text(facet)
    return Outcome(facet.id, name, outcome.label, outcome.confidence, outcome.words, outcome.spans)


def facet_views(
    facets: Facets, outcomes: Sequence[Outcome], told: Mapping[str, bool] | None
) -> tuple[FacetView, ...]:
    """Every facet of an answer: those that a teacher set, or else those that the machine found.

    `told` has the facets that a person was asked about, and whether they are ticked; of the others the
    machine's outcome counts. A facet that was renamed keeps its tick, but the machine has to look for it
    again.
    """
    if facets is None:
        return tuple(
            _view(Facet(outcome.id, outcome.name), outcome, outcome.label == EXPRESSED)
            for outcome in outcomes
        )
    told = told or {}
    by_name = {outcome.name: outcome for outcome in outcomes}
    said = {outcome.name for outcome in outcomes if outcome.label == EXPRESSED}
    return tuple(
        _view(
            facet,
            by_name.get(facet.first),
            told.get(facet.id, facet.first in said),
            facet.id in told,
            told.get(denial(facet.id)),
        )
        for facet in facets
    )


def _view(
    facet: Facet, machine: Outcome | None, ticked: bool, told: bool = False, denied: bool | None = None
) -> FacetView:
    if denied is None:
        denied = machine is not None and machine.label == CONTRADICTED
    return FacetView(facet, machine, ticked, told, denied and not ticked)


def denial(facet_id: str) -> str:
    """The tick that says that an answer contradicts a facet; ids of facets never begin so."""
    return f"!{facet_id}"


def outcomes_told(views: Sequence[FacetView]) -> dict[str, str] | None:
    """What became of each facet, by its id; None where nobody has looked for all of them."""
    outcomes = {view.facet.id: view.label for view in views if view.label is not None}
    return outcomes if views and len(outcomes) == len(views) else None


def told_by(views: Sequence[FacetView], ticked: Iterable[str]) -> dict[str, bool] | None:
    """What a person says of each facet by leaving these ticked; None if that says nothing.

    Anyone who changes a tick has looked at all of them. Otherwise facets that nobody looked for stay open.
    Where a facet is ticked as said and as contradicted, the tick that is new counts.
    """
    ticks = set(ticked)
    for view in views:
        facet_id = view.facet.id
        if {facet_id, denial(facet_id)} <= ticks:
            ticks.discard(denial(facet_id) if view.denied else facet_id)
    before = {view.facet.id for view in views if view.ticked}
    before |= {denial(view.facet.id) for view in views if view.denied and view.can_lose}
    known = {name for view in views for name in (view.facet.id, denial(view.facet.id))}
    changed = bool(before ^ (ticks & known))
    told: dict[str, bool] = {}
    for view in views:
        if changed or view.label is not None:
            told[view.facet.id] = view.facet.id in ticks
            if view.can_lose:
                told[denial(view.facet.id)] = denial(view.facet.id) in ticks
    return told or None


def looked_for(facets: Facets) -> str | None:
    """A digest of the facets that a judgement is about; None if the machine found its own.

    Only their names count: weights change nothing about what an answer says.
    """
    return None if facets is None else _digest(sorted(facet.first for facet in facets))


def as_shown(views: Sequence[FacetView]) -> str:
    """A digest of the facets that a page shows, sent back with the ticks so that changes are noticed."""
    return _digest(f"{view.facet.id} {view.label} {view.can_lose} {view.facet.first}" for view in views)


def in_words(views: Sequence[FacetView]) -> str:
    """Every facet under its outcome, in one line: "said: A; B · left out: C"."""
    return short_list([view.outcome for view in views if view.label])


def _digest(parts: Iterable[str]) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()[:16]
