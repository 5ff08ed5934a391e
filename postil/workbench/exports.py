"""Graded answers on their way out: tables for a spreadsheet, grades for Moodle, a report to print.

A label that the teacher decided counts before the machine's, and what goes to the student follows it: where
the teacher chose another label, the machine's note no longer fits and a short sentence takes its place.

In a workbook every text cell is marked as text, so that an answer which begins like a formula never becomes
one.
"""

from __future__ import annotations

import io
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postil.data import questions as responses
from postil.data.files import unify_line_ends
from postil.data.formats.rows import write_rows
from postil.data.formats.workbooks import means_something, text_cell
from postil.data.judgements import Explanation, Judgement, collapsed
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES
from postil.errors import PostilError, number_of
from postil.explain.class_report import GradedQuestion, class_report
from postil.explain.feedback import feedback_by_label
from postil.explain.page import printable
from postil.workbench.claims import in_words
from postil.workbench.records import Answer, Question, View, sentence

Cell = str | float | None

# The media types of files, and what a browser may do with a report: it brings its own style, has no scripts,
# and nothing on it is fetched.
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv; charset=utf-8"
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
_SHORT = 40  # characters; longer texts are broken into lines
_FORBIDDEN = re.compile(r"[\\/*?:\[\]\x00-\x1f]")
_LONGEST_SHEET_NAME = 31


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name, the names of its columns with their widths in characters, and its rows."""

    name: str
    columns: Sequence[tuple[str, int]]
    rows: Sequence[Sequence[Cell]]


def workbook(sheets: Iterable[Sheet]) -> bytes:
    """Write sheets as an .xlsx file."""
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    used: set[str] = set()
    wrapped = Alignment(vertical="top", wrap_text=True)
    for sheet in sheets:
        page = book.create_sheet(_sheet_name(sheet.name, used))
        page.freeze_panes = "A2"
        for number, (_, width) in enumerate(sheet.columns, 1):
            page.column_dimensions[get_column_letter(number)].width = width
        header = [text_cell(page, name) for name, _ in sheet.columns]
        for cell in header:
            cell.font = Font(bold=True)
        page.append(header)
        for row in sheet.rows:
            page.append([_cell(page, value, wrapped) for value in row])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _cell(sheet: Any, value: Cell, wrapped: Any) -> Any:
    """What stands in a cell: most values as they are, which is fastest; only some texts need more."""
    if not isinstance(value, str):
        return value
    if len(value) <= _SHORT and not means_something(value) and "_x" not in value:
        return value
    cell = text_cell(sheet, value)
    cell.alignment = wrapped
    return cell


def _sheet_name(title: str, used: set[str]) -> str:
    """A name that a sheet may have and no other has: short, and without marks that mean something."""
    base = _FORBIDDEN.sub(" ", title).strip(" '")[:_LONGEST_SHEET_NAME].strip(" '") or "answers"
    name, number = base, 1
    while name.casefold() in used:
        number += 1
        name = f"{base[: _LONGEST_SHEET_NAME - len(str(number)) - 1]} {number}"
    used.add(name.casefold())
    return name


# The columns of a table of answers, and how wide they are in a workbook.
COLUMNS = (
    ("key", 14),
    ("student", 20),
    ("answer", 60),
    ("label", 14),
    ("official label", 28),
    ("points", 8),
    ("out of", 8),
    ("confidence", 11),
    ("decided by", 11),
    ("said and left out", 50),
    ("explanation", 60),
    ("feedback", 50),
    ("provisional", 11),
)
TEACHER, TWO, MACHINE = "teacher", "two people", "Postil"
Names = Mapping[int, str]  # what people are called, by the numbers of their accounts
NOBODY: Names = {}
Graded = Sequence[tuple[Question, Sequence[View]]]
NO_GRADE = "-"  # in a file for Moodle: a blank cell would count as 0 in a new grade item
# How Moodle's grade import can find a student.
MOODLE_NAMES = {"username": "Username", "idnumber": "ID number", "email": "Email address"}
_MOODLE_COLUMNS = ("Grade", "Feedback")
_PROVISIONAL_COLUMN = "Provisional"  # only where there are provisional grades
_EMAIL = re.compile(r"[^@\s]++@[^@\s][^@\s.]*+\.[^@\s]++")
_MOST = 0.8  # of the cells have to look like what a column is taken for
_MADE_KEY = re.compile(r"\A(?:a\d+|typed-[0-9a-f]{6})\Z")
_LEFT_OUT = (
    "Not listed here: {} without an id or a name to show whose it is. The question sheets list every answer."
)
_PROVISIONAL = "{} provisional: given before anybody had labelled an answer to this question."
_LONGEST_NAME = 60
_MOST_PICTURES = 1000
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which column finds a student in Moodle (`key` or `student`), and what it is called there."""

    column: str
    name: str

    def of(self, answer: Answer) -> str:
        """What stands in that column for one answer."""
        return (answer.key if self.column == "key" else answer.student).strip()


