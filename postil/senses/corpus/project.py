"""The folder of an annotation project: what lies where, and how it is read and brought up to date.

Everything in it is a table that people can open, the contexts of words (a lexical-sample file each) and one
small JSON file with the settings. Chance depends on the settings' seed alone, so no draw is stored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from postil.data.files import read_text, write_text
from postil.data.formats.rows import SUFFIXES, write_rows
from postil.data.formats.senses import SenseInstance
from postil.data.formats.senseval import read_senseval, write_senseval
from postil.errors import InputError, PostilError, some
from postil.senses.corpus.defaults import FIRST_BATCH
from postil.senses.corpus.inventory import Change, Inventory
from postil.senses.corpus.items import Item, instance_item
from postil.senses.corpus.plan import Assignment, assign
from postil.senses.corpus.tablefiles import (
    CHANGE_COLUMNS,
    read_assignments,
    read_changes,
    read_inventory,
    records,
    write_assignments,
    write_inventory,
)
from postil.senses.corpus.tags import TagSet

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
    """How a project is run; `labels` are those of tasks other than senses, `ending` is that of the sheets."""

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
    """A project as its folder has it now, its sheets left aside."""

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
            for group, one in self.assignments.items()
            if (person == one.referee if referee else person in one.annotators)
        ]


def create_project(
    folder: Path,
    settings: Settings,
    *,
    items: Sequence[Item] = (),
    instances: Sequence[SenseInstance] = (),
    inventory: Inventory | None = None,
) -> Project:
    """Make the folder of a new project: from instances and their inventory, or from items of another task."""
    if (folder / _SETTINGS).exists():
        raise PostilError(
            f"{folder} holds a project already.",
            hint="Leave the texts out to bring it up to date, or choose another folder.",
        )
    _check(settings)
    ids = Counter([one.id for one in instances] + [item.id for item in items])
    twice = [id for id, count in ids.items() if count > 1]
    if twice:
        raise PostilError(f"several items have the same id: {some(twice)}.", hint="Ids must be unique.")
    groups = dict.fromkeys([one.lexelt for one in instances] + [item.group for item in items])
    assignments = assign(
        groups, settings.people, annotators=settings.annotators, referee=settings.referee, seed=settings.seed
    )
    if inventory is not None:
        write_inventory(folder / _INVENTORY, inventory)
        write_rows(folder / CHANGES, CHANGE_COLUMNS, ())
        for word in groups:
            found = (replace(one, senses=()) for one in instances if one.lexelt == word)
            write_senseval(folder / _CONTEXTS / f"{word}.xml", found, lemmatised=True)
    else:
        columns = list(dict.fromkeys(name for item in items for name, _ in item.shown))
        rows = ((one.id, one.group, *(dict(one.shown).get(name, "") for name in columns)) for one in items)
        write_rows(folder / _ITEMS, ("id", "group", *columns), rows)
    write_assignments(folder / _ASSIGNMENT, assignments)
    # Last, because it is what makes the folder a project.
    write_text(folder / _SETTINGS, json.dumps(asdict(settings), indent=2, ensure_ascii=False) + "\n")
    return open_project(folder)


def _check(settings: Settings) -> None:
    for person in settings.people:
        if not person.replace("-", "").replace("_", "").isalnum():
            raise PostilError(
                f"{person!r} cannot be a person's name here, because it names a file.",
                hint="Use letters, digits, - and _.",
            )
    if len({person.casefold() for person in settings.people}) < len(settings.people):
        raise PostilError("two people have the same name.", hint="Tell them apart, as in Ane-L and Ane-M.")
    if settings.ending not in SUFFIXES:
        raise PostilError(f"sheets cannot end in {settings.ending!r}.", hint=f"Known: {', '.join(SUFFIXES)}.")


def open_project(folder: Path) -> Project:
    """Read a project's folder: settings, items, tags in force, and who does what."""
    settings = _read_settings(folder / _SETTINGS)
    assignments = read_assignments(folder / _ASSIGNMENT, settings.people)
    if settings.task != "senses":
        items = _read_items(folder / _ITEMS)
        tag_set = TagSet(settings.labels)
        _demand_assigned(folder, {item.group for item in items.values()}, assignments)
        return Project(folder, settings, items, dict.fromkeys(assignments, tag_set), assignments)
    found = read_inventory(folder / _INVENTORY)
    _demand_assigned(folder, set(found.words), assignments)
    inventory, changes = read_changes(folder / CHANGES, found)
    contexts = (read_senseval(folder / _CONTEXTS / f"{word}.xml", encoding="utf-8") for word in assignments)
    instances = {one.id: one for each in contexts for one in each}
    return Project(
        folder,
        settings,
        {id: instance_item(one) for id, one in instances.items()},
        {word: inventory.tag_set(word) for word in assignments},
        assignments,
        inventory,
        changes,
        instances,
    )


def _read_settings(path: Path) -> Settings:
    if not path.exists():
        raise PostilError(
            f"{path.parent} is no annotation project: it has no {path.name}.",
            hint="Make one with `postil annotate plan FOLDER TEXTS …`.",
        )
    try:
        given = json.loads(read_text(path))
        _check_types(path, given)
        settings = Settings(**{**given, "people": tuple(given["people"]), "labels": tuple(given["labels"])})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(path, "is not what `postil annotate plan` wrote.", hint="Restore it.") from error
    _check(settings)
    return settings


def _check_types(path: Path, given: Mapping[str, Any]) -> None:
    """Object to a setting of another kind than `plan` writes, such as a number between quotation marks."""
    usual = json.loads(json.dumps(asdict(Settings(TASKS[0], ()))))
    for name, value in given.items():
        wrong = name not in usual or type(value) is not type(usual[name])
        wrong = wrong or (isinstance(value, list) and not all(isinstance(one, str) for one in value))
        if wrong or (name == "task" and value not in TASKS):
            raise InputError(
                path,
                f"the setting {name!r} is not one that `postil annotate plan` writes.",
                hint="Restore it.",
            )


def _read_items(path: Path) -> dict[str, Item]:
    return {
        fields["id"]: Item(
            fields["id"],
            fields["group"],
            tuple((name, text) for name, text in fields.items() if name not in ("id", "group")),
        )
        for _, fields in records(path, ("id", "group"))
    }


def _demand_assigned(folder: Path, groups: Set[str], assignments: Mapping[str, Assignment]) -> None:
    missing, strange = sorted(groups - set(assignments)), sorted(set(assignments) - groups)
    if missing:
        raise InputError(
            folder / _ASSIGNMENT, f"nobody is assigned to {some(missing)}.", hint="Put the row back."
        )
    if strange:
        raise InputError(
            folder / _ASSIGNMENT, f"the project has nothing in {some(strange)}.", hint="Take the row out."
        )
