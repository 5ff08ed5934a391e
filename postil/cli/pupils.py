"""`postil pupils`: find, export and erase one pupil's data, for whoever has the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.accounts import opened_store
from postil.cli.serve import DatabaseOption
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.workbench.store.database import Store
    from postil.workbench.store.pupils import Pupil

app = typer.Typer(
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


@app.command("find")
def find(name: Sought, course: CourseOption = None, database: DatabaseOption = None) -> None:
    """List who has this name or id: number and name of the course, the pupil's name and id, answers."""
    with opened_store(database) as store:
        for pupil in _demand(store, name, course):
            cells = (str(pupil.course_id), pupil.course, pupil.student, pupil.key)
            typer.echo("\t".join((*cells, number_of(pupil.answers, "answer"))))


@app.command("export")
def export(
    name: Sought,
    output: Annotated[Path, Argument(metavar="OUT.zip", help="The file to write.")],
    course: CourseOption = None,
    database: DatabaseOption = None,
) -> None:
    """Write everything that is stored about a pupil into one file: a table, and the same in full as JSON."""
    with opened_store(database) as store:
        from postil.data.files import atomic_writer
        from postil.workbench.pupils import pupil_zip
        from postil.workbench.store.accounts import names_of
        from postil.workbench.store.pupils import note_export, stored_of
        from postil.workbench.store.tables import now

        pupils = _demand(store, name, course)
        stored = stored_of(store, pupils)
        deciders = {decision.by for item in stored for decision in item.decisions if decision.by is not None}
        content = pupil_zip(stored, now(), names_of(store, deciders))
        with atomic_writer(output) as file:
            file.write(content)
        note_export(store, pupils, None)
    typer.echo(f"Wrote {number_of(len(stored), 'answer')} to {output}.", err=True)


@app.command("erase")
def erase(
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

        pupils = _demand(store, name, course)
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


def _demand(store: Store, name: str, courses: list[int] | None) -> list[Pupil]:
    """Those who have this name or id, in these courses if any are named; an error if there is nobody."""
    from postil.workbench.store.pupils import find_pupils

    found = find_pupils(store, name, exact=True)
    pupils = [pupil for pupil in found if not courses or pupil.course_id in courses]
    if not pupils:
        raise PostilError("no answer has this name or id.", hint="Write it as it came with the answers.")
    return pupils
