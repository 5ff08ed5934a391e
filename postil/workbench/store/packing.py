"""What was read from an upload as bytes, so that every server can show it: JSON, compressed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any

from postil.data.formats.quizzes import Example, Quiz, QuizQuestion, Skipped
from postil.data.formats.rows import Row, Rows
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.workbench.drafts import Opened

_FORMAT = 1
_LEVEL = 1  # a person waits for it, and it is there for half an hour


def pack(opened: Opened) -> bytes:
    """Make bytes of what was read from a file."""
    rows = opened.rows
    packed = {
        "format": _FORMAT,
        "name": opened.name,
        "path": str(rows.path),
        "header": rows.header,
        "lines": [row.line for row in rows.rows],
        "cells": [row.cells for row in rows.rows],
        "wide": [_packed_question(one) for one in opened.wide],
        "notes": opened.notes,
        "headed": opened.headed,
        "quiz": None if opened.quiz is None else asdict(opened.quiz),
    }
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)  # files hold halves of characters


def unpack(body: bytes) -> Opened | None:
    """What was read, from its bytes; None if another version of Postil has packed it."""
    packed = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    if packed["format"] != _FORMAT:
        return None
    lines = zip(packed["lines"], packed["cells"], strict=True)
    rows = Rows(
        Path(packed["path"]),
        tuple(packed["header"]),
        tuple(Row(line, tuple(cells)) for line, cells in lines),
    )
    wide = tuple(map(_question, packed["wide"]))
    quiz = None if packed["quiz"] is None else _quiz(packed["quiz"])
    return Opened(packed["name"], rows, wide, tuple(packed["notes"]), packed["headed"], quiz)


def _packed_question(question: Question) -> dict[str, Any]:
    """A question by the names of its fields; its thousands of answers are lists, which are packed faster."""
    answers = [
        (one.id, one.text, one.label, one.match, one.count, [astuple(facet) for facet in one.facets], one.row)
        for one in question.answers
    ]
    return {**asdict(replace(question, answers=())), "answers": answers}


def _question(packed: Mapping[str, Any]) -> Question:
    answers = (
        Answer(id, text, label, match, count, tuple(FacetLabel(*facet) for facet in facets), row)
        for id, text, label, match, count, facets, row in packed["answers"]
    )
    references = (
        Reference(**{**one, "facets": tuple(Facet(**facet) for facet in one["facets"])})
        for one in packed["references"]
    )
    return Question(**{**packed, "answers": tuple(answers), "references": tuple(references)})


def _quiz(packed: Mapping[str, Any]) -> Quiz:
    return Quiz(
        tuple(map(_quiz_question, packed["questions"])),
        tuple(Skipped(**one) for one in packed["skipped"]),
    )


def _quiz_question(packed: Mapping[str, Any]) -> QuizQuestion:
    lists = {name: tuple(packed[name]) for name in ("references", "tags", "notes")}
    examples = tuple(Example(**one) for one in packed["examples"])
    return QuizQuestion(**{**packed, **lists, "examples": examples})
