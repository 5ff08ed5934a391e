"""The features of a word in context, and tables that turn them into rows of numbers for learners.

The teams of the Basque task looked at the neighbours of a word, their grammar and its context. Every token is
seen twice, as its lemma and as its form; where the corpus has no lemmas, as its form and as the form's first
letters instead. Features are strings in named groups, of which a system chooses some. One group holds
numbers: the contextual vectors of the shipped encoder, which reads English.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise

import numpy as np
from scipy import sparse

from postil.data.arrays import Floats, Numbers, Singles
from postil.data.formats.senseval import SenseInstance
from postil.language.network import WIDTH, encoder
from postil.language.pieces import Pieces

Rows = sparse.csr_array

VECTORS = "vectors"  # the group of contextual vectors
STEM = 5  # letters that stand in for a lemma
REACH = 4  # positions on each side that are looked at one by one
NEAR = 5  # tokens on each side whose order does not matter
GAP = 2  # tokens that a pair of a subsequence may leave out
CONTEXT = 40  # tokens on each side that the encoder reads
_EDGE = "#"  # stands before a sentence's first token and after its last
# Positions around the word; the word itself, at 0, is left out: it is (nearly) always the same.
_SEQUENCES = ((-2, -1), (-1, 1), (1, 2), (-3, -2, -1), (-2, -1, 1), (-1, 1, 2), (1, 2, 3))
_MANY = 1000  # with so many examples, a feature that only one of them has is left out
_MOST_CACHED = 20_000  # vectors, of 3 kB each
_cache: dict[tuple[str, int], Singles] = {}


@dataclass(frozen=True, slots=True)
class Window:
    """Four views of an instance's tokens, and where its word and the word's sentence begin and end."""

    words: Sequence[str]  # lemmas, or forms where there are none
    others: Sequence[str]  # forms, or their first letters
    pos: Sequence[str]
    case: Sequence[str]
    first: int
    last: int
    start: int
    end: int

    def around(self, values: Sequence[str], offset: int) -> str:
        """What stands at an offset from the word, within its sentence."""
        position = self.first + offset if offset < 0 else self.last + offset
        return values[position] if self.start <= position < self.end else _EDGE

    @property
    def near(self) -> tuple[int, int]:
        """Where the near neighbours begin and end, within the sentence."""
        return max(self.start, self.first - NEAR), min(self.end, self.last + 1 + NEAR)

    def context(self, values: Sequence[str], start: int = 0, end: int | None = None) -> list[str]:
        """What stands in a span around the word, or anywhere, without the word itself."""
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


def _head(window: Window) -> Iterator[str]:
    views = {"word": window.words, "other": window.others, "pos": window.pos, "case": window.case}
    for name, values in views.items():
        yield f"{name} {' '.join(values[window.first : window.last + 1])}"


def _positions(view: str, window: Window) -> Iterator[str]:
    """What stands at each position around the word."""
    values = getattr(window, view)
    if not any(values):  # a corpus without tags has no edges of tags either
        return
    for offset in (*range(-REACH, 0), *range(1, REACH + 1)):
        if value := window.around(values, offset):
            yield f"{offset} {value}"


def _sequences(view: str, window: Window) -> Iterator[str]:
    """Two and three neighbours in a row, before, after and across the word."""
    for offsets in _SEQUENCES:
        values = [window.around(getattr(window, view), offset) for offset in offsets]
        if any(value and value != _EDGE for value in values):
            yield f"{offsets[0]} {' '.join(values)}"


def _subsequences(view: str, window: Window) -> Iterator[str]:
    """Pairs in order, near the word and across it, with tokens left out between them."""
    values = getattr(window, view)
    near = ["@" if window.first <= n <= window.last else values[n] for n in range(*window.near)]
    for number, value in enumerate(near):
        for after in near[number + 1 : number + 2 + GAP]:
            if value and after:
                yield f"{value} {after}"


def _relations(window: Window) -> Iterator[str]:
    """The nearest token of each part of speech and of each case, on each side of the word."""
    left, right = range(window.first - 1, window.start - 1, -1), range(window.last + 1, window.end)
    for side, positions in (("left", left), ("right", right)):
        seen = set()
        for position in positions:
            for kind in (("pos", window.pos[position]), ("case", window.case[position])):
                if kind[1] and kind not in seen:
                    seen.add(kind)
                    yield f"{side} {' '.join(kind)} {window.words[position]}"


GROUPS: Mapping[str, Callable[[Window], Iterable[str]]] = {
    "head": _head,
    "words": partial(_positions, "words"),
    "others": partial(_positions, "others"),
    "pos": partial(_positions, "pos"),
    "case": partial(_positions, "case"),
    "word-sequences": partial(_sequences, "words"),
    "pos-sequences": partial(_sequences, "pos"),
    "near": lambda window: window.context(window.words, *window.near),
    "sentence": lambda window: window.context(window.words, window.start, window.end),
    "bag": lambda window: window.context(window.words),
    "bag-others": lambda window: window.context(window.others),
    "relations": _relations,
    "bigrams": lambda window: map(" ".join, pairwise(window.words)),
    "word-subsequences": partial(_subsequences, "words"),
    "pos-subsequences": partial(_subsequences, "pos"),
}


def features(instance: SenseInstance, groups: Sequence[str]) -> list[list[str]]:
    """The features of an instance in each of some groups; a bag lists a word as often as it occurs."""
    around = window(instance)
    return [list(GROUPS[name](around)) for name in groups]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The features of one word, each with its column and its weight.

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
        """The columns of each group."""
        sizes = {group: len(known) for group, known in self.columns.items()}
        if self.centre is not None:
            sizes[VECTORS] = len(self.centre)
        ends = accumulate(sizes.values())
        return {group: slice(end - size, end) for (group, size), end in zip(sizes.items(), ends, strict=True)}

    def columns_of(self, groups: Sequence[str]) -> Numbers:
        """The columns of some groups."""
        chosen = np.zeros(self.width, dtype=np.bool_)
        for group, span in self.spans().items():
            chosen[span] = group in groups
        return np.flatnonzero(chosen)

    def rows(self, instances: Sequence[SenseInstance]) -> tuple[Rows, Rows]:
        """The instances as rows, twice: with 1 for each feature present, and weighted."""
        by_group = zip(*(features(instance, list(self.columns)) for instance in instances), strict=True)
        spans = self.spans()
        present, weighted = [], []
        for (group, known), names in zip(self.columns.items(), by_group, strict=True):
            present.append(_present(names, known))
            weighted.append(_unit_length(present[-1], self.weights[spans[group]]))
        if self.centre is not None:
            present.append(sparse.csr_array((len(instances), len(self.centre))))
            # Less their mean, each of the vectors' two halves (word and context) is scaled to length 1.
            vectors = context_vectors(instances) - self.centre
            halves = vectors.reshape(len(instances), 2, -1)
            lengths = np.linalg.norm(halves, axis=2, keepdims=True)
            scaled = (halves / np.where(lengths > 0, lengths, 1)).reshape(vectors.shape)
            weighted.append(sparse.csr_array(scaled))
        return sparse.hstack(present, format="csr"), sparse.hstack(weighted, format="csr")


def make_table(instances: Sequence[SenseInstance], groups: Sequence[str]) -> Table:
    """Give each feature of the instances a column, with less weight the more of them have it."""
    named = [group for group in groups if group != VECTORS]
    least = 2 if len(instances) >= _MANY else 1
    counts: list[Counter[str]] = [Counter() for _ in named]
    for instance in instances:
        for counter, names in zip(counts, features(instance, named), strict=True):
            counter.update(dict.fromkeys(names, 1))
    columns: dict[str, dict[str, int]] = {}
    frequencies: list[int] = []
    for group, counter in zip(named, counts, strict=True):
        frequent = {feature: count for feature, count in counter.items() if count >= least}
        columns[group] = {feature: number for number, feature in enumerate(frequent)}
        frequencies += frequent.values()
    weights = np.log((1 + len(instances)) / (1 + np.array(frequencies, dtype=np.float64))) + 1
    centre = context_vectors(instances).mean(axis=0) if VECTORS in groups else None
    return Table(columns, weights, centre)


def _present(listed: Sequence[Sequence[str]], known: Mapping[str, int]) -> Rows:
    """A 1 where an instance has a feature."""
    columns = [sorted({known[name] for name in names if name in known}) for names in listed]
    # Thirty-two bits: scikit-learn accepts no longer ones.
    ends = np.cumsum([0, *map(len, columns)], dtype=np.int32)
    flat = np.fromiter(chain.from_iterable(columns), dtype=np.int32, count=ends[-1])
    return sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(listed), len(known)))


def _unit_length(present: Rows, weights: Floats) -> Rows:
    """The present features with their weights, each row scaled to length 1."""
    values = weights[present.indices]
    numbers = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    lengths = np.sqrt(np.bincount(numbers, values**2, minlength=present.shape[0]))
    return sparse.csr_array((values / lengths[numbers], present.indices, present.indptr), shape=present.shape)


def context_vectors(instances: Sequence[SenseInstance]) -> Floats:
    """Two vectors side by side: of the word itself, and the mean of its context.

    Reading costs some milliseconds an instance, so the vectors of what was read last are cached.
    """
    texts = [_text(instance) for instance in instances]
    missing = [text for text in dict.fromkeys(texts) if text not in _cache]
    read = encoder().words([text for text, _ in missing])
    vectors = {text: _cache[text] for text in texts if text in _cache}
    vectors |= {text: _vector(pieces, text[1]) for text, pieces in zip(missing, read, strict=True)}
    if len(_cache) + len(missing) > _MOST_CACHED:
        _cache.clear()
    _cache.update(vectors)
    return np.array([vectors[text] for text in texts], dtype=np.float64).reshape(-1, 2 * WIDTH)


def _text(instance: SenseInstance) -> tuple[str, int]:
    """The words around the one in question, and the character at which that one starts."""
    head = instance.head[0]
    before = [token.form for token in instance.tokens[max(0, head - CONTEXT) : head]]
    after = [token.form for token in instance.tokens[head : head + CONTEXT + 1]]
    return " ".join((*before, *after)), sum(len(form) + 1 for form in before)


def _vector(pieces: Pieces, start: int) -> Singles:
    if not len(pieces.owners):  # there is nothing that the encoder can read
        return np.zeros(2 * WIDTH, dtype=np.float32)
    # A text too long to be read to its end may lack the word; then the whole stands for it.
    words = [number for number, (first, last) in enumerate(pieces.spans) if first <= start < last]
    whole = pieces.vectors.mean(axis=0)
    of_word = pieces.vectors[np.isin(pieces.owners, words)].mean(axis=0) if words else whole
    return np.concatenate([of_word, whole])
