"""What a request costs is estimated before anybody works on it, and what would take too long is refused."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from postil.alignment.aligner import MOST_ALIGNED
from postil.entailment.entailer import MOST_OF_HYPOTHESIS, MOST_OF_TEXT
from postil.grading.answers import MOST_READ
from postil.language.claims import MOST_CLAIMS
from postil.language.network import CAREFUL, QUICK, READERS, SERVER
from postil.workbench.jobs import prices, readers
from postil.workbench.jobs.isolation import IsolatedMachine
from postil.workbench.jobs.judging import (
    AlignTask,
    ClassTask,
    EntailTask,
    FacetsTask,
    JudgingProcess,
    TooMuchError,
)
from postil.workbench.jobs.prices import MOST_SECONDS, demand_affordable, estimate
from postil.workbench.jobs.readers import reader_prices
from postil.workbench.records import Question

WORDS = "the light bulb glows because current flows from its battery through closed wires and back again so"


@pytest.fixture
def careful(monkeypatch):
    """As if the careful reader were installed."""
    monkeypatch.setattr(readers, "default_reader", lambda: CAREFUL)


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


@pytest.mark.parametrize(
    "given",
    [
        "电路是断开的所以灯不亮因为没有电流通过灯泡" * 3,
        "스위치가열려있어서전구가꺼졌다" * 4,
        "the_switch_is_open_and_the_bulb_is_out_" * 3,
    ],
    ids=["chinese", "korean", "underscores"],
)
def test_what_networks_spell_out_is_not_cheap_where_it_is_short(given):
    """Each character may be a piece of its own for a network, though there are neither blanks nor signs."""
    texts = tuple(f"{number} {given}" for number in range(200))
    assert estimate(ClassTask("Why?", (given,), texts)) > MOST_SECONDS


def test_named_facets_are_priced_by_what_networks_spell_out():
    """Twenty of them in as many answers took more than twice the limit."""
    chinese = "电路是断开的所以灯不亮因为没有电流通过灯泡" * 8
    facets = tuple(f"{chinese[number : number + 8]} gap {number}" for number in range(20))
    answers = tuple(f"{number} {chinese}" for number in range(20))
    assert estimate(FacetsTask("Why?", "It is open.", answers, facets)) > MOST_SECONDS
    assert estimate(FacetsTask("Why?", "It is open.", answers[:2], facets)) < MOST_SECONDS


def test_decided_answers_are_compared_with_all_others():
    consonants = "bcd fgh jkl mnp qrs tvw xzb dfg " * 6
    decided = tuple((f"{consonants}{number}", "correct") for number in range(50))
    alone = ClassTask("Why?", ("It is so.",), tuple(text for text, _ in decided))
    beside = ClassTask("Why?", ("It is so.",), ("It is open.",), decided)
    assert estimate(beside) > estimate(alone) + 0.3


@pytest.mark.parametrize(
    "task",
    [
        graded(40, 30),
        graded(15, 30, explain=True),
        graded(1, 400, 400),
        EntailTask(tuple((words(60), words(20)) for _ in range(25))),
        FacetsTask("Why?", words(150), answers(10, 30)),
        FacetsTask("Why?", words(20), answers(15, 30)),
    ],
    ids=lambda task: type(task).__name__,
)
@pytest.mark.usefixtures("careful")
def test_what_the_documentation_promises_is_judged_with_the_careful_reader(task):
    demand_affordable(task)


@pytest.mark.usefixtures("careful")
def test_the_careful_reader_has_its_own_price():
    with pytest.raises(TooMuchError, match="would take about"):
        demand_affordable(graded(200, 30))


@pytest.mark.usefixtures("careful")
def test_what_no_network_reads_costs_the_same_whoever_reads(monkeypatch):
    pairs, facets = AlignTask(((words(20), words(20)),)), FacetsTask("Why?", words(20), answers(3, 20))
    costs = estimate(pairs), estimate(facets)
    monkeypatch.setattr(readers, "default_reader", lambda: QUICK)
    assert estimate(pairs) == costs[0]
    assert estimate(facets) < costs[1]  # the careful reader reads claims as well


def test_every_reader_has_a_price():
    assert tuple(reader_prices()) == READERS
    quick, careful, cascade, expert, thorough, server = reader_prices().values()
    assert quick.of(200) < careful.of(200) <= cascade.of(200) < expert.of(200) <= thorough.of(200)
    assert quick.patience < careful.patience <= cascade.patience < expert.patience <= thorough.patience
    assert thorough.of(200) < server.of(200)
    assert thorough.patience < server.patience
    assert careful.of(10_000) == careful.of(careful.pieces)


def test_every_model_of_a_server_has_its_price(monkeypatch):
    monkeypatch.setattr(readers, "default_reader", lambda: "server:qwen2.5:7b")
    assert readers.reader_price() == reader_prices()[SERVER]


@pytest.mark.usefixtures("careful")
def test_a_request_that_names_a_slower_reader_costs_more(monkeypatch):
    few, class_of_thirty = graded(3, 12), graded(30, 12)
    demand_affordable(class_of_thirty)
    costs = [estimate(replace(few, reader=name)) for name in (None, CAREFUL, "expert")]
    assert costs[0] == costs[1] < costs[2] / 5
    demand_affordable(replace(few, reader="expert"))
    with pytest.raises(TooMuchError):
        demand_affordable(replace(class_of_thirty, reader="expert"))
    assert readers.reader_price("a later one") == readers.reader_price(SERVER)  # the slowest
    waits = []
    process = JudgingProcess(lambda: None, task_limit=10)
    monkeypatch.setattr(process._process, "call", lambda *_, seconds: waits.append(seconds))
    for name in (None, "expert"):
        process._judged(replace(few, reader=name))
    assert waits == [10, 30]  # the model has to be loaded


@pytest.mark.usefixtures("careful")
def test_a_job_waits_longer_for_the_careful_reader(monkeypatch):
    waits = []
    machine = IsolatedMachine(lambda: None)
    monkeypatch.setattr(machine._process, "call", lambda *_, seconds: waits.append(seconds) or [1] * 100)
    machine.group(["it is closed"] * 100)
    monkeypatch.setattr(readers, "default_reader", lambda: QUICK)
    machine.group(["it is closed"] * 100)
    careful, quick = waits
    assert careful > quick + 20
    question = Question(1, 1, "Why?", ("So.",), 1.0, datetime.now(UTC), 100, 0, 0)
    machine.judge(question, ["it is closed"] * 100, [None] * 100, reader="expert")
    assert waits[-1] > careful + 400


def test_an_estimate_itself_costs_nothing():
    begun = time.process_time()
    estimate(ClassTask("Why?", ("It is so.",) * 50, ("?! " * 10_000,) * 200))
    assert time.process_time() - begun < 1


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
    assert (prices._GRADED, prices._ALIGNED) == (MOST_READ, MOST_ALIGNED)
    assert prices._MOST_CLAIMS == MOST_CLAIMS
    assert (prices._PASSAGE, prices._HYPOTHESIS) == (MOST_OF_TEXT, MOST_OF_HYPOTHESIS)
