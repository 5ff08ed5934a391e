"""The promises of the knowledge layer: how long each resource takes to load, memory with all of them.

    python benchmarks/knowledge.py

Each loads in a fresh interpreter, after numpy, scipy and spaCy, which all of them share; the median of five.
"""

from __future__ import annotations

from fresh import python

WORDNET = "from postil.language.words.wordnet import wordnet; wordnet(); "
LOADERS = {
    "wordnet": "from postil.language.words.wordnet import wordnet as load",
    "ancestors": WORDNET + "from postil.language.words.wordnet import ancestors as load",
    "walks": WORDNET + "from postil.language.words.walks import graph as load",
    "lsa": "from postil.language.words.spaces import lsa as load",
    "lda": "from postil.language.words.spaces import lda as load",
    "idf": "from postil.language.words.spaces import idf as load",
    "verbs": "from postil.language.words.verbs import verbs as load",
    "roles": "import spacy; from postil.language.roles import role_model as load",
}
LOAD = """
import time, numpy, scipy.sparse
{loader}
start = time.perf_counter()
load()
print(time.perf_counter() - start)
"""
EVERYTHING = """
import resource
from postil.language.pipeline import analyse_many
from postil.language.words.walks import find_senses
from postil.language.measures.texts import compare
first, second = analyse_many(["The sun heats the water.", "Evaporation of the water is caused by heat."])
first.predicates, second.predicates, find_senses(first)
compare(first, second)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> None:
    for name, loader in LOADERS.items():
        times = sorted(python(LOAD.format(loader=loader))[0] for _ in range(5))
        print(f"{name}: loads in {times[2]:.2f} s (promise .4)", flush=True)
    print(f"memory with all of text and knowledge in use: {python(EVERYTHING)[0]:.0f} MB (promise 400)")


if __name__ == "__main__":
    main()
