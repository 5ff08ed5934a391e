"""What the teams of the Basque task looked at around a word: its neighbours, their grammar, its context.

Every token is seen twice: as its lemma and as its form; where the corpus has no lemmas, as its form and as
the form's first letters, which stand in for one. Features are strings, in named groups; a system chooses
the groups it looks at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postil.data.arrays import Floats
from postil.data.formats.senseval import SenseInstance
from postil.language.reader import WIDTH, Pieces, encoder

STEM = 5  # letters that stand in for a lemma
REACH = 4  # positions on each side that are looked at one by one
NEAR = 5  # tokens on each side whose order does not matter
GAP = 2  # tokens that a pair of a subsequence may leave out
_EDGE = "#"  # what stands before a sentence's first token and after its last
# Positions around the word; the word itself, at 0, is left out: it is (nearly) always the same.
_SEQUENCES = ((-2, -1), (-1, 1), (1, 2), (-3, -2, -1), (-2, -1, 1), (-1, 1, 2), (1, 2, 3))


@dataclass(frozen=True, slots=True)
class Window:
    """An instance as its features see it: four views of its tokens, and where word and sentence lie."""

    words: Sequence[str]  # lemmas, or forms where there are none
    others: Sequence[str]  # forms, or their first letters
    pos: Sequence[str]
    case: Sequence[str]
    first: int
    last: int
    start: int
    end: int

    def around(self, values: Sequence[str], offset: int) -> str:
        """What stands at a place counted from the word, within its sentence."""
        place = self.first + offset if offset < 0 else self.last + offset
        return values[place] if self.start <= place < self.end else _EDGE

    def context(self, values: Sequence[str], start: int, end: int) -> list[str]:
        """What stands in a stretch around the word, without the word itself."""
        return [*values[start : self.first], *values[self.last + 1 : end]]


def window(instance: SenseInstance) -> Window:
    """Look at an instance around the first occurrence of its word."""
    first = last = instance.head[0]
    while last + 1 in instance.head:
        last += 1
    sentences = (*instance.sentences, len(instance.tokens))
    return Window(
        words=[(token.lemma or token.form).lower() for token in instance.tokens],
        others=[token.form.lower()[: None if token.lemma else STEM] for token in instance.tokens],
        pos=[token.pos for token in instance.tokens],
        case=[token.case for token in instance.tokens],
        first=first,
        last=last,
        start=max((start for start in sentences if start <= first), default=0),
        end=min((start for start in sentences if start > last), default=len(instance.tokens)),
    )


def _head(seen: Window) -> Iterator[str]:
    for name, values in (
        ("word", seen.words),
        ("other", seen.others),
        ("pos", seen.pos),
        ("case", seen.case),
    ):
        yield f"{name} {' '.join(values[seen.first : seen.last + 1])}"


def _at_places(view: str) -> Callable[[Window], Iterator[str]]:
    """What stands at each place around the word."""

    def group(seen: Window) -> Iterator[str]:
        values = getattr(seen, view)
        if not any(values):  # a corpus without tags has no edges of tags either
            return
        for offset in (*range(-REACH, 0), *range(1, REACH + 1)):
            if value := seen.around(values, offset):
                yield f"{offset} {value}"

    return group


def _sequences(view: str) -> Callable[[Window], Iterator[str]]:
    """Two and three neighbours in a row, before, after and across the word."""

    def group(seen: Window) -> Iterator[str]:
        values = getattr(seen, view)
        for offsets in _SEQUENCES:
            found = [seen.around(values, offset) for offset in offsets]
            if any(value and value != _EDGE for value in found):
                yield f"{offsets[0]} {' '.join(found)}"

    return group


def _subsequences(view: str) -> Callable[[Window], Iterator[str]]:
    """Pairs in order, near the word and across it, with tokens left out between them."""

    def group(seen: Window) -> Iterator[str]:
        values = getattr(seen, view)
        start, end = max(seen.start, seen.first - NEAR), min(seen.end, seen.last + 1 + NEAR)
        near = ["@" if seen.first <= place <= seen.last else values[place] for place in range(start, end)]
        for place, value in enumerate(near):
            for after in near[place + 1 : place + 2 + GAP]:
                if value and after:
                    yield f"{value} {after}"

    return group


def _bag(view: str) -> Callable[[Window], list[str]]:
    """All tokens of the context, whatever their order."""

    def group(seen: Window) -> list[str]:
        values = getattr(seen, view)
        return seen.context(values, 0, len(values))

    return group


def _sentence(seen: Window) -> list[str]:
    return seen.context(seen.words, seen.start, seen.end)


def _near(seen: Window) -> list[str]:
    start, end = max(seen.start, seen.first - NEAR), min(seen.end, seen.last + 1 + NEAR)
    return seen.context(seen.words, start, end)


def _relations(seen: Window) -> Iterator[str]:
    """The nearest token of each part of speech and of each case, on each side of the word."""
    sides = (("left", range(seen.first - 1, seen.start - 1, -1)), ("right", range(seen.last + 1, seen.end)))
    for side, places in sides:
        met = set()
        for place in places:
            for kind in (("pos", seen.pos[place]), ("case", seen.case[place])):
                if kind[1] and kind not in met:
                    met.add(kind)
                    yield f"{side} {' '.join(kind)} {seen.words[place]}"


def _bigrams(seen: Window) -> Iterator[str]:
    words = seen.words
    return (f"{words[place]} {words[place + 1]}" for place in range(len(words) - 1))


GROUPS: Mapping[str, Callable[[Window], Iterable[str]]] = {
    "head": _head,
    "words": _at_places("words"),
    "others": _at_places("others"),
    "pos": _at_places("pos"),
    "case": _at_places("case"),
    "word-sequences": _sequences("words"),
    "pos-sequences": _sequences("pos"),
    "near": _near,
    "sentence": _sentence,
    "bag": _bag("words"),
    "bag-others": _bag("others"),
    "relations": _relations,
    "bigrams": _bigrams,
    "word-subsequences": _subsequences("words"),
    "pos-subsequences": _subsequences("pos"),
}


def features(instance: SenseInstance, groups: Sequence[str]) -> list[list[str]]:
    """The features of an instance in each of the groups named; a bag names a word as often as it occurs."""
    seen = window(instance)
    return [list(GROUPS[name](seen)) for name in groups]


# From instances to rows of numbers: which features a word's examples have, and how much each one says.

Rows = sparse.csr_array

# The group of contextual vectors: numbers of an encoder, not strings; for English.
VECTORS = "vectors"
# From so many examples on, a feature that only one of them has is left out.
_MANY = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The features of one word, each with its column, and what is needed to weigh them.

    A column's weight is its inverse document frequency; each group of a row is scaled to length 1, so that
    the many words of a context do not drown the few neighbours. `centre` is the mean contextual vector.
    """

    columns: Mapping[str, Mapping[str, int]]  # by group, numbered in it; without the group of vectors
    weights: Floats  # a column each; without the group of vectors
    centre: Floats | None = None

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.weights) + (0 if self.centre is None else len(self.centre))

    def spans(self) -> dict[str, slice]:
        """Where each group's columns lie, one group after the other."""
        sizes = {group: len(known) for group, known in self.columns.items()}
        if self.centre is not None:
            sizes[VECTORS] = len(self.centre)
        ends = accumulate(sizes.values())
        return {group: slice(end - size, end) for (group, size), end in zip(sizes.items(), ends, strict=True)}

    def places(self, groups: Sequence[str]) -> NDArray[np.intp]:
        """The columns of the groups named."""
        chosen = np.zeros(self.width, dtype=np.bool_)
        for group, span in self.spans().items():
            chosen[span] = group in groups
        return np.flatnonzero(chosen)

    def rows(self, instances: Sequence[SenseInstance]) -> tuple[Rows, Rows]:
        """The instances as rows, twice: 1 for each feature there is, and weighed."""
        listed = [features(instance, list(self.columns)) for instance in instances]
        spans = self.spans()
        there, weighed = [], []
        for number, (group, known) in enumerate(self.columns.items()):
            block = _present([groups[number] for groups in listed], known)
            there.append(block)
            weighed.append(_unit_length(block, self.weights[spans[group]]))
        if self.centre is not None:
            there.append(sparse.csr_array((len(instances), len(self.centre))))
            weighed.append(sparse.csr_array(_centred(context_vectors(instances), self.centre)))
        return sparse.hstack(there, format="csr"), sparse.hstack(weighed, format="csr")


