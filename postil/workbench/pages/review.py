"""Review: one answer at a time beside its reference, a label with one key; or like answers as a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from postil.data.judgements import AlignedPair, Facets
from postil.data.labels import PLAIN_NAMES
from postil.data.rubrics import MOST_FACETS
from postil.errors import PostilError, number_of, unknown_label
from postil.explain.alignment_picture import alignment_svg
from postil.explain.highlighting import highlighted
from postil.grading.credit import by_items, earned, worth
from postil.workbench.claims import FacetView, as_shown, denial, facet_views, outcomes_told, told_by
from postil.workbench.exports import feedback
from postil.workbench.http.access import OfPerson, may, read_number
from postil.workbench.http.guard import LargeForm
from postil.workbench.http.rendering import OfStore, back, flash, note, render
from postil.workbench.pages.table import STATES, Chosen, head_of, query_of
from postil.workbench.records import LABELS, Answer, Decision, Level, Person, Version, View
from postil.workbench.store import events
from postil.workbench.store.accounts import names_of
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
from postil.workbench.store.courses import get_question
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import decide, decide_unchanged, history, last_step, undo_last
from postil.workbench.store.rows import ChangedError

router = APIRouter()
groups_router = APIRouter(route_class=LargeForm)
PAGE = 10  # groups on a page
_MOST_LISTED = 10  # answers that a message names
_FACET_KEYS = ascii_lowercase[:MOST_FACETS]  # a tick with one key
# Where undo was asked for, and what is shown after it; from anywhere else the answer itself is.
_UNDONE_ON = {"groups": "/groups", "table": "", "trust": "/trust"}


@dataclass(frozen=True, slots=True)
class Own:
    """What a person chose: a label, whether it was the machine's, and the facets ticked if there are any."""

    label: str
    accepted: bool
    ticks: frozenset[str] | None


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
        marked=marked_answer(view),
        picture=picture_of(view.judged.alignment if view.judged else None),
        note=feedback(view),
        shares=_shares(view, view.facets),
        worth_of=_worth_of(view.set_facets),
        facets_shown=as_shown(view.facets),
        facet_keys=_FACET_KEYS,
        denial=denial,
        decisions=history(store, answer_id),
        last=last_step(store, view.answer.question_id),
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
    shares = _shares(view, facet_views(view.set_facets, outcomes, ticked))
    return render(request, "_earns.html", question=question, shares=shares)


def _shares(view: View, shown: Sequence[FacetView]) -> dict[str, float]:
    """What the answer earns with each label for which its ticks count."""
    facets, outcomes = view.set_facets, outcomes_told(shown)
    return {label: earned(label, facets, outcomes) for label in LABELS if by_items(label, facets)}


