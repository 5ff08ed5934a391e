"""The promises of postil.language.words.wordnet: NLTK's values at a hundred times its speed, quick loading.

    python benchmarks/wordnet.py                    # speed, loading, closeness
    python benchmarks/wordnet.py --freeze FILE      # and write some of NLTK's values for the tests

NLTK is a development-only dependency and reads Debian's WordNet files (package wordnet-base).
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from nltk_wordnet import NAMES, available, nltk_value, nltk_wordnet
from scipy import sparse, stats

from postil.language.measures.overlap import shared_phrases
from postil.language.words.glosses import (
    RELATIVES,
    TEXTS,
    gloss_overlap,
    gloss_vector,
    gloss_word_table,
    gloss_words,
    related_texts,
    word_vectors,
)
from postil.language.words.wordnet import gather, wordnet
from postil.language.words.wordnet_measures import MEASURES, similarity_matrix, synset_similarity

NOUNS = int((wordnet().pos == 0).sum())
TREE = int((wordnet().pos <= 1).sum())
NLTK_CELLS = {"res": 500, "lin": 500, "jcn": 500, "lch": 60, "wup": 60}

# The peak of a process as Linux has it; what getrusage says begins with that of the parent.
PEAK = """
def peak():
    lines = open("/proc/self/status", encoding="utf-8").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
"""
COLD = """
import sys, time
import numpy, scipy.sparse
start = time.perf_counter()
from postil.language.words.wordnet_measures import similarity_matrix
words, others = (open(name, encoding="utf-8").read().split() for name in sys.argv[2:4])
similarity_matrix(words, others, sys.argv[1])
print(time.perf_counter() - start, peak())
"""
LOAD = """
import time
import numpy, scipy.sparse
from postil.language.words import glosses, wordnet, wordnet_measures
before = peak()
for load in (wordnet.wordnet, wordnet.ancestors, wordnet_measures.information, glosses.gloss_word_table,
             glosses.word_vectors):
    start, processor = time.perf_counter(), time.process_time()
    load()
    if load is wordnet.wordnet:
        load().synsets("dog")
    wall, processor = time.perf_counter() - start, time.process_time() - processor
    print(f"  {load.__name__:18} {wall:.3f} s, {processor:.3f} s of the processor")
start, processor = time.perf_counter(), time.process_time()
wordnet.wordnet().gloss(0)
wall, processor = time.perf_counter() - start, time.process_time() - processor
print(f"  {'glosses':18} {wall:.3f} s, {processor:.3f} s of the processor")
print(f"  memory             {peak() - before:.0f} MB more")
"""


def common_words(count: int) -> list[str]:
    """The words that were tagged most often as nouns or verbs."""
    wn = wordnet()
    starts = wn.senses[0]
    tagged = np.concatenate([[0], np.cumsum(wn.counts)])
    often = tagged[starts[2:-1:4]] - tagged[starts[:-1:4]]
    return [wn.words[index] for index in np.argsort(-often, kind="stable")[:count]]


def relative(synset: int, chance: random.Random) -> int:
    """A synset a few steps away."""
    wn = wordnet()
    for _ in range(chance.randint(1, 4)):
        near = wn.hypernyms(synset) if chance.random() < 0.5 else wn.hyponyms(synset)
        synset = chance.choice(near) if near else synset
    return synset


def synset_pairs(chance: random.Random, nouns: int, verbs: int, near: int) -> list[tuple[int, int]]:
    """Pairs of nouns, of verbs, and of near relatives."""
    pairs = [(chance.randrange(NOUNS), chance.randrange(NOUNS)) for _ in range(nouns)]
    pairs += [(chance.randrange(NOUNS, TREE), chance.randrange(NOUNS, TREE)) for _ in range(verbs)]
    starts = [chance.randrange(TREE) for _ in range(near)]
    pairs += [(start, relative(start, chance)) for start in starts]
    return [(first, second) for first, second in pairs if first != second]


def equality(theirs: Callable, content: dict) -> None:
    """How many of NLTK's values are ours."""
    for title, counts in (("random", (1500, 1000, 0)), ("near relatives", (0, 0, 1500))):
        pairs = synset_pairs(random.Random(1), *counts)
        print(f"\n{len(pairs)} pairs of synsets, {title}: equal to NLTK's within 1e-9")
        for name in NAMES:
            ours = [synset_similarity(a, b, name) for a, b in pairs]
            values = [nltk_value(name, theirs(a), theirs(b), content) for a, b in pairs]
            other_way = [nltk_value(name, theirs(b), theirs(a), content) for a, b in pairs]
            caps = [synset_similarity(a, a, name) if name == "jcn" else math.inf for a, _ in pairs]
            same = sum(map(close, ours, values))
            explained = sum(map(close, ours, map(min, map(max, values, other_way), caps)))
            print(f"  {name}: {same}; in the better of the two orders and with infinity capped {explained}")


