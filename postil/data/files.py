"""Reading files that may be broken, and writing files that are never half there."""

from __future__ import annotations

import codecs
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from postil.errors import InputError

MAX_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 8 * 1024 * 1024

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def is_folder(path: Path) -> bool:
    """Whether this is a folder; a name that no file can have (too long, say) is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_bytes(path: Path | str) -> bytes:
    """Read a whole file, refusing what is missing, a folder, a pipe, empty or absurdly large."""
    path = Path(path)
    try:
        if is_folder(path):
            raise InputError(path, "this is a folder, and a file is needed here.", hint="Name a file in it.")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            # Readers may look at a file twice, and a pipe can be read only once.
            raise InputError(path, "this is a pipe or a device, not a file.", hint="Save it to a file first.")
        size = status.st_size
        if size > MAX_BYTES:
            raise InputError(
                path,
                f"the file is {size / 2**20:,.0f} MB; at most {MAX_BYTES // 2**20} MB are read at once.",
                hint="Split it into smaller files.",
            )
        data = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL in the name
        raise InputError(repr(str(path)), f"is not a usable file name: {error}.") from error
    if not data.strip():
        raise _empty(path)
    _refuse_long_lines(path, data)
    return data


def _empty(path: Path | str) -> InputError:
    return InputError(path, "the file is empty.", hint="Is it the right one?")


def _refuse_long_lines(path: Path, data: bytes) -> None:
    if len(data) <= MAX_LINE_BYTES:
        return
    start, line = 0, 1
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end - start > MAX_LINE_BYTES:
            raise InputError(
                path,
                f"this line is {(end - start) / 2**20:,.0f} MB long; no format read here has such lines.",
                line=line,
                hint="Is it really a text file with one record a line?",
            )
        start, line = end + 1, line + 1


def read_text(path: Path | str, *, encoding: str | None = None) -> str:
    """Read a text file as UTF-8 (or as its byte-order mark or `encoding` says), line ends as `\\n`."""
    data = read_bytes(path)
    detected = encoding or "utf-8"
    for mark, name in _BOMS:
        if data.startswith(mark):
            data, detected = data[len(mark) :], name
            break
    try:
        text = data.decode(detected)
    except UnicodeDecodeError as error:
        raise InputError(
            path,
            f"is not {detected.upper()} text (byte 0x{data[error.start]:02X}).",
            line=data.count(b"\n", 0, error.start) + 1,
            hint="Save it as UTF-8 (in Excel: 'CSV UTF-8'). For a table, --encoding can name another, "
            "such as cp1252 where Excel on Windows saved it.",
        ) from error
    except (LookupError, ValueError) as error:
        raise InputError(path, f"cannot be read: there is no encoding called {detected!r}.") from error
    if not text.strip():  # a byte-order mark and nothing else, say
        raise _empty(path)
    if "\0" in text:
        raise InputError(
            path,
            "holds NUL characters: this is not a text file.",
            line=text.count("\n", 0, text.index("\0")) + 1,
            hint="Is it a spreadsheet or an archive with the wrong ending?",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path | str, *, encoding: str | None = None) -> list[str]:
    """Read a text file as its lines, without line ends.

    Only `\\n` ends a line here: `str.splitlines` would also split at characters that occur inside answers.
    """
    lines = read_text(path, encoding=encoding).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def refuse_unwritable(path: Path) -> None:
    """Refuse to write to a folder, a pipe or a device; long work can ask this before it begins."""
    if is_folder(path):
        raise InputError(path, "this is a folder; a file name is needed to write to.")
    try:
        special = path.exists() and not path.is_file()
    except (OSError, ValueError):
        return  # opening it will say what is wrong with the name
    if special:
        # The finished file takes the name's place, and /dev/stdout must stay what it is.
        raise InputError(path, "this is a pipe or a device; a file name is needed to write to.")


@contextmanager
def atomic_writer(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only when it was written to the end."""
    path = Path(path)
    refuse_unwritable(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = temporary.open("xb")
        if path.exists():  # a class's file that only its teacher may read stays so
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}.") from error
    try:
        with opened as file:
            yield file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text with `\\n` line ends, completely or not at all."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise InputError(
            path,
            f"cannot be written: the text holds U+{code:04X}, half of a character.",
            hint="Remove it first.",
        ) from error
    with atomic_writer(path) as file:
        file.write(data)
