"""GIFT: questions as plain text, as teachers type them for Moodle; short-answer and essay ones are read.

>>> from postil.data.formats.gift import parse_gift
>>> parse_gift("::Ice:: Why does ice float? {=It is less dense. =%50%It is light.}").questions[0].references
('It is less dense.',)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.data.files import read_text
from postil.data.formats.markup import readable, without_pictures
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
from postil.errors import InputError

_CATEGORY = "$CATEGORY:"
# Signs protected by a backslash are hidden until everything is split.
_ESCAPES = {"~": "~", "=": "=", "#": "#", "{": "{", "}": "}", ":": ":", "n": "\n", "\\": "\\"}
_HIDDEN = {sign: chr(0xF0000 + place) for place, sign in enumerate(_ESCAPES)}
_SHOWN = str.maketrans({hidden: _ESCAPES[sign] for sign, hidden in _HIDDEN.items()})
_ESCAPED = re.compile(r"\\([~=#{}:n\\])")
_FORMATS = {"html": "html", "markdown": "markdown", "plain": "plain_text", "moodle": "moodle_auto_format"}
_FORMAT = re.compile(r"\[(html|markdown|plain|moodle)\]")
_SHARE = re.compile(r"%(-?\d{1,3}(?:\.\d+)?)%")
# Moodle writes these into a comment. None is looked for beyond where the next one begins.
_MARKED = re.compile(r"\[(id|tag):((?:\\.|[^\]\\[]|\[(?!id:|tag:))*+)\]")
_TRUE_OR_FALSE = ("T", "TRUE", "F", "FALSE")
_ANSWERS = re.compile(r"(?<!\\)\{\s*(?:[=~#]|%-?\d|\}|(?:T|TRUE|F|FALSE)\s*[#}])")
_TITLE = re.compile(r"^[ \t]*::.+?(?<!\\)::", re.MULTILINE)
_GAP = "_____"


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of one question, comments apart."""

    line: int
    text: str
    comments: str


