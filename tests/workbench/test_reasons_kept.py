"""A database of version 0.1 with every sentence that it could give as the reason: each becomes a `Reason`."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from school import DATABASES
from sqlalchemy import text

from postil.data.judgements import Reason
from postil.workbench.store.backups import restore
from postil.workbench.store.database import as_it_is, downgrade, newest, revision_of, upgrade

KEPT = DATABASES / "v0004-reasons.zip"
REASONS = Path(__file__).parents[1] / "golden" / "reasons_0.1.json"
# Those that 0.1 knew.
LATER = {
    Reason.UNREAD,
    Reason.UNEXPLAINED,
    Reason.ORDER,
    Reason.TAKEN_BACK,
    Reason.ASKED,
    Reason.OPPOSITE,
    Reason.WORDY,
    Reason.PLEA,
    Reason.TOO_FEW,
    Reason.NUMBER,
    Reason.SEVERAL,
    Reason.LONG_REFERENCE,
}
OLD = set(Reason) - LATER
both = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
each = pytest.mark.parametrize("table", ["judgement", "proposal"])


def sentences(table: str) -> dict[int, str]:
    """The sentences that version 0.1 stored, by answer."""
    with ZipFile(KEPT) as archive:
        rows = [json.loads(line) for line in archive.read(f"{table}.jsonl").splitlines()]
    return {row["answer_id"]: row["because"] for row in rows}


@each
def test_every_sentence_is_kept(table):
    stored = json.loads(REASONS.read_text(encoding="utf-8"))["stored"]
    assert set(sentences(table).values()) == set(stored)


@both
@each
def test_sentences_become_reasons_and_sentences_again(table, kind, nowhere):
    place = nowhere(kind)
    restore(KEPT, place)
    before = sentences(table)
    with as_it_is(place) as store, store.writing() as session:
        assert revision_of(session.connection()) == newest()
        rows = dict(session.execute(text(f"SELECT answer_id, reason FROM {table}")).all())  # noqa: S608
        assert rows.keys() == before.keys()
        assert set(rows.values()) == {None, *OLD}
        by_sentence = {(before[answer], reason) for answer, reason in rows.items()}
        assert len(by_sentence) == len(OLD) + 1  # one reason a sentence, and none for none
        assert ("", None) in by_sentence
        downgrade(session.connection(), "0004")
        rows = dict(session.execute(text(f"SELECT answer_id, because FROM {table}")).all())  # noqa: S608
        assert rows == before


@both
@each
def test_what_to_check_is_set_apart_from_the_note_and_put_back(table, kind, nowhere):
    place = nowhere(kind)
    restore(KEPT, place)
    note = "It says “open”. Please check: it was judged correct, although “closed” was not found in it."
    with as_it_is(place) as store, store.writing() as session:
        connection = session.connection()
        downgrade(connection, "0004")
        session.execute(text(f"UPDATE {table} SET teacher = :note"), {"note": note})  # noqa: S608
        upgrade(connection)
        parts = set(session.execute(text(f"SELECT teacher, doubt FROM {table}")).all())  # noqa: S608
        assert parts == {("It says “open”.", note.removeprefix("It says “open”. "))}
        downgrade(connection, "0004")
        assert set(session.scalars(text(f"SELECT teacher FROM {table}"))) == {note}  # noqa: S608
