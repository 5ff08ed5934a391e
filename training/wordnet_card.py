"""The card of what ships in postil/resources/wordnet: figures, sources, hashes."""

from __future__ import annotations

import json
from pathlib import Path

from card import hashes, wrapped
from wordnet_files import Synset
from wordnet_measures import COMMON, LEAST, MOST

VERSION = "1.0.0"
SOURCES = (
    (
        "WordNet 3.0, Debian's wordnet-base",
        "WordNet licence",
        "words, senses, relations, glosses, irregular forms",
    ),
    ("SemCor 3.0", "WordNet licence", "how often nouns and verbs were tagged (information content)"),
)


def write_card(out: Path, synsets: list[Synset], tagged: dict[int, int]) -> None:
    """Write card.json and CARD.md; what they count is what was just written."""
    by_part = {pos: sum(n for one, n in tagged.items() if synsets[one].pos == pos) for pos in "nv"}
    card = {
        "name": "wordnet",
        "version": VERSION,
        "licence": "WordNet licence (LICENCE.txt)",
        "size_bytes": sum(
            file.stat().st_size for file in out.iterdir() if file.name not in ("card.json", "CARD.md")
        ),
        "figures": {
            "synsets": len(synsets),
            "senses": sum(len(synset.words) for synset in synsets),
            "tagged_nouns": by_part["n"],
            "tagged_verbs": by_part["v"],
        },
        "sources": [list(source) for source in SOURCES],
        "files": hashes(out),
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(wrapped(text(card)), encoding="utf-8")


def text(card: dict) -> str:
    """The card for people."""
    figures = card["figures"]
    lines = [
        f"# wordnet {card['version']}: WordNet 3.0 as arrays",
        "",
        "Words, senses, relations and glosses of WordNet 3.0, and what its measures need: the ancestors of every noun "
        "and verb, SemCor's counts, gloss words and their vectors. Built by `training/wordnet.py`.",
        "",
        f"Size {card['size_bytes'] / 1e6:.1f} MB. {figures['synsets']:,} synsets, {figures['senses']:,} words in them. "
        f"{figures['tagged_nouns']:,} nouns and {figures['tagged_verbs']:,} verbs tagged in SemCor 3.0.",
        "",
        "WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. The licence is in `LICENCE.txt`.",
        "",
        "| file | what is in it |",
        "| --- | --- |",
        "| `graph.npz` | words, senses in order with their tag counts, relations, depths, irregular forms |",
        "| `glosses.npz` | definitions and examples |",
        "| `ancestors.npz` | nouns' and verbs' ancestors with distances |",
        "| `information.npz` | SemCor counts, added up the hierarchy |",
        "| `gloss_words.npz` | content words of the definitions |",
        f"| `gloss_vectors.npz` | which of the words in {LEAST} to {MOST:,} definitions stand together with which in "
        f"{COMMON} to {MOST:,} |",
        "",
        "| source | licence | used for |",
        "| --- | --- | --- |",
        *(f"| {name} | {licence} | {use} |" for name, licence, use in card["sources"]),
        "",
        "Limits: English as it was in 2006; senses are finer than most readers'; counts come from a corpus of 1961, "
        'so that "current" is mostly not electric.',
        "",
    ]
    return "\n".join(lines)
