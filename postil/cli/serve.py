"""`postil serve` and `postil worker`: the workbench in the browser, and more processes that do its jobs."""

from __future__ import annotations

import errno
import os
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from postil.cli.lock import served_alone
from postil.cli.options import expand
from postil.errors import InputError, PostilError
from postil.workbench.settings import MEMORY

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
DatabaseOption = Annotated[
    str | None,
    Option(
        "--database",
        metavar="WHERE",
        envvar="POSTIL_DATABASE",
        help="Where courses and answers are stored: a file, or postgresql://user@host/name; by default a "
        "file in your data folder.",
    ),
]

MemoryOption = Annotated[
    int,
    Option(
        "--memory",
        metavar="MB",
        min=0,
        envvar="POSTIL_MEMORY",
        help="The most memory that a process that judges may use, in megabytes; 0 for no limit.",
    ),
]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Who can reach the workbench, where its data is, and what happens at the start."""

    local: Annotated[
        bool, Option("--local", help="For one person on this computer: no accounts, no passwords.")
    ] = False
    port: Annotated[int, Option(min=0, max=65535, help="The port to listen on.")] = 8400
    database: DatabaseOption = None
    host: Annotated[
        str,
        Option(
            metavar="NAME",
            help="The address on which others reach this computer; by default only this computer can "
            "connect.",
        ),
    ] = _HERE
    address: Annotated[
        str,
        Option(
            metavar="URL",
            help="The address that people open in their browsers, such as https://postil.example.org behind "
            "a proxy.",
        ),
    ] = ""
    proxy: Annotated[
        str,
        Option(
            metavar="ADDRESSES",
            help="Proxies, separated by commas, that are trusted to say where a request comes from.",
        ),
    ] = ""
    monitor: Annotated[
        str,
        Option(
            metavar="NETWORKS",
            envvar="POSTIL_MONITOR",
            help="Who may read /metrics: addresses or networks, separated by commas; by default only this "
            "computer.",
        ),
    ] = ""
    worker: Annotated[
        bool,
        Option(
            "--worker/--no-worker",
            help="Whether to grade as well, or leave that to `postil worker` elsewhere.",
        ),
    ] = True
    memory: MemoryOption = MEMORY
    browser: Annotated[
        bool, Option("--browser/--no-browser", help="With --local: open it in your browser right away.")
    ] = True
    example: Annotated[bool, Option("--example", help="With --local: start with the bundled class.")] = False


@expand
def serve(*, options: ServeOptions) -> None:
    """Grade classes in the browser: upload answers, read them with notes in the margin, decide, export.

    With --local it is yours alone: it listens on this computer only, and opens with a link that works once.
    Without it, people have accounts and log in; on the first start, a link lets the owner make one.

    The address of a PostgreSQL server can contain a password. Other users of the computer can see command
    lines, so put the address into the environment variable POSTIL_DATABASE, or the password into a libpq
    password file.
    """
    run(options)


def worker(database: DatabaseOption = None, memory: MemoryOption = MEMORY) -> None:
    """Do the jobs of a workbench (grading, proposing, looking for facets) until stopped.

    `postil serve` has its own worker unless it is started with --no-worker. Any number of workers can share a
    PostgreSQL database, on any number of machines, or a file, on one machine. A worker that is stopped puts
    its job back into the queue; if it is killed, another takes over after a few seconds. It judges in a
    separate process; an answer that takes too much time or memory ends that process and is left to a person,
    and the rest of the class is judged.
    """
    with workbench_packages():
        from postil.workbench.jobs import grading
        from postil.workbench.jobs.worker import work_here
        from postil.workbench.store.database import shown
    # It could be made; but a worker at a file that nobody else uses would wait for ever.
    chosen = existing_database(database, hint="Start `postil serve` first, or name another file.")
    typer.echo(
        f"Doing the jobs of {shown(chosen)}. Press Ctrl-C to stop; an unfinished job goes back into the "
        "queue."
    )
    work_here(chosen, grading.load_machine, memory)
    typer.echo("Stopped.")


@contextmanager
def workbench_packages() -> Iterator[None]:
    """Say what to install where an import fails that only the workbench needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("postil"):
            raise
        what = f"the workbench needs packages that are not installed ({error.name})."
        raise PostilError(what, hint="Install them with: pip install 'postil[serve]'") from error


def chosen_database(named: str | None) -> Path | str:
    """The database that an option names: a file, or the address of one on a server."""
    from postil.workbench.settings import default_database

    if named is None:
        return default_database()
    return named if "://" in named else Path(named)


def existing_database(named: str | None, *, hint: str) -> Path | str:
    """The database that an option names, which must exist if it is a file."""
    database = chosen_database(named)
    if isinstance(database, Path) and not database.exists():
        raise InputError(database, "does not exist.", hint=hint)
    return database


