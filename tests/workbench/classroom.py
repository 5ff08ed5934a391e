"""For the tests of pages: a browser that is logged in, and a class that has been judged."""

from __future__ import annotations

from collections.abc import Mapping

from webclient import let_in

from postil.data.labels import RESPONSE_SCHEMES
from postil.workbench.app import create_app
from postil.workbench.records import Judged
from postil.workbench.settings import Settings
from postil.workbench.store import jobs, judgements
from postil.workbench.store.answers import list_answers
from postil.workbench.store.database import Store
from postil.workbench.store.decisions import teaching
from postil.workbench.store.tables import now

PARTLY = "partially_correct_incomplete"
LABELS = RESPONSE_SCHEMES["5way"].labels
CREDIT = {"correct": 1.0, PARTLY: 0.5}


class Browser:
    """A browser that was let in; its forms carry the token that the pages would give them.

    `Browser(store, folder, login="ane")` is the browser of somebody with an account (`make_account` of
    `webclient` makes one); the workbench is then one with accounts. Without a login it is `--local`.
    """

    def __init__(self, store: Store, folder, login: str | None = None, **settings: object) -> None:
        chosen = Settings(database=folder / "workbench.db", local=login is None, **settings)
        self.client = let_in(create_app(chosen, store), login)
        self.token = self.client.headers.pop("X-CSRF-Token")

    def get(self, path: str, *, status: int = 200):
        """A page, which has to come with this status."""
        found = self.client.get(path)
        assert found.status_code == status, found.text
        return found

    def post(self, path: str, **fields: object):
        """Send a form; returns the page that the browser is sent to."""
        return self.client.post(path, data={"csrf": self.token, **fields})


def judged(answer_id: int, label: str = "correct", confidence: float = 0.9, **more) -> Judged:
    """What the machine may say of an answer."""
    correct = confidence if label == "correct" else 1 - confidence
    five = dict.fromkeys(LABELS, 0.0) | {label: confidence, "correct": correct}
    usual = {
        "score": CREDIT.get(label, 0.0), "deferred": False, "reason": None,
        "reference": "The path is closed.",
        "teacher": "The answer says the same.", "student": "You said it well.", "alignment": None,
        "made": now(),
    }  # fmt: skip
    return Judged(answer_id, label, five, confidence=confidence, **{**usual, **more})


def run(store: Store, kind: str, question_id: int, labels: Mapping[int, tuple[str, float]], **more) -> int:
    """Do a job as the worker would: each answer gets its label and confidence, the others are correct."""
    job_id = jobs.enqueue(store, kind, question_id)
    held = jobs.lease_job(store, "test")
    assert held.id == job_id
    ids = [answer.id for answer in list_answers(store, question_id)]
    judgements.save_judgements(store, held, [judged(id, *labels.get(id, ()), **more) for id in ids])
    jobs.finish(store, held, {"answers": len(ids), "decided": len(teaching(store, question_id))})
    return job_id
