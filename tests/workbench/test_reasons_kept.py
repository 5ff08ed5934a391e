"""A database of version 0.1 in which judgements have every sentence that it could give as the reason."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from school import DATABASES

from postil.workbench.store.backups import restore
from postil.workbench.store.database import as_it_is, newest, revision_of

KEPT = DATABASES / "v0004-reasons.zip"
REASONS = Path(__file__).parents[1] / "golden" / "reasons_0.1.json"


@pytest.mark.parametrize("table", ["judgement", "proposal"])
def test_every_sentence_is_kept(table):
    with ZipFile(KEPT) as archive:
        rows = [json.loads(line) for line in archive.read(f"{table}.jsonl").splitlines()]
    wanted = json.loads(REASONS.read_text(encoding="utf-8"))["stored"]
    assert {row["because"] for row in rows} == set(wanted)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_it_is_brought_up_to_date(kind, nowhere):
    place = nowhere(kind)
    restore(KEPT, place)
    with as_it_is(place) as store, store.reading() as session:
        assert revision_of(session.connection()) == newest()
