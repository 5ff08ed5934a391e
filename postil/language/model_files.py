"""Models that are too large to ship: which file a reader needs, and where this user keeps it.

`readers.json` in the user's configuration notes it, and beside it which server is connected.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postil.data.files import write_text
from postil.data.folders import config_folder, data_folder
from postil.errors import InputError, MissingDataError, PostilError

Progress = Callable[[float, float], None]  # bytes that are done, and all of them

SERVER_NOTES = "server"
_FORMAT = 1
_FILE = "readers.json"
_MODELS = "models"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Needed:
    """A file that a reader needs: its publisher's name and address for it, and what it must be."""

    name: str
    file: str
    bytes: int
    sha256: str
    licence: str
    address: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The file of a reader's model, and the note of where it is, in the user's configuration."""

    reader: str
    needed: Needed

    def known(self) -> Path | None:
        """Where the user said that the file is; None if nobody has named one."""
        entry = noted(_MODELS).get(self.reader)
        if not isinstance(entry, dict) or entry.get("sha256") != self.needed.sha256:
            return None
        return Path(str(entry.get("path", "")))

    def demanded(self) -> Path:
        """Where the file is; what is missing is named, with the way to get it."""
        path = self.known()
        if path is None:
            raise MissingDataError(
                f"the {self.reader} reader needs the file {self.needed.file}, and nobody has named it yet.",
                hint=f"If you have it: postil readers add {self.needed.file}. Otherwise: "
                f"postil readers fetch {self.reader}",
            )
        # The hash was checked when the file was added; reading a gigabyte takes too long for every start.
        if not path.is_file() or path.stat().st_size != self.needed.bytes:
            raise InputError(
                path,
                f"the {self.reader} reader's model is no longer here, or has changed.",
                hint="Name it again: postil readers add FILE",
            )
        return path

    def add(self, path: Path, progress: Progress | None = None) -> None:
        """Check that a file is the right one, and note where it is."""
        path = path.absolute()
        self.check(path, progress)
        note(_MODELS, {**noted(_MODELS), self.reader: {"path": str(path), "sha256": self.needed.sha256}})

    def check(self, path: Path, progress: Progress | None = None) -> None:
        """Refuse a file that is not the one that is needed."""
        if not path.is_file():
            raise InputError(path, "does not exist, or is not a file.")
        size = path.stat().st_size
        if size != self.needed.bytes:
            what = f"has {size:,} bytes; {self.needed.file} has {self.needed.bytes:,}."
            raise InputError(path, what, hint="Is it complete, and the file that `postil readers` names?")
        if sha256_of(path, progress) != self.needed.sha256:
            what = f"is not {self.needed.file}: its SHA-256 differs."
            raise InputError(path, what, hint="Get the publisher's own file; `postil readers` says where.")

    def place(self) -> Path:
        """Where a downloaded file goes."""
        return data_folder() / "models" / self.needed.file


def sha256_of(path: Path, progress: Progress | None = None) -> str:
    """The SHA-256 of a file of any size."""
    hasher, done, told = hashlib.sha256(), 0, 0.0
    size = path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            hasher.update(block)
            done += len(block)
            if progress and time.monotonic() - told > 0.1:
                told = time.monotonic()
                progress(done, size)
    return hasher.hexdigest()


def noted(section: str) -> dict[str, Any]:
    """What the user's configuration says of the readers' models, or of the server."""
    return dict(_notes().get(section, {}))


def note(section: str, entries: Mapping[str, Any]) -> None:
    """Keep this in the user's configuration; what it says of other things stays."""
    content = {"format": _FORMAT, _MODELS: {}, **_notes(), section: entries}
    kept = {name: value for name, value in content.items() if value or name == _MODELS}
    write_text(notes_file(), json.dumps(kept, indent=1) + "\n")


def notes_file() -> Path:
    """Where it is noted which files and which server the readers use."""
    return config_folder() / _FILE


def _notes() -> dict[str, Any]:
    path = notes_file()
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["format"] != _FORMAT or not isinstance(content[_MODELS], dict):
            raise ValueError
        if not isinstance(content.get(SERVER_NOTES, {}), dict):
            raise ValueError
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError) as error:
        hint = "Delete it, and add your models (or connect your server) again."
        raise InputError(path, "cannot be read.", hint=hint) from error
    return dict(content)


def demand_https(address: str) -> None:
    """Refuse an address that nothing is downloaded from; the file's hash is checked in any case."""
    if not address.startswith(("https://", "http://")):
        raise PostilError("an address begins with https:// or http://.")
