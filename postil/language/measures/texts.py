"""The fourteen measures of how alike two texts are, by name: overlap, WordNet, graph and corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.language.document import Document
from postil.language.measures.overlap import overlap
from postil.language.measures.views import View, view
from postil.language.measures.wordnet import wordnet_similarities
from postil.language.words import walks
from postil.language.words.spaces import lda, lsa
from postil.language.words.wordnet_measures import MEASURES as WORD_MEASURES


@dataclass(frozen=True, slots=True)
class TextMeasure:
    """A measure of two texts: its name, the family it belongs to, and what people call it.

    Values lie in [0, 1], but for LSA's cosine, which can be as low as -1; texts without words give 0.
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
        *(TextMeasure(f"wordnet_{one.name}", "WordNet", one.title) for one in WORD_MEASURES.values()),
        TextMeasure("walk", "graph", "personalised PageRank"),
        TextMeasure("lsa", "corpus", "latent semantic analysis"),
        TextMeasure("lda", "corpus", "latent topics"),
    )
}


def compare(first: Document, second: Document) -> dict[str, float]:
    """Two texts by every measure."""
    return dict(zip(TEXT_MEASURES, compare_views([view(first)], [view(second)])[0].tolist(), strict=True))


def compare_views(first: Sequence[View], second: Sequence[View]) -> NDArray[np.float64]:
    """Each text of one list with the text at its place in the other: a row a pair, a column a measure.

    Pairs that share texts should stand together: what they share is worked out once.
    """
    overlaps = [overlap(one.words, other.words) for one, other in zip(first, second, strict=True)]
    lemmas, others = ([one.lemmas for one in side] for side in (first, second))
    columns = (
        np.array([(o.f1, o.f1, o.cosine, o.lesk) for o in overlaps]).reshape(-1, 4),
        wordnet_similarities(first, second),
        walks.similarities([one.tagged for one in first], [one.tagged for one in second])[:, None],
        lsa().similarities(lemmas, others)[:, None],
        lda().similarities(lemmas, others)[:, None],
    )
    return np.hstack(columns)
