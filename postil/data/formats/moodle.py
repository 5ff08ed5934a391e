"""Moodle: the XML of its question bank (questions answered in words), and its report of quiz responses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from postil.data.files import MAX_TAGS, XmlFile, read_xml, text_of, write_xml
from postil.data.formats.markup import looks_like_html, one_language, readable, without_pictures
from postil.data.formats.quizzes import (
    ESSAY,
    SHORT_ANSWER,
    Example,
    Quiz,
    QuizQuestion,
    Skipped,
    plain_category,
    refuse_long,
    sort_answers,
)
from postil.data.formats.rows import Row, Rows
from postil.errors import InputError, number_of

# The information for graders of an essay is a reference unless it reads like advice.
_ADVICE = re.compile(
    r"\b(points?|marks?|award|deduct|rubric|criteria|criterion|grade[rs]?|grading|score|full credit"
    r"|the student|students|see (the )?(page|chapter|slides?))\b|\d\s*%|^\s*\d+\s*p(ts?)?\b",
    re.IGNORECASE | re.MULTILINE,
)
_LEAST_WORDS, _MOST_WORDS = 3, 120


def read_moodle_xml(path: Path | str, most_tags: int = MAX_TAGS) -> Quiz:
    """Read the questions of a Moodle XML file; those not answered in words are counted as skipped."""
    xml = read_xml(path, most_tags)
    if xml.root.tag != "quiz":
        hint = "In Moodle: Question bank, Export, Moodle XML format."
        raise xml.error(xml.root, f"the root element is <{xml.root.tag}>, not <quiz>.", hint=hint)
    questions: list[QuizQuestion] = []
    skipped: list[Skipped] = []
    category, length = "", 0
    for number, element in enumerate(xml.root.iterfind("question"), start=1):
        refuse_long(path, 0, number)
        kind = xml.required(element, "type").lower()
        if kind == "category":
            category = plain_category(_inner(element.find("category")))
        elif kind in (SHORT_ANSWER, ESSAY):
            children = (child for child in element.iter() if child.tag != "file")
            parts = (part for child in children for part in (child.text, child.tail))
            length += sum(len(without_pictures(part)) for part in parts if part)
            refuse_long(xml.path, length)
            questions.append(_question(xml, element, kind, category))
        else:
            skipped.append(Skipped(_name(element), kind, xml.lines.get(element)))
    if not questions and not skipped:
        raise InputError(xml.path, "contains no questions.", hint="Export the category that has them.")
    return Quiz(tuple(questions), tuple(skipped))


def _question(xml: XmlFile, element: ET.Element, kind: str, category: str) -> QuizQuestion:
    text = _text(element.find("questiontext"))
    if not text:
        raise xml.error(element, f"the question {_name(element)!r} has no text.")
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    if kind == SHORT_ANSWER:
        answers = [_answer(xml, answer) for answer in element.iterfind("answer")]
        references, examples, notes = sort_answers(answers)
        feedback = next((answer.feedback for answer in answers if answer.share >= 1 and answer.feedback), "")
    else:
        # The information for graders of an essay, if it is an answer rather than advice.
        info, feedback = _text(element.find("graderinfo")), ""
        is_answer = _LEAST_WORDS <= len(info.split()) <= _MOST_WORDS and not _ADVICE.search(info)
        references = (info,) if is_answer else ()
    return QuizQuestion(
        name=_name(element),
        text=text,
        kind=kind,
        references=references,
        examples=examples,
        points=_number(xml, element, text_of(element.find("defaultgrade")) or "1", "defaultgrade"),
        category=category,
        feedback=feedback or _text(element.find("generalfeedback")),
        idnumber=text_of(element.find("idnumber")),
        tags=tuple(filter(None, (_inner(tag) for tag in element.iterfind("./tags/tag")))),
        case_matters=text_of(element.find("usecase")) in ("1", "true"),
        notes=notes,
        line=xml.lines.get(element),
    )


def _answer(xml: XmlFile, element: ET.Element) -> Example:
    share = _number(xml, element, xml.required(element, "fraction"), "fraction") / 100
    text = one_language(_inner(element))
    # A short answer is plain text, yet editors have put tags around it.
    text = readable(text) if looks_like_html(text) else " ".join(text.split())
    return Example(text, share, _text(element.find("feedback")))


def _number(xml: XmlFile, element: ET.Element, text: str, what: str) -> float:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise xml.error(element, f"{what} is {text.strip()[:20]!r}, not a number.")
    return value


def _name(element: ET.Element) -> str:
    return readable(_inner(element.find("name")), "plain_text")


def _inner(element: ET.Element | None) -> str:
    """The text of an element's <text>, or its own if it has none."""
    if element is None:
        return ""
    child = element.find("text")
    return text_of(element if child is None else child)


