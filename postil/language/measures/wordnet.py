"""WordNet measures lifted from words to texts, after Mihalcea, Corley & Strapparava (2006).

Every open-class word of a text looks for its best match in the other text; the matches are averaged over each
text and the two averages over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from postil.language.measures.views import TaggedWord, View
from postil.language.words.spaces import idf
from postil.language.words.wordnet_measures import MEASURES, similarity_matrix

# Pairs of texts are compared together while their first texts have no more different words than this: answers
# to one question share its words, while other texts would only fill the matrix with what nobody asks for.
_MOST_WORDS = 60
_MOST_PAIRS = 1000

Floats = NDArray[np.float64]


def wordnet_similarities(
    first: Sequence[View],
    second: Sequence[View],
    measures: Sequence[str] = tuple(MEASURES),
    *,
    weighted: bool = False,
) -> Floats:
    """How well the words of two texts match, from 0 to 1: a row for each pair of texts, a column a measure.

    `weighted` lets each word count by its idf.
    """
    values = np.zeros((len(first), len(measures)))
    for start, end in _stretches(first):
        words = list(dict.fromkeys(word for one in first[start:end] for word in one.tagged))
        others = list(dict.fromkeys(word for one in second[start:end] for word in one.tagged))
        if not words or not others:
            continue
        matches = np.stack([word_matches(words, others, name) for name in measures], axis=2)
        rows, columns = ({word: place for place, word in enumerate(group)} for group in (words, others))
        for place in range(start, end):
            left, right = first[place], second[place]
            if left.tagged and right.tagged:
                chosen = matches[[rows[word] for word in left.tagged]][:, [columns[w] for w in right.tagged]]
                weights = (_weights(left), _weights(right)) if weighted else (None, None)
                values[place] = lifted(chosen, *weights)
    return values


def word_matches(words: Sequence[TaggedWord], others: Sequence[TaggedWord], measure: str) -> Floats:
    """The matrix of word similarities in [0, 1]: the same lemma is 1 whether WordNet has it or not."""
    values = similarity_matrix(words, others, measure, normalised=True)
    lemmas = np.array([word for word, _ in words]), np.array([word for word, _ in others])
    values[lemmas[0][:, None] == lemmas[1]] = 1.0
    return values


def lifted(matches: Floats, weights: Floats | None = None, others: Floats | None = None) -> Floats:
    """½ (Σ wᵢ maxⱼ mᵢⱼ / Σ wᵢ + Σ vⱼ maxᵢ mᵢⱼ / Σ vⱼ) for each measure (last axis); weights default to 1."""
    forth, back = matches.max(axis=1), matches.max(axis=0)
    return np.asarray((_mean(forth, weights) + _mean(back, others)) / 2)


def _weights(one: View) -> Floats:
    return idf().array(one.lemmas).astype(np.float64)


def _mean(values: Floats, weights: Floats | None) -> Floats:
    if weights is None or not weights.any():
        return np.asarray(values.mean(axis=0))
    return np.asarray(np.average(values, axis=0, weights=weights))


def _stretches(first: Sequence[View]) -> Iterator[tuple[int, int]]:
    """Where to cut a list of texts so that each stretch has few different words."""
    start, words = 0, set[TaggedWord]()
    for place, one in enumerate(first):
        if place > start and (place - start >= _MOST_PAIRS or len(words.union(one.tagged)) > _MOST_WORDS):
            yield start, place
            start, words = place, set()
        words.update(one.tagged)
    if start < len(first):
        yield start, len(first)