def close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


def nltk_word(reader: object, name: str, first: str, second: str, content: dict) -> float:
    """Best pair of senses, the way NLTK's users write it."""
    return max(
        (
            nltk_value(name, a, b, content) or 0.0
            for pos in "nv"
            for a in reader.synsets(first, pos)
            for b in reader.synsets(second, pos)
        ),
        default=0.0,
    )


def speed(reader: object, content: dict, folder: Path) -> None:
    """300 × 300 common words: ours whole, NLTK on a sample of the cells."""
    words = common_words(600)
    rows, columns = words[::2], words[1::2]
    files = [folder / "rows.txt", folder / "columns.txt"]
    for file, some in zip(files, (rows, columns), strict=True):
        file.write_text("\n".join(some), encoding="utf-8")
    chance = random.Random(2)
    sample = [(chance.choice(rows), chance.choice(columns)) for _ in range(500)]
    nltk_word(reader, "wup", "dog", "cat", content)
    print(
        "\n300 × 300 words, cells a second (NLTK: 500 or, the slow ones, 60 cells of them, its caches warm)"
    )
    print("  measure   cold      warm      NLTK   times   peak MB")
    for name in MEASURES:
        done = subprocess.run(
            [sys.executable, "-c", PEAK + COLD, name, *map(str, files)],
            capture_output=True,
            text=True,
            check=True,
        )
        cold, memory = map(float, done.stdout.split())
        similarity_matrix(rows, columns, name)
        warm = min(timed(lambda name=name: similarity_matrix(rows, columns, name)) for _ in range(3))
        line = f"  {name:7} {90_000 / cold:8,.0f}  {90_000 / warm:8,.0f}"
        if name in NAMES:
            cells = sample[: NLTK_CELLS[name]]

            def run(name: str = name, cells: list = cells) -> None:
                for cell in cells:
                    nltk_word(reader, name, *cell, content)

            theirs = min(timed(run) for _ in range(3))
            line += f"  {len(cells) / theirs:8,.1f}  {90_000 / warm / (len(cells) / theirs):6,.0f}"
        else:
            line += " " * 18
        print(f"{line}  {memory:7,.0f}")