def as_csv(question: Question, views: Sequence[View], names: Names = NOBODY) -> bytes:
    """A question's answers as CSV."""
    return as_table([name for name, _ in COLUMNS], answer_rows(question, views, names))


def as_table(header: Sequence[str], cells: Sequence[Sequence[Cell]]) -> bytes:
    """A table of texts and numbers as CSV; the mark at its start tells Excel that it is UTF-8."""
    rows = [["" if cell is None else _number(cell) for cell in row] for row in cells]
    return _BYTE_ORDER_MARK + delimited(header, rows)


def as_xlsx(question: Question, views: Sequence[View], names: Names = NOBODY) -> bytes:
    """A question's answers as a workbook with one sheet."""
    return workbook([Sheet("answers", COLUMNS, answer_rows(question, views, names))])


def course_xlsx(graded: Graded, names: Names = NOBODY) -> bytes:
    """A course as a workbook: a sheet with the points of everybody, then a sheet for each question."""
    sheets = [
        Sheet(f"{number} {question.text}", COLUMNS, answer_rows(question, views, names))
        for number, (question, views) in enumerate(graded, 1)
    ]
    return workbook([_overview(graded), *sheets])


def answer_rows(question: Question, views: Sequence[View], names: Names = NOBODY) -> list[list[Cell]]:
    """A row for every answer, under the names of `COLUMNS`."""
    return [
        [
            clean(view.answer.key),
            clean(view.answer.student),
            clean(view.answer.text),
            view.plain,
            view.label or "",
            points_of(question, view),
            question.points,
            round(view.judged.confidence, 3) if view.judged and not view.decision else None,
            _decider(view, names),
            clean(in_words(view.facets)) if view.facets_count else "",
            clean(_explanation(view)),
            clean(feedback(view)),
            _yes(question, view),
        ]
        for view in views
    ]


def points_of(question: Question, view: View) -> float | None:
    """The points that an answer earns; None before anybody has judged it."""
    return None if view.score is None else round(view.score * question.points, 2)


def provisional_note(question: Question, views: Sequence[View]) -> str:
    """What to know about grades that no label has informed; empty where there are none."""
    count = sum(question.is_provisional(view) for view in views)
    words = f"{number_of(count, 'grade')} {'is' if count == 1 else 'are'}"
    return _PROVISIONAL.format(words) if count else ""


def _yes(question: Question, view: View) -> str:
    return "yes" if question.is_provisional(view) else ""


def feedback(view: View) -> str:
    """What to say to the student: it fits the label that counts."""
    if view.label is None:
        return ""
    note = view.judged.student if view.judged and _fits(view) else ""
    return note or feedback_by_label(view.label)


def moodle_csv(question: Question, views: Sequence[View], identity: Identity) -> bytes:
    """Grades with feedback for Moodle's grade import; answers without a grade or a student are left out."""
    shown = [view for view in views if view.label is not None and identity.of(view.answer)]
    rows = [
        [clean(identity.of(view.answer)), _number(points_of(question, view)), clean(feedback(view))]
        for view in shown
    ]
    header = [MOODLE_NAMES[identity.name], *_MOODLE_COLUMNS]
    if any(map(question.is_provisional, shown)):  # Moodle passes over a column that nobody maps
        header.append(_PROVISIONAL_COLUMN)
        rows = [[*row, _yes(question, view)] for row, view in zip(rows, shown, strict=True)]
    return delimited(header, rows)


def guess_identity(answers: Sequence[Answer]) -> Identity:
    """Which column finds the students in Moodle, by what the cells look like."""
    keys = [answer.key.strip() for answer in answers]
    students = [answer.student.strip() for answer in answers]
    looks = {"email": lambda cell: bool(_EMAIL.fullmatch(cell)), "idnumber": str.isdigit}
    for name, looks_right in looks.items():
        for column, cells in (("student", students), ("key", keys)):
            if _mostly(cells, looks_right):
                return Identity(column, name)
    # A name with a blank in it is nobody's user name; still less is an id that Moodle has never seen.
    usable = _mostly(students, lambda cell: bool(cell) and not re.search(r"\s", cell))
    usable = usable or (any(students) and _mostly(keys, is_made))
    return Identity("student" if usable else "key", "username")


def is_made(key: str) -> bool:
    """Whether an id is like those that Postil makes up where a file, a paste or a typed answer had none."""
    return _MADE_KEY.fullmatch(key.strip()) is not None


