"""The log in the browser: who did what, by person and kind, page by page, and as a table."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from webclient import let_in, make_account

from postil.workbench.app import create_app
from postil.workbench.pages import people
from postil.workbench.records import OWNER, Level
from postil.workbench.settings import Settings
from postil.workbench.store import access, courses, events
from postil.workbench.store.tables import EventRow, now


@pytest.fixture
def olga(store):
    return make_account(store, "olga", OWNER, password=None)


@pytest.fixture
def teo(store):
    return make_account(store, "teo", password=None)


@pytest.fixture
def enter(store, database):
    """A function that gives somebody's browser."""
    app = create_app(Settings(database, local=False), store)
    return lambda login: let_in(app, login)


def rows_of(page) -> list[list[str]]:
    """The cells of the log's table, without the time."""
    found = re.findall(r"<tr><td class=\"nowrap\">.*?</tr>", page.text, re.DOTALL)
    return [re.findall(r"<td(?: class=\"muted nowrap\")?>(.*?)</td>", row) for row in found]


def test_the_newest_stands_first(enter, store, olga, teo):
    events.log_event(store, olga, events.ACCOUNT_MADE, about="teo", address="192.0.2.7")
    events.log_event(store, None, events.LOGIN_FAILED, address="192.0.2.8")
    assert rows_of(enter("olga").get("/log")) == [
        ["not logged in", "login failed", "", "", "192.0.2.8"],
        ["Olga", "account created", "", "teo", "192.0.2.7"],
    ]


def test_the_log_by_person_and_by_kind(enter, store, olga, teo):
    events.log_event(store, olga, events.LOGGED_IN)
    events.log_event(store, teo, events.LOGGED_IN)
    events.log_event(store, teo, events.LOGGED_OUT)
    client = enter("olga")
    assert [row[0] for row in rows_of(client.get(f"/log?person={teo.id}"))] == ["Teo", "Teo"]
    assert [row[0] for row in rows_of(client.get("/log?person=&kind=logged+in"))] == ["Teo", "Olga"]
    both = client.get(f"/log?person={teo.id}&kind=logged+out")
    assert rows_of(both) == [["Teo", "logged out", "", "", ""]]
    assert f'<option value="{teo.id}" selected>' in both.text
    assert '<option value="logged out" selected>' in both.text
    nothing = client.get(f"/log?person={teo.id}&kind=token+created")
    assert "Nothing in the log matches" in nothing.text


@pytest.mark.parametrize("query", ["person=x&kind=y&before=z", "person=-1", "before=99999999999999999999"])
def test_an_address_that_nobody_could_have_chosen(enter, store, olga, query):
    events.log_event(store, olga, events.LOGGED_IN)
    assert len(rows_of(enter("olga").get(f"/log?{query}"))) == 1


def test_the_log_page_by_page(enter, store, olga, monkeypatch):
    monkeypatch.setattr(people, "_ON_A_PAGE", 2)
    for number in range(5):
        events.log_event(store, olga, events.ACCOUNT_MADE, about=f"n{number}")
    events.log_event(store, olga, events.LOGGED_OUT)
    client, seen = enter("olga"), []
    address = "/log?kind=account+created"
    while address:
        page = client.get(address)
        seen.append([row[3] for row in rows_of(page)])
        older = re.search(r'href="([^"]+)" rel="next"', page.text)
        address = older and older[1].replace("&amp;", "&")
    assert seen == [["n4", "n3"], ["n2", "n1"], ["n0"]]
    assert "Back to the newest" in page.text


def test_the_log_as_a_table_without_formulas(enter, store, olga, teo):
    events.log_event(
        store, olga, events.TOKEN_MADE, about='=HYPERLINK("http://example.org")', address="192.0.2.7"
    )
    events.log_event(store, teo, events.LOGGED_IN)
    client = enter("olga")
    answer = client.get("/log.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="log.csv"'
    header, last, first = csv.reader(io.StringIO(answer.text))
    assert header == ["when", "who", "login", "what", "course", "about", "from"]
    assert last[1:] == ["Teo", "teo", "logged in", "", "", ""]
    assert first[1:] == [
        "Olga",
        "olga",
        "token created",
        "",
        '\'=HYPERLINK("http://example.org")',
        "192.0.2.7",
    ]
    assert len(list(csv.reader(io.StringIO(client.get(f"/log.csv?person={teo.id}").text)))) == 2


def test_a_course_has_a_log_for_its_owner(enter, store, olga, teo):
    course = courses.create_course(store, "Physics 7b", teo.id)
    events.log_event(
        store, teo, events.COURSE_SHARED, course_id=course, about="olga: teach", address="192.0.2.7"
    )
    events.log_event(store, teo, events.COURSE_MADE, course_id=course + 1)
    access.share_course(store, course, olga.id, Level.TEACH)
    path = f"/courses/{course}/log"
    page = enter("teo").get(path)
    assert rows_of(page) == [["Teo", "course shared", "olga: teach"]]
    assert "192.0.2.7" not in page.text
    table = enter("teo").get(f"{path}.csv").text
    assert "course shared" in table
    assert "192.0.2.7" not in table
    assert enter("olga").get(path).status_code == 403  # who looks after the installation is no exception


def test_the_log_of_a_course_offers_what_happens_in_courses(enter, store, teo):
    course = courses.create_course(store, "Physics 7b", teo.id)
    page = unescape(enter("teo").get(f"/courses/{course}/log").text)
    offered = [kind for kind in events.KINDS if f'<option value="{kind}"' in page]
    assert offered == [kind for kind in events.KINDS if kind in events.IN_COURSES]
    assert {events.ANSWER_DELETED, events.PUPIL_ERASED} <= {*offered}
    assert not {events.LOGGED_IN, events.TOKEN_MADE} & {*offered}


def test_the_log_is_not_for_others(enter, store, olga, teo):
    client = enter("teo")
    assert client.get("/log").status_code == 403
    assert client.get("/log.csv").status_code == 403


def test_without_accounts_there_is_no_log(browser, question_id):
    browser.get("/log", status=404)
    browser.get("/courses/1/log", status=404)


def test_the_log_says_of_which_course_and_what_was_taken_away(enter, store, olga, question_id):
    access.hand_over(store, 1, olga.id)
    client = enter("olga")
    client.get(f"/questions/{question_id}/export.csv")
    client.get("/courses/1/report")
    about = [row[2:4] for row in rows_of(client.get("/log?kind=course+exported"))]
    assert about == [
        ["Physics 7b", "Report, “Physics 7b”"],
        ["Physics 7b", f"CSV, question {question_id} of “Physics 7b”"],
    ]
    client.post("/courses/1/delete")
    assert rows_of(client.get("/log?kind=course+exported"))[0][2:4] == ["", "Report, “Physics 7b”"]


def test_what_version_0_1_logged_is_read_by_its_name_of_today(store):
    with store.writing() as session:
        session.add(EventRow(at=now(), who="", what="course made", about="", address=""))
    events.log_event(store, None, events.COURSE_MADE)
    assert [event.what for event in events.list_events(store)] == ["course created"] * 2
    assert len(events.list_events(store, what=events.COURSE_MADE)) == 2
