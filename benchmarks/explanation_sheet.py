"""Draw fifty graded answers with their notes, to be read by somebody who did not write the code.

    python benchmarks/explanation_sheet.py --data DATA --seed 25 --out sheet.csv [--reader careful]

DATA is a folder with sra/ and graded/ below it, as docs/researchers/data.md shows. Only answers to questions
that no training has seen are drawn, and of each label about as many. The reader says of each row whether
the note is true, grammatical and useful to a teacher (an empty one: whether there was nothing to say), and
whether the student's gives nothing away; whether the label is right is not in question.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

import postil
from postil.data.formats.rows import write_rows
from postil.data.formats.sra import read_collection
from postil.data.labels import PLAIN_NAMES
from postil.data.questions import Answer, Question, Reference

sys.path.append(str(Path(__file__).parents[1] / "training"))

from reader_data import read_lines, set_aside

COUNT = 50
POOL = 60  # answers of each corpus that are graded, to draw from
GRADED = ("saf_en", "brooklyn_office_exams", "evouna")
HEADER = ("number", "corpus", "question", "reference", "answer", "label", "note", "student note")


def challenge(folder: Path) -> list[Question]:
    """The challenge's training questions that no training has seen."""
    groups = [group for (_, name), group in read_collection(folder).items() if name == "train"]
    return [question for question in chain(*groups) if set_aside(question.text)]


def classes(folder: Path, corpus: str) -> list[Question]:
    """The classes of another corpus that no training has seen."""
    answers: dict[tuple[str, tuple[str, ...]], list[Answer]] = defaultdict(list)
    for row in read_lines(folder / f"{corpus}.jsonl.xz"):
        if row["question"] and set_aside(row["question"]):
            key = row["question"], tuple(row["references"])
            answers[key].append(Answer(f"{corpus}.{len(answers)}.{len(answers[key])}", row["answer"]))
    return [
        Question(
            text,
            text,
            tuple(Reference(str(number), reference) for number, reference in enumerate(references)),
            tuple(given),
            corpus=corpus,
        )
        for (text, references), given in answers.items()
    ]


def drawn(questions: Sequence[Question], rng: random.Random) -> list[Question]:
    """Some questions with only the answers that were drawn."""
    pool = [(number, answer) for number, question in enumerate(questions) for answer in question.answers]
    chosen: dict[int, list[Answer]] = defaultdict(list)
    for number, answer in rng.sample(pool, min(POOL, len(pool))):
        chosen[number].append(answer)
    return [replace(questions[number], answers=tuple(answers)) for number, answers in chosen.items()]


def rows(questions: Sequence[Question], reader: str, rng: random.Random) -> Iterator[list[str]]:
    """The sheet: labels take turns, and within a label corpora."""
    explained: dict[str, dict[str, list[list[str]]]] = defaultdict(lambda: defaultdict(list))
    for question, judgements in postil.load(reader=reader).grade_many(questions, explain=True):
        for answer, judged in zip(question.answers, judgements, strict=True):
            explanation = judged.explanation
            if explanation is not None:
                notes = (explanation.teacher, explanation.student)
                row = [question.corpus, question.text, judged.reference, answer.text]
                explained[judged.label][question.corpus].append([*row, PLAIN_NAMES[judged.label], *notes])
    for corpora in explained.values():
        for group in corpora.values():
            rng.shuffle(group)
    by_label = [_in_turn(explained[label].values()) for label in sorted(explained)]
    for number, row in zip(range(1, COUNT + 1), _in_turn(by_label), strict=False):
        yield [str(number), *row]


def _in_turn(groups: Sequence[Sequence[list[str]]]) -> list[list[str]]:
    """One of each group after another, as long as there are any."""
    return [row for turn in zip_longest(*groups) for row in turn if row is not None]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--reader", default="careful")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    corpora = [challenge(options.data / "sra")]
    corpora += [classes(options.data / "graded", corpus) for corpus in GRADED]
    chosen = [question for corpus in corpora for question in drawn(corpus, rng)]
    write_rows(options.out, HEADER, list(rows(chosen, options.reader, rng)))


if __name__ == "__main__":
    main()
