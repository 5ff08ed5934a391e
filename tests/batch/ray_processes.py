"""Runs a script that uses Ray in a process of its own, with a folder of its own for what Ray writes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 240  # seconds; a busy machine takes long to start a cluster


def run_script(name, *arguments, **settings):
    """What the script writes, read as JSON, and what it says besides."""
    # Not pytest's folder: the path of a socket may have a hundred characters.
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    own = {
        "RAY_TMPDIR": folder,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_raylet_start_wait_time_s": "120",  # a busy machine takes longer than Ray expects
        "RAY_AUTH_MODE": "disabled",  # or Ray would leave a token in the home folder
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])]),
    }
    with subprocess.Popen(
        [sys.executable, str(HERE / name), *map(str, arguments)],
        env=os.environ | own | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as script:
        try:
            out, said = script.communicate(timeout=PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(script.pid, signal.SIGKILL)  # whatever is left of the cluster
            shutil.rmtree(folder, ignore_errors=True)
    assert script.returncode == 0, said[-4000:]
    return json.loads(out.splitlines()[-1]), said


def results(folder):
    """The results in a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
