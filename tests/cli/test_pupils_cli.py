"""`postil pupils`: one pupil's data is found, written to a file and erased on the server itself."""

from __future__ import annotations

import stat
import sys
from zipfile import ZipFile

import pytest

from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, events
from postil.workbench.store.database import open_store


@pytest.fixture
def database(tmp_path):
    """A workbench in which Kim has answers in two courses."""
    path = tmp_path / "workbench.db"
    store = open_store(path)
    for name in ("Physics", "Biology"):
        question = courses.create_question(store, courses.create_course(store, name), "Why?", ["So."], 1)
        answers.add_answers(store, question, [NewAnswer("u1", "Kim Lee", "so"), NewAnswer("u2", "Sam", "no")])
    store.close()
    return path


@pytest.fixture
def pupils(postil, database):
    """Run `postil pupils` over that workbench."""
    return lambda *told: postil("pupils", *told, "--database", database)


def test_find(pupils):
    status, shown, _ = pupils("find", "kim lee")
    assert status == 0
    assert shown == "2\tBiology\tKim Lee\tu1\t1 answer\n1\tPhysics\tKim Lee\tu1\t1 answer\n"
    assert pupils("find", "u1", "--course", "1")[1].count("\n") == 1


def test_export(pupils, database, tmp_path):
    status, _, told = pupils("export", "u1", tmp_path / "kim.zip")
    assert (status, told) == (0, f"Wrote 2 answers to {tmp_path / 'kim.zip'}.\n")
    if sys.platform != "win32":  # only its owner may read it
        assert stat.S_IMODE((tmp_path / "kim.zip").stat().st_mode) == 0o600
    with ZipFile(tmp_path / "kim.zip") as archive:
        assert set(archive.namelist()) == {"README.txt", "answers.csv", "answers.json"}
    assert [event.about for event in logged(database)] == ["1 answer, on the server"] * 2


def test_erase_asks_first(pupils, database):
    status, _, told = pupils("erase", "Kim Lee")
    assert status == 2
    assert "would erase 2 answers in 2 courses" in told
    assert logged(database) == []
    status, _, told = pupils("erase", "Kim Lee", "--course", "1", "--yes")
    assert (status, told) == (0, "Erased 1 answer.\n")
    assert pupils("find", "Kim Lee")[1].startswith("2\tBiology")
    assert [event.what for event in logged(database)] == [events.PUPIL_ERASED]


@pytest.mark.parametrize(
    "told", [("find", "nobody"), ("export", "nobody", "x.zip"), ("erase", "nobody", "--yes")]
)
def test_nobody(pupils, told):
    status, shown, why = pupils(*told)
    assert (status, shown) == (2, "")
    assert "no answer has this name or id" in why


def logged(database):
    store = open_store(database)
    try:
        return events.list_events(store)
    finally:
        store.close()
