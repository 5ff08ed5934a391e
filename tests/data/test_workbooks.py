"""Workbooks are read as openpyxl reads them, and too large ones are refused before they cost anything."""

from __future__ import annotations

import contextlib
import io
import resource
import time
import zipfile
from datetime import date, datetime, timedelta
from datetime import time as clock
from pathlib import Path

import openpyxl
import pytest
from hostile_files import HOSTILE, make_workbook

from postil.data.formats.rows import read_rows
from postil.data.formats.spreadsheets import Limits, as_text
from postil.data.formats.workbooks import read_sheet
from postil.errors import InputError, PostilError
from postil.workbench.drafts import open_file

HEAD = '<row><c t="inlineStr"><is><t>answer</t></is></c></row>'


def save(folder: Path, data: bytes) -> Path:
    path = folder / "table.xlsx"
    path.write_bytes(data)
    return path


def column(path: Path) -> list[str]:
    return [cells[0] for _, cells in read_sheet(path)]


@pytest.mark.parametrize("epoch", [openpyxl.utils.datetime.WINDOWS_EPOCH, openpyxl.utils.datetime.MAC_EPOCH])
def test_every_kind_of_cell_reads_as_openpyxl_reads_it(tmp_path: Path, epoch: datetime) -> None:
    book = openpyxl.Workbook()
    book.epoch = epoch
    values = [
        *("text", " blanks ", "two\nlines", "ünïcode 🙂", "1.50", "TRUE"),
        *(7, -3, 2.5, 1e20, 1.0, 123456789012, True, False, 0, -0.25),
        *(
            date(2024, 5, 1),
            datetime(2024, 5, 1, 9, 30, 15),
            clock(9, 30),
            timedelta(hours=30),
            datetime(1950, 1, 2),
        ),
    ]
    sheet = book.active
    for value in values:
        sheet.append([value])
    for code in ('0.00" days"', "[h]:mm", "yyyy", '"y"0', "[$-409]d/m/yy", "General", "mm:ss.0"):
        sheet.append([45000.25])
        sheet.cell(sheet.max_row, 1).number_format = code
    path = tmp_path / "table.xlsx"
    book.save(path)
    read = openpyxl.load_workbook(path, read_only=True, data_only=True)
    expected = [as_text(row[0]) for row in read.active.iter_rows(values_only=True)]
    read.close()
    assert column(path) == expected


def test_texts_in_several_fonts_formulas_and_pronunciation(tmp_path: Path) -> None:
    rows = (
        '<row><c t="s"><v>0</v></c></row>'
        '<row><c t="str"><f>A1</f><v>kept</v></c></row>'
        '<row><c t="inlineStr"><is><r><t>in </t></r><r><rPr><b/></rPr><t>line</t></r></is></c></row>'
        '<row><c t="e"><v>#N/A</v></c></row>'
        '<row><c t="d"><v>2024-05-01</v></c></row>'
    )
    strings = "<si><r><t>rich </t></r><r><t>te_x000D_xt</t></r><rPh sb='0'><t>ritchi</t></rPh></si>"
    path = save(tmp_path, make_workbook(rows, strings=strings))
    assert column(path) == ["rich te\nxt", "kept", "in line", "#N/A", "2024-05-01"]


def test_prefixes_gaps_and_places_are_understood(tmp_path: Path) -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = (
        f'<x:worksheet xmlns:x="{main}"><x:sheetData><x:row r="3"><x:c r="B3"><x:v>1</x:v></x:c>'
        '<x:c><x:v>2</x:v></x:c></x:row><x:row><x:c r="A4"><x:v>3</x:v></x:c></x:row></x:sheetData>'
        "</x:worksheet>"
    )
    path = save(tmp_path, make_workbook("", more={"xl/worksheets/sheet1.xml": sheet}))
    assert read_sheet(path) == [(3, ["", "1", "2"]), (4, ["3"])]


def test_rows_are_refused_at_the_limit_with_sheet_and_row(tmp_path: Path) -> None:
    path = save(tmp_path, make_workbook(HEAD + "<row><c><v>1</v></c></row>" * 4))
    assert len(read_rows(path, limits=Limits(rows=4)).rows) == 4
    with pytest.raises(InputError, match=r"line 5 \(sheet 'answers'\): has more than 3 rows"):
        read_rows(path, limits=Limits(rows=3))


def test_blank_cells_far_out_cost_nothing(tmp_path: Path) -> None:
    path = save(tmp_path, make_workbook(HEAD + '<row><c><v>1</v></c><c r="XFD2" s="0"/></row>'))
    assert read_sheet(path) == [(1, ["answer"]), (2, ["1"])]


def test_pictures_in_a_workbook_are_not_unpacked(tmp_path: Path) -> None:
    more = {"xl/media/image1.png": "0" * 10**7}
    path = save(tmp_path, make_workbook(HEAD + "<row><c><v>1</v></c></row>", more=more))
    assert read_sheet(path, limits=Limits(unpacked=10**6)) == [(1, ["answer"]), (2, ["1"])]


def test_an_archive_that_is_no_workbook(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("letter.txt", "Dear all")
    with pytest.raises(InputError, match="is not an"):
        read_sheet(save(tmp_path, file.getvalue()))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_read_or_refused_in_no_time(name: str) -> None:
    size = 2**20
    data = HOSTILE[name](size)
    if len(data) > 8 * size:
        pytest.skip("this one is only made large")
    begun = time.process_time()
    with contextlib.suppress(PostilError):
        opened = open_file(name, data)
        assert sum(len(cell) for row in opened.rows.rows for cell in row.cells) <= 2 * size
    assert time.process_time() - begun < 5  # 50 MB in as much: benchmarks/hostile.py --files
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 2**20  # kilobytes


def test_the_limit_of_a_table_is_found_while_it_is_read() -> None:
    """A table far beyond the limit costs little more than one that just exceeds it."""
    row = b"1,an answer of some words\n"
    times = []
    for rows in (101, 400_000):
        begun = time.process_time()
        with pytest.raises(PostilError, match="line 102: has more than 100 rows"):
            open_file("class.csv", b"id,answer\n" + row * rows, 100)
        times.append(time.process_time() - begun)
    assert times[1] < times[0] + 2