def looks_like_gift(text: str) -> bool:
    """Whether a text is GIFT rather than prose or a table: it has answers in braces, titles or categories."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("//")]
    if any(line.startswith(_CATEGORY) for line in lines):
        return True
    bare = "\n".join(lines)
    return bool(_ANSWERS.search(bare)) or bool(_TITLE.search(bare) and re.search(r"(?<!\\)\{", bare))


def read_gift(path: Path | str) -> Quiz:
    """Read the questions of a GIFT file; those not answered in words are counted as skipped."""
    return parse_gift(read_text(path), path)


def parse_gift(text: str, path: Path | str = "GIFT") -> Quiz:
    """Read questions from GIFT text; `path` is what errors call it."""
    questions: list[QuizQuestion] = []
    skipped: list[Skipped] = []
    category = ""
    refuse_long(path, len(without_pictures(text)))
    for number, block in enumerate(_blocks(text), start=1):
        refuse_long(path, 0, number)
        if block.text.startswith(_CATEGORY):
            named, _, rest = block.text.partition("\n")
            category = plain_category(_show(named.removeprefix(_CATEGORY)))
            block = _Block(block.line + 1, rest.strip(), block.comments)
        if not block.text:
            continue
        item = _question(path, block, category)
        if isinstance(item, Skipped):
            skipped.append(item)
        else:
            questions.append(item)
    if not questions and not skipped:
        hint = "A question has its answers in braces: {=answer}."
        raise InputError(path, "contains no questions.", hint=hint)
    return Quiz(tuple(questions), tuple(skipped))


def _blocks(text: str) -> Iterator[_Block]:
    """Split at blank lines; signs protected by a backslash are hidden."""
    lines: list[str] = []
    comments: list[str] = []
    start = 1
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.lstrip().startswith("//"):
            comments.append(line)
        elif line.strip():
            start = start if lines else number
            lines.append(line)
        elif lines:
            whole = "\n".join(lines).strip()
            yield _Block(start, _ESCAPED.sub(lambda match: _HIDDEN[match[1]], whole), "\n".join(comments))
            lines, comments = [], []


def _question(path: Path | str, block: _Block, category: str) -> QuizQuestion | Skipped:
    name, text = "", block.text
    if text.startswith("::") and "::" in text[2:]:
        name, _, text = text[2:].partition("::")
        name, text = " ".join(_show(name).split()), text.strip()
    before, answers, after = _split_answers(path, block, text)
    question, form = _split_format(
        f"{before}{_GAP}{after}" if after.strip() else before, "moodle_auto_format"
    )
    question = readable(_show(question), form)
    name = name or " ".join(question.split())[:60]
    kind = _kind(answers)
    if kind not in (SHORT_ANSWER, ESSAY):
        return Skipped(name, kind, block.line)
    if not question:
        raise InputError(path, "a question has answers but no text.", line=block.line)
    own, feedback = _split_feedback(answers or "")
    references, examples, notes = sort_answers(_answers(path, block, own, form))
    marks = [(what, value.replace("\\]", "]").strip()) for what, value in _MARKED.findall(block.comments)]
    return QuizQuestion(
        name=name,
        text=question,
        kind=kind,
        references=references,
        examples=examples,
        category=category,
        feedback=_rendered(feedback, form),
        idnumber=next((value for what, value in marks if what == "id"), ""),
        tags=tuple(value for what, value in marks if what == "tag"),
        notes=notes,
        line=block.line,
    )


def _split_answers(path: Path | str, block: _Block, text: str) -> tuple[str, str | None, str]:
    """The text before the braces, in them (None without braces) and after them."""
    before, opened, rest = text.partition("{")
    answers, closed, after = rest.partition("}")
    wrong = ""
    if "}" in before:
        wrong = "a brace } closes what was never opened."
    elif opened and not closed:
        wrong = "a brace { opens and does not close before the next blank line."
    elif "{" in answers or "{" in after or "}" in after:
        wrong = "there are more braces than the two around the answers."
    if wrong:
        hint = "Write \\{ and \\} for braces that are part of a text."
        raise InputError(path, wrong, line=block.line, hint=hint)
    return before, (answers.strip() if opened else None), after


def _kind(answers: str | None) -> str:
    """The type of a question with such answers, by the rules of Moodle's own reader."""
    if answers is None:
        return "description"
    own = _split_feedback(answers)[0].strip()
    if not own:
        return ESSAY
    if own.startswith("#"):
        return "numerical"
    if "~" in own:
        return "multichoice"
    if "=" in own and "->" in own:
        return "match"
    return "truefalse" if own.partition("#")[0].strip() in _TRUE_OR_FALSE else SHORT_ANSWER


def _answers(path: Path | str, block: _Block, answers: str, form: str) -> Sequence[Example]:
    examples = []
    for answer in answers.split("="):
        answer = answer.strip()
        if not answer:
            continue
        weight = _SHARE.match(answer)
        if answer.startswith("%") and weight is None and re.match(r"%[^%\s]*%", answer):
            raise InputError(path, "the share of points between % and % is not a number.", line=block.line)
        share = float(weight[1]) / 100 if weight else 1.0
        text, _, feedback = (answer[weight.end() :] if weight else answer).partition("#")
        examples.append(Example(_rendered(text, "plain_text"), share, _rendered(feedback, form)))
    return examples


def _split_feedback(answers: str) -> tuple[str, str]:
    """The answers, and the feedback to all of them that may follow."""
    own, sign, feedback = answers.rpartition("####")
    return (own, feedback) if sign else (answers, "")


def _split_format(text: str, usual: str) -> tuple[str, str]:
    """A text without the name of its format, and the format; the usual one if it names none."""
    text = text.strip()
    named = _FORMAT.match(text)
    return (text[named.end() :], _FORMATS[named[1]]) if named else (text, usual)


def _rendered(text: str, form: str) -> str:
    text, form = _split_format(text, form)
    return readable(_show(text), form)


def _show(text: str) -> str:
    return text.translate(_SHOWN)
