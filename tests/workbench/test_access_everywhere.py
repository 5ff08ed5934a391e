"""Every address of the workbench, tried by people who have no access: they see and change nothing.

The addresses are those that the application has: all pages, and all of the API by its description. So a new
route is tried, too. If it names something that is not in `real_ids`, or has no name of anything in it and is
on none of the lists below, a test fails until somebody has thought about who may use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from school import fill
from sqlalchemy import select
from starlette.routing import Mount
from starlette.routing import Route as StarletteRoute
from starlette.testclient import TestClient
from webclient import let_in, make_account, stranger

from postil.workbench.api.app import create_api
from postil.workbench.app import create_app
from postil.workbench.drafts import open_paste
from postil.workbench.http.access import every_route
from postil.workbench.http.guard import cookie_name
from postil.workbench.records import ASSISTANT, OWNER, Level, Person
from postil.workbench.settings import Settings
from postil.workbench.store import access, accounts, answers, courses, drafts, feedback, jobs, rounds
from postil.workbench.store.tables import Base

pytestmark = pytest.mark.slow

API = "/api/v1"
# Nobody need be logged in for these.
OPEN = {
    "GET /open",
    "POST /open",
    "GET /login",
    "POST /login",
    "GET /healthz",
    "HEAD /healthz",
    "GET /readyz",
    "HEAD /readyz",
    "GET /metrics",  # but only from where monitors are: see test_web_monitoring.py
    f"GET {API}/health",
    f"GET {API}/docs",
}
# A student's link opens these and nothing else: see also test_student_links.py.
FOR_LINKS = {"GET /feedback/{link}", "POST /feedback/{link}/ask"}
# These name nothing, and are for everybody who is logged in: they show and change what is one's own.
FOR_EVERYBODY = {
    "GET /",
    "POST /courses",
    "POST /courses/demo",
    "POST /logout",
    "GET /rounds",
    "GET /account",
    "POST /account/name",
    "POST /account/password",
    "POST /account/sessions/end",
    "POST /account/tokens",
    "GET /pupils",  # only what is in courses that one teaches: see test_pupils.py
    "POST /pupils",
    "GET /pupils/stored",
    "GET /pupils/export.zip",
    "POST /pupils/erase",
    f"POST {API}/pupils/find",
    f"GET {API}/pupils/export",
    f"POST {API}/pupils/erase",
    f"GET {API}/me",
    f"GET {API}/courses",
    f"POST {API}/courses",
    f"POST {API}/grade",
    f"POST {API}/align",
    f"POST {API}/entail",
    f"POST {API}/facets",
}
# For those who look after the installation.
FOR_OWNERS = {
    "GET /people",
    "POST /people",
    "GET /people/{account_id}",
    "POST /people/{account_id}/link",
    "POST /people/{account_id}/role",
    "POST /people/{account_id}/close",
    "POST /people/{account_id}/reopen",
    "GET /log",
    "GET /log.csv",
}
# What may be done in a course by those with whom it is shared to help; everything else takes more.
FOR_HELPERS = {
    "GET /courses/{course_id}",
    "GET /courses/{course_id}/label",
    "GET /courses/{course_id}/people",
    "POST /courses/{course_id}/leave",
    "GET /questions/{question_id}",
    "GET /questions/{question_id}/rows",
    "GET /questions/{question_id}/progress",
    "POST /courses/{course_id}/grade",
    "POST /questions/{question_id}/grade",
    "GET /questions/{question_id}/start",
    "POST /questions/{question_id}/start",
    "POST /questions/{question_id}/propose",
    "GET /questions/{question_id}/review",
    "POST /questions/{question_id}/undo",
    "GET /questions/{question_id}/groups",
    "GET /questions/{question_id}/groups/{group}",
    "POST /questions/{question_id}/groups/{group}/decide",
    "POST /questions/{question_id}/regrade",
    "POST /questions/{question_id}/recheck",
    "GET /questions/{question_id}/changes",
    "GET /questions/{question_id}/trust",
    "POST /questions/{question_id}/accept",
    "GET /questions/{question_id}/facets",
    "GET /questions/{question_id}/facets/progress",
    "GET /answers/{answer_id}",
    "GET /answers/{answer_id}/earns",
    "POST /answers/{answer_id}/decide",
    "GET /courses/{course_id}/looks",
    "POST /answers/{answer_id}/look",
    f"GET {API}/courses/{{course_id}}",
    f"GET {API}/courses/{{course_id}}/questions",
    f"GET {API}/questions/{{question_id}}",
    f"GET {API}/questions/{{question_id}}/facets",
    f"GET {API}/questions/{{question_id}}/answers",
    f"GET {API}/questions/{{question_id}}/jobs",
    f"POST {API}/questions/{{question_id}}/jobs",
    f"GET {API}/questions/{{question_id}}/changes",
    f"POST {API}/questions/{{question_id}}/undo",
    f"GET {API}/answers/{{answer_id}}",
    f"PUT {API}/answers/{{answer_id}}/decision",
    f"GET {API}/answers/{{answer_id}}/decisions",
    f"GET {API}/jobs/{{job_id}}",
}
# What takes the course's owner; who teaches in it may do the rest.
FOR_COURSE_OWNERS = {
    "POST /courses/{course_id}/rename",
    "POST /courses/{course_id}/strictness",
    "POST /courses/{course_id}/reader",
    "POST /courses/{course_id}/delete",
    "POST /courses/{course_id}/people",
    "POST /courses/{course_id}/people/{account_id}",
    "POST /courses/{course_id}/people/{account_id}/remove",
    "POST /courses/{course_id}/handover",
    "GET /courses/{course_id}/log",
    "GET /courses/{course_id}/log.csv",
    f"PATCH {API}/courses/{{course_id}}",
    f"DELETE {API}/courses/{{course_id}}",
}
# What belongs to one person, and to nobody with whom a course is shared.
PERSONAL = {"token", "token_id"}
# Not there for Teo either: the draft in `world` holds answers and no quiz, and its round is not over yet.
NOT_THERE = {"GET /drafts/{token}/quiz", "GET /rounds/{round_id}/corpus.zip"}
ODD = ("..%2f", "%00", "9" * 25, "2147483648", "-1", "abc")
LISTS = (OPEN, FOR_LINKS, FOR_EVERYBODY, FOR_OWNERS, FOR_HELPERS, FOR_COURSE_OWNERS)


@dataclass(frozen=True)
class Route:
    """One thing that can be asked of the workbench: a method and an address with names in it."""

    method: str
    path: str

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def names(self) -> set[str]:
        return set(re.findall(r"{(\w+)", self.path))

    @property
    def is_api(self) -> bool:
        return self.path.startswith(f"{API}/")

    def at(self, ids: Mapping[str, object]) -> str:
        """The address with the names filled in."""
        return re.sub(r"{(\w+)[^}]*}", lambda found: str(ids[found[1]]), self.path)


@dataclass(frozen=True)
class World:
    """A workbench with a school in it, and the names of what belongs to Teo's course."""

    app: Any
    store: Any
    ids: dict[str, object]

    def client(self, person: Person) -> TestClient:
        """Somebody's browser, which can also speak to the API with everything that a token can be for."""
        client = let_in(self.app, person.login)
        _, secret = access.create_token(self.store, person.id, "all", access.SCOPES, 1)
        client.headers["Authorization"] = f"Bearer {secret}"
        return client

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that is stored, but for when somebody was seen last."""
        with self.store.reading() as session:
            return {
                table.name: sorted(map(tuple, session.execute(select(*_lasting(table)))), key=repr)
                for table in Base.metadata.sorted_tables
            }


def _lasting(table: Any) -> list[Any]:
    return [column for column in table.columns if (table.name, column.name) not in MOVING]


MOVING = {("session", "seen"), ("token", "used")}


@pytest.fixture
def world(store, database):
    """The school, with a draft that Teo has just brought."""
    question = fill(store)
    teo = accounts.find_account(store, "teo").person
    settings = Settings(database, local=False, person_per_minute=10**6, stranger_per_minute=10**6)
    app = create_app(settings, store)
    course = courses.get_question(store, question).course_id
    draft = drafts.keep_draft(store, open_paste("one\ntwo", 9), course, question, teo.id)
    ((_, link),) = feedback.make_links(store, course, 30, only=1, replace=True)
    ids = {
        "link": link,
        "course_id": course,
        "question_id": question,
        "answer_id": answers.list_answers(store, question)[0].id,
        "job_id": jobs.latest_job(store, question, "grade").id,
        "round_id": rounds.list_work(store, question)[0].round.id,
        "group": 3,
        "token": draft,
        "token_id": access.list_tokens(store, teo.id)[0].id,
        "account_id": accounts.find_account(store, "ann").person.id,
    }
    return World(app, store, ids)


@pytest.fixture
def teo(world):
    """Whose course it is."""
    return accounts.find_account(world.store, "teo").person


def pages_of(app) -> Iterator[Route]:
    """All pages; what is mounted beside them has to be known here."""
    assert {route.path for route in app.routes if isinstance(route, Mount)} == {API, "/static"}
    for route in every_route(app.routes):
        yield from (Route(method, route.path) for method in sorted(route.methods))


def operations_of(world: World) -> Iterator[Route]:
    """All operations that the API describes; of those it does not, only its description may be there."""
    api = create_api(world.app.state.settings, world.store)
    described = {
        Route(method.upper(), API + path)
        for path, item in api.openapi()["paths"].items()
        for method in item
        if method in ("get", "post", "put", "patch", "delete")
    }
    there = {
        Route(method, API + route.path)
        for route in every_route(api.routes)
        for method in route.methods
        if method != "HEAD"
    }
    assert {route.path for route in api.routes if type(route) is StarletteRoute} == {"/openapi.json"}
    assert described <= there
    assert {route.name for route in there - described} <= OPEN
    yield from sorted(there, key=lambda route: route.name)


def routes_of(world: World) -> list[Route]:
    """Everything that can be asked."""
    found = [*pages_of(world.app), *operations_of(world)]
    assert len(found) > 80
    return found


def ask(client: TestClient, route: Route, address: str) -> Any:
    """Try an address as a browser or a program would; a write also asks to be done only once."""
    more: dict[str, Any] = {}
    if route.method != "GET" and route.is_api:
        more = {"json": {}, "headers": {"Idempotency-Key": f"{route.name} {address}"}}
    elif route.method != "GET":
        more = {"data": {"name": "x", "login": "bert", "level": "help", "label": "correct", "text": "x"}}
    return client.request(route.method, address, follow_redirects=False, **more)


def refused(world: World, person: Person, tried: list[Route], expected: set[int]) -> list[str]:
    """What went wrong when somebody tried these: answers that were not expected, and tables that changed."""
    client = world.client(person)
    before = world.dump()
    statuses = {route.name: ask(client, route, route.at(world.ids)).status_code for route in tried}
    wrong = [f"{name} answers {status}" for name, status in statuses.items() if status not in expected]
    after = world.dump()
    return wrong + [f"{table} was changed" for table in before if before[table] != after[table]]


def test_every_route_is_known(world):
    """A new route must not be forgotten here."""
    found = routes_of(world)
    for route in found:
        assert route.names <= world.ids.keys(), f"{route.name}: say in `world` what this could name"
        if not route.names:
            assert route.name in OPEN | FOR_EVERYBODY | FOR_OWNERS, f"{route.name}: say who may use this"
    for one in LISTS:
        assert one <= {route.name for route in found}, "on a list, and not there any more"


def test_what_is_tried_is_there(world, teo):
    """What this course's owner asks for comes, so that a 404 below means what it says."""
    client = world.client(teo)
    assert rounds.blind_round(world.store, teo, world.ids["question_id"]) is None
    wrong = []
    for route in routes_of(world):
        if route.method == "GET" and route.names and route.name not in FOR_OWNERS | NOT_THERE:
            status = ask(client, route, route.at(world.ids)).status_code
            if status >= 400:
                wrong.append(f"{route.name} answers {status}")
    assert wrong == []


