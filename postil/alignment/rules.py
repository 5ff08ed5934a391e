"""What rules decide and no model: OPPO for opposites, FACT for certainty, POL for opinion, and wider links.

Too few of them are annotated for a model to learn from. Opposite chunks differ in an opposite and in nothing
else, such as "opens" and "closes"; FACT and POL are added to a link's type. A link to two
things that are joined takes in the chunks of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from postil.alignment.features import Pair, Sentence
from postil.alignment.optimiser import Candidate
from postil.data.arrays import Bools
from postil.language.document import Document, Token

OPPOSED = ("OPPO", 4.0)  # as nearly all annotated opposites are scored
_OPPOSABLE = ("ADJ", "ADV", "VERB", "ADP", "PART")  # "a man" and "a woman" are alike rather than opposed
_POSTURES = frozenset(("sit", "stand", "lie"))  # so are these
_JOINING = frozenset(("and", "or"))
_MEANING = 0.3  # the least weight of a word that counts

# What makes a statement a guess or somebody's word instead of a fact. "Could" and "likely" are not among
# them: annotators take the ability and the chance for part of what is said.
_GUESSES = frozenset((
    "may", "might", "possibly", "perhaps", "maybe", "probably", "apparently", "allegedly", "reportedly",
    "supposedly", "alleged", "reported", "suspected", "supposed", "possible", "allege", "believe", "suspect",
    "report",
))  # fmt: skip
# As nouns (a suspect, a report, the month of May) the same words are things, and not uncertain.
_GUESSING_PARTS = frozenset(("AUX", "VERB", "ADJ", "ADV"))
# Chunks of one such word say where a statement comes from, and nothing else.
_HEARSAY = frozenset(("reportedly", "allegedly", "supposedly", "apparently", "reported", "source", "sources"))
_SAYING = "say"
_SOURCES = _HEARSAY | {":"}  # "Police: …" also says whose word it is
_GOOD = frozenset((
    "good", "great", "best", "better", "excellent", "nice", "happy", "beautiful", "wonderful", "praise",
    "welcome", "hail", "success", "hero",
))  # fmt: skip
_BAD = frozenset((
    "bad", "worst", "worse", "terrible", "awful", "sad", "ugly", "horrible", "blame", "condemn", "criticise",
    "criticize", "slam", "failure", "villain", "shameful",
))  # fmt: skip


def contrary(pair: Pair, link: Candidate) -> bool:
    """Whether linked chunks say opposite things, and differ in nothing else.

    Either each has an opposite of the other's, or only one denies: both at once would say the same.
    """
    first = np.logical_or.reduce(pair.first_chunks[list(link.first)])
    second = np.logical_or.reduce(pair.second_chunks[list(link.second)])
    inside = np.ix_(first, second)
    opposed, alike = pair.matrices["opposite"][inside] > 0, pair.matrices["alike"][inside] > 0
    left, right = ~alike.any(axis=1), ~alike.any(axis=0)  # what the other side lacks
    ours = np.logical_and(opposed.any(axis=1), left)
    theirs = np.logical_and(opposed.any(axis=0), right)
    denied = pair.first.marks.denying[first].any() != pair.second.marks.denying[second].any()
    if denied == (ours.any() and theirs.any()):
        return False
    sides = ((pair.first, first, left, ours), (pair.second, second, right, theirs))
    return all(_differs_in_opposites_only(*side) for side in sides)


def _differs_in_opposites_only(sentence: Sentence, words: Bools, lacking: Bools, opposites: Bools) -> bool:
    marks = sentence.marks
    parts, lemmas = marks.parts[words][opposites], marks.lemmas[words][opposites]
    if not all(part in _OPPOSABLE for part in parts) or not _POSTURES.isdisjoint(lemmas):
        return False
    heavy = (sentence.weights[words] >= _MEANING) & (marks.denying[words] == 0)
    return not (heavy & lacking & ~opposites).any()


def widened(pair: Pair, links: Sequence[Candidate]) -> list[Candidate]:
    """The links, each with a lone chunk that makes it contrary: "is" and "open" beside "is closed"."""
    opposed = pair.first_chunks @ pair.matrices["opposite"] @ pair.second_chunks.T > 0
    taken = {chunk for link in links for chunk in link.chunks}
    wide_links = list(links)
    for row, column in np.argwhere(opposed).tolist():
        for number, link in enumerate(wide_links):
            wider = None
            if (0, row) not in taken and column in link.second:
                wider = replace(link, first=tuple(sorted((*link.first, row))))
            elif (1, column) not in taken and row in link.first:
                wider = replace(link, second=tuple(sorted((*link.second, column))))
            if wider and not contrary(pair, link) and contrary(pair, wider):
                wide_links[number] = wider
                taken.update(wider.chunks)
    return wide_links


def completed(pair: Pair, links: Sequence[Candidate]) -> list[Candidate]:
    """The links, each with a lone chunk that says the rest of what its partner joins by "and" or "or".

    "Terminal 1 and the positive terminal" takes in both "terminal 1" and "to the positive terminal".
    """
    alike = pair.matrices["alike"] > 0
    sides = (
        (pair.first, pair.first_chunks, pair.second, pair.second_chunks, alike),
        (pair.second, pair.second_chunks, pair.first, pair.first_chunks, alike.T),
    )
    taken = {chunk for link in links for chunk in link.chunks}
    complete = list(links)
    for side, (ours, chunks, theirs, their_chunks, matches) in enumerate(sides):
        lone = np.array([(side, chunk) not in taken for chunk in range(len(chunks))], bool)
        heavy = chunks & (ours.weights >= _MEANING)
        lone &= heavy.any(axis=1)
        says = chunks @ matches  # for each chunk, which words of the other sentence it says
        for number, link in enumerate(complete):
            own, partner = (link.second, link.first) if side else (link.first, link.second)
            if len(partner) > 1 or not lone.any():
                continue
            inside = their_chunks[partner[0]]
            if _JOINING.isdisjoint(theirs.marks.lemmas[inside]):
                continue
            unsaid = inside & (theirs.weights >= _MEANING) & ~says[list(own)].any(axis=0)
            strange = (heavy & ~matches[:, inside].any(axis=1)).any(axis=1)  # says something else as well
            gains = np.where(lone & ~strange, (says & unsaid).sum(axis=1), 0)
            if not gains.any():
                continue
            nearest = np.abs(np.subtract.outer(np.arange(len(chunks)), own)).min(axis=1)
            chunk = int(np.lexsort((nearest, -gains))[0])
            wide = tuple(sorted((*own, chunk)))
            complete[number] = replace(link, second=wide) if side else replace(link, first=wide)
            lone[chunk] = False
    return complete


def additions(
    first: Document, second: Document, source: Sequence[int], target: Sequence[int]
) -> tuple[str, ...]:
    """The additional labels of two aligned chunks, given by their token numbers (from 1)."""
    ours, theirs = _tokens(first, source), _tokens(second, target)
    differ_in_fact = (_guesses(ours) and _states(theirs)) or (_guesses(theirs) and _states(ours))
    labels = {"FACT": differ_in_fact, "POL": _opinion(ours) * _opinion(theirs) < 0}
    return tuple(label for label, holds in labels.items() if holds)


def lone_additions(
    own: Document, chunk: Sequence[int], other: Document, unaligned: Sequence[int]
) -> tuple[str, ...]:
    """The additional labels of a chunk without a partner.

    A chunk that only says whose word the rest is ("says", "reportedly", "sources") makes a fact of the other
    sentence, if that says the same without it; `unaligned` are the other sentence's tokens without a link.
    """
    words = [token for token in _tokens(own, chunk) if _is_word(token)]
    names_source = (
        token.text.lower() in _SOURCES or token.lemma.lower() == _SAYING for token in other.tokens
    )
    if len(words) != 1 or any(names_source):
        return ()
    if words[0].text.lower() in _HEARSAY:
        return ("FACT",)
    # Of what somebody says, only what the other sentence says as well becomes a fact there.
    leaves_nothing = not any(_is_word(token) for token in _tokens(other, unaligned))
    return ("FACT",) if words[0].lemma.lower() == _SAYING and leaves_nothing else ()


def _tokens(document: Document, numbers: Sequence[int]) -> list[Token]:
    return [document.tokens[number - 1] for number in numbers]


def _is_word(token: Token) -> bool:
    return any(letter.isalnum() for letter in token.text)


def _guesses(tokens: Sequence[Token]) -> bool:
    return any(
        token.pos in _GUESSING_PARTS and not _GUESSES.isdisjoint((token.lemma.lower(), token.text.lower()))
        for token in tokens
    )


def _states(tokens: Sequence[Token]) -> bool:
    """Whether nothing in a chunk is left open: no guess, and no verb after "to", which is yet to happen."""
    return not _guesses(tokens) and not any(token.tag in ("TO", "MD") for token in tokens)


def _opinion(tokens: Sequence[Token]) -> int:
    lemmas = {token.lemma.lower() for token in tokens}
    return len(lemmas & _GOOD) - len(lemmas & _BAD)
