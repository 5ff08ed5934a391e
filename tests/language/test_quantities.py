"""Numbers and units: a table of what students write, and what no text may do."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.document import Token
from postil.language.quantities import find_quantities

DAY = 86400


def tokens_of(text: str) -> tuple[Token, ...]:
    """Cut at blanks, full stops and commas at the end of a word."""
    found: list[Token] = []
    offset = 0
    for piece in text.split(" "):
        word = piece.rstrip(".,?!")
        for part in (word, piece[len(word) :]):
            if part:
                pos = "NUM" if part[0].isdigit() or part == "one" else "NOUN"
                found.append(Token(len(found), part, offset, part.lower(), pos, "", len(found), "root"))
                offset += len(part)
        offset += 1
    return tuple(found)


def found_in(text: str) -> list[tuple[float, str]]:
    return [(quantity.value, quantity.unit) for quantity in find_quantities(tokens_of(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Digits
        ("it is 1.5", [(1.5, "")]),
        ("about 1,000 seeds", [(1000, "")]),
        ("1,234,567.5 of them", [(1234567.5, "")]),
        ("only .5 left", [(0.5, "")]),
        ("it went to -3 there", [(-3, "")]),
        ("−3 is below zero", [(-3, ""), (0, "")]),
        ("1/2 of the cup", [(0.5, "")]),
        ("2 1/2 cups", [(2.5, "")]),
        ("2½ cups", [(2.5, "")]),
        ("½ full", [(0.5, "")]),
        ("light goes 3x10^8 m/s", [(3e8, "m/s")]),
        ("light goes 3 x 10^8 m/s", [(3e8, "m/s")]),
        ("light goes 3×10⁸ m/s", [(3e8, "m/s")]),
        ("6.02e23 of them", [(6.02e23, "")]),
        ("1.6 x 10^-19 of it", [(1.6e-19, "")]),
        ("3 million years", [(3e6 * 365.25 * DAY, "s")]),
        # Words
        ("three bulbs", [(3, "")]),
        ("Twenty-five seeds", [(25, "")]),
        ("twenty five seeds", [(25, "")]),
        ("a hundred times", [(100, "")]),
        ("one hundred and five", [(105, "")]),
        ("two thousand three hundred", [(2300, "")]),
        ("two and a half cups", [(2.5, "")]),
        ("half the bulbs", [(0.5, "")]),
        ("half a dozen eggs", [(6, "")]),
        ("a dozen eggs", [(12, "")]),
        ("two thirds of it", [(2 / 3, "")]),
        ("a quarter of it", [(0.25, "")]),
        ("bulbs one and two", [(1, ""), (2, "")]),
        ("the first and the second bulb", []),
        ("the twenty-first day", []),
        ("the other one is lit", []),
        ("no one knows", []),
        # Units
        ("5 m long", [(5, "m")]),
        ("5cm long", [(0.05, "m")]),
        ("20 CM", [(0.2, "m")]),
        ("10 millimeters", [(0.01, "m")]),
        ("3 km", [(3000, "m")]),
        ("12 inches", [(0.3048, "m")]),
        ("6 ft", [(1.8288, "m")]),
        ("two miles", [(3218.688, "m")]),
        ("50 g", [(50, "g")]),
        ("2 kgs.", [(2000, "g")]),
        ("200 mg", [(0.2, "g")]),
        ("3 pounds", [(1360.77711, "g")]),
        ("30 s", [(30, "s")]),
        ("one second", [(1, "s")]),
        ("ten second", [(10, "s")]),
        ("half an hour", [(1800, "s")]),
        ("5 mins", [(300, "s")]),
        ("2 weeks", [(14 * DAY, "s")]),
        ("1.5V", [(1.5, "V")]),
        ("a 1.5-volt battery", [(1.5, "V")]),
        ("0 volts.", [(0, "V")]),
        ("0.5 A", [(0.5, "A")]),
        ("20 milliamps", [(0.02, "A")]),
        ("5Ω", [(5, "ohm")]),
        ("100 ohms", [(100, "ohm")]),
        ("a 60 W bulb", [(60, "W")]),
        ("10 N", [(10, "N")]),
        ("440 Hz", [(440, "Hz")]),
        ("20 °C", [(20, "°C")]),
        ("20°C", [(20, "°C")]),
        ("20 degrees Celsius", [(20, "°C")]),
        ("212 degrees Fahrenheit", [(100, "°C")]),
        ("273.15 K", [(0, "°C")]),
        ("20 degrees", [(20, "°")]),
        ("250 ml", [(0.25, "l")]),
        ("2 litres", [(2, "l")]),
        ("50%", [(50, "%")]),
        ("50 percent", [(50, "%")]),
        ("$5", [(5, "$")]),
        ("£ 3", [(3, "£")]),
        ("5 dollars", [(5, "$")]),
        ("60 mph", [(26.8224, "m/s")]),
        ("36 km/h", [(10, "m/s")]),
        ("10 meters per second", [(10, "m/s")]),
        ("9.8 m/s2", [(9.8, "m/s²")]),
        ("9.8 m/s^2", [(9.8, "m/s²")]),
        ("2 m^2", [(2, "m²")]),
        # Ranges
        ("10-20", [(10, ""), (20, "")]),
        ("5 to 10 cm", [(0.05, "m"), (0.1, "m")]),
        ("5-10 cm", [(0.05, "m"), (0.1, "m")]),
        # Labels and names
        ("terminal 1 and bulb 2", [(1, ""), (2, "")]),
        ("bulb 2 A", [(2, "")]),
        ("switch Z", []),
        ("H2O and CO2", []),
        ("the 2nd bulb in 3D", []),
        ("5 in the box", [(5, "")]),
        ("5 a day", [(5, "")]),
        ("version 1.2.3", []),
        ("1/0", []),
        ("", []),
    ],
)
def test_what_students_write(text, expected):
    found = found_in(text)
    assert [unit for _, unit in found] == [unit for _, unit in expected]
    assert [value for value, _ in found] == pytest.approx([value for value, _ in expected])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it is 5 cm long", ["5 cm"]),
        ("it costs $5 or so", ["$5"]),
        ("twenty five degrees Celsius, or more", ["twenty five degrees Celsius"]),
        ("from 5 to 10 cm.", ["5", "10 cm"]),
    ],
)
def test_spans_cover_number_and_unit(text, words):
    tokens = tokens_of(text)
    spans = [tokens[quantity.start : quantity.end] for quantity in find_quantities(tokens)]
    assert [text[span[0].start : span[-1].end] for span in spans] == words


def test_tokens_of_the_pipeline_are_read_across(pipeline):
    [document] = pipeline.analyse_many(["3x10^8 m/s, 20 °C, twenty-five 9.8m/s2 5-10 cm and terminal-3"])
    assert [(quantity.value, quantity.unit) for quantity in document.quantities] == [
        (3e8, "m/s"),
        (20, "°C"),
        (25, ""),
        (9.8, "m/s²"),
        (0.05, "m"),
        (0.1, "m"),
        (3, ""),
    ]


PIECES = [
    "5",
    "-",
    "half",
    "a",
    "and",
    "dozen",
    "one",
    "hundred",
    "°",
    "C",
    "m",
    "/",
    "s",
    "^",
    "2",
    "$",
    "½",
    "x",
    "10",
]
WORDS = st.one_of(st.sampled_from(PIECES), st.text(st.sampled_from("0123456789.,/-e½^⁻⁸ x×m°$ "), min_size=1))


@given(st.lists(st.tuples(st.one_of(WORDS, st.text(min_size=1)), st.booleans())))
def test_no_text_breaks_it(words):
    tokens: list[Token] = []
    offset = 0
    for place, (word, blank) in enumerate(words):
        tokens.append(Token(place, word, offset, word, "NOUN", "NN", 0, "dep"))
        offset += len(word) + blank
    found = find_quantities(tuple(tokens))
    for quantity in found:
        assert 0 <= quantity.start < quantity.end <= len(tokens)
        assert isfinite(quantity.value)
    assert [quantity.start for quantity in found] == sorted(quantity.start for quantity in found)
