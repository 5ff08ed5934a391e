"""What the API returns, and what is sent to it in several fields.

Each is a frozen dataclass with the fields of the API's model of that name; a test compares them. `read` makes
them from JSON.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from postil.errors import PostilError

T = TypeVar("T")
_hints = cache(get_type_hints)


@dataclass(frozen=True, slots=True)
class Health:
    """The server is running and can reach its database."""

    status: str
    version: str


@dataclass(frozen=True, slots=True)
class Me:
    """Whose token this is, and what it may be used for."""

    login: str
    name: str
    role: str
    token: str
    scopes: tuple[str, ...]
    expires: datetime | None


@dataclass(frozen=True, slots=True)
class Course:
    """A course, and how many questions and answers it has."""

    id: int
    name: str
    created: datetime
    questions: int
    answers: int
    strictness: str = "normal"
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and how many of its answers are judged and decided."""

    id: int
    course_id: int
    text: str
    references: tuple[str, ...]
    points: float
    created: datetime
    answers: int
    judged: int
    decided: int
    version: str = ""
    provisional: int = 0


@dataclass(frozen=True, slots=True)
class Facet:
    """One point that a full answer makes."""

    id: str
    name: str
    weight: float
    required: bool
    group: str = ""
    needed: int = 0
    deduction: float = 0.0
    points: float = 0.0


@dataclass(frozen=True, slots=True)
class PointsChange:
    """What other facets would change about the points of one answer."""

    answer_id: int
    key: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class FacetsPreview:
    """What other facets would change: how many answers, the first of them, and the mean of all graded ones.

    `unknown` counts answers whose facets have to be looked for before this is certain.
    """

    changes: tuple[PointsChange, ...]
    count: int
    graded: int
    before: float
    after: float
    unknown: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The points that a full answer makes; None if no teacher has set any: Postil then finds its own."""

    facets: tuple[Facet, ...] | None
    outdated: bool
    version: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The machine's judgement of a stored answer; `reason` is a value of `postil.Reason`.

    `reader` was asked to read the answer, and `read_by` decided.
    """

    label: str
    probabilities: Mapping[str, float]
    confidence: float
    deferred: bool
    reference: str
    explanation: str
    made: datetime
    reason: str | None
    reader: str = ""
    read_by: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's label for an answer, and the machine's label at that time."""

    id: int
    answer_id: int
    label: str
    source: str
    made: datetime
    undone: datetime | None
    machine_label: str | None
    ticked: Mapping[str, bool] | None


@dataclass(frozen=True, slots=True)
class AnswerFacet:
    """Whether an answer expresses one facet; `outcome` is None if nobody has looked."""

    id: str
    name: str
    outcome: str | None
    decided: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with everything known about it; a person's decision overrides the machine's judgement."""

    id: int
    question_id: int
    key: str
    student: str
    text: str
    place: int
    group: int
    label: str | None
    points: float | None
    doubtful: bool
    feedback: str
    judgement: Judgement | None
    decision: Decision | None
    facets: tuple[AnswerFacet, ...]
    version: str = ""
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """The numbers of answers that were stored, in the order in which they were sent."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the last step, which may concern several answers."""

    undone: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """Work on a question in the background, and its progress."""

    id: int
    question_id: int
    kind: str
    state: str
    phase: str
    done: int
    total: int
    error: str
    answers: tuple[int, ...]
    facets: tuple[str, ...]
    created: datetime
    started: datetime | None
    finished: datetime | None


@dataclass(frozen=True, slots=True)
class Change:
    """What a regrade would change about one answer."""

    answer_id: int
    key: str
    before: str
    after: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Changes:
    """What the latest regrade would change; `job_id` is None if there is nothing to apply."""

    job_id: int | None
    items: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """How many labels were changed."""

    changed: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """How an answer compares with the reference, for the teacher and for the student."""

    teacher: str
    student: str


@dataclass(frozen=True, slots=True)
class FoundFacet:
    """Whether an answer expresses or contradicts one facet, and in which words."""

    id: str
    first: str
    second: str
    relation: str
    label: str
    confidence: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Two chunks that belong together, or one that has no partner; tokens are counted from 1."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    source_text: str
    target_text: str
    type: str
    additions: tuple[str, ...]
    score: float | None


