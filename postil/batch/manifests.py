"""Manifests: what says of each result from which bytes, by which model and with which options it was made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from postil import __version__
from postil.batch.parts import OWN
from postil.batch.sources import Source
from postil.batch.storage import read_json
from postil.batch.work import Tally, Task, Work
from postil.errors import InputError

_MODELS = ("encoder", "grader", "pipeline", "spaces", "wordnet")
_ELSEWHERE = "Choose another folder with -o, or remove that file to have it made anew."


def manifest_url(work: Work, source: Source) -> str:
    """Where the manifest of a file's result lies."""
    return f"{work.output}/{OWN}/manifests/{source.result}.json"


def manifest(work: Work, task: Task, tally: Tally) -> dict[str, object]:
    """What there is to say of a result."""
    source = task.partition.source
    return {
        "input": {"name": source.name, "bytes": source.size, "sha256": task.sha256},
        "result": source.result,
        **json.loads(work.run),
        "rows": tally.rows,
        "tally": asdict(tally),
    }


def run_of(work: Work) -> str:
    """Everything that a result depends on besides its input, as JSON: version, model and options."""
    options = asdict(replace(work, output="", run="", model=None))
    del options["output"], options["run"], options["model"]
    # A key may be long, and only has to be the same.
    options["key"] = hashlib.sha256(json.dumps(options["key"], sort_keys=True).encode()).hexdigest()
    told = {"postil": __version__, "model": model_signature(work.model), "options": options}
    return json.dumps(told, sort_keys=True)


def finished(work: Work, source: Source, sha256: str) -> Tally:
    """What the rows of a result that is there already came to.

    Raises `InputError` where the result is of another input, model or choice of options.
    """
    known = read_json(manifest_url(work, source))
    result = f"{work.output}/{source.result}".removeprefix("file://")
    if not isinstance(known, dict):
        what = f"{result} is there, and is no result of Postil, or its manifest is damaged."
        raise InputError(source.name, what, hint=_ELSEWHERE)
    try:
        differs = _differences(known, {"sha256": sha256, **json.loads(work.run)})
        tally = Tally(**known["tally"])
    except (KeyError, TypeError) as error:
        raise InputError(source.name, f"the manifest of {result} is damaged.", hint=_ELSEWHERE) from error
    if differs:
        made = " and ".join(differs)
        raise InputError(source.name, f"its result is there already, made {made}.", hint=_ELSEWHERE)
    return tally


def _differences(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    compared = {
        "from another file of this name": known["input"]["sha256"] == wanted["sha256"],
        "by another version of Postil": known["postil"] == wanted["postil"],
        "with another model": known["model"] == wanted["model"],
        "with other options": known["options"] == wanted["options"],
    }
    return [what for what, is_same in compared.items() if not is_same]


def model_signature(model: str | None) -> str:
    """The hash of what judges: the cards of the artefacts that ship, and the fitted part."""
    from postil.grader import STACK_FILE

    seen = hashlib.sha256()
    for name in _MODELS:
        card = files("postil.resources").joinpath(name, "card.json")
        if card.is_file():
            seen.update(card.read_bytes())
    stack = Path(model) / STACK_FILE if model else files("postil.resources").joinpath("grader", STACK_FILE)
    seen.update(stack.read_bytes())
    return seen.hexdigest()
