"""Tables in any file format (CSV, TSV, JSON, XLSX, Parquet) as rows of text, and which column is which.

A JSON list of objects, as some learning platforms write it, can also be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import compress
from pathlib import Path

from postil.data.files import NOT_XML, atomic_writer, read_bytes, read_text, same_letters, write_text
from postil.data.formats import spreadsheets, workbooks
from postil.data.formats.spreadsheets import USUAL, Grid, Limits, as_text, defused, same_name, undefused
from postil.errors import InputError, MissingDataError, PostilError, some

SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx")
_ALSO_READ = {".txt": ".csv", ".tab": ".tsv", ".ndjson": ".jsonl", ".xlsm": ".xlsx", ".ods": ".xlsx"}

_LONGEST_HEADER = 1_000_000  # characters, of all names together
# The columns that only files written by Postil have; there an apostrophe before a formula is Postil's own.
_OWN_HEADERS = (
    {"question_id", "id", "answer", "teacher"},
    {"key", "student", "answer", "official label"},
    {"postil_label", "postil_score", "postil_confidence"},
    {"item", "points", "required", "group", "needed", "deduction"},
)

# Characters that a format cannot hold: lone surrogates, NUL in text, control characters in XML.
_UNWRITABLE = {
    ".csv": re.compile("[\0\ud800-\udfff]"),
    ".tsv": re.compile("[\0\ud800-\udfff]"),
    ".jsonl": re.compile("[\ud800-\udfff]"),
    ".xlsx": NOT_XML,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a table, as wide as the header, and the line (or sheet row) it starts on."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table as it is in its file: the names in the header, and the rows that are not blank."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def column(self, name: str) -> list[str]:
        """All cells below one name of the header."""
        index = self.header.index(name)
        return [row.cells[index] for row in self.rows]

    def demand_rows(self) -> None:
        """Refuse a table with a header and nothing below it."""
        if not self.rows:
            raise InputError(self.path, "there is a header but no row below it.")


def read_rows(
    path: Path | str, *, encoding: str | None = None, sheet: str | None = None, limits: Limits = USUAL
) -> Rows:
    """Read a table in any of the four formats, chosen by the ending of the file name.

    Line ends inside cells become `\\n`. Wholly blank rows, and columns with neither name nor content, are
    left out; a column with content and no name is called `column 3` after its place.
    """
    path = Path(path)
    kind = _kind(path)
    if kind == ".xlsx":
        grid = workbooks.read_sheet(path, sheet, limits)
        width = max(len(cells) for _, cells in grid)
        grid = [(line, cells + [""] * (width - len(cells))) for line, cells in grid]
    elif kind in (".json", ".jsonl"):
        grid = _read_json(path, encoding, limits, lines=kind == ".jsonl")
    else:
        delimiter = "\t" if kind == ".tsv" else None
        grid = spreadsheets.read_delimited(path, delimiter=delimiter, encoding=encoding, limits=limits)
    if not grid:
        raise InputError(path, "holds no text.")
    if kind in (".json", ".jsonl"):
        (line, names), body = grid[0], grid[1:]
    else:
        from postil.data.formats.headings import find_heading  # which knows names of columns from here

        line, names, body = find_heading(grid)
    used = [
        _clean(name) or any(cells[place].strip() for _, cells in body) for place, name in enumerate(names)
    ]
    header = _header(path, line, compress(enumerate(names), used))
    limits.check(path, len(body), len(header))
    if kind in (".csv", ".tsv") and any(own <= set(header) for own in _OWN_HEADERS):
        body = [(number, [undefused(cell) for cell in cells]) for number, cells in body]
    return Rows(path, header, tuple(Row(number, tuple(compress(cells, used))) for number, cells in body))


def _kind(path: Path) -> str:
    suffix = path.suffix.lower()
    suffix = _ALSO_READ.get(suffix, suffix)
    if suffix == ".xls":
        # Some learning platforms call a text file or a new workbook .xls.
        start = read_bytes(path)[:4]
        suffix = ".xlsx" if start in (b"\xd0\xcf\x11\xe0", b"PK\x03\x04") else ".csv"
    if suffix not in (*SUFFIXES, ".json"):
        if not path.exists() or path.is_dir():
            read_bytes(path)  # says so
        what = f"is not a table format that Postil reads: the name ends in {suffix!r}."
        raise InputError(path, what, hint=f"Save it as one of {', '.join(SUFFIXES)}.")
    return suffix


def _clean(name: str) -> str:
    return name.strip().strip("\ufeff").strip()


def placeholder(place: int) -> str:
    """What a column without a name is called; places count from 0."""
    return f"column {place + 1}"


def _header(path: Path, line: int, names: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    places: dict[str, int] = {}
    room = _LONGEST_HEADER
    for place, raw in names:
        room -= len(raw)
        if room < 0:
            what = f"the names of the columns have more than {_LONGEST_HEADER:,} characters."
            raise InputError(path, what, line=line, hint="The first row must hold the names of the columns.")
        name = _clean(raw) or placeholder(place)
        if name in places and re.fullmatch(r"[\d.]+", name):
            name = f"{name} (column {place + 1})"  # Canvas heads each question's points with their maximum
        if name in places:
            raise same_name(path, name, places[name] + 1, place + 1, line)
        places[name] = place
    return tuple(places)


def write_rows(
    path: Path | str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    defuse_formulas: bool = False,
    numbers: Collection[str] = (),
    private: bool = False,
) -> None:
    """Write a table in the format of the file name's ending, so that `read_rows` gives back the same texts.

    A spreadsheet program takes a cell that begins with `=`, `+`, `-` or `@` for a formula. In a workbook each
    cell is marked as text, which prevents it. A CSV or TSV file has no such mark, and an answer may well be
    `-5 °C`: texts are written as they are, so that they come back as they were. `defuse_formulas` puts an
    apostrophe before them instead, except in columns of `numbers` that we have calculated. A `private` file
    can be read by its owner alone.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        why = f"the name ends in {kind!r}" if kind else "its name has no ending"
        raise InputError(path, f"cannot be written: {why}.", hint=f"Known endings: {', '.join(SUFFIXES)}.")
    table = [tuple(row) for row in rows]
    _header(path, 1, enumerate(header))
    for number, row in enumerate((header, *table)):
        for name, text in zip(header, row, strict=True):
            record = f"record {number}, column {name!r}"
            if bad := _UNWRITABLE[kind].search(text):
                what = f"holds the character U+{ord(bad[0]):04X}, which a {kind} file cannot hold."
                raise InputError(path, what, record=record, hint="Remove it first.")
            if kind == ".xlsx" and not workbooks.fits_a_cell(text):
                what = f"holds more than the {workbooks.MAX_CELL:,} characters a cell of a workbook can."
                raise InputError(path, what, record=record, hint="Write .csv instead.")
    if kind == ".xlsx":
        workbooks.write_sheet(path, header, table, private=private)
    elif kind == ".jsonl":
        lines = (json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) for row in table)
        write_text(path, "".join(f"{line}\n" for line in lines), private=private)
    else:
        if defuse_formulas:
            is_number = [name in numbers for name in header]
            header, *table = (
                tuple(cell if own else defused(cell) for cell, own in zip(row, is_number, strict=True))
                for row in (header, *table)
            )
        delimiter = "\t" if kind == ".tsv" else ","
        spreadsheets.write_delimited(path, header, table, delimiter, private=private)


