"""The interpretable-similarity scorer: F1 of token links, alone and weighted by type and by score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from postil.data.arrays import Floats
from postil.data.judgements import AlignedPair
from postil.errors import MismatchError
from postil.scoring.responses import check_ids
from postil.scoring.significance import Metrics, Score, SumTally, f1_of, make_signature, ratio

METRICS = ("f_align", "f_type", "f_score", "f_type_score")
_PUNCTUATION = frozenset(".,:'`?;\"-")

_Label = tuple[frozenset[str], float]
_Links = dict[tuple[int, int], _Label]


def _links(pair: AlignedPair) -> _Links:
    """All token pairs of aligned chunks, single punctuation tokens left out, with type and score."""
    links: _Links = {}
    for alignment in pair.alignments:
        label = (frozenset(alignment.labels), alignment.score or 0.0)
        for source in alignment.source:
            if pair.source[source - 1] in _PUNCTUATION:
                continue
            for target in alignment.target:
                if pair.target[target - 1] not in _PUNCTUATION:
                    links[source, target] = label
    return links


def _weights(links: _Links) -> dict[tuple[int, int], float]:
    """A link weighs one over the larger fan-out of its two tokens (Melamed 1998)."""
    sources = Counter(source for source, _ in links)
    targets = Counter(target for _, target in links)
    return {(source, target): 1 / max(sources[source], targets[target]) for source, target in links}


def _counts(gold: AlignedPair, system: AlignedPair) -> list[float]:
    """One row of the tally: link mass of both sides, then the matched mass by metric, of both sides."""
    gold_links, system_links = _links(gold), _links(system)
    gold_weights, system_weights = _weights(gold_links), _weights(system_links)
    matched = np.zeros((2, len(METRICS)))
    for link, label in system_links.items():
        if link in gold_links:
            gold_label = gold_links[link]
            types = len(gold_label[0] & label[0]) / len(gold_label[0] | label[0])
            closeness = 1 - abs(gold_label[1] - label[1]) / 5
            credit = np.array([1.0, types, closeness, types * closeness])
            matched[0] += system_weights[link] * credit
            matched[1] += gold_weights[link] * credit
    return [sum(system_weights.values()), sum(gold_weights.values()), *matched.ravel()]


def _finish(sums: Floats) -> Metrics:
    matched = sums[..., 2:].reshape(*sums.shape[:-1], 2, len(METRICS))
    precision, recall = np.moveaxis(ratio(matched, sums[..., :2, None]), -2, 0)
    return dict(zip(METRICS, np.moveaxis(f1_of(precision, recall), -1, 0), strict=True))


def tally_alignments(gold: Sequence[AlignedPair], system: Sequence[AlignedPair]) -> SumTally:
    """Compare two sets of aligned pairs, joined by id; sums run over the whole file, as in the task."""
    check_ids([pair.id for pair in gold], [pair.id for pair in system])
    by_id = {pair.id: pair for pair in system}
    rows = []
    for pair in gold:
        other = by_id[pair.id]
        if (len(pair.source), len(pair.target)) != (len(other.source), len(other.target)):
            raise MismatchError(
                f"pair {pair.id} has {len(pair.source)} and {len(pair.target)} tokens in the gold, "
                f"{len(other.source)} and {len(other.target)} in the system's file.",
                hint="Tokens must be those of the input files, split at blanks.",
            )
        rows.append(_counts(pair, other))
    return SumTally(np.array(rows), _finish)


def score_alignments(gold: Sequence[AlignedPair], system: Sequence[AlignedPair]) -> Score:
    """Score a system's alignments of a dataset."""
    tally = tally_alignments(gold, system)
    signature = make_signature("ists", variant="2016", n=tally.size)
    return Score(tally.values(), "f_type_score", signature, tally.size)
