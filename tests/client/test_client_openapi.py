"""The client fits the API's own description: each operation has its method, each result its fields.

An operation, a parameter or a field that the API gains and the client lacks makes these tests fail.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from types import NoneType
from typing import get_args, get_type_hints

import httpx
import pytest

from postil.client import ApiError, Client, NewAnswer, NewFacet, problems, results
from postil.workbench.api.app import create_api
from postil.workbench.settings import Settings

SPEC = create_api(Settings(), store=None).openapi()
SCHEMAS = SPEC["components"]["schemas"]
OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in SPEC["paths"].items()
    for method, operation in methods.items()
}
PAGING = {"limit", "after"}
OURS = {"to"}  # parameters of methods that the API knows nothing of
RENAMED = {"kind": "format"}  # a method cannot well have a parameter `format`
HELPERS = {"wait", "close"}
EXAMPLES = {
    "name": "x", "text": "x", "label": "correct", "kind": "grade", "job_id": 9, "course_id": 3,
    "question_id": 7, "answer_id": 5, "question": "Why?", "reference": "It is.", "references": ["It is."],
    "points": 2.0, "state": "doubtful", "search": "x", "scheme": "2way", "explain": True, "ticked": ["f1"],
    "contradicted": ["f2"],
    "answers": "decided", "pairs": {"p1": ("It is.", "It was.")}, "decided": [("a", "correct")],
    "facets": ["it"], "version": "31-0", "decision": 31,
    "who": [101], "name_or_id": "Kim", "strictness": "strict", "reader": "careful",
}  # fmt: skip
SPECIAL = {
    "add_answers": {"answers": [NewAnswer("u1", "a", "Kim", "correct")]},
    "set_facets": {"facets": [NewFacet("it", "f1")]},
    "preview_facets": {"facets": [NewFacet("it", "f1")]},
    "grade_class": {"answers": {"u1": "a"}},
    "find_facets": {"answers": {"u1": "a"}},
    "export_question": {"kind": "csv"},
    "export_course": {"kind": "xlsx"},
    "erase_pupils": {"answers": 14},
}
RESULTS = {name: kind for name, kind in vars(results).items() if is_dataclass(kind)}


def body_of(operation):
    content = operation.get("requestBody", {}).get("content", {})
    return resolved(content["application/json"]["schema"]) if content else {}


def resolved(schema):
    return SCHEMAS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def parameters(operation, where):
    return {one["name"]: one for one in operation.get("parameters", ()) if one["in"] == where}


def arguments(name):
    """An example for every parameter of a method."""
    wanted = inspect.signature(getattr(Client, name)).parameters
    return {
        one: SPECIAL.get(name, {}).get(one, EXAMPLES.get(one)) for one in wanted if one not in OURS | {"self"}
    }


def asked_by(name, given):
    """The request that a method sends."""
    asked = []

    def answer(request):
        asked.append(request)
        return httpx.Response(599)

    def call():
        found = getattr(client, name)(**given)
        next(found)  # lists ask when they are read

    client = Client("http://postil.test", "t", transport=httpx.MockTransport(answer))
    with pytest.raises(ApiError, match="599"):
        call()
    client.close()
    (request,) = asked
    return request


def test_there_is_a_method_for_each_operation_and_no_other():
    methods = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")}
    assert methods - HELPERS == set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_method_takes_what_the_operation_takes(name):
    _, _, operation = OPERATIONS[name]
    own = {RENAMED.get(one, one) if "export" in name else one for one in arguments(name)}
    described = parameters(operation, "path").keys() | (parameters(operation, "query").keys() - PAGING)
    assert own == described | body_of(operation).get("properties", {}).keys()


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_method_sends_what_the_description_says(name):
    method, path, operation = OPERATIONS[name]
    given = arguments(name)
    request = asked_by(name, given)
    assert request.method == method
    filled = re.sub(r"\{(\w+)\}", lambda part: str(given[part[1]]), path)
    assert request.url.path == f"/api/v1{filled}"
    assert set(request.url.params) <= set(parameters(operation, "query"))
    assert set(parameters(operation, "query")) - {"after"} <= set(request.url.params)
    assert ("Idempotency-Key" in request.headers) == ("Idempotency-Key" in parameters(operation, "header"))
    sent = json.loads(request.content) if request.content else {}
    check(body_of(operation), sent, name)


def check(schema, value, where):
    """That a value has all fields of its schema and no others, and each of a kind that it may be."""
    schema = resolved(schema)
    if "anyOf" in schema:
        assert any(fits(one, value) for one in schema["anyOf"]), where
    elif schema.get("type") == "object" and "properties" in schema:
        assert set(value) == set(schema["properties"]), where
        for name, one in schema["properties"].items():
            if value[name] is not None or name in schema.get("required", ()):
                check(one, value[name], f"{where}.{name}")
    elif schema.get("type") == "array":
        assert isinstance(value, list), where
        for one in value:
            check(schema["items"], one, where)
    elif "enum" in schema:
        assert value in schema["enum"], where


def fits(schema, value):
    if schema.get("type") == "null":
        return value is None
    try:
        check(schema, value, "")
    except (AssertionError, TypeError):
        return False
    return True


@pytest.mark.parametrize("name", RESULTS)
def test_a_dataclass_has_the_fields_of_its_model(name):
    described = SCHEMAS[name]["properties"]
    hints = get_type_hints(RESULTS[name])
    assert hints.keys() == described.keys() - {"next"}
    for field, hint in hints.items():
        shapes = [resolved(one) for one in described[field].get("anyOf", [described[field]])]
        assert (NoneType in get_args(hint)) == any(one.get("type") == "null" for one in shapes), field
        (shape,) = (one for one in shapes if one.get("type") != "null")
        (kind,) = (
            (one for one in get_args(hint) if one is not NoneType) if NoneType in get_args(hint) else (hint,)
        )
        assert same_kind(kind, shape), f"{name}.{field}"


def test_an_error_has_the_fields_of_a_problem():
    described = SCHEMAS["Problem"]["properties"]
    problem = {name: f"a {name}" for name in described} | {
        "errors": [{"where": "body", "what": "it is too long"}]
    }
    error = ApiError(422, problem | {"current": {"id": 7}})
    assert described.keys() <= vars(error).keys()
    assert (error.type, error.title, error.status, error.detail) == ("a type", "a title", 422, "a detail")
    assert (error.hint, error.current) == ("a hint", {"id": 7})
    assert error.errors == (problems.FieldError("body", "it is too long"),)


def same_kind(kind, shape):
    shape_type = shape.get("type")
    if is_dataclass(kind):
        return shape.get("title") == kind.__name__
    if shape_type == "array":
        return str(kind).startswith("tuple") and same_kind(get_args(kind)[0], resolved(shape["items"]))
    if shape_type == "object":
        return "Mapping" in str(kind)
    if kind is datetime:
        return shape.get("format") == "date-time"
    return {"string": str, "integer": int, "number": float, "boolean": bool}[shape_type] is kind


@pytest.mark.parametrize("kind", [NewAnswer, NewFacet])
def test_what_is_sent_may_leave_out_what_the_api_may(kind):
    needed = {one.name for one in fields(kind) if one.default is MISSING}
    assert needed == set(SCHEMAS[kind.__name__]["required"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_method_returns_what_the_description_says(name):
    _, _, operation = OPERATIONS[name]
    (answer,) = (one for status, one in operation["responses"].items() if status.startswith("2"))
    returned = get_type_hints(getattr(Client, name))["return"]
    content = answer.get("content", {})
    if not content:
        assert returned is NoneType
    elif "application/json" not in content:
        assert returned is bytes
    else:
        schema = resolved(content["application/json"]["schema"])
        if name not in ("list_changes", "grade_class") and "items" in schema["properties"]:
            schema, (returned,) = resolved(schema["properties"]["items"]["items"]), get_args(returned)
        assert returned.__name__ == schema["title"]
