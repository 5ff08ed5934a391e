"""Download a reader's model, when a person asks for it; nothing else in Postil downloads anything."""

from __future__ import annotations

import shutil
import time
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from postil.errors import InputError, PostilError
from postil.language.model_files import ModelFile, Progress, demand_https

_BLOCK = 1 << 18
_PATIENCE = 30.0  # seconds without a byte
_AGAIN = "Run the same command again: what has arrived is kept."


def fetch(model: ModelFile, address: str = "", progress: Progress | None = None) -> Path:
    """Download a model's file, check it and note where it is; what arrived earlier is not asked for again.

    `address` may name another server that has the same file, such as a school's own.
    """
    address = address or model.needed.address
    demand_https(address)
    target = model.place()
    if not target.exists():
        part = target.with_name(f"{target.name}.part")
        target.parent.mkdir(parents=True, exist_ok=True)
        _complete(part, address, model.needed.bytes, progress)
        try:
            model.check(part, progress)
        except InputError as error:
            part.unlink(missing_ok=True)  # going on from here would never make it right
            what = f"what {address} sent is not {model.needed.file}, and was deleted."
            raise PostilError(
                what, hint="Download it in a browser, and use: postil readers add FILE"
            ) from error
        part.replace(target)
    model.add(target, progress)
    return target


def _complete(part: Path, address: str, size: int, progress: Progress | None) -> None:
    """Fetch what is missing of a file."""
    present = part.stat().st_size if part.exists() else 0
    if present > size:
        part.unlink()
        present = 0
    if present == size:
        return
    if (free := shutil.disk_usage(part.parent).free) < size - present:
        what = f"{(size - present) / 1e9:.1f} GB are needed, and {free / 1e9:.1f} GB are free."
        raise InputError(
            part.parent, what, hint="Make room, or keep the file elsewhere and use: postil readers add"
        )
    # Compressed, the file could not be continued.
    headers = {"Range": f"bytes={present}-", "User-Agent": "postil", "Accept-Encoding": "identity"}
    try:
        with urlopen(Request(address, headers=headers), timeout=_PATIENCE) as response:  # noqa: S310 (https or http)
            _receive(response, part, present, size, progress)
    except HTTPError as error:
        raise PostilError(f"{address} answers {error.code} ({error.reason}).", hint=_AGAIN) from error
    except (OSError, HTTPException) as error:
        what = f"the download broke off ({getattr(error, 'reason', None) or error or type(error).__name__})."
        raise PostilError(what, hint=_AGAIN) from error
    if part.stat().st_size < size:
        raise PostilError("the download broke off before its end.", hint=_AGAIN)


def _receive(response: HTTPResponse, part: Path, present: int, size: int, progress: Progress | None) -> None:
    # A server that cannot continue sends everything.
    partial = response.status == HTTPStatus.PARTIAL_CONTENT
    if partial and not response.headers.get("Content-Range", "").startswith(f"bytes {present}-"):
        raise PostilError("the server sent another part of the file than was asked for.", hint=_AGAIN)
    done, told = (present if partial else 0), 0.0
    with part.open("ab" if partial else "wb") as file:
        while block := response.read1(_BLOCK):
            done += len(block)
            if done > size:
                raise PostilError("the server sends more than the file should have; the rest was not read.")
            file.write(block)
            if progress and time.monotonic() - told > 0.1:
                told = time.monotonic()
                progress(done, size)
