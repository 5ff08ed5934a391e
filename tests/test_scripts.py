"""The scripts of `training/` and `benchmarks/` find all that they use of Postil, and answer `--help`."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
FOLDERS = ("training", "benchmarks")
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.py"))
# What only training needs; where it is not installed, scripts that import it are read, not run.
OPTIONAL = {"gguf", "onnx", "safetensors", "skl2onnx", "torch", "transformers"}
# All scripts of a folder in one process: they share what they import, and importing is all that takes long.
RUN = """
import contextlib, io, runpy, sys
folder, optional, *scripts = sys.argv[1:]
sys.path.insert(0, folder)
for script in scripts:
    text = open(script, encoding="utf-8").read()
    asked = "argparse" in text and "__main__" in text  # others are parts, or begin at once
    sys.argv = [script, "--help"]
    said, status = io.StringIO(), "imported"
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(script, run_name="__main__" if asked else "script")
    except SystemExit as ended:
        status = "helped" if not ended.code and "usage:" in said.getvalue() else f"ended with {ended.code}"
    except ModuleNotFoundError as missing:
        known = (missing.name or "").partition(".")[0] in optional.split(",")
        status = "needs more" if known else f"misses {missing.name}"
    except BaseException as error:
        status = repr(error)
    right = status == "needs more" or status == ("helped" if asked else "imported")
    if not right:
        print(f"{script}: {status}")
"""


@pytest.mark.parametrize("folder", FOLDERS)
def test_scripts_answer_help(folder):
    own = [str(path) for path in SCRIPTS if path.parent.name == folder]
    assert own
    command = [sys.executable, "-c", RUN, str(ROOT / folder), ",".join(OPTIONAL), *own]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_scripts_use_of_postil_is_there(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    assert [problem for each in (tree, *_within(tree)) for problem in _problems(each)] == []


def _within(tree: ast.AST) -> Iterator[ast.AST]:
    """Programs inside a script's strings, for interpreters of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import" in node.value:
            try:
                yield ast.parse(node.value)
            except SyntaxError:  # prose
                continue


def _problems(tree: ast.AST) -> Iterator[str]:
    modules: dict[str, ModuleType] = {}  # by the name they have in the script
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "postil":
            for one in node.names:
                found = _find(node.module or "", one.name)
                if found is None:
                    yield f"from {node.module} import {one.name}"
                elif isinstance(found, ModuleType):
                    modules[one.asname or one.name] = found
        elif isinstance(node, ast.Import):
            for one in node.names:
                if one.name.partition(".")[0] != "postil":
                    continue
                found = _module(one.name)
                if found is None:
                    yield f"import {one.name}"
                elif one.asname or "." not in one.name:
                    modules[one.asname or one.name] = found
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            module = modules[node.value.id]
            if _find(module.__name__, node.attr) is None:
                yield f"{module.__name__}.{node.attr}"


def _find(module: str, name: str) -> object | None:
    """What a module has by this name, or the module below it."""
    above = _module(module)
    if above is None:
        return None
    return getattr(above, name) if hasattr(above, name) else _module(f"{module}.{name}")


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
