"""An answer beside its reference: chunks aligned, claims looked for, before anything is put into words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from postil.alignment.aligner import chunked_pair, load_aligner
from postil.alignment.features import Pair as WordPair
from postil.alignment.features import prepare, read
from postil.data.judgements import AlignedPair, ChunkedPair, FacetOutcome, Facets, Judgement
from postil.grading.claims import find_points, judge_found, locate
from postil.language.document import Document
from postil.language.network import beside, one_thread_each
from postil.language.pipeline import documents_of
from postil.language.spelling import spelled_out

_ALIGNED = 64  # pairs aligned at a time: memory grows with their number
_Pair = tuple[str, str]  # an answer and the reference that it was compared with
_Prepared = tuple[ChunkedPair, WordPair]  # the two in chunks, and their words compared
_Key = tuple[str, _Pair, Facets]  # the question, the pair, and the claims that a person set


@dataclass(frozen=True, slots=True)
class Class:
    """The answers to a question as they were read, their judgements, and the claims that a person set."""

    question: str
    answers: Sequence[str]
    judgements: Sequence[Judgement]
    claims: Facets = None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """An answer and its reference: aligned, analysed, and what the answer does with each claim."""

    alignment: AlignedPair
    claims: tuple[FacetOutcome, ...]
    question: Document
    answer: Document
    reference: Document


def compare(classes: Sequence[Class]) -> list[list[Comparison | None]]:
    """Compare the answers of several classes at once; equal texts are looked at once and share a comparison.

    The claims are those that a person set, or else the points of the reference. None where nothing needs to
    be compared: what was decided without a model, or has no reference.
    """
    keys = [_keys(members) for members in classes]
    distinct = list(dict.fromkeys(key for row in keys for key in row if key is not None))
    if not distinct:
        return [[None] * len(row) for row in keys]
    pairs = list(dict.fromkeys(pair for _, pair, _ in distinct))
    with one_thread_each(), beside() as pool:
        documents = documents_of([*chain.from_iterable(pairs), *(question for question, *_ in distinct)])
        prepared = _prepared(pairs, documents)
        # Claims are read by the network, which works outside the interpreter; chunks are aligned meanwhile.
        judging = pool.submit(_judge_claims, distinct, documents, prepared)
        aligned = _align(prepared)
        outcomes = judging.result()
    comparisons = {
        key: Comparison(
            aligned[key[1]], outcomes[key], documents[key[0]], documents[key[1][0]], documents[key[1][1]]
        )
        for key in distinct
    }
    return [[None if key is None else comparisons[key] for key in row] for row in keys]


def _keys(members: Class) -> list[_Key | None]:
    texts = [spelled_out(" ".join(answer.split())) for answer in members.answers]
    return [
        (members.question, (text, judgement.reference), members.claims)
        if judgement.reference and judgement.reason is None and any(map(str.isalnum, text))
        else None
        for text, judgement in zip(texts, members.judgements, strict=True)
    ]


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
    together: defaultdict[tuple[str, str, Facets], list[_Key]] = defaultdict(list)
    for key in keys:
        question, (_, reference), claims = key
        together[question, reference, claims].append(key)
    outcomes: dict[_Key, tuple[FacetOutcome, ...]] = {}
    for (question, reference, claims), members in together.items():
        target = documents[reference]
        points = find_points(target, documents[question]) if claims is None else locate(claims, target)
        words = [prepared[pair][1] for _, pair, _ in members]
        outcomes |= zip(members, judge_found(points, words), strict=True)
    return outcomes
