"""Requests that fit the description, and requests that do not, by the hundred: none breaks anything."""

from __future__ import annotations

import os
from itertools import count
from shutil import copy

import pytest
import schemathesis
from apiclient import SETTINGS, make_app, secret_of
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode
from stub_judge import judge

from postil.workbench.api.app import create_api
from postil.workbench.api.schemas import MOST_NUMBER
from postil.workbench.http.problems import answer_error
from postil.workbench.records import NewAnswer
from postil.workbench.store import jobs
from postil.workbench.store.answers import add_answers, list_answers
from postil.workbench.store.courses import create_course, create_question
from postil.workbench.store.database import open_store
from postil.workbench.store.decisions import decide

# POSTIL_EXAMPLES=1000 for a thorough look.
EXAMPLES = int(os.environ.get("POSTIL_EXAMPLES", "6"))
OPERATIONS = [
    one
    for operations in create_api(SETTINGS, None).openapi()["paths"].values()
    for one in operations.values()
]
CASES = [
    pytest.param(one["operationId"], mode, id=f"{one['operationId']}-{mode.value}")
    for one in OPERATIONS
    for mode in GenerationMode
    # What takes nothing cannot be asked wrongly.
    if mode is GenerationMode.POSITIVE or one.keys() & {"parameters", "requestBody"}
]


class StubJudging:
    async def do(self, task, person):
        return judge(task)


@pytest.fixture(scope="module")
def school(tmp_path_factory, empty):
    store = open_store(copy(empty, tmp_path_factory.mktemp("school") / "workbench.db"))
    yield store
    store.close()


@pytest.fixture(scope="module")
def described(school):
    app = make_app(school, judging=StubJudging())
    app.add_exception_handler(404, answer_error)  # `..` may lead out of the API
    # The token is always right here: `ignored_auth` and other tests see to what happens without.
    config = SchemathesisConfig.from_dict({"generation": {"with-security-parameters": False}})
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, config=config)


@pytest.fixture(scope="module")
def token(school):
    return {"Authorization": f"Bearer {secret_of(school, None, 'judge', 'read', 'write')}"}


@pytest.fixture
def numbers(school):
    """A course with a question, answers, a decision and a job: what numbers in addresses may name."""
    course_id = create_course(school, "Physics 7b")
    question_id = create_question(school, course_id, "Why?", ["Because."], 2)
    add_answers(school, question_id, [NewAnswer(key, "", "it is so") for key in "abc"])
    answer_id = list_answers(school, question_id)[0].id
    decide(school, question_id, [answer_id], "correct", "review")
    job_id = jobs.enqueue(school, "grade", question_id)
    return {"course_id": course_id, "question_id": question_id, "answer_id": answer_id, "job_id": job_id}


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_nothing_breaks(described, token, numbers, name, mode):
    keys = count()

    @given(case=described.find_operation_by_id(name).as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case):
        for part, number in (case.path_parameters or {}).items():
            # Of all numbers that fit, the one that is there.
            if isinstance(number, int) and 0 < number <= MOST_NUMBER:
                case.path_parameters[part] = numbers[part]
        key = (case.headers or {}).get("Idempotency-Key")
        if mode is GenerationMode.POSITIVE and key is not None:
            # A key that was used for another request would be refused.
            case.headers["Idempotency-Key"] = f"{key[:100]}-{name}-{next(keys)}"
        case.call_and_validate(headers=token)

    check()
