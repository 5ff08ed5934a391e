"""The word-overlap baseline of the RTE challenges: how much of the hypothesis stands in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from postil.data.formats.rte import Pair
from postil.data.formats.rteruns import PairJudgement
from postil.data.labels import Scheme
from postil.errors import PostilError
from postil.language.measures.overlap import overlap_words


def word_coverage(pair: Pair) -> float:
    """The share of the hypothesis's words that the text has too."""
    hypothesis = overlap_words(pair.hypothesis)
    text = set(overlap_words(pair.text))
    return sum(word in text for word in hypothesis) / len(hypothesis) if hypothesis else 1.0


class WordOverlap:
    """Entailment when enough of the hypothesis's words occur in the text; how much is enough is learned."""

    def fit(self, pairs: Sequence[Pair]) -> Self:
        """Fit a logistic curve to coverage, and note which label is usual where nothing is entailed."""
        from sklearn.linear_model import LogisticRegression

        entailed = np.array([pair.label == "ENTAILMENT" for pair in pairs])
        if len(set(entailed.tolist())) < 2:
            raise PostilError("training needs pairs with entailment and pairs without.")
        self.curve_ = LogisticRegression(C=1000.0).fit(self._features(pairs), entailed)
        negative = Counter(pair.label for pair in pairs if pair.label in ("CONTRADICTION", "UNKNOWN"))
        self.negative_ = "CONTRADICTION" if negative["CONTRADICTION"] > negative["UNKNOWN"] else "UNKNOWN"
        return self

    def predict(self, pairs: Sequence[Pair], scheme: Scheme) -> list[PairJudgement]:
        """Judge every pair, in order."""
        confidences = self.curve_.predict_proba(self._features(pairs))[:, 1]
        negative = "NO_ENTAILMENT" if scheme.name == "2way" else self.negative_
        return [
            PairJudgement(pair.id, "ENTAILMENT" if confidence >= 0.5 else negative, float(confidence))
            for pair, confidence in zip(pairs, confidences, strict=True)
        ]

    @staticmethod
    def _features(pairs: Sequence[Pair]) -> NDArray[np.float64]:
        return np.array([[word_coverage(pair)] for pair in pairs])
