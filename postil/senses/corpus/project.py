"""The folder of an annotation project: what lies where, and how people's sheets are read and updated.

It holds tables that people can open, the contexts of words (a lexical-sample file each) and one small JSON
file with the settings. Chance depends on the settings' seed alone, so no draw is stored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from postil.data.files import read_text, write_text
from postil.data.formats.rows import SUFFIXES, write_rows
from postil.data.formats.senseval import SenseInstance, read_senseval, write_senseval
from postil.errors import InputError, PostilError, some
from postil.senses.corpus.agreement import complete, disagreements
from postil.senses.corpus.items import Change, Inventory, Item, Tagging, TagSet, by_group, instance_item
from postil.senses.corpus.plan import FIRST_BATCH, Assignment, Draw, assign, draw
from postil.senses.corpus.sheets import (
    CHANGE_COLUMNS,
    read_assignments,
    read_changes,
    read_inventory,
    read_sheet,
    records,
    write_assignments,
    write_inventory,
    write_sheet,
)

TASKS = ("senses", "entailment", "responses")
CHANGES = "changes.tsv"
IN_FORCE = "senses.tsv"

_SETTINGS = "project.json"
_INVENTORY = "inventory.tsv"
_ASSIGNMENT = "assignment.tsv"
_ITEMS = "items.tsv"
_CONTEXTS = "contexts"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a project is run; `labels` are for tasks other than senses, `ending` is that of sheets."""

    task: str
    people: tuple[str, ...]
    annotators: int = 2
    referee: bool = True
    first: int = FIRST_BATCH
    seed: int = 0
    labels: tuple[str, ...] = ()
    ending: str = ".tsv"


@dataclass(frozen=True, slots=True)
class Project:
    """The present state of a project's folder, without its sheets."""

    folder: Path
    settings: Settings
    items: Mapping[str, Item]
    tag_sets: Mapping[str, TagSet]
    assignments: Mapping[str, Assignment]
    inventory: Inventory = field(default_factory=Inventory)
    changes: tuple[Change, ...] = ()
    instances: Mapping[str, SenseInstance] | None = None

    @property
    def own_tags(self) -> bool:
        """Whether each group has tags of its own, as words have senses."""
        return self.settings.task == "senses"

    def sheet(self, person: str, *, referee: bool = False) -> Path:
        """Where the sheet of a person lies, as annotator or as referee."""
        return self.folder / ("referee" if referee else "sheets") / f"{person}{self.settings.ending}"

    def groups_of(self, person: str, *, referee: bool = False) -> list[str]:
        """The groups that a person tags, or decides on."""
        return [
            group
            for group, assignment in self.assignments.items()
            if (person == assignment.referee if referee else person in assignment.annotators)
        ]


