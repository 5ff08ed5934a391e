"""Quantities: the numbers in a text, in digits or words, with their units turned into base units."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import isfinite

from postil.language.document import Quantity, Token


def _listed(words: str) -> list[str]:
    return words.split()


_DAY = 86400.0
_YEAR = 365.25 * _DAY
# Base unit → what is written for it and its multiples. Single letters are read in the case they have here.
_SYMBOLS: dict[str, dict[str, float]] = {
    **{symbol: {symbol: 1} for symbol in "mgANJ%°$€£"},
    "s": {"s": 1, "h": 3600},
    "V": {"V": 1, "v": 1},
    "ohm": {"Ω": 1, "\u2126": 1, "kΩ": 1000, "k\u2126": 1000},
    "W": {"W": 1, "w": 1},
    "l": {"l": 1, "L": 1},
}
# Longer ones are read in any case and may end in s.
_NAMES: dict[str, dict[str, float]] = {
    "m": {"metre": 1, "meter": 1, "cm": 0.01, "centimetre": 0.01, "centimeter": 0.01}
    | {"mm": 0.001, "millimetre": 0.001, "millimeter": 0.001}
    | {"km": 1000, "kilometre": 1000, "kilometer": 1000}
    | {"inch": 0.0254, "inches": 0.0254, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "yard": 0.9144}
    | {"mile": 1609.344},
    "g": {"gram": 1, "gramme": 1, "kg": 1000, "kilogram": 1000, "kilo": 1000, "mg": 0.001, "milligram": 0.001}
    | {"lb": 453.59237, "pound": 453.59237, "oz": 28.349523125, "ounce": 28.349523125, "tonne": 1e6},
    "s": {"sec": 1, "second": 1, "ms": 0.001, "millisecond": 0.001, "min": 60, "minute": 60, "hr": 3600}
    | {"hour": 3600, "day": _DAY, "week": 7 * _DAY, "month": _YEAR / 12, "yr": _YEAR, "year": _YEAR},
    "V": {"volt": 1, "mv": 0.001, "millivolt": 0.001, "kv": 1000, "kilovolt": 1000},
    "A": {"amp": 1, "ampere": 1, "ma": 0.001, "milliamp": 0.001},
    "ohm": {"ohm": 1, "kilohm": 1000},
    "W": {"watt": 1, "kw": 1000, "kilowatt": 1000},
    "N": {"newton": 1},
    "J": {"joule": 1, "kj": 1000, "kilojoule": 1000},
    "Hz": {"hz": 1, "hertz": 1, "khz": 1000, "kilohertz": 1000, "mhz": 1e6},
    "l": {"litre": 1, "liter": 1, "ml": 0.001, "millilitre": 0.001, "milliliter": 0.001, "cl": 0.01}
    | {"cm3": 0.001, "cm³": 0.001, "cc": 0.001},
    "m/s": {"mph": 0.44704, "kph": 1 / 3.6, "kmh": 1 / 3.6},
    "%": {"percent": 1, "per cent": 1, "pct": 1},
    "°": {"degree": 1, "deg": 1},
    "$": {"dollar": 1, "buck": 1, "cent": 0.01},
    "€": {"euro": 1},
}
# Degrees Celsius are value · factor + offset, by the first letter of the scale.
_TEMPERATURES = {"c": (1.0, 0.0), "f": (5 / 9, -160 / 9), "k": (1.0, -273.15)}

_ONES = _listed("one two three four five six seven eight nine")
_TEENS = _listed("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS = {word: float(n) for n, word in enumerate(["zero", *_ONES, *_TEENS])}
_WORDS |= {word: 10.0 * n for n, word in enumerate(_TENS, 2)} | {"fourty": 40.0}
_SCALES = {"dozen": 12.0, "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fourth": 1 / 4, "fifth": 1 / 5}
_GLYPHS = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8}
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_AS_DIGITS = str.maketrans(_SUPERSCRIPTS + "−", "0123456789--")

# "The other one" is not a number, and what follows "bulb 2" is not a unit.
_BEFORE_PRONOUN_ONE = frozenset(_listed("the this that no other each another which every any some only"))
_LABELLED = frozenset(
    _listed("bulb terminal switch battery figure fig question number no step part point resistor")
)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_SCALE = rf"(?:{_any_of(_SCALES)})\b"
_AND_A_HALF = r"(?: and (?:a|one) (?P<more>half|quarter)\b)?"
_GLYPH = f"[{''.join(_GLYPHS)}]"
_DIGITS = re.compile(
    r"(?P<sign>(?<![\w)])[-−])?(?<![\w.])"
    rf"(?:(?P<whole>[0-9]*) ?(?P<glyph>{_GLYPH})"
    r"|(?:(?P<mixed>[0-9]+) )?(?P<top>[0-9]+) ?/ ?(?P<bottom>[0-9]+)(?![0-9/])"
    r"|(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:e(?P<e>[-+]?[0-9]+)"
    rf"|(?: ?[x×*] ?10 ?(?:\^ ?(?P<power>[-−]?[0-9]+)|(?P<raised>[{_SUPERSCRIPTS}]+))))?)"
    rf"(?: (?P<scale>{_SCALE}))?{_AND_A_HALF}",
    re.IGNORECASE,
)
_UNDER_100 = rf"(?:(?:{_any_of(_TENS)})[ -](?:{_any_of(_ONES)})\b|(?:{_any_of(_WORDS)})\b)"
_OVER_100 = rf"(?:{_UNDER_100}|an?)(?:[ -]{_SCALE})+(?:(?: and)?[ -]{_UNDER_100}(?:[ -]{_SCALE})*)*"
_PART = (
    rf"(?:(?:an?|one)[ -])?half\b(?: an? dozen\b)?|{_UNDER_100}[ -](?:third|quarter|fourth|fifth)s\b"
    r"|(?:an?|one)[ -](?:third|quarter|fourth|fifth) of\b"
)
_SPELLED = re.compile(
    rf"\b(?:(?P<part>{_PART})|(?P<words>{_OVER_100}|{_UNDER_100}){_AND_A_HALF})"
    r"(?![ -](?:first|third|fourth|fifth|sixth|seventh|eighth|ninth)\b|-second\b)",
    re.IGNORECASE,
)

_NAMED = {name: (base, factor) for base, names in _NAMES.items() for name, factor in names.items()}
_LETTERS = {name: (base, factor) for base, names in _SYMBOLS.items() for name, factor in names.items()}
_ONE_UNIT = rf"(?:(?i:{_any_of(_NAMED)})s?|{_any_of(_LETTERS)})(?![A-Za-z0-9])"
_UNIT = re.compile(
    r"(?: ?|-)"
    r"(?:(?:° ?|(?i:degrees?|deg) )(?P<scale>(?i:celsius|centigrade|fahrenheit|kelvin|c|f)\b)"
    r"|(?P<letter>[CFK])\b"
    rf"|(?P<unit>{_ONE_UNIT})(?:(?: ?/ ?| per )(?:(?P<per_square>s2\b)|(?P<per>{_ONE_UNIT})))?"
    r"(?P<square> ?\^ ?2\b|²| squared\b)?)"
)
# Nothing above matches without one of these; most texts have none, which is quick to see.
_DIGIT = re.compile(f"[0-9{''.join(_GLYPHS)}]")
_NUMBER_WORDS = frozenset((*_WORDS, *_SCALES, *_PARTS, *(f"{part}s" for part in _PARTS)))
_WORD = re.compile("[a-z]+")
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
# Every word that an amount can be written with: numbers, units, and what joins them.
_OF_AMOUNTS = _NUMBER_WORDS | frozenset(
    word
    for unit in (*_NAMED, *(f"{name}s" for name in _NAMED), *_LETTERS)
    for word in _LETTERS_ONLY.findall(unit.casefold())
)
_OF_AMOUNTS |= frozenset(_listed("x e a an and of to per squared c f k celsius centigrade fahrenheit kelvin"))
_CURRENCY = re.compile(r"([$€£]) ?$")
_OF_A = re.compile(r" (?:of )?an?(?= )", re.IGNORECASE)
_RANGE = re.compile(r" ?(?:-|–|—|\bto\b) ?", re.IGNORECASE)


def other_words(text: str) -> Iterator[str]:
    """The words of a text that no number and no unit is written with: far quicker than finding quantities."""
    return (word for word in _LETTERS_ONLY.findall(text.casefold()) if word not in _OF_AMOUNTS)


def find_quantities(tokens: tuple[Token, ...]) -> tuple[Quantity, ...]:
    """Find the numbers of a text, in order; ordinals and the digits inside names like H2O do not count."""
    text = " ".join([token.text for token in tokens])
    if not _DIGIT.search(text) and _NUMBER_WORDS.isdisjoint(_WORD.findall(text.lower())):
        return ()
    line = _Line.of(tokens)
    numbers: list[_Number] = []
    for bare in _numbers(line):
        last = numbers[-1] if numbers else None
        if last and bare.start < last.end:
            continue  # the 2 of m/s^2
        number = _with_unit(line, bare)
        if last and not last.unit and _RANGE.fullmatch(line.text, last.end, number.start):
            numbers[-1] = replace(last, unit=number.unit, factor=number.factor, offset=number.offset)
        numbers.append(number)
    quantities = map(line.quantity, numbers)
    return tuple(quantity for quantity in quantities if isfinite(quantity.value))


@dataclass(frozen=True, slots=True)
class _Number:
    """A number at characters `start` to `end`, and how its unit turns it into base units."""

    start: int
    end: int
    value: float
    unit: str = ""
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class _Line:
    """The tokens written out again, with one blank where they were apart, so that patterns can cross them."""

    text: str
    starts: tuple[int, ...]
    tokens: tuple[Token, ...]

    @classmethod
    def of(cls, tokens: tuple[Token, ...]) -> _Line:
        pieces: list[str] = []
        starts: list[int] = []
        length = 0
        for index, token in enumerate(tokens):
            gap = " " if index and token.start > tokens[index - 1].end else ""
            starts.append(length + len(gap))
            pieces += (gap, token.text)
            length += len(gap) + len(token.text)
        return cls("".join(pieces), tuple(starts), tokens)

    def at(self, character: int) -> int:
        """The token that holds a character."""
        return max(bisect_right(self.starts, character) - 1, 0)

    def word_before(self, character: int) -> str:
        index = self.at(character)
        return self.tokens[index - 1].text.lower() if index else ""

    def quantity(self, number: _Number) -> Quantity:
        end = bisect_left(self.starts, number.end)
        return Quantity(self.at(number.start), end, number.value * number.factor + number.offset, number.unit)


def _numbers(line: _Line) -> Iterator[_Number]:
    """The numbers that are not part of something else, without their units."""
    text = line.text
    numbers = [_from_digits(match) for match in _DIGITS.finditer(text) if _ends_well(text, match.end())]
    for match in _SPELLED.finditer(text):
        # "The other one" and "no one" count nothing.
        is_number = line.tokens[line.at(match.start())].pos in ("NUM", "")
        is_pronoun = not is_number or line.word_before(match.start()) in _BEFORE_PRONOUN_ONE
        if match[0].lower() != "one" or not is_pronoun:
            numbers.append(_from_words(match))
    end = 0
    for number in sorted(numbers, key=lambda number: number.start):
        if number.start >= end:
            end = number.end
            yield number


def _ends_well(text: str, end: int) -> bool:
    """Whether digits end there, or a unit begins: 5cm, but not 2nd, 3D or 1.2.3."""
    after = text[end : end + 2]
    if after[:1] == "." and after[1:].isdigit():
        return False
    return not after[:1].isalnum() or _UNIT.match(text, end) is not None


def _from_digits(match: re.Match[str]) -> _Number:
    part = match.groupdict()
    if part["number"]:
        power = (part["e"] or part["power"] or part["raised"] or "0").translate(_AS_DIGITS)
        # A malformed power such as ⁻⁻ leaves the number as it is.
        power = power if re.fullmatch(r"[-+]?[0-9]+", power) else "0"
        value = float(f"{part['number'].replace(',', '')}e{power}")
    elif part["top"]:
        bottom = float(part["bottom"])
        value = float(part["mixed"] or 0) + (float(part["top"]) / bottom if bottom else float("nan"))
    else:
        value = float(part["whole"] or 0) + _GLYPHS[part["glyph"]]
    value *= _SCALES.get((part["scale"] or "").lower(), 1)
    value += _PARTS.get((part["more"] or "").lower(), 0)
    return _Number(match.start(), match.end(), -value if part["sign"] else value)


def _from_words(match: re.Match[str]) -> _Number:
    if match["part"]:
        value = 1.0
        for word in re.findall("[a-z]+", match["part"].lower()):
            value *= _WORDS.get(word) or _SCALES.get(word) or _PARTS.get(word.removesuffix("s")) or 1
        return _Number(match.start(), match.end(), value)
    total = current = 0.0
    for word in re.findall("[a-z]+", match["words"].lower()):
        current += _WORDS.get(word, 0)
        if word in _SCALES:
            current = (current or 1) * _SCALES[word]
            if _SCALES[word] >= _SCALES["thousand"]:
                total, current = total + current, 0.0
    return _Number(match.start(), match.end(), total + current + _PARTS.get((match["more"] or "").lower(), 0))


def _with_unit(line: _Line, number: _Number) -> _Number:
    """A number with the unit before or after it, if it has one."""
    currency = _CURRENCY.search(line.text, max(number.start - 2, 0), number.start)
    if currency:
        return replace(number, start=currency.start(), unit=currency[1])
    half_a = _OF_A.match(line.text, number.end) if 0 < number.value < 1 else None
    match = _UNIT.match(line.text, half_a.end() if half_a else number.end)
    if not match or line.word_before(number.start) in _LABELLED:
        return number
    if match["scale"] or match["letter"]:
        factor, offset = _TEMPERATURES[(match["scale"] or match["letter"])[0].lower()]
        return replace(number, end=match.end(), unit="°C", factor=factor, offset=offset)
    unit, factor = _unit_of(match["unit"])
    square = bool(match["square"] or match["per_square"])
    if match["per"] or match["per_square"]:
        divisor_unit, divisor = _unit_of(match["per"] or "s")
        unit, factor = f"{unit}/{divisor_unit}", factor / divisor ** (1 + square)
    else:
        factor **= 1 + square
    return replace(number, end=match.end(), unit=f"{unit}²" if square else unit, factor=factor)


def _unit_of(written: str) -> tuple[str, float]:
    name = written.lower()
    return _LETTERS.get(written) or _NAMED.get(name) or _NAMED[name.removesuffix("s")]
