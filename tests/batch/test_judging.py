"""Judging a batch: which column is which, which rows are one class, and what is added to each row."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from stub_judge_engine import StubJudge

from postil.batch.partitions import RAW, Batch
from postil.batch.parts import tally_of
from postil.batch.work import Asked, Tally, Work
from postil.batch.worker import COLUMNS, EXPLAINED, columns_read, find_roles, judge_batch
from postil.errors import InputError, PostilError


class Seeing(StubJudge):
    """Remembers what it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def grade_many(self, questions, *, explain=False):
        for question in questions:
            references = tuple(one.text for one in question.references)
            self.asked.append((question.text, references, [one.text for one in question.answers]))
            yield from super().grade_many([question], explain=explain)


def judge(values, work, names=None):
    roles = find_roles("a.csv", names or list(values), work)
    count = len(next(iter(values.values())))
    batch = Batch(
        pa.table({RAW: [str(n) for n in range(count)]}), {name: values[name] for name in columns_read(roles)}
    )
    seeing = Seeing()
    table = judge_batch(batch, roles, work, seeing.grade_many)
    return seeing.asked, table, tally_of(table)


def test_answers_to_one_question_are_a_class_and_rows_keep_their_order():
    asked, table, tally = judge(
        {
            "question": ["Q1", "Q2", "Q1"],
            "reference": ["r", "s", "r"],
            "reference_2": ["t", None, "t"],
            "answer": ["five5", None, "sixsix"],
        },
        Work("out"),
    )
    assert asked == [("Q1", ("r", "t"), ["five5", "sixsix"]), ("Q2", ("s",), [""])]
    assert table.column_names == [RAW, *COLUMNS]
    assert table.column("postil_label").to_pylist() == ["correct", "correct", "partially_correct_incomplete"]
    assert tally == Tally(3, {"correct": 2, "partially_correct_incomplete": 1}, deferred=1)


def test_rows_without_a_reference_stay_without_a_label():
    _, table, tally = judge(
        {"question": ["Q", "Q"], "reference": ["r", " "], "answer": ["a", "b"]}, Work("out", explain=True)
    )
    row = table.to_pylist()[1]
    assert {row[name] for name in (*COLUMNS, *EXPLAINED)} == {None, "there is no reference to compare with"}
    assert (tally.rows, tally.unjudged) == (2, 1)


def test_a_list_of_references_and_numbers_as_answers():
    asked, _, _ = judge(
        {"question": ["Q", "Q"], "references": [["r", "s"], ["r", "s"]], "answer": [7, 1.0]}, Work("out")
    )
    assert asked == [("Q", ("r", "s"), ["7", "1"])]


def test_a_key_says_the_question_and_its_references():
    key = {"q1": Asked("Why?", ("because",)), "what is it?": Asked("", ("a thing",))}
    asked, _, tally = judge(
        {
            "question_id": ["Q1", "2", "3"],
            "question": ["", "What  is it?", "Who?"],
            "answer": ["a", "b", "c"],
        },
        Work("out", key=key),
    )
    assert asked == [("Why?", ("because",), ["a"]), ("What  is it?", ("a thing",), ["b"])]
    assert tally.unjudged == 1


def test_a_question_and_a_reference_for_all():
    asked, _, _ = judge({"answer": ["a", "b"]}, Work("out", question="Why?", references=("because",)))
    assert asked == [("Why?", ("because",), ["a", "b"])]


def test_questions_known_by_their_id_only_are_told_apart():
    key = {"1": Asked("", ("because",)), "2": Asked("", ("because",))}
    asked, _, _ = judge({"question_id": [1, 2, 1], "answer": ["a", "b", "c"]}, Work("out", key=key))
    assert asked == [("", ("because",), ["a", "c"]), ("", ("because",), ["b"])]


def test_half_a_character_is_no_obstacle():
    asked, _, _ = judge({"question": ["Q"], "reference": ["r"], "answer": ["a\ud800"]}, Work("out"))
    assert asked == [("Q", ("r",), ["a?"])]


def test_what_is_no_text_is_refused():
    with pytest.raises(PostilError, match="the column 'answer' holds neither texts nor numbers"):
        judge({"question": ["Q"], "reference": ["r"], "answer": [{"a": 1}]}, Work("out"))


@pytest.mark.parametrize(
    ("names", "changes", "said"),
    [
        (["question", "reference"], {}, "no column for the answer was found; the columns are 'question'"),
        (["reference", "answer"], {}, "no column for the question was found"),
        (["question", "answer"], {}, "no column for the reference was found"),
        (["question", "reference", "answer", "response"], {}, "more than one column could hold the answer"),
        (["question", "reference", "answer"], {"question": "Why?"}, "the question is given twice"),
        (["question", "reference", "answer"], {"references": ("r",)}, "the reference is given twice"),
        (
            ["question", "reference", "answer", "postil_label"],
            {},
            "already has a column called 'postil_label'",
        ),
        (["question", "reference", "x"], {"columns": {"answer": "y"}}, "there is no column called 'y'"),
    ],
)
def test_columns_that_cannot_be_told(names, changes, said):
    with pytest.raises(InputError, match=said) as caught:
        find_roles("a.csv", names, replace(Work("out"), **changes))
    assert str(caught.value).startswith("a.csv")


def test_a_column_that_the_user_names():
    found = find_roles("a.csv", ["question", "reference", "x"], Work("out", columns={"answer": "x"}))
    assert found.answer == "x"
