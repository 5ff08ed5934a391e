"""Who may see and do what: every page that shows something of a course declares which level it needs."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Path, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from postil.workbench.http.addresses import is_students
from postil.workbench.http.rendering import NotAllowedError, OfStore
from postil.workbench.records import Level, Person
from postil.workbench.store.access import Right, right_on
from postil.workbench.store.database import Store
from postil.workbench.store.drafts import get_brought
from postil.workbench.store.feedback import Holder, find_holder
from postil.workbench.store.rounds import blind_round
from postil.workbench.store.rows import digest_of

# The parts of an address that name something of a course, and what that is called.
THINGS = {
    "course_id": "course",
    "question_id": "question",
    "answer_id": "answer",
    "job_id": "job",
    "round_id": "round",
    "token": "upload",
}
_TOO_LOW = {
    Level.TEACH: "This course is shared with you as a helper: you can read it, decide answers and start "
    "grading.",
    Level.OWN: "Only the owner of the course can do this.",
}
_FOR_MORE = " Its owner can let you do more."  # but not with an assistant
_MOST_DIGITS = 12  # no database gives a longer number
_LARGEST = 2**31 - 1  # the largest number that any of the databases gives
# The number of an account or of a token in an address.
Number = Annotated[int, Path(gt=0, le=_LARGEST)]
_BLIND = "You are labelling this question blind: you can open this once both labellers have finished."


def get_person(request: Request) -> Person:
    """Who is acting."""
    person: Person = request.state.person
    return person


OfPerson = Annotated[Person, Depends(get_person)]


@dataclass(frozen=True, slots=True)
class May:
    """Admits a request if the person has the required level on everything that its address names.

    What people may not even see does not exist for them (404); what they may see but not do is refused (403).
    With `spares_owner` the owner of the course passes even while labelling blind.
    """

    level: Level
    spares_owner: bool = False

    def __call__(self, request: Request, store: OfStore, person: OfPerson) -> None:
        """Raise an error unless the person may go on."""
        for name, text in request.path_params.items():
            if name not in THINGS:
                continue
            right = _right(store, person, name, str(text))
            if right is None:
                raise HTTPException(404, f"This {THINGS[name]} does not exist. It may have been deleted.")
            if right.level < self.level:
                more = _FOR_MORE if self.level == Level.TEACH and person.makes_courses else ""
                raise NotAllowedError(_TOO_LOW[self.level] + more)
            spared = self.spares_owner and right.level >= Level.OWN
            if right.question_id is not None and not spared:
                refuse_blind(store, person, right.question_id, int(text) if name == "round_id" else 0)
            request.state.right = right


def may(level: Level, *, spares_owner: bool = False) -> Any:
    """The dependency with which a route declares its level, as in `dependencies=[may(Level.TEACH)]`.

    With `spares_owner` it must show nothing of what anybody says of answers.
    """
    return Depends(May(level, spares_owner))


class WithLink:
    """Admits whoever has a student's link, and to nothing but what it is for: see `request.state.holder`.

    A link that is unknown, revoked, expired or of a course that shows nothing does not exist (404). A form
    must bring the token that only the link's own page has.
    """

    async def __call__(self, request: Request, store: OfStore) -> None:
        """Raise an error unless the link works."""
        secret = str(request.path_params["link"])
        holder = await run_in_threadpool(find_holder, store, secret)
        if holder is None:
            request.app.state.limits.count_miss(request)
            raise HTTPException(404)
        if request.method != "GET":
            token = (await request.form()).get("csrf")
            own = link_token(secret)
            if not isinstance(token, str) or not hmac.compare_digest(token.encode(), own.encode()):
                raise HTTPException(403, "This form has expired. Go back, reload the page and send it again.")
        request.state.holder = holder


# The dependency with which a route declares that a student's link opens it.
with_link: Any = Depends(WithLink())


def link_token(secret: str) -> str:
    """What the forms on a student's page carry."""
    return digest_of(f"form {secret}")


def _get_holder(request: Request) -> Holder:
    holder: Holder = request.state.holder
    return holder


OfHolder = Annotated[Holder, Depends(_get_holder)]


def _demand_accounts(request: Request) -> None:
    if request.app.state.settings.local:
        raise HTTPException(404)


def _demand_owner(request: Request, person: OfPerson) -> None:
    _demand_accounts(request)
    if not person.is_owner:
        raise NotAllowedError("This page is for administrators only.")


# The dependencies of routes that make no sense for the one person of `--local`, and of routes that are only
# for administrators.
with_accounts: Any = Depends(_demand_accounts)
may_own_installation: Any = Depends(_demand_owner)


def refuse_blind(store: Store, person: Person, question_id: int, at: int = 0) -> None:
    """Keep what others and the machine say of answers from somebody who is still labelling them blind.

    The round `at` which they are is not refused if it is one that they label: its pages are blind.
    """
    round_id = None if person.id is None else blind_round(store, person, question_id, at)
    if round_id not in (None, at):
        raise NotAllowedError(_BLIND, way=(f"/rounds/{round_id}", "Go to your round"))


def every_route(routes: Iterable[Any]) -> Iterator[APIRoute]:
    """All routes that a function answers; newer versions of FastAPI keep included routers as they are."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif (router := getattr(route, "original_router", None)) is not None:
            yield from every_route(router.routes)


def demand_rules(routes: Iterable[Any]) -> None:
    """Refuse a route that names something of a course, and does not say who may see it."""
    for route in every_route(routes):
        linked = any(isinstance(rule.dependency, WithLink) for rule in route.dependencies)
        if linked != is_students(route.path) or linked != ("link" in route.param_convertors):
            raise ValueError(f"{route.path}: what a student’s link opens is below /feedback/ and declares it")
        if linked and THINGS.keys() & route.param_convertors.keys():
            raise ValueError(f"{route.path}: a student’s link names everything that it opens")
        if not THINGS.keys() & route.param_convertors.keys():
            continue
        if not any(isinstance(rule.dependency, May) for rule in route.dependencies):
            raise ValueError(f"{route.path} does not say who may see it: declare may(…)")


def _right(store: Store, person: Person, name: str, text: str) -> Right | None:
    if name == "token":  # of an upload, which belongs to whoever made it, as long as they may upload there
        brought = get_brought(store, text)
        if brought.person != person.id:
            return None
        if brought.question_id is not None:
            return right_on(store, person, question_id=brought.question_id)
        return right_on(store, person, course_id=brought.course_id)
    if not (text.isascii() and text.isdecimal()):
        raise HTTPException(422)
    return right_on(store, person, **{name: int(text)}) if len(text) < _MOST_DIGITS else None


def id_of(person: Person) -> int:
    """The number of a person's account; only the one person of `--local` has none."""
    if person.id is None:
        raise HTTPException(404)
    return person.id


def read_number(text: str) -> int | None:
    """Read the number that identifies something in a form or an address; None if it is not a valid one."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(_LARGEST)) else 0
    return number if 0 < number <= _LARGEST else None
