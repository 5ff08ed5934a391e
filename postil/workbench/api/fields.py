"""What all models of the API share: limits, kinds of field, and how an example is given."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonValue

from postil.data.formats.xlsxfile import MAX_CELL

LONGEST_COURSE = 200
LONGEST_TEXT = 5_000
LONGEST_ANSWER = MAX_CELL  # what a cell of a workbook can hold: every answer can be exported
LONGEST_KEY = 200
MOST_REFERENCES = 50
MOST_ANSWERS = 20_000  # in one request
MOST_POINTS = 1_000_000
MOST_NUMBER = 2**31 - 1  # the largest that every database gives
WHEN = "2026-03-02T09:30:00Z"  # in examples

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


class Page(BaseModel):
    """What every list shares: `next` goes into `after` for the next page, and is null at the end."""

    next: str | None = Field(description="Send it as `after` to go on; null at the end.")


def words(longest: int, description: str) -> Any:
    """A field for a text in which something can be seen."""
    return Field(min_length=1, max_length=longest, pattern=r"\S", description=description)


def shows(**example: JsonValue) -> ConfigDict:
    """The setting that gives a model its example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


Reference = Annotated[str, words(LONGEST_TEXT, "A right answer.")]
