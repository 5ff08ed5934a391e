"""Texts judged at once over the API: what is answered, what is refused, and that nothing is kept."""

from __future__ import annotations

import pytest
from hostile_texts import QUESTION, REFERENCE, hostile_texts
from sqlalchemy import func, select
from starlette.testclient import TestClient
from stub_judge import judge, load_stub
from webclient import make_account

from postil.language import readers
from postil.workbench.api.app import create_api
from postil.workbench.api.judging_schemas import MOST_ANSWERS, MOST_DECIDED, MOST_EXPLAINED, MOST_PAIRS
from postil.workbench.jobs.judging import JudgingProcess, TooBusyError, TooManyError, load_judge
from postil.workbench.settings import Settings
from postil.workbench.store.access import create_token
from postil.workbench.store.jobs import GRADED, SECONDS, totals
from postil.workbench.store.tables import Base

CLASS = {
    "question": "Why?",
    "references": ["It is so."],
    "answers": [{"id": "u1", "text": "it"}, {"text": ""}],
}
PAIRS = {"pairs": [{"source": "It is.", "target": "It was."}]}
TEXTS = {"pairs": [{"id": "x", "text": "It is so.", "hypothesis": "so"}]}
FACETS = {"reference": "It is so.", "answers": [{"text": "it"}]}
ASKED = {"/grade": CLASS, "/align": PAIRS, "/entail": TEXTS, "/facets": FACETS}


class AtOnce:
    """Judges in the place of a process, and remembers what it was asked."""

    def __init__(self, error=None):
        self.error, self.tasks, self.people = error, [], []

    async def do(self, task, person):
        self.people.append(person)
        self.tasks.append(task)
        if self.error:
            raise self.error
        return judge(task)


@pytest.fixture
def api(sqlite_store, tmp_path):
    made = create_api(Settings(database=tmp_path / "workbench.db"), sqlite_store)
    made.state.judging = AtOnce()
    return made


@pytest.fixture
def ask(api, sqlite_store):
    """A function that posts, with a token for judging."""
    _, secret = create_token(sqlite_store, None, "test", ["judge"], None)
    client = TestClient(api, headers={"Authorization": f"Bearer {secret}"}, raise_server_exceptions=False)
    return lambda path, body: client.post(path, json=body)


def test_a_class_is_judged(ask, api):
    answer = ask("/grade", CLASS)
    assert answer.status_code == 200, answer.text
    first, second = answer.json()["items"]
    assert answer.json()["warnings"] == []
    assert ask("/grade", CLASS | {"question": "What does the graph show?"}).json()["warnings"]
    assert (first["id"], second["id"]) == ("u1", "2")
    assert (first["label"], second["label"]) == ("contradictory", "correct")
    assert first["feedback"] is first["facets"] is first["alignment"] is None
    task = api.state.judging.tasks[0]
    assert (task.question, task.references, task.answers) == ("Why?", ("It is so.",), ("it", ""))


def test_a_request_may_name_a_reader(ask, api, monkeypatch):
    monkeypatch.setattr(readers, "missing_of_expert", lambda: ["the package postil-expert"])
    assert ask("/grade", CLASS | {"reader": "careful"}).status_code == 200
    assert ask("/grade", CLASS).status_code == ask("/grade", CLASS | {"reader": None}).status_code == 200
    assert [task.reader for task in api.state.judging.tasks] == ["careful", None, None]
    refused = ask("/grade", CLASS | {"reader": "expert"})
    assert refused.status_code == 409
    assert refused.json()["detail"].startswith("the expert reader does not work here: it needs the package")
    assert ask("/grade", CLASS | {"reader": "me"}).status_code == 422


def test_what_is_wished_arrives(ask, api):
    wished = {
        "scheme": "2way",
        "explain": True,
        "facets": ["is so"],
        "decided": [{"text": "it", "label": "incorrect"}],
    }
    first = ask("/grade", CLASS | wished).json()["items"][0]
    assert first["label"] == "incorrect"
    assert set(first["probabilities"]) == {"correct", "incorrect"}
    assert first["feedback"] == {"teacher": "It is so.", "student": "Look again."}
    assert first["alignment"]["alignments"][0]["type"] == "EQUI"
    assert [one["first"] for one in first["facets"]] == ["is so"]
    ask("/grade", CLASS | {"facets": True})
    first, second = api.state.judging.tasks
    assert (first.with_facets, first.facets, first.explain) == (True, ("is so",), True)
    assert (second.with_facets, second.facets, second.explain) == (True, None, False)


