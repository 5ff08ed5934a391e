"""Texts as walks over WordNet: personalised PageRank (Agirre & Soroa 2009), compared by cosine.

A word's walk restarts at its senses, at frequent ones more often; a text's walk restarts at its words.
PageRank is linear in where it restarts, so a text's walk is the mean of its words' walks, and those are
computed once and remembered. The same walks tell which sense a word has among other words.

>>> from postil.language.words.walks import similarity
>>> similarity(["doctor", "hospital"], ["nurse"]) > similarity(["doctor", "hospital"], ["violin"])
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.language.words.walk_graph import Floats
from postil.language.words.walker import LEAST, Rows, Walker, Weights, Word, senses_of, walker

PAIRS = 256  # pairs of texts that are compared together
WINDOW = 20  # words on either side that help to tell a word's sense


@dataclass(frozen=True, slots=True)
class Walk:
    """A distribution over synsets: their numbers, the likeliest first, and how often the walk is there."""

    ids: NDArray[np.int32]
    values: Floats


def walks(texts: Sequence[Iterable[Word]], weights: Weights | None = None) -> tuple[Walk, ...]:
    """The walk of each text's words over synsets, but for those it hardly ever meets (less often than LEAST).

    It is empty where WordNet lists none of the words.

    A text restarts at each of its words equally, as often as it stands there, or as `weights` (idf, say)
    tells for it.
    """
    found = []
    for text in texts:
        values = walker().texts([list(text)], weights).expand(walker().graph)[0]
        ids = np.flatnonzero(values > LEAST).astype(np.int32)
        ids = ids[np.argsort(-values[ids], kind="stable")]
        found.append(Walk(ids, values[ids]))
    return tuple(found)


def walk(words: Iterable[Word], weights: Weights | None = None) -> Walk:
    """The walk of one text's words; see `walks`."""
    return walks([list(words)], weights)[0]


def similarities(
    one: Sequence[Iterable[Word]], other: Sequence[Iterable[Word]], weights: Weights | None = None
) -> NDArray[np.float64]:
    """How alike two texts are, for each pair of texts in two lists of the same length."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} texts cannot be paired with {len(other)}")
    cosines = np.zeros(len(one))
    # Some at a time, so that memory does not grow with the lists.
    for start in range(0, len(one), PAIRS):
        place = slice(start, start + PAIRS)
        left, right = (_texts(side[place], weights) for side in (one, other))
        lengths = left.lengths() * right.lengths()
        np.divide(left.products(right), lengths, out=cosines[place], where=lengths > 0.0)
    return np.clip(cosines, 0.0, 1.0)


def _texts(texts: Sequence[Iterable[Word]], weights: Weights | None) -> Rows:
    """The walks of texts, one a row; a text that is there more than once is walked once."""
    places: dict[tuple[Word, ...], int] = {}
    chosen = [places.setdefault(tuple(text), len(places)) for text in texts]
    rows = walker().texts(list(places), weights)
    return Rows(rows.left[chosen], rows.shares[chosen])


def similarity(words_a: Iterable[Word], words_b: Iterable[Word], weights: Weights | None = None) -> float:
    """How alike two texts are: the cosine of their walks, from 0 to 1; 0 where one has no known word."""
    return float(similarities([list(words_a)], [list(words_b)], weights)[0])


def disambiguate(
    words: Sequence[tuple[str, str]], *, method: str = "w2w", prior: bool = True
) -> tuple[int | None, ...]:
    """The synset that each word (lemma and part of speech) has among the others; None where it has none.

    A word's senses are ranked by the walk that restarts at the words around it: at the others only ("w2w", so
    that its own senses do not vote for themselves) or at all of them ("ppr"). With `prior`, the root of
    the rank is multiplied by how often the word has the sense, plus one. Of equals, the sense that WordNet
    lists first is taken.
    """
    if method not in ("w2w", "ppr"):
        raise ValueError(f"method is w2w or ppr, not {method}")
    different = list(dict.fromkeys(words))
    places = {word: place for place, word in enumerate(different)}
    senses = [senses_of(word) for word in different]
    values = _values(walker(), different, sorted({one for ids, _ in senses for one in ids}))
    line = [places[word] for word in words]
    chosen: list[int | None] = []
    for at, place in enumerate(line):
        ids, counts = senses[place]
        around = line[max(0, at - WINDOW) : at + WINDOW + 1]
        context = [one for one in around if method == "ppr" or one != place]
        chosen.append(_best(ids, counts, values, context, prior) if ids else None)
    return tuple(chosen)


def _values(walks_of: Walker, words: Sequence[Word], synsets: Sequence[int]) -> dict[int, Floats]:
    """How often the walk of each word is at each of some synsets."""
    rows, graph = walks_of.rows(words), walks_of.graph
    where = np.array(synsets, dtype=np.int64)
    found = rows.left[:, where].toarray() + rows.shares[:, graph.region[where]] * graph.shape[where]
    return {synset: found[:, column] for column, synset in enumerate(synsets)}


def _best(
    ids: Sequence[int], counts: Sequence[int], values: dict[int, Floats], context: list[int], prior: bool
) -> int:
    ranks = np.array([max(float(values[one][context].sum()), 0.0) for one in ids])
    if prior:
        # The root, chosen on SemCor, lets frequency outweigh the walk unless the walk is sure; a context that
        # says nothing leaves frequency alone to decide.
        ranks = np.sqrt(ranks + 1e-12) * (np.array(counts) + 1.0)
    return ids[int(np.argmax(ranks))]
