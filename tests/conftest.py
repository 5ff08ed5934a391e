"""What holds for all tests: the quick reader, and slow files first, so that no process waits for one."""

from __future__ import annotations

import os

import pytest

# What tests expect of judgements must not depend on the packages that are installed; processes inherit this.
os.environ["POSTIL_READER"] = "quick"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
