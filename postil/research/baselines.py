"""The response challenge's baselines: the most frequent label, and a decision tree on lexical overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from postil.data.labels import RESPONSE_SCHEMES, Scheme, reachable_schemes
from postil.data.questions import Question
from postil.language.measures.overlap import NO_OVERLAP, overlap, overlap_words

FEATURES = (
    *(f"reference_{name}" for name in ("overlap", "f", "lesk", "cosine")),
    *(f"question_{name}" for name in ("overlap", "f", "lesk", "cosine")),
)
# Smallest leaves, chosen by cross-validation with folds by question; the original was Weka's J48, pruned.
_LEAVES = {"5way": 20, "3way": 20, "2way": 100}


def _by_corpus(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """The questions of each corpus, and under "" all of them, for corpora not seen in training."""
    groups: dict[str, list[Question]] = {"": list(questions)}
    for question in questions:
        if question.corpus:
            groups.setdefault(question.corpus, []).append(question)
    return groups


class MajorityLabel:
    """Gives every answer the most frequent label of its corpus's training set."""

    def fit(self, questions: Sequence[Question]) -> Self:
        """Count the training labels, by corpus and scheme."""
        self.labels_: dict[tuple[str, str], str] = {}
        for corpus, group in _by_corpus(questions).items():
            labels = [answer.label for question in group for answer in question.answers if answer.label]
            for scheme in reachable_schemes(labels, RESPONSE_SCHEMES):
                counts = Counter(scheme.collapse(label) for label in labels)
                # The scheme's order settles ties, so that the result does not hang on the order of files.
                self.labels_[corpus, scheme.name] = max(scheme.labels, key=lambda label: counts[label])
        return self

    def predict(self, questions: Sequence[Question], scheme: Scheme) -> list[str]:
        """Label every answer, in order."""
        return [
            self.labels_.get((question.corpus, scheme.name)) or self.labels_["", scheme.name]
            for question in questions
            for _ in question.answers
        ]


@lru_cache(maxsize=1 << 17)
def _overlap(answer: str, other: str) -> tuple[float, ...]:
    """The four figures of two texts; cross-validation meets every pair again in each fold."""
    return astuple(overlap(overlap_words(answer), overlap_words(other)))


def lexical_features(question: Question) -> NDArray[np.float64]:
    """The eight overlap features of each answer: the best with any reference, and with the question."""
    rows = []
    for answer in question.answers:
        with_references = [_overlap(answer.text, reference.text) for reference in question.references]
        best = [max(values) for values in zip(*with_references or [astuple(NO_OVERLAP)], strict=True)]
        rows.append([*best, *_overlap(answer.text, question.text)])
    return np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))


class LexicalOverlap:
    """A decision tree on eight lexical-overlap features, one a corpus and scheme (Dzikovska et al. 2012)."""

    def __init__(self, *, leaf: int | None = None, seed: int = 0) -> None:
        self.leaf = leaf
        self.seed = seed

    def fit(self, questions: Sequence[Question]) -> Self:
        """Grow the trees."""
        from sklearn.tree import DecisionTreeClassifier

        self.trees_: dict[tuple[str, str], Any] = {}
        for corpus, group in _by_corpus(questions).items():
            labels = [answer.label for question in group for answer in question.answers]
            known = np.array([label is not None for label in labels], dtype=bool)
            features = np.concatenate([lexical_features(question) for question in group])[known]
            for scheme in reachable_schemes(filter(None, labels), RESPONSE_SCHEMES):
                tree = DecisionTreeClassifier(
                    criterion="entropy",
                    min_samples_leaf=self.leaf or _LEAVES[scheme.name],
                    random_state=self.seed,
                )
                target = [scheme.collapse(label) for label in labels if label is not None]
                self.trees_[corpus, scheme.name] = tree.fit(features, target)
        return self

    def predict(self, questions: Sequence[Question], scheme: Scheme) -> list[str]:
        """Label every answer, in order."""
        labels: list[str] = []
        for question in questions:
            if question.answers:
                tree = self.trees_.get((question.corpus, scheme.name)) or self.trees_["", scheme.name]
                labels += map(str, tree.predict(lexical_features(question)))
        return labels
