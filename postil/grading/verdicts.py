"""Whether a text makes a claim: what a reader says of the two, as chances that mean what they say.

A reader with a claim head is asked whether the text expresses the claim, contradicts it or does not address
it. The quick reader has no such head; its judgements of answers and of inference stand in for it.

>>> from postil.grading.verdicts import Asked, judge_claims
>>> (verdict,) = judge_claims([Asked("Voltage is a gap.", "Voltage is a gap.")], "quick")
>>> verdict.label
'Expressed'
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.special import expit, log_softmax, logsumexp, softmax

from postil.data.arrays import Floats
from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED
from postil.language.network import (
    CAREFUL,
    CASCADE,
    EXPERT,
    QUICK,
    THOROUGH,
    PairReader,
    Reader,
    asked,
    default_reader,
    reader,
)
from postil.language.spelling import spelled_out

_CLAIM = "claim"
# The heads that stand in for it, and which of their outputs say so: correct or entailed, contradictory.
_STAND_IN = {"response": (0, 2), "nli": (0, 2)}
# Where several read, each reads what those before it are not so sure of.
_STAGES = {CASCADE: (QUICK, CAREFUL), THOROUGH: (QUICK, CAREFUL, EXPERT)}
_BELIEVED = (0.95, 0.75)
# Words that are read at once. A network cannot read more; with less, what a text says in several sentences
# is not found (docs/researchers/facets.md). The quick reader believes anything of longer texts.
_WINDOW, _QUICK_WINDOW = 130, 40
_SENTENCE_END = re.compile(r"(?<=[.!?;…])[\"'”’)\]]*\s+")
_MOST_WINDOWS = 40  # of a text: time is bounded
_SUREST = 9.0  # log odds
# Added to the log odds that a claim is made: where macro F1 is best when one corpus of claims after the other
# is left out (benchmarks/claim_judging.py). The words that text and claim share add nothing to it.
_LEAN = 0.25
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """A text, a claim, and the question that the text is an answer to, if it is one."""

    text: str
    claim: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a text makes a claim: the outcome, and the chances of two of the three."""

    label: str
    expressed: float
    contradicted: float


def judge_claims(items: Sequence[Asked], name: str | None = None) -> list[Verdict]:
    """Judge claims, in order, by the reader of this name or the one that grades by default.

    Texts are read with their question and without: one that is no answer to it, such as a passage that people
    talk about, is misread with it. The reading counts that rather finds the claim.
    """
    with_question = chances(items, name)
    without = chances([Asked(item.text, item.claim) for item in items], name)
    rows = np.where(with_question[:, :1] >= without[:, :1], with_question, without)
    return [Verdict(label_of(*row), *row) for row in rows.tolist()]


def label_of(expressed: float, contradicted: float) -> str:
    """The outcome of a claim with these chances."""
    if expressed >= _HALF:
        return EXPRESSED
    return CONTRADICTED if contradicted >= _HALF else UNADDRESSED


def has_claim_head(name: str | None = None) -> bool:
    """Whether a reader can be asked about claims; for one that cannot, other heads stand in."""
    return (name or default_reader()) != QUICK


def chances(items: Sequence[Asked], name: str | None = None) -> Floats:
    """The chances that each claim is expressed and that it is contradicted, a row each.

    Equal ones are read once. A long text is read in windows, and what one of them says is said.
    """
    name = name or default_reader()
    read = [Asked(*(spelled_out(" ".join(part.split())) for part in _parts(item))) for item in items]
    distinct = list(dict.fromkeys(read))
    known = np.zeros((len(distinct), 2))
    doubtful = np.arange(len(distinct))
    for stage, believed in zip(_STAGES.get(name, (name,)), (*_BELIEVED, 1.0), strict=False):
        if len(doubtful):
            known[doubtful] = _chances_by([distinct[row] for row in doubtful.tolist()], stage)
            rest = 1 - known[doubtful].sum(axis=1)
            doubtful = doubtful[np.maximum(known[doubtful].max(axis=1), rest) < believed]
    places = {item: row for row, item in enumerate(distinct)}
    result: Floats = known[[places[item] for item in read]]
    return result


