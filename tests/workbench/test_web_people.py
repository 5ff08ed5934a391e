"""The people of an installation: who invites, changes and closes accounts, and what follows."""

from __future__ import annotations

import re

import pytest
from webclient import PASSWORD, let_in, make_account, stranger

from postil.workbench.app import create_app
from postil.workbench.records import ASSISTANT, OWNER, TEACHER, Level
from postil.workbench.settings import Settings
from postil.workbench.store import access, accounts, courses, events

LINK = re.compile(r"http://127\.0\.0\.1:8400(/open\?token=[\w-]+)")


@pytest.fixture
def olga(store):
    return make_account(store, "olga", OWNER)


@pytest.fixture
def app(store, database, olga):
    return create_app(Settings(database, local=False), store)


@pytest.fixture
def client(app):
    return let_in(app, "olga")


def invite(client, **fields):
    return client.post("/people", data={"name": "Teo", "login": "teo", "role": TEACHER, **fields})


def link_in(page) -> str:
    return LINK.search(page.text)[1]


def choose_password(app, link: str, password: str = PASSWORD):
    browser = stranger(app)
    token = link.partition("=")[2]
    browser.post("/open", data={"token": token, "password": password, "again": password})
    return browser


def logins(app, login: str, password: str = PASSWORD) -> bool:
    """Whether somebody gets in."""
    return stranger(app).post("/login", data={"login": login, "password": password}).url.path == "/"


def test_who_is_invited_chooses_a_password_with_the_link(app, client, store):
    page = invite(client, name="Teo <b>", login="Teo@School.example")
    assert page.status_code == 200
    assert "Teo &lt;b&gt;" in page.text
    assert "within 3 days" in page.text
    made = accounts.find_account(store, "teo@school.example")
    assert (made.person.role, made.has_password) == (TEACHER, False)
    assert ">invited<" in page.text
    assert not logins(app, "teo@school.example", "")
    assert choose_password(app, link_in(page)).get("/account").status_code == 200
    assert logins(app, "teo@school.example")
    assert ">active<" in client.get("/people").text


def test_the_link_is_shown_once(client):
    assert LINK.search(invite(client).text)
    assert not LINK.search(client.get("/people").text)
    assert not LINK.search(client.get("/people/2").text)


def test_a_wrong_invitation_comes_back_as_it_was_written(client, store):
    again = invite(client, login="o", name="Otto & Co")
    assert again.status_code == 400
    assert "A login has 2 to 80" in again.text
    assert 'value="Otto &amp; Co"' in again.text
    assert "is taken" in invite(client, login="OLGA").text
    assert "This role does not exist" in invite(client, role="headmaster").text
    assert len(accounts.list_accounts(store)) == 1


def test_a_link_for_a_forgotten_password_ends_the_sessions(app, client, store):
    make_account(store, "teo")
    teo = let_in(app, "teo")
    page = client.post("/people/2/link")
    assert "Forgotten password" in page.text
    choose_password(app, link_in(page), "another good password")
    assert teo.get("/").url.path == "/login"
    assert not logins(app, "teo")
    assert logins(app, "teo", "another good password")


def test_only_the_newest_link_works(app, client):
    first, second = link_in(invite(client)), link_in(client.post("/people/2/link"))
    assert stranger(app).get(first).status_code == 403
    assert stranger(app).get(second).status_code == 200


def test_a_role_is_changed(client, store):
    make_account(store, "teo", password=None)
    page = client.post("/people/2/role", data={"role": ASSISTANT})
    assert "Teo is now an assistant." in page.text
    assert accounts.get_account(store, 2).person.role == ASSISTANT
    client.post("/people/2/role", data={"role": ASSISTANT})
    assert len(events.list_events(store, what=events.ROLE_CHANGED)) == 1  # the second time changed nothing
    assert "This role does not exist" in client.post("/people/2/role", data={"role": "king"}).text


