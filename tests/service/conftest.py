"""A store in a temporary folder, and a class in it."""

from __future__ import annotations

from datetime import UTC, datetime
from shutil import copy

import pytest
from classroom import Browser

from postil.corpora.alignments import AlignedPair, Alignment
from postil.service.records import Judged, NewAnswer
from postil.service.store import answers, courses, jobs, judgements, questions
from postil.service.store.database import open_store


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A file of the workbench with nothing in it: copying it is faster than making the tables again."""
    path = tmp_path_factory.mktemp("empty") / "workbench.db"
    open_store(path).close()
    return path


@pytest.fixture
def store(tmp_path, empty):
    opened = open_store(copy(empty, tmp_path / "workbench.db"))
    yield opened
    opened.close()


@pytest.fixture
def browser(store, tmp_path):
    """A browser that was let in."""
    return Browser(store, tmp_path)


@pytest.fixture
def question_id(store):
    """A question with four answers, keys a to d."""
    course = courses.create_course(store, "Physics 7b")
    question = questions.create_question(store, course, "Why is it lit?", ["The path is closed."], 2)
    texts = {"a": "the path is closed", "b": "it is open", "c": "Électricité", "d": "100% <b>sure</b>"}
    new = [NewAnswer(key, f"Pupil {key.upper()}", text) for key, text in texts.items()]
    assert answers.add_answers(store, question, new) == 4
    return question


@pytest.fixture
def ids(store, question_id):
    """The numbers of that question's answers, by key."""
    return {answer.key: answer.id for answer in answers.list_answers(store, question_id)}


LABELS = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")
PAIR = AlignedPair(
    "1",
    ("it", "is", "open"),
    ("it", "is", "closed"),
    (Alignment((1, 2), (1, 2), ("EQUI",), 5.0), Alignment((3,), (3,), ("OPPO", "POL"), None)),
    "it is open",
    "it is closed",
    "approximate",
)


@pytest.fixture
def judged():
    """A function that makes a judgement of an answer."""

    def make(answer_id, label="correct", **other):
        chances = dict.fromkeys(LABELS, 0.05) | {label: 0.8}
        usual = {
            "probabilities": chances,
            "score": 0.8 if label == "correct" else 0.1,
            "confidence": 0.8,
            "deferred": False,
            "because": "",
            "reference": "it is closed",
            "teacher": "It says “open”. The reference says “closed”.",
            "student": "Look again.",
            "alignment": PAIR,
            "made": datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC),
        }
        return Judged(answer_id=answer_id, label=label, **(usual | other))

    return make


@pytest.fixture
def graded(store, question_id, ids, judged):
    """The question, judged by a job that is done: b wrong, c doubtful, d without a judgement."""
    job = jobs.enqueue(store, "grade", question_id)
    assert jobs.claim(store, "w").id == job
    unsure = {"confidence": 0.4, "deferred": True, "score": 0.5}
    made = [judged(ids["a"]), judged(ids["b"], "contradictory"), judged(ids["c"], "irrelevant", **unsure)]
    judgements.save_judgements(store, job, made)
    jobs.finish(store, job, {})
    return question_id
