"""A program that speaks for the one person of `--local`."""

from __future__ import annotations

import pytest
from apiclient import make_app, program, secret_of


@pytest.fixture
def api(store):
    return program(make_app(store), secret_of(store, None))
