"""What the routes share: numbers in addresses, long lists a page at a time, and the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Depends, Path, Query, Request, Response

from postil.workbench.api.schemas import MOST_NUMBER, Page
from postil.workbench.http.addresses import client_address
from postil.workbench.records import Person
from postil.workbench.store.events import log_event

USUAL, MOST = 50, 200

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
        """How many records to look for: the one too many tells that there is a next page."""
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
    """Say where what was made can be found."""
    response.headers["Location"] = f"{request.scope.get('root_path', '')}{path}"


def log(request: Request, what: str, course_id: int, about: str = "") -> None:
    """Write down what the caller did."""
    person: Person = request.state.person
    store = request.app.state.store
    log_event(store, person, what, course_id=course_id, about=about, address=client_address(request))