def question_file(
    ending: str, question: Question, views: Sequence[View], names: Names = NOBODY, to: Identity | None = None
) -> tuple[bytes, str]:
    """A question's answers as a file with this ending, and its media type; `to` finds students in Moodle."""
    if ending == "-moodle.csv":
        return moodle_csv(question, views, to or guess_identity([view.answer for view in views])), CSV
    if ending == ".xlsx":
        return as_xlsx(question, views, names), XLSX
    return as_csv(question, views, names), CSV


def course_file(
    ending: str, graded: Graded, names: Names = NOBODY, to: Identity | None = None
) -> tuple[bytes, str]:
    """A course as a file with this ending, and its media type."""
    if ending == ".xlsx":
        return course_xlsx(graded, names), XLSX
    answers = [view.answer for _, views in graded for view in views]
    return course_moodle(graded, to or guess_identity(answers)), CSV


def report(graded: Graded, title: str) -> str:
    """A page to print, with the labels that count; answers that nobody has judged are left out of it.

    Of many answers only the words of the explanations are shown: thousands of pictures help nobody.
    """
    pictures = sum(len(views) for _, views in graded) <= _MOST_PICTURES
    return class_report([_reported(question, views, pictures=pictures) for question, views in graded], title)


def file_name(*parts: str) -> str:
    """A name for a download from names of courses and questions: plain letters, digits and hyphens only."""
    text = " ".join(parts)[: 4 * _LONGEST_NAME]
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower()
    return name[:_LONGEST_NAME].strip("-") or "postil"


def clean(text: str) -> str:
    """A text that any table can hold: trimmed, and without invisible characters."""
    # Cut here and not after the apostrophe is set: a blank before a formula would hide it from that check.
    return printable(unify_line_ends(text)).strip()


