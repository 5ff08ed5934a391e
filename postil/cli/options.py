"""Options that several commands share: how to read a table, and checks that come before the work."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from typer import Option

from postil.data.files import refuse_unwritable
from postil.errors import InputError, PostilError, number_of, some

if TYPE_CHECKING:
    from postil.data.questions import Question

JsonOption = Annotated[bool, Option("--json", help="Print JSON on standard output.")]
ModelFolder = Annotated[Path, Option("--output", "-o", metavar="FOLDER", help="Where to write the model.")]

ReaderOption = Annotated[
    str | None,
    Option(
        "--reader",
        metavar="NAME",
        help="Which reader to use: quick, careful (the default where postil-careful is installed), cascade "
        "(careful reads only what quick is unsure of; the default for a dataset), expert (`postil readers` "
        "says what it needs), thorough (expert reads only what careful is unsure of) or server (the language "
        "model that was connected by `postil readers connect`).",
    ),
]


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of the dataclass among its parameters.

    Commands that share options take them as one value, and the command line still shows each of them.
    """
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    groups = {}
    for parameter in signature.parameters.values():
        group = parameter.annotation
        if not is_dataclass(group):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(group, include_extras=True)
        groups[parameter.name] = group
        parameters += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=hints[field.name],
            )
            for field in fields(group)
        ]

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})  # type: ignore[operator]
        command(**values)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How to read somebody's table; all are empty where its column names say enough."""

    question: Annotated[
        list[str] | None,
        Option(
            metavar="[COLUMN=]TEXT",
            help="The question, if the table does not contain it; in a wide table, COLUMN=TEXT for each "
            "column.",
        ),
    ] = None
    reference: Annotated[
        list[str] | None,
        Option(
            metavar="[COLUMN=]TEXT",
            help="A reference answer; repeat the option to give several. In a wide table, COLUMN=TEXT.",
        ),
    ] = None
    key: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="A table of questions and references, with columns 'column' or 'question id', 'question' "
            "and 'reference'.",
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        Option(
            metavar="ROLE=NAME",
            help="Which column is which, if the names do not make it clear: question, reference, answer, "
            "id, label, question_id or module. Leave NAME empty if there is no such column.",
        ),
    ] = None
    sheet: Annotated[
        str | None,
        Option(
            metavar="NAME", help="The sheet of a workbook to read; by default the first that is not empty."
        ),
    ] = None
    encoding: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="The encoding of a text file that is not UTF-8, such as cp1252 (Excel on Windows).",
        ),
    ] = None
    wide: Annotated[
        bool | None,
        Option(
            "--wide/--long",
            help="One column per question, or one row per answer; by default the column names decide.",
        ),
    ] = None

    def __bool__(self) -> bool:
        """Whether any option was used."""
        return any(getattr(self, field.name) not in (None, []) for field in fields(self))


def parse_columns(values: Sequence[str]) -> dict[str, str]:
    """Read `ROLE=NAME` options; further references are numbered."""
    mapping: dict[str, str] = {}
    for value in values:
        role, sign, name = value.partition("=")
        role = role.strip()
        if not sign or not role:
            what = f"--column {value!r} does not say which column plays which role."
            raise PostilError(what, hint="Write --column ROLE=NAME, as in --column 'answer=Your reply'.")
        if role in ("reference", "references"):
            number = sum(known.startswith("reference") for known in mapping) + 1
            role = "reference" if number == 1 else f"reference_{number}"
        if role in mapping:
            raise PostilError(f"--column gives the role {role!r} to two columns.", hint="Leave one out.")
        mapping[role] = name.strip()
    return mapping


