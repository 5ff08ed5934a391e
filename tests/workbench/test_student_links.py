"""What a student's link shows: their own feedback, what is released of it, and never anybody else's."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from zipfile import ZipFile

import pytest
from classroom import PARTLY, Browser, run
from sqlalchemy import select, update
from webclient import make_account, stranger

from postil.errors import PostilError
from postil.workbench import pupils as pupil_files
from postil.workbench.app import create_app
from postil.workbench.http.access import demand_rules
from postil.workbench.records import NewAnswer, Version
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses, decisions, events, feedback, pupils
from postil.workbench.store.feedback import Showing
from postil.workbench.store.rows import ChangedError
from postil.workbench.store.tables import Base, SecondLookRow, StudentLinkRow, now

REFERENCE = "A reference that nobody shows to students"
PUPILS = {"u1": "Ane Ruiz", "u2": "Bo Lind", "u3": "Cem Kaya", "u4": "Dua Said"}
ON = Showing(shown=True, points=True, looks=True)


@pytest.fixture
def school(store):
    """Three questions and four students; the third question is not decided, nor is u4's first."""
    teacher = make_account(store, "teo", password=None)
    course = courses.create_course(store, "Biology 8", teacher.id)
    made = {}
    for number in (1, 2, 3):
        question = courses.create_question(store, course, f"Question {number}?", [REFERENCE], 2)
        new = [NewAnswer(key, name, f"words of {name} to {number}") for key, name in PUPILS.items()]
        answers.add_answers(store, question, new)
        run(store, "grade", question, {}, teacher="A note for the teacher only", doubt="Please check this")
        for answer in answers.list_answers(store, question):
            made[answer.key, number] = answer.id
            if number < 3 and (answer.key, number) != ("u4", 1):
                decisions.decide(store, question, [answer.id], "correct", "review", by=teacher.id)
    return teacher, course, made


@pytest.fixture
def app(store, school, tmp_path):
    """A workbench with accounts."""
    return create_app(Settings(tmp_path / "w.db", local=False, stranger_per_minute=100), store)


@pytest.fixture
def links(store, school):
    """Feedback is on, and everybody has a link."""
    _, course, _ = school
    feedback.set_showing(store, course, ON)
    return {who.key: secret for who, secret in feedback.make_links(store, course, 30)}


def dump(store):
    with store.reading() as session:
        return {table.name: session.execute(select(table)).all() for table in Base.metadata.sorted_tables}


def form_of(page):
    return re.search(r'name="csrf" value="([0-9a-f]{64})"', page)[1]


def ask(client, link, answer_id, words="I meant the other one.", token=None):
    token = token or form_of(client.get(f"/feedback/{link}").text)
    fields = {"csrf": token, "answer": str(answer_id), "words": words}
    return client.post(f"/feedback/{link}/ask", data=fields)


def test_it_is_off_until_a_teacher_turns_it_on(store, school):
    _, course, _ = school
    assert feedback.get_showing(store, course) == Showing()
    with pytest.raises(PostilError, match="feedback is off"):
        feedback.make_links(store, course, 30)


def test_a_link_shows_ones_own_decided_answers_and_no_more(app, links, school):
    _, _, made = school
    client = stranger(app)
    for key, name in PUPILS.items():
        page = client.get(f"/feedback/{links[key]}")
        assert page.status_code == 200
        released = {1, 2} if key != "u4" else {2}
        for other, whose in PUPILS.items():
            for number in (1, 2, 3):
                shown = other == key and number in released
                assert (f"words of {whose} to {number}" in page.text) == shown
                assert (f"answer-{made[other, number]}" in page.text) == shown
            assert (whose in page.text) == (other == key)
        for hidden in (REFERENCE, "for the teacher", "Please check", "confidence", "<script", name + "x"):
            assert hidden not in page.text
        assert f"{2 * len(released)} of {2 * len(released)} points" in page.text


def test_its_headers_keep_the_link_from_others(app, links):
    for path, status in ((f"/feedback/{links['u1']}", 200), ("/feedback/none", 404)):
        answer = stranger(app).get(path)
        assert answer.status_code == status
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "noindex" in answer.headers["x-robots-tag"]
        assert "set-cookie" not in answer.headers


