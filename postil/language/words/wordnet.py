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

from collections.abc import Iterator, Mapping
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
    "member_holonym": "member_meronym",
    "substance_holonym": "substance_meronym",
    "part_holonym": "part_meronym",
    "topic": "topic_member",
    "region": "region_member",
    "usage": "usage_member",
}
WORD_RELATIONS = ("antonym", "derivation", "pertainym", "participle")

Ints = NDArray[np.int32]
Links = tuple[Ints, Ints]  # (indptr, indices): row i is indices[indptr[i] : indptr[i + 1]]
Arrays = Mapping[str, NDArray[Any]]


def load_arrays(name: str) -> dict[str, NDArray[Any]]:
    """The arrays of one file of the resource."""
    data = files("postil.resources").joinpath("wordnet", name).read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def links(sources: NDArray[Any], targets: NDArray[Any], rows: int) -> Links:
    """Pairs, the sources in order, as rows of targets."""
    starts = np.zeros(rows + 1, dtype=np.int32)
    np.cumsum(np.bincount(sources, minlength=rows), out=starts[1:])
    return starts, np.ascontiguousarray(targets, dtype=np.int32)


def inverse(rows: Links) -> Links:
    """The same links seen from their other ends."""
    starts, targets = rows
    order = np.argsort(targets, kind="stable")
    sources = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    return links(targets[order], sources[order], len(starts) - 1)


def _row(rows: Links, number: int) -> tuple[int, ...]:
    starts, targets = rows
    return tuple(targets[starts[number] : starts[number + 1]].tolist())


