"""Accounts, passwords, links, sessions and failed logins, as the store keeps them."""

from __future__ import annotations

from datetime import timedelta
from time import perf_counter

import pytest
from sqlalchemy import select, update
from webclient import PASSWORD, make_account

from postil.errors import PostilError
from postil.workbench.records import ASSISTANT, LOCAL, OWNER, TEACHER, Level
from postil.workbench.store import access, accounts, courses, events, logins
from postil.workbench.store.logins import Attempt
from postil.workbench.store.tables import AccountRow, EventRow, LinkRow, SessionRow, TokenRow, now


@pytest.fixture
def ane(store):
    return make_account(store, "ane", OWNER)


@pytest.fixture
def bea(store):
    return make_account(store, "bea", password=None)


def shift(store, table, column, by):
    """Let time pass: what is stored becomes older."""
    with store.writing() as session:
        for row in session.scalars(select(table)):
            setattr(row, column, getattr(row, column) - by)


def test_a_password_is_checked_and_never_stored(store, ane):
    assert accounts.check_password(store, "ane", PASSWORD) == ane
    assert accounts.check_password(store, "  ANE ", PASSWORD) == ane
    for login, password in (("ane", "another password"), ("nobody", PASSWORD), ("ane", ""), ("", "")):
        assert accounts.check_password(store, login, password) is None
    with store.reading() as session:
        kept = session.scalars(select(AccountRow.password)).one()
    assert kept.startswith("$argon2id$")
    assert PASSWORD not in kept


def test_a_login_that_nobody_has_costs_as_much_as_one_that_somebody_has(store, ane, bea, monkeypatch):
    checked = []
    hasher = accounts._hasher()

    class Counting:
        def verify(self, known, password):
            checked.append(known)
            return hasher.verify(known, password)

    accounts._nobodys_hash()
    monkeypatch.setattr(accounts, "_hasher", Counting)
    for login in ("ane", "nobody", "bea"):
        assert accounts.check_password(store, login, "not the password") is None
    parameters = {known.split("$")[3] for known in checked}
    assert len(checked) == 3
    assert len(parameters) == 1


def test_a_hash_with_old_parameters_is_made_anew(store, ane):
    from argon2 import PasswordHasher

    old = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with store.writing() as session:
        session.execute(update(AccountRow).values(password=old))
    assert accounts.check_password(store, "ane", PASSWORD) == ane
    with store.reading() as session:
        assert session.scalars(select(AccountRow.password)).one() != old
    assert accounts.check_password(store, "ane", PASSWORD) == ane


def test_a_password_is_the_same_however_its_letters_are_composed(store, ane):
    logins.change_password(store, ane.id, "cafe\u0301 du matin")
    assert accounts.check_password(store, "ane", "caf\u00e9 du matin") == ane


def test_a_long_login_or_password_takes_no_longer(store, ane):
    marks = "a" + "\u0300\u0316" * 100_000  # to put so many in order takes a minute
    started = perf_counter()
    assert accounts.check_password(store, marks, marks) is None
    assert logins.wait_before(store, Attempt(marks, "192.0.2.1")) == 0
    for login, password in ((marks, PASSWORD), ("bea", marks)):
        with pytest.raises(PostilError):
            accounts.create_account(store, login, "Bea", TEACHER, password)
    assert perf_counter() - started < 5


def test_what_is_cut_off_of_a_password_does_not_make_it_a_good_one(store):
    for password in ("\u03c9\u0314\u0342\u0345" * 201, "a" * 900):  # four signs make one letter, 201 times
        with pytest.raises(PostilError, match="at most 200"):
            accounts.create_account(store, "bea", "Bea", TEACHER, password)
    letters = "\u03ba\u03bb\u03bc\u03bd\u03be\u03c0"
    made = accounts.create_account(store, "bea", "Bea", TEACHER, letters + "\u03c9\u0314\u0342\u0345" * 194)
    assert accounts.check_password(store, "bea", letters + "\u1fa7" * 194).id == made
    with pytest.raises(PostilError, match="login"):
        accounts.create_account(store, "\u03c9\u0314\u0342\u0345" * 81, "Bea", TEACHER, None)


@pytest.mark.parametrize("password", ["", "short", "x" * 9, "x" * 201, "Ane.Etxeberria"])
def test_a_password_that_is_easy_to_guess_is_refused(store, password):
    with pytest.raises(PostilError):
        accounts.create_account(store, "ane.etxeberria", "Ane", TEACHER, password)
    assert accounts.count_accounts(store) == 0


