"""Long tables: one row per answer; grouping, ids, labels, round trips, and what can be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.tables import read_table, write_table
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Facet, Question, Reference
from postil.errors import InputError

FORMATS = [".csv", ".tsv", ".jsonl", ".xlsx"]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reader(text: str, **options: Any) -> list[Question]:
        path = tmp_path / "class.csv"
        path.write_text(text, encoding="utf-8")
        return read_table(path, **options)

    return reader


def ids(questions: list[Question]) -> list[list[str]]:
    return [[answer.id for answer in question.answers] for question in questions]


def test_rows_are_gathered_into_questions(read: Any) -> None:
    questions = read(
        "Question,Reference,Reference 2,ID,Answer,Label,Module\n"
        "Why?,Because.,For a reason.,s1,It is so,Correct,M1\n"
        "How?,Thus.,,s2,Don't know,not an answer,\n"
        "Why?,Because.,For a reason.,s3,,,\n"
        ",,,,,,\n"
        "How?,,,s4,So,PARTIALLY_CORRECT_INCOMPLETE,\n"
    )
    assert questions == [
        Question(
            "q1",
            "Why?",
            (Reference("r1", "Because."), Reference("r2", "For a reason.")),
            (Answer("s1", "It is so", "correct"), Answer("s3", "")),
            module="M1",
        ),
        Question(
            "q2",
            "How?",
            (Reference("r1", "Thus."),),
            (Answer("s2", "Don't know", "non_domain"), Answer("s4", "So", "partially_correct_incomplete")),
        ),
    ]


def test_one_question_given_by_options(read: Any) -> None:
    questions = read("answer\nyes\nno, never\n", question="Is it?", references=["It is.", "Yes."])
    assert questions == [
        Question(
            "q1",
            "Is it?",
            (Reference("r1", "It is."), Reference("r2", "Yes.")),
            (Answer("a1", "yes"), Answer("a2", "no, never")),
        )
    ]


def test_options_and_columns_must_not_both_speak(read: Any) -> None:
    with pytest.raises(InputError, match=r"the question is given twice.*in the column 'question'"):
        read("question,answer\nq,a\n", question="Why?")
    with pytest.raises(InputError, match=r"the reference is given twice.*in the column 'key'"):
        read("question,key,answer\nq,k,a\n", references=["r"])
    with pytest.raises(InputError, match="holds 2 questions, but the references were given for all of them"):
        read("question,answer\nq,a\np,a\n", references=["r"])
    assert read("question,answer\nq,a\n", question="Why?", columns={"question": ""})[0].text == "Why?"
    assert read("question,reference,answer\nq,,a\n", references=["r"])[0].references[0].text == "r"


def test_question_ids_group_rows_and_texts_may_be_left_out(read: Any) -> None:
    questions = read("qid,question,id,answer\nA,Why?,1,x\nB,Why?,2,y\nA,,3,z\nA,Why?  ,4,w\n")
    assert [(question.id, question.text) for question in questions] == [("A", "Why?"), ("B", "Why?")]
    assert ids(questions) == [["1", "3", "4"], ["2"]]


def test_made_up_ids_do_not_meet_given_ones(read: Any) -> None:
    questions = read("qid,question,id,answer\nq2,Why?,a2,x\n,How?,,y\n")
    assert [question.id for question in questions] == ["q2", "q2_"]
    assert ids(questions) == [["a2"], ["a2_"]]


def test_ids_shared_by_questions_get_the_question_before_them(read: Any) -> None:
    assert ids(read("question,student,answer\nW,s1,x\nH,s1,y\nW,s2,z\n")) == [["q1.s1", "q1.s2"], ["q2.s1"]]
    assert ids(read("question,student,answer\nW,s1,x\nH,s2,y\n")) == [["s1"], ["s2"]]
    with pytest.raises(InputError, match=r"'q' and 'q\.a' would both have an answer 'q\.a\.b'"):
        read("qid,id,answer\nq,a.b,x\nq.a,b,y\nq,c,1\nq.a,c,1\n")


def test_a_question_without_answers(read: Any) -> None:
    questions = read("question,reference,id,answer\nWhy?,Because.,,\nHow?,Thus.,s1,\n")
    assert ids(questions) == [[], ["s1"]]
    # Beside other rows of its question it is a pupil without a name who wrote nothing.
    assert ids(read("question,id,answer\nWhy?,,\nWhy?,s1,x\n")) == [["a1", "s1"]]
    assert ids(read("question,answer,label\nWhy?,,\n")) == [["a1"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "question,id,answer\nW,1,x\nW,2,x\nW,1,y\n",
            r"line 4: the id '1' occurs twice .*\(first on line 2\)",
        ),
        (
            "question,answer,label\nW,x,correct\nW,y,so so\n",
            "line 3: the label 'so so' is unknown.*partly right",
        ),
        (
            "question,answer,label\nW,x,irrelevant\nW,z,correct\nW,y,incorrect\n",
            "line 4: the label 'incorrect' belongs to a different scheme from 'irrelevant' on line 2",
        ),
        ("question,answer\n", "a header but no row"),
        (
            "question,reply text\nW,x\n",
            "no column for the answer was found; the columns are 'question', 'reply text'",
        ),
        ("id,answer\n1,x\n", "no column for the question was found.*--question"),
        ("question,answer\nW,x\n,y\n", "line 3: this row does not say which question"),
        (
            "qid,question,answer\nA,W,x\nA,H,y\n",
            r"line 3: the question 'A' has a different text here from line 2",
        ),
        (
            "question,key,answer\nW,1,x\nW,2,y\n",
            r"line 3: the same question has different references here from those on line 2",
        ),
        ("question,answer\nW,x,y\n", "line 2: this row has 3 cells"),
        ("question,answer,response\nW,x,y\n", "more than one column could hold the answer"),
    ],
)
def test_wrong_tables_are_explained(read: Any, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text)


@pytest.mark.parametrize("label", ["contradicts", "Contradictory", " CONTRADICTORY "])
def test_labels_by_either_name_in_any_case(read: Any, label: str) -> None:
    assert read(f"question,answer,label\nW,x,{label}\n")[0].answers[0].label == "contradictory"


def test_an_unknown_label_column_can_be_set_aside(read: Any) -> None:
    assert read("question,answer,label\nW,x,3/5\n", columns={"label": ""})[0].answers[0].label is None


def test_encoding_and_sheet_are_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("question,answer\nW,größer\n".encode("latin-1"))
    assert read_table(path, encoding="latin-1")[0].answers[0].text == "größer"
    write_table(tmp_path / "t.xlsx", [Question("q", "W", answers=(Answer("1", "x"),))])
    assert read_table(tmp_path / "t.xlsx", sheet="answers")[0].answers[0].text == "x"


def carried(kind: str) -> st.SearchStrategy[str]:
    """Text that every table carries exactly; JSONL holds more, the others no control characters."""
    if kind == ".jsonl":
        return st.text(max_size=12)
    low = "".join(chr(code) for code in range(32) if chr(code) not in "\t\n")
    return st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters=f"{low}\ufffe\uffff"), max_size=12
    )


def corpora(kind: str) -> st.SearchStrategy[list[Question]]:
    text = carried(kind) | st.sampled_from(["=1+1", 'a "b", c', "x\ny", "שלום", "😀", "-5", "@a", "_x000D_"])
    filled = text.filter(lambda value: value.strip() != "")
    id = filled.filter(lambda value: value == value.strip().strip("\ufeff"))
    label = st.none() | st.sampled_from(RESPONSE_SCHEMES["5way"].labels)

    def build(question_ids: list[str]) -> st.SearchStrategy[list[Question]]:
        answers = st.lists(st.tuples(id, text, label), max_size=4)
        part = st.tuples(filled, st.lists(filled, max_size=3), answers, st.just("") | id)
        parts = st.lists(part, min_size=len(question_ids), max_size=len(question_ids))
        return parts.map(lambda found: make(question_ids, found))

    return st.lists(id, min_size=1, max_size=3, unique=True).flatmap(build)


def make(
    question_ids: list[str], parts: list[tuple[str, list[str], list[tuple[str, str, str | None]], str]]
) -> list[Question]:
    seen: set[str] = set()
    questions = []
    for question_id, (text, references, answers, module) in zip(question_ids, parts, strict=True):
        fresh = []
        for id, answer, label in answers:
            if id not in seen:
                seen.add(id)
                fresh.append(Answer(id, answer, label))
        numbered = tuple(Reference(f"r{number}", each) for number, each in enumerate(references, start=1))
        questions.append(Question(question_id, text, numbered, tuple(fresh), module))
    return questions


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_round_trip(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    questions = data.draw(corpora(kind))
    path = tmp_path / f"table{kind}"
    write_table(path, questions)
    assert read_table(path) == questions


def test_what_a_table_does_not_carry(tmp_path: Path) -> None:
    reference = Reference("x9", "Because.", category="BEST", facets=(Facet("f1", "a", "b"),))
    write_table(
        tmp_path / "t.csv",
        [Question("q", "W", (reference,), (Answer("1", "x", match="x9", count=2),), qtype="t")],
    )
    assert read_table(tmp_path / "t.csv") == [
        Question("q", "W", (Reference("r1", "Because."),), (Answer("1", "x"),))
    ]


def test_writing_refuses_two_questions_of_one_id(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two questions have the id 'q'"):
        write_table(tmp_path / "t.csv", [Question("q", "a"), Question("q", "b")])
    assert not (tmp_path / "t.csv").exists()
