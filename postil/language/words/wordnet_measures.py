"""The seven WordNet measures by name: for synsets, for words by their best senses, for words × words.

A measure takes two lists of synsets of one part of speech, nouns or verbs (those by definitions, in
`glosses.py`, of any), and gives a matrix.

>>> from postil.language.words.wordnet_measures import word_similarity
>>> word_similarity("cat", "dog", "wup") > word_similarity("cat", "switch", "wup")
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Floats
from postil.errors import PostilError
from postil.language.words.glosses import gloss_overlap, gloss_vector
from postil.language.words.wordnet import (
    FAR,
    Group,
    Ints,
    ancestors,
    fewest_steps,
    keep_greatest,
    load_arrays,
    shared_groups,
    wordnet,
)

Word = str | tuple[str, str]  # "dog", or ("dog", "n") for its senses of one part of speech
# Senses × senses are worked out in blocks of at most this many by as many: 8 MB a matrix.
_BLOCK = 1000

# Similarity by the shape of the hierarchy. Values are NLTK's, except where a docstring says otherwise.


@cache
def _greatest_depth(part: int) -> int:
    """How deep the hierarchy of nouns (0) or verbs (1) goes; that of verbs counts its added root."""
    return int(wordnet().max_depth[wordnet().pos == part].max()) + part


def leacock_chodorow(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """−log((d + 1) / 2D): d steps by the shortest way, D the depth of the hierarchy.

    Identical synsets have d = 0. Never below 0, which two synsets at opposite ends could otherwise be.
    Normalised: divided by log 2D, the value of identical synsets.
    """
    if not len(rows) or not len(columns):
        return np.zeros((len(rows), len(columns)))
    depth = _greatest_depth(int(wordnet().pos[rows[0]]))
    steps = np.arange(2 * FAR + 1)
    values = np.maximum(-np.log((steps + 1) / (2.0 * depth)), 0.0)
    if normalised:
        values /= values[0]
    return values[fewest_steps(rows, columns)]


def wu_palmer(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """2D / (d₁ + d₂ + 2D): D the depth of the lowest common ancestor, d₁ and d₂ the steps to it.

    The lowest common ancestor is the one whose shortest way to a root is longest; of several, one of the two
    synsets themselves, else the first by name. D is the longest way from it to a root and one more. Identical
    synsets have 1. Always normalised, within [0, 1].

    NLTK prefers only the first of the two synsets, so that its values depend on their order; and it gives
    identical synsets less than 1 where a parent's shortest way to the root is longer than their own.
    """
    pairs = shared_groups(rows, columns)
    if not pairs:
        return np.zeros((len(rows), len(columns)))
    order = _by_depth(pairs, rows, columns)
    lowest = _last_block(order, rows, columns)
    numbers = {group.ancestor: number for number, (group, _) in enumerate(pairs)}
    ancestor = np.array([0, *(numbers[group.ancestor] for group, _ in order)])[lowest]
    row_steps = _steps(len(rows), [group for group, _ in pairs])
    column_steps = _steps(len(columns), [group for _, group in pairs])
    steps = row_steps[np.arange(len(rows))[:, None], ancestor]
    steps = steps + column_steps[np.arange(len(columns)), ancestor]
    depth = (2.0 * (ancestors().max_depth[list(numbers)] + 1.0))[ancestor]
    values = np.where(lowest > 0, depth / (steps + depth), 0.0)
    values[rows[:, None] == columns] = 1.0
    return values


def _last_block(blocks: list[tuple[Group, Group]], rows: Ints, columns: Ints) -> NDArray[np.uint16]:
    """For each cell the number, from 1, of the last block that covers it; 0 where none does."""
    last = np.zeros((len(rows), len(columns)), dtype=np.uint16)
    for number, (group, other) in enumerate(blocks, start=1):
        keep_greatest(last, group.indices, other.indices, number)
    return last


def _by_depth(pairs: list[tuple[Group, Group]], rows: Ints, columns: Ints) -> list[tuple[Group, Group]]:
    """The shared ancestors from the highest to the lowest, later ones to be preferred.

    After all of one depth come those that are one of the two synsets themselves, cut to its row or column.
    """
    table = ancestors()
    row_of, column_of = ({synset: i for i, synset in enumerate(side.tolist())} for side in (rows, columns))
    blocks: list[tuple[tuple[int, bool, int], Group, Group]] = []
    for group, other in pairs:
        ancestor = group.ancestor
        depth, name = int(table.min_depth[ancestor]), -int(table.name_order[ancestor])
        blocks.append(((depth, False, name), group, other))
        if ancestor in row_of:
            blocks.append(((depth, True, name), _only(group, row_of[ancestor]), other))
        if ancestor in column_of:
            blocks.append(((depth, True, name), group, _only(other, column_of[ancestor])))
    blocks.sort(key=lambda block: block[0])
    return [(group, other) for _, group, other in blocks]


def _only(group: Group, index: int) -> Group:
    itself = group.indices == index
    return Group(group.ancestor, group.indices[itself], group.up[itself], group.path[itself])


def _steps(size: int, groups: list[Group]) -> NDArray[np.uint16]:
    """The steps, by any way, from each synset to each of the ancestors."""
    table = np.zeros((size, len(groups)), dtype=np.uint16)
    for column, group in enumerate(groups):
        table[group.indices, column] = group.path
    return table


# Similarity by information content, on SemCor's counts. A synset's count is how often it or anything below it
# was tagged in SemCor, plus one, so that none is 0; the total is how many nouns, or verbs, were tagged, plus
# one. IC = −log(count / total): 0 for "entity", most for what was never seen.


@dataclass(frozen=True, slots=True)
class Information:
    """Counts and information content of nouns and verbs (0 for others), and the totals of the two."""

    counts: Floats
    content: Floats
    totals: tuple[float, float]


@cache
def information() -> Information:
    """The counts, loaded once."""
    raw, wn = load_arrays("information.npz"), wordnet()
    counts = raw["counts"].astype(np.float64) + 1.0
    totals = raw["totals"].astype(np.float64) + 1.0
    content = np.zeros(wn.size + 1)  # the last is the verbs' common root
    for part in (0, 1):
        here = np.flatnonzero(wn.pos == part)
        # log of the inverse, not minus log: "entity" has 0, not −0
        content[here] = np.log(totals[part] / counts[here])
    return Information(counts, content, (float(totals[0]), float(totals[1])))


def most_informative(rows: Ints, columns: Ints) -> Floats:
    """The information content of the most informative common ancestor, 0 where there is none."""
    content = information().content
    blocks = sorted(shared_groups(rows, columns), key=lambda block: content[block[0].ancestor])
    values = np.array([0.0, *(content[group.ancestor] for group, _ in blocks)])
    return values[_last_block(blocks, rows, columns)]


def resnik(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """IC of the most informative common ancestor. Normalised: divided by log T, the most IC can be."""
    values = most_informative(rows, columns)
    return values / np.log(_total(rows)) if normalised else values


def lin(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """2 · IC(common) / (IC₁ + IC₂); 1 for identical synsets. Always normalised, within [0, 1]."""
    content = information().content
    both = content[rows][:, None] + content[columns]
    values = np.divide(2.0 * most_informative(rows, columns), both, out=np.zeros(both.shape), where=both > 0)
    values[rows[:, None] == columns] = 1.0
    return np.minimum(values, 1.0)


def jiang_conrath(rows: Ints, columns: Ints, *, normalised: bool = False) -> Floats:
    """1 / (IC₁ + IC₂ − 2 · IC(common)), at most 1 / log(T / (T − 1)) with T the total of the counts.

    That is the value of the smallest distance that two different counts can have; identical synsets and
    those at no distance get it. A root compared with another synset has 0. Normalised: 1 / (1 + distance).
    """
    content = information().content
    distance = content[rows][:, None] + content[columns] - 2.0 * most_informative(rows, columns)
    total = _total(rows)
    nearest = float(np.log(total / (total - 1.0)))
    same = rows[:, None] == columns
    root = ((content[rows][:, None] == 0.0) | (content[columns] == 0.0)) & ~same
    if normalised:
        values = 1.0 / (1.0 + np.where(distance < nearest, 0.0, distance))
    else:
        values = 1.0 / np.maximum(distance, nearest)
    values[same] = 1.0 if normalised else 1.0 / nearest
    values[root] = 0.0
    return values


def _total(synsets: Ints) -> float:
    """The total of the part of speech that the synsets are of."""
    return information().totals[int(wordnet().pos[synsets[0]])] if len(synsets) else 2.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: what it is called, what it computes, what its values can be.

    `parts` are the parts of speech that it compares, each with itself; "" where it compares any with any.
    The least value is 0; `greatest` is 1 or, where it is unlimited or depends on counts or hierarchy, None.
    All are symmetric and have a variant within [0, 1] (`normalised`): the measure itself if that ends at 1.
    """

    name: str
    title: str
    matrix: Callable[..., Floats]  # compares every synset of one list with every one of another
    greatest: float | None
    parts: str = "nv"


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("res", "Resnik", resnik, None),
        Measure("lin", "Lin", lin, 1.0),
        Measure("jcn", "Jiang–Conrath", jiang_conrath, None),
        Measure("lch", "Leacock–Chodorow", leacock_chodorow, None),
        Measure("wup", "Wu–Palmer", wu_palmer, 1.0),
        Measure("lesk", "Banerjee–Pedersen extended gloss overlap", gloss_overlap, None, parts=""),
        Measure("vector", "Patwardhan–Pedersen gloss vectors", gloss_vector, 1.0, parts=""),
    )
}


