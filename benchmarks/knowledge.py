"""The promises of the knowledge layer: how long each resource takes to load, memory with all of them.

    python benchmarks/knowledge.py

Each loads in a fresh interpreter, after numpy, scipy and spaCy, which all of them share; the median of five.
"""

from __future__ import annotations

from fresh import python

WORDNET = "from postil.knowledge.wordnet import wordnet; wordnet(); "
LOADERS = {
    "wordnet": "from postil.knowledge.wordnet import wordnet as load",
    "ancestors": WORDNET + "from postil.knowledge.ancestors import ancestors as load",
    "walks": WORDNET + "from postil.knowledge.walk_graph import graph as load",
    "lsa": "from postil.knowledge.spaces import lsa as load",
    "lda": "from postil.knowledge.spaces import lda as load",
    "idf": "from postil.knowledge.spaces import idf as load",
    "verbs": "from postil.knowledge.verbs import verbs as load",
    "roles": "import spacy; from postil.text.roles import role_model as load",
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
from postil.text.pipeline import analyse_many
from postil.text.senses import find_senses
from postil.measures.texts import compare
one, other = analyse_many(["The sun heats the water.", "Evaporation of the water is caused by heat."])
one.predicates, other.predicates, find_senses(one)
compare(one, other)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> None:
    for name, loader in LOADERS.items():
        times = sorted(python(LOAD.format(loader=loader))[0] for _ in range(5))
        print(f"{name}: loads in {times[2]:.2f} s (promise .4)", flush=True)
    print(f"memory with all of text and knowledge in use: {python(EVERYTHING)[0]:.0f} MB (promise 400)")


if __name__ == "__main__":
    main()