@dataclass(frozen=True)
class WordNet:
    """The graph and its words; made by `wordnet()`.

    `words` are the index's spellings, in lower case and in alphabetical order; `forms` are those and, after
    them, the spellings with capitals. `senses` has four rows for each word, one a part of speech, each a list
    of synsets in sense order, with `counts` beside it: how often each sense was tagged. `entries` lists the
    forms in each synset; `word_links` joins such entries, by their place in `entries[1]`.
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
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def _glosses(self) -> tuple[Ints, bytes]:
        arrays = load_arrays("glosses.npz")
        return np.concatenate([[0], np.cumsum(arrays["lengths"])]).astype(np.int32), arrays["text"].tobytes()

    # Words

    def __contains__(self, word: str) -> bool:
        """Whether the word itself, not just a base form of it, is listed."""
        return normal(word) in self._places

    def base_forms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """The listed words that a form can belong to: ("run",) for "ran"."""
        return tuple(dict.fromkeys(self.words[row // 4] for row in self._rows(word, pos)))

    def synsets(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """The senses of a word or a form of it, commonest first in each part of speech; () where it has none.

        `pos` is one of n, v, a, r (s counts as a).
        """
        found = [one for row in self._rows(word, pos) for one in _row(self.senses, row)]
        return tuple(dict.fromkeys(found))

    def sense_counts(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """How often each of `synsets(word, pos)` was tagged as this word in WordNet's own corpora."""
        starts, targets = self.senses
        counts: dict[int, int] = {}
        for row in self._rows(word, pos):
            for place in range(int(starts[row]), int(starts[row + 1])):
                synset = int(targets[place])
                counts[synset] = counts.get(synset, 0) + int(self.counts[place])
        return tuple(counts.values())

    def _rows(self, word: str, pos: str | None) -> Iterator[int]:
        """The rows of `senses` that a form leads to."""
        form = normal(word)
        starts, places = self.senses[0], self._places
        wanted = PARTS if pos is None else "a" if pos == "s" else pos
        for letter in wanted:
            part = PARTS.find(letter)
            if part < 0:
                continue

            def known(base: str, part: int = part) -> bool:
                row = 4 * places.get(base, -1) + part
                return row >= 0 and bool(starts[row + 1] > starts[row])

            for base in base_forms(form, letter, known, self.exceptions):
                yield 4 * places[base] + part

    def antonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Opposites of a word in any of its senses, as WordNet lists them: ("cold",) and so on for "hot"."""
        return self.word_relatives(word, "antonym", pos)

    def derivations(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Words of the same family, mostly of other parts of speech: "evaporation" for "evaporate"."""
        return self.word_relatives(word, "derivation", pos)

    def word_relatives(self, word: str, relation: str, pos: str | None = None) -> tuple[str, ...]:
        """The words that a word is joined to by one of WORD_RELATIONS, in the order of its senses."""
        entry_starts, forms = self.entries
        found: dict[str, None] = {}
        for row in self._rows(word, pos):
            base = self.words[row // 4]
            for synset in _row(self.senses, row):
                for entry in range(int(entry_starts[synset]), int(entry_starts[synset + 1])):
                    if self.forms[forms[entry]].lower() == base:
                        for target in _row(self.word_links[relation], entry):
                            found[self.forms[forms[target]]] = None
        return tuple(found)

    # Synsets

    def letter(self, synset: int) -> str:
        """The part of speech of a synset: n, v, a, r, or s for a satellite adjective."""
        return LETTERS[self.pos[synset]]

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """The words that share a sense."""
        return tuple(self.forms[form] for form in _row(self.entries, synset))

    def name(self, synset: int) -> str:
        """First word, part of speech and sense number: "dog.n.01"."""
        word, letter = self.lemmas(synset)[0].lower(), self.letter(synset)
        row = 4 * self._places[word] + PARTS.index("a" if letter == "s" else letter)
        return f"{word}.{letter}.{_row(self.senses, row).index(synset) + 1:02d}"

    def find(self, name: str) -> int:
        """The synset with this name, under any of its words; KeyError where there is none."""
        word, _, rest = name.lower().rpartition(".")
        word, _, letter = word.rpartition(".")
        part, place = PARTS.find("a" if letter == "s" else letter), self._places.get(word, -1)
        if not letter or part < 0 or place < 0 or not rest.isdecimal():
            raise KeyError(name)
        senses = _row(self.senses, 4 * place + part)
        if not 1 <= int(rest) <= len(senses):
            raise KeyError(name)
        return senses[int(rest) - 1]

    def gloss(self, synset: int) -> str:
        """Definition and examples, as WordNet prints them."""
        starts, text = self._glosses
        return text[starts[synset] : starts[synset + 1]].decode("utf-8")

    def definition(self, synset: int) -> str:
        """The gloss without its examples."""
        return self.gloss(synset).partition('"')[0].strip(" ;")

    def related(self, synset: int, relation: str) -> tuple[int, ...]:
        """The synsets that one is joined to by a relation of `relations`."""
        return _row(self.relations[relation], synset)

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
    pos = arrays["pos"]
    size = len(pos)
    words = tuple(arrays["words"].tobytes().decode("utf-8").split("\n"))
    forms = words + tuple(arrays["cased"].tobytes().decode("utf-8").split("\n"))
    entries = (_starts(arrays["entry_lengths"]), arrays["entries"].astype(np.int32))
    relations = {}
    for name in arrays:
        if name.startswith("from_"):
            relation = name.removeprefix("from_")
            relations[relation] = links(_undelta(arrays[name]), arrays[f"to_{relation}"], size)
    word_links = {}
    for relation in WORD_RELATIONS:
        pairs = _undelta(arrays[f"words_from_{relation}"]), arrays[f"words_to_{relation}"]
        word_links[relation] = links(*pairs, len(entries[1]))
    for one, other in INVERSES.items():
        relations[other] = inverse(relations[one])
    return WordNet(
        pos=pos,
        words=words,
        forms=forms,
        senses=(_starts(arrays["sense_lengths"]), arrays["senses"].astype(np.int32)),
        counts=arrays["counts"].astype(np.int32),
        entries=entries,
        relations=relations,
        word_links=word_links,
        min_depth=arrays["min_depth"],
        max_depth=arrays["max_depth"],
        exceptions={letter: _exceptions(arrays[f"exceptions_{letter}"]) for letter in PARTS},
    )


def _starts(lengths: NDArray[Any]) -> Ints:
    starts = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _undelta(steps: NDArray[Any]) -> Ints:
    return np.cumsum(steps, dtype=np.int32)


def _exceptions(text: NDArray[Any]) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for line in text.tobytes().decode("utf-8").split("\n"))
    table: dict[str, tuple[str, ...]] = {}
    for form, *bases in lines:
        table[form] = table.get(form, ()) + tuple(bases)
    return table