def make_table(instances: Sequence[SenseInstance], groups: Sequence[str]) -> Table:
    """Give each feature of the instances a column, and the less weight the more of them have it."""
    named = [group for group in groups if group != VECTORS]
    least = 2 if len(instances) >= _MANY else 1
    counts: list[Counter[str]] = [Counter() for _ in named]
    for instance in instances:
        for counter, found in zip(counts, features(instance, named), strict=True):
            counter.update(dict.fromkeys(found, 1))
    columns: dict[str, dict[str, int]] = {}
    frequencies: list[int] = []
    for group, counter in zip(named, counts, strict=True):
        kept = [feature for feature, count in counter.items() if count >= least]
        columns[group] = {feature: number for number, feature in enumerate(kept)}
        frequencies += (counter[feature] for feature in kept)
    weights = np.log((1 + len(instances)) / (1 + np.array(frequencies, dtype=np.float64))) + 1
    centre = None
    if VECTORS in groups:
        centre = context_vectors(instances).mean(axis=0)
    return Table(columns, weights, centre)


def _present(listed: Sequence[Sequence[str]], known: Mapping[str, int]) -> Rows:
    """A 1 where an instance has a feature."""
    places = [sorted({known[name] for name in names if name in known}) for names in listed]
    # Thirty-two bits: scikit-learn takes no longer ones.
    ends = np.cumsum([0, *map(len, places)], dtype=np.int32)
    flat = np.fromiter(chain.from_iterable(places), dtype=np.int32, count=ends[-1])
    return sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(listed), len(known)))


