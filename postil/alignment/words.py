"""How every word of one sentence compares with every word of the other: vectors, forms, WordNet, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from postil.alignment.circuits import is_about_circuits, named_things, unsaid
from postil.data.arrays import Floats, Singles
from postil.language.document import Document, Token
from postil.language.reader import LinkPieces
from postil.language.words.relations import Relation, opposites, word_relation
from postil.language.words.spaces import idf

# What the encoder says of chunks that it has read inside their two sentences.

Weights = Mapping[str, NDArray[np.float32]]
Members = NDArray[np.bool_]  # a row a group, a column a word

# The order of the encoder's outputs for two chunks.
OUTPUTS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI", "score")


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The vectors of both sentences' pieces and words, whose a piece is, and how groups are compared."""

    vectors: tuple[Singles, Singles]
    owners: tuple[NDArray[np.intp], NDArray[np.intp]]
    words: tuple[Singles, Singles]  # a row a word, of length 1
    weights: Weights

    def logits(self, first: Members, second: Members) -> Singles:
        """For groups of words of both sides: (first, second, outputs)."""
        sides = zip((first, second), self.vectors, self.owners, strict=True)
        return compare(self.weights, *(_means(*side) for side in sides))


def links(pieces: LinkPieces, first: Document, second: Document, weights: Weights) -> Links:
    """Give the pieces that the encoder has read to the words of two documents."""
    ours, theirs = (_owners(*side) for side in zip(pieces.starts, (first, second), strict=True))
    one = _word_vectors(first, pieces.vectors[0], ours)
    other = _word_vectors(second, pieces.vectors[1], theirs)
    return Links(pieces.vectors, (ours, theirs), (one, other), weights)


def _owners(starts: NDArray[np.intp], document: Document) -> NDArray[np.intp]:
    words = np.array([token.start for token in document.tokens], np.intp)
    return np.maximum(np.searchsorted(words, starts, side="right") - 1, 0)


def _word_vectors(document: Document, vectors: Singles, owners: NDArray[np.intp]) -> Singles:
    found = np.zeros((len(document.tokens), vectors.shape[1]), np.float32)
    if len(found):
        np.add.at(found, owners, vectors)
    return unit(found)


def unit(vectors: Singles) -> Singles:
    """The vectors, each made as long as 1."""
    found: Singles = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return found


def _means(members: Members, vectors: Singles, owners: NDArray[np.intp]) -> Singles:
    if not len(owners):
        return np.zeros((len(members), vectors.shape[1]), np.float32)
    inside = members[:, owners].astype(np.float32)
    found: Singles = (inside @ vectors) / np.maximum(inside.sum(axis=1, keepdims=True), 1)
    return found


def compare(weights: Weights, first: Singles, second: Singles) -> Singles:
    """Every vector of one side beside every one of the other, through the encoder's last layers."""
    shape = (len(first), len(second), first.shape[1])
    one, other = np.broadcast_to(first[:, None], shape), np.broadcast_to(second[None], shape)
    both = np.concatenate([one, other, one * other, np.abs(one - other)], axis=-1)
    inner = both @ weights["inner.weight"].T + weights["inner.bias"]
    found: Singles = _gelu(inner) @ weights["outer.weight"].T + weights["outer.bias"]
    return found


def _gelu(values: Singles) -> Singles:
    found: Singles = values * (0.5 * (1 + erf(values / np.sqrt(2)))).astype(np.float32)
    return found


# What a pair of words can have in common; a matrix each.
KINDS = ("cosine", "same", "alike", "specific", "general", "opposite", "sister")
_ALIKE = {Relation.SAME, Relation.SYNONYM, Relation.DERIVED}
_RELATIONS = {
    Relation.MORE_SPECIFIC: "specific",
    Relation.PART: "sister",
    Relation.WHOLE: "sister",
    Relation.MORE_GENERAL: "general",
    Relation.OPPOSITE: "opposite",
    Relation.SISTER: "sister",
}
_MODAL = frozenset(("may", "might", "could", "would", "should", "will", "can", "must"))
_LIGHT = 0.15  # weight of a word that carries little meaning
_FAR = 0.15  # words whose vectors are less alike can only be opposites
_LONGEST_RELATED = 80  # words of a sentence that WordNet is asked about


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What is known of each word of a sentence by itself, worked out once for all of its chunks."""

    heads: NDArray[np.intp]  # the word it depends on
    content: NDArray[np.bool_]
    denying: Floats
    modal: Floats
    parts: NDArray[np.object_]
    lemmas: NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence to align: its words, and how much each weighs."""

    document: Document
    weights: Floats
    circuits: bool
    marks: Marks

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(token.text for token in self.document.tokens)