def _text(element: ET.Element | None) -> str:
    form = (element.get("format") or "html") if element is not None else "html"
    return readable(_inner(element), form)


def write_moodle_xml(path: Path | str, questions: Iterable[QuizQuestion]) -> None:
    """Write questions so that Moodle's question bank can import them."""
    root = ET.Element("quiz")
    category = ""
    for question in questions:
        if question.category != category:
            category = question.category
            holder = ET.SubElement(ET.SubElement(root, "question", type="category"), "category")
            ET.SubElement(holder, "text").text = "$course$/top/" + category
        element = ET.SubElement(root, "question", type=question.kind)
        _write_text(element, "name", question.name or question.text[:60])
        _write_text(element, "questiontext", question.text, format="plain_text")
        _write_text(element, "generalfeedback", question.feedback, format="plain_text")
        ET.SubElement(element, "defaultgrade").text = f"{question.points:g}"
        ET.SubElement(element, "idnumber").text = question.idnumber
        if question.kind == ESSAY:
            ET.SubElement(element, "responseformat").text = "plain"
            _write_text(element, "graderinfo", "\n".join(question.references), format="plain_text")
        else:
            ET.SubElement(element, "usecase").text = str(int(question.case_matters))
            for example in (*(Example(text, 1.0) for text in question.references), *question.examples):
                escaped = example.text.replace("*", "\\*")  # an asterisk alone is a wildcard
                share = f"{example.share * 100:g}"
                answer = _write_text(element, "answer", escaped, fraction=share, format="plain_text")
                _write_text(answer, "feedback", example.feedback, format="plain_text")
        if question.tags:
            tags = ET.SubElement(element, "tags")
            for tag in question.tags:
                _write_text(tags, "tag", tag)
    write_xml(path, root)