def find_measure(name: str) -> Measure:
    """The measure with this name."""
    if name not in MEASURES:
        raise PostilError(f"There is no measure {name!r}.", hint=f"Choose one of {', '.join(MEASURES)}.")
    return MEASURES[name]


def synset_similarity(first: int, second: int, measure: str, *, normalised: bool = False) -> float:
    """Compare two synsets; 0.0 where the measure does not compare their parts of speech."""
    chosen, letters = find_measure(measure), {wordnet().letter(first), wordnet().letter(second)}
    if chosen.parts and not (len(letters) == 1 and letters <= set(chosen.parts)):
        return 0.0
    rows, columns = np.array([first], dtype=np.int32), np.array([second], dtype=np.int32)
    return float(chosen.matrix(rows, columns, normalised=normalised)[0, 0])


def word_similarity(first: Word, second: Word, measure: str, *, normalised: bool = False) -> float:
    """Compare two words by the two of their senses that are most alike; 0.0 where there are none."""
    return float(similarity_matrix([first], [second], measure, normalised=normalised)[0, 0])


def best_senses(first: Word, second: Word, measure: str) -> tuple[int, int] | None:
    """The two senses that `word_similarity` compares the words by; None where they have nothing in common."""
    chosen = find_measure(measure)
    best, pair = 0.0, None
    for part in chosen.parts or (None,):
        rows, columns = (np.array(_senses(word, part), dtype=np.int32) for word in (first, second))
        if not len(rows) or not len(columns):
            continue
        values = chosen.matrix(rows, columns)
        row, column = np.unravel_index(int(values.argmax()), values.shape)
        if values[row, column] > best:
            best, pair = float(values[row, column]), (int(rows[row]), int(columns[column]))
    return pair


