"""The house keeps its order: who may import whom, how long a module may be, what is never imported at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import postil
from postil.research.systems import REGISTRY

ROOT = Path(postil.__file__).parent
# As docs and design have it: a package imports only from those before it.
ORDER = (
    "errors",
    "data",
    "client",
    "scoring",
    "language",
    "alignment",
    "entailment",
    "grading",
    "senses",
    "explain",
    "grader",
    "research",
    "batch",
    "workbench",
    "cli",
)
DATA = "resources"
# A room for each judgement; of these only grading uses others.
JUDGEMENTS = {"alignment", "entailment", "grading", "senses"}
LONGEST = 500
NEVER = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}
NETWORK = {"socket", "urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib", "smtplib"}
HEAVY = {"numpy", "scipy", "sklearn", "spacy", "openpyxl", "onnxruntime", "torch", "pandas"}

MODULES = sorted(ROOT.rglob("*.py"))


def imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """Every module (and `module.name`) that a syntax tree imports, wherever in it, by its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def imports_of(path: Path) -> set[str]:
    package = ("postil", *path.relative_to(ROOT).parts[:-1])
    return set(imported(ast.parse(path.read_text("utf-8")), package))


def below(name: str, banned: set[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in banned)


def violations(package: str, names: set[str]) -> list[str]:
    """The imports that a module of this package may not have."""
    own = [name.split(".")[1] for name in names if name.startswith("postil.")]
    allowed = {*ORDER[: ORDER.index(package) + 1], DATA, "__version__"}
    if package in JUDGEMENTS - {"grading"}:
        allowed -= JUDGEMENTS - {package}
    return sorted({name for name in own if name not in allowed})


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_there_are_modules():
    assert len(MODULES) > 30


def test_every_package_has_its_place():
    found = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in MODULES}
    assert found - {"__init__", "__main__", DATA} <= set(ORDER)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_go_one_way(path):
    package = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if package in ("__init__", DATA):
        own = {one for one in imports_of(path) if one.startswith("postil.")}
        # The package itself shows the public names, and nothing else.
        homes = {"postil.grader", "postil.data.judgements", "postil.data.questions"}
        facade = homes | {f"{home}.{public}" for home in homes for public in postil.__all__}
        assert own <= (facade if path == ROOT / "__init__.py" else set())
    elif package != "__main__":
        assert violations(package, imports_of(path)) == []


# Inside the workbench, a part imports only from itself and from those before it; of the last two, neither
# imports the other. The modules directly in it (but for `app`, which puts everything together) are "".
PARTS = ({"", "store"}, {"jobs"}, {"http"}, {"api", "pages"})
WORKBENCH = "postil.workbench."
IN_WORKBENCH = [path for path in MODULES if (ROOT / "workbench") in path.parents and path.name != "app.py"]
IN_WORKBENCH.append(ROOT / "workbench" / "api" / "app.py")


def part_violations(part: str, names: set[str]) -> list[str]:
    """The imports that a module of this part of the workbench may not have."""
    place = next(place for place, parts in enumerate(PARTS) if part in parts)
    allowed = set().union(*PARTS[:place], PARTS[place] if part in PARTS[0] else {part})
    rooms = {room for parts in PARTS for room in parts}
    own = {name.removeprefix(WORKBENCH).partition(".")[0] for name in names if name.startswith(WORKBENCH)}
    return sorted(head for head in own if (head if head in rooms else "") not in allowed or head == "app")


@pytest.mark.parametrize("path", IN_WORKBENCH, ids=name)
def test_imports_inside_the_workbench_go_one_way(path):
    parts = path.relative_to(ROOT / "workbench").parts
    assert part_violations(parts[0] if len(parts) > 1 else "", imports_of(path)) == []


@pytest.mark.parametrize(
    ("part", "module", "allowed"),
    [
        ("", "store.database", True),
        ("store", "records", True),
        ("store", "jobs.worker", False),
        ("jobs", "store.jobs", True),
        ("jobs", "http.access", False),
        ("http", "pages.table", False),
        ("pages", "http.access", True),
        ("pages", "api.schemas", False),
        ("api", "pages.exports", False),
        ("api", "api.app", True),
        ("http", "app", False),
    ],
)
def test_the_rule_of_the_workbench_itself(part, module, allowed):
    assert (part_violations(part, {WORKBENCH + module}) == []) == allowed


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_stay_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST


