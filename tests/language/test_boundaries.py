"""The linear model of iSTS boundaries."""

import json
from pathlib import Path

import pytest

from postil.errors import PostilError
from postil.language.chunks import SURE, TEMPLATES, BoundaryModel, Key, keys_at
from postil.language.document import Token


def tokens_of(words: str) -> tuple[Token, ...]:
    return tuple(
        Token(i, word, 0, word, "X", word[:2].upper(), 0, "dep") for i, word in enumerate(words.split())
    )


def model_of(weights: dict[str, dict[Key, float]], bias: float) -> BoundaryModel:
    return BoundaryModel(tuple(weights.get(name, {}) for name in TEMPLATES), bias)


def test_features_tell_neighbours_apart() -> None:
    tokens = tokens_of("in the dish")
    rows = [
        dict(zip(TEMPLATES, keys_at(tokens, ["B-PP", "B-NP", "I-NP"], place), strict=True))
        for place in range(3)
    ]
    assert (rows[0]["word"], rows[0]["word1"], rows[0]["wordn"]) == ("in", "^", "the")
    assert rows[1]["word1+word"] == ("in", "the")
    assert rows[2]["chunk1+chunk"] == ("B-NP", "I-NP")
    assert rows[2]["chunkn"] == "O"


def test_weights_decide_and_the_first_token_always_begins() -> None:
    model = model_of({"chunk1+chunk": {("B-PP", "B-NP"): -2.0}, "tag": {"DI": -0.5}}, 1.0)
    assert model(tokens_of("in the dish"), ["B-PP", "B-NP", "I-NP"]) == ["B", "I", "B"]
    assert model(tokens_of("in the dish"), ["B-PP", "B-NP", "I-NP"], [0, 3, -1]) == ["B", "B", "I"]
    assert model_of({}, -5.0)(tokens_of("a b"), ["O", "O"]) == ["B", "I"]
    assert model((), []) == []


def test_a_sure_network_is_not_overruled() -> None:
    model = model_of({"word": {"the": -100.0}}, 0.0)
    assert model(tokens_of("in the dish"), ["O"] * 3, [0, SURE + 1, -1]) == ["B", "B", "I"]
    assert model(tokens_of("in the dish"), ["O"] * 3, [0, SURE - 1, -1]) == ["B", "I", "I"]


def test_round_trip_drops_what_rounds_to_nothing(tmp_path: Path) -> None:
    weights = {"word": {"a": 0.254, "b": 0.001}, "word1+word": {("x", "y"): -1.5}}
    model_of(weights, 0.25).save(tmp_path / "m.json")
    kept = model_of({"word": {"a": 0.25}, "word1+word": {("x", "y"): -1.5}}, 0.25)
    assert BoundaryModel.load(tmp_path / "m.json") == kept


def test_a_model_for_other_features_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"bias": 0, "tables": {"word": {"keys": [], "weights": []}}}))
    with pytest.raises(PostilError, match="does not compute"):
        BoundaryModel.load(path)
