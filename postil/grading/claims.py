"""Which facets of a reference an answer expresses, leaves unaddressed or contradicts, and in which words.

>>> from postil.grading.claims import judge_facets
>>> (outcomes,) = judge_facets("What is voltage?", "Voltage is a gap.", ["Voltage is a bulb."])
>>> [(outcome.facet.first, outcome.facet.second, outcome.label) for outcome in outcomes]
[('Voltage', '', 'Expressed'), ('gap', 'Voltage', 'Contradicted')]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np
from scipy.special import expit

from postil.alignment.aligner import MOST_ALIGNED, chunked_pair
from postil.alignment.features import Pair, prepare, read
from postil.data.arrays import Bools, Floats
from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.questions import Claim, Facet
from postil.grading.facets import TOPIC, Clause, FoundFacet, clauses, extract_facets, is_key
from postil.grading.support import support
from postil.grading.verdicts import Asked, as_graded, chances, has_claim_head, label_of
from postil.language.claims import claims_of
from postil.language.document import Document
from postil.language.network import QUICK, one_thread_each
from postil.language.pipeline import analyse_many, beginning, documents_of
from postil.language.spelling import spelled_out


def locate(facets: Sequence[Facet], reference: Document) -> tuple[FoundFacet, ...]:
    """Find the words of each facet in the reference, and the clause that says most of them.

    A facet that the reference does not say is its own statement, and has none of its words.
    """
    parts = clauses(reference)
    written = documents_of(facet.first for facet in facets if not facet.second)
    return tuple(_located(facet, reference, parts, written) for facet in facets)


def _located(
    facet: Facet, reference: Document, parts: Sequence[Clause], written: Mapping[str, Document]
) -> FoundFacet:
    words = f"{facet.first} {facet.second}".lower().split()
    own = written.get(facet.first) if not facet.second else None
    if own is not None:
        words = [token.lemma.lower() for token in own.tokens if is_key(token)]
    best = max(parts, key=lambda clause: len(_shared(words, reference, clause.tokens)), default=None)
    tokens = _shared(words, reference, best.tokens) if best else {}
    everywhere = _shared(words, reference, range(len(reference.tokens)))
    result = FoundFacet(facet, (), (), f"{facet.first} {facet.second}".strip())
    if best is not None and everywhere:
        # What ties two clauses together, only the whole says.
        if len(tokens) < len(everywhere):
            every = tuple(range(len(reference.tokens)))
            result = FoundFacet(facet, tuple(sorted(everywhere.values())), every, reference.text)
        else:
            result = FoundFacet(facet, tuple(sorted(tokens.values())), best.tokens, best.statement)
    if own is not None and result.tokens:
        # The reference must say all that a person has written, and deny where the person denies.
        denies = any(index in result.clause for negation in reference.negations for index in negation.cue)
        if len(result.tokens) < len(set(words)) or denies != bool(own.negations):
            return FoundFacet(facet, (), (), facet.first)
    return result


def _shared(words: Sequence[str], reference: Document, indices: Iterable[int]) -> dict[str, int]:
    """For each word that the reference has at one of these indices, the first of them."""
    first: dict[str, int] = {}
    for index in indices:
        token = reference.tokens[index]
        for word in words:
            if word in (token.text.lower(), token.lemma.lower()):
                first.setdefault(word, index)
    return first


# Whoever says the whole says each clause of it, and whoever says the clause says it. The quick reader has no
# claim head and reads a clause that stands alone less surely, so there its chance counts somewhat less; 0.7
# separates correct training answers from others best (docs/researchers/facets.md).
_CLAUSE = 0.7
# How far the share of its words that the answer has moves a facet's log odds, as learned from training
# answers with encoders that had not seen their questions; half of the words moves nothing.
_WORDS = 2.0
_HALF = 0.5
# From this chance of the whole reference on, nothing that a clause says by itself could change the outcome.
# With a claim head it takes more, since that notices clauses that are left out.
_SURE, _SURER = 0.75, 0.9
_DENIED = 0.25  # the chance that the whole is contradicted from which it is asked which clause is
_FEW = 0.34  # the share of a clause's words up to which an answer that does not say the whole does not say it
_LONGEST_WHOLE = 60  # words of a reference; whether an answer makes a longer one as a whole, no reader knows
_UNREAD = (0.1, 0.0)  # the chances of a clause of a long reference that the answer has few words of
_TOPIC_CHANCE = 0.9
# The chance that the opposite of a word, in its place, contradicts: of 28 training answers with one, 11 were
# contradictory, 11 partly right or off the point and 6 correct. Where the whole is surely said, it does not.
# A claim head sees that by itself.
_OPPOSED = 0.7
_LEAST = 1e-3


def judge_facets(
    question: str,
    reference: str,
    answers: Sequence[str],
    facets: Sequence[Facet] | None = None,
    reader: str | None = None,
    most: int | None = None,
) -> list[tuple[FacetOutcome, ...]]:
    """For each answer the outcome of each facet: those given, or else the ones found in the reference.

    `reader` is the name of the one that reads; by default it is the one that grades. `most` is as in
    `judge_found`.
    """
    texts = [beginning(spelled_out(" ".join(answer.split())), MOST_ALIGNED) for answer in answers]
    question, reference = (beginning(text, MOST_ALIGNED) for text in (question, reference))
    distinct = list(dict.fromkeys(texts))
    with one_thread_each():
        asked, target, *documents = analyse_many([question, reference, *distinct])
        found_facets = extract_facets(target, asked) if facets is None else locate(facets, target)
        judged = judge_found(found_facets, _compared(target, documents), question, reader, most)
    by_text = dict(zip(distinct, judged, strict=True))
    return [by_text[text] for text in texts]


def judge_found(
    facets: Sequence[FoundFacet],
    pairs: Sequence[Pair],
    question: str = "",
    reader: str | None = None,
    most: int | None = None,
) -> list[tuple[FacetOutcome, ...]]:
    """For each answer (the first of a pair) the outcome of each facet that was found in the reference.

    All pairs have the same reference, their second. A facet that it does not say is judged by itself. A
    reader with a claim head reads at `most` so many clauses of the reference beside each answer, those that
    it has most words of; of the others the quick reader says what the answer does with them.
    """
    answers = [pair.first.document for pair in pairs]
    within = [facet for facet in facets if facet.tokens]
    alone = [list(_judge_alone(facet, answers, question, reader)) for facet in facets if not facet.tokens]
    judged = []
    for row, its in enumerate(_judge(within, pairs, question, reader, most)):
        here, elsewhere = iter(its), iter([column[row] for column in alone])
        judged.append(tuple(next(here if facet.tokens else elsewhere) for facet in facets))
    return judged


def _judge_alone(
    facet: FoundFacet, answers: Sequence[Document], question: str, reader: str | None
) -> Iterator[FacetOutcome]:
    """What answers do with a facet that the reference does not say, as if it were the reference."""
    (target,) = documents_of([facet.statement]).values()
    words = tuple(range(len(target.tokens)))
    whole = FoundFacet(facet.facet, words, words, target.text)
    for (outcome,) in _judge([whole], _compared(target, answers), question, reader):
        yield replace(outcome, reference_spans=())


def _judge(
    facets: Sequence[FoundFacet],
    pairs: Sequence[Pair],
    question: str,
    reader: str | None,
    most: int | None = None,
) -> list[tuple[FacetOutcome, ...]]:
    if not facets or not pairs:
        return [() for _ in pairs]
    shares = np.array([[_shares(facet, pair) for facet in facets] for pair in pairs])
    whole, own = _read(facets, pairs, shares[..., 1], question, reader, most)
    said, denied = whole[:, None, 0], whole[:, None, 1]
    expressed = said + (1 - said) * (1.0 if has_claim_head(reader) else _CLAUSE) * own[..., 0]
    contradicted = own[..., 1] if has_claim_head(reader) else (denied + own[..., 1]) / 2
    odds = np.log(expressed + _LEAST) - np.log(1 - expressed + _LEAST)
    odds += _WORDS * (shares.mean(axis=-1) - _HALF)
    found = np.stack([expit(odds), contradicted], axis=-1)
    if not has_claim_head(reader):
        opposed = np.array([[_is_opposed(facet, pair) for facet in facets] for pair in pairs])
        found[opposed & (whole[:, :1] < _SURE)] = (1 - _OPPOSED, _OPPOSED)
    return [tuple(map(_outcome, facets, row, repeat(pair))) for row, pair in zip(found, pairs, strict=True)]


def _read(
    facets: Sequence[FoundFacet],
    pairs: Sequence[Pair],
    shares: Floats,
    question: str,
    reader: str | None,
    most: int | None,
) -> tuple[Floats, Floats]:
    """The chances of the whole reference for each answer, and of each facet's clause.

    A clause is read by itself only where the whole does not decide. That does where it is said, or where it
    is not and the answer has few of the clause's words (`shares`).
    """
    answers, reference = [pair.first.document for pair in pairs], pairs[0].second.document
    words = {token.index for token in reference.tokens if any(map(str.isalnum, token.text))}
    parts = np.array([not words <= set(facet.clause) for facet in facets])
    touched = ~parts | (shares > _FEW)
    asked = [Asked(answer.text, reference.text, question) for answer in answers]
    if not has_claim_head(reader):
        whole, sure = chances(asked, reader), _SURE
    elif len(words) <= _LONGEST_WHOLE or not parts.all():
        whole, sure = as_graded(asked, reader), _SURER
    else:
        whole, sure = np.tile(_UNREAD, (len(pairs), 1)), _SURER
    said = whole[:, :1]
    doubtful: Bools = parts & (said < sure) & ((said > 1 - sure) | touched)
    own = np.repeat(whole[:, None], len(facets), axis=1)
    if has_claim_head(reader):
        own[:, ~parts, 0] = 0.0  # what is the whole, the whole alone decides, as it decides the label
        # Whoever contradicts may do so in other words: "dries slower" for "evaporates faster".
        doubtful |= parts & (whole[:, 1:] >= _DENIED)
    first = doubtful
    if most is not None and has_claim_head(reader):
        # Facets of one clause, whose share is the same, are read together: their statement is one.
        ranks = (-shares).argsort(axis=1, kind="stable").argsort(axis=1)
        first = doubtful & (ranks < most)
    for chosen, name in ((first, reader), (doubtful & ~first, QUICK)):
        places = np.argwhere(chosen).tolist()
        items = [Asked(answers[row].text, facets[column].statement, question) for row, column in places]
        own[chosen] = chances(items, name)
    # What an answer does not touch upon, it does not contradict, unless a claim head says so.
    own[..., 1] *= touched | (first & has_claim_head(reader))
    return whole, own


def _compared(reference: Document, answers: Sequence[Document]) -> list[Pair]:
    """The words of each answer beside those of the reference."""
    chunked = [chunked_pair(str(number), answer, reference) for number, answer in enumerate(answers)]
    documents = [document for answer in answers for document in (answer, reference)]
    return prepare(chunked, documents, read([(answer.text, reference.text) for answer in answers]))


def _shares(facet: FoundFacet, pair: Pair) -> tuple[float, float]:
    """The share of a facet's words that the answer has, and of its clause's."""
    has, heavy = pair.matrices["alike"].max(axis=0, initial=0) > 0, pair.second.marks.content
    shares = []
    for tokens in (facet.tokens, facet.clause):
        kept = [token for token in tokens if heavy[token]] or list(tokens)
        shares.append(float(has[kept].mean()) if kept else _HALF)
    return shares[0], shares[1]


def _is_opposed(facet: FoundFacet, pair: Pair) -> bool:
    """Whether the answer has the opposite of a facet's word in its place: "cloudy" for "clear".

    Not where only one of the two denies: "not clear" is no opposite of "cloudy".
    """
    same = np.asarray(pair.matrices["alike"] > 0)
    instead = (pair.matrices["opposite"] > 0) & ~same.any(axis=1, keepdims=True) & ~same.any(axis=0)
    denying = [bool(text.document.negations) for text in (pair.first, pair.second)]
    return denying[0] == denying[1] and bool(instead[:, list(facet.tokens)].any())


def _outcome(facet: FoundFacet, row: Floats, pair: Pair) -> FacetOutcome:
    answer = pair.first.document
    expressed, contradicted = row.tolist()
    near = support(pair, facet.tokens)
    if facet.facet.relation == TOPIC:
        same = pair.matrices["same"][:, list(facet.tokens)]
        mentioned = same.size and same.any(axis=0).all()
        words = [answer.tokens[word] for word in np.flatnonzero(same.any(axis=1)).tolist()]
        near = tuple((word.start, word.end) for word in words) if mentioned else ()
        expressed = _TOPIC_CHANCE if mentioned else min(expressed, 1 - _TOPIC_CHANCE)
        contradicted = 0.0
    label = label_of(expressed, contradicted)
    chance = {EXPRESSED: expressed, CONTRADICTED: contradicted}.get(label, 1 - max(expressed, contradicted))
    spans = () if label == UNADDRESSED else near
    named = [pair.second.document.tokens[index] for index in facet.tokens]
    return FacetOutcome(
        facet.facet,
        label,
        chance,
        tuple(answer.text[start:end] for start, end in spans),
        spans,
        tuple((token.start, token.end) for token in named),
        contradicted,
        expressed,
        near,
    )


def find_points(reference: Document, question: Document | None = None) -> tuple[FoundFacet, ...]:
    """The claims of a reference as facets, in order, with the words of the reference that they come from."""
    return tuple(_point(claim, reference) for claim in claims_of(reference, question))


def _point(claim: Claim, reference: Document) -> FoundFacet:
    facet = Facet(
        claim.id,
        claim.text,
        weight=claim.weight,
        required=claim.required,
        group=claim.group,
        needed=claim.needed,
    )
    heavy = tuple(index for index in claim.tokens if is_key(reference.tokens[index]))
    return FoundFacet(facet, heavy or claim.tokens, claim.tokens, claim.text)