def _worth_of(facets: Facets) -> dict[str, tuple[float, float]]:
    """By its id, what each item adds and what it takes off, as shares of the question's points."""
    full = worth(facets) if facets else 1.0
    return {facet.id: (facet.weight / full, facet.deduction / full) for facet in facets or ()}


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
    seen: Annotated[str, Form()] = "",
) -> Response:
    """Keep a person's label, or that the machine's is right, and go on to the next answer.

    `accept` is the machine's label as the page showed it; grading may have changed it in the meantime.
    `facets_shown` says which facets the page showed, if they could be ticked, and `tick` has those that are.
    `seen` is the version of the answer that the page showed: what somebody else has decided since is shown
    beside this person's label, and stays unless they say otherwise.
    """
    view = get_view(store, answer_id)
    own = Own(accept or demand_label(label), bool(accept), frozenset(tick or ()) if facets_shown else None)
    version = Version.read(seen)
    if version and view.decision and view.decision.id != version.decision and view.decision.by != person.id:
        return _ask_which(request, store, view, chosen, own)
    if accept and view.judged is None:
        raise PostilError("this answer has not been graded yet.", hint="Choose one of the five labels.")
    if accept and view.judged and view.judged.label != accept:
        flash(request, "Postil’s label has changed in the meantime.", "warning", "This is the new one.")
        return back(f"/answers/{answer_id}{query_of(chosen)}")
    if facets_shown and (view.set_facets is None or as_shown(view.facets) != facets_shown):
        what = "The rubric has changed in the meantime, so nothing was decided."
        flash(request, what, "warning", "This is the new rubric.")
        return back(f"/answers/{answer_id}{query_of(chosen)}")
    # Before the decision, because it may take the answer out of the list that is being worked through.
    after = _following(store, view, chosen)
    ticked = None if own.ticks is None else told_by(view.facets, own.ticks)
    source = "accepted" if accept else "review"
    versions = {answer_id: version or view.version}
    question_id = view.answer.question_id
    try:
        decide(store, question_id, [answer_id], own.label, source, ticked, by=person.id, seen=versions)
    except ChangedError:  # within this moment
        return _ask_which(request, store, get_view(store, answer_id), chosen, own)
    flash(request, f"{view.answer.student or view.answer.key}: {PLAIN_NAMES[own.label]}.")
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
    request: Request,
    question_id: int,
    store: OfStore,
    person: OfPerson,
    chosen: Chosen,
    shown: str = "",
    seen: Annotated[int | None, Form()] = None,
    sure: Annotated[bool, Form()] = False,
) -> Response:
    """Take back the last decision, or all of the last group's, and show what it was about.

    `seen` is the last decision as the page knew it. If another has been made since, or if the last is
    somebody else's, nothing is undone until the person is `sure`.
    """
    last = last_step(store, question_id)
    others = last is not None and last[0].by not in (None, person.id)
    if last is not None and ((others and not sure) or seen not in (None, last[0].id)):
        here = f"/questions/{question_id}/undo{query_of(chosen, shown=shown)}"
        where = f"/questions/{question_id}{_UNDONE_ON.get(shown, '/review')}"
        head = head_of(store, question_id, "review")
        step: dict[str, Any] = {"decision": last[0], "count": last[1], "action": here, "leave": where}
        return render(request, "undo.html", status=409, **head, **step)
    undone = undo_last(store, question_id, seen=None if last is None else last[0].id)
    flash(request, _undone_words(undone))
    if shown in _UNDONE_ON or not undone:
        return back(f"/questions/{question_id}{_UNDONE_ON.get(shown, '')}")
    return back(f"/answers/{undone[0].answer_id}{query_of(chosen)}")


def _ask_which(request: Request, store: Store, view: View, chosen: Filter, own: Own) -> Response:
    """Show what somebody else has decided beside a person's own label: they choose which one counts."""
    if view.decision is None:  # undone again, or judged anew: there is nothing to choose from
        flash(request, "This answer has changed in the meantime, so nothing was decided.", "warning")
        return back(f"/answers/{view.answer.id}{query_of(chosen)}")
    after = _following(store, view, chosen)
    return render(
        request,
        "conflict.html",
        status=409,
        **head_of(store, view.answer.question_id, "review"),
        view=view,
        own=own,
        by_items=[label for label in LABELS if by_items(label, view.set_facets)],  # where ticks count
        denial=denial,
        facets_shown=as_shown(view.facets),
        query=query_of(chosen),
        leave=f"/answers/{after}{query_of(chosen)}" if after else f"/questions/{view.answer.question_id}",
    )


def _following(store: Store, view: View, chosen: Filter) -> int | None:
    """The answer after this one in a list.

    What is decided already stands at its end: from there it goes on with those that nobody has decided.
    """
    _, after = neighbours(store, view.answer.id, chosen)
    if after is None and view.decision and chosen.order == "doubtful" and chosen.state == "all":
        undecided = replace(chosen, state="undecided")
        left = find_views(store, view.answer.question_id, undecided, 0, 1)
        after = left[0].answer.id if left else None
    return after


def demand_label(label: str) -> str:
    """One of the five labels, or an error that names them."""
    if label not in LABELS:
        raise PostilError(unknown_label(label), hint=f"Labels: {', '.join(LABELS)}.")
    return label


