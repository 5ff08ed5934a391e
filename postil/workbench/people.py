"""Who uses the workbench: roles in an installation, levels in a course, one person without an account."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

OWNER, TEACHER, ASSISTANT = "owner", "teacher", "assistant"
ROLES = (OWNER, TEACHER, ASSISTANT)


class Level(IntEnum):
    """What a person may do in a course; who may do more may do the lesser things, too."""

    HELP = 1  # see everything, decide about answers, start a grading
    TEACH = 2  # add, change and delete questions and answers, import and export
    OWN = 3  # rename, share and delete the course


# What a course can be shared for, by the names that the database and the API use.
SHARED = {"help": Level.HELP, "teach": Level.TEACH}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was let in. Without a number it is the one person of `--local`, who has everything."""

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
