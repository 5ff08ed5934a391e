"""What a reader costs: processor time and memory, on one core, in turns with the quick one.

    python benchmarks/reader_costs.py expert [--turns 3]

A class has thirty different short answers to a question that no reader knows. Rates are also given beside the
quick reader's in the same turns, which is all that a busy machine can tell. `readers.py` runs this for every
reader, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from itertools import product

QUESTION = "Why does a bicycle tyre feel warm after it has been pumped up?"
REFERENCE = "Pumping compresses the air, and compressed air gets warmer."
BEGINNINGS = ("because", "I think", "the reason is that", "it is warm since", "well,", "it happens because")
ENDS = (
    "the air is pressed together and heats up", "the sun shines on it", "the rubber rubs on the road",
    "compressed air gets hot", "there is more air inside so it is cold",
)  # fmt: skip
ANSWERS = [f"{beginning} {end}" for beginning, end in product(BEGINNINGS, ENDS)]


def cost(name: str, turns: int) -> dict[str, float]:
    """All figures of a reader."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import numpy as np

    import postil
    from postil.language.network import QUICK, reader

    question = postil.Question("q", QUESTION, (postil.Reference("r", REFERENCE),))
    started = time.perf_counter()
    graders = {name: postil.load(reader=name)}
    graders[name].grade_class(question, ANSWERS[:1])
    figures = {"start and first answer, s": time.perf_counter() - started}
    graders[name].grade_class(question, ANSWERS)
    figures["memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    graders.setdefault(QUICK, postil.load(reader=QUICK))
    graders[QUICK].grade_class(question, ANSWERS)
    pairs = [(answer, REFERENCE) for answer in ANSWERS]
    seconds: dict[str, list[tuple[float, float]]] = {each: [] for each in graders}
    for turn in range(turns):
        for each in list(graders)[:: -1 if turn % 2 else 1]:
            own = reader(each)
            own.forget()
            graded = timed(lambda each=each: graders[each].grade_class(question, ANSWERS))
            own.forget()
            seconds[each].append((graded, timed(lambda own=own: own.pairs(pairs, question=QUESTION))))
    (graded, read), (quick, quick_read) = (np.median(seconds[each], axis=0) for each in (name, QUICK))
    figures |= {
        "a class of 30, processor s": graded, "a class of 30, times quick's": graded / quick,
        "answers/s of a core": len(ANSWERS) / graded, "read alone, answers/s of a core": len(ANSWERS) / read,
        "read alone, times quick's seconds": read / quick_read,
    }  # fmt: skip
    return {key: round(float(value), 4) for key, value in figures.items()}


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor that something takes, whatever else the machine does."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reader")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print(json.dumps(cost(options.reader, options.turns)))


if __name__ == "__main__":
    main()
