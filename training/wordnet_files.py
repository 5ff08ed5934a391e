"""Read WordNet's own files: synsets, pointers, senses in order, irregular forms, tag counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# What each pointer symbol of the data files says about the synset that carries it.
POINTERS = {
    "@": "hypernym",
    "@i": "instance_hypernym",
    "~": "hyponym",
    "~i": "instance_hyponym",
    "#m": "member_holonym",
    "#s": "substance_holonym",
    "#p": "part_holonym",
    "%m": "member_meronym",
    "%s": "substance_meronym",
    "%p": "part_meronym",
    "=": "attribute",
    "&": "similar",
    "^": "also",
    "*": "entailment",
    ">": "cause",
    "$": "verb_group",
    ";c": "topic",
    "-c": "topic_member",
    ";r": "region",
    "-r": "region_member",
    ";u": "usage",
    "-u": "usage_member",
    "!": "antonym",
    "+": "derivation",
    "\\": "pertainym",
    "<": "participle",
}
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_HEAD_MARKER = re.compile(
    r"\((?:a|p|ip)\)"
)  # older lists write it inside the key: "several%5:00:00:some(a):00"


@dataclass(frozen=True, slots=True)
class Pointer:
    """A relation to another synset; `source` and `target` number the words it joins, 0 for the whole synsets."""

    relation: str
    pos: str
    offset: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Synset:
    """One line of a data file."""

    pos: str
    offset: int
    file_number: int
    words: tuple[str, ...]
    lexical_ids: tuple[int, ...]
    pointers: tuple[Pointer, ...]
    gloss: str


def read_synsets(folder: Path) -> list[Synset]:
    """All synsets: nouns, verbs, adjectives, adverbs, each in the order of its file."""
    return [
        _synset(line)
        for name in FILES.values()
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines()
        if not line.startswith("  ")
    ]


def _synset(line: str) -> Synset:
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    count = int(fields[3], 16)
    words = fields[4 : 4 + 2 * count : 2]
    ids = fields[5 : 5 + 2 * count : 2]
    start = 4 + 2 * count
    pointers = []
    for n in range(int(fields[start])):
        symbol, offset, pos, ends = fields[start + 1 + 4 * n : start + 5 + 4 * n]
        pointers.append(Pointer(POINTERS[symbol], pos, int(offset), int(ends[:2], 16), int(ends[2:], 16)))
    return Synset(
        pos=fields[2],
        offset=int(fields[0]),
        file_number=int(fields[1]),
        words=tuple(_MARKER.sub("", word) for word in words),
        lexical_ids=tuple(int(one, 16) for one in ids),
        pointers=tuple(pointers),
        gloss=gloss.strip(),
    )


def read_senses(folder: Path) -> Iterator[tuple[str, str, list[int]]]:
    """(word, part of speech, offsets of its synsets in sense order) of each line of the index files."""
    for pos, name in FILES.items():
        for line in (folder / f"index.{name}").read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):
                fields = line.split()
                yield fields[0], pos, [int(field) for field in fields[-int(fields[2]) :]]


def read_exceptions(folder: Path) -> dict[str, list[str]]:
    """Irregular forms by part of speech, each line a form and its base forms."""
    return {
        pos: sorted((folder / f"{name}.exc").read_text(encoding="utf-8").splitlines())
        for pos, name in FILES.items()
    }


def read_counts(folder: Path) -> Iterator[tuple[str, int]]:
    """(sense key, times tagged) from the list of counts.

    The list's own sense numbers are not used: it is older than the data files and names senses they no longer have.
    """
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        yield _HEAD_MARKER.sub("", key), int(count)


def licence(folder: Path) -> str:
    """The licence at the head of the data files, without its line numbers."""
    lines = (folder / "data.noun").read_text(encoding="utf-8").splitlines()
    head = [re.sub(r"^\s+\d+ ?", "", line).rstrip() for line in lines if line.startswith("  ")]
    return "\n".join(head).strip() + "\n"


def sense_keys(synsets: list[Synset]) -> dict[str, int]:
    """WordNet's stable name of each sense ("dog%1:05:00::") to the number of its synset."""
    types = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
    at = {(synset.pos, synset.offset): synset for synset in synsets}
    keys = {}
    for number, synset in enumerate(synsets):
        head = ":"
        if synset.pos == "s":
            pointer = next(pointer for pointer in synset.pointers if pointer.relation == "similar")
            first = at["a", pointer.offset]
            head = f"{first.words[0].lower()}:{first.lexical_ids[0]:02d}"
        for word, lexical_id in zip(synset.words, synset.lexical_ids, strict=True):
            kind = types[synset.pos]
            key = f"{word.lower()}%{kind}:{synset.file_number:02d}:{lexical_id:02d}:{head}"
            keys.setdefault(key, number)
    return keys