def test_points_and_requests_only_where_the_teacher_allows_them(store, app, links, school):
    _, course, made = school
    client = stranger(app)
    token = form_of(client.get(f"/feedback/{links['u1']}").text)
    feedback.set_showing(store, course, Showing(shown=True))
    page = client.get(f"/feedback/{links['u1']}").text
    assert "points" not in page
    assert "<form" not in page
    before = dump(store)
    assert ask(client, links["u1"], made["u1", 1], token=token).status_code == 400
    assert dump(store) == before


def test_links_that_do_not_work_look_alike(store, app, links, school):
    _, course, made = school
    client = stranger(app)
    pages = [client.get("/feedback/unknown"), client.get("/feedback/a/b")]
    feedback.end_links(store, course, made["u1", 1])
    pages.append(client.get(f"/feedback/{links['u1']}"))
    with store.writing() as session:
        session.execute(update(StudentLinkRow).values(expires=now() - timedelta(seconds=1)))
    pages.append(client.get(f"/feedback/{links['u2']}"))
    with store.writing() as session:
        session.execute(update(StudentLinkRow).values(expires=now() + timedelta(days=1)))
    assert client.get(f"/feedback/{links['u2']}").status_code == 200
    feedback.set_showing(store, course, Showing())
    pages.append(client.get(f"/feedback/{links['u2']}"))
    feedback.set_showing(store, course, ON)
    courses.delete_course(store, course)
    pages.append(client.get(f"/feedback/{links['u3']}"))
    assert {page.status_code for page in pages} == {404}
    assert len({page.text for page in pages}) == 1
    assert len({tuple(sorted(page.headers.items())) for page in pages}) == 1


def test_only_a_hash_is_stored_and_a_new_link_ends_the_old(store, app, links, school):
    _, course, made = school
    assert all(len(secret) >= 43 for secret in links.values())  # 256 bits
    text = str(dump(store))
    assert not any(secret in text for secret in links.values())
    with pytest.raises(PostilError, match="nobody"):
        feedback.make_links(store, course, 30)
    ((_, secret),) = feedback.make_links(store, course, 30, only=made["u1", 2], replace=True)
    client = stranger(app)
    assert client.get(f"/feedback/{links['u1']}").status_code == 404
    assert client.get(f"/feedback/{secret}").status_code == 200


def test_guessing_is_throttled_and_does_not_keep_teachers_out(store, app, links, school):
    client = stranger(app, "192.0.2.1")
    statuses = [client.get(f"/feedback/guess{number}").status_code for number in range(12)]
    assert statuses == [404] * 10 + [429] * 2
    assert client.get(f"/feedback/{links['u1']}").status_code == 429
    assert client.get("/login").status_code == 200
    assert stranger(app, "192.0.2.2").get(f"/feedback/{links['u1']}").status_code == 200


def test_whose_answers_are_not_certain_gets_nothing(store):
    course = courses.create_course(store, "Names")
    first, second = (courses.create_question(store, course, f"{n}?", ["x"], 1) for n in (1, 2))
    rows = {
        first: [("a1", "Kim"), ("a2", "Kim"), ("a3", "Lea"), ("a4", ""), ("u7", "Max"), ("u8", "")],
        second: [("a1", "Lea"), ("a2", ""), ("u7", "Max"), ("u9", "Max"), ("a3", "Max"), ("u8", "")],
    }
    for question, new in rows.items():
        answers.add_answers(store, question, [NewAnswer(key, name, "x") for key, name in new])
    found = feedback.list_students(store, course)
    assert [(who.student, who.key, len(who.answers)) for who in found.items] == [
        ("", "u8", 2),
        ("Lea", "", 2),
        ("Max", "u7", 2),
        ("Max", "u9", 1),
    ]
    assert found.unclear == 5


def test_a_link_stops_when_it_is_no_longer_certain_whose_it_is(store):
    course = courses.create_course(store, "Names")
    question = courses.create_question(store, course, "?", ["x"], 1)
    answers.add_answers(store, question, [NewAnswer("a1", "Kim", "x")])
    feedback.set_showing(store, course, ON)
    ((_, secret),) = feedback.make_links(store, course, 30)
    assert feedback.find_holder(store, secret)
    answers.add_answers(store, question, [NewAnswer("a2", "Kim", "y")])
    assert feedback.find_holder(store, secret) is None


