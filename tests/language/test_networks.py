from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import postil

_OPENS = """
from pathlib import Path
import postil.resources
from postil.language.network import open_network
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


def test_networks_are_opened_in_one_place_only():
    root = Path(postil.__file__).parent
    sources = [path for path in root.rglob("*.py") if "InferenceSession(" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(root).as_posix() for path in sources] == ["language/network.py"]
