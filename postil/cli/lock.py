"""One `postil serve --local` per file: a lock beside the file, in which the other finds the address.

A second one would end the sessions and uploads of the first. The operating system lets go of the lock when
the process ends, however it ends: one that was killed keeps nobody out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from postil.errors import PostilError

_ADDRESS = re.compile(r"http://[\w.:\[\]-]{1,100}")
_BEHIND_ADDRESS = 4096  # Windows does not let others read what is locked


@contextmanager
def served_alone(database: Path | str) -> Iterator[Callable[[str], None]]:
    """Keep others from serving the file with `--local`; call the yielded function with the address.

    Databases on a server, and files on drives without locking, are not protected.
    """
    file = None
    if isinstance(database, Path):
        path = database.resolve()
        path = path.with_name(f"{path.name}.lock")
        with suppress(OSError):  # if nothing can be written there, the store reports it
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = _take(path)
    if file is None:
        yield lambda _: None
        return
    with file:
        try:
            yield lambda address: _write(file, address)
        finally:
            with suppress(OSError):  # Windows removes no open file; an empty one does no harm
                _write(file, "")
                path.unlink()


def _take(path: Path) -> IO[bytes]:
    """Open and lock a file, or say who has locked it."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        try:
            if not _lock(file):
                raise _already_open(file)
            # Its last holder may have removed the file since it was opened: then this lock keeps nobody out.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()


def _lock(file: IO[bytes]) -> bool:
    """Lock a file unless another process has; whether it is locked now."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(_BEHIND_ADDRESS)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
    else:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _write(file: IO[bytes], address: str) -> None:
    file.seek(0)
    file.write(address.encode())
    file.truncate()


def _already_open(file: IO[bytes]) -> PostilError:
    file.seek(0)
    address = _ADDRESS.fullmatch(file.read(_BEHIND_ADDRESS).decode(errors="replace"))
    where = f" at {address[0]}" if address else ""
    return PostilError(
        f"these courses are already open in another `postil serve --local`{where}.",
        hint="Use that one, or close it with Ctrl-C first. To open other courses at the same time, name "
        "another file with --database.",
    )
