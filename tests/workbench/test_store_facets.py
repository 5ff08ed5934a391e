"""Facets in the store: set by a teacher, found by the machine, ticked, undone; older files are kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from postil.data.judgements import EXPRESSED, UNADDRESSED
from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.errors import PostilError
from postil.workbench.claims import Outcome, looked_for
from postil.workbench.store import answers, courses, decisions, jobs, judgements
from postil.workbench.store.answers import Filter
from postil.workbench.store.database import open_store

HEAT, AIR = Facet("", "heat"), Facet("", "air", weight=3.0, required=False)


def named(store, question_id):
    return {one.first: one for one in courses.get_question(store, question_id).facets}


def said(*names):
    return tuple(
        Outcome("p", name, EXPRESSED if name in names else UNADDRESSED, 0.8, ("w",))
        for name in ("heat", "air")
    )


@pytest.fixture
def partly(store, question_id, ids, judged):
    """All four answers partly right; a says nothing, b heat, c both, and of d nobody knows."""
    courses.set_facets(store, question_id, [HEAT, replace(AIR, required=True)])
    jobs.enqueue(store, "grade", question_id)
    held = jobs.lease_job(store, "w")
    found = {"a": said(), "b": said("heat"), "c": said("heat", "air"), "d": ()}
    names = looked_for(courses.get_question(store, question_id).facets)
    made = [judged(ids[key], PARTLY, facets=its, looked_for=names) for key, its in found.items()]
    judgements.save_judgements(store, held, made)
    jobs.finish(store, held, {})
    return question_id


def test_facets_are_set_renamed_and_forgotten(store, question_id):
    assert courses.get_question(store, question_id).facets is None
    courses.set_facets(store, question_id, [HEAT, replace(AIR, first="  the \n air ")])
    first = named(store, question_id)
    assert [(one.weight, one.required) for one in first.values()] == [(1.0, True), (3.0, False)]
    assert list(first) == ["heat", "the air"]
    # A renamed facet is the same; one with an id that nobody gave gets another.
    renamed = [replace(first["heat"], first="the heat"), replace(AIR, id="mine")]
    courses.set_facets(store, question_id, renamed)
    after = named(store, question_id)
    assert after["the heat"].id == first["heat"].id
    assert after["air"].id not in {"mine", *(one.id for one in first.values())}
    assert courses.list_questions(store, 1)[0].facets == tuple(after.values())
    courses.forget_facets(store, question_id)
    assert courses.get_question(store, question_id).facets is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ([], "at least one item"),
        ([AIR], "must be required"),
        ([HEAT, replace(HEAT, first=" ")], "item 2 is empty"),
        ([HEAT, replace(HEAT, first="x" * 201)], "item 2 has more than 200 characters"),
        ([HEAT, replace(HEAT, first=" HEAT")], "item 2 occurs twice"),
        ([replace(HEAT, first=str(n)) for n in range(21)], "at most 20 items"),
        *(([replace(HEAT, weight=one)], "above 0") for one in (0, -1, 100.5, float("nan"), float("inf"))),
    ],
)
def test_what_cannot_be_used_is_refused(store, question_id, wrong, told):
    with pytest.raises(PostilError, match=told) as raised:
        courses.set_facets(store, question_id, wrong)
    assert raised.value.hint
    assert courses.get_question(store, question_id).facets is None


def test_other_names_outdate_the_judgements_but_no_other_weights(store, graded):
    assert not courses.is_outdated(store, graded)
    courses.set_facets(store, graded, [HEAT])
    assert courses.is_outdated(store, graded)
    assert courses.get_question(store, graded).judged == 3
    courses.forget_facets(store, graded)
    assert not courses.is_outdated(store, graded)


def test_other_weights_outdate_nothing(store, partly):
    assert not courses.is_outdated(store, partly)
    known = named(store, partly)
    other = [replace(known["heat"], weight=5), replace(known["air"], required=False)]
    courses.set_facets(store, partly, other)
    assert not courses.is_outdated(store, partly)
    courses.set_facets(store, partly, other[:1])
    assert courses.is_outdated(store, partly)


def test_answers_earn_what_they_say_and_are_sorted_by_it(store, partly, ids):
    views = answers.find_views(store, partly, Filter(order="score"), 0, 10)
    assert [(view.answer.key, view.score) for view in views] == [
        ("c", 1.0),
        ("d", 0.5),  # as if there were no facets: nobody has looked
        ("b", 0.25),
        ("a", 0.0),
    ]
    assert [view.facets_said for view in views] == [(2, 2), None, (1, 2), (0, 2)]
    middle = answers.find_views(store, partly, Filter(order="score"), 1, 2, aligned=False)
    assert [view.answer.key for view in middle] == ["d", "b"]
    assert answers.neighbours(store, ids["b"], Filter(order="score")) == (ids["d"], ids["a"])
    decisions.decide(store, partly, [ids["a"]], "correct", "review")
    assert answers.find_views(store, partly, Filter(order="score"), 0, 1)[0].answer.key == "a"


def test_ticks_are_kept_with_the_decision_and_undone_with_it(store, partly, ids):
    known = named(store, partly)
    air, heat = known["air"].id, known["heat"].id
    decisions.decide(store, partly, [ids["a"]], PARTLY, "review", {air: True, heat: False})
    view = answers.get_view(store, ids["a"])
    assert (view.decision.ticked, view.score) == ({air: True, heat: False}, 0.75)
    decisions.decide(store, partly, [ids["a"]], PARTLY, "review", {air: False, heat: True})
    assert answers.get_view(store, ids["a"]).score == 0.25
    decisions.undo_last(store, partly)
    assert answers.get_view(store, ids["a"]).decision.ticked == {air: True, heat: False}
    decisions.undo_last(store, partly)
    assert answers.get_view(store, ids["a"]).score == 0.0
    decisions.decide(store, partly, [ids["a"], ids["c"]], PARTLY, "group")
    assert [answers.get_view(store, ids[key]).decision.ticked for key in "ac"] == [None, None]
    assert answers.get_view(store, ids["c"]).score == 1.0  # what the machine found counts


def test_a_decision_without_ticks_keeps_those_of_the_one_before(store, partly, ids):
    known = named(store, partly)
    ticks = {known["air"].id: True, known["heat"].id: False}
    decisions.decide(store, partly, [ids["a"]], PARTLY, "review", ticks)
    decisions.decide(store, partly, [ids["a"], ids["b"]], PARTLY, "group")
    assert [answers.get_view(store, ids[key]).decision.ticked for key in "ab"] == [ticks, None]
    assert [answers.get_view(store, ids[key]).score for key in "ab"] == [0.75, 0.25]


def test_facets_added_after_a_decision_are_the_machines_to_tell(store, partly, ids, judged):
    known = named(store, partly)
    decisions.decide(store, partly, [ids["c"]], PARTLY, "review", {known["heat"].id: False})
    view = answers.get_view(store, ids["c"])
    assert [(one.ticked, one.told) for one in view.facets] == [(False, True), (True, False)]
    # Nothing ticked at facets that are gone says nothing of others.
    courses.forget_facets(store, partly)
    courses.set_facets(store, partly, [HEAT, AIR])
    assert [one.ticked for one in answers.get_view(store, ids["c"]).facets] == [True, True]


def test_an_id_that_was_sent_twice_is_the_first_ones(store, partly):
    first = named(store, partly)["heat"]
    courses.set_facets(store, partly, [first, replace(first, first="warmth")])
    after = named(store, partly)
    assert after["heat"].id == first.id != after["warmth"].id


def test_outcomes_are_kept_with_judgements_and_proposals(store, partly, ids, judged):
    assert answers.get_view(store, ids["b"]).judged.facets == said("heat")
    job = jobs.enqueue(store, "regrade", partly)
    held = jobs.lease_job(store, "w")
    # What stays partly right would earn something else, and no page has shown that.
    new = {"a": PARTLY, "b": "contradictory"}
    proposed = [judged(ids[key], label, facets=said("air")) for key, label in new.items()]
    judgements.save_judgements(store, held, proposed)
    jobs.finish(store, held, {})
    before = answers.get_view(store, ids["a"])
    judgements.apply_changes(store, job)
    after = {key: answers.get_view(store, ids[key]) for key in new}
    assert (after["a"].judged.facets, after["a"].score) == (before.judged.facets, before.score)
    assert after["a"].judged.looked_for == before.judged.looked_for
    assert (after["b"].judged.label, after["b"].judged.facets) == ("contradictory", said("air"))
    assert courses.is_outdated(store, partly)  # by what was proposed for b


OLD = """
INSERT INTO course VALUES (1, 'Physics', '2024-01-01');
INSERT INTO question VALUES (1, 1, 'Why?', '["It is so."]', 2.0, '2024-01-01');
INSERT INTO answer VALUES (1, 1, 'a', 'Ada', 'so', 0, 1);
INSERT INTO job VALUES
  (1, 1, 'grade', 'done', '', 1, 1, '', '{"decided": 0}', '', 1, '2024-01-01', NULL, NULL, NULL);
