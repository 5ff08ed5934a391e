"""Says what there is to do with a file of a dataset: its partitions, or that it is finished or unreadable."""

from __future__ import annotations

from postil.engines.judging import find_roles
from postil.engines.manifests import finished
from postil.engines.partitions import cut
from postil.engines.results import result_url
from postil.engines.sources import Source, digest
from postil.engines.storage import exists
from postil.engines.work import Done, Task, Work, unexpected
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
