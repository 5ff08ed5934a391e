"""`postil accounts` (who can log in) and `postil pupils` (one pupil's data), on the workbench's server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.serve import DatabaseOption, existing_database, workbench_packages
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.workbench.records import Account
    from postil.workbench.store.database import Store
    from postil.workbench.store.pupils import Pupil

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


pupils_app = typer.Typer(
    short_help="Find, export and erase one pupil's data.",
    help="Find, export and erase one pupil's data in all courses of the workbench, on the server itself.",
    no_args_is_help=True,
)
Sought = Annotated[
    str, Argument(metavar="NAME", help="The pupil's name or id; upper and lower case are the same.")
]
CourseOption = Annotated[
    list[int] | None,
    Option("--course", metavar="NUMBER", help="Only in this course; can be repeated."),
]


@pupils_app.command("find")
def find_pupil(name: Sought, course: CourseOption = None, database: DatabaseOption = None) -> None:
    """List who has this name or id: number and name of the course, the pupil's name and id, answers."""
    with opened_store(database) as store:
        for pupil in _demand_pupils(store, name, course):
            cells = (str(pupil.course_id), pupil.course, pupil.student, pupil.key)
            typer.echo("\t".join((*cells, number_of(pupil.answers, "answer"))))


@pupils_app.command("export")
def export_pupil(
    name: Sought,
    output: Annotated[Path, Argument(metavar="OUT.zip", help="The file to write.")],
    course: CourseOption = None,
    database: DatabaseOption = None,
) -> None:
    """Write everything that is stored about a pupil into one file: a table, and the full data as JSON."""
    with opened_store(database) as store:
        from postil.data.files import atomic_writer
        from postil.workbench.pupils import pupil_zip
        from postil.workbench.store.accounts import names_of
        from postil.workbench.store.pupils import note_export, stored_of
        from postil.workbench.store.tables import now

        pupils = _demand_pupils(store, name, course)
        stored = stored_of(store, pupils)
        deciders = {decision.by for item in stored for decision in item.decisions if decision.by is not None}
        content = pupil_zip(stored, now(), names_of(store, deciders))
        with atomic_writer(output, private=True) as file:
            file.write(content)
        note_export(store, pupils, None)
    typer.echo(f"Wrote {number_of(len(stored), 'answer')} to {output}.", err=True)


@pupils_app.command("erase")
def erase_pupil(
    name: Sought,
    course: CourseOption = None,
    database: DatabaseOption = None,
    yes: Annotated[bool, Option("--yes", help="Erase it; without this, nothing is erased.")] = False,
) -> None:
    """Erase a pupil's answers with everything said about them. It cannot be undone.

    Two pupils can have the same name: look with `find` first, and name the courses. Backups made before still
    contain the answers.
    """
    with opened_store(database) as store:
        from postil.workbench.store.pupils import erase as erase_stored

        pupils = _demand_pupils(store, name, course)
        count = number_of(sum(pupil.answers for pupil in pupils), "answer")
        where = number_of(len({pupil.course_id for pupil in pupils}), "course")
        if not yes:
            raise PostilError(
                f"this would erase {count} in {where}.",
                hint="Look at them with `postil pupils find`, then repeat this with --yes.",
            )
        erased = erase_stored(store, pupils)
    uploads = f" and {number_of(erased.uploads, 'upload')} not added yet" if erased.uploads else ""
    typer.echo(f"Erased {number_of(erased.answers, 'answer')}{uploads}.", err=True)


def _demand_pupils(store: Store, name: str, courses: list[int] | None) -> list[Pupil]:
    """Those who have this name or id, in these courses if any are named; an error if there is nobody."""
    from postil.workbench.store.pupils import find_pupils

    everywhere = find_pupils(store, name, exact=True)
    pupils = [pupil for pupil in everywhere if not courses or pupil.course_id in courses]
    if not pupils:
        raise PostilError("no answer has this name or id.", hint="Write it as it came with the answers.")
    return pupils
