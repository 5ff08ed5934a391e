"""Build postil/resources/walks: the links that definitions add to WordNet's graph, and the graph's regions.

    PYTHONPATH=training python training/walks.py --out postil/resources/walks

Reads nothing but postil/resources/wordnet, and always writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
from card import hashes, wrapped
from scipy import sparse
from scipy.sparse import csgraph

from postil.language.words.glosses import gloss_word_table
from postil.language.words.walks import adjacency
from postil.language.words.wordnet import wordnet

VERSION = "1.0.0"
# A word with several senses is linked in one that at least this share of its tagged uses, and so many, have.
CLEAR_SHARE, CLEAR_USES = 0.7, 3
REGIONS = 4096
SOURCES = (
    (
        "WordNet 3.0, Debian's wordnet-base",
        "WordNet licence",
        "relations, definitions, how often senses were tagged",
    ),
)
Ends = tuple[np.ndarray, np.ndarray]


def relation_links() -> Ends:
    """The two ends of every relation of WordNet, between synsets or between words of them."""
    sources, targets = [], []
    for starts, indices in wordnet().relations.values():
        sources.append(np.repeat(np.arange(len(starts) - 1), np.diff(starts)))
        targets.append(indices)
    return np.concatenate(sources), np.concatenate(targets)


def clear_sense(word: str) -> int | None:
    """The synset that a word of a definition, its part of speech unknown, has surely or nearly so, if any.

    Linking every word in its commonest sense would make more links and some wrong ones: the definitions about
    money would lead to the bank of a river.
    """
    senses, counts = wordnet().synsets(word), wordnet().sense_counts(word)
    if len(senses) < 2:
        return senses[0] if senses else None
    best = int(np.argmax(counts))
    clear = counts[best] >= max(CLEAR_USES, CLEAR_SHARE * sum(counts))
    return senses[best] if clear else None


def gloss_links() -> Ends:
    """From each synset to the clear senses of the words in its definition, each pair once, in order."""
    table = gloss_word_table()
    senses = np.array([-1 if sense is None else sense for sense in map(clear_sense, table.words)])
    starts, tokens = table.rows
    size = len(starts) - 1
    sources, targets = np.repeat(np.arange(size), np.diff(starts)), senses[tokens]
    kept = (targets >= 0) & (targets != sources)
    codes = np.unique(sources[kept] * size + targets[kept])
    return codes // size, codes % size


def regions(joined: sparse.csr_array) -> np.ndarray:
    """The number of the nearest hub of each node, hubs being the nodes with the most links.

    Nodes that no hub can be reached from make one more region.
    """
    hubs = np.sort(np.argsort(-np.diff(joined.indptr), kind="stable")[:REGIONS])
    _, _, nearest = csgraph.dijkstra(
        joined, directed=False, indices=hubs, unweighted=True, min_only=True, return_predecessors=True
    )
    return np.where(nearest < 0, len(hubs), np.searchsorted(hubs, nearest)).astype(np.uint16)


def write(out: Path) -> dict:
    sources, targets = gloss_links()
    relations = relation_links()
    size = wordnet().size
    ends = (np.concatenate([relations[0], sources]), np.concatenate([relations[1], targets]))
    joined = adjacency(ends, size)
    pairs = sparse.triu(joined, format="csr")
    pairs.sort_indices()
    np.savez_compressed(
        out / "graph.npz",
        lengths=np.diff(pairs.indptr).astype(np.uint16),
        targets=pairs.indices.astype(np.uint32),
        region=regions(joined),
    )
    return {
        "synsets": size,
        "relation_links": adjacency(relations, size).nnz // 2,
        "gloss_links": len(targets),
        "links": pairs.nnz,
        "regions": REGIONS,
    }


def card_text(card: dict) -> str:
    figures = card["figures"]
    return "\n".join(
        [
            f"# walks {card['version']}: what walks over WordNet need beside it",
            "",
            "Which synsets are joined, by a relation or because the definition of one has a word that clearly means "
            "the other, and the region of this graph that each synset belongs to. Built by `training/walks.py` from "
            "`postil/resources/wordnet`; read by `postil.language.words.walks`.",
            "",
            f"Size {card['size_bytes'] / 1e6:.1f} MB. {figures['relation_links']:,} pairs of synsets are joined by "
            f"relations, {figures['links']:,} with the {figures['gloss_links']:,} gloss links; {figures['regions']:,} "
            "regions around the synsets with the most links.",
            "",
            f"A definition's word is linked in its only sense, or in one that has at least {CLEAR_SHARE:.0%} of the word's "
            f"tagged uses and {CLEAR_USES} of them. Those counts come from SemCor: figures for sense disambiguation on "
            "SemCor are not free of it.",
            "",
            "WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. The licence is in "
            "`LICENCE.txt`.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    figures = write(out)
    shutil.copyfile(out.parent / "wordnet" / "LICENCE.txt", out / "LICENCE.txt")
    card = {
        "name": "walks",
        "version": VERSION,
        "licence": "WordNet licence (LICENCE.txt)",
        "size_bytes": sum(file.stat().st_size for file in out.iterdir() if file.suffix in (".npz", ".txt")),
        "figures": figures,
        "sources": [list(source) for source in SOURCES],
        "files": hashes(out),
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(wrapped(card_text(card)), encoding="utf-8")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
