"""Files made to hurt: uploads of any size that are cheap to make and expensive to read.

Tests use a few megabytes of each; a benchmark makes them as large as an upload may be.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = f"""{_HEAD}<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>
<Override PartName="/xl/sharedStrings.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>
<Override PartName="/xl/styles.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"""
_ROOT = f"""{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>"""
_BOOK = f"""{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">
<sheets><sheet name="answers" sheetId="1" r:id="rId1"/></sheets></workbook>"""
_PARTS = f"""{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>
<Relationship Id="rId3" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>"""
_TITLES = (
    '<row r="1"><c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>answer</t></is></c></row>'
)
_ONE_ROW = '<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="s"><v>0</v></c></row>'


def make_workbook(
    rows: str,
    *,
    strings: str = "<si><t>It is lit.</t></si>",
    styles: str = '<cellXfs count="1"><xf numFmtId="0"/></cellXfs>',
    after: str = "",
    packed: bool = True,
    more: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook from the XML of its rows, shared strings and styles, and what stands after the rows."""
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _ROOT,
        "xl/workbook.xml": _BOOK,
        "xl/_rels/workbook.xml.rels": _PARTS,
        "xl/styles.xml": f'{_HEAD}<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>',
        "xl/sharedStrings.xml": f'{_HEAD}<sst xmlns="{_MAIN}">{strings}</sst>',
        "xl/worksheets/sheet1.xml": (
            f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>'
        ),
        **(more or {}),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def _fill(text: str, size: int) -> str:
    """A text again and again, until it has about this size."""
    return text * max(1, size // len(text))


def _last_column(size: int) -> bytes:
    """20,000 rows with one cell in the last column that a sheet has: few bytes, a huge rectangle."""
    cells = (f'<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>' for row in range(2, 20_002))
    return make_workbook(_TITLES + "".join(cells))


def _last_cell(size: int) -> bytes:
    return make_workbook(f'{_TITLES}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')


def _wide_sheet(size: int) -> bytes:
    row = f"<row>{'<c><v>1</v></c>' * 10_000}</row>"
    return make_workbook(_fill(row, size))


def _many_cells(size: int) -> bytes:
    row = f"<row>{'<c><v>1</v></c>' * 150}</row>"
    return make_workbook(_fill(row, size))


def _formatted_rows(size: int) -> bytes:
    """Rows that are formatted and empty, as programs leave them where somebody has coloured a column."""
    return make_workbook(_TITLES + _ONE_ROW + _fill('<row s="1" customFormat="1"/>', size))


def _formatted_cells(size: int) -> bytes:
    row = '<c s="1"/>' * 100
    return make_workbook(_TITLES + _ONE_ROW + _fill(f"<row>{row}</row>", size))


def _merged_ranges(size: int) -> bytes:
    merged = _fill('<mergeCell ref="A1:XFD1048576"/>', size)
    return make_workbook(_TITLES + _ONE_ROW, after=f"<mergeCells>{merged}</mergeCells>")


def _many_strings(size: int) -> bytes:
    return make_workbook(_TITLES + _ONE_ROW, strings=_fill("<si><t/></si>", size))


def _rich_string(size: int) -> bytes:
    """One shared string in millions of pieces."""
    return make_workbook(_TITLES + _ONE_ROW, strings=f"<si>{_fill('<r><t>a</t></r>', size)}</si>")


def _repeated_string(size: int) -> bytes:
    """A long shared string that every row repeats: a megabyte of file, gigabytes of answers."""
    strings = f"<si><t>{'word ' * 200_000}</t></si>"
    row = '<row><c><v>1</v></c><c t="s"><v>0</v></c></row>'
    return make_workbook(_TITLES + row * 10_000, strings=strings)


def _many_styles(size: int) -> bytes:
    styles = _fill('<xf numFmtId="14"/>', size)
    return make_workbook(_TITLES + _ONE_ROW, styles=f"<cellXfs>{styles}</cellXfs>")


def _packed_zeros(size: int) -> bytes:
    """A small file that unpacks to a thousand times its size."""
    return make_workbook(_TITLES + _ONE_ROW, more={"xl/media/image1.png": "0" * (20 * size)})


def _many_entries(size: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(size // 110):
            archive.writestr(f"{number:x}", b"")
    return file.getvalue()


def _entities(size: int) -> bytes:
    """A workbook whose sheet declares entities that grow when they are put in."""
    rules = ""
    for number in range(1, 9):
        grown = f"&e{number - 1};" * 10
        rules += f'<!ENTITY e{number} "{grown}">'
    sheet = f'<!DOCTYPE x [<!ENTITY e0 "lol">{rules}]><worksheet xmlns="{_MAIN}"><sheetData>&e8;</sheetData>'
    return make_workbook("", more={"xl/worksheets/sheet1.xml": f"{sheet}</worksheet>"})


def _encoded(text: str) -> bytes:
    return text.encode()


def _many_questions(size: int) -> bytes:
    """As many columns as may be read, each of them a question."""
    columns = 199
    header = ",".join(f"Why is it {number}?" for number in range(columns))
    row = ",".join(f"so {number}" for number in range(columns))
    rows = min(2_500, max(1, size // len(row)))
    return _encoded(f"{header}\n" + f"{row}\n" * rows)


def _random_questions(size: int) -> bytes:
    """A report of Moodle in which every pupil was asked other questions."""
    slots = range(1, 67)
    header = ",".join(f"Question {slot},Response {slot},Right answer {slot}" for slot in slots)
    rows = (
        ",".join(f"Why {row} {slot}?,so,because" for slot in slots)
        for row in range(min(2_500, max(1, size // 1500)))
    )
    return _encoded(f"{header}\n" + "\n".join(rows) + "\n")


_HEADER = "id,answer\n1,It is lit.\n"
_LONG = 8_000_000  # a line that is just not too long to be read

# The ending says how a file is read, and so does the name where the rest of it means something.
HOSTILE: Mapping[str, Callable[[int], bytes]] = {
    "last-column.xlsx": _last_column,
    "last-cell.xlsx": _last_cell,
    "wide-sheet.xlsx": _wide_sheet,
    "many-cells.xlsx": _many_cells,
    "formatted-rows.xlsx": _formatted_rows,
    "formatted-cells.xlsx": _formatted_cells,
    "merged-ranges.xlsx": _merged_ranges,
    "many-strings.xlsx": _many_strings,
    "rich-string.xlsx": _rich_string,
    "repeated-string.xlsx": _repeated_string,
    "many-styles.xlsx": _many_styles,
    "packed-zeros.xlsx": _packed_zeros,
    "many-entries.xlsx": _many_entries,
    "entities.xlsx": _entities,
    "long-text.xlsx": lambda size: make_workbook(
        _TITLES + _ONE_ROW, strings=f"<si><t>{_fill('word ', size)}</t></si>"
    ),
    "line-breaks.xlsx": lambda size: make_workbook(
        _TITLES + _ONE_ROW, strings=f"<si><t>{_fill('&#10;', size)}</t></si>"
    ),
    "rows.csv": lambda size: _encoded(_HEADER + _fill("1,a\n", size)),
    "commas.csv": lambda size: b"," * size,
    "lines-of-commas.csv": lambda size: _encoded(_fill("," * _LONG + "\n", size)),
    "lines-of-commas-below.csv": lambda size: _encoded(_HEADER + _fill("," * _LONG + "\n", size)),
    "blank-lines.csv": lambda size: _encoded(_HEADER + "\n" * size + "2,b\n"),
    "newlines.csv": lambda size: b"\n" * size,
    "carriage-returns.csv": lambda size: _encoded(_HEADER + "\r" * size + "2,b\n"),
    "unclosed.csv": lambda size: _encoded(_HEADER + '2,"' + _fill("word\n", size)),
    "quotes.csv": lambda size: _encoded(_HEADER + _fill('"' * 1000 + "\n", size)),
    "cells.csv": lambda size: _encoded(_fill(",".join(f"c{n}" for n in range(190)) + "\n", size)),
    "wide-rows.csv": lambda size: _encoded(_fill("a," * 150 + "b\n", size)),
    "many-questions.csv": _many_questions,
    "random-questions.csv": _random_questions,
    "nul.csv": lambda size: b"\0" * size,
    "nul-at-the-end.csv": lambda size: _encoded(_HEADER + _fill("1,a\n", size)) + b"\0",
    "long-line.csv": lambda size: _encoded(_HEADER + "2," + "a" * size),
    "one-column.csv": lambda size: _encoded(
        "answer\n" + _fill("word " * 100 + "\n", size) + "".join(map(chr, range(0xE000, 0xF900)))
    ),
    "latin.csv": lambda size: _encoded(_HEADER + _fill("1,a\n", size)) + "2,é\n".encode("cp1252"),
    "marks.csv": lambda size: _encoded(_HEADER + _fill("1,a" + "\u0301" * 50_000 + "\n", size)),
    "heading.csv": lambda size: _encoded(
        "".join(map(chr, range(0x301, 0x340))) * (_LONG // 200) + ",b\n1,2\n"
    ),
    "tabs.tsv": lambda size: _encoded(_fill("\t" * _LONG + "\n", size)),
    "unclosed.tsv": lambda size: _encoded('id\tanswer\n1\t"' + _fill("2\tword\n", size)),
    "rows.jsonl": lambda size: _encoded(_fill('{"id":1,"answer":"a"}\n', size)),
    "blank-lines.jsonl": lambda size: _encoded('{"id":1,"answer":"a"}\n' + "\n" * size + "{}"),
    "fields.jsonl": lambda size: _encoded(
        "".join(f'{{"a{n}":1}}\n' for n in range(max(1, size // 14)))[:size].rpartition("\n")[0]
    ),
    "list.jsonl": lambda size: _encoded(_fill('{"a":[' + "1," * 3_900_000 + "1]}\n", size)),
    "brackets.jsonl": lambda size: _encoded(_fill("[" * _LONG + "\n", size)),
    "objects.json": lambda size: _encoded("[" + _fill("{},\n", size) + "{}]"),
    "lists.json": lambda size: _encoded("[" + _fill("[],\n", size) + "[]]"),
    "nested.json": lambda size: _encoded(_fill("[\n", size)),
    "fields.json": lambda size: _encoded(
        "[{" + ",\n".join(f'"k{number}":1' for number in range(size // 14)) + "}]"
    ),
    "numbers.json": lambda size: _encoded('[{"a":[' + _fill("1,\n", size) + "1]}]"),
    "elements.xml": lambda size: _encoded("<quiz>" + _fill("<a/>\n", size) + "</quiz>"),
    "nested.xml": lambda size: _encoded("<quiz>" + _fill("<a>\n", size)),
    "attributes.xml": lambda size: _encoded(
        "<quiz " + "".join(f'a{n}=""\n' for n in range(max(1, size // 12))) + "/>"
    ),
    "text.xml": lambda size: _encoded("<quiz>" + _fill("a\n", size) + "</quiz>"),
    "references.xml": lambda size: _encoded("<quiz>" + _fill("&#10;\n", size) + "</quiz>"),
    "comment.xml": lambda size: _encoded("<quiz><!--" + _fill("a\n", size)),
    "questions.xml": lambda size: _encoded(
        "<quiz>"
        + _fill(
            '<question type="shortanswer"><name><text>a</text></name><questiontext><text>Why?</text>'
            '</questiontext><answer fraction="100"><text>b</text></answer></question>\n',
            size,
        )
        + "</quiz>"
    ),
    "markup.xml": lambda size: _encoded(
        '<quiz><question type="essay"><name><text>a</text></name><questiontext format="html"><text>'
        + _fill("&lt;![\n", size)
        + "</text></questiontext></question></quiz>"
    ),
    "corpus.xml": lambda size: _encoded(
        '<question id="q"><questionText>Why?</questionText><studentAnswers>'
        + _fill("<studentAnswer/>\n", size)
        + "</studentAnswers></question>"
    ),
    "questions.gift": lambda size: _encoded(_fill("::a:: Why? {=b}\n\n", size)),
    "braces.gift": lambda size: _encoded("::a:: Why?" + _fill("{ \n", size)),
    "colons.gift": lambda size: _encoded(_fill("::" * 1000 + "\n", size) + "{"),
    "spaces.gift": lambda size: _encoded(_fill("{" + " " * 4_000_000 + "\n", size)),
    "comments.gift": lambda size: _encoded("::a:: Why? {=b}\n" + _fill("//[id:\n", size)),
    "marks.gift": lambda size: _encoded("::a:: Why? {=b}\n" + _fill("//" + "[id:" * 1_000_000 + "\n", size)),
    "prose.txt": lambda size: _encoded(_fill("It is a truth universally acknowledged.\n", size)),
    "nothing.bin": lambda size: bytes(range(256)) * (size // 256),
}


def hostile_files(folder: Path, size: int) -> list[Path]:
    """Write every hostile file, each of about `size` bytes unless it needs fewer, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in HOSTILE.items():
        path = folder / name
        path.write_bytes(make(size))
        paths.append(path)
    return paths
