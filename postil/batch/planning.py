"""Says what there is to do with a file of a dataset: its partitions, or that it is finished or unreadable."""

from __future__ import annotations

from postil.batch.manifests import finished
from postil.batch.partitions import cut
from postil.batch.results import result_url
from postil.batch.sources import Source, digest
from postil.batch.storage import exists
from postil.batch.work import Done, Task, Work, unexpected
from postil.batch.worker import find_roles
from postil.errors import PostilError


def plan(work: Work, source: Source) -> list[Task] | Done:
    """The tasks of a file; a `Done` where an earlier run has finished it, or it cannot be graded."""
    try:
        if exists(result_url(work, source.result)):
            # To read every record again, as it is cut, would take much longer than to compare the bytes.
            return Done(source, tally=finished(work, source, digest(source)), before=True)
        found = cut(source)
        find_roles(source.name, found.names, work)
    except PostilError as error:
        return Done(source, error=str(error))
    except OSError as error:
        return Done(source, error=f"{source.name}: cannot be read: {error.strerror or type(error).__name__}.")
    except Exception as error:  # noqa: BLE001 - the other files are graded all the same
        return Done(source, error=unexpected(source.name, error))
    return [Task(partition, found.sha256, len(found.partitions)) for partition in found.partitions]
