"""Two sentences as numbers for the models: how their words compare, then their chunks and groups of chunks.

Words are compared by vectors, forms, WordNet and the conventions of a subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from postil.alignment.conventions import Convention, find_convention
from postil.data.arrays import Bools, Floats, Numbers, Singles
from postil.data.judgements import ChunkedPair
from postil.language.document import Document, Token
from postil.language.network import encoder
from postil.language.pieces import LinkPieces
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
_TOGETHER = 2_000_000  # numbers computed at once: memory does not grow with the square of the length
_HEADS = ("NOUN", "PROPN", "VERB", "AUX", "ADP", "NUM", "ADJ", "ADV", "PRON")
RIVALS = ("lead_first", "lead_second", "before", "after")
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
    tokens = document.tokens
    words = [token.text for token in tokens]
    weights = np.array([_weight(token) for token in tokens])
    convention = find_convention(words)
    if convention:
        weights = np.where(convention.goes_without_saying(words), _LIGHT, weights)
    denying = np.zeros(len(tokens))
    for negation in document.negations:
        denying[[index for index in negation.cue if index < len(tokens)]] = 1
    lemmas = [token.lemma.lower() for token in tokens]
    marks = Marks(
        np.array([token.head for token in tokens], np.intp),
        np.array([token.is_content for token in tokens], bool),
        denying,
        np.array([float(lemma in _MODAL) for lemma in lemmas]),
        np.array([token.pos for token in tokens], object),
        np.array(lemmas, object),
    )
    return Sentence(document, weights, convention, marks)


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
        """Groups of words of both sides through the encoder's last layers: (first, second, outputs)."""
        sides = zip((first, second), self.vectors, self.owners, strict=True)
        ours, theirs = (_means(*side) for side in sides)
        parts = [self._compared(ours[rows], theirs) for rows in _parts(len(ours), theirs.size)]
        return np.concatenate(parts) if parts else self._compared(ours, theirs)

    def _compared(self, ours: Singles, theirs: Singles) -> Singles:
        shape = (len(ours), len(theirs), ours.shape[1])
        ours, theirs = np.broadcast_to(ours[:, None], shape), np.broadcast_to(theirs[None], shape)
        both = np.concatenate([ours, theirs, ours * theirs, np.abs(ours - theirs)], axis=-1)
        inner = both @ self.weights["inner.weight"].T + self.weights["inner.bias"]
        gelu = inner * (0.5 * (1 + erf(inner / np.sqrt(2)))).astype(np.float32)
        return np.asarray(gelu @ self.weights["outer.weight"].T + self.weights["outer.bias"])


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
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6))


