"""The shipped entailer: plain pairs, odd input, paraphrases, and that pairs do not affect each other."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from postil.entailment.entailer import LABELS, LONGEST_TEXT, load_entailer
from postil.research.shipped import as_lines, has_learned, pair_fingerprint

PARAPHRASES = Path(__file__).parent.parent / "fixtures" / "paraphrases.tsv"


def judge(text: str, hypothesis: str):
    (judged,) = load_entailer().judge([(text, hypothesis)])
    return judged


@pytest.mark.parametrize(
    ("text", "hypothesis", "label"),
    [
        ("Rosa Diaz bought a small house near Leeds.", "Rosa Diaz purchased a house.", "ENTAILMENT"),
        ("Rosa Diaz is a baker. In May she won the race.", "Diaz won the race.", "ENTAILMENT"),
        ("The bulb is not lit because the circuit is open.", "The bulb is lit.", "CONTRADICTION"),
        ("Twelve people died in the crash.", "Ten people died in the crash.", "CONTRADICTION"),
        ("Rosa Diaz bought a small house near Leeds.", "The mayor of Leeds likes tea.", "UNKNOWN"),
        ("The committee may approve the plan next week.", "The committee approves the plan.", "UNKNOWN"),
    ],
)
def test_plain_pairs(text, hypothesis, label):
    judged = judge(text, hypothesis)
    assert judged.label == label
    assert judged.two_way == ("ENTAILMENT" if label == "ENTAILMENT" else "NO_ENTAILMENT")
    assert sum(judged.probabilities.values()) == pytest.approx(1)
    assert judged.confidence == judged.probabilities["ENTAILMENT"]
    assert (judged.confidence >= 0.5) == (label == "ENTAILMENT")


def test_the_parts_that_were_found():
    findings = judge("It rained. Rosa Diaz bought a small house.", "Rosa Diaz bought a boat.").findings
    assert findings.sentence == "Rosa Diaz bought a small house."
    assert "Rosa Diaz" in findings.supported
    assert any("boat" in part for part in findings.unsupported)


@pytest.mark.parametrize(("text", "hypothesis"), [("", "A dog."), ("A dog.", ""), ("", ""), ("?!", "...")])
def test_without_words_nothing_is_known(text, hypothesis):
    judged = judge(text, hypothesis)
    assert judged.label == "UNKNOWN"
    assert judged.confidence == 0


@pytest.mark.parametrize(
    ("text", "hypothesis"),
    [
        ("word " * 100_000, "A word."),
        ("A word.", "word " * 100_000),
        ("\ud800 half a character", "half \ud800"),
        ("日本語のテキスト", "🙂🙂"),
        ("a" * 50_000, "b"),
    ],
)
def test_odd_texts_are_judged(text, hypothesis):
    assert judge(text, hypothesis).label in LABELS


def test_a_long_text_is_searched():
    dull = "The weather was fine and the streets were full of people. " * 60
    assert len(dull) < LONGEST_TEXT / 2
    judged = judge(f"{dull}Rosa Diaz bought a small house. {dull}", "Rosa Diaz bought a house.")
    assert judged.label == "ENTAILMENT"
    assert judged.findings.sentence == "Rosa Diaz bought a small house."


def test_neighbours_do_not_matter_and_it_is_deterministic():
    pairs = [("The dog sleeps.", "A dog sleeps."), ("Rain fell on Bath.", "It was dry."), ("", "x")]
    together = load_entailer().judge(pairs)
    assert together == [judge(*pair) for pair in pairs]
    assert together == load_entailer().judge(pairs)
    assert load_entailer().judge([]) == []


def test_progress_is_told():
    told: list[tuple[int, int]] = []
    load_entailer().judge(
        [("A dog.", "A dog.")] * 70, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(64, 70), (70, 70)]


def test_paraphrases_change_few_decisions():
    with PARAPHRASES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) >= 100
    judged = [
        load_entailer().judge([(row["text"], row[name]) for row in rows])
        for name in ("hypothesis", "paraphrase")
    ]
    changed = sum(one.two_way != other.two_way for one, other in zip(*judged, strict=True))
    assert changed <= len(rows) / 10


def test_pairs_that_were_learned_from_are_known_by_their_fingerprints():
    assert pair_fingerprint("The dog!", "A cat.") == pair_fingerprint("the dog", "a cat")
    assert pair_fingerprint("The dog!", "A cat.") != pair_fingerprint("The dog a", "cat")
    assert not has_learned("The dog!", "A cat.")
    assert as_lines([("a", "b"), ("A", "b.")]).count("\n") == 1
