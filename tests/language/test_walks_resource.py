"""What ships for walks is what its card says."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np

from postil.language.words.walks import graph

FOLDER = files("postil.resources").joinpath("walks")


def card() -> dict:
    return json.loads(FOLDER.joinpath("card.json").read_text(encoding="utf-8"))


def test_the_size_is_that_on_the_card_and_small() -> None:
    size = sum(len(FOLDER.joinpath(name).read_bytes()) for name in card()["files"])
    assert size == card()["size_bytes"] < 2_000_000


def test_the_graph_is_that_on_the_card() -> None:
    figures = card()["figures"]
    steps = graph().steps
    loops = int(np.count_nonzero(steps.diagonal()))
    assert graph().size == figures["synsets"]
    assert (steps.nnz - loops) // 2 == figures["links"]
    assert figures["regions"] <= graph().regions <= figures["regions"] + 1


def test_every_source_has_a_licence_and_a_use() -> None:
    for name, licence, use in card()["sources"]:
        assert name
        assert licence
        assert use
    assert "Princeton" in FOLDER.joinpath("LICENCE.txt").read_text(encoding="utf-8")