# JSON as plain rows of text: one object a line, or a list of objects, whose fields are the columns.


def _read_json(path: Path, encoding: str | None, limits: Limits, *, lines: bool) -> Grid:
    """Read one JSON object a line, or one list of objects; Moodle puts the list inside another."""
    text = read_text(path, encoding=encoding)
    if text.count("{") + text.count("[") > limits.cells:  # each takes more memory than the text itself
        what = f"has more than {limits.cells:,} objects and lists, the most that can be read at once."
        raise InputError(path, what, hint="Split it into smaller files.")
    values = _json_lines(path, text, limits) if lines else _json_list(path, text, limits)
    rows: list[tuple[int, dict[str, str]]] = []
    header: dict[str, None] = {}
    for line, value in values:
        fields = _fields(path, line, demand_object(path, value, line), limits)
        header.update(dict.fromkeys(fields))
        if any(map(str.strip, fields.values())):
            rows.append((line, fields))
        limits.check(path, len(rows), len(header), line=line)
    return [(1, [*header]), *((line, [fields.get(name, "") for name in header]) for line, fields in rows)]


def _json_lines(path: Path, text: str, limits: Limits) -> Iterator[tuple[int, object]]:
    hint = "A .jsonl file holds one JSON object a line, not one list."
    start, line = 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line += 1
        limits.check_raw(path, line, 0, 0, line=line)
        if part := text[start:end].strip():
            yield line, _parse(path, part, line, limits, hint)
        start = end + 1


def _json_list(path: Path, text: str, limits: Limits) -> Iterable[tuple[int, object]]:
    content = _parse(path, text, None, limits, "Export it again, or choose CSV.")
    while isinstance(content, list) and len(content) == 1 and isinstance(content[0], list):
        content = content[0]
    if not isinstance(content, list) or not content:
        hint = "Each row is an object, with the columns as fields."
        raise InputError(path, "is JSON, but not a list of rows.", hint=hint)
    return enumerate(content, start=2)


