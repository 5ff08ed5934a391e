"""The files of a dataset and of its results, wherever fsspec can read and write.

A file being written appears only when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from postil.errors import InputError, MissingDataError, PostilError, some

KINDS = {".parquet": "parquet", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_MAGIC = frozenset("*?[")
BLOCK = 8 * 1024 * 1024  # bytes read at a time


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a dataset; `name` is what it is called below the dataset's folder."""

    url: str
    name: str
    kind: str
    size: int

    @property
    def compressed(self) -> bool:
        """Whether it is compressed, and can only be read from its beginning."""
        return _is_compressed(self.name)

    @property
    def result(self) -> str:
        """The name of the result: that of the file, but results are not compressed."""
        return str(PurePosixPath(self.name).with_suffix("")) if self.compressed else self.name


def kind_of(name: str) -> str | None:
    """The format that a file name promises; None if it is not one that is read."""
    if not _is_compressed(name):
        return KINDS.get(PurePosixPath(name).suffix.lower())
    kind = KINDS.get(PurePosixPath(name).with_suffix("").suffix.lower())
    return None if kind == "parquet" else kind


def _is_compressed(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in _COMPRESSED


def is_pattern(path: str) -> bool:
    """Whether a name has wildcards in it."""
    return bool(_MAGIC & set(path))


def find_sources(dataset: str, besides: str = "") -> list[Source]:
    """The files of a dataset, in the order of their names, without those in the folder `besides`.

    Hidden files and names that begin with `_` are skipped, as every reader of datasets does. Links to files
    are followed, links to folders are not.
    """
    files, path = file_system(dataset)
    try:
        if is_pattern(path) and not files.exists(path):
            base = path[: min(path.index(mark) for mark in _MAGIC & set(path))].rpartition("/")[0]
            listing = files.glob(path, detail=True)
        elif files.isdir(path):
            base, listing = path.rstrip("/"), files.find(path, detail=True)
        else:
            base, listing = path.rpartition("/")[0], {path: files.info(path)}
    except FileNotFoundError as error:
        raise InputError(dataset, "does not exist.", hint="Name a file, a folder or a pattern.") from error
    except Exception as error:  # object stores raise errors of their own
        reason = getattr(error, "strerror", None) or error
        raise InputError(dataset, f"cannot be read: {reason}.") from error
    everything = list(_sources(files, base, listing))
    below = f"{besides.rstrip('/')}/"
    sources = [source for source in everything if not besides or not source.url.startswith(below)]
    if everything and not sources:
        raise InputError(dataset, "is inside the output folder.", hint="Choose another output folder.")
    if not sources:
        hint = f"Files end in {', '.join(KINDS)}; text files may be compressed ({', '.join(_COMPRESSED)})."
        raise InputError(dataset, "holds no file that can be graded.", hint=hint)
    _refuse_same_names(sources)
    return sorted(sources, key=lambda source: source.name)


def file_system(url: str) -> tuple[Any, str]:
    """The file system that a URL belongs to, and the path in it."""
    try:
        import fsspec
        import pyarrow  # noqa: F401 - what the data is held in
    except ModuleNotFoundError as error:
        what = f"grading a dataset needs packages that are not installed ({error.name})."
        raise MissingDataError(what, hint="Install them with: pip install 'postil[tables]'") from error
    try:
        files, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        hint = "Install the package that it names, or copy the files to this computer."
        raise PostilError(f"{url.partition('://')[0]}:// cannot be read here: {error}.", hint=hint) from error
    # Folders on this computer are compared by name, to see what is inside the output folder.
    return files, os.path.normpath(path) if is_local(files) else str(path)


def is_local(files: Any) -> bool:
    """Whether a file system is on this computer."""
    return "file" in ((files.protocol,) if isinstance(files.protocol, str) else files.protocol)


def blocks(source: Source, begin: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The bytes of a file, as stored, from `begin` to `end`."""
    files, path = file_system(source.url)
    left = (source.size if end is None else end) - begin
    with files.open(path, "rb") as file:
        file.seek(begin)
        while left > 0 and (data := file.read(min(BLOCK, left))):
            left -= len(data)
            yield data
    if left:
        raise InputError(source.name, "shrank while it was being read.", hint="Run the command again.")


def unpacked(source: Source) -> Iterator[bytes]:
    """The bytes of a compressed file, decompressed."""
    from fsspec.utils import infer_compression

    files, path = file_system(source.url)
    packed = infer_compression(path)
    if packed is None:
        what = "cannot be unpacked here."
        raise InputError(source.name, what, hint="Install the package `zstandard` for .zst files.")
    with files.open(path, "rb", compression=packed) as file:
        while data := file.read(BLOCK):
            yield data


def full_url(url: str) -> str:
    """A URL that means the same wherever it is read: local folders as absolute paths."""
    files, path = file_system(url)
    return str(files.unstrip_protocol(path)).rstrip("/")


def digest(source: Source) -> str:
    """The SHA-256 of a file's bytes."""
    hasher = hashlib.sha256()
    for block in blocks(source):
        hasher.update(block)
    return hasher.hexdigest()


def _sources(files: Any, base: str, listing: dict[str, dict[str, Any]]) -> Iterator[Source]:
    for path, info in listing.items():
        name = path[len(base) :].lstrip("/") if base and path.startswith(base) else path.lstrip("/")
        kind = kind_of(name)
        hidden = any(part.startswith((".", "_")) for part in name.split("/"))
        # A broken link is reported as a file that cannot be read.
        is_file = info["type"] == "file" or (info.get("islink", False) and not files.isdir(path))
        if not is_file or kind is None or hidden:
            continue
        if info["size"] is None:  # as some web servers do
            raise InputError(name, "its size is unknown.", hint="Copy it to this computer first.")
        yield Source(files.unstrip_protocol(path), name, kind, int(info["size"]))


def _refuse_same_names(sources: list[Source]) -> None:
    twice = [name for name, count in Counter(source.result for source in sources).items() if count > 1]
    if twice:
        what = f"more than one file would have the result {some(twice)}."
        raise PostilError(what, hint="Rename or remove one of them.")


class WriteError(InputError):
    """The output cannot be written: a full disk, say, or a read-only folder. Nothing else can be, either."""


def exists(url: str) -> bool:
    """Whether a file exists; not being able to find out is an error."""
    files, path = file_system(url)
    try:
        files.info(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextmanager
def writing(url: str, temporary_in: str) -> Iterator[IO[bytes]]:
    """A file that gets its name once it is completely written; until then it is in the folder `temporary_in`.

    A process that is killed leaves it there, under a unique name. On this computer it is flushed to the disk
    before it gets its name, so that a power cut leaves no name without its content.
    """
    files, path = file_system(url)
    folder = file_system(temporary_in)[1]
    temporary = f"{folder}/{secrets.token_hex(8)}.tmp"
    is_lent = False
    try:
        files.makedirs(folder, exist_ok=True)
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        if is_local(files):  # only their owner may read a school's results
            Path(temporary).touch(mode=0o600)
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
        # Object stores raise errors of their own: any error outside the caller's block is one.
        if isinstance(error, OSError) or (isinstance(error, Exception) and not is_lent):
            why = getattr(error, "strerror", None) or error
            raise WriteError(url.removeprefix("file://"), f"cannot be written: {why}.") from error
        raise


def write_json(url: str, value: object, temporary_in: str) -> None:
    """Write a small JSON file."""
    with writing(url, temporary_in) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n")


def read_json(url: str) -> Any:
    """The content of a small JSON file; None if it is missing or damaged."""
    files, path = file_system(url)
    try:
        return json.loads(files.cat_file(path))
    except (FileNotFoundError, ValueError):
        return None


def names_in(url: str) -> list[str]:
    """The names of the files and folders in a folder; none if it does not exist."""
    files, path = file_system(url)
    try:
        return [str(entry).rstrip("/").rpartition("/")[2] for entry in files.ls(path, detail=False)]
    except FileNotFoundError:
        return []


def remove_folder(url: str) -> None:
    """Remove a folder that is no longer needed, as far as possible."""
    files, path = file_system(url)
    with suppress(Exception):
        files.rm(path, recursive=True)
