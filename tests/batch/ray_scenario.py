"""Grades a dataset on a Ray cluster that this process has made, with a judge that fails for some answers.

    python ray_scenario.py DATASET OUTPUT

Writes what came of it as JSON, and which of Ray's logs hold a pupil's words.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import ray
from ray_stub import NOTES, RAISES, SMALL, install

from postil.batch.dataset import grade_dataset
from postil.batch.engines import RayEngine
from postil.batch.work import Work


def main(dataset: str, output: str) -> None:
    ray.init(
        "local",
        num_cpus=2,
        object_store_memory=SMALL,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"worker_process_setup_hook": install},
    )
    judged = []  # how many questions had been judged when something came

    def note(_):
        judged.append(len(Path(os.environ[NOTES]).read_text().splitlines()))

    report = grade_dataset(dataset, Work(output), RayEngine(2), note)
    told = {"graded": sorted(report.graded), "failed": report.failed, "judged": judged}
    told |= {"rows": report.tally.rows, "still_connected": ray.is_initialized(), "logs": logs_with(RAISES)}
    ray.shutdown()
    sys.stdout.write(json.dumps(told) + "\n")


def logs_with(words):
    """The names of Ray's logs with these words in them, and how many there are."""
    folder = Path(os.environ["RAY_TMPDIR"])
    found = [
        path for path in folder.rglob("*.*") if path.is_file() and path.suffix in (".log", ".out", ".err")
    ]
    return {"of": len(found), "with": [path.name for path in found if words.encode() in path.read_bytes()]}


if __name__ == "__main__":
    main(*sys.argv[1:])
