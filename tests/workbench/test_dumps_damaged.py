"""Backups that are damaged, foreign or made to do harm: none is restored, and nothing of it remains."""

from __future__ import annotations

import json
from contextlib import closing
from hashlib import sha256
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest
from school import DATABASES
from sqlalchemy import inspect

from postil.errors import InputError, PostilError
from postil.workbench.store import courses
from postil.workbench.store.backups import restore
from postil.workbench.store.database import connect, open_store

ANSWER = "answer.jsonl"
MANIFEST = "manifest.json"


@pytest.fixture
def members():
    """The files of a backup, by name; a test spoils one of them."""
    return {path.name: path.read_bytes() for path in sorted((DATABASES / "v0002").iterdir())}


def pack(path, members, compression=ZIP_DEFLATED):
    with ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def sign(members, **said):
    """Let the manifest say what the members are: only the spoiled thing itself is wrong."""
    manifest = json.loads(members[MANIFEST]) | said
    for table in manifest["tables"]:
        data = members[f"{table['name']}.jsonl"]
        table["rows"], table["sha256"] = data.count(b"\n"), sha256(data).hexdigest()
    members[MANIFEST] = json.dumps(manifest).encode()


def change(members, name, line, **values):
    lines = members[name].splitlines(keepends=True)
    row = json.loads(lines[line - 1]) | values
    lines[line - 1] = (
        json.dumps({key: value for key, value in row.items() if value is not ...}).encode() + b"\n"
    )
    members[name] = b"".join(lines)
    sign(members)


def refuse(file, told, tmp_path):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(PostilError, match=told) as raised:
        restore(file, tmp_path / "new.db")
    assert sorted(tmp_path.iterdir()) == before
    return raised.value


def test_the_file_itself_is_good(members, tmp_path):
    sign(members)
    restore(pack(tmp_path / "b.zip", members), tmp_path / "new.db")
    with closing(open_store(tmp_path / "new.db")) as store:
        assert len(courses.list_courses(store)) == 2


def test_what_is_no_backup(tmp_path):
    file = tmp_path / "b.zip"
    refuse(file, "cannot be read: No such file", tmp_path)
    refuse(tmp_path, "cannot be read", tmp_path)
    file.write_bytes(b"")
    refuse(file, "is damaged", tmp_path)
    file.write_text("no zip at all")
    refuse(file, "is damaged", tmp_path)
    refuse(pack(file, {"x.txt": b"another zip"}), "is not a backup", tmp_path)
    refuse(pack(file, {MANIFEST: b'{"format": "other"}'}), "is not a backup", tmp_path)
    for strange in (b"", b"[]", b"{}", b"null", b'{"format": "postil backup"}', b"\xff"):
        refuse(pack(file, {MANIFEST: strange}), "is damaged", tmp_path)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_backup_that_was_not_copied_to_its_end(members, tmp_path, part):
    file = pack(tmp_path / "b.zip", members)
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * part)])
    refuse(file, "is damaged", tmp_path)


def test_a_byte_that_changed(members, tmp_path):
    file = pack(tmp_path / "b.zip", members)
    with ZipFile(file) as archive:
        found = archive.getinfo("decision.jsonl")
        middle = found.header_offset + 30 + len(found.filename) + found.compress_size // 2
    data = bytearray(file.read_bytes())
    data[middle] ^= 0xFF
    file.write_bytes(data)
    assert refuse(file, "is damaged", tmp_path).record == "decision"


def test_rows_that_changed_or_are_missing(members, tmp_path):
    changed = {**members, ANSWER: members[ANSWER].replace(b"dunno", b"Dunno")}
    error = refuse(pack(tmp_path / "b.zip", changed), "was changed after it was written", tmp_path)
    assert error.record == "answer"
    fewer = {**members, ANSWER: b"".join(members[ANSWER].splitlines(keepends=True)[:-1])}
    refuse(pack(tmp_path / "b.zip", fewer), "FOREIGN|rejected|was changed after it was written", tmp_path)


def test_tables_that_are_missing_or_too_many(members, tmp_path):
    without = {name: data for name, data in members.items() if name != ANSWER}
    refuse(pack(tmp_path / "b.zip", without), "does not hold the tables", tmp_path)
    refuse(pack(tmp_path / "b.zip", {**members, "../x": b""}), "does not hold the tables", tmp_path)
    manifest = json.loads(members[MANIFEST])
    manifest["tables"] = [one for one in manifest["tables"] if one["name"] != "answer"]
    without[MANIFEST] = json.dumps(manifest).encode()
    refuse(pack(tmp_path / "b.zip", without), "does not have the tables of revision 0002", tmp_path)


def test_newer_backups_are_refused(members, tmp_path):
    sign(members, version=2)
    refuse(pack(tmp_path / "b.zip", members), "newer version of Postil", tmp_path)
    sign(members, version=1, revision="9999")
    refuse(pack(tmp_path / "b.zip", members), "revision '9999' is unknown", tmp_path)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"place": ...}, "does not have its table's columns"),
        ({"mine": 1}, "does not have its table's columns"),
        ({"place": "1"}, "wrong type for its column"),
        ({"place": True}, "wrong type for its column"),
        ({"text": 5}, "wrong type for its column"),
    ],
)
def test_a_row_that_is_wrong_is_named_by_its_line(members, tmp_path, values, told):
    change(members, ANSWER, 3, **values)
    error = refuse(pack(tmp_path / "b.zip", members), told, tmp_path)
    assert (error.record, error.line) == ("answer", 3)


