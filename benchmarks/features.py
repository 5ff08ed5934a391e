"""The promise of the feature table: thirty features of 10,000 answers in a minute on two cores.

    python benchmarks/features.py --data DATA [--workers 2] [--count 10000]

DATA is a folder with sra/ below it, as docs/researchers/data.md shows. Its training answers are filled up
to 10,000 with shortened ones; with another count, fewer are drawn or more shortened ones added, to show how
memory grows. Beside it, in the same run: the WordNet family as one would write it with NLTK, on a sample of
pairs (needs nltk and Debian's wordnet-base; left out where they are not).
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import nltk_wordnet as peer

from postil.data.formats.sra import read_collection
from postil.language.measures.features import Triplet, feature_table
from postil.language.measures.texts import View, view, wordnet_similarities
from postil.language.pipeline import analyse_many

FIVE = ("res", "lin", "jcn", "lch", "wup")


def answers(data: Path, count: int) -> list[Triplet]:
    questions = [question for group in read_collection(data / "sra").values() for question in group]
    triplets = [(q.text, q.references[0].text, a.text) for q in questions for a in q.answers]
    chance = random.Random(0)
    if count <= len(triplets):
        # Drawn from everywhere, as more answers mean more words too, and kept by question.
        return [triplets[index] for index in sorted(chance.sample(range(len(triplets)), count))]
    longer = [index for index, (_, _, answer) in enumerate(triplets) if len(answer.split()) > 2]
    rounds = math.ceil((count - len(triplets)) / len(longer))
    repeated = Counter(chance.sample(longer, count - len(triplets), counts=[rounds] * len(longer)))
    extended = []
    for index, (question, reference, answer) in enumerate(triplets):
        extended.append((question, reference, answer))
        for _ in range(repeated[index]):
            words = answer.split()
            del words[chance.randrange(len(words))]
            extended.append((question, reference, " ".join(words)))
    return extended


def nltk_pair(reader: object, content: object, first: View, second: View) -> None:
    """The five measures of one pair of texts, each word against each, the plain way."""
    for name in FIVE:
        for left, right in ((first, second), (second, first)):
            for word, pos in left.tagged:
                best = 0.0
                for match, part in right.tagged:
                    if pos != part or pos not in ("n", "v"):
                        continue
                    for a in reader.synsets(word, pos):
                        for b in reader.synsets(match, part):
                            best = max(best, peer.nltk_value(name, a, b, content))


def beside_nltk(views: Sequence[tuple[View, View]], sample: int) -> None:
    if not peer.available():
        print("NLTK or Debian's WordNet is not installed: nothing to compare with")
        return
    first, second = [view for view, _ in views], [view for _, view in views]
    start = time.perf_counter()
    wordnet_similarities(first, second, FIVE)
    ours = len(views) / (time.perf_counter() - start)
    chosen = random.Random(1).sample(list(views), sample)
    with peer.nltk_wordnet() as (reader, _, content):
        nltk_pair(reader, content, *chosen[0])
        start = time.perf_counter()
        for first_view, second_view in chosen:
            nltk_pair(reader, content, first_view, second_view)
        theirs = sample / (time.perf_counter() - start)
    print(
        f"five WordNet measures of pairs of texts: {ours:,.0f} pairs/s; NLTK, {sample} pairs: {theirs:,.2f}"
    )
    print(f"    {ours / theirs:,.0f} × (promise 50)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, default=20)
    options = parser.parse_args()
    triplets = answers(options.data, options.count)
    start = time.perf_counter()
    table = feature_table(triplets, workers=options.workers)
    seconds = time.perf_counter() - start
    print(f"{table.shape[1]} features of {len(table):,} answers, with analysis: {seconds:.0f} s")
    print("    (promise: 60 s for 10,000 in two processes)")
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    memory = max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1024
    print(f"    processes: {options.workers}, the largest of {memory:.0f} MB", flush=True)
    texts = list(dict.fromkeys(text for triplet in triplets[:2000] for text in triplet[1:]))
    views = dict(zip(texts, map(view, analyse_many(texts)), strict=True))
    beside_nltk(
        [(views[reference], views[answer]) for _, reference, answer in triplets[:2000]], options.sample
    )


if __name__ == "__main__":
    main()
