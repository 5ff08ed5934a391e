"""A program that says which version it saw never overwrites newer changes; one that does not may do so."""

from __future__ import annotations

from apiclient import refused

from postil.workbench.store import courses, decisions


def decide(api, answer_id, label, **more):
    return api.put(f"answers/{answer_id}/decision", json={"label": label, **more})


def test_a_decision_on_an_old_version_is_refused_with_the_current_one(api, graded, ids):
    seen = api.get(f"answers/{ids['b']}").json()["version"]
    first = decide(api, ids["b"], "correct", version=seen).json()
    said = refused(decide(api, ids["b"], "irrelevant", version=seen), 409, "changed")
    assert said["current"]["decision"] == first
    again = decide(api, ids["b"], "irrelevant", version=said["current"]["version"])
    assert again.status_code == 200
    assert api.get(f"answers/{ids['b']}").json()["label"] == "irrelevant"


def test_without_a_version_the_last_one_wins(api, store, graded, ids):
    assert decide(api, ids["b"], "correct").status_code == 200
    assert decide(api, ids["b"], "irrelevant").status_code == 200
    assert len(decisions.history(store, ids["b"])) == 2


def test_a_new_judgement_is_another_version(api, store, graded, ids):
    seen = api.get(f"answers/{ids['b']}").json()["version"]
    courses.edit_question(store, graded, "Why not?", None, None)  # and the judgements are gone
    said = refused(decide(api, ids["b"], "correct", version=seen), 409, "changed")
    assert said["current"] == {"version": "0-0", "decision": None}
    refused(decide(api, ids["b"], "correct", version="nonsense"), 409, "changed")
    assert decide(api, ids["b"], "correct", version="0-0").status_code == 200


def test_a_refused_decision_leaves_its_key_free(api, graded, ids):
    decide(api, ids["b"], "correct")
    where, key = f"answers/{ids['b']}/decision", {"Idempotency-Key": "k"}
    refused(api.put(where, json={"label": "correct", "version": "0-0"}, headers=key), 409, "changed")
    seen = api.get(f"answers/{ids['b']}").json()["version"]
    again = api.put(where, json={"label": "irrelevant", "version": seen}, headers=key)
    assert again.status_code == 200


def test_undo_takes_back_the_step_that_is_meant(api, graded, ids):
    first = decide(api, ids["a"], "correct").json()
    second = decide(api, ids["b"], "correct").json()
    said = refused(api.post(f"questions/{graded}/undo?decision={first['id']}"), 409, "changed")
    assert said["current"]["decision"] == second
    undone = api.post(f"questions/{graded}/undo?decision={second['id']}").json()["undone"]
    assert [one["id"] for one in undone] == [second["id"]]
    assert api.post(f"questions/{graded}/undo").json()["undone"][0]["id"] == first["id"]


def test_questions_and_facets_have_versions(api, question_id):
    where = f"questions/{question_id}"
    seen = api.get(where).json()["version"]
    changed = api.patch(where, json={"points": 4, "version": seen})
    assert changed.status_code == 200
    said = refused(api.patch(where, json={"points": 5, "version": seen}), 409, "changed")
    assert said["current"] == changed.json()
    seen = api.get(f"{where}/facets").json()["version"]
    rubric = api.put(f"{where}/facets", json={"facets": [{"name": "closed"}], "version": seen}).json()
    other = {"facets": [{"name": "open"}], "version": seen}
    said = refused(api.put(f"{where}/facets", json=other), 409, "changed")
    assert said["current"] == rubric
    assert api.put(f"{where}/facets", json=other | {"version": rubric["version"]}).status_code == 200
