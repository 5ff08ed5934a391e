"""The baselines of the challenges, as systems of the benchmarks.

Responses: the most frequent label, and a decision tree on lexical overlap. Entailment: the share of the
hypothesis's words that the text has. Alignment: chunks that share most identical tokens are equivalent.
Facets: the usual case, and the words that the answer has. Claims: the share of their words that the text
has. The baseline of senses is in `senses/learners.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from functools import lru_cache
from typing import Any, Self

import numpy as np

from postil.data.arrays import Floats
from postil.data.formats.claim_sets import ClaimRow
from postil.data.formats.rte import Pair, PairJudgement
from postil.data.formats.sra import GapRow
from postil.data.judgements import EXPRESSED, UNADDRESSED, AlignedPair, Alignment, ChunkedPair
from postil.data.labels import RESPONSE_SCHEMES, Scheme, reachable_schemes
from postil.data.questions import Question
from postil.errors import PostilError
from postil.language.measures.overlap import NO_OVERLAP, overlap, overlap_words
from postil.language.pipeline import analyse_many
from postil.research.systems import Finished

FEATURES = tuple(
    f"{text}_{name}" for text in ("reference", "question") for name in ("overlap", "f", "lesk", "cosine")
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
                # The scheme's order settles ties, so that the result does not depend on the order of files.
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
    """The four figures of two texts; cached, as cross-validation meets every pair again in each fold."""
    return astuple(overlap(overlap_words(answer), overlap_words(other)))


def lexical_features(question: Question) -> Floats:
    """The eight overlap features of each answer: the best with any reference, and with the question."""
    rows = []
    for answer in question.answers:
        with_references = [_overlap(answer.text, reference.text) for reference in question.references]
        best = [max(values) for values in zip(*with_references or [astuple(NO_OVERLAP)], strict=True)]
        rows.append([*best, *_overlap(answer.text, question.text)])
    return np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))


class LexicalOverlap:
    """A decision tree on eight overlap features for each corpus and scheme (Dzikovska et al. 2012)."""

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


def word_coverage(pair: Pair) -> float:
    """The share of the hypothesis's words that occur in the text."""
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
        self.curve_ = LogisticRegression(C=1000.0).fit([[word_coverage(pair)] for pair in pairs], entailed)
        negative = Counter(pair.label for pair in pairs if pair.label in ("CONTRADICTION", "UNKNOWN"))
        self.negative_ = "CONTRADICTION" if negative["CONTRADICTION"] > negative["UNKNOWN"] else "UNKNOWN"
        return self

    def predict(self, pairs: Sequence[Pair], scheme: Scheme) -> list[PairJudgement]:
        """Judge every pair, in order."""
        confidences = self.curve_.predict_proba([[word_coverage(pair)] for pair in pairs])[:, 1]
        negative = "NO_ENTAILMENT" if scheme.name == "2way" else self.negative_
        return [
            PairJudgement(pair.id, "ENTAILMENT" if confidence >= 0.5 else negative, float(confidence))
            for pair, confidence in zip(pairs, confidences, strict=True)
        ]


class SharedWords(Finished):
    """A claim is made where at least half of its words occur in the text, and the surer the more do."""

    def predict(self, rows: Sequence[ClaimRow]) -> list[tuple[str, float]]:
        """Judge every row, in order."""
        shares = [word_coverage(Pair(row.id, row.text, row.claim)) for row in rows]
        return [(EXPRESSED if share >= 0.5 else UNADDRESSED, share) for share in shares]


class IdenticalTokens(Finished):
    """Links identical lower-cased tokens, then pairs the chunks with the most links: EQUI 5, or NOALI."""

    def predict(self, pairs: Sequence[ChunkedPair]) -> list[AlignedPair]:
        """Align every pair of chunked sentences."""
        return [_align(pair) for pair in pairs]


def _align(pair: ChunkedPair) -> AlignedPair:
    # How many identical tokens each two chunks share, every occurrence with every other.
    weights: dict[tuple[int, int], int] = {}
    for i, source in enumerate(pair.source_chunks):
        words = Counter(pair.source[number - 1].lower() for number in source)
        for j, target in enumerate(pair.target_chunks):
            if shared := sum(words[pair.target[number - 1].lower()] for number in target):
                weights[i, j] = shared
    partner: dict[int, int] = {}
    # Strongest first; among equals the order of the sentences decides.
    for i, j in sorted(weights, key=lambda link: (-weights[link], link)):
        if i not in partner and j not in partner.values():
            partner[i] = j
    sources, targets = pair.source_chunks, pair.target_chunks
    equal = [Alignment(sources[i], targets[j], ("EQUI",), 5.0) for i, j in sorted(partner.items())]
    left = [Alignment(sources[i], (), ("NOALI",), None) for i in range(len(sources)) if i not in partner]
    taken = partner.values()
    right = [Alignment((), targets[j], ("NOALI",), None) for j in range(len(targets)) if j not in taken]
    return AlignedPair(pair.id, pair.source, pair.target, (*equal, *left, *right))


class MajorityOutcome:
    """Calls every word missing, or none, whichever is more frequent; `missing_` holds what was learned."""

    def fit(self, rows: Sequence[GapRow]) -> Self:
        """Count the words that are missing."""
        words = [missing for row in rows for missing in row.missing]
        self.missing_ = 2 * sum(words) > len(words)
        return self

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """The same for every word."""
        return [(self.missing_,) * len(row.words) for row in rows]


class LexicalOutcome(Finished):
    """Calls a word missing if its lemma is not in the answer."""

    def predict(self, rows: Sequence[GapRow]) -> list[tuple[bool, ...]]:
        """Look for each word's lemma among those of the answer."""
        texts = list(dict.fromkeys(text for row in rows for text in (row.reference, row.answer)))
        known = dict(zip(texts, analyse_many(texts), strict=True))
        missing = []
        for row in rows:
            lemmas = {token.lemma.lower() for token in known[row.answer].tokens}
            said = [token for token in known[row.reference].tokens if token.lemma.lower() in lemmas]
            missing.append(words_outside(row, [(token.start, token.end) for token in said]))
        return missing


def words_outside(row: GapRow, spans: Iterable[tuple[int, int]]) -> tuple[bool, ...]:
    """For each word of a row, whether it is in none of these spans of the reference."""
    return tuple(not any(start < word.end and word.start < end for start, end in spans) for word in row.words)
