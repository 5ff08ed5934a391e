"""Open a network that ships, as ONNX, to be run by onnxruntime, and say how many may run at a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]


def cores() -> int:
    """How many cores this process may keep busy: what OMP_NUM_THREADS says, as for other libraries, or all.

    Where several processes share the work, each is told to take one.
    """
    told = os.environ.get("OMP_NUM_THREADS", "")
    return int(told) if told.isdecimal() and int(told) else os.cpu_count() or 1


def open_network(path: Path) -> InferenceSession:
    """A network that takes one thread a call: callers share the cores among several calls."""
    # Since 1.29 onnxruntime tells its makers of every session, unless this is set before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from onnxruntime import InferenceSession, SessionOptions, disable_telemetry_events

    disable_telemetry_events()  # and where the program around Postil had loaded it already

    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(path, options, providers=["CPUExecutionProvider"])
