"""What the tests of every reader share: a file with the contents they give."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path; its name matters only to readers that look at the ending."""

    def write(content: str | bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
