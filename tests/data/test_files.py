"""Files: broken ones are refused in one sentence, and none is ever half written."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data import files
from postil.data.files import atomic_writer, read_bytes, read_lines, read_text, write_text
from postil.errors import InputError

in_folder = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# What a text file carries: no NUL, no carriage return (line ends are made one), no half of a surrogate pair.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")).filter(
    lambda text: text.strip() and not text.startswith("\ufeff")
)


@in_folder
@given(text=texts)
def test_text_round_trip(tmp_path, text):
    write_text(tmp_path / "a.txt", text)
    assert read_text(tmp_path / "a.txt") == text


@in_folder
@given(text=texts, encoding=st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_a_byte_order_mark_tells_the_encoding(tmp_path, text, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    assert read_text(path, encoding="latin-1") == text


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\rc", ["a", "b", "c"]),
        (b"a\n\n", ["a", ""]),
        ("a\u2028b\x0bc\x85d\n".encode(), ["a\u2028b\x0bc\x85d"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
    ],
)
def test_only_line_feeds_and_returns_end_lines(tmp_path, content, lines):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert read_lines(path) == lines


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n\t\r\n ",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf \n",
        "\ufeff \n".encode("utf-16-le"),
        b"\xff\xfe",
        "\u00a0\n".encode(),
    ],
)
def test_empty_in_any_encoding(tmp_path, content):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match="empty"):
        read_lines(path)


def test_wrong_encoding_names_line_and_byte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("one\ntwo\nna\u00efve\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"not UTF-8 text \(byte 0xEF\)") as caught:
        read_text(path)
    assert caught.value.line == 3
    assert read_lines(path, encoding="latin-1")[2] == "na\u00efve"


@pytest.mark.parametrize("encoding", ["klingon", "hex", "u\0"])
def test_encoding_that_is_none(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_text("a")
    with pytest.raises(InputError, match="no encoding called"):
        read_text(path, encoding=encoding)


def test_nul_names_its_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\nb\0c\n")
    with pytest.raises(InputError, match="NUL") as caught:
        read_text(path)
    assert caught.value.line == 2


def test_folder_missing_and_unusable_names(tmp_path):
    with pytest.raises(InputError, match="this is a folder"):
        read_bytes(tmp_path)
    for name in ("missing", "n" * 5000, "with\0nul"):
        with pytest.raises(InputError, match=r"cannot be read|usable"):
            read_bytes(tmp_path / name)
    (tmp_path / "file").write_text("a")
    with pytest.raises(InputError, match="cannot be read"):
        read_bytes(tmp_path / "file" / "below")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        read_bytes(tmp_path / "pipe")


def test_too_large(tmp_path):
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(files.MAX_BYTES + 1)
    with pytest.raises(InputError, match="at most 256 MB"):
        read_bytes(path)


def test_too_long_a_line_is_named(tmp_path):
    path = tmp_path / "long"
    with path.open("wb") as file:
        file.write(b"short\n")
        file.truncate(files.MAX_LINE_BYTES + 100)
    with pytest.raises(InputError, match="MB long") as caught:
        read_bytes(path)
    assert caught.value.line == 2


def test_many_short_lines_may_be_long_together(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 10)
    path = tmp_path / "a.txt"
    path.write_bytes(b"123456789\n" * 100)
    assert len(read_lines(path)) == 100
    path.write_bytes(b"123456789\n" * 100 + b"12345678901")
    with pytest.raises(InputError) as caught:
        read_lines(path)
    assert caught.value.line == 101


def test_nothing_is_left_when_writing_stops(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def write_half() -> None:
        with atomic_writer(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "before"
    assert [child.name for child in tmp_path.iterdir()] == ["a.txt"]


def test_the_file_appears_only_at_the_end(tmp_path):
    path = tmp_path / "below" / "a.txt"
    with atomic_writer(path) as file:
        file.write(b"all")
        assert not path.exists()
    assert path.read_bytes() == b"all"
    assert [child.name for child in path.parent.iterdir()] == ["a.txt"]


def test_a_written_file_has_ordinary_permissions(tmp_path):
    before = os.umask(0o022)
    try:
        write_text(tmp_path / "a.txt", "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o644


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    path.chmod(0o600)
    write_text(path, "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe or a device"):
        write_text(tmp_path / "pipe", "a")
    assert (tmp_path / "pipe").is_fifo()


def test_what_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("a")
    with pytest.raises(InputError, match="folder"):
        write_text(tmp_path, "a")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "file" / "below", "a")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / ("n" * 5000), "a")
    with pytest.raises(InputError, match="U\\+D800"):
        write_text(tmp_path / "a.txt", "half a pair: \ud800")
    assert [child.name for child in tmp_path.iterdir()] == ["file"]