def test_pairs_are_aligned_and_judged_and_facets_found(ask):
    assert [ask(path, ASKED[path]).json()["warnings"] for path in ASKED] == [[]] * 4
    long = {"source": "a gap, " * 70, "target": "a gap", "id": "u17"}
    assert ask("/align", {"pairs": [*PAIRS["pairs"], long]}).json()["warnings"] == ["Pair u17 is long."]
    (aligned,) = ask("/align", PAIRS).json()["items"]
    assert (aligned["id"], aligned["source"]) == ("1", ["It", "is."])
    (entailed,) = ask("/entail", TEXTS).json()["items"]
    assert (entailed["id"], entailed["label"]) == ("x", "ENTAILMENT")
    (found,) = ask("/facets", FACETS | {"facets": ["so"]}).json()["items"]
    assert [one["first"] for one in found["facets"]] == ["so"]


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/grade", {"references": []}),
        ("/grade", {"references": [" "]}),
        ("/grade", {"references": ["r"] * 51}),
        ("/grade", {"question": "x" * 5001}),
        ("/grade", {"answers": []}),
        ("/grade", {"answers": [{"text": "a"}] * (MOST_ANSWERS + 1)}),
        ("/grade", {"answers": [{"text": "x" * 40_000}]}),
        ("/grade", {"references": ["r" * 5_000] * 5}),
        ("/grade", {"decided": [{"text": "a", "label": "correct"}] * (MOST_DECIDED + 1)}),
        ("/grade", {"decided": [{"text": "a" * 5_001, "label": "correct"}] * 2}),
        ("/grade", {"explain": True, "answers": [{"text": "a"}] * (MOST_EXPLAINED + 1)}),
        ("/grade", {"facets": ["f"], "answers": [{"text": "a" * 5_001}] * 2}),
        ("/grade", {"facets": True, "references": ["r", "r" * 501]}),
        ("/grade", {"answers": ["a"]}),
        ("/grade", {"scheme": "4way"}),
        ("/grade", {"decided": [{"text": "a", "label": "good"}]}),
        ("/grade", {"facets": []}),
        ("/grade", {"explian": True}),
        ("/align", {"pairs": [{"source": "...", "target": "a"}]}),
        ("/align", {"pairs": PAIRS["pairs"] * (MOST_PAIRS + 1)}),
        ("/entail", {"pairs": [{"text": "", "hypothesis": "a"}]}),
        ("/align", {"pairs": [{"source": "a" * 501, "target": "a"}]}),
        ("/entail", {"pairs": [{"text": "a" * 20_000, "hypothesis": "a"}] * 5}),
        ("/entail", {"scheme": "5way"}),
        ("/facets", {"reference": "?"}),
        ("/facets", {"reference": "r" * 1_001}),
        ("/facets", {"facets": ["f" * 100] * 6}),
        ("/grade", {"facets": ["f" * 100] * 6}),
        ("/facets", {"answers": [{"text": "a" * 5_001}] * 2}),
        ("/facets", {"facets": ["f"] * 21}),
    ],
)
def test_what_is_not_as_described_is_refused_before_anybody_judges(ask, api, path, change):
    answer = ask(path, ASKED[path] | change)
    assert answer.status_code == 422, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["errors"]
    assert api.state.judging.tasks == []


@pytest.mark.parametrize("path", ASKED)
def test_a_token_for_judging_is_needed(api, sqlite_store, path):
    client = TestClient(api)
    assert client.post(path, json=ASKED[path]).status_code == 401
    _, secret = create_token(sqlite_store, None, "other", ["read", "write"], None)
    answer = client.post(path, json=ASKED[path], headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 403
    assert api.state.judging.tasks == []


def test_who_comes_when_too_many_wait_is_told_when_to_come_again(ask, api):
    api.state.judging = AtOnce(TooBusyError("too many.", hint="Wait.", retry_after=5))
    answer = ask("/grade", CLASS)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json()["type"].endswith("#busy")
    api.state.judging = AtOnce(TooBusyError("judging took longer than 30 seconds."))
    answer = ask("/grade", CLASS)
    assert answer.status_code == 503
    assert "Retry-After" not in answer.headers


def test_too_many_of_one_person_are_told_to_wait(ask, api):
    api.state.judging = AtOnce(TooManyError("8 are waiting.", hint="Wait.", retry_after=5))
    answer = ask("/grade", CLASS)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "5")
    assert answer.json()["type"].endswith("#too-many-requests")


def test_who_asks_is_told_to_the_process(api, sqlite_store):
    people = [make_account(sqlite_store, name, password=None) for name in ("ane", "bea")]
    api.state.settings = Settings(local=False)
    for person in people:
        _, secret = create_token(sqlite_store, person.id, "test", ["judge"], None)
        answer = TestClient(api).post("/grade", json=CLASS, headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code == 200
    assert api.state.judging.people == [person.id for person in people]


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/grade", {"answers": [{"text": "so it is " * 100}] * 200}),
        ("/grade", {"explain": True, "references": ["a b " * 100], "answers": [{"text": "a b " * 45}] * 50}),
        ("/align", {"pairs": [{"source": "a b " * 100, "target": "c d " * 100}] * 50}),
        ("/entail", {"pairs": [{"text": "a b " * 400, "hypothesis": "c d " * 50}] * 50}),
        ("/facets", {"reference": "a b " * 200, "answers": [{"text": "a b " * 45}] * 50}),
    ],
)
def test_what_is_too_dear_is_refused_before_anybody_judges(ask, api, path, change):
    answer = ask(path, ASKED[path] | change)
    assert answer.status_code == 413, answer.text
    assert answer.json()["type"].endswith("#too-large")
    assert answer.json()["hint"]
    assert api.state.judging.tasks == []


