"""What speaks for and against entailment: a row of features for each pair of text and hypothesis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postil.entailment.bonds import bonds
from postil.entailment.certainty import left_open
from postil.entailment.numbers import Outcome
from postil.entailment.polarity import denied
from postil.entailment.reading import FOUND, Reading
from postil.grading.evidence import log_softmax

Floats = NDArray[np.float64]

ENCODER = ("encoder_entailment", "encoder_contradiction", "encoder_unknown")
WORDS = (
    "covered",  # weighted share of the hypothesis's words that the text supports
    "covered_by_one",  # … that one sentence supports
    "heaviest_missing",  # weight of the rarest word that it does not
    "names_missing",
    "nouns_missing",
    "numbers_missing",
    "numbers_clash",
    "opposites",
    "polarity_clashes",
    "net_oppositions",
    "denied",
    "left_open",
    "bonds",
    "swapped",
    "hypothesis_length",
)
EVIDENCE = (*ENCODER, *WORDS)


def word_evidence(reading: Reading) -> list[float]:
    """What words, numbers, negation and certainty tell; in the order of `WORDS`."""
    best, weights = reading.best, reading.weights
    missing = [token.pos for token, value in zip(reading.wanted, best, strict=True) if value < FOUND]
    outcomes = [one.outcome for one in reading.numbers]
    kept, swapped = bonds(reading)
    return [
        float(weights @ best / weights.sum()) if weights.size else 1.0,
        float(reading.shares.max(initial=0.0)),
        float((weights * (1 - best)).max(initial=0.0)),
        missing.count("PROPN"),
        missing.count("NOUN"),
        outcomes.count(Outcome.MISSING),
        outcomes.count(Outcome.CONTRADICTED),
        reading.opposed.opposites,
        reading.opposed.polarity_clashes,
        reading.opposed.net_oppositions,
        float(denied(reading) is not None),
        float(left_open(reading) is not None),
        kept,
        swapped,
        float(np.log1p(len(reading.hypothesis.tokens))),
    ]


def encoder_evidence(logits: NDArray[np.floating]) -> Floats:
    """The encoder's logits (entailment, neutral, contradiction) as chances, in the order of `ENCODER`.

    Chances and not their logarithms: how sure the encoder is beyond "very" tells nothing more.
    """
    found: Floats = np.exp(log_softmax(logits))[:, [0, 2, 1]]
    return found
