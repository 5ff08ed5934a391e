"""The linear model of iSTS boundaries."""

from pathlib import Path

from postil.text.boundaries import BoundaryModel, features
from postil.text.document import Token


def tokens_of(words: str) -> tuple[Token, ...]:
    return tuple(
        Token(i, word, 0, word, "X", word[:2].upper(), 0, "dep") for i, word in enumerate(words.split())
    )


def test_features_tell_neighbours_apart() -> None:
    rows = list(features(tokens_of("in the dish"), ["B-PP", "B-NP", "I-NP"]))
    assert len(rows) == 3
    assert "w in" in rows[0]
    assert "w1 ^" in rows[0]
    assert "ww in the" in rows[1]
    assert "cc B-NP I-NP" in rows[2]
    assert all(len(set(row)) == len(row) for row in rows)


def test_weights_decide_and_the_first_token_always_begins() -> None:
    model = BoundaryModel({"cc B-PP B-NP": -2.0, "t DI": -0.5}, 1.0)
    assert model(tokens_of("in the dish"), ["B-PP", "B-NP", "I-NP"]) == ["B", "I", "B"]
    assert BoundaryModel({}, -5.0)(tokens_of("a b"), ["O", "O"]) == ["B", "I"]
    assert model((), []) == []


def test_round_trip_drops_what_rounds_to_nothing(tmp_path: Path) -> None:
    BoundaryModel({"a": 0.254, "b": 0.001, "c": -1.5}, 0.25).save(tmp_path / "m.json")
    assert BoundaryModel.load(tmp_path / "m.json") == BoundaryModel({"a": 0.25, "c": -1.5}, 0.25)
