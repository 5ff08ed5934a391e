"""`postil serve`: the workbench in the browser, for one teacher on this computer."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.errors import PostilError

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from postil.service.settings import Settings
    from postil.service.web.security import Door

_HOST = "127.0.0.1"
_NEEDED = ("fastapi", "uvicorn", "jinja2", "sqlalchemy", "alembic", "multipart", "python_multipart")


def serve(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Where to listen.")] = 8400,
    database: Annotated[
        Path | None,
        typer.Option(
            "--database",
            metavar="FILE",
            help="Where courses and answers are kept; else in your own data folder.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the workbench in your browser at once.")
    ] = True,
    example: Annotated[bool, typer.Option("--example", help="Begin with the bundled class.")] = False,
) -> None:
    """Grade classes in the browser: bring answers, read them with notes in the margin, decide, export.

    The workbench listens on this computer only, and opens with a link that works once. Nothing leaves this
    computer.
    """
    try:
        import uvicorn

        from postil.service.settings import Settings, default_database
        from postil.service.web.app import create_app
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] not in _NEEDED:
            raise
        raise PostilError(
            f"the workbench needs packages that are not installed ({error.name}).",
            hint="Install them with: pip install 'postil[serve]'",
        ) from error

    from postil.service.jobs.process import running_worker
    from postil.service.store.database import open_store

    listening = _listen(port)
    settings = Settings(database or default_database(), _HOST, listening.getsockname()[1])
    store = open_store(settings.database)
    try:
        app = create_app(settings, store)
        if example:
            app.state.first_page = _example(store)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
            )
        )
        # Beside the courses, where only this user looks; what a browser was shown there goes at the end.
        with (
            _private_folder(settings) as folder,
            running_worker(settings),
        ):
            _welcome_when_started(server, app, settings, Path(folder) if browser else None)
            server.run(sockets=[listening])
    except KeyboardInterrupt:  # how uvicorn passes on the Ctrl-C that it has obeyed
        pass
    finally:
        store.close()
    typer.echo("Closed. What you decided is kept.")


def _private_folder(settings: Settings) -> TemporaryDirectory[str]:
    beside = settings.database.absolute().parent
    return TemporaryDirectory(prefix="postil-", dir=beside, ignore_cleanup_errors=True)


def _listen(port: int) -> Any:
    """Take the port, or say that somebody else has it."""
    import asyncio

    async def take() -> Any:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(asyncio.Protocol, _HOST, port, start_serving=False)
        try:
            return server.sockets[0].dup()
        finally:
            server.close()

    try:
        return asyncio.run(take())
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "is taken, perhaps by a workbench that is still running" if taken else "may not be used"
        raise PostilError(
            f"port {port} on this computer {why}.",
            hint=f"Choose another, as in: postil serve --port {port + 1 if 1024 < port < 65535 else 8401}",
        ) from error


def _example(store: Any) -> str:
    """The page of the bundled class, made if it is not there yet."""
    from postil.service.store.courses import list_courses
    from postil.service.storing import EXAMPLE, store_example

    known = next((course.id for course in list_courses(store) if course.name == EXAMPLE), None)
    return f"/courses/{store_example(store) if known is None else known}"


def _welcome_when_started(
    server: uvicorn.Server, app: FastAPI, settings: Settings, folder: Path | None
) -> None:
    """Show a link as soon as it works, and another whenever Enter is pressed.

    With a folder for the page that leads a browser to the link, the browser is opened, too.
    """
    from threading import Thread
    from time import sleep

    from postil.cli.linkpage import open_in_browser

    door: Door = app.state.door

    def link(token: str) -> str:
        return f"http://{_HOST}:{settings.port}/open?token={token}"

    def welcome() -> None:
        while not server.started:
            if server.should_exit:
                return
            sleep(0.05)
        token = door.new_link()
        typer.echo("Postil is ready: open this link.")
        typer.echo(
            f"\n  {link(token)}\n\nIt works once, in one browser. Courses are kept in {settings.database}."
        )
        if folder and open_in_browser(link(token), folder, lambda: door.is_unused(token)):
            typer.echo("Your browser opens it now. If it shows nothing, open the link yourself.")
        if not sys.stdin or not sys.stdin.isatty():
            return
        typer.echo("Press Enter for a new link, Ctrl-C to close.")
        for _ in iter(sys.stdin.readline, ""):
            typer.echo(f"\n  {link(door.new_link())}\n")

    Thread(target=welcome, daemon=True).start()
