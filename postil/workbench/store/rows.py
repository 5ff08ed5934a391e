"""Between rows and records: what is kept of a judgement, a decision, an answer and a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar

from postil.data.judgements import AlignedPair, Alignment, Facets
from postil.data.questions import Facet
from postil.errors import PostilError
from postil.workbench.claims import Outcome
from postil.workbench.records import Answer, Decision, Job, Judged
from postil.workbench.store.tables import AnswerRow, DecisionRow, JobRow, JudgementRow, ProposalRow

_TOGETHER = 1000  # answers named in one query; databases take a limited number
_UNSTORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)), "\ufffd")
_DELETED = "It may have been deleted in another window."
_Row = TypeVar("_Row")
_Record = TypeVar("_Record")


class ChangedError(PostilError):
    """Somebody else was faster: nothing was stored. `decisions` are those that count now, if any."""

    def __init__(self, what: str, hint: str, decisions: Sequence[Decision] = ()) -> None:
        super().__init__(what, hint=hint)
        self.decisions = tuple(decisions)


def storable(text: str) -> str:
    """A text as any database takes it: without NUL and halves of characters."""
    return text.translate(_UNSTORABLE)


def batches_of(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Numbers of answers in batches that one query can name."""
    for start in range(0, len(ids), _TOGETHER):
        yield ids[start : start + _TOGETHER]


def digest_of(secret: str) -> str:
    """The hash by which a long and random secret is looked up: stored instead of it, it opens nothing."""
    return sha256(storable(secret).encode()).hexdigest()


def demand(row: _Row | None, thing: str, hint: str = _DELETED) -> _Row:
    """The row, or an error that says that it does not exist."""
    if row is None:
        raise gone(thing, hint)
    return row


def gone(thing: str, hint: str = _DELETED) -> PostilError:
    """The error that says that something does not exist."""
    return PostilError(f"this {thing} does not exist.", hint=hint)


def demand_name(name: str, longest: int, whose: str, hint: str) -> str:
    """A name on one line, or an error if it is empty or too long."""
    name = " ".join(storable(name).split())
    if not 0 < len(name) <= longest:
        raise PostilError(f"{whose} name must have 1 to {longest} characters.", hint=hint)
    return name


def record_of(kind: Callable[..., _Record], row: Any, **values: Any) -> _Record:
    """A record whose fields have these values, and otherwise those of the row's columns of the same name."""
    names = _shared(kind, row.__class__) - values.keys()
    return kind(**{name: getattr(row, name) for name in names}, **values)


def answer_of(row: AnswerRow) -> Answer:
    """The record of an answer."""
    return record_of(Answer, row, group=row.group_number)


def judged_of(row: JudgementRow | ProposalRow, *, aligned: bool = True) -> Judged:
    """The record of a judgement, current or proposed; if not `aligned`, without its long alignment."""
    alignment = row.alignment if aligned else None
    pair = None if alignment is None else _alignment_of(alignment)
    return record_of(Judged, row, alignment=pair, facets=outcomes_of(row.facets))


def columns_of(judged: Judged) -> dict[str, Any]:
    """What is stored of a judgement, by column."""
    columns = {name: getattr(judged, name) for name in _shared(Judged, JudgementRow)}
    columns |= {name: storable(columns[name]) for name in ("reference", "teacher", "doubt", "student")}
    columns["probabilities"] = dict(judged.probabilities)
    columns["alignment"] = None if judged.alignment is None else asdict(judged.alignment)
    columns["facets"] = [
        asdict(outcome) | {"name": storable(outcome.name), "words": [*map(storable, outcome.words)]}
        for outcome in judged.facets
    ]
    return columns


def decision_of(row: DecisionRow) -> Decision:
    """The record of a decision."""
    return record_of(Decision, row, by=row.account_id)


def job_of(row: JobRow) -> Job:
    """The record of a job."""
    return record_of(Job, row, lease=row.worker)


def facets_of(columns: Sequence[Mapping[str, Any]] | None) -> Facets:
    """The facets that a teacher set; None where the teacher set none."""
    if columns is None:
        return None
    return tuple(
        Facet(
            facet["id"],
            facet["name"],
            weight=facet["weight"],
            required=facet["required"],
            # Rubrics of earlier versions have none of these.
            group=facet.get("group", ""),
            needed=facet.get("needed", 0),
            deduction=facet.get("deduction", 0.0),
        )
        for facet in columns
    )


def columns_of_facets(facets: Sequence[Facet]) -> list[dict[str, Any]]:
    """What is stored of a rubric."""
    return [
        {
            "id": facet.id,
            "name": facet.first,
            "weight": float(facet.weight),
            "required": facet.required,
            "group": facet.group,
            "needed": facet.needed,
            "deduction": float(facet.deduction),
        }
        for facet in facets
    ]


def outcomes_of(columns: Sequence[Mapping[str, Any]] | None) -> tuple[Outcome, ...]:
    """What the machine found about facets; judgements made before it looked for any have none."""
    return tuple(map(_outcome_of, columns or ()))


def _outcome_of(columns: Mapping[str, Any]) -> Outcome:
    spans = tuple((start, end) for start, end in columns.get("spans", ()))  # older ones have none
    return Outcome(**{**columns, "words": tuple(columns["words"]), "spans": spans})


@cache
def _shared(record: Any, table: Any) -> frozenset[str]:
    """The names of fields that are columns as well."""
    columns = table.__mapper__.columns
    return frozenset(field.name for field in fields(record) if field.name in columns)


def _alignment_of(columns: Mapping[str, Any]) -> AlignedPair:
    alignments = tuple(
        Alignment(tuple(link["source"]), tuple(link["target"]), tuple(link["labels"]), link["score"])
        for link in columns["alignments"]
    )
    sides = {name: tuple(columns[name]) for name in ("source", "target")}
    return AlignedPair(**{**columns, **sides, "alignments": alignments})
