"""A question's page: the progress, and its answers in a table with label, confidence and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from postil.workbench.http.access import may
from postil.workbench.http.rendering import OfStore, back, missing_reader, render
from postil.workbench.records import LABELS, Job, Level, Question, View
from postil.workbench.store.answers import Filter, count_views, find_views
from postil.workbench.store.courses import get_course, get_question, is_outdated
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import teaching
from postil.workbench.store.jobs import (
    changed_settings,
    decisions_heard,
    enqueue,
    latest_job,
    reader_missed,
)
from postil.workbench.store.judgements import count_changes

router = APIRouter()
PAGE = 50
ACTIVE = ("waiting", "running")
# Which answers a page shows and in which order, as the address says it: `?state=doubtful&label=correct`.
STATES = {
    "all": "All",
    "doubtful": "Needs your look",
    "undecided": "Undecided",
    "decided": "Decided",
    "differs": "Differs from Postil",
}
ORDERS = {"doubtful": "needs your look first", "place": "in the order added", "score": "by points"}
_LONGEST_SEARCH = 200
# What the end of an address starts: the kind of job, and which page of the question waits for it.
_JOBS = {
    "grade": ("grade", ""),
    "propose": ("propose", "/start"),  # the answers to label first
    "recheck": ("recheck", ""),  # look for the facets in all answers; labels stay
    "find": ("facets", "/facets"),  # what a full answer says
}


def read_filter(
    label: Annotated[str, Query()] = "",
    state: Annotated[str, Query()] = "all",
    search: Annotated[str, Query()] = "",
    order: Annotated[str, Query()] = "doubtful",
) -> Filter:
    """The filter that an address asks for; what no filter knows is left out, so that old links still open."""
    return Filter(
        label=label if label in LABELS else None,
        state=state if state in STATES else "all",
        search=search.strip()[:_LONGEST_SEARCH],
        order=order if order in ORDERS else "doubtful",
    )


def query_of(chosen: Filter, **more: object) -> str:
    """A filter as the end of an address, with `?` before it; empty where nothing special is asked for."""
    parts = {
        "state": chosen.state if chosen.state != "all" else "",
        "label": chosen.label or "",
        "search": chosen.search,
        "order": chosen.order if chosen.order != "doubtful" else "",
        **more,
    }
    query = {name: value for name, value in parts.items() if value}
    return f"?{urlencode(query)}" if query else ""


Chosen = Annotated[Filter, Depends(read_filter)]


@dataclass(frozen=True, slots=True)
class Rows:
    """One page of the table: its answers, and where they stand among all that the filter lets through."""

    views: list[View]
    total: int
    page: int
    pages: int

    @property
    def first(self) -> int:
        """The number of the page's first answer, counted from 1."""
        return (self.page - 1) * PAGE + 1

    @property
    def last(self) -> int:
        """The number of the page's last answer."""
        return self.first + len(self.views) - 1


def head_of(store: Store, question_id: int, tab: str) -> dict[str, Any]:
    """What the head of every page about a question shows: the question, its course and its tabs."""
    question = get_question(store, question_id)
    return {"question": question, "course": get_course(store, question.course_id), "tab": tab}


def active_job(store: Store, question_id: int) -> Job | None:
    """The job that waits or runs for a question, if there is one."""
    job = latest_job(store, question_id)
    return job if job and job.state in ACTIVE else None


@router.get("/questions/{question_id}", dependencies=[may(Level.HELP)])
def show_question(
    request: Request, question_id: int, store: OfStore, chosen: Chosen, page: int = 1
) -> HTMLResponse:
    """The question with its answers; without answers, ways to add some."""
    head = head_of(store, question_id, "answers")
    return render(
        request,
        "question.html",
        **head,
        **_rows_context(store, question_id, chosen, page),
        job=latest_job(store, question_id),
        counts=_counts(store, head["question"]),
        # Decisions that the machine can learn from and that the last grading did not know.
        fresh=max(0, len(teaching(store, question_id)) - decisions_heard(store, question_id)),
        would_change=count_changes(store, question_id),
        outdated=is_outdated(store, question_id),
        missed=reader_missed(store, question_id),
        changed=changed_settings(store, question_id, missing_reader(request)),
        states=STATES,
        orders=ORDERS,
    )


@router.get("/questions/{question_id}/rows", dependencies=[may(Level.HELP)])
def show_rows(
    request: Request, question_id: int, store: OfStore, chosen: Chosen, page: int = 1
) -> HTMLResponse:
    """The table alone, when a filter or the page has changed; the address follows, so that it can be kept."""
    question = get_question(store, question_id)
    context = _rows_context(store, question_id, chosen, page)
    response = render(request, "_rows.html", question=question, **context)
    response.headers["HX-Replace-Url"] = f"/questions/{question_id}{query_of(chosen, page=_later(page))}"
    return response


@router.get("/questions/{question_id}/progress", dependencies=[may(Level.HELP)])
def show_progress(request: Request, question_id: int, store: OfStore) -> HTMLResponse:
    """How far the job is; once it has ended, the page around it is asked to load again."""
    job = latest_job(store, question_id)
    response = render(request, "_progress.html", question=get_question(store, question_id), job=job)
    if job is None or job.state not in ACTIVE:
        response.headers["HX-Refresh"] = "true"
    return response


@router.post("/questions/{question_id}/grade", dependencies=[may(Level.HELP)])
@router.post("/questions/{question_id}/propose", dependencies=[may(Level.HELP)])
@router.post("/questions/{question_id}/recheck", dependencies=[may(Level.HELP)])
@router.post("/questions/{question_id}/facets/find", dependencies=[may(Level.TEACH)])
def start_job(request: Request, question_id: int, store: OfStore) -> RedirectResponse:
    """Start a job in the background, for the first time or again, and show the page that waits for it."""
    kind, page = _JOBS[request.url.path.rpartition("/")[2]]
    enqueue(store, kind, question_id)
    return back(f"/questions/{question_id}{page}")


def _rows_context(store: Store, question_id: int, chosen: Filter, page: int) -> dict[str, Any]:
    total = count_views(store, question_id, chosen)
    pages = max(1, -(-total // PAGE))
    page = min(max(page, 1), pages)
    views = find_views(store, question_id, chosen, (page - 1) * PAGE, PAGE, aligned=False)
    return {
        "rows": Rows(views, total, page, pages),
        "chosen": chosen,
        "query": query_of(chosen),
        "before": query_of(chosen, page=_later(page - 1)),
        "after": query_of(chosen, page=page + 1),
    }


def _later(page: int) -> int | None:
    """The page number to put into an address; None for the first page, which needs none."""
    return page if page > 1 else None


def _counts(store: Store, question: Question) -> Mapping[str, int]:
    """How many answers each state has."""
    return {
        "all": question.answers,
        "doubtful": count_views(store, question.id, Filter(state="doubtful")),
        "undecided": question.answers - question.decided,
        "decided": question.decided,
        "differs": count_views(store, question.id, Filter(state="differs")),
    }
