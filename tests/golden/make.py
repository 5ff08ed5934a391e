"""Write the expected files anew: what the present code says of the written inputs.

    python tests/golden/make.py [PART ...]

The files were made with version 0.1, and are there to prove that a change of the code's form changes no
result. So they may be made anew only where results are meant to change: a new model, a mended fault, another
wording.
Such a change has a commit of its own, whose message says which results differ and why, and whoever makes it
reads the difference of the expected files line by line first. Never run this to make a failing test pass.
"""

from __future__ import annotations

import os
import sys

os.environ["POSTIL_READER"] = "quick"  # as in the tests; before anything asks for a reader

from collect import EXPECTED, PARTS, as_text, collect


def main() -> None:
    """Make the parts that are named, or all."""
    for part in sys.argv[1:] or PARTS:
        text = as_text(collect(part))
        (EXPECTED / f"{part}.json").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{part}: {len(text) // 1024} kB\n")


if __name__ == "__main__":
    main()
