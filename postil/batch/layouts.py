"""How a text file is laid out, and its records: lines of JSON, or rows of CSV that may have several lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from postil.data.files import MAX_LINE_BYTES
from postil.data.formats.spreadsheets import sniff
from postil.errors import InputError

_BOM = "\ufeff"
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Layout:
    """What has to be known of a file before one can begin to read in its middle.

    `names` are those of the columns. A file of JSON lines has no delimiter and no header; a table of one
    column has a header and no delimiter. `header` is where the header ends.
    """

    names: tuple[str, ...] = ()
    header: int = 0
    delimiter: str = ""
    quoted: bool = True
    newline: str = "\n"


def possible_layouts(name: str, kind: str, head: bytes) -> list[Layout]:
    """How a table that begins so may be laid out, the likelier first; a file of JSON lines is as it is.

    Tab-separated files also come without quoting: there a quotation mark is only a character.
    """
    newline = "\r\n" if head.partition(b"\n")[0].endswith(b"\r") else "\n"
    if kind == "jsonl":
        return [Layout(quoted=False, newline=newline)]
    text = head.decode("utf-8", "ignore").replace("\r\n", "\n").removeprefix(_BOM)
    if not text.strip():
        raise InputError(name, "the file is empty.", hint="A table has a header at least.")
    found = "\t" if kind == "tsv" else sniff(text)
    delimiter = found if found in _DELIMITERS else ""
    tried = (True, False) if kind == "tsv" else (True,)
    return [Layout(delimiter=delimiter, quoted=quoted, newline=newline) for quoted in tried]


def records(name: str, blocks: Iterable[bytes], layout: Layout) -> Iterator[bytes]:
    """The records of a text one after the other, each with its line end; blank lines are records, too."""
    pattern = _record(layout.delimiter, layout.quoted)
    held = b""
    line = 1
    for block in blocks:
        held += block
        place = 0
        while match := pattern.match(held, place):
            yield match[0]
            line += match[0].count(b"\n")
            place = match.end()
        held = held[place:]
        if len(held) > MAX_LINE_BYTES:
            raise _endless(name, line, layout)
    if held and not pattern.fullmatch(held + b"\n"):
        raise _endless(name, line, layout)
    if held:
        yield held


@lru_cache
def _record(delimiter: str, quoted: bool) -> re.Pattern[bytes]:
    if not quoted:
        return re.compile(rb"[^\n]*+\n")
    between = re.escape(delimiter.encode())
    other = rb"[^\n" + between + rb"]*+"
    cell = rb'(?:"(?:[^"]++|"")*+"' + other + rb'|(?!")' + other + rb")"
    further = rb"(?:" + between + cell + rb")*+" if delimiter else b""
    return re.compile(rb"(?:\xef\xbb\xbf)?+" + cell + further + rb"\n")


def _endless(name: str, line: int, layout: Layout) -> InputError:
    if layout.quoted:
        return InputError(name, "a quotation mark opens here and never closes.", line=line)
    return InputError(name, "this line is too long to be a record.", line=line)


def text_of(name: str, record: bytes, line: int) -> str:
    """A record as text, without its line end and without the mark that files may begin with."""
    try:
        text = record.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(name, "is not UTF-8 text.", line=line, hint="Save it as UTF-8.") from error
    return text.removeprefix(_BOM).removesuffix("\n").removesuffix("\r")


def cells_of(name: str, text: str, layout: Layout, line: int | None = None) -> list[str]:
    """The cells of a record of a table."""
    if not layout.delimiter:
        is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
        return [text[1:-1].replace('""', '"') if is_quoted else text]
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    lines = io.StringIO(text, newline="\n")  # only \n: Unicode's line separators occur inside answers
    try:
        found = list(
            csv.reader(
                lines,
                delimiter=layout.delimiter,
                quoting=csv.QUOTE_MINIMAL if layout.quoted else csv.QUOTE_NONE,
                strict=True,
            )
        )
    except csv.Error as error:
        hint = "A quotation mark inside a quoted cell is written twice."
        raise InputError(name, f"is malformed here: {error}.", line=line, hint=hint) from error
    return found[0] if found else [""]


def fitted(name: str, cells: list[str], layout: Layout, line: int | None = None) -> list[str]:
    """As many cells as the header has: blank ones beyond are cut, any other difference is an error."""
    width = len(layout.names)
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        raise InputError(
            name,
            f"this row has {len(cells)} cells, and the header has {width}.",
            line=line,
            hint="A cell that holds the delimiter or a line break must stand in quotation marks.",
        )
    return cells[:width]


def object_of(name: str, text: str, line: int | None = None) -> dict[str, object]:
    """The fields of a line of JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "A .jsonl file holds one JSON object a line."
        raise InputError(name, "is not JSON.", line=line, hint=hint) from error
    if not isinstance(value, dict):
        raise InputError(name, "is JSON, but not an object with the columns as its fields.", line=line)
    return value


def row_text(cells: Iterable[str], layout: Layout) -> str:
    """Cells as they are written into a file of this layout, without the line end."""
    delimiter = layout.delimiter or ","
    if not layout.quoted:
        return delimiter.join(" ".join(cell.split()) for cell in cells)
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="").writerow(list(cells))
    return written.getvalue()
