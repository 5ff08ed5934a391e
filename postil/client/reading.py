"""JSON into dataclasses, by the types of their fields.

Fields that a newer server adds are passed over; one that is missing is an error.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from postil.errors import PostilError

T = TypeVar("T")


def read(kind: type[T], given: object) -> T:
    """A dataclass from the JSON object that describes it."""
    found: T = _read(kind, given, kind.__name__)
    return found


def _read(kind: Any, given: object, where: str) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, given, where)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (other,) = (one for one in inner if one is not type(None))
        return None if given is None else _read(other, given, where)
    if origin is tuple and isinstance(given, list):
        return tuple(_read(inner[0], one, where) for one in given)
    if origin is Mapping and isinstance(given, dict):
        return {name: _read(inner[1], one, where) for name, one in given.items()}
    if kind is datetime and isinstance(given, str):
        return datetime.fromisoformat(given)
    if kind is float and isinstance(given, int) and not isinstance(given, bool):
        return float(given)  # JSON may write 2.0 as 2
    if origin is None and isinstance(given, kind):
        return given
    raise _strange(where)


def _record(kind: Any, given: object, where: str) -> Any:
    if not isinstance(given, dict):
        raise _strange(where)
    hints = _hints(kind)
    missing = [one.name for one in fields(kind) if one.name not in given]
    if missing:
        raise _strange(f"{where}.{missing[0]}")
    return kind(**{name: _read(hint, given[name], f"{where}.{name}") for name, hint in hints.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _strange(where: str) -> PostilError:
    return PostilError(
        f"the server's answer is not what this client expects ({where}).",
        hint="Is the address that of a Postil server, and is it of the same version?",
    )
