from __future__ import annotations

import pytest
from apiclient import found_at, make_app, program, refused, secret_of

from postil.workbench.records import NewAnswer
from postil.workbench.store.answers import add_answers, delete_answer, list_answers


def test_answers_are_added_and_read(api, question_id):
    where = f"questions/{question_id}/answers"
    new = [
        {"key": "u1", "text": "", "student": "Kim"},
        {"key": "u2", "text": "a\0b", "label": "contradictory"},
    ]
    added = api.post(where, json={"answers": new})
    assert added.status_code == 201
    first, second = (api.get(f"answers/{id}").json() for id in added.json()["ids"])
    assert (first["key"], first["student"], first["text"], first["label"]) == ("u1", "Kim", "", None)
    assert (first["judgement"], first["decision"], first["points"], first["feedback"]) == (
        None,
        None,
        None,
        "",
    )
    assert first["doubtful"]
    assert (second["text"], second["label"], second["points"]) == ("a\ufffdb", "contradictory", 0)
    assert second["decision"]["source"] == "uploaded"
    assert [one["key"] for one in api.get(where).json()["items"]] == ["a", "b", "c", "d", "u1", "u2"]
    assert api.delete(f"answers/{first['id']}").status_code == 204
    refused(api.get(f"answers/{first['id']}"), 404, "not-found")


@pytest.mark.parametrize("keys", [["n", "n"], ["n", " n"], ["n", "a"]])
def test_all_or_none(api, store, question_id, keys):
    new = [{"key": key, "text": "x"} for key in keys]
    refused(api.post(f"questions/{question_id}/answers", json={"answers": new}), 409, "conflict")
    assert len(list_answers(store, question_id)) == 4


@pytest.mark.parametrize(
    "answer",
    [
        {"key": "n"},
        {"text": "x"},
        {"key": "", "text": "x"},
        {"key": "n", "text": None},
        {"key": "n", "text": "x", "label": "good"},
        {"key": "n" * 201, "text": "x"},
        {"key": "n", "text": "x" * 32_768},
    ],
)
def test_answers_that_cannot_be(api, question_id, answer):
    said = refused(api.post(f"questions/{question_id}/answers", json={"answers": [answer]}), 422, "invalid")
    assert all(error["where"].startswith("body.answers.0") for error in said["errors"])


def test_no_more_answers_than_allowed(store, question_id):
    small = program(make_app(store, most_answers=1), secret_of(store, None))
    new = [{"key": key, "text": "x"} for key in "xy"]
    refused(small.post(f"questions/{question_id}/answers", json={"answers": new}), 413, "too-large")


def test_an_answer_with_all_that_is_known(api, graded, ids):
    shown = api.get(f"answers/{ids['a']}").json()
    assert (shown["label"], shown["points"], shown["doubtful"]) == ("correct", 2, False)
    assert shown["feedback"] == "Look again."
    assert shown["judgement"]["confidence"] == 0.8
    assert shown["judgement"]["explanation"] == "It says “open”. The reference says “closed”."
    assert shown["judgement"]["reason"] is None
    assert sum(shown["judgement"]["probabilities"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", "abcd"),
        ("?state=doubtful", "cd"),
        ("?label=contradictory", "b"),
        ("?search=ÉLEC", "c"),
        ("?search=100%25", "d"),
        ("?search=%00", ""),
        ("?state=decided", ""),
        ("?state=undecided&search=it", "bc"),
    ],
)
def test_filters(api, graded, query, keys):
    items = api.get(f"questions/{graded}/answers{query}").json()["items"]
    assert "".join(one["key"] for one in items) == keys


@pytest.mark.parametrize(
    "query",
    ["state=new", "label=good", "limit=0", "limit=201", "limit=x", "after=x", "after=", "lable=correct"],
)
def test_wrong_filters(api, question_id, query):
    refused(api.get(f"questions/{question_id}/answers?{query}"), 422, "invalid")