def test_the_last_owner_stays_owner(client, store):
    assert "the only owner" in client.post("/people/1/role", data={"role": TEACHER}).text
    make_account(store, "otto", OWNER, password=None)
    assert (
        "the only owner" in client.post("/people/1/role", data={"role": TEACHER}).text
    )  # otto cannot log in
    assert accounts.get_account(store, 1).person.role == OWNER


def test_who_gives_up_the_role_leaves_the_people_page(client, store):
    make_account(store, "otto", OWNER)
    assert client.post("/people/1/role", data={"role": TEACHER}).url.path == "/"
    assert client.get("/people").status_code == 403


def test_a_closed_account_is_out_at_once_and_its_courses_go_to_the_heir(app, client, store, olga):
    teo = make_account(store, "teo")
    course = courses.create_course(store, "Physics 7b", teo.id)
    _, secret = access.create_token(store, teo.id, "tutor", ["read"], 30)
    browser = let_in(app, "teo")
    page = client.get("/people/2").text
    assert "Who gets the course?" in page
    assert f'<option value="{olga.id}">Olga (olga)</option>' in page
    assert f'<option value="{teo.id}">' not in page
    assert "somebody must take over" in client.post("/people/2/close").text.lower()
    assert accounts.get_account(store, 2).active
    page = client.post("/people/2/close", data={"heir": olga.id})
    assert "Teo’s account has been closed." in page.text
    assert browser.get("/").url.path == "/login"
    assert not logins(app, "teo")
    assert access.find_token(store, secret) is None
    assert access.level_on(store, olga, course_id=course) == Level.OWN


def test_a_closed_account_is_opened_again(app, client, store):
    make_account(store, "teo")
    client.post("/people/2/close")
    assert "This account is closed" in client.get("/people/2").text
    assert client.post("/people/2/link").status_code == 400  # a link would open nothing
    assert "Teo can log in again." in client.post("/people/2/reopen").text
    assert logins(app, "teo")


def test_nobody_closes_their_own_account(client, store):
    make_account(store, "otto", OWNER)
    assert "Close this account" not in client.get("/people/1").text
    assert "your own account" in client.post("/people/1/close", data={"heir": 2}).text
    assert accounts.get_account(store, 1).active


@pytest.mark.parametrize("path", ["/people/99", "/people/99/link", "/people/99/reopen", "/people/99/close"])
def test_an_account_that_is_not_there(client, path):
    asked = client.get(path) if path.count("/") == 2 else client.post(path)
    assert asked.status_code in (400, 404)


def test_what_was_done_is_in_the_log(client, store):
    invite(client)
    client.post("/people/2/link")
    client.post("/people/2/role", data={"role": ASSISTANT})
    client.post("/people/2/close")
    client.post("/people/2/reopen")
    logged = [(event.who, event.what, event.about) for event in events.list_events(store)]
    assert logged == [
        ("olga", events.ACCOUNT_REOPENED, "teo"),
        ("olga", events.ACCOUNT_CLOSED, "teo"),
        ("olga", events.ROLE_CHANGED, "teo: assistant"),
        ("olga", events.LINK_MADE, "teo"),
        ("olga", events.ACCOUNT_MADE, "teo"),
    ]


@pytest.mark.parametrize("role", [TEACHER, ASSISTANT])
def test_others_see_nothing_of_it(app, store, role):
    make_account(store, "teo", role, password=None)
    client = let_in(app, "teo")
    assert client.get("/people").status_code == 403
    assert client.get("/people/1").status_code == 403
    assert client.post("/people/1/link").status_code == 403
    assert 'href="/people"' not in client.get("/").text
    assert 'href="/log"' not in client.get("/").text


def test_without_accounts_there_is_no_such_page(store, tmp_path):
    client = let_in(create_app(Settings(tmp_path / "workbench.db"), store))
    assert client.get("/people").status_code == 404
    assert invite(client).status_code == 404
    assert 'href="/people"' not in client.get("/").text
    assert "stays on this computer" in client.get("/").text