@pytest.mark.parametrize("secret", [None, "postil_of-nobody"])
def test_who_is_not_logged_in_gets_nowhere(world, secret):
    client = stranger(world.app)
    if secret:
        client.headers["Authorization"] = f"Bearer {secret}"
    before, wrong = world.dump(), []
    for route in routes_of(world):
        if route.name in OPEN | FOR_LINKS:
            continue
        answer = ask(client, route, route.at(world.ids))
        if route.is_api:
            good = answer.status_code == 401 and "WWW-Authenticate" in answer.headers
        else:
            good = answer.status_code == 303 and answer.headers["location"].startswith("/login")
        if not good:
            wrong.append(f"{route.name} answers {answer.status_code}")
    assert wrong == []
    assert world.dump() == before


@pytest.mark.parametrize("role", ["teacher", ASSISTANT, OWNER])
def test_somebody_else_sees_and_changes_nothing(world, role):
    person = make_account(world.store, "bert", role, password=None)
    others = FOR_OWNERS | FOR_LINKS
    tried = [route for route in routes_of(world) if route.names and route.name not in others]
    assert refused(world, person, tried, {404}) == []


@pytest.mark.parametrize("role", ["teacher", ASSISTANT])
def test_who_does_not_look_after_the_installation(world, role):
    person = make_account(world.store, "bert", role, password=None)
    tried = [route for route in routes_of(world) if route.name in FOR_OWNERS]
    assert refused(world, person, tried, {403}) == []


