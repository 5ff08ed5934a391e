"""The sheets that people fill in: one row an item, with what they need to see and a cell for the tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from postil.data.files import Seen, read_text
from postil.data.formats.rows import read_rows, write_rows
from postil.errors import InputError, PostilError, some
from postil.senses.corpus.agreement import Disagreement, Outcome
from postil.senses.corpus.inventory import ACTIONS, Change, Inventory, Sense, added, changed
from postil.senses.corpus.items import Item, Tagging, TagSet, written
from postil.senses.corpus.plan import Assignment

# The tables of an annotation project: people edit them in a spreadsheet, and they come back checked.

_NAME = re.compile(r"[^\s;,]+")

CHANGE_COLUMNS = ("date", "by", "word", "change", "sense", "into", "gloss", "reason")


def records(path: Path | str, required: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Give each row of a table with its line, cells by column; the columns named must be there."""
    _demand_tabs(Path(path))
    rows = read_rows(path)
    missing = [name for name in required if name not in rows.header]
    if missing:
        raise InputError(
            path,
            f"the first row names no column {some(missing)}; it has {some(rows.header, 12)}.",
            line=1,
            hint="Leave the first row as it was written.",
        )
    for row in rows.rows:
        yield row.line, dict(zip(rows.header, map(str.strip, row.cells), strict=True))


def _demand_tabs(path: Path) -> None:
    """Object to a table that a spreadsheet program has saved under its old name in another format."""
    if path.suffix.lower() != ".tsv":
        return
    first = read_text(path).partition("\n")[0]
    mark = next((mark for mark in ";," if mark in first), "")
    if mark and "\t" not in first and not first.startswith("sep="):
        raise InputError(
            path,
            f"has {mark!r} between its columns, where a .tsv file has tabs.",
            line=1,
            hint="Save it again with tabs between the columns.",
        )


@contextmanager
def at(path: Path | str, line: int, record: str | None = None) -> Iterator[None]:
    """Say in which file and line a problem lies that was found without knowing that."""
    try:
        yield
    except InputError:
        raise
    except PostilError as error:
        raise InputError(path, error.what, line=line, record=record, hint=error.hint) from error


def read_inventory(path: Path | str) -> Inventory:
    """Read the senses of words: columns `word`, `sense`, `gloss` and, if there is one, `example`."""
    inventory = Inventory()
    for line, fields in records(path, ("word", "sense", "gloss")):
        word, id, gloss = fields["word"], fields["sense"], fields["gloss"]
        if word.split() != [word] or "/" in word or not gloss:
            raise InputError(
                path, "a word (without blanks or slashes), a sense and a gloss are needed.", line=line
            )
        with at(path, line):
            inventory = added(inventory, Sense(word, id, gloss, fields.get("example", "")))
    if not inventory.senses:
        raise InputError(path, "there is a header and no sense below it.")
    return inventory


def read_changes(path: Path | str, inventory: Inventory) -> tuple[Inventory, tuple[Change, ...]]:
    """Read the editor's changes, and make them one after the other."""
    changes = []
    for line, fields in records(path, ("word", "change", "sense")):
        change = Change(
            fields["word"],
            fields["change"].lower(),
            fields["sense"],
            fields.get("into", ""),
            fields.get("gloss", ""),
        )
        with at(path, line):
            if change.action == "add" and not change.gloss:
                raise PostilError("an added sense needs a gloss.", hint="Say what it means in 'gloss'.")
            inventory = changed(inventory, change)
        changes.append(change)
    return inventory, tuple(changes)


def write_inventory(path: Path | str, inventory: Inventory) -> None:
    """Write the senses in force, for the people who tag."""
    folded: dict[tuple[str, str], list[str]] = {}
    for (word, sense), into in inventory.folded.items():
        folded.setdefault((word, into), []).append(sense)
    rows = (
        (one.word, one.id, one.gloss, one.example, written(folded.get((one.word, one.id), ())))
        for one in sorted(inventory.senses, key=lambda one: inventory.words.index(one.word))
    )
    write_rows(path, ("word", "sense", "gloss", "example", "with"), rows)


def count_changes(changes: Sequence[Change]) -> dict[str, int]:
    """How many senses were added, deleted and grouped."""
    return {action: sum(change.action == action for change in changes) for action in ACTIONS}


def write_assignments(path: Path | str, assignments: Sequence[Assignment]) -> None:
    """Write who tags what and who decides."""
    rows = ((one.group, written(one.annotators), one.referee) for one in assignments)
    write_rows(path, ("group", "annotators", "referee"), rows)


def read_assignments(path: Path | str, people: Sequence[str]) -> dict[str, Assignment]:
    """Read who tags what, as it was drawn or as somebody has changed it since."""
    found: dict[str, Assignment] = {}
    for line, fields in records(path, ("group", "annotators", "referee")):
        annotators = tuple(_NAME.findall(fields["annotators"]))
        everybody = [*annotators, *([fields["referee"]] if fields["referee"] else [])]
        strange = [name for name in everybody if name not in people]
        problem = f"there is nobody called {some(strange)}." if strange else ""
        if fields["group"] in found:
            problem = f"the group {fields['group']!r} stands here a second time."
        elif len(annotators) < 2 or len(set(everybody)) < len(everybody):
            problem = "two different annotators are needed, and a referee who is neither of them."
        if problem:
            raise InputError(path, problem, line=line, hint=f"People: {', '.join(people)}.")
        found[fields["group"]] = Assignment(fields["group"], annotators, fields["referee"])
    return found


