"""What programs send and receive about courses, questions, answers and jobs; each model has an example."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict, JsonValue

from postil.data.formats.spreadsheets import MAX_CELL
from postil.workbench.store.questions import LONGEST_NAME, MOST_FACETS, MOST_WEIGHT

LONGEST_COURSE = 200
LONGEST_TEXT = 5_000
LONGEST_ANSWER = MAX_CELL  # what a cell of a workbook can hold: every answer can be exported
LONGEST_KEY = 200
MOST_REFERENCES = 50
MOST_ANSWERS = 20_000  # in one request
MOST_POINTS = 1_000_000
MOST_NUMBER = 2**31 - 1  # the largest that every database gives
_WHEN = "2026-03-02T09:30:00Z"  # in examples
_JUDGEMENT: JsonDict = {
    "label": "partially_correct_incomplete",
    "probabilities": {
        "correct": 0.11,
        "partially_correct_incomplete": 0.78,
        "contradictory": 0.04,
        "irrelevant": 0.06,
        "non_domain": 0.01,
    },
    "confidence": 0.78,
    "deferred": False,
    "reference": "The circuit is closed, so current flows.",
    "explanation": "It says that the circuit is closed. It leaves out “current flows”.",
    "made": _WHEN,
}
_DECISION: JsonDict = {
    "id": 31,
    "answer_id": 101,
    "label": "correct",
    "source": "review",
    "made": _WHEN,
    "undone": None,
    "machine_label": "partially_correct_incomplete",
    "ticked": None,
}

Label = Literal["correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain"]
Outcome = Literal["Expressed", "Unaddressed", "Contradicted"]
Kind = Literal["grade", "regrade", "recheck", "propose", "facets"]
State = Literal["all", "doubtful", "undecided", "decided", "differs"]
JobState = Literal["waiting", "running", "done", "failed", "applied", "dropped"]
ScopeName = Literal["judge", "read", "write"]


def _whole(value: object) -> object:
    """A number that JSON writes with a point, as in 7.0, is a whole one, too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Number = Annotated[int, Field(ge=1, le=MOST_NUMBER, description="The number that names it in addresses.")]
SentNumber = Annotated[Number, BeforeValidator(_whole)]
Share = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[
    float, Field(gt=0, le=MOST_POINTS, allow_inf_nan=False, description="What a right answer earns.")
]


class Received(BaseModel):
    """What is sent to Postil: nothing is guessed, and nothing unknown is passed over."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Shown(BaseModel):
    """What Postil sends: made from the record of the store that has these fields, or from a mapping."""

    model_config = ConfigDict(from_attributes=True)


class Page(Shown):
    """What every list shares: `next` goes into `after` for the next page, and is null at the end."""

    next: str | None = Field(description="Send it as `after` to go on; null at the end.")


def words(longest: int, description: str) -> Any:
    """A field for a text in which something can be seen."""
    return Field(min_length=1, max_length=longest, pattern=r"\S", description=description)


def shows(**example: JsonValue) -> ConfigDict:
    """The setting that gives a model its example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


Reference = Annotated[str, words(LONGEST_TEXT, "A right answer.")]


class Me(Shown):
    """Whom a token speaks for, and what it may be used for."""

    login: str = Field(description="The account's login; empty where Postil runs for one person.")
    name: str = Field(description="The account's name; empty where Postil runs for one person.")
    role: Literal["owner", "teacher", "assistant"]
    token: str = Field(description="What the token was called when it was made.")
    scopes: list[ScopeName]
    expires: datetime | None = Field(description="When the token stops working; null for never.")
    model_config = shows(
        login="ada",
        name="Ada Ruiz",
        role="teacher",
        token="grade book",  # noqa: S106 - its name
        scopes=["read", "write"],
        expires=None,
    )


class Health(Shown):
    """That Postil answers, and can reach its database."""

    status: Literal["ok"]
    version: str
    model_config = shows(status="ok", version="0.10.0")


class NewCourse(Received):
    """A course to make, or its new name."""

    name: Annotated[str, words(LONGEST_COURSE, "What people call the course.")]
    model_config = shows(name="Physics 7b")


class Course(Shown):
    """A course, and how much is in it."""

    id: Number
    name: str
    created: datetime
    questions: int = Field(ge=0, description="How many questions it has.")
    answers: int = Field(ge=0, description="How many answers these have together.")
    model_config = shows(id=3, name="Physics 7b", created=_WHEN, questions=2, answers=54)


class Courses(Page):
    """Courses, the newest first."""

    items: list[Course]


