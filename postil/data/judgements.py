"""What Postil says of an answer: a label, how sure, in three schemes, and a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from postil.data.alignments import AlignedPair
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.outcome import FacetOutcome

# What each label earns unless the user says otherwise.
CREDIT: Mapping[str, float] = {
    "correct": 1.0,
    "partially_correct_incomplete": 0.5,
    "contradictory": 0.0,
    "irrelevant": 0.0,
    "non_domain": 0.0,
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an answer was judged so: its chunks (the source) beside the reference's, and what that shows.

    `teacher` is for who knows the reference; `student` is for who wrote the answer, and gives nothing away.
    `facets` says of each point of the reference whether the answer makes it.
    """

    alignment: AlignedPair
    teacher: str
    student: str
    facets: tuple[FacetOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer judged.

    `labels` and `probabilities` are by scheme ("5way", "3way", "2way"), and agree with each other: an answer
    that is correct in one is correct in all. `confidence` is the probability that the two-way label is right;
    it is lower where the explanation's facets speak against the label (`consistency`).
    `deferred` means that a person should look at it. `because` says in plain words what decided beforehand
    (an empty answer, a copy of the question), and is empty where the model judged; such a judgement has an
    `explanation` if one was asked for.
    """

    labels: Mapping[str, str]
    probabilities: Mapping[str, Mapping[str, float]]
    score: float
    confidence: float
    deferred: bool = False
    reference: str = ""
    because: str = ""
    explanation: Explanation | None = None

    @property
    def label(self) -> str:
        """The label in the finest scheme."""
        return self.labels["5way"]


def collapsed(five: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The probabilities of five labels, added up for every scheme."""
    found = {}
    for scheme in RESPONSE_SCHEMES.values():
        sums = dict.fromkeys(scheme.labels, 0.0)
        for label, probability in five.items():
            sums[scheme.collapse(label) or label] += probability
        found[scheme.name] = sums
    return found


def score_of(five: Mapping[str, float], credit: Mapping[str, float] = CREDIT) -> float:
    """The score in [0, 1]: the credit of every label, by its probability."""
    return sum(probability * credit.get(label, 0.0) for label, probability in five.items())
