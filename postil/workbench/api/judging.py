"""Texts judged at once: grade, align, entail, facets. Nothing that is sent here is stored or logged."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, BackgroundTasks, Depends, Request

from postil.errors import PostilError
from postil.workbench.api.auth import needs
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
from postil.workbench.http.problems import ProblemError
from postil.workbench.jobs.judging import (
    AlignTask,
    ClassTask,
    EntailTask,
    FacetsTask,
    Findings,
    JudgingProcess,
    Plain,
    Task,
    TooBusyError,
)
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import DEFERRED, GRADED, SECONDS, Counts, add_counts

router = APIRouter(tags=["judging"])
_BY = "api"


class _Named(Protocol):
    """Whatever may have an id of the sender's."""

    id: str | None


@dataclass(frozen=True, slots=True)
class Judging:
    """Has tasks done, and counts them afterwards, when the answer is on its way."""

    process: JudgingProcess
    store: Store
    later: BackgroundTasks

    async def do(self, task: Task) -> Findings:
        """Do a task, or say why it cannot be done."""
        begun = time.monotonic()
        try:
            found = await self.process.do(task)
        except TooBusyError as error:
            headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
            raise ProblemError("busy", error.what, hint=error.hint, headers=headers) from error
        except PostilError as error:
            raise ProblemError("invalid", error.what, hint=error.hint) from error
        counts = {(SECONDS, _BY): time.monotonic() - begun}
        if isinstance(task, ClassTask):
            counts[GRADED, _BY] = len(found.items)
            counts[DEFERRED, _BY] = sum(bool(one["deferred"]) for one in found.items)
        self.later.add_task(_count, self.store, counts)
        return found


def _count(store: Store, counts: Counts) -> None:
    with suppress(PostilError):  # nobody is told: what was judged has been sent
        add_counts(store, counts)


def _judging(request: Request, later: BackgroundTasks) -> Judging:
    return Judging(request.app.state.judging, request.app.state.store, later)


OfJudging = Annotated[Judging, Depends(_judging)]


@router.post(
    "/grade",
    operation_id="grade_class",
    dependencies=[needs("judge")],
    response_model=GradedTexts,
    summary="Judge a class at once",
)
async def grade_class(given: GradeTexts, judging: OfJudging) -> dict[str, Any]:
    """Judge up to 200 answers to a question; with `explain` or `facets`, up to 50 short ones.

    For more, store them in a course and start a job. `warnings` say what is wrong with the question.
    """
    named = given.facets if isinstance(given.facets, list) else None
    task = ClassTask(
        given.question,
        tuple(given.references),
        tuple(one.text for one in given.answers),
        tuple((one.text, one.label) for one in given.decided),
        given.scheme,
        given.explain,
        given.facets is not False,
        None if named is None else tuple(named),
    )
    found = await judging.do(task)
    return {"items": _named(found.items, given.answers), "warnings": found.warnings}


@router.post(
    "/align",
    operation_id="align_pairs",
    dependencies=[needs("judge")],
    response_model=AlignedTexts,
    summary="Align the chunks of sentences",
)
async def align_pairs(given: AlignTexts, judging: OfJudging) -> dict[str, Any]:
    """Say of up to 50 pairs of sentences which chunks belong together, how, and how strongly."""
    found = await judging.do(AlignTask(tuple((one.source, one.target) for one in given.pairs)))
    return {"items": _named(found.items, given.pairs)}


@router.post(
    "/entail",
    operation_id="entail_pairs",
    dependencies=[needs("judge")],
    response_model=EntailedTexts,
    summary="Judge what follows from texts",
)
async def entail_pairs(given: EntailTexts, judging: OfJudging) -> dict[str, Any]:
    """Say of up to 50 texts whether they imply a hypothesis, deny it or leave it open, and why."""
    pairs = tuple((one.text, one.hypothesis) for one in given.pairs)
    found = await judging.do(EntailTask(pairs, given.scheme))
    return {"items": _named(found.items, given.pairs)}


@router.post(
    "/facets",
    operation_id="find_facets",
    dependencies=[needs("judge")],
    response_model=FoundFacets,
    summary="Find the facets of a reference in answers",
)
async def find_facets(given: FacetTexts, judging: OfJudging) -> dict[str, Any]:
    """Say of up to 50 answers which small claims of a reference they express, leave out or contradict."""
    facets = None if given.facets is None else tuple(given.facets)
    answers = tuple(one.text for one in given.answers)
    found = await judging.do(FacetsTask(given.question, given.reference, answers, facets))
    return {"items": _named(found.items, given.answers)}


def _named(found: Sequence[Plain], given: Sequence[_Named]) -> list[dict[str, Any]]:
    """What was found with the ids of what was given; without one it is called by its place."""
    ids = [str(place) if one.id is None else one.id for place, one in enumerate(given, 1)]
    return [{"id": id, **one} for id, one in zip(ids, found, strict=True)]
