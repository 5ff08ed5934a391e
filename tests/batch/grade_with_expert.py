"""The `postil` command with the expert reader and a stand-in for its language model, also in its workers.

A spawned worker imports the main module again, so the stand-in takes the model's place there as well.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "language"))

from standin import StandIn

from postil.cli.main import main
from postil.language import expert, readers

FOLDER = Path(__file__).parents[2] / "packages" / "expert" / "postil_expert"

expert.expert_companion = lambda: FOLDER
expert.expert = cache(lambda: expert.Expert(FOLDER, StandIn()))
readers.missing_of_expert = list

if __name__ == "__main__":
    main()
