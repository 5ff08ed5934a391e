"""Exports: what the tables hold, what the student is told, and that nothing in them runs."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from openpyxl import load_workbook

from postil.data.judgements import EXPRESSED, UNADDRESSED, AlignedPair, Alignment, FacetOutcome, Reason
from postil.data.questions import Facet
from postil.explain.feedback import feedback_by_label
from postil.explain.notes import spoken_against
from postil.explain.wording import write
from postil.workbench import exports
from postil.workbench.claims import Outcome
from postil.workbench.exports import Identity, Sheet, workbook
from postil.workbench.records import Answer, Decision, Judged, Question, View

PARTLY = "partially_correct_incomplete"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINK = Alignment((1,), (1,), ("EQUI",), 5.0)
PAIR = AlignedPair("1", ("it", "is"), ("it", "was"), (LINK,), "it is", "it was")
EVIL = ("#N/A", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", " \r\n=1+1")


def question(points: float = 2, text: str = "Why is it lit?", number: int = 1) -> Question:
    return Question(number, 1, text, ("The path is closed.",), points, NOW, 3, 3, 1)


def view(
    key: str = "a", text: str = "it is", told: str | None = None, machine: str | None = "correct", **more
) -> View:
    usual = {
        "student": "",
        "score": 0.9,
        "reason": None,
        "deferred": False,
        "note": "You said it well.",
        "doubt": "",
    }
    kept = {**usual, "teacher": "" if more.get("reason") else "The answer says the same.", **more}
    judged = decision = None
    if machine:
        judged = Judged(
            1, machine, {machine: 0.9, "non_domain": 0.1}, kept["score"], 0.91, kept["deferred"],
            kept["reason"], "The path is closed.", kept["teacher"], kept["note"], PAIR, NOW,
            doubt=kept["doubt"],
        )  # fmt: skip
    if told:
        decision = Decision(1, 1, told, NOW, "review", 1, None, machine, None)
    return View(Answer(1, 1, key, kept["student"], text, 1, 0), judged, decision)


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def cells_of(data: bytes, sheet: int = 0) -> list[tuple[object, ...]]:
    return list(load_workbook(io.BytesIO(data)).worksheets[sheet].values)


def test_a_row_says_everything():
    (row,) = rows_of(exports.as_csv(question(), [view(student="Ada")]))
    assert row == {
        "key": "a",
        "student": "Ada",
        "answer": "it is",
        "label": "correct",
        "official label": "correct",
        "points": "2",
        "out of": "2",
        "confidence": "0.91",
        "decided by": "Postil",
        "said and left out": "",
        "explanation": "The answer says the same.",
        "feedback": "You said it well.",
        "provisional": "",
    }


def test_grades_that_no_label_has_informed_are_marked():
    asked, views = replace(question(), provisional=2), [view("a"), view("b"), view("c", told="correct")]
    assert [row["provisional"] for row in rows_of(exports.as_csv(asked, views))] == ["yes", "yes", ""]
    to = Identity("key", "username")
    assert [row["Provisional"] for row in rows_of(exports.moodle_csv(asked, views, to))] == ["yes", "yes", ""]
    assert "Provisional" not in exports.moodle_csv(question(), views, to).decode()
    graded = [(question(), views), (asked, views)]
    marks = [row["Provisional"] for row in rows_of(exports.course_moodle(graded, to))]
    assert marks == ["Q2", "Q2", ""]
    note = "2 grades are provisional: given before anybody had labelled an answer to this question."
    assert cells_of(exports.course_xlsx(graded))[-1][1] == f"Question 2: {note}"
    page = exports.report(graded, "Physics")
    assert page.count("2 grades are provisional") == 1
    assert "provisional" not in exports.report([(question(), views)], "Physics")


def test_a_decision_comes_first():
    (row,) = rows_of(exports.as_csv(question(), [view(told=PARTLY)]))
    assert row["label"] == "partly right"
    assert row["official label"] == PARTLY
    assert row["points"] == "1"
    assert row["decided by"] == "teacher"
    assert row["confidence"] == ""
    assert row["explanation"] == "The teacher decided; Postil had said “correct”."


def test_what_is_not_judged_stays_open():
    (row,) = rows_of(exports.as_csv(question(), [view(machine=None)]))
    assert [row[name] for name in ("label", "points", "decided by", "feedback")] == ["", "", "", ""]


def test_feedback_follows_the_label_that_counts():
    assert exports.feedback(view()) == "You said it well."
    assert exports.feedback(view(told="correct")) == "You said it well."
    assert exports.feedback(view(told=PARTLY)) == feedback_by_label(PARTLY)
    assert exports.feedback(view(machine=None, told="contradictory")) == feedback_by_label("contradictory")
    assert exports.feedback(view(machine="non_domain", note="", reason=Reason.EMPTY)).startswith(
        "This does not answer"
    )


def test_what_decided_beforehand_explains():
    (row,) = rows_of(exports.as_csv(question(), [view(machine="non_domain", reason=Reason.EMPTY)]))
    assert row["explanation"] == "Nothing was written."


@pytest.mark.parametrize("text", EVIL)
def test_no_cell_of_a_csv_file_is_a_formula(text):
    for data in (
        exports.as_csv(question(), [view(key=text, text=text, student=text)]),
        exports.moodle_csv(question(), [view(key=text)], Identity("key", "username")),
    ):
        for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))):
            assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))]


@pytest.mark.parametrize("text", EVIL)
def test_no_cell_of_a_workbook_is_a_formula(text):
    one = view(key=text, text=text, student=text)
    for data in (exports.as_xlsx(question(), [one]), exports.course_xlsx([(question(), [one])])):
        for sheet in load_workbook(io.BytesIO(data)).worksheets:
            for cell in (cell for row in sheet.iter_rows() for cell in row):
                assert cell.data_type in ("s", "n", "inlineStr")
                if isinstance(cell.value, str) and cell.value.startswith(("=", "+", "-", "@")):
                    assert cell.quotePrefix


def test_a_csv_file_opens_as_utf8_in_excel():
    data = exports.as_csv(question(), [view(text="Électricité")])
    assert data.startswith(b"\xef\xbb\xbf")
    assert "Électricité" in data.decode("utf-8-sig")


def test_a_workbook_holds_numbers_as_numbers():
    header, row = cells_of(exports.as_xlsx(question(), [view()]))
    told = dict(zip(header, row, strict=True))
    assert told["points"] == 2
    assert told["out of"] == 2
    assert told["confidence"] == 0.91


def test_texts_that_no_cell_can_hold_are_mended():
    text = "a\x00b\x0bc _x0041_ \ud800" + "x" * 40_000
    data = exports.as_xlsx(question(), [view(text=text)])
    answer = str(cells_of(data)[1][2])
    assert answer.startswith("a\ufffdb\ufffdc ")
    assert len(answer) <= 32_767
    assert answer.endswith("…")
    assert rows_of(exports.as_csv(question(), [view(text=text)]))[0]["answer"].startswith("a\ufffdb")


def test_a_course_has_a_sheet_of_points_and_one_a_question():
    first = [view("p1", student="Ada"), view("p2", student="Bob", told=PARTLY)]
    second = [view("p1", student="Ada", told="correct"), view("p3", student="Cy", machine=None)]
    data = exports.course_xlsx([(question(), first), (question(4, "Why?", 2), second)])
    book = load_workbook(io.BytesIO(data))
    assert book.sheetnames == ["points", "1 Why is it lit", "2 Why"]
    assert cells_of(data) == [
        ("key", "student", "question 1", "question 2", "sum"),
        ("p1", "Ada", 2, 4, 6),
        ("p2", "Bob", 1, None, 1),
        ("p3", "Cy", None, None, 0),
    ]


def points_of(*questions):
    return [
        row[:-1] for row in cells_of(exports.course_xlsx([(question(), views) for views in questions]))[1:]
    ]


def test_two_pupils_of_one_name_are_two_rows():
    first = [view("p1", student="Ada"), view("p2", student="Ada", told="irrelevant")]
    second = [view("p2", student="Ada"), view("p1", student="Ada")]
    assert points_of(first, second) == [("p1", "Ada", 2, 2), ("p2", "Ada", 0, 2)]


def test_numbers_that_postil_gave_join_nobody():
    first = [view("a1"), view("a2", student="Bob"), view("typed-0a1b2c", student="Cy"), view("p9")]
    second = [view("a1", told="irrelevant"), view("a7", student="Bob"), view("a8", student="Cy"), view("p9")]
    *rows, (_, told, *_) = points_of(first, second)
    assert rows == [(None, "Bob", 2, 2), (None, "Cy", 2, 2), ("p9", None, 2, 2)]
    assert told.startswith("Not listed here: 2 answers ")


def test_two_of_one_name_without_ids_are_left_out():
    first = [view("a1", student="Ada"), view("a2", student="Ada"), view("a3", student="Bob")]
    *rows, (_, told, *_) = points_of(first, [view("a1", student="Ada")])
    assert rows == [(None, "Bob", 2, None)]
    assert told.startswith("Not listed here: 3 answers ")


def test_sheets_have_names_that_workbooks_allow_and_no_two_alike():
    names = ["What is [a/b]: *?", "what is  a b", "x" * 40, "x" * 50, "", "'"]
    data = workbook(Sheet(name, [("n", 5)], []) for name in names)
    found = load_workbook(io.BytesIO(data)).sheetnames
    assert len({name.casefold() for name in found}) == len(names)
    assert all(0 < len(name) <= 31 for name in found)


def test_grades_for_moodle():
    views = [view("ada", told=PARTLY), view("bob"), view("cy", machine=None), view(" ", told="correct")]
    data = exports.moodle_csv(question(), views, Identity("key", "username"))
    assert not data.startswith(b"\xef\xbb\xbf")
    assert rows_of(data) == [
        {"Username": "ada", "Grade": "1", "Feedback": feedback_by_label(PARTLY)},
        {"Username": "bob", "Grade": "2", "Feedback": "You said it well."},
    ]


@pytest.mark.parametrize(
    ("keys", "students", "column", "name"),
    [
        (["1", "2"], ["a@school.org", "b@school.org"], "student", "email"),
        (["a@x.org", "b@x.org"], ["Ada L", "Bob M"], "key", "email"),
        (["1001", "1002"], ["Ada L", "Bob M"], "key", "idnumber"),
        (["r-1", "r-2"], ["ada", "bob"], "student", "username"),
        (["ada", "bob"], ["", ""], "key", "username"),
        (["ada", "bob"], ["Ada L", "Bob M"], "key", "username"),
        (["a1", "a2"], ["Ada L", "Bob M"], "student", "username"),
        (["a1", "a2"], ["", ""], "key", "username"),
    ],
)
def test_moodle_finds_students_by_what_looks_like_it(keys, students, column, name):
    views = [view(key, student=student) for key, student in zip(keys, students, strict=True)]
    assert exports.guess_identity([one.answer for one in views]) == Identity(column, name)


def test_the_report_shows_the_labels_that_count():
    views = [view("a", told=PARTLY, student="Ada"), view("b"), view("c", machine=None)]
    page = exports.report([(question(), views)], "Physics <7b>")
    assert "Physics &lt;7b&gt;" in page
    assert "a · Ada" in page
    assert "the teacher decided; Postil had said “correct”" in page
    assert "Not included, because not graded yet: 1 answer." in page
    assert page.count("partly right</b>") >= 2  # the legend and the row
    assert page.count("The answer says the same.") == 1  # the explanation of what was overruled is gone


def test_the_report_escapes_what_pupils_write():
    assert "<script>" not in exports.report([(question(), [view(text="<script>alert(1)</script>")])], "x")


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("Physics 7b", "Why is it lit?"), "physics-7b-why-is-it-lit"),
        (("Física", "¿Qué?"), "fisica-que"),
        (("../../etc", 'a"b\r\nc'), "etc-a-b-c"),
        (("物理",), "postil"),
    ],
)
def test_downloads_have_harmless_names(parts, name):
    assert exports.file_name(*parts) == name


def test_long_names_are_cut():
    assert len(exports.file_name("word " * 40)) <= 60


def test_a_large_class_is_reported_in_words_alone():
    few = exports.report([(question(), [view()] * 3)], "x")
    many = exports.report([(question(), [view()] * 1001)], "x")
    assert few.count('class="pic"') == 3
    assert 'class="pic"' not in many
    assert many.count("Why: The answer says the same.") == 1001


FACETS = (Facet("1", "=it is lit"), Facet("2", "it is closed", weight=3.0))
FOUND = (Outcome("p1", "=it is lit", EXPRESSED, 0.9), Outcome("p2", "it is closed", UNADDRESSED, 0.8))


def with_facets(told=None, ticked=None, facets=FACETS, machine=PARTLY):
    one = view(machine=machine, told=told)
    decision = one.decision and replace(one.decision, ticked=ticked)
    return replace(one, judged=replace(one.judged, facets=FOUND), decision=decision, set_facets=facets)


def test_points_and_words_follow_the_facets():
    views = [with_facets(), with_facets(PARTLY, {"1": False, "2": True}), with_facets(facets=None)]
    rows = rows_of(exports.as_csv(question(), views))
    assert [row["points"] for row in rows] == ["0.5", "1.5", "1"]
    assert [row["said and left out"] for row in rows] == [
        "said: =it is lit · left out: it is closed",
        "said: it is closed · left out: =it is lit",
        "said: =it is lit · left out: it is closed",
    ]
    assert [
        row["Grade"] for row in rows_of(exports.moodle_csv(question(), views, Identity("key", "username")))
    ] == [row["points"] for row in rows]
    assert cells_of(exports.course_xlsx([(question(), views[:1])]))[1][2] == 0.5


def test_a_report_ticks_the_facets():
    asked = replace(question(), facets=FACETS)
    page = exports.report([(asked, [with_facets("irrelevant", {"1": False, "2": True})])], "7b")
    assert page.count('<ul class="facets"') == 1
    assert '>–</span> <span dir="auto">=it is lit' in page
    assert '>✓</span> <span dir="auto">it is closed' in page
    assert page.count("The teacher decided; Postil had said") == 1
    one = with_facets(facets=(FACETS[0],))
    page = exports.report([(replace(asked, facets=one.set_facets), [one])], "7b")
    assert "0.50 out of 1" not in page
    assert "mean score 1.00 out of 1" in page


AGAINST = spoken_against("correct", [FacetOutcome(FACETS[0], UNADDRESSED, 0.9)])
CHECK = {"teacher": "The answer is right.", "doubt": write(AGAINST)}


def test_nobody_is_asked_to_check_what_a_person_has_decided():
    assert "Please check" in exports.as_csv(question(), [view(**CHECK)]).decode()
    for given in ("correct", "irrelevant"):
        decided = view(**CHECK, told=given)
        assert decided.note == "The answer is right."
        assert "Please check" not in exports.as_csv(question(), [decided]).decode()
        assert "Please check" not in exports.report([(question(), [decided])], "7b")
    decided = view(teacher="", doubt="Please check: the answer was judged correct.", told="correct")
    (row,) = rows_of(exports.as_csv(question(), [decided]))
    assert row["explanation"] == "The teacher decided."
    assert exports.report([(question(), [decided])], "7b").lower().count("the teacher decided") == 1


def test_a_label_that_was_repeated_is_told_once_and_without_notes():
    repeated = view(machine=PARTLY, reason=Reason.TOLD, note="")
    repeated = replace(repeated, judged=replace(repeated.judged, facets=FOUND), set_facets=FACETS)
    page = exports.report([(replace(question(), facets=FACETS), [repeated])], "7b")
    assert page.lower().count(Reason.TOLD.words) == 1
    assert page.count('<ul class="facets"') == 1
    assert "<summary></summary>" not in page


def test_who_decided_is_named_where_that_is_known():
    decided = view(told=PARTLY)
    by = [(4, "review"), (None, "review"), (None, "labelled"), (5, "settled")]
    views = [
        replace(decided, decision=replace(decided.decision, by=number, source=source))
        for number, source in by
    ]
    rows = rows_of(exports.as_csv(question(), views, {4: "Ann", 5: "=Eva"}))
    assert [row["decided by"] for row in rows] == ["Ann", "teacher", "two people", "'=Eva"]
