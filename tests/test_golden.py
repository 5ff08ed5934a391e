"""No result changes: what Postil says of the written inputs is what version 0.1 said (tests/golden).

`tests/golden/make.py` says when the expected files may be made anew.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent / "golden"))  # where the collecting is

from collect import EXPECTED, PARTS, collect

pytestmark = pytest.mark.slow

# Fields that hold sentences for people. While COMPARE_PROSE is true they are compared word by word; otherwise
# only whether there is something to read or nothing, so that a commit can change the wording alone.
PROSE = {
    "because",
    "explanation",
    "facets",  # only where they are one text, as in tables; lists of them are always compared
    "feedback",
    "help",
    "justification",
    "messages",
    "postil_because",
    "postil_explanation",
    "postil_facets",
    "postil_feedback",
    "says",
    "shown",
    "student",
    "teacher",
    "warnings",
}
COMPARE_PROSE = True
# Fields that results may have and that version 0.1 did not know.
GAINED: set[str] = set()
CLOSE = 1.01e-6  # tables have six digits: the last may differ by one
MOST_SHOWN = 40
# Where programs depend on names: these may gain some, and never lose one.
MAY_GAIN = ("command_options",)


def expected(part: str) -> Any:
    return json.loads((EXPECTED / f"{part}.json").read_text(encoding="utf-8"))


def differences(wanted: Any, found: Any, path: str = "", *, gains: bool = False) -> Iterator[str]:
    """A line for each value that is not as it was, with the path that leads to it."""
    name = path.rpartition("/")[2].partition("[")[0]
    if not COMPARE_PROSE and name in PROSE and _is_text(wanted) and _is_text(found):
        if bool(wanted) != bool(found):
            yield f"{path}: was {_short(wanted)}, is {_short(found)}"
    elif isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for key in wanted:
            if key not in found:
                yield f"{path}/{key}: is missing, was {_short(wanted[key])}"
            else:
                yield from differences(wanted[key], found[key], f"{path}/{key}", gains=gains)
        for key in found:
            if key not in wanted and not gains and key not in GAINED:
                yield f"{path}/{key}: is new: {_short(found[key])}"
    elif isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found) and not (gains and len(found) > len(wanted)):
            yield f"{path}: {len(wanted)} items were {_short(wanted)}, {len(found)} are {_short(found)}"
        elif gains and all(isinstance(one, str) for one in wanted):
            lost = set(wanted) - set(found)
            yield from (f"{path}: {one!r} is missing" for one in sorted(lost))
        else:
            for place, (one, other) in enumerate(zip(wanted, found, strict=False)):
                yield from differences(one, other, f"{path}[{place}]", gains=gains)
    elif not _equal(wanted, found):
        yield f"{path}: was {_short(wanted)}, is {_short(found)}"


def _equal(wanted: Any, found: Any) -> bool:
    numbers = (int, float)
    if isinstance(wanted, bool) or isinstance(found, bool) or not isinstance(wanted, numbers):
        return type(wanted) is type(found) and bool(wanted == found)
    return isinstance(found, numbers) and math.isclose(wanted, found, rel_tol=0, abs_tol=CLOSE)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}…"


def demand_same(wanted: Any, found: Any, *, gains: bool = False) -> None:
    lines = list(differences(wanted, found, gains=gains))
    if lines:
        rest = f"\n… and {len(lines) - MOST_SHOWN} more" * (len(lines) > MOST_SHOWN)
        pytest.fail(f"{len(lines)} differences:\n" + "\n".join(lines[:MOST_SHOWN]) + rest, pytrace=False)


def test_every_part_is_expected():
    assert {path.stem for path in EXPECTED.iterdir()} == set(PARTS)


@pytest.mark.parametrize("part", [part for part in PARTS if part != "api_description"])
def test_results_are_the_same(part):
    demand_same(expected(part), collect(part), gains=part in MAY_GAIN)


def test_the_api_loses_nothing_and_asks_for_nothing_more():
    """It may gain; but what a request must have, and the kinds that a value may be of, stay the same."""
    wanted, found = expected("api_description"), collect("api_description")
    demand_same(wanted, found, gains=True)
    asked = _asked(wanted)
    assert asked
    for name in asked:
        before, now = (one["components"]["schemas"][name].get("required", []) for one in (wanted, found))
        assert sorted(before) == sorted(now), name
    for path, at in _unions(wanted):
        assert len(at) == len(_at(found, path)), path


def _asked(description: Mapping[str, Any]) -> set[str]:
    """The names of what is sent to the API."""
    names: set[str] = set()

    def look(data: Any) -> None:
        if isinstance(data, Mapping):
            name = str(data.get("$ref", "")).rpartition("/")[2]
            if name and name not in names:
                names.add(name)
                look(description["components"]["schemas"][name])
            for value in data.values():
                look(value)
        elif isinstance(data, list):
            for one in data:
                look(one)

    for operations in description["paths"].values():
        for operation in operations.values():
            look(operation.get("requestBody"))
    return names


def _unions(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Where a value may be of several kinds."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if name in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
                yield (*path, name), value
            else:
                yield from _unions(value, (*path, name))


def _at(data: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        data = data[name]
    return data


def test_what_differs_is_told_by_its_path():
    wanted = {"a": [{"score": 0.5, "because": "nothing"}], "b": True, "c": 1}
    found = {"a": [{"score": 0.5 + 1e-7, "because": "something"}], "b": 1, "d": 2}
    assert list(differences(wanted, found)) == [
        '/a[0]/because: was "nothing", is "something"',
        "/b: was true, is 1",
        "/c: is missing, was 1",
        "/d: is new: 2",
    ]
    assert list(differences({"a": ["x"]}, {"a": ["y", "x"], "b": 1}, gains=True)) == []
    assert list(differences({"a": 0.5}, {"a": 0.50001})) == ["/a: was 0.5, is 0.50001"]
