"""A store, on both kinds of database, and a class in it.

Every test that takes `store`, or a fixture made of it, runs twice: over a SQLite file and over a database of
a PostgreSQL server that belongs to the tests (`postgres_server.py`). For other needs:

- `database` is what `store` opens, a path or an address: for workers and servers in processes of their own;
- `sqlite_store`, `sqlite_file` and `postgres_store`, `postgres_url` are those of one kind, for what only
  that kind has; all have the tables and nothing in them;
- `new_database` makes another empty one of the same kind as `database`, as often as it is called;
- `nowhere` makes one of a kind ("sqlite", "postgresql") that has not even tables: a path where nothing is;
- `postgres` is the server itself, to be stopped and started again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from shutil import copy

import psycopg
import pytest
from classroom import Browser
from postgres_server import start_server

from postil.data.judgements import AlignedPair, Alignment
from postil.workbench.records import Judged, NewAnswer
from postil.workbench.store import answers, courses, jobs, judgements
from postil.workbench.store.database import open_store


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A file of the workbench with nothing in it: copying it is faster than making the tables again."""
    path = tmp_path_factory.mktemp("empty") / "workbench.db"
    open_store(path).close()
    return path


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server that runs."""
    server = start_server()
    yield server
    server.remove()


@pytest.fixture
def sqlite_file(tmp_path, empty):
    """The path of a file of the workbench with nothing in it."""
    return copy(empty, tmp_path / "workbench.db")


@pytest.fixture
def postgres_url(postgres):
    """The address of a database of the workbench with nothing in it."""
    name = postgres.lend()
    yield postgres.url(name)
    postgres.take_back(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """A database of either kind with nothing in it: a path, or an address."""
    return request.getfixturevalue("sqlite_file" if request.param == "sqlite" else "postgres_url")


@pytest.fixture
def new_database(database, tmp_path, empty, request):
    """A function that makes another database of the same kind."""
    names, numbers = [], count(2)

    def make():
        if not isinstance(database, str):
            return copy(empty, tmp_path / f"workbench{next(numbers)}.db")
        server = request.getfixturevalue("postgres")
        names.append(server.lend())
        return server.url(names[-1])

    yield make
    for name in names:
        request.getfixturevalue("postgres").take_back(name)


@pytest.fixture
def nowhere(tmp_path, request):
    """A function that names a database of a kind without any tables."""
    names, numbers = [], count(1)

    def make(kind):
        if kind == "sqlite":
            return tmp_path / f"new{next(numbers)}.db"
        server = request.getfixturevalue("postgres")
        names.append(server.lend())
        with psycopg.connect(server.url(names[-1])) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return server.url(names[-1])

    yield make
    for name in names:
        request.getfixturevalue("postgres").take_back(name)


@pytest.fixture
def store(database):
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(sqlite_file):
    opened = open_store(sqlite_file)
    yield opened
    opened.close()


@pytest.fixture
def postgres_store(postgres_url):
    opened = open_store(postgres_url)
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
    question = courses.create_question(store, course, "Why is it lit?", ["The path is closed."], 2)
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
            "reason": None,
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
    held = jobs.lease_job(store, "w")
    assert held.id == job
    unsure = {"confidence": 0.4, "deferred": True, "score": 0.5}
    made = [judged(ids["a"]), judged(ids["b"], "contradictory"), judged(ids["c"], "irrelevant", **unsure)]
    judgements.save_judgements(store, held, made)
    jobs.finish(store, held, {})
    return question_id
