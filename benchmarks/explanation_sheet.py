"""Draw fifty graded training answers with their explanations, to be read by somebody who did not write them.

    python benchmarks/explanation_sheet.py --data DATA --seed 607 --out sheet.csv

DATA is a folder with sra/ below it, as docs/researchers/data.md shows. The reader says of each row whether
both notes are faithful, grammatical and useful; the label itself is not in question.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import postil
from postil.data.formats.rows import write_rows
from postil.data.formats.sra import read_collection
from postil.data.questions import Answer, Question

COUNT = 50
HEADER = (
    "number",
    "corpus",
    "answer_id",
    "question",
    "reference",
    "answer",
    "label",
    "for the teacher",
    "for the student",
)


def drawn(folder: Path, seed: int) -> list[Question]:
    """Questions with only the answers that were drawn."""
    read = read_collection(folder).items()
    answers = [(q, a) for (_, name), group in read if name == "train" for q in group for a in q.answers]
    chosen: dict[tuple[str, str], tuple[Question, list[Answer]]] = {}
    for question, answer in random.Random(seed).sample(answers, COUNT):
        chosen.setdefault((question.corpus, question.id), (question, []))[1].append(answer)
    return [replace(question, answers=tuple(some)) for question, some in chosen.values()]


def rows(questions: Sequence[Question]) -> Iterator[list[str]]:
    number = 0
    for question, judgements in postil.load().grade_many(questions, explain=True):
        references = " | ".join(reference.text for reference in question.references)
        for answer, judged in zip(question.answers, judgements, strict=True):
            number += 1
            explanation = judged.explanation
            notes = (
                (explanation.teacher, explanation.student)
                if explanation
                else (f"(Decided beforehand: {judged.because}.)", "")
            )
            own = [str(number), question.corpus, answer.id, question.text, judged.reference or references]
            yield [*own, answer.text, judged.label, *notes]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=607)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_rows(options.out, HEADER, list(rows(drawn(options.data / "sra", options.seed))))


if __name__ == "__main__":
    main()
