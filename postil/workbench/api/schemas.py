"""What programs send and receive about courses, questions, answers and jobs; each model has an example."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict, JsonValue

from postil.data.formats.workbooks import MAX_CELL
from postil.data.judgements import Reason
from postil.data.rubrics import MOST_FACETS
from postil.language.network import READERS
from postil.workbench.store.courses import LONGEST_NAME

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
    "explanation": "The answer says that the circuit is closed. It does not say that current flows.",
    "made": _WHEN,
    "reason": None,
    "reader": "cascade",
    "read_by": "careful",
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
Kind = Literal["grade", "regrade", "recheck", "propose", "facets"]  # what can be asked for
AnyKind = Literal[Kind, "preview"]
State = Literal["all", "doubtful", "undecided", "decided", "differs"]
JobState = Literal["waiting", "running", "done", "failed", "applied", "dropped"]
ScopeName = Literal["judge", "read", "write"]


def _whole(value: object) -> object:
    """A whole number, even if JSON writes it with a point, as in 7.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Number = Annotated[int, Field(ge=1, le=MOST_NUMBER, description="Its number, as used in addresses.")]
SentNumber = Annotated[Number, BeforeValidator(_whole)]
SentCount = Annotated[int, BeforeValidator(_whole)]
SeenVersion = Annotated[
    str | None,
    Field(
        max_length=LONGEST_KEY,
        description="The `version` that this is based on. If what is stored has another by now, nothing is "
        "done (409 `changed`, with what is stored). Without it, the last one to write wins.",
    ),
]
Strictness = Annotated[
    Literal["lenient", "normal", "strict"], Field(description="How readily answers are called correct.")
]
_WHO_READS = f"Who reads the answers: {', '.join(READERS)}; null is the reader that is installed."
NewReader = Annotated[
    Annotated[str, Field(pattern=f"^({'|'.join(READERS)})$")] | None, Field(description=_WHO_READS)
]
Share = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[
    float, Field(gt=0, le=MOST_POINTS, allow_inf_nan=False, description="The points for a right answer.")
]


class Received(BaseModel):
    """What is sent to Postil: nothing is guessed, and nothing unknown is passed over."""

    # The described patterns are read as Python reads them: for other engines a lone accent is a word.
    model_config = ConfigDict(extra="forbid", strict=True, regex_engine="python-re")


class Shown(BaseModel):
    """What Postil sends: made from the record of the store that has these fields, or from a mapping."""

    model_config = ConfigDict(from_attributes=True)


class Page(Shown):
    """What every list shares: `next` goes into `after` for the next page, and is null at the end."""

    next: str | None = Field(description="Send it as `after` to get the next page; null at the end.")


def words(longest: int, description: str) -> Any:
    """A field for a text in which something can be seen."""
    return Field(min_length=1, max_length=longest, pattern=r"\S", description=description)


