"""What the store gives out and pages show: people, courses, questions, answers, judgements and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from hashlib import sha256
from json import dumps
from typing import Protocol

from postil.data import questions
from postil.data.judgements import AlignedPair, Facets, Reason
from postil.data.labels import PARTLY, PLAIN_NAMES, RESPONSE_SCHEMES
from postil.grading.credit import earned
from postil.workbench.claims import FacetView, Outcome, facet_views, outcomes_told

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_DIGITS = 18  # of a number in a version
LABELS = RESPONSE_SCHEMES["5way"].labels
# The other questions of a course, with answers that people labelled: they show how strict its teacher is.
Lessons = Sequence[questions.Question]
OWNER, TEACHER, ASSISTANT = "owner", "teacher", "assistant"
ROLES = (OWNER, TEACHER, ASSISTANT)


class Level(IntEnum):
    """What a person may do in a course; each level includes those below it."""

    HELP = 1  # see everything, decide about answers, start a grading
    TEACH = 2  # add, change and delete questions and answers, import and export
    OWN = 3  # rename, share and delete the course


# What a course can be shared for, by the names that the database and the API use.
SHARED = {"help": Level.HELP, "teach": Level.TEACH}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is logged in. Without a number it is the user of `--local`, who may do everything."""

    id: int | None
    login: str
    name: str
    role: str

    @property
    def is_owner(self) -> bool:
        """Whether this person looks after the installation: its accounts and its log."""
        return self.role == OWNER

    @property
    def makes_courses(self) -> bool:
        """Whether this person may have courses; assistants help in those of others."""
        return self.role != ASSISTANT


LOCAL = Person(None, "", "", OWNER)


