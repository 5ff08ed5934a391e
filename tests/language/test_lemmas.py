"""The lemma table: words, rules, base forms."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.words.forms import Lemmatiser

TABLE = Lemmatiser(
    words={"VBD went": "go", "NNP Beatles": "Beatles"},
    rules={"NNS ": (1, ""), "NNS ies": (3, "y"), "VBD ed": (2, ""), "VBG ing": (3, ""), "NNPS s": (1, "")},
    bases={"V": frozenset(("stop", "make", "connect", "evaporate")), "N": frozenset(("leaf", "box"))},
)


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("went", "VBD", "go"),
        ("Went", "VBD", "go"),
        ("connected", "VBD", "connect"),
        ("Batteries", "NNS", "battery"),
        ("stopped", "VBD", "stop"),
        ("evaporated", "VBD", "evaporate"),
        ("making", "VBG", "make"),
        ("boxes", "NNS", "box"),
        ("zorped", "VBD", "zorp"),
        ("Mexico", "NNP", "Mexico"),
        ("States", "NNPS", "State"),
        ("The", "DT", "the"),
        ("s", "NNS", "s"),
    ],
)
def test_lemma(form: str, tag: str, lemma: str) -> None:
    assert TABLE(form, tag) == lemma


def test_round_trip(tmp_path: Path) -> None:
    TABLE.save(tmp_path / "lemmas.json")
    assert Lemmatiser.load(tmp_path / "lemmas.json") == TABLE


@given(st.text(min_size=1, max_size=20), st.sampled_from(("NN", "NNS", "VBD", "VBG", "NNP", "JJS", "XX", "")))
def test_never_empty(form: str, tag: str) -> None:
    assert TABLE(form, tag)
