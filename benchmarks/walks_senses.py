"""Sense disambiguation by walks, measured on SemCor, beside the first sense and a random one.

    python benchmarks/walks_senses.py --semcor semcor3.0.tar.xz

WordNet's own counts of senses come from SemCor. So that neither the prior, nor the restarts, nor the first
sense has seen the answers, the counts of the files measured on are taken off them first, and the first sense
is the one with most of what is left. The gloss links of the graph still come from all counts.
"""

from __future__ import annotations

import argparse
import random
import re
import tarfile
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from postil.language.words import walks
from postil.language.words import walks as walker_module
from postil.language.words.wordnet import PARTS, WordNet, wordnet

Item = tuple[str, str, int]  # lemma, part of speech, synset
TAG = re.compile(r"<wf\s([^>]*)>")
ATTRIBUTE = re.compile(r"""(\w+)=(?:"([^"]*)"|([^\s"]+))""")
KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
NAMES = {"n": "nouns", "v": "verbs", "a": "adjectives", "r": "adverbs"}


def read(archive: Path) -> dict[str, list[list[Item]]]:
    """The tagged words of the fully tagged files, sentence by sentence."""
    sentences_by_file = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member) if re.search(r"brown[12]/tagfiles/.", member.name) else None
            if file is not None:
                text = file.read().decode("utf-8", errors="replace")
                sentences = [
                    [item for tag in TAG.findall(block) if (item := read_tag(tag))]
                    for block in text.split("<s ")[1:]
                ]
                sentences_by_file[member.name] = [sentence for sentence in sentences if sentence]
    return sentences_by_file


def read_tag(tag: str) -> Item | None:
    values = {name: quoted or bare for name, quoted, bare in ATTRIBUTE.findall(tag)}
    number = values.get("wnsn", "0").partition(";")[0]
    if "lemma" not in values or "lexsn" not in values or not number.isdecimal() or number == "0":
        return None
    lemma, pos = values["lemma"].lower(), KINDS[values["lexsn"][0]]
    senses = wordnet().synsets(lemma, pos)
    return (lemma, pos, senses[int(number) - 1]) if int(number) <= len(senses) else None


def without(wn: WordNet, items: list[Item]) -> WordNet:
    """WordNet as if some tagged words had never been counted."""
    counts = wn.counts.copy()
    places = {word: index for index, word in enumerate(wn.words)}
    for (lemma, pos, synset), times in Counter(items).items():
        if lemma in places:
            row = 4 * places[lemma] + PARTS.index(pos)
            start, end = wn.senses[0][row : row + 2]
            at = np.flatnonzero(wn.senses[1][start:end] == synset)
            counts[start + at] = np.maximum(counts[start + at] - times, 0)
    return replace(wn, counts=counts)


def methods(wn: WordNet, sentence: list[Item], seed: int) -> dict[str, list[int | None]]:
    words = [(lemma, pos) for lemma, pos, _ in sentence]
    senses = [(wn.synsets(*word), wn.sense_counts(*word)) for word in words]
    chance = random.Random(seed)
    return {
        "random sense": [chance.choice(ids) for ids, _ in senses],
        "first sense": [ids[int(np.argmax(counts))] for ids, counts in senses],
        "ppr": list(walks.disambiguate(words, method="ppr", prior=False)),
        "ppr, prior": list(walks.disambiguate(words, method="ppr", prior=True)),
        "w2w": list(walks.disambiguate(words, method="w2w", prior=False)),
        "w2w, prior": list(walks.disambiguate(words, method="w2w", prior=True)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--semcor", type=Path, required=True)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    corpus = read(options.semcor)
    names = sorted(random.Random(options.seed).sample(sorted(corpus), options.files))
    sentences = [sentence for name in names for sentence in corpus[name]]
    items = [item for sentence in sentences for item in sentence]
    held_out = without(wordnet(), items)
    right: dict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    with patch.object(walker_module, "wordnet", lambda: held_out):
        for number, sentence in enumerate(sentences):
            chosen = methods(held_out, sentence, number)
            for at, (lemma, pos, gold) in enumerate(sentence):
                several = len(held_out.synsets(lemma, pos)) > 1
                groups = [NAMES[pos], "all"] + (["several senses"] if several else [])
                total.update(groups)
                for method, ids in chosen.items():
                    if ids[at] == gold:
                        right[method].update(groups)
    print(f"SemCor, files {', '.join(Path(name).name for name in names)}: {len(sentences)} sentences")
    columns = [*NAMES.values(), "all", "several senses"]
    print("accuracy, %".ljust(16) + "".join(column.rjust(16) for column in columns))
    print("words".ljust(16) + "".join(str(total[column]).rjust(16) for column in columns))
    for method, counts in right.items():
        figures = (f"{100 * counts[column] / max(1, total[column]):.1f}".rjust(16) for column in columns)
        print(method.ljust(16) + "".join(figures))


if __name__ == "__main__":
    main()
