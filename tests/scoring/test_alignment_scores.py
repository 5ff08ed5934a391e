"""The alignment scorer by hand, by its laws, and against the rules written out link by link."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.judgements import AlignedPair, Alignment
from postil.errors import MismatchError
from postil.scoring.alignment import score_alignments

PUNCTUATION = ".,:'`?;\"-"
WORDS = st.sampled_from(["bell", "rings", "not", ".", "-", "noon", "..."])
LABELS = st.sampled_from([("EQUI",), ("SPE1",), ("SIMI", "FACT"), ("OPPO", "POL"), ("EQUI", "POL")])
SCORES = st.sampled_from([None, 0.0, 1.0, 2.5, 4.0, 5.0])
NAMES = ("f_align", "f_type", "f_score", "f_type_score")


@st.composite
def aligned(draw, source, target):
    """Alignments of chunks in which every token has at most one place, as the task demands."""
    left = draw(st.permutations(range(1, len(source) + 1)))
    right = draw(st.permutations(range(1, len(target) + 1)))
    alignments = []
    while left and right:
        a, b = draw(st.integers(1, min(3, len(left)))), draw(st.integers(1, min(3, len(right))))
        chunk_a, left = tuple(sorted(left[:a])), left[a:]
        chunk_b, right = tuple(sorted(right[:b])), right[b:]
        if draw(st.booleans()):
            alignments.append(Alignment(chunk_a, chunk_b, draw(LABELS), draw(SCORES)))
        else:
            alignments += [
                Alignment(chunk_a, (), ("NOALI",), None),
                Alignment((), chunk_b, ("NOALI",), 0.0),
            ]
    return tuple(alignments)


@st.composite
def datasets(draw):
    """A few sentence pairs, each with gold and system alignments."""
    gold, system = [], []
    for number in range(draw(st.integers(1, 3))):
        source = tuple(draw(st.lists(WORDS, min_size=1, max_size=6)))
        target = tuple(draw(st.lists(WORDS, min_size=1, max_size=6)))
        gold.append(AlignedPair(str(number), source, target, draw(aligned(source, target))))
        system.append(AlignedPair(str(number), source, target, draw(aligned(source, target))))
    return gold, system


def plain_links(pairs):
    """Every linked token pair of the file, with its weight and its label."""
    links = []
    for pair in pairs:
        here = []
        for alignment in pair.alignments:
            for i in alignment.source:
                for j in alignment.target:
                    if pair.source[i - 1] in PUNCTUATION or pair.target[j - 1] in PUNCTUATION:
                        continue
                    here.append((i, j, set(alignment.labels), alignment.score or 0))
        for i, j, labels, score in here:
            fan_out = max(sum(a == i for a, *_ in here), sum(b == j for _, b, *_ in here))
            links.append(((pair.id, i, j), 1 / fan_out, labels, score))
    return links


def plain_scores(gold, system):
    gold_links, system_links = plain_links(gold), plain_links(system)
    figures = []
    for use_type in (False, True):
        for use_score in (False, True):
            matched = [0.0, 0.0]
            for where, weight, labels, score in system_links:
                for gold_where, gold_weight, gold_labels, gold_score in gold_links:
                    if where == gold_where:
                        credit = 1.0
                        if use_type:
                            credit *= len(labels & gold_labels) / len(labels | gold_labels)
                        if use_score:
                            credit *= 1 - abs(score - gold_score) / 5
                        matched[0] += credit * weight
                        matched[1] += credit * gold_weight
            mass = sum(link[1] for link in system_links), sum(link[1] for link in gold_links)
            p, r = (hit / total if total else 0.0 for hit, total in zip(matched, mass, strict=True))
            figures.append(2 * p * r / (p + r) if p + r else 0.0)
    align, score, type_only, both = figures
    return dict(zip(NAMES, (align, type_only, score, both), strict=True))


@settings(deadline=None, max_examples=100)
@given(datasets())
def test_agrees_with_the_rules_written_out(data):
    gold, system = data
    metrics = score_alignments(gold, system).metrics
    assert dict(metrics) == pytest.approx(plain_scores(gold, system), abs=1e-12)
    assert all(0 <= value <= 1 + 1e-12 for value in metrics.values())
    assert metrics["f_align"] + 1e-12 >= max(metrics["f_type"], metrics["f_score"])
    assert min(metrics["f_type"], metrics["f_score"]) + 1e-12 >= metrics["f_type_score"]


@settings(deadline=None, max_examples=50)
@given(datasets(), st.randoms())
def test_perfect_and_in_any_order(data, shuffler: random.Random):
    gold, system = data
    perfect = score_alignments(gold, gold).metrics
    assert len(set(perfect.values())) == 1
    if plain_links(gold):
        assert perfect["f_type_score"] == pytest.approx(1)
    before = dict(score_alignments(gold, system).metrics)
    shuffled = [
        replace(pair, alignments=tuple(shuffler.sample(pair.alignments, len(pair.alignments))))
        for pair in system
    ]
    shuffler.shuffle(shuffled)
    assert dict(score_alignments(gold, shuffled).metrics) == pytest.approx(before, abs=1e-12)


def pair(*alignments: Alignment) -> AlignedPair:
    return AlignedPair("1", ("a", "small", "bell", "."), ("the", "bell", "?"), alignments)


def test_by_hand():
    gold = pair(Alignment((1, 2, 3), (1, 2), ("SPE1",), 4.0))
    system = pair(Alignment((3,), (2,), ("EQUI",), 5.0), Alignment((1,), (1,), ("SPE1", "POL"), 4.0))
    # Gold: six links, fan-outs 2 and 3, weight 1/3 each: 2 in all. System: two links of weight 1.
    metrics = score_alignments([gold], [system]).metrics
    assert metrics["f_align"] == pytest.approx(2 * 1 * (1 / 3) / (1 + 1 / 3))
    p, r = (0 + 1 / 2) / 2, (1 / 3) * (1 / 2) / 2
    assert metrics["f_type"] == pytest.approx(2 * p * r / (p + r))
    p, r = (0.8 + 1) / 2, (1 / 3) * 1.8 / 2
    assert metrics["f_score"] == pytest.approx(2 * p * r / (p + r))


def test_lone_punctuation_makes_no_link():
    gold = pair(Alignment((3, 4), (2, 3), ("EQUI",), 5.0))
    bare = pair(Alignment((3,), (2,), ("EQUI",), 5.0))
    assert set(score_alignments([gold], [bare]).metrics.values()) == {1.0}


def test_nothing_aligned_scores_nothing():
    empty = pair(Alignment((1,), (), ("NOALI",), None), Alignment((), (2,), ("NOALI",), 0.0))
    full = pair(Alignment((3,), (2,), ("EQUI",), 5.0))
    assert set(score_alignments([full], [empty]).metrics.values()) == {0.0}
    assert set(score_alignments([empty], [full]).metrics.values()) == {0.0}


def test_other_pairs_and_other_tokens_are_refused():
    gold = pair(Alignment((3,), (2,), ("EQUI",), 5.0))
    with pytest.raises(MismatchError, match="'2'"):
        score_alignments([gold], [replace(gold, id="2")])
    with pytest.raises(MismatchError, match="more than once"):
        score_alignments([gold], [gold, gold])
    with pytest.raises(MismatchError, match="4 and 3 tokens"):
        score_alignments([gold], [replace(gold, source=("a", "bell"), alignments=())])
