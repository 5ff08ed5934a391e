"""The `postil` command with a judge without a model: run as a program by the tests of faults.

A spawned worker imports the main module again, so the stub takes the grader's place there as well.
"""

from __future__ import annotations

import os

from stub_judge_engine import install

from postil.batch import dataset
from postil.batch.partitions import cut
from postil.cli.main import main

SIZE = 2_000  # bytes of a partition

if __name__ in ("__main__", "__mp_main__"):  # not where a test only wants to know the size
    install(float(os.environ.get("STUB_PAUSE", "0")), os.environ.get("STUB_NOTES", ""))
    dataset.cut = lambda source: cut(source, SIZE)

if __name__ == "__main__":
    main()
