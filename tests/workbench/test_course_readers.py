"""The reader of a course: chosen among those that work here, heard by jobs, missed when it is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from classroom import Browser
from stub_machine import StubMachine
from test_jobs import do, views
from webclient import make_account

from postil.errors import PostilError
from postil.language import readers as descriptions
from postil.language.network import CAREFUL, CASCADE, EXPERT, QUICK, THOROUGH
from postil.workbench.jobs import library, readers
from postil.workbench.jobs.grading import as_judged
from postil.workbench.jobs.isolation import IsolatedMachine
from postil.workbench.jobs.library import GraderMachine
from postil.workbench.records import Level, NewAnswer
from postil.workbench.settings import MEMORY
from postil.workbench.store import access, answers, courses, events, jobs, judgements


class ReadingMachine(StubMachine):
    """Keeps who was asked to read, and says that the careful reader decided; `gone` are missing here."""

    def __init__(self, *gone):
        super().__init__()
        object.__setattr__(self, "gone", gone)
        object.__setattr__(self, "asked", [])

    def missing(self, reader):
        return "it needs a file" if reader in self.gone else ""

    def judge(self, question, answers, decided, strictness="normal", lessons=(), reader=None):
        self.asked.append(reader)
        judged = super().judge(question, answers, decided)
        name = reader or QUICK
        return [replace(one, reader=name, read_by=CAREFUL if name != QUICK else QUICK) for one in judged]

    def propose(self, question, answers, count, strictness="normal", lessons=(), reader=None):
        self.asked.append(reader)
        return super().propose(question, answers, count)


@pytest.fixture
def course(store, question_id):
    return courses.get_question(store, question_id).course_id


@pytest.fixture
def no_expert(monkeypatch):
    """As if the expert reader were not installed."""
    monkeypatch.setattr(descriptions, "missing_of_expert", lambda: ["the package postil-expert"])


@pytest.fixture
def expert(monkeypatch):
    """As if everything were installed that the expert reader needs."""
    monkeypatch.setattr(descriptions, "missing_of_expert", list)


def usable(name):
    return ""


# The store


def test_a_course_has_a_reader(store):
    usual = courses.create_course(store, "Physics")
    exam = courses.create_course(store, "Exam", reader=EXPERT)
    assert courses.get_course(store, usual).reader is None
    courses.edit_course(store, exam, "The exam")
    assert courses.get_course(store, exam).reader == EXPERT
    courses.edit_course(store, exam, reader=CASCADE)
    assert courses.get_course(store, exam).reader == CASCADE
    courses.edit_course(store, exam, reader=None)
    assert courses.get_course(store, exam).reader is None
    for wrong in ("", "Careful", "me"):
        with pytest.raises(PostilError, match="is not a reader"):
            courses.create_course(store, "x", reader=wrong)
        with pytest.raises(PostilError, match="is not a reader"):
            courses.edit_course(store, exam, reader=wrong)


# Jobs


def test_jobs_read_with_it_and_keep_who_decided(store, course, question_id):
    courses.edit_course(store, course, reader=CASCADE)
    machine = ReadingMachine()
    for kind in ("propose", "grade", "regrade", "recheck"):
        assert do(store, kind, question_id, machine).state == "done"
    assert machine.asked == [CASCADE] * 4
    for view in views(store, question_id):
        assert (view.judged.reader, view.judged.read_by) == (CASCADE, CAREFUL)
        again = as_judged(view.judged)
        assert (again.reader, again.read_by) == (CASCADE, CAREFUL)


def test_another_reader_is_a_reason_to_grade_again(store, course, question_id):
    courses.edit_course(store, course, reader=CASCADE)
    assert jobs.changed_settings(store, question_id, usable) == ()  # nothing was graded
    do(store, "grade", question_id, ReadingMachine())
    assert jobs.changed_settings(store, question_id, usable) == ()
    courses.edit_course(store, course, reader=CAREFUL, strictness="strict")
    assert jobs.changed_settings(store, question_id, usable) == ("strictness", "reader")
    answers.add_answers(store, question_id, [NewAnswer("late", "", "late")])
    do(store, "grade", question_id, ReadingMachine())  # which keeps what the others have
    assert jobs.changed_settings(store, question_id, usable) == ("strictness", "reader")
    job = do(store, "regrade", question_id, ReadingMachine())
    assert job.result["reader"] == CAREFUL
    assert jobs.changed_settings(store, question_id, usable) == ()
    judgements.apply_changes(store, job.id)
    assert {view.judged.reader for view in views(store, question_id)} == {CAREFUL}
    courses.edit_course(store, course, reader=None)
    assert jobs.changed_settings(store, question_id, usable) == ("reader",)


def test_without_its_reader_a_course_is_read_by_the_one_that_is_installed(store, course, question_id):
    courses.edit_course(store, course, reader=EXPERT)
    machine = ReadingMachine(EXPERT)
    job = do(store, "grade", question_id, machine)
    assert (job.state, machine.asked) == ("done", [None])
    assert (job.result["reader"], job.result["missing_reader"]) == (None, EXPERT)
    assert jobs.reader_missed(store, question_id) == EXPERT
    assert jobs.changed_settings(store, question_id, machine.missing) == ()  # grading again would not help
    assert jobs.changed_settings(store, question_id, usable) == ("reader",)
    do(store, "regrade", question_id, ReadingMachine())
    assert jobs.reader_missed(store, question_id) is None


def test_the_grader_is_loaded_with_it(store, question_id, monkeypatch):
    told = []
    monkeypatch.setattr(library, "grade_class", lambda *_, **named: told.append(named["reader"]) or [None])
    question = courses.get_question(store, question_id)
    GraderMachine().judge(question, ["a"], [None], reader=CASCADE)
    GraderMachine().judge(question, ["a"], [None])
    assert told == [CASCADE, None]


def test_the_real_grader_reads_with_it(store, course, question_id):
    """The careful reader comes with the repository; the tests' own default is the quick one."""
    courses.edit_course(store, course, reader=CASCADE)
    do(store, "grade", question_id, GraderMachine())
    judged = [view.judged for view in views(store, question_id)]
    assert CASCADE in {one.reader for one in judged} <= {CASCADE, ""}
    assert {one.read_by for one in judged} <= {QUICK, CAREFUL, ""}
    assert all(one.reason for one in judged if not one.reader)


