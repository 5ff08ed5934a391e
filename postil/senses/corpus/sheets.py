"""The tables of an annotation project, checked when they come back from a spreadsheet program.

A sheet has a row for each item, with what a person needs to see and a cell for the tags. The other tables are
the senses, the editor's changes, the assignments, the taggings and the outcomes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from postil.data.files import Seen, read_text
from postil.data.formats.rows import read_rows, write_rows
from postil.data.formats.spreadsheets import undefused
from postil.errors import InputError, PostilError, some
from postil.senses.corpus.agreement import Outcome
from postil.senses.corpus.items import (
    NO_GROUP,
    Change,
    Inventory,
    Item,
    Sense,
    Tagging,
    TagSet,
    added,
    changed,
    written,
)
from postil.senses.corpus.plan import Assignment

CHANGE_COLUMNS = ("date", "by", "word", "change", "sense", "into", "gloss", "reason")
_FILLED = ("tags", "seconds", "note")
_NAME = re.compile(r"[^\s;,]+")


def records(path: Path | str, required: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows of a table, each with its line and its cells by column; `required` columns must exist."""
    _demand_tabs(Path(path))
    rows = read_rows(path)
    if missing := [name for name in required if name not in rows.header]:
        what = f"the first row names no column {some(missing)}; it has {some(rows.header, 12)}."
        raise InputError(path, what, line=1, hint="Leave the first row as it was written.")
    for row in rows.rows:
        yield row.line, dict(zip(rows.header, map(str.strip, row.cells), strict=True))


def _demand_tabs(path: Path) -> None:
    """Object to a table that a spreadsheet program has saved under its old name in another format."""
    if path.suffix.lower() != ".tsv":
        return
    first = read_text(path).partition("\n")[0]
    mark = next((mark for mark in ";," if mark in first), "")
    if mark and "\t" not in first and not first.startswith("sep="):
        what = f"has {mark!r} between its columns, where a .tsv file has tabs."
        raise InputError(path, what, line=1, hint="Save it again with tabs between the columns.")


@contextmanager
def at(path: Path | str, line: int, record: str | None = None) -> Iterator[None]:
    """Add file and line to a problem that is found inside."""
    try:
        yield
    except InputError:
        raise
    except PostilError as error:
        raise InputError(path, error.what, line=line, record=record, hint=error.hint) from error


def read_inventory(path: Path | str) -> Inventory:
    """Read the senses of words: columns `word`, `sense`, `gloss` and perhaps `example`."""
    inventory = Inventory()
    for line, fields in records(path, ("word", "sense", "gloss")):
        word, id, gloss = fields["word"], fields["sense"], fields["gloss"]
        with at(path, line):
            if word.split() != [word] or "/" in word or not gloss:
                raise PostilError("a word (no spaces or slashes), a sense and a gloss are required.")
            inventory = added(inventory, Sense(word, id, gloss, fields.get("example", "")))
    if not inventory.senses:
        raise InputError(path, "has a header but no senses.")
    return inventory


def read_changes(path: Path | str, inventory: Inventory) -> tuple[Inventory, tuple[Change, ...]]:
    """Read the editor's changes and apply them one after the other."""
    changes = []
    for line, fields in records(path, ("word", "change", "sense")):
        into, gloss = fields.get("into", ""), fields.get("gloss", "")
        change = Change(fields["word"], fields["change"].lower(), fields["sense"], into, gloss)
        with at(path, line):
            if change.action == "add" and not change.gloss:
                raise PostilError("an added sense needs a gloss.", hint="Say what it means in 'gloss'.")
            inventory = changed(inventory, change)
        changes.append(change)
    return inventory, tuple(changes)


def write_inventory(path: Path | str, inventory: Inventory) -> None:
    """Write the senses in force, for the people who tag."""
    folded: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (word, id), into in inventory.folded.items():
        folded[word, into].append(id)
    rows = (
        (sense.word, sense.id, sense.gloss, sense.example, written(folded[sense.word, sense.id]))
        for word in inventory.words
        for sense in inventory.senses
        if sense.word == word
    )
    write_rows(path, ("word", "sense", "gloss", "example", "with"), rows)


def write_assignments(path: Path | str, assignments: Sequence[Assignment]) -> None:
    """Write who tags what and who decides."""
    rows = ((each.group, written(each.annotators), each.referee) for each in assignments)
    write_rows(path, ("group", "annotators", "referee"), rows)


def read_assignments(path: Path | str, people: Sequence[str]) -> dict[str, Assignment]:
    """Read who tags what and who decides, as drawn or as changed since."""
    assignments: dict[str, Assignment] = {}
    for line, fields in records(path, ("group", "annotators", "referee")):
        group, referee = fields["group"], fields["referee"]
        annotators = tuple(_NAME.findall(fields["annotators"]))
        team = [*annotators, *([referee] if referee else [])]
        unknown = [name for name in team if name not in people]
        problem = f"nobody is called {some(unknown)}." if unknown else ""
        if group in assignments:
            problem = f"the group {group!r} is listed twice."
        elif len(annotators) < 2 or len(set(team)) < len(team):
            problem = "two different annotators are needed, and a referee who is neither of them."
        if problem:
            raise InputError(path, problem, line=line, hint=f"People: {', '.join(people)}.")
        assignments[group] = Assignment(group, annotators, referee)
    return assignments


