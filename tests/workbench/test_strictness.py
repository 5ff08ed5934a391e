"""How strict a course is: what its owner says, and what labels on one question say of the next."""

from __future__ import annotations

import pytest
from classroom import Browser
from stub_machine import StubMachine
from test_jobs import do, views
from webclient import make_account

from postil import grader
from postil.data import questions
from postil.data.judgements import Reason
from postil.errors import PostilError
from postil.workbench.jobs import library
from postil.workbench.jobs.library import GraderMachine
from postil.workbench.records import Level, NewAnswer
from postil.workbench.store import access, answers, courses, decisions, events, jobs, judgements

LATER = "Why is it dark?"


class Listening(StubMachine):
    """Keeps what it was told of the course."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "heard", [])

    def judge(self, question, answers, decided, strictness="normal", lessons=(), reader=None):
        self.heard.append(("judge", strictness, lessons))
        return super().judge(question, answers, decided)

    def propose(self, question, answers, count, strictness="normal", lessons=(), reader=None):
        self.heard.append(("propose", strictness, lessons))
        return super().propose(question, answers, count)


@pytest.fixture
def course(store, question_id):
    return courses.get_question(store, question_id).course_id


@pytest.fixture
def later(store, course):
    """Another question of the same course, with two answers."""
    made = courses.create_question(store, course, LATER, ["The path is open.", "There is a gap."], 1)
    answers.add_answers(store, made, [NewAnswer("x", "", "it is open"), NewAnswer("y", "", "no idea")])
    return made


def heard_by(store, kind, question_id):
    """What a job tells the machine."""
    machine = Listening()
    assert do(store, kind, question_id, machine).state == "done"
    (heard,) = machine.heard
    return heard


def has_other_strictness(store, question_id):
    return jobs.changed_settings(store, question_id, lambda reader: "") == ("strictness",)


def set_strictness(store, course, strictness):
    courses.edit_course(store, course, strictness=strictness)


# The store


def test_a_course_has_a_strictness(store):
    usual = courses.create_course(store, "Physics")
    strict = courses.create_course(store, "Biology", strictness="strict")
    assert courses.get_course(store, usual).strictness == "normal"
    assert courses.get_course(store, strict).strictness == "strict"
    set_strictness(store, strict, "lenient")
    courses.edit_course(store, strict, "Botany")
    made = courses.get_course(store, strict)
    assert (made.name, made.strictness) == ("Botany", "lenient")
    assert {course.name: course.strictness for course in courses.list_courses(store)} == {
        "Physics": "normal",
        "Botany": "lenient",
    }


def test_there_are_three_of_them(store, course):
    for wrong in ("", "harsh", "Strict"):
        for change in (
            lambda wrong=wrong: courses.create_course(store, "x", strictness=wrong),
            lambda wrong=wrong: courses.edit_course(store, course, "x", strictness=wrong),
        ):
            with pytest.raises(PostilError, match="is not a level of strictness"):
                change()
    assert [one.name for one in courses.list_courses(store)] == ["Physics 7b"]


# What a job is told


@pytest.mark.parametrize("label", ["non_domain", "correct"])
def test_labels_on_one_question_are_lessons_for_the_next(store, question_id, ids, later, label):
    """All stricter than the machine, or all more lenient: the next question's job hears of it."""
    do(store, "grade", question_id)
    said = {view.answer.key: view.judged.label for view in views(store, question_id)}
    assert (said["a"], said["c"]) == ("irrelevant", "partially_correct_incomplete")
    decisions.decide(store, question_id, [ids["a"], ids["c"]], label, "review")
    references = (questions.Reference("0", "The path is closed."),)
    labelled = (
        questions.Answer(str(ids["c"]), "Électricité", label),
        questions.Answer(str(ids["a"]), "the path is closed", label),
    )
    lesson = questions.Question(str(question_id), "Why is it lit?", references, labelled)
    for kind in ("grade", "regrade", "recheck"):
        assert heard_by(store, kind, later) == ("judge", "normal", [lesson])
    assert heard_by(store, "propose", later) == ("propose", "normal", [lesson])
    assert heard_by(store, "regrade", question_id) == ("judge", "normal", [])  # its own labels are no lesson


def test_the_strictness_of_the_course_reaches_the_grader(store, course, question_id, later):
    set_strictness(store, course, "lenient")
    assert heard_by(store, "grade", question_id) == ("judge", "lenient", [])
    set_strictness(store, course, "strict")
    assert heard_by(store, "propose", later) == ("propose", "strict", [])


