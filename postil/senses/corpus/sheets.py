"""The sheets that people fill in: one row an item, with what they need to see and a cell for the tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from postil.data.formats.rows import write_rows
from postil.data.tsv import Seen
from postil.errors import InputError
from postil.senses.corpus.arbitration import Disagreement
from postil.senses.corpus.items import Item
from postil.senses.corpus.tablefiles import at, records, seconds_of, seconds_text
from postil.senses.corpus.tags import Tagging, TagSet, written

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
