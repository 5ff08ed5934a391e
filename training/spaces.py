"""Learn the LSA space, the topics and the idf weights that ship in postil/resources/spaces.

    PYTHONPATH=training python training/spaces.py --data DATA --wordnet /usr/share/wordnet --out postil/resources/spaces

Reads DATA/science-text/openstax.txt.xz and DATA/ud/en_ewt-train.conllu.xz (lemmas of forms, function words); the
figures on the card come from DATA/sra and DATA/sts. On one thread throughout, so that the same machine writes the same bytes.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.utils.extmath import randomized_svd
from space_card import write_card
from space_words import Paragraph, lemma_table, read_lexicon, read_modules
from threadpoolctl import threadpool_limits

DIMENSIONS, TOPICS, SEED = 100, 50, 0
# Paragraphs of a module are joined up to this length: many of them are a caption or an exercise of ten words.
LSA_WORDS, LDA_WORDS = 100, 300
# A lemma needs so many paragraphs to have an idf of its own, a direction, a part in topics.
IDF_LEAST, LSA_LEAST, LDA_LEAST = 2, 3, 5
LDA_MOST = 0.1  # of all paragraphs: words in more say nothing about the topic
MIXTURE_PRIOR, WORD_PRIOR, PASSES = 0.1, 0.05, 4
# A short answer is about fewer topics than a passage of the books.
ANSWER_PRIOR = 0.02


@dataclass(frozen=True)
class Books:
    """The books as lemmas, with the number of paragraphs each lemma is in and the forms it has."""

    modules: list[list[Paragraph]]
    spread: Counter[str]
    forms: Mapping[str, list[str]]
    closed: frozenset[str]

    @property
    def paragraphs(self) -> int:
        """How many paragraphs the books have."""
        return sum(len(module) for module in self.modules)


def read_books(data: Path, wordnet: Path) -> Books:
    modules = read_modules(data / "science-text" / "openstax.txt.xz")
    lexicon = read_lexicon(data / "ud" / "en_ewt-train.conllu.xz", wordnet)
    table = lemma_table(Counter(w for module in modules for words in module for w in words), lexicon)
    lemmas = [[[table[word] for word in words] for words in module] for module in modules]
    spread = Counter(lemma for module in lemmas for words in module for lemma in set(words))
    forms: dict[str, list[str]] = defaultdict(list)
    for form, lemma in table.items():
        if form not in spread:
            forms[lemma].append(form)
    return Books(lemmas, spread, forms, lexicon.closed)


def passages(modules: Iterable[list[Paragraph]], least: int) -> Iterator[Paragraph]:
    """Consecutive paragraphs of a module joined until they have `least` words."""
    for module in modules:
        words: Paragraph = []
        for paragraph in module:
            words = words + paragraph
            if len(words) >= least:
                yield words
                words = []
        if words:
            yield words


def counts_of(texts: Iterable[Paragraph], rows: Mapping[str, int]) -> csr_array[np.float64]:
    """A sparse matrix of counts, one row a text."""
    columns, values, ends = [], [], [0]
    for words in texts:
        found = Counter(rows[word] for word in words if word in rows)
        columns += found.keys()
        values += found.values()
        ends.append(len(columns))
    matrix = csr_array(
        (np.asarray(values, dtype=np.float64), columns, ends), shape=(len(ends) - 1, len(rows))
    )
    matrix.sort_indices()
    return matrix


def learn_lsa(books: Books, lemmas: Sequence[str]) -> NDArray[np.int8]:
    """Directions of words: right singular vectors of the log tf · idf matrix, times the roots of their values."""
    counts = counts_of(passages(books.modules, LSA_WORDS), {lemma: row for row, lemma in enumerate(lemmas)})
    spread = np.bincount(counts.indices, minlength=len(lemmas))
    counts.data = np.log1p(counts.data) * np.log((counts.shape[0] + 1) / (spread + 1))[counts.indices]
    _, strengths, directions = randomized_svd(counts, DIMENSIONS, n_iter=6, random_state=SEED)
    units = directions.T * np.sqrt(strengths)
    units[[lemma in books.closed for lemma in lemmas]] = 0
    # Each word at its own scale: only its direction is used.
    most = np.maximum(np.abs(units).max(axis=1, keepdims=True), 1e-12)
    return np.rint(units / most * 127).astype(np.int8)


def learn_lda(books: Books, lemmas: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Words' likelihoods in each topic, as roots at each word's own scale, and the scales; zeros for words left out."""
    most = LDA_MOST * books.paragraphs
    kept = [
        row
        for row, lemma in enumerate(lemmas)
        if LDA_LEAST <= books.spread[lemma] <= most and len(lemma) > 1 and lemma not in books.closed
    ]
    counts = counts_of(passages(books.modules, LDA_WORDS), {lemmas[row]: i for i, row in enumerate(kept)})
    model = LatentDirichletAllocation(
        TOPICS,
        doc_topic_prior=MIXTURE_PRIOR,
        topic_word_prior=WORD_PRIOR,
        learning_method="online",
        learning_offset=10,
        batch_size=512,
        max_iter=PASSES,
        random_state=SEED,
    ).fit(counts)
    likelihoods = (model.components_ / model.components_.sum(axis=1, keepdims=True)).T
    roots = np.zeros((len(lemmas), TOPICS), dtype=np.uint8)
    scales = np.zeros(len(lemmas), dtype=np.float32)
    scales[kept] = likelihoods.max(axis=1)
    roots[kept] = np.rint(255 * np.sqrt(likelihoods / likelihoods.max(axis=1, keepdims=True)))
    return roots, scales


def build(data: Path, wordnet: Path, out: Path) -> None:
    """Learn everything and write it."""
    books = read_books(data, wordnet)
    order = sorted(books.spread, key=lambda lemma: (-books.spread[lemma], lemma))
    lemmas = [lemma for lemma in order if books.spread[lemma] >= IDF_LEAST]
    out.mkdir(parents=True, exist_ok=True)
    listed = "".join(" ".join((lemma, *books.forms.get(lemma, ()))) + "\n" for lemma in lemmas)
    (out / "words.txt").write_text(listed, encoding="utf-8")
    spread = np.asarray([books.spread[lemma] for lemma in lemmas], dtype=np.int32)
    np.savez_compressed(out / "idf.npz", counts=spread, paragraphs=np.int64(books.paragraphs))
    units = learn_lsa(books, lemmas[: int((spread >= LSA_LEAST).sum())])
    np.savez_compressed(out / "lsa.npz", units=units)
    print(f"{books.paragraphs} paragraphs, {len(lemmas)} lemmas, {len(units)} of them in LSA", flush=True)
    roots, scales = learn_lda(books, lemmas[: int((spread >= LDA_LEAST).sum())])
    np.savez_compressed(out / "lda.npz", roots=roots, scales=scales, prior=np.float64(ANSWER_PRIOR))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True, help="WordNet 3.0's folder: index.* and *.exc")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with threadpool_limits(1):
        build(options.data, options.wordnet, options.out)
        write_card(options.data, options.out)


if __name__ == "__main__":
    main()
