"""The promises of the word spaces: texts a second, time to load, memory, size.

    python benchmarks/spaces.py

Texts have 5 to 25 words, drawn from the vocabulary as often as the books have them; one in twenty is unknown.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fresh import python

LOAD = """
import resource, sys, time
import numpy, scipy.sparse
import postil.language.words.spaces as spaces
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
getattr(spaces, sys.argv[1])()
seconds = time.perf_counter() - start
print(seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""

SPEED = """
import sys, time
import numpy as np
import postil.language.words.spaces as spaces
space = getattr(spaces, sys.argv[1])()
rng = np.random.default_rng(0)
lemmas = np.array([*space.vocabulary.lemmas, "xyzzyq"])
chance = np.exp(-spaces.idf().weights.astype(float))
chance = np.append(0.95 * chance / chance.sum(), 0.05)
texts = [rng.choice(lemmas, size=n, p=chance).tolist() for n in rng.integers(5, 26, size=4000)]
best, single = 0.0, 0.0
for _ in range(3):
    start = time.perf_counter()
    space.vectors(texts)
    best = max(best, len(texts) / (time.perf_counter() - start))
    start = time.perf_counter()
    for words in texts[:500]:
        space.vector(words)
    single = max(single, 500 / (time.perf_counter() - start))
print(best, single)
"""


def main() -> None:
    for name in ("lsa", "lda", "idf"):
        runs = sorted(python(LOAD, name) for _ in range(5))
        seconds, memory = runs[2]
        print(f"{name}: loads in {seconds:.2f} s (promise .4; median of five), memory {memory:.0f} MB")
    for name in ("lsa", "lda"):
        batch, single = python(SPEED, name)
        print(f"{name}: {batch:,.0f} texts/s in batch, {single:,.0f} one by one, one core")
    folder = Path(str(files("postil.resources").joinpath("spaces")))
    for file in sorted(folder.glob("*.[nt]*")):
        print(f"size of {file.name}: {file.stat().st_size / 1e6:.2f} MB")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"size: {size / 1e6:.1f} MB (promise 12)")


if __name__ == "__main__":
    main()
