"""Numbers, years and quantities of a hypothesis: which the text has, lacks, or gives otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from postil.language.document import Document, Quantity

_MORE = frozenset(("more", "over", "above", "least", "exceed", "exceeding"))
_LESS = frozenset(("less", "under", "below", "most", "fewer", "within"))
_ABOUT = frozenset(("about", "around", "nearly", "almost", "approximately", "roughly", "some", "circa"))
_BEFORE = 3  # words before a number that can say so: "more than", "at least about"
_ROUND = 0.1  # how far from each other two round numbers may be
_SAME = 1e-6
_YEARS = (1000.0, 2100.0)


class Outcome(Enum):
    """What the text says of a number of the hypothesis."""

    SUPPORTED = "supported"
    MISSING = "missing"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of the hypothesis, what the text says of it, and the text's number that says so."""

    wanted: Quantity
    outcome: Outcome
    given: Quantity | None = None


def compare_numbers(text: Document, hypothesis: Document) -> tuple[Compared, ...]:
    """Every number of the hypothesis beside those of the text."""
    return tuple(_compared(text, hypothesis, wanted) for wanted in hypothesis.quantities)


def _compared(text: Document, hypothesis: Document, wanted: Quantity) -> Compared:
    bound, _ = _bound(hypothesis, wanted)
    for given in text.quantities:
        if _comparable(wanted, given) and _implies(text, given, bound, wanted):
            return Compared(wanted, Outcome.SUPPORTED, given)
    written = _digits(hypothesis, wanted)
    if any(written == token.text for token in text.tokens):  # inside a name or a date that is no quantity
        return Compared(wanted, Outcome.SUPPORTED)
    rival = next((given for given in text.quantities if _rivals(text, given, hypothesis, wanted)), None)
    return Compared(wanted, Outcome.CONTRADICTED if rival else Outcome.MISSING, rival)


def _digits(document: Document, quantity: Quantity) -> str:
    return document.tokens[quantity.start].text


def _bound(document: Document, quantity: Quantity) -> tuple[str, bool]:
    """Whether a number is a bound ("more", "less") or exact (""), and whether it is only about right."""
    before = [
        token.lemma.lower() for token in document.tokens[max(0, quantity.start - _BEFORE) : quantity.start]
    ]
    about = any(word in _ABOUT for word in before)
    for kind, words in (("more", _MORE), ("less", _LESS)):
        if any(word in words for word in before):
            return kind, about
    return "", about


def _comparable(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit or not one.unit or not other.unit


def _implies(text: Document, given: Quantity, bound: str, wanted: Quantity) -> bool:
    """Whether the text's number makes the hypothesis's true: 12 is more than 10, over 12 is not 12."""
    own, about = _bound(text, given)
    same = abs(given.value - wanted.value) <= _SAME * max(1.0, abs(wanted.value))
    if not bound:
        # "Nearly 12" and "over 12" are taken for 12, as the challenges' annotators do; "under 12" is not.
        near = abs(given.value - wanted.value) <= _ROUND * abs(wanted.value)
        return (same and own != "less") or (about and near)
    if given.unit != wanted.unit:
        return same
    if bound == "more":
        return own != "less" and given.value >= wanted.value
    return own != "more" and given.value <= wanted.value


def _rivals(text: Document, given: Quantity, hypothesis: Document, wanted: Quantity) -> bool:
    """Whether two different numbers are of the same thing: both years, or the same unit, or the same noun."""
    if all(_is_year(document, one) for document, one in ((text, given), (hypothesis, wanted))):
        return True
    ours, theirs = _counted(hypothesis, wanted), _counted(text, given)
    if ours and ours == theirs:
        return True
    return bool(wanted.unit) and wanted.unit == given.unit and not ours


def _is_year(document: Document, quantity: Quantity) -> bool:
    written = _digits(document, quantity)
    return (
        not quantity.unit
        and len(written) == 4
        and written.isdigit()
        and _YEARS[0] <= quantity.value <= _YEARS[1]
    )


def _counted(document: Document, quantity: Quantity) -> str:
    """The noun that a number counts, if it counts one."""
    tokens = document.tokens
    head = tokens[tokens[quantity.start].head]
    counts = tokens[quantity.start].relation in ("nummod", "amod", "det")
    return head.lemma.lower() if counts and head.pos == "NOUN" else ""
