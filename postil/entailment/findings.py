"""The findings about a pair, part by part: what the text supports, what it lacks, and where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from postil.entailment.evidence import denied, left_open
from postil.entailment.reading import FOUND, Outcome, Reading
from postil.language.document import Document, Quantity, Span

NUMBER, OPPOSITE, NEGATION, OPEN = "number", "opposite", "negation", "open"


@dataclass(frozen=True, slots=True)
class Difference:
    """A point on which the text differs: how, the hypothesis's words, and the text's."""

    kind: str  # number, opposite, negation or open
    wanted: str
    given: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The sentence that supports most of the hypothesis, and what the text says about its parts."""

    sentence: str = ""
    stands_for: tuple[tuple[str, str], ...] = ()  # its pronouns and short names that were resolved
    supported: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()


def findings(reading: Reading) -> Findings:
    """Collect the findings about a pair."""
    parts, differences = _parts(reading), tuple(dict.fromkeys(_differences(reading)))
    if reading.sentence < 0:
        return Findings("", (), *parts, differences)
    sentence = reading.text.sentences[reading.sentence]
    names = tuple(_stands_for(reading, sentence))
    return Findings(reading.text.text_of(sentence), names, *parts, differences)


def _stands_for(reading: Reading, sentence: Span) -> Iterator[tuple[str, str]]:
    """The pronouns and short names through which a sentence supports the hypothesis, and what they mean."""
    used = {index for row in range(len(reading.words)) for index in reading.supporters(row)}
    for index in range(sentence.start, sentence.end):
        thing = reading.links.get(index, ())
        outside = any(not sentence.start <= other < sentence.end for other in thing)
        if outside and index in used:
            name = reading.text.text_of(Span(thing[0], thing[-1] + 1))
            yield reading.text.tokens[index].text, name


def _parts(reading: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hypothesis's chunks whose content words the text supports, and those with one that it lacks."""
    lacking = {token.index for token, value in zip(reading.words, reading.best, strict=True) if value < FOUND}
    content = {token.index for token in reading.words}
    supported: list[str] = []
    unsupported: list[str] = []
    for chunk in reading.hypothesis.ists_chunks:
        own = content & set(range(chunk.start, chunk.end))
        if own:
            (unsupported if own & lacking else supported).append(reading.hypothesis.text_of(chunk))
    return tuple(supported), tuple(unsupported)


def _differences(reading: Reading) -> Iterator[Difference]:
    hypothesis, text = reading.hypothesis, reading.text
    for number in reading.numbers:
        if number.outcome is Outcome.CONTRADICTED and number.given is not None:
            yield Difference(NUMBER, _written(hypothesis, number.wanted), _written(text, number.given))
    for pair in reading.opposed.pairs:
        if pair.opposite and not pair.flipped:
            yield Difference(OPPOSITE, hypothesis.tokens[pair.second].text, text.tokens[pair.first].text)
    for kind, words in ((NEGATION, denied(reading)), (OPEN, left_open(reading))):
        if words is not None:
            yield Difference(kind, hypothesis.tokens[words[0]].text, text.tokens[words[1]].text)


def _written(document: Document, quantity: Quantity) -> str:
    return document.text_of(Span(quantity.start, quantity.end))