def test_only_what_people_decided_in_this_course_is_a_lesson(store, graded, ids, later, judged):
    other = courses.create_course(store, "Biology")
    elsewhere = courses.create_question(store, other, "Why green?", ["Chlorophyll."], 1)
    answers.add_answers(store, elsewhere, [NewAnswer("z", "", "so")], {"z": "correct"})
    decisions.pass_all(store, graded, [ids["b"]])  # the machine's own label
    decisions.decide(store, graded, [ids["c"]], "correct", "review")
    decisions.undo_last(store, graded)
    assert decisions.lessons(store, later) == []
    decisions.decide(store, graded, [ids["a"]], "irrelevant", "review")
    decisions.decide(store, graded, [ids["a"]], "correct", "review")
    ((answer,),) = [lesson.answers for lesson in decisions.lessons(store, later)]
    assert (answer.text, answer.label) == ("the path is closed", "correct")
    jobs.enqueue(store, "recheck", graded)
    job = jobs.lease_job(store, "w")
    judgements.save_judgements(store, job, [judged(ids["a"], reason=Reason.UNREAD)])
    assert decisions.lessons(store, later) == []  # it would break this job as well


def test_of_many_labels_the_newest_are_lessons(store, course, question_id, later, monkeypatch):
    monkeypatch.setattr(decisions, "MOST_LESSONS_EACH", 3)
    monkeypatch.setattr(decisions, "MOST_LESSONS", 4)
    many = courses.create_question(store, course, "How many?", ["Some."], 1)
    new = [NewAnswer(str(n), "", f"answer {n}") for n in range(9)]
    answers.add_answers(store, many, new, {str(n): "correct" for n in range(7)})
    (lesson,) = decisions.lessons(store, later)
    assert [answer.text for answer in lesson.answers] == ["answer 6", "answer 5", "answer 4"]
    for answer in answers.list_answers(store, question_id)[:3]:
        decisions.decide(store, question_id, [answer.id], "irrelevant", "review")
    found = {lesson.text: len(lesson.answers) for lesson in decisions.lessons(store, later)}
    assert found == {"Why is it lit?": 3, "How many?": 1}
    assert [lesson.text for lesson in decisions.lessons(store, many)] == ["Why is it lit?"]


# What the grader makes of it


class Noting:
    """A grader that notes what it is told, and says nothing."""

    def __init__(self, strictness):
        self.noted = [("strictness", strictness)]

    def remember(self, question, references, labelled):
        self.noted.append(("remember", question, references, labelled))

    def grade_class(self, question, answers, decided, claims, *, explain):
        self.noted.append(("grade", question.text, list(answers), list(decided)))
        return [None] * len(answers)

    def propose(self, question, references, answers, count):
        self.noted.append(("propose", question))
        return []


@pytest.fixture
def graders(monkeypatch):
    """All graders that are loaded."""
    loaded = []

    def load(*, strictness="normal", reader=None, pupils="older"):
        loaded.append(Noting(strictness))
        return loaded[-1]

    monkeypatch.setattr(grader, "load", load)
    monkeypatch.setattr(library, "load", load)
    return loaded


def test_every_grader_has_the_lessons_but_not_every_one_the_own_labels(store, question_id, graders):
    """What a person decided is also judged as if nobody had told; other questions count all the same."""
    labelled = (questions.Answer("1", "a gap", "correct"), questions.Answer("2", "not labelled"))
    lesson = questions.Question("7", LATER, (questions.Reference("1", "It is open."),), labelled)
    question = courses.get_question(store, question_id)
    GraderMachine().judge(question, ["a", "b"], [None, "irrelevant"], "strict", [lesson])
    told = [("strictness", "strict"), ("remember", LATER, ["It is open."], [("a gap", "correct")])]
    asked = question.text
    assert [one.noted for one in graders] == [
        [*told, ("grade", asked, ["a", "b"], [("b", "irrelevant")])],
        [*told, ("grade", asked, ["b"], [])],
    ]
    graders.clear()
    GraderMachine().judge(question, ["a"], [None])
    GraderMachine().propose(question, ["a"], 1, "lenient", [lesson])
    assert [one.noted for one in graders] == [
        [("strictness", "normal"), ("grade", asked, ["a"], [])],
        [("strictness", "lenient"), told[1], ("propose", asked)],
    ]


# What was graded before


