"""Run code in an interpreter of its own, with one thread, and read the numbers it prints."""

from __future__ import annotations

import os
import subprocess
import sys


def python(code: str, *arguments: str) -> list[float]:
    """The numbers that the code prints; load times and memory are only true in a process of their own."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | single,
    )
    return [float(number) for number in run.stdout.split()]