def marked_answer(view: View) -> Markup:
    """The answer with the words marked that make a claim or contradict one; its text is escaped."""
    return Markup(highlighted(view.answer.text, [item.outcome for item in view.facets]))  # noqa: S704


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
        last=last_step(store, question_id),
        total=len(numbers),
        grouped=sum(sizes.values()),
        seen=_written,
        page=page,
        pages=pages,
    )


@groups_router.get("/questions/{question_id}/groups/{group}", dependencies=[may(Level.HELP)])
def show_members(request: Request, question_id: int, group: int, store: OfStore) -> HTMLResponse:
    """The answers of a group, each to be ticked or not; asked for when somebody wants to see them."""
    shown = _demand_group(store, question_id, group)
    views = _members(store, question_id, group)
    seen = _written({view.answer.id: view.decision.id for view in views if view.decision})
    return render(request, "_members.html", group=shown, views=views, ticked=usually_ticked, seen=seen)


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
    seen: Annotated[list[str] | None, Form()] = None,
    page: int = 1,
) -> RedirectResponse:
    """Give one label to those of a group that are ticked; to the undecided, if the members were not `listed`.

    `first` and `size` are as the page had them: the group must be the one that was seen. `seen` has the
    decisions that the page showed, the last one those of the list: what others decided since stays.
    """
    here = f"/questions/{question_id}/groups{f'?page={page}' if page > 1 else ''}#group-{group}"
    current = _demand_group(store, question_id, group)
    if (current.first, current.size) != (first, size):
        flash(request, "The groups have changed in the meantime, so nothing was decided.", kind="error")
        return back(here)
    ticked = set(answer or ())
    members = _members(store, question_id, group)
    versions = _read_versions(seen[-1] if seen else _written(current.decisions))
    ids = [view.answer.id for view in members]
    undecided = [id for id in ids if id not in versions]  # when the page was shown
    chosen = [id for id in ids if id in ticked] if listed else undecided or ids
    if not chosen:
        flash(request, "No answer in the group is ticked, so nothing was decided.", kind="error")
        return back(here)
    left = decide_unchanged(
        store, question_id, chosen, demand_label(label), "group", by=person.id, seen=versions
    )
    if len(chosen) > len(left):
        decided = number_of(len(chosen) - len(left), "answer")
        flash(request, f"{decided} decided together: {PLAIN_NAMES[label]}.")
    tell_left(request, store, left)
    return back(here)


def tell_left(request: Request, store: Store, left: Sequence[Decision]) -> None:
    """Say which answers others have decided in the meantime, so that they were left as they are."""
    if not left:
        return
    own: Person = request.state.person
    names = names_of(store, {decision.by for decision in left if decision.by is not None})
    listed = []
    for decision in left[:_MOST_LISTED]:
        answer = get_view(store, decision.answer_id).answer
        who = "you" if decision.by == own.id else names.get(decision.by or 0, "somebody")
        listed.append(f"{answer.student or answer.key} is “{PLAIN_NAMES[decision.label]}”, says {who}")
    more = f"; and {len(left) - _MOST_LISTED} more" if len(left) > _MOST_LISTED else ""
    stays = "was decided in the meantime and stays as it is"
    if len(left) > 1:
        stays = "were decided in the meantime and stay as they are"
    what = f"{number_of(len(left), 'answer')} {stays}."
    flash(request, what, "warning", f"{'; '.join(listed)}{more}. To change one, open it.")


def _written(decisions: Mapping[int, int]) -> str:
    """The decisions that a page shows, by answer, for its form."""
    return " ".join(f"{answer_id}.{decision_id}" for answer_id, decision_id in decisions.items())


def _read_versions(text: str) -> dict[int, Version]:
    """The decided answers of a group as the page showed them, with the decision of each."""
    pairs = (pair.partition(".") for pair in text.split())
    numbers = ((read_number(answer), read_number(decision)) for answer, _, decision in pairs)
    return {answer: Version(decision) for answer, decision in numbers if answer and decision}


def usually_ticked(group: Group, view: View) -> bool:
    """Whether a group's decision is about an answer unless somebody says otherwise.

    Answers that are decided already are left out, unless the whole group is.
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