def test_pages_while_answers_come_and_go(api, store, question_id, ids):
    where, after, seen = f"questions/{question_id}/answers?limit=2", "", []
    for turn in range(10):
        page = api.get(f"{where}{after}").json()
        seen += [one["key"] for one in page["items"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
        if turn == 0:
            delete_answer(store, ids["a"])  # what was seen goes: nothing behind it may be passed over
        if turn < 2:
            add_answers(store, question_id, [NewAnswer(f"n{turn}", "", "x")])
    assert seen == ["a", "b", "c", "d", "n0", "n1"]


def test_pages_of_everything(api, store):
    names = [f"course {number}" for number in range(7)]
    for name in names:
        where = found_at(api.post("courses", json={"name": name}))
    for number in range(5):
        api.post(f"{where}/questions", json={"text": f"{number}?", "references": ["x"]})
    assert [one["name"] for one in _all(api, "courses")] == names[::-1]
    assert [one["text"] for one in _all(api, f"{where}/questions")] == [f"{number}?" for number in range(5)]


def _all(api, where):
    found, after = [], ""
    while True:
        page = api.get(f"{where}?limit=3{after}").json()
        assert len(page["items"]) <= 3
        found += page["items"]
        if page["next"] is None:
            return found
        after = f"&after={page['next']}"


def test_decisions(api, graded, ids):
    where = f"answers/{ids['b']}"
    first = api.put(f"{where}/decision", json={"label": "correct"})
    assert first.status_code == 200
    assert (first.json()["label"], first.json()["machine_label"]) == ("correct", "contradictory")
    api.put(f"{where}/decision", json={"label": "irrelevant"})
    shown = api.get(where).json()
    assert (shown["label"], shown["points"], shown["decision"]["label"]) == ("irrelevant", 0, "irrelevant")
    assert api.get(f"questions/{graded}").json()["decided"] == 1
    (undone,) = api.post(f"questions/{graded}/undo").json()["undone"]
    assert undone["label"] == "irrelevant"
    assert undone["undone"]
    history = api.get(f"{where}/decisions?limit=1").json()
    assert [one["label"] for one in history["items"]] == ["irrelevant"]
    older = api.get(f"{where}/decisions?after={history['next']}").json()
    assert ([one["label"] for one in older["items"]], older["next"]) == (["correct"], None)
    assert api.get(where).json()["label"] == "correct"
    api.post(f"questions/{graded}/undo")
    assert api.post(f"questions/{graded}/undo").json() == {"undone": []}


@pytest.mark.parametrize(
    "body", [{}, {"label": "good"}, {"label": None}, {"label": "correct", "ticked": "f"}]
)
def test_decisions_that_cannot_be(api, graded, ids, body):
    refused(api.put(f"answers/{ids['b']}/decision", json=body), 422, "invalid")


def test_ticks(api, graded, ids):
    where, partly = f"answers/{ids['b']}", {"label": "partially_correct_incomplete"}
    refused(api.put(f"{where}/decision", json=partly | {"ticked": []}), 409, "conflict")
    new = {"facets": [{"name": "the path"}, {"name": "is closed", "weight": 3}]}
    first, second = api.put(f"questions/{graded}/facets", json=new).json()["facets"]
    refused(api.put(f"{where}/decision", json=partly | {"ticked": ["f0"]}), 409, "conflict")
    decided = api.put(f"{where}/decision", json=partly | {"ticked": [second["id"]]}).json()
    assert decided["ticked"] == {first["id"]: False, second["id"]: True}
    shown = api.get(where).json()
    assert shown["points"] == 1.5
    assert [one["outcome"] for one in shown["facets"]] == ["Unaddressed", "Expressed"]
    assert all(one["decided"] for one in shown["facets"])
    costly = [{**one, "deduction": 1} for one in (first, second)]
    api.put(
        f"questions/{graded}/facets",
        json={"facets": [{k: v for k, v in one.items() if k != "points"} for one in costly]},
    )
    label = {"label": "partially_correct_incomplete", "ticked": [second["id"]]}
    api.put(f"answers/{ids['a']}/decision", json=label | {"contradicted": [first["id"]]})
    shown = api.get(f"answers/{ids['a']}").json()
    assert [one["outcome"] for one in shown["facets"]] == ["Contradicted", "Expressed"]
    assert shown["points"] == 1  # three of four, less one, of 2 points
    refused(api.put(f"answers/{ids['a']}/decision", json=label | {"contradicted": ["x"]}), 409, "conflict")
