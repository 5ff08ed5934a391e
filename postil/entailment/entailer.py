"""Judge whether a text entails a hypothesis, denies it or leaves it open, and find the part that says so.

The stack weighs the evidence about a pair: first whether it is entailed and, if not, whether it is denied.

>>> from postil.entailment.entailer import load_entailer
>>> judged, = load_entailer().judge([("The dog is asleep on the mat.", "The dog sleeps.")])
>>> judged.label
'ENTAILMENT'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from postil.data.arrays import Floats
from postil.data.files import write_text
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.entailment.findings import (
    ENCODER,
    EVIDENCE,
    Findings,
    encoder_evidence,
    findings,
    word_evidence,
)
from postil.entailment.reading import Reading, condensed, read_pair
from postil.errors import InputError
from postil.language.network import (
    QUICK,
    SERVER,
    Reader,
    ahead,
    default_reader,
    kind_of,
    one_thread_each,
    reader,
    stack_folder,
    weighed_as,
)
from postil.language.pipeline import analyse_many, beginning

TextPair = tuple[str, str]  # text, hypothesis
Progress = Callable[[int, int], None]
Batch = Sequence[Reading]

FORMAT = 1
STACK_FILE, COMPANION_STACK_FILE = "stack.json", "entailment.json"
LABELS = ENTAILMENT_SCHEMES["3way"].labels  # entailment, contradiction, unknown
# Longer texts and hypotheses are judged by their beginning.
LONGEST_TEXT, LONGEST_HYPOTHESIS = 20_000, 2_000
MOST_OF_TEXT, MOST_OF_HYPOTHESIS = 2_000, 200  # words and symbols; every one of both is compared
# Where one of these is seen, entailment is rare, however sure the encoder is: in RTE-1 to RTE-3 it was right
# in nine of 28 such pairs.
PLAIN = ("numbers_clash", "denied", "left_open")
_BATCH = 64
_PIECES_OF_RARE_WORDS = 35  # networks count pieces of words, of which rare words have several
_NO_WORDS = (0.0, 0.0, 1.0)  # the chances where a text or a hypothesis has no words
_FARTHEST = 6.0  # standard deviations from the mean
_DIGITS = 9
_STEEP = 8.0  # a reader that is quite sure is then right in 98 of 100, by its word


@dataclass(frozen=True, slots=True)
class Entailment:
    """A judgement of a pair; `confidence` is the chance of entailment, by which pairs are ranked.

    `justification` gives the reason in words; `postil.explain.explanation` writes it.
    """

    label: str
    probabilities: Mapping[str, float]
    confidence: float
    findings: Findings = field(default_factory=Findings)
    justification: str = ""

    @property
    def two_way(self) -> str:
        """The label in the two-way scheme."""
        return ENTAILMENT_SCHEMES["2way"].collapse(self.label) or self.label


@dataclass(frozen=True, slots=True)
class Entailer:
    """Judges pairs with a reader and a learned stack."""

    stack: Stack
    reader: Reader

    def judge(self, pairs: Sequence[TextPair], *, progress: Progress | None = None) -> list[Entailment]:
        """Judge pairs of text and hypothesis, each independently."""
        judged: list[Entailment] = []
        with one_thread_each():
            # The network reads one batch while the next is prepared.
            for encoded in ahead(self._encoded, prepared(pairs)):
                readings, table = encoded.result()
                for reading, chances in zip(readings, self.stack.probabilities(table), strict=True):
                    judged.append(_judgement(reading, chances))
                if progress:
                    progress(len(judged), len(pairs))
        return judged

    def _encoded(self, batch: tuple[Batch, Floats]) -> tuple[Batch, Floats]:
        """Add the network's evidence."""
        readings, words = batch
        pairs = [network_pair(reading, self.reader) for reading in readings]
        return readings, np.hstack([encoder_evidence(self.reader.pairs(pairs, ("nli",))["nli"]), words])