def test_a_second_look_from_the_question_to_the_reply(store, app, links, school, tmp_path):
    teacher, course, made = school
    client = stranger(app)
    page = ask(client, links["u1"], made["u1", 1], "I meant <b>light</b>.")
    assert page.status_code == 200
    assert "I meant &lt;b&gt;light&lt;/b&gt;." in page.text
    assert "has not replied yet" in page.text
    desk = Browser(store, tmp_path, "teo")
    assert "1 second look to answer" in " ".join(desk.get("/").text.split())
    queue = desk.get(f"/courses/{course}/looks").text
    assert "I meant &lt;b&gt;light&lt;/b&gt;." in queue
    (look,) = feedback.list_looks(store, [made["u1", 1]])
    seen = str(answers.get_view(store, made["u1", 1]).version)
    fields = {"look": str(look.id), "label": PARTLY, "comment": "True, half of it.", "seen": seen}
    desk.post(f"/answers/{made['u1', 1]}/look", **fields)
    assert answers.get_view(store, made["u1", 1]).decision.by == teacher.id
    page = client.get(f"/feedback/{links['u1']}").text
    assert "the grade was changed" in page
    assert "True, half of it." in page
    assert "3 of 4 points" in page
    assert "True, half" not in client.get(f"/feedback/{links['u2']}").text
    logged = {event.what: event.about for event in events.list_events(store)}
    assert logged[events.LOOK_ANSWERED] == f"answer {made['u1', 1]}: changed"
    assert logged[events.LOOK_ASKED] == f"answer {made['u1', 1]}"
    again = desk.post(f"/answers/{made['u1', 1]}/look", **fields)
    assert "answered already" in again.text


def test_a_request_needs_the_pages_token_and_ones_own_decided_answer(store, app, links, school):
    _, _, made = school
    client = stranger(app)
    before = dump(store)
    token, other = (form_of(client.get(f"/feedback/{links[key]}").text) for key in ("u1", "u2"))
    assert ask(client, links["u1"], made["u1", 1], token=other).status_code == 403
    assert ask(client, links["u1"], made["u1", 1], token=other[:5]).status_code == 403
    for key in PUPILS:
        for number in (1, 2, 3):
            if key != "u1" or number == 3:
                answer = ask(client, links["u1"], made[key, number], token=token)
                assert answer.status_code == 400
                assert PUPILS[key] not in answer.text or key == "u1"
    for words in ("", " \n ", "x" * 301):
        assert ask(client, links["u1"], made["u1", 1], words).status_code == 400
    for odd in ("abc", "-1", "9" * 30, "\0"):
        assert ask(client, links["u1"], odd, token=token).status_code == 400
    assert dump(store) == before


def test_where_a_form_comes_from(app, links, school):
    """The page sends no referrer, so browsers call its origin null: then they must say that it is ours."""
    _, _, made = school
    client = stranger(app)
    token = form_of(client.get(f"/feedback/{links['u1']}").text)
    sent = {"csrf": token, "answer": made["u1", 1], "words": "x"}
    path = f"/feedback/{links['u1']}/ask"
    for headers in (
        {"origin": "null"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "https://evil.example", "sec-fetch-site": "same-origin"},
    ):
        assert client.post(path, data=sent, headers=headers).status_code == 403
    null = {"origin": "null", "sec-fetch-site": "same-origin"}
    assert client.post("/login", data=sent, headers=null).status_code == 403
    assert client.post(path, data=sent, headers=null).status_code == 200


def test_once_for_each_answer_until_it_is_answered_and_not_often_in_a_day(store, links, school):
    teacher, _, made = school
    link, answer = links["u1"], made["u1", 1]
    feedback.ask(store, link, answer, "Please look.")
    with pytest.raises(PostilError, match="already asked"):
        feedback.ask(store, link, answer, "Please!")
    for _ in range(feedback.MOST_REQUESTS - 1):
        look = feedback.list_looks(store, [answer])[-1]
        assert feedback.answer_look(store, answer, look.id, "correct", "It stays.", teacher) == "kept"
        feedback.ask(store, link, answer, "Again.")
    with pytest.raises(PostilError, match="often today"):
        feedback.ask(store, link, made["u1", 2], "And this.")
    feedback.ask(store, links["u2"], made["u2", 1], "Others may.")


def test_a_reply_loses_nothing_that_somebody_decided_meanwhile(store, links, school):
    teacher, _, made = school
    answer = made["u1", 1]
    feedback.ask(store, links["u1"], answer, "Please look.")
    (look,) = feedback.list_looks(store, [answer])
    view = answers.get_view(store, answer)
    decisions.decide(store, view.answer.question_id, [answer], "irrelevant", "review", by=None)
    with pytest.raises(ChangedError):
        feedback.answer_look(store, answer, look.id, "correct", "It stays.", teacher, view.version)
    assert answers.get_view(store, answer).label == "irrelevant"
    with pytest.raises(ChangedError):
        feedback.answer_look(store, made["u2", 1], look.id, "correct", "Not its own.", teacher)
    with pytest.raises(PostilError, match="comment"):
        feedback.answer_look(store, answer, look.id, "correct", " ", teacher, Version())


