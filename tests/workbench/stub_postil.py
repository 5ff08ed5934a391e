"""The `postil` command with a machine that judges by length, small batches and a short lease.

`python stub_postil.py NOTES worker --database …`: which process explained which answer is written to NOTES.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from stub_machine import writing

from postil.workbench.jobs import grading
from postil.workbench.store import jobs

jobs.LEASE_SECONDS = 3.0  # what imports these later has them so; a busy machine is late with signs of life
grading.BATCH = 10
grading.load_machine = partial(writing, Path(sys.argv.pop(1)))

from postil.cli.main import main  # noqa: E402
from postil.workbench.jobs import worker  # noqa: E402

worker._BEAT = 0.3
if __name__ == "__main__":
    main()
