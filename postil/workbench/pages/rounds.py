"""Double labelling: the rounds of a question, labelling blind, settling, and what to do with the labels.

The pages for labelling show the question, its references and an answer, and nothing else: neither who wrote
it, nor what Postil or another person says of it. Only the referee sees both labels, without who gave which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import randbelow
from time import time
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postil.errors import PostilError, number_of
from postil.senses.corpus.items import Tagging
from postil.workbench.exports import file_name
from postil.workbench.http.access import May, OfPerson, may, read_number, refuse_blind, with_accounts
from postil.workbench.http.rendering import Flashing, OfStore, back, download, flash, note, render
from postil.workbench.pages.exports import TAKEN_AWAY
from postil.workbench.pages.table import head_of
from postil.workbench.pages.trust import kappa_words
from postil.workbench.records import Level, Person
from postil.workbench.rounds import (
    CHOICES,
    Work,
    compare,
    corpus,
    disagreements,
    name_of,
    order,
    progress,
    waits_for,
)
from postil.workbench.store.access import Right, level_on, list_members, owner_of
from postil.workbench.store.accounts import list_accounts
from postil.workbench.store.answers import get_view, list_answers
from postil.workbench.store.courses import get_course, get_question
from postil.workbench.store.database import Store
from postil.workbench.store.events import ROUND_CLOSED, ROUND_DELETED, ROUND_MADE
from postil.workbench.store.jobs import enqueue
from postil.workbench.store.rounds import (
    close_round,
    demand_settled,
    drop_round,
    get_work,
    list_work,
    make_round,
    part_in,
    tag,
    untag_last,
    work_of,
)

router = APIRouter()
_LARGEST_SEED = 2**31


class _MaySeeRound(May):
    """Lets the people of a round pass, and those who teach in its course."""

    def __call__(self, request: Request, store: OfStore, person: OfPerson) -> None:
        """Raise an error unless the person may go on."""
        number = read_number(str(request.path_params["round_id"])) or 0
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
        """The next answer to do after this one, starting again at the beginning; None if all are done."""
        start = self.answers.index(answer_id) + 1 if answer_id in self.answers else 0
        ahead = [*self.answers[start:], *self.answers[:start]]
        return next((answer for answer in ahead if answer not in self.done), None)

    def before(self, answer_id: int | None) -> int | None:
        """The answer before this one, or the last answer if none is given."""
        place = self.answers.index(answer_id) if answer_id in self.answers else len(self.answers)
        return self.answers[place - 1] if place else None


@router.get("/rounds/{round_id}/label", dependencies=[may_see_round])
def show_answer(request: Request, round_id: int, store: OfStore, person: OfPerson, of: str = "") -> Response:
    """An answer to label: the one that is asked for, else the next."""
    work = get_work(store, round_id)
    if not work.round.labels(person):
        return _not_yours(request, round_id, "You are not one of the labellers in this round.")
    return _show(request, store, work, person, of, "label")


@router.get("/rounds/{round_id}/settle", dependencies=[may_see_round])
def show_dispute(request: Request, round_id: int, store: OfStore, person: OfPerson, of: str = "") -> Response:
    """An answer that two people labelled differently, for the referee."""
    work = get_work(store, round_id)
    if not work.round.settles(person):
        return _not_yours(request, round_id, "You are not the referee of this round.")
    if not progress(work).finished:
        return _not_yours(request, round_id, "There is nothing to settle until both labellers have finished.")
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
        flash(request, "This answer no longer exists.", "warning", "Here is the next one.")
        return back(here)
    with Flashing(request):
        tag(store, round_id, person, answer_id, label, seconds=_time(seconds, opened), note=note)
        work = get_work(store, round_id)
        following = _path(work, person).after(answer_id)
        return back(here if following is None else f"{here}?of={name_of(work.round, person, following)}")
    return back(f"/rounds/{round_id}")


@router.post("/rounds/{round_id}/undo", dependencies=[may_see_round])
def undo(request: Request, round_id: int, store: OfStore, person: OfPerson) -> RedirectResponse:
    """Take back the last label that a person gave, and show the answer again."""
    with Flashing(request):
        answer_id = untag_last(store, round_id, person)
        work = get_work(store, round_id)
        here = f"/rounds/{round_id}/{'settle' if work.round.settles(person) else 'label'}"
        if answer_id is None:
            flash(request, "There is nothing to undo.")
            return back(here)
        flash(request, "Your last label has been undone.")
        return back(f"{here}?of={name_of(work.round, person, answer_id)}")
    return back(f"/rounds/{round_id}")


def _show(request: Request, store: Store, work: Work, person: Person, of: str, task: str) -> HTMLResponse:
    path, far = _path(work, person), progress(work)
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
        called="" if answer_id is None else name_of(work.round, person, answer_id),
        before=None if before is None else name_of(work.round, person, before),
        place=0 if answer_id is None else path.answers.index(answer_id) + 1,
        given=given,
        said=_said(work, answer_id) if task == "settle" else (),
        choices=CHOICES,
        opened=int(time()),
    )


def _path(work: Work, person: Person) -> _Path:
    done = frozenset(work.of(person))
    if work.round.settles(person):
        disputed = [int(disagreement.item) for disagreement in disagreements(work)]
        return _Path(disputed, done & frozenset(disputed))
    return _Path(order(work.round, person), done)


def _find(work: Work, person: Person, name: str) -> int | None:
    """The answer that an address calls by a name, among those that this person works through."""
    answers = _path(work, person).answers
    return next((answer_id for answer_id in answers if name_of(work.round, person, answer_id) == name), None)


def _said(work: Work, answer_id: int | None) -> list[Tagging]:
    """What the two labellers said of an answer, sorted by label to hide who said which."""
    taggings = [tagging for tagging in work.taggings if tagging.item == str(answer_id)]
    return sorted(taggings, key=lambda tagging: tagging.tags)


def _time(seconds: str, opened: str) -> float | None:
    """How many seconds somebody took: as measured by the page, or else since the page was sent."""
    try:
        return float(seconds) if seconds else time() - int(opened)
    except (ValueError, OverflowError):
        return None


def _not_yours(request: Request, round_id: int, why: str) -> RedirectResponse:
    flash(request, why, "warning")
    return back(f"/rounds/{round_id}")


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
    with Flashing(request):
        if right.level < Level.OWN and not {first, second, referee} <= _members(store, right.course_id):
            raise PostilError(
                "one of these people is not in this course.",
                hint="The owner can share the course with them, or start the round.",
            )
        seed = randbelow(_LARGEST_SEED)
        round_id = make_round(store, question_id, first, second, referee, size=size, seed=seed)
        _note(request, ROUND_MADE, round_id)
        flash(request, "The round has started. The labellers will find it under “To label” when they log in.")
        return back(f"/rounds/{round_id}")
    return back(f"/questions/{question_id}/rounds")


@router.get("/rounds/{round_id}", dependencies=[may_see_round])
def show_round(request: Request, round_id: int, store: OfStore, person: OfPerson) -> HTMLResponse:
    """The progress of a round, and once both have finished, how well they agree."""
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
    with Flashing(request):
        count, passed_over = close_round(store, round_id)
        question = get_question(store, get_work(store, round_id).round.question_id)
        _note(request, ROUND_CLOSED, round_id)
        told = f"{number_of(count, 'label')} now {'counts' if count == 1 else 'count'} as decisions."
        if passed_over:
            decided = number_of(passed_over, "answer") + (" was" if passed_over == 1 else " were")
            told += f" {decided} decided by hand since the round began; that stays."
        flash(request, told)
        # What is graded already changes only after a look at what would change: of answers nobody decided.
        enqueue(store, "regrade" if question.judged else "grade", question.id)
        looks = question.judged and question.decided < question.answers
        return back(f"/questions/{question.id}{'/changes' if looks else ''}")
    return back(f"/rounds/{round_id}")


@router.get("/rounds/{round_id}/corpus.zip", dependencies=TAKEN_AWAY)
def take_corpus(round_id: int, store: OfStore) -> Response:
    """The labelled answers as a corpus, to train with or to publish."""
    work = get_work(store, round_id)
    demand_settled(work)
    question = get_question(store, work.round.question_id)
    data = corpus(work, question, list_answers(store, question.id))
    name = file_name(get_course(store, question.course_id).name, question.text) + "-corpus.zip"
    return download(data, "application/zip", name)


@router.post("/rounds/{round_id}/drop", dependencies=[may(Level.TEACH)])
def drop(request: Request, round_id: int, store: OfStore) -> RedirectResponse:
    """Delete a round with its labels."""
    question_id = get_work(store, round_id).round.question_id
    drop_round(store, round_id)
    _note(request, ROUND_DELETED, round_id)
    flash(request, "The round and all its labels have been deleted.")
    return back(f"/questions/{question_id}/rounds")


def _choosable(store: Store, right: Right) -> list[Person]:
    """The people who can take part in a round; only the owner can let others see the course's answers."""
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