def create_project(
    folder: Path,
    settings: Settings,
    *,
    items: Sequence[Item] = (),
    instances: Sequence[SenseInstance] = (),
    inventory: Inventory | None = None,
) -> Project:
    """Make the folder of a new project, from instances and their inventory or from items of another task."""
    if (folder / _SETTINGS).exists():
        raise PostilError(
            f"{folder} already holds a project.",
            hint="Leave out the texts to update it, or choose another folder.",
        )
    _check(settings)
    items = [*map(instance_item, instances), *items]
    repeated = [id for id, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        raise PostilError(f"several items have the same id: {some(repeated)}.", hint="Ids must be unique.")
    groups = dict.fromkeys(item.group for item in items)
    assignments = assign(
        groups, settings.people, annotators=settings.annotators, referee=settings.referee, seed=settings.seed
    )
    if inventory is not None:
        write_inventory(folder / _INVENTORY, inventory)
        write_rows(folder / CHANGES, CHANGE_COLUMNS, ())
        for word in groups:
            own = (replace(instance, senses=()) for instance in instances if instance.lexelt == word)
            write_senseval(folder / _CONTEXTS / f"{word}.xml", own, lemmatised=True)
    else:
        columns = list(dict.fromkeys(name for item in items for name, _ in item.shown))
        cells = ({"id": item.id, "group": item.group, **dict(item.shown)} for item in items)
        columns = ["id", "group", *columns]
        write_rows(folder / _ITEMS, columns, ([row.get(name, "") for name in columns] for row in cells))
    write_assignments(folder / _ASSIGNMENT, assignments)
    # Last, because it is what makes the folder a project.
    write_text(folder / _SETTINGS, json.dumps(asdict(settings), indent=2, ensure_ascii=False) + "\n")
    return open_project(folder)


def _check(settings: Settings) -> None:
    for person in settings.people:
        if not person.replace("-", "").replace("_", "").isalnum():
            raise PostilError(
                f"{person!r} cannot name a person, because the name is also that of a file.",
                hint="Use letters, digits, - and _.",
            )
    if len({person.casefold() for person in settings.people}) < len(settings.people):
        raise PostilError("two people have the same name.", hint="Distinguish them, as in Ane-L and Ane-M.")
    if settings.ending not in SUFFIXES:
        raise PostilError(f"sheets cannot end in {settings.ending!r}.", hint=f"Known: {', '.join(SUFFIXES)}.")


def open_project(folder: Path) -> Project:
    """Read a project's folder: settings, items, tags in force and assignments."""
    settings = _read_settings(folder / _SETTINGS)
    assignments = read_assignments(folder / _ASSIGNMENT, settings.people)
    if settings.task != "senses":
        items = {}
        for _, fields in records(folder / _ITEMS, ("id", "group")):
            shown = tuple((name, text) for name, text in fields.items() if name not in ("id", "group"))
            items[fields["id"]] = Item(fields["id"], fields["group"], shown)
        tag_set = TagSet(settings.labels)
        _demand_assigned(folder, {item.group for item in items.values()}, assignments)
        return Project(folder, settings, items, dict.fromkeys(assignments, tag_set), assignments)
    original = read_inventory(folder / _INVENTORY)
    _demand_assigned(folder, set(original.words), assignments)
    inventory, changes = read_changes(folder / CHANGES, original)
    contexts = (read_senseval(folder / _CONTEXTS / f"{word}.xml", encoding="utf-8") for word in assignments)
    instances = {instance.id: instance for each in contexts for instance in each}
    return Project(
        folder,
        settings,
        {id: instance_item(instance) for id, instance in instances.items()},
        {word: inventory.tag_set(word) for word in assignments},
        assignments,
        inventory,
        changes,
        instances,
    )


def _read_settings(path: Path) -> Settings:
    if not path.exists():
        raise PostilError(
            f"{path.parent} is not an annotation project: it has no {path.name}.",
            hint="Make one with `postil annotate plan FOLDER TEXTS …`.",
        )
    try:
        values = json.loads(read_text(path))
        _check_types(path, values)
        lists = {name: tuple(values[name]) for name in ("people", "labels")}
        settings = Settings(**{**values, **lists})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(path, "is not what `postil annotate plan` wrote.", hint="Restore it.") from error
    _check(settings)
    return settings


def _check_types(path: Path, values: Mapping[str, Any]) -> None:
    """Object to a setting of another type than `plan` writes, such as a number in quotation marks."""
    usual = json.loads(json.dumps(asdict(Settings(TASKS[0], ()))))
    for name, value in values.items():
        wrong = name not in usual or type(value) is not type(usual[name])
        wrong = wrong or (isinstance(value, list) and not all(isinstance(each, str) for each in value))
        if wrong or (name == "task" and value not in TASKS):
            what = f"the setting {name!r} is not one that `postil annotate plan` writes."
            raise InputError(path, what, hint="Restore it.")


def _demand_assigned(folder: Path, groups: Set[str], assignments: Mapping[str, Assignment]) -> None:
    path = folder / _ASSIGNMENT
    if missing := sorted(groups - set(assignments)):
        raise InputError(path, f"nobody is assigned to {some(missing)}.", hint="Put the row back.")
    if unknown := sorted(set(assignments) - groups):
        raise InputError(path, f"the project has nothing in {some(unknown)}.", hint="Take the row out.")


def read_tags(project: Project, *, referee: bool = False) -> list[Tagging]:
    """Read what all annotators, or all referees, have filled into their sheets so far."""
    taggings = []
    for person in project.settings.people:
        path = project.sheet(person, referee=referee)
        if path.exists():
            taggings += _read_sheet(project, path, person)
    order = {item: number for number, item in enumerate(project.items)}
    return sorted(taggings, key=lambda tagging: order[tagging.item])


def _read_sheet(project: Project, path: Path, person: str) -> list[Tagging]:
    groups = {id: item.group for id, item in project.items.items()}
    return read_sheet(path, person, groups, project.tag_sets)


def take_sheet(project: Project, path: Path) -> list[Tagging]:
    """Read a sheet that somebody sent back; the file is named after the person, with any ending."""
    person = path.stem
    if person not in project.settings.people:
        hint = f"Name the file after one of {', '.join(project.settings.people)}."
        raise InputError(path, f"nobody in this project is called {person!r}.", hint=hint)
    taggings = _read_sheet(project, path, person)
    groups = project.groups_of(person)
    for tagging in taggings:
        if tagging.group not in groups:
            what = f"{person} does not tag {tagging.group!r}."
            hint = "Is the sheet named after the right person?"
            raise InputError(path, what, record=tagging.item, hint=hint)
    return taggings


def plan_draws(project: Project, taggings: Sequence[Tagging]) -> list[Draw]:
    """The items to be tagged at present: in tasks other than senses, all of them."""
    draws = []
    for group, items in by_group(project.items.values()).items():
        ids = [item.id for item in items]
        if project.settings.task == "senses":
            options = {"first": project.settings.first, "seed": project.settings.seed}
            draws.append(draw(ids, taggings, project.tag_sets[group], project.assignments[group], **options))
        else:
            draws.append(Draw(group, len(ids), tuple(ids)))
    return draws


def write_sheets(
    project: Project, draws: Iterable[Draw], taggings: Sequence[Tagging], came: Sequence[Path] = ()
) -> None:
    """Write every annotator's sheet with the tags given so far, and the senses in force.

    `came` are the sheets that people sent back; their notes and further columns are kept.
    """
    if project.settings.task == "senses":
        write_inventory(project.folder / IN_FORCE, project.inventory)
    drawn = {draw.group: draw.tagged for draw in draws}
    for person in project.settings.people:
        own = [tagging for tagging in taggings if tagging.person == person]
        due = [id for group in project.groups_of(person) for id in drawn[group]]
        # Items tagged before somebody else took over stay in the sheet.
        listed = dict.fromkeys([*due, *(tagging.item for tagging in own)])
        if listed:
            items = [project.items[id] for id in listed]
            sheets = [sheet for sheet in came if sheet.stem == person]
            write_sheet(project.sheet(person), items, own, came=sheets)


def multiwords(project: Project, taggings: Iterable[Tagging]) -> dict[tuple[str, str], None]:
    """The multiword terms among the tags, each after its group, in the order they are met."""
    tags = dict.fromkeys((tagging.group, tag) for tagging in taggings for tag in tagging.tags)
    sets = project.tag_sets
    return {(group, tag): None for group, tag in tags if group in sets and sets[group].is_multiword(tag)}


def write_disputes(
    project: Project, taggings: Sequence[Tagging], decisions: Sequence[Tagging]
) -> dict[str, int]:
    """Write every referee's sheet, and count the decisions that each of them still has to make.

    Decisions on items that are no longer disputed stay in the sheet, below the others.
    """
    disputes = disagreements(complete(taggings, project.assignments))
    waiting = {}
    for person in project.settings.people:
        groups = project.groups_of(person, referee=True)
        own = [dispute for dispute in disputes if dispute.group in groups]
        if own:
            made = [decision for decision in decisions if decision.person == person]
            items = []
            for dispute in own:  # a referee sees first what was said, but not by whom
                item = project.items[dispute.item]
                items.append(replace(item, shown=(("said", " / ".join(dispute.choice)), *item.shown)))
            write_sheet(project.sheet(person, referee=True), items, made)
            waiting[person] = len({dispute.item for dispute in own} - {decision.item for decision in made})
    return waiting
