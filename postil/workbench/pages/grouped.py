"""Groups: answers that say the same in the same words, and one decision for all of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.data.labels import PLAIN_NAMES
from postil.errors import PostilError, number_of
from postil.workbench.http.access import OfPerson, may
from postil.workbench.http.largeform import LargeForm
from postil.workbench.http.rendering import OfStore, back, flash, render
from postil.workbench.pages.review import demand_label
from postil.workbench.pages.table import head_of
from postil.workbench.people import Level
from postil.workbench.records import View
from postil.workbench.store.answers import Filter, find_views
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import decide
from postil.workbench.store.groupings import Group, get_groups, group_sizes

router = APIRouter(route_class=LargeForm)
PAGE = 10


@router.get("/questions/{question_id}/groups", dependencies=[may(Level.HELP)])
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


@router.get("/questions/{question_id}/groups/{group}", dependencies=[may(Level.HELP)])
def show_members(request: Request, question_id: int, group: int, store: OfStore) -> HTMLResponse:
    """The answers of a group, each to be ticked or not; asked for when somebody wants to see them."""
    found = _demand_group(store, question_id, group)
    views = _members(store, question_id, group)
    return render(request, "_members.html", group=found, views=views, ticked=usually_ticked)


@router.post("/questions/{question_id}/groups/{group}/decide", dependencies=[may(Level.HELP)])
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
    found = _demand_group(store, question_id, group)
    if (found.first, found.size) != (first, size):
        flash(request, "The groups have changed in the meantime, so nothing was decided.", kind="error")
        return back(here)
    ticked = set(answer or ())
    chosen = [
        view.answer.id
        for view in _members(store, question_id, group)
        if (view.answer.id in ticked if listed else usually_ticked(found, view))
    ]
    if not chosen:
        flash(request, "No answer of the group is ticked, so nothing was decided.", kind="error")
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
    found = get_groups(store, question_id, [number])
    if not found:
        raise PostilError("this group is not there.", hint="Look at the groups again: they may have changed.")
    return found[0]


def _members(store: Store, question_id: int, number: int) -> list[View]:
    # Not more than a question can have.
    wanted = Filter(group=number, order="place")
    return find_views(store, question_id, wanted, 0, 1_000_000, aligned=False)
