"""Collect plain sentences for the teacher to label: science prose, students' answers, captions, news.

    python training/silver_text.py --data DATA --out silver.txt.xz [--words 1800000]

One sentence a line, tokens separated by blanks; a token is preceded by `_` where no blank stood before it.
What it read is printed. Held-out iSTS pairs and all test sets stay out.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import random
import re
from collections.abc import Iterator
from pathlib import Path

import spacy

from postil.data.formats.rte import read_pairs
from postil.data.formats.sra import read_collection


def science(folder: Path) -> Iterator[str]:
    with lzma.open(folder / "science-text" / "openstax.txt.xz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.strip()


def students(folder: Path) -> Iterator[str]:
    for questions in read_collection(folder / "sra").values():
        for question in questions:
            yield question.text
            yield from (reference.text for reference in question.references)
            yield from (answer.text for answer in question.answers)


def captions_and_news(folder: Path) -> Iterator[str]:
    for file in sorted((folder / "sts").glob("*.tsv")):
        for row in csv.reader(
            file.open(encoding="utf-8", newline=""), delimiter="\t", quoting=csv.QUOTE_NONE
        ):
            yield from (cell for cell in row if len(cell.split()) > 2)
    for name in ("snli_dev.csv", "mnli_dev.csv"):
        for row in csv.reader((folder / "nli" / name).open(encoding="utf-8", newline="")):
            yield from (cell for cell in row if len(cell.split()) > 2)
    for file in sorted((folder / "rte").glob("*.xml")):
        for pair in read_pairs(file):
            yield pair.text
            yield pair.hypothesis


SOURCES = {
    "students": (students, 1.0),
    "captions and news": (captions_and_news, 0.6),
    "science": (science, 0.4),
}


def sentences(texts: list[str]) -> Iterator[str]:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    for doc in nlp.pipe(texts, batch_size=500):
        for sent in doc.sents:
            tokens = [token for token in sent if not token.is_space]
            if 1 <= len(tokens) <= 60:
                words = []
                for index, token in enumerate(tokens):
                    glued = index > 0 and not tokens[index - 1].whitespace_
                    words.append(("_" if glued else "") + token.text)
                yield " ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=int, default=1_800_000)
    options = parser.parse_args()
    rng = random.Random(0)
    seen: set[str] = set()
    chosen: list[str] = []
    for name, (source, share) in SOURCES.items():
        texts = list(dict.fromkeys(re.sub(r"\s+", " ", text) for text in source(options.data)))
        rng.shuffle(texts)
        budget, used = share * options.words, 0
        for sentence in sentences(texts):
            if used >= budget:
                break
            if sentence not in seen:
                seen.add(sentence)
                chosen.append(sentence)
                used += sentence.count(" ") + 1
        print(f"{name}: {len(texts)} texts, {used} words used")
    rng.shuffle(chosen)
    with lzma.open(options.out, "wt", encoding="utf-8") as file:
        file.writelines(sentence + "\n" for sentence in chosen)


if __name__ == "__main__":
    main()
