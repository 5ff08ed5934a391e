"""Pairs without a label for the teacher to judge: answers beside other answers, other references, and changed ones.

A small network learns more from a large one the more the two look at together.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from postil.data.questions import Answer, Question

OTHER_ANSWERS, OTHER_REFERENCES, CHANGED = 9, 2, 2  # pairs an answer
Crossed = tuple[Question, Answer, Answer | None, Question, str, str]  # … with the texts of both sides


def crossed_answers(
    questions: Sequence[Question],
    read: Mapping[tuple[str, str], str],
    antonyms: Mapping[str, Sequence[str]],
    rng: random.Random,
) -> Iterator[Crossed]:
    """Question, answer, the other answer if there is one, the other question, and the two texts.

    `read` gives an answer's text as the grader reads it.
    """
    for question in questions:
        near = [q for q in questions if q.corpus == question.corpus and q.module == question.module]
        for answer in question.answers:
            text = read[question.corpus, answer.id]
            for other in rng.sample(question.answers, min(OTHER_ANSWERS, len(question.answers))):
                if other.id != answer.id:
                    yield question, answer, other, question, text, read[question.corpus, other.id]
            for _ in range(OTHER_REFERENCES):
                there = question if len(question.references) > 1 and rng.random() < 0.5 else rng.choice(near)
                yield question, answer, None, there, text, rng.choice(there.references).text
            for _ in range(CHANGED):
                reference = rng.choice(question.references).text
                yield question, answer, None, question, changed(text, antonyms, rng), reference


def changed(text: str, antonyms: Mapping[str, Sequence[str]], rng: random.Random) -> str:
    """The text with a word turned into its opposite, with a part left out, or with a word denied."""
    words = text.split()
    places = [index for index, word in enumerate(words) if bare(word) in antonyms]
    if places and rng.random() < 0.6:
        place = rng.choice(places)
        words[place] = rng.choice(antonyms[bare(words[place])])
    elif len(words) > 4:
        size = rng.randint(1, max(1, len(words) // 2))
        start = rng.randint(0, len(words) - size)
        del words[start : start + size]
    else:
        words.insert(rng.randint(0, len(words)), "not")
    return " ".join(words)


def bare(word: str) -> str:
    return re.sub(r"\W", "", word.lower())


def read_antonyms(folder: Path) -> dict[str, list[str]]:
    """Words and their opposites, from the lists of antonyms in a folder."""
    found = defaultdict(set)
    for path in sorted(folder.glob("*antonyms.txt")):
        for line in path.read_text("utf-8").splitlines():
            words = line.split()
            if len(words) == 2:
                found[words[0].lower()].add(words[1].lower())
    return {word: sorted(others) for word, others in found.items()}
