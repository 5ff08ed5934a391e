"""`postil accounts`: who can log in to the workbench, for whoever has the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.serve import DatabaseOption, existing_database, workbench_packages
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.workbench.records import Account
    from postil.workbench.store.database import Store

app = typer.Typer(
    short_help="List and invite people, and make links for new passwords.",
    help="Manage the workbench's accounts, on the server itself.",
    no_args_is_help=True,
)
Login = Annotated[str, Argument(metavar="LOGIN", help="The login of the account.")]
AddressOption = Annotated[
    str,
    Option("--address", metavar="URL", help="The address that people open in their browsers, for the links."),
]
_ADDRESS = "http://127.0.0.1:8400"
_HOURS = 72.0  # over a weekend


@app.command("list")
def list_people(database: DatabaseOption = None) -> None:
    """List the accounts: login, role, courses, and whether they are open."""
    with opened_store(database) as store:
        from postil.workbench.store.accounts import list_accounts

        for account in list_accounts(store):
            person = account.person
            state = "closed" if account.closed else "open" if account.has_password else "invited"
            cells = (person.login, person.role, state, number_of(account.courses, "course"), person.name)
            typer.echo("\t".join(cells))


@app.command("invite")
def invite(
    login: Login,
    name: Annotated[str, Option(help="The person's name; by default the login.")] = "",
    role: Annotated[str, Option(help="owner, teacher or assistant.")] = "teacher",
    address: AddressOption = _ADDRESS,
    database: DatabaseOption = None,
) -> None:
    """Make an account, and a link for choosing its password."""
    with opened_store(database) as store:
        from postil.workbench.store.accounts import create_account
        from postil.workbench.store.events import ACCOUNT_MADE
        from postil.workbench.store.logins import INVITATION

        account_id = create_account(store, login, name or login, role, None)
        _log(store, ACCOUNT_MADE, login)
        _show_link(store, INVITATION, account_id, address)


@app.command("reset")
def reset(login: Login, address: AddressOption = _ADDRESS, database: DatabaseOption = None) -> None:
    """Make a link for replacing a forgotten password."""
    with opened_store(database) as store:
        from postil.workbench.store.events import LINK_MADE
        from postil.workbench.store.logins import INVITATION, RESET

        account = _demand(store, login)
        if account.closed is not None:
            raise PostilError("this account is closed.", hint="An owner can reopen it on the people page.")
        _log(store, LINK_MADE, account.person.login)
        _show_link(store, RESET if account.has_password else INVITATION, account.person.id, address)


@app.command("close")
def close(
    login: Login,
    heir: Annotated[str, Option(metavar="LOGIN", help="Who takes over its courses.")] = "",
    database: DatabaseOption = None,
) -> None:
    """Close an account: its courses go to the heir, its sessions and tokens end."""
    with opened_store(database) as store:
        from postil.workbench.store.accounts import close_account
        from postil.workbench.store.events import ACCOUNT_CLOSED

        account = _demand(store, login)
        assert account.person.id is not None  # noqa: S101 - only the one person of --local has none
        close_account(store, account.person.id, _demand(store, heir).person.id if heir else None)
        _log(store, ACCOUNT_CLOSED, account.person.login)
    typer.echo(f"Closed: {account.person.login}.")


@app.command("token")
def token(
    login: Login,
    scope: Annotated[list[str], Option(help="judge, read or write; can be repeated.")],
    name: Annotated[str, Option(help="What it is for.")] = "made on the server",
    days: Annotated[
        int | None, Option(min=1, help="For how many days it is valid; by default for ever.")
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Make a token that lets a program act for a person; it is shown only once."""
    with opened_store(database) as store:
        from postil.workbench.store.access import create_token
        from postil.workbench.store.events import TOKEN_MADE

        account = _demand(store, login)
        _, secret = create_token(store, account.person.id, name, scope, days)
        _log(store, TOKEN_MADE, account.person.login)
    typer.echo(secret)


@contextmanager
def opened_store(database: str | None) -> Iterator[Store]:
    """The workbench's database, which must exist, brought up to date."""
    with workbench_packages():
        from postil.workbench.store.database import open_store
    store = open_store(existing_database(database, hint="Name another with --database."))
    try:
        yield store
    finally:
        store.close()


def _demand(store: Store, login: str) -> Account:
    from postil.workbench.store.accounts import find_account

    account = find_account(store, login)
    if account is None:
        what = f"nobody has the login {login!r}."
        raise PostilError(what, hint="To list all accounts: postil accounts list")
    return account


def _log(store: Store, what: str, about: str) -> None:
    from postil.workbench.store.events import log_event

    log_event(store, None, what, about=f"{about}, on the server")


def _show_link(store: Store, purpose: str, account_id: int | None, address: str) -> None:
    from postil.workbench.http.addresses import read_address
    from postil.workbench.store.logins import make_link

    origin = read_address(address)
    typer.echo(f"{origin}/open?token={make_link(store, purpose, account_id, _HOURS)}")
    typer.echo("Pass it on: it works once, within three days, and lets them choose a password.", err=True)
