"""What ships of the spaces is what its card says, and is small."""

import json
import os
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from postil.language.words.spaces import lda, lsa

FOLDER = Path(str(files("postil.resources").joinpath("spaces")))
CARD = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))


def test_words_point_somewhere_or_nowhere() -> None:
    lengths = np.linalg.norm(lsa().units, axis=1)
    assert np.isin(lengths.round(5), (0, 1)).all()
    most = lda().likelihoods.max(axis=1)
    assert np.array_equal(most, (lda().scales > 0).astype(np.float32))


def test_topics_are_distributions() -> None:
    totals = (lda().likelihoods * lda().scales[:, None]).sum(axis=0)
    np.testing.assert_allclose(totals, 1, atol=0.01)


@pytest.mark.corpus
@pytest.mark.skipif("POSTIL_DATA" not in os.environ, reason="POSTIL_DATA does not name the corpora's folder")
def test_the_figures_on_the_card_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "training"))
    from space_card import figures

    measured = figures(Path(os.environ["POSTIL_DATA"]), FOLDER)
    for name in ("space_card", "space_words", "card", "treebank"):
        sys.modules.pop(name, None)
    for name, values in CARD["figures"].items():
        assert measured[name] == pytest.approx(values, abs=1e-3), name
