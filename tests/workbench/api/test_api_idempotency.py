from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event

import pytest
from apiclient import found_at, make_app, people, program, refused, secret_of
from sqlalchemy import select

from postil.workbench.api import courses as routes
from postil.workbench.api import routes as records
from postil.workbench.records import Level
from postil.workbench.store import access, courses
from postil.workbench.store.access import hand_over, share_course, unshare_course
from postil.workbench.store.database import StoreAwayError
from postil.workbench.store.tables import CourseRow, ReplyRow, now

KEY = {"Idempotency-Key": "6f1c-1"}


def test_the_same_request_is_done_once(api):
    first = api.post("courses", json={"name": "A"}, headers=KEY)
    again = api.post("courses", json={"name": "A"}, headers=KEY)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["content-type"] == "application/json"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(api.get("courses").json()["items"]) == 1


def test_a_deletion_stays_a_deletion(api):
    where = found_at(api.post("courses", json={"name": "A"}))
    assert api.delete(where, headers=KEY).status_code == 204
    again = api.delete(where, headers=KEY)
    assert (again.status_code, again.content, again.headers["Idempotency-Replayed"]) == (204, b"", "true")


def test_a_key_is_for_one_request(api):
    where = found_at(api.post("courses", json={"name": "A"}, headers=KEY))
    refused(api.post("courses", json={"name": "B"}, headers=KEY), 422, "key-reused")
    refused(api.post(f"{where}/questions", json={"name": "A"}, headers=KEY), 422, "key-reused")
    refused(api.delete(where, headers=KEY), 422, "key-reused")
    assert len(api.get("courses").json()["items"]) == 1


def test_every_token_has_keys_of_its_own(store, api):
    other = program(make_app(store), secret_of(store, None))
    assert [one.post("courses", json={"name": "A"}, headers=KEY).status_code for one in (api, other)] == [
        201,
        201,
    ]
    assert len(api.get("courses").json()["items"]) == 2


def test_what_was_refused_may_be_tried_again(api):
    refused(api.post("courses", json={"name": " "}, headers=KEY), 422, "invalid")
    assert api.post("courses", json={"name": "A"}, headers=KEY).status_code == 201


def test_keys_go_after_a_day(api, monkeypatch):
    assert api.post("courses", json={"name": "A"}, headers=KEY).status_code == 201
    real = access.now
    monkeypatch.setattr(access, "now", lambda: real() + timedelta(hours=24, seconds=1))
    assert "Idempotency-Replayed" not in api.post("courses", json={"name": "A"}, headers=KEY).headers


@pytest.mark.parametrize("key", ["", " ", "a b", "ü", "x" * 201, "a\tb"])
def test_keys_that_cannot_be(api, key):
    headers = {"Idempotency-Key": key.encode("latin-1")}
    said = refused(api.post("courses", json={"name": "A"}, headers=headers), 422, "invalid")
    assert said["errors"][0]["where"] == "header.Idempotency-Key"
    assert api.get("courses").json()["items"] == []


def test_two_at_once_are_one(store):
    secret = secret_of(store, None)
    apps = [program(make_app(store), secret) for _ in range(2)]  # as two servers on one database
    start = Barrier(6)

    def send(number):
        start.wait()
        return apps[number % 2].post("courses", json={"name": "A"}, headers=KEY)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(6)))
    assert len(courses.list_courses(store)) == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    done = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.text for answer in done}) == 1
    assert [answer.headers.get("Idempotency-Replayed") for answer in done].count(None) == 1
    for answer in answers:
        if answer.status_code == 409:
            refused(answer, 409, "key-in-use")


def test_while_it_is_under_way(store, monkeypatch):
    client = program(make_app(store), secret_of(store, None))
    begun, go_on, real = Event(), Event(), courses.create_course

    def slowly(*args, **options):
        begun.set()
        assert go_on.wait(10)
        return real(*args, **options)

    monkeypatch.setattr(routes.stored, "create_course", slowly)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "courses", json={"name": "A"}, headers=KEY)
        assert begun.wait(10)
        meanwhile = client.post("courses", json={"name": "A"}, headers=KEY)
        go_on.set()
        refused(meanwhile, 409, "key-in-use")
        assert meanwhile.headers["Retry-After"] == "1"
        assert first.result().status_code == 201


def test_what_was_broken_off_is_not_done_again(store, monkeypatch):
    client = program(make_app(store), secret_of(store, None))

    def go_away(*_):
        raise StoreAwayError("the database cannot be reached now.", hint="Try again.")

    monkeypatch.setattr(records, "get_course", go_away)  # after the course was made
    answer = client.post("courses", json={"name": "A"}, headers=KEY)
    refused(answer, 503, "unavailable")
    assert answer.headers["Retry-After"]
    monkeypatch.undo()
    refused(client.post("courses", json={"name": "A"}, headers=KEY), 409, "key-in-use")
    assert len(courses.list_courses(store)) == 1