def _parts(item: Asked) -> tuple[str, str, str]:
    return item.text, item.claim, item.question


def as_graded(items: Sequence[Asked], name: str | None = None) -> Floats:
    """The chances that each text is a correct answer and that it contradicts, beside a whole reference.

    The reference stands in the place of the claim. What grading has read already is not read again.
    """
    network = reader(name or default_reader())
    result = np.zeros((len(items), 2))
    by_question: defaultdict[str, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        by_question[item.question].append(row)
    for question, rows in by_question.items():
        texts = [" ".join(spelled_out(items[row].text).split()[: network.most_words]) for row in rows]
        pairs = [(text, spelled_out(items[row].claim)) for text, row in zip(texts, rows, strict=True)]
        logits = network.pairs(pairs, ("response",), question)["response"].astype(np.float64)
        said = np.array([any(map(str.isalnum, text)) for text in texts])
        result[rows] = softmax(logits, axis=-1)[:, [0, 2]] * said[:, None]
    return result


def _chances_by(items: Sequence[Asked], name: str) -> Floats:
    """The chances of distinct claims by a single reader."""
    most = _QUICK_WINDOW if name == QUICK else _WINDOW
    windows_of = [[(part, item.claim, item.question) for part in windows(item.text, most)] for item in items]
    distinct = list(dict.fromkeys(chain(*windows_of)))
    table = (_read_quickly if name == QUICK else _read)([Asked(*part) for part in distinct], reader(name))
    rows = dict(zip(distinct, table, strict=True))
    highest = np.zeros((len(items), 2))
    for number, parts in enumerate(windows_of):
        if parts:
            highest[number] = np.max([rows[part] for part in parts], axis=0)
    # Windows may disagree, but both chances together are no surer than sure.
    shared: Floats = highest / np.maximum(highest.sum(axis=-1, keepdims=True), 1)
    return shared


def windows(text: str, most: int = _WINDOW) -> list[str]:
    """The parts of a text that are read at once: as many sentences as are short enough together."""
    if not any(map(str.isalnum, text)):
        return []
    if len(text.split()) <= most:
        return [text]
    parts: list[list[str]] = []
    for sentence in _SENTENCE_END.split(text):
        words = sentence.split()
        for start in range(0, len(words), most):
            piece = words[start : start + most]
            if parts and len(parts[-1]) + len(piece) <= most:
                parts[-1] += piece
            else:
                parts.append(piece)
    return [" ".join(words) for words in parts if any(map(str.isalnum, "".join(words)))][:_MOST_WINDOWS]


def _read_quickly(items: Sequence[Asked], network: Reader) -> Floats:
    """What the quick reader's heads say of texts that are short enough, on average."""
    if not items:
        return np.zeros((0, 2))
    logits = network.pairs([(item.text, item.claim) for item in items], tuple(_STAND_IN))
    read = [
        softmax(logits[head].astype(np.float64), axis=1)[:, list(outputs)]
        for head, outputs in _STAND_IN.items()
    ]
    mean: Floats = np.mean(read, axis=0)
    return mean


def _read(items: Sequence[Asked], network: Reader) -> Floats:
    """What a claim head says of texts that are short enough."""
    logits = np.zeros((len(items), 3))
    if isinstance(network, PairReader):
        # It reads a question before the claim, so claims about several questions can be read at once.
        pairs = [(item.text, asked(item.question, item.claim)) for item in items]
        logits[:] = network.pairs(pairs, (_CLAIM,))[_CLAIM] if pairs else logits
    else:
        by_question: defaultdict[str, list[int]] = defaultdict(list)
        for row, item in enumerate(items):
            by_question[item.question].append(row)
        for question, rows in by_question.items():
            pairs = [(items[row].text, items[row].claim) for row in rows]
            logits[rows] = network.pairs(pairs, (_CLAIM,), question)[_CLAIM]
    logs = log_softmax(logits, axis=-1)
    odds = np.clip(logs[:, 0] - logsumexp(logs[:, 1:], axis=-1), -_SUREST, _SUREST)
    expressed = expit(odds + _LEAN)
    return np.stack([expressed, (1 - expressed) * softmax(logs[:, 1:], axis=-1)[:, 0]], axis=-1)
