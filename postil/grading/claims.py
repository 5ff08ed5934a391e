"""Which facets of a reference an answer expresses, leaves unaddressed or contradicts, and in which words.

>>> from postil.grading.claims import judge_facets
>>> (found,) = judge_facets("What is voltage?", "Voltage is a gap.", ["Voltage is a bulb."])
>>> [(one.facet.first, one.facet.second, one.label) for one in found]
[('Voltage', '', 'Expressed'), ('gap', 'Voltage', 'Contradicted')]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from postil.alignment.aligner import chunked_pair
from postil.alignment.features import Pair
from postil.alignment.reading import prepare, read
from postil.data.outcome import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome, Spans
from postil.data.questions import Facet
from postil.grading.facets import TOPIC, FoundFacet, extract_facets
from postil.grading.given import locate
from postil.grading.reading import Floats, chances
from postil.language.contractions import spelled_out
from postil.language.document import Document
from postil.language.pipeline import analyse_many
from postil.language.recent import documents_of
from postil.language.threads import one_thread_each

Bools = NDArray[np.bool_]

# Whoever says the whole reference says each clause of it. A clause that stands alone is read less surely, so
# its chance counts somewhat less; 0.7 parts correct from other training answers best (docs/facets.md).
_CLAUSE = 0.7
# How far the share of its words that the answer has moves a facet's log odds, as learned from training
# answers with encoders that had not seen their questions; half of the words moves nothing.
_WORDS = 2.0
_HALF = 0.5
_LIKELY = 0.5
# From this chance of the whole reference on, nothing that a clause says by itself could change the outcome.
_SURE = 0.75
_FEW = 0.34  # the share of a clause's words up to which an answer that does not say the whole does not say it
_ALIKE = 0.75  # the cosine from which one word stands for another
_TOPIC_CHANCE = 0.9
# The chance that the opposite of a word, in its place, contradicts: of 28 training answers with one, 11 were
# contradictory, 11 partly right or off the point and 6 correct. Where the whole is surely said, it does not.
_OPPOSED = 0.7
_LEAST = 1e-3


def judge_facets(
    question: str, reference: str, answers: Sequence[str], facets: Sequence[Facet] | None = None
) -> list[tuple[FacetOutcome, ...]]:
    """For each answer the outcome of each facet: those given, or else the ones found in the reference."""
    texts = [spelled_out(" ".join(answer.split())) for answer in answers]
    distinct = list(dict.fromkeys(texts))
    with one_thread_each():
        asked, target, *documents = analyse_many([question, reference, *distinct])
        found = extract_facets(target, asked) if facets is None else locate(facets, target)
        judged = judge_found(found, _compared(target, documents))
    by_text = dict(zip(distinct, judged, strict=True))
    return [by_text[text] for text in texts]


def judge_found(found: Sequence[FoundFacet], pairs: Sequence[Pair]) -> list[tuple[FacetOutcome, ...]]:
    """For each answer (the first of a pair) the outcome of each facet that was found in the reference.

    All pairs have the same reference, their second. A facet that it does not say is judged by itself.
    """
    answers = [pair.first.document for pair in pairs]
    within = [one for one in found if one.tokens]
    alone = [list(_judge_alone(one, answers)) for one in found if not one.tokens]
    judged = []
    for row, its in enumerate(_judge(within, pairs)):
        here, elsewhere = iter(its), iter([column[row] for column in alone])
        judged.append(tuple(next(here if one.tokens else elsewhere) for one in found))
    return judged


def _judge_alone(found: FoundFacet, answers: Sequence[Document]) -> Iterator[FacetOutcome]:
    """What answers do with a facet that the reference does not say, as if it were the reference."""
    (target,) = documents_of([found.statement]).values()
    words = tuple(range(len(target.tokens)))
    whole = FoundFacet(found.facet, words, words, target.text)
    for (outcome,) in _judge([whole], _compared(target, answers)):
        yield replace(outcome, reference_spans=())


def _judge(found: Sequence[FoundFacet], pairs: Sequence[Pair]) -> list[tuple[FacetOutcome, ...]]:
    if not found or not pairs:
        return [() for _ in pairs]
    answers = [pair.first.document for pair in pairs]
    whole = chances([(answer, pairs[0].second.document.text) for answer in answers])
    shares = np.array([[_shares(one, pair) for one in found] for pair in pairs])
    parts = np.array([_is_part(one, pairs[0].second.document) for one in found])
    touched = ~parts | (shares[..., 1] > _FEW)
    own = _own_chances(found, answers, whole, parts & _in_doubt(whole, touched))
    own[..., 1] *= touched  # what an answer does not touch upon, it does not contradict
    moved = _moved(_mixed(whole, own), shares.mean(axis=-1))
    opposed = np.array([[_is_opposed(one, pair) for one in found] for pair in pairs])
    moved[opposed & (whole[:, :1] < _SURE)] = (1 - _OPPOSED, _OPPOSED)
    return [tuple(map(_outcome, found, its, repeat(pair))) for its, pair in zip(moved, pairs, strict=True)]


def _compared(reference: Document, answers: Sequence[Document]) -> list[Pair]:
    """The words of each answer beside those of the reference."""
    chunked = [chunked_pair(str(number), answer, reference) for number, answer in enumerate(answers)]
    documents = [document for answer in answers for document in (answer, reference)]
    return prepare(chunked, documents, read([(answer.text, reference.text) for answer in answers]))


def _shares(found: FoundFacet, pair: Pair) -> tuple[float, float]:
    """The share of a facet's words that the answer has, and of its clause's."""
    has, heavy = pair.matrices["alike"].max(axis=0, initial=0) > 0, pair.second.marks.content
    shares = []
    for tokens in (found.tokens, found.clause):
        kept = [token for token in tokens if heavy[token]] or list(tokens)
        shares.append(float(has[kept].mean()) if kept else _HALF)
    return shares[0], shares[1]


def _is_opposed(found: FoundFacet, pair: Pair) -> bool:
    """Whether the answer has the opposite of a facet's word in its place: "cloudy" for "clear".

    Not where only one of the two denies: "not clear" is no opposite of "cloudy".
    """
    same = np.asarray(pair.matrices["alike"] > 0)
    instead = (pair.matrices["opposite"] > 0) & ~same.any(axis=1, keepdims=True) & ~same.any(axis=0)
    denying = [bool(one.document.negations) for one in (pair.first, pair.second)]
    return denying[0] == denying[1] and bool(instead[:, list(found.tokens)].any())


def _is_part(found: FoundFacet, reference: Document) -> bool:
    """Whether a facet's clause is only a part of the reference."""
    words = {token.index for token in reference.tokens if any(map(str.isalnum, token.text))}
    return not words <= set(found.clause)