def delimited(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """A table as CSV in which no cell is a formula."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_rows(path, header, rows, defuse_formulas=True)
        return path.read_bytes()


def _number(cell: Cell) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else f"{cell:g}"


def _mostly(cells: Sequence[str], looks_right: Callable[[str], bool]) -> bool:
    return bool(cells) and sum(map(looks_right, cells)) >= _MOST * len(cells)


def _overview(graded: Graded) -> Sheet:
    """Who has how many points for which question; whose answer it is must be certain, or it is left out."""
    # An id that Postil made says nothing about whose answer it is.
    pupils = [
        [
            ("" if is_made(key := clean(view.answer.key)) else key, clean(view.answer.student))
            for view in views
        ]
        for _, views in graded
    ]
    # Two of one name without ids of their own: nobody can tell which of them is which in another question.
    unclear = {who for own in pupils for who, count in Counter(own).items() if count > 1} | {("", "")}
    points: dict[tuple[str, str], list[Cell]] = {}
    for index, (question, views) in enumerate(graded):
        for who, view in zip(pupils[index], views, strict=True):
            if who not in unclear:
                points.setdefault(who, [None] * len(graded))[index] = points_of(question, view)
    questions = [(f"question {number}", 12) for number in range(1, len(graded) + 1)]
    columns = [("key", 14), ("student", 24), *questions, ("sum", 10)]
    rows: list[list[Cell]] = [
        [*who, *row, round(sum(cell for cell in row if isinstance(cell, float)), 2)]
        for who, row in points.items()
    ]
    for number, (question, views) in enumerate(graded, 1):
        if note := provisional_note(question, views):
            rows.append(["", f"Question {number}: {note}"])
    missing = sum(who in unclear for own in pupils for who in own)
    if missing:
        rows.append(["", _LEFT_OUT.format(number_of(missing, "answer"))])
    return Sheet("points", columns, rows)


def _decider(view: View, names: Names) -> str:
    """Who has decided, by name where it is known."""
    if view.decision is None:
        return MACHINE if view.judged else ""
    return TWO if view.decision.source == "labelled" else clean(names.get(view.decision.by or 0, TEACHER))


def _explanation(view: View) -> str:
    """Why the label is what it is; where the teacher chose another label, also what the machine had said."""
    note = view.note if _fits(view) or not view.decision else ""
    return note or (sentence(_decided(view)) if view.decision else "")


def _fits(view: View) -> bool:
    """Whether what the machine says of an answer fits the label that counts."""
    return view.judged is not None and view.judged.label == view.label


def _decided(view: View) -> str:
    if view.judged is None or _fits(view):
        return "the teacher decided"
    return f"the teacher decided; Postil had said “{PLAIN_NAMES[view.judged.label]}”"


def _reported(question: Question, views: Sequence[View], *, pictures: bool) -> GradedQuestion:
    graded = [(view, judgement) for view in views if (judgement := _judgement(view, pictures=pictures))]
    answers = tuple(responses.Answer(_name(view), view.answer.text) for view, _ in graded)
    references = tuple(
        responses.Reference(str(number), text, facets=question.facets or ())
        for number, text in enumerate(question.references, 1)
    )
    missing = len(views) - len(graded)
    warnings = [f"Not included, because not graded yet: {number_of(missing, 'answer')}."] if missing else []
    warnings += filter(None, [provisional_note(question, views)])
    points = f"{question.points:g} {'point' if question.points == 1 else 'points'}"
    asked = responses.Question(points, question.text, references, answers)
    return GradedQuestion(asked, [judgement for _, judgement in graded], warnings)


def _name(view: View) -> str:
    student = view.answer.student.strip()
    return f"{view.answer.key} · {student}" if student and student != view.answer.key else view.answer.key


def _judgement(view: View, *, pictures: bool) -> Judgement | None:
    """The judgement that a report shows; a decision is as sure as a person is, and says whose it is."""
    label, judged = view.label, view.judged
    if label is None or view.score is None:
        return None
    labels = {name: scheme.collapse(label) or label for name, scheme in RESPONSE_SCHEMES.items()}
    explanation = _explained(view) if pictures else None
    reference = judged.reference if judged else ""
    if view.decision or judged is None:
        sure = {label: 1.0}
        chances = collapsed(sure) | {"5way": sure}  # there is no second best
        said = explanation is not None and not (_fits(view) and view.note)  # by the explanation already
        because = "" if said else _decided(view)
        return Judgement(labels, chances, view.score, 1.0, False, reference, because, explanation)
    five, confidence = collapsed(judged.probabilities), judged.confidence
    because = "" if explanation or judged.reason else view.note
    reason = None if explanation else judged.reason
    read = judged.reader, judged.read_by
    texts = reference, because, explanation, reason
    return Judgement(labels, five, view.score, confidence, judged.deferred, *texts, *read)


def _explained(view: View) -> Explanation | None:
    """What a report says of an answer beside its label; it shows ticks even where the note does not fit."""
    judged, facets = view.judged, tuple(facet.outcome for facet in view.facets if facet.label)
    if judged is None or judged.alignment is None or not (_fits(view) or (view.set_facets and facets)):
        return None
    note = (_fits(view) and view.note) or sentence(_decided(view))
    return Explanation(judged.alignment, note, feedback(view), facets)


def course_moodle(graded: Graded, identity: Identity) -> bytes:
    """Grades and feedback for all questions, and the sum, for the students whom the identity tells apart.

    Numbers have a dot: with it Moodle reads them in every language. A student whom Moodle does not know makes
    it refuse the whole file.
    """
    header = [MOODLE_NAMES[identity.name]]
    for number, (question, _) in enumerate(graded, 1):
        header += [_heading(number, question), f"Q{number} feedback"]
    header.append(f"Sum (out of {_points(sum(question.points for question, _ in graded))})")
    columns = [_of_students(views, identity) for _, views in graded]
    marked = any(question.is_provisional(view) for question, views in graded for view in views)
    header += [_PROVISIONAL_COLUMN] if marked else []
    rows = []
    for who in dict.fromkeys(who for own in columns for who in own):
        cells, points, provisional = [who], [], []
        for number, ((question, _), own) in enumerate(zip(graded, columns, strict=True), 1):
            view = own.get(who)
            provisional += [f"Q{number}"] if view and question.is_provisional(view) else []
            earned = points_of(question, view) if view else None
            cells += [NO_GRADE if earned is None else _points(earned), clean(feedback(view)) if view else ""]
            points += [] if earned is None else [earned]
        if points:
            rows.append([*cells, _points(sum(points)), *([" ".join(provisional)] if marked else [])])
    if not rows:
        _refuse(graded)
    return delimited(header, rows)


def _refuse(graded: Graded) -> None:
    """Explain why the file has no students: Moodle would accept an empty file without a word."""
    answers = sum(view.label is not None for _, views in graded for view in views)
    if not answers:
        raise PostilError("nothing has been graded yet.", hint="Grade the class first.")
    raise PostilError(
        f"{number_of(answers, 'graded answer')} would be left out, so the file would be empty.",
        hint="Moodle finds students by their id or name. Ids such as a1 were created by Postil, and an id "
        "that occurs twice in a question could be anyone’s. Choose the other column, or import the answers "
        "with the students’ ids.",
    )


def _of_students(views: Iterable[View], identity: Identity) -> dict[str, View]:
    """The views of one question by student; two answers under one name tell nobody whose they are."""
    named = [(clean(identity.of(view.answer)), view) for view in views]
    count = Counter(who for who, _ in named)
    made = is_made if identity.column == "key" else (lambda who: False)
    return {who: view for who, view in named if count[who] == 1 and who and not made(who)}


def _heading(number: int, question: Question) -> str:
    """What a question is called, also as a new grade item: number, the beginning of its text, its points."""
    text = " ".join(clean(question.text).split())
    short = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
    return f"Q{number} {short} (out of {_points(question.points)})"


def _points(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
