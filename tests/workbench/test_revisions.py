"""Every migration, up and down, on databases with data of each earlier version."""

from __future__ import annotations

import json
from contextlib import closing
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from school import DATABASES

from postil.errors import PostilError
from postil.workbench.store import (
    access,
    accounts,
    answers,
    courses,
    decisions,
    events,
    jobs,
    judgements,
    rounds,
    rubrics,
)
from postil.workbench.store.answers import Filter
from postil.workbench.store.backups import back_up, restore
from postil.workbench.store.database import (
    Loss,
    as_it_is,
    columns_at,
    downgrade,
    known,
    losses,
    newest,
    open_store,
    revision_of,
    upgrade,
)
from postil.workbench.store.tables import Base

KEPT = sorted(folder.name.removeprefix("v") for folder in DATABASES.iterdir() if folder.is_dir())
each = pytest.mark.parametrize("revision", KEPT)
both = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])


@pytest.fixture
def kept(tmp_path, nowhere):
    """A function that makes a database of the one that is kept of a revision, and brings it up to date."""

    def make(revision, kind):
        file = tmp_path / f"v{revision}.zip"
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            for path in sorted((DATABASES / f"v{revision}").iterdir()):
                archive.write(path, path.name)
        place = nowhere(kind)
        restore(file, place)
        return place

    return make


def rows_of(read):
    """Rows by table, each table's rows in their order."""
    return {name: [json.loads(line) for line in text.splitlines()] for name, text in read.items()}


def rows_kept(revision):
    files = (DATABASES / f"v{revision}").glob("*.jsonl")
    return rows_of({path.stem: path.read_bytes() for path in files})


