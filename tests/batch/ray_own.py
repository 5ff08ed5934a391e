"""Asks for a cluster that does not exist, then grades a dataset with the real grader on a cluster of its own.

    python ray_own.py DATASET OUTPUT

Writes what came of both as JSON.
"""

from __future__ import annotations

import json
import sys

from postil.batch.dataset import grade_dataset
from postil.batch.engines import RayEngine
from postil.batch.work import Work
from postil.errors import PostilError


def main(dataset: str, output: str) -> None:
    told = {}
    try:
        # Nobody is at this port; "auto" would find the cluster of any other test on this computer.
        grade_dataset(dataset, Work(output), RayEngine(address="127.0.0.1:9"))
    except PostilError as error:
        told["refused"] = str(error)
    report = grade_dataset(dataset, Work(output), RayEngine(1))
    import ray

    told |= {"graded": report.graded, "failed": report.failed, "still_connected": ray.is_initialized()}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