def test_what_broke_off_before_anything_was_stored_may_be_tried_again(store, monkeypatch):
    client = program(make_app(store), secret_of(store, None))

    def go_away(store, *_, **__):
        with store.writing() as session:
            session.add(CourseRow(name="A", created=now()))
            session.flush()
            raise StoreAwayError("somebody else is changing the same at this moment.", hint="Try again.")

    monkeypatch.setattr(routes.stored, "create_course", go_away)
    refused(client.post("courses", json={"name": "A"}, headers=KEY), 503, "unavailable")
    monkeypatch.undo()
    again = client.post("courses", json={"name": "A"}, headers=KEY)
    assert (again.status_code, "Idempotency-Replayed" in again.headers) == (201, False)
    assert len(courses.list_courses(store)) == 1


def test_no_words_are_kept(api, store):
    def send(number, method, path, body):
        answer = api.request(method, path, json=body, headers={"Idempotency-Key": str(number)})
        again = api.request(method, path, json=body, headers={"Idempotency-Key": str(number)})
        assert (again.status_code, again.json()) == (answer.status_code, answer.json())
        assert again.headers["Idempotency-Replayed"]
        return answer

    where = found_at(send(1, "POST", "courses", {"name": "secret"}))
    send(2, "PATCH", where, {"name": "secret 2"})
    question = found_at(send(3, "POST", f"{where}/questions", {"text": "secret?", "references": ["secret"]}))
    send(4, "PATCH", question, {"text": "secret? 2"})
    send(5, "PUT", f"{question}/facets", {"facets": [{"name": "a secret"}]})
    ids = send(6, "POST", f"{question}/answers", {"answers": [{"key": "secret", "text": "secret"}]})
    send(7, "PUT", f"answers/{ids.json()['ids'][0]}/decision", {"label": "correct"})
    send(8, "POST", f"{question}/jobs", {"kind": "facets"})
    with store.reading() as session:
        rows = session.scalars(select(ReplyRow)).all()
        assert len(rows) == 8
        assert not any("secret" in f"{vars(row)}" for row in rows)


def test_what_was_made_and_deleted_is_not_shown_again(api):
    where = found_at(api.post("courses", json={"name": "A"}, headers=KEY))
    api.delete(where)
    refused(api.post("courses", json={"name": "A"}, headers=KEY), 404, "not-found")
    assert api.get("courses").json()["items"] == []


def test_a_replay_is_for_who_may_still_have_it(store):
    account = people(store)
    app = make_app(store, local=False)
    teo, tina = (program(app, secret_of(store, account[who])) for who in ("teo", "tina"))
    where = found_at(teo.post("courses", json={"name": "A"}))
    course_id = teo.get(where).json()["id"]
    share_course(store, course_id, account["tina"], Level.TEACH)
    made = tina.post(
        f"{where}/questions", json={"text": "Why?", "references": ["x"]}, headers={"Idempotency-Key": "q"}
    )
    question = found_at(made)
    requests = [
        ("POST", f"{where}/questions", {"text": "Why?", "references": ["x"]}, "q"),
        ("PATCH", question, {"points": 2}, "p"),
        ("POST", f"{question}/answers", {"answers": [{"key": "a", "text": "x"}]}, "a"),
        ("POST", f"{question}/undo", None, "u"),
    ]

    def send():
        return [
            tina.request(method, path, json=body, headers={"Idempotency-Key": key})
            for method, path, body, key in requests
        ]

    assert all(answer.is_success for answer in send())
    assert all("Idempotency-Replayed" in answer.headers for answer in send())
    share_course(store, course_id, account["tina"], Level.HELP)
    for answer in send()[:3]:
        refused(answer, 403, "forbidden")
    unshare_course(store, course_id, account["tina"])
    for answer in send():
        refused(answer, 404, "not-found")


def test_a_course_that_was_handed_over_is_not_shown_again(store):
    account = people(store)
    teo = program(make_app(store, local=False), secret_of(store, account["teo"]))
    made = teo.post("courses", json={"name": "A"}, headers=KEY)
    hand_over(store, made.json()["id"], account["tina"])
    unshare_course(store, made.json()["id"], account["teo"])
    refused(teo.post("courses", json={"name": "A"}, headers=KEY), 404, "not-found")


def test_old_keys_go_when_the_server_starts_and_when_tokens_are_used(store, api, monkeypatch):
    def left():
        with store.reading() as session:
            return len(session.scalars(select(ReplyRow)).all())

    real = access.now
    for look in (lambda: make_app(store), lambda: api.get("courses")):
        api.post("courses", json={"name": "A"}, headers=KEY)
        assert left() == 1
        later = lambda: real() + timedelta(hours=24, seconds=1)  # noqa: E731
        monkeypatch.setattr(access, "now", later)
        monkeypatch.setattr(access, "now", later)
        look()
        monkeypatch.undo()
        assert left() == 0


def test_reading_needs_no_key(api):
    assert "Idempotency-Replayed" not in api.get("courses", headers=KEY).headers
    assert "Idempotency-Replayed" not in api.get("courses", headers=KEY).headers
