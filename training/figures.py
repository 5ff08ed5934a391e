"""The pipeline's figures on development and test sets: tags, lemmas, trees, chunks, clean and rough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path

from augment import unpunctuated
from treebank import DATASETS, Sentence, read_conll2000, read_conllu, read_ists

from postil.language.chunks import spans_of
from postil.language.document import Span
from postil.language.pipeline import Pipeline


def chunk_f1(pairs: Iterable[tuple[list[str], Iterable[Span]]]) -> float:
    """F1 of chunks, given gold tags and guessed spans."""
    hits = given = gold = 0
    for truth, guess in pairs:
        one, other = set(spans_of(truth)), set(guess)
        hits, gold, given = hits + len(one & other), gold + len(one), given + len(other)
    return round(2 * hits / (gold + given), 4) if gold + given else 0.0


def tree_figures(pipeline: Pipeline, sentences: list[Sentence], *, rough: bool = False) -> dict[str, float]:
    """Accuracies over tokens. In rough text the case of a name's lemma is gone, so lemmas compare without it."""
    hits = dict.fromkeys(("upos", "xpos", "morph", "lemma", "uas", "las"), 0)
    total = 0
    documents = pipeline.analyse_tokens(sentence.words for sentence in sentences)
    for sentence, document in zip(sentences, documents, strict=True):
        for index, token in enumerate(document.tokens):
            total += 1
            gold = sentence.lemmas[index]
            same = token.head == sentence.heads[index]
            hits["upos"] += token.pos == sentence.pos[index]
            hits["xpos"] += token.tag == sentence.tags[index]
            hits["morph"] += token.morph == sentence.morphs[index]
            hits["lemma"] += token.lemma.lower() == gold.lower() if rough else token.lemma == gold
            hits["uas"] += same
            hits["las"] += same and token.relation == sentence.deps[index]
    return {name: round(count / total, 4) for name, count in hits.items()}


def all_figures(pipeline: Pipeline, data: Path, part: str, limit: int | None = None) -> dict[str, object]:
    """Everything we promise, on `dev` (development) or `test`."""
    trees = list(islice(read_conllu(data / "ud" / f"en_ewt-{part}.conllu.xz"), limit))
    rough = [replace(s, words=[word.lower() for word in s.words]) for s in map(unpunctuated, trees)]
    conll = list(
        read_conll2000(data / "chunking" / "conll2000.tar.xz", "test" if part == "test" else "train")
    )
    if part == "dev":
        conll = conll[9::10][:limit]
    documents = pipeline.analyse_tokens(sentence.words for sentence in conll)
    figures: dict[str, object] = {
        "clean": tree_figures(pipeline, trees),
        "rough": tree_figures(pipeline, rough, rough=True),
        "conll2000": chunk_f1((s.chunks, d.chunks) for s, d in zip(conll, documents, strict=True)),
    }
    for dataset in DATASETS:
        held = list(read_ists(data / "ists", dataset, held_out=True))
        documents = pipeline.analyse_tokens(sentence.words for sentence in held)
        figures[dataset] = chunk_f1((s.ists, d.ists_chunks) for s, d in zip(held, documents, strict=True))
    return figures
