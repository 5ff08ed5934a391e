"""Fillers go; whatever changes what is said stays."""

import pytest

from postil.language.fillers import without_fillers


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the sun is really very hot", "the sun is hot"),
        ("Luckily, the water evaporates.", "the water evaporates."),
        ("Really it melts", "it melts"),
        ("it hardly moves and almost stops", "it hardly moves and almost stops"),
        ("it is verylong", "it is verylong"),
        ("Personally, because it rains", "because it rains"),
        ("To be honest, it actually melts", "it melts"),
        ("the people are seriously ill", "the people are seriously ill"),
        ("I know, to be honest, nothing", "I know, to be honest, nothing"),
        ("Probably, it melts", "Probably, it melts"),
        ("Really?", "Really?"),
        ("", ""),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert without_fillers(text) == left


def test_words_of_question_and_reference_stay() -> None:
    assert without_fillers("a very hot day", ["Is it very hot?"]) == "a very hot day"
    assert without_fillers("In fact, it melts", ["Is that in doubt?"]) == "it melts"
    assert without_fillers("In fact, it melts", ["Is that in fact so?"]) == "In fact, it melts"
