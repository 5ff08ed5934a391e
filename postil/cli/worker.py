"""`postil worker`: does the jobs of a workbench, beside others that do."""

from __future__ import annotations

from pathlib import Path

import typer

from postil.cli.workbench import DatabaseOption, chosen_database, workbench_packages
from postil.errors import InputError


def worker(database: DatabaseOption = None) -> None:
    """Do the jobs of a workbench: grade, propose, look for facets, until it is told to stop.

    `postil serve` has a worker of its own unless it is told --no-worker. Any number can share a PostgreSQL
    database, on any number of machines; or a file, on one. Told to stop, a worker gives its job back into the
    queue; if it is killed, another goes on with the job after some seconds.
    """
    with workbench_packages():
        from postil.workbench.jobs import machine
        from postil.workbench.jobs.process import work_here
        from postil.workbench.store.database import shown
    chosen = chosen_database(database)
    if isinstance(chosen, Path) and not chosen.exists():
        # It could be made; but a worker at a file that nobody else uses would wait for ever.
        raise InputError(chosen, "is not there.", hint="Start `postil serve` first, or name another file.")
    typer.echo(
        f"Doing the jobs of {shown(chosen)}: stop it with Ctrl-C, and its job goes back into the queue."
    )
    work_here(chosen, machine.load_machine)
    typer.echo("Stopped.")
