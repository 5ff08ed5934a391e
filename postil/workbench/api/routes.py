"""What the API's routes share: ids in addresses, pages of long lists, records as they are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Depends, Path, Query, Request, Response

from postil.errors import PostilError
from postil.grading.credit import worth
from postil.workbench import records
from postil.workbench.api import rubric_schemas, schemas
from postil.workbench.api.schemas import MOST_NUMBER, Page
from postil.workbench.exports import feedback, points_of
from postil.workbench.http.problems import ProblemError
from postil.workbench.jobs.readers import demand_usable
from postil.workbench.rubrics import Preview
from postil.workbench.store.courses import get_course, get_question, is_outdated
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import get_job

USUAL, MOST = 50, 200
# The fields of a judgement that are shown as the store has them.
_SAME_OF_FACETS = ("id", "weight", "required", "group", "needed", "deduction")
_MOST_LISTED = 200  # answers whose points would change
_SAME = (
    "label",
    "probabilities",
    "confidence",
    "deferred",
    "reference",
    "made",
    "reason",
    "reader",
    "read_by",
)

CourseId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of a course.")]
QuestionId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of a question.")]
AnswerId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of an answer.")]
JobId = Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The number of a job.")]


class _Numbered(Protocol):
    @property
    def id(self) -> int: ...


AnyPage = TypeVar("AnyPage", bound=Page)
Numbered = TypeVar("Numbered", bound=_Numbered)


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which page of a list is asked for: how many records, and behind which one, whatever is added since."""

    limit: int
    after: int | None

    @property
    def one_more(self) -> int:
        """How many records to fetch: one too many, to see whether there is a next page."""
        return self.limit + 1

    def rest(self, records: Sequence[Numbered], *, newest_first: bool) -> list[Numbered]:
        """Those of all records that this page and the following ones show."""
        after = self.after
        return [
            record
            for record in records
            if after is None or (record.id < after if newest_first else record.id > after)
        ]

    def show(
        self,
        model: type[AnyPage],
        records: Sequence[Any],
        *,
        order: str = "id",
        each: Callable[[Any], object] = lambda record: record,
        **fields: object,
    ) -> AnyPage:
        """The page; `order` is the attribute by which records are ordered, `each` shows one of them."""
        shown = records[: self.limit]
        following = str(attrgetter(order)(shown[-1])) if len(records) > self.limit else None
        return model.model_validate(
            {**fields, "items": [each(record) for record in shown], "next": following}
        )


def _read_page(
    limit: Annotated[int, Query(ge=1, le=MOST, description="The maximum number of items.")] = USUAL,
    after: Annotated[
        str | None,
        Query(pattern="^[0-9]{1,10}$", description="Where to continue: `next` of the previous page."),
    ] = None,
) -> PageQuery:
    return PageQuery(limit, None if after is None else int(after))


OfPage = Annotated[PageQuery, Depends(_read_page)]


def point_to(request: Request, response: Response, path: str) -> None:
    """Set the `Location` header to the address of what was created."""
    response.headers["Location"] = f"{request.scope.get('root_path', '')}{path}"


def demand_reader(request: Request, name: str | None) -> None:
    """Refuse a reader that cannot be used on this server."""
    try:
        demand_usable(name, request.app.state.settings.memory)
    except PostilError as error:
        raise ProblemError("conflict", error.what, hint=error.hint) from error


# Records of the store as the API shows them; most have a model with the same fields, and need no help.


def read_course(store: Store, course_id: int) -> schemas.Course:
    """A course as it is now."""
    return schemas.Course.model_validate(get_course(store, course_id))


def read_question(store: Store, question_id: int) -> schemas.Question:
    """A question as it is now."""
    return schemas.Question.model_validate(get_question(store, question_id))


def read_facets(store: Store, question_id: int) -> rubric_schemas.Facets:
    """The facets of a question as they are now."""
    outdated = is_outdated(store, question_id)
    question = get_question(store, question_id)
    facets = question.facets
    full = worth(facets) if facets else 1.0
    shown = facets and [
        rubric_schemas.Facet(
            name=facet.first,
            points=round(facet.weight / full * question.points, 2),
            **{name: getattr(facet, name) for name in _SAME_OF_FACETS},
        )
        for facet in facets
    ]
    return rubric_schemas.Facets.model_validate(
        {"facets": shown, "outdated": outdated, "version": question.facets_version}
    )


def show_preview(found: Preview) -> rubric_schemas.FacetsPreview:
    """What other facets would change about the points of answers."""
    return rubric_schemas.FacetsPreview(
        changes=[
            rubric_schemas.PointsChange(
                answer_id=moved.view.answer.id,
                key=moved.view.answer.key,
                before=moved.before,
                after=moved.after,
            )
            for moved in found.changes[:_MOST_LISTED]
        ],
        count=len(found.changes),
        graded=found.graded,
        before=round(found.before, 4),
        after=round(found.after, 4),
        unknown=found.unknown,
    )


def read_job(store: Store, job_id: int) -> schemas.Job:
    """A job as it is now."""
    return show_job(get_job(store, job_id))


def show_job(job: records.Job) -> schemas.Job:
    """A job, with what it found out if that is of use to a program."""
    answers = job.result.get("answers", []) if job.kind == "propose" else []
    facets = job.result.get("names", []) if job.kind == "facets" else []
    return schemas.Job.model_validate({**asdict(job), "answers": answers, "facets": facets})


def show_answer(question: records.Question, view: records.View) -> schemas.Answer:
    """An answer with all that is known of it."""
    return schemas.Answer.model_validate(
        {
            **asdict(view.answer),
            "label": view.label,
            "points": points_of(question, view),
            "doubtful": view.doubtful,
            "provisional": question.is_provisional(view),
            "feedback": feedback(view),
            "judgement": view.judged
            and {**{name: getattr(view.judged, name) for name in _SAME}, "explanation": view.note},
            "decision": view.decision,
            "version": str(view.version),
            "facets": [
                {
                    "id": shown.facet.id,
                    "name": shown.facet.first,
                    "outcome": shown.label,
                    "decided": shown.told,
                }
                for shown in view.facets
            ],
        }
    )


def show_change(change: records.Change) -> schemas.Change:
    """What a regrade would change about an answer."""
    return schemas.Change.model_validate(
        {
            "answer_id": change.answer.id,
            "key": change.answer.key,
            "before": change.before.label,
            "after": change.after.label,
            "confidence": change.after.confidence,
        }
    )
