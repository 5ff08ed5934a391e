"""The page about trust: how the grader does on this question, and which answers need no look.

Every decision is compared with what the machine said before it was made. Three kinds of decision say nothing
and are left out: those made before anything was graded, those on an answer whose label the machine had only
repeated from an earlier decision, and answers accepted many at a time, since nobody looked at each, even if
others of the same step were changed later. A group decided as one is one look and counts once, however many
answers it holds; what two people labelled was looked at one by one, though it is stored as one step. Answers
accepted one by one count: the teacher looked, but saw the machine's label first, so the page also says how
many these are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import sqrt
from statistics import fmean
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from postil.data.judgements import Reason
from postil.data.labels import PLAIN_NAMES
from postil.errors import number_of
from postil.explain.charts import Bar, Bin, Step, bar_chart, coverage_curve, reliability_diagram
from postil.grader import load
from postil.grading.answers import fingerprint
from postil.scoring.agreement import cohen_kappa, quadratic_weighted_kappa
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.rendering import OfStore, back, flash, render
from postil.workbench.pages.table import head_of
from postil.workbench.records import LABELS, Decision, Level, Version
from postil.workbench.store.courses import get_question
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import LABELLED, SETTLED, last_step, pass_all
from postil.workbench.store.judgements import Seen, see

router = APIRouter()
# Says from which confidence on answers are right as often as asked for; above 1 if never.
Threshold = Callable[[float], float]
TARGETS = tuple(range(80, 100))  # per cent
# Fewer comparisons say too little for a kappa and a diagram, or for a threshold of the question's own.
FEW, ENOUGH = 10, 20
_IN_A_BIN = 5
_NORMAL = 1.959964  # the 97.5th percentile of the normal distribution
_RANKS = {"correct": 2, "partially_correct_incomplete": 1}
_NEVER = 1.01
USUAL = 95  # per cent
# What a kappa above so much is called (Landis and Koch 1977).
_KAPPA_WORDS = {0.8: "almost perfect", 0.6: "substantial", 0.4: "moderate", 0.2: "fair", 0.0: "slight"}


@dataclass(frozen=True, slots=True)
class Compared:
    """A decision, what the machine had said, and how sure it was of its being correct or not."""

    told: str
    machine: str
    confidence: float
    accepted: bool

    @property
    def right(self) -> bool:
        """Whether both call the answer correct, or both do not."""
        return (self.told == "correct") == (self.machine == "correct")


@dataclass(frozen=True, slots=True)
class Share:
    """A share counted from few: so many of so many, and the interval in which the true one probably lies."""

    right: int
    count: int

    @property
    def share(self) -> float:
        """The share itself."""
        return self.right / self.count

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at 95%."""
        middle = self.share + _NORMAL**2 / (2 * self.count)
        reach = _NORMAL * sqrt(self.share * (1 - self.share) / self.count + _NORMAL**2 / (4 * self.count**2))
        scale = 1 + _NORMAL**2 / self.count
        return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often machine and teacher agree; the kappas are None where too few or all alike."""

    same: Share  # of the five labels
    correct_or_not: Share
    kappa: float | None
    weighted: float | None  # on the scale not correct < partly right < correct
    accepted: int


@dataclass(frozen=True, slots=True)
class Passing:
    """What could pass without a look: at which confidence, which of the undecided, and how we know.

    `level` is above 1 where no confidence reaches the accuracy. `own` says that the question's own decisions
    set it; otherwise the accuracy is what the grader had on the answers it was made with.
    """

    target: float
    level: float
    answers: tuple[int, ...]
    undecided: int
    own: bool
    steps: tuple[Step, ...]

    @property
    def passed(self) -> int:
        """How many could pass."""
        return len(self.answers)

    @property
    def chosen(self) -> Step:
        """The chosen accuracy and the share that passes."""
        return Step(self.target, self.passed / self.undecided if self.undecided else 0.0)


@dataclass(frozen=True, slots=True)
class Trust:
    """All that one page says about trust in the grader."""

    machine: Mapping[str, int]
    counted: Mapping[str, int]  # with the teacher's decisions
    decided: int
    compared: int
    agreement: Agreement | None
    bins: tuple[Bin, ...]
    passing: Passing | None


def own_threshold(compared: Sequence[Compared], target: float) -> float:
    """The least confidence above which decided answers were right as often as asked for; above 1 if never.

    They are counted cautiously: of the answers at least as sure as each confidence, one more is taken to be
    right and one more to be wrong. Few decisions cannot promise much, even if all agree.
    """
    surest_first = sorted(compared, key=lambda comparison: -comparison.confidence)
    level, right = _NEVER, 0
    for number, comparison in enumerate(surest_first, 1):
        right += comparison.right
        last = number == len(surest_first) or surest_first[number].confidence < comparison.confidence
        if last and number >= _IN_A_BIN and (right + 1) / (number + 2) >= target:
            level = comparison.confidence
    return level


def measure(seen: Sequence[Seen], shipped: Threshold, target: float) -> Trust:
    """Work out all of it for a question's answers and an accuracy asked for (0 to 1)."""
    compared = compare(seen)
    own = len(compared) >= ENOUGH
    return Trust(
        machine=_counts(answer.judged.label for answer in seen if answer.judged),
        counted=_counts(answer.label for answer in seen if answer.label),
        decided=sum(answer.decision is not None for answer in seen),
        compared=len(compared),
        agreement=_agreement(compared) if compared else None,
        bins=reliability_bins(compared) if len(compared) >= FEW else (),
        passing=_passing(seen, partial(own_threshold, compared) if own else shipped, target, own=own),
    )


