"""Labelling blind, one answer at a time, and settling where two people differ.

These pages show the question, its references and an answer, and nothing else: neither who wrote it, nor what
Postil or another person says of it. Only the referee sees both labels, without who gave which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import time
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError
from postil.senses.corpus.tags import Tagging
from postil.workbench import rounds
from postil.workbench.http.access import May, OfPerson, refuse_blind
from postil.workbench.http.rendering import OfStore, back, flash, flash_error, render
from postil.workbench.people import Level, Person
from postil.workbench.rounds import CHOICES, Work
from postil.workbench.store.answers import get_view
from postil.workbench.store.database import Store
from postil.workbench.store.questions import get_question
from postil.workbench.store.rounds import get_work, tag, untag_last
from postil.workbench.store.waiting import part_in

router = APIRouter()
_MOST_DIGITS = 9  # of a number that any of the databases can look for


class _MaySeeRound(May):
    """Lets the people of a round pass, and those who teach in its course."""

    def __call__(self, request: Request, store: OfStore, person: OfPerson) -> None:
        """Refuse, or do nothing."""
        text = str(request.path_params["round_id"])
        number = int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else 0
        question_id = part_in(store, person, number)
        if question_id is None:
            super().__call__(request, store, person)
        else:
            refuse_blind(store, person, question_id, number)


may_see_round = Depends(_MaySeeRound(Level.TEACH))


@dataclass(frozen=True, slots=True)
class _Path:
    """The answers that a person works through, in their order, and which of them are done."""

    answers: Sequence[int]
    done: frozenset[int]

    def after(self, answer_id: int | None) -> int | None:
        """The next answer that is not done, from the one given on and then from the start; None: all are."""
        start = self.answers.index(answer_id) + 1 if answer_id in self.answers else 0
        ahead = [*self.answers[start:], *self.answers[:start]]
        return next((one for one in ahead if one not in self.done), None)

    def before(self, answer_id: int | None) -> int | None:
        """The answer before this one; before the end there is the last."""
        place = self.answers.index(answer_id) if answer_id in self.answers else len(self.answers)
        return self.answers[place - 1] if place else None


@router.get("/rounds/{round_id}/label", dependencies=[may_see_round])
def show_answer(request: Request, round_id: int, store: OfStore, person: OfPerson, of: str = "") -> Response:
    """An answer to label: the one that is asked for, else the next."""
    work = get_work(store, round_id)
    if not work.round.labels(person):
        return _not_yours(request, round_id, "Others label in this round.")
    return _show(request, store, work, person, of, "label")


@router.get("/rounds/{round_id}/settle", dependencies=[may_see_round])
def show_dispute(request: Request, round_id: int, store: OfStore, person: OfPerson, of: str = "") -> Response:
    """An answer that two people labelled differently, for the referee."""
    work = get_work(store, round_id)
    if not work.round.settles(person):
        return _not_yours(request, round_id, "Somebody else settles this round.")
    if not rounds.progress(work).finished:
        return _not_yours(request, round_id, "There is nothing to settle before both have finished.")
    return _show(request, store, work, person, of, "settle")


@router.post("/rounds/{round_id}/label", dependencies=[may_see_round])
@router.post("/rounds/{round_id}/settle", dependencies=[may_see_round])
def keep(
    request: Request,
    round_id: int,
    store: OfStore,
    person: OfPerson,
    of: Annotated[str, Form()] = "",
    label: Annotated[str, Form()] = "",
    note: Annotated[str, Form()] = "",
    seconds: Annotated[str, Form()] = "",
    opened: Annotated[str, Form()] = "",
) -> RedirectResponse:
    """Keep what a person says of an answer, and go on to the next."""
    work = get_work(store, round_id)
    here = request.url.path
    answer_id = _find(work, person, of)
    if answer_id is None:
        flash(request, "This answer is not there any more.", "warning", "Here is the next.")
        return back(here)
    try:
        tag(store, round_id, person, answer_id, label, seconds=_time(seconds, opened), note=note)
    except PostilError as error:
        flash_error(request, error)
        return back(f"/rounds/{round_id}")
    work = get_work(store, round_id)
    following = _path(work, person).after(answer_id)
    return back(here if following is None else f"{here}?of={rounds.name_of(work.round, person, following)}")


@router.post("/rounds/{round_id}/undo", dependencies=[may_see_round])
def undo(request: Request, round_id: int, store: OfStore, person: OfPerson) -> RedirectResponse:
    """Take back the last label that a person gave, and show the answer again."""
    try:
        answer_id = untag_last(store, round_id, person)
    except PostilError as error:
        flash_error(request, error)
        return back(f"/rounds/{round_id}")
    work = get_work(store, round_id)
    here = f"/rounds/{round_id}/{'settle' if work.round.settles(person) else 'label'}"
    if answer_id is None:
        flash(request, "There is nothing to take back.")
        return back(here)
    flash(request, "Your last label was taken back.")
    return back(f"{here}?of={rounds.name_of(work.round, person, answer_id)}")


def _show(request: Request, store: Store, work: Work, person: Person, of: str, task: str) -> HTMLResponse:
    path, far = _path(work, person), rounds.progress(work)
    over = work.round.closed is not None or (task == "label" and far.finished)
    answer_id = None if over else _find(work, person, of) or path.after(None)
    before = path.before(answer_id)
    given = work.of(person).get(answer_id) if answer_id is not None else None
    return render(
        request,
        "round_answer.html",
        task=task,
        round=work.round,
        question=get_question(store, work.round.question_id),
        far=far,
        total=len(path.answers),
        done=len(path.done),
        # The text alone: nothing else that is known of an answer can slip into the page.
        text=None if answer_id is None else get_view(store, answer_id).answer.text,
        called="" if answer_id is None else rounds.name_of(work.round, person, answer_id),
        before=None if before is None else rounds.name_of(work.round, person, before),
        place=0 if answer_id is None else path.answers.index(answer_id) + 1,
        given=given,
        said=_said(work, answer_id) if task == "settle" else (),
        choices=CHOICES,
        opened=int(time()),
    )


def _path(work: Work, person: Person) -> _Path:
    done = frozenset(work.of(person))
    if work.round.settles(person):
        disputed = [int(one.item) for one in rounds.disagreements(work)]
        return _Path(disputed, done & frozenset(disputed))
    return _Path(rounds.order(work.round, person), done)


def _find(work: Work, person: Person, name: str) -> int | None:
    """The answer that an address calls by a name, among those that this person works through."""
    answers = _path(work, person).answers
    return next((one for one in answers if rounds.name_of(work.round, person, one) == name), None)


def _said(work: Work, answer_id: int | None) -> list[Tagging]:
    """What the two said of an answer, in the alphabet's order, so that nobody can tell who said which."""
    told = [one for one in work.taggings if one.item == str(answer_id)]
    return sorted(told, key=lambda one: one.tags)


def _time(seconds: str, opened: str) -> float | None:
    """How long somebody looked: as the page measured it, else since it was sent."""
    try:
        return float(seconds) if seconds else time() - int(opened)
    except (ValueError, OverflowError):
        return None


def _not_yours(request: Request, round_id: int, why: str) -> RedirectResponse:
    flash(request, why, "warning")
    return back(f"/rounds/{round_id}")
