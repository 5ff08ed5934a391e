"""What was found in a pair, part by part: what the text supports, what it lacks, where it says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from postil.entailment.evidence import denied, left_open
from postil.entailment.reading import FOUND, Outcome, Reading
from postil.language.document import Document, Quantity, Span

NUMBER, OPPOSITE, NEGATION, OPEN = "number", "opposite", "negation", "open"


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where the text says otherwise: how, the hypothesis's words, and the text's."""

    kind: str  # number, opposite, negation or open
    wanted: str
    given: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The sentence that bears most on the hypothesis, and what becomes of the hypothesis's parts."""

    sentence: str = ""
    stands_for: tuple[tuple[str, str], ...] = ()  # its pronouns and short names that were resolved
    supported: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()


def findings(reading: Reading) -> Findings:
    """Say part by part what was found."""
    supported, unsupported = _parts(reading)
    return Findings(
        _sentence(reading),
        tuple(_stands_for(reading)),
        supported,
        unsupported,
        tuple(dict.fromkeys(_differences(reading))),
    )


def _sentence(reading: Reading) -> str:
    if reading.sentence < 0:
        return ""
    return reading.text.text_of(reading.text.sentences[reading.sentence])


def _stands_for(reading: Reading) -> Iterator[tuple[str, str]]:
    """The pronouns and short names of the best sentence through which it supports the hypothesis."""
    if reading.sentence < 0:
        return
    sentence = reading.text.sentences[reading.sentence]
    used = {place for row in range(len(reading.wanted)) for place in reading.places(row)}
    for index in range(sentence.start, sentence.end):
        thing = reading.links.get(index, ())
        outside = any(not sentence.start <= place < sentence.end for place in thing)
        if outside and index in used:
            name = reading.text.text_of(Span(thing[0], thing[-1] + 1))
            yield reading.text.tokens[index].text, name


def _parts(reading: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hypothesis's chunks whose content words the text supports, and those with one that it lacks."""
    lacking = {
        token.index for token, value in zip(reading.wanted, reading.best, strict=True) if value < FOUND
    }
    content = {token.index for token in reading.wanted}
    supported: list[str] = []
    unsupported: list[str] = []
    for chunk in reading.hypothesis.ists_chunks:
        own = content & set(range(chunk.start, chunk.end))
        if own:
            (unsupported if own & lacking else supported).append(reading.hypothesis.text_of(chunk))
    return tuple(supported), tuple(unsupported)


def _differences(reading: Reading) -> Iterator[Difference]:
    hypothesis, text = reading.hypothesis, reading.text
    for one in reading.numbers:
        if one.outcome is Outcome.CONTRADICTED and one.given is not None:
            yield Difference(NUMBER, _written(hypothesis, one.wanted), _written(text, one.given))
    for pair in reading.opposed.pairs:
        given, wanted = text.tokens[pair.first].text, hypothesis.tokens[pair.second].text
        if pair.opposite and not pair.flipped:
            yield Difference(OPPOSITE, wanted, given)
    negated = denied(reading)
    if negated is not None:
        yield Difference(NEGATION, hypothesis.tokens[negated[0]].text, text.tokens[negated[1]].text)
    opened = left_open(reading)
    if opened is not None:
        yield Difference(OPEN, hypothesis.tokens[opened[0]].text, text.tokens[opened[1]].text)


def _written(document: Document, quantity: Quantity) -> str:
    return document.text_of(Span(quantity.start, quantity.end))
