from __future__ import annotations

import pytest
from apiclient import found_at, make_app, people, program, refused, secret_of

from postil.language import readers
from postil.workbench.api import routes
from postil.workbench.records import Level
from postil.workbench.store import courses
from postil.workbench.store.access import share_course
from postil.workbench.store.events import list_events


def test_a_course_from_beginning_to_end(api):
    made = api.post("courses", json={"name": " Physics  7b "})
    assert made.status_code == 201
    assert made.json()["name"] == "Physics 7b"
    where = found_at(made)
    assert where == f"courses/{made.json()['id']}"
    assert api.get(where).json() == made.json()
    assert api.get("courses").json() == {"items": [made.json()], "next": None}
    renamed = api.patch(where, json={"name": "Physics 8b"})
    assert renamed.json() == made.json() | {"name": "Physics 8b"}
    gone = api.delete(where)
    assert (gone.status_code, gone.content) == (204, b"")
    refused(api.get(where), 404, "not-found")
    refused(api.delete(where), 404, "not-found")


@pytest.mark.parametrize(
    "body",
    [{}, {"name": ""}, {"name": " \t"}, {"name": 7}, {"name": "x" * 201}, {"name": "x", "more": 1}, [], None],
)
def test_a_course_that_cannot_be_made(api, body):
    refused(api.post("courses", json=body), 422, "invalid")
    assert api.get("courses").json()["items"] == []


def test_odd_names(api):
    assert api.post("courses", json={"name": "a\0b 🙂 <b>"}).json()["name"] == "a\ufffdb 🙂 <b>"
    half = b'{"name": "a\\ud800b"}'
    refused(api.post("courses", content=half, headers={"Content-Type": "application/json"}), 422, "invalid")


def test_what_is_done_is_logged(store, api):
    where = found_at(api.post("courses", json={"name": "A"}))
    api.patch(where, json={"name": "B"})
    api.get(f"{where}/export")  # refused: there is nothing in it
    api.delete(where)
    assert [(event.what, event.about) for event in list_events(store)] == [
        ("course deleted", "B"),
        ("course renamed", "B"),
        ("course created", "A"),
    ]


def test_who_changes_something_else_at_once_loses_nothing(api, store, monkeypatch):
    where = found_at(api.post("courses", json={"name": "A"}))
    made = api.post(f"{where}/questions", json={"text": "Why?", "references": ["x"]})
    real = courses.get_question

    def overtaken(store, question_id):
        found = real(store, question_id)
        courses.edit_question(store, question_id, None, None, 7)
        return found

    monkeypatch.setattr(courses, "get_question", overtaken)
    monkeypatch.setattr(routes, "get_question", overtaken)
    api.patch(found_at(made), json={"text": "How?"})
    monkeypatch.undo()
    after = api.get(found_at(made)).json()
    assert (after["text"], after["references"], after["points"]) == ("How?", ["x"], 7)


def test_questions(api):
    where = found_at(api.post("courses", json={"name": "A"}))
    new = {"text": "Why?", "references": ["Because.", "It is so."], "points": 2.5}
    made = api.post(f"{where}/questions", json=new)
    assert made.status_code == 201
    assert {name: made.json()[name] for name in new} == new
    question = found_at(made)
    assert api.get(question).json() == made.json()
    assert api.get(f"{where}/questions").json() == {"items": [made.json()], "next": None}
    changed = api.patch(question, json={"points": 4}).json()
    assert changed == made.json() | {"points": 4, "version": changed["version"]}
    assert changed["version"] != made.json()["version"]
    assert api.patch(question, json={"text": "How?"}).json()["references"] == new["references"]
    assert api.patch(question, json={"references": ["So."]}).json()["text"] == "How?"
    assert api.patch(question, json={}).status_code == 200
    assert api.get(where).json()["questions"] == 1
    assert api.delete(question).status_code == 204
    refused(api.get(question), 404, "not-found")