def test_what_was_graded_by_another_strictness_is_known(store, course, question_id, later):
    assert not has_other_strictness(store, question_id)
    set_strictness(store, course, "strict")
    assert not has_other_strictness(store, question_id)  # nothing was graded
    do(store, "grade", question_id)
    assert not has_other_strictness(store, question_id)
    set_strictness(store, course, "lenient")
    assert has_other_strictness(store, question_id)
    assert not has_other_strictness(store, later)
    do(store, "recheck", question_id)  # which keeps the labels
    assert has_other_strictness(store, question_id)
    answers.add_answers(store, question_id, [NewAnswer("late", "", "late")])
    do(store, "grade", question_id)  # which keeps those of the others
    assert has_other_strictness(store, question_id)
    job = do(store, "regrade", question_id)
    assert job.result["strictness"] == "lenient"
    assert not has_other_strictness(store, question_id)
    judgements.drop_changes(store, job.id)
    assert not has_other_strictness(store, question_id)  # it was offered, and not wanted


def test_what_was_graded_before_there_was_a_choice_was_graded_as_normal(store, course, graded):
    assert not has_other_strictness(store, graded)
    set_strictness(store, course, "strict")
    assert has_other_strictness(store, graded)


# Pages


def test_a_course_is_made_with_a_strictness(browser, store):
    assert "How readily should answers be called correct?" in browser.get("/").text
    browser.post("/courses", name="A")
    browser.post("/courses", name="B", strictness="strict")
    assert "is not a level of strictness" in browser.post("/courses", name="C", strictness="x").text
    assert [(course.name, course.strictness) for course in courses.list_courses(store)] == [
        ("B", "strict"),
        ("A", "normal"),
    ]
    assert "How readily should answers be called correct?" in browser.get("/").text


def test_another_strictness_is_set_and_grading_again_is_offered(browser, store, course, graded):
    page = browser.get(f"/courses/{course}").text
    assert '<option value="normal" selected>' in page
    assert "graded strictly" not in page
    changed = browser.post(f"/courses/{course}/strictness", strictness="strict")
    assert changed.url.path == f"/courses/{course}"
    assert "Answers are now graded strictly." in changed.text
    assert "No label has changed." in changed.text
    page = browser.get(f"/courses/{course}").text
    assert '<option value="strict" selected>' in page
    assert "<span>graded strictly</span>" in page
    assert courses.get_question(store, graded).judged == 3
    for path in ("", "/changes"):
        page = browser.get(f"/questions/{graded}{path}").text
        assert f'action="/questions/{graded}/regrade"' in page
        assert "strictness has changed" in page
    started = browser.post(f"/questions/{graded}/regrade")
    assert started.url.path == f"/questions/{graded}/changes"
    assert "how strict the course is" in started.text
    assert do(store, "regrade", graded).result["strictness"] == "strict"
    assert "would change" in browser.get(f"/questions/{graded}/changes").text
    page = browser.get(f"/questions/{graded}").text
    assert "strictness has changed" not in page
    assert "Postil has graded the class again." in page


def test_a_strictness_that_does_not_exist_is_refused(browser, store, course):
    assert "is not a level of strictness" in browser.post(f"/courses/{course}/strictness").text
    assert courses.get_course(store, course).strictness == "normal"
    browser.post(f"/courses/{course}/strictness", strictness="lenient")
    browser.post(f"/courses/{course}/strictness", strictness="lenient")
    (event,) = events.list_events(store, what=events.STRICTNESS_CHANGED)
    assert (event.course_id, event.about) == (course, "Physics 7b")


def test_only_who_owns_a_course_changes_how_strict_it_is(store, tmp_path):
    people = {login: make_account(store, login) for login in ("ane", "bea", "cora")}
    course = courses.create_course(store, "Physics", people["ane"].id)
    access.share_course(store, course, people["bea"].id, Level.TEACH)
    access.share_course(store, course, people["cora"].id, Level.HELP)
    path = f"/courses/{course}"
    for login in ("bea", "cora"):
        browser = Browser(store, tmp_path, login)
        assert f'action="{path}/strictness"' not in browser.get(path).text
        assert browser.post(f"{path}/strictness", strictness="strict").status_code == 403
    assert courses.get_course(store, course).strictness == "normal"
    owner = Browser(store, tmp_path, "ane")
    assert f'action="{path}/strictness"' in owner.get(path).text
    assert owner.post(f"{path}/strictness", strictness="strict").status_code == 200
    assert courses.get_course(store, course).strictness == "strict"
    assert "graded strictly" in Browser(store, tmp_path, "cora").get(path).text