def _own_chances(
    found: Sequence[FoundFacet], answers: Sequence[Document], whole: Floats, doubtful: Bools
) -> Floats:
    """For each answer and facet the chances of its clause where these are in doubt, else the whole's."""
    own = np.repeat(whole[:, None], len(found), axis=1)
    places = np.argwhere(doubtful).tolist()
    own[doubtful] = chances([(answers[row], found[column].statement) for row, column in places])
    return own


def _in_doubt(whole: Floats, touched: Bools) -> Bools:
    """Where a clause has to be read by itself, since the whole does not decide.

    That does where it is said, or where it is not and the answer has few of the clause's words.
    """
    said = whole[:, None, 0]
    doubtful: Bools = (said < _SURE) & ((said > 1 - _SURE) | touched)
    return doubtful


def _mixed(whole: Floats, own: Floats) -> Floats:
    """The chances of facets, from those of the whole reference and of each facet's clause."""
    said = whole[:, None, 0]
    expressed = said + (1 - said) * _CLAUSE * own[..., 0]
    return np.stack([expressed, (whole[:, None, 1] + own[..., 1]) / 2], axis=-1)


def _moved(chances: Floats, shares: Floats) -> Floats:
    """The chances moved by the share of words that the answer has."""
    said = chances[..., 0]
    odds = np.log(said + _LEAST) - np.log(1 - said + _LEAST) + _WORDS * (shares - _HALF)
    return np.stack([1 / (1 + np.exp(-odds)), chances[..., 1]], axis=-1)


def _outcome(found: FoundFacet, its: Floats, pair: Pair) -> FacetOutcome:
    answer = pair.first.document
    expressed, contradicted = its.tolist()
    words = _words(found, pair)
    if found.facet.relation == TOPIC:
        expressed = _TOPIC_CHANCE if _mentioned(found, pair) else min(expressed, 1 - _TOPIC_CHANCE)
        contradicted = 0.0
    if expressed >= _LIKELY:
        label, chance = EXPRESSED, expressed
    elif contradicted >= _LIKELY:
        label, chance = CONTRADICTED, contradicted
    else:
        label, chance, words = UNADDRESSED, 1 - max(expressed, contradicted), ()
    return FacetOutcome(
        found.facet,
        label,
        chance,
        tuple(answer.tokens[word].text for word in words),
        _spans(answer, words),
        _spans(pair.second.document, found.tokens),
        contradicted,
    )


def _spans(document: Document, indices: Sequence[int]) -> Spans:
    return tuple((document.tokens[index].start, document.tokens[index].end) for index in indices)


def _words(found: FoundFacet, pair: Pair) -> tuple[int, ...]:
    """The words of the answer that stand for the facet's, as far as there are any."""
    cosines = pair.matrices["cosine"][:, list(found.tokens)]
    if not cosines.size:
        return ()
    said = pair.first.marks.content | (pair.first.marks.denying > 0)
    best = np.where(said[:, None], cosines, 0)
    near = best.max(axis=0) >= _ALIKE
    return tuple(sorted(set(best.argmax(axis=0)[near].tolist())))


def _mentioned(found: FoundFacet, pair: Pair) -> bool:
    """Whether the answer has all words of a facet."""
    same = pair.matrices["same"][:, list(found.tokens)]
    return bool(same.size and same.any(axis=0).all())
