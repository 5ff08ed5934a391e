"""What programs rely on: names, arguments, fields, columns. Later versions may add some, never remove any."""

from __future__ import annotations

import csv
import inspect
import sys
from dataclasses import fields

import pytest

from postil import Answer, Grader, Judgement, Question, Reason, Reference, client, load
from postil.cli.main import main

FUNCTIONS = {
    load: "model=None, *, credit=None, target=None",
    Grader.grade: "self, question, references, answer, *, explain=False",
    Grader.grade_many: "self, questions, *, progress=None, explain=False",
    Grader.remember: "self, question, references, labelled",
    Grader.propose: "self, question, references, answers, count",
}
FIELDS = {
    Question: "id text references answers module corpus test_set qtype stype",
    Reference: "id text category file_id facets",
    Answer: "id text label match count facets row",
    Judgement: "labels probabilities score confidence deferred reference because explanation",
}
REASONS = "told empty no_words reference no_answer question unknown_words long unread unexplained"
CLIENT_NAMES = {"ApiError", "Client", "NewAnswer", "NewFacet", "UnreachableError"}
SENT = {
    client.NewAnswer: "key text student label",
    client.NewFacet: "name id weight required",
}
CLIENT = {
    "__init__": "self, address=None, token=None, *, timeout=60.0, retries=3, transport=None",
    "add_answers": "self, question_id, answers",
    "align_pairs": "self, pairs",
    "apply_changes": "self, question_id, job_id",
    "close": "self",
    "create_course": "self, name",
    "create_question": "self, course_id, text, references, *, points=1.0",
    "decide": "self, answer_id, label, *, ticked=None",
    "delete_answer": "self, answer_id",
    "delete_course": "self, course_id",
    "delete_question": "self, question_id",
    "drop_changes": "self, question_id, job_id",
    "edit_question": "self, question_id, *, text=None, references=None, points=None",
    "entail_pairs": "self, pairs, *, scheme='3way'",
    "export_course": "self, course_id, kind='xlsx', *, to=None",
    "export_question": "self, question_id, kind='csv', *, answers='all', to=None",
    "find_facets": "self, reference, answers, *, question='', facets=None",
    "forget_facets": "self, question_id",
    "get_answer": "self, answer_id",
    "get_course": "self, course_id",
    "get_facets": "self, question_id",
    "get_job": "self, job_id",
    "get_question": "self, question_id",
    "grade_class": "self, question, references, answers, *, "
    "decided=(), scheme='5way', explain=False, facets=False",
    "health": "self",
    "list_answers": "self, question_id, *, label=None, state=None, search=None",
    "list_changes": "self, question_id",
    "list_courses": "self",
    "list_decisions": "self, answer_id",
    "list_jobs": "self, question_id",
    "list_questions": "self, course_id",
    "me": "self",
    "rename_course": "self, course_id, name",
    "set_facets": "self, question_id, facets",
    "start_job": "self, question_id, kind",
    "undo": "self, question_id",
    "wait": "self, job, *, progress=None, timeout=None, every=1.0",
}
COLUMNS = (
    *("question_id", "question", "id", "answer", "label"),
    *("says", "score", "confidence", "deferred", "because"),
)
EXPLAINED = ["explanation", "facets", "feedback"]


def demand_arguments(function, wanted: str) -> None:
    """It takes all the arguments that it took, in their places, with their defaults; new ones have some."""
    by_place, by_name = [], []
    for one in inspect.signature(function).parameters.values():
        text = one.name if one.default is one.empty else f"{one.name}={one.default!r}"
        (by_name if one.kind is one.KEYWORD_ONLY else by_place).append(text)
    places, _, names = (part.strip(", ") for part in wanted.partition("*"))
    before = places.split(", ")
    assert by_place[: len(before)] == before
    named = names.split(", ") if names else []
    assert set(named) <= {*by_name, *by_place[len(before) :]}
    assert all("=" in one for one in (*by_place[len(before) :], *by_name) if one not in named)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__qualname__)
def test_the_library_takes_what_it_took(function):
    demand_arguments(function, FUNCTIONS[function])


@pytest.mark.parametrize("kind", [*FIELDS, *SENT], ids=lambda one: one.__name__)
def test_records_have_the_fields_that_they_had(kind):
    wanted = (FIELDS | SENT)[kind].split()
    names = [one.name for one in fields(kind)]
    # Who makes records gives fields by their places; who is given some asks for them by name.
    assert set(wanted) <= set(names) if kind is Judgement else names[: len(wanted)] == wanted


def test_a_judgement_has_a_label():
    assert isinstance(Judgement.label, property)


def test_reasons_are_called_what_they_were():
    assert set(REASONS.split()) <= set(Reason)
    judgement = Judgement({"5way": "non_domain"}, {}, 0.0, 1.0, reason=Reason.EMPTY)
    assert (judgement.reason, judgement.because) == ("empty", "nothing was written")


def test_the_client_has_the_names_that_it_had():
    assert set(client.__all__) >= CLIENT_NAMES
    assert all(hasattr(client, name) for name in CLIENT_NAMES)


@pytest.mark.parametrize("name", CLIENT)
def test_the_client_takes_what_it_took(name):
    demand_arguments(getattr(client.Client, name), CLIENT[name])


@pytest.mark.parametrize("explain", [False, True])
def test_the_columns_of_a_result(tmp_path, monkeypatch, explain):
    table, result = tmp_path / "class.csv", tmp_path / "graded.csv"
    table.write_text("question,reference,answer\nWhy does ice float?,It is light.,it is light\n")
    command = ["postil", "grade", str(table), "-o", str(result), *["--explain"] * explain]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    with result.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file))
    wanted = [*COLUMNS, *EXPLAINED * explain]
    assert [name for name in header if name in wanted] == wanted
    assert header[-1] == "teacher"  # where corrections are written
