"""What the tests of text analysis share: the shipped pipeline, loaded once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from postil.language.pipeline import Pipeline, load_pipeline


@pytest.fixture(scope="session")
def pipeline() -> Pipeline:
    """The shipped pipeline, or the one in the folder that POSTIL_PIPELINE names."""
    folder = os.environ.get("POSTIL_PIPELINE")
    return load_pipeline(Path(folder)) if folder else load_pipeline()