def similarity_matrix(
    words: Sequence[Word], others: Sequence[Word], measure: str, *, normalised: bool = False
) -> Floats:
    """Compare every word with each of the others: `word_similarity` of all pairs, worked out together."""
    chosen = find_measure(measure)
    values = np.zeros((len(words), len(others)))
    for part in chosen.parts or (None,):
        for rows, columns in product(_blocks(words, part), _blocks(others, part)):
            cells = rows.words[:, None], columns.words
            best = _best(chosen.matrix, rows, columns, normalised)
            values[cells] = np.maximum(values[cells], best)
    return values


@dataclass(frozen=True, slots=True)
class _Block:
    """Some words' senses, one after another: the words' indices, and where each one's start."""

    words: Ints
    starts: Ints
    senses: Ints


def _blocks(words: Sequence[Word], part: str | None) -> Iterator[_Block]:
    """Cut a list of words into blocks of not too many senses; words without any are left out."""
    indices, starts, senses = list[int](), list[int](), list[int]()

    def block() -> _Block:
        return _Block(*(np.array(numbers, dtype=np.int32) for numbers in (indices, starts, senses)))

    for index, word in enumerate(words):
        own = _senses(word, part)
        if senses and len(senses) + len(own) > _BLOCK:
            yield block()
            indices, starts, senses = [], [], []
        if own:
            indices.append(index)
            starts.append(len(senses))
            senses.extend(own)
    if senses:
        yield block()


@lru_cache(maxsize=20_000)  # texts repeat their words
def _senses(word: Word, part: str | None) -> tuple[int, ...]:
    form, pos = word if isinstance(word, tuple) else (word, None)
    if part is not None and pos is not None and pos != part:
        return ()
    return wordnet().synsets(form, part or pos)


def _best(matrix: Callable[..., Floats], rows: _Block, columns: _Block, normalised: bool) -> Floats:
    """The best pair of senses for every pair of words; senses that several words share are compared once."""
    left, left_numbers = np.unique(rows.senses, return_inverse=True)
    right, right_numbers = np.unique(columns.senses, return_inverse=True)
    values = matrix(left, right, normalised=normalised)
    # Whole rows are compared many times faster than stretches of a row, so the matrix is turned in between.
    best = np.maximum.reduceat(values[left_numbers], rows.starts, axis=0)
    turned = np.ascontiguousarray(best.T)
    return np.asarray(np.maximum.reduceat(turned[right_numbers], columns.starts, axis=0).T)