def _parse(path: Path, text: str, line: int | None, limits: Limits, hint: str) -> object:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        limits.check(path, 0, len(pairs), line=line)
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise InputError(path, "the object names a field twice.", line=line)
        return fields

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        column = ""
        if isinstance(error, json.JSONDecodeError):
            column, line = f" at column {error.colno}", line or error.lineno
        raise InputError(path, f"is not JSON{column}.", line=line, hint=hint) from error


def demand_object(path: Path | str, value: object, line: int | None) -> dict[str, object]:
    """A row of JSON, which must be an object."""
    if not isinstance(value, dict):
        raise InputError(path, "is JSON, but not an object with the columns as its fields.", line=line)
    return value


def _fields(path: Path, line: int, value: dict[str, object], limits: Limits) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, content in value.items():
        # A list becomes numbered columns, as a table would have them: reference, reference_2, …
        items = content if isinstance(content, list) else [content]
        limits.check(path, 0, len(items), line=line)
        for number, item in enumerate(items or [None], start=1):
            column = name.strip() if number == 1 else f"{name.strip()}_{number}"
            if column in fields:
                raise InputError(path, f"the object names the field {column!r} twice.", line=line)
            if isinstance(item, dict | list):
                what = f"the field {column!r} holds neither a text nor a list of texts."
                raise InputError(path, what, line=line)
            fields[column] = as_text(item)
            if _UNWRITABLE[".jsonl"].search(fields[column]):
                what = f"the field {column!r} holds half a character (a lone surrogate)."
                raise InputError(path, what, line=line)
    return fields


# Parquet tables, for programs that take many rows; needs the extra `tables`.


def require_pyarrow(path: Path | str) -> None:
    """Refuse to write Parquet without pyarrow; long work can check this before it begins."""
    if find_spec("pyarrow") is None:
        hint = "Install it with: pip install 'postil[tables]', or write .csv instead."
        raise MissingDataError(f"{path}: writing Parquet needs pyarrow, which is not installed.", hint=hint)


def write_parquet(
    path: Path | str, columns: Mapping[str, Sequence[object]], about: Mapping[str, str] | None = None
) -> None:
    """Write columns to a Parquet file; `about` puts a description beside each that has one."""
    require_pyarrow(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = {name: pa.array(list(values)) for name, values in columns.items()}
    fields = [
        pa.field(name, array.type, metadata={"description": (about or {}).get(name, "")})
        for name, array in arrays.items()
    ]
    table = pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields))
    with atomic_writer(path) as file:
        pq.write_table(table, file)


# Finds out which column of a table is which, from the names people give them.

ROLES = ("question", "reference", "answer", "id", "label", "question_id", "module")

# The names of each role, best first. Names on one line are equally good: if a table has two of them the user
# must choose, except that it may have any number of references.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "question": (
        "question text|item text|prompt text|task text",
        "question|prompt|item|task|exercise|problem",
    ),
    "reference": (
        "reference|references|reference answer|reference answers|reference text|ref|model answer"
        "|model answers|model response|expected answer|expected answers|expected response|correct answer"
        "|correct answers|correct response|right answer|right answers|desired answer|target answer"
        "|ideal answer|rubric answer|sample solution|sample answer|solution|solutions|teacher answer"
        "|teachers answer|instructor answer|gold answer|standard answer|accepted answer|accepted answers",
        "key|answer key|rubric|marking scheme",
    ),
    "answer": (
        "student answer|student response|student reply|pupil answer|pupil response|learner answer"
        "|learner response|given answer|answer given|submitted answer|your answer",
        "answer|response|reply|answers|responses|answer text|response text|submission",
        "student text|text",
    ),
    "id": (
        "id",
        "answer id|response id|submission id",
        "student id|pupil id|learner id|user id|participant id|student number|pupil number",
        "student code|pupil code|code",
        "username|login|anmeldename|benutzername|nombre de usuario|erabiltzaile-izena",
        "student|pupil|learner|participant|user",
        "email|email address|student email|mail|e-mail-adresse|dirección de correo|correo electrónico"
        "|e-posta helbidea",
        "id number|sis id|id-nummer|número de id|id zenbakia",
        "name|student name|pupil name|full name|your name",
        "attempt id|attempt",
    ),
    "label": (
        "label|grade label|gold label|human label|true label",
        "accuracy|gold|judgement|judgment|verdict",
    ),
    "question_id": (
        "question id|qid|item id|prompt id|task id|exercise id|problem id",
        "question number|question no|question nr|question code|item number|task number",
    ),
    "module": ("module|unit|topic|chapter",),
}


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Which column of a table holds what; None for roles without a column."""

    question: str | None = None
    references: tuple[str, ...] = ()
    answer: str | None = None
    id: str | None = None
    label: str | None = None
    question_id: str | None = None
    module: str | None = None


def key_of(name: str) -> str:
    """Reduce a column's name to its letters and digits, so that `Student_Answer:` is `studentanswer`."""
    plain = same_letters(name).casefold()
    return "".join(character for character in plain if character.isalnum()) or plain.strip()


