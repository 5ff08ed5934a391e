"""Small things done with files wherever fsspec can write: every file appears only when it is complete."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from postil.batch.sources import file_system, is_local
from postil.errors import InputError


class WriteError(InputError):
    """Something cannot be written: a full disk, a folder that is read-only. Nothing else will be, either."""


def exists(url: str) -> bool:
    """Whether a file is there; that nobody could find out is an error."""
    files, path = file_system(url)
    try:
        files.info(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextmanager
def writing(url: str, temporary_in: str) -> Iterator[IO[bytes]]:
    """A file that gets its name when it was written to the end; until then it lies in another folder.

    Who is killed leaves it there, under a name that nobody else uses. On this computer it is on the disk
    before it gets its name, so that a power cut leaves no name without its content.
    """
    files, path = file_system(url)
    held = file_system(temporary_in)[1]
    temporary = f"{held}/{secrets.token_hex(8)}.tmp"
    is_lent = False
    try:
        files.makedirs(held, exist_ok=True)
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        with files.open(temporary, "wb") as file:
            is_lent = True
            yield file
            is_lent = False
            if is_local(files):
                file.flush()
                os.fsync(file.fileno())
        if is_local(files):
            Path(temporary).replace(path)  # in one step, or not at all
        else:
            files.mv(temporary, path)
    except BaseException as error:
        with suppress(Exception):
            files.rm_file(temporary)
        # Stores have errors of their own: what is raised here while nobody else had the file is one.
        if isinstance(error, OSError) or (isinstance(error, Exception) and not is_lent):
            why = getattr(error, "strerror", None) or error
            raise WriteError(url.removeprefix("file://"), f"cannot be written: {why}.") from error
        raise


def write_json(url: str, value: object, temporary_in: str) -> None:
    """Write a small JSON file."""
    with writing(url, temporary_in) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n")


def read_json(url: str) -> Any:
    """A small JSON file; None where there is none, or it is damaged."""
    files, path = file_system(url)
    try:
        return json.loads(files.cat_file(path))
    except (FileNotFoundError, ValueError):
        return None


def names_in(url: str) -> list[str]:
    """What the files and folders in a folder are called; none where it is not there."""
    files, path = file_system(url)
    try:
        return [str(one).rstrip("/").rpartition("/")[2] for one in files.ls(path, detail=False)]
    except FileNotFoundError:
        return []


def remove_folder(url: str) -> None:
    """Remove a folder that nobody needs any more, as far as that can be done."""
    files, path = file_system(url)
    with suppress(Exception):
        files.rm(path, recursive=True)
