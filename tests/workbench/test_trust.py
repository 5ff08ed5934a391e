"""Trust: what is compared, how agreement is counted, and what may pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from postil.data.judgements import Reason
from postil.workbench.pages.trust import (
    ENOUGH,
    FEW,
    Compared,
    Share,
    compare,
    measure,
    own_threshold,
    reliability_bins,
)
from postil.workbench.records import Decision
from postil.workbench.store.judgements import Said, Seen

PARTLY = "partially_correct_incomplete"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fixed(level: float):
    """A calibration for which every accuracy takes the same confidence."""
    return lambda target: level


def view(
    number: int,
    machine: str | None = "correct",
    confidence: float = 0.9,
    told: str | None = None,
    source: str = "review",
    batch: int | None = None,
    **more,
) -> Seen:
    """An answer judged with a confidence, and decided if a label is given."""
    judged = decision = None
    correct = confidence if machine == "correct" else 1 - confidence
    chances = {"correct": correct, "irrelevant": 1 - correct}
    if machine:
        kept = {"reason": None, "deferred": False, "made": NOON, **more}
        judged = Said(machine, confidence, kept["deferred"], kept["reason"], kept["made"])
    if told:
        batch = 100 + number if batch is None else batch
        said = chances if machine else None
        decision = Decision(
            number, number, told, NOON + timedelta(minutes=1), source, batch, None, machine, said
        )
    return Seen(number, judged, decision)


def compared(right: int, wrong: int, confidence: float) -> list[Compared]:
    return [Compared("correct", "correct", confidence, False)] * right + [
        Compared("irrelevant", "correct", confidence, False)
    ] * wrong


def test_decisions_are_compared_with_what_the_machine_had_said():
    found = compare([view(1, told="correct"), view(2, told=PARTLY), view(3)])
    assert [(one.told, one.machine, one.right) for one in found] == [
        ("correct", "correct", True),
        (PARTLY, "correct", False),
    ]


def test_not_correct_is_right_whichever_of_the_labels_it_is():
    (one,) = compare([view(1, "contradictory", 0.8, told="irrelevant")])
    assert one.right
    assert one.confidence == pytest.approx(0.8)


def test_decisions_before_any_grading_are_left_out():
    assert compare([view(1, None, told="correct", source="start")]) == []


def test_what_the_machine_only_repeated_is_left_out():
    repeated = Reason.TOLD
    assert compare([view(1, told="correct", reason=repeated)]) == []
    # A judgement made after the decision repeats it, but the comparison was with an earlier one.
    later = NOON + timedelta(hours=1)
    assert len(compare([view(1, told="correct", reason=repeated, made=later)])) == 1


def test_many_accepted_at_once_are_left_out_and_a_group_counts_once():
    at_once = [view(n, told="correct", source="passed", batch=7) for n in range(5)]
    assert compare(at_once) == []
    assert compare(at_once[:1]) == []  # the only one left: the others were decided otherwise later
    group = [view(n, told=PARTLY, source="group", batch=8) for n in range(9)]
    group.append(view(9, PARTLY, told=PARTLY, source="group", batch=8))
    (one,) = compare(group)
    assert one.machine == "correct"


def test_what_two_people_labelled_counts_one_by_one_though_it_is_one_step():
    labelled = [view(n, told="correct", source="labelled", batch=9) for n in range(3)]
    labelled.append(view(3, told=PARTLY, source="settled", batch=9))
    assert [one.told for one in compare(labelled)] == ["correct", "correct", "correct", PARTLY]


def test_acceptances_count_and_are_counted():
    views = [view(1, told="correct", source="accepted"), view(2, told="correct"), view(3, told=PARTLY)]
    agreement = measure(views, fixed(0.5), 0.9).agreement
    assert agreement is not None
    assert (agreement.accepted, agreement.same.right, agreement.same.count) == (1, 2, 3)


def test_few_decisions_give_no_kappa_and_no_diagram():
    views = [view(n, told=("correct", PARTLY)[n % 2]) for n in range(FEW - 1)]
    trust = measure(views, fixed(0.5), 0.9)
    assert trust.agreement is not None
    assert trust.agreement.kappa is None
    assert trust.bins == ()


def test_no_decision_gives_no_agreement():
    trust = measure([view(1)], fixed(0.5), 0.9)
    assert trust.agreement is None
    assert trust.compared == 0


def test_kappas_are_those_of_the_scoring_package():
    # Twelve: 5 both correct, 5 both not, 1 each way.
    pairs = [("correct", "correct")] * 5 + [("irrelevant", "irrelevant")] * 5
    pairs += [("correct", "irrelevant"), ("irrelevant", "correct")]
    views = [view(n, machine, told=told) for n, (machine, told) in enumerate(pairs)]
    agreement = measure(views, fixed(0.5), 0.9).agreement
    assert agreement is not None
    assert agreement.kappa == pytest.approx((10 / 12 - 0.5) / 0.5)
    assert agreement.weighted == pytest.approx(agreement.kappa)


def test_no_kappa_where_every_label_is_the_same():
    views = [view(n, told="correct") for n in range(FEW)]
    agreement = measure(views, fixed(0.5), 0.9).agreement
    assert agreement is not None
    assert agreement.kappa is None
    assert agreement.weighted is None


def test_weighted_kappa_needs_more_than_one_step_of_the_scale():
    pairs = [("irrelevant", "contradictory"), ("irrelevant", "irrelevant")] * FEW
    views = [view(n, machine, told=told) for n, (machine, told) in enumerate(pairs)]
    agreement = measure(views, fixed(0.5), 0.9).agreement
    assert agreement is not None
    assert agreement.kappa is not None
    assert agreement.weighted is None


def test_wilson_interval():
    # 8 of 10 as in the literature: 0.490 to 0.943.
    low, high = Share(8, 10).interval
    assert (low, high) == (pytest.approx(0.490, abs=1e-3), pytest.approx(0.943, abs=1e-3))
    assert Share(5, 5).interval[1] == pytest.approx(1.0)
    assert Share(0, 5).interval[0] == pytest.approx(0.0)


def test_labels_are_counted_with_and_without_decisions():
    trust = measure([view(1), view(2, told=PARTLY), view(3, None, told="correct")], fixed(0.5), 0.9)
    assert (trust.machine["correct"], trust.machine[PARTLY]) == (2, 0)
    assert (trust.counted["correct"], trust.counted[PARTLY]) == (2, 1)
    assert trust.decided == 2


def test_bins_join_until_each_holds_five():
    bins = reliability_bins([*compared(2, 0, 0.55), *compared(2, 1, 0.65), *compared(6, 0, 0.95)])
    assert [(one.count, one.right) for one in bins] == [(5, 4), (6, 6)]
    assert bins[0].confidence == pytest.approx((2 * 0.55 + 3 * 0.65) / 5)


def test_what_is_left_over_joins_the_bin_before():
    bins = reliability_bins([*compared(6, 0, 0.75), *compared(2, 0, 0.95)])
    assert [one.count for one in bins] == [8]


def test_an_edge_belongs_to_the_step_above():
    bins = reliability_bins([*compared(5, 0, 0.69), *compared(5, 0, 0.7)])
    assert [one.confidence for one in bins] == [pytest.approx(0.69), pytest.approx(0.7)]


def test_own_threshold_is_the_least_confidence_that_is_right_often_enough():
    own = [*compared(18, 0, 0.9), *compared(2, 2, 0.6)]
    assert own_threshold(own, 0.95) == pytest.approx(0.9)
    assert own_threshold(own, 0.80) == pytest.approx(0.6)


def test_few_decisions_promise_little_even_if_all_agree():
    assert own_threshold(compared(20, 0, 0.9), 0.97) > 1
    assert own_threshold(compared(98, 0, 0.9), 0.97) == pytest.approx(0.9)
    assert own_threshold(compared(4, 0, 0.9), 0.8) > 1


def test_shipped_calibration_speaks_until_there_are_enough_decisions():
    open_ = [view(n, confidence=0.95) for n in range(10)] + [view(50 + n, confidence=0.6) for n in range(10)]
    few = [view(100 + n, confidence=0.9, told="irrelevant") for n in range(ENOUGH - 1)]
    before = measure([*open_, *few], fixed(0.8), 0.9).passing
    assert before is not None
    assert (before.own, before.passed, before.undecided) == (False, 10, 20)
    enough = [*few, view(200, confidence=0.9, told="irrelevant")]
    after = measure([*open_, *enough], fixed(0.8), 0.9).passing
    assert after is not None
    assert (after.own, after.passed) == (True, 0)
    assert after.level > 1


def test_a_higher_accuracy_never_lets_more_pass():
    decided = [view(n, confidence=0.5 + n / 100, told="correct" if n % 4 else PARTLY) for n in range(40)]
    open_ = [view(100 + n, confidence=0.5 + n / 60) for n in range(30)]
    passing = measure([*decided, *open_], fixed(0.8), 0.9).passing
    assert passing is not None
    shares = [step.share for step in passing.steps]
    assert shares == sorted(shares, reverse=True)
    assert passing.chosen.share in shares


def test_what_the_machine_left_to_a_person_never_passes():
    long = view(1, confidence=0.99, deferred=True, reason=Reason.LONG)
    passing = measure([long, view(2, confidence=0.99)], fixed(0.5), 0.9).passing
    assert passing is not None
    assert (passing.passed, passing.undecided) == (1, 2)


def test_nothing_undecided_nothing_to_pass():
    assert measure([view(1, told="correct")], fixed(0.5), 0.9).passing is None
