"""Whether texts make claims: windows, chances, who reads, and what the claim head is asked."""

from __future__ import annotations

import numpy as np
import pytest

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED
from postil.grading import verdicts
from postil.grading.verdicts import Asked, chances, judge_claims, label_of, windows
from postil.language.network import PairReader, asked

REFERENCE = "The solid dissolves and the liquid remains clear."
FILLER = "We looked at it for a very long time and wrote everything down in our books."


class ClaimHead(PairReader):
    """A reader that says what it is told to, and remembers what it was asked."""

    def __init__(self, say) -> None:
        self.say, self.read = say, []

    def pairs(self, pairs, heads=("response",), question=""):
        assert (heads, question) == (("claim",), "")
        self.read += pairs
        return {"claim": np.array([self.say(*pair) for pair in pairs], np.float32)}


@pytest.fixture
def reads(monkeypatch):
    def use(say):
        head = ClaimHead(say)
        monkeypatch.setattr(verdicts, "reader", lambda name: head)
        return head

    return use


def test_a_text_is_read_whole_or_in_windows_of_whole_sentences():
    assert windows(REFERENCE) == [REFERENCE]
    text = " ".join([FILLER] * 30)
    parts = windows(text, 40)
    assert " ".join(parts) == text
    assert all(len(part.split()) <= 40 and part.endswith("books.") for part in parts)
    assert windows("") == windows(" … ") == []


def test_a_sentence_without_an_end_is_cut():
    parts = windows("word " * 300, 130)
    assert [len(part.split()) for part in parts] == [130, 130, 40]


def test_the_work_for_a_text_is_bounded():
    assert len(windows("word. " * 100_000, 5)) == verdicts._MOST_WINDOWS


def test_what_one_window_says_is_said(reads):
    head = reads(lambda text, claim: [9, 0, 0] if "dissolves" in text else [0, 0, 9])
    late, never = judge_claims(
        [Asked(" ".join([FILLER] * 20) + REFERENCE, "it dissolves"), Asked(FILLER, "it dissolves")], "careful"
    )
    assert (late.label, never.label) == (EXPRESSED, UNADDRESSED)
    assert len(head.read) > 2


def test_windows_that_disagree_are_no_surer_than_sure(reads):
    reads(lambda text, claim: [9, 0, 0] if "dissolves" in text else [0, 9, 0])
    ((expressed, contradicted),) = chances([Asked(" ".join([FILLER] * 20) + REFERENCE, "x")], "careful")
    assert expressed + contradicted <= 1 + 1e-9


def test_the_question_stands_before_the_claim_and_equal_pairs_are_read_once(reads):
    head = reads(lambda *_: [0, 0, 9])
    item = Asked("It don't  melt.", "ice doesn't melt", "What happens?")
    chances([item, item, Asked(item.text, item.claim)], "careful")
    assert head.read == [
        ("It do not melt.", asked("What happens?", "ice does not melt")),
        ("It do not melt.", "ice does not melt"),
    ]


def test_a_claim_that_is_found_without_the_question_is_found(reads):
    head = reads(lambda text, claim: [0, 5, 0] if "→" in claim else [5, 0, 0])
    (verdict,) = judge_claims([Asked("ice floats", "ice floats", "So you like lakes?")], "careful")
    assert verdict.label == EXPRESSED
    assert len(head.read) == 2
    assert len(judge_claims([Asked("ice floats", "ice floats")] * 2, "careful")) == 2


def test_the_three_outcomes(reads):
    reads(lambda text, claim: {"a": [5, 0, 0], "b": [0, 5, 0], "c": [0, 0, 5]}[text])
    judged = judge_claims([Asked(text, "claim") for text in "abc"], "careful")
    assert [verdict.label for verdict in judged] == [EXPRESSED, CONTRADICTED, UNADDRESSED]
    assert all(0 <= verdict.expressed <= 1 - verdict.contradicted <= 1 for verdict in judged)


def test_in_a_cascade_only_what_is_unsure_is_read_again(monkeypatch):
    told = {"sure": [(0.99, 0.0)], "unsure": [(0.6, 0.1)]}
    read = []

    def by(items, name):
        read.append((name, [item.text for item in items]))
        return (
            np.array([row for item in items for row in told[item.text]])
            if name == "quick"
            else np.full((len(items), 2), 0.25)
        )

    monkeypatch.setattr(verdicts, "_chances_by", by)
    result = chances([Asked("sure", "x"), Asked("unsure", "x")], "cascade")
    assert read == [("quick", ["sure", "unsure"]), ("careful", ["unsure"])]
    np.testing.assert_allclose(result, [[0.99, 0], [0.25, 0.25]])


def test_nothing_has_no_chances():
    np.testing.assert_array_equal(chances([Asked("…", REFERENCE)], "quick"), [[0, 0]])
    assert chances([], "quick").shape == (0, 2)


def test_a_long_text_is_read_by_the_quick_reader_as_well():
    late, never = chances(
        [Asked(" ".join([*[FILLER] * 4, REFERENCE]), REFERENCE), Asked(FILLER, REFERENCE)], "quick"
    )
    assert late[0] > never[0]


@pytest.mark.parametrize(
    ("row", "label"), [((0.5, 0.5), EXPRESSED), ((0.4, 0.6), CONTRADICTED), ((0.3, 0.3), UNADDRESSED)]
)
def test_the_likeliest_outcome(row, label):
    assert label_of(*row) == label
