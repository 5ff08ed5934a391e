"""Learn iSTS chunk boundaries from the gold chunks and from the teacher's, over the pipeline's own analysis."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from treebank import DATASETS, Sentence, read_ists

from postil.language.chunks import TEMPLATES, BoundaryModel, Key, keys_at, tags_of
from postil.language.pipeline import Pipeline

SILVER = 9000
GOLD_WEIGHT = 3.0
LEAST = 0.03


def learn_boundaries(pipeline: Pipeline, data: Path, silver: Iterable[Sentence]) -> BoundaryModel:
    """Logistic regression; gold sentences count three times as much as the teacher's."""
    gold = [sentence for name in DATASETS for sentence in read_ists(data / "ists", name, held_out=False)]
    taught = []
    for sentence in silver:
        if 4 <= len(sentence.words) <= 20:
            taught.append(sentence)
        if len(taught) == SILVER:
            break
    sentences = gold + taught
    rows: list[tuple[tuple[str, Key], ...]] = []
    for document in pipeline.analyse_tokens(sentence.words for sentence in sentences):
        chunk_tags = tags_of(document.chunks, len(document.tokens))
        for index in range(len(document.tokens)):
            keys = keys_at(document.tokens, chunk_tags, index)
            rows.append(tuple(zip(TEMPLATES, keys, strict=True)))
    target = np.array([tag == "B" for sentence in sentences for tag in sentence.ists])
    weight = np.concatenate(
        [np.full(sum(len(s.words) for s in gold), GOLD_WEIGHT), np.ones(sum(len(s.words) for s in taught))]
    )
    vectoriser = CountVectorizer(analyzer=lambda row: row, binary=True)
    model = LogisticRegression(max_iter=200).fit(vectoriser.fit_transform(rows), target, sample_weight=weight)
    tables: dict[str, dict[Key, float]] = {name: {} for name in TEMPLATES}
    for (template, key), column in vectoriser.vocabulary_.items():
        if abs(model.coef_[0, column]) >= LEAST:
            tables[template][key] = float(model.coef_[0, column])
    return BoundaryModel(tuple(tables.values()), float(model.intercept_[0]))
