"""Open a network that ships, as ONNX, to be run by onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]


def open_network(path: Path) -> InferenceSession:
    """A network that takes one thread a call: callers share the cores among several calls."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(path, options, providers=["CPUExecutionProvider"])
