"""Measure the word spaces and write their card: what they were learned from, what they are good for, hashes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from card import hashes, wrapped
from numpy.typing import NDArray
from space_words import words_of

from postil.data.formats.sra import read_collection
from postil.language.words.spaces import cosines, idf, lda, lsa

VERSION = "1.0.0"
SOURCES = (
    (
        "OpenStax science books (anatomy and physiology, astronomy, biology, chemistry, physics, microbiology), Rice University",
        "CC BY 4.0",
        "counts of words in paragraphs",
    ),
    ("UD English EWT, training part", "CC BY-SA 4.0", "lemmas of forms, function words"),
    ("WordNet 3.0", "WordNet licence", "irregular forms, base forms"),
)
NEIGHBOURS = ("photosynthesis", "voltage", "evaporate", "gravity")

Similarities = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], NDArray[np.floating]]


def measures(folder: Path) -> dict[str, Similarities]:
    """The two spaces, and the plain cosine of words that they should add to."""
    weights = idf(folder)

    def words(first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]) -> NDArray[np.floating]:
        found = []
        for a, b in zip(first, second, strict=True):
            rows = {
                row: i for i, row in enumerate({weights.vocabulary.row(word) for word in (*a, *b)} - {-1})
            }
            both = np.zeros((2, len(rows)))
            for vector, text in zip(both, (a, b), strict=True):
                for word in text:
                    if (row := weights.vocabulary.row(word)) >= 0:
                        vector[rows[row]] = weights.weights[row]
            found.append(float(cosines(both[:1], both[1:])[0]))
        return np.asarray(found)

    return {"lsa": lsa(folder).similarities, "lda": lda(folder).similarities, "words": words}


def sts_pairs(data: Path) -> Iterator[tuple[list[float], list[list[str]], list[list[str]]]]:
    """Each STS set: scores and the words of the two sentences; pairs that were not scored are passed over."""
    for file in sorted((data / "sts").glob("*.tsv")):
        rows = [line.split("\t") for line in file.read_text(encoding="utf-8").split("\n")]
        scored = [row for row in rows if len(row) > 2 and row[0]]
        yield (
            [float(r[0]) for r in scored],
            [words_of(r[1]) for r in scored],
            [words_of(r[2]) for r in scored],
        )


def pearson(similarities: Similarities, data: Path) -> float:
    """Mean correlation with people's scores over the STS sets."""
    return float(np.mean([np.corrcoef(similarities(a, b), gold)[0, 1] for gold, a, b in sts_pairs(data)]))


def area(similarities: Similarities, data: Path) -> dict[str, float]:
    """How often a correct answer is nearer to its nearest reference than another answer to the same question."""
    areas = {}
    for (corpus, _), questions in read_collection(data / "sra").items():
        won = pairs = 0.0
        for question in questions:
            references = [words_of(reference.text) for reference in question.references]
            answers = [words_of(answer.text) for answer in question.answers for _ in references]
            best = (
                similarities(answers, references * len(question.answers))
                .reshape(-1, len(references))
                .max(axis=1)
            )
            right = np.asarray([answer.label == "correct" for answer in question.answers])
            above = np.greater.outer(best[right], best[~right]) + 0.5 * np.equal.outer(
                best[right], best[~right]
            )
            won, pairs = won + above.sum(), pairs + above.size
        areas[corpus] = won / pairs
    return areas


def figures(data: Path, folder: Path) -> dict[str, dict[str, float]]:
    """What each measure is worth: areas on the SRA training sets, correlation on STS."""
    return {
        name: {
            key: round(float(value), 4)
            for key, value in (*area(one, data).items(), ("sts", pearson(one, data)))
        }
        for name, one in measures(folder).items()
    }


def write_card(data: Path, out: Path) -> None:
    card = {
        "name": "postil_spaces",
        "version": VERSION,
        "licence": "CC BY-SA 4.0",
        "size_bytes": sum(file.stat().st_size for file in out.iterdir() if file.suffix in (".npz", ".txt")),
        "figures": figures(data, out),
        "sources": [list(source) for source in SOURCES],
        "files": hashes(out),
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(wrapped(text(card, out)), encoding="utf-8")


def text(card: dict, out: Path) -> str:
    """The card for people."""
    space, topics = lsa(out), lda(out)
    known = len(topics.vocabulary.lemmas)
    lines = [
        f"# postil_spaces {card['version']}: words in science books",
        "",
        "Latent semantic analysis (100 dimensions), latent Dirichlet allocation (50 topics) and idf, learned from the "
        "OpenStax science books. Built by `training/spaces.py`; read by `postil.language.words.spaces`.",
        "",
        f"{known:,} lemmas have an idf, {len(space.units):,} a direction, {int((topics.scales > 0).sum()):,} a part in "
        f"topics. Size {card['size_bytes'] / 1e6:.1f} MB. Licence {card['licence']} (the treebank's share-alike).",
        "",
        "| similarity | Beetle | SciEntsBank | STS |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {name} | {row['beetle']:.3f} | {row['sciEntsBank']:.3f} | {row['sts']:.3f} |"
            for name, row in card["figures"].items()
        ),
        "",
        "*Beetle, SciEntsBank*: SRA training answers; the share of pairs of a correct and another answer to the same "
        "question in which the correct one is nearer to its nearest reference (.5 is chance). *STS*: mean Pearson correlation "
        "over the twenty sets of 2012–2016 at hand. *words*: the cosine of the texts' words weighted by idf, for comparison. "
        "The settings were chosen on these same data, so the figures are a little flattering; no weight was learned from them.",
        "",
        "| word | nearest in LSA |",
        "| --- | --- |",
        *(
            f"| {word} | {', '.join(f'{near} {value:.2f}' for near, value in space.nearest(word, 8))} |"
            for word in NEIGHBOURS
        ),
        "",
        "| topic | most probable words |",
        "| ---: | --- |",
        *(f"| {topic} | {', '.join(topics.top_words(topic))} |" for topic in range(0, 50, 5)),
        "",
        "| source | licence | used for |",
        "| --- | --- | --- |",
        *(f"| {name} | {licence} | {use} |" for name, licence, use in card["sources"]),
        "",
        "Limits: English science prose for colleges; everyday words have the sense that they have there (a cell is "
        "biological or electrical, never a telephone). Opposites lie near each other. Word order and negation are not seen.",
        "",
    ]
    return "\n".join(lines)
