"""Two chunks, or groups of chunks, that may belong together, as a row of numbers for the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from postil.alignment.words import (
    KINDS,
    OUTPUTS,
    Links,
    Marks,
    Members,
    Sentence,
    Weights,
    links,
    sentence,
    unit,
    word_matrices,
)
from postil.data.arrays import Floats, Numbers
from postil.data.judgements import ChunkedPair
from postil.language.document import Document
from postil.language.network import LinkPieces, encoder

_HEADS = ("NOUN", "PROPN", "VERB", "AUX", "ADP", "NUM", "ADJ", "ADV", "PRON")
RIVALS = ("lead_first", "lead_second", "before", "after")


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
    return Pair(
        first,
        second,
        members(pair.source_chunks, len(pair.source)),
        members(pair.target_chunks, len(pair.target)),
        word_matrices(first, second, encoded),
        encoded,
    )


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
    there = np.where(second[None, None], matrices[:, :, None], 0).max(axis=3, initial=0)
    back = np.where(first[None, None], matrices.transpose(0, 2, 1)[:, :, None], 0).max(axis=3, initial=0)
    ours = weights[0] @ there / masses[0][:, None]
    theirs = (weights[1] @ back / masses[1][:, None]).transpose(0, 2, 1)
    heavy = first & (pair.first.weights >= 0.3), second & (pair.second.weights >= 0.3)
    for number, kind in enumerate(KINDS):
        columns[f"{kind}_first"], columns[f"{kind}_second"] = ours[number], theirs[number]
        if kind in ("cosine", "alike"):
            weakest = np.where(heavy[0][:, :, None], there[number][None], 1).min(axis=1, initial=1)
            columns[f"{kind}_weakest_first"] = weakest
            weakest = np.where(heavy[1][:, :, None], back[number][None], 1).min(axis=1, initial=1)
            columns[f"{kind}_weakest_second"] = weakest.T
            columns[f"{kind}_lost_first"] = masses[0][:, None] * (1 - ours[number])
            columns[f"{kind}_lost_second"] = masses[1][None] * (1 - theirs[number])
    sides = zip(weights, pair.links.words, strict=True)
    means = [unit((side @ words).astype(np.float32)) for side, words in sides]
    columns["cosine_of_means"] = (means[0] @ means[1].T).astype(np.float64)
    likeness = (columns["cosine_first"] + columns["cosine_second"]) / 2
    columns |= _rivals(likeness, "cosine", alone=alone)


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
    best: Floats = np.where(is_best, top[:, -2:-1], top[:, -1:])
    return best


def _sides(pair: Pair, first: Members, second: Members, columns: dict[str, Floats]) -> None:
    """What each group is by itself, and whether the two are of a kind."""
    heads, their_heads = _heads(pair.first.marks, first), _heads(pair.second.marks, second)
    ours, theirs = _profile(pair.first, first, heads), _profile(pair.second, second, their_heads)
    for name in ours:
        columns[f"{name}_first"], columns[f"{name}_second"] = ours[name][:, None], theirs[name][None]
    for name in ("words", "mass", "denied", "modal"):
        columns[f"{name}_more"] = ours[name][:, None] - theirs[name][None]
    columns["numbers_equal"], columns["numbers_different"] = _numbers_compared(pair, first, second)
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
    last: Numbers = members.shape[1] - 1 - members[:, ::-1].argmax(axis=1)
    return last


def _numbers_compared(pair: Pair, first: Members, second: Members) -> tuple[Floats, Floats]:
    """How many numbers two groups share, and how many only one has, where both have any."""
    equal, different = (np.zeros((len(first), len(second))) for _ in range(2))
    if pair.first.document.quantities and pair.second.document.quantities:
        others = _numbers(pair.second.document, second)
        for row, ours in enumerate(_numbers(pair.first.document, first)):
            for column, theirs in enumerate(others):
                if ours and theirs:
                    equal[row, column], different[row, column] = len(ours & theirs), len(ours ^ theirs)
    return equal, different


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
