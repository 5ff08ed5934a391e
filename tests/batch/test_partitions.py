"""Cutting files: nothing is lost or doubled, records stay whole, and malformed input is noticed at once."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.batch.partitions import RAW, cut, read_batches
from postil.batch.storage import find_sources
from postil.errors import InputError

NAMES = ("id", "answer")
cells = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=12)


def made(path, data, size=20):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return cut(find_sources(str(path))[0], size)


def rows_of(found, columns=NAMES, window=3):
    """All rows of a file: what was written, and the columns, read partition by partition."""
    rows = []
    for task in found:
        for batch in read_batches(task.partition, columns, window):
            raw = batch.rows.column(RAW).to_pylist() if RAW in batch.rows.column_names else []
            rows += zip(*(batch.values[name] for name in columns), strict=True) if columns else raw
    return rows


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(cells, cells).filter(lambda row: any("".join(row).strip())), max_size=20),
    size=st.integers(1, 200),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
    mark=st.sampled_from(["", "\ufeff"]),
    trailing=st.booleans(),
)
def test_no_row_of_csv_is_lost(tmp_path, rows, size, quoting, end, delimiter, mark, trailing):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows([NAMES, *rows])
    data = mark + (text.getvalue() if trailing else text.getvalue().removesuffix(end))
    found = made(tmp_path / ("a.tsv" if delimiter == "\t" else "a.csv"), data, size)
    assert rows_of(found) == rows
    assert [task.partition.number for task in found] == list(range(len(found)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=4), max_size=15),
    size=st.integers(1, 200),
    end=st.sampled_from(["\n", "\r\n", "\n\n"]),
    plain=st.booleans(),
)
def test_no_line_of_json_is_lost(tmp_path, rows, size, end, plain):
    lines = [json.dumps(row, ensure_ascii=not plain) for row in rows]
    try:
        data = end.join(lines).encode()
    except UnicodeEncodeError:  # half a character can only be written as \ud800
        data = end.join(json.dumps(row) for row in rows).encode()
        lines = [json.dumps(row) for row in rows]
    found = made(tmp_path / "a.jsonl", data, size)
    assert rows_of(found, ()) == lines


def test_partitions_are_about_as_large_as_asked(tmp_path):
    text = "id,answer\n" + "".join(f"{number:04},word\n" for number in range(100))  # ten bytes each
    found = made(tmp_path / "a.csv", text, 100)
    assert [(task.partition.begin, task.partition.end) for task in found] == [
        (10 + 100 * n, 110 + 100 * n) for n in range(10)
    ]


def test_a_file_is_always_cut_in_the_same_way(tmp_path):
    text = "id,answer\n" + "".join(f'{number},"a\n{number}"\n' for number in range(50))
    assert made(tmp_path / "a.csv", text) == made(tmp_path / "a.csv", text)
    assert made(tmp_path / "a.csv", text + "51,x\n")[0].sha256 != made(tmp_path / "a.csv", text)[0].sha256


@pytest.mark.parametrize("data", ["id,answer\n", "id,answer", "\ufeffid,answer\r\n"])
def test_a_header_alone(tmp_path, data):
    found = made(tmp_path / "a.csv", data)
    assert (found[0].partition.layout.names, len(found), rows_of(found)) == (NAMES, 1, [])


def test_an_empty_file(tmp_path):
    with pytest.raises(InputError, match="the file is empty"):
        made(tmp_path / "a.csv", "")
    with pytest.raises(InputError, match="the file is empty"):
        made(tmp_path / "b.csv", "\ufeff\n")
    assert rows_of(made(tmp_path / "a.jsonl", ""), ()) == []


def test_quotation_marks_in_the_middle_of_cells_are_characters(tmp_path):
    found = made(tmp_path / "a.csv", 'id,answer\n1,a 5" pipe\n2,x\n', 5)
    assert rows_of(found) == [("1", 'a 5" pipe'), ("2", "x")]


def test_tabs_with_and_without_quoting(tmp_path):
    assert rows_of(made(tmp_path / "a.tsv", 'id\tanswer\n1\t"a\n\tb"\n')) == [("1", "a\n\tb")]
    assert rows_of(made(tmp_path / "b.tsv", 'id\tanswer\n1\t"so he says\n2\tx\n')) == [
        ("1", '"so he says'),
        ("2", "x"),
    ]


def test_a_table_of_one_column(tmp_path):
    found = made(tmp_path / "a.csv", 'answer\nIt lights, because\n"so ""x"""\n')
    assert rows_of(found, ("answer",)) == [("It lights, because",), ('so "x"',)]
    assert rows_of(found, ()) == ['"It lights, because"', '"so ""x"""']


def test_blank_cells_beyond_the_header_are_cut(tmp_path):
    assert rows_of(made(tmp_path / "a.csv", "id,answer\n1,x,,\n2,y\n"), ()) == ["1,x", "2,y"]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", "id,answer\n1,x\n2\n", r"a.csv, line 3: this row has 1 cells, but the header has 2"),
        ("a.csv", "id,answer\n1,x\n2,y,z\n", r"line 3: this row has 3 cells"),
        ("a.csv", 'id,answer\n1,x\n2,"y\n3,z\n', "line 3: a quotation mark opens here and never closes"),
        ("a.csv", 'id,answer\n1,"x"y\n', "line 2: is malformed here"),
        ("a.csv", b"id,answer\n1,\xff\n", "line 2: is not UTF-8 text"),
        ("a.csv", "id,answer,answer\n1,x,y\n", "columns 2 and 3 are both called 'answer'."),
        ("a.jsonl", '{"answer": 1}\n\n{"answer": }\n', "line 3: is not JSON"),
        ("a.jsonl", "[1]\n", "line 1: is JSON, but not an object"),
        ("a.parquet", "PAR1 and nothing else", "is not a Parquet file, or it is damaged"),
        ("a.csv.gz", "id,answer\n", "cannot be read: it is damaged"),
        ("a.csv.gz", gzip.compress(b"id,answer\n1,x\n", mtime=0)[:-9], "cannot be read: it is damaged"),
    ],
)
def test_what_is_malformed(tmp_path, name, data, said):
    with pytest.raises(InputError, match=said) as caught:
        made(tmp_path / name, data)
    assert "z" not in str(caught.value).split(":")[-1].split()  # no answer is repeated


def test_compressed_text_is_one_partition(tmp_path):
    text = "id,answer\n" + "".join(f'{number},"a\nb"\n' for number in range(30))
    found = made(tmp_path / "a.csv.gz", gzip.compress(text.encode()))
    assert len(found) == 1
    assert rows_of(found) == [(str(number), "a\nb") for number in range(30)]


@pytest.mark.parametrize(("rows", "group", "partitions"), [(0, 1, 1), (25_000, 3_000, 3), (9, 9, 1)])
def test_row_groups_are_taken_together(tmp_path, rows, group, partitions):
    stored = pa.table({"id": range(rows), "answer": [{"a": n} for n in range(rows)]})
    pq.write_table(stored, tmp_path / "a.parquet", row_group_size=group)
    found = cut(find_sources(str(tmp_path))[0])
    assert len(found) == partitions
    assert [row[0] for row in rows_of(found, window=1024)] == list(range(rows))
