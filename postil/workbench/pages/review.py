"""Review: one answer at a time beside its reference, a label with one key; or like answers as a group."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from postil.data.judgements import AlignedPair
from postil.data.labels import PARTLY, PLAIN_NAMES
from postil.errors import PostilError, number_of, unknown_label
from postil.explain.alignment_picture import alignment_svg
from postil.grading.credit import earned
from postil.workbench.claims import as_shown, facet_views, ticks_of, told_by
from postil.workbench.exports import feedback
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.guard import LargeForm
from postil.workbench.http.rendering import OfStore, back, flash, note, render
from postil.workbench.pages.table import STATES, Chosen, head_of, query_of
from postil.workbench.records import LABELS, Answer, Decision, Level, View
from postil.workbench.store import events
from postil.workbench.store.answers import (
    Filter,
    Group,
    count_views,
    delete_answer,
    find_views,
    get_groups,
    get_view,
    group_sizes,
    neighbours,
)
from postil.workbench.store.courses import MOST_FACETS, get_question
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import decide, history, undo_last

router = APIRouter()
groups_router = APIRouter(route_class=LargeForm)
PAGE = 10  # groups on a page
_FACET_KEYS = ascii_lowercase[:MOST_FACETS]  # a tick with one key
# Where undo was asked for, and what is shown after it; from anywhere else the answer itself is.
_UNDONE_ON = {"groups": "/groups", "table": "", "trust": "/trust"}


@router.get("/questions/{question_id}/review", dependencies=[may(Level.HELP)])
def start_review(request: Request, question_id: int, store: OfStore, chosen: Chosen) -> RedirectResponse:
    """Open the first answer that the filter lets through; without a filter, the first doubtful one."""
    filters = [chosen] if query_of(chosen) else [Filter(state="doubtful"), Filter(state="undecided"), chosen]
    for filter_ in filters:
        for view in find_views(store, question_id, filter_, 0, 1):
            return back(f"/answers/{view.answer.id}{query_of(filter_)}")
    flash(request, "There are no answers to review here.")
    return back(f"/questions/{question_id}")


@router.get("/answers/{answer_id}", dependencies=[may(Level.HELP)])
def show_answer(
    request: Request, answer_id: int, store: OfStore, chosen: Chosen, came: int | None = None
) -> HTMLResponse:
    """One answer with everything that is known about it; `came` is the answer that was shown before."""
    view = get_view(store, answer_id)
    before, after = neighbours(store, answer_id, chosen)
    return render(
        request,
        "review.html",
        **head_of(store, view.answer.question_id, "review"),
        view=view,
        picture=picture_of(view.judged.alignment if view.judged else None),
        note=feedback(view),
        share=earned(PARTLY, view.set_facets, ticks_of(view.facets)),
        facets_shown=as_shown(view.facets),
        facet_keys=_FACET_KEYS,
        decisions=history(store, answer_id),
        before=came or before,
        after=after,
        listed=count_views(store, view.answer.question_id, chosen),
        state=STATES[chosen.state],
        chosen=chosen,
        query=query_of(chosen),
    )


@router.get("/answers/{answer_id}/earns", dependencies=[may(Level.HELP)])
def show_earns(
    request: Request, answer_id: int, store: OfStore, tick: Annotated[list[str] | None, Query()] = None
) -> HTMLResponse:
    """What an answer earns with these facets ticked, if it is partly right."""
    view = get_view(store, answer_id)
    question = get_question(store, view.answer.question_id)
    ticked = told_by(view.facets, tick or ())
    outcomes = view.judged.facets if view.judged else ()
    share = earned(PARTLY, view.set_facets, ticks_of(facet_views(view.set_facets, outcomes, ticked)))
    return render(request, "_earns.html", question=question, share=share)


@router.post("/answers/{answer_id}/decide", dependencies=[may(Level.HELP)])
def decide_answer(
    request: Request,
    answer_id: int,
    store: OfStore,
    person: OfPerson,
    chosen: Chosen,
    label: Annotated[str, Form()] = "",
    accept: Annotated[str, Form()] = "",
    facets_shown: Annotated[str, Form()] = "",
    tick: Annotated[list[str] | None, Form()] = None,
) -> RedirectResponse:
    """Keep a person's label, or that the machine's is right, and go on to the next answer.

    `accept` is the machine's label as the page showed it; grading may have changed it in the meantime.
    `facets_shown` says which facets the page showed, if they could be ticked, and `tick` has those that are.
    """
    view = get_view(store, answer_id)
    if accept and view.judged is None:
        raise PostilError("this answer has not been graded yet.", hint="Choose one of the five labels.")
    if accept and view.judged and view.judged.label != accept:
        flash(request, "Postil’s label has changed in the meantime.", "warning", "This is the new one.")
        return back(f"/answers/{answer_id}{query_of(chosen)}")
    if facets_shown and (view.set_facets is None or as_shown(view.facets) != facets_shown):
        what = "The rubric has changed in the meantime, so nothing was decided."
        flash(request, what, "warning", "This is the new rubric.")
        return back(f"/answers/{answer_id}{query_of(chosen)}")
    label = accept or demand_label(label)
    # Before the decision, because it may take the answer out of the list that is being worked through.
    _, after = neighbours(store, answer_id, chosen)
    ticked = told_by(view.facets, tick or ()) if facets_shown else None
    source = "accepted" if accept else "review"
    decide(store, view.answer.question_id, [answer_id], label, source, ticked, by=person.id)
    flash(request, f"{view.answer.student or view.answer.key}: {PLAIN_NAMES[label]}.")
    return _go_on(request, store, view.answer, after, chosen, came=answer_id)


@router.post("/answers/{answer_id}/delete", dependencies=[may(Level.TEACH)])
def delete(request: Request, answer_id: int, store: OfStore, chosen: Chosen) -> RedirectResponse:
    """Delete an answer with all that was said of it, and go on to the next one."""
    answer = get_view(store, answer_id).answer
    _, after = neighbours(store, answer_id, chosen)
    delete_answer(store, answer_id)
    course_id = get_question(store, answer.question_id).course_id
    note(request, events.ANSWER_DELETED, course_id=course_id, about=f"question {answer.question_id}")
    flash(request, f"{answer.student or answer.key}’s answer has been deleted.")
    return _go_on(request, store, answer, after, chosen)


@router.post("/questions/{question_id}/undo", dependencies=[may(Level.HELP)])
def undo(
    request: Request, question_id: int, store: OfStore, chosen: Chosen, shown: str = ""
) -> RedirectResponse:
    """Take back the last decision, or all of the last group's, and show what it was about."""
    undone = undo_last(store, question_id)
    flash(request, _undone_words(undone))
    if shown in _UNDONE_ON or not undone:
        return back(f"/questions/{question_id}{_UNDONE_ON.get(shown, '')}")
    return back(f"/answers/{undone[0].answer_id}{query_of(chosen)}")


