"""The few kinds of error a user can meet; each says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class PostilError(Exception):
    """Anything a user can mend: the command line prints its one message and exits with status 2."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        self.what = what
        self.hint = hint
        super().__init__(f"{what} {hint}".strip())


class InputError(PostilError):
    """A file that cannot be read as what it should be, with the place where that shows."""

    def __init__(
        self,
        path: Path | str,
        what: str,
        *,
        line: int | None = None,
        record: str | None = None,
        hint: str = "",
    ) -> None:
        self.path = str(path)
        self.line = line
        self.record = record
        where = self.path
        if line is not None:
            where += f", line {line}"
        if record is not None:
            where += f" ({record})"
        super().__init__(f"{where}: {what}", hint=hint)


class MismatchError(PostilError):
    """Two files that should speak of the same items and do not."""


class MissingDataError(PostilError):
    """Data that a command needs and that is not where it was looked for."""


def some(names: Iterable[str], most: int = 3) -> str:
    """Quote the first few of many names for a message: `'a', 'b', 'c' and 7 more`."""
    listed = list(names)
    quoted = ", ".join(repr(name) for name in listed[:most])
    return quoted if len(listed) <= most else f"{quoted} and {len(listed) - most} more"