def sentence(document: Document) -> Sentence:
    """Weigh the words of a sentence."""
    words = [token.text for token in document.tokens]
    circuits = is_about_circuits(words)
    weights = np.array([_weight(token) for token in document.tokens])
    if circuits:
        weights = np.where(unsaid(words), _LIGHT, weights)
    return Sentence(document, weights, circuits, _marks(document))


def _marks(document: Document) -> Marks:
    tokens = document.tokens
    denying = np.zeros(len(tokens))
    for negation in document.negations:
        denying[[place for place in negation.cue if place < len(tokens)]] = 1
    lemmas = [token.lemma.lower() for token in tokens]
    return Marks(
        np.array([token.head for token in tokens], np.intp),
        np.array([token.is_content for token in tokens], bool),
        denying,
        np.array([float(lemma in _MODAL) for lemma in lemmas]),
        np.array([token.pos for token in tokens], object),
        np.array(lemmas, object),
    )


def _weight(token: Token) -> float:
    if not any(letter.isalnum() for letter in token.text):
        return 1e-3
    rareness = _rareness(token.lemma.lower())
    return max(_LIGHT, rareness) if token.is_content else max(_LIGHT, 0.3 * rareness)


@lru_cache(maxsize=50_000)
def _rareness(word: str) -> float:
    return min(idf()(word), 9.0) / 9.0


def word_matrices(first: Sentence, second: Sentence, said: Links) -> dict[str, Floats]:
    """For each of `KINDS` a matrix: a row a word of the first, a column a word of the second."""
    shape = (len(first.weights), len(second.weights))
    found = {kind: np.zeros(shape) for kind in KINDS}
    found["cosine"] = np.clip(said.words[0] @ said.words[1].T, 0, 1).astype(np.float64)
    ours, theirs = ([_form(token) for token in one.document.tokens] for one in (first, second))
    found["same"] = (
        (np.array(ours, object)[:, None] == np.array(theirs, object)[None]).astype(float).reshape(shape)
    )
    found["cosine"] = np.maximum(found["cosine"], found["same"])
    _relate(first, second, found)
    if first.circuits and second.circuits:
        _name(first, second, found)
    found["alike"] = np.maximum(found["alike"], found["same"])
    return found


def _form(token: Token) -> str:
    return token.lemma.lower().strip(".,;:!?\"'`") or token.text


def _relate(first: Sentence, second: Sentence, found: dict[str, Floats]) -> None:
    """Ask WordNet about the words that carry meaning and are not the same."""
    ours, theirs = (
        np.array([token.is_content and bool(token.wordnet_letter) for token in tokens], bool)
        for tokens in (one.document.tokens[:_LONGEST_RELATED] for one in (first, second))
    )
    asked = (found["same"] == 0)[: len(ours), : len(theirs)] & ours[:, None] & theirs[None]
    near = found["cosine"] >= _FAR
    for where in zip(*(places.tolist() for places in asked.nonzero()), strict=True):
        one, other = first.document.tokens[where[0]], second.document.tokens[where[1]]
        relation = _relation(_known(one), _known(other)) if near[where] else None
        if relation in _ALIKE:
            found["alike"][where] = 1
        elif relation is not None:
            found[_RELATIONS[relation]][where] = 1
        elif _opposed(one, other) or _opposed(other, one):
            found["opposite"][where] = 1


def _known(token: Token) -> tuple[str, str]:
    return token.lemma.lower(), token.wordnet_letter


@lru_cache(maxsize=200_000)
def _relation(one: tuple[str, str], other: tuple[str, str]) -> Relation | None:
    return word_relation(one, other)


def _opposed(one: Token, other: Token) -> bool:
    contraries = _contraries(one.text.lower(), *_known(one))
    return other.lemma.lower() in contraries or other.text.lower() in contraries


@lru_cache(maxsize=50_000)
def _contraries(form: str, lemma: str, part: str) -> frozenset[str]:
    """The opposites of a word, whatever it is tagged as: "open" is "closed"'s, which may stand as a verb."""
    if part == "n":
        return frozenset()
    return frozenset().union(*(opposites(word, each) for word in (form, lemma) for each in {part, "a"}))


def _name(first: Sentence, second: Sentence, found: dict[str, Floats]) -> None:
    """A thing's name is as good as the thing: "Z" and "the switch"."""
    for one, other, flip in ((first, second, False), (second, first, True)):
        forms = [_form(token) for token in other.document.tokens]
        for place, thing in enumerate(named_things(one.words)):
            for match in (number for number, form in enumerate(forms) if thing and form == thing):
                where = (match, place) if flip else (place, match)
                found["alike"][where] = 1