def write_taggings(path: Path | str, taggings: Sequence[Tagging]) -> None:
    """Write the tags of all people, one row for each person and item."""
    rows = (
        (each.item, each.group, each.person, written(each.tags), seconds_text(each.seconds), each.note)
        for each in taggings
    )
    write_rows(path, ("id", "group", "annotator", "tags", "seconds", "note"), rows)


def read_taggings(path: Path | str) -> list[Tagging]:
    """Read a table of taggings: columns `id`, `annotator`, `tags`, and perhaps `group`, `seconds`, `note`."""
    taggings = []
    groups: dict[str, str] = {}
    for line, fields in records(path, ("id", "annotator", "tags")):
        item, person, group = fields["id"], fields["annotator"], fields.get("group") or NO_GROUP
        tags = tuple(dict.fromkeys(tag.strip() for tag in fields["tags"].split(";") if tag.strip()))
        if not item or not person or not tags:
            raise InputError(path, "an id, an annotator and a tag are needed in every row.", line=line)
        with at(path, line, item):
            seconds = seconds_of(fields.get("seconds", ""))
        if groups.setdefault(item, group) != group:
            what = f"belongs to {group!r} here, and to {groups[item]!r} above."
            raise InputError(path, what, line=line, record=item, hint="An item has one group.")
        taggings.append(Tagging(item, group, person, tags, seconds, fields.get("note", "")))
    return taggings


def write_outcomes(path: Path | str, outcomes: Sequence[Outcome]) -> None:
    """Write the tags that items have in the end."""
    rows = ((each.item, each.group, written(each.tags), each.how) for each in outcomes)
    write_rows(path, ("id", "group", "tags", "how"), rows)


def seconds_of(text: str) -> float | None:
    """Read a time in seconds, with a decimal point or comma; None for an empty text."""
    if not text:
        return None
    try:
        seconds = float(text.replace(",", "."))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise PostilError(f"{text[:20]!r} is not a number of seconds.", hint="Write a number or nothing.")
    return seconds


def seconds_text(seconds: float | None) -> str:
    """Write a time into a cell."""
    return "" if seconds is None else f"{seconds:g}"


def write_sheet(
    path: Path | str, items: Sequence[Item], filled: Iterable[Tagging] = (), *, came: Iterable[Path] = ()
) -> None:
    """Write the sheet of one person with the tags given so far.

    Whatever the person wrote into the present sheet, or into others that `came` back, stays: notes, added
    columns and, below the items, any other row that holds something.
    """
    taggings = {tagging.item: tagging for tagging in filled}
    shown = list(dict.fromkeys(name for item in items for name, _ in item.shown))
    columns = ["id", "group", *shown, *_FILLED]
    # The cells of each item in the person's sheets; where several are filled in, the last counts.
    before: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for sheet in (Path(path), *came):
        for _, fields in _rows(sheet) if sheet.exists() else ():
            cells = before[fields["id"]]
            cells |= {name: text or cells.get(name, "") for name, text in fields.items()}
    new = list(dict.fromkeys(name for fields in before.values() for name in fields if name not in columns))
    rows = []
    for item in items:
        cells = {**before.pop(item.id, {}), **dict(item.shown)}
        cells |= {"id": item.id, "group": item.group, "tags": ""}
        if tagging := taggings.get(item.id):
            extra = {"seconds": seconds_text(tagging.seconds), "note": tagging.note}
            cells |= {"tags": written(tagging.as_written)} | {k: text for k, text in extra.items() if text}
        rows.append(cells)
    rows += [cells for cells in before.values() if any(cells.get(name) for name in (*_FILLED, *new))]
    columns += new
    # A student's answer may look like a formula to a spreadsheet program.
    table = [[cells.get(name, "") for name in columns] for cells in rows]
    write_rows(path, columns, table, defuse_formulas=True)


def read_sheet(
    path: Path | str, person: str, groups: Mapping[str, str], tag_sets: Mapping[str, TagSet]
) -> list[Tagging]:
    """Read the tags that a person has filled in; rows without tags are left out.

    `groups` names the group of each item, `tag_sets` the tags of each group.
    """
    taggings = []
    seen = Seen(path)
    for line, fields in _rows(path):
        item = fields["id"]
        seen.add(item, line)
        if not fields["tags"]:
            continue
        if item not in groups:
            what = f"the project has no item {item!r}."
            raise InputError(path, what, line=line, hint="Is it the right sheet?")
        group = groups[item]
        with at(path, line, item):
            tags = tag_sets[group].as_written(fields["tags"])
            seconds = seconds_of(fields.get("seconds", ""))
        if tags:  # a lone semicolon is no tag
            now = tag_sets[group].grouped(tags)
            taggings.append(Tagging(item, group, person, now, seconds, fields.get("note", ""), tags))
    return taggings


def _rows(path: Path | str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a sheet, without the apostrophes that keep cells from being formulas."""
    for line, fields in records(path, ("id", "tags")):
        yield line, {name: undefused(text) for name, text in fields.items()}
