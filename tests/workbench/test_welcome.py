"""The first steps of an installation: the owner, passwords chosen by a link, courses without an owner."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from webclient import PASSWORD, make_account

from postil.errors import PostilError
from postil.workbench.records import OWNER
from postil.workbench.store import access, accounts, courses, events, logins
from postil.workbench.store.tables import AccountRow, now

NEW = "quite another password"


def first_owner(store, token, login="ane"):
    return logins.create_first_owner(store, token, login, login.title(), PASSWORD)


def handed_over(store):
    found = events.list_events(store, what=events.COURSE_HANDED_OVER)
    return {event.course_id: event.about for event in found}


def test_the_first_owner_gets_what_was_nobodys_and_there_is_only_one(store):
    course = courses.create_course(store, "Physics")
    made = first_owner(store, logins.make_link(store, "owner"))
    assert access.owner_of(store, course) == made
    assert handed_over(store) == {course: "ane, had no owner"}
    late = logins.make_link(store, "owner")
    with pytest.raises(PostilError, match="already"):
        first_owner(store, late, "bea")


def test_an_owner_who_cannot_log_in_keeps_nobody_from_being_the_first(store):
    gone = make_account(store, "old", OWNER)
    with store.writing() as session:
        accounts.demand_account(session, gone.id).closed = now()
    make_account(store, "olga", OWNER, None)
    make_account(store, "teo")
    assert not logins.has_owner(store)
    assert first_owner(store, logins.make_link(store, "owner"))
    assert logins.has_owner(store)


def test_a_link_that_did_not_lead_in_stays_good(store):
    make_account(store, "teo")
    token = logins.make_link(store, "owner")
    with pytest.raises(PostilError, match="taken"):
        first_owner(store, token, "teo")
    assert first_owner(store, token)
    assert logins.peek_link(store, token) is None


def test_of_two_first_owners_at_once_there_is_one(store):
    token = logins.make_link(store, "owner")
    other = AccountRow(login="bea", name="Bea", role=OWNER, password="x", created=now(), closed=None)  # noqa: S106
    with ThreadPoolExecutor(1) as pool:
        with store.writing() as session:
            session.add(other)
            session.flush()
            late = pool.submit(first_owner, store, token)
            with pytest.raises(TimeoutError):
                late.result(1)
        with pytest.raises(PostilError, match="already"):
            late.result(20)
    assert accounts.count_accounts(store) == 1


def test_courses_that_are_nobodys_go_to_the_first_owner_who_can_log_in(store):
    course = courses.create_course(store, "Made with --local")
    assert logins.adopt_courses(store) == 0
    make_account(store, "invited", OWNER, None)
    teo, ane = make_account(store, "teo"), make_account(store, "ane", OWNER)
    make_account(store, "eva", OWNER)
    own = courses.create_course(store, "Biology", teo.id)
    assert logins.adopt_courses(store) == 1
    assert access.owner_of(store, course) == ane
    assert access.owner_of(store, own) == teo
    assert handed_over(store) == {course: "ane, had no owner"}
    assert logins.adopt_courses(store) == 0


def test_a_new_password_by_a_link_ends_sessions_tokens_and_other_links(store):
    ane = make_account(store, "ane", OWNER)
    key = logins.begin_session(store, ane.id)
    _, secret = access.create_token(store, ane.id, "program", ("read",), None)
    token = logins.make_link(store, "reset", ane.id)
    with pytest.raises(PostilError, match="at least"):
        logins.choose_password(store, token, "short")
    assert access.find_token(store, secret)
    assert logins.choose_password(store, token, NEW) == (ane, "reset", 1)
    assert logins.find_session(store, key) is None
    assert access.find_token(store, secret) is None
    assert accounts.check_password(store, "ane", NEW) == ane
    assert logins.choose_password(store, token, PASSWORD) is None
    assert accounts.check_password(store, "ane", NEW) == ane


def test_an_invitation_leaves_the_tokens(store):
    bea = make_account(store, "bea", password=None)
    _, secret = access.create_token(store, bea.id, "program", ("read",), None)
    token = logins.make_link(store, "invitation", bea.id)
    assert logins.choose_password(store, token, NEW) == (bea, "invitation", 0)
    assert access.find_token(store, secret)


def test_a_changed_password_ends_the_links_to_choose_one(store):
    ane, bea = make_account(store, "ane"), make_account(store, "bea")
    link, other = (logins.make_link(store, "reset", one.id) for one in (ane, bea))
    logins.change_password(store, ane.id, NEW)
    assert logins.peek_link(store, link) is None
    assert logins.peek_link(store, other)
