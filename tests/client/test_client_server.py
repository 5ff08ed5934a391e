"""The client and a real server: every operation, from an empty course to its export."""

from __future__ import annotations

import csv
import io
import json

import pytest

from postil.client import ApiError, Client, NewAnswer, NewFacet, results
from postil.client import client as calls
from postil.errors import PostilError
from postil.workbench.store.access import create_token

REFERENCE = "The path is closed."
TEXTS = ("the path is closed", "it is open", "no idea", "because of the battery")


@pytest.fixture
def course(postil):
    made = postil.create_course("Physics 7b")
    yield made
    postil.delete_course(made.id)


@pytest.fixture
def question(postil, course):
    made = postil.create_question(course.id, "Why is it lit?", [REFERENCE], points=2)
    postil.add_answers(made.id, [NewAnswer(f"u{number}", text) for number, text in enumerate(TEXTS)])
    return made


@pytest.fixture
def graded(postil, question):
    postil.wait(postil.start_job(question.id, "grade"), every=0.05, timeout=30)
    return question


def test_the_server_is_there_and_knows_the_token(postil):
    assert postil.health().status == "ok"
    assert postil.me().scopes == ("judge", "read", "write")


def test_a_course_is_made_renamed_listed_and_deleted(postil):
    made = postil.create_course("Biology")
    assert postil.rename_course(made.id, "Biology 8").name == "Biology 8"
    assert postil.get_course(made.id).name == "Biology 8"
    assert made.strictness == "normal"
    assert postil.rename_course(made.id, "Biology 8", strictness="strict").strictness == "strict"
    assert postil.get_course(made.id).strictness == "strict"
    assert made.reader is None
    assert postil.rename_course(made.id, "Biology 8", reader="careful").reader == "careful"
    assert postil.rename_course(made.id, "Biology 8").reader == "careful"
    assert postil.rename_course(made.id, "Biology 8", reader=None).reader is None
    assert postil.create_course("Exam", reader="quick").reader == "quick"
    assert made.id in [one.id for one in postil.list_courses()]
    postil.delete_course(made.id)
    with pytest.raises(ApiError) as refused:
        postil.get_course(made.id)
    assert refused.value.status == 404


def test_a_question_is_edited_and_deleted(postil, course, question):
    assert postil.edit_question(question.id, points=5).points == 5
    changed = postil.edit_question(question.id, references=[REFERENCE, "It is not open."])
    assert changed.references == (REFERENCE, "It is not open.")
    assert postil.get_question(question.id) == changed
    assert [one.id for one in postil.list_questions(course.id)] == [question.id]
    postil.delete_question(question.id)
    assert list(postil.list_questions(course.id)) == []


def test_lists_longer_than_a_page_come_whole(postil, question, monkeypatch):
    monkeypatch.setattr(calls, "PER_PAGE", 3)
    assert [one.text for one in postil.list_answers(question.id)] == list(TEXTS)


def test_a_class_is_graded_and_decided(postil, graded):
    found = list(postil.list_answers(graded.id))
    assert all(one.judgement for one in found)
    first = found[0]
    decision = postil.decide(first.id, "contradictory")
    assert (decision.label, decision.machine_label) == ("contradictory", first.label)
    assert postil.get_answer(first.id).label == "contradictory"
    assert [one.id for one in postil.list_answers(graded.id, state="decided")] == [first.id]
    assert [one.id for one in postil.list_decisions(first.id)] == [decision.id]
    assert [one.id for one in postil.undo(graded.id).undone] == [decision.id]
    assert postil.get_answer(first.id).label == first.label
    postil.delete_answer(first.id)
    assert len(list(postil.list_answers(graded.id))) == len(TEXTS) - 1


def test_jobs_are_watched(postil, question):
    seen = []
    job = postil.start_job(question.id, "grade")
    done = postil.wait(job, progress=seen.append, every=0.05)
    assert (done.state, done.done) == ("done", len(TEXTS))
    assert seen[-1] == done
    assert [one.id for one in postil.list_jobs(question.id)] == [job.id]


def test_waiting_ends(postil, question, monkeypatch):
    job = postil.wait(postil.start_job(question.id, "grade"), every=0.05)
    running = results.Job(**{name: getattr(job, name) for name in job.__slots__} | {"state": "running"})
    monkeypatch.setattr(Client, "get_job", lambda self, job_id: running)
    with pytest.raises(PostilError, match="not done after"):
        postil.wait(job.id, every=0.01, timeout=0.05)
    failed = results.Job(
        **{name: getattr(job, name) for name in job.__slots__} | {"state": "failed", "error": "no."}
    )
    monkeypatch.setattr(Client, "get_job", lambda self, job_id: failed)
    with pytest.raises(PostilError, match=r"failed: no\."):
        postil.wait(job)


