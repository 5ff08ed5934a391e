"""Senses of the words of a text."""

import pytest

from postil.language.pipeline import analyse
from postil.language.words.walks import find_senses
from postil.language.words.wordnet import wordnet


def test_content_words_get_senses_of_their_part_of_speech() -> None:
    document = analyse("The mice quickly eat the bitter cheese.")
    senses = {document.tokens[sense.token].text: sense for sense in find_senses(document)}
    assert {word: sense.name.split(".")[1] for word, sense in senses.items()}.items() >= {
        ("mice", "n"),
        ("eat", "v"),
        ("quickly", "r"),
        ("cheese", "n"),
    }
    wn = wordnet()
    for word, sense in senses.items():
        assert wn.find(sense.name) in wn.synsets(word)
        assert sense.definition == wn.definition(wn.find(sense.name))
    assert "The" not in senses


@pytest.mark.parametrize("text", ["", "?!", "zorblax", "水"])
def test_nothing_known_has_no_senses(text: str) -> None:
    assert find_senses(analyse(text)) == ()
