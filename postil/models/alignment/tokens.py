"""How every word of one sentence compares with every word of the other: vectors, forms, WordNet, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from postil.knowledge.encoder import Pieces
from postil.knowledge.spaces import idf
from postil.knowledge.word_relations import Relation, word_relation
from postil.models.alignment.conventions import is_about_circuits, named_things, unsaid
from postil.text.document import Document, Token

Floats = NDArray[np.float64]

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
_FAR = 0.15  # words whose vectors are less alike are not looked up
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
    """A sentence to align: its words, how much each weighs, and a vector for each."""

    document: Document
    weights: Floats
    vectors: NDArray[np.float32]
    circuits: bool
    marks: Marks

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(token.text for token in self.document.tokens)


def sentence(document: Document, pieces: Pieces) -> Sentence:
    """Weigh the words of a sentence and give each the mean of its pieces' vectors."""
    words = [token.text for token in document.tokens]
    circuits = is_about_circuits(words)
    weights = np.array([_weight(token) for token in document.tokens])
    if circuits:
        weights = np.where(unsaid(words), _LIGHT, weights)
    return Sentence(document, weights, _word_vectors(document, pieces), circuits, _marks(document))


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


def _word_vectors(document: Document, pieces: Pieces) -> NDArray[np.float32]:
    found = np.zeros((len(document.tokens), pieces.vectors.shape[1]), np.float32)
    if len(found):
        starts = np.array([token.start for token in document.tokens], np.intp)
        places = np.array([pieces.spans[owner][0] for owner in pieces.owners], np.intp)
        owners = np.maximum(np.searchsorted(starts, places, side="right") - 1, 0)
        np.add.at(found, owners, pieces.vectors)
    lengths = np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6)
    return np.asarray(found / lengths, np.float32)


def word_matrices(first: Sentence, second: Sentence) -> dict[str, Floats]:
    """For each of `KINDS` a matrix: a row a word of the first, a column a word of the second."""
    shape = (len(first.weights), len(second.weights))
    found = {kind: np.zeros(shape) for kind in KINDS}
    found["cosine"] = np.clip(first.vectors @ second.vectors.T, 0, 1).astype(np.float64)
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
    near = (found["same"] == 0) & (found["cosine"] >= _FAR)
    asked = near[: len(ours), : len(theirs)] & ours[:, None] & theirs[None]
    for where in zip(*(places.tolist() for places in asked.nonzero()), strict=True):
        one, other = first.document.tokens[where[0]], second.document.tokens[where[1]]
        relation = _relation(one.lemma.lower(), one.wordnet_letter, other.lemma.lower(), other.wordnet_letter)
        if relation in _ALIKE:
            found["alike"][where] = 1
        elif relation is not None:
            found[_RELATIONS[relation]][where] = 1


@lru_cache(maxsize=200_000)
def _relation(one: str, its_part: str, other: str, other_part: str) -> Relation | None:
    return word_relation((one, its_part), (other, other_part))


def _name(first: Sentence, second: Sentence, found: dict[str, Floats]) -> None:
    """A thing's name is as good as the thing: "Z" and "the switch"."""
    for one, other, flip in ((first, second, False), (second, first, True)):
        forms = [_form(token) for token in other.document.tokens]
        for place, thing in enumerate(named_things(one.words)):
            for match in (number for number, form in enumerate(forms) if thing and form == thing):
                where = (match, place) if flip else (place, match)
                found["alike"][where] = 1