def _write_text(parent: ET.Element, tag: str, text: str, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    ET.SubElement(element, "text").text = text
    return element


# Moodle's report of responses to a quiz. It is in the language of whoever downloads it, so its columns are
# known in several. Accented letters are left out when names are compared, as Moodle's JSON leaves them out.


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _names(listed: str) -> frozenset[str]:
    return frozenset(map(_bare, listed.split("|")))


# English, German, Spanish, Basque, Catalan, French, Italian, Portuguese, Dutch.
_PARTS = {
    "question": "question|frage|pregunta|galdera|domanda|pergunta|vraag",
    "response": "response|antwort|respuesta|erantzuna|resposta|réponse|risposta|antwoord",
    "right": "right answer|richtige antwort|respuesta correcta|erantzun zuzena|resposta correcta"
    "|bonne réponse|réponse correcte|risposta corretta|resposta correta|juiste antwoord|goede antwoord",
}
_COMPLETED = _names(
    "completed|completed on|finished|beendet|abgeschlossen|finalizado|completado|osatua|noiz bukatua"
    "|completat|finalitzat|terminé|completato|concluída|voltooid"
)
_STATE = _names("state|status|estado|estatus|egoera|estat|état|stato")
_UNFINISHED = _names(
    "in progress|overdue|never submitted|not started|in bearbeitung|überfällig|nie abgeschlossen"
    "|nie abgegeben|en curso|en progreso|atrasado|nunca envió|nunca enviado|ari da|egiten|atzeratutakoak"
    "|bidali gabeak|en curs|en cours|in corso|em curso|bezig"
)
# The columns that identify people, surest first.
_WHO = (
    _names(
        "username|anmeldename|benutzername|nombre de usuario|erabiltzaile-izena|nom d'usuari"
        "|nom d'utilisateur"
    ),
    _names(
        "email address|email|e-mail-adresse|e-mail|dirección de correo|dirección de correo electrónico"
        "|correo electrónico|e-posta helbidea|e-posta|adreça electrònica|adresse de courriel|indirizzo email"
    ),
    _names(
        "id number|id-nummer|número de id|id zenbakia|número id|numéro d'identification|codice identificativo"
    ),
)
_NOTHING = ("", "-")  # how Moodle writes that there is nothing
_PART_OF = {name: part for part, listed in _PARTS.items() for name in _names(listed)}
_SLOT = re.compile(r"(\d{0,6})([a-z]+)(\d{0,6})")


def slot_of(name: str) -> tuple[int, str] | None:
    """The number of the question that a column belongs to, and which part it holds; None for other columns.

    The parts are `question`, `response` and `right`: what was asked, what was answered, what is right.
    """
    match = _SLOT.fullmatch(_bare(name))
    if match is None or bool(match[1]) == bool(match[3]):
        return None
    part = _PART_OF.get(match[2])
    return (int(match[1] or match[3]), part) if part else None


def find_slots(header: Iterable[str]) -> dict[int, dict[str, str]]:
    """The report's columns by the number of their question; those without a response are left out."""
    slots: dict[int, dict[str, str]] = {}
    for name in header:
        if slot := slot_of(name):
            number, part = slot
            slots.setdefault(number, {}).setdefault(part, name)
    return {number: columns for number, columns in sorted(slots.items()) if "response" in columns}


def identity_column(rows: Rows) -> str | None:
    """The column that identifies the students, the fullest one; None if the report has none."""
    known = [name for names in _WHO for name in rows.header if _bare(name) in names]
    filled = {name: sum(bool(cell.strip()) for cell in rows.column(name)) for name in known}
    return max(known, key=filled.__getitem__, default=None) if any(filled.values()) else None


def last_attempts(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Keep each student's last finished attempt, and note what was left out; other tables are unchanged.

    If the report does not say when an attempt was finished or whose it is, all of them stay.
    """
    slots = find_slots(rows.header)
    if not slots:
        return rows, ()
    rows = _cleaned(rows, slots)
    who = identity_column(rows)
    names = rows.column(who) if who else [""] * len(rows.rows)
    students = {row: name.strip().casefold() for row, name in zip(rows.rows, names, strict=True)}
    parts = [column for column, name in enumerate(rows.header) if slot_of(name)]
    # The last row of some reports has only averages.
    own = [
        row
        for row in rows.rows
        if not who or students[row] or any(row.cells[column].strip() for column in parts)
    ]
    finished = [row for row in own if _is_finished(rows.header, row)]
    if not finished:
        hint = "In Moodle’s report, select the finished attempts."
        raise InputError(rows.path, "contains no finished attempt.", hint=hint)
    notes = []
    left = len(own) - len(finished)
    if left:
        were = "was" if left == 1 else "were"
        notes.append(f"{number_of(left, 'row')} without a finished attempt {were} left out.")
    # Rows without a name stay, because they may be different people's.
    latest = {students[row]: row for row in finished if students[row]}
    last = [row for row in finished if latest.get(students[row], row) is row]
    earlier = len(finished) - len(last)
    if earlier:
        attempts = f"{number_of(earlier, 'earlier attempt')} {'was' if earlier == 1 else 'were'}"
        notes.append(f"{attempts} left out: each student’s last finished attempt counts.")
    return replace(rows, rows=tuple(last)), tuple(notes)


def _cleaned(rows: Rows, slots: dict[int, dict[str, str]]) -> Rows:
    """The report without tags in questions and responses, and without hyphens for empty cells."""
    parts = {name for slot in slots.values() for name in slot.values()}
    columns = [column for column, name in enumerate(rows.header) if name in parts]
    cleaned = []
    for row in rows.rows:
        cells = list(row.cells)
        for column in columns:
            text = "" if cells[column].strip() in _NOTHING else cells[column]
            cells[column] = readable(text) if looks_like_html(text) else text
        cleaned.append(Row(row.line, tuple(cells)))
    return replace(rows, rows=tuple(cleaned))


def _is_finished(header: Sequence[str], row: Row) -> bool:
    completed = _cell(header, row, _COMPLETED)
    if completed is not None:
        return completed not in _NOTHING
    state = _cell(header, row, _STATE)
    return state is None or (state not in _NOTHING and _bare(state) not in _UNFINISHED)


def _cell(header: Sequence[str], row: Row, names: frozenset[str]) -> str | None:
    column = next((column for column, name in enumerate(header) if _bare(name) in names), None)
    return None if column is None else row.cells[column].strip()
