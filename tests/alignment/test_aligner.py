"""The shipped aligner: on any input it follows the annotation rules and gives the same result twice."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from postil.alignment import optimiser
from postil.alignment.aligner import LINK_TYPES, Aligner, Models, load_aligner, typed
from postil.data.formats.ists import read_alignments, write_alignments
from postil.data.formats.ists_rules import check_annotation
from postil.data.judgements import APPROXIMATE, AlignedPair, ChunkedPair

TEXT = """the a bulb switch battery Z path closed open lit is not never may says 12 ten , . red old dogs sleep
in of current flows because terminal gap 3.5 ? naïve 水 e=mc2 ' -- up"""
WORDS = TEXT.split()


def chunked(rng: random.Random, name: str, words, others) -> ChunkedPair:
    return ChunkedPair(name, tuple(words), tuple(others), cut(rng, len(words)), cut(rng, len(others)))


def cut(rng: random.Random, size: int):
    places = [number for number in range(1, size) if rng.random() < 0.5]
    edges = [0, *places, size] if size else [0]
    return tuple(tuple(range(a + 1, b + 1)) for a, b in pairwise(edges))


def made_up(seed: int = 0, count: int = 40) -> list[ChunkedPair]:
    rng = random.Random(seed)
    found = []
    for number in range(count):
        words = rng.choices(WORDS, k=rng.randint(1, 14))
        others = rng.choices(WORDS, k=rng.randint(1, 14)) if number % 3 else rng.sample(words, len(words))
        found.append(chunked(rng, str(number + 1), words, others))
    return found


def special() -> list[ChunkedPair]:
    """One word, equal, nothing in common, and long sentences."""
    rng = random.Random(7)
    long = [f"{rng.choice(WORDS)}" for _ in range(200)]
    other = [*long[100:], *long[:100]]
    sides = [
        (["yes"], ["no"]),
        (["yes"], ["yes"]),
        (["."], ["the", "bulb", "."]),
        (["the", "bulb", "is", "lit"], ["the", "bulb", "is", "lit"]),
        (["dogs", "sleep"], ["current", "flows"]),
        (long, other),
        (long, ["the", "bulb"]),
    ]
    return [chunked(rng, str(100 + index), *side) for index, side in enumerate(sides)]


@pytest.fixture(scope="module")
def aligned() -> list[AlignedPair]:
    return load_aligner().align([*made_up(), *special()])


def test_every_token_stands_in_exactly_one_alignment_and_chunks_stay_whole(aligned):
    for given, found in zip([*made_up(), *special()], aligned, strict=True):
        assert (found.id, found.source, found.target) == (given.id, given.source, given.target)
        for chunks, size, side in (
            (given.source_chunks, len(given.source), [alignment.source for alignment in found.alignments]),
            (given.target_chunks, len(given.target), [alignment.target for alignment in found.alignments]),
        ):
            assert sorted(token for tokens in side for token in tokens) == list(range(1, size + 1))
            for chunk in chunks:
                assert any(set(chunk) <= set(tokens) for tokens in side)


def test_types_and_scores_keep_the_guideline(aligned):
    kinds = set()
    for one in (alignment for pair in aligned for alignment in pair.alignments):
        kinds.add(one.type)
        assert set(one.labels[1:]) <= {"FACT", "POL"}
        if one.type == "NOALI":
            assert one.score is None
            assert bool(one.source) != bool(one.target)
        else:
            assert one.source
            assert one.target
            assert (one.score == 5) == (one.type == "EQUI")
            assert one.score in (1, 2, 3, 4, 5)
    assert {"EQUI", "NOALI"} < kinds


def test_the_file_passes_the_check_of_annotations(aligned, tmp_path):
    write_alignments(tmp_path / "a.wa", aligned)
    assert check_annotation(tmp_path / "a.wa") == []
    assert [pair.alignments for pair in read_alignments(tmp_path / "a.wa")] == [
        tuple(pair.alignments) for pair in aligned
    ]


def test_the_same_comes_out_again_in_any_company(aligned):
    pairs = [*made_up(), *special()]
    for again in (load_aligner().align(pairs), load_aligner().align(pairs[::-1])[::-1]):
        # On a machine with too much to do the clock may stop the optimiser, which then says so.
        exact = [
            (one, other) for one, other in zip(again, aligned, strict=True) if not one.status + other.status
        ]
        assert len(exact) >= len(made_up())
        assert [one for one, _ in exact] == [other for _, other in exact]
    assert load_aligner().align([pairs[5]]) == [aligned[5]]


def test_texts_are_cut_into_our_own_chunks():
    texts = [
        ("The bulb is lit.", "The bulb is lit."),
        ("", "the bulb"),
        ("Dogs bark.", ""),
        ("", ""),
        (" ", "?"),
    ]
    found = load_aligner().align_texts(texts)
    assert [pair.id for pair in found] == ["1", "2", "3", "4", "5"]
    first = [(alignment.source, alignment.type) for alignment in found[0].alignments[:2]]
    assert first == [((1, 2), "EQUI"), ((3, 4), "EQUI")]
    assert [alignment.type for alignment in found[1].alignments] == ["NOALI"]
    assert {alignment.type for alignment in found[2].alignments} == {"NOALI"}
    assert found[3].alignments == ()


def test_the_example_of_the_paper():
    chunks = ((1,), (2,), (3, 4, 5), (6, 7)), ((1,), (2,), (3, 4, 5), (6, 7, 8))
    words = (
        ["12", "killed", "in", "bus", "accident", "in", "Pakistan"],
        ["10", "killed", "in", "road", "accident", "in", "NW", "Pakistan"],
    )
    (found,) = load_aligner().align([ChunkedPair("1", tuple(words[0]), tuple(words[1]), *chunks)])
    links = {(alignment.source, alignment.target): alignment for alignment in found.alignments}
    assert set(links) == set(zip(*chunks, strict=True))
    assert links[(2,), (2,)].type == "EQUI"
    assert links[(1,), (1,)].type == "SIMI"
    assert links[(3, 4, 5), (3, 4, 5)].type in ("SPE1", "SIMI")
    assert links[(6, 7), (6, 7, 8)].type == "SPE2"
    assert min(alignment.score for alignment in found.alignments) >= 3


def test_opposites_are_told():
    chunks = ((1, 2), (3, 4)), ((1, 2), (3, 4))
    words = ("the", "voltage", "goes", "up"), ("the", "voltage", "goes", "down")
    (found,) = load_aligner().align([ChunkedPair("1", *words, *chunks)])
    assert [alignment.type for alignment in found.alignments] == ["EQUI", "OPPO"]


def test_a_pair_whose_links_are_not_surely_the_best_says_so(monkeypatch):
    """Everything is alike here: groups compete with single links, and there is no time to sort it out."""

    def sure(columns: int):
        return lambda rows: np.full((len(rows), columns), 0.9)

    models = Models(sure(1), sure(1), sure(6), sure(4))
    pair = chunked(random.Random(0), "1", ["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d", "e", "f"])
    single = ChunkedPair("2", ("a",), ("a",), ((1,),), ((1,),))
    monkeypatch.setattr(optimiser, "_LARGEST", 0)
    found = Aligner(models).align([pair, single])
    assert [one.status for one in found] == [APPROXIMATE, ""]


@pytest.mark.parametrize("best", range(6))
def test_no_other_score_than_the_guideline_has(best):
    types, scores = np.full(6, 0.01), np.array([0.1, 0.1, 0.1, 0.7])
    types[best] = 0.95
    kind, score = typed(types, scores)
    assert kind == LINK_TYPES[best]
    assert score == (5 if best == 0 else 4)