def read_source(source: Path, options: TableOptions = TableOptions()) -> list[Question]:
    """Read questions and answers from a table, long or wide, from SRA XML (a file or a folder), or a quiz."""
    from postil.data.formats import sra
    from postil.data.formats.detection import QUIZ_FORMATS, Format, detect, read_quiz
    from postil.data.formats.quizzes import as_questions
    from postil.data.formats.rows import read_rows

    if not source.exists():
        similar = get_close_matches(source.name, _names_in(source.parent), n=1)
        hint = f"Did you mean {source.with_name(similar[0])}?" if similar else "Check its name and folder."
        raise InputError(source, "does not exist.", hint=hint)
    columns = parse_columns(options.column or ())
    kind = detect(source) if source.suffix.lower() in (".xml", ".gift", ".txt") else Format.UNKNOWN
    is_quiz = kind in QUIZ_FORMATS
    if source.is_dir() or source.suffix.lower() == ".xml" or is_quiz:
        if options:
            raise PostilError(
                f"{source} is read as {kind if is_quiz else 'SRA XML'}, "
                "where options for reading tables have no meaning.",
                hint="Leave them out.",
            )
        return as_questions(read_quiz(source, kind)) if is_quiz else sra.read_corpus(source)
    header = read_rows(source, encoding=options.encoding, sheet=options.sheet).header
    wide = _is_wide(header, options, columns) if options.wide is None else options.wide
    return _read_wide(source, header, options, columns) if wide else _read_long(source, options, columns)


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def _is_wide(header: Sequence[str], options: TableOptions, columns: dict[str, str]) -> bool:
    from postil.data.formats.rows import candidates
    from postil.data.formats.wide import looks_wide

    if columns.get("answer"):
        return False
    if looks_wide(header):
        return True
    texts = [*(options.question or ()), *(options.reference or ())]
    assigned = any(text.startswith(f"{name}=") for text in texts for name in header)
    return not candidates(header, "answer") and (assigned or options.key is not None)


def _read_wide(
    source: Path, header: Sequence[str], options: TableOptions, columns: dict[str, str]
) -> list[Question]:
    from postil.data.formats.wide import parse_assignments, read_wide

    if set(columns) - {"id"}:
        raise PostilError(
            f"{source} is read as a wide table, where --column can only name the id.",
            hint="Name the questions with --question 'COLUMN=text', or read one row per answer with --long.",
        )
    questions = parse_assignments(options.question or (), option="--question", header=header)
    for name, texts in questions.items():
        if len(texts) > 1:
            raise PostilError(f"--question gives the column {name!r} two texts.", hint="Leave one out.")
    return read_wide(
        source,
        questions={name: texts[0] for name, texts in questions.items()},
        references=parse_assignments(options.reference or (), option="--reference", header=header),
        key=options.key,
        id_column=columns.get("id"),
        encoding=options.encoding,
        sheet=options.sheet,
    )


def _read_long(source: Path, options: TableOptions, columns: dict[str, str]) -> list[Question]:
    from postil.data.formats.tables import fill_from_key, read_table

    questions = options.question or ()
    if len(questions) > 1:
        raise PostilError(
            f"{source} is read with one row per answer, so only one --question can be given.",
            hint="For several questions, the table needs a column with the question or its id.",
        )
    table = read_table(
        source,
        columns=columns,
        question=questions[0] if questions else None,
        references=options.reference or (),
        encoding=options.encoding,
        sheet=options.sheet,
    )
    return table if options.key is None else fill_from_key(table, options.key, encoding=options.encoding)


def choose(option: str, value: str, allowed: Sequence[str]) -> str:
    """Return the value if it is one of those allowed, else say which are."""
    if value not in allowed:
        raise PostilError(f"{option} cannot be {value!r}.", hint=f"Choose from: {', '.join(allowed)}.")
    return value


def refuse_output(path: Path | None, endings: Sequence[str] = ()) -> None:
    """Say before the work, not after it, that a file cannot be written."""
    if path is None:
        return
    ending = path.suffix.lower()
    if endings and ending not in endings:
        what = f"files ending in {ending!r} are not supported." if ending else "its name needs an ending."
        raise InputError(path, f"cannot be written: {what}", hint=f"Supported endings: {', '.join(endings)}.")
    refuse_unwritable(path)


def refuse_file(folder: Path) -> None:
    """Say before the work that a folder cannot be written, as a file has its name."""
    if folder.exists() and not folder.is_dir():
        raise InputError(folder, "is a file, but a folder is needed here.", hint="Choose another name.")


def demand_references(source: Path, questions: Sequence[Question]) -> None:
    """Refuse questions that have no reference to compare answers with."""
    without = [question.id for question in questions if not question.references]
    if without:
        what = f"there is no reference answer for {number_of(len(without), 'question')}: {some(without)}."
        hint = "Give one with --reference, in a column 'reference', or in a key file (--key)."
        raise InputError(source, what, hint=hint)