@pytest.mark.parametrize(
    "change",
    [
        {"text": "  "},
        {"text": "x" * 5001},
        {"references": []},
        {"references": [" "]},
        {"references": ["x"] * 51},
        {"references": ["x" * 5001]},
        {"points": 0},
        {"points": -1},
        {"points": 1e7},
        {"points": "2"},
        {"points": True},
        {"colour": "red"},
    ],
)
def test_questions_that_cannot_be(api, change):
    where = found_at(api.post("courses", json={"name": "A"}))
    usual = {"text": "Why?", "references": ["Because."]}
    refused(api.post(f"{where}/questions", json=usual | change), 422, "invalid")
    question = found_at(api.post(f"{where}/questions", json=usual))
    refused(api.patch(question, json=change), 422, "invalid")


def test_no_number_that_json_does_not_know(api):
    where = found_at(api.post("courses", json={"name": "A"}))
    for points in ("NaN", "Infinity", "1e999"):
        body = f'{{"text": "Why?", "references": ["x"], "points": {points}}}'
        headers = {"Content-Type": "application/json"}
        refused(api.post(f"{where}/questions", content=body, headers=headers), 422, "invalid")


def test_facets(api, question_id):
    where = f"questions/{question_id}/facets"
    unset = api.get(where).json()
    assert (unset["facets"], unset["outdated"]) == (None, False)
    both = [{"name": " the  path ", "weight": 2}, {"name": "closed", "required": False}]
    first, second = api.put(where, json={"facets": both}).json()["facets"]
    assert (first["name"], first["weight"], first["required"]) == ("the path", 2, True)
    assert (second["name"], second["weight"], second["required"]) == ("closed", 1, False)
    renamed = {"facets": [{"id": first["id"], "name": "a path"}]}
    assert [one["id"] for one in api.put(where, json=renamed).json()["facets"]] == [first["id"]]
    assert api.delete(where).json() == unset


def test_facets_have_groups_deductions_and_points(api, question_id):
    where = f"questions/{question_id}/facets"
    metals = [{"name": name, "group": "metals", "needed": 1} for name in ("iron", "copper")]
    sent = [
        {"name": "closed", "weight": 3, "deduction": 0.5},
        *metals,
        {"name": "wood", "weight": 0, "deduction": 1},
    ]
    shown = api.put(where, json={"facets": sent}).json()["facets"]
    # The question has 2 points: 3 + 1 are the whole.
    assert [(one["points"], one["group"], one["needed"], one["deduction"]) for one in shown] == [
        (1.5, "", 0, 0.5),
        (0.5, "metals", 1, 0.0),
        (0.5, "metals", 1, 0.0),
        (0.0, "", 0, 1.0),
    ]
    assert not shown[-1]["required"]
    refused(api.put(where, json={"facets": [{"name": "iron", "group": "metals"}]}), 409, "conflict")
    refused(api.put(where, json={"facets": [{"name": "iron", "deduction": -1}]}), 422, "invalid")


def test_whose_points_other_facets_would_change_is_said_before(api, graded):
    where = f"questions/{graded}/facets"
    api.put(where, json={"facets": [{"name": "path"}]})
    before = api.get(where).json()
    shown = api.post(f"{where}/preview", json={"facets": [{"name": "path", "deduction": 1}]}).json()
    assert (shown["graded"], shown["changes"], shown["before"] == shown["after"]) == (3, [], True)
    assert shown["unknown"] > 0
    assert api.get(where).json() == before
    refused(
        api.post(f"{where}/preview", json={"facets": [{"name": "x", "required": False}]}), 409, "conflict"
    )


def test_facets_after_grading(api, graded):
    where = f"questions/{graded}/facets"
    assert api.put(where, json={"facets": [{"name": "closed"}]}).json()["outdated"]


@pytest.mark.parametrize(
    ("facets", "status", "kind"),
    [
        ([], 422, "invalid"),
        ([{"name": " "}], 422, "invalid"),
        ([{"name": "x", "weight": -1}], 422, "invalid"),
        ([{"name": "x", "weight": 0}], 409, "conflict"),
        ([{"name": "x"}] * 21, 422, "invalid"),
        ([{"name": "x", "required": False}], 409, "conflict"),
        ([{"name": "x"}, {"name": "X"}], 409, "conflict"),
    ],
)
def test_facets_that_cannot_be(api, question_id, facets, status, kind):
    where = f"questions/{question_id}/facets"
    refused(api.put(where, json={"facets": facets}), status, kind)
    assert api.get(where).json()["facets"] is None


