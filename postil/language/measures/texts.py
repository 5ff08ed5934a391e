"""The fourteen measures of how alike two texts are, by name: overlap, WordNet, graph and corpus.

The WordNet measures are lifted from words to texts after Mihalcea, Corley & Strapparava (2006): every
open-class word of a text looks for its best match in the other text; the matches are averaged over each text
and the two averages over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from postil.data.arrays import Floats
from postil.language.document import Document
from postil.language.measures.overlap import overlap, overlap_words
from postil.language.words import walks
from postil.language.words.spaces import idf, lda, lsa
from postil.language.words.wordnet_measures import MEASURES, similarity_matrix

TaggedWord = tuple[str, str]
# Pairs of texts are compared together while their first texts have no more different words than this: answers
# to one question share its words, while other texts would only fill the matrix with unneeded values.
_MOST_WORDS = 60
_MOST_PAIRS = 1000


@dataclass(frozen=True, slots=True)
class View:
    """The words of a text as they are written, and its open-class lemmas with their parts of speech."""

    words: tuple[str, ...]
    tagged: tuple[TaggedWord, ...]

    @property
    def lemmas(self) -> list[str]:
        """The open-class lemmas."""
        return [lemma for lemma, _ in self.tagged]

    def without(self, other: View) -> View:
        """This view without the words and lemmas of another: what an answer adds to its question."""
        words, lemmas = frozenset(other.words), frozenset(other.lemmas)
        return View(
            tuple(word for word in self.words if word not in words),
            tuple(tagged for tagged in self.tagged if tagged[0] not in lemmas),
        )


def view(document: Document) -> View:
    """The view of a document."""
    return View(
        tuple(overlap_words(document.text)),
        # These include numbers, which are compared but not looked up in WordNet.
        tuple((token.lemma.lower(), token.wordnet_letter) for token in document.content_words),
    )


def wordnet_similarities(
    first: Sequence[View],
    second: Sequence[View],
    measures: Sequence[str] = tuple(MEASURES),
    *,
    weighted: bool = False,
) -> Floats:
    """How well the words of two texts match, from 0 to 1: one row per pair of texts, one column per measure.

    `weighted` lets each word count by its idf.
    """
    values = np.zeros((len(first), len(measures)))
    for start, end in _stretches(first):
        rows, columns = (
            {word: i for i, word in enumerate(dict.fromkeys(word for view in views for word in view.tagged))}
            for views in (first[start:end], second[start:end])
        )
        if not rows or not columns:
            continue
        matches = np.stack([word_matches(list(rows), list(columns), name) for name in measures], axis=2)
        for pair in range(start, end):
            left, right = first[pair], second[pair]
            if left.tagged and right.tagged:
                chosen = matches[[rows[word] for word in left.tagged]][:, [columns[w] for w in right.tagged]]
                weights = [idf().array(text.lemmas).astype(np.float64) for text in (left, right) if weighted]
                values[pair] = lifted(chosen, *weights)
    return values


def word_matches(words: Sequence[TaggedWord], others: Sequence[TaggedWord], measure: str) -> Floats:
    """The matrix of word similarities in [0, 1]: the same lemma is 1 even if WordNet does not list it."""
    values = similarity_matrix(words, others, measure, normalised=True)
    lemmas = np.array([word for word, _ in words]), np.array([word for word, _ in others])
    values[lemmas[0][:, None] == lemmas[1]] = 1.0
    return values


def lifted(matches: Floats, weights: Floats | None = None, others: Floats | None = None) -> Floats:
    """½ (Σ wᵢ maxⱼ mᵢⱼ / Σ wᵢ + Σ vⱼ maxᵢ mᵢⱼ / Σ vⱼ) for each measure (last axis); weights default to 1."""
    forth, back = matches.max(axis=1), matches.max(axis=0)
    return np.asarray((_mean(forth, weights) + _mean(back, others)) / 2)


def _mean(values: Floats, weights: Floats | None) -> Floats:
    if weights is None or not weights.any():
        return np.asarray(values.mean(axis=0))
    return np.asarray(np.average(values, axis=0, weights=weights))


def _stretches(first: Sequence[View]) -> Iterator[tuple[int, int]]:
    """Where to cut a list of texts so that each stretch has few different words."""
    start, words = 0, set[TaggedWord]()
    for i, text in enumerate(first):
        if i > start and (i - start >= _MOST_PAIRS or len(words.union(text.tagged)) > _MOST_WORDS):
            yield start, i
            start, words = i, set()
        words.update(text.tagged)
    if start < len(first):
        yield start, len(first)


@dataclass(frozen=True, slots=True)
class TextMeasure:
    """A measure of two texts: its name, the family it belongs to, and what people call it.

    Values are in [0, 1], except LSA's cosine, which can be as low as -1; texts without words give 0.
    """

    name: str
    family: str
    title: str


TEXT_MEASURES: Mapping[str, TextMeasure] = {
    measure.name: measure
    for measure in (
        TextMeasure("f_measure", "overlap", "F-measure"),
        # Text::Similarity's Dice coefficient is its F-measure computed another way; EHU-ALM has both.
        TextMeasure("dice", "overlap", "Dice coefficient"),
        TextMeasure("cosine", "overlap", "cosine"),
        TextMeasure("lesk", "overlap", "Lesk, phrases squared"),
        *(TextMeasure(f"wordnet_{name}", "WordNet", measure.title) for name, measure in MEASURES.items()),
        TextMeasure("walk", "graph", "personalised PageRank"),
        TextMeasure("lsa", "corpus", "latent semantic analysis"),
        TextMeasure("lda", "corpus", "latent topics"),
    )
}


def compare(first: Document, second: Document) -> dict[str, float]:
    """Two texts by every measure."""
    return dict(zip(TEXT_MEASURES, compare_views([view(first)], [view(second)])[0].tolist(), strict=True))


def compare_views(first: Sequence[View], second: Sequence[View]) -> Floats:
    """Compare pairs of texts, one of each list: one row per pair, one column per measure.

    Pairs that share texts should stand together: what they share is worked out once.
    """
    overlaps = [overlap(text.words, other.words) for text, other in zip(first, second, strict=True)]
    lemmas, others = ([text.lemmas for text in side] for side in (first, second))
    columns = (
        np.array([(o.f1, o.f1, o.cosine, o.lesk) for o in overlaps]).reshape(-1, 4),
        wordnet_similarities(first, second),
        walks.similarities([text.tagged for text in first], [text.tagged for text in second])[:, None],
        lsa().similarities(lemmas, others)[:, None],
        lda().similarities(lemmas, others)[:, None],
    )
    return np.hstack(columns)