@pytest.mark.parametrize("login", ["", "a", "two words", "a" * 81, "a/b", "<b>", "a\x00", "ane\nbea"])
def test_a_login_that_cannot_be_typed_is_refused(store, login):
    with pytest.raises(PostilError, match="login"):
        accounts.create_account(store, login, "Ane", TEACHER, None)


def test_a_login_is_had_once_whatever_its_capitals(store, ane):
    with pytest.raises(PostilError, match="taken"):
        accounts.create_account(store, "ANE", "Another", TEACHER, None)
    made = accounts.create_account(store, "Jürgen@Schule.example", "Jürgen", TEACHER, None)
    assert accounts.find_account(store, "JÜRGEN@schule.example").person.id == made


def test_names_and_roles_are_demanded(store, ane):
    for name, role in (("", TEACHER), (" ", TEACHER), ("x" * 201, TEACHER), ("Bea", "king")):
        with pytest.raises(PostilError):
            accounts.create_account(store, "bea", name, role, None)
    accounts.rename_account(store, ane.id, "  Ane   E. ")
    assert accounts.get_account(store, ane.id).person.name == "Ane E."


def test_the_last_owner_stays(store, ane, bea):
    for change in (
        lambda: accounts.change_role(store, ane.id, TEACHER),
        lambda: accounts.close_account(store, ane.id, bea.id),
    ):
        with pytest.raises(PostilError, match="only owner"):
            change()
    accounts.change_role(store, bea.id, OWNER)
    with pytest.raises(PostilError, match="only owner"):  # bea has no password yet, and cannot log in
        accounts.change_role(store, ane.id, TEACHER)
    logins.change_password(store, bea.id, PASSWORD)
    accounts.change_role(store, ane.id, TEACHER)
    assert accounts.get_account(store, ane.id).person.role == TEACHER


def test_who_has_courses_does_not_become_an_assistant(store, ane, bea):
    courses.create_course(store, "Physics", bea.id)
    with pytest.raises(PostilError, match="courses"):
        accounts.change_role(store, bea.id, ASSISTANT)
    with pytest.raises(PostilError, match="role"):
        accounts.change_role(store, bea.id, "king")


def test_closing_an_account_hands_on_its_courses_and_ends_all_that_is_open(store, ane):
    bea = make_account(store, "bea")
    physics, biology = (courses.create_course(store, name, bea.id) for name in ("Physics", "Biology"))
    access.share_course(store, physics, ane.id, Level.HELP)
    key = logins.begin_session(store, bea.id)
    link = logins.make_link(store, "reset", bea.id)
    _, secret = access.create_token(store, bea.id, "program", ("read",), None)
    with pytest.raises(PostilError, match="courses"):
        accounts.close_account(store, bea.id, None)
    with pytest.raises(PostilError, match="courses"):
        accounts.close_account(store, bea.id, bea.id)
    accounts.close_account(store, bea.id, ane.id)
    assert logins.find_session(store, key) is None
    assert logins.peek_link(store, link) is None
    assert access.find_token(store, secret) is None
    assert accounts.check_password(store, "bea", PASSWORD) is None
    assert {access.owner_of(store, one).id for one in (physics, biology)} == {ane.id}
    assert access.list_members(store, physics) == []
    for table in (SessionRow, LinkRow, TokenRow):
        with store.reading() as session:
            assert session.scalars(select(table)).all() == []
    accounts.reopen_account(store, bea.id)
    assert accounts.check_password(store, "bea", PASSWORD) == bea
    assert logins.find_session(store, key) is None


def test_an_assistant_does_not_inherit(store, ane):
    helper, bea = make_account(store, "iker", ASSISTANT, None), make_account(store, "bea", TEACHER, None)
    courses.create_course(store, "Physics", bea.id)
    with pytest.raises(PostilError, match="cannot own courses"):
        accounts.close_account(store, bea.id, helper.id)


def test_a_link_works_once_until_it_is_too_old(store, bea):
    token = logins.make_link(store, "invitation", bea.id)
    assert logins.peek_link(store, token) == logins.peek_link(store, token)
    assert logins.use_link(store, token).person == bea
    assert logins.use_link(store, token) is None
    old = logins.make_link(store, "reset", bea.id, hours=1)
    shift(store, LinkRow, "expires", timedelta(hours=2))
    assert logins.peek_link(store, old) is None
    assert logins.use_link(store, old) is None


