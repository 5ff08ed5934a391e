"""References that are given for all rows at once fit one question only: looks whether there are more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from postil.batch.batches import read_batches
from postil.batch.partitions import cut
from postil.batch.sources import Source
from postil.batch.work import Work
from postil.batch.worker import find_roles
from postil.errors import InputError


def refuse_several_questions(work: Work, sources: Iterable[Source]) -> None:
    """Refuse references for all rows where these answer several questions, before anything is judged."""
    if not work.references:
        return
    first = ""
    for source in sources:
        for asked in _asked(work, source):
            first = first or asked
            if asked != first:
                raise InputError(
                    source.name,
                    "the rows of the dataset answer several questions, and references are given for all of "
                    "them at once.",
                    hint="Put the references into a column or into a key file (--key).",
                )


def _asked(work: Work, source: Source) -> Iterator[str]:
    """The questions of a file, by text or else by id; none of a file that `plan` will complain of."""
    try:
        found = cut(source)
        roles = find_roles(source.name, found.names, work)
        columns = [name for name in (roles.question, roles.question_id) if name is not None]
        for partition in found.partitions if columns else ():
            for batch in read_batches(partition, columns):
                rows = set(zip(*(map(_text, batch.values[name]) for name in columns), strict=True))
                yield from filter(None, (next(filter(None, row), "") for row in rows))
    except Exception:  # noqa: BLE001 - `plan` tells it of this file, and the others are graded all the same
        return


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
