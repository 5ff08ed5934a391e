"""Compile WordNet 3.0 into the arrays that ship, with information content and gloss vectors.

    PYTHONPATH=training python training/wordnet.py --wordnet /usr/share/wordnet --semcor semcor3.0.tar.xz \\
        --out postil/resources/wordnet

Reads WordNet's files as Debian's `wordnet-base` installs them (data.*, index.*, *.exc, cntlist.rev) and SemCor 3.0.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from wordnet_card import write_card
from wordnet_files import (
    Synset,
    licence,
    read_counts,
    read_exceptions,
    read_senses,
    read_synsets,
    sense_keys,
)
from wordnet_measures import ancestors, cooccurrences, gloss_words, information, semcor_keys

from postil.language.words.wordnet import INVERSES, LETTERS, PARTS, WORD_RELATIONS

Arrays = dict[str, np.ndarray]


def text(lines: list[str]) -> np.ndarray:
    """Lines of text as bytes, which arrays can hold without pickling."""
    return np.frombuffer("\n".join(lines).encode("utf-8"), dtype=np.uint8)


def adjective(pos: str) -> str:
    return "a" if pos == "s" else pos


def sense_arrays(synsets: list[Synset], folder: Path) -> Arrays:
    """The index: words, their senses in order, and how often each was tagged."""
    numbers = {(adjective(synset.pos), synset.offset): n for n, synset in enumerate(synsets)}
    senses = {(word, pos): [numbers[pos, one] for one in found] for word, pos, found in read_senses(folder)}
    words = sorted({word for word, _ in senses})
    keys = sense_keys(synsets)
    tagged: Counter[tuple[str, int]] = Counter()
    for key, count in read_counts(folder):
        if key in keys:
            tagged[key.partition("%")[0], keys[key]] += count
    rows = [senses.get((word, pos), []) for word in words for pos in PARTS]
    counts = [tagged[words[n // 4], one] for n, row in enumerate(rows) for one in row]
    assert sum(counts) == sum(tagged.values())
    return {
        "words": text(words),
        "sense_lengths": np.array([len(row) for row in rows], dtype=np.uint8),
        "senses": np.array([one for row in rows for one in row], dtype=np.uint32),
        "counts": np.array(counts, dtype=np.uint16),
    }


def entry_arrays(synsets: list[Synset], words: list[str]) -> Arrays:
    """The words of each synset, as places among the index's words and, after those, the capitalised ones."""
    places = {word: index for index, word in enumerate(words)}
    cased = sorted({word for synset in synsets for word in synset.words} - set(words))
    places |= {word: len(words) + index for index, word in enumerate(cased)}
    return {
        "cased": text(cased),
        "entry_lengths": np.array([len(synset.words) for synset in synsets], dtype=np.uint8),
        "entries": np.array([places[word] for synset in synsets for word in synset.words], dtype=np.uint32),
    }


def relation_arrays(synsets: list[Synset]) -> Arrays:
    """Relations between synsets, one direction of each, and between single words, as ordered pairs."""
    numbers = {(adjective(synset.pos), synset.offset): n for n, synset in enumerate(synsets)}
    starts = np.concatenate([[0], np.cumsum([len(synset.words) for synset in synsets])])
    pairs: dict[str, dict[tuple[int, int], None]] = {}
    between_words: dict[str, set[tuple[int, int]]] = {name: set() for name in WORD_RELATIONS}
    for source, synset in enumerate(synsets):
        for one in synset.pointers:
            target = numbers[adjective(one.pos), one.offset]
            pairs.setdefault(one.relation, {})[source, target] = None
            if one.relation in WORD_RELATIONS:
                ends = int(starts[source]) + one.source - 1, int(starts[target]) + one.target - 1
                between_words[one.relation].add(ends)
    for name, other in INVERSES.items():
        assert {(b, a) for a, b in pairs.pop(other)} == set(pairs[name]), name
    arrays = {}
    for name, found in sorted(pairs.items()):
        arrays |= pair_arrays(f"from_{name}", f"to_{name}", list(found))
    for name, ends in sorted(between_words.items()):
        arrays |= pair_arrays(f"words_from_{name}", f"words_to_{name}", sorted(ends))
    return arrays


def pair_arrays(one: str, other: str, pairs: list[tuple[int, int]]) -> Arrays:
    """Pairs whose sources ascend; the sources are stored as steps, which compress better."""
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return {one: np.diff(table[:, 0], prepend=0).astype(np.uint32), other: table[:, 1].astype(np.uint32)}