def compare(seen: Sequence[Seen]) -> list[Compared]:
    """The decisions that say something about the machine, each beside what it had said."""
    batches: dict[tuple[int, int], list[Decision]] = {}
    for answer in seen:
        judged, decision = answer.judged, answer.decision
        if decision is None or not decision.machine_label or decision.source == "passed":
            continue
        # Where the machine had only repeated an earlier decision on the same words, nothing is compared.
        if not (judged and judged.reason is Reason.TOLD and judged.made <= decision.made):
            alone = decision.id if decision.source in (LABELLED, SETTLED) else 0
            batches.setdefault((decision.batch, alone), []).append(decision)
    comparisons = []
    for batch in batches.values():
        usual = Counter(decision.machine_label for decision in batch).most_common(1)[0][0]
        comparisons.append(_compared(next(decision for decision in batch if decision.machine_label == usual)))
    return comparisons


def reliability_bins(compared: Sequence[Compared]) -> tuple[Bin, ...]:
    """The comparisons in steps of ten per cent of confidence, neighbours joined until each holds enough."""
    steps: dict[int, list[Compared]] = {}
    for comparison in sorted(compared, key=lambda comparison: comparison.confidence):
        # A hair added, because 0.7 lies a rounding error below the edge at 70%.
        steps.setdefault(min(9, int(comparison.confidence * 10 + 1e-9)), []).append(comparison)
    joined: list[list[Compared]] = []
    for step in steps.values():
        if joined and len(joined[-1]) < _IN_A_BIN:
            joined[-1] += step
        else:
            joined.append(step)
    if len(joined) > 1 and len(joined[-1]) < _IN_A_BIN:
        rest = joined.pop()
        joined[-1] += rest
    bins = []
    for step in joined:
        share = Share(sum(comparison.right for comparison in step), len(step))
        sure = fmean(comparison.confidence for comparison in step)
        bins.append(Bin(sure, share.count, share.right, *share.interval))
    return tuple(bins)


def _compared(decision: Decision) -> Compared:
    machine = decision.machine_label or ""
    correct = (decision.machine_probabilities or {}).get("correct", 0.0)
    confidence = correct if machine == "correct" else 1 - correct
    return Compared(decision.label, machine, confidence, decision.source == "accepted")


def _agreement(compared: Sequence[Compared]) -> Agreement:
    told = [comparison.told for comparison in compared]
    machine = [comparison.machine for comparison in compared]
    # Where all labels are one and the same there is nothing that chance could have got wrong.
    tells = len(compared) >= FEW and len({*told, *machine}) > 1
    ranks = [[_RANKS.get(label, 0) for label in labels] for labels in (told, machine)]
    ranked = tells and len({*ranks[0], *ranks[1]}) > 1
    return Agreement(
        Share(sum(map(str.__eq__, told, machine)), len(compared)),
        Share(sum(comparison.right for comparison in compared), len(compared)),
        cohen_kappa(told, machine) if tells else None,
        quadratic_weighted_kappa(*ranks, low=0, high=2) if ranked else None,
        sum(comparison.accepted for comparison in compared),
    )


def _passing(seen: Sequence[Seen], threshold: Threshold, target: float, *, own: bool) -> Passing | None:
    """What could pass of the undecided; what the machine itself set apart for a person never does."""
    undecided = [
        (answer.answer_id, answer.judged) for answer in seen if answer.judged and not answer.decision
    ]
    if not undecided:
        return None
    sure = [(id, said.confidence) for id, said in undecided if not (said.deferred and said.reason)]

    def passed(accuracy: float) -> tuple[int, ...]:
        level = threshold(accuracy)
        return tuple(id for id, confidence in sure if confidence >= level)

    steps = tuple(Step(percent / 100, len(passed(percent / 100)) / len(undecided)) for percent in TARGETS)
    return Passing(target, threshold(target), passed(target), len(undecided), own, steps)


