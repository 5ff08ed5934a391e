"""What Postil says of an answer: a label in three schemes, how sure it is, and a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Facet

Spans = tuple[tuple[int, int], ...]
# What a person says that counts; None: the machine finds its own.
Facets = tuple[Facet, ...] | None

EXPRESSED, UNADDRESSED, CONTRADICTED = "Expressed", "Unaddressed", "Contradicted"


@dataclass(frozen=True, slots=True)
class FacetOutcome:
    """Whether an answer expresses or contradicts a facet, how sure that is, and in which words.

    `expressed` and `contradicted` are the chances of the two, whatever the label. Spans are characters: of
    the answer as it was judged (contractions spelled out, blanks made single; in an explanation, as it was
    written), and of the reference. An answer that expresses a facet only as a whole, by implication, has no
    spans. `near` is where the answer speaks of the facet at all, whatever it says of it.
    """

    facet: Facet
    label: str
    confidence: float
    words: tuple[str, ...] = ()
    spans: Spans = ()
    reference_spans: Spans = ()
    contradicted: float = 0.0
    expressed: float = 0.0
    near: Spans = ()


TYPES = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI")
ADDITIONS = ("FACT", "POL")
APPROXIMATE = "approximate"  # the status of a pair whose links are not surely the best

Chunks = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """One line of an alignment: token numbers (from 1) of each side, labels and score.

    An empty side means that the other side's chunk is not aligned; `score` is None where the file says NIL.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    labels: tuple[str, ...]
    score: float | None

    @property
    def type(self) -> str:
        """The alignment type, without the FACT and POL that may stand beside it."""
        return next((label for label in self.labels if label in TYPES), "")


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """Two sentences as tokens, and the alignments between their chunks."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    alignments: tuple[Alignment, ...] = ()
    source_text: str = ""
    target_text: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class ChunkedPair:
    """Two sentences cut into chunks: for each chunk its token numbers, from 1."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    source_chunks: Chunks
    target_chunks: Chunks


# What each label earns unless the user says otherwise.
CREDIT: Mapping[str, float] = {
    "correct": 1.0,
    "partially_correct_incomplete": 0.5,
    "contradictory": 0.0,
    "irrelevant": 0.0,
    "non_domain": 0.0,
}


class Pupils(StrEnum):
    """Whom feedback is for: the same is said to all, in simpler words to younger pupils."""

    YOUNGER = "younger"
    OLDER = "older"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an answer was judged so: what became of each claim, and that in words.

    `note` is for someone who knows the reference, and `doubt` says what there is to check; either may be
    empty. `student` is for the author of the answer, and gives nothing away. `facets` says for each claim of
    the reference whether the answer makes it; its words and spans are those of the answer as it was written.
    `alignment` links the answer's chunks (the source) to the reference's.
    """

    alignment: AlignedPair
    note: str
    student: str
    facets: tuple[FacetOutcome, ...] = ()
    doubt: str = ""

    @property
    def teacher(self) -> str:
        """All that is said to a teacher: the note, and then what to check."""
        return " ".join(filter(None, (self.note, self.doubt)))


class Reason(StrEnum):
    """Why a judgement is as it is, where something other than the model decided it or set it apart."""

    TOLD = "told"
    EMPTY = "empty"
    NO_WORDS = "no_words"
    REFERENCE = "reference"
    NO_ANSWER = "no_answer"
    QUESTION = "question"
    PLEA = "plea"
    TOO_FEW = "too_few"
    UNKNOWN_WORDS = "unknown_words"
    LONG = "long"
    LONG_REFERENCE = "long_reference"
    ORDER = "order"
    TAKEN_BACK = "taken_back"
    ASKED = "asked"
    OPPOSITE = "opposite"
    NUMBER = "number"
    SEVERAL = "several"
    WORDY = "wordy"
    UNREAD = "unread"
    UNEXPLAINED = "unexplained"

    @property
    def words(self) -> str:
        """The reason as a clause that can follow "because"."""
        return _IN_WORDS[self]


_IN_WORDS = {
    Reason.TOLD: "a person has labelled this answer",
    Reason.EMPTY: "nothing was written",
    Reason.NO_WORDS: "there are no words in it",
    Reason.REFERENCE: "it says just what the reference says",
    Reason.NO_ANSWER: "it says that there is no answer",
    Reason.QUESTION: "it only repeats the question",
    Reason.PLEA: "it asks for marks instead of answering",
    Reason.TOO_FEW: "it names fewer things than the question asks for",
    Reason.UNKNOWN_WORDS: "hardly a word in it is known",
    Reason.LONG: "it is much longer than the answers that the grader has learned from",
    Reason.LONG_REFERENCE: "the reference is long, and teachers differ about how much of it must be said",
    Reason.ORDER: "it has the reference's words, but in a different order",
    Reason.TAKEN_BACK: "it seems to take back what it says, or to leave it open",
    Reason.ASKED: "it is written as a question",
    Reason.OPPOSITE: "it has the reference's words, but one of them is turned into its opposite",
    Reason.NUMBER: "it has another number or unit than the reference",
    Reason.SEVERAL: "it also names things that the reference does not have",
    Reason.WORDY: "it is several times as long as the reference, though the question asks for one thing",
    Reason.UNREAD: "Postil ran out of time or memory when it tried to read this answer",
    Reason.UNEXPLAINED: "Postil ran out of time or memory when it tried to explain its judgement",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer judged.

    `labels` and `probabilities` are by scheme ("5way", "3way", "2way"), and agree with each other: an answer
    that is correct in one is correct in all. `confidence` is the probability that the two-way label is right.
    `deferred` means that a person should look at it. `reason` says what decided beforehand (an empty answer,
    a copy of the question) or set the answer apart, and `because` says so in words; where the model judged,
    there is neither, but an `explanation` if one was asked for. `reader` is the one that was asked for, and
    `read_by` the one that decided: of a cascade the quick, the careful or the expert one. Both are empty
    where no reader was needed.
    """

    labels: Mapping[str, str]
    probabilities: Mapping[str, Mapping[str, float]]
    score: float
    confidence: float
    deferred: bool = False
    reference: str = ""
    because: str = ""
    explanation: Explanation | None = None
    reason: Reason | None = None
    reader: str = ""
    read_by: str = ""

    def __post_init__(self) -> None:
        if self.reason and not self.because:
            object.__setattr__(self, "because", self.reason.words)

    @property
    def label(self) -> str:
        """The label in the finest scheme."""
        return self.labels["5way"]


def collapsed(five: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The probabilities of five labels, added up for every scheme."""
    sums = {scheme.name: dict.fromkeys(scheme.labels, 0.0) for scheme in RESPONSE_SCHEMES.values()}
    for scheme in RESPONSE_SCHEMES.values():
        for label, probability in five.items():
            sums[scheme.name][scheme.collapse(label) or label] += probability
    return sums


def score_of(five: Mapping[str, float], credit: Mapping[str, float] = CREDIT) -> float:
    """The score in [0, 1]: the credit of every label, by its probability."""
    return sum(probability * credit.get(label, 0.0) for label, probability in five.items())
