"""What monitors see: whether the workbench lives and can work, and figures without anybody's words."""

from __future__ import annotations

import re
import threading
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families
from school import fill
from sqlalchemy import func, select, update
from starlette.testclient import TestClient
from webclient import let_in, make_account

from postil.errors import PostilError
from postil.workbench.app import create_app
from postil.workbench.drafts import open_paste
from postil.workbench.http.addresses import read_networks
from postil.workbench.records import NewAnswer
from postil.workbench.settings import Settings
from postil.workbench.store import access, accounts, answers, courses, jobs
from postil.workbench.store.courses import create_question
from postil.workbench.store.database import newest
from postil.workbench.store.drafts import keep_draft
from postil.workbench.store.jobs import add_counts
from postil.workbench.store.tables import SessionRow

HERE = ("127.0.0.1", 50_000)


@pytest.fixture
def make(store, tmp_path):
    """A function that makes a workbench, and somebody who asks it from an address."""

    def begin(client=HERE, base="http://127.0.0.1:8400", **settings):
        settings = {"database": tmp_path / "x.db", "local": False, **settings}
        app = create_app(Settings(**settings), store)
        return TestClient(app, base_url=base, client=client, follow_redirects=False)

    return begin


def figures(text):
    """The values by name and labels."""
    families = text_string_to_metric_families(text)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_health_and_readiness_are_open_and_say_nothing_else(make, store):
    # Whoever asks, under whatever name, however often: there is no session, and no limit.
    client = make(("203.0.113.9", 1), "http://web1.internal:8400", stranger_per_minute=2)
    for _ in range(4):
        health, ready = client.get("/healthz"), client.get("/readyz")
        assert (health.status_code, health.text) == (200, "ok\n")
        assert (ready.status_code, ready.text) == (200, "ready\n")
        assert "set-cookie" not in health.headers | ready.headers
        assert health.headers["cache-control"] == "no-store"
        assert [client.head(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    assert client.post("/healthz").status_code == 405
    with store.reading() as session:
        assert session.scalars(select(func.count()).select_from(SessionRow)).one() == 0


def test_tables_of_another_version_are_not_ready(make, store):
    client = make()
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready\n")
    assert client.get("/healthz").status_code == 200
    with store.writing() as session:
        session.connection().exec_driver_sql(f"UPDATE alembic_version SET version_num = '{newest()}'")  # noqa: S608
    assert client.get("/readyz").status_code == 200


def test_a_database_that_hangs_is_told_in_time_and_asked_once(postgres_store, tmp_path):
    app = create_app(Settings(tmp_path / "x.db", local=False), postgres_store)
    before = threading.active_count()
    with (
        postgres_store.writing() as session,
        TestClient(app, client=HERE, base_url="http://127.0.0.1:8400") as client,
    ):
        for table in ("alembic_version", "job"):
            session.connection().exec_driver_sql(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        begun = time.monotonic()
        assert client.get("/readyz").status_code == 503
        assert time.monotonic() - begun < 8  # the database itself would give up after 10
        shown = figures(client.get("/metrics").text)
        assert shown["postil_database_up",] == 0
        assert ("postil_workers_alive",) not in shown
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
        assert threading.active_count() <= before + 2 + 3  # one for each question, and the client's own
    deadline = time.monotonic() + 60
    while client.get("/readyz").status_code != 200:
        assert time.monotonic() < deadline
    assert figures(client.get("/metrics").text)["postil_database_up",] == 1


def test_a_database_that_is_away(postgres, postgres_store, tmp_path):
    app = create_app(Settings(tmp_path / "x.db", local=False), postgres_store)
    client = TestClient(app, client=HERE, base_url="http://127.0.0.1:8400")
    postgres.stop()
    try:
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
        assert figures(client.get("/metrics").text)["postil_database_up",] == 0
    finally:
        postgres.start()
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("monitor", "client", "base", "headers", "status"),
    [
        ("", "127.0.0.1", "http://127.0.0.1:8400", {}, 200),
        ("", "::1", "http://localhost:8400", {}, 200),
        ("", "::ffff:127.0.0.1", "http://[::1]:8400", {}, 200),
        ("", "127.0.0.1", "http://127.0.0.1:8400", {"X-Forwarded-For": "127.0.0.1"}, 404),
        ("", "127.0.0.1", "http://127.0.0.1:8400", {"Via": "1.1 proxy"}, 404),
        ("", "127.0.0.1", "http://rebound.example:8400", {}, 404),  # a page in a browser on this computer
        ("", "127.0.0.1", "http://127.0.0.1:8400", {"Host": "["}, 404),
        ("", "127.0.0.1", "http://127.0.0.1:8400", {"Host": ""}, 404),
        ("", "192.0.2.7", "http://127.0.0.1:8400", {}, 404),
        ("192.0.2.0/24, 2001:db8::/32", "192.0.2.7", "http://web1:8400", {}, 200),
        ("192.0.2.0/24, 2001:db8::/32", "2001:db8::9", "http://web1:8400", {}, 200),
        ("192.0.2.0/24", "192.0.2.7", "http://web1:8400", {"X-Real-IP": "192.0.2.7"}, 404),
        ("192.0.2.0/24", "192.0.3.7", "http://web1:8400", {}, 404),
        ("192.0.2.0/24", "127.0.0.1", "http://127.0.0.1:8400", {}, 404),
        ("192.0.2.0/24", "testclient", "http://web1:8400", {}, 404),
    ],
)
def test_who_may_read_the_figures(sqlite_store, tmp_path, monitor, client, base, headers, status):
    app = create_app(Settings(tmp_path / "x.db", local=False, monitor=monitor), sqlite_store)
    asks = TestClient(app, base_url=base, client=(client, 1), headers=headers)
    assert asks.get("/metrics").status_code == status
    if monitor == "":
        # Whoever is logged in is no monitor for that.
        make_account(sqlite_store, "ane", "owner", password=None)
        asks.cookies.update(let_in(app, "ane").cookies)
        assert asks.get("/metrics").status_code == status


@pytest.mark.parametrize("monitor", ["", "127.0.0.0/8"])
def test_a_proxy_that_adds_no_header_is_known_by_the_name_that_it_passes_on(sqlite_store, tmp_path, monitor):
    for address, status in (("https://localhost:8443", 404), ("http://localhost:8443", 200)):
        settings = Settings(tmp_path / "x.db", local=False, address=address, monitor=monitor)
        app = create_app(settings, sqlite_store)
        through = TestClient(app, base_url="http://LOCALHOST:8443", client=HERE)
        assert through.get("/metrics").status_code == status
        direct = TestClient(app, base_url="http://localhost:8400", client=HERE)
        assert direct.get("/metrics").status_code == 200


def test_networks_that_are_none_are_told():
    assert [str(one) for one in read_networks("10.1.2.3, 10.0.0.0/8,")] == ["10.1.2.3/32", "10.0.0.0/8"]
    with pytest.raises(PostilError, match="not a network"):
        read_networks("example.org")


def test_what_is_shown(make, store, graded):
    jobs.enqueue(store, "regrade", graded)
    add_counts(store, {("answers_graded", "api"): 5})
    client = make()
    client.get("/login")
    client.get("/static/nothing.css")
    client.get("/api/v1/courses")
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    shown = figures(answer.text)
    assert shown["postil_answers_graded_total", "grade"] == 3
    assert shown["postil_answers_graded_total", "api"] == 5
    assert shown["postil_answers_deferred_total", "grade"] == 1
    assert shown["postil_answers_deferred_total", "api"] == 0
    assert shown["postil_deferral_rate",] == pytest.approx(1 / 8)
    assert shown["postil_jobs_waiting", "regrade"] == 1
    assert shown["postil_jobs_running", "grade"] == 0
    assert shown["postil_jobs_ended_total", "grade", "done"] == 1
    assert shown["postil_jobs_ended_total", "grade", "failed"] == 0
    assert shown["postil_workers_alive",] == 0
    assert shown["postil_database_up",] == 1
    assert shown["postil_oldest_waiting_job_seconds",] >= 0
    assert shown["postil_stage_seconds_total", "waiting"] >= 0
    assert shown["postil_requests_total", "page", "2xx"] == 1
    assert shown["postil_requests_total", "static", "4xx"] == 1
    assert shown["postil_requests_total", "api", "4xx"] == 1
    assert shown["postil_request_seconds_count", "page"] == 1
    assert shown["process_resident_memory_bytes",] > 0


def test_no_word_of_anybodys_is_in_the_figures(make, store):
    """Everything that people wrote, and every name, is marked, even where something failed on it."""
    fill(store)
    owner = accounts.create_account(store, "zzlogin", "Zzname", "owner", None)
    course = courses.create_course(store, "Zzcourse", owner)
    question = create_question(store, course, "Zzquestion?", ["Zzreference."], 1)
    answers.add_answers(store, question, [NewAnswer("zzkey", "Zzpupil", "zzanswer")])
    keep_draft(store, open_paste("zzupload"), course, question, owner)
    access.create_token(store, owner, "zztoken", ("judge",), 1)
    for kind in ("grade", "propose", "facets"):
        jobs.enqueue(store, kind, question)
    held = jobs.lease_job(store, "zzworker")
    jobs.fail(store, held, "zzerror")
    client = make()
    for path in ("/zzpage", "/login?next=/zznext", "/api/v1/zzapi", "/static/zzfile"):
        client.get(path, headers={"User-Agent": "zzagent"})
    text = client.get("/metrics").text
    assert "zz" not in text.lower()
    told = set(re.findall(r'="([^"]*)"', text))
    for word in ("teo", "olga", "Physics", "Biologia", "bulb"):
        assert not any(word in one for one in told)


def test_figures_while_somebody_stores(store, make, question_id):
    """A scrape waits for nobody."""
    client = make()
    with store.writing() as session:
        session.execute(update(SessionRow).values(agent="x"))
        assert client.get("/metrics").status_code == 200