@pytest.mark.parametrize("line", [b"{oops}\n", b"[1]\n", b"\n", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_a_line_that_is_no_row(members, tmp_path, line):
    members[ANSWER] = members[ANSWER].splitlines(keepends=True)[0] + line
    sign(members)
    error = refuse(pack(tmp_path / "b.zip", members), "this is not", tmp_path)
    assert (error.record, error.line) == ("answer", 2)


def test_a_line_without_an_end(members, tmp_path):
    members[ANSWER] = members[ANSWER].rstrip(b"\n")
    refuse(pack(tmp_path / "b.zip", members), "unfinished line", tmp_path)


@pytest.mark.parametrize(
    "values",
    [{"question_id": 77}, {"id": 1}, {"text": None}, {"place": 2**70}, {"question_id": 1, "key": "b"}],
)
def test_rows_that_the_database_does_not_take(members, tmp_path, values):
    change(members, ANSWER, 3, **values)
    error = refuse(pack(tmp_path / "b.zip", members), "rejected a row in lines 1 to 8", tmp_path)
    assert error.record == "answer"
    assert "lectricit" not in str(error)  # no pupil's words


def test_moments_that_are_none(members, tmp_path):
    change(members, "course.jsonl", 1, created="yesterday")
    refuse(pack(tmp_path / "b.zip", members), "wrong type for its column", tmp_path)


def test_zips_made_to_do_harm(members, tmp_path):
    bomb = {**members, ANSWER: b" " * (70 * 2**20)}
    refuse(pack(tmp_path / "b.zip", bomb), "not packed the way", tmp_path)
    refuse(pack(tmp_path / "b.zip", {**members, MANIFEST: b" " * 2**21}), "not packed the way", tmp_path)
    many = {**members, **{f"{n}.jsonl": b"" for n in range(300)}}
    refuse(pack(tmp_path / "b.zip", many), "not packed the way", tmp_path)
    refuse(pack(tmp_path / "b.zip", members, ZIP_LZMA), "not packed the way", tmp_path)
    file = pack(tmp_path / "b.zip", members)
    data = file.read_bytes()
    directory = data.index(b"PK\x01\x02")
    file.write_bytes(data[: directory + 8] + b"\x01" + data[directory + 9 :])  # says that it needs a password
    refuse(file, "not packed the way", tmp_path)


def test_nothing_is_restored_over_a_file_that_is_there(members, sqlite_store, sqlite_file, tmp_path):
    courses.create_course(sqlite_store, "mine")
    with pytest.raises(InputError, match="already exists"):
        restore(pack(tmp_path / "b.zip", members), sqlite_file)
    assert [course.name for course in courses.list_courses(sqlite_store)] == ["mine"]


def test_a_file_that_appears_meanwhile_stays(members, tmp_path):
    sign(members)
    target = tmp_path / "new.db"
    with pytest.raises(InputError, match="already exists"):
        restore(pack(tmp_path / "b.zip", members), target, lambda *_: target.write_text("somebody's"))
    assert target.read_text() == "somebody's"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "new.db"]


def test_an_empty_file_is_as_good_as_none(members, tmp_path):
    sign(members)
    target = tmp_path / "new.db"
    target.touch()
    restore(pack(tmp_path / "b.zip", members), target)
    assert target.stat().st_size > 0


def test_a_server_database_that_is_in_use_is_refused(members, postgres_store, postgres_url, tmp_path):
    courses.create_course(postgres_store, "mine")
    with pytest.raises(PostilError, match="is not empty"):
        restore(pack(tmp_path / "b.zip", members), postgres_url)
    assert [course.name for course in courses.list_courses(postgres_store)] == ["mine"]


@pytest.mark.parametrize("values", [{"question_id": 77}, {"text": "a\0b"}, {"place": 2**40}, {"place": "x"}])
def test_a_server_database_keeps_nothing_of_what_failed(members, nowhere, tmp_path, values):
    change(members, ANSWER, 8, **values)
    place = nowhere("postgresql")
    with pytest.raises(InputError, match="answer"):
        restore(pack(tmp_path / "b.zip", members), place)
    with closing(connect(place)) as store:
        assert inspect(store.engine).get_table_names() == []


def test_a_server_that_is_away_is_said_in_words(members, tmp_path):
    with pytest.raises(PostilError, match="cannot be reached"):
        restore(pack(tmp_path / "b.zip", members), f"postgresql://me@/none?host={tmp_path}")


@pytest.mark.parametrize("end", ["-wal", "-shm"])
@pytest.mark.parametrize("meanwhile", [False, True])
def test_what_a_killed_server_left_is_not_read_into_the_new_file(members, tmp_path, end, meanwhile):
    sign(members)
    file = pack(tmp_path / "b.zip", members)
    left = tmp_path / f"new.db{end}"

    def leave(*_):
        left.write_bytes(b"pages of another database")

    if not meanwhile:
        leave()
    with pytest.raises(InputError, match="an earlier database") as raised:
        restore(file, tmp_path / "new.db", leave if meanwhile else None)
    assert "-wal and -shm" in raised.value.hint
    assert sorted(tmp_path.iterdir()) == [file, left]
