"""What speaks for and against entailment: features of a pair, and what the text says part by part.

Bonds are words that depend on each other in both; a word that the text negates denies what the hypothesis
states ("cannot fly"); what the text thinks possible, plans or supposes is left open ("may approve").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from postil.data.arrays import AnyFloats, Floats
from postil.entailment.reading import FOUND, Outcome, Reading
from postil.language.document import Document, Quantity, Span, Token
from postil.language.measures.matching import negated_heads

ENCODER = ("encoder_entailment", "encoder_contradiction", "encoder_unknown")
WORDS = (
    "covered",  # weighted share of the hypothesis's words that the text supports
    "covered_by_one",  # … that one sentence supports
    "heaviest_missing",  # weight of the rarest word that it does not support
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

_SAME = 1.0  # the support of the same word
_ROLES = frozenset(("nsubj", "obj"))
_MODALS = frozenset(("may", "might", "could", "would", "should", "must", "can", "will"))
# What depends on one of these has not happened, or is not known to have happened.
_OPENING = frozenset((
    "plan", "want", "try", "attempt", "hope", "expect", "consider", "refuse", "threaten", "ask", "urge",
    "propose", "fail", "intend", "seek", "aim", "promise", "offer", "allege", "suspect", "believe", "suppose",
    "doubt", "fear", "wish", "wait", "vow", "agree", "demand", "call", "predict", "likely", "possible",
    "able", "unable", "ready", "willing", "unlikely", "decide", "request", "deny", "speculate", "think",
    "suggest", "proposal", "bid", "effort",
))  # fmt: skip
_ADVERBS = frozenset((
    "possibly", "perhaps", "maybe", "probably", "allegedly", "reportedly", "supposedly", "almost", "nearly",
))  # fmt: skip
_NOT = frozenset(("not", "never", "n't"))
_CLOSED_BY_NOT = frozenset(("can", "could", "will", "would"))  # what cannot be is not; what may not be may be
_OPENERS = {"aux": _MODALS, "mark": frozenset(("if", "whether", "unless")), "advmod": _ADVERBS}
_COMPLEMENTS = frozenset(("xcomp", "ccomp", "acl", "advcl"))
_PREDICATES = frozenset(("VERB", "NOUN", "ADJ"))


def word_evidence(reading: Reading) -> list[float]:
    """The evidence of words, numbers, negation and certainty, in the order of `WORDS`."""
    best, weights = reading.best, reading.weights
    missing = [token.pos for token, value in zip(reading.words, best, strict=True) if value < FOUND]
    outcomes = [number.outcome for number in reading.numbers]
    shared, swapped = bonds(reading)
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
        shared,
        swapped,
        float(np.log1p(len(reading.hypothesis.tokens))),
    ]


def encoder_evidence(logits: AnyFloats) -> Floats:
    """The encoder's logits (entailment, neutral, contradiction) as chances, in the order of `ENCODER`.

    Chances and not their logarithms: how sure the encoder is beyond "very" tells nothing more.
    """
    return np.asarray(softmax(logits.astype(np.float64), axis=-1)[:, [0, 2, 1]])


def bonds(reading: Reading) -> tuple[float, int]:
    """The share of the hypothesis's bonds that the text has, and how many of them swap subject and object.

    A bond joins two content words of which one depends on the other. The text has it if words that support
    them are at most two steps apart in its tree. The share is 1 if the hypothesis has no bond.
    """
    rows = {token.index: row for row, token in enumerate(reading.words)}
    tokens = reading.text.tokens
    shared = total = swapped = 0
    for token in reading.words:
        if token.head == token.index or token.head not in rows:
            continue
        total += 1
        below, above = (frozenset(reading.supporters(rows[index])) for index in (token.index, token.head))
        near = _any_near(tokens, below, above)
        shared += near
        if near and token.relation in _ROLES:
            roles = {_kind(tokens[index]) for index in below if tokens[index].head in above}
            swapped += token.relation not in roles and bool(roles & _ROLES)
    return (shared / total if total else 1.0), swapped


def _kind(token: Token) -> str:
    """A token's relation without its subtype."""
    return token.relation.split(":")[0]


def _any_near(tokens: Sequence[Token], below: Collection[int], above: Collection[int]) -> bool:
    """Whether a word of each kind are at most two steps apart: one above the other, or under the same word.

    Heads are looked up, because a text may have every word a thousand times: pairs would be a million.
    """
    heads = [token.head for token in tokens]

    def is_under(index: int, others: Collection[int]) -> bool:
        return any(head != index and head in others for head in (heads[index], heads[heads[index]]))

    if any(is_under(index, above) for index in below) or any(is_under(index, below) for index in above):
        return True
    siblings = Counter(heads[index] for index in below)
    return any(siblings[heads[index]] > (index in below) for index in above)


def denied(reading: Reading) -> tuple[int, int] | None:
    """The hypothesis's main word, and the same word in the text, if all its occurrences there are negated.

    None if the hypothesis negates anything itself: then it may well agree. Words of similar meaning do not
    count, since what is negated there is often something else.
    """
    if reading.hypothesis.negations or not reading.text.negations:
        return None
    heads = negated_heads(reading.text)
    for row, token in enumerate(reading.words):
        if token.relation == "root":
            same = [index for index in reading.supporters(row) if reading.table[row, index] >= _SAME]
            return (token.index, same[0]) if same and heads.issuperset(same) else None
    return None


