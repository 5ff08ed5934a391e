"""The API's description as a page to read: without scripts, and with nothing fetched from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup, escape

from postil.workbench.http.problems import KINDS, MEDIA_TYPE
from postil.workbench.http.rendering import render

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be done, as the page shows it."""

    id: str
    tag: str
    method: str
    path: str
    summary: str
    description: str
    locked: bool
    scopes: str
    parameters: tuple[Spec, ...]
    sends: str
    gets: tuple[tuple[str, str, str], ...]  # status, what it means, example
    problems: tuple[str, ...]


def show_reference(request: Request) -> HTMLResponse:
    """The whole description as one page."""
    spec: Spec = request.app.openapi()
    known = list(_operations(spec))
    parts = [(tag, [one for one in known if one.tag == tag["name"]]) for tag in spec["tags"]]
    return render(
        request,
        "reference.html",
        spec=spec,
        parts=[part for part in parts if part[1]],
        kinds=KINDS,
        coded=_coded,
    )


def _operations(spec: Spec) -> Iterator[Operation]:
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            yield _operation(spec["servers"][0]["url"], path, method, operation)


def _operation(root: str, path: str, method: str, operation: Spec) -> Operation:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    responses = operation["responses"].items()
    good = [(status, one) for status, one in responses if status.startswith("2")]
    return Operation(
        id=operation["operationId"],
        tag=operation["tags"][0],
        method=method.upper(),
        path=root + path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        locked="security" in operation,
        scopes=", ".join(scope for one in operation.get("security", ()) for scope in one["token"]),
        parameters=tuple(operation.get("parameters", ())),
        sends=_json(body.get("example")),
        gets=tuple((status, one["description"], _example(one)) for status, one in good),
        problems=tuple(status for status, one in responses if MEDIA_TYPE in one.get("content", {})),
    )


def _example(response: Spec) -> str:
    content: Spec = response.get("content", {})
    own = content.get("application/json", {}).get("example")
    return _json(own) if own is not None else ", ".join(content)


def _coded(text: str) -> Markup:
    """A text of the description with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


def _json(example: object) -> str:
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)
