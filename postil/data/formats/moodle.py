"""Moodle XML: the question bank's own export; short-answer and essay questions are read and written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

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
from postil.data.xmlfile import XmlFile, read_xml, text_of, write_xml
from postil.errors import InputError

# What graders are told about an essay is a reference unless it reads like advice to them.
_ADVICE = re.compile(
    r"\b(points?|marks?|award|deduct|rubric|criteria|criterion|grade[rs]?|grading|score|full credit"
    r"|the student|students|see (the )?(page|chapter|slides?))\b|\d\s*%|^\s*\d+\s*p(ts?)?\b",
    re.IGNORECASE | re.MULTILINE,
)
_LEAST_WORDS, _MOST_WORDS = 3, 120


def read_moodle_xml(path: Path | str) -> Quiz:
    """Read the questions of a Moodle XML file; those not answered in words are counted as skipped."""
    xml = read_xml(path)
    if xml.root.tag != "quiz":
        raise xml.error(
            xml.root,
            f"the root element is <{xml.root.tag}>, not <quiz>.",
            hint="In Moodle: Question bank, Export, Moodle XML format.",
        )
    questions: list[QuizQuestion] = []
    skipped: list[Skipped] = []
    category, length = "", 0
    for element in xml.root.iterfind("question"):
        kind = xml.required(element, "type").lower()
        if kind == "category":
            category = plain_category(_inner(element.find("category")))
        elif kind in (SHORT_ANSWER, ESSAY):
            length += _length(element)
            refuse_long(xml.path, length)
            questions.append(_question(xml, element, kind, category))
        else:
            skipped.append(Skipped(_name(element), kind, xml.lines.get(element)))
    if not questions and not skipped:
        raise InputError(xml.path, "holds no questions.", hint="Export the category that has them.")
    return Quiz(tuple(questions), tuple(skipped))


def _question(xml: XmlFile, element: ET.Element, kind: str, category: str) -> QuizQuestion:
    text = _text(element.find("questiontext"))
    if not text:
        raise xml.error(element, f"the question {_name(element)!r} has no text.")
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    if kind == SHORT_ANSWER:
        given = [_answer(xml, answer) for answer in element.iterfind("answer")]
        references, examples, notes = sort_answers(given)
        feedback = next((one.feedback for one in given if one.share >= 1 and one.feedback), "")
    else:
        references, feedback = _model_answer(_text(element.find("graderinfo"))), ""
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


def _model_answer(told: str) -> tuple[str, ...]:
    """What graders are told of an essay, where it is an answer rather than advice on grading."""
    words = len(told.split())
    return (told,) if _LEAST_WORDS <= words <= _MOST_WORDS and not _ADVICE.search(told) else ()


def _number(xml: XmlFile, element: ET.Element, text: str, what: str) -> float:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise xml.error(element, f"{what} is {text.strip()[:20]!r}, not a number.")
    return value


def _length(element: ET.Element) -> int:
    """How much a question and its answers have to read, files that come with them apart."""
    parts = (part for one in element.iter() if one.tag != "file" for part in (one.text, one.tail))
    return sum(len(without_pictures(part)) for part in parts if part)


def _name(element: ET.Element) -> str:
    return readable(_inner(element.find("name")), "plain_text")


def _inner(element: ET.Element | None) -> str:
    """What stands in an element's <text>, or in itself where it has none."""
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
        _write_question(root, question)
    write_xml(path, root)


def _write_question(root: ET.Element, question: QuizQuestion) -> None:
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
        for text in question.references:
            _write_answer(element, text, 1.0, "")
        for example in question.examples:
            _write_answer(element, example.text, example.share, example.feedback)
    if question.tags:
        tags = ET.SubElement(element, "tags")
        for tag in question.tags:
            _write_text(tags, "tag", tag)


def _write_answer(parent: ET.Element, text: str, share: float, feedback: str) -> None:
    escaped = text.replace("*", "\\*")  # alone, an asterisk stands for any words
    answer = _write_text(parent, "answer", escaped, fraction=f"{share * 100:g}", format="plain_text")
    _write_text(answer, "feedback", feedback, format="plain_text")


def _write_text(parent: ET.Element, tag: str, text: str, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    ET.SubElement(element, "text").text = text
    return element
