"""Wide tables: exports of forms and learning platforms, and key files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.rows import write_rows
from postil.data.formats.tables import fill_from_key, read_key, read_table
from postil.data.formats.wide import looks_wide, parse_assignments, read_wide
from postil.data.questions import Question
from postil.errors import InputError, PostilError

FLOAT = "Why does ice float on water?"
GOOGLE = f"""\
Timestamp,Email Address,Score,{FLOAT},{FLOAT} [Score],Name one gas of the air
2024/05/01,ann@x.org,1 / 2,It is less dense.,1,oxygen
2024/05/02,ben@x.org,0 / 2,,0,"helium, I think"
"""
LAMP = "Explain why the lamp goes out."
MICROSOFT = f"""\
ID;Start time;Completion time;Email;Name;Total points;Quiz feedback;{LAMP};Points - {LAMP};Feedback - {LAMP}
1;9:00;9:05;anonymous;;1;;The circuit is open;1;
2;9:01;9:06;anonymous;;0;;No idea;0;
"""
MOODLE_TIMES = "State,Started on,Completed,Time taken,Grade/2.00"
MOODLE = f"""\
Surname,Email address,{MOODLE_TIMES},Question 1,Response 1,Right answer 1,Question 2,Response 2,Right answer 2
Lee,ann@x.org,Finished,May 1,May 1,3 mins,1.00,Why?,Because it is.,Because.,How?,-,Thus.
Poe,ben@x.org,Finished,May 1,May 1,3 mins,1.00,How?,Thus so,Thus.,Why?,No,Because.
"""
CANVAS = """\
name,id,sis_id,section,submitted,attempt,47110: Why does it rain?,1.0,47111: Where is it?,1.0,n correct,score
Ann,7,,A,today,1,clouds,1,here,1,2,2
Ben,8,,A,today,1,,0,there,0,0,0
"""


@pytest.fixture
def put(tmp_path: Path) -> Any:
    def writer(text: str, name: str = "class.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def brief(questions: list[Question]) -> list[tuple[str, str, list[str], dict[str, str]]]:
    return [
        (
            question.id,
            question.text,
            [reference.text for reference in question.references],
            {answer.id: answer.text for answer in question.answers},
        )
        for question in questions
    ]


def test_google_forms(put: Any) -> None:
    assert brief(read_wide(put(GOOGLE))) == [
        ("q1", "Why does ice float on water?", [], {"ann@x.org": "It is less dense.", "ben@x.org": ""})
    ]
    named = read_wide(
        put(GOOGLE),
        questions={"Name one gas of the air": "Which gas is in the air?"},
        references={"why does ice float on water": ["It is less dense."]},
    )
    assert brief(named) == [
        (
            "q1",
            "Why does ice float on water?",
            ["It is less dense."],
            {"q1.ann@x.org": "It is less dense.", "q1.ben@x.org": ""},
        ),
        ("q2", "Which gas is in the air?", [], {"q2.ann@x.org": "oxygen", "q2.ben@x.org": "helium, I think"}),
    ]


def test_microsoft_forms(put: Any) -> None:
    assert brief(read_wide(put(MICROSOFT))) == [
        ("q1", "Explain why the lamp goes out.", [], {"1": "The circuit is open", "2": "No idea"})
    ]


def test_moodle_triples_with_questions_in_different_slots(put: Any) -> None:
    assert brief(read_wide(put(MOODLE))) == [
        ("q1", "Why?", ["Because."], {"q1.ann@x.org": "Because it is.", "q1.ben@x.org": "No"}),
        ("q2", "How?", ["Thus."], {"q2.ben@x.org": "Thus so", "q2.ann@x.org": ""}),
    ]


def test_moodle_with_responses_only(put: Any) -> None:
    path = put("Email address,Response 1,Right answer 1,Response 2\na@x,yes,Yes.,-\nb@x,no,Yes.,two\n")
    assert brief(read_wide(path)) == [
        ("q1", "Response 1", ["Yes."], {"q1.a@x": "yes", "q1.b@x": "no"}),
        ("q2", "Response 2", [], {"q2.a@x": "", "q2.b@x": "two"}),
    ]
    given_text = read_wide(path, questions={"Response 1": "Is it?"})
    assert brief(given_text) == [("q1", "Is it?", ["Yes."], {"a@x": "yes", "b@x": "no"})]


def test_moodle_the_same_question_twice_and_one_not_asked(put: Any) -> None:
    path = put("ID,Question 1,Response 1,Question 2,Response 2\n1,Why?,a,Why?,b\n2,Why?,c,,-\n")
    assert brief(read_wide(path)) == [
        ("q1", "Why?", [], {"q1.1": "a", "q1.2": "c"}),
        ("q2", "Why?", [], {"q2.1": "b"}),
    ]


def test_moodle_with_a_key_by_question_text(put: Any) -> None:
    key = put("question,reference\nWhy?,So it is.\nhow?,Thus!\n", "key.csv")
    read = read_wide(put(MOODLE), key=key)
    assert [[reference.text for reference in question.references] for question in read] == [
        ["So it is."],
        ["Thus!"],
    ]


def test_canvas(put: Any) -> None:
    assert brief(read_wide(put(CANVAS))) == [
        ("47110", "Why does it rain?", [], {"47110.7": "clouds", "47110.8": ""}),
        ("47111", "Where is it?", [], {"47111.7": "here", "47111.8": "there"}),
    ]
    key = put("question,reference\nWhere is it?,Here.\n", "key.csv")
    assert brief(read_wide(put(CANVAS), key=key)) == [
        ("47111", "Where is it?", ["Here."], {"7": "here", "8": "there"})
    ]


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".jsonl", ".xlsx"])
def test_key_files(put: Any, tmp_path: Path, kind: str) -> None:
    key = tmp_path / f"key{kind}"
    header = ["Column", "Question ID", "Question", "Model answer", "Model answer 2"]
    write_rows(key, header, [["q_2", "K2", "How?", "Thus.", ""], ["Q1", "", "Why?", "Because.", "So."]])
    assert brief(read_wide(put("Name,Q1,Q2\nAnn,x,y\n"), key=key)) == [
        ("Q1", "Why?", ["Because.", "So."], {"Q1.Ann": "x"}),
        ("K2", "How?", ["Thus."], {"K2.Ann": "y"}),
    ]


def test_key_rows_of_one_question_add_references_and_options_win(put: Any) -> None:
    key = put("question id,reference\nQ1,a\nQ1,b\nQ9,of another class\n", "key.csv")
    path = put("Name,Q1,Q2\nAnn,x,y\n")
    assert brief(read_wide(path, key=key)) == [("Q1", "Q1", ["a", "b"], {"Ann": "x"})]
    assert brief(read_wide(path, key=key, references={"Q1": ["c"]}, questions={"Q1": "W"}))[0][1:3] == (
        "W",
        ["c"],
    )


def test_key_files_that_do_not_fit(put: Any) -> None:
    path = put("Name,Q1,Q2\nAnn,x,y\n")
    with pytest.raises(
        InputError, match=r"key\.csv, line 2: .*has no column 'Q7', which the key names.*'Q1', 'Q2'"
    ):
        read_wide(path, key=put("column,reference\nQ7,a\n", "key.csv"))
    with pytest.raises(InputError, match=r"the key names 'Q7', but .* has other columns"):
        read_wide(path, key=put("question id,reference\nQ7,a\n", "key.csv"))
    with pytest.raises(InputError, match="the key names no questions"):
        read_key(put("reference\na\n", "key.csv"))
    with pytest.raises(InputError, match="line 3: this row of the key does not say"):
        read_key(put("question,reference\nq,a\n,b\n", "key.csv"))
    with pytest.raises(InputError, match="a header but no row"):
        read_key(put("question,reference\n", "key.csv"))


def test_key_for_a_long_table(put: Any) -> None:
    key = put("qid,question,reference\nA,2+2?,four\nB,2-2?,nought\n", "key.csv")
    read = read_table(put("qid,id,answer\nA,1,x\nB,2,y\n"))
    assert brief(fill_from_key(read, key)) == [
        ("A", "2+2?", ["four"], {"1": "x"}),
        ("B", "2-2?", ["nought"], {"2": "y"}),
    ]
    by_text = read_table(put("question,id,answer\n2-2?,1,x\n"))
    assert brief(fill_from_key(by_text, key))[0][2] == ["nought"]
    with pytest.raises(InputError, match=r"has no entry for the question 'q1' \('3\?'\)"):
        fill_from_key(read_table(put("question,id,answer\n3?,1,x\n")), key)


def test_ids_in_wide_tables(put: Any) -> None:
    path = put("Name,ID number,Q1,Q2\nAnn,,x,y\n,,z,\n")
    texts = {"Q1": "W", "Q2": "H"}
    assert [list(each[3]) for each in brief(read_wide(path, questions=texts))] == [
        ["Q1.Ann", "Q1.a2"],
        ["Q2.Ann", "Q2.a2"],
    ]
    assert list(brief(read_wide(path, questions={"Q1": "W"}, id_column=""))[0][3]) == ["a1", "a2"]
    assert list(brief(read_wide(path, questions={"Q1": "W"}, id_column="q2"))[0][3]) == ["y", "a2"]
    with pytest.raises(
        InputError, match=r"line 3: the id 'Ann' occurs twice for one question \(first on line 2\)"
    ):
        read_wide(put("Name,Q1\nAnn,x\nAnn,y\n"), questions={"Q1": "W"})


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("Name,Score\nAnn,1\n", {}, "no column looks like a question; the columns are 'Name', 'Score'"),
        ("Name,Q1\nAnn,1\n", {"questions": {"Q2": "W"}}, "no column called 'Q2', which --question names"),
        ("Name,Q1\nAnn,1\n", {"id_column": "Nr", "questions": {"Q1": "W"}}, "no column called 'Nr'"),
        ("Name,Why?\n", {}, "a header but no row"),
        ("Name,Q1,Q1\nAnn,1,2\n", {}, "are both called 'Q1'"),
    ],
)
def test_wide_tables_that_cannot_be_read(put: Any, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_wide(put(text), **options)


def test_two_columns_with_one_question_id(put: Any) -> None:
    key = put("column,question id\nWhy is it so?,X\nHow is it so?,X\n", "key.csv")
    with pytest.raises(InputError, match="two questions have the id 'X'"):
        read_wide(put("Why is it so?,How is it so?\na,b\n"), key=key)


@pytest.mark.parametrize(
    ("header", "wide"),
    [
        (GOOGLE.splitlines()[0].split(","), True),
        (MICROSOFT.splitlines()[0].split(";"), True),
        (MOODLE.splitlines()[0].split(","), True),
        (CANVAS.splitlines()[0].split(","), True),
        (["Name", "Q1", "Q2"], True),
        (["Student", "Response 1"], True),
        (["question", "reference", "answer"], False),
        (["id", "text", "label"], False),
        (["question", "What the pupil wrote in the test"], False),
        (["Timestamp", "Name", "Score", "Grade/10.00"], False),
        (["name", "Points - What is the capital of France?"], False),
    ],
)
def test_looks_wide(header: list[str], wide: bool) -> None:
    assert looks_wide(header) is wide


def test_parse_assignments() -> None:
    assert parse_assignments(["Q1=Why?", "Q2 = a=b", "Q1=How?"]) == {"Q1": ("Why?", "How?"), "Q2": ("a=b",)}
    assert parse_assignments(["x=3?=Solve it"], header=["x", "x=3?"]) == {"x=3?": ("Solve it",)}
    for wrong in ("Why?", "=Why?", "Q1=", "Q1"):
        with pytest.raises(PostilError, match=r"--reference .*'COLUMN=text'.*The columns are 'Q1'"):
            parse_assignments([wrong], option="--reference", header=["Q1"])


SAFE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff"), max_size=20
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.tuples(SAFE, SAFE), min_size=1, max_size=5),
    kind=st.sampled_from([".csv", ".tsv", ".jsonl", ".xlsx"]),
)
def test_answers_come_through_exactly(tmp_path: Path, cells: list[tuple[str, str]], kind: str) -> None:
    path = tmp_path / f"wide{kind}"
    write_rows(path, ["ID", "Q1", "Q2"], [[f"s{number}", *pair] for number, pair in enumerate(cells)])
    read = read_wide(path, questions={"Q1": "Why?", "Q2": "How?"})
    assert [[answer.text for answer in question.answers] for question in read] == [
        list(column) for column in zip(*cells, strict=True)
    ]
