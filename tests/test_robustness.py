"""Changed and odd answers: a written list with the labels that a person would allow."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import postil
from postil.grader import Grader
from postil.grading.answers import LONGEST_ANSWER

CASES = Path(__file__).parent / "fixtures" / "robustness.tsv"
QUESTION = "Why does ice float on water?"
REFERENCE = "Ice is less dense than liquid water."
NOVEL = "The captain looked at the harbour and lit his pipe. " * 2000
KNOWN_FAILURES = 6


@pytest.fixture(scope="module")
def grader() -> Grader:
    return postil.load()


def rows() -> list[dict[str, str]]:
    """Every line of the list; `known` says why one is not yet judged as it should be."""
    with CASES.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=row["answer"] or "nothing",
            marks=[pytest.mark.xfail(strict=True, reason=row["known"])] if row["known"] else [],
        )
        for row in rows()
    ],
)
def test_label_is_one_a_person_would_give(row: dict[str, str], grader: Grader) -> None:
    judged = grader.grade(row["question"], [row["reference"]], row["answer"])
    assert judged.label in row["labels"].split()


def test_list_is_long_and_its_known_failures_do_not_grow() -> None:
    assert len(rows()) >= 50
    assert sum(bool(row["known"]) for row in rows()) <= KNOWN_FAILURES


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row["answer"])
        for row in rows()
        if row["labels"] == "correct" and not row["known"]
    ],
)
def test_denied_answer_scores_lower(row: dict[str, str], grader: Grader) -> None:
    denied = f"It is not true that {row['answer']}"
    before, after = (
        grader.grade(row["question"], [row["reference"]], one) for one in (row["answer"], denied)
    )
    assert after.score < before.score


def test_neighbours_do_not_change_what_the_networks_see(grader: Grader) -> None:
    from postil.language.network import encoder

    pairs = [("ice is light", REFERENCE), ("it is because of the air inside the ice, I think", REFERENCE)]
    together = encoder().pairs(pairs)["response"]
    assert [encoder().pairs([pair])["response"][0].tolist() for pair in pairs] == together.tolist()


def test_twenty_thousand_words_are_judged_by_their_beginning(grader: Grader) -> None:
    judged = grader.grade(QUESTION, [REFERENCE], NOVEL)
    assert judged == grader.grade(QUESTION, [REFERENCE], NOVEL[:LONGEST_ANSWER])


def test_twenty_thousand_words_about_something_else_are_not_correct(grader: Grader) -> None:
    judged = grader.grade(QUESTION, [REFERENCE], NOVEL)
    assert judged.label in ("irrelevant", "non_domain")
    assert judged.deferred
    assert "longer" in judged.because
