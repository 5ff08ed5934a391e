"""Judges a class: plain cases first, then evidence, probabilities and the memory of a person's decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from postil.data.arrays import Floats
from postil.data.judgements import CREDIT, Judgement, Reason, collapsed, score_of
from postil.data.labels import RESPONSE_SCHEMES
from postil.grading.answers import PlainCase, as_read, bare, plain_case, shortened
from postil.grading.decision import LABELS, Biases, decide, moved
from postil.grading.evidence import Evidence, gather, similarities
from postil.grading.memory import Kernel, adjust, propose, targets
from postil.grading.oddities import is_question, oddity
from postil.grading.probabilities import Stack
from postil.language.measures.coverage import Side
from postil.language.network import Reader, one_thread_each

_MANY_WORDS = 100  # longer answers are left to a person
LONG_REFERENCE = 16  # words; how much of a longer one must be said is for the teacher to decide
_SURE = 0.96  # of what is plain to see


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """A reader, the stack that weighs what it says with other evidence, and how much the two count."""

    stack: Stack
    reader: Reader
    share: float = 1.0


def judge_class(
    question: str,
    references: Sequence[str],
    answers: Sequence[str],
    opinions: Sequence[Opinion],
    kernel: Kernel,
    decided: Mapping[str, str] | None = None,
    credit: Mapping[str, float] = CREDIT,
    target: float | None = None,
    leniency: float = 0.0,
) -> list[Judgement]:
    """Judge the answers to a question as one class; `decided` has labels that a person gave to some texts.

    Of several opinions the mean counts, by their shares. The first says how sure a judgement must be to pass,
    by the `target` for the accuracy of what passes or, without one, by its own level. `leniency` is added to
    the log odds that an answer is correct.
    """
    stack, reader = opinions[0].stack, opinions[0].reader
    decided = decided or {}
    # Whoever writes the same gets the same: answers that differ in capitals and full stops are judged as one.
    first: dict[str, str] = {bare(text): text for text in decided}
    texts = [first.setdefault(bare(text), text) for text in map(shortened, answers)]
    judgements: dict[int, Judgement] = {}
    for row, text in enumerate(texts):
        told = PlainCase(decided[text], Reason.TOLD) if text in decided else None
        case = told or plain_case(question, references, text)
        if case is not None:
            judgements[row] = _plain(case, credit)
            if case.reason is Reason.REFERENCE and is_question(question, references, text):
                judgements[row] = replace(judgements[row], deferred=True, because="", reason=Reason.ASKED)
    rest = [row for row in range(len(texts)) if row not in judgements]
    if rest:
        # Decided answers belong to the class: the others are compared with them as well.
        members = as_read(question, references, [*(texts[row] for row in rest), *decided])
        evidence, chances = _read(question, references, members, opinions)
        labels = list(decided.values())
        probabilities = _reconsidered(moved(chances, leniency), evidence.sides, labels, kernel)
        level = stack.pass_level if target is None else stack.threshold(target)
        wary = 0.0 if decided or leniency else stack.passing_long
        biases = _biases(opinions)
        judged = _judgements(probabilities, evidence.references[: len(rest)], biases, credit, level)
        believed = evidence.readers[: len(rest)]
        for row, answer, judgement, name in zip(rest, members, judged, believed, strict=False):
            reason = _reason_to_look(question, references, answer, judgement, wary, reader.gullible)
            judgements[row] = replace(
                judgement,
                deferred=judgement.deferred or reason is not None,
                reason=reason,
                reader=reader.name,
                read_by=name,
            )
    return [judgements[row] for row in range(len(texts))]


def _read(
    question: str, references: Sequence[str], answers: Sequence[str], opinions: Sequence[Opinion]
) -> tuple[Evidence, Floats]:
    """The first opinion's evidence, and the probabilities that all give together."""
    read = [
        gather(question, references, answers, opinion.reader, opinion.stack.features) for opinion in opinions
    ]
    chances = [
        opinion.stack.probabilities(evidence.table) for opinion, evidence in zip(opinions, read, strict=True)
    ]
    mean: Floats = np.average(chances, axis=0, weights=[opinion.share for opinion in opinions])
    return read[0], mean