@dataclass(frozen=True, slots=True)
class Account:
    """An account; `active` once its password is set and until it is closed."""

    person: Person
    created: datetime
    closed: datetime | None
    has_password: bool
    courses: int

    @property
    def active(self) -> bool:
        """Whether this person can log in."""
        return self.has_password and self.closed is None


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with whom a course is shared, and for what."""

    person: Person
    level: Level
    since: datetime


_REASONS = {
    "accepted": "{} accepted this.",
    "passed": "{} accepted this together with others Postil was sure of.",
    "uploaded": "This label came from the file.",
    "labelled": "Two people gave this label.",
    "settled": "Two people disagreed, and a referee settled it.",
}


@dataclass(frozen=True, slots=True)
class Manner:
    """How a class is or was graded: how strictly, and by which reader; None is the one that is installed."""

    strictness: str = "normal"
    reader: str | None = None

    def usable(self, missing: str) -> Manner:
        """The same, by the reader that is installed if something is missing of this one."""
        return Manner(self.strictness) if missing else self


@dataclass(frozen=True, slots=True)
class Course:
    """A course, how many questions and answers it holds, and its owner, where there are accounts.

    `strictness` is how readily its answers are called correct: `lenient`, `normal` or `strict`. `reader` is
    who reads them; None is the one that is installed.
    """

    id: int
    name: str
    created: datetime
    questions: int
    answers: int
    owner: Person | None = None
    strictness: str = "normal"
    reader: str | None = None

    @property
    def manner(self) -> Manner:
        """How its answers are to be graded."""
        return Manner(self.strictness, self.reader)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its references; how many answers it has, and how many were judged and decided.

    `provisional` are the answers with a grade that no person's label has informed: nobody decided them, and
    the last grading knew no label of the question. `facets` are what a full answer says, as a teacher set it.
    """

    id: int
    course_id: int
    text: str
    references: tuple[str, ...]
    points: float
    created: datetime
    answers: int
    judged: int
    decided: int
    provisional: int = 0
    facets: Facets = None

    @property
    def unlabelled(self) -> bool:
        """Whether a person should label a few of its answers first: there are some, and none is labelled."""
        return bool(self.answers and (self.provisional or not (self.judged or self.decided)))

    def is_provisional(self, view: View) -> bool:
        """Whether the grade of one of its answers is provisional."""
        return bool(self.provisional and view.judged and not view.decision)

    @property
    def version(self) -> str:
        """A fingerprint of the text, references and points, which changes whenever they do."""
        return _fingerprint(self.text, *self.references, repr(self.points))

    @property
    def facets_version(self) -> str:
        """A fingerprint of the rubric, which changes whenever the rubric does."""
        rows = self.facets and [
            [item.id, item.first, item.weight, item.required, item.group, item.needed, item.deduction]
            for item in self.facets
        ]
        return _fingerprint(dumps(rows))


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer about to be stored; `key` is its id in the teacher's file, unique within a question."""

    key: str
    student: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored answer; `place` is where it stood among the others, `group` is 0 before they are grouped."""

    id: int
    question_id: int
    key: str
    student: str
    text: str
    place: int
    group: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What the machine says of one answer, in a form that can be kept.

    `probabilities` are those of the five labels. `reason` is set where something other than the model
    decided, or set the answer apart; otherwise `teacher` and `student` say in words how the answer compares
    with `reference`, and `doubt` what a person should check about the label. `alignment` shows it, and
    `facets` has what became of each facet; `looked_for` tells the facets that a teacher had set by then.
    `reader` was asked to read the answer, and `read_by` decided; both are empty where no reader was needed.
    """

    answer_id: int
    label: str
    probabilities: Mapping[str, float]
    score: float
    confidence: float
    deferred: bool
    reason: Reason | None
    reference: str
    teacher: str
    student: str
    alignment: AlignedPair | None
    made: datetime
    facets: tuple[Outcome, ...] = ()
    looked_for: str | None = None
    doubt: str = ""
    reader: str = ""
    read_by: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's label for an answer, and what the machine had said when it was given.

    `source` is how it came about: one answer in "review" or "accepted" there, "start" for those labelled
    first, "group" for like answers together, "passed" for many accepted without a look at each, "uploaded"
    for a label that stood in the file, "labelled" by two people alike, "settled" by a referee where they
    differed. Decisions made together share a `batch`. `ticked` has the facets
    that the person was asked about, and whether the answer says them; None where nobody was asked. `by` is
    the account of who decided; None for the one person of `--local`.
    """

    id: int
    answer_id: int
    label: str
    made: datetime
    source: str
    batch: int
    undone: datetime | None
    machine_label: str | None
    machine_probabilities: Mapping[str, float] | None
    ticked: Mapping[str, bool] | None = None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """The state of an answer that somebody saw when deciding, so that decisions in between are noticed.

    `decision` is the number of the decision that counted, `judgement` the microsecond in which the machine's
    judgement was made; 0 stands for none.
    """

    decision: int = 0
    judgement: int = 0

    def __str__(self) -> str:
        return f"{self.decision}-{self.judgement}"

    @classmethod
    def of(cls, decision: int | None, made: datetime | None) -> Version:
        """The version of an answer with this decision, and a judgement made at this moment."""
        return cls(decision or 0, (made - _EPOCH) // timedelta(microseconds=1) if made else 0)

    @classmethod
    def read(cls, text: str) -> Version | None:
        """Read the version that a form or a program sent; None if it is malformed."""
        parts = text.split("-")
        if len(parts) != len(fields(cls)) or not all(part.isascii() and part.isdecimal() for part in parts):
            return None
        return cls(*(int(part[:_MOST_DIGITS]) for part in parts))


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...


def counting_label(decision: Decision | None, judged: _Labelled | None) -> str | None:
    """The label that counts, a person's before the machine's; None before anybody has judged."""
    counting = decision or judged
    return counting.label if counting else None


@dataclass(frozen=True, slots=True)
class View:
    """An answer as a page shows it: a person's decision comes before the machine's judgement.

    `set_facets` are those that the teacher set for the question.
    """

    answer: Answer
    judged: Judged | None
    decision: Decision | None
    set_facets: Facets = None

    @property
    def version(self) -> Version:
        """What was known of the answer: a decision says on which version it was made."""
        decision, judged = self.decision, self.judged
        return Version.of(decision.id if decision else None, judged.made if judged else None)

    @property
    def label(self) -> str | None:
        """The label that counts; None before anybody has judged."""
        return counting_label(self.decision, self.judged)

    @property
    def score(self) -> float | None:
        """What the answer earns, 0 to 1; equal labels and ticks earn the same, for pupils compare points."""
        if self.label is None:
            return None
        return earned(self.label, self.set_facets, outcomes_told(self.facets))

    @property
    def facets(self) -> tuple[FacetView, ...]:
        """What the answer does with each facet."""
        outcomes = self.judged.facets if self.judged else ()
        return facet_views(self.set_facets, outcomes, self.decision.ticked if self.decision else None)

    @property
    def facets_count(self) -> bool:
        """Whether the facets tell more than the label: a teacher set them, or there are several."""
        return bool(self.facets) and (self.set_facets is not None or len(self.facets) > 1)

    @property
    def facets_said(self) -> tuple[int, int] | None:
        """How many facets a partly right answer says, and of how many; None where that tells nothing."""
        outcomes = outcomes_told(self.facets)
        if self.label != PARTLY or outcomes is None or not self.facets_count:
            return None
        claims = [view for view in self.facets if not view.facet.wrong]
        return sum(view.ticked for view in claims), len(claims)

    @property
    def plain(self) -> str:
        """What people call the label; empty before anybody has judged."""
        return PLAIN_NAMES.get(self.label, self.label) if self.label else ""

    def reason(self, who: str = "You") -> str:
        """Why the label is what it is: that `who` has decided it, or else the machine's note."""
        if self.decision:
            return _REASONS.get(self.decision.source, "{} decided this.").format(who)
        return self.note

    @property
    def note(self) -> str:
        """What the machine says of the answer; it asks nobody to check what a person has decided."""
        if self.judged is None:
            return ""
        because = sentence(self.judged.reason.words) if self.judged.reason else ""
        doubt = "" if self.decision else self.judged.doubt
        return " ".join(filter(None, (because, self.judged.teacher, doubt)))

    @property
    def doubtful(self) -> bool:
        """Whether a person should look: nobody has decided, and the machine is unsure or has not said."""
        return self.decision is None and (self.judged is None or self.judged.deferred)


@dataclass(frozen=True, slots=True)
class Job:
    """Work on a question that goes on in the background.

    `kind` is "propose", "grade", "regrade", "recheck" (look for facets that have changed; labels stay) or
    "facets" (find what a full answer says); `state` is "waiting", "running", "done", "failed", and for what a
    regrade proposes also "applied" or "dropped". `lease` is known only to the worker that took it last, which
    may write the job. A job is `forsaken` while there is no worker to do it.
    """

    id: int
    question_id: int
    kind: str
    state: str
    phase: str
    done: int
    total: int
    error: str
    result: Mapping[str, object]
    created: datetime
    started: datetime | None
    finished: datetime | None
    lease: str = ""
    forsaken: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What grading again would change about one answer."""

    answer: Answer
    before: Judged
    after: Judged


def _fingerprint(*texts: str) -> str:
    return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sentence(clause: str) -> str:
    """A clause as a sentence: a capital first, a full stop last."""
    clause = clause.strip()
    if not clause:
        return ""
    return clause[0].upper() + clause[1:] + ("" if clause[-1] in ".!?…" else ".")
