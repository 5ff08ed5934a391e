"""Jobs and facets: what a full answer says is proposed, looked for, and looked for again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stub_machine import StubMachine
from test_jobs import do, views

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome, Reason
from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.errors import PostilError
from postil.grading.decision import reconciled
from postil.workbench.claims import denial
from postil.workbench.jobs import grading
from postil.workbench.jobs.library import GraderMachine
from postil.workbench.records import NewAnswer
from postil.workbench.store import answers, courses, decisions, jobs, rubrics
from postil.workbench.store.answers import get_view
from postil.workbench.store.rows import ChangedError

PATH, CLOSED = Facet("", "path"), Facet("", "closed")


def ticked(store, question_id):
    return {
        view.answer.key: "".join(str(int(one.ticked)) for one in view.facets)
        for view in views(store, question_id)
    }


def test_a_job_finds_what_a_full_answer_says_even_before_there_are_answers(store):
    course = courses.create_course(store, "Physics")
    question = courses.create_question(store, course, "Why?", ["The path is closed."], 1)
    job = do(store, "facets", question)
    assert (job.state, job.result) == ("done", {"names": ["The path", "closed"]})
    assert jobs.latest_job(store, question) is None  # nobody's answers are being read


def test_what_is_proposed_can_be_set(store, question_id):
    class Talkative(StubMachine):
        def facets(self, question):
            return ["x" * 500, "X" * 300, *(f"part {n}" for n in range(30))]

    names = do(store, "facets", question_id, Talkative()).result["names"]
    courses.set_facets(store, question_id, [Facet("", name) for name in names])
    assert len(courses.get_question(store, question_id).facets) == 20


def test_grading_looks_for_the_facets_that_a_teacher_set(store, question_id):
    courses.set_facets(store, question_id, [PATH, CLOSED])
    job = do(store, "grade", question_id)
    assert job.result == {"answers": 4, "decided": 0, "strictness": "normal", "reader": None}
    assert ticked(store, question_id) == {"a": "11", "b": "00", "c": "00", "d": "00"}
    assert not courses.is_outdated(store, question_id)


def test_who_is_partly_right_and_says_no_part_is_left_to_a_person(store, question_id):
    class Partly(StubMachine):
        def judge(self, question, answers, decided, *more):
            labels = {"5way": "partially_correct_incomplete", "3way": "incorrect", "2way": "incorrect"}
            return [
                replace(one, labels=labels, reason=None, because="")
                for one in super().judge(question, answers, decided, *more)
            ]

        def explain(self, question, answers, judgements):
            explained = super().explain(question, answers, judgements)
            return [reconciled(judgement, judgement.explanation.facets) for judgement in explained]

    do(store, "grade", question_id, Partly())
    before = [view.judged.deferred for view in views(store, question_id)]
    courses.set_facets(store, question_id, [Facet("", "zebra")])
    do(store, "regrade", question_id, Partly())
    do(store, "recheck", question_id, Partly())
    found = views(store, question_id)
    assert not all(before)
    assert all(view.judged.deferred for view in found if view.judged.facets)
    assert {view.score for view in found if view.judged.facets} == {0.0}


def test_a_recheck_looks_again_and_keeps_every_label(store, question_id, ids):
    do(store, "grade", question_id)
    before = [view.judged.label for view in views(store, question_id)]
    # The stub would now give this label to everybody.
    decisions.decide(store, question_id, [ids["a"]], "irrelevant", "review")
    courses.set_facets(store, question_id, [PATH, Facet("", "open")])
    answers.add_answers(store, question_id, [NewAnswer("e", "", "path")])
    job = do(store, "recheck", question_id, batch=2)
    assert (job.state, job.done, job.total) == ("done", 5, 5)
    assert job.result == {
        "answers": 5,
        "decided": 0,
        "strictness": "normal",
        "reader": None,
    }  # the decision can still teach
    after = views(store, question_id)
    assert [view.judged.label for view in after] == [*before, "irrelevant"]
    assert all(view.judged.probabilities and view.judged.alignment for view in after)
    assert ticked(store, question_id) == {"a": "10", "b": "01", "c": "00", "d": "00", "e": "10"}
    assert not courses.is_outdated(store, question_id)


def test_a_recheck_leaves_what_a_regrade_proposed(store, graded, ids):
    decisions.decide(store, graded, [ids["a"]], "non_domain", "review")
    regrade = do(store, "regrade", graded)
    jobs.enqueue(store, "facets", graded)
    assert jobs.get_job(store, regrade.id).state == "done"
    jobs.enqueue(store, "recheck", graded)
    assert jobs.get_job(store, regrade.id).state == "done"
    jobs.enqueue(store, "grade", graded)
    assert jobs.get_job(store, regrade.id).state == "dropped"


def test_a_recheck_does_not_lower_the_confidence_again(store, question_id, ids):
    class Doubting(StubMachine):
        def explain(self, question, texts, judged):
            made = super().explain(question, texts, judged)
            return [reconciled(one, [FacetOutcome(PATH, UNADDRESSED, 0.9)]) for one in made]

    do(store, "grade", question_id, Doubting())
    before = {view.answer.key: view.judged for view in views(store, question_id)}
    right = [key for key, one in before.items() if one.label == "correct"]
    assert right
    assert all(before[key].confidence < 0.6 and before[key].deferred for key in right)
    decisions.decide(store, question_id, [ids["a"]], "irrelevant", "review")  # all labels would change
    for _ in range(2):
        do(store, "recheck", question_id, Doubting())
        after = {view.answer.key: view.judged for view in views(store, question_id)}
        assert [after[key].confidence for key in right] == [before[key].confidence for key in right]
        assert all(after[key].deferred for key in right)
    do(store, "recheck", question_id)
    assert get_view(store, ids[right[0]]).judged.confidence == pytest.approx(0.6)


def test_a_job_that_goes_on_after_the_facets_changed_is_not_up_to_date(store, question_id):
    class Dies(StubMachine):
        def explain(self, question, texts, judged):
            if texts != ["the path is closed"]:
                raise KeyboardInterrupt
            return super().explain(question, texts, judged)

    courses.set_facets(store, question_id, [PATH])
    jobs.enqueue(store, "grade", question_id)
    with pytest.raises(KeyboardInterrupt):
        grading.run(store, jobs.lease_job(store, "w"), Dies(), batch=1)
    assert not courses.is_outdated(store, question_id)
    courses.set_facets(store, question_id, [CLOSED])
    assert courses.is_outdated(store, question_id)  # however it ends
    grading.run(store, jobs.lease_job(store, "v", expires_after=0), StubMachine(), batch=1)
    assert courses.get_question(store, question_id).judged == 4
    assert courses.is_outdated(store, question_id)
    do(store, "recheck", question_id)
    assert not courses.is_outdated(store, question_id)


class Repeating(StubMachine):
    """Calls the last answer one that a person has labelled; the stub gives everybody the label it heard."""

    def judge(self, question, texts, decided, *more):
        judged = super().judge(question, texts, decided, *more)
        return [*judged[:-1], replace(judged[-1], reason=Reason.TOLD)]


@pytest.fixture
def equal(store, question_id, ids):
    """The question with two facets, and an answer that is equal to the first one."""
    courses.set_facets(store, question_id, [PATH, CLOSED])
    answers.add_answers(store, question_id, [NewAnswer("e", "", "The path is CLOSED!")])
    return question_id


def found_of_last(store, question_id):
    return {one.name: (one.label, one.confidence) for one in views(store, question_id)[-1].judged.facets}


def test_who_writes_the_same_gets_the_same_ticks(store, equal, ids):
    path, closed = courses.get_question(store, equal).facets
    ticks = {path.id: False, closed.id: True}
    decisions.decide(store, equal, [ids["a"]], "irrelevant", "review", ticks)
    do(store, "grade", equal, Repeating())
    assert found_of_last(store, equal) == {"path": (UNADDRESSED, 1.0), "closed": (EXPRESSED, 1.0)}
    last = views(store, equal)[-1].judged
    assert (last.reason, last.teacher, last.student) == (Reason.TOLD, "", "")  # nothing is said of its label


def test_equals_take_only_what_a_person_was_asked_about(store, equal, ids):
    path, _ = courses.get_question(store, equal).facets
    decisions.decide(store, equal, [ids["a"]], "irrelevant", "review", {path.id: False})
    do(store, "grade", equal, Repeating())
    assert found_of_last(store, equal) == {"path": (UNADDRESSED, 1.0), "closed": (UNADDRESSED, 0.8)}
    # Of other facets the person has said nothing.
    courses.forget_facets(store, equal)
    courses.set_facets(store, equal, [PATH, Facet("", "CLOSED")])
    do(store, "recheck", equal, Repeating())
    assert found_of_last(store, equal) == {"path": (EXPRESSED, 0.8), "CLOSED": (EXPRESSED, 0.8)}


def test_equals_take_no_ticks_that_came_with_another_label(store, equal, ids):
    class Other(Repeating):
        def judge(self, question, texts, decided, *more):
            return super().judge(question, texts, ["correct"] * len(texts), *more)

    path, closed = courses.get_question(store, equal).facets
    ticks = {path.id: False, closed.id: False}
    decisions.decide(store, equal, [ids["a"]], "irrelevant", "review", ticks)
    do(store, "grade", equal, Other())
    assert found_of_last(store, equal)["path"] == (EXPRESSED, 0.8)


@pytest.fixture
def lit(store):
    course = courses.create_course(store, "Physics")
    reference = "The switch is closed and the battery is full."
    return courses.create_question(store, course, "Why is the bulb lit?", [reference], 2)


def test_the_shipped_grader_finds_and_judges_facets(store, lit):
    machine = GraderMachine()
    names = machine.facets(courses.get_question(store, lit))
    assert names == ["the switch is closed", "the battery is full"]
    courses.set_facets(store, lit, [Facet("", name) for name in names])
    new = ["the switch is closed", "The switch is closed!", "the battery is full and the switch is closed"]
    answers.add_answers(store, lit, [NewAnswer(str(n), "", text) for n, text in enumerate(new)])
    first = answers.list_answers(store, lit)[0]
    decisions.decide(store, lit, [first.id], "partially_correct_incomplete", "review")
    do(store, "grade", lit, machine)
    found = views(store, lit)
    assert [[one.ticked for one in view.facets] for view in found] == [
        [True, False],
        [True, False],  # a label that was repeated: the facets are looked for all the same
        [True, True],
    ]
    assert found[1].judged.reason is Reason.TOLD
    assert [view.score for view in found[:2]] == [0.5, 0.5]
    assert found[0].judged.facets[0].words


@pytest.fixture
def graded_by(store, question_id):
    """A rubric of one item, and a class that was graded by it."""
    courses.set_facets(store, question_id, [PATH])
    do(store, "grade", question_id)
    return question_id


def drafted(store, question_id, *facets):
    """The number of the job that looks for these beside the item that is there."""
    question = courses.get_question(store, question_id)
    return rubrics.draft_rubric(store, question_id, [*question.facets, *facets], question.facets_version)


def test_a_draft_is_looked_for_beside_what_counts(store, graded_by):
    before = {view.answer.key: view.judged for view in views(store, graded_by)}
    job_id = drafted(store, graded_by, Facet("", "open"))
    job = jobs.lease_job(store, "w")
    assert job.id == job_id
    grading.run(store, job, StubMachine())
    job = jobs.get_job(store, job_id)
    assert (job.state, job.done, job.result["answers"]) == ("done", 4, 4)
    assert {view.answer.key: view.judged for view in views(store, graded_by)} == before
    found = rubrics.found_for(store, job)
    names = {view.answer.id: view.answer.key for view in views(store, graded_by)}
    assert {names[id]: "".join(one.label[0] for one in its) for id, its in found.items()} == {
        "a": "EU",
        "b": "UE",
        "c": "UU",
        "d": "UU",
    }
    rubrics.apply_draft(store, job_id, rubrics.drafted(job))
    assert ticked(store, graded_by) == {"a": "10", "b": "01", "c": "00", "d": "00"}
    after = {view.answer.key: view.judged.label for view in views(store, graded_by)}
    assert after == {key: judged.label for key, judged in before.items()}
    assert not courses.is_outdated(store, graded_by)
    with pytest.raises(PostilError, match="no longer available"):
        rubrics.apply_draft(store, job_id, [PATH])


def test_a_draft_is_looked_for_in_the_rest_after_a_worker_died(store, graded_by):
    class Dying(StubMachine):
        def explain(self, question, texts, judgements):
            explained.append(len(texts))
            if len(explained) == 2:
                raise SystemExit
            return super().explain(question, texts, judgements)

    explained: list[int] = []
    drafted(store, graded_by, Facet("", "open"))
    with pytest.raises(SystemExit):
        grading.run(store, jobs.lease_job(store, "w"), Dying(), batch=2)
    again = jobs.lease_job(store, "w", expires_after=-1)
    grading.run(store, again, Dying(), batch=2)
    assert explained == [2, 2, 2]
    assert len(rubrics.found_for(store, again)) == 4


def test_a_new_draft_takes_the_place_of_one_that_is_being_looked_for(store, graded_by):
    drafted(store, graded_by, Facet("", "open"))
    first = jobs.lease_job(store, "w")
    second = drafted(store, graded_by, Facet("", "closed"))
    with pytest.raises(jobs.LeaseLostError):
        grading.run(store, first, StubMachine())
    assert jobs.lease_job(store, "w").id == second


def test_a_draft_needs_the_rubric_that_was_seen_and_is_asked_for_in_no_other_way(store, graded_by):
    with pytest.raises(ChangedError):
        rubrics.draft_rubric(store, graded_by, [PATH], "of yesterday")
    with pytest.raises(ValueError, match="preview"):
        jobs.enqueue(store, "preview", graded_by)
    job_id = drafted(store, graded_by, Facet("", "open"))
    grading.run(store, jobs.lease_job(store, "w"), StubMachine())
    seen = courses.get_question(store, graded_by).facets_version
    courses.set_facets(store, graded_by, [CLOSED])
    with pytest.raises(ChangedError):
        rubrics.apply_draft(store, job_id, [PATH], seen=seen)
    assert [one.first for one in courses.get_question(store, graded_by).facets] == ["closed"]


def test_a_draft_keeps_what_a_person_ticked_for_equal_answers(store, question_id, ids):
    courses.set_facets(store, question_id, [replace(PATH, deduction=1.0)])
    (path,) = courses.get_question(store, question_id).facets
    ticks = {path.id: False, denial(path.id): True}
    decisions.decide(store, question_id, [ids["a"]], PARTLY, "review", ticked=ticks)
    do(store, "grade", question_id)
    job_id = drafted(store, question_id, Facet("", "closed"))
    grading.run(store, jobs.lease_job(store, "w"), StubMachine())
    rubrics.apply_draft(store, job_id, rubrics.drafted(jobs.get_job(store, job_id)))
    view = get_view(store, ids["a"])
    assert [shown.label for shown in view.facets] == [CONTRADICTED, EXPRESSED]


def test_only_so_many_earlier_rubrics_are_kept(store, question_id, monkeypatch):
    monkeypatch.setattr(courses, "MOST_EARLIER", 3)
    for number in range(6):
        courses.set_facets(store, question_id, [Facet("", f"part {number}")], by=None)
    kept = [
        rubric.facets and rubric.facets[0].first for rubric in rubrics.earlier_rubrics(store, question_id)
    ]
    assert kept == ["part 4", "part 3", "part 2"]
