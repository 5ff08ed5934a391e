"""Our own spaCy component: a tagger whose tags are chunk boundaries, kept apart from parts of speech."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.pipeline.tagger import Tagger
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from thinc.api import Model, SequenceCategoricalCrossentropy

from postil.language.chunks import best_sequences, bio_start


class ChunkTagger(Tagger):  # type: ignore[misc]  # spaCy's classes are compiled and untyped
    """Tags tokens as beginning, continuing or outside a chunk; the tags stand in `doc.user_data[name]`."""

    def predict(self, docs: list[Doc]) -> list[Any]:
        """Find each token's tag: the best sequence where `cfg` says how tags follow one another.

        With `cfg["margins"]` the answer is not a tag but how much better B scores than I, for a second model
        to add its own opinion to.
        """
        scores = self.model.predict(docs)
        if self.cfg.get("margins"):
            begin, inside = (self.labels.index(tag) for tag in "BI")
            return [rows[:, begin] - rows[:, inside] for rows in scores]
        follows = self.cfg.get("transitions")
        if follows is None:
            return [rows.argmax(axis=1) for rows in scores]
        return list(best_sequences(scores, np.array(follows), bio_start(self.labels)))

    def set_annotations(self, docs: Iterable[Doc], batch_tag_ids: Any) -> None:
        """Note the tags (or margins) of each document under the component's name."""
        labels = np.array(self.labels, dtype=object)
        for doc, found in zip(docs, batch_tag_ids, strict=True):
            values = found if self.cfg.get("margins") else labels[found]
            doc.user_data[self.name] = values.tolist()

    def get_loss(self, examples: list[Example], scores: Any) -> tuple[float, Any]:
        """Compare with the tags that the reference documents carry; those that carry none teach nothing."""
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
        found = labels or sorted(
            {tag for example in get_examples() for tag in example.reference.user_data.get(self.name) or ()}
        )
        for tag in found:
            self.add_label(tag)
        docs = [example.x for example in islice(get_examples(), 10)]
        self.model.initialize(X=docs, Y=[np.zeros((len(doc), len(found)), dtype="f") for doc in docs])


@registry.tokenizers("postil.StoredTokenizer.v1")  # type: ignore[untyped-decorator]
def make_stored_tokenizer() -> Callable[[Language], Tokenizer]:
    """Make a tokenizer that reads its rules from the pipeline alone, not first from English's defaults."""
    return lambda nlp: Tokenizer(nlp.vocab)


@Language.factory("postil_chunker")
def make_chunk_tagger(nlp: Language, name: str, model: Model[list[Doc], Any]) -> ChunkTagger:
    """Make the component for a pipeline."""
    return ChunkTagger(nlp.vocab, model, name=name, scorer=None)
