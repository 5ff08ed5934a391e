"""The promise about explanations: answers graded and explained a second; and how much explaining costs.

    python benchmarks/explanation.py [--count 1000]

The load is the bundled class, each of its questions again and again until there are enough answers. Every
copy of a question is graded as a question of its own, so nothing is explained for two of them at once.
"""

from __future__ import annotations

import argparse
import os
import time
from importlib.resources import as_file, files

import postil
from postil.data.formats.tables import read_table
from postil.data.questions import Question, count_answers
from postil.explain.class_report import GradedQuestion, class_report
from postil.language import pipeline
from postil.language.measures.features import forget_measured
from postil.language.network import encoder, reader

ROUNDS = 3
CLASS = 10  # questions of the bundled class


def load(count: int) -> list[Question]:
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    return questions * max(1, round(count / count_answers(questions)))


def seconds(grader: postil.Grader, questions: list[Question], *, explain: bool) -> float:
    total = 0.0
    for index in range(0, len(questions), CLASS):
        # Every copy of the class starts without what is kept of the one before.
        forget_measured()
        pipeline.forget()
        encoder().forget()
        reader(grader.reader).forget()
        start = time.perf_counter()
        list(grader.grade_many(questions[index : index + CLASS], explain=explain))
        total += time.perf_counter() - start
    return total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    questions = load(parser.parse_args().count)
    total = count_answers(questions)
    print(f"cores: {os.cpu_count()}; load before: {os.getloadavg()[0]:.2f}; answers: {total:,}")
    grader = postil.load()
    list(grader.grade_many(questions[:1], explain=True))  # everything is loaded
    rates: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for explain, speeds in rates.items():
            speeds.append(total / seconds(grader, questions, explain=explain))
    for explain, speeds in rates.items():
        what = "graded and explained" if explain else "graded"
        print(f"{what}: {max(speeds):.0f} answers/s ({', '.join(f'{rate:.0f}' for rate in speeds)})")
    print(f"promise: ≥ 70 answers/s with explanation; {'kept' if max(rates[True]) >= 70 else 'MISSED'}")
    graded = [GradedQuestion(*pair) for pair in grader.grade_many(questions[:10], explain=True)]
    size = len(class_report(graded).encode())
    count = count_answers(entry.question for entry in graded)
    print(f"report of {count} explained answers: {size / 1e6:.2f} MB")
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
