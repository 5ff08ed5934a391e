"""WordNet 3.0 as arrays: words to their senses, senses to each other.

A synset is a number from 0 to `size - 1`: nouns, then verbs, adjectives and adverbs, in the order of
WordNet's files. Words are spelled as WordNet spells them, compounds with underscores ("hot_dog"); what is
looked up may have blanks, capitals and inflections.

>>> from postil.language.words.wordnet import wordnet
>>> wn = wordnet()
>>> wn.name(wn.synsets("mice")[0])
'mouse.n.01'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.language.words.forms import base_forms, normal

LETTERS = "nvars"  # what the codes of WordNet.pos stand for; s is an adjective that is a satellite of another
PARTS = "nvar"
# Relations that WordNet lists from both ends; what ships has the first.
INVERSES = {
    "hypernym": "hyponym",
    "instance_hypernym": "instance_hyponym",
    **{f"{kind}_holonym": f"{kind}_meronym" for kind in ("member", "substance", "part")},
    **{name: f"{name}_member" for name in ("topic", "region", "usage")},
}
WORD_RELATIONS = ("antonym", "derivation", "pertainym", "participle")

Ints = NDArray[np.int32]
Links = tuple[Ints, Ints]  # (indptr, indices): row i is indices[indptr[i] : indptr[i + 1]]


def load_arrays(name: str, folder: str = "wordnet") -> dict[str, NDArray[Any]]:
    """The arrays of one file of a resource."""
    data = files("postil.resources").joinpath(folder, name).read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def row_starts(lengths: NDArray[Any]) -> Ints:
    """Where rows of these lengths start, one after another, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=starts[1:])
    return starts


def links(sources: NDArray[Any], targets: NDArray[Any], rows: int) -> Links:
    """Pairs, the sources in order, as rows of targets."""
    lengths = np.bincount(sources, minlength=rows)
    return row_starts(lengths), np.ascontiguousarray(targets, dtype=np.int32)


def inverse(rows: Links) -> Links:
    """The same links seen from their other ends."""
    starts, targets = rows
    order = np.argsort(targets, kind="stable")
    sources = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    return links(targets[order], sources[order], len(starts) - 1)


def row(rows: Links, number: int) -> tuple[int, ...]:
    """One row of links."""
    starts, targets = rows
    return tuple(targets[starts[number] : starts[number + 1]].tolist())