def synset_names(synsets: list[Synset], folder: Path) -> list[str]:
    """Names such as "dog.n.01": the first word, and which of that word's senses it is."""
    senses = {(word, pos): found for word, pos, found in read_senses(folder)}
    names = []
    for synset in synsets:
        word = synset.words[0].lower()
        names.append(
            f"{word}.{synset.pos}.{senses[word, adjective(synset.pos)].index(synset.offset) + 1:02d}"
        )
    return names


def hypernym_lists(synsets: list[Synset]) -> list[list[int]]:
    """What each synset is a kind or an instance of."""
    numbers = {(adjective(synset.pos), synset.offset): n for n, synset in enumerate(synsets)}
    wanted = ("hypernym", "instance_hypernym")
    return [
        [
            numbers[pointer.pos, pointer.offset]
            for name in wanted
            for pointer in synset.pointers
            if pointer.relation == name
        ]
        for synset in synsets
    ]


def depth_arrays(parents: list[list[int]]) -> Arrays:
    """The shortest and the longest way up from each synset; the graph is checked to have no cycle."""
    depths: list[tuple[int, int] | None] = [None] * len(parents)

    def depth(number: int, path: frozenset[int]) -> tuple[int, int]:
        assert number not in path, "a cycle of hypernyms"
        found = depths[number]
        if found is None:
            above = [depth(parent, path | {number}) for parent in parents[number]]
            found = (
                1 + min((one for one, _ in above), default=-1),
                1 + max((one for _, one in above), default=-1),
            )
            depths[number] = found
        return found

    table = np.array([depth(number, frozenset()) for number in range(len(parents))], dtype=np.uint8)
    return {"min_depth": table[:, 0], "max_depth": table[:, 1]}


def graph(synsets: list[Synset], folder: Path) -> Arrays:
    """Everything that lookups and relations need."""
    senses = sense_arrays(synsets, folder)
    words = senses["words"].tobytes().decode("utf-8").split("\n")
    exceptions = read_exceptions(folder)
    return {
        "pos": np.array([LETTERS.index(synset.pos) for synset in synsets], dtype=np.uint8),
        **senses,
        **entry_arrays(synsets, words),
        **relation_arrays(synsets),
        **depth_arrays(hypernym_lists(synsets)),
        **{f"exceptions_{pos}": text(lines) for pos, lines in exceptions.items()},
    }


def glosses(synsets: list[Synset]) -> Arrays:
    """The glosses, one after another."""
    encoded = [synset.gloss.encode("utf-8") for synset in synsets]
    return {
        "lengths": np.array([len(one) for one in encoded], dtype=np.uint16),
        "text": np.frombuffer(b"".join(encoded), dtype=np.uint8),
    }


def tagged_synsets(synsets: list[Synset], semcor: Path) -> dict[int, int]:
    """How often each noun and verb synset is tagged in SemCor."""
    keys = sense_keys(synsets)
    tagged: Counter[int] = Counter()
    for key, count in semcor_keys(semcor).items():
        if key in keys and synsets[keys[key]].pos in "nv":
            tagged[keys[key]] += count
    return tagged


def write(out: Path, name: str, arrays: Arrays) -> None:
    np.savez_compressed(out / name, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--wordnet", type=Path, required=True, help="folder of data.noun, index.noun and so on"
    )
    parser.add_argument("--semcor", type=Path, required=True, help="semcor3.0.tar.xz")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    synsets = read_synsets(options.wordnet)
    write(options.out, "graph.npz", graph(synsets, options.wordnet))
    write(options.out, "glosses.npz", glosses(synsets))
    closure = ancestors(hypernym_lists(synsets), synsets, synset_names(synsets, options.wordnet))
    write(options.out, "ancestors.npz", closure)
    tagged = tagged_synsets(synsets, options.semcor)
    write(options.out, "information.npz", information(tagged, synsets, closure))
    words, tokens = gloss_words(synsets)
    write(options.out, "gloss_words.npz", {"words": text(words), **tokens})
    write(options.out, "gloss_vectors.npz", cooccurrences(len(words), tokens))
    (options.out / "LICENCE.txt").write_text(licence(options.wordnet), encoding="utf-8")
    write_card(options.out, synsets, tagged)


if __name__ == "__main__":
    main()
