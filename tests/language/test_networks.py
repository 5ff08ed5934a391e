from __future__ import annotations

import os
import subprocess
import sys

_OPENS = """
from pathlib import Path
import postil.resources
from postil.language.reader import open_network
network = next(Path(postil.resources.__file__).parent.rglob("*.onnx"))
open_network(network)
"""


def test_a_network_tells_nobody_that_it_runs(tmp_path):
    # onnxruntime keeps what it will report below the home folder; on test machines it is quiet by itself.
    quiet = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in quiet}
    environment["HOME"] = str(tmp_path)
    subprocess.run([sys.executable, "-c", _OPENS], env=environment, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