@dataclass(frozen=True, slots=True)
class TextAlignment:
    """Two sentences as tokens, and how their chunks belong together."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignments: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class TextJudgement:
    """Postil's judgement of one answer.

    Feedback, facets and alignment are given if they were asked for and a model judged. `reason` is a value of
    `postil.Reason`, and `because` says the same in words. `reader` is the one that was asked for, `read_by`
    the one that decided.
    """

    id: str
    label: str
    probabilities: Mapping[str, float]
    score: float
    confidence: float
    deferred: bool
    because: str
    reference: str
    feedback: Feedback | None
    facets: tuple[FoundFacet, ...] | None
    alignment: TextAlignment | None
    reason: str | None
    reader: str = ""
    read_by: str = ""


@dataclass(frozen=True, slots=True)
class GradedTexts:
    """The judgements of a class, and what is wrong with its question or references."""

    items: tuple[TextJudgement, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlignedSentences:
    """Two aligned sentences, and what the alignment shows."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    alignments: tuple[Link, ...]
    approximate: bool
    explanation: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A place where the text says something different from the hypothesis."""

    kind: str
    hypothesis: str
    text: str


@dataclass(frozen=True, slots=True)
class TextEntailment:
    """Whether a text implies a hypothesis, and which part of it says so."""

    id: str
    label: str
    confidence: float
    probabilities: Mapping[str, float]
    sentence: str
    stands_for: Mapping[str, str]
    supported: tuple[str, ...]
    unsupported: tuple[str, ...]
    differences: tuple[TextDifference, ...]
    justification: str


@dataclass(frozen=True, slots=True)
class AnswerFacets:
    """Whether one answer expresses each facet of the reference."""

    id: str
    facets: tuple[FoundFacet, ...]
    explanation: str


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer to store; `key` is its id in your own system, `label` what a person has already given it."""

    key: str
    text: str
    student: str = ""
    label: str | None = None


@dataclass(frozen=True, slots=True)
class NewFacet:
    """One point that a full answer makes; with an `id`, an existing one, perhaps renamed."""

    name: str
    id: str | None = None
    weight: float = 1.0
    required: bool = True
    group: str = ""
    needed: int = 0
    deduction: float = 0.0


@dataclass(frozen=True, slots=True)
class Pupil:
    """A pupil as one course knows them; `answer_id` is their first answer, by which they are named."""

    answer_id: int
    course_id: int
    course: str
    student: str
    key: str
    answers: int


@dataclass(frozen=True, slots=True)
class Erased:
    """How much of pupils' data was erased."""

    answers: int
    uploads: int


class Judged(list[T]):
    """The findings, in the order of the texts; `warnings` name texts that were not read to their end."""

    def __init__(self, items: Iterable[T] = (), warnings: Iterable[str] = ()) -> None:
        super().__init__(items)
        self.warnings = tuple(warnings)


def read(kind: type[T], data: object) -> T:
    """A dataclass from the JSON object that describes it, by the types of its fields.

    Fields that a newer server adds are passed over; one that is missing is an error, unless it has a default:
    then older servers do not know it.
    """
    result: T = _read(kind, data, kind.__name__)
    return result


def _read(kind: Any, data: object, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(data, dict):
        hints = _hints(kind)
        required = [field.name for field in fields(kind) if field.default is MISSING]
        missing = next((name for name in required if name not in data), None)
        if missing is None:
            given = {name: hint for name, hint in hints.items() if name in data}
            return kind(**{name: _read(hint, data[name], f"{where}.{name}") for name, hint in given.items()})
        where = f"{where}.{missing}"
    elif origin in (Union, types.UnionType):
        (other,) = (option for option in inner if option is not type(None))
        return None if data is None else _read(other, data, where)
    elif origin is tuple and isinstance(data, list):
        return tuple(_read(inner[0], item, where) for item in data)
    elif origin is Mapping and isinstance(data, dict):
        return {name: _read(inner[1], value, where) for name, value in data.items()}
    elif kind is datetime and isinstance(data, str):
        return datetime.fromisoformat(data)
    elif kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)  # JSON may write 2.0 as 2
    elif origin is None and isinstance(data, kind):
        return data
    raise PostilError(
        f"the server's answer is not what this client expects ({where}).",
        hint="Is this the address of a Postil server of the same version?",
    )
