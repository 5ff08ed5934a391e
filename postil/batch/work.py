"""The work on a dataset: how it is graded, its tasks, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from postil.batch.storage import Source

if TYPE_CHECKING:
    from postil.batch.partitions import Partition


@dataclass(frozen=True, slots=True)
class Asked:
    """What a key file says about a question that the dataset names by its id or text."""

    text: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """How a dataset is graded and where the result goes: the same for every partition.

    `run` is what the result depends on besides the input, as JSON: version, model and options. The names
    of questions in the key are folded (`postil.data.formats.tables.plain`).
    """

    output: str
    run: str = ""
    scheme: str = "5way"
    explain: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    question: str | None = None
    references: tuple[str, ...] = ()
    key: Mapping[str, Asked] = field(default_factory=dict)
    model: str | None = None
    credit: tuple[tuple[str, float], ...] = ()
    target: float | None = None
    raw: bool = False
    reader: str = ""
    strictness: str = "normal"
    pupils: str = "older"


@dataclass(frozen=True, slots=True)
class Task:
    """A partition to judge, the hash of its file's bytes, and the number of partitions of its file."""

    partition: Partition
    sha256: str
    of: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of rows: all of them, by label, and those left to a person.

    `unjudged` are rows without a reference.
    """

    rows: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    deferred: int = 0
    unjudged: int = 0

    def __add__(self, other: Tally) -> Tally:
        labels = dict(Counter(self.labels) + Counter(other.labels))
        deferred, unjudged = self.deferred + other.deferred, self.unjudged + other.unjudged
        return Tally(self.rows + other.rows, labels, deferred, unjudged)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a partition, or of a whole file if there is no task.

    Without a task the file could not be read (`error`), or an earlier run has finished it (`before`). With a
    task, `before` means that an earlier run has left the part. `stop` means that nothing else can be written
    either, as with a full disk.
    """

    source: Source
    task: Task | None = None
    tally: Tally = field(default_factory=Tally)
    error: str = ""
    before: bool = False
    stop: bool = False


MOST_TRIES = 3  # a partition that crashes this many workers is not tried again


def given_up(task: Task) -> Done:
    """The report on a partition that has crashed too many workers."""
    source, number = task.partition.source, task.partition.number + 1
    what = f"{source.name}: part {number:,} of it crashed {MOST_TRIES} workers, so it was skipped."
    return Done(source, task, error=what)


def unexpected(name: str, error: Exception) -> str:
    """The report on an unexpected error; its own message may repeat a pupil's words."""
    what = f"{name}: could not be graded ({type(error).__name__})."
    return f"{what} If the storage itself can be read, this is a bug in Postil."


class Engine(Protocol):
    """Files in, judged partitions out, in any order, each exactly once; the parts are in the output folder.

    An engine asks `dataset.plan` for the tasks of a file, and `worker.judge_partition` to do them.
    """

    def run(self, work: Work, sources: Iterable[Source]) -> Generator[Done, None, None]:
        """Judge the files of a dataset."""
        ...
