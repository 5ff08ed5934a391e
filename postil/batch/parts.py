"""The parts of a result, in separate files until all are finished, and its manifest: what it was made from.

Files of the run itself are in `_postil` in the output folder: readers of datasets skip such names.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from postil import __version__
from postil.batch.storage import Source, file_system, names_in, read_json, remove_folder, writing
from postil.batch.work import Tally, Task, Work
from postil.errors import InputError, PostilError

OWN = "_postil"
_MODELS = ("encoder", "grader", "pipeline", "spaces", "wordnet")
_ELSEWHERE = "Choose another folder with -o, or delete that file to make it again."
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of a stream of Arrow that is complete


def parts_folder(work: Work, task: Task) -> str:
    """The folder for the parts of a task's file; it depends on the input, the model and the options."""
    made_of = _short(work.run, task.sha256, str(task.of))
    return f"{_all_parts(work)}/{_short(task.partition.source.result)}-{made_of}"


def remove_parts(work: Work, sources: Iterable[Source]) -> None:
    """Remove parts of finished files that were left by runs that stopped or had other options.

    Parts of other files stay: they may belong to another dataset graded into the same folder.
    """
    results = {_short(source.result) for source in sources}
    for name in names_in(_all_parts(work)):
        if name.partition("-")[0] in results:
            remove_folder(f"{_all_parts(work)}/{name}")
    if not names_in(_all_parts(work)):
        remove_folder(_all_parts(work))


def _all_parts(work: Work) -> str:
    return f"{work.output}/{OWN}/parts"


def _short(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:20]


def part_path(work: Work, task: Task, number: int | None = None) -> str:
    """The URL of a task's part, or of the part with another number of the same file."""
    number = task.partition.number if number is None else number
    return f"{parts_folder(work, task)}/{number:08}.arrow"


def write_part(work: Work, task: Task, judged: Iterable[pa.Table]) -> Tally:
    """Write the judged rows of a partition as they come, and return their tally."""
    total = Tally()
    with writing(part_path(work, task), parts_folder(work, task)) as file:
        # A stream, because columns may have a different dictionary in every batch.
        writer: pa.ipc.RecordBatchStreamWriter | None = None
        for table in judged:
            writer = writer or pa.ipc.new_stream(file, table.schema)
            writer.write_table(table)
            total += tally_of(table)
        if writer:
            writer.close()
    return total


def read_part(url: str) -> Iterator[pa.Table]:
    """The rows of a part in batches, after an empty table; `InputError` if the part is incomplete.

    Arrow itself takes a stream cut off between two batches for a complete one.
    """
    files, path = file_system(url)
    try:
        with files.open(path, "rb") as file:
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                raise pa.ArrowInvalid("the end is missing")
            file.seek(0)
            reader = pa.ipc.open_stream(file)
            yield reader.schema.empty_table()
            for batch in reader:
                yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError, ValueError) as error:
        what = "this part of the result is missing or damaged."
        hint = "Run the command again. On a cluster, do all nodes share this folder?"
        raise InputError(url.removeprefix("file://"), what, hint=hint) from error


def read_tally(url: str) -> Tally | None:
    """The tally of a part; None if the part is missing or damaged."""
    try:
        return sum(map(tally_of, read_part(url)), Tally())
    except (InputError, KeyError):
        return None


def tally_of(table: pa.Table) -> Tally:
    """The tally of judged rows."""
    labels: dict[str, int] = {}
    for entry in pc.value_counts(table.column("postil_label")).to_pylist():
        labels[entry["values"]] = entry["counts"]
    unjudged = labels.pop(None, 0)  # type: ignore[call-overload]
    deferred: Any = pc.sum(table.column("postil_deferred")).as_py()
    return Tally(len(table), labels, deferred or 0, unjudged)


def manifest_url(work: Work, source: Source) -> str:
    """The URL of the manifest of a file's result."""
    return f"{work.output}/{OWN}/manifests/{source.result}.json"


def manifest(work: Work, task: Task, tally: Tally) -> dict[str, object]:
    """The manifest of a result."""
    source = task.partition.source
    return {
        "input": {"name": source.name, "bytes": source.size, "sha256": task.sha256},
        "result": source.result,
        **json.loads(work.run),
        "rows": tally.rows,
        # Parts are finished in any order, but the same result always has the same manifest.
        "tally": asdict(replace(tally, labels=dict(sorted(tally.labels.items())))),
    }


def run_of(work: Work) -> str:
    """Everything that a result depends on besides its input, as JSON: version, model and options."""
    options = asdict(replace(work, output="", run="", model=None))
    del options["output"], options["run"], options["model"]
    # A key may be long, and only needs to be compared.
    options["key"] = hashlib.sha256(json.dumps(options["key"], sort_keys=True).encode()).hexdigest()
    run = {"postil": __version__, "model": model_signature(work.model), "options": options}
    return json.dumps(run, sort_keys=True)


def finished(work: Work, source: Source, sha256: str) -> Tally:
    """The tally of a result that already exists.

    Raises `InputError` if it was made from another input, by another model or with other options.
    """
    known = read_json(manifest_url(work, source))
    result = f"{work.output}/{source.result}".removeprefix("file://")
    if not isinstance(known, dict):
        what = f"{result} already exists, but it is not a result of Postil, or its manifest is damaged."
        raise InputError(source.name, what, hint=_ELSEWHERE)
    run = json.loads(work.run)
    try:
        compared = {
            "from another file of this name": known["input"]["sha256"] == sha256,
            "by another version of Postil": known["postil"] == run["postil"],
            "with another model": known["model"] == run["model"],
            "with other options": known["options"] == run["options"],
        }
        tally = Tally(**known["tally"])
    except (KeyError, TypeError) as error:
        raise InputError(source.name, f"the manifest of {result} is damaged.", hint=_ELSEWHERE) from error
    made = " and ".join(what for what, is_same in compared.items() if not is_same)
    if made:
        raise InputError(source.name, f"its result already exists, made {made}.", hint=_ELSEWHERE)
    return tally


def missing_of(name: str) -> str:
    """Why a reader cannot be used on this computer; its model's file is read to the end and compared.

    Whoever starts a night's work wants to know beforehand that all nodes judge alike.
    """
    from postil.language.network import EXPERT, THOROUGH, demand_reader
    from postil.language.readers import expert_model

    try:
        if name:
            demand_reader(name)
        if name in (EXPERT, THOROUGH):
            model = expert_model()
            model.check(model.demanded())
    except PostilError as error:
        return error.what
    return ""


def model_signature(model: str | None) -> str:
    """The hash of the model: the cards of the artefacts that ship or are installed, and the fitted part."""
    from postil.grader import STACK_FILE
    from postil.language.network import CAREFUL, EXPERT, stack_folder

    hasher = hashlib.sha256()
    for name in _MODELS:
        card = files("postil.resources").joinpath(name, "card.json")
        if card.is_file():
            hasher.update(card.read_bytes())
    for reader in (CAREFUL, EXPERT):
        folder = stack_folder(reader)
        if folder is not None:
            hasher.update((folder / "card.json").read_bytes())
    stack = Path(model) / STACK_FILE if model else files("postil.resources").joinpath("grader", STACK_FILE)
    hasher.update(stack.read_bytes())
    return hasher.hexdigest()
