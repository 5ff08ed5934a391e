"""What people have done in a project and have still to do: their sheets, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from postil.errors import InputError
from postil.senses.corpus.arbitration import complete, disagreements
from postil.senses.corpus.items import by_group
from postil.senses.corpus.plan import Draw, draw
from postil.senses.corpus.project import IN_FORCE, Project
from postil.senses.corpus.sheets import disputed, read_sheet, write_sheet
from postil.senses.corpus.tablefiles import write_inventory
from postil.senses.corpus.tags import Tagging


def read_tags(project: Project) -> list[Tagging]:
    """Read what all annotators have filled into their sheets so far."""
    return _read_sheets(project, referee=False)


def read_decisions(project: Project) -> list[Tagging]:
    """Read what all referees have filled into their sheets so far."""
    return _read_sheets(project, referee=True)


def _read_sheets(project: Project, *, referee: bool) -> list[Tagging]:
    taggings = []
    for person in project.settings.people:
        path = project.sheet(person, referee=referee)
        if path.exists():
            taggings += _read_sheet(project, path, person)
    places = {item: place for place, item in enumerate(project.items)}
    return sorted(taggings, key=lambda one: places[one.item])


def _read_sheet(project: Project, path: Path, person: str) -> list[Tagging]:
    groups = {id: item.group for id, item in project.items.items()}
    return read_sheet(path, person, groups, project.tag_sets)


def take_sheet(project: Project, path: Path) -> list[Tagging]:
    """Read a sheet that came back from somebody: it is called after the person, with any ending."""
    person = path.stem
    if person not in project.settings.people:
        raise InputError(
            path,
            f"there is nobody called {person!r} in this project.",
            hint=f"Name the file after one of {', '.join(project.settings.people)}.",
        )
    taggings = _read_sheet(project, path, person)
    strange = next((one for one in taggings if one.group not in project.groups_of(person)), None)
    if strange is not None:
        raise InputError(
            path,
            f"{person} does not tag {strange.group!r}.",
            record=strange.item,
            hint="Is the sheet called after the right person?",
        )
    return taggings


def plan_draws(project: Project, taggings: Sequence[Tagging]) -> list[Draw]:
    """What is to be tagged as things stand: in tasks other than senses, every item."""
    draws = []
    for group, items in by_group(project.items.values()).items():
        ids = [item.id for item in items]
        if project.settings.task == "senses":
            how = {"first": project.settings.first, "seed": project.settings.seed}
            draws.append(draw(ids, taggings, project.tag_sets[group], project.assignments[group], **how))
        else:
            draws.append(Draw(group, len(ids), tuple(ids)))
    return draws


def write_sheets(
    project: Project, draws: Iterable[Draw], taggings: Sequence[Tagging], came: Sequence[Path] = ()
) -> None:
    """Write every annotator's sheet, with what is filled in already, and the senses in force.

    `came` are the sheets that came back from people, whose notes and further columns are taken over, too.
    """
    if project.settings.task == "senses":
        write_inventory(project.folder / IN_FORCE, project.inventory)
    drawn = {one.group: one.tagged for one in draws}
    for person in project.settings.people:
        own = [one for one in taggings if one.person == person]
        wanted = [id for group in project.groups_of(person) for id in drawn[group]]
        # What was tagged before somebody else took over stays in the sheet, too.
        listed = dict.fromkeys([*wanted, *(one.item for one in own)])
        if listed:
            items = [project.items[id] for id in listed]
            write_sheet(project.sheet(person), items, own, came=[one for one in came if one.stem == person])


def multiwords(project: Project, taggings: Iterable[Tagging]) -> dict[tuple[str, str], None]:
    """The multiword terms that somebody wrote, each after its group, in the order they are met."""
    return dict.fromkeys(
        (one.group, tag)
        for one in taggings
        for tag in one.tags
        if one.group in project.tag_sets and project.tag_sets[one.group].is_multiword(tag)
    )


def write_disputes(
    project: Project, taggings: Sequence[Tagging], decisions: Sequence[Tagging]
) -> dict[str, int]:
    """Write every referee's sheet, and tell how many decisions each of them has still to make.

    Decisions on items that nobody disputes any more stay in the sheet, below the others.
    """
    disputes = disagreements(complete(taggings, project.assignments))
    waiting = {}
    for person in project.settings.people:
        groups = project.groups_of(person, referee=True)
        own = [one for one in disputes if one.group in groups]
        if own:
            made = [one for one in decisions if one.person == person]
            write_sheet(project.sheet(person, referee=True), disputed(own, project.items), made)
            waiting[person] = len({one.item for one in own} - {one.item for one in made})
    return waiting
