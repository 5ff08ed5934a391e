"""What the API answers with, as frozen dataclasses; each has the fields of the API's model of that name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Health:
    """That the server answers, and can reach its database."""

    status: str
    version: str


@dataclass(frozen=True, slots=True)
class Me:
    """Whom the token speaks for, and what it may be used for."""

    login: str
    name: str
    role: str
    token: str
    scopes: tuple[str, ...]
    expires: datetime | None


@dataclass(frozen=True, slots=True)
class Course:
    """A course, and how much is in it."""

    id: int
    name: str
    created: datetime
    questions: int
    answers: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and how far its answers are."""

    id: int
    course_id: int
    text: str
    references: tuple[str, ...]
    points: float
    created: datetime
    answers: int
    judged: int
    decided: int


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that a full answer says."""

    id: str
    name: str
    weight: float
    required: bool


@dataclass(frozen=True, slots=True)
class Facets:
    """What a full answer says, as a teacher set it; None where nobody did, and Postil finds its own."""

    facets: tuple[Facet, ...] | None
    outdated: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the machine says of a stored answer."""

    label: str
    probabilities: Mapping[str, float]
    confidence: float
    deferred: bool
    reference: str
    explanation: str
    made: datetime


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's label for an answer, and what the machine had said when it was given."""

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
    """What an answer does with one facet; `outcome` is None where nobody has looked."""

    id: str
    name: str
    outcome: str | None
    decided: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with all that is known of it; a person's decision counts before the machine's judgement."""

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


@dataclass(frozen=True, slots=True)
class Added:
    """The numbers of answers that were stored, in the order in which they were sent."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the last step, which may have been about several answers."""

    undone: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """Work on a question in the background, and how far it is."""

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
    """What the latest regrade would change; `job_id` is None where none waits to be applied."""

    job_id: int | None
    items: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """How many labels were changed."""

    changed: int
