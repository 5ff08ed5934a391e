"""The few kinds of error a user can meet; each says what is wrong, where, and what to do.

Messages may end up in logs: they name files, lines, ids, columns and labels, and never repeat an answer.
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from traceback import extract_tb

_LONGEST_NAME = 60
_LONGEST_LABEL = 30
_MOST_WORDS = 4
_MOST_LINES = 5


class PostilError(Exception):
    """Anything a user can fix: the command line prints its one message and exits with status 2.

    `hint` says what to do; `option` what else can be done at a command line, which pages leave out.
    """

    def __init__(self, what: str, *, hint: str = "", option: str = "") -> None:
        self.what = what
        self.hint = hint
        super().__init__(" ".join(filter(None, (what, hint, option))))


class InputError(PostilError):
    """A file that cannot be read as expected, with the position of the problem."""

    def __init__(
        self,
        path: Path | str,
        what: str,
        *,
        line: int | None = None,
        record: str | None = None,
        hint: str = "",
        option: str = "",
    ) -> None:
        self.path = str(path)
        self.line = line
        self.record = record
        self.problem = what
        super().__init__(self.called(self.path), hint=hint, option=option)

    def called(self, name: str) -> str:
        """What is wrong and where, with the name that the reader knows the file by."""
        line = "" if self.line is None else f", line {self.line}"
        record = "" if self.record is None else f" ({self.record})"
        return f"{name}{line}{record}: {self.problem}"


class MismatchError(PostilError):
    """Two files that should be about the same items and are not."""


class MissingDataError(PostilError):
    """Data that a command needs and cannot find."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a file: an `error` stops its reader, a `warning` is read all the same."""

    line: int
    record: str
    what: str
    severity: str = "error"


class InputWarning(UserWarning):
    """A file that was read although some places in it are irregular; `problems` lists them."""

    def __init__(self, path: Path | str, problems: Sequence[Problem]) -> None:
        self.path = str(path)
        self.problems = tuple(problems)
        super().__init__(self.path, self.problems)

    def __str__(self) -> str:
        numbers = list(dict.fromkeys(problem.line for problem in self.problems))
        lines = ", ".join(map(str, numbers[:_MOST_LINES]))
        if len(numbers) > _MOST_LINES:
            lines += f" and {len(numbers) - _MOST_LINES:,} more"
        count = number_of(len(self.problems), "irregular place")
        return (
            f"{self.path}: {count} (line{'s' if len(numbers) > 1 else ''} {lines}), read all the same. "
            f"The first: {self.problems[0].what} `postil check` lists them."
        )


def warn_of(path: Path | str, problems: Sequence[Problem]) -> None:
    """Warn once of all the places in a file that are irregular and were read; of none, say nothing."""
    if problems:
        warnings.warn(InputWarning(path, problems), stacklevel=3)


def some(names: Iterable[str], most: int = 3) -> str:
    """Quote the first few of many names for a message: `'a', 'b', 'c' and 7 more`; long ones are cut."""
    listed = list(names)
    shortened = (name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…" for name in listed)
    quoted = ", ".join(repr(name) for name in islice(shortened, most))
    return quoted if len(listed) <= most else f"{quoted} and {len(listed) - most} more"


def unknown_label(label: str, what: str = "label") -> str:
    """Report an unknown label; a text too long for a label may be a pupil's, and is not repeated."""
    if len(label) > _LONGEST_LABEL or len(label.split()) > _MOST_WORDS:
        return f"this is a longer text, not a {what}."
    return f"the {what} {label!r} is unknown."


def number_of(count: int, thing: str) -> str:
    """Count things in words: `1 question`, `2,000 questions`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


_FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk is full, or all that this user may have of it


def is_disk_full(error: BaseException | None) -> bool:
    """Whether something failed because a disk is full, whatever it was called on the way."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def origin(error: Exception) -> str:
    """The kind of an unexpected error and where it was raised; its message could repeat a pupil's words."""
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"
