"""Who may do what in a course: `level_on`, sharing and handing over."""

from __future__ import annotations

import pytest
from webclient import make_account

from postil.errors import PostilError
from postil.workbench.records import ASSISTANT, LOCAL, OWNER, Level
from postil.workbench.store import access, accounts, answers, courses, jobs, rounds
from postil.workbench.store.access import level_on
from postil.workbench.store.answers import NewAnswer


@pytest.fixture
def people(store):
    """The owner of the installation, two teachers and an assistant."""
    roles = {"ona": OWNER, "ane": "teacher", "bea": "teacher", "iker": ASSISTANT}
    return {login: make_account(store, login, role) for login, role in roles.items()}


@pytest.fixture
def things(store, people):
    """What Ane's course holds, by the names that `level_on` takes."""
    course = courses.create_course(store, "Physics", people["ane"].id)
    question = courses.create_question(store, course, "Why?", ["Because."], 1)
    answers.add_answers(store, question, [NewAnswer(key, "", "so") for key in "abc"])
    answer = answers.list_answers(store, question)[0].id
    three = (people[login].id for login in ("ane", "bea", "iker"))
    round_id = rounds.make_round(store, question, *three, size=2, seed=1)
    job = jobs.enqueue(store, "grade", question)
    return {
        "course_id": course,
        "question_id": question,
        "answer_id": answer,
        "job_id": job,
        "round_id": round_id,
    }


def levels(store, person, things):
    """What somebody may do with each of these things."""
    return {level_on(store, person, **{name: number}) for name, number in things.items()}


def test_a_course_is_its_owners_and_nobody_elses(store, people, things):
    assert levels(store, people["ane"], things) == {Level.OWN}
    assert levels(store, LOCAL, things) == {Level.OWN}
    for login in ("ona", "bea", "iker"):  # not even the installation's owner
        assert levels(store, people[login], things) == {None}


def test_what_is_not_there_is_nobodys(store, people, things):
    for number in (0, -1, 99, 2**31, 2**63, 10**30):
        for person in (people["ane"], LOCAL):
            assert levels(store, person, dict.fromkeys(things, number)) == {None}


def test_a_shared_course_is_shared_with_all_that_is_in_it(store, people, things):
    for level in (Level.HELP, Level.TEACH):
        access.share_course(store, things["course_id"], people["bea"].id, level)
        assert levels(store, people["bea"], things) == {level}
    access.unshare_course(store, things["course_id"], people["bea"].id)
    assert levels(store, people["bea"], things) == {None}


def test_exactly_one_thing_is_asked_about(store, people):
    with pytest.raises(ValueError):
        level_on(store, people["ane"])
    with pytest.raises(ValueError):
        level_on(store, people["ane"], course_id=1, question_id=1)


def test_an_assistant_only_helps(store, people, things):
    course = things["course_id"]
    with pytest.raises(PostilError, match="only help"):
        access.share_course(store, course, people["iker"].id, Level.TEACH)
    access.share_course(store, course, people["bea"].id, Level.TEACH)
    accounts.change_role(store, people["bea"].id, ASSISTANT)
    bea = accounts.get_account(store, people["bea"].id).person
    assert level_on(store, bea, course_id=course) == Level.HELP
    assert [member.level for member in access.list_members(store, course)] == [Level.HELP]


def test_sharing_says_what_it_is_for(store, people, things):
    course = things["course_id"]
    with pytest.raises(ValueError):
        access.share_course(store, course, people["bea"].id, Level.OWN)
    with pytest.raises(PostilError, match="already owns"):
        access.share_course(store, course, people["ane"].id, Level.TEACH)
    with pytest.raises(PostilError, match="does not exist"):
        access.share_course(store, 99, people["bea"].id, Level.HELP)
    with pytest.raises(PostilError, match="does not exist"):
        access.share_course(store, course, 99, Level.HELP)
    access.share_course(store, course, people["bea"].id, Level.HELP)
    access.share_course(store, course, people["bea"].id, Level.TEACH)
    (member,) = access.list_members(store, course)
    assert (member.person, member.level) == (people["bea"], Level.TEACH)


def test_a_closed_account_gets_nothing(store, people, things):
    rounds.drop_round(store, things["round_id"])
    accounts.close_account(store, people["bea"].id, None)
    with pytest.raises(PostilError, match="closed"):
        access.share_course(store, things["course_id"], people["bea"].id, Level.HELP)
    with pytest.raises(PostilError, match="cannot own"):
        access.hand_over(store, things["course_id"], people["bea"].id)


def test_a_course_that_is_handed_over_is_anothers(store, people, things):
    course = things["course_id"]
    access.share_course(store, course, people["bea"].id, Level.HELP)
    access.hand_over(store, course, people["bea"].id)
    assert access.owner_of(store, course) == people["bea"]
    (member,) = access.list_members(store, course)
    assert (member.person, member.level) == (people["ane"], Level.TEACH)
    with pytest.raises(PostilError, match="cannot own"):
        access.hand_over(store, course, people["iker"].id)
    access.hand_over(store, course, people["bea"].id)
    assert len(access.list_members(store, course)) == 1


def test_everybody_lists_their_own_and_what_is_shared_with_them(store, people, things):
    other = courses.create_course(store, "Biology", people["bea"].id)
    loose = courses.create_course(store, "Nobody's")
    access.share_course(store, things["course_id"], people["iker"].id, Level.HELP)

    def seen(person):
        return {course.id for course in courses.list_courses(store, person)}

    assert seen(people["ane"]) == {things["course_id"]}
    assert seen(people["bea"]) == {other}
    assert seen(people["iker"]) == {things["course_id"]}
    assert seen(people["ona"]) == set()
    assert seen(LOCAL) == {things["course_id"], other, loose}
    assert courses.get_course(store, other).owner == people["bea"]
    assert courses.get_course(store, loose).owner is None
