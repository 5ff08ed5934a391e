"""`postil similarity`."""

from __future__ import annotations

import json

import pytest

from postil.language.measures.texts import TEXT_MEASURES
from postil.language.words.wordnet_measures import word_similarity


def test_two_words(postil):
    status, out, err = postil("similarity", "cat", "dog")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines() if line]
    assert lines[0][:2] == ["family", "measure"]
    values = {line[0] if line[0] in ("lin", "jcn") else line[1]: line for line in lines}
    assert f"{word_similarity('cat', 'dog', 'lin'):.4f}" in values["lin"]
    assert values["jcn"][-3:] == ["cat.n.01", "–", "dog.n.01"]
    assert len(lines) == 1 + 7 + 1 + 2


def test_opposites_are_named(postil):
    _, out, _ = postil("similarity", "hot", "cold")
    assert out.splitlines()[-1] == "hot is the opposite of cold."


def test_two_texts_as_json(postil):
    status, out, err = postil("similarity", "the sun heats the water", "water gets warm", "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert data["relation"] is None
    assert [row["measure"] for row in data["measures"]] == list(TEXT_MEASURES)
    assert all(0 <= row["value"] <= 1 for row in data["measures"])


def test_an_unknown_word_is_said_to_be_so(postil):
    status, out, err = postil("similarity", "zorblax", "dog", "--json")
    assert status == 0
    assert err == "WordNet does not know 'zorblax'; its measures are 0.\n"
    assert {row["value"] for row in json.loads(out)["measures"]} == {0.0}


@pytest.mark.parametrize("arguments", [("", "dog"), ("dog", " \n")])
def test_empty(postil, arguments):
    status, out, err = postil("similarity", *arguments)
    assert (status, out) == (2, "")
    assert "empty" in err
