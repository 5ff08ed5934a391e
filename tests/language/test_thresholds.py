"""How the thresholds of the cascades are learned (training/thresholds.py), as a cascade would do it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from postil.language import network
from postil.language.network import CASCADE, EXPERT, QUICK, THOROUGH, Cascade

TRAINING = Path(__file__).parents[2] / "training"


@pytest.fixture
def learning(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TRAINING))
    import thresholds

    return thresholds


class Told:
    """A reader that says what it is told of the answer with that number."""

    name, most_words, longest = "told", 100, 256

    def __init__(self, chances: np.ndarray) -> None:
        self.chances, self.count = chances, 0

    def pairs(self, pairs, heads=("response",), question=""):
        self.count += len(pairs)
        correct = self.chances[[int(first) for first, _ in pairs]]
        return {head: np.log(np.stack([correct, *[(1 - correct) / 4] * 4], axis=1)) for head in heads}


def readings(learning: ModuleType, seed: int = 0, count: int = 400, heard=(True, True, True)):
    """Answers that the first reader hardly tells apart, the second mostly, the last nearly always."""
    rng = np.random.default_rng(seed)
    right = rng.random(count) < 0.5
    odds = rng.normal(np.outer(np.where(right, 1, -1), (0.3, 3, 4)), (0.5, 2, 2))
    return learning.Readings(
        1 / (1 + np.exp(-odds)), right, np.arange(count) // 10, np.array([0.01, 0.1, 1.0]), heard
    )


def test_a_cascade_is_simulated_as_it_is(learning: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, sure = readings(learning), (0.7, 0.9)
    monkeypatch.setitem(network.SURE, THOROUGH, sure)
    told = [Told(column) for column in corpus.chances.T]
    said = Cascade(*told, name=THOROUGH).pairs([(str(row), "") for row in range(len(corpus.right))])
    last = learning.who_reads(corpus, sure)
    assert np.allclose(np.exp(said["response"][:, 0]), corpus.chances[np.arange(len(last)), last])
    outcome = learning.outcome(corpus, sure)
    assert [share * len(last) for share in outcome.shares] == pytest.approx([each.count for each in told])
    assert outcome.cost == pytest.approx(np.dot(outcome.shares, (0.01, 0.1, 1)))


def test_what_is_chosen_is_close_to_the_last_reader_at_a_third_of_its_cost(learning: ModuleType) -> None:
    corpora = [readings(learning, seed) for seed in range(3)]
    sure = learning.chosen(corpora)
    outcome = learning.mean([learning.outcome(corpus, sure) for corpus in corpora])
    last = np.mean([learning.alone(corpus, -1) for corpus in corpora])
    assert outcome.accuracy >= last - learning.MARGIN
    assert outcome.cost <= learning.COST
    low, high = learning.difference(corpora, sure)
    assert low <= outcome.accuracy - last <= high


def test_a_reader_is_not_heard_where_it_has_learned_the_answers(learning: ModuleType) -> None:
    corpus = readings(learning, heard=(False, True, True))
    assert learning.who_reads(corpus, (0.5, 1.01)).min() == 2
    assert learning.who_reads(corpus, (0.5, 0.5)).max() == 1


def test_every_cascade_has_a_threshold_for_each_reader_but_the_last(learning: ModuleType) -> None:
    assert set(network.SURE) == set(learning.CASCADES) == {CASCADE, THOROUGH}
    for cascade, readers in learning.CASCADES.items():
        assert readers[0] == QUICK
        assert len(network.SURE[cascade]) == len(readers) - 1
        assert all(0.5 <= sure <= 1.01 for sure in network.SURE[cascade])
    assert learning.CASCADES[THOROUGH][-1] == EXPERT


def test_what_was_read_is_kept_without_its_text(
    learning: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import held_out

    reader = Told(np.array([0.9, 0.2]))
    reader.gullible = False
    monkeypatch.setattr(held_out, "version", lambda name: "one")
    path = tmp_path / "told.jsonl"
    first = held_out.Kept(reader, path).pairs([("0", "the sun"), ("1", "the sun")])["response"]
    path.write_text(path.read_text("utf-8") + '\n["half of a li', "utf-8")
    again = held_out.Kept(reader, path)
    assert np.array_equal(again.pairs([("1", "the sun"), ("0", "the sun")])["response"], first[::-1])
    assert reader.count == 2
    assert "sun" not in path.read_text("utf-8")
    assert again.seconds >= again.seconds_now == 0
    monkeypatch.setattr(held_out, "version", lambda name: "two")
    held_out.Kept(reader, path).pairs([("0", "the sun")])
    assert reader.count == 3


def test_a_smaller_draw_is_part_of_a_larger_one_and_spread_over_the_questions(learning: ModuleType) -> None:
    import random

    import held_out

    questions = [
        held_out.Question(
            str(number), "?", (), tuple(held_out.Answer(str(a), f"{a}") for a in range(2 + 9 * number))
        )
        for number in range(3)
    ]
    small, large = (
        {(q.id, a.id) for q in held_out.drawn(questions, most, random.Random(1)) for a in q.answers}
        for most in (9, 20)
    )
    assert small < large
    assert (len(small), len(large)) == (9, 20)
    assert {id for id, _ in small} == {"0", "1", "2"}
    assert len({answer for id, answer in small if id == "1"}) >= 3