class NewQuestion(Received):
    """A question to make."""

    text: Annotated[str, words(LONGEST_TEXT, "What was asked.")]
    references: list[Reference] = Field(
        min_length=1, max_length=MOST_REFERENCES, description="Right answers to compare with."
    )
    points: Points = 1.0
    model_config = shows(
        text="Why does the bulb light up?", references=["The circuit is closed, so current flows."], points=2
    )


class QuestionEdit(Received):
    """What to change about a question; what is left out stays as it is."""

    text: Annotated[str, words(LONGEST_TEXT, "What was asked.")] | None = None
    references: Annotated[list[Reference], Field(min_length=1, max_length=MOST_REFERENCES)] | None = None
    points: Points | None = None
    model_config = shows(points=3)


class Question(Shown):
    """A question, and how far its answers are."""

    id: Number
    course_id: Number
    text: str
    references: list[str]
    points: float
    created: datetime
    answers: int = Field(ge=0, description="How many answers it has.")
    judged: int = Field(ge=0, description="Of how many the machine has said something.")
    decided: int = Field(ge=0, description="About how many a person has decided.")
    model_config = shows(
        id=7,
        course_id=3,
        text="Why does the bulb light up?",
        references=["The circuit is closed, so current flows."],
        points=2,
        created=_WHEN,
        answers=27,
        judged=27,
        decided=4,
    )


class Questions(Page):
    """The questions of a course, the oldest first."""

    items: list[Question]


class NewFacet(Received):
    """One thing that a full answer says."""

    id: Annotated[str, Field(max_length=LONGEST_KEY)] | None = Field(
        None, description="Of a facet that is there already: it is the same one, maybe with another name."
    )
    name: Annotated[str, words(LONGEST_NAME, "What the answer has to say, in a few words.")]
    weight: float = Field(1.0, gt=0, le=MOST_WEIGHT, allow_inf_nan=False)
    required: bool = Field(True, description="Required ones together earn all points; others only add.")
    model_config = shows(name="the circuit is closed", weight=2, required=True)


class NewFacets(Received):
    """What a full answer says: all of it; what is left out is no facet any more."""

    facets: list[NewFacet] = Field(min_length=1, max_length=MOST_FACETS)
    model_config = shows(facets=[{"name": "the circuit is closed", "weight": 2}, {"name": "current flows"}])


class Facet(Shown):
    """One thing that a full answer says."""

    id: str
    name: str
    weight: float
    required: bool
    model_config = shows(id="f1a2b3c4", name="the circuit is closed", weight=2.0, required=True)


class Facets(Shown):
    """What a full answer says, as a teacher set it."""

    facets: list[Facet] | None = Field(description="null where nobody set them: Postil finds its own.")
    outdated: bool = Field(description="Whether answers were judged by others; `recheck` looks again.")
    model_config = shows(
        facets=[{"id": "f1a2b3c4", "name": "the circuit is closed", "weight": 2.0, "required": True}],
        outdated=False,
    )


class NewAnswer(Received):
    """An answer to store."""

    key: Annotated[str, words(LONGEST_KEY, "Its id in your own system; a question has each only once.")]
    text: str = Field(max_length=LONGEST_ANSWER, description="What the pupil wrote; may be empty.")
    student: str = Field("", max_length=LONGEST_KEY, description="The pupil's name, if you want to see it.")
    label: Label | None = Field(None, description="What a person has decided before, if anybody has.")
    model_config = shows(key="u17", text="because the circuit is closed", student="Kim")


class NewAnswers(Received):
    """Answers to store: all of them, or none."""

    answers: list[NewAnswer] = Field(min_length=1, max_length=MOST_ANSWERS)
    model_config = shows(
        answers=[
            {"key": "u17", "text": "because the circuit is closed", "student": "Kim"},
            {"key": "u18", "text": "The battery is full."},
        ]
    )


class Added(Shown):
    """The numbers of the answers that were stored, in the order in which they were sent."""

    ids: list[int]
    model_config = shows(ids=[101, 102])


class Judgement(Shown):
    """What the machine says of an answer."""

    label: Label
    probabilities: dict[str, Share] = Field(description="Of each label.")
    confidence: Share = Field(description="How sure the machine is of its label.")
    deferred: bool = Field(description="Whether it is too unsure, and a person should look.")
    reference: str = Field(description="The reference that the answer was compared with.")
    explanation: str = Field(description="How it compares, for the teacher.")
    made: datetime
    model_config = shows(**_JUDGEMENT)


class NewDecision(Received):
    """A person's label for an answer: it counts before the machine's."""

    label: Label
    ticked: list[Annotated[str, Field(max_length=LONGEST_NAME)]] | None = Field(
        None,
        max_length=MOST_FACETS,
        description="The ids of the facets that the answer says, where a teacher has set facets; "
        "left out, those ticked before go on to count.",
    )
    model_config = shows(label="correct")


