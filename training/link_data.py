"""What the encoder learns alignment from: chunks of two sentences with their links, words with theirs, and pairs without.

The chunks are given as stretches of the text. In a pair with links, chunks that no link names are not aligned; links
between words (Edinburgh++) have no type; pairs of the STS sets and of responses have no links: the teacher gives them.
Opposites are too rare among annotated pairs to be learned from them alone, so some are made: a sentence beside itself
with a word turned into its opposite.
"""

from __future__ import annotations

import json
import random
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from crossed_answers import bare

from postil.data.judgements import AlignedPair, ChunkedPair
from postil.language.document import Document
from postil.language.pipeline import analyse_many
from postil.research.benchmarks import read_datasets

Spans = list[list[int]]
ALIGNED, POSSIBLE = "aligned", "possible"  # of some type; perhaps
FOLDS = 5
MOST_SIMILAR, MOST_RESPONSES = 3500, 3000


def gold_links(folder: Path) -> Iterator[dict]:
    """The pairs of interpretable similarity with their gold chunks; pair n is in fold n mod 5."""
    for name, (pairs, chunked) in read_datasets(folder).items():
        for number, (pair, chunks) in enumerate(zip(pairs, chunked, strict=True)):
            yield gold_item(name, pair, chunks) | {"fold": number % FOLDS}


def gold_item(name: str, pair: AlignedPair, chunks: ChunkedPair) -> dict:
    links = []
    for alignment in pair.alignments:
        if alignment.source and alignment.target:
            sides = [
                [index for index, chunk in enumerate(side) if set(chunk) & set(numbers)]
                for side, numbers in (
                    (chunks.source_chunks, alignment.source),
                    (chunks.target_chunks, alignment.target),
                )
            ]
            links.append([*sides, alignment.type, alignment.score])
    spans = [
        spans_of(tokens, side)
        for tokens, side in ((pair.source, chunks.source_chunks), (pair.target, chunks.target_chunks))
    ]
    return link_item(name, " ".join(pair.source), " ".join(pair.target), spans, links) | {"id": pair.id}


def spans_of(tokens: Sequence[str], chunks: Sequence[Sequence[int]]) -> Spans:
    """Where chunks begin and end in the text that blanks make of tokens."""
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(token) + 1
    return [[starts[chunk[0] - 1], starts[chunk[-1] - 1] + len(tokens[chunk[-1] - 1])] for chunk in chunks]


def word_links(path: Path) -> Iterator[dict]:
    """Edinburgh++: words linked surely or possibly, without types."""
    with tarfile.open(path) as archive:
        names = [name for name in archive.getnames() if name.endswith(".json")]
        for name in sorted(names):
            file = archive.extractfile(name)
            assert file is not None
            for one in json.load(file):
                sides = one["source"].split(), one["target"].split()
                spans = [spans_of(tokens, [[n] for n in range(1, len(tokens) + 1)]) for tokens in sides]
                links = [
                    [[int(a)], [int(b)], kind, None]
                    for kind, given in ((ALIGNED, one["sureAlign"]), (POSSIBLE, one["possibleAlign"]))
                    for a, b in (link.split("-") for link in given.split())
                ]
                yield link_item("edinburgh", " ".join(sides[0]), " ".join(sides[1]), spans, links)


def unlinked(
    similar: Sequence[dict],
    responses: Sequence[dict],
    antonyms: Mapping[str, Sequence[str]],
    rng: random.Random,
) -> Iterator[dict]:
    """Pairs cut by Postil's own chunker, for the teacher to link; after some, a made one with an opposite."""
    chosen = [
        *rng.sample(list(similar), min(MOST_SIMILAR, len(similar))),
        *rng.sample(list(responses), min(MOST_RESPONSES, len(responses))),
    ]
    chosen = [one for one in chosen if one["first"].strip() and one["second"].strip()]
    documents = analyse_many([text for one in chosen for text in (one["first"], one["second"])])
    for one in chosen:
        sides = [next(documents), next(documents)]
        folds = {"folds": one["folds"]} if "folds" in one else {}
        yield link_item("unlinked", one["first"], one["second"], [*map(chunk_spans, sides)], None) | folds
        for document in sides:
            if made := opposite(document, antonyms, rng):
                yield made | folds


def chunk_spans(document: Document) -> Spans:
    tokens = document.tokens
    return [[tokens[chunk.start].start, tokens[chunk.end - 1].end] for chunk in document.ists_chunks]


def opposite(document: Document, antonyms: Mapping[str, Sequence[str]], rng: random.Random) -> dict | None:
    """A sentence beside itself with a word turned into its opposite; sometimes the other way round."""
    spans = chunk_spans(document)
    tokens = [token for token in document.tokens if token.is_content and bare(token.text) in antonyms]
    if not tokens or len(spans) < 2:
        return None
    token = rng.choice(tokens)
    word = rng.choice(antonyms[bare(token.text)])
    text = document.text[: token.start] + word + document.text[token.end :]
    longer = len(word) - (token.end - token.start)
    moved = [
        [start + longer * (start > token.start), end + longer * (end >= token.end)] for start, end in spans
    ]
    links = [
        [[n], [n], *(("OPPO", 4) if start <= token.start < end else ("EQUI", 5))]
        for n, (start, end) in enumerate(spans)
    ]
    sides = [(document.text, spans), (text, moved)]
    rng.shuffle(sides)
    (first, ours), (second, theirs) = sides
    return link_item("opposites", first, second, [ours, theirs], links)


def link_item(source: str, first: str, second: str, spans: Sequence[Spans], links: list | None) -> dict:
    own = {"task": "link", "source": source, "first": first, "second": second, "label": None}
    return own | {"chunks": list(spans), "links": links}
