"""Sheets in the OpenDocument format: what cells show, and that no file costs more than the text in it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from postil.data.formats.detection import describe
from postil.data.formats.rows import read_rows
from postil.data.formats.spreadsheets import Limits
from postil.data.formats.workbooks import sheet_titles
from postil.errors import InputError

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
)
_TAIL = "</office:spreadsheet></office:body></office:document-content>"


def make_ods(*sheets: str, head: str = _HEAD, **parts: str) -> bytes:
    """A document with these sheets, written as the elements of each."""
    tables = (
        f'<table:table table:name="Sheet{number}">{rows}</table:table>'
        for number, rows in enumerate(sheets, 1)
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", head + "".join(tables) + _TAIL)
        for name, text in parts.items():
            archive.writestr(name.replace("_", "/", 1), text)
    return buffer.getvalue()


def row(*cells: str, times: int = 1) -> str:
    inner = "".join(cell if cell.startswith("<") else text(cell) for cell in cells)
    return f'<table:table-row table:number-rows-repeated="{times}">{inner}</table:table-row>'


def text(content: str, times: int = 1) -> str:
    inner = f"<text:p>{content}</text:p>" if content else ""
    return f'<table:table-cell table:number-columns-repeated="{times}">{inner}</table:table-cell>'


def put(tmp_path: Path, data: bytes, name: str = "class.ods") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_cells_are_read_as_people_see_them(tmp_path):
    number = (
        '<table:table-cell office:value-type="float" office:value="7"><text:p>7,00</text:p>'
        "</table:table-cell>"
    )
    day = (
        '<table:table-cell office:value-type="date" office:date-value="2026-05-01"><text:p>1/5/26</text:p>'
        "</table:table-cell>"
    )
    noted = (
        "<table:table-cell><office:annotation><text:p>a remark</text:p></office:annotation>"
        "<text:p>it is<text:s text:c='2'/><text:span>closed</text:span></text:p><text:p>so it lights</text:p>"
        "</table:table-cell>"
    )
    sheet = row("id", "day", "question", "answer") + row("", times=3) + row(number, day, "Why?", noted)
    rows = read_rows(put(tmp_path, make_ods("", sheet + row("", times=1_048_000))))
    assert rows.header == ("id", "day", "question", "answer")
    (line,) = rows.rows
    assert (line.line, line.cells) == (5, ("7", "2026-05-01", "Why?", "it is  closed\nso it lights"))


def test_repeated_rows_and_cells_are_written_out(tmp_path):
    sheet = row("question", "answer") + row(text("yes", times=2), times=3) + row(text("", times=16_384))
    rows = read_rows(put(tmp_path, make_ods(sheet)))
    assert [line.cells for line in rows.rows] == [("yes", "yes")] * 3
    assert [line.line for line in rows.rows] == [2, 3, 4]


def test_a_sheet_by_its_name(tmp_path):
    path = put(tmp_path, make_ods(row("answer") + row("a"), row("answer") + row("b")))
    assert sheet_titles(path) == ["Sheet1", "Sheet2"]
    assert read_rows(path, sheet="sheet2").rows[0].cells == ("b",)
    with pytest.raises(InputError, match="no sheet called 'Key'"):
        read_rows(path, sheet="Key")


def test_check_describes_it(tmp_path):
    path = put(tmp_path, make_ods(row("question", "answer") + row("Why?", "so")))
    assert (
        describe(path)
        == "table: 1 question, 0 references, 1 answer (1 unlabelled); answers in column 'answer'"
    )


@pytest.mark.parametrize(
    "sheet",
    [
        row("answer") + row("x" * 100, times=1_000_000),
        row("answer") + row(text("x", times=1_000_000)),
        row("answer") + row(text("x", times=1_900), times=1_000_000),
        row("answer") + row("x", times=99) + row("y", times=999_999),
        "".join(row(text("", times=n)) for n in range(60_000)),
    ],
)
def test_what_is_repeated_is_counted_before_it_is_written_out(tmp_path, sheet):
    limits = Limits(1000, 200, 5000, 100_000, 20 * 2**20)
    with pytest.raises(InputError, match=r"more than|at most|far more|holds no text"):
        read_rows(put(tmp_path, make_ods(sheet)), limits=limits)


def test_a_file_that_unpacks_too_far_or_declares_entities_is_refused(tmp_path):
    large = make_ods(row("answer") + row("x" * 3_000_000))
    with pytest.raises(InputError, match="unpacks to"):
        read_rows(put(tmp_path, large), limits=Limits(1000, 200, 5000, 10**7, 2**20))
    head = '<!DOCTYPE a [<!ENTITY b "ccc">]>' + _HEAD.partition("?>")[2]
    with pytest.raises(InputError, match=r"not an \.ods workbook"):
        read_rows(put(tmp_path, make_ods(row("answer") + row("&b;"), head=head)))
    with pytest.raises(InputError, match=r"not an \.ods workbook"):
        read_rows(put(tmp_path, b"PK\x03\x04 nonsense"))


def test_a_locked_file_is_refused_in_plain_words(tmp_path):
    manifest = "<manifest><encryption-data/></manifest>"
    data = make_ods(row("answer"), **{"META-INF_manifest.xml": manifest})
    with pytest.raises(InputError, match="protected by a password"):
        read_rows(put(tmp_path, data))