class Decision(Shown):
    """A person's label for an answer, and what the machine had said when it was given."""

    id: Number
    answer_id: Number
    label: Label
    source: str = Field(description="How it came about, such as `review`, `group` or `uploaded`.")
    made: datetime
    undone: datetime | None = Field(description="When it was taken back; null if it was not.")
    machine_label: Label | None
    ticked: dict[str, bool] | None = Field(description="Facets, by id, and whether the answer says them.")
    model_config = shows(**_DECISION)


class Decisions(Page):
    """All that was ever decided about an answer, the newest first."""

    items: list[Decision]


class Undone(Shown):
    """What was taken back: the last step, which may have been about several answers."""

    undone: list[Decision]
    model_config = shows(undone=[_DECISION | {"undone": _WHEN}])


class AnswerFacet(Shown):
    """What an answer does with one facet."""

    id: str
    name: str
    outcome: Outcome | None = Field(description="The one that counts; null where nobody has looked.")
    decided: bool = Field(description="Whether a person said so.")
    model_config = shows(id="f1a2b3c4", name="the circuit is closed", outcome="Expressed", decided=False)


class Answer(Shown):
    """An answer with all that is known of it; a person's decision counts before the machine's judgement."""

    id: Number
    question_id: Number
    key: str
    student: str
    text: str
    place: int = Field(ge=0, description="Where it stands among the question's answers.")
    group: int = Field(ge=0, description="Like answers share a number; 0 before they are grouped.")
    label: Label | None = Field(description="The label that counts; null before anybody has judged.")
    points: float | None = Field(ge=0, description="What the answer earns of the question's points.")
    doubtful: bool = Field(description="Whether a person should look at it.")
    feedback: str = Field(description="What to say to the pupil; it fits the label that counts.")
    judgement: Judgement | None
    decision: Decision | None
    facets: list[AnswerFacet]
    model_config = shows(
        id=101,
        question_id=7,
        key="u17",
        student="Kim",
        text="because the circuit is closed",
        place=0,
        group=1,
        label="correct",
        points=2.0,
        doubtful=False,
        feedback="Your answer is right.",
        judgement=_JUDGEMENT,
        decision=_DECISION,
        facets=[],
    )


class Answers(Page):
    """Answers of a question, in their order."""

    items: list[Answer]


class NewJob(Received):
    """Work to do in the background."""

    kind: Kind = Field(
        description="`grade` judges answers that have no judgement; `regrade` proposes new labels with what "
        "people decided; `recheck` looks for changed facets; `propose` chooses answers to decide first; "
        "`facets` finds what a full answer says."
    )
    model_config = shows(kind="grade")


class Job(Shown):
    """Work on a question in the background, and how far it is."""

    id: Number
    question_id: Number
    kind: Kind
    state: JobState
    phase: str = Field(description="What it does now, in a word; empty when it does nothing.")
    done: int = Field(ge=0)
    total: int = Field(ge=0, description="Answers to go through; 0 until that is known.")
    error: str = Field(description="Why it failed; otherwise empty.")
    answers: list[int] = Field(description="Of `propose`: the answers to decide first, by their numbers.")
    facets: list[str] = Field(description="Of `facets`: what a full answer says, by Postil.")
    created: datetime
    started: datetime | None
    finished: datetime | None
    model_config = shows(
        id=12,
        question_id=7,
        kind="grade",
        state="running",
        phase="judging",
        done=8,
        total=27,
        error="",
        answers=[],
        facets=[],
        created=_WHEN,
        started=_WHEN,
        finished=None,
    )


class Jobs(Page):
    """The jobs of a question, the newest first."""

    items: list[Job]


class Change(Shown):
    """What a regrade would change about one answer."""

    answer_id: Number
    key: str
    before: Label
    after: Label
    confidence: Share = Field(description="How sure the machine is of the label after.")
    model_config = shows(
        answer_id=101, key="u17", before="irrelevant", after="partially_correct_incomplete", confidence=0.81
    )


class Changes(Page):
    """What the latest regrade would change, in the order of the answers."""

    job_id: Number | None = Field(description="The regrade; null where none waits to be applied.")
    items: list[Change]


class ChosenChanges(Received):
    """Which regrade is meant: only what was looked at is applied or dropped."""

    job_id: SentNumber
    model_config = shows(job_id=13)


class Applied(Shown):
    """How many labels were changed."""

    changed: int = Field(ge=0)
    model_config = shows(changed=5)
