"""`postil accounts`: people are listed, invited, helped and let go on the server itself."""

from __future__ import annotations

import pytest

from postil.workbench.store.database import open_store


@pytest.fixture
def accounts(postil, tmp_path):
    """Run `postil accounts` over a workbench of its own."""
    open_store(tmp_path / "workbench.db").close()
    return lambda *told: postil("accounts", *told, "--database", tmp_path / "workbench.db")


def test_somebody_is_invited_listed_and_gets_another_link(accounts):
    status, link, told = accounts("invite", "Ane", "--name", "Ane E.", "--role", "owner")
    assert status == 0
    assert link.startswith("http://127.0.0.1:8400/open?token=")
    assert "works once" in told
    assert accounts("list")[1] == "ane\towner\tinvited\t0 courses\tAne E.\n"
    address = "https://postil.example.org"
    assert accounts("reset", "ane", "--address", address)[1].startswith(f"{address}/open?token=")


def test_an_account_is_closed_and_has_no_link_any_more(accounts):
    accounts("invite", "bea")
    status, shown, _ = accounts("close", "BEA")
    assert (status, shown) == (0, "Closed: bea.\n")
    assert "\tclosed\t" in accounts("list")[1]
    status, _, told = accounts("reset", "bea")
    assert status == 2
    assert "closed" in told


def test_a_token_is_shown_once(accounts):
    accounts("invite", "ane")
    status, secret, _ = accounts("token", "ane", "--scope", "read", "--scope", "judge")
    assert status == 0
    assert secret.startswith("postil_")


@pytest.mark.parametrize(
    "told",
    [("reset", "nobody"), ("close", "nobody"), ("token", "nobody", "--scope", "read"), ("invite", "a b"),
     ("invite", "ane", "--role", "king")],
)  # fmt: skip
def test_what_cannot_be_done_is_told(accounts, told):
    status, shown, why = accounts(*told)
    assert (status, shown) == (2, "")
    assert why.startswith("postil: ")


@pytest.mark.parametrize("told", [("list",), ("invite", "ane"), ("reset", "ane"), ("close", "ane")])
def test_a_mistyped_file_is_told_and_not_made(postil, tmp_path, told):
    status, shown, why = postil("accounts", *told, "--database", tmp_path / "wrokbench.db")
    assert (status, shown) == (2, "")
    assert "wrokbench.db" in why
    assert "does not exist" in why
    assert list(tmp_path.iterdir()) == []
