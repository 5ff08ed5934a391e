"""Two servers over one database, behind a proxy that alternates between them: nobody notices."""

from __future__ import annotations

from itertools import cycle

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from webclient import PASSWORD, make_account, token_of

from postil.workbench.app import create_app
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses, logins
from postil.workbench.store.access import create_token
from postil.workbench.store.database import open_store

ADDRESS = "https://postil.example.org"
QUIZ = b"::Ice:: Why does ice float? {=It is lighter than water.}"


class Browser:
    """A browser whose requests go to the servers in turns."""

    def __init__(self, apps):
        turns = cycle(apps)

        async def proxy(scope, receive, send):
            await next(turns)(scope, receive, send)

        self.client = TestClient(proxy, base_url=ADDRESS, headers={"Origin": ADDRESS}, follow_redirects=True)
        self.csrf = ""

    def get(self, path):
        return self._shown(self.client.get(path))

    def post(self, path, files=None, **fields):
        return self._shown(self.client.post(path, data={"csrf": self.csrf, **fields}, files=files))

    def _shown(self, page):
        if "/logout" in page.text:  # who is logged in has a token
            self.csrf = token_of(page.text)
        return page


@pytest.fixture
def apps(store, database):
    stores = [open_store(database) for _ in range(2)]
    yield [create_app(Settings(database, local=False, address=ADDRESS), one) for one in stores]
    for one in stores:
        one.close()


@pytest.fixture
def person(store):
    return make_account(store, "ane")


@pytest.fixture
def browser(apps, person):
    """Somebody who has logged in at one server, after a typing error at the other."""
    browser = Browser(apps)
    assert "Log in" in browser.get("/").text
    assert browser.post("/login", login="ane", password="wrong words here").status_code >= 400  # noqa: S106
    page = browser.post("/login", login="ane", password=PASSWORD)
    assert page.status_code == 200
    assert page.url.path == "/"
    return browser


def test_from_the_upload_to_the_stored_answers(browser, store):
    page = browser.post("/courses", name="Physics 7b")
    course = page.url.path
    page = browser.post(f"{course}/draft", files={"file": ("quiz.gift", QUIZ)})
    assert page.url.path.endswith("/quiz")
    assert "Why does ice float?" in page.text
    page = browser.post(page.url.path, **{"take-0": "1", "right-0": "It is lighter.", "points-0": "1"})
    assert "1 question imported" in page.text, page.text  # a message that the other server had
    assert "1 question was made" not in browser.get(course).text  # is shown once
    table = b"name,answer,other\nAnn,it is lighter,x\nBob,it is cold,y\n"
    page = browser.post("/questions/1/answers/draft", files={"file": ("class.csv", table)})
    draft = page.url.path
    assert "it is cold" in page.text
    page = browser.post(draft, answer="2", student="0", id="")  # another column, and back
    page = browser.post(draft, answer="1", student="0", id="")
    assert page.status_code == 200
    page = browser.post(f"{draft}/store", answer="1", student="0", id="")
    assert "2 answers added." in page.text
    assert [one.text for one in answers.list_answers(store, 1)] == ["it is lighter", "it is cold"]
    again = browser.post(f"{draft}/store", answer="1", student="0", id="")
    assert "no longer available" in again.text
    assert len(answers.list_answers(store, 1)) == 2
    page = browser.post("/questions/1/answers/draft", text="one\ntwo")
    browser.post(f"{page.url.path}/drop")
    assert browser.get(page.url.path).status_code == 404
    browser.post("/logout")
    assert browser.get("/").url.path == "/login"


def test_wrong_passwords_count_at_both(apps, person):
    browser = Browser(apps)
    told = [browser.post("/login", login="ane", password=f"wrong words {n}") for n in range(6)]
    assert [page.status_code for page in told][-1] == 429
    assert browser.post("/login", login="ane", password=PASSWORD).status_code == 429


def test_a_link_works_once_at_either(apps, store, person):
    browser = Browser(apps)
    token = logins.make_link(store, "reset", person.id)
    words = {"password": "three quiet words", "again": "three quiet words"}
    assert browser.get(f"/open?token={token}").status_code == 200
    assert browser.post("/open", token=token, **words).status_code == 200
    assert Browser(apps).post("/open", token=token, **words).status_code >= 400


def test_a_repeated_request_of_a_program_is_done_once(apps, store, person):
    _, secret = create_token(store, person.id, "lms", ("read", "write"), 1)
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "k1"}
    made = [
        TestClient(app, base_url=ADDRESS).post("/api/v1/courses", json={"name": "Biology"}, headers=headers)
        for app in (*apps, *apps)
    ]
    assert [answer.status_code for answer in made] == [201] * 4
    assert len({answer.json()["id"] for answer in made}) == 1
    assert len(courses.list_courses(store)) == 1


def test_figures_of_the_installation_are_the_same_at_both(apps, store, graded):
    def shown(app):
        client = TestClient(app, base_url="http://127.0.0.1:8400", client=("127.0.0.1", 1))
        families = text_string_to_metric_families(client.get("/metrics").text)
        return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}

    first, second = map(shown, apps)
    assert first["postil_answers_graded_total", "grade"] == 3
    assert {key: value for key, value in first.items() if "answers" in key[0] or "jobs_ended" in key[0]} == {
        key: value for key, value in second.items() if "answers" in key[0] or "jobs_ended" in key[0]
    }
