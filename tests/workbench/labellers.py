"""For the tests of rounds: three people with accounts, and a round that they label from a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postil.workbench.records import Person
from postil.workbench.store import rounds
from postil.workbench.store.database import Store
from postil.workbench.store.tables import AccountRow, now

PARTLY = "partially_correct_incomplete"


@dataclass(frozen=True)
class People:
    """Two who label, one who settles, and somebody who has nothing to do with it."""

    ann: Person
    ben: Person
    eva: Person
    zoe: Person


def add_person(store: Store, login: str, role: str = "teacher", *, closed: bool = False) -> Person:
    """Somebody with an account; the password is none that can be typed, which spares the hashing."""
    row = AccountRow(login=login, name=login.title(), role=role, password="-", created=now())  # noqa: S106
    row.closed = now() if closed else None
    with store.writing() as session:
        session.add(row)
        session.flush()
        return Person(row.id, row.login, row.name, row.role)


def add_people(store: Store) -> People:
    """The four."""
    return People(*(add_person(store, login) for login in ("ann", "ben", "eva", "zoe")))


def make(store: Store, question_id: int, people: People, **more) -> int:
    """A round in which Ann and Ben label and Eva settles."""
    return rounds.make_round(store, question_id, people.ann.id, people.ben.id, people.eva.id, **more)


def say(store: Store, round_id: int, person: Person, labels: Mapping[int, str], **more) -> None:
    """Let somebody label answers."""
    for answer_id, label in labels.items():
        rounds.tag(store, round_id, person, answer_id, label, **more)


def play(store: Store, round_id: int, people: People, told: Sequence[tuple[int, str, str]]) -> None:
    """Let both label: answer, what Ann says, what Ben says."""
    say(store, round_id, people.ann, {id: first for id, first, _ in told}, seconds=10)
    say(store, round_id, people.ben, {id: second for id, _, second in told}, seconds=20)
