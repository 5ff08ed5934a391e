"""The documentation holds together: links resolve, names exist, and prose lines stay short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "training", "postil", "tests", "deploy", "benchmarks")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))])
# What is kept up to date: training/ writes the cards of resources/, and history/ is left as it was.
LEFT = {"history", "resources", "CHANGELOG.md"}
CURRENT = [page for page in PAGES if not LEFT & {*page.parts}]
LONGEST = 160
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(r"(?<![\w./-])((?:postil|training|benchmarks|tests|deploy|docs)/[\w./-]*\w)")
MODULE = re.compile(r"(?<![\w./\"'@-])postil(?:\.[A-Za-z_]\w*)+")
OTHERS = ("postil.service", "postil.example.org")
# Made by what the pages tell people to run.
MADE = {"deploy/secrets", "postil/resources/grader/figures.json"}


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchor(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page outside code blocks, with their numbers."""
    fenced = False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(page: Path) -> set[str]:
    return {anchor(line.lstrip("#")) for _, line in prose(page) if line.startswith("#")}


def broken(page: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return False
    path, _, fragment = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.exists() or (bool(fragment) and fragment not in anchors(target))


def exists(dotted: str) -> bool:
    """Whether `postil.x.y` is a module, or something inside one."""
    module, _, attribute = dotted.rpartition(".")
    try:
        if find_spec(dotted):
            return True
    except ModuleNotFoundError:
        pass
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return False
    if spec is None or spec.origin is None:
        return False
    source = Path(spec.origin).read_text("utf-8")
    return re.search(rf"\b{attribute}\b", source) is not None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_resolve(page: Path) -> None:
    links = [(number, link) for number, line in prose(page) for link in LINK.findall(line)]
    assert [(number, link) for number, link in links if broken(page, link)] == []


@pytest.mark.parametrize("page", CURRENT, ids=name)
def test_files_that_are_named_exist(page: Path) -> None:
    files = set(FILE.findall(page.read_text("utf-8"))) - MADE
    assert sorted(file for file in files if not (ROOT / file).exists()) == []


@pytest.mark.parametrize("page", CURRENT, ids=name)
def test_modules_that_are_named_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    if " as postil," in text:  # the examples call their client so
        text = re.sub(r"```python.*?```", "", text, flags=re.DOTALL)
    assert (
        sorted(dotted for dotted in set(MODULE.findall(text)) if dotted not in OTHERS and not exists(dotted))
        == []
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_of_prose_are_short(page: Path) -> None:
    lines = [(number, line) for number, line in prose(page) if not line.lstrip().startswith("|")]
    assert [number for number, line in lines if len(line) > LONGEST] == []