def test_requests_are_exported_and_erased_with_a_pupils_data(store, links, school):
    _, _, made = school
    feedback.ask(store, links["u1"], made["u1", 1], "A sentence of mine.")
    own = pupils.get_pupils(store, [made["u1", 1]])
    data = pupil_files.pupil_zip(pupils.stored_of(store, own), now())
    with ZipFile(io.BytesIO(data)) as archive:
        assert b"A sentence of mine." in archive.read("answers.json")
    pupils.erase(store, own)
    assert "A sentence of mine." not in str(dump(store))
    with store.reading() as session:
        assert session.query(SecondLookRow).count() == 0
        assert session.query(StudentLinkRow).count() == len(PUPILS) - 1
    assert feedback.find_holder(store, links["u1"]) is None


def test_a_teacher_creates_links_once_and_prints_the_sheets(store, school, tmp_path):
    _, course, made = school
    desk = Browser(store, tmp_path, "teo")
    assert "Feedback is off" in desk.get(f"/answers/{made['u1', 1]}/student").text
    desk.get(f"/courses/{course}/feedback/sheets", status=404)
    desk.post(f"/courses/{course}/feedback", shown="yes", points="yes")
    table = desk.post(f"/courses/{course}/feedback/links", days="30")
    rows = list(csv.DictReader(io.StringIO(table.text.removeprefix("\ufeff"))))
    assert [(row["name"], row["id"]) for row in rows] == [(name, key) for key, name in PUPILS.items()]
    visitor = stranger(desk.client.app)
    for row in rows:
        assert row["name"] in visitor.get(row["link"]).text
    page = desk.get(f"/courses/{course}/feedback/sheets").text
    assert page.count('class="fb-sheet"') == len(PUPILS)
    assert REFERENCE not in page
    packed = desk.get(f"/courses/{course}/feedback/sheets.zip").content
    with ZipFile(io.BytesIO(packed)) as archive:
        assert len(archive.namelist()) == len(PUPILS)
        for name, whose in zip(sorted(archive.namelist()), PUPILS.values(), strict=True):
            sheet = archive.read(name).decode()
            assert [other for other in PUPILS.values() if other in sheet] == [whose]
    once = desk.post(f"/answers/{made['u1', 1]}/link", days="7").text
    new = re.search(r'value="(http[^"]*/feedback/[\w-]{43})"', once)[1]
    assert visitor.get(new).status_code == 200
    assert visitor.get(rows[0]["link"]).status_code == 404
    desk.post(f"/courses/{course}/feedback/revoke")
    assert visitor.get(new).status_code == 404
    log = str(events.list_events(store))
    assert not any(word in log for word in (*PUPILS.values(), "words of", new[-20:]))


def test_a_link_in_a_teachers_browser_is_a_students_page(store, links, school, tmp_path):
    """It neither says who is logged in nor takes the messages that wait for them."""
    _, course, _ = school
    desk = Browser(store, tmp_path, "teo")
    desk.client.post(
        f"/courses/{course}/feedback", data={"csrf": desk.token, "shown": "yes"}, follow_redirects=False
    )
    page = desk.get(f"/feedback/{links['u1']}").text
    assert "Teo" not in page
    assert "Feedback is on" not in page
    assert "Feedback is on" in desk.get(f"/courses/{course}/feedback").text


def test_with_local_links_open_without_a_session(store, links, tmp_path):
    app = create_app(Settings(tmp_path / "w.db"), store)
    client = stranger(app)
    assert client.get(f"/feedback/{links['u1']}").status_code == 200
    assert client.get("/").status_code == 403
    desk = Browser(store, tmp_path)
    assert "on this computer only" in desk.get("/courses/1/feedback").text


@pytest.mark.parametrize("path", ["/feedback/{link}/new", "/elsewhere/{link}", "/feedback/new"])
def test_a_route_that_does_not_declare_the_link_is_refused(app, path):
    app.add_api_route(path, lambda: None)
    with pytest.raises(ValueError, match="student’s link"):
        demand_rules(app.routes)
