"""Judge whether a text entails a hypothesis, denies it, or leaves it open, and find the part that says so.

>>> from postil.entailment.entailer import load_entailer
>>> judged, = load_entailer().judge([("The dog is asleep on the mat.", "The dog sleeps.")])
>>> judged.label
'ENTAILMENT'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from postil.data.labels import ENTAILMENT_SCHEMES
from postil.entailment.evidence import Floats, encoder_evidence, word_evidence
from postil.entailment.findings import Findings, findings
from postil.entailment.passages import condensed
from postil.entailment.reading import Reading, read_pair
from postil.entailment.stack import Stack, shipped_stack
from postil.language.pipeline import analyse_many
from postil.language.reader import encoder
from postil.language.threads import ahead, one_thread_each

TextPair = tuple[str, str]  # text, hypothesis
Progress = Callable[[int, int], None]
Batch = Sequence[Reading]

LABELS = ENTAILMENT_SCHEMES["3way"].labels  # entailment, contradiction, unknown
# A longer text is judged by its beginning, a longer hypothesis too.
LONGEST_TEXT, LONGEST_HYPOTHESIS = 20_000, 2_000
_BATCH = 64
# Tokens of both that the encoder reads without cutting: it takes 160 pieces of words.
_READ = 125
_NO_WORDS = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Entailment:
    """A judgement of a pair; `confidence` is the chance of entailment, by which pairs are ranked.

    `justification` says in words why; `postil.explain.justification` writes it.
    """

    label: str
    probabilities: Mapping[str, float]
    confidence: float
    found: Findings = field(default_factory=Findings)
    justification: str = ""

    @property
    def two_way(self) -> str:
        """The label where there are only two."""
        return ENTAILMENT_SCHEMES["2way"].collapse(self.label) or self.label


@dataclass(frozen=True, slots=True)
class Entailer:
    """Judges pairs with what has been learned."""

    stack: Stack

    def judge(self, pairs: Sequence[TextPair], *, progress: Progress | None = None) -> list[Entailment]:
        """Judge pairs of text and hypothesis, each by itself."""
        judged: list[Entailment] = []
        for readings, table in _evidence(pairs):
            for reading, chances in zip(readings, self.stack.probabilities(table), strict=True):
                judged.append(_judgement(reading, chances))
            if progress:
                progress(len(judged), len(pairs))
        return judged


def word_table(pairs: Sequence[TextPair]) -> Floats:
    """The evidence about pairs that needs no encoder, a row each."""
    return np.concatenate([table for _, table in _prepared(pairs)])


def _evidence(pairs: Sequence[TextPair]) -> Iterator[tuple[Batch, Floats]]:
    """Pairs as they were read and the evidence about them, some at a time.

    The encoder reads one batch while the words of the next are compared.
    """
    with one_thread_each():
        for reading in ahead(_encoded, _prepared(pairs)):
            yield reading.result()


def _prepared(pairs: Sequence[TextPair]) -> Iterator[tuple[Batch, Floats]]:
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        texts = [short for text, hypothesis in batch for short in _shortened(text, hypothesis)]
        documents = list(analyse_many(texts))
        readings = [read_pair(*two) for two in zip(documents[::2], documents[1::2], strict=True)]
        yield readings, np.array([word_evidence(reading) for reading in readings])


def _shortened(text: str, hypothesis: str) -> TextPair:
    return " ".join(text[:LONGEST_TEXT].split()), " ".join(hypothesis[:LONGEST_HYPOTHESIS].split())


def _encoded(prepared: tuple[Batch, Floats]) -> tuple[Batch, Floats]:
    readings, words = prepared
    logits = encoder().pairs([_read(reading) for reading in readings], ("nli",))["nli"]
    return readings, np.hstack([encoder_evidence(logits), words])


def _read(reading: Reading) -> TextPair:
    """A pair as the encoder reads it: of a long text only what bears on the hypothesis."""
    room = max(_READ - len(reading.hypothesis.tokens), _READ // 2)
    return condensed(reading.text, reading.shares, room), reading.hypothesis.text


def _judgement(reading: Reading, chances: Floats) -> Entailment:
    has_words = all(any(map(str.isalnum, one.text)) for one in (reading.text, reading.hypothesis))
    entailed, denied, unknown = chances.tolist() if has_words else _NO_WORDS
    label = LABELS[0] if entailed >= 0.5 else LABELS[1] if denied > unknown else LABELS[2]
    probabilities = dict(zip(LABELS, (entailed, denied, unknown), strict=True))
    return Entailment(label, probabilities, entailed, findings(reading))


@cache
def load_entailer() -> Entailer:
    """The entailer that ships."""
    return Entailer(shipped_stack())
