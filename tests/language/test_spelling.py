"""Spelling: what is put right, what is left alone, and the promises that hold for any text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.language.spelling import Correction, Speller, correct

WATER = (
    "What happens to a puddle on a warm day? The water evaporates and rises as vapor when heat reaches it."
)
CIRCUIT = (
    "Why does bulb A go out? Terminal 1 and the battery are separated by a gap, so the circuit is not closed."
)
PLANTS = "Photosynthesis in the chloroplasts turns carbon dioxide and water into glucose and oxygen."

# (known, answer as written, answer put right)
MISSPELT = [
    (WATER, "the water evaperates into the air", "the water evaporates into the air"),
    (WATER, "it will evaperate", "it will evaporate"),
    (WATER, "water vaper goes up", "water vapor goes up"),
    (WATER, "the pudle dries", "the puddle dries"),
    (WATER, "the heet from the sun", "the heat from the sun"),
    (CIRCUIT, "becuase the curcuit is open", "because the circuit is open"),
    (CIRCUIT, "there is a gapp", "there is a gap"),
    (CIRCUIT, "the termnial is seperated from the batery", "the terminal is separated from the battery"),
    (CIRCUIT, "Curcuit is not closd.", "Circuit is not closed."),
    (CIRCUIT, "the blub is not conected", "the bulb is not connected"),
    (CIRCUIT, "the bulb isnt conected", "the bulb isnt connected"),
    (CIRCUIT, "it is disconected", "it is disconnected"),
    (CIRCUIT, "The Batery is dead", "The Battery is dead"),
    (PLANTS, "fotosynthesis makes sugar", "photosynthesis makes sugar"),
    (PLANTS, "photosinthesis needs light", "photosynthesis needs light"),
    (PLANTS, "the cloroplast", "the chloroplast"),
    (PLANTS, "carbon dioxcide", "carbon dioxide"),
    (PLANTS, "they make glucos and oxigen", "they make glucose and oxygen"),
    ("What kind of reaction is it?", "a chemical reation", "a chemical reaction"),
    ("What form of energy has the ball?", "potential enery", "potential energy"),
    ("What moves round the sun? The planets.", "the planits orbit the sun", "the planets orbit the sun"),
    # without a question to help
    ("", "the temprature went up", "the temperature went up"),
    ("", "a diffrent experament", "a different experiment"),
    ("", "the consentration of salt", "the concentration of salt"),
    ("", "electrisity flows", "electricity flows"),
    ("", "the magnit pulls iron", "the magnet pulls iron"),
    ("", "the liqiud boils", "the liquid boils"),
    ("", "kinetic engery", "kinetic energy"),
    ("", "the moleculs move faster", "the molecules move faster"),
    ("", "the protiens are digested", "the proteins are digested"),
    ("", "the stomache digests food", "the stomach digests food"),
    ("", "gravaty pulls it down", "gravity pulls it down"),
    ("", "an insulater", "an insulator"),
    ("", "a condutor of heat", "a conductor of heat"),
    ("", "the preasure is higher", "the pressure is higher"),
    ("", "sedimentry rock", "sedimentary rock"),
    ("", "the volcanoe erupted", "the volcano erupted"),
    ("", "it disolves in water", "it dissolves in water"),
    ("", "the solutoin is acidic", "the solution is acidic"),
    ("", "the weigth of the rock", "the weight of the rock"),
    ("", "the lenght of the string", "the length of the string"),
    ("", "it dosen't work", "it doesn't work"),
    ("", "it dosen’t work", "it doesn’t work"),
    ("", "the scientest's notes", "the scientist's notes"),
    ("", "Definately the seccond one", "Definitely the second one"),
]

RIGHT = str.split(
    """
