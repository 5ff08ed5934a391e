"""The label schemes: their official names, how finer ones collapse to coarser, and what people call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from postil.errors import PostilError, some


@dataclass(frozen=True)
class Scheme:
    """A fixed, ordered set of labels, and for each finer label what it becomes here."""

    name: str
    labels: tuple[str, ...]
    collapses: Mapping[str, str] = field(default_factory=dict)

    def collapse(self, label: str) -> str | None:
        """Return this scheme's label for one of its own or of a finer scheme; None if there is none."""
        return label if label in self.labels else self.collapses.get(label)


PARTLY = "partially_correct_incomplete"
_INCORRECT = (PARTLY, "irrelevant", "non_domain")
_FIVE = ("correct", PARTLY, "contradictory", "irrelevant", "non_domain")
RESPONSE_SCHEMES: Mapping[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("5way", _FIVE),
        Scheme("3way", ("correct", "contradictory", "incorrect"), dict.fromkeys(_INCORRECT, "incorrect")),
        Scheme("2way", ("correct", "incorrect"), dict.fromkeys(_FIVE[1:], "incorrect")),
    )
}

# The pilot kept two labels; the corpus behind it, and our own facets, have the third.
FACET_SCHEMES: Mapping[str, Scheme] = {
    "3way": Scheme("3way", ("Expressed", "Unaddressed", "Contradicted")),
    "2way": Scheme("2way", ("Expressed", "Unaddressed"), {"Contradicted": "Unaddressed"}),
}

ENTAILMENT_SCHEMES: Mapping[str, Scheme] = {
    "3way": Scheme("3way", ("ENTAILMENT", "CONTRADICTION", "UNKNOWN")),
    "2way": Scheme(
        "2way", ("ENTAILMENT", "NO_ENTAILMENT"), dict.fromkeys(("CONTRADICTION", "UNKNOWN"), "NO_ENTAILMENT")
    ),
}

PLAIN_NAMES: Mapping[str, str] = {
    "correct": "correct",
    "partially_correct_incomplete": "partly right",
    "contradictory": "contradicts",
    "irrelevant": "off the point",
    "non_domain": "not an answer",
    "incorrect": "not correct",
}


def fitting_schemes(labels: Iterable[str], schemes: Mapping[str, Scheme]) -> list[Scheme]:
    """List the schemes that hold every one of these labels as their own, finest first."""
    names = set(labels)
    return [scheme for scheme in schemes.values() if names <= set(scheme.labels)]


def reachable_schemes(labels: Iterable[str], schemes: Mapping[str, Scheme]) -> list[Scheme]:
    """List the schemes to which every one of these labels can be collapsed, finest first."""
    names = set(labels)
    return [scheme for scheme in schemes.values() if all(map(scheme.collapse, names))]


def choose_scheme(labels: Iterable[str], schemes: Mapping[str, Scheme], what: str) -> Scheme:
    """Find the one scheme these labels belong to, or explain why there is none or more than one."""
    names = set(labels)
    fitting = fitting_schemes(names, schemes)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        fits = " and ".join(scheme.name for scheme in fitting)
        hint = f"Say which with --scheme {fitting[0].name}."
        raise PostilError(f"{what} holds only {some(sorted(names))}, which fits {fits}.", hint=hint)
    known = {label for scheme in schemes.values() for label in scheme.labels}
    if names <= known:
        hint = "Name the coarser with --scheme, and finer labels are collapsed to it."
        raise PostilError(f"{what} mixes labels of different schemes: {some(sorted(names), 6)}.", hint=hint)
    hint = f"Known labels: {', '.join(sorted(known))}."
    raise PostilError(f"{what} holds labels that no scheme has: {some(sorted(names - known))}.", hint=hint)
