"""`postil worker`: what it says before it begins.

What it does then: tests/workbench/test_worker_processes.py; how it stops: tests/workbench/test_stopping.py.
"""

from __future__ import annotations

import sys

from postil.workbench.jobs import worker


def test_a_file_that_is_not_there_is_not_made(postil, tmp_path):
    status, _, told = postil("worker", "--database", tmp_path / "typo.db")
    assert status == 2
    assert "typo.db: does not exist." in told
    assert "postil serve" in told
    assert not (tmp_path / "typo.db").exists()


def test_without_the_extra_it_says_what_to_install(postil, monkeypatch):
    monkeypatch.delitem(sys.modules, "postil.workbench.store.database", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    status, _, told = postil("worker")
    assert status == 2
    assert "pip install 'postil[serve]'" in told


def test_it_says_what_it_does_without_a_password(postil, monkeypatch):
    given = []
    monkeypatch.setattr(worker, "work_here", lambda *called: given.append(called))
    address = "postgresql://postil:secret@db.example.org/postil"
    monkeypatch.setenv("POSTIL_DATABASE", address)
    status, shown, _ = postil("worker", "--memory", 700)
    assert status == 0
    assert "postgresql://postil@db.example.org/postil" in shown
    assert "secret" not in shown
    assert [(database, memory) for database, _, memory in given] == [(address, 700)]
