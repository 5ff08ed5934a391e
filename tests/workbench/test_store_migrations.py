from __future__ import annotations

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect

from postil.workbench.drafts import open_paste
from postil.workbench.store import courses
from postil.workbench.store.database import migrations
from postil.workbench.store.drafts import keep_draft
from postil.workbench.store.jobs import show_life
from postil.workbench.store.tables import Base, CounterRow, DraftRow, WorkerRow

STEPS = 9


def changed(store, change, where):
    """Take a step; returns the revision that the database then has, and its tables."""
    with store.writing() as session:
        connection = session.connection()
        change(migrations(connection), where)
        revision = MigrationContext.configure(connection).get_current_revision()
        return revision, set(inspect(connection).get_table_names()) - {"alembic_version"}


def differences(store):
    with store.engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection), Base.metadata)


def test_the_migrations_make_the_tables_that_the_code_knows(store):
    assert differences(store) == []


def test_down_to_nothing_and_up_again_step_by_step(store, graded):
    course = courses.get_question(store, graded).course_id
    down = [changed(store, command.downgrade, "-1") for _ in range(STEPS)]
    assert down[-1] == (None, set())
    up = [changed(store, command.upgrade, "+1") for _ in range(STEPS)]
    assert up[:-1] == down[-2::-1]
    assert differences(store) == []
    assert courses.list_courses(store) == []
    assert courses.create_course(store, "Physics") == course  # numbers begin anew with the tables


def test_a_step_down_and_up_keeps_what_the_older_version_knows(store, graded):
    before = courses.get_question(store, graded)
    keep_draft(store, open_paste("one"), before.course_id, graded)  # what only this version knows goes
    show_life(store, "w")
    changed(store, command.downgrade, "0003")
    changed(store, command.upgrade, "head")
    assert courses.get_question(store, graded) == before
    with store.reading() as session:
        assert [session.query(table).count() for table in (DraftRow, CounterRow, WorkerRow)] == [0, 0, 0]


def test_there_is_one_way_and_every_step_is_tested():
    config = migrations(create_engine("sqlite://").connect())
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [scripts.get_current_head()]
    assert len(list(scripts.walk_revisions())) == STEPS
