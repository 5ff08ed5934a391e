"""A small school with something in every table: for the tests of backups, and kept for those of migrations.

`PYTHONPATH=. python tests/workbench/school.py` makes `tests/fixtures/databases/vNNNN` of the newest revision.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from postil.data.judgements import CONTRADICTED, EXPRESSED, AlignedPair, Alignment, Reason
from postil.data.labels import PARTLY
from postil.data.questions import Facet
from postil.workbench.claims import Outcome, looked_for
from postil.workbench.drafts import open_paste
from postil.workbench.records import ASSISTANT, LABELS, OWNER, TEACHER, Judged, Level, NewAnswer, Person
from postil.workbench.store import (
    access,
    accounts,
    answers,
    courses,
    decisions,
    drafts,
    events,
    feedback,
    jobs,
    judgements,
    logins,
    rounds,
)
from postil.workbench.store.backups import back_up
from postil.workbench.store.database import Store, newest, open_store

DATABASES = Path(__file__).parent.parent / "fixtures" / "databases"
PASSWORD = "correct horse battery"  # noqa: S105 - nobody's
_TEXTS = {
    "a": "the path is closed",
    "b": "it is open",
    "c": "Électricité, \u2028 naïve 🙂",
    "d": '100% <b>sure</b>\n"quoted"',
    "e": "",
    "f": "dunno",
}
_PAIR = AlignedPair(
    "1",
    ("it", "is", "open"),
    ("it", "is", "closed"),
    (Alignment((1, 2), (1, 2), ("EQUI",), 5.0), Alignment((3,), (3,), ("OPPO", "POL"), None)),
    "it is open",
    "it is closed",
    "approximate",
)


def fill(store: Store) -> int:
    """Make the school; returns the number of the question with the most in it."""
    owner, teacher, helper = _people(store)
    physics = courses.create_course(store, "Physics 7b", teacher, strictness="strict", reader="cascade")
    gone = courses.create_course(store, "A course that was deleted", teacher)
    other = courses.create_course(store, "Biologia · Ångström")
    references = ["The path is closed.", "There is no gap."]
    question = courses.create_question(store, physics, "Why is the bulb lit?", references, 2.5)
    lost = courses.create_question(store, gone, "?", ["x"], 1)
    green = courses.create_question(store, other, "Zergatik da berdea?", ["Klorofila duelako."], 1)
    new = [NewAnswer(key, f"Pupil {key.upper()}", text) for key, text in _TEXTS.items()]
    answers.add_answers(store, question, new)
    few = [NewAnswer("1", "", "klorofila"), NewAnswer("2", "", "ez dakit")]
    answers.add_answers(store, green, few, {"1": "correct"})
    answers.add_answers(store, lost, [NewAnswer("x", "", "y")])
    events.log_event(store, None, events.COURSE_MADE, course_id=physics)
    access.share_course(store, physics, helper, Level.HELP)
    access.share_course(store, physics, owner, Level.TEACH)
    _judge_and_decide(store, question, teacher)
    _leave_work(store, green)
    _label_twice(store, question, (owner, helper, teacher))
    _let_programs_in(store, teacher)
    _share_with_other_servers(store, question, teacher)
    _give_feedback(store, physics, accounts.get_account(store, teacher).person)
    courses.delete_course(store, gone)  # its numbers are not given again
    return question


def _people(store: Store) -> tuple[int, int, int]:
    roles = {"olga": OWNER, "teo": TEACHER, "ann": ASSISTANT}
    made = [
        accounts.create_account(store, login, login.title(), role, PASSWORD) for login, role in roles.items()
    ]
    left = accounts.create_account(store, "liv", "Liv", TEACHER, None)
    accounts.close_account(store, left, made[0])
    olga = accounts.get_account(store, made[0]).person
    events.log_event(store, olga, events.ACCOUNT_MADE, about="teo", address="192.0.2.7")
    events.log_event(store, None, events.LOGIN_FAILED, address="192.0.2.8")
    return made[0], made[1], made[2]


def _judge_and_decide(store: Store, question: int, teacher: int) -> None:
    ids = [answer.id for answer in answers.list_answers(store, question)]
    parts = [Facet("", "the path"), Facet("", "is closed", weight=3.0, required=False)]
    courses.set_facets(store, question, [*parts, Facet("", "a switch")])
    parts += [Facet("", name, group="examples", needed=1, deduction=0.5) for name in ("copper", "iron")]
    courses.set_facets(store, question, parts, by=teacher)
    own = courses.get_question(store, question).facets
    outcomes = (
        Outcome("p1", "the path", EXPRESSED, 0.9, ("path",)),
        Outcome("p2", "is closed", CONTRADICTED, 0.6, ()),
    )
    found = {"facets": outcomes, "looked_for": looked_for(own)}
    _run(store, "propose", question, [])
    decisions.decide(store, question, ids[:1], "correct", "start", by=teacher)
    unread = {"reason": Reason.EMPTY, "alignment": None, "reader": "", "read_by": ""}
    empty = judged(ids[4], "non_domain", 1.0, **unread)
    labels = ("correct", "contradictory", "irrelevant", PARTLY)
    made = [judged(id, label, **found) for id, label in zip(ids, labels, strict=False)]
    _run(store, "grade", question, [*made, empty])
    answers.set_groups(store, question, {ids[0]: 1, ids[1]: 2, ids[2]: 3, ids[3]: 3})
    ticked = {own[0].id: True, own[1].id: False}
    decisions.decide(store, question, [ids[1]], PARTLY, "review", ticked=ticked, by=teacher)
    decisions.decide(store, question, [ids[1]], "correct", "review", by=teacher)
    decisions.undo_last(store, question)
    decisions.decide(store, question, ids[2:4], "irrelevant", "group")
    decisions.pass_all(store, question, [ids[4]], by=teacher)
    _run(
        store,
        "regrade",
        question,
        [
            judged(ids[0], "correct", **found),
            judged(ids[5], "non_domain", 0.4, reason=Reason.LONG, doubt="Please check: it is long."),
        ],
    )


def _leave_work(store: Store, question: int) -> None:
    jobs.enqueue(store, "grade", question)
    jobs.fail(store, jobs.lease_job(store, "w"), "the machine stopped.")
    jobs.enqueue(store, "grade", question)


def _label_twice(store: Store, question: int, people: tuple[int, int, int]) -> None:
    """A round that is closed, and one that goes on."""
    first, second, _ = (accounts.get_account(store, id).person for id in people)
    done = rounds.make_round(store, question, *people, size=1, seed=3)
    (answer,) = rounds.get_work(store, done).round.answers
    for person in (first, second):
        rounds.tag(store, done, person, answer, "X", seconds=2.5)
    rounds.close_round(store, done)
    still = rounds.make_round(store, question, *people, size=3, seed=7)
    labelled = rounds.get_work(store, still).round.answers
    for answer in labelled:
        rounds.tag(store, still, first, answer, "correct", note="« oui »")
    rounds.tag(store, still, second, labelled[0], "X")


def _let_programs_in(store: Store, teacher: int) -> None:
    _, secret = access.create_token(store, teacher, "tutor", ("judge", "read"), 30)
    assert access.find_token(store, secret)
    access.create_token(store, None, "own", ("write",), None)
    logins.make_link(store, "reset", teacher)
    logins.begin_session(store, teacher, "a browser")
    logins.count_failure(store, logins.Attempt("teo", "192.0.2.8"))
    access.begin_reply(store, "token:1", "key", "fingerprint")


def _share_with_other_servers(store: Store, question: int, teacher: int) -> None:
    opened = open_paste("it is lit\nit is not")
    drafts.keep_draft(store, opened, courses.get_question(store, question).course_id, question, teacher)
    jobs.show_life(store, "w")


def _give_feedback(store: Store, course: int, teacher: Person) -> None:
    """Links for all of a course, one request that waits for a reply, and one that has got it."""
    feedback.set_showing(store, course, feedback.Showing(True, True, True))
    links = {student.key: secret for student, secret in feedback.make_links(store, course, 30)}
    (question,) = courses.list_questions(store, course)
    ids = {answer.key: answer.id for answer in answers.list_answers(store, question.id)}
    for key in ("a", "c"):
        feedback.ask(store, links[key], ids[key], "I wrote « oui ».")
    (look,) = feedback.list_looks(store, [ids["c"]])
    feedback.answer_look(store, ids["c"], look.id, "irrelevant", "It stays.", teacher)


def _run(store: Store, kind: str, question: int, made: list[Judged]) -> None:
    jobs.enqueue(store, kind, question)
    job = jobs.lease_job(store, "w")
    judgements.save_judgements(store, job, made)
    jobs.finish(store, job, {"answers": [] if kind == "propose" else len(made), "decided": 1})


def judged(answer_id: int, label: str, confidence: float = 0.75, **more: object) -> Judged:
    """What the machine may say of an answer."""
    usual = {
        "probabilities": dict.fromkeys(LABELS, 0.0625) | {label: confidence},
        "score": 0.1,
        "deferred": confidence < 0.5,
        "reason": None,
        "reference": "The path is closed.",
        "teacher": "It says “open”. The reference says “closed”.",
        "student": "Look again.",
        "alignment": _PAIR,
        "made": datetime(2025, 3, 4, 5, 6, 7, 890123, tzinfo=UTC),
        "reader": "cascade",
        "read_by": "careful",
    }
    return Judged(answer_id=answer_id, label=label, confidence=confidence, **(usual | more))


def main() -> None:
    """Keep the school as a database of the newest revision."""
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "workbench.db")
        fill(store)
        file = Path(folder) / "school.zip"
        back_up(store, file)
        store.close()
        with ZipFile(file) as archive:
            archive.extractall(DATABASES / f"v{newest()}")


if __name__ == "__main__":
    main()
