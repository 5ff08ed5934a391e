"""The promises of the text layer: speed in batch on one core, cold start, memory, size.

    python benchmarks/text.py

The peer is the same pipeline run the way spaCy runs it by default. Predicates and their roles, which are
found when asked for, are timed apart.
"""

from __future__ import annotations

import random
from importlib.resources import files
from pathlib import Path

from fresh import python

# Sentences in the style of the answers Postil reads, varied by chance so that caches do not flatter.
PARTS = (
    (
        "the bulb",
        "a switch",
        "the battery",
        "water vapor",
        "the plant",
        "one mineral",
        "the heavier ball",
        "sound",
    ),
    (
        "is connected to",
        "does not touch",
        "evaporates from",
        "makes a gap in",
        "needs",
        "moves away from",
        "scratches",
    ),
    (
        "the closed path",
        "the other terminal",
        "the surface of the dish",
        "light and air",
        "a harder rock",
        "the string",
    ),
    (
        "because there is no current",
        "when the sun heats it up",
        "so the voltage is 1.5 V",
        "and it doesnt change",
    ),
)

SPEED = """
import sys, time
texts = open(sys.argv[1], encoding="utf-8").read().split("\\n")
if sys.argv[2] == "ours":
    from postil.language.pipeline import analyse_many
    next(analyse_many(texts[:1]))
    run = lambda: sum(len(document.tokens) for document in analyse_many(texts))
elif sys.argv[2] == "roles":
    from postil.language.pipeline import analyse_many
    from postil.language.roles import find_predicates
    def run():
        documents = list(analyse_many(texts))
        find_predicates(documents)
        return sum(len(document.tokens) for document in documents)
    find_predicates(analyse_many(texts[:1]))
else:
    import spacy
    import postil.language.chunk_tagger
    nlp = spacy.load(sys.argv[3])
    nlp(texts[0])
    run = lambda: sum(len(doc) for doc in nlp.pipe(texts, batch_size=256))
best = 0.0
for _ in range(3):
    start = time.perf_counter()
    words = run()
    best = max(best, words / (time.perf_counter() - start))
print(best)
"""

COLD = """
import time
start = time.perf_counter()
from postil.language.pipeline import analyse
analyse("The bulb does not light because there is a gap in the circuit.")
import resource
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> None:
    folder = Path(str(files("postil.resources").joinpath("pipeline")))
    rng = random.Random(0)
    answers = [" ".join(rng.choice(part) for part in PARTS) for _ in range(4000)]
    path = Path("benchmark-answers.tmp")
    path.write_text("\n".join(answers), encoding="utf-8")
    try:
        ours = python(SPEED, str(path), "ours", str(folder))[0]
        peer = python(SPEED, str(path), "spacy", str(folder))[0]
        roles = python(SPEED, str(path), "roles", str(folder))[0]
    finally:
        path.unlink()
    print(f"analysis in batch, one core: {ours:,.0f} words/s (promise 10,000)")
    print(f"    spaCy's defaults, without our own layers: {peer:,.0f} words/s; ours {ours / peer:.1f}×")
    print(f"    with predicates and roles: {roles:,.0f} words/s")
    runs = sorted(python(COLD) for _ in range(3))
    seconds, memory = runs[1]
    print(f"cold start: {seconds:.2f} s (promise 1.5), memory {memory:.0f} MB (promise 300)")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"size: {size / 1e6:.1f} MB (promise 25)")


if __name__ == "__main__":
    main()