# What works here


@pytest.mark.usefixtures("no_expert")
def test_only_what_is_installed_and_fits_can_be_used(monkeypatch):
    offered = {choice.name: choice.missing for choice in readers.choices(MEMORY)}
    assert [name for name, missing in offered.items() if not missing] == [QUICK, CAREFUL, CASCADE]
    assert offered[EXPERT] == "it needs the package postil-expert"
    assert all(choice.words for choice in readers.choices(MEMORY))
    with pytest.raises(PostilError, match="expert reader does not work here: it needs the package") as caught:
        readers.demand_usable(EXPERT, MEMORY)
    assert caught.value.hint == "These do: quick, careful, cascade."
    readers.demand_usable(CAREFUL, MEMORY)
    readers.demand_usable(None, MEMORY)
    monkeypatch.setattr(readers, "default_reader", lambda: QUICK)
    assert readers.installed() == QUICK
    assert "does not know it" in readers.missing("a later one", 0)


@pytest.mark.usefixtures("expert")
def test_a_reader_that_would_break_the_limit_of_memory_is_not_used(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    assert readers.missing(EXPERT, MEMORY) == readers.missing(THOROUGH, MEMORY) == ""  # with the usual limit
    told = readers.missing(EXPERT, 900)
    assert told == "it needs 1,360 MB for each process that judges, and --memory allows 900"
    assert readers.missing(EXPERT, 0) == ""  # without a limit
    machine = IsolatedMachine(StubMachine, memory=900)
    assert machine.missing(EXPERT) == told
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # each answer that is read at once takes its share
    assert "it needs 940 MB" in machine.missing(EXPERT)
    assert machine.missing(CAREFUL) == ""


# Pages


@pytest.mark.usefixtures("no_expert")
def test_the_reader_is_chosen_on_the_courses_page(browser, store, course, graded):
    page = browser.get(f"/courses/{course}").text
    assert "As installed: the quick reader" in page
    assert '<option value="careful">Careful: right for most classes' in page
    assert '<option value="expert"' not in page
    assert "Not here: it needs the package postil-expert" in page
    changed = browser.post(f"/courses/{course}/reader", reader=CASCADE)
    assert changed.url.path == f"/courses/{course}"
    assert "Answers are now read by the cascade reader." in changed.text
    assert "No label has changed." in changed.text
    assert '<option value="cascade" selected>' in changed.text
    assert "<span>read by the cascade reader</span>" in changed.text
    page = browser.get(f"/questions/{graded}").text
    assert "the course’s reader has changed" in page
    started = browser.post(f"/questions/{graded}/regrade")
    assert "who reads the answers" in started.text
    assert do(store, "regrade", graded, ReadingMachine()).result["reader"] == CASCADE
    assert "reader has changed" not in browser.get(f"/questions/{graded}").text
    assert "by the reader that is installed" in browser.post(f"/courses/{course}/reader", reader="").text
    assert courses.get_course(store, course).reader is None
    told = events.list_events(store, what=events.READER_CHANGED)
    assert [(event.course_id, event.about) for event in told] == [(course, "Physics 7b")] * 2


@pytest.mark.usefixtures("no_expert")
def test_a_reader_that_does_not_work_here_is_not_taken(browser, store, course):
    assert "does not work here" in browser.post(f"/courses/{course}/reader", reader=EXPERT).text
    assert "does not work here" in browser.post(f"/courses/{course}/reader", reader="me").text
    assert courses.get_course(store, course).reader is None
    assert "does not work here" in browser.post("/courses", name="A", reader=EXPERT).text
    browser.post("/courses", name="B", reader=CAREFUL)
    (made,) = [one for one in courses.list_courses(store) if one.id != course]
    assert (made.name, made.reader) == ("B", CAREFUL)


@pytest.mark.usefixtures("no_expert")
def test_what_became_of_a_reader_that_is_gone_is_said(browser, store, course, question_id):
    courses.edit_course(store, course, reader=EXPERT)
    page = browser.get(f"/courses/{course}").text
    assert "should be read by the expert reader, which does not work here: it needs the package" in page
    assert "the quick reader reads the answers" in page
    assert '<option value="expert" selected>' in page  # saving the form changes nothing
    browser.post(f"/courses/{course}/reader", reader=EXPERT)
    assert courses.get_course(store, course).reader == EXPERT
    do(store, "grade", question_id, ReadingMachine(EXPERT))
    page = browser.get(f"/questions/{question_id}").text
    assert "graded without the course’s expert reader, which could not be used" in page
    assert "again</button>" not in page


@pytest.mark.usefixtures("expert")
def test_when_it_is_back_grading_again_is_offered(browser, store, course, question_id):
    courses.edit_course(store, course, reader=EXPERT)
    do(store, "grade", question_id, ReadingMachine(EXPERT))
    for path in ("", "/changes"):
        page = browser.get(f"/questions/{question_id}{path}").text
        assert "without the course’s expert reader, which can be used now" in page
        assert f'action="/questions/{question_id}/regrade"' in page


def test_the_review_says_who_read_the_answer(browser, store, course, question_id):
    courses.edit_course(store, course, reader=CASCADE)
    do(store, "grade", question_id, ReadingMachine())
    answer = answers.list_answers(store, question_id)[0]
    assert "Postil, read by the careful reader" in browser.get(f"/answers/{answer.id}").text
    report = browser.get(f"/courses/{course}/report").text
    assert "Of 4 answers that had to be read, the careful reader decided 4." in report


def test_only_who_owns_a_course_chooses_its_reader(store, tmp_path):
    people = {login: make_account(store, login) for login in ("ane", "bea")}
    course = courses.create_course(store, "Physics", people["ane"].id)
    access.share_course(store, course, people["bea"].id, Level.TEACH)
    path = f"/courses/{course}"
    helper, owner = (Browser(store, tmp_path, login) for login in ("bea", "ane"))
    assert f'action="{path}/reader"' not in helper.get(path).text
    assert helper.post(f"{path}/reader", reader=CAREFUL).status_code == 403
    assert owner.post(f"{path}/reader", reader=CAREFUL).status_code == 200
    assert courses.get_course(store, course).reader == CAREFUL