def test_grading_again_is_looked_at_before_it_counts(postil, graded):
    assert postil.list_changes(graded.id) == results.Changes(None, ())
    answer = next(postil.list_answers(graded.id))
    postil.decide(answer.id, "irrelevant")
    for settle in ("drop", "apply"):
        job = postil.wait(postil.start_job(graded.id, "regrade"), every=0.05)
        changes = postil.list_changes(graded.id)
        assert changes.job_id == job.id
        assert {one.after for one in changes.items} == {"irrelevant"}
        if settle == "drop":
            postil.drop_changes(graded.id, job.id)
        else:
            assert postil.apply_changes(graded.id, job.id).changed == len(changes.items)
    assert {one.label for one in postil.list_answers(graded.id)} == {"irrelevant"}


def test_facets_are_set_and_forgotten(postil, question):
    assert postil.get_facets(question.id).facets is None
    made = postil.set_facets(
        question.id, [NewFacet("path is closed", weight=2), NewFacet("lit", required=False)]
    )
    assert [(one.name, one.weight, one.required) for one in made.facets] == [
        ("path is closed", 2.0, True),
        ("lit", 1.0, False),
    ]
    assert postil.get_facets(question.id) == made
    assert postil.forget_facets(question.id).facets is None


def test_exports_are_bytes_and_files(postil, course, graded, tmp_path):
    rows = list(csv.reader(io.StringIO(postil.export_question(graded.id).decode("utf-8-sig"))))
    assert len(rows) == len(TEXTS) + 1
    lines = postil.export_question(graded.id, "jsonl").decode().splitlines()
    assert [json.loads(line)["text"] for line in lines] == list(TEXTS)
    assert postil.export_question(graded.id, "jsonl", answers="decided") == b""
    file = tmp_path / "course.xlsx"
    assert postil.export_course(course.id, to=file) == file.read_bytes()
    assert file.read_bytes().startswith(b"PK")


def test_texts_are_judged_at_once(postil):
    graded = postil.grade_class(
        "Why?",
        [REFERENCE],
        {"a": "12345", "b": "no"},
        explain=True,
        facets=["closed"],
        decided=[("no", "correct")],
    )
    one, two = graded.items
    assert graded.warnings == ()
    assert (one.id, one.label, two.id, two.label) == ("a", "correct", "b", "correct")
    assert one.feedback.student == "Look again."
    assert one.alignment.alignments[0].type == "EQUI"
    assert one.facets[0].first == "closed"
    assert postil.grade_class("Why?", [REFERENCE], ["12345"]).items[0].feedback is None
    assert postil.grade_class("What does the graph show?", [REFERENCE], ["12345"]).warnings
    aligned = postil.align_pairs({"p": ("It is.", "It was."), "q": ("It is. " * 20, "It was.")})
    assert aligned[0].explanation == "Alike."
    assert aligned.warnings == ("Pair q is long.",)
    assert postil.align_pairs([("It is.", "It was.")]).warnings == ()
    assert postil.entail_pairs({"p": ("It is so.", "so")}, scheme="2way")[0].label == "ENTAILMENT"
    (found,) = postil.find_facets(REFERENCE, ["it"], question="Why?", facets=["closed"])
    assert [facet.first for facet in found.facets] == ["closed"]


def test_a_write_that_arrives_twice_is_done_once(postil, server):
    """As after an answer that was lost on its way: the same request goes out again, with the same key."""
    sent = postil._http.send
    lost = []

    def lose_the_first(request, **more):
        answer = sent(request, **more)
        if not lost:
            lost.append(answer)
            raise calls.httpx.ReadError("the connection broke")
        return answer

    postil._http.send = lose_the_first
    made = postil.create_course("Only once")
    assert lost[0].json()["id"] == made.id
    assert [one.name for one in postil.list_courses()].count("Only once") == 1
    postil.delete_course(made.id)


def test_what_is_refused_says_why(postil, server):
    with pytest.raises(ApiError) as refused:
        postil.create_course("")
    assert refused.value.status == 422
    assert refused.value.errors[0].where == "body.name"
    _, secret = create_token(server.store, None, "only reads", ["read"], None)
    with Client(server.address, secret) as other, pytest.raises(ApiError, match="scope write") as refused:
        other.create_course("No")
    assert (refused.value.status, refused.value.type.rpartition("#")[2]) == (403, "insufficient-scope")
    with Client(server.address, "postil_wrong") as stranger, pytest.raises(ApiError) as refused:
        stranger.me()
    assert refused.value.status == 401