def _counts(labels: Iterable[str]) -> dict[str, int]:
    counts = Counter(labels)
    return {label: counts[label] for label in LABELS}


@router.get("/questions/{question_id}/trust", dependencies=[may(Level.HELP)])
def show_trust(request: Request, question_id: int, store: OfStore, accuracy: int = USUAL) -> HTMLResponse:
    """Labels, agreement so far, the reliability diagram, and what could pass at an accuracy asked for."""
    accuracy = min(max(accuracy, TARGETS[0]), TARGETS[-1])
    answers = see(store, question_id)
    trust = _measured(store, question_id, accuracy, answers)
    return render(
        request,
        "trust.html",
        **head_of(store, question_id, "trust"),
        trust=trust,
        last=last_step(store, question_id),
        seen=_version(trust.passing, answers) if trust.passing else "",
        accuracy=accuracy,
        targets=TARGETS,
        few=FEW,
        enough=ENOUGH,
        kappa_words=kappa_words,
        **_pictures(trust),
    )


@router.post("/questions/{question_id}/accept", dependencies=[may(Level.HELP)])
def accept(
    request: Request,
    question_id: int,
    store: OfStore,
    person: OfPerson,
    accuracy: Annotated[int, Form(ge=TARGETS[0], le=TARGETS[-1])],
    count: Annotated[int, Form()],
    seen: Annotated[str, Form()] = "",
) -> RedirectResponse:
    """Accept all that could pass at an accuracy, as one step.

    `count` is how many the page said these are, and `seen` tells which, and how they were judged.
    """
    here = f"/questions/{question_id}/trust?accuracy={accuracy}"
    answers = see(store, question_id)
    passing = _measured(store, question_id, accuracy, answers).passing
    if passing is None or passing.passed != count or seen not in ("", _version(passing, answers)):
        flash(request, "Something has changed in the meantime, so nothing was accepted.", kind="error")
        return back(f"{here}#pass")
    versions = _versions(answers)
    accepted = pass_all(store, question_id, passing.answers, by=person.id, seen=versions)
    flash(request, f"Accepted {number_of(accepted, 'answer')} without reviewing each one.")
    return back(here)


def _versions(answers: Sequence[Seen]) -> dict[int, Version]:
    return {
        answer.answer_id: Version.of(
            answer.decision.id if answer.decision else None, answer.judged.made if answer.judged else None
        )
        for answer in answers
    }


def _version(passing: Passing, answers: Sequence[Seen]) -> str:
    """Which answers could pass, and how they were judged, as a short text that differs where these do."""
    versions = _versions(answers)
    passed = " ".join(f"{id}:{versions[id]}" for id in passing.answers)
    return sha256(passed.encode()).hexdigest()[:16]


def _measured(store: Store, question_id: int, accuracy: int, answers: Sequence[Seen]) -> Trust:
    question, grader = get_question(store, question_id), load()
    # The calibration that ships, for a question like those the grader was made with or for a new one.
    known = fingerprint(question.text, question.references) in grader.known
    stack = grader.stacks["known" if known else "new"]
    return measure(answers, stack.threshold, accuracy / 100)


def kappa_words(kappa: float) -> str:
    """What a kappa is called in plain words."""
    return next((words for least, words in _KAPPA_WORDS.items() if kappa > least), "no better than chance")


def _pictures(trust: Trust) -> dict[str, Any]:
    """The charts; they escape what they show themselves."""
    drawn = {"machine": "", "counted": "", "reliability": "", "coverage": ""}
    if sum(trust.machine.values()):
        drawn["machine"] = _bars(trust.machine, "Postil’s labels")
    if sum(trust.counted.values()):
        drawn["counted"] = _bars(trust.counted, "With your decisions")
    if len(trust.bins) > 1:  # one circle compares with nothing
        drawn["reliability"] = reliability_diagram(
            trust.bins, "Postil’s confidence, and how often it was right"
        )
    if trust.passing:
        title = "Share of undecided answers you can skip, by accuracy"
        drawn["coverage"] = coverage_curve(trust.passing.steps, trust.passing.chosen, title)
    return {name: Markup(picture) for name, picture in drawn.items()}  # noqa: S704


def _bars(counts: Mapping[str, int], title: str) -> str:
    bars = [Bar(PLAIN_NAMES[label], counts[label], f"l{place}") for place, label in enumerate(LABELS)]
    return bar_chart(bars, title)