def _means(members: Members, vectors: Singles, owners: Numbers) -> Singles:
    """The mean vector of each group's pieces."""
    if not len(owners):
        return np.zeros((len(members), vectors.shape[1]), np.float32)
    inside = members[:, owners].astype(np.float32)
    return np.asarray((inside @ vectors) / np.maximum(inside.sum(axis=1, keepdims=True), 1))


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
    for row, thing in enumerate(convention.named_things(named.words)):
        if thing:
            alike[row, [_form(token) == thing for token in other.document.tokens]] = 1


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two sentences with their chunks, how their words compare, and what the encoder says of them."""

    first: Sentence
    second: Sentence
    first_chunks: Members
    second_chunks: Members
    matrices: dict[str, Floats]
    links: Links


def read(texts: Sequence[tuple[str, str]]) -> list[LinkPieces]:
    """Let the encoder read pairs of texts."""
    return encoder().link_pieces(texts)


def prepare(
    pairs: Sequence[ChunkedPair], documents: Sequence[Document], reading: Sequence[LinkPieces]
) -> list[Pair]:
    """Compare the words of the sentences of each pair; two documents a pair."""
    weights = encoder().link_weights
    sides = zip(pairs, documents[::2], documents[1::2], reading, strict=True)
    return [prepared(*side, weights) for side in sides]


def prepared(
    pair: ChunkedPair, source: Document, target: Document, pieces: LinkPieces, weights: Weights
) -> Pair:
    """Two sentences, compared by what an encoder says of their pieces."""
    first, second = sentence(source), sentence(target)
    encoded = links(pieces, source, target, weights)
    ours, theirs = (
        members(pair.source_chunks, len(pair.source)),
        members(pair.target_chunks, len(pair.target)),
    )
    return Pair(first, second, ours, theirs, word_matrices(first, second, encoded), encoded)


def members(chunks: Sequence[Sequence[int]], words: int) -> Members:
    """Which words each chunk has; token numbers are from 1."""
    table = np.zeros((len(chunks), words), bool)
    for row, chunk in enumerate(chunks):
        table[row, np.array(chunk, np.intp) - 1] = True
    return table


def features(pair: Pair, first: Members, second: Members, *, alone: bool = False) -> dict[str, Floats]:
    """By name, a number for each group of the first beside each of the second, or what broadcasts to that.

    Groups that overlap are each looked at `alone`, as if there were no others.
    """
    columns: dict[str, Floats] = {}
    logits = pair.links.logits(first, second)
    for number, name in enumerate(OUTPUTS):
        columns[f"link_{name}"] = logits[..., number].astype(np.float64)
    columns |= _rivals(-columns["link_NOALI"], "link", alone=alone)
    _matches(pair, first, second, columns, alone=alone)
    _sides(pair, first, second, columns)
    _places(first, second, columns)
    return columns


def _matches(pair: Pair, first: Members, second: Members, columns: dict[str, Floats], *, alone: bool) -> None:
    """For each kind of likeness, how much of either group the other has."""
    weights = first * pair.first.weights, second * pair.second.weights
    masses = [np.maximum(side.sum(axis=1), 1e-6) for side in weights]
    matrices = np.stack([pair.matrices[kind] for kind in KINDS])
    # For every word, its best match in every group of the other side.
    there = _best_matches(matrices, second)
    back = _best_matches(matrices.transpose(0, 2, 1), first)
    ours = weights[0] @ there / masses[0][:, None]
    theirs = (weights[1] @ back / masses[1][:, None]).transpose(0, 2, 1)
    heavy = first & (pair.first.weights >= 0.3), second & (pair.second.weights >= 0.3)
    for number, kind in enumerate(KINDS):
        columns[f"{kind}_first"], columns[f"{kind}_second"] = ours[number], theirs[number]
        if kind in ("cosine", "alike"):
            columns[f"{kind}_weakest_first"] = _weakest(heavy[0], there[number])
            columns[f"{kind}_weakest_second"] = _weakest(heavy[1], back[number]).T
            columns[f"{kind}_lost_first"] = masses[0][:, None] * (1 - ours[number])
            columns[f"{kind}_lost_second"] = masses[1][None] * (1 - theirs[number])
    sides = zip(weights, pair.links.words, strict=True)
    means = [unit((side @ words).astype(np.float32)) for side, words in sides]
    columns["cosine_of_means"] = (means[0] @ means[1].T).astype(np.float64)
    likeness = (columns["cosine_first"] + columns["cosine_second"]) / 2
    columns |= _rivals(likeness, "cosine", alone=alone)


def _best_matches(matrices: Floats, groups: Members) -> Floats:
    """For every kind and word, its best match among the words of each group."""
    if matrices.size * len(groups) <= _TOGETHER:
        best: Floats = np.where(groups[None, None], matrices[:, :, None], 0).max(axis=3, initial=0)
        return best
    # Slower for few words, but neither time nor memory grows with the square of a long text.
    return np.stack([matrices[:, :, group].max(axis=2, initial=0) for group in groups], axis=2)


def _weakest(groups: Members, matches: Floats) -> Floats:
    """For every group of words and each group of the other side, the match of the word that has the worst."""
    weakest = np.empty((len(groups), matches.shape[1]))
    for part in _parts(len(groups), matches.size):
        weakest[part] = np.where(groups[part, :, None], matches[None], 1).min(axis=1, initial=1)
    return weakest


def _parts(groups: int, size: int) -> Iterator[slice]:
    """So many groups at a time that what is computed for all their words together stays small."""
    step = max(1, _TOGETHER // max(1, size))
    return (slice(start, start + step) for start in range(0, groups, step))


def _rivals(likeness: Floats, name: str, *, alone: bool) -> dict[str, Floats]:
    """How far a pair leads the others in its row and in its column, and how alike its neighbours are."""
    if alone:
        nothing = np.zeros_like(likeness)
        columns = (likeness, likeness, nothing, nothing)
    else:
        wide = np.zeros((likeness.shape[0] + 2, likeness.shape[1] + 2))
        wide[1:-1, 1:-1] = likeness
        leads = (likeness - _best_other(likeness), likeness - _best_other(likeness.T).T)
        columns = (*leads, wide[:-2, :-2], wide[2:, 2:])
    return {f"{name}_{rival}": values for rival, values in zip(RIVALS, columns, strict=True)}


def _best_other(values: Floats) -> Floats:
    """For each value the best of the others in its row, 0 where it is alone."""
    if values.shape[1] < 2:
        return np.zeros_like(values)
    top = np.partition(values, -2, axis=1)
    is_best = np.arange(values.shape[1]) == values.argmax(axis=1)[:, None]
    return np.where(is_best, top[:, -2:-1], top[:, -1:])


def _sides(pair: Pair, first: Members, second: Members, columns: dict[str, Floats]) -> None:
    """What each group is by itself, and whether the two are of a kind."""
    heads, their_heads = _heads(pair.first.marks, first), _heads(pair.second.marks, second)
    ours, theirs = _profile(pair.first, first, heads), _profile(pair.second, second, their_heads)
    for name in ours:
        columns[f"{name}_first"], columns[f"{name}_second"] = ours[name][:, None], theirs[name][None]
    for name in ("words", "mass", "denied", "modal"):
        columns[f"{name}_more"] = ours[name][:, None] - theirs[name][None]
    # How many numbers two groups share, and how many only one has, where both have any.
    equal, different = (np.zeros((len(first), len(second))) for _ in range(2))
    if pair.first.document.quantities and pair.second.document.quantities:
        others = _numbers(pair.second.document, second)
        for row, own in enumerate(_numbers(pair.first.document, first)):
            for column, other in enumerate(others):
                if own and other:
                    equal[row, column], different[row, column] = len(own & other), len(own ^ other)
    columns["numbers_equal"], columns["numbers_different"] = equal, different
    starts = pair.first.marks.lemmas[first.argmax(axis=1)]
    their_starts = pair.second.marks.lemmas[second.argmax(axis=1)]
    columns["same_start"] = (starts[:, None] == their_starts[None]).astype(float)
    columns["heads_cosine"] = pair.matrices["cosine"][heads[:, None], their_heads]
    columns["heads_alike"] = pair.matrices["alike"][heads[:, None], their_heads]


def _profile(sentence: Sentence, groups: Members, heads: Numbers) -> dict[str, Floats]:
    marks = sentence.marks
    profile = {
        "words": groups.sum(axis=1).astype(float),
        "mass": groups @ sentence.weights,
        "content": groups @ marks.content.astype(float),
        "denied": groups @ marks.denying,
        "modal": groups @ marks.modal,
    }
    parts = marks.parts[heads]
    profile |= {f"head_{pos}": (parts == pos).astype(float) for pos in _HEADS}
    profile["starts_with_preposition"] = (marks.parts[groups.argmax(axis=1)] == "ADP").astype(float)
    return profile


def _heads(marks: Marks, groups: Members) -> Numbers:
    """The word of each group that depends on no other in it; of several, the last that carries meaning."""
    depends = groups[:, marks.heads] & (marks.heads != np.arange(len(marks.heads)))
    tops = groups & ~depends
    heads = _last(groups)
    for better in (tops, tops & marks.content):
        heads = np.where(better.any(axis=1), _last(better), heads)
    return heads


def _last(members: Members) -> Numbers:
    return np.asarray(members.shape[1] - 1 - members[:, ::-1].argmax(axis=1))


def _numbers(document: Document, groups: Members) -> list[set[float]]:
    numbers = document.quantities
    return [{number.value for number in numbers if row[number.start : number.end].any()} for row in groups]


def _places(first: Members, second: Members, columns: dict[str, Floats]) -> None:
    """Where the groups stand in their sentences."""
    ours, theirs = (
        (side @ np.arange(side.shape[1])) / np.maximum(side.sum(axis=1), 1) / max(side.shape[1], 1)
        for side in (first, second)
    )
    columns["place_first"], columns["place_second"] = ours[:, None], theirs[None]
    columns["place_apart"] = np.abs(ours[:, None] - theirs[None])
    columns["length_first"] = np.array([[float(first.shape[1])]])
    columns["length_second"] = np.array([[float(second.shape[1])]])