def run(options: ServeOptions, *, alone: bool = True) -> None:
    """Run the workbench until it is stopped; if not `alone`, another may be open over the same file."""
    with workbench_packages():
        import uvicorn  # noqa: F401 - all that serving needs comes with these two

        import postil.workbench.app  # noqa: F401
    _check(options)
    database = chosen_database(options.database)
    with served_alone(database) if options.local and alone else nullcontext() as tell_address:
        _serve(options, database, tell_address)
    typer.echo("Closed. Your decisions are saved.")


def _serve(options: ServeOptions, database: Path | str, tell_address: Callable[[str], None] | None) -> None:
    """Serve a database; with `tell_address` nobody else serves it, and earlier local sessions end."""
    import uvicorn

    from postil.workbench.app import create_app
    from postil.workbench.http.addresses import main_origin
    from postil.workbench.settings import Settings
    from postil.workbench.store.database import open_store
    from postil.workbench.store.drafts import drop_local_drafts
    from postil.workbench.store.logins import adopt_courses, end_local_sessions

    local = options.local
    host = _HERE if options.host == "localhost" else options.host
    listening = _listen(host, options.port)
    settings = Settings(
        database,
        host,
        listening.getsockname()[1],
        local=local,
        address=options.address,
        monitor=options.monitor,
        memory=options.memory,
    )
    if tell_address:
        tell_address(main_origin(settings))
    store = open_store(settings.database)
    # A service manager's signal works like Ctrl-C: jobs go back into the queue, and the log into the file.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if not local:
            adopt_courses(store)  # those made with --local go to the owner
        elif tell_address:
            end_local_sessions(store)
            drop_local_drafts(store)  # uploads that nobody added; it may have been killed
        app = create_app(settings, store)
        if options.example:
            app.state.first_page = _example(store)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses name questions and answers, and who reads them
            server_header=False,
            # Where there is a faster parser, uvicorn would take it; that one reads headers without end.
            http="h11",
            ws="none",
            # Only a proxy that was named is believed: anybody can send the header.
            proxy_headers=bool(options.proxy),
            forwarded_allow_ips=options.proxy or None,
            lifespan="off",
        )
        server = uvicorn.Server(config)
        with _running(settings, app, options.worker), _private_folder(settings) as folder:
            page_folder = folder if options.browser else None
            _when_started(server, lambda: _welcome(store, settings, page_folder))
            server.run(sockets=[listening])
    except KeyboardInterrupt:  # how uvicorn passes on the Ctrl-C that it has obeyed
        pass
    finally:
        if tell_address:
            drop_local_drafts(store)
        store.close()


def _check(options: ServeOptions) -> None:
    """Refuse options that contradict each other, and warn about unsafe ones."""
    from postil.workbench.http.addresses import read_address, read_networks

    read_networks(options.monitor)
    if options.local and (options.host not in _LOOPBACK or options.address or options.proxy):
        what = "--local is for one person on this computer."
        raise PostilError(what, hint="Leave out --host, --address and --proxy.")
    if options.example and not options.local:
        what = "--example goes with --local."
        raise PostilError(what, hint="With accounts, the courses page offers the bundled class.")
    origin = read_address(options.address) if options.address else ""
    if options.host in _ANYWHERE and not origin:
        what = "to listen on all addresses, Postil must know the one that people use."
        raise PostilError(what, hint="Add it, for example: --address https://postil.example.org")
    if options.host not in _LOOPBACK and not origin.startswith("https:"):
        typer.echo(
            "Warning: without TLS, passwords and answers cross the network as plain text. Put a TLS proxy "
            "in front of Postil, and give its address with --address https://…",
            err=True,
        )


@contextmanager
def _running(settings: Settings, app: FastAPI, worker: bool) -> Iterator[None]:
    """Run a worker inside the block if `worker` is set; at the end, stop the API's judging process."""
    from postil.workbench.jobs.worker import running_worker

    try:
        with running_worker(settings) if worker else nullcontext():
            yield
    finally:
        app.state.judging.close()


@contextmanager
def _private_folder(settings: Settings) -> Iterator[Path | None]:
    """Yield a folder beside the database that only this user can read, and delete it at the end."""
    if not settings.local or not isinstance(settings.database, Path):
        yield None
        return
    beside = settings.database.absolute().parent
    with TemporaryDirectory(prefix="postil-", dir=beside, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _listen(host: str, port: int) -> Any:
    """Bind the port, or explain why it cannot be used."""
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
            what = f"{host} is not an address of this computer."
            raise PostilError(what, hint="Leave out --host to listen on this one only.") from error
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
    """Call `then` in a thread as soon as the server has started."""

    def wait() -> None:
        while not server.started:
            if server.should_exit:
                return
            sleep(0.05)
        then()

    Thread(target=wait, daemon=True).start()


def _welcome(store: Store, settings: Settings, folder: Path | None) -> None:
    """Show how to get in: a link for the one person or the first owner; later, the address.

    With a folder for the page that leads to the link, a browser also opens it.
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

    def remove_when_used() -> None:
        until = monotonic() + patience
        while unused() and monotonic() < until:
            sleep(_LOOK)
        page.unlink(missing_ok=True)

    remover = Thread(target=remove_when_used, daemon=True)
    remover.start()
    return remover