def module_name(path: Path) -> str:
    parts = ("postil", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def own_imports(tree: ast.AST, own: str) -> set[str]:
    """The modules of Postil that a syntax tree imports."""
    names = {module_name(path) for path in MODULES}
    found = set(imported(tree, tuple(own.split("."))))
    return (found & names) - {own}


def test_modules_do_not_import_each_other_in_a_circle():
    """What a function imports when it runs does not count."""
    graph = {}
    for path in MODULES:
        tree = ast.parse(path.read_text("utf-8"))
        top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        graph[module_name(path)] = own_imports(top, module_name(path))
    assert list(TopologicalSorter(graph).static_order())


def test_every_module_is_imported_by_another():
    used = {
        name
        for path in MODULES
        for name in own_imports(ast.parse(path.read_text("utf-8")), module_name(path))
    }
    used |= {entry.target.partition(":")[0] for entry in REGISTRY}  # imported when they are asked for
    unused = [
        name(path)
        for path in MODULES
        if path.name != "__init__.py" and "migrations" not in path.parts and module_name(path) not in used
    ]
    assert unused == ["__main__.py"]


def test_few_modules_are_very_short():
    short = [name(path) for path in MODULES if len(path.read_text("utf-8").splitlines()) < 60]
    assert len(short) < 50, short


def body_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What a function does, without its docstring; empty if that is a single statement."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    count = sum(isinstance(node, ast.stmt) for statement in statements for node in ast.walk(statement))
    return "\n".join(map(ast.dump, statements)) if count > 1 else ""


def test_no_two_functions_have_the_same_body():
    functions: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (body := body_of(node)):
                functions.setdefault(body, []).append(f"{name(path)}:{node.lineno} {node.name}")
    assert [places for places in functions.values() if len(places) > 1] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_unpickles_or_calls_out(path):
    names = imports_of(path)
    # The client calls the server, and the Ray engine the cluster, that their user names; a reader's model is
    # fetched when a person asks for it, and one that a person has connected is asked. Nobody else calls.
    named = {
        ROOT / "client": {"httpx"},
        ROOT / "batch" / "engines.py": {"socket"},
        ROOT / "language" / "fetching.py": {"http.client", "urllib.request"},
        ROOT / "language" / "endpoint.py": {"http.client", "socket"},
    }
    network = NETWORK - named.get(path, named.get(path.parent, set()))
    assert [one for one in sorted(names) if below(one, NEVER | network | {"joblib.load"})] == []
    loads = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "load" and ast.unparse(node.value) == "joblib"
    ]
    assert loads == []


def test_the_command_line_imports_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import postil.cli.main"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
    )
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "postil.cli.main" in modules
    assert sorted(one for one in modules if below(one, HEAVY)) == []


@pytest.mark.parametrize(
    ("source", "package", "broken"),
    [
        ("from postil.cli import main", "data", ["cli"]),
        ("def f():\n    import postil.research.tables", "grading", ["research"]),
        ("from ..scoring import tally", "data", ["scoring"]),
        ("from . import files", "data", []),
        ("from postil import grader, workbench", "research", ["workbench"]),
        ("from postil.errors import PostilError\nimport numpy", "data", []),
        ("from postil.alignment import aligner", "grading", []),
        ("from postil.alignment import aligner", "entailment", ["alignment"]),
        ("from postil.grading.memory import adjust", "senses", ["grading"]),
    ],
)
def test_the_rule_itself(source, package, broken):
    assert violations(package, set(imported(ast.parse(source), ("postil", package)))) == broken


@pytest.mark.parametrize(
    "source",
    ["import urllib.request", "from urllib import request", "from http.client import HTTPConnection"],
)
def test_the_network_is_seen_however_it_is_imported(source):
    assert any(below(one, NETWORK) for one in imported(ast.parse(source), ("postil",)))
