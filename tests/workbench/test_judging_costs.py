"""What a request costs is estimated before anybody works on it, and what would take too long is refused."""

from __future__ import annotations

import time

import pytest

from postil.alignment.aligner import MOST_ALIGNED
from postil.entailment.entailer import MOST_OF_HYPOTHESIS, MOST_OF_TEXT
from postil.grading import claims
from postil.grading.answers import MOST_READ
from postil.workbench.jobs import judging
from postil.workbench.jobs.judging import (
    MOST_SECONDS,
    AlignTask,
    ClassTask,
    EntailTask,
    FacetsTask,
    TooMuchError,
    demand_affordable,
    estimate,
)

WORDS = "the light bulb glows because current flows from its battery through closed wires and back again so"


def words(count):
    return " ".join((WORDS.split() * (count // 16 + 1))[:count])


def answers(count, length):
    return tuple(words(length) for _ in range(count))


def graded(count, length, reference=20, **options):
    return ClassTask("Why is it lit?", (words(reference),), answers(count, length), **options)


@pytest.mark.parametrize(
    "task",
    [
        graded(200, 30),
        graded(50, 30, explain=True),
        graded(50, 30, with_facets=True),
        graded(1, 400, 400),
        graded(1, 200, 80, explain=True),
        graded(30, 15, with_facets=True, facets=("current flows", "it is closed")),
        AlignTask(tuple((words(20), words(20)) for _ in range(50))),
        EntailTask(tuple((words(150), words(20)) for _ in range(50))),
        EntailTask(((words(4000), words(300)),)),
        FacetsTask("Why?", words(150), answers(15, 30)),
    ],
    ids=lambda task: type(task).__name__,
)
def test_what_the_documentation_promises_is_judged(task):
    demand_affordable(task)


@pytest.mark.parametrize(
    "task",
    [
        graded(200, 400),
        graded(200, 30, 400, decided=tuple((words(200), "correct") for _ in range(50))),
        graded(50, 100, 80, explain=True),
        graded(50, 40, explain=True, facets=tuple("abcdefghijklmnopqrst"), with_facets=True),
        AlignTask(tuple((words(90), words(90)) for _ in range(50))),
        EntailTask(tuple((words(400), words(30)) for _ in range(50))),
        FacetsTask("Why?", words(180), answers(50, 40)),
    ],
    ids=lambda task: type(task).__name__,
)
def test_what_takes_much_longer_is_refused_with_advice(task):
    with pytest.raises(TooMuchError, match="would take about") as refused:
        demand_affordable(task)
    assert "fewer or shorter" in refused.value.hint


def test_neither_signs_nor_missing_blanks_make_a_text_cheap():
    usual = estimate(graded(10, 300))
    signs = ClassTask("Why?", ("It is so.",), ("?!" * 1500,) * 10)
    unbroken = ClassTask("Why?", ("It is so.",), ("a" * 40_000,) * 10)
    assert estimate(signs) > usual / 2
    assert estimate(unbroken) > usual / 2


def test_an_estimate_itself_costs_nothing():
    begun = time.process_time()
    estimate(ClassTask("Why?", ("It is so.",) * 50, ("?! " * 10_000,) * 200))
    assert time.process_time() - begun < 5


@pytest.mark.slow
def test_an_estimate_is_not_far_from_what_it_takes():
    """Within a factor of eight: machines differ, and so do words."""
    from postil.workbench.jobs.library import judge

    texts = [f"bulb {n} glows since {given} goes" for n, given in enumerate(WORDS.split() * 4)]
    task = ClassTask("Why is it lit?", (words(15),), tuple(texts[:50]), explain=True)
    judge(ClassTask("Why is it lit?", (words(15),), tuple(texts[50:]), explain=True))
    begun = time.process_time()
    judge(task)
    took = time.process_time() - begun
    assert took / 8 < estimate(task) < 8 * took
    assert estimate(task) < MOST_SECONDS


def test_prices_end_where_reading_ends():
    assert (judging._GRADED, judging._ALIGNED) == (MOST_READ, MOST_ALIGNED)
    assert judging._MOST_CLAIMS == claims._MOST_POINTS
    assert (judging._PASSAGE, judging._HYPOTHESIS) == (MOST_OF_TEXT, MOST_OF_HYPOTHESIS)