_TIERS: Mapping[str, tuple[frozenset[str], ...]] = {
    role: tuple(frozenset(map(key_of, tier.split("|"))) for tier in tiers) for role, tiers in _NAMES.items()
}


def recognised_names(role: str) -> list[str]:
    """All the names under which a column of this role is found, best first."""
    return [name for tier in _NAMES[role] for name in tier.split("|")]


def candidates(header: Iterable[str], role: str) -> list[list[str]]:
    """The columns that could play a role: groups of equally good ones, best group first."""
    keys = [(name, key_of(name)) for name in header]
    groups = ([name for name, key in keys if key in tier] for tier in _TIERS[role])
    return [group for group in groups if group]


def reference_columns(header: Sequence[str]) -> tuple[str, ...]:
    """The columns with references, also numbered ones, in the order of their numbers."""
    for tier in _TIERS["reference"]:
        matches: list[tuple[int, int, str]] = []
        bases: dict[str, int] = {}
        for name in header:
            base, number = _split_number(key_of(name))
            if base in tier:
                matches.append((bases.setdefault(base, len(bases)), number, name))
        if matches:
            return tuple(name for _, _, name in sorted(matches, key=lambda match: match[:2]))
    return ()


def _split_number(key: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.*?)([0-9]{0,6})", key)
    return (match[1], int(match[2] or 0)) if match else (key, 0)


def resolve(rows: Rows, name: str, *, option: str = "") -> str:
    """Find the column a user named: exactly so, or else the only one that differs in case and punctuation."""
    if name in rows.header:
        return name
    alike = [column for column in rows.header if key_of(column) == key_of(name)]
    if len(alike) == 1:
        return alike[0]
    what = "several columns are called" if alike else "there is no column called"
    hint = f"The columns are {some(alike or rows.header, 20)}."
    raise InputError(rows.path, f"{what} {name!r}{f', which {option} names' if option else ''}.", hint=hint)


def find_columns(rows: Rows, mapping: Mapping[str, str] | None = None) -> ColumnMap:
    """Find out which column is which; `mapping` (role → column) wins over every guess.

    References are mapped as `reference`, `reference_2`, …; a role mapped to nothing (`""`) is not looked for.
    """
    mapped, references = _explicit(rows, mapping or {})
    taken = {*mapped.values(), *(references or ())}
    # Empty columns are ignored, except for answers: there it means that nobody wrote anything.
    filled = [name for name in rows.header if name not in taken and any(map(str.strip, rows.column(name)))]
    free = [name for name in rows.header if name not in taken]
    if references is None:
        references = reference_columns(filled)

    def choose(role: str, among: Sequence[str]) -> str | None:
        return mapped[role] if role in mapped else _guess(rows, role, among)

    return ColumnMap(
        question=choose("question", filled),
        references=references,
        answer=choose("answer", free),
        id=choose("id", filled) or choose("id", free),
        label=choose("label", filled),
        question_id=choose("question_id", filled),
        module=choose("module", filled),
    )


def _guess(rows: Rows, role: str, among: Sequence[str]) -> str | None:
    groups = candidates(among, role)
    if not groups:
        return None
    # Of two equally good ids the first will do: whether it serves shows when ids repeat.
    if len(groups[0]) > 1 and role != "id":
        what = f"more than one column could hold the {role.replace('_', ' ')}: {some(groups[0], 5)}."
        advice = f"Say which, as in --column '{role}={groups[0][0]}'."
        raise InputError(rows.path, what, line=1, option=advice)
    return groups[0][0]


def _explicit(rows: Rows, mapping: Mapping[str, str]) -> tuple[dict[str, str | None], tuple[str, ...] | None]:
    """Check a user's mapping against the table: the single columns, and the references if any are mapped."""
    roles = {key_of(role): role for role in ROLES} | {"references": "reference"}
    mapped: dict[str, str | None] = {}
    references: list[tuple[int, str]] | None = None
    for option, name in mapping.items():
        base, number = _split_number(key_of(option))
        role = roles.get(base)
        if role is None or (number and role != "reference"):
            hint = f"Roles: {', '.join(ROLES)}."
            raise PostilError(f"There is no role {option!r} for a column.", hint=hint)
        column = resolve(rows, name, option=f"--column {option}") if name.strip() else None
        if role != "reference":
            mapped[role] = column
            continue
        references = references or []
        if column is not None:
            references.append((number, column))
    if references is None:
        return mapped, None
    return mapped, tuple(name for _, name in sorted(references, key=lambda pair: pair[0]))
