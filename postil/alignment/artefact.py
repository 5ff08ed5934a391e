"""The learned models of the aligner as they ship: boosted trees in ONNX, run by onnxruntime."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from postil.alignment.aligner import Models, Predict, Table
from postil.alignment.words import Floats
from postil.errors import InputError
from postil.language.networks import open_network

FORMAT = 1
NAMES = ("aligned", "grouped", "types", "scores")
OUTPUTS = {"aligned": 1, "grouped": 1, "types": 6, "scores": 4}


def load_models(folder: Path | None = None) -> Models:
    """The models that ship, or those in a folder."""
    if folder is None:
        with as_file(files("postil.resources").joinpath("aligner")) as path:
            return load_models(path)
    about = json.loads((folder / "aligner.json").read_text("utf-8"))
    if about.get("format") != FORMAT:
        raise InputError(folder / "aligner.json", "was made by another version of Postil.")
    return Models(*(_predict(folder / f"{name}.onnx", about["classes"][name], name) for name in NAMES))


def _predict(path: Path, classes: list[int], name: str) -> Predict:
    """A function from rows of features to chances, a column a class, also for classes never learned."""
    session = open_network(path)

    def predict(rows: Table) -> Floats:
        (said,) = session.run(["probabilities"], {"rows": rows})
        if OUTPUTS[name] == 1:
            return np.asarray(said[:, -1:], np.float64)
        found = np.zeros((len(rows), OUTPUTS[name]))
        found[:, classes] = said
        return found

    return predict
