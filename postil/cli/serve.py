"""`postil serve`: the workbench in the browser, for one person on this computer or for many with accounts."""

from __future__ import annotations

import errno
import os
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.worker import DatabaseOption, chosen_database, workbench_packages
from postil.errors import PostilError

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from postil.workbench.settings import Settings
    from postil.workbench.store.database import Store

_HERE = "127.0.0.1"
_LOOPBACK = (_HERE, "localhost")
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - what is asked about
_PATIENCE = 60.0  # seconds that a browser may take to start
_LOOK = 0.2
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Postil</title>
<p><a href="{link}">Open Postil</a></p>
</html>
"""


def serve(
    local: Annotated[
        bool, typer.Option("--local", help="For one person on this computer: no accounts, no passwords.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port to listen on.")] = 8400,
    database: DatabaseOption = None,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="NAME",
            help="The address on which others reach this computer; by default only this computer can "
            "connect.",
        ),
    ] = _HERE,
    address: Annotated[
        str,
        typer.Option(
            "--address",
            metavar="URL",
            help="The address that people open in their browsers, such as https://postil.example.org behind "
            "a proxy.",
        ),
    ] = "",
    proxy: Annotated[
        str,
        typer.Option(
            "--proxy",
            metavar="ADDRESSES",
            help="Proxies, separated by commas, that are trusted to say where a request comes from.",
        ),
    ] = "",
    monitor: Annotated[
        str,
        typer.Option(
            "--monitor",
            metavar="NETWORKS",
            envvar="POSTIL_MONITOR",
            help="Who may read /metrics: addresses or networks, separated by commas; by default only this "
            "computer.",
        ),
    ] = "",
    worker: Annotated[
        bool,
        typer.Option(
            "--worker/--no-worker",
            help="Whether to grade as well, or leave that to `postil worker` elsewhere.",
        ),
    ] = True,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="With --local: open it in your browser right away.")
    ] = True,
    example: Annotated[
        bool, typer.Option("--example", help="With --local: start with the bundled class.")
    ] = False,
) -> None:
    """Grade classes in the browser: upload answers, read them with notes in the margin, decide, export.

    With --local it is yours alone: it listens on this computer only, and opens with a link that works once.
    Without it, people have accounts and log in; on the first start, a link lets the owner make one.

    The address of a PostgreSQL server can contain a password. Other users of the computer can see command
    lines, so put the address into the environment variable POSTIL_DATABASE, or the password into a libpq
    password file.
    """
    run(local, port, database, host, address, proxy, monitor, worker=worker, browser=browser, example=example)


def run(
    local: bool,
    port: int,
    database: str | None,
    host: str = _HERE,
    address: str = "",
    proxy: str = "",
    monitor: str = "",
    *,
    worker: bool = True,
    browser: bool = True,
    example: bool = False,
    alone: bool = True,
) -> None:
    """Run the workbench until it is told to stop; if not `alone`, another may be open over the same file."""
    with workbench_packages():
        import uvicorn

        from postil.workbench.app import create_app
        from postil.workbench.settings import Settings
        from postil.workbench.store.database import open_store
        from postil.workbench.store.drafts import drop_local_drafts
    _check(local, host, address, proxy, monitor, example)
    host = _HERE if host == "localhost" else host
    listening = _listen(host, port)
    settings = Settings(
        chosen_database(database),
        host,
        listening.getsockname()[1],
        local=local,
        address=address,
        monitor=monitor,
    )
    store = open_store(settings.database)
    # What a service manager sends is obeyed as Ctrl-C is: jobs go back into the queue, the log into the file.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _begin(store, local, alone)
        app = create_app(settings, store)
        if example:
            app.state.first_page = _example(store)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses name questions and answers, and who reads them
            server_header=False,
            # Only a proxy that was named is believed: anybody can send the header.
            proxy_headers=bool(proxy),
            forwarded_allow_ips=proxy or None,
            lifespan="off",
        )
        server = uvicorn.Server(config)
        with _running(settings, app, worker), _private_folder(settings) as folder:
            shown = folder if browser else None
            _when_started(server, lambda: _welcome(store, settings, shown))
            server.run(sockets=[listening])
    except KeyboardInterrupt:  # how uvicorn passes on the Ctrl-C that it has obeyed
        pass
    finally:
        if local and alone:
            drop_local_drafts(store)
        store.close()
    typer.echo("Closed. Your decisions are saved.")


def _begin(store: Store, local: bool, alone: bool) -> None:
    """End what was open in an earlier `--local`; with accounts, give the courses made there to the owner."""
    from postil.workbench.store.drafts import drop_local_drafts
    from postil.workbench.store.logins import adopt_courses, end_local_sessions

    if not local:
        adopt_courses(store)
    elif alone:
        end_local_sessions(store)
        drop_local_drafts(store)  # uploads that nobody added; it may have been killed


def _check(local: bool, host: str, address: str, proxy: str, monitor: str, example: bool) -> None:
    """Refuse what does not go together, and warn of what is not safe."""
    from postil.workbench.http.addresses import read_address, read_networks

    read_networks(monitor)
    if local and (host not in _LOOPBACK or address or proxy):
        raise PostilError(
            "--local is for one person on this computer.", hint="Leave out --host, --address and --proxy."
        )
    if example and not local:
        raise PostilError(
            "--example goes with --local.",
            hint="With accounts, the courses page offers the bundled class.",
        )
    origin = read_address(address) if address else ""
    if host in _ANYWHERE and not origin:
        raise PostilError(
            "to listen on all addresses, Postil must know the one that people use.",
            hint="Add it, for example: --address https://postil.example.org",
        )
    if host not in _LOOPBACK and not origin.startswith("https:"):
        typer.echo(
            "Warning: without TLS, passwords and answers cross the network as plain text. Put a TLS proxy "
            "in front of Postil, and give its address with --address https://…",
            err=True,
        )


@contextmanager
def _running(settings: Settings, app: FastAPI, worker: bool) -> Iterator[None]:
    """Inside, a worker does the jobs, if it shall; the process that judges for programs ends with it."""
    from postil.workbench.jobs.worker import running_worker

    try:
        with running_worker(settings) if worker else nullcontext():
            yield
    finally:
        app.state.judging.close()


@contextmanager
def _private_folder(settings: Settings) -> Iterator[Path | None]:
    """A folder beside the courses, where only this user looks; what a browser is shown there goes later."""
    if not settings.local or not isinstance(settings.database, Path):
        yield None
        return
    beside = settings.database.absolute().parent
    with TemporaryDirectory(prefix="postil-", dir=beside, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _listen(host: str, port: int) -> Any:
    """Take the port, or say that somebody else has it."""
    import asyncio

    async def take() -> Any:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(asyncio.Protocol, host, port, start_serving=False)
        try:
            return server.sockets[0].dup()
        finally:
            server.close()

    try:
        return asyncio.run(take())
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL or not isinstance(error.errno, int) or error.errno < 0:
            raise PostilError(
                f"{host} is not an address of this computer.",
                hint="Leave out --host to listen on this one only.",
            ) from error
        taken = error.errno == errno.EADDRINUSE
        why = "is in use, perhaps by a workbench that is still running" if taken else "may not be used"
        raise PostilError(
            f"port {port} on this computer {why}.",
            hint=f"Choose another, as in: postil serve --port {port + 1 if 1024 < port < 65535 else 8401}",
        ) from error


def _example(store: Store) -> str:
    """The page of the bundled class, made if it is not there yet."""
    from postil.workbench.store.courses import list_courses
    from postil.workbench.store.drafts import EXAMPLE, store_example

    known = next((course.id for course in list_courses(store) if course.name == EXAMPLE), None)
    return f"/courses/{store_example(store) if known is None else known}"


def _when_started(server: uvicorn.Server, then: Callable[[], None]) -> None:
    """Say how to get in as soon as one can."""

    def wait() -> None:
        while not server.started:
            if server.should_exit:
                return
            sleep(0.05)
        then()

    Thread(target=wait, daemon=True).start()


def _welcome(store: Store, settings: Settings, folder: Path | None) -> None:
    """Show how to get in: a link for the one person or the first owner; later, the address.

    With a folder for the page that leads a browser to the link, the browser is opened, too.
    """
    from postil.workbench.http.addresses import main_origin
    from postil.workbench.store.database import shown
    from postil.workbench.store.logins import FIRST_OWNER, OPEN, has_owner, make_link, peek_link

    where = shown(settings.database)
    origin = main_origin(settings)
    if not settings.local and has_owner(store):
        typer.echo(f"Postil is ready: people log in at\n\n  {origin}\n\nCourses are stored in {where}.")
        command = f"postil accounts reset LOGIN --address {origin}"
        typer.echo(f"Forgotten password? Make a link for a new one: {command}")
        return
    purpose = OPEN if settings.local else FIRST_OWNER
    token = make_link(store, purpose)
    link = f"{origin}/open?token={token}"
    typer.echo("Postil is ready: open this link.")
    once = "in one browser" if settings.local else "for a day, and makes the owner's account"
    typer.echo(f"\n  {link}\n\nIt works once, {once}. Courses are stored in {where}.")
    if not settings.local:
        typer.echo("For yourself alone, without accounts: postil serve --local")
    if folder and open_in_browser(link, folder, lambda: peek_link(store, token) is not None):
        typer.echo("Your browser is opening it. If nothing appears, open the link yourself.")
    if not sys.stdin or not sys.stdin.isatty():
        return
    typer.echo("Press Enter for a new link, Ctrl-C to close.")
    for _ in iter(sys.stdin.readline, ""):
        if settings.local or not has_owner(store):
            typer.echo(f"\n  {origin}/open?token={make_link(store, purpose)}\n")
        else:
            typer.echo(f"\nThere is an owner now: log in at {origin}\n")


def open_in_browser(
    link: str, folder: Path, unused: Callable[[], bool], patience: float = _PATIENCE
) -> Thread | None:
    """Open a link in the user's browser; None if there is no browser.

    The link is secret, and everybody sees a program's arguments, so the browser gets the name of a page that
    leads there. It lies in the folder, for this user only, while the link is unused, and no longer
    than a browser needs to start. The thread that is returned takes it away.
    """
    page = folder / "open.html"
    # The mode is given at the making: set later, it would leave a moment in which others can read.
    descriptor = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_PAGE.format(link=escape(link)))
    try:
        opened = webbrowser.open(page.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        page.unlink(missing_ok=True)
        return None
    remover = Thread(target=_remove_when_used, args=(page, unused, patience), daemon=True)
    remover.start()
    return remover


def _remove_when_used(page: Path, unused: Callable[[], bool], patience: float) -> None:
    until = monotonic() + patience
    while unused() and monotonic() < until:
        sleep(_LOOK)
    page.unlink(missing_ok=True)
