"""Grades a dataset on a Ray cluster of two nodes, of which one has the expert reader's model.

    python ray_placed.py DATASET OUTPUT

Writes what came of it as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import ray
from ray.cluster_utils import Cluster
from ray_stub import CARRIES, NOTES, SMALL, install_placed

from postil.batch.dataset import grade_dataset
from postil.batch.engines import RayEngine
from postil.batch.work import Work
from postil.errors import PostilError


def main(dataset: str, output: str) -> None:
    cluster = Cluster(shutdown_at_exit=True)
    cluster.add_node(num_cpus=2, object_store_memory=SMALL, include_dashboard=False)
    second = cluster.add_node(num_cpus=1, object_store_memory=SMALL, resources={"expert": 2})
    Path(os.environ[CARRIES]).write_text(second.node_id)
    ray.init(cluster.address, log_to_driver=False, runtime_env={"worker_process_setup_hook": install_placed})
    work = Work(output, reader="expert")
    told = {
        "gone": refused(dataset, work, RayEngine(resource="gone")),
        "anywhere": refused(dataset, work, RayEngine()),
    }
    report = grade_dataset(dataset, work, RayEngine(workers=9, resource="expert"))
    nodes = sorted(set(Path(os.environ[NOTES]).read_text().split()))
    told |= {"graded": sorted(report.graded), "failed": report.failed, "nodes": nodes}
    ray.shutdown()
    cluster.shutdown()
    sys.stdout.write(json.dumps(told) + "\n")


def refused(dataset: str, work: Work, engine: RayEngine) -> str:
    try:
        grade_dataset(dataset, work, engine)
    except PostilError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
