"""The role model that ships is what its card says."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path

import pytest

from postil.language.roles import role_model

FOLDER = Path(str(files("postil.resources").joinpath("roles")))
CARD = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))


def test_the_promise_is_kept_on_the_card() -> None:
    assert CARD["figures"]["test"]["end_to_end"]["arguments"] >= 0.70


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.skipif("POSTIL_DATA" not in os.environ, reason="POSTIL_DATA does not name the corpora's folder")
def test_the_figures_on_the_card_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "training"))
    from role_data import analysed, read_rows, score

    from postil.language.pipeline import load_pipeline

    rows = read_rows(Path(os.environ["POSTIL_DATA"]) / "srl" / "ewt_srl.jsonl.xz")
    examples = analysed(load_pipeline(), [row for row in rows if row.split == "test"])
    measured = score(examples, role_model()([example.tree for example in examples]))
    for name, value in CARD["figures"]["test"]["end_to_end"].items():
        assert measured[name] == pytest.approx(value, abs=2e-3), name
