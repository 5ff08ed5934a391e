"""Somebody leaves: no course that others work on is lost, and no round waits for them for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from labellers import add_people, make, say
from test_store_together import together
from webclient import make_account

from postil.errors import PostilError
from postil.workbench.records import ASSISTANT, OWNER, Level
from postil.workbench.store import access, accounts, courses, rounds
from postil.workbench.store.tables import CourseRow, now


@pytest.fixture
def olga(store):
    return make_account(store, "olga", OWNER)


@pytest.fixture
def bea(store):
    return make_account(store, "bea")


@contextmanager
def waiting(call, why):
    """Inside, a call waits for what is done; after it, the call is refused."""
    with ThreadPoolExecutor(1) as pool:
        late = []

        def begin():
            late.append(pool.submit(call))
            with pytest.raises(TimeoutError):
                late[0].result(1)

        yield begin
        with pytest.raises(PostilError, match=why):
            late[0].result(20)


@pytest.mark.parametrize("change", ["close", "role"])
def test_who_gets_a_course_does_not_leave_meanwhile(store, olga, bea, change):
    def leave():
        if change == "close":
            accounts.close_account(store, bea.id, None)
        else:
            accounts.change_role(store, bea.id, ASSISTANT)

    with waiting(leave, "courses") as begin, store.writing() as session:
        accounts.demand_heir(session, bea.id)
        session.add(CourseRow(name="Physics", created=now(), owner_id=bea.id))
        session.flush()
        begin()


@pytest.mark.parametrize("way", ["make", "hand over", "share"])
def test_who_leaves_gets_no_course_meanwhile(store, olga, bea, way):
    course = courses.create_course(store, "Physics", olga.id)
    calls = {
        "make": lambda: courses.create_course(store, "Biology", bea.id),
        "hand over": lambda: access.hand_over(store, course, bea.id),
        "share": lambda: access.share_course(store, course, bea.id, Level.HELP),
    }
    with (
        waiting(calls[way], "closed" if way == "share" else "cannot own") as begin,
        store.writing() as session,
    ):
        accounts.lock_account(session, bea.id).closed = now()
        session.flush()
        begin()
    assert courses.list_courses(store, bea) == []
    assert access.list_members(store, course) == []


def test_an_assistant_makes_no_course(store):
    helper = make_account(store, "iker", ASSISTANT, None)
    with pytest.raises(PostilError, match="cannot own courses"):
        courses.create_course(store, "Physics", helper.id)


def test_two_leave_to_each_other_at_once(store, bea):
    ane = make_account(store, "ane")
    make_account(store, "olga", OWNER)
    own = {one: courses.create_course(store, one.name, one.id) for one in (ane, bea)}
    told = together(
        lambda: accounts.close_account(store, ane.id, bea.id),
        lambda: accounts.close_account(store, bea.id, ane.id),
    )
    assert sum(isinstance(one, PostilError) for one in told) == 1
    (stays,) = (one for one in (ane, bea) if accounts.get_account(store, one.id).closed is None)
    assert {access.owner_of(store, course) for course in own.values()} == {stays}


def test_a_course_is_handed_over_while_its_owner_leaves(store, olga):
    for number in range(4):
        ane, bea = make_account(store, f"ane{number}"), make_account(store, f"bea{number}")
        course = courses.create_course(store, "Physics", ane.id)
        together(
            lambda ane=ane: accounts.close_account(store, ane.id, olga.id),
            lambda bea=bea, course=course: access.hand_over(store, course, bea.id),
        )
        assert access.owner_of(store, course) == bea  # before or after, handing over is the last word
        assert ane not in [member.person for member in access.list_members(store, course)]


def test_who_has_to_label_or_settle_stays(store, question_id, ids, olga):
    people = add_people(store)
    made = make(store, question_id, people)
    for one in (people.ann, people.ben, people.eva):
        with pytest.raises(PostilError, match="Why is it lit") as told:
            accounts.close_account(store, one.id, olga.id)
        assert "Finish or delete" in told.value.hint
    say(store, made, people.ann, dict.fromkeys(ids.values(), "correct"))
    accounts.close_account(store, people.ann.id, olga.id)  # has said everything
    rounds.drop_round(store, made)
    for one in (people.ben, people.eva):
        accounts.close_account(store, one.id, olga.id)
        assert accounts.get_account(store, one.id).closed
