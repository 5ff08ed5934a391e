"""Drafts: kept for half an hour where every server finds them, limited in number, stored only once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update
from webclient import make_account

from postil.errors import PostilError
from postil.workbench.drafts import guess_columns, open_file, open_paste
from postil.workbench.plans import make_plan
from postil.workbench.store import answers, courses, drafts
from postil.workbench.store.database import open_store
from postil.workbench.store.drafts import (
    drop_draft,
    drop_local_drafts,
    forget_drafts,
    get_brought,
    get_draft,
    keep_draft,
    store_plan,
    store_questions,
    use_draft,
)
from postil.workbench.store.logins import begin_session
from postil.workbench.store.tables import DraftRow

gone = pytest.raises(PostilError, match="no longer available")


@pytest.fixture
def course_id(store, question_id):
    return courses.get_question(store, question_id).course_id


def count(store):
    with store.reading() as session:
        return session.scalars(select(func.count()).select_from(DraftRow)).one()


def age(store, minutes):
    """Make all drafts so much older."""
    with store.writing() as session:
        for digest, made in session.execute(select(DraftRow.digest, DraftRow.made)).all():
            older = update(DraftRow).where(DraftRow.digest == digest)
            session.execute(older.values(made=made - timedelta(minutes=minutes)))


def test_another_server_finds_it(store, database, course_id, question_id):
    opened = open_file("form.csv", b"Email,Why does ice float?\na@x,light\n")
    one, other = keep_draft(store, opened, course_id, None), keep_draft(store, opened, course_id, question_id)
    second = open_store(database)
    draft = get_draft(second, one)
    assert (draft.rows, draft.wide, draft.name) == (opened.rows, opened.wide, "form.csv")
    assert (draft.course_id, draft.question_id, draft.person) == (course_id, None, None)
    assert get_draft(second, other).wide == ()  # the answers of one question
    assert get_brought(second, other).question_id == question_id
    second.close()


def test_its_token_is_a_secret(store, course_id):
    token = keep_draft(store, open_paste("one"), course_id, None)
    with store.reading() as session:
        row = session.scalars(select(DraftRow)).one()
    assert token not in row.digest
    assert len(row.digest) == 64
    with gone:
        get_draft(store, row.digest)


def test_it_is_forgotten_after_half_an_hour(store, course_id):
    token = keep_draft(store, open_paste("one"), course_id, None)
    age(store, 29)
    assert get_draft(store, token).token == token
    forget_drafts(store)
    assert count(store) == 1
    age(store, 2)
    with gone:
        get_draft(store, token)
    with gone:
        get_brought(store, token)
    with gone, store.writing() as session:
        use_draft(session, token)
    assert count(store) == 1
    forget_drafts(store)
    assert count(store) == 0


def test_logging_in_and_bringing_another_delete_what_is_over(store, course_id):
    keep_draft(store, open_paste("one"), course_id, None)
    age(store, 31)
    begin_session(store, None)
    assert count(store) == 0
    keep_draft(store, open_paste("one"), course_id, None)
    age(store, 31)
    keep_draft(store, open_paste("two"), course_id, None)
    assert count(store) == 1


@pytest.mark.parametrize("how", ["dropped", "stored", "too old", "one too many"])
def test_what_was_forgotten_is_not_in_the_file_any_more(sqlite_store, sqlite_file, how, monkeypatch):
    course = courses.create_course(sqlite_store, "Physics")
    token = keep_draft(sqlite_store, open_paste("\n".join(f"{n} lights" for n in range(900))), course, None)
    with sqlite_store.reading() as session:
        piece = session.scalars(select(DraftRow.body)).one()[100:140]
    around = [sqlite_file, sqlite_file.with_name("workbench.db-wal")]
    assert any(piece in path.read_bytes() for path in around)
    if how == "dropped":
        drop_draft(sqlite_store, token)
    elif how == "too old":
        age(sqlite_store, 31)
        forget_drafts(sqlite_store)
    elif how == "one too many":
        monkeypatch.setattr(drafts, "_MOST_KEPT", 1)
        keep_draft(sqlite_store, open_paste("one"), course, None)
    else:
        store_questions(sqlite_store, get_draft(sqlite_store, token), [("Why?", ["light"], 1.0)])
    assert not any(piece in path.read_bytes() for path in around)


def test_who_brings_too_much_loses_their_own_oldest(store, course_id):
    ann, bob = make_account(store, "ann", password=None).id, make_account(store, "bob", password=None).id
    kept = keep_draft(store, open_paste("bob's"), course_id, None, bob)
    many = [keep_draft(store, open_paste(str(n)), course_id, None, ann) for n in range(17)]
    with gone:
        get_draft(store, many[0])
    assert [get_draft(store, token).rows.rows[0].cells for token in many[1:]] == [
        (str(n),) for n in range(1, 17)
    ]
    assert get_brought(store, kept).person == bob


def test_of_too_many_in_all_the_oldest_go(store, course_id, monkeypatch):
    monkeypatch.setattr(drafts, "_MOST_KEPT", 64)
    people = [make_account(store, f"p{n}", password=None).id for n in range(5)]
    many = [keep_draft(store, open_paste("x"), course_id, None, people[n // 16]) for n in range(65)]
    assert count(store) == 64
    with gone:
        get_brought(store, many[0])
    assert get_brought(store, many[1]).person == people[0]


def test_when_the_mode_for_one_person_stops_its_drafts_go(store, course_id):
    ann = make_account(store, "ann", password=None).id
    own, anns = (
        keep_draft(store, open_paste("x"), course_id, None),
        keep_draft(store, open_paste("y"), course_id, None, ann),
    )
    drop_local_drafts(store)
    with gone:
        get_brought(store, own)
    assert get_brought(store, anns).person == ann


def test_it_goes_with_its_course_and_its_question(store, course_id, question_id):
    one = keep_draft(store, open_paste("one"), course_id, None)
    other = keep_draft(store, open_paste("two"), course_id, question_id)
    courses.delete_question(store, question_id)
    with gone:
        get_draft(store, other)
    courses.delete_course(store, course_id)
    with gone:
        get_draft(store, one)
    with pytest.raises(PostilError, match="this course does not exist"):
        keep_draft(store, open_paste("one"), course_id, None)
    assert count(store) == 0


def test_of_many_servers_one_stores_it(database, store, course_id, question_id):
    token = keep_draft(store, open_paste("it is lit"), course_id, question_id)
    draft = get_draft(store, token)
    plan = make_plan(draft, guess_columns(draft), taken={answer.key for answer in answers_of(store, draft)})

    def attempt(_):
        own = open_store(database)
        try:
            return store_plan(own, draft, plan)
        except PostilError as error:
            return str(error)
        finally:
            own.close()

    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(attempt, range(4)))
    assert told.count([question_id]) == 1
    assert sum("no longer available" in str(one) for one in told) == 3
    assert [answer.text for answer in answers_of(store, draft)].count("it is lit") == 1


def answers_of(store, draft):
    return answers.list_answers(store, draft.question_id)


def test_what_cannot_be_stored_stays_a_draft(store, course_id, question_id):
    token = keep_draft(store, open_paste("a\tit is lit"), course_id, question_id)
    draft = get_draft(store, token)
    taken = make_plan(draft, {**guess_columns(draft), "id": (0,), "answer": (1,)})  # "a" is there already
    with pytest.raises(PostilError, match="'a'"):
        store_plan(store, draft, taken)
    assert get_draft(store, token) == draft
    quiz = keep_draft(store, open_file("quiz.gift", b"::Ice:: Why? {=light}"), course_id, None)
    asked = get_draft(store, quiz)
    with pytest.raises(PostilError):
        store_questions(store, asked, [("Why?", ["light"], 1.0), ("", [], 1.0)])
    assert get_draft(store, quiz) == asked
    assert len(store_questions(store, asked, [("Why?", ["light"], 1.0)])) == 1
    with gone:
        store_questions(store, asked, [("Why?", ["light"], 1.0)])
