"""How every word of one sentence compares with every word of the other: vectors, forms, WordNet, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from postil.alignment.conventions import Convention, find_convention
from postil.data.arrays import Bools, Floats, Numbers, Singles
from postil.language.document import Document, Token
from postil.language.network import LinkPieces
from postil.language.words.relations import Relation, opposites, word_relation
from postil.language.words.spaces import idf

Weights = Mapping[str, Singles]
Members = Bools  # a row a group, a column a word

# The order of the encoder's outputs for two chunks.
OUTPUTS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI", "score")
# What a pair of words can have in common; a matrix each.
KINDS = ("cosine", "same", "alike", "specific", "general", "opposite", "sister")
_KIND_OF = {
    **dict.fromkeys((Relation.SAME, Relation.SYNONYM, Relation.DERIVED), "alike"),
    **dict.fromkeys((Relation.PART, Relation.WHOLE, Relation.SISTER), "sister"),
    Relation.MORE_SPECIFIC: "specific",
    Relation.MORE_GENERAL: "general",
    Relation.OPPOSITE: "opposite",
}
_MODAL = frozenset(("may", "might", "could", "would", "should", "will", "can", "must"))
_LIGHT = 0.15  # weight of a word that carries little meaning
_FAR = 0.15  # words whose vectors are less alike can only be opposites
_LONGEST_RELATED = 80  # words of a sentence that are looked up in WordNet


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What is known of each word of a sentence by itself, worked out once for all of its chunks."""

    heads: Numbers  # the word it depends on
    content: Bools
    denying: Floats
    modal: Floats
    parts: NDArray[np.object_]
    lemmas: NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence to align: its words, how much each weighs, and the convention it follows, if any."""

    document: Document
    weights: Floats
    convention: Convention | None
    marks: Marks

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(token.text for token in self.document.tokens)


def sentence(document: Document) -> Sentence:
    """Weigh the words of a sentence."""
    words = [token.text for token in document.tokens]
    weights = np.array([_weight(token) for token in document.tokens])
    convention = find_convention(words)
    if convention:
        weights = np.where(convention.goes_without_saying(words), _LIGHT, weights)
    return Sentence(document, weights, convention, _marks(document))


def _marks(document: Document) -> Marks:
    tokens = document.tokens
    denying = np.zeros(len(tokens))
    for negation in document.negations:
        denying[[index for index in negation.cue if index < len(tokens)]] = 1
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
    return max(_LIGHT, rareness if token.is_content else 0.3 * rareness)


@lru_cache(maxsize=50_000)
def _rareness(word: str) -> float:
    return min(idf()(word), 9.0) / 9.0


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """What the encoder says of two sentences: vectors of pieces and words, and how groups are compared."""

    vectors: tuple[Singles, Singles]
    owners: tuple[Numbers, Numbers]  # the word that each piece belongs to
    words: tuple[Singles, Singles]  # a row a word, of length 1
    weights: Weights

    def logits(self, first: Members, second: Members) -> Singles:
        """For groups of words of both sides: (first, second, outputs)."""
        sides = zip((first, second), self.vectors, self.owners, strict=True)
        return _compare(self.weights, *(_means(*side) for side in sides))


def links(pieces: LinkPieces, first: Document, second: Document, weights: Weights) -> Links:
    """Give the pieces that the encoder has read to the words of two documents."""
    owners, words = [], []
    for document, starts, vectors in zip((first, second), pieces.starts, pieces.vectors, strict=True):
        word_starts = np.array([token.start for token in document.tokens], np.intp)
        owners.append(np.maximum(np.searchsorted(word_starts, starts, side="right") - 1, 0))
        sums = np.zeros((len(document.tokens), vectors.shape[1]), np.float32)
        if len(sums):
            np.add.at(sums, owners[-1], vectors)
        words.append(unit(sums))
    return Links(pieces.vectors, (owners[0], owners[1]), (words[0], words[1]), weights)


def unit(vectors: Singles) -> Singles:
    """The vectors scaled to length 1."""
    scaled: Singles = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return scaled


def _means(members: Members, vectors: Singles, owners: Numbers) -> Singles:
    """The mean vector of each group's pieces."""
    if not len(owners):
        return np.zeros((len(members), vectors.shape[1]), np.float32)
    inside = members[:, owners].astype(np.float32)
    means: Singles = (inside @ vectors) / np.maximum(inside.sum(axis=1, keepdims=True), 1)
    return means


