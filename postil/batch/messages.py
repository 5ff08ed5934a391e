"""Tasks and what came of them as JSON, for engines whose workers are on other computers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from postil.batch.layouts import Layout
from postil.batch.partitions import Partition
from postil.batch.sources import Source
from postil.batch.work import Done, Tally, Task


def to_json(value: Source | Task | Done) -> str:
    """Write one of them."""
    return json.dumps(asdict(value))


def read_source(text: str) -> Source:
    """Read a file of a dataset."""
    return Source(**json.loads(text))


def read_task(text: str) -> Task:
    """Read a task."""
    return _task(json.loads(text))


def read_done(text: str) -> Done:
    """Read what came of a task."""
    told = json.loads(text)
    task = _task(told.pop("task")) if told["task"] else told.pop("task")
    return Done(Source(**told.pop("source")), task, Tally(**told.pop("tally")), **told)


def _task(told: Mapping[str, Any]) -> Task:
    partition = dict(told["partition"])
    source = Source(**partition.pop("source"))
    layout = dict(partition.pop("layout"))
    names = tuple(layout.pop("names"))
    return Task(Partition(source, **partition, layout=Layout(names, **layout)), told["sha256"], told["of"])
