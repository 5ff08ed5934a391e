"""Coverage of a reference by answers: by hand on made-up vectors, and as a whole on words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.measures.coverage import COVERAGE, Side, coverage, crowd, new_recall, side
from postil.language.network import encoder
from postil.language.pieces import Pieces
from postil.language.words.spaces import idf

WORDS = ("battery", "bulb", "closed", "path", "the", "?", "water")


def made(*words: str) -> Pieces:
    """Pieces of words that are like no other: each has a direction of its own."""
    spans = tuple((place, place + 1) for place in range(len(words)))
    vectors = np.eye(len(WORDS), dtype=np.float32)[[WORDS.index(word) for word in words]]
    return Pieces(words, spans, np.arange(len(words), dtype=np.intp), vectors.reshape(len(words), len(WORDS)))


NOTHING = Pieces((), (), np.zeros(0, np.intp), np.zeros((0, len(WORDS)), np.float32))
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(lambda words: made(*words) if words else NOTHING)


def column(table: np.ndarray, name: str) -> np.ndarray:
    return table[:, COVERAGE.index(name)]


def test_a_row_by_hand() -> None:
    question = made("bulb")
    reference, answer = side(made("battery", "bulb"), question), side(made("battery", "water"), question)
    row = coverage(reference, crowd([answer]))
    battery, bulb, water = (float(idf()(word)) + 1e-3 for word in ("battery", "bulb", "water"))
    expected = {
        "recall": battery / (battery + bulb),
        "new_recall": battery / (battery + 0.2 * bulb),
        "newer_recall": battery / (battery + 1e-3 * bulb),
        "missing": 0.2 * bulb / (battery + 0.2 * bulb),
        "mostly_missing": 0.2 * bulb / (battery + 0.2 * bulb),
        "precision": battery / (battery + water),
        "extra": water / (battery + water),
        "question_share": 0,
        "new_weight": np.log1p(battery + water),
        "reference_weight": np.log1p(battery + 0.2 * bulb),
    }
    assert {name: float(column(row, name)[0]) for name in expected} == pytest.approx(expected, abs=1e-5)


def test_punctuation_hardly_counts() -> None:
    weights = side(made("battery", "?"), NOTHING).plain
    assert weights[1] < weights[0] / 1000


def test_a_word_of_several_pieces_weighs_less_a_piece() -> None:
    whole = Pieces(("battery",), ((0, 7),), np.array([0], np.intp), np.eye(1, 7, dtype=np.float32))
    parts = Pieces(("battery",), ((0, 7),), np.array([0] * 4, np.intp), np.eye(4, 7, dtype=np.float32))
    assert side(parts, NOTHING).plain[0] == pytest.approx(side(whole, NOTHING).plain[0] / 2, abs=1e-2)


def test_without_words_nothing_is_covered() -> None:
    reference, answer = side(made("battery"), NOTHING), side(NOTHING, NOTHING)
    for table in (coverage(reference, crowd([answer])), coverage(answer, crowd([reference]))):
        assert column(table, "missing") == column(table, "mostly_missing") == 1
        assert table.sum() == 2
    assert coverage(reference, crowd([])).shape == (0, len(COVERAGE))
    assert new_recall(reference, crowd([])).shape == (0,)


def test_an_answer_that_is_the_reference_covers_it() -> None:
    one = side(made("battery", "closed", "path"), made("bulb"))
    row = coverage(one, crowd([one]))
    for name in ("recall", "new_recall", "newer_recall", "weakest", "precision"):
        assert column(row, name) == pytest.approx(1)
    assert column(row, "missing") == column(row, "extra") == 0


@settings(max_examples=150, deadline=None)
@given(texts, texts, st.lists(texts, max_size=5))
def test_answers_do_not_disturb_each_other(
    question: Pieces, reference: Pieces, answers: list[Pieces]
) -> None:
    known = side(reference, question)
    sides = [side(answer, question) for answer in answers]
    table = coverage(known, crowd(sides))
    assert table.shape == (len(answers), len(COVERAGE))
    assert np.isfinite(table).all()
    for row, one in zip(table, sides, strict=True):
        np.testing.assert_allclose(coverage(known, crowd([one]))[0], row, atol=1e-5)
    np.testing.assert_allclose(coverage(known, crowd(sides[::-1]))[::-1], table, atol=1e-5)


@settings(max_examples=150, deadline=None)
@given(texts, texts, st.lists(texts, max_size=5))
def test_new_recall_is_its_column(question: Pieces, reference: Pieces, answers: list[Pieces]) -> None:
    known, everyone = side(reference, question), crowd([side(answer, question) for answer in answers])
    np.testing.assert_allclose(
        new_recall(known, everyone), column(coverage(known, everyone), "new_recall"), atol=1e-6
    )


@settings(max_examples=100, deadline=None)
@given(texts, texts, texts)
def test_shares_lie_between_none_and_all(question: Pieces, reference: Pieces, answer: Pieces) -> None:
    row = coverage(side(reference, question), crowd([side(answer, question)]))[0]
    assert (row[:-2] >= -1e-6).all()
    assert (row[:-2] <= 1 + 1e-5).all()


def shown(question: str, *others: str) -> list[Side]:
    asked, *pieces = encoder().words([question, *others])
    return [side(one, asked) for one in pieces]


def test_on_real_words() -> None:
    reference, *answers = shown(
        "Why is the bulb lit?",
        "It is in a closed path with the battery.",
        "the battery and it are in one closed path",
        "a complete circuit with the cell",
        "Why is the bulb lit?",
        "",
    )
    recalls = new_recall(reference, crowd(answers))
    assert (np.diff(recalls) < 0).all()
    table = coverage(reference, crowd(answers))
    assert column(table, "question_share")[2] == pytest.approx(1, abs=1e-3)
    assert column(table, "question_share")[0] < 0.9
