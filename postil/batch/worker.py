"""Judges partitions in batches of rows: the answers to each question in a batch together, as a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

import pyarrow as pa

from postil.batch.partitions import Batch, read_batches
from postil.batch.parts import part_path, read_tally, write_part
from postil.batch.storage import WriteError
from postil.batch.work import Done, Task, Work, unexpected
from postil.data.formats.rows import ColumnMap, Row, Rows, find_columns
from postil.data.formats.spreadsheets import as_text
from postil.data.formats.tables import make_references, plain
from postil.data.judgements import Judgement
from postil.data.questions import Answer, Question
from postil.errors import InputError, PostilError, some
from postil.explain.notes import short_list

Judge = Callable[..., Iterable[tuple[Question, Sequence[Judgement]]]]
NO_REFERENCE = "there is no reference to compare with"
# The columns added to the input; the prefix keeps them apart from the input's own.
COLUMNS: Mapping[str, pa.DataType] = {
    "postil_label": pa.string(),
    "postil_score": pa.float64(),
    "postil_confidence": pa.float64(),
    "postil_deferred": pa.bool_(),
    "postil_because": pa.string(),
    "postil_reader": pa.string(),
    "postil_read_by": pa.string(),
}
EXPLAINED: Mapping[str, pa.DataType] = {
    "postil_explanation": pa.string(),
    "postil_facets": pa.string(),
    "postil_feedback": pa.string(),
}


def columns_added(work: Work) -> dict[str, pa.DataType]:
    """The columns of a result that its input does not have."""
    return {**COLUMNS, **EXPLAINED} if work.explain else dict(COLUMNS)


def columns_read(roles: ColumnMap) -> list[str]:
    """The columns that a row is judged by."""
    named = (roles.question, roles.question_id, roles.answer, *roles.references)
    return [name for name in dict.fromkeys(named) if name is not None]


def find_roles(name: str, names: Sequence[str], work: Work) -> ColumnMap:
    """Which column of a file holds what; an error if a required one cannot be identified."""
    taken = [option for option in (*COLUMNS, *EXPLAINED) if option in names]
    if taken:
        hint = "Is this file a result? If not, rename the column."
        raise InputError(name, f"already has a column called {taken[0]!r}.", hint=hint)
    roles = find_columns(Rows(Path(name), tuple(names), (Row(1, tuple(names)),)), work.columns)
    if roles.answer is None:
        raise _missing(name, names, "answer", "")
    if roles.question is None and roles.question_id is None and work.question is None:
        raise _missing(name, names, "question", ", or give it with --question")
    if not (roles.references or work.references or work.key):
        raise _missing(name, names, "reference", ", or give it with --reference or --key")
    choices = {"question": (work.question, roles.question), "reference": (work.references, roles.references)}
    for role, (option, column) in choices.items():
        if option and column:
            hint = f"Leave --{role} out, or ignore the column with --column {role}= (with nothing after it)."
            raise InputError(name, f"the {role} is given twice: as an option and in a column.", hint=hint)
    return roles


def _missing(name: str, names: Sequence[str], role: str, advice: str) -> InputError:
    what = f"no column for the {role} was found; the columns are {some(names, 20)}."
    return InputError(name, what, hint=f"Name it with --column '{role}=…'{advice}.")


def judge_batch(batch: Batch, roles: ColumnMap, work: Work, judge: Judge) -> pa.Table:
    """The rows of a batch, in order, with the columns of the result after their own."""
    count = len(batch.rows)
    questions, rows_of_each = _questions(batch, roles, work, count)
    judged: list[Judgement | None] = [None] * count
    for (_, judgements), rows in zip(judge(questions, explain=work.explain), rows_of_each, strict=True):
        for row, judgement in zip(rows, judgements, strict=True):
            judged[row] = judgement
    cells = [_cells(judgement, work) for judgement in judged]
    table = batch.rows
    for index, (name, type_) in enumerate(columns_added(work).items()):
        table = table.append_column(name, pa.array([row[index] for row in cells], type_))
    return table


def _questions(
    batch: Batch, roles: ColumnMap, work: Work, count: int
) -> tuple[list[Question], list[list[int]]]:
    """The questions of a batch that have a reference, and the rows that answer each."""
    texts = _column(batch, roles.question, count)
    ids = _column(batch, roles.question_id, count)
    answers = _column(batch, roles.answer, count)
    own = zip(*(_lists(batch, name) for name in roles.references), strict=True) if roles.references else ()
    references = [tuple(chain(*each)) for each in own] or [work.references] * count
    groups: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for row, (text, id, right) in enumerate(zip(texts, ids, references, strict=True)):
        text = text if text.strip() else work.question or ""
        entry = work.key.get(plain(id)) or work.key.get(plain(text)) if work.key else None
        if entry is not None:
            text = text if text.strip() else entry.text
            right = entry.references or right
        if right:
            groups.setdefault((text, "" if text.strip() else id, right), []).append(row)
    questions = [
        Question(
            id=str(number),
            text=text,
            references=make_references(right),
            answers=tuple(Answer(str(row), answers[row]) for row in rows),
        )
        for number, ((text, _, right), rows) in enumerate(groups.items())
    ]
    return questions, list(groups.values())


def _column(batch: Batch, name: str | None, count: int) -> list[str]:
    return [_text(name, value) for value in batch.values[name]] if name else [""] * count


def _lists(batch: Batch, name: str) -> list[list[str]]:
    """The references in a column; a cell may hold a list of them."""
    lists = (value if isinstance(value, list) else [value] for value in batch.values[name])
    return [[text for text in (_text(name, item) for item in items) if text.strip()] for items in lists]


def _text(name: str, value: object) -> str:
    if isinstance(value, dict | list | bytes):
        raise PostilError(f"the column {name!r} holds neither texts nor numbers.")
    return as_text(value).encode("utf-8", "replace").decode("utf-8")  # JSON may hold half a character


def _cells(judgement: Judgement | None, work: Work) -> tuple[object, ...]:
    if judgement is None:
        return (None, None, None, None, NO_REFERENCE, None, None, *([None] * len(EXPLAINED)))
    note = judgement.explanation
    notes = (note.teacher, short_list(note.facets), note.student) if note else ("", "", "")
    return (
        judgement.labels[work.scheme],
        round(judgement.score, 4),
        round(judgement.confidence, 4),
        judgement.deferred,
        judgement.because,
        judgement.reader,
        judgement.read_by,
        *notes,
    )


def judge_partition(work: Work, task: Task) -> Done:
    """Judge a partition and write its part, unless an earlier run has; errors are reported in the result."""
    source = task.partition.source
    try:
        known = read_tally(part_path(work, task))
        if known is not None:
            return Done(source, task, known, before=True)
        return Done(source, task, write_part(work, task, _judged(work, task)))
    except WriteError as error:
        return Done(source, task, error=str(error), stop=True)
    except InputError as error:
        return Done(source, task, error=str(error))
    except PostilError as error:
        return Done(source, task, error=f"{source.name}: {error}")
    except Exception as error:  # noqa: BLE001 - a night's work must not be lost for one bad file
        return Done(source, task, error=unexpected(source.name, error))


def _judged(work: Work, task: Task) -> Iterator[pa.Table]:
    judge = load_judge(work.model, work.credit, work.target, work.reader, work.strictness, work.pupils)
    partition = task.partition
    roles = find_roles(partition.source.name, partition.layout.names, work)
    for batch in read_batches(partition, columns_read(roles)):
        yield judge_batch(batch, roles, work, judge)


@lru_cache(maxsize=1)
def load_judge(
    model: str | None,
    credit: tuple[tuple[str, float], ...],
    target: float | None,
    reader: str = "",
    strictness: str = "normal",
    pupils: str = "older",
) -> Judge:
    """What judges questions with their answers; a worker loads the grader once."""
    from postil.grader import load  # only here: planning and assembling need no model
    from postil.language.pipeline import forgetting_words

    grader = load(
        model,
        credit=dict(credit),
        target=target,
        reader=reader or None,
        strictness=strictness,
        pupils=pupils,
    )

    def judge(questions: Iterable[Question], *, explain: bool) -> list[tuple[Question, list[Judgement]]]:
        with forgetting_words():  # memory must not grow with every new word
            return list(grader.grade_many(questions, explain=explain))

    return judge