def _unit_length(present: Rows, weights: Floats) -> Rows:
    """The features there are by their weights, each row scaled to length 1."""
    values = weights[present.indices]
    numbers = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    lengths = np.sqrt(np.bincount(numbers, values**2, minlength=present.shape[0]))
    return sparse.csr_array((values / lengths[numbers], present.indices, present.indptr), shape=present.shape)


def _centred(vectors: Floats, centre: Floats) -> Floats:
    """The vectors less their mean, each of their two halves (word and context) scaled to length 1."""
    halves = (vectors - centre).reshape(len(vectors), 2, -1)
    lengths = np.linalg.norm(halves, axis=2, keepdims=True)
    return (halves / np.where(lengths > 0, lengths, 1)).reshape(vectors.shape)


# Contextual vectors of a word in its context, from the shipped encoder; it reads English.
#
# Reading costs some milliseconds an instance, so the vectors of what was read last are kept.

CONTEXT = 40  # tokens on each side that are read
_KEPT = 20_000  # vectors, of 3 kB each
_kept: dict[tuple[str, int], NDArray[np.float32]] = {}


def context_vectors(instances: Sequence[SenseInstance]) -> NDArray[np.float64]:
    """Two vectors side by side: of the word itself, and the mean of its context."""
    texts = [_text(instance) for instance in instances]
    missing = [text for text in dict.fromkeys(texts) if text not in _kept]
    read = encoder().words([text for text, _ in missing])
    found = {text: _kept[text] for text in texts if text in _kept}
    found |= {text: _vector(pieces, text[1]) for text, pieces in zip(missing, read, strict=True)}
    if len(_kept) + len(missing) > _KEPT:
        _kept.clear()
    _kept.update(found)
    return np.array([found[text] for text in texts], dtype=np.float64).reshape(-1, 2 * WIDTH)


def _text(instance: SenseInstance) -> tuple[str, int]:
    """The words around the one asked about, and the character at which that one starts."""
    head = instance.head[0]
    before = [token.form for token in instance.tokens[max(0, head - CONTEXT) : head]]
    after = [token.form for token in instance.tokens[head : head + CONTEXT + 1]]
    return " ".join((*before, *after)), sum(len(form) + 1 for form in before)


def _vector(pieces: Pieces, start: int) -> NDArray[np.float32]:
    if not len(pieces.owners):  # nothing that the encoder can read
        return np.zeros(2 * WIDTH, dtype=np.float32)
    # A text too long to be read to its end may lack the word: the whole stands for it then.
    words = [number for number, (first, last) in enumerate(pieces.spans) if first <= start < last]
    whole = pieces.vectors.mean(axis=0)
    of_word = pieces.vectors[np.isin(pieces.owners, words)].mean(axis=0) if words else whole
    return np.concatenate([of_word, whole])
