"""What ships is what its card says."""

import json
import os
import sys
from importlib.resources import files
from pathlib import Path

import pytest

FOLDER = Path(str(files("postil.resources").joinpath("pipeline")))
CARD = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))


@pytest.mark.corpus
@pytest.mark.skipif("POSTIL_DATA" not in os.environ, reason="POSTIL_DATA does not name the corpora's folder")
def test_the_figures_on_the_card_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "training"))
    from figures import all_figures

    from postil.language.pipeline import load_pipeline

    pipeline = load_pipeline()
    measured = all_figures(pipeline, Path(os.environ["POSTIL_DATA"]), "test")
    sys.modules.pop("figures", None)
    for name, value in CARD["figures"].items():
        assert measured[name] == pytest.approx(value, abs=2e-3), name
