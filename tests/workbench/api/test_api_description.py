from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import jsonschema_rs
import pytest
from apiclient import SETTINGS, make_app, program

from postil.workbench.api.app import create_api
from postil.workbench.http.problems import KINDS, MEDIA_TYPE

SPEC = create_api(SETTINGS, None).openapi()
OPERATIONS = {
    one["operationId"]: (method, path, one)
    for path, operations in SPEC["paths"].items()
    for method, one in operations.items()
}
DOCS = Path(__file__).parents[3] / "docs" / "developers" / "api.md"
each = pytest.mark.parametrize("name", OPERATIONS)


def test_there_are_operations():
    assert len(OPERATIONS) > 30
    assert {"list_courses", "add_answers", "start_job", "export_question", "me"} <= OPERATIONS.keys()


@each
def test_every_operation_is_told(name):
    method, path, one = OPERATIONS[name]
    assert one["summary"]
    assert one["description"]
    assert one["tags"][0] in [tag["name"] for tag in SPEC["tags"]]
    assert re.fullmatch("[a-z_]+", name)
    expected = {"429", "500", "503"} | ({"404"} if "{" in path else set())
    if path != "/health":
        assert "token" in one["security"][0]
        expected |= {"401", "403"}
    if "requestBody" in one:
        expected |= {"400", "413", "422"}
    assert expected <= one["responses"].keys()
    for status, response in one["responses"].items():
        assert (MEDIA_TYPE in response.get("content", {})) == (status >= "400")
    keyed = any(one["name"] == "Idempotency-Key" for one in one.get("parameters", ()))
    stores = method != "get" and one["tags"] != ["judging"] and name not in ("find_pupils", "preview_facets")
    assert keyed == stores


@each
def test_examples_are_true_to_their_models(name):
    _, _, one = OPERATIONS[name]
    for place in (one.get("requestBody", {}), *one["responses"].values()):
        for kind, media in place.get("content", {}).items():
            if kind in ("application/json", MEDIA_TYPE):
                assert _errors(media["schema"], media["example"]) == []


@pytest.mark.parametrize("name", SPEC["components"]["schemas"])
def test_every_model_is_told(name):
    schema = SPEC["components"]["schemas"][name]
    assert schema["description"]
    for example in schema.get("examples", ()):
        assert _errors({"$ref": f"#/components/schemas/{name}"}, example) == []


def _errors(schema, example):
    whole = {**schema, "components": SPEC["components"]}
    checker = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return [error.message for error in checker.iter_errors(example)]


def test_the_description_is_served(store):
    client = program(make_app(store))
    assert client.get("openapi.json").json() == SPEC
    assert SPEC["servers"] == [{"url": "/api/v1"}]
    assert SPEC["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids, self.links, self.tags = set(), set(), set()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.add(tag)
        assert "style" not in found
        assert not any(name.startswith("on") for name in found)
        if "id" in found:
            assert found["id"] not in self.ids
            self.ids.add(found["id"])
        self.links |= {found[name] for name in ("href", "src") if name in found}


def test_the_page_for_people(store):
    answer = program(make_app(store)).get("docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = _Page()
    page.feed(answer.text)
    assert not page.tags & {"script", "style", "iframe"}
    assert page.ids >= OPERATIONS.keys() | KINDS.keys()
    assert all(link.startswith(("#", "/")) for link in page.links)
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids
    for method, path, _ in OPERATIONS.values():
        assert f"{method.upper()} /api/v1{path}" in answer.text


def test_the_guide_has_every_operation():
    rows = re.findall(r"^\| `(\w+)` \| `([A-Z]+) (/\S*)` \| (.*?) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    told = {name: (method.lower(), path, scope) for name, method, path, scope in rows}
    known = {name: (method, path, _scope(one)) for name, (method, path, one) in OPERATIONS.items()}
    assert told == known


def test_the_guide_has_every_problem():
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d{3}) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert {name: int(status) for name, status in rows} == {name: kind.status for name, kind in KINDS.items()}


def _scope(operation):
    if "security" not in operation:
        return "none"
    return ", ".join(operation["security"][0]["token"]) or "any"
