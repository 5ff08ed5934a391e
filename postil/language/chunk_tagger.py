"""The chunker, a spaCy component: a tagger whose tags are chunk boundaries, apart from parts of speech.

It chooses the best sequence of tags, given each token's scores and how well tags follow one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
from scipy.special import log_softmax
from spacy.language import Language
from spacy.pipeline.tagger import Tagger
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from thinc.api import Model, SequenceCategoricalCrossentropy

from postil.data.arrays import AnyFloats, Numbers

_NEVER = -1e9


class ChunkTagger(Tagger):  # type: ignore[misc]  # spaCy's classes are compiled and untyped
    """Tags tokens as beginning, continuing or outside a chunk; the tags are in `doc.user_data[name]`."""

    def predict(self, docs: list[Doc]) -> list[Any]:
        """Find each token's tag: the best sequence where `cfg` says how tags follow one another.

        With `cfg["margins"]` the result is not a tag but how much better B scores than I, to which a second
        model adds its own opinion.
        """
        scores = self.model.predict(docs)
        if self.cfg.get("margins"):
            begin, inside = (self.labels.index(tag) for tag in "BI")
            return [rows[:, begin] - rows[:, inside] for rows in scores]
        transitions = self.cfg.get("transitions")
        if transitions is None:
            return [rows.argmax(axis=1) for rows in scores]
        return list(best_sequences(scores, np.array(transitions), bio_start(self.labels)))

    def set_annotations(self, docs: Iterable[Doc], batch_tag_ids: Any) -> None:
        """Store the tags (or margins) of each document under the component's name."""
        labels = np.array(self.labels, dtype=object)
        for doc, numbers in zip(docs, batch_tag_ids, strict=True):
            values = numbers if self.cfg.get("margins") else labels[numbers]
            doc.user_data[self.name] = values.tolist()

    def get_loss(self, examples: list[Example], scores: Any) -> tuple[float, Any]:
        """Compare with the tags of the reference documents; those without tags teach nothing."""
        truths = [
            example.reference.user_data.get(self.name) or [None] * len(example.reference)
            for example in examples
        ]
        gradient, value = SequenceCategoricalCrossentropy(names=self.labels, normalize=False)(scores, truths)
        return float(value), gradient

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | None = None,
    ) -> None:
        """Collect the tags and give the model its shape."""
        references = (example.reference for example in get_examples())
        tags = labels or sorted({tag for doc in references for tag in doc.user_data.get(self.name) or ()})
        for tag in tags:
            self.add_label(tag)
        docs = [example.x for example in islice(get_examples(), 10)]
        self.model.initialize(X=docs, Y=[np.zeros((len(doc), len(tags)), dtype="f") for doc in docs])


@registry.tokenizers("postil.StoredTokenizer.v1")  # type: ignore[untyped-decorator]
def make_stored_tokenizer() -> Callable[[Language], Tokenizer]:
    """Make a tokenizer that reads its rules from the pipeline alone, not first from English's defaults."""
    return lambda nlp: Tokenizer(nlp.vocab)


@Language.factory("postil_chunker")
def make_chunk_tagger(nlp: Language, name: str, model: Model[list[Doc], Any]) -> ChunkTagger:
    """Make the component for a pipeline."""
    return ChunkTagger(nlp.vocab, model, name=name, scorer=None)


def best_sequences(scores: Sequence[AnyFloats], transitions: AnyFloats, start: AnyFloats) -> list[Numbers]:
    """Decode many sequences at once: for each the tag numbers whose log-probabilities add up to the most.

    `scores[i]` is tokens × tags, unnormalised; `transitions[a, b]` is added when b follows a, `start[b]` when
    a sequence begins with b.
    """
    lengths = np.array([len(rows) for rows in scores], dtype=np.intp)
    if not len(lengths) or not lengths.max():
        return [np.zeros(0, dtype=np.intp) for _ in scores]
    count, longest, tags = len(scores), int(lengths.max()), len(start)
    padded = np.zeros((longest, count, tags))
    for number, rows in enumerate(scores):
        if len(rows):
            padded[: len(rows), number] = log_softmax(np.asarray(rows, dtype=np.float64), axis=1)
    best = padded[0] + start
    pointers = np.zeros((longest, count, tags), dtype=np.intp)
    stay = np.arange(tags)
    for step in range(1, longest):
        reached = best[:, :, None] + transitions
        previous = reached.argmax(axis=1)
        running = (step < lengths)[:, None]
        # A sequence that has ended keeps its scores and points at itself.
        pointers[step] = np.where(running, previous, stay)
        reached = np.take_along_axis(reached, previous[:, None, :], 1)[:, 0] + padded[step]
        best = np.where(running, reached, best)
    path = np.zeros((longest, count), dtype=np.intp)
    path[-1] = best.argmax(axis=1)
    for step in range(longest - 1, 0, -1):
        path[step - 1] = np.take_along_axis(pointers[step], path[step][:, None], 1)[:, 0]
    return [path[:length, number] for number, length in enumerate(lengths)]


def bio_transitions(labels: Sequence[str], sequences: Sequence[Sequence[str]], weight: float) -> AnyFloats:
    """How well BIO tags follow one another: impossible successors never, the others by how often they did.

    The score is `weight` times the log of how much more often b followed a than b occurs at all.
    """
    number = {label: index for index, label in enumerate(labels)}
    counts = np.full((len(labels), len(labels)), 0.1)
    for sequence in sequences:
        for first, second in pairwise(sequence):
            counts[number[first], number[second]] += 1
    usual = counts.sum(axis=0) / counts.sum()
    scores = weight * (np.log(counts / counts.sum(axis=1, keepdims=True)) - np.log(usual))
    for row, label in enumerate(labels):
        for column, other in enumerate(labels):
            if other.startswith("I") and (label == "O" or label[1:] != other[1:]):
                scores[row, column] = _NEVER
    return np.asarray(scores)


def bio_start(labels: Sequence[str]) -> AnyFloats:
    """A sequence cannot begin inside a chunk."""
    return np.array([_NEVER if label.startswith("I") else 0.0 for label in labels])