@pytest.mark.parametrize(
    ("level", "allowed"),
    [
        (Level.HELP, lambda route: route.name in FOR_HELPERS),
        (Level.TEACH, lambda route: route.name not in FOR_COURSE_OWNERS),
    ],
    ids=["help", "teach"],
)
def test_with_whom_a_course_is_shared_may_do_no_more_than_that(world, level, allowed):
    person = make_account(world.store, "bert", password=None)
    access.share_course(world.store, world.ids["course_id"], person.id, level)
    tried = [
        route
        for route in routes_of(world)
        if route.names
        and route.name not in FOR_OWNERS | FOR_LINKS
        and not route.names & PERSONAL
        and not allowed(route)
    ]
    assert refused(world, person, tried, {403}) == []
    private = [route for route in routes_of(world) if route.names & PERSONAL]
    assert refused(world, person, private, {404}) == []


def test_a_students_link_opens_nothing_else(world):
    """Whatever it is sent as: an address, a token, a cookie, a draft or a door."""
    link = str(world.ids["link"])
    client = stranger(world.app)
    name = cookie_name(world.app.state.settings)
    client.headers["Authorization"] = f"Bearer {link}"
    client.headers["X-CSRF-Token"] = link
    client.cookies.set(name, link)
    client.cookies.set(f"{name}-known", link)
    before, wrong = world.dump(), []
    for route in routes_of(world):
        if route.name in OPEN:
            continue
        status = ask(client, route, route.at({**world.ids, "token": link})).status_code
        expected = {"GET /feedback/{link}": 200, "POST /feedback/{link}/ask": 403}  # its form has a token
        if status != expected.get(route.name, 401 if route.is_api else 303):
            wrong.append(f"{route.name} answers {status}")
    assert wrong == []
    assert world.dump() == before
    for path in ("/open", "/login"):
        assert client.get(path, params={"token": link}).status_code in (200, 403)
        assert client.post(path, data={"token": link}).status_code in (400, 403, 422)


def test_a_course_shared_no_longer_is_gone(world):
    person = make_account(world.store, "bert", password=None)
    access.share_course(world.store, world.ids["course_id"], person.id, Level.TEACH)
    client = world.client(person)
    assert client.get(f"/courses/{world.ids['course_id']}").status_code == 200
    access.unshare_course(world.store, world.ids["course_id"], person.id)
    assert client.get(f"/courses/{world.ids['course_id']}").status_code == 404


def test_addresses_that_name_nothing(world, teo):
    """Whatever is sent as a name, it is not found or not accepted; nothing breaks."""
    client = world.client(teo)
    before, wrong = world.dump(), []
    for route in routes_of(world):
        for name in sorted(route.names):
            for odd in ODD:
                status = ask(client, route, route.at({**world.ids, name: odd})).status_code
                if status not in expected_for(route, name):
                    wrong.append(f"{route.name} with {name}={odd} answers {status}")
    assert wrong == []
    assert world.dump() == before


def expected_for(route: Route, name: str) -> set[int]:
    """Teo is not an administrator; and a missing upload is reported as such (400)."""
    if route.name in FOR_OWNERS:
        return {403, 404, 422}
    return {400, 404, 422} if name == "token" else {404, 422}