def _compare(weights: Weights, first: Singles, second: Singles) -> Singles:
    """Every vector of one side beside every one of the other, through the encoder's last layers."""
    shape = (len(first), len(second), first.shape[1])
    ours, theirs = np.broadcast_to(first[:, None], shape), np.broadcast_to(second[None], shape)
    both = np.concatenate([ours, theirs, ours * theirs, np.abs(ours - theirs)], axis=-1)
    inner = both @ weights["inner.weight"].T + weights["inner.bias"]
    gelu = inner * (0.5 * (1 + erf(inner / np.sqrt(2)))).astype(np.float32)
    outputs: Singles = gelu @ weights["outer.weight"].T + weights["outer.bias"]
    return outputs


def word_matrices(first: Sentence, second: Sentence, encoded: Links) -> dict[str, Floats]:
    """For each of `KINDS` a matrix: a row a word of the first, a column a word of the second."""
    shape = (len(first.weights), len(second.weights))
    matrices = {kind: np.zeros(shape) for kind in KINDS}
    ours, theirs = (
        np.array([_form(token) for token in side.document.tokens], object) for side in (first, second)
    )
    same = matrices["same"] = (ours[:, None] == theirs[None]).astype(float).reshape(shape)
    cosine = np.clip(encoded.words[0] @ encoded.words[1].T, 0, 1).astype(np.float64)
    matrices["cosine"] = np.maximum(cosine, same)
    _relate(first, second, matrices)
    if first.convention and first.convention is second.convention:
        _name(first, second, first.convention, matrices["alike"])
        _name(second, first, first.convention, matrices["alike"].T)
    matrices["alike"] = np.maximum(matrices["alike"], same)
    return matrices


def _form(token: Token) -> str:
    return token.lemma.lower().strip(".,;:!?\"'`") or token.text


def _relate(first: Sentence, second: Sentence, matrices: dict[str, Floats]) -> None:
    """Look up in WordNet the words that carry meaning and are not the same."""
    ours, theirs = (
        np.array([token.is_content and bool(token.wordnet_letter) for token in tokens], bool)
        for tokens in (side.document.tokens[:_LONGEST_RELATED] for side in (first, second))
    )
    asked = (matrices["same"] == 0)[: len(ours), : len(theirs)] & ours[:, None] & theirs[None]
    near = matrices["cosine"] >= _FAR
    for cell in zip(*(indices.tolist() for indices in asked.nonzero()), strict=True):
        our, their = first.document.tokens[cell[0]], second.document.tokens[cell[1]]
        relation = _relation(_lemma(our), _lemma(their)) if near[cell] else None
        if relation is not None:
            matrices[_KIND_OF[relation]][cell] = 1
        elif _opposed(our, their) or _opposed(their, our):
            matrices["opposite"][cell] = 1


def _lemma(token: Token) -> tuple[str, str]:
    return token.lemma.lower(), token.wordnet_letter


_relation = lru_cache(maxsize=200_000)(word_relation)


def _opposed(word: Token, other: Token) -> bool:
    contraries = _contraries(word.text.lower(), *_lemma(word))
    return other.lemma.lower() in contraries or other.text.lower() in contraries


@lru_cache(maxsize=50_000)
def _contraries(form: str, lemma: str, part: str) -> frozenset[str]:
    """The opposites of a word, also as an adjective: "closed" may be tagged as a verb."""
    if part == "n":
        return frozenset()
    return frozenset().union(*(opposites(word, each) for word in (form, lemma) for each in {part, "a"}))


def _name(named: Sentence, other: Sentence, convention: Convention, alike: Floats) -> None:
    """A thing's name is as good as the thing: "Z" and "the switch"."""
    forms = [_form(token) for token in other.document.tokens]
    for row, thing in enumerate(convention.named_things(named.words)):
        if thing:
            alike[row, [column for column, form in enumerate(forms) if form == thing]] = 1