def openings(tokens: Sequence[Token]) -> list[int | None]:
    """For each token the one that leaves open whether it holds (a modal, a condition, a plan), if any."""
    marks: list[list[Token]] = [[] for _ in tokens]
    for token in tokens:
        if token.head != token.index and (_opens(token) or token.lemma.lower() in _NOT):
            marks[token.head].append(token)
    known: dict[int, int | None] = {}
    for index in range(len(tokens)):
        path: list[int] = []
        opener: int | None = index
        while opener is not None and opener not in known:
            path.append(opener)
            opener, is_end = _step(tokens, opener, marks[opener])
            if is_end:
                break
        else:
            opener = None if opener is None else known[opener]
        known |= dict.fromkeys(path, opener)
    return [known[index] for index in range(len(tokens))]


def _step(tokens: Sequence[Token], index: int, marks: Sequence[Token]) -> tuple[int | None, bool]:
    """What leaves a token open, and true; else the token to look at next, if any, and false."""
    opener = next((child for child in marks if _opens(child)), None)
    if opener is not None and not (len(marks) > 1 and opener.lemma.lower() in _CLOSED_BY_NOT):
        return opener.index, True
    token, kind = tokens[index], _kind(tokens[index])
    if token.head == index or kind not in _COMPLEMENTS | {"conj"}:
        return None, False
    # "Tried to win and lost": what is joined to a word does not depend on it.
    return token.head, kind != "conj" and tokens[token.head].lemma.lower() in _OPENING


def _opens(child: Token) -> bool:
    return child.lemma.lower() in _OPENERS.get(_kind(child), ())


def left_open(reading: Reading) -> tuple[int, int] | None:
    """The hypothesis's main word and the token of the text that leaves it open.

    None if the hypothesis leaves it open itself, or if the text states it anywhere.
    """
    for row, token in enumerate(reading.words):
        if token.relation != "root" or token.pos not in _PREDICATES:
            continue
        if openings(reading.hypothesis.tokens)[token.index] is not None:
            return None
        supporters = reading.supporters(row)
        opened = openings(reading.text.tokens)
        openers = [opened[index] for index in supporters]
        known = [index for index in openers if index is not None]
        return (token.index, known[0]) if known and len(known) == len(supporters) else None
    return None


NUMBER, OPPOSITE, NEGATION, OPEN = "number", "opposite", "negation", "open"


@dataclass(frozen=True, slots=True)
class Difference:
    """A point on which the text differs: how, the hypothesis's words, and the text's."""

    kind: str  # number, opposite, negation or open
    hypothesis: str
    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The sentence that supports most of the hypothesis, and what the text says about its parts."""

    sentence: str = ""
    stands_for: tuple[tuple[str, str], ...] = ()  # its pronouns and short names that were resolved
    supported: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()


def findings(reading: Reading) -> Findings:
    """Collect the findings about a pair."""
    # The hypothesis's chunks whose content words the text supports, and those with one that it lacks.
    lacking = {token.index for token, value in zip(reading.words, reading.best, strict=True) if value < FOUND}
    content = {token.index for token in reading.words}
    supported: list[str] = []
    unsupported: list[str] = []
    for chunk in reading.hypothesis.ists_chunks:
        own = content & set(range(chunk.start, chunk.end))
        if own:
            (unsupported if own & lacking else supported).append(reading.hypothesis.text_of(chunk))
    parts = tuple(supported), tuple(unsupported), tuple(dict.fromkeys(_differences(reading)))
    if reading.sentence < 0:
        return Findings("", (), *parts)
    sentence = reading.text.sentences[reading.sentence]
    return Findings(reading.text.text_of(sentence), tuple(_stands_for(reading, sentence)), *parts)


def _stands_for(reading: Reading, sentence: Span) -> Iterator[tuple[str, str]]:
    """The pronouns and short names through which a sentence supports the hypothesis, and what they mean."""
    used = {index for row in range(len(reading.words)) for index in reading.supporters(row)}
    for index in range(sentence.start, sentence.end):
        thing = reading.links.get(index, ())
        outside = any(not sentence.start <= other < sentence.end for other in thing)
        if outside and index in used:
            name = reading.text.text_of(Span(thing[0], thing[-1] + 1))
            yield reading.text.tokens[index].text, name


def _differences(reading: Reading) -> Iterator[Difference]:
    hypothesis, text = reading.hypothesis, reading.text
    for number in reading.numbers:
        if number.outcome is Outcome.CONTRADICTED and number.text is not None:
            yield Difference(NUMBER, _written(hypothesis, number.hypothesis), _written(text, number.text))
    for pair in reading.opposed.pairs:
        if pair.opposite and not pair.flipped:
            yield Difference(OPPOSITE, hypothesis.tokens[pair.second].text, text.tokens[pair.first].text)
    for kind, words in ((NEGATION, denied(reading)), (OPEN, left_open(reading))):
        if words is not None:
            yield Difference(kind, hypothesis.tokens[words[0]].text, text.tokens[words[1]].text)


def _written(document: Document, quantity: Quantity) -> str:
    return document.text_of(Span(quantity.start, quantity.end))
