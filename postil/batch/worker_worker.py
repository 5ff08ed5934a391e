"""What a worker does with a partition, wherever it runs: read, judge, write the part, say what it came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa

from postil.batch.batches import read_batches
from postil.batch.parts import part_path, read_tally, write_part
from postil.batch.storage import WriteError
from postil.batch.work import Done, Tally, Task, Work, unexpected
from postil.batch.worker import Judge, columns_read, find_roles, judge_batch
from postil.data.judgements import Judgement
from postil.data.questions import Question
from postil.errors import InputError, PostilError

if TYPE_CHECKING:
    from postil.grader import Grader


def judge_partition(work: Work, task: Task) -> Done:
    """Judge a partition and write its part, unless an earlier run has. What a person can mend is told."""
    source = task.partition.source
    try:
        known = read_tally(part_path(work, task))
        if known is not None:
            return Done(source, task, known, before=True)
        return Done(source, task, write_part(work, task, _judged(work, task)))
    except WriteError as error:
        return Done(source, task, error=str(error), stop=True)
    except InputError as error:
        return Done(source, task, error=str(error))
    except PostilError as error:
        return Done(source, task, error=f"{source.name}: {error}")
    except Exception as error:  # noqa: BLE001 - a night's work is not lost for a mistake in one file
        return Done(source, task, error=unexpected(source.name, error))


def _judged(work: Work, task: Task) -> Iterator[tuple[pa.Table, Tally]]:
    grader = load_judge(work.model, work.credit, work.target)
    partition = task.partition
    roles = find_roles(partition.source.name, partition.layout.names, work)
    for batch in read_batches(partition, columns_read(roles)):
        yield judge_batch(batch, roles, work, grader)


@lru_cache(maxsize=1)
def load_judge(model: str | None, credit: tuple[tuple[str, float], ...], target: float | None) -> Judge:
    """The grader; a worker loads it once."""
    from postil.grader import load  # only here: to plan and to put together needs no model

    return _Forgetful(load(model, credit=dict(credit), target=target))


@dataclass(frozen=True, slots=True)
class _Forgetful:
    """A grader whose memory does not grow with the words that it meets."""

    grader: Grader

    def grade_many(
        self, questions: Iterable[Question], *, explain: bool = False
    ) -> list[tuple[Question, list[Judgement]]]:
        """Judge questions with their answers."""
        from postil.language.pipeline import forgetting_words

        with forgetting_words():
            return list(self.grader.grade_many(questions, explain=explain))
