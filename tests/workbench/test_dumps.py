"""Backups restore exactly what was stored, from either kind of database to either kind."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import pytest
from school import PASSWORD, fill
from sqlalchemy import insert, select

from postil import __version__
from postil.errors import InputError, PostilError
from postil.workbench.records import NewAnswer
from postil.workbench.store import accounts, answers, courses
from postil.workbench.store.backups import LEFT_OUT, back_up, restore
from postil.workbench.store.database import as_it_is, newest, open_store
from postil.workbench.store.tables import AnswerRow, Base, CourseRow, QuestionRow, now

pytestmark = pytest.mark.slow

KINDS = ("sqlite", "postgresql")


def everything(store):
    """All rows, as the code reads them, by table."""
    with store.reading() as session:
        return {
            table.name: session.execute(select(table).order_by(*table.primary_key)).all()
            for table in Base.metadata.sorted_tables
        }


def lines(file, table):
    with ZipFile(file) as archive:
        return [json.loads(line) for line in archive.read(f"{table}.jsonl").splitlines()]


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_what_comes_back_is_what_was_there(source, target, nowhere, tmp_path):
    with closing(open_store(nowhere(source))) as first:
        fill(first)
        last = courses.create_course(first, "the last")
        courses.delete_course(first, last)
        written = back_up(first, tmp_path / "school.zip")
        before = everything(first)
    place = nowhere(target)
    assert restore(tmp_path / "school.zip", place) == written
    with closing(open_store(place)) as second:
        after = everything(second)
        for table, rows in before.items():
            assert rows, f"the school has nothing in {table}"
            assert after[table] == ([] if table in LEFT_OUT else rows)
        assert accounts.check_password(second, "teo", PASSWORD)
        # The number of what was deleted is not given again.
        assert courses.create_course(second, "a new one") == last + 1
        assert accounts.create_account(second, "new", "New", "teacher", None) == len(before["account"]) + 1


def test_a_backup_says_what_it_is(store, tmp_path):
    fill(store)
    file = tmp_path / "new folder" / "school.zip"
    written = back_up(store, file)
    with ZipFile(file) as archive:
        said = json.loads(archive.read("manifest.json"))
        names = set(archive.namelist())
    assert (said["format"], said["version"], said["postil"]) == ("postil backup", 1, __version__)
    assert said["revision"] == newest()
    assert {one["name"]: one["rows"] for one in said["tables"]}["answer"] == 8
    assert names == {"manifest.json"} | {f"{one['name']}.jsonl" for one in said["tables"]}
    assert not names & {f"{name}.jsonl" for name in LEFT_OUT}
    assert written.rows == sum(one["rows"] for one in said["tables"])


def test_only_its_owner_may_read_a_backup(store, tmp_path):
    file = tmp_path / "school.zip"
    file.touch(0o644)  # one that was there and could be read by all
    back_up(store, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_backup_is_one_moment_while_others_write(store, tmp_path):
    def another(*_):
        """A course with a question, stored together."""
        with store.writing() as session:
            course = CourseRow(name="x", created=now())
            session.add(course)
            session.flush()
            question = QuestionRow(course_id=course.id, text="?", reference_texts=["x"], points=1.0)
            question.created = now()
            session.add(question)

    another()
    file = tmp_path / "school.zip"
    back_up(store, file, progress=another)  # which is told after every table
    held = {course["id"] for course in lines(file, "course")}
    assert held == {question["course_id"] for question in lines(file, "question")} == {1}
    assert len(courses.list_courses(store)) > 1


def test_a_backup_that_fails_leaves_the_one_before(store, tmp_path):
    file = tmp_path / "school.zip"
    courses.create_course(store, "Physics")
    back_up(store, file)
    before = file.read_bytes()

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(store, file, progress=stop)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.glob("*school*")] == ["school.zip"]
    courses.create_course(store, "Chemistry")  # and the database is free again


def test_progress_is_told_to_the_end(store, tmp_path):
    fill(store)
    file, told = tmp_path / "school.zip", []
    rows = back_up(store, file, progress=lambda *now: told.append(now)).rows
    assert told[-1][:2] == (rows, rows)
    told.clear()
    restore(file, tmp_path / "new.db", progress=lambda *now: told.append(now))
    assert told[-1][:2] == (rows, rows)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says it")
def test_thousands_of_answers_do_not_fill_the_memory(store, nowhere, tmp_path):
    count, file = 30_000, tmp_path / "school.zip"
    question = courses.create_question(store, courses.create_course(store, "x"), "?", ["x"], 1)
    with store.writing() as session:
        for start in range(0, count, 5000):
            rows = [
                {
                    "question_id": question, "key": str(n), "student": "", "text": f"{n} words " * 80,
                    "place": n, "group_number": 0,
                }
                for n in range(start, start + 5000)
            ]  # fmt: skip
            session.execute(insert(AnswerRow), rows)
    place = nowhere(store.engine.dialect.name)
    grown = subprocess.run(
        [sys.executable, "-c", _MEASURED, store.engine.url.render_as_string(), str(file), str(place)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    with ZipFile(file) as archive:
        assert archive.getinfo("answer.jsonl").file_size > 20 * 2**20
    assert float(grown.stdout) < 15
    with closing(open_store(place)) as again:
        assert courses.get_question(again, question).answers == count


# In a process of its own: only there what was never needed before tells what this needs. In megabytes.
_MEASURED = """
import sys
from pathlib import Path
from postil.workbench.store.backups import back_up
from postil.workbench.store.backups import restore
from postil.workbench.store.database import as_it_is, columns_at, newest