def network_pair(reading: Reading, reader: Reader) -> TextPair:
    """What a network reads of a pair: of a long text only the sentences that bear on the hypothesis."""
    most = reader.longest - _PIECES_OF_RARE_WORDS
    room = max(most - len(reading.hypothesis.tokens), most // 2)
    return condensed(reading.text, reading.shares, room), reading.hypothesis.text


def word_table(pairs: Sequence[TextPair]) -> Floats:
    """The evidence about pairs that needs no encoder, one row for each."""
    return np.concatenate([table for _, table in prepared(pairs)])


def prepared(pairs: Sequence[TextPair]) -> Iterator[tuple[Batch, Floats]]:
    """The pairs as they are read, in batches, and the evidence about them that needs no network."""
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        documents = list(analyse_many(text for pair in batch for text in as_read(*pair)))
        readings = [read_pair(*pair) for pair in zip(documents[::2], documents[1::2], strict=True)]
        yield readings, np.array([word_evidence(reading) for reading in readings])


def as_read(text: str, hypothesis: str) -> TextPair:
    """A text and a hypothesis as far as they are read, blanks made one."""
    limits = ((text, LONGEST_TEXT, MOST_OF_TEXT), (hypothesis, LONGEST_HYPOTHESIS, MOST_OF_HYPOTHESIS))
    text, hypothesis = (beginning(" ".join(each[:longest].split()), most) for each, longest, most in limits)
    return text, hypothesis


def _judgement(reading: Reading, chances: Floats) -> Entailment:
    documents = (reading.text, reading.hypothesis)
    has_words = all(any(map(str.isalnum, document.text)) for document in documents)
    entailed, denied, unknown = chances.tolist() if has_words else _NO_WORDS
    label = LABELS[0] if entailed >= 0.5 else LABELS[1] if denied > unknown else LABELS[2]
    probabilities = dict(zip(LABELS, (entailed, denied, unknown), strict=True))
    return Entailment(label, probabilities, entailed, findings(reading))


def load_entailer() -> Entailer:
    """The entailer of the reader that is the default; cascades have the careful one's.

    A server's model is taken at its word.
    """
    return _entailer(weighed_as(default_reader()))


@cache
def _entailer(name: str) -> Entailer:
    if kind_of(name) == SERVER:
        return Entailer(_trusting(), reader(name))
    folder = stack_folder(name)
    if folder is not None:
        return Entailer(load_stack(folder / COMPANION_STACK_FILE), reader(name))
    with as_file(files("postil.resources").joinpath("entailment", STACK_FILE)) as path:
        return Entailer(load_stack(path), reader(QUICK))


@dataclass(frozen=True, slots=True)
class Curve:
    """Logistic regression over some standardised features of `EVIDENCE`."""

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def chances(self, table: Floats) -> Floats:
        """The chance for each row of a table that has a column for each of `EVIDENCE`."""
        columns = standard(self.columns(table), np.array(self.means), np.array(self.scales))
        return np.asarray(expit(columns @ np.array(self.weights) + self.intercept))

    def columns(self, table: Floats) -> Floats:
        """The columns of the features that this curve weighs."""
        return table[:, [EVIDENCE.index(name) for name in self.features]]


def standard(columns: Floats, means: Floats, scales: Floats) -> Floats:
    """Evidence in standard deviations from its mean, clipped where it is far out."""
    return np.asarray(np.clip((columns - means) / scales, -_FARTHEST, _FARTHEST))


@dataclass(frozen=True, slots=True)
class Stack:
    """Two curves: the chance of entailment, and that of contradiction where nothing is entailed.

    The chance of entailment is halved, and so below one half, if anything plainly speaks against it.
    """

    entailed: Curve
    denied: Curve

    def probabilities(self, table: Floats) -> Floats:
        """One row for each pair; columns are entailment, contradiction, unknown."""
        entailed, denied = self.entailed.chances(table), self.denied.chances(table)
        plain = table[:, [EVIDENCE.index(name) for name in PLAIN]].any(axis=1)
        entailed = np.where(plain, entailed / 2, entailed)
        chances = np.stack([entailed, (1 - entailed) * denied, (1 - entailed) * (1 - denied)], axis=1)
        # The last digits of a product depend on how many rows there are; judgements must not.
        return chances.round(_DIGITS)


def _trusting() -> Stack:
    """A stack that takes a reader at its word: what it holds for more probable than not is so."""
    entailed, denied, unknown = ENCODER
    return Stack(
        Curve((entailed,), (0.5,), (1.0,), (_STEEP,), 0.0),
        Curve((denied, unknown), (0.0, 0.0), (1.0, 1.0), (_STEEP, -_STEEP), 0.0),
    )


def save_stack(path: Path, stack: Stack) -> None:
    """Write a stack as JSON."""
    write_text(path, json.dumps({"format": FORMAT, **asdict(stack)}, indent=1) + "\n")


def load_stack(path: Path) -> Stack:
    """Read what `save_stack` wrote."""
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["format"] != FORMAT:
            raise InputError(path, "was made by another version of Postil.")
        return Stack(_curve(content["entailed"]), _curve(content["denied"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        hint = "Make one with training/entailment.py."
        raise InputError(path, "is not a trained model.", hint=hint) from error


def _curve(values: Mapping[str, Any]) -> Curve:
    features = tuple(values["features"])
    if not set(features) <= set(EVIDENCE):
        raise ValueError("some features are unknown")
    numbers = np.array([values[name] for name in ("means", "scales", "weights")], np.float64)
    intercept = float(values["intercept"])
    if numbers.shape != (3, len(features)) or not np.isfinite([*numbers.ravel(), intercept]).all():
        raise ValueError(f"{len(features)} finite numbers are expected")
    means, scales, weights = (tuple(row) for row in numbers.tolist())
    return Curve(features, means, scales, weights, intercept)
