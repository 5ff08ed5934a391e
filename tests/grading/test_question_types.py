"""What, how and why questions told apart."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from postil.data.formats.sra import read_collection
from postil.grading.asks import QUESTION_TYPES, question_type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Why is the bulb off?", "why"),
        ("WHY?", "why"),
        ("Explain your reasoning.", "why"),
        ("Which one is harder? Explain why you think so.", "why"),
        ("How can you tell salt from sand?", "how"),
        ("Explain how deltas form.", "how"),
        ("What is voltage?", "what"),
        ("If the middle bulb burns out, what happens and why?", "what"),
        ("Describe what you see and how it changes.", "what"),
        ("Describe the salt crystals.", "what"),
        ("Somehow the whatsit was shown.", "what"),
        ("", "what"),
        ("Zergatik?", "what"),
    ],
)
def test_the_type_is_told_by_the_words(text, expected):
    assert question_type(text) == expected


@pytest.mark.parametrize("text", ["Show the path and say why.", "Somewhat odd: why?"])
def test_a_word_inside_another_does_not_count(text):
    assert question_type(text) == "why"


@pytest.mark.corpus
@pytest.mark.skipif("POSTIL_DATA" not in os.environ, reason="POSTIL_DATA does not name the corpora's folder")
def test_the_counts_are_near_the_published_ones():
    folder = Path(os.environ["POSTIL_DATA"]) / "sra"
    counts: Counter[str] = Counter()
    for (_, name), questions in read_collection(folder).items():
        if name == "train":
            for question in questions:
                counts[question_type(question.text)] += len(question.answers)
    assert set(counts) == set(QUESTION_TYPES)
    published = {"how": 1235, "what": 3089, "why": 4589}
    assert sum(abs(counts[name] - published[name]) for name in published) <= 150
