"""The promise about facets: answers graded, explained and judged facet by facet a second.

    python benchmarks/facets.py [--rounds 5]

The load is the bundled class. Facets are the points of the reference that the grader has compared each answer
with. Every round starts without what was kept of the one before.
"""

from __future__ import annotations

import argparse
import os
import time

from explanation import load

import postil
from postil.data.questions import Question, count_answers
from postil.language import pipeline
from postil.language.measures.features import forget_measured
from postil.language.network import encoder

PROMISE = 50


def judge(grader: postil.Grader, questions: list[Question]) -> int:
    """Grade and explain; gives the number of facets' outcomes."""
    graded = grader.grade_many(questions, explain=True)
    explanations = (judgement.explanation for _, judgements in graded for judgement in judgements)
    return sum(len(explanation.facets) for explanation in explanations if explanation)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    questions = load(1)
    total = count_answers(questions)
    print(f"cores: {os.cpu_count()}; load before: {os.getloadavg()[0]:.2f}; answers: {total:,}")
    grader = postil.load()
    judge(grader, questions[:1])  # everything is loaded
    rates = []
    for _ in range(rounds):
        forget_measured()
        pipeline.forget()
        encoder().forget()
        start = time.perf_counter()
        count = judge(grader, questions)
        rates.append(total / (time.perf_counter() - start))
    listed = ", ".join(f"{rate:.0f}" for rate in rates)
    print(f"graded, explained, {count / total:.1f} facets an answer: {max(rates):.0f} answers/s ({listed})")
    print(f"promise: ≥ {PROMISE} answers/s; {'kept' if max(rates) >= PROMISE else 'MISSED'}")
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
