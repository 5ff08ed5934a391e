"""How the client calls: tries again where that is safe, passes errors on, reads lists page by page."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime

import httpx
import pytest

from postil.client import ApiError, Client, UnreachableError
from postil.client import client as calls
from postil.client.results import Course, Facets, Question, read
from postil.errors import PostilError

COURSE = {"id": 3, "name": "Physics", "created": "2026-03-02T09:30:00Z", "questions": 0, "answers": 0}


@pytest.fixture
def pauses(monkeypatch):
    """The seconds that the client would have waited."""
    waited = []
    monkeypatch.setattr(calls.time, "sleep", waited.append)
    return waited


def client(*answers, **more):
    """A client whose calls are answered in turn, and the requests that it has sent."""
    left, asked = list(answers), []

    def answer(request):
        asked.append(request)
        given = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(given, Exception):
            raise given
        return given

    return Client(
        "http://postil.test/", "postil_secret", transport=httpx.MockTransport(answer), **more
    ), asked


def problem(status, retry_after=None, **fields):
    headers = {"Content-Type": "application/problem+json"}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return httpx.Response(status, headers=headers, json={"title": "No", "status": status, **fields})


def test_a_call_carries_the_token_and_is_read():
    postil, (asked) = client(httpx.Response(201, json={**COURSE, "new_in_version_9": 1}))
    assert postil.create_course("Physics") == Course(
        3, "Physics", datetime(2026, 3, 2, 9, 30, tzinfo=UTC), 0, 0
    )
    (request,) = asked
    assert (request.method, str(request.url)) == ("POST", "http://postil.test/api/v1/courses")
    assert request.headers["Authorization"] == "Bearer postil_secret"
    assert json.loads(request.content) == {"name": "Physics"}


def test_the_token_shows_nowhere():
    postil, _ = client(problem(401, detail="No."))
    with pytest.raises(ApiError) as refused:
        postil.me()
    assert "postil_secret" not in f"{postil!r} {vars(refused.value)} {refused.value!r}"


def test_a_write_that_is_tried_again_has_the_same_key(pauses):
    postil, asked = client(
        httpx.ConnectError("no"), problem(429, 2), problem(503, 1), httpx.Response(201, json=COURSE)
    )
    assert postil.create_course("Physics").id == 3
    keys = {request.headers["Idempotency-Key"] for request in asked}
    assert len(asked) == 4
    assert len(keys) == 1
    assert pauses == [0.5, 2, 1]
    postil.create_course("Physics")
    assert asked[-1].headers["Idempotency-Key"] not in keys


def test_reading_needs_no_key():
    postil, asked = client(httpx.Response(200, json=COURSE))
    postil.get_course(3)
    assert "Idempotency-Key" not in asked[0].headers


def test_it_gives_up_in_the_end(pauses):
    postil, asked = client(httpx.ReadTimeout("slow"), retries=2)
    with pytest.raises(UnreachableError, match="ReadTimeout"):
        postil.health()
    assert len(asked) == 3
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize(
    "answer", [problem(503), problem(429, 3600), problem(500, 1), problem(404, 1), problem(429, "tomorrow")]
)
def test_what_trying_again_would_not_mend_is_told_at_once(pauses, answer):
    postil, asked = client(answer)
    with pytest.raises(ApiError):
        postil.health()
    assert len(asked) == 1
    assert pauses == []


def test_an_error_has_the_fields_of_the_problem():
    postil, _ = client(
        problem(
            422, type="/docs#invalid", detail="One thing is wrong.", hint="Mend it.",
            errors=[{"where": "body.name", "what": "too long"}],
        )
    )  # fmt: skip
    with pytest.raises(ApiError) as refused:
        postil.create_course("x")
    error = refused.value
    assert isinstance(error, PostilError)
    assert (error.status, error.type, error.title) == (422, "/docs#invalid", "No")
    assert (error.detail, error.hint) == ("One thing is wrong.", "Mend it.")
    assert [(one.where, one.what) for one in error.errors] == [("body.name", "too long")]
    assert str(error) == "One thing is wrong. (body.name: too long) Mend it."


def test_an_error_of_somebody_in_between_is_one_too():
    postil, _ = client(httpx.Response(502, text="<h1>Bad gateway</h1>"))
    with pytest.raises(ApiError, match="HTTP 502"):
        postil.health()


@pytest.mark.parametrize("body", ["<h1>A page</h1>", "[]", "{}", json.dumps(COURSE | {"id": "3"})])
def test_what_is_no_answer_of_postil_is_said_to_be_none(body):
    postil, _ = client(httpx.Response(200, text=body))
    with pytest.raises(PostilError, match="the server's answer is not"):
        postil.get_course(3)


def test_lists_are_read_page_by_page_when_they_are_needed():
    pages = [
        httpx.Response(200, json={"items": [COURSE, COURSE | {"id": 2}], "next": "2"}),
        httpx.Response(200, json={"items": [COURSE | {"id": 1}], "next": None}),
    ]
    postil, asked = client(*pages)
    courses = postil.list_courses()
    assert asked == []
    assert next(courses).id == 3
    assert len(asked) == 1
    assert [one.id for one in courses] == [2, 1]
    assert [request.url.params.get("after") for request in asked] == [None, "2"]


def test_address_and_token_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("POSTIL_ADDRESS", "https://postil.example/")
    monkeypatch.setenv("POSTIL_TOKEN", "postil_x")
    with Client() as postil:
        assert str(postil._http.base_url) == "https://postil.example/api/v1/"
    monkeypatch.delenv("POSTIL_TOKEN")
    with pytest.raises(PostilError, match="POSTIL_TOKEN"):
        Client()
    with pytest.raises(PostilError, match="http"):
        Client("postil.example", "postil_x")


def test_reading_follows_the_types():
    assert read(Facets, {"facets": None, "outdated": False}) == Facets(None, outdated=False)
    given = {
        "id": 1, "course_id": 2, "text": "Why?", "references": ["a", "b"], "points": 2,
        "created": "2026-03-02T09:30:00+00:00", "answers": 0, "judged": 0, "decided": 0,
    }  # fmt: skip
    assert read(Question, given).references == ("a", "b")
    assert isinstance(read(Question, given).points, float)
    for broken in ({"references": "a"}, {"created": 5}, {"points": True}, {"answers": 1.5}):
        with pytest.raises(PostilError, match=rf"Question\.{next(iter(broken))}"):
            read(Question, given | broken)


def test_importing_the_client_brings_nothing_of_the_server():
    script = "import sys, postil.client; print(*sorted({one.partition('.')[0] for one in sys.modules}))"
    names = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    heavy = {
        "numpy",
        "scipy",
        "sklearn",
        "spacy",
        "onnxruntime",
        "fastapi",
        "starlette",
        "pydantic",
        "sqlalchemy",
    }
    assert "httpx" in names.split()
    assert heavy & set(names.split()) == set()
    script = "import sys, postil.client; print(*(one for one in sys.modules if one.startswith('postil.')))"
    own = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert {one.split(".")[1] for one in own.split()} == {"client", "errors"}
