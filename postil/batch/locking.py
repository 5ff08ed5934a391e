"""Keeps a second run out of a folder of this computer while the first one writes into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postil.batch.parts import OWN
from postil.batch.sources import file_system, is_local
from postil.batch.storage import WriteError
from postil.errors import PostilError


@contextmanager
def only_run(output: str) -> Iterator[bool]:
    """Inside, no other run writes into the folder; says whether that is certain.

    The operating system lets go of the lock when the process ends, however it ends. Elsewhere, as in an
    object store, two runs write the same bytes under the same names, which is wasteful and harmless.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # not on Windows
        yield False
        return
    files, path = file_system(output)
    if not is_local(files):
        yield False
        return
    folder = Path(path) / OWN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "lock").open("wb")
    except OSError as error:
        raise WriteError(path, f"cannot be written: {error.strerror or error}.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PostilError(
                f"{path}: another `postil grade` is writing into this folder.",
                hint="Wait until it has finished, or choose another folder.",
            ) from error
        except OSError:  # a network drive that knows no locks
            yield False
            return
        yield True
