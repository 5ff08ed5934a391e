"""Which words of a claim an answer has, in one form or another, and which it surely does not have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from postil.explain.phrases import carries_meaning, definite, lemma, wordset
from postil.language.document import Document, Token
from postil.language.network import encoder
from postil.language.pieces import Pieces
from postil.language.words.relations import Relation, word_relation

_SAME, _FOREIGN = 0.75, 0.5  # the likeness from which words stand for each other, and up to which they do not
_MISSPELT, _LONG_WORD = 0.8, 5  # how alike the letters of a misspelt word are, and from how many on
_MOST_WORDS = 150  # of an answer that are compared
_MOST_NAMED = 2
_JOINTS = frozenset(("-", "/", "+"))
_EQUAL = (Relation.SAME, Relation.SYNONYM, Relation.DERIVED)
# What names nothing that an answer could be expected to name.
_VAGUE = wordset(
    "answer question example reason way thing one kind sort type lot part amount number time case something"
    " anything everything order place fact result effect cause point difference word sense turn use"
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a claim an answer has: the share of its words, and the things that it names or does not name.

    `new` is the share of those words that the question does not have; all of a claim that only repeats the
    question is `given`. Only what surely has no counterpart is `absent`.
    """

    share: float = 0.0
    new: float = 0.0
    given: bool = False
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def vectors_of(documents: Collection[Document]) -> dict[str, Pieces]:
    """The vectors of the words of some texts, by text."""
    texts = [document.text for document in documents if document.tokens]
    return dict(zip(texts, encoder().words(texts), strict=True)) if texts else {}


def coverage_of(
    claim: Document, answer: Document, known: Set[str], vectors: Mapping[str, Pieces]
) -> Coverage:
    """What an answer has of a claim; `known` are the words of the question."""
    words = [token for token in claim.tokens if carries_meaning(token)]
    if not words:
        return Coverage()
    likeness = _likeness(words, claim, answer, vectors)
    fresh = [token for token in words if known.isdisjoint((lemma(token), token.text.lower()))]
    present, absent = _things(claim, likeness)
    return Coverage(_share(words, likeness), _share(fresh or words, likeness), not fresh, present, absent)


def _share(words: Sequence[Token], likeness: Mapping[int, float]) -> float:
    return sum(likeness[word.index] >= _SAME for word in words) / len(words)


def _likeness(
    words: Sequence[Token], claim: Document, answer: Document, vectors: Mapping[str, Pieces]
) -> dict[int, float]:
    """For each word of a claim how alike the likest word of the answer is, by form, meaning or vector."""
    others = [token for token in answer.tokens if any(map(str.isalnum, token.text))][:_MOST_WORDS]
    return {
        word.index: max(
            (
                1.0 if _is_equal(word, other) else _cosine(word, claim, other, answer, vectors)
                for other in others
            ),
            default=0.0,
        )
        for word in words
    }


def _is_equal(word: Token, other: Token) -> bool:
    """Whether two words are the same, mean the same, or differ only as a slip of the pen does."""
    first, second = word.text.lower(), other.text.lower()
    if first == second or lemma(word) == lemma(other):
        return True
    long = min(len(first), len(second)) >= _LONG_WORD and first[0] == second[0]
    if long and SequenceMatcher(None, first, second).ratio() >= _MISSPELT:
        return True
    if not (word.is_content and other.is_content):
        return False
    return word_relation(_with_part(word), _with_part(other)) in _EQUAL


def _with_part(token: Token) -> str | tuple[str, str]:
    return (token.text, token.wordnet_letter) if token.wordnet_letter else token.text


def _cosine(
    word: Token, claim: Document, other: Token, answer: Document, vectors: Mapping[str, Pieces]
) -> float:
    """How alike the vectors of two words are; 0 where there are none."""
    if not other.is_content:
        return 0.0
    ours, theirs = (
        _rows(token, vectors.get(text)) for token, text in ((word, claim.text), (other, answer.text))
    )
    return float((ours @ theirs.T).max()) if ours.size and theirs.size else 0.0


def _rows(word: Token, pieces: Pieces | None) -> np.ndarray:
    if pieces is None:
        return np.zeros((0, 0))
    places = [
        place for place, (start, end) in enumerate(pieces.spans) if start < word.end and end > word.start
    ]
    return pieces.vectors[np.isin(pieces.owners, places)]


def _things(claim: Document, likeness: Mapping[int, float]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The things of a claim that the answer names, and those of which it has no word."""
    present: dict[str, str] = {}
    absent: dict[str, str] = {}
    for chunk in claim.chunks:
        phrase = claim.tokens[chunk.start : chunk.end]
        words = [token for token in phrase if carries_meaning(token)]
        if chunk.kind != "NP" or not words or words[-1].pos not in ("NOUN", "PROPN"):
            continue
        head = words[-1]
        if lemma(head) in _VAGUE or any(token.pos in ("CCONJ", "PRON", "VERB") for token in phrase):
            continue
        if any(
            token.text in _JOINTS or token.tag == "POS"
            for token in claim.tokens[max(chunk.start - 1, 0) : chunk.end + 1]
        ):
            continue  # "Emily's", "full-duplex": a part of a name
        if likeness[head.index] >= _SAME:
            is_thing = phrase[0].pos == "DET" and head.tag == "NN"
            present.setdefault(lemma(head), f"the {head.text}" if is_thing else head.text)
        elif all(likeness[word.index] < _FOREIGN for word in words):
            absent.setdefault(lemma(head), definite(phrase))
    only_absent = [name for noun, name in absent.items() if noun not in present]
    return tuple(present.values())[:_MOST_NAMED], tuple(only_absent)[:_MOST_NAMED]