def place(text):
    return text if "://" in text else Path(text)

def most():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 2**10

source, file, target = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
source = source.removeprefix("sqlite+pysqlite:///").replace("postgresql+psycopg:", "postgresql:")
columns_at(newest())
with as_it_is(place(source)) as store:
    with store.reading() as session:
        session.connection()
    before = most()
    back_up(store, file)
restore(file, place(target))
print(most() - before)
"""


def test_another_name_than_a_zip_is_refused(sqlite_store, sqlite_file):
    before = sqlite_file.read_bytes()
    with pytest.raises(InputError, match=r"end in \.zip"):
        back_up(sqlite_store, sqlite_file)
    assert sqlite_file.read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_no_workbench_is_not_backed_up(kind, nowhere, tmp_path):
    place = nowhere(kind)
    if kind == "sqlite":
        place.touch()
    with as_it_is(place) as store, pytest.raises(PostilError, match="not the database of a workbench"):
        back_up(store, tmp_path / "school.zip")
    assert not list(tmp_path.glob("*school*"))


def test_a_file_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(InputError, match="does not exist"), as_it_is(tmp_path / "none.db"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_database_is_said_in_words(tmp_path):
    (tmp_path / "notes.db").write_text("this is no database at all " * 100)
    with (
        pytest.raises(InputError, match="not the database of a workbench"),
        as_it_is(tmp_path / "notes.db") as store,
    ):
        back_up(store, tmp_path / "school.zip")


def test_texts_of_all_kinds_come_back(store, nowhere, tmp_path):
    question = courses.create_question(store, courses.create_course(store, "x"), "?", ["x"], 0.1 + 0.2)
    texts = ["\u2028\u0085", "🙂", "\\u0000 \\", "a\r\nb\tc", "\x7f\x1b", "e\u0301 é"]
    answers.add_answers(store, question, [NewAnswer(str(n), "", text) for n, text in enumerate(texts)])
    back_up(store, tmp_path / "x.zip")
    for kind in KINDS:
        place = nowhere(kind)
        restore(tmp_path / "x.zip", place)
        with closing(open_store(place)) as again:
            assert [one.text for one in answers.list_answers(again, question)] == texts
            assert courses.get_question(again, question).points == 0.1 + 0.2