photosynthesis vapour vapor centimetre centimeter anode cathode parallel evaporate condensation chlorophyll
mitochondria stomata ohm ohms voltmeter ammeter multimeter resistor thermistor colour color colourless
aluminium aluminum sulphur sulfur sulfuric metre litre liter decomposers producers nonliving abiotic igneous
metamorphic sedimentary insulator electroscope exoskeleton biodegradable lightbulb lightbulbs unconnected
disconnected rechargeable fizzed grayish crystallise crystallize crystallised travelled traveled neighbour
neighbor magnetise magnetized calcite permeability solute solvent meniscus isotopes covalent exothermic
endothermic xylem phloem osmosis dont doesnt isnt cant wont didnt don't can't photosynthesize hypothesise
nonmagnetic
"""
)

UNTOUCHED = [
    "X, Y, Z and AC are connected to bulb B",
    "pH 7, 3kg, 20cm, x2, H2O, NaCl, mV and kWh",
    "see https://www.exampel.org/curcuit?x=becuase or mail techer@scool.edu",
    "look at www.curcuit.com/becuase and notes.curcuit.txt",
    "teh ohm wsa fro teh",  # three letters or fewer
    "the pupils Darnel and Kofie measured it",
    "we visited Kurcuit with Ms Batery",
    "CURCUIT BECUASE TEMPRATURE",
    "naïve café façade",
    "snake_curcuit and curcuit2",
    "Das Wasser verdunstet, weil die Sonne scheint und die Luft warm genug geworden ist, sagen Schüler",
    "El agua se evapora porque el calor del sol calienta el charco hasta que desaparece completamente",
    "",
]


# Too far from any word, or themselves in the dictionary: they stay, which is the lesser harm.
MISSED = ["evaporashun", "vibrashuns", "erupshun", "skelton", "hight"]


@pytest.mark.parametrize(("known", "written", "right"), MISSPELT)
def test_misspellings_in_context(known, written, right):
    assert correct(written, [known])[0] == right


@pytest.mark.parametrize("word", MISSED)
def test_what_is_too_far_from_any_word_is_left(word):
    assert correct(f"the {word} of it", [WATER]) == (f"the {word} of it", ())


@pytest.mark.parametrize("word", RIGHT)
def test_right_words_stay(word):
    for text in (f"the {word} here", word.capitalize(), f"{word}."):
        assert correct(text) == (text, ())


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_never_touched(text):
    assert correct(text) == (text, ())


def test_corrections_point_into_the_original():
    text = "  Becuase,\tthe «curcuit»\n\nis opne…"
    after, corrections = correct(text, [CIRCUIT])
    assert after == "  Because,\tthe «circuit»\n\nis open…"
    assert corrections == (
        Correction(2, 9, "Becuase", "Because"),
        Correction(16, 23, "curcuit", "circuit"),
        Correction(29, 33, "opne", "open"),
    )
    assert all(text[c.start : c.end] == c.before for c in corrections)


def test_words_of_the_question_are_right_and_preferred():
    assert correct("the curcuit", ["What is a curcuit?"]) == ("the curcuit", ())
    assert correct("the zorblat glows", ["Why does the zorblatt glow?"])[0] == "the zorblatt glows"
    assert correct("the zorblatts glow", ["Why does the zorblatt glow?"])[1] == ()
    assert correct("teminal", [CIRCUIT])[0] == "terminal"
    assert correct("we asked Darnel", ["What did Darnell see?"])[0] == "we asked Darnell"


def test_known_may_be_one_text():
    assert correct("the zorblat", "a zorblatt")[0] == "the zorblatt"


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("uncompleted", "completed"),
        ("inconnected", "connected"),
        ("nonconected", "connected"),
        ("disconnecte", "connected"),
    ],
)
def test_a_negative_prefix_is_never_dropped(written, known):
    assert not correct(f"it is {written}", [f"it is {known}"])[0].endswith(f" {known}")


def test_dictionary_is_read_once():
    assert Speller.load() is Speller.load()


def test_long_texts_are_quick():
    correct("opne")  # the index is built once
    words = "the curcuit is opne becuase teh wire brokee and xqzv{} the batery is emty ".replace("{}", "")
    text = words * (100_000 // len(words) + 1)
    distinct = " ".join(
        f"the circuit was in place bzz{''.join(chr(97 + int(d)) for d in str(n))}" for n in range(2800)
    )
    for long in (text, distinct, "a" * 100_000, "é'" * 50_000, "." * 100_000, "@." * 50_000):
        begin = time.process_time()
        correct(long, [CIRCUIT])
        assert time.process_time() - begin < 2


letters = st.text(alphabet="abcdefghijklmnopqrstuvwxyzABCé'’ .,-\n", max_size=80)
mistyped = st.lists(
    st.sampled_from([word for _, written, _ in MISSPELT for word in written.split()] + RIGHT), max_size=20
).map(" ".join)
texts = st.one_of(st.text(max_size=80), letters, mistyped)
quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(texts, st.lists(texts, max_size=2))
def test_correcting_twice_changes_nothing_more(text, known):
    once, _ = correct(text, known)
    assert correct(once, known) == (once, ())


@quick
@given(texts)
def test_known_words_never_change(text):
    assert correct(text, [text]) == (text, ())


@quick
@given(texts, st.lists(texts, max_size=2))
def test_only_words_change(text, known):
    after, corrections = correct(text, known)
    at, pieces = 0, []
    for c in corrections:
        assert at <= c.start < c.end <= len(text)
        assert text[c.start : c.end] == c.before != c.after
        assert re.fullmatch(r"[A-Za-z]+(?:['’][a-z]+)*", c.after)
        pieces += [text[at : c.start], c.after]
        at = c.end
    assert "".join([*pieces, text[at:]]) == after
