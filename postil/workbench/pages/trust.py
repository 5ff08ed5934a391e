"""The page about trust: how the grader does on this question, and what could pass without a look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from postil.data.labels import PLAIN_NAMES
from postil.errors import number_of
from postil.explain.charts import Bar, bar_chart
from postil.explain.reliability import coverage_curve, reliability_diagram
from postil.grader import Grader, fingerprint, load
from postil.grading.probabilities import Stack
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.rendering import OfStore, back, flash, render
from postil.workbench.pages.table import head_of
from postil.workbench.pages.trust_trust import ENOUGH, FEW, TARGETS, Trust, measure
from postil.workbench.people import Level
from postil.workbench.records import LABELS, Question
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import pass_all
from postil.workbench.store.figures import see
from postil.workbench.store.questions import get_question

router = APIRouter()

USUAL = 95  # per cent
# What a kappa of at least so much is called (Landis and Koch 1977).
_KAPPA_WORDS = (
    (0.8, "almost perfect"),
    (0.6, "substantial"),
    (0.4, "moderate"),
    (0.2, "fair"),
    (0.0, "slight"),
)


@router.get("/questions/{question_id}/trust", dependencies=[may(Level.HELP)])
def show_trust(request: Request, question_id: int, store: OfStore, accuracy: int = USUAL) -> HTMLResponse:
    """Labels, agreement so far, the reliability diagram, and what could pass at an accuracy asked for."""
    accuracy = min(max(accuracy, TARGETS[0]), TARGETS[-1])
    trust = _measured(store, question_id, accuracy)
    return render(
        request,
        "trust.html",
        **head_of(store, question_id, "trust"),
        trust=trust,
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
) -> RedirectResponse:
    """Accept all that could pass at an accuracy, as one step; `count` is how many the page said these are."""
    here = f"/questions/{question_id}/trust?accuracy={accuracy}"
    passing = _measured(store, question_id, accuracy).passing
    if passing is None or passing.passed != count:
        flash(request, "Something has changed in the meantime, so nothing was accepted.", kind="error")
        return back(f"{here}#pass")
    accepted = pass_all(store, question_id, passing.answers, by=person.id)
    flash(request, f"Accepted without a look at each: {number_of(accepted, 'answer')}.")
    return back(here)


def _measured(store: Store, question_id: int, accuracy: int) -> Trust:
    question = get_question(store, question_id)
    return measure(see(store, question_id), _shipped(load(), question), accuracy / 100)


def _shipped(grader: Grader, question: Question) -> Stack:
    """The calibration that ships, for a question like those the grader was made with or for a new one."""
    known = fingerprint(question.text, question.references) in grader.known
    return grader.stacks["known" if known else "new"]


def kappa_words(kappa: float) -> str:
    """What a kappa is called in plain words."""
    return next((words for least, words in _KAPPA_WORDS if kappa > least), "no better than chance")


def _pictures(trust: Trust) -> dict[str, Any]:
    """The charts; they escape what they show themselves."""
    drawn = {"machine": "", "counted": "", "reliability": "", "coverage": ""}
    if sum(trust.machine.values()):
        drawn["machine"] = _bars(trust.machine, "As Postil judged")
    if sum(trust.counted.values()):
        drawn["counted"] = _bars(trust.counted, "With your decisions")
    if len(trust.bins) > 1:  # one circle compares with nothing
        drawn["reliability"] = reliability_diagram(trust.bins, "How sure Postil was, and how often right")
    if trust.passing:
        title = "How many undecided answers could pass at which accuracy"
        drawn["coverage"] = coverage_curve(trust.passing.steps, trust.passing.chosen, title)
    return {name: Markup(picture) for name, picture in drawn.items()}  # noqa: S704


def _bars(counts: Mapping[str, int], title: str) -> str:
    bars = [Bar(PLAIN_NAMES[label], counts[label], f"l{place}") for place, label in enumerate(LABELS)]
    return bar_chart(bars, title)