@dataclass(frozen=True)
class WordNet:
    """The graph and its words; made by `wordnet()`.

    `words` are the index's spellings, in lower case and in alphabetical order; `forms` are those and, after
    them, the spellings with capitals. `senses` has four rows for each word, one a part of speech, each a list
    of synsets in sense order, with `counts` beside it: how often each sense was tagged. `entries` lists the
    forms in each synset; `word_links` joins such entries, by their index in `entries[1]`.
    """

    pos: NDArray[np.uint8]
    words: tuple[str, ...]
    forms: tuple[str, ...]
    senses: Links
    counts: Ints
    entries: Links
    relations: Mapping[str, Links]
    word_links: Mapping[str, Links]
    min_depth: NDArray[np.uint8]
    max_depth: NDArray[np.uint8]
    exceptions: Mapping[str, Mapping[str, tuple[str, ...]]]

    @property
    def size(self) -> int:
        """How many synsets there are."""
        return len(self.pos)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def _glosses(self) -> tuple[Ints, bytes]:
        arrays = load_arrays("glosses.npz")
        return row_starts(arrays["lengths"]), arrays["text"].tobytes()

    # Words

    def __contains__(self, word: str) -> bool:
        """Whether the word itself, not just a base form of it, is listed."""
        return normal(word) in self._numbers

    def base_forms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """The listed words that a form can belong to: ("run",) for "ran"."""
        return tuple(dict.fromkeys(self.words[number // 4] for number in self._rows(word, pos)))

    def synsets(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """The senses of a word or a form of it, commonest first in each part of speech; () where it has none.

        `pos` is one of n, v, a, r (s counts as a).
        """
        rows = self._rows(word, pos)
        return tuple(dict.fromkeys(synset for number in rows for synset in row(self.senses, number)))

    def sense_counts(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """How often each of `synsets(word, pos)` was tagged as this word in WordNet's own corpora."""
        totals: dict[int, int] = {}
        for number in self._rows(word, pos):
            counts = row((self.senses[0], self.counts), number)
            for synset, count in zip(row(self.senses, number), counts, strict=True):
                totals[synset] = totals.get(synset, 0) + count
        return tuple(totals.values())

    def _rows(self, word: str, pos: str | None) -> Iterator[int]:
        """The rows of `senses` that a form leads to."""
        form = normal(word)
        starts, numbers = self.senses[0], self._numbers
        for letter in PARTS if pos is None else "a" if pos == "s" else pos:
            part = PARTS.find(letter)
            if part < 0:
                continue

            def known(base: str, part: int = part) -> bool:
                number = 4 * numbers.get(base, -1) + part
                return number >= 0 and bool(starts[number + 1] > starts[number])

            for base in base_forms(form, letter, known, self.exceptions):
                yield 4 * numbers[base] + part

    def antonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Opposites of a word in any of its senses, as WordNet lists them: ("cold",) and so on for "hot"."""
        return self.word_relatives(word, "antonym", pos)

    def derivations(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Words of the same family, mostly of other parts of speech: "evaporation" for "evaporate"."""
        return self.word_relatives(word, "derivation", pos)

    def word_relatives(self, word: str, relation: str, pos: str | None = None) -> tuple[str, ...]:
        """The words that a word is joined to by one of WORD_RELATIONS, in the order of its senses."""
        entry_starts, forms = self.entries
        relatives: dict[str, None] = {}
        for number in self._rows(word, pos):
            base = self.words[number // 4]
            for synset in row(self.senses, number):
                for entry in range(int(entry_starts[synset]), int(entry_starts[synset + 1])):
                    if self.forms[forms[entry]].lower() == base:
                        targets = row(self.word_links[relation], entry)
                        relatives.update((self.forms[forms[target]], None) for target in targets)
        return tuple(relatives)

    # Synsets

    def letter(self, synset: int) -> str:
        """The part of speech of a synset: n, v, a, r, or s for a satellite adjective."""
        return LETTERS[self.pos[synset]]

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """The words that share a sense."""
        return tuple(self.forms[form] for form in row(self.entries, synset))

    def name(self, synset: int) -> str:
        """First word, part of speech and sense number: "dog.n.01"."""
        word, letter = self.lemmas(synset)[0].lower(), self.letter(synset)
        number = 4 * self._numbers[word] + PARTS.index("a" if letter == "s" else letter)
        return f"{word}.{letter}.{row(self.senses, number).index(synset) + 1:02d}"

    def find(self, name: str) -> int:
        """The synset with this name, under any of its words; KeyError if it does not exist."""
        match = re.fullmatch(r"(.*)\.([nvars])\.(\d+)", name.lower())
        if not match or match[1] not in self._numbers:
            raise KeyError(name)
        part = PARTS.index("a" if match[2] == "s" else match[2])
        senses = row(self.senses, 4 * self._numbers[match[1]] + part)
        if not 1 <= int(match[3]) <= len(senses):
            raise KeyError(name)
        return senses[int(match[3]) - 1]

    def gloss(self, synset: int) -> str:
        """Definition and examples, as WordNet prints them."""
        starts, text = self._glosses
        return text[starts[synset] : starts[synset + 1]].decode("utf-8")

    def definition(self, synset: int) -> str:
        """The gloss without its examples."""
        return self.gloss(synset).partition('"')[0].strip(" ;")

    def related(self, synset: int, relation: str) -> tuple[int, ...]:
        """The synsets that one is joined to by a relation of `relations`."""
        return row(self.relations[relation], synset)

    def hypernyms(self, synset: int) -> tuple[int, ...]:
        """What a synset is a kind, or an instance, of."""
        return self.related(synset, "hypernym") + self.related(synset, "instance_hypernym")

    def hyponyms(self, synset: int) -> tuple[int, ...]:
        """The kinds, and instances, of a synset."""
        return self.related(synset, "hyponym") + self.related(synset, "instance_hyponym")

    def depth(self, synset: int) -> tuple[int, int]:
        """The lengths of the shortest and of the longest way up to a root."""
        return int(self.min_depth[synset]), int(self.max_depth[synset])


@cache
def wordnet() -> WordNet:
    """WordNet 3.0, loaded once."""
    arrays = load_arrays("graph.npz")
    words, cased = (tuple(arrays[key].tobytes().decode("utf-8").split("\n")) for key in ("words", "cased"))
    entries = (row_starts(arrays["entry_lengths"]), arrays["entries"].astype(np.int32))

    def stored_links(prefix: str, relation: str, rows: int) -> Links:
        sources = np.cumsum(arrays[f"{prefix}from_{relation}"], dtype=np.int32)  # stored as steps
        return links(sources, arrays[f"{prefix}to_{relation}"], rows)

    names = [name.removeprefix("from_") for name in arrays if name.startswith("from_")]
    relations = {name: stored_links("", name, len(arrays["pos"])) for name in names}
    relations |= {name: inverse(relations[other]) for other, name in INVERSES.items()}
    word_links = {name: stored_links("words_", name, len(entries[1])) for name in WORD_RELATIONS}
    # Irregular forms and their bases, a line for each.
    exceptions: dict[str, dict[str, tuple[str, ...]]] = {letter: {} for letter in PARTS}
    for letter, table in exceptions.items():
        for line in arrays[f"exceptions_{letter}"].tobytes().decode("utf-8").split("\n"):
            form, *bases = line.split()
            table[form] = table.get(form, ()) + tuple(bases)
    return WordNet(
        pos=arrays["pos"],
        words=words,
        forms=words + cased,
        senses=(row_starts(arrays["sense_lengths"]), arrays["senses"].astype(np.int32)),
        counts=arrays["counts"].astype(np.int32),
        entries=entries,
        relations=relations,
        word_links=word_links,
        min_depth=arrays["min_depth"],
        max_depth=arrays["max_depth"],
        exceptions=exceptions,
    )


# What nouns and verbs are kinds of, all the way up, and which ancestors many pairs of them share. The
# hierarchy of verbs has many roots. All are put under one more, numbered `size`, one step above a verb's
# farthest ancestor, so that every two verbs share an ancestor, as every two nouns do.

Bytes = NDArray[np.uint8]
FAR = 100  # more steps than any way through the hierarchy has, and twice as many still fit a byte
# Blocks that fill more of the matrix than this are quicker written whole, without indices.
_WIDE = 0.02


@dataclass(frozen=True, slots=True)
class Ancestors:
    """Row i of `rows` lists the ancestors of synset i, itself first.

    Beside each stand the steps up to it (`up`) and the steps by any way (`path`): fewer where it is quicker
    to go above the ancestor and down to it again. `min_depth` and `max_depth` include the verbs' common
    root. `name_order` is the alphabetical rank of each synset's name, by which ties are settled.
    """

    rows: Links
    up: Bytes
    path: Bytes
    name_order: Ints
    min_depth: Bytes
    max_depth: Bytes


@dataclass(frozen=True, slots=True)
class Group:
    """An ancestor with the synsets below it, as indices in a list of synsets, and the steps from each."""

    ancestor: int
    indices: Ints
    up: Bytes
    path: Bytes


@cache
def ancestors() -> Ancestors:
    """The table of ancestors, loaded once."""
    arrays, wn = load_arrays("ancestors.npz"), wordnet()
    return Ancestors(
        rows=(row_starts(arrays["lengths"]), arrays["ancestors"].astype(np.int32)),
        up=arrays["up"],
        path=arrays["path"],
        name_order=arrays["name_order"].astype(np.int32),
        min_depth=np.append(wn.min_depth, np.uint8(0)),
        max_depth=np.append(wn.max_depth, np.uint8(0)),
    )


def gather(rows: Links, chosen: Ints) -> tuple[Ints, Ints]:
    """The indices in `rows[1]` of all entries of the chosen rows, and which of those rows each belongs to."""
    starts = rows[0]
    lengths = starts[chosen + 1] - starts[chosen]
    owners = np.repeat(np.arange(len(chosen), dtype=np.int32), lengths)
    before = np.cumsum(lengths) - lengths
    entries = np.arange(len(owners), dtype=np.int32) + np.repeat(starts[chosen] - before, lengths)
    return entries.astype(np.int32), owners


def _groups(synsets: Ints) -> tuple[Ints, Callable[[int], Group]]:
    """The ancestors of a list of synsets in order, and what makes the group of each by its number."""
    table = ancestors()
    entries, owners = gather(table.rows, synsets)
    order = np.argsort(table.rows[1][entries], kind="stable")
    entries, owners = entries[order], owners[order]
    above, up, path = table.rows[1][entries], table.up[entries], table.path[entries]
    bounds = np.flatnonzero(np.diff(above, prepend=-1, append=-1)).astype(np.int32)

    def group(number: int) -> Group:
        stretch = slice(bounds[number], bounds[number + 1])
        return Group(int(above[bounds[number]]), owners[stretch], up[stretch], path[stretch])

    return above[bounds[:-1]], group


def shared_groups(rows: Ints, columns: Ints) -> list[tuple[Group, Group]]:
    """The ancestors that both lists of synsets have, each with the synsets of either list below it."""
    (above, left), (others, right) = _groups(rows), _groups(columns)
    _, here, there = np.intersect1d(above, others, assume_unique=True, return_indices=True)
    return [(left(i), right(j)) for i, j in zip(here, there, strict=True)]


def keep_greatest(matrix: NDArray[np.uint16], rows: Ints, columns: Ints, value: int) -> None:
    """Raise the cells of a block to a value; blocks come in ascending order of their values."""
    if len(rows) * len(columns) < _WIDE * matrix.size:
        matrix[rows[:, None], columns] = value
        return
    left = np.zeros(matrix.shape[0], dtype=np.uint16)
    right = np.zeros(matrix.shape[1], dtype=np.uint16)
    left[rows], right[columns] = value, value
    np.maximum(matrix, np.minimum.outer(left, right), out=matrix)


def fewest_steps(rows: Ints, columns: Ints) -> Bytes:
    """The length of the shortest way between every two synsets; FAR or more where there is none."""
    size = len(rows), len(columns)
    matrix = np.full(size, 2 * FAR, dtype=np.uint8)
    for group, other in shared_groups(rows, columns):
        if len(group.indices) * len(other.indices) < _WIDE * matrix.size:
            cells = group.indices[:, None], other.indices
            matrix[cells] = np.minimum(matrix[cells], group.up[:, None] + other.up)
            continue
        left, right = (np.full(length, FAR, dtype=np.uint8) for length in size)
        left[group.indices], right[other.indices] = group.up, other.up
        np.minimum(matrix, np.add.outer(left, right), out=matrix)
    return matrix
