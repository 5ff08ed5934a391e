"""One pupil's data as files that a person can read: a table, the full data as JSON, and a note on both."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from postil.data.labels import PLAIN_NAMES
from postil.errors import number_of
from postil.workbench.exports import COLUMNS as ANSWER_COLUMNS
from postil.workbench.exports import NOBODY, Names, answer_rows, as_table, feedback, points_of
from postil.workbench.records import Decision
from postil.workbench.store.pupils import Stored

ZIP = "application/zip"
COLUMNS = ("course", "question", *(name for name, _ in ANSWER_COLUMNS), "judged on", "decided on")
_README = """\
What Postil stores about one student: {answers}.
Made on {made}.

answers.csv   one line for each answer, for a spreadsheet: the course, the question, the id and the name that
              came with the answer, the answer, its label and points, who decided, the notes, and when.
answers.json  the full data, with every decision ever made about an answer (including those that were
              undone), the labels of rounds of double labelling, and requests for a second look with replies.

Labels: {labels}.
Where "decided by" is Postil, no person has decided, and the label was given by the program.
"""


def pupil_zip(stored: Sequence[Stored], made: datetime, names: Names = NOBODY) -> bytes:
    """Everything that is stored about a pupil as one file; `names` are those of the people who decided."""
    labels = ", ".join(f"{plain} ({label})" for label, plain in PLAIN_NAMES.items())
    count = number_of(len(stored), "answer")
    files = {
        "README.txt": _README.format(answers=count, made=f"{made:%Y-%m-%d %H:%M %Z}", labels=labels).encode(),
        "answers.csv": _table(stored, names),
        "answers.json": _in_full(stored, made, names),
    }
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _in_full(stored: Sequence[Stored], made: datetime, names: Names) -> bytes:
    data = {"made": made.isoformat(), "answers": [_answer(item, names) for item in stored]}
    return json.dumps(data, ensure_ascii=False, indent=2).encode("utf-8", "replace")


def _table(stored: Sequence[Stored], names: Names) -> bytes:
    rows: list[list[Any]] = []
    for item in stored:
        (cells,) = answer_rows(item.question, [item.view], names)
        judged, decision = item.view.judged, item.view.decision
        when = (_day(judged.made if judged else None), _day(decision.made if decision else None))
        rows.append([item.course, item.question.text, *cells, *when])
    return as_table(COLUMNS, rows)


def _answer(item: Stored, names: Names) -> dict[str, Any]:
    view, judged = item.view, item.view.judged
    return {
        "course": item.course,
        "question": item.question.text,
        "references": list(item.question.references),
        "key": view.answer.key,
        "student": view.answer.student,
        "answer": view.answer.text,
        "label": view.label,
        "points": points_of(item.question, view),
        "out_of": item.question.points,
        "feedback": feedback(view),
        "judgement": judged
        and {
            "label": judged.label,
            "probabilities": dict(judged.probabilities),
            "confidence": judged.confidence,
            "deferred": judged.deferred,
            "reason": judged.reason and judged.reason.value,
            "explanation": view.note,
            "made": judged.made.isoformat(),
        },
        "rubric": [{"item": shown.facet.first, "outcome": shown.label} for shown in view.facets],
        "decisions": [_decision(decision, names) for decision in item.decisions],
        "second_looks": [
            {
                "text": look.text,
                "asked": look.asked.isoformat(),
                "answered": look.answered and look.answered.isoformat(),
                "outcome": look.outcome,
                "comment": look.comment,
            }
            for look in item.looks
        ],
        "blind_labels": [
            {"label": blind.label, "note": blind.note, "made": blind.made.isoformat()} for blind in item.blind
        ],
    }


def _decision(decision: Decision, names: Names) -> dict[str, Any]:
    return {
        "label": decision.label,
        "by": names.get(decision.by or 0, ""),
        "source": decision.source,
        "made": decision.made.isoformat(),
        "undone": decision.undone and decision.undone.isoformat(),
        "ticked": decision.ticked and dict(decision.ticked),
    }


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M %Z}" if moment else ""
