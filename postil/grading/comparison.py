"""An answer beside its reference: chunks aligned, claims looked for, before anything is put into words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import NamedTuple

from postil.alignment.aligner import MOST_ALIGNED, chunked_pair, load_aligner
from postil.alignment.features import Pair as WordPair
from postil.alignment.features import prepare, read
from postil.data.judgements import AlignedPair, ChunkedPair, FacetOutcome, Facets, Judgement, Reason
from postil.data.labels import PARTLY
from postil.grading.answers import MOST_READ, shortened
from postil.grading.claims import find_points, judge_found, locate
from postil.grading.decision import agreed
from postil.grading.facets import MOST_CLAUSES
from postil.language.document import Document
from postil.language.network import beside, default_reader, one_thread_each
from postil.language.pipeline import beginning, documents_of, in_batches, length
from postil.language.spelling import spelled_out

_ALIGNED = 64  # pairs aligned at a time: memory grows with their number
_MOST_CELLS = 200_000  # words of answers times words of their references
_Pair = tuple[str, str]  # an answer and the reference that it was compared with
_Prepared = tuple[ChunkedPair, WordPair]  # the two in chunks, and their words compared
# The labels that leave open which claims are made. A correct answer makes all, one off the point none.
_OPEN = (PARTLY, "contradictory")
# Whoever looks at an answer for one of these reasons has to see what it leaves out or turns round.
_COMPARED = (None, Reason.LONG_REFERENCE, Reason.OPPOSITE, Reason.NUMBER, Reason.SEVERAL, Reason.WORDY)


class _Key(NamedTuple):
    """What one comparison is about; the claims are those that a person set.

    Claims that Postil finds are `open` where the label does not say what the answer does with them.
    """

    question: str
    pair: _Pair
    claims: Facets
    reader: str
    open: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Class:
    """The answers to a question as they were read, their judgements, and the claims that a person set."""

    question: str
    answers: Sequence[str]
    judgements: Sequence[Judgement]
    claims: Facets = None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """An answer and its reference: aligned, analysed, and what the answer does with each claim.

    An answer that is not `whole` was compared up to a limit.
    """

    alignment: AlignedPair
    claims: tuple[FacetOutcome, ...]
    question: Document
    answer: Document
    reference: Document
    whole: bool = True


def compare(classes: Sequence[Class]) -> list[list[Comparison | None]]:
    """Compare the answers of several classes at once; equal texts are looked at once and share a comparison.

    The claims are those that a person set, or else the points of the reference. None where nothing needs to
    be compared: what was decided without a model or set apart for what it says, or has no reference.
    """
    keys = [_keys(members) for members in classes]
    distinct = list(dict.fromkeys(key for row in keys for key in row if key is not None))
    # Memory grows with the words of the answer times those of the reference.
    batches = in_batches(distinct, lambda key: prod(map(length, key.pair)), _MOST_CELLS)
    comparisons = {key: each for batch in batches for key, each in _compared(batch).items()}
    return [[None if key is None else comparisons[key] for key in row] for row in keys]


def settled(
    judgements: Sequence[Judgement], comparisons: Sequence[Comparison | None]
) -> list[Comparison | None]:
    """The comparisons with the outcomes of claims as they are once the labels are known."""
    known: dict[tuple[int, str, bool, float], Comparison] = {}  # equal answers go on sharing a comparison
    result: list[Comparison | None] = []
    for judgement, comparison in zip(judgements, comparisons, strict=True):
        if comparison is None:
            result.append(None)
            continue
        chance = judgement.probabilities["5way"][judgement.label]
        key = id(comparison), judgement.label, judgement.deferred, chance
        if key not in known:
            outcomes = agreed(judgement, comparison.claims, comparison.answer.text)
            known[key] = replace(comparison, claims=outcomes)
        result.append(known[key])
    return result


def _compared(keys: Sequence[_Key]) -> dict[_Key, Comparison]:
    pairs = list(dict.fromkeys(key.pair for key in keys))
    with one_thread_each(), beside() as pool:
        documents = documents_of([*chain.from_iterable(pairs), *(key.question for key in keys)])
        prepared = _prepared(pairs, documents)
        # Claims are read by the network, which works outside the interpreter; chunks are aligned meanwhile.
        judging = pool.submit(_judge_claims, keys, documents, prepared)
        aligned = _align(prepared)
        outcomes = judging.result()
    return {
        key: Comparison(
            aligned[key.pair],
            outcomes[key],
            documents[key.question],
            documents[key.pair[0]],
            documents[key.pair[1]],
            whole=key.whole,
        )
        for key in keys
    }


def _keys(members: Class) -> list[_Key | None]:
    keys: list[_Key | None] = []
    question = beginning(members.question, MOST_READ)
    for answer, judgement in zip(members.answers, members.judgements, strict=True):
        full = spelled_out(" ".join(answer.split()))
        text, reference = (beginning(each, MOST_ALIGNED) for each in (full, judgement.reference))
        compared = reference and judgement.reason in _COMPARED and any(map(str.isalnum, text))
        reader = judgement.reader or default_reader()
        is_open = judgement.deferred or judgement.label in _OPEN or members.claims is not None
        key = _Key(question, (text, reference), members.claims, reader, is_open, text == full)
        keys.append(key if compared else None)
    return keys


def _prepared(pairs: Sequence[_Pair], documents: Mapping[str, Document]) -> dict[_Pair, _Prepared]:
    """Each answer beside its reference, in chunks, and their words compared."""
    sides = [(documents[answer], documents[reference]) for answer, reference in pairs]
    chunked = [chunked_pair(str(number), *side) for number, side in enumerate(sides, 1)]
    reading = read([(answer.text, reference.text) for answer, reference in sides])
    words = prepare(chunked, [document for side in sides for document in side], reading)
    return dict(zip(pairs, zip(chunked, words, strict=True), strict=True))


def _align(prepared: Mapping[_Pair, _Prepared]) -> dict[_Pair, AlignedPair]:
    """Align each answer with its reference, some at a time."""
    aligner, items = load_aligner(), list(prepared.values())
    aligned: list[AlignedPair] = []
    for start in range(0, len(items), _ALIGNED):
        chunked, words = zip(*items[start : start + _ALIGNED], strict=True)
        aligned += aligner.align_prepared(chunked, words)
    return dict(zip(prepared, aligned, strict=True))


def _judge_claims(
    keys: Sequence[_Key], documents: Mapping[str, Document], prepared: Mapping[_Pair, _Prepared]
) -> dict[_Key, tuple[FacetOutcome, ...]]:
    """What each answer does with the claims set, or else with the points of its reference."""
    together: defaultdict[tuple[str, str, Facets, str, bool], list[_Key]] = defaultdict(list)
    for key in keys:
        together[key.question, key.pair[1], key.claims, key.reader, key.open].append(key)
    outcomes: dict[_Key, tuple[FacetOutcome, ...]] = {}
    for (question, reference, claims, reader, is_open), members in together.items():
        target = documents[reference]
        points = find_points(target, documents[question]) if claims is None else locate(claims, target)
        words = [prepared[key.pair][1] for key in members]
        most = MOST_CLAUSES if is_open else 0
        outcomes |= zip(members, judge_found(points, words, shortened(question), reader, most), strict=True)
    return outcomes
