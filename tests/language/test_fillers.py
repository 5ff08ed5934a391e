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
        ("Really?", "Really?"),
        ("", ""),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert without_fillers(text) == left


def test_words_of_question_and_reference_stay() -> None:
    assert without_fillers("a very hot day", ["Is it very hot?"]) == "a very hot day"
