"""The eight lexical features of every Beetle training answer equal those the organisers published."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from postil.data.formats.sra import read_corpus
from postil.research.baselines import lexical_features

_ARFF = Path("sra", "official-baseline-features", "beetleBaselineFeatures.arff")


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("POSTIL_DATA")
    if not folder:
        pytest.skip("POSTIL_DATA is not set: it should name the folder that holds sra/")
    if not (Path(folder) / _ARFF).is_file():
        pytest.skip(f"POSTIL_DATA names a folder without {_ARFF}")
    return Path(folder)


@pytest.mark.corpus
def test_features_equal_the_organisers(data):
    _, _, body = (data / _ARFF).read_text(encoding="utf-8").partition("@DATA\n")
    published = {}
    for line in body.split():
        id, *figures, _ = line.split(",")
        published[id] = [float(figure) for figure in figures]
    questions = read_corpus(data / "sra" / "beetle" / "train", corpus="beetle")
    ids = [answer.id for question in questions for answer in question.answers]
    assert len(ids) == len(published) == 3941
    assert set(ids) == set(published)
    ours = np.concatenate([lexical_features(question) for question in questions])
    theirs = np.array([published[id] for id in ids])
    assert np.abs(ours - theirs).max(axis=0).tolist() == pytest.approx([0] * 8, abs=1e-9)
