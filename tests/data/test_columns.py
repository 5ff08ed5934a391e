"""Which column is which: names people use, explicit mappings, and doubtful cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from postil.data.formats.rows import (
    ROLES,
    ColumnMap,
    Row,
    Rows,
    find_columns,
    key_of,
    recognised_names,
    reference_columns,
)
from postil.errors import InputError, PostilError


def table(header: Sequence[str], blank: Sequence[str] = ()) -> Rows:
    return Rows(
        Path("t.csv"), tuple(header), (Row(2, tuple("" if name in blank else "x" for name in header)),)
    )


def find(*header: str, blank: Sequence[str] = (), **mapping: str) -> ColumnMap:
    return find_columns(table(header, blank), mapping)


@pytest.mark.parametrize("role", ROLES)
def test_every_recognised_name_is_found_however_it_is_spelt(role: str) -> None:
    for name in recognised_names(role):
        for spelling in (
            name,
            name.upper(),
            name.replace(" ", "_"),
            name.title().replace(" ", ""),
            f" {name}: ",
        ):
            found = find("other", spelling)
            expected = {"references": (spelling,)} if role == "reference" else {role: spelling}
            assert found == ColumnMap(**expected), spelling  # type: ignore[arg-type]


def test_no_name_serves_two_roles() -> None:
    owner: dict[str, str] = {}
    for role in ROLES:
        for name in recognised_names(role):
            assert owner.setdefault(key_of(name), role) == role


def test_a_usual_header() -> None:
    assert find("Question", "Model answer", "Student", "Response", "Grade label", "Unit") == ColumnMap(
        "Question", ("Model answer",), "Response", "Student", "Grade label", None, "Unit"
    )


def test_better_names_win() -> None:
    assert find("answer", "student_answer").answer == "student_answer"
    assert find("question", "question text").question == "question text"
    assert find("name", "email", "student id").id == "student id"
    assert find("Name", "E-mail").id == "E-mail"
    assert find("gold", "label").label == "label"
    assert find("key", "reference").references == ("reference",)
    assert find("key").references == ("key",)


def test_numbered_references_come_in_order() -> None:
    header = ("Reference 10", "reference_2", "Reference", "Right answer 1", "right answer 2")
    assert reference_columns(header) == (
        "Reference",
        "reference_2",
        "Reference 10",
        "Right answer 1",
        "right answer 2",
    )


def test_two_equally_good_columns_are_a_question_to_the_user() -> None:
    with pytest.raises(InputError, match=r"hold the answer: 'answer', 'response'.*--column 'answer=answer'"):
        find("answer", "response")
    assert find("answer", "response", answer="response").answer == "response"
    with pytest.raises(InputError, match="question id: 'qid', 'question id'"):
        find("qid", "question id")


def test_mapping_wins_and_takes_the_column_from_other_roles() -> None:
    found = find("answer", "reply", "name", "key", reference="answer", answer="REPLY", id="")
    assert found == ColumnMap(None, ("answer",), "reply", None)
    assert find("a", "b", "c", reference_2="a", reference="c").references == ("c", "a")
    assert find("reference", "answer", reference="").references == ()


def test_empty_columns_say_nothing_except_that_nobody_answered() -> None:
    found = find("id", "name", "reference", "answer", "label", blank=("id", "reference", "answer", "label"))
    assert found == ColumnMap(answer="answer", id="name")


def test_unknown_columns_and_roles() -> None:
    with pytest.raises(
        InputError, match=r"no column called 'Reply', which --column answer names.*'id', 'text'"
    ):
        find("id", "text", answer="Reply")
    with pytest.raises(PostilError, match=r"no role 'mark'.*question, reference, answer"):
        find("id", mark="id")
    with pytest.raises(PostilError, match="no role 'answer_2'"):
        find("id", answer_2="id")
    mapping: Mapping[str, str] = {"answer": "my text"}
    with pytest.raises(InputError, match="several columns are called 'my text'"):
        find_columns(table(["My Text", "my_text"]), mapping)


@pytest.mark.parametrize(
    ("name", "key"), [("Student_Answer:", "studentanswer"), ("±", "±"), ("Ｑ１", "q1"), (" ", "")]
)
def test_key_of(name: str, key: str) -> None:
    assert key_of(name) == key