def test_how_strict_a_course_is(store, api):
    made = api.post("courses", json={"name": "A", "strictness": "strict"})
    where = found_at(made)
    assert made.json()["strictness"] == "strict"
    assert api.post("courses", json={"name": "B"}).json()["strictness"] == "normal"
    assert api.patch(where, json={"name": "A 2"}).json() == made.json() | {"name": "A 2"}
    changed = api.patch(where, json={"name": "A 2", "strictness": "lenient"}).json()
    assert changed == made.json() | {"name": "A 2", "strictness": "lenient"}
    assert api.get(where).json() == changed
    assert api.get("courses").json()["items"][1] == changed
    for wrong in ("harsh", "", 1):
        refused(api.patch(where, json={"name": "A 2", "strictness": wrong}), 422, "invalid")
        refused(api.post("courses", json={"name": "A 2", "strictness": wrong}), 422, "invalid")
    assert api.get(where).json() == changed
    assert [event.what for event in list_events(store)] == [
        "strictness changed",
        "course renamed",
        "course created",
        "course created",
    ]


def test_only_an_owner_says_how_strict_a_course_is(store):
    account, app = people(store), make_app(store, local=False)
    owner, other = (program(app, secret_of(store, account[login])) for login in ("teo", "tina"))
    where = found_at(owner.post("courses", json={"name": "A"}))
    strict = {"name": "A", "strictness": "strict"}
    refused(other.patch(where, json=strict), 404, "not-found")
    share_course(store, int(where.rpartition("/")[2]), account["tina"], Level.TEACH)
    refused(other.patch(where, json=strict), 403, "forbidden")
    assert other.get(where).json()["strictness"] == "normal"
    assert owner.patch(where, json=strict).json()["strictness"] == "strict"
    assert other.get(where).json()["strictness"] == "strict"


def test_another_strictness_is_reason_enough_to_grade_again(api, store, graded):
    refused(api.post(f"questions/{graded}/jobs", json={"kind": "regrade"}), 409, "conflict")
    courses.edit_course(store, courses.get_question(store, graded).course_id, strictness="strict")
    assert api.post(f"questions/{graded}/jobs", json={"kind": "regrade"}).status_code == 202


def test_the_reader_of_a_course(store, api, monkeypatch):
    monkeypatch.setattr(readers, "missing_of_expert", lambda: ["the package postil-expert"])
    made = api.post("courses", json={"name": "A", "reader": "cascade"})
    where = found_at(made)
    assert made.json()["reader"] == "cascade"
    assert api.post("courses", json={"name": "B"}).json()["reader"] is None
    assert api.patch(where, json={"name": "A 2"}).json()["reader"] == "cascade"  # what is left out stays
    assert api.patch(where, json={"name": "A 2", "reader": "careful"}).json()["reader"] == "careful"
    for wrong in ("Careful", "", 1):
        refused(api.patch(where, json={"name": "A", "reader": wrong}), 422, "invalid")
    for send in (api.post, api.patch):
        path = "courses" if send == api.post else where
        told = refused(send(path, json={"name": "A 2", "reader": "expert"}), 409, "conflict")
        assert "does not work here: it needs the package postil-expert" in str(told)
    assert api.get(where).json()["reader"] == "careful"
    assert api.patch(where, json={"name": "A 2", "reader": None}).json()["reader"] is None
    assert [event.what for event in list_events(store)][:2] == ["reader changed"] * 2
    # Gone since it was chosen: the course can be changed in other ways.
    courses.edit_course(store, int(where.rpartition("/")[2]), reader="expert")
    assert api.patch(where, json={"name": "A 3", "reader": "expert"}).json()["reader"] == "expert"


def test_another_reader_is_reason_enough_to_grade_again(api, store, graded):
    refused(api.post(f"questions/{graded}/jobs", json={"kind": "regrade"}), 409, "conflict")
    courses.edit_course(store, courses.get_question(store, graded).course_id, reader="careful")
    assert api.post(f"questions/{graded}/jobs", json={"kind": "regrade"}).status_code == 202
