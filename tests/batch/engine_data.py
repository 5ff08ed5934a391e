"""Small datasets for the tests of engines, and an engine that judges in the process of the test."""

from __future__ import annotations

import json

from postil.batch import worker
from postil.batch.dataset import plan
from postil.batch.work import Done


class HereEngine:
    """Judges in this process, one partition after the other."""

    def run(self, work, sources):
        for source in sources:
            planned = plan(work, source)
            if isinstance(planned, Done):
                yield planned
                continue
            for task in planned:
                yield worker.judge_partition(work, task)


def table(count, first=0, question="Why does ice float?"):
    """A CSV file of so many rows; answers differ in length, and some hold what CSV must quote."""
    rows = ["id,question,reference,answer"]
    for number in range(first, first + count):
        answers = [f"it floats{'x' * (number % 3)}", '"less, dense"', '"it is\nlight"', '"a ""b"" thing"', ""]
        rows.append(f"s{number},{question},It is less dense than water.,{answers[number % 5]}")
    return "\n".join(rows) + "\n"


def json_lines(count):
    """As many lines of JSON; not all have the same fields."""
    rows = []
    for number in range(count):
        row = {"id": number, "question": "Why?", "reference": "So.", "answer": "y" * (number % 9)}
        rows.append(json.dumps(row | ({"extra": [1, None]} if number % 3 == 0 else {})))
    return "\n".join(rows) + "\n"
