"""Another column chosen on a draft's page: its questions and right answers are those of that column."""

from __future__ import annotations

import re

import pytest
from webclient import let_in

from postil.workbench.app import create_app
from postil.workbench.settings import Settings
from postil.workbench.store import courses

TABLE = (
    "question,topic,reference,other,id,answer\n"
    "Why?,Light,Because.,It is so.,1,as\nHow?,Heat,Thus.,That way.,2,this way\n"
    "Why?,Heat,Because.,It is so.,3,so\n"
)


@pytest.fixture
def client(store, tmp_path):
    return let_in(create_app(Settings(tmp_path / "workbench.db"), store))


@pytest.fixture
def course(store):
    return courses.create_course(store, "Physics")


@pytest.fixture
def draft(client, course):
    return client.post(f"/courses/{course}/draft", files={"file": ("class.csv", TABLE)})


def form(page):
    """What the form of a draft's page sends: htmx sends all of it whenever a column is chosen."""
    hidden = dict(re.findall(r'<input type="hidden" name="(drawn)" value="([^"]*)"', page))
    selects = re.findall(r'<select id="role-\w+" name="(\w+)">(.*?)</select>', page, re.DOTALL)
    picked = {name: re.search(r'value="([\d,]*)" selected', options) for name, options in selects}
    ticked = re.findall(r'name="(take-\d+)" id="[^"]*" value="1" checked', page)
    columns = {name: match[1] if match else "" for name, match in picked.items()}
    return hidden | columns | right(page) | dict.fromkeys(ticked, "1")


def right(page):
    """The right answers that the page shows, by their fields."""
    return dict(re.findall(r'<textarea [^>]*name="(right-\d+)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL))


def change(client, draft, page, **fields):
    return client.post(draft.url.path, data=form(page) | fields, headers={"HX-Request": "true"}).text


def made(store, course):
    return {one.text: one.references for one in courses.list_questions(store, course)}


def test_another_column_of_right_answers_brings_its_own(client, store, course, draft):
    assert right(draft.text) == {"right-0": "Because.", "right-1": "Thus."}
    page = change(client, draft, draft.text, reference="3")
    assert right(page) == {"right-0": "It is so.", "right-1": "That way."}
    client.post(f"{draft.url.path}/store", data=form(page))
    assert made(store, course) == {"Why?": ("It is so.",), "How?": ("That way.",)}


def test_another_column_of_questions_does_not_take_over_what_was_said_of_the_old_ones(client, draft):
    told = form(draft.text) | {"right-0": "Written for Why?"}
    del told["take-1"]
    page = client.post(draft.url.path, data=told | {"question": "1"}, headers={"HX-Request": "true"}).text
    assert "Written for Why?" not in page
    assert right(page) == {"right-0": "Because.", "right-1": "Thus."}
    assert form(page)["take-1"] == "1"


def test_what_a_person_wrote_stays_when_other_columns_change(client, store, course, draft):
    page = change(client, draft, draft.text, **{"right-0": "Own words.", "id": ""})
    assert right(page)["right-0"] == "Own words."
    client.post(f"{draft.url.path}/store", data=form(page))
    assert made(store, course)["Why?"] == ("Own words.",)


def test_without_a_refresh_in_between_the_chosen_column_counts(client, store, course, draft):
    client.post(f"{draft.url.path}/store", data=form(draft.text) | {"reference": "3"})
    assert made(store, course) == {"Why?": ("It is so.",), "How?": ("That way.",)}
