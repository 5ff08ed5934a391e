"""Moodle's report of responses: its columns in several languages, and whose attempt counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.data.formats.moodle import find_slots, identity_column, last_attempts, slot_of
from postil.data.formats.rows import read_rows, write_rows
from postil.data.formats.wide import read_wide
from postil.errors import InputError

DATA = Path(__file__).parent.parent / "fixtures" / "moodle"


@pytest.mark.parametrize(
    ("name", "slot"),
    [
        ("Response 1", (1, "response")),
        ("Right answer 12", (12, "right")),
        ("Frage 2", (2, "question")),
        ("Respuesta correcta 3", (3, "right")),
        ("1 erantzuna", (1, "response")),
        ("Erantzun zuzena 1", (1, "right")),
        ("Réponse 4", (4, "response")),
        ("rightanswer1", (1, "right")),
        ("Response", None),
        ("1 Response 1", None),
        (f"Response {'1' * 5000}", None),
        (f"{'1' * 5000} erantzuna", None),
        ("Grade/10.00", None),
        ("Why is it so?", None),
    ],
)
def test_columns_of_a_question(name, slot):
    assert slot_of(name) == slot


@pytest.mark.parametrize(
    ("file", "who", "question", "answers", "right"),
    [
        ("responses-3-de.csv", "E-Mail-Adresse", "Warum schwimmt Eis?",
         {"joerg@schule.example": "Es ist leichter als Wasser"}, "Eis hat eine geringere Dichte als Wasser."),
        ("responses-3-es.csv", "Dirección de correo", "¿Por qué flota el hielo?",
         {"lucia@colegio.example": "Es menos denso"}, "El hielo es menos denso que el agua."),
        ("responses-3-eu.csv", "Erabiltzaile-izena", "Zergatik flotatzen du izotzak?",
         {"miren": "Arinagoa delako"}, "Izotza ura baino dentsitate txikiagokoa da."),
        ("responses.json", "emailaddress", "What is dew?",
         {"ane@school.example": "Water from the air"}, "Water vapour that has condensed on cold grass"),
    ],
)  # fmt: skip
def test_reports_in_other_languages_and_json(file, who, question, answers, right):
    assert identity_column(read_rows(DATA / file)) == who
    (read,) = read_wide(DATA / file)
    assert read.text == question
    assert {answer.id: answer.text for answer in read.answers} == answers
    assert [reference.text for reference in read.references] == [right]


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_the_last_finished_attempt_counts(tmp_path, ending):
    rows = read_rows(DATA / "responses-4.csv")
    path = tmp_path / f"responses{ending}"
    write_rows(path, rows.header, [row.cells for row in rows.rows])
    kept, notes = last_attempts(read_rows(path))
    assert kept.column("First name") == ["Ben", "Ane"]
    assert notes == (
        "2 rows without a finished attempt were left out.",
        "1 earlier attempt was left out: each student’s last finished attempt counts.",
    )
    assert kept.column("Response 1") == ["", "Ice is less dense"]
    # Only what has tags is read as HTML.
    assert kept.column("Response 3")[0] == "The fastest molecules leave, even where x < 5 and y > 3"
    questions = read_wide(path)
    assert [len(question.answers) for question in questions] == [2, 2, 2]
    assert [[one.text for one in question.references] for question in questions] == [
        ["Ice is less dense than water."], [], [],
    ]  # fmt: skip


def test_tags_in_responses_are_taken_off(file):
    path = file("Email address,Response 1\na@x,<p>one&nbsp;two</p><p>three</p>\n", "r.csv")
    kept, notes = last_attempts(read_rows(path))
    assert kept.column("Response 1") == ["one two\nthree"]
    assert notes == ()


def test_states_tell_where_no_time_does(file):
    path = file("Username,State,Response 1\na,In progress,x\nb,Finished,y\nc,Never submitted,z\n", "r.csv")
    kept, _ = last_attempts(read_rows(path))
    assert kept.column("Username") == ["b"]


def test_nobody_is_lost_where_it_is_unclear_who_is_who(file):
    path = file("Surname,Email address,Response 1\nLee,,x\nLee,,y\nPoe,p@x,z\n", "r.csv")
    kept, notes = last_attempts(read_rows(path))
    assert (len(kept.rows), notes) == (3, ())
    path = file("Surname,Response 1\nLee,x\nLee,y\n", "s.csv")
    assert len(last_attempts(read_rows(path))[0].rows) == 2


def test_the_fullest_column_finds_students(file):
    header = "ID number,Email address,Response 1"
    assert identity_column(read_rows(file(f"{header}\n7,,x\n8,,y\n", "r.csv"))) == "ID number"
    assert identity_column(read_rows(file(f"{header}\n,a@x,x\n8,b@x,y\n", "s.csv"))) == "Email address"
    assert identity_column(read_rows(file("Surname,Response 1\nLee,x\n", "t.csv"))) is None


def test_other_tables_stay_as_they_are(file):
    rows = read_rows(file("id,answer\n1,-\n1,<p>x</p>\n", "r.csv"))
    assert last_attempts(rows) == (rows, ())
    assert find_slots(["Question 1", "Question 2"]) == {}


def test_a_report_without_a_finished_attempt(file):
    path = file("Username,Completed,Response 1\na,-,x\n", "r.csv")
    with pytest.raises(InputError, match="contains no finished attempt"):
        last_attempts(read_rows(path))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[", "line 1: is not JSON"),
        ('{"a": 1}', "not a list of rows"),
        ("[]", "not a list of rows"),
        ("[[1, 2]]", "not an object"),
        ('[{"a": {"b": 1}}]', "neither a text"),
    ],
)
def test_json_that_is_no_table(file, content, words):
    with pytest.raises(InputError, match=words):
        read_rows(file(content, "r.json"))
