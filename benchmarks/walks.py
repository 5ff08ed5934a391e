"""Walks over WordNet: how fast, how exact, beside a power iteration of scipy's for each text.

    python benchmarks/walks.py [--sts FOLDER]

Texts are drawn from WordNet's definitions, ten content words each, with a seed. With `--sts`, a folder of STS
files (score, sentence, sentence in columns), it prints how similarities correlate with people's scores too.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from postil.language.words.glosses import gloss_word_table, gloss_words
from postil.language.words.walks import DAMPING, Word, graph, restarts, senses_of, similarities, walker
from postil.language.words.wordnet import wordnet

LENGTH = 10


def sample_texts(texts: int, words: int) -> list[list[Word]]:
    """Texts of words that definitions use, as often as they use them, from a vocabulary of limited size."""
    chance = random.Random(0)
    gloss_word_table()
    drawn: list[Word] = []
    known: set[Word] = set()
    while len(known) < words:
        for word in gloss_words(chance.randrange(wordnet().size)):
            if senses_of(word)[0]:
                drawn.append(word)
                known.add(word)
    return [chance.choices(drawn, k=LENGTH) for _ in range(texts)]


def power_iteration(steps: sparse.csr_array, restart: np.ndarray, rounds: int) -> np.ndarray:
    """The plain way: follow the links again and again from one text's restart."""
    now = restart
    for _ in range(rounds):
        now = DAMPING * (steps @ now) + (1 - DAMPING) * restart
    return now


def direct(texts: list[list[Word]], rounds: int) -> np.ndarray:
    steps, order = graph().steps.astype(np.float64), graph().order
    walks = np.zeros((len(texts), graph().size))
    for row, text in enumerate(texts):
        restart = restarts(text, graph().size).mean(axis=1, dtype=np.float64)
        walks[row, order] = power_iteration(steps, restart[order], rounds)
    return walks


def errors(texts: list[list[Word]]) -> tuple[float, float]:
    """The largest differences from the direct computation to its last digit: of cosines, of values."""
    exact = direct(texts, 120)
    values = np.abs(walker().texts(texts).expand(graph()) - exact).max()
    unit = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    pairs = [(index, other) for index in range(len(texts)) for other in range(index)]
    cosines = similarities([texts[first] for first, _ in pairs], [texts[second] for _, second in pairs])
    expected = np.array([unit[first] @ unit[second] for first, second in pairs])
    return float(np.abs(cosines - expected).max()), float(values)


def speed(texts: list[list[Word]]) -> None:
    words = sorted({word for text in texts for word in text}, key=str)
    start = time.perf_counter()
    walker().rows(words)
    took = time.perf_counter() - start
    print(
        f"cold: {len(words)} words, {1000 * took / len(words):.1f} ms a word, {len(words) / took:.0f} words/s"
    )
    half = len(texts) // 2
    times = []
    for _ in range(3):
        start = time.perf_counter()
        similarities(texts[:half], texts[half:])
        times.append(time.perf_counter() - start)
    rate = len(texts) / min(times)
    print(f"warm: {len(texts)} texts walked and compared in pairs, {rate:.0f} texts/s")
    print(f"remembered: {walker()._size / len(walker()._known) / 1000:.1f} kB a word")
    print(f"peak memory until here: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    few = texts[:10]
    start = time.perf_counter()
    direct(few, 30)
    peer = len(few) / (time.perf_counter() - start)
    print(f"scipy's power iteration, 30 rounds a text: {peer:.1f} texts/s, 1/{rate / peer:.0f} of that")


def correlations(folder: Path) -> None:
    from postil.language.pipeline import analyse_many

    for file in sorted(folder.glob("*.tsv")):
        rows = [line.split("\t")[:3] for line in file.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if row[0]]
        documents = analyse_many(text for row in rows for text in row[1:])
        words: list[list[Word]] = [
            [(token.lemma, token.wordnet_letter) for token in document.tokens if token.wordnet_letter]
            for document in documents
        ]
        cosines = similarities(words[::2], words[1::2])
        correlation = np.corrcoef(cosines, [float(row[0]) for row in rows])[0, 1]
        print(f"{file.stem:32} {len(rows):5} pairs  Pearson {correlation:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--words", type=int, default=500)
    parser.add_argument("--sts", type=Path)
    options = parser.parse_args()
    wordnet()
    start = time.perf_counter()
    graph()
    print(f"loads in {time.perf_counter() - start:.2f} s (with WordNet loaded)")
    texts = sample_texts(options.texts, options.words)
    speed(texts)
    cosine, value = errors([*texts[:30], *([word] for word in texts[0] + texts[1])])
    print(f"largest error, 30 texts and 20 single words, all pairs: cosine {cosine:.1e}, value {value:.1e}")
    if options.sts:
        correlations(options.sts)


if __name__ == "__main__":
    main()