def test_a_new_link_replaces_the_one_before(store, bea):
    first, second = (logins.make_link(store, "reset", bea.id) for _ in range(2))
    assert logins.use_link(store, first) is None
    assert logins.use_link(store, second)


def test_with_one_link_for_the_first_owner_all_are_used(store):
    first, second = (logins.make_link(store, "owner") for _ in range(2))
    assert logins.use_link(store, first)
    assert logins.use_link(store, second) is None


@pytest.mark.parametrize("secret", ["", "x", "é", "\udc80", "a\x00b", "a" * 5000])
def test_a_guess_opens_nothing(store, bea, secret):
    logins.make_link(store, "reset", bea.id)
    logins.begin_session(store, bea.id)
    assert logins.use_link(store, secret) is None
    assert logins.find_session(store, secret) is None


def test_only_hashes_of_secrets_are_stored(store, bea):
    secrets = {logins.make_link(store, "reset", bea.id), logins.begin_session(store, bea.id)}
    with store.reading() as session:
        kept = {*session.scalars(select(LinkRow.digest)), *session.scalars(select(SessionRow.digest))}
    assert not kept & secrets
    assert {len(digest) for digest in kept} == {64}


@pytest.mark.parametrize(
    ("column", "by"), [("seen", timedelta(hours=12, minutes=1)), ("created", timedelta(days=7, minutes=1))]
)
def test_a_session_ends_when_it_is_idle_or_old(store, bea, column, by):
    key = logins.begin_session(store, bea.id)
    assert logins.find_session(store, key).person == bea
    shift(store, SessionRow, column, by)
    assert logins.find_session(store, key) is None
    assert logins.list_sessions(store, bea.id) == []
    logins.begin_session(store, bea.id)  # which clears away what is old
    with store.reading() as session:
        assert len(session.scalars(select(SessionRow)).all()) == 1


def test_a_session_that_is_used_stays(store, bea):
    key = logins.begin_session(store, bea.id)
    for _ in range(3):
        shift(store, SessionRow, "seen", timedelta(hours=11))
        assert logins.find_session(store, key)
    assert logins.find_session(store, key).seen > now() - timedelta(minutes=1)


def test_the_one_person_without_an_account_has_sessions_too(store, bea):
    key, other = logins.begin_session(store, None), logins.begin_session(store, bea.id)
    assert logins.find_session(store, key).person == LOCAL
    logins.end_local_sessions(store)
    assert logins.find_session(store, key) is None
    assert logins.find_session(store, other)


def test_other_sessions_can_be_ended(store, bea):
    first, second = (logins.begin_session(store, bea.id) for _ in range(2))
    own = logins.find_session(store, second)
    assert logins.end_sessions(store, bea.id, but=own.digest) == 1
    assert logins.find_session(store, first) is None
    assert [one.digest for one in logins.list_sessions(store, bea.id)] == [own.digest]


def test_messages_are_kept_for_one_page(store, bea):
    session = logins.find_session(store, logins.begin_session(store, bea.id))
    assert not session.has_messages
    for number in range(25):
        logins.add_message(store, session.digest, {"text": str(number)})
    taken = logins.take_messages(store, session.digest)
    assert [message["text"] for message in taken] == [str(number) for number in range(5, 25)]
    assert logins.take_messages(store, session.digest) == []
    logins.add_message(store, "nobody's", {"text": "lost"})


def test_the_log_tells_who_did_what_newest_first(store, ane, bea):
    course = courses.create_course(store, "Physics", ane.id)
    events.log_event(store, ane, events.COURSE_MADE, course_id=course, about="Physics", address="192.0.2.1")
    events.log_event(store, bea, events.LOGGED_IN)
    events.log_event(store, None, events.LOGIN_FAILED)
    everything = events.list_events(store)
    assert [event.who for event in everything] == ["", "bea", "ane"]
    assert events.list_events(store, everything[1].id) == everything[2:]
    assert events.list_events(store, limit=1) == everything[:1]
    assert events.list_events(store, course_id=course) == everything[2:]
    assert events.list_events(store, account_id=bea.id) == everything[1:2]
    assert events.list_events(store, what=events.LOGIN_FAILED) == everything[:1]
    assert events.list_events(store, since=now()) == []
    assert events.list_events(store, until=now()) == everything
    with pytest.raises(ValueError, match="no such event"):
        events.log_event(store, ane, "danced")
    courses.delete_course(store, course)
    with store.reading() as session:
        assert len(session.scalars(select(EventRow)).all()) == 3