def write_taggings(path: Path | str, taggings: Sequence[Tagging]) -> None:
    """Write what everybody said, one row for each person and item."""
    rows = (
        (one.item, one.group, one.person, written(one.tags), seconds_text(one.seconds), one.note)
        for one in taggings
    )
    write_rows(path, ("id", "group", "annotator", "tags", "seconds", "note"), rows)


def read_taggings(path: Path | str) -> list[Tagging]:
    """Read a table of taggings, from here or elsewhere: `id`, `annotator`, `tags`, and `group`, `seconds`."""
    taggings = []
    groups: dict[str, str] = {}
    for line, fields in records(path, ("id", "annotator", "tags")):
        tags = tuple(dict.fromkeys(tag.strip() for tag in fields["tags"].split(";") if tag.strip()))
        if not fields["id"] or not fields["annotator"] or not tags:
            raise InputError(path, "an id, an annotator and a tag are needed in every row.", line=line)
        with at(path, line, fields["id"]):
            seconds = seconds_of(fields.get("seconds", ""))
        group = fields.get("group") or "all"
        if groups.setdefault(fields["id"], group) != group:
            what = f"belongs to {group!r} here, and to {groups[fields['id']]!r} above."
            raise InputError(path, what, line=line, record=fields["id"], hint="An item has one group.")
        taggings.append(
            Tagging(fields["id"], group, fields["annotator"], tags, seconds, fields.get("note", ""))
        )
    return taggings


def write_outcomes(path: Path | str, outcomes: Sequence[Outcome]) -> None:
    """Write the tags that items have in the end."""
    rows = ((one.item, one.group, written(one.tags), one.how) for one in outcomes)
    write_rows(path, ("id", "group", "tags", "how"), rows)


def seconds_of(text: str) -> float | None:
    """Read a time in seconds, with a decimal point or comma; None where there is nothing."""
    if not text:
        return None
    try:
        seconds = float(text.replace(",", "."))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise PostilError(f"{text[:20]!r} is no number of seconds.", hint="Write a number, or nothing.")
    return seconds


def seconds_text(seconds: float | None) -> str:
    """Write a time as it stands in a cell."""
    return "" if seconds is None else f"{seconds:g}"


_FILLED = ("tags", "seconds", "note")
_DEFUSED = re.compile(r"^'(?=[=+\-@])")


def write_sheet(
    path: Path | str, items: Sequence[Item], filled: Iterable[Tagging] = (), *, came: Iterable[Path] = ()
) -> None:
    """Write the sheet of one person, with what has been filled in already.

    Where there is such a sheet, or others `came` back from the person, all that was written into them stays:
    notes, columns that were added, and below the items any other row that holds something.
    """
    told = {one.item: one for one in filled}
    shown = list(dict.fromkeys(name for item in items for name, _ in item.shown))
    columns = ["id", "group", *shown, *_FILLED]
    before = _before([sheet for sheet in (Path(path), *came) if sheet.exists()])
    new = list(dict.fromkeys(name for fields in before.values() for name in fields if name not in columns))
    rows = []
    for item in items:
        cells = {**before.pop(item.id, {}), **dict(item.shown)}
        cells |= {"id": item.id, "group": item.group, "tags": ""}
        if item.id in told:
            one = told[item.id]
            timed = {"seconds": seconds_text(one.seconds), "note": one.note}
            cells |= {"tags": written(one.as_written)} | {name: text for name, text in timed.items() if text}
        rows.append(cells)
    rows += [cells for cells in before.values() if any(cells.get(name) for name in (*_FILLED, *new))]
    columns += new
    # A student's answer may look like a formula to a spreadsheet program.
    table = [[cells.get(name, "") for name in columns] for cells in rows]
    write_rows(path, columns, table, defuse_formulas=True)


def _before(sheets: Iterable[Path]) -> dict[str, dict[str, str]]:
    """The cells of each item in a person's sheets; where several say something, the last does."""
    found: dict[str, dict[str, str]] = {}
    for sheet in sheets:
        for _, fields in _rows(sheet):
            cells = found.setdefault(fields["id"], {})
            cells |= {name: text or cells.get(name, "") for name, text in fields.items()}
    return found


def read_sheet(
    path: Path | str, person: str, groups: Mapping[str, str], tag_sets: Mapping[str, TagSet]
) -> list[Tagging]:
    """Read what a person has filled in; rows without tags are still to be done.

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
            raise InputError(
                path, f"the project has no item {item!r}.", line=line, hint="Is it the right sheet?"
            )
        group = groups[item]
        with at(path, line, item):
            tags = tag_sets[group].as_written(fields["tags"])
            seconds = seconds_of(fields.get("seconds", ""))
        if tags:  # a lone semicolon says nothing
            now = tag_sets[group].grouped(tags)
            taggings.append(Tagging(item, group, person, now, seconds, fields.get("note", ""), tags))
    return taggings


def _rows(path: Path | str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a sheet, without the apostrophes that keep cells from being formulas."""
    for line, fields in records(path, ("id", "tags")):
        yield line, {name: _DEFUSED.sub("", text) for name, text in fields.items()}


def disputed(disagreements: Sequence[Disagreement], items: Mapping[str, Item]) -> list[Item]:
    """The items of disagreements as a referee sees them: what was said, without who said it, comes first."""
    return [
        Item(one.item, one.group, (("said", " / ".join(one.choice)), *items[one.item].shown))
        for one in disagreements
    ]