def test_what_stops_the_process_is_refused_and_the_next_is_judged(ask, api):
    api.state.judging = JudgingProcess(load_stub)
    answer = ask("/grade", CLASS | {"answers": [{"text": "die"}]})
    assert answer.status_code == 413
    assert "crashed the judging process" in answer.json()["detail"]
    assert ask("/grade", CLASS).status_code == 200
    api.state.judging.close()


def test_a_fault_inside_is_a_500_without_the_pupils_words(ask, api, capfd):
    api.state.judging = JudgingProcess(load_stub)
    answer = ask("/grade", CLASS | {"answers": [{"text": "crash my secret answer"}]})
    api.state.judging.close()
    assert answer.status_code == 500
    assert "secret" not in answer.text + "".join(capfd.readouterr())


def test_what_cannot_be_judged_is_told(ask, api):
    api.state.judging = JudgingProcess(load_stub)
    answer = ask("/grade", CLASS | {"answers": [{"text": "refuse"}]})
    api.state.judging.close()
    assert answer.status_code == 422
    assert (answer.json()["detail"], answer.json()["hint"]) == ("this cannot be judged.", "Write more.")


def test_nothing_is_kept_but_how_much_it_was(ask, sqlite_store):
    def rows():
        with sqlite_store.reading() as session:
            return {
                name: session.scalar(select(func.count()).select_from(table))
                for name, table in Base.metadata.tables.items()
                if name != "counter"
            }

    before = rows()
    for path, body in ASKED.items():
        assert ask(path, body).status_code == 200
    assert rows() == before
    with sqlite_store.reading() as session:
        counted = totals(session)
    assert counted.pop((SECONDS, "api")) > 0
    assert counted == {(GRADED, "api"): 2}


def test_the_shipped_models_judge_over_the_api(ask, api):
    api.state.judging = JudgingProcess()
    reference = "The circuit is closed, so current flows."
    answers = [{"id": "a", "text": "the circuit is closed, and so current flows"}, {"id": "b", "text": ""}]
    asked = {
        "question": "Why is the bulb lit?",
        "references": [reference],
        "answers": answers,
        "explain": True,
    }
    first, second = ask("/grade", asked).json()["items"]
    (aligned,) = ask("/align", {"pairs": [{"source": "It is open.", "target": "It is closed."}]}).json()[
        "items"
    ]
    api.state.judging.close()
    assert (first["label"], first["reference"]) == ("correct", reference)
    assert first["feedback"]["student"]
    assert (second["label"], second["because"]) == ("non_domain", "nothing was written")
    assert (first["reason"], second["reason"]) == (None, "empty")
    assert {link["type"] for link in aligned["alignments"]} >= {"EQUI", "OPPO"}


class Library:
    """Judges with the shipped models, in this process."""

    async def do(self, task, person):
        return load_judge()(task)


def test_no_kind_of_hostile_text_breaks_an_operation(ask, api):
    api.state.judging = Library()
    kinds = hostile_texts(40)
    del kinds["lone surrogates"]  # no program can send half a character in UTF-8
    texts = [text for text in kinds.values() if any(map(str.isalnum, text))]
    assert len(texts) >= 100
    for start in range(0, len(texts), 25):
        some = texts[start : start + 25]
        answers = [{"text": f"There is a gap. {text}"} for text in some]
        bodies = {
            "/grade": {"question": QUESTION, "references": [REFERENCE], "answers": answers},
            "/align": {"pairs": [{"source": text, "target": REFERENCE} for text in some]},
            "/entail": {"pairs": [{"text": REFERENCE, "hypothesis": text} for text in some]},
            "/facets": {"question": QUESTION, "reference": REFERENCE, "answers": answers},
        }
        for path, body in bodies.items():
            answer = ask(path, body)
            assert answer.status_code == 200, answer.json()
            assert len(answer.json()["items"]) == len(some)


def test_every_operation_has_examples(api):
    spec = api.openapi()
    for path in ASKED:
        operation = spec["paths"][path]["post"]
        assert operation["requestBody"]["content"]["application/json"]["example"]
        assert operation["responses"]["200"]["content"]["application/json"]["example"]
        assert "503" in operation["responses"]


def test_the_examples_fit_their_models(api):
    import postil.workbench.api.judging_schemas as schemas

    for name, model in vars(schemas).items():
        for example in getattr(model, "model_config", {}).get("json_schema_extra", {}).get("examples", ()):
            assert model.model_validate(example), name
