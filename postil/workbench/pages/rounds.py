"""Double labelling: the rounds of a question, how far each is, and what to do with its labels."""

from __future__ import annotations

from secrets import randbelow
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError, number_of
from postil.workbench.exports import file_name
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.acting import with_accounts
from postil.workbench.http.noting import note
from postil.workbench.http.rendering import OfStore, back, flash, flash_error, render
from postil.workbench.pages.exports import TAKEN_AWAY
from postil.workbench.pages.labelling import may_see_round
from postil.workbench.pages.table import head_of
from postil.workbench.pages.trust import kappa_words
from postil.workbench.people import Level, Person
from postil.workbench.rounds import compare, corpus, progress, waits_for
from postil.workbench.store.access import Right, level_on, list_members, owner_of
from postil.workbench.store.accounts import list_accounts
from postil.workbench.store.answers import list_answers
from postil.workbench.store.courses import get_course
from postil.workbench.store.database import Store
from postil.workbench.store.events import ROUND_CLOSED, ROUND_DELETED, ROUND_MADE
from postil.workbench.store.jobs import enqueue
from postil.workbench.store.questions import get_question
from postil.workbench.store.rounds import (
    close_round,
    demand_settled,
    drop_round,
    get_work,
    list_work,
    make_round,
    work_of,
)

router = APIRouter()
_LARGEST_SEED = 2**31


@router.get("/rounds", dependencies=[with_accounts])
def show_own(request: Request, store: OfStore, person: OfPerson) -> HTMLResponse:
    """The rounds in which a person has a part: first what waits for them, last what is closed."""
    works = sorted(
        work_of(store, person, closed=True),
        key=lambda work: (work.round.closed is not None, not waits_for(work, person)),
    )
    listed = [
        (work, progress(work), waits_for(work, person), get_question(store, work.round.question_id))
        for work in works
    ]
    return render(request, "my_rounds.html", listed=listed)


@router.get("/questions/{question_id}/rounds", dependencies=[may(Level.TEACH)])
def show_rounds(request: Request, question_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """The rounds of a question, and a form for another."""
    right: Right = request.state.right
    listed = [(work, progress(work)) for work in list_work(store, question_id)]
    return render(
        request,
        "rounds.html",
        **head_of(store, question_id, "rounds"),
        people=_choosable(store, right),
        owns=right.level >= Level.OWN,
        own=person.id,
        listed=listed,
    )


@router.post("/questions/{question_id}/rounds", dependencies=[may(Level.TEACH)])
def make(
    request: Request,
    question_id: int,
    store: OfStore,
    first: Annotated[int, Form()],
    second: Annotated[int, Form()],
    referee: Annotated[int, Form()],
    size: Annotated[int | None, Form()] = None,
) -> RedirectResponse:
    """Begin a round."""
    right: Right = request.state.right
    try:
        if right.level < Level.OWN and not {first, second, referee} <= _members(store, right.course_id):
            raise PostilError(
                "somebody was chosen who is not in this course.",
                hint="Its owner can share the course with them, or begin the round.",
            )
        round_id = make_round(
            store, question_id, first, second, referee, size=size, seed=randbelow(_LARGEST_SEED)
        )
    except PostilError as error:
        flash_error(request, error)
        return back(f"/questions/{question_id}/rounds")
    _note(request, ROUND_MADE, round_id)
    flash(request, "The round has begun. Those who label find it under “To label” when they log in.")
    return back(f"/rounds/{round_id}")


@router.get("/rounds/{round_id}", dependencies=[may_see_round])
def show_round(request: Request, round_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """How far a round is, and once both have finished, how far they agree."""
    work = get_work(store, round_id)
    far = progress(work)
    level = level_on(store, person, round_id=round_id) or 0
    return render(
        request,
        "round.html",
        **head_of(store, work.round.question_id, "rounds"),
        round=work.round,
        far=far,
        compared=compare(work) if far.finished else None,
        kappa_words=kappa_words,
        settles_here=work.round.settles(person),
        teaches=level >= Level.TEACH,
        owns=level >= Level.OWN,
        blind=work.round.labels(person) and not far.finished,
        done=len(work.of(person)),
    )


@router.post("/rounds/{round_id}/close", dependencies=[may(Level.TEACH)])
def close(request: Request, round_id: int, store: OfStore) -> RedirectResponse:
    """Let the labels count as decisions, and have the class graded with them."""
    try:
        count = close_round(store, round_id)
    except PostilError as error:
        flash_error(request, error)
        return back(f"/rounds/{round_id}")
    question = get_question(store, get_work(store, round_id).round.question_id)
    _note(request, ROUND_CLOSED, round_id)
    flash(request, f"{number_of(count, 'label')} {'counts' if count == 1 else 'count'} as decisions now.")
    # What is graded already changes only after a look at what would change: of answers that nobody decided.
    enqueue(store, "regrade" if question.judged else "grade", question.id)
    looks = question.judged and question.decided < question.answers
    return back(f"/questions/{question.id}{'/changes' if looks else ''}")


@router.get("/rounds/{round_id}/corpus.zip", dependencies=TAKEN_AWAY)
def take_corpus(round_id: int, store: OfStore) -> Response:
    """The labelled answers as a corpus, to train with or to publish."""
    work = get_work(store, round_id)
    demand_settled(work)
    question = get_question(store, work.round.question_id)
    data = corpus(work, question, list_answers(store, question.id))
    name = file_name(get_course(store, question.course_id).name, question.text) + "-corpus.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/zip", headers=headers)


@router.post("/rounds/{round_id}/drop", dependencies=[may(Level.TEACH)])
def drop(request: Request, round_id: int, store: OfStore) -> RedirectResponse:
    """Delete a round with its labels."""
    question_id = get_work(store, round_id).round.question_id
    drop_round(store, round_id)
    _note(request, ROUND_DELETED, round_id)
    flash(request, "The round was dropped with all its labels.")
    return back(f"/questions/{question_id}/rounds")


def _choosable(store: Store, right: Right) -> list[Person]:
    """Who can have a part in a round: who does not own the course lets nobody else see its answers."""
    members = _members(store, right.course_id)
    return [
        account.person
        for account in list_accounts(store)
        if account.active and (right.level >= Level.OWN or account.person.id in members)
    ]


def _members(store: Store, course_id: int) -> set[int | None]:
    """Those whose course it is or with whom it is shared."""
    owner = owner_of(store, course_id)
    shared = {member.person.id for member in list_members(store, course_id)}
    return shared if owner is None else shared | {owner.id}


def _note(request: Request, what: str, round_id: int) -> None:
    note(request, what, course_id=request.state.right.course_id, about=f"round {round_id}")