def timed(run: object) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def closeness() -> None:
    """Overlaps against the phrase-by-phrase definition, vectors against those of the whole space."""
    chance = random.Random(3)
    size = wordnet().size
    starts = [chance.randrange(size) for _ in range(300)]
    pairs = [(start, chance.randrange(size)) for start in starts[:150]]
    pairs += [(start, relative(start, chance)) for start in starts[150:]]
    pairs = [(a, b) for a, b in pairs if a != b]
    ours = [float(gloss_overlap(array(a), array(b))[0, 0]) for a, b in pairs]
    exact = [greedy(a, b) for a, b in pairs]
    same = np.mean([x == y for x, y in zip(ours, exact, strict=True)])
    print(f"\nGloss overlap, {len(pairs)} pairs: {100 * same:.0f} % the same as phrase by phrase, ", end="")
    print(f"Spearman {stats.spearmanr(ours, exact).statistic:.4f}")
    synsets = np.array(sorted({synset for pair in pairs for synset in pair}), dtype=np.int32)
    reduced, whole = gloss_vector(synsets, synsets), whole_cosines(synsets)
    upper = np.triu_indices(len(synsets), 1)
    error = np.abs(reduced[upper] - whole[upper])
    print(f"Gloss vectors, {len(upper[0]):,} pairs: mean difference {error.mean():.4f}, ", end="")
    print(f"99 % within {np.quantile(error, 0.99):.4f}, ", end="")
    print(f"Pearson {np.corrcoef(reduced[upper], whole[upper])[0, 1]:.4f}, ", end="")
    print(f"Spearman {stats.spearmanr(reduced[upper], whole[upper]).statistic:.4f}")


def array(synset: int) -> np.ndarray:
    return np.array([synset], dtype=np.int32)


def texts_of(synset: int) -> list[list[object]]:
    """A synset's texts, word by word, with a mark between definitions that no other text has."""
    texts, defined = related_texts(array(synset))
    words: list[list[object]] = [[] for _ in range(len(RELATIVES) + 1)]
    for text, synset_number in zip(texts.tolist(), defined.tolist(), strict=True):
        words[text % TEXTS] += [*gloss_words(synset_number), object()]
    return words


def greedy(first: int, second: int) -> int:
    return sum(k * k for a in texts_of(first) for b in texts_of(second) for k in shared_phrases(a, b))


def whole_cosines(synsets: np.ndarray) -> np.ndarray:
    """Cosines in the whole space: every word that has a vector is a dimension too."""
    rows, places = gloss_word_table().rows, word_vectors().rows
    owners = np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]))
    words = places[rows[1]]
    table = sparse.csr_array((np.ones((words >= 0).sum()), (owners[words >= 0], words[words >= 0])))
    table.data[:] = 1.0
    together = sparse.csr_array(table.T @ table)
    together.setdiag(0)
    texts, defined = related_texts(synsets)
    positions, glosses = gather(rows, defined)
    named, owner = places[rows[1][positions]], (texts // TEXTS)[glosses]
    known = named >= 0
    counts = sparse.csr_array(
        (np.ones(known.sum()), (owner[known], named[known])), shape=(len(synsets), table.shape[1])
    )
    vectors = (counts @ together).toarray()
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors @ vectors.T


def freeze(path: Path, theirs: Callable, content: dict) -> None:
    """Write NLTK's values of some pairs, in the order that gives more."""
    wn = wordnet()
    lines = [
        "# NLTK's values on Debian's WordNet 3.0 with postil's counts; by benchmarks/wordnet.py --freeze"
    ]
    lines.append("\t".join(["one", "other", *NAMES]))
    for a, b in synset_pairs(random.Random(4), 80, 60, 90):
        values = [
            max(
                nltk_value(name, theirs(a), theirs(b), content),
                nltk_value(name, theirs(b), theirs(a), content),
            )
            for name in NAMES
        ]
        lines.append("\t".join([wn.name(a), wn.name(b), *(repr(float(value)) for value in values)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    from tempfile import TemporaryDirectory

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--freeze", type=Path, metavar="FILE")
    options = parser.parse_args()
    print("Loading, numpy and scipy imported", flush=True)
    subprocess.run([sys.executable, "-c", PEAK + LOAD], check=True)
    closeness()
    if not available():
        sys.exit("NLTK or Debian's WordNet is not here: pip install nltk; apt install wordnet-base")
    with nltk_wordnet() as (reader, theirs, content), TemporaryDirectory() as folder:
        if options.freeze:
            freeze(options.freeze, theirs, content)
        equality(theirs, content)
        speed(reader, content, Path(folder))


if __name__ == "__main__":
    main()