# What nouns and verbs are kinds of, all the way up, and which ancestors many pairs of them share.
#
# The hierarchy of verbs has many roots. All are put under one more, numbered `size`, one step above a verb's
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
    root. `name_order` is the alphabetical place of each synset's name, by which ties are settled.
    """

    rows: Links
    up: Bytes
    path: Bytes
    name_order: Ints
    min_depth: Bytes
    max_depth: Bytes


@dataclass(frozen=True, slots=True)
class Group:
    """An ancestor with the places of the synsets below it, in a list of synsets."""

    ancestor: int
    places: Ints
    up: Bytes
    path: Bytes


@cache
def ancestors() -> Ancestors:
    """The table of ancestors, loaded once."""
    arrays, wn = load_arrays("ancestors.npz"), wordnet()
    starts = np.zeros(wn.size + 1, dtype=np.int32)
    np.cumsum(arrays["lengths"], out=starts[1:])
    return Ancestors(
        rows=(starts, arrays["ancestors"].astype(np.int32)),
        up=arrays["up"],
        path=arrays["path"],
        name_order=arrays["name_order"].astype(np.int32),
        min_depth=np.append(wn.min_depth, np.uint8(0)),
        max_depth=np.append(wn.max_depth, np.uint8(0)),
    )


def gather(rows: Links, wanted: Ints) -> tuple[Ints, Ints]:
    """The places in `rows[1]` of all entries of the wanted rows, and which of the wanted each belongs to."""
    starts = rows[0]
    lengths = starts[wanted + 1] - starts[wanted]
    owners = np.repeat(np.arange(len(wanted), dtype=np.int32), lengths)
    before = np.cumsum(lengths) - lengths
    places = np.arange(len(owners), dtype=np.int32) + np.repeat(starts[wanted] - before, lengths)
    return places.astype(np.int32), owners


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The ancestors of a list of synsets in order, and the bounds of the stretch that belongs to each."""

    ancestors: Ints
    bounds: Ints
    places: Ints
    up: Bytes
    path: Bytes

    def group(self, number: int) -> Group:
        stretch = slice(self.bounds[number], self.bounds[number + 1])
        ancestor = int(self.ancestors[number])
        return Group(ancestor, self.places[stretch], self.up[stretch], self.path[stretch])


def _sorted(synsets: Ints) -> _Sorted:
    table = ancestors()
    places, owners = gather(table.rows, synsets)
    found = table.rows[1][places]
    order = np.argsort(found, kind="stable")
    found, places = found[order], places[order]
    bounds = np.flatnonzero(np.diff(found, prepend=-1, append=-1)).astype(np.int32)
    return _Sorted(found[bounds[:-1]], bounds, owners[order], table.up[places], table.path[places])


def shared_groups(rows: Ints, columns: Ints) -> list[tuple[Group, Group]]:
    """The ancestors that both lists of synsets have, each with those of the one and of the other below it."""
    left, right = _sorted(rows), _sorted(columns)
    _, here, there = np.intersect1d(left.ancestors, right.ancestors, assume_unique=True, return_indices=True)
    return [(left.group(one), right.group(other)) for one, other in zip(here, there, strict=True)]


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
        if len(group.places) * len(other.places) < _WIDE * matrix.size:
            cells = group.places[:, None], other.places
            matrix[cells] = np.minimum(matrix[cells], group.up[:, None] + other.up)
            continue
        left, right = _spread(size[0], group), _spread(size[1], other)
        np.minimum(matrix, np.add.outer(left, right), out=matrix)
    return matrix


def _spread(size: int, group: Group) -> Bytes:
    steps: NDArray[Any] = np.full(size, FAR, dtype=np.uint8)
    steps[group.places] = group.up
    return steps