def shows(**example: JsonValue) -> ConfigDict:
    """The setting that gives a model its example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


Reference = Annotated[str, words(LONGEST_TEXT, "A right answer.")]


class Health(Shown):
    """Postil is running and can reach its database."""

    status: Literal["ok"]
    version: str
    model_config = shows(status="ok", version="0.10.0")


class NewCourse(Received):
    """A course's name, strictness and reader.

    What is left out stays as it is; a new course is `normal`, and has the reader that is installed.
    """

    name: Annotated[str, words(LONGEST_COURSE, "The name of the course.")]
    strictness: Strictness | None = None
    reader: NewReader = None
    model_config = shows(name="Physics 7b")


class Course(Shown):
    """A course, and how many questions and answers it has."""

    id: Number
    name: str
    created: datetime
    questions: int = Field(ge=0, description="How many questions it has.")
    answers: int = Field(ge=0, description="How many answers they have in all.")
    strictness: Strictness
    reader: str | None = Field(description=_WHO_READS)
    model_config = shows(
        id=3, name="Physics 7b", created=_WHEN, questions=2, answers=54, strictness="normal", reader=None
    )


class Courses(Page):
    """Courses, newest first."""

    items: list[Course]


class NewQuestion(Received):
    """A new question."""

    text: Annotated[str, words(LONGEST_TEXT, "The question as it was asked.")]
    references: list[Reference] = Field(
        min_length=1, max_length=MOST_REFERENCES, description="Right answers to compare with."
    )
    points: Points = 1.0
    model_config = shows(
        text="Why does the bulb light up?", references=["The circuit is closed, so current flows."], points=2
    )


class QuestionEdit(Received):
    """Changes to a question; fields that are left out stay as they are."""

    text: Annotated[str, words(LONGEST_TEXT, "The question as it was asked.")] | None = None
    references: Annotated[list[Reference], Field(min_length=1, max_length=MOST_REFERENCES)] | None = None
    points: Points | None = None
    version: SeenVersion = None
    model_config = shows(points=3)


class Question(Shown):
    """A question, and how many of its answers are judged and decided."""

    id: Number
    course_id: Number
    text: str
    references: list[str]
    points: float
    created: datetime
    answers: int = Field(ge=0, description="How many answers it has.")
    judged: int = Field(ge=0, description="How many answers the machine has judged.")
    decided: int = Field(ge=0, description="How many answers a person has decided.")
    provisional: int = Field(
        0, ge=0, description="How many answers have a grade given before any answer was labelled by a person."
    )
    version: str = Field(description="Another one after each change of text, references or points.")
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
        version="5d41402abc4b2a76",
    )


class Questions(Page):
    """The questions of a course, oldest first."""

    items: list[Question]


class NewAnswer(Received):
    """An answer to store."""

    key: Annotated[str, words(LONGEST_KEY, "Its id in your own system, unique within the question.")]
    text: str = Field(max_length=LONGEST_ANSWER, description="What the pupil wrote; may be empty.")
    student: str = Field("", max_length=LONGEST_KEY, description="The pupil's name, if you want to see it.")
    label: Label | None = Field(None, description="A label that a person has already given, if any.")
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
    """The machine's judgement of an answer."""

    label: Label
    probabilities: dict[str, Share] = Field(description="The probability of each label.")
    confidence: Share = Field(description="How sure the machine is of its label.")
    deferred: bool = Field(description="Whether the machine is unsure, and a person should look.")
    reference: str = Field(description="The reference that the answer was compared with.")
    explanation: str = Field(description="How the answer compares with it, for the teacher.")
    made: datetime
    reason: Reason | None = Field(description="What decided instead of the model, or set the answer apart.")
    reader: str = Field(description="The reader that was asked for; empty if none was needed.")
    read_by: str = Field(description="The reader that decided: of a cascade, one of those in it.")
    model_config = shows(**_JUDGEMENT)


class NewDecision(Received):
    """A person's label for an answer, which overrides the machine's."""

    label: Label
    ticked: list[Annotated[str, Field(max_length=LONGEST_NAME)]] | None = Field(
        None,
        max_length=MOST_FACETS,
        description="The ids of the facets that the answer expresses, if a teacher has set facets; if left "
        "out, earlier ticks still count.",
    )
    contradicted: list[Annotated[str, Field(max_length=LONGEST_NAME)]] | None = Field(
        None,
        max_length=MOST_FACETS,
        description="With `ticked`: the ids of the facets that the answer contradicts, if they have a "
        "deduction; if left out, as the machine found.",
    )
    version: SeenVersion = None
    model_config = shows(label="correct")


class Decision(Shown):
    """A person's label for an answer, and the machine's label at that time."""

    id: Number
    answer_id: Number
    label: Label
    source: str = Field(description="How it came about, such as `review`, `group` or `uploaded`.")
    made: datetime
    undone: datetime | None = Field(description="When it was taken back; null if it was not.")
    machine_label: Label | None
    ticked: dict[str, bool] | None = Field(
        description="Facets, by id, and whether the answer expresses them."
    )
    model_config = shows(**_DECISION)