def demand_label(label: str) -> str:
    """One of the five labels, or an error that names them."""
    if label not in LABELS:
        raise PostilError(unknown_label(label), hint=f"Labels: {', '.join(LABELS)}.")
    return label


def picture_of(pair: AlignedPair | None) -> Markup:
    """The aligned chunks as a picture that may stand in a page; it escapes the words in it itself."""
    if pair is None:
        return Markup("")
    return Markup(alignment_svg(pair, ("answer", "reference"), in_page=True, plain=True))  # noqa: S704


def _go_on(
    request: Request, store: Store, done: Answer, after: int | None, chosen: Filter, **more: int
) -> RedirectResponse:
    """Go to the next answer; after the last, to the first of the list that is still to be decided."""
    if after is None and chosen.state in ("doubtful", "undecided"):
        first = find_views(store, done.question_id, chosen, 0, 2)
        after = next((view.answer.id for view in first if view.answer.id != done.id), None)
    if after is None:
        flash(request, "That was the last answer in this list.")
        return back(f"/questions/{done.question_id}")
    return back(f"/answers/{after}{query_of(chosen, **more)}")


def _undone_words(undone: list[Decision]) -> str:
    if not undone:
        return "There is nothing to undo."
    if undone[0].source == "passed":
        return f"Undone: {number_of(len(undone), 'answer')} accepted without a look."
    label = PLAIN_NAMES[undone[0].label]
    if len(undone) > 1:
        return f"Undone: “{label}” for {len(undone)} answers."
    return f"Undone: “{label}”."