def rows_in(store, tmp_path):
    """All rows of a database, whatever its revision."""
    back_up(store, tmp_path / "now.zip")
    with ZipFile(tmp_path / "now.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".jsonl")]
        return rows_of({name.removesuffix(".jsonl"): archive.read(name) for name in names})


def known_to(rows, revision):
    """What of these rows a revision has columns for."""
    columns = columns_at(revision)
    return {
        name: [{column: row[column] for column in row if column in columns[name]} for row in its]
        for name, its in rows.items()
        if name in columns
    }


def without_reasons(rows):
    """Rows without why something was judged as it was: a sentence before 0005, and a reason from then on.

    A sentence that no version wrote (the school's own) goes in front of the note.
    """
    bare = {name: [dict(row) for row in its] for name, its in rows.items()}
    for row in (*bare.get("judgement", ()), *bare.get("proposal", ())):
        row.pop("reason", None)
        if "teacher" in row:  # the note with what to check, however they are kept
            row["teacher"] = f"{row['teacher']} {row.pop('doubt', '')}".strip()
        if row.pop("because", "") == "the answer is empty":
            row["teacher"] = "the answer is empty. " + row["teacher"]
    return bare


def test_a_database_of_every_revision_is_kept():
    """A new revision needs data that its code has made: see tests/fixtures/databases/README.md."""
    assert tuple(KEPT) == known()


@pytest.mark.parametrize("revision", known())
def test_what_is_kept_has_something_in_every_table(revision):
    rows = rows_kept(revision)
    assert all(rows.values())
    first = {name: set(its[0]) for name, its in rows.items()}
    assert first == {name: set(columns_at(revision)[name]) for name in rows}
    for name, columns in first.items():
        assert {column for row in rows[name] for column in row if row[column] is not None} == columns


@both
@each
def test_up_to_date_with_everything_there(revision, kind, kept, tmp_path):
    before = without_reasons(rows_kept(revision))
    with as_it_is(kept(revision, kind)) as store:
        after = without_reasons(rows_in(store, tmp_path))
        assert {name: its for name, its in known_to(after, revision).items() if name in before} == before
        assert all(its == [] for name, its in after.items() if name not in before)
        with store.reading() as session:
            assert revision_of(session.connection()) == newest()
            context = MigrationContext.configure(session.connection())
            assert compare_metadata(context, Base.metadata) == []


@both
@each
def test_the_store_reads_what_older_versions_wrote(revision, kind, kept):
    with closing(open_store(kept(revision, kind))) as store:
        physics, other = sorted(courses.list_courses(store), key=lambda course: course.id)
        assert (physics.name, physics.questions, physics.answers) == ("Physics 7b", 1, 6)
        assert physics.strictness == ("strict" if revision >= "0006" else "normal")
        assert other.strictness == "normal"
        assert (physics.reader, other.reader) == ("cascade" if revision >= "0007" else None, None)
        assert (other.name, other.answers) == ("Biologia · Ångström", 2)
        (question,) = courses.list_questions(store, physics.id)
        assert (question.points, question.judged) == (2.5, 5)
        assert bool(question.facets) == (revision > "0001")
        assert courses.is_outdated(store, question.id) == bool(question.facets)  # "e" was never looked at
        groups = [(facet.group, facet.needed, facet.deduction) for facet in question.facets or ()]
        assert (("examples", 1, 0.5) in groups) == (revision >= "0008")
        assert len(rubrics.earlier_rubrics(store, question.id)) == (2 if revision >= "0008" else 0)
        views = find(store, question.id)
        assert [view.answer.key for view in views] == list("abcdef")
        assert views[1].judged.alignment.alignments[1].labels == ("OPPO", "POL")
        read = (views[1].judged.reader, views[1].judged.read_by)
        assert read == (("cascade", "careful") if revision >= "0007" else ("", ""))
        assert views[1].decision.label == "partially_correct_incomplete"
        assert bool(views[1].decision.ticked) == (revision > "0001")
        assert len(decisions.history(store, views[1].answer.id)) == 2
        assert len(judgements.see(store, question.id)) >= 4
        assert answers.group_sizes(store, question.id)
        assert jobs.latest_job(store, question.id).kind == "regrade"
        assert judgements.count_changes(store, question.id) is not None
        assert courses.create_course(store, "a new one") == 4  # 2 was deleted
        if revision >= "0003":
            read_people(store, physics.id, question.id)
        else:
            assert accounts.count_accounts(store) == 0
            assert access.owner_of(store, physics.id) is None


def find(store, question_id):
    return sorted(
        answers.find_views(store, question_id, Filter(), 0, 100), key=lambda view: view.answer.place
    )


def read_people(store, course_id, question_id):
    assert [one.person.login for one in accounts.list_accounts(store)]
    teo = accounts.find_account(store, "teo").person
    assert access.owner_of(store, course_id) == teo
    assert len(access.list_members(store, course_id)) == 2
    assert [one.course_id for one in events.list_events(store)] == [course_id, None, None]
    assert [one.name for one in access.list_tokens(store, teo.id)] == ["tutor"]
    last, first = rounds.list_work(store, question_id)
    assert (len(last.round.answers), len(last.taggings), last.round.closed) == (3, 4, None)
    assert first.round.closed


@both
@each
def test_down_step_by_step_and_up_again(revision, kind, kept, tmp_path):
    """What an older version knew stays; and what it lost on the way, and no more, is missing in the end."""
    before = without_reasons(rows_kept(revision))
    with as_it_is(kept(revision, kind)) as store:
        for older in reversed(known()[:-1]):
            with store.writing() as session:
                downgrade(session.connection(), older)
            now = without_reasons(rows_in(store, tmp_path))
            expected = known_to(before, older)
            assert {name: known_to(now, revision)[name] for name in expected} == expected
            assert set(now) <= set(columns_at(older))
        with store.writing() as session:
            upgrade(session.connection())
            context = MigrationContext.configure(session.connection())
            assert compare_metadata(context, Base.metadata) == []
        again = known_to(without_reasons(rows_in(store, tmp_path)), known()[0])
        assert again == known_to(before, known()[0])


@both
def test_what_going_back_loses_is_said_before(kind, kept):
    with as_it_is(kept("0002", kind)) as store, store.reading() as session:
        connection = session.connection()
        assert losses(connection, "0002") == []
        lost = losses(connection, "0001")
        assert Loss("question", "facets", 1) in lost
        assert {one.table for one in lost} == {"question", "judgement", "proposal", "decision"}
    with as_it_is(kept("0006", kind)) as store, store.reading() as session:
        assert losses(session.connection(), "0005") == [Loss("course", "strictness", 1)]
    with as_it_is(kept("0007", kind)) as store, store.reading() as session:
        lost = losses(session.connection(), "0006")
        assert Loss("course", "reader", 1) in lost
        assert {(one.table, one.column) for one in lost} == {
            ("course", "reader"),
            *((table, column) for table in ("judgement", "proposal") for column in ("reader", "read_by")),
        }
    with as_it_is(kept("0008", kind)) as store, store.reading() as session:
        assert losses(session.connection(), "0007") == [Loss("rubric", None, 2)]
    with as_it_is(kept("0009", kind)) as store, store.reading() as session:
        lost = {loss.table: loss.count for loss in losses(session.connection(), "0008")}
        assert lost == {"feedback": 1, "student_link": 6, "second_look": 2}
    with as_it_is(kept("0003", kind)) as store, store.reading() as session:
        lost = losses(session.connection(), "0002")
        assert Loss("account", None, 4) in lost
        assert Loss("course", "owner_id", 1) in lost


def test_only_revisions_before_can_be_gone_back_to(sqlite_store):
    with sqlite_store.writing() as session:
        for wrong in (newest(), "9999", "base", "-1"):
            with pytest.raises(PostilError, match="is not an earlier one"):
                downgrade(session.connection(), wrong)
            with pytest.raises(PostilError, match="is not an earlier one"):
                losses(session.connection(), wrong)


def test_a_database_of_a_newer_version_is_left_alone(sqlite_store, tmp_path):
    with sqlite_store.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with sqlite_store.writing() as session:
        for work in (upgrade, lambda connection: downgrade(connection, "0001")):
            with pytest.raises(PostilError, match="'9999' is unknown"):
                work(session.connection())
    with pytest.raises(PostilError, match="'9999' is unknown"):
        back_up(sqlite_store, tmp_path / "school.zip")