class CurrentDecision(Shown):
    """What a problem of the kind `changed` shows as `current`: the decision that counts now, if any."""

    version: str
    decision: Decision | None


class Decisions(Page):
    """All decisions about an answer, newest first."""

    items: list[Decision]


class Undone(Shown):
    """What was taken back: the last step, which may concern several answers."""

    undone: list[Decision]
    model_config = shows(undone=[_DECISION | {"undone": _WHEN}])


class AnswerFacet(Shown):
    """Whether an answer expresses one facet."""

    id: str
    name: str
    outcome: Outcome | None = Field(description="The outcome that counts; null if nobody has looked.")
    decided: bool = Field(description="Whether a person decided it.")
    model_config = shows(id="f1a2b3c4", name="the circuit is closed", outcome="Expressed", decided=False)


class Answer(Shown):
    """An answer with everything known about it; a person's decision overrides the machine's judgement."""

    id: Number
    question_id: Number
    key: str
    student: str
    text: str
    place: int = Field(ge=0, description="Its position among the question's answers.")
    group: int = Field(ge=0, description="Similar answers share a number; 0 before they are grouped.")
    label: Label | None = Field(description="The label that counts; null before the answer is judged.")
    points: float | None = Field(ge=0, description="How many of the question's points the answer earns.")
    doubtful: bool = Field(description="Whether a person should look at it.")
    provisional: bool = Field(
        False, description="Whether it was graded before a person had labelled any answer to the question."
    )
    feedback: str = Field(description="Feedback for the pupil, which fits the label that counts.")
    judgement: Judgement | None
    decision: Decision | None
    facets: list[AnswerFacet]
    version: str = Field(description="Another one after each judgement and each decision.")
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
        version="31-1772443800000000",
    )


class Answers(Page):
    """The answers to a question, in order."""

    items: list[Answer]


class NewJob(Received):
    """Work to do in the background."""

    kind: Kind = Field(
        description="`grade` judges answers that have no judgement; `regrade` proposes new labels, learning "
        "from people's decisions; `recheck` looks for changed facets; `propose` chooses answers to decide "
        "first; `facets` finds the points that a full answer makes."
    )
    model_config = shows(kind="grade")


class Job(Shown):
    """Work on a question in the background, and its progress."""

    id: Number
    question_id: Number
    kind: AnyKind
    state: JobState
    phase: str = Field(description="What it is doing now, in a word; empty when it is not running.")
    done: int = Field(ge=0)
    total: int = Field(ge=0, description="How many answers there are to go through; 0 until this is known.")
    error: str = Field(description="Why it failed; otherwise empty.")
    answers: list[int] = Field(description="For `propose`: the numbers of the answers to decide first.")
    facets: list[str] = Field(
        description="For `facets`: the points that a full answer makes, as found by Postil."
    )
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
    """The jobs of a question, newest first."""

    items: list[Job]


class Change(Shown):
    """What a regrade would change about one answer."""

    answer_id: Number
    key: str
    before: Label
    after: Label
    confidence: Share = Field(description="How sure the machine is of the new label.")
    model_config = shows(
        answer_id=101, key="u17", before="irrelevant", after="partially_correct_incomplete", confidence=0.81
    )


class Changes(Page):
    """What the latest regrade would change, in the order of the answers."""

    job_id: Number | None = Field(description="The regrade job; null if none is waiting to be applied.")
    items: list[Change]


class ChosenChanges(Received):
    """Which regrade to apply or drop: only changes that you have seen."""

    job_id: SentNumber
    model_config = shows(job_id=13)


class Applied(Shown):
    """How many labels were changed."""

    changed: int = Field(ge=0)
    model_config = shows(changed=5)
