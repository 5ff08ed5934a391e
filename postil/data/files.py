"""Reads text, tables and XML that may be broken, and writes files completely or not at all."""

from __future__ import annotations

import codecs
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html.entities import html5
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import combining, normalize
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers import expat

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from postil.errors import InputError, Problem, some, warn_of

MAX_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_TAGS = 4_000_000  # and attributes, of an XML file

_OWNER, _EVERYBODY = 0o600, 0o666  # of the latter, the system takes away what its user does not want

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def is_folder(path: Path) -> bool:
    """Whether this is a folder; a name that no file can have (too long, say) is not."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_bytes(path: Path | str, *, in_lines: bool = True) -> bytes:
    """Read a whole file, refusing what is missing, a folder, a pipe, empty or absurdly large.

    So is a line that no format has, unless the file is not one `in_lines`.
    """
    path = Path(path)
    try:
        if is_folder(path):
            raise InputError(path, "this is a folder, but a file is needed.", hint="Name a file in it.")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            # Readers may look at a file twice, and a pipe can be read only once.
            raise InputError(path, "this is a pipe or a device, not a file.", hint="Save it to a file first.")
        size = status.st_size
        if size > MAX_BYTES:
            what = f"the file is {size / 2**20:,.0f} MB; at most {MAX_BYTES // 2**20} MB are read at once."
            raise InputError(path, what, hint="Split it into smaller files.")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL in the name
        raise InputError(repr(str(path)), f"is not a usable file name: {error}.") from error
    if not data.strip():
        raise _empty(path)
    if in_lines:
        _refuse_long_lines(path, data)
    return data


def _refuse_long_lines(path: Path, data: bytes) -> None:
    start = 0
    while len(data) - start > MAX_LINE_BYTES:
        # From line end to line end in steps as long as a line may be: a file of line ends has few of them.
        end = data.rfind(b"\n", start, start + MAX_LINE_BYTES + 1)
        if end < 0:
            length = (data.find(b"\n", start) if b"\n" in data[start:] else len(data)) - start
            what = f"this line is {length / 2**20:,.0f} MB long; no format read here has such lines."
            hint = "Is it really a text file with one record a line?"
            raise InputError(path, what, line=data.count(b"\n", 0, start) + 1, hint=hint)
        start = end + 1


def _empty(path: Path | str) -> InputError:
    return InputError(path, "the file is empty.", hint="Is it the right one?")


def read_text(path: Path | str, *, encoding: str | None = None) -> str:
    """Read a text file as UTF-8 (or as its byte-order mark or `encoding` says), line ends as `\\n`."""
    data = read_bytes(path)
    mark, detected = next((bom for bom in _BOMS if data.startswith(bom[0])), (b"", encoding or "utf-8"))
    data = data.removeprefix(mark)
    try:
        text = data.decode(detected)
    except UnicodeDecodeError as error:
        raise InputError(
            path,
            f"is not {detected.upper()} text (byte 0x{data[error.start]:02X}).",
            line=data.count(b"\n", 0, error.start) + 1,
            hint="Save it as UTF-8 (in Excel: 'CSV UTF-8').",
            option="For a table, --encoding can name another, such as cp1252 where Excel on Windows "
            "saved it.",
        ) from error
    except (LookupError, ValueError) as error:
        raise InputError(path, f"cannot be read: there is no encoding called {detected!r}.") from error
    if not text.strip():  # a byte-order mark and nothing else, say
        raise _empty(path)
    if "\0" in text:
        what = "holds NUL characters: this is not a text file."
        hint = "Is it a spreadsheet or an archive with the wrong ending?"
        raise InputError(path, what, line=text.count("\n", 0, text.index("\0")) + 1, hint=hint)
    return unify_line_ends(text)


def unify_line_ends(text: str) -> str:
    """Write every line end as `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path | str, *, encoding: str | None = None) -> list[str]:
    """Read a text file as its lines, without line ends.

    Only `\\n` ends a line here: `str.splitlines` would also split at characters that occur inside answers.
    """
    lines = read_text(path, encoding=encoding).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def line_numbers(text: str | bytes, positions: Iterable[int]) -> Iterator[int]:
    """The number of the line at each of many positions, which go up: the text is read only once."""
    newline: Any = "\n" if isinstance(text, str) else b"\n"
    line, start = 1, 0
    for position in positions:
        line += text.count(newline, start, position)
        start = position
        yield line


def refuse_unwritable(path: Path) -> None:
    """Refuse to write to a folder, a pipe or a device; long work can check this before it begins."""
    if is_folder(path):
        raise InputError(path, "this is a folder; a file name is needed to write to.")
    try:
        special = path.exists() and not path.is_file()
    except (OSError, ValueError):
        return  # opening it will report what is wrong with the name
    if special:
        # The finished file takes the name's place, and /dev/stdout must stay what it is.
        raise InputError(path, "this is a pipe or a device; a file name is needed to write to.")


@contextmanager
def atomic_writer(path: Path | str, *, private: bool = False) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only when it was written to the end.

    A `private` file, such as a class's results, can be read by its owner alone, whatever it replaces.
    """
    path = Path(path)
    refuse_unwritable(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.touch(mode=_OWNER if private else _EVERYBODY, exist_ok=False)
        opened = temporary.open("wb")
        if path.exists():  # a class's file that only its teacher may read stays so
            temporary.chmod(stat.S_IMODE(path.stat().st_mode) & (_OWNER if private else 0o7777))
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with opened as file:
            yield file
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from error
        raise


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(path, f"cannot be written: {error.strerror or error}.")


def write_text(path: Path | str, text: str, *, private: bool = False) -> None:
    """Write UTF-8 text with `\\n` line ends, completely or not at all."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        what = f"cannot be written: the text holds U+{code:04X}, half of a character."
        raise InputError(path, what, hint="Remove it first.") from error
    with atomic_writer(path, private=private) as file:
        file.write(data)


# Letters in one form, however a keyboard or a program composes them.

# Ordering the marks on one letter takes time quadratic in their number. No language has more than a few;
# a file made to stop a server has a million.
_PIECE = 200


def same_letters(text: str) -> str:
    """A text in which letters that look alike are the same (NFKC), in linear time."""
    pieces, start = [], 0
    while start < len(text):
        end = start + _PIECE
        # A letter stays with its marks, unless there are far too many.
        while end < len(text) and end < start + 2 * _PIECE and combining(text[end]):
            end += 1
        pieces.append(normalize("NFKC", text[start:end]))
        start = end
    return "".join(pieces)


# The challenges' tab-separated files: a header line, then one record a line, no quoting.


def read_tsv(
    path: Path | str, required: Sequence[Sequence[str]], problems: list[Problem] | None = None
) -> list[tuple[int, dict[str, str]]]:
    """Read a tab-separated file: the line of each record, and its fields by column name.

    `required` lists, for each column that must exist, its accepted names. Tabs too many are added to
    `problems`; without that list, a warning says so.
    """
    lines = read_lines(path)
    irregular: list[Problem] = [] if problems is None else problems
    header = [name.strip() for name in lines[0].rstrip("\t ").split("\t")]
    for names in required:
        if not set(names) & set(header):
            what = f"the header has no column {' or '.join(map(repr, names))}; it has {some(header, 10)}."
            hint = "Is this the right kind of file? Columns are separated by tabs."
            raise InputError(path, what, line=1, hint=hint)
    if len(set(header)) < len(header):
        raise InputError(path, "the header names a column twice.", line=1)
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) > len(header):
            # A tab too many holds nothing; where a field is empty as well, nobody can tell which is which.
            fields = [field for field in fields if field.strip()]
            irregular.append(Problem(number, "", "there are more tabs than columns.", "warning"))
        if len(fields) != len(header):
            raise InputError(path, f"{len(fields)} columns where the header has {len(header)}.", line=number)
        rows.append((number, dict(zip(header, map(str.strip, fields), strict=True))))
    if not rows:
        raise InputError(path, "there is a header but no record below it.")
    if problems is None:
        warn_of(path, irregular)
    return rows


def write_tsv(path: Path | str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a tab-separated file, refusing fields the format cannot hold."""
    lines = ["\t".join(header)]
    for row in rows:
        for name, field in zip(header, row, strict=True):
            if set(field) & set("\t\n\r\0") or field != field.strip():
                raise InputError(
                    path,
                    f"cannot be written: {name!r} holds a tab, a line break, a NUL or outer blanks, "
                    "which a tab-separated file cannot.",
                    record=repr(row[0]),
                )
        lines.append("\t".join(row))
    write_text(path, "\n".join(lines) + "\n")


class Seen:
    """Remembers the line of each id, and refuses one that occurs again."""

    def __init__(self, path: Path | str, what: str = "id") -> None:
        self.path = path
        self.what = what
        self.lines: dict[str, int | None] = {}

    def add(self, id: str, line: int | None) -> None:
        """Add an id; a missing or repeated one is an error."""
        if not id:
            raise InputError(self.path, f"there is no {self.what} here.", line=line)
        if id in self.lines:
            first = self.lines[id]
            before = f" (first on line {first})" if first is not None else ""
            hint = "Ids must be unique."
            raise InputError(self.path, f"the {self.what} {id!r} occurs twice{before}.", line=line, hint=hint)
        self.lines[id] = line


# Safe XML: entity bombs refused, and every element remembers its line for error messages.

# What XML 1.0 cannot hold, not even as a character reference.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_AMPERSAND = re.compile(rb"&(?:(#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});)?")
_BARE_AMPERSAND = "a bare '&', which XML writes as '&amp;'."
_XML_ENTITIES = frozenset(("amp", "lt", "gt", "quot", "apos"))
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)""")


@dataclass(frozen=True)
class XmlFile:
    """A parsed XML file and the line each element starts on."""

    path: Path
    root: Element
    lines: dict[Element, int]
    problems: tuple[Problem, ...] = ()  # what was irregular, for the reader to warn of

    def error(self, element: Element, what: str, *, hint: str = "") -> InputError:
        """Make the error for something wrong in `element`, naming file, line and record."""
        record = f"{element.tag} {element.get('id')}" if element.get("id") else None
        return InputError(self.path, what, line=self.lines.get(element), record=record, hint=hint)

    def required(self, element: Element, attribute: str) -> str:
        """Return an attribute that must exist and not be blank."""
        value = element.get(attribute, "").strip()
        if not value:
            raise self.error(element, f"<{element.tag}> has no {attribute!r} attribute.")
        return value


class _LineTreeBuilder(TreeBuilder):
    """Builds the tree and notes on which line each element began."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[Element, int] = {}
        self.expat: Any = None

    def start(self, tag: Any, attrs: Any, /) -> Element:
        element = super().start(tag, attrs)
        self.lines[element] = self.expat.CurrentLineNumber
        return element


def read_xml(path: Path | str, most_tags: int = MAX_TAGS, *, lenient: bool = False) -> XmlFile:
    """Parse an XML file, or explain in one sentence why that is impossible.

    If `lenient`, a file whose only fault are bare `&` and HTML's entities is read; `problems` names them.
    """
    path = Path(path)
    return parse_xml(path, read_bytes(path), most_tags, lenient=lenient)


def parse_xml(path: Path, data: bytes, most_tags: int = MAX_TAGS, *, lenient: bool = False) -> XmlFile:
    """Parse the bytes of an XML file, as `read_xml` does; they may come out of an archive at this path."""
    # Counted before it is parsed: an element takes a hundred times the memory of its four bytes.
    if data.count(b"<") + data.count(b"=") > most_tags:
        what = f"has more than {most_tags:,} tags and attributes, the most that can be read at once."
        raise InputError(path, what, hint="Split it into smaller files.")
    try:
        return _parse_xml(path, data)
    except InputError as error:
        mended, problems = _mend_ampersands(data) if lenient else (data, [])
        if not problems:
            raise
        try:
            xml = _parse_xml(path, mended)
        except InputError:
            raise error from None
    return replace(xml, problems=tuple(problems))


def _mend_ampersands(data: bytes) -> tuple[bytes, list[Problem]]:
    """Escape each `&` that begins no entity, and number HTML's entities; line ends stay where they are."""
    if b"<![CDATA[" in data or b"\0" in data:  # where `&` is not what it seems
        return data, []
    names: dict[int, str] = {}

    def mended(match: re.Match[bytes]) -> bytes:
        name = (match[1] or b"").decode("ascii")
        if name.startswith("#") or name in _XML_ENTITIES or (name and f"{name};" not in html5):
            return match[0]
        names[match.start()] = name
        return b"".join(b"&#%d;" % ord(letter) for letter in html5[f"{name};"]) if name else b"&amp;"

    text = _AMPERSAND.sub(mended, data)
    numbered = zip(line_numbers(data, names), names.values(), strict=True)
    return text, [
        Problem(line, "", f"the entity '&{name};' is HTML's." if name else _BARE_AMPERSAND, "warning")
        for line, name in numbered
    ]


def _parse_xml(path: Path, data: bytes) -> XmlFile:
    builder = _LineTreeBuilder()
    parser = DefusedXMLParser(target=builder)
    builder.expat = parser.parser
    try:
        parser.feed(data)
        root = parser.close()
    except DefusedXmlException as error:
        what = "declares XML entities, which can be used to exhaust a machine; such files are refused."
        raise InputError(path, what, hint="Remove the <!ENTITY …> declarations.") from error
    except ParseError as error:
        line, column = error.position
        reason = expat.ErrorString(error.code)
        declared = _DECLARED.match(data)
        if reason == expat.errors.XML_ERROR_INVALID_TOKEN and (
            declared is None or declared[1].lower() == b"utf-8"
        ):
            read_text(path)  # explains it better if the real problem is the encoding
        what = f"is not well-formed XML at column {column + 1}: {reason}."
        raise InputError(path, what, line=line) from error
    except (LookupError, ValueError) as error:
        raise InputError(path, f"cannot be decoded: {error}.") from error
    return XmlFile(path, root, builder.lines)


def text_of(element: Element | None) -> str:
    """All the text below an element, with the white space around it removed."""
    return "" if element is None else "".join(element.itertext()).strip()


def write_xml(path: Path | str, root: ET.Element) -> None:
    """Write an indented XML file, refusing characters that XML cannot hold."""
    ET.indent(root)
    # A carriage return would come back as a line feed, as XML demands of parsers, unless it is escaped.
    text = ET.tostring(root, encoding="unicode").replace("\r", "&#13;")
    if bad := NOT_XML.search(text):
        what = f"XML cannot hold the control character U+{ord(bad[0]):04X}."
        raise InputError(path, what, hint="Remove it first.")
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')