@groups_router.get("/questions/{question_id}/groups", dependencies=[may(Level.HELP)])
def show_groups(request: Request, question_id: int, store: OfStore, page: int = 1) -> HTMLResponse:
    """The groups of two and more answers, the largest first."""
    head = head_of(store, question_id, "groups")
    sizes = group_sizes(store, question_id)
    numbers = list(sizes)
    pages = max(1, -(-len(numbers) // PAGE))
    page = min(max(page, 1), pages)
    shown = numbers[(page - 1) * PAGE : page * PAGE]
    return render(
        request,
        "groups.html",
        **head,
        groups=get_groups(store, question_id, shown),
        total=len(numbers),
        grouped=sum(sizes.values()),
        page=page,
        pages=pages,
    )


@groups_router.get("/questions/{question_id}/groups/{group}", dependencies=[may(Level.HELP)])
def show_members(request: Request, question_id: int, group: int, store: OfStore) -> HTMLResponse:
    """The answers of a group, each to be ticked or not; asked for when somebody wants to see them."""
    shown = _demand_group(store, question_id, group)
    views = _members(store, question_id, group)
    return render(request, "_members.html", group=shown, views=views, ticked=usually_ticked)


@groups_router.post("/questions/{question_id}/groups/{group}/decide", dependencies=[may(Level.HELP)])
def decide_group(
    request: Request,
    question_id: int,
    group: int,
    store: OfStore,
    person: OfPerson,
    label: Annotated[str, Form()],
    first: Annotated[int, Form()],
    size: Annotated[int, Form()],
    listed: Annotated[bool, Form()] = False,
    answer: Annotated[list[int] | None, Form()] = None,
    page: int = 1,
) -> RedirectResponse:
    """Give one label to those of a group that are ticked; to the undecided, if the members were not `listed`.

    `first` and `size` are as the page had them: the group must be the one that was seen.
    """
    here = f"/questions/{question_id}/groups{f'?page={page}' if page > 1 else ''}#group-{group}"
    current = _demand_group(store, question_id, group)
    if (current.first, current.size) != (first, size):
        flash(request, "The groups have changed in the meantime, so nothing was decided.", kind="error")
        return back(here)
    ticked = set(answer or ())
    chosen = [
        view.answer.id
        for view in _members(store, question_id, group)
        if (view.answer.id in ticked if listed else usually_ticked(current, view))
    ]
    if not chosen:
        flash(request, "No answer in the group is ticked, so nothing was decided.", kind="error")
        return back(here)
    decide(store, question_id, chosen, demand_label(label), "group", by=person.id)
    flash(request, f"{number_of(len(chosen), 'answer')} decided together: {PLAIN_NAMES[label]}.")
    return back(here)


def usually_ticked(group: Group, view: View) -> bool:
    """Whether a group's decision is about an answer unless somebody says otherwise.

    What is decided is not decided again by the way; where all are, all are meant.
    """
    return view.decision is None or group.decided == group.size


def _demand_group(store: Store, question_id: int, number: int) -> Group:
    groups = get_groups(store, question_id, [number])
    if not groups:
        raise PostilError("this group no longer exists.", hint="The groups may have changed: look again.")
    return groups[0]


def _members(store: Store, question_id: int, number: int) -> list[View]:
    most = 1_000_000  # more than a question can have
    return find_views(store, question_id, Filter(group=number, order="place"), 0, most, aligned=False)
