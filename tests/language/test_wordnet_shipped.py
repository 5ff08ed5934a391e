"""The shipped WordNet is what its card says, with its licence."""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np

from postil.language.words.wordnet import wordnet
from postil.language.words.wordnet_measures import information

FOLDER = Path(str(files("postil.resources").joinpath("wordnet")))
CARD = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))


def test_figures() -> None:
    assert CARD["figures"]["synsets"] == wordnet().size
    assert CARD["figures"]["senses"] == len(wordnet().entries[1])
    assert CARD["figures"]["tagged_nouns"] + 1 == information().totals[0]
    assert CARD["figures"]["tagged_verbs"] + 1 == information().totals[1]


def test_the_licence_ships() -> None:
    text = (FOLDER / "LICENCE.txt").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in text
    assert "same appear on ALL copies" in " ".join(text.split())


def test_nothing_needs_pickle() -> None:
    for file in FOLDER.glob("*.npz"):
        with np.load(file, allow_pickle=False) as arrays:
            assert all(arrays[name].dtype.kind in "iu" for name in arrays.files)


def test_glosses_are_read_only_when_asked_for() -> None:
    code = (
        "from postil.language.words.wordnet import wordnet; wn = wordnet(); wn.synsets('dog');"
        "assert '_glosses' not in vars(wn); wn.gloss(0); assert '_glosses' in vars(wn)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
