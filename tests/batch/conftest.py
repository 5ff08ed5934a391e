"""What the tests of engines share: a judge without a model, and where its results go."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine_data import HereEngine
from stub_judge_engine import StubJudge

from postil.batch import worker
from postil.batch.parts import run_of
from postil.batch.work import Work


@pytest.fixture
def here(monkeypatch):
    """An engine that needs no process and no model."""
    monkeypatch.setattr(worker, "load_judge", lambda *_: StubJudge().grade_many)
    return HereEngine()


@pytest.fixture
def work(tmp_path):
    """What is done with every row, into a folder of the test's own."""
    made = Work(f"file://{tmp_path}/out")
    return replace(made, run=run_of(made))