INSERT INTO judgement VALUES
  (1, 1, 'correct', '{"correct": 0.9}', 0.9, 0.9, 0, '', 'It is so.', 'Yes.', 'Well.', NULL, '2024-01-01');
INSERT INTO decision VALUES
  (1, 1, 1, 'partially_correct_incomplete', '2024-01-01', 'review', 1, 1, NULL, 'correct', '{"correct": 0.9}')
"""


def test_a_file_of_the_first_version_is_brought_up_to_date_and_keeps_everything(tmp_path):
    path = tmp_path / "workbench.db"
    config = Config()
    config.set_main_option("script_location", "postil.workbench.store:migrations")
    config.set_main_option("path_separator", "os")
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in OLD.replace("'2024-01-01'", "'2024-01-01 00:00:00.000000'").split(";"):
            connection.exec_driver_sql(statement)
    engine.dispose()
    store = open_store(path)
    assert [course.name for course in courses.list_courses(store)] == ["Physics"]
    question = courses.get_question(store, 1)
    assert (question.references, question.judged, question.facets) == (("It is so.",), 1, None)
    view = answers.get_view(store, 1)
    assert (view.score, view.facets, view.judged.teacher) == (0.5, (), "Yes.")
    assert (view.decision.ticked, view.decision.machine_label) == (None, "correct")
    assert not courses.is_outdated(store, 1)
    courses.set_facets(store, 1, [HEAT])
    assert courses.is_outdated(store, 1)
    store.close()
