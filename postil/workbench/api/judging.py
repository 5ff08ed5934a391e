"""Texts judged at once: grade, align, entail, facets. Nothing that is sent here is stored or logged."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from fastapi import APIRouter, BackgroundTasks, Request

from postil.errors import PostilError
from postil.workbench.api.auth import TokenRoute, identify, needs
from postil.workbench.api.judging_schemas import (
    AlignedTexts,
    AlignTexts,
    EntailedTexts,
    EntailTexts,
    FacetTexts,
    FoundFacets,
    GradedTexts,
    GradeTexts,
)
from postil.workbench.api.routes import demand_reader
from postil.workbench.http.problems import ProblemError
from postil.workbench.jobs.judging import (
    AlignTask,
    ClassTask,
    EntailTask,
    FacetsTask,
    JudgingProcess,
    Task,
    TooBusyError,
    TooManyError,
    TooMuchError,
)
from postil.workbench.jobs.prices import demand_affordable
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import DEFERRED, GRADED, SECONDS, Counts, add_counts

router = APIRouter(tags=["judging"], route_class=TokenRoute)
_BY = "api"


class _Named(Protocol):
    """Something that may have an id chosen by the sender."""

    id: str | None


async def _do(
    request: Request, later: BackgroundTasks, task: Task, texts: Sequence[_Named]
) -> dict[str, Any]:
    """Run a task, and return its findings under the ids that were sent, or else under the texts' numbers.

    It is counted afterwards, once the response has been sent.
    """
    process: JudgingProcess = request.app.state.judging
    begun = time.monotonic()
    try:
        demand_affordable(task)
        findings = await process.do(task, identify(request).person.id)
    except TooMuchError as error:
        raise ProblemError("too-large", error.what, hint=error.hint) from error
    except TooBusyError as error:
        kind = "too-many-requests" if isinstance(error, TooManyError) else "busy"
        headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
        raise ProblemError(kind, error.what, hint=error.hint, headers=headers) from error
    except PostilError as error:
        raise ProblemError("invalid", error.what, hint=error.hint) from error
    counts = {(SECONDS, _BY): time.monotonic() - begun}
    if isinstance(task, ClassTask):
        counts[GRADED, _BY] = len(findings.items)
        counts[DEFERRED, _BY] = sum(bool(item["deferred"]) for item in findings.items)
    later.add_task(_count, request.app.state.store, counts)
    items = [{"id": id, **item} for id, item in zip(_ids(texts), findings.items, strict=True)]
    return {"items": items, "warnings": findings.warnings}


def _ids(texts: Sequence[_Named]) -> tuple[str, ...]:
    return tuple(str(number) if text.id is None else text.id for number, text in enumerate(texts, 1))


def _count(store: Store, counts: Counts) -> None:
    with suppress(PostilError):  # nobody is told: what was judged has been sent
        add_counts(store, counts)


@router.post(
    "/grade",
    operation_id="grade_class",
    dependencies=[needs("judge")],
    response_model=GradedTexts,
    summary="Judge a class at once",
)
async def grade_class(asked: GradeTexts, request: Request, later: BackgroundTasks) -> dict[str, Any]:
    """Judge up to 200 answers to a question; with `explain` or `facets`, up to 50 short ones.

    For more answers, store them in a course and start a job. `warnings` name problems with the question.
    """
    task = ClassTask(
        asked.question,
        tuple(asked.references),
        tuple(answer.text for answer in asked.answers),
        tuple((decision.text, decision.label) for decision in asked.decided),
        asked.scheme,
        asked.explain,
        asked.facets is not False,
        tuple(asked.facets) if isinstance(asked.facets, list) else None,
        asked.strictness,
        asked.reader,
        asked.pupils,
    )
    demand_reader(request, asked.reader)
    return await _do(request, later, task, asked.answers)


@router.post(
    "/align",
    operation_id="align_pairs",
    dependencies=[needs("judge")],
    response_model=AlignedTexts,
    summary="Align the chunks of sentences",
)
async def align_pairs(asked: AlignTexts, request: Request, later: BackgroundTasks) -> dict[str, Any]:
    """Align the chunks of up to 50 pairs of sentences: which belong together, how, and how strongly."""
    pairs = tuple((pair.source, pair.target) for pair in asked.pairs)
    return await _do(request, later, AlignTask(pairs, _ids(asked.pairs)), asked.pairs)


@router.post(
    "/entail",
    operation_id="entail_pairs",
    dependencies=[needs("judge")],
    response_model=EntailedTexts,
    summary="Judge entailment",
)
async def entail_pairs(asked: EntailTexts, request: Request, later: BackgroundTasks) -> dict[str, Any]:
    """Judge whether up to 50 texts imply their hypotheses, contradict them or leave them open, and why."""
    pairs = tuple((pair.text, pair.hypothesis) for pair in asked.pairs)
    task = EntailTask(pairs, asked.scheme, _ids(asked.pairs))
    return await _do(request, later, task, asked.pairs)


@router.post(
    "/facets",
    operation_id="find_facets",
    dependencies=[needs("judge")],
    response_model=FoundFacets,
    summary="Find the facets of a reference in answers",
)
async def find_facets(asked: FacetTexts, request: Request, later: BackgroundTasks) -> dict[str, Any]:
    """Find which small claims of a reference up to 50 answers express, leave out or contradict."""
    facets = None if asked.facets is None else tuple(asked.facets)
    answers = tuple(answer.text for answer in asked.answers)
    task = FacetsTask(asked.question, asked.reference, answers, facets, _ids(asked.answers))
    return await _do(request, later, task, asked.answers)
