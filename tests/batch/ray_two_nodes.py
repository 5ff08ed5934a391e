"""Grades a dataset on a Ray cluster of two nodes on this computer, and kills one of them meanwhile.

    python ray_two_nodes.py DATASET OUTPUT

Writes what came of it as JSON. In a process of its own: Ray warns of itself, and here warnings are errors.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import ray
from ray.cluster_utils import Cluster
from ray_stub import DOOMED, SMALL, install

from postil.batch.dataset import grade_dataset
from postil.batch.engines import RayEngine
from postil.batch.work import Work

# A node that is gone is missed soon; one that is slow is not taken for gone.
HEALTH = {"health_check_period_ms": 1000, "health_check_failure_threshold": 5}


def main(dataset: str, output: str) -> None:
    cluster = Cluster(shutdown_at_exit=True)
    cluster.add_node(num_cpus=1, object_store_memory=SMALL, include_dashboard=False, _system_config=HEALTH)
    second = [cluster.add_node(num_cpus=1, object_store_memory=SMALL)]
    Path(os.environ[DOOMED]).write_text(second[0].node_id)
    ray.init(cluster.address, log_to_driver=False, runtime_env={"worker_process_setup_hook": install})
    seen = []

    def kill(report):
        seen.append(report.rows_judged)
        if second:
            cluster.remove_node(second.pop(), allow_graceful=False)

    report = grade_dataset(dataset, Work(output), RayEngine(), kill)
    told = {"graded": sorted(report.graded), "failed": report.failed, "rows": report.rows_judged}
    told |= {"rows_before": seen[0], "nodes": sum(node["Alive"] for node in ray.nodes())}
    ray.shutdown()
    cluster.shutdown()
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