def unaided(
    question: str, references: Sequence[str], answers: Sequence[str], opinions: Sequence[Opinion]
) -> Floats:
    """The probabilities that the readers give answers before any label or setting moves them."""
    return _read(question, references, as_read(question, references, answers), opinions)[1]


def _biases(opinions: Sequence[Opinion]) -> dict[str, list[float]]:
    """The mean of what each opinion adds before a label is chosen."""
    shares = [opinion.share for opinion in opinions]
    return {
        name: np.average([each.stack.biases[name] for each in opinions], axis=0, weights=shares).tolist()
        for name in opinions[0].stack.biases
    }


def _reason_to_look(
    question: str,
    references: Sequence[str],
    answer: str,
    judgement: Judgement,
    wary: float,
    gullible: bool,
) -> Reason | None:
    """Why a person should look at an answer, however sure the model is.

    Beside a long reference the model must be as sure as `wary` to call an answer wrong. Some tricks are only
    looked for where the reader would not see them.
    """
    if len(answer.split()) > _MANY_WORDS:
        return Reason.LONG
    if judgement.label == "correct":
        return oddity(question, references, answer, gullible=gullible)
    is_long = len(judgement.reference.split()) > LONG_REFERENCE
    return (
        Reason.LONG_REFERENCE if is_long and not judgement.deferred and judgement.confidence < wary else None
    )


def _judgements(
    probabilities: Floats,
    references: Sequence[str],
    biases: Biases,
    credit: Mapping[str, float],
    level: float,
) -> Iterator[Judgement]:
    decided = decide(probabilities, biases)
    for row, reference in enumerate(references):
        five = dict(zip(LABELS, probabilities[row].tolist(), strict=True))
        chances = collapsed(five)
        labels = {name: RESPONSE_SCHEMES[name].labels[rows[row]] for name, rows in decided.items()}
        confidence = chances["2way"][labels["2way"]]
        yield Judgement(labels, chances, score_of(five, credit), confidence, confidence < level, reference)


def _plain(case: PlainCase, credit: Mapping[str, float]) -> Judgement:
    """A judgement that needs no model; a coarse label leaves the finer ones to the most frequent."""
    label = "irrelevant" if case.label == "incorrect" else case.label
    five = dict.fromkeys(LABELS, (1 - _SURE) / (len(LABELS) - 1)) | {label: _SURE}
    labels = {name: scheme.collapse(label) or label for name, scheme in RESPONSE_SCHEMES.items()}
    chances = collapsed(five)
    confidence = chances["2way"][labels["2way"]]
    return Judgement(labels, chances, score_of(five, credit), confidence, reason=case.reason)


def _reconsidered(
    probabilities: Floats, sides: Sequence[Side], labels: Sequence[str], kernel: Kernel
) -> Floats:
    """What the stack says of answers, moved by the labels that a person gave to the last of them."""
    count = len(probabilities) - len(labels)
    rest, known = probabilities[:count], probabilities[count:]
    with one_thread_each():
        likeness = similarities(sides, sides[count:])
    return adjust(rest, likeness[:count], known, likeness[count:], targets(labels, known), kernel)


def worth_labelling(
    question: str,
    references: Sequence[str],
    answers: Sequence[str],
    count: int,
    opinions: Sequence[Opinion],
    kernel: Kernel,
    decided: Mapping[str, str] | None = None,
) -> list[int]:
    """The rows of the answers to label first: those that tell most about the others."""
    decided = decided or {}
    texts = [shortened(answer) for answer in answers]
    first = {text: row for row, text in reversed(list(enumerate(texts)))}
    rows = [
        row
        for row, text in enumerate(texts)
        if first[text] == row and plain_case(question, references, text) is None
    ]
    if all(texts[row] in decided for row in rows):
        return []
    members = as_read(question, references, [texts[row] for row in rows])
    evidence, chances = _read(question, references, members, opinions)
    seen = [number for number, row in enumerate(rows) if texts[row] in decided]
    with one_thread_each():
        likeness = similarities(evidence.sides, evidence.sides)
    chosen = propose(chances, likeness, count, seen, kernel)
    return [rows[number] for number in chosen]
