"""Train the English pipeline that ships: a small spaCy model taught by a treebank and by a larger teacher.

    python training/pipeline.py pack  --data DATA --out gold.jsonl.xz          # what training/teacher.py learns from
    python training/silver_text.py    --data DATA --out silver.txt.xz          # plain sentences
    python training/teacher.py        … --out TEACHER                          # labels them (GPU: 8 minutes)
    python training/pipeline.py train --data DATA --silver silver.txt.xz --teacher TEACHER --out MODEL
    python training/pipeline.py ship  --data DATA --silver silver.txt.xz --teacher TEACHER --model MODEL \\
                                      --wordnet /usr/share/wordnet --out postil/resources/pipeline

DATA is laid out as docs/researchers/data.md shows. `train` takes about an hour on one core.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import spacy
from augment import noisy_sentence
from card import ship
from figures import all_figures
from lemma_table import learn
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import NumpyOps, set_current_ops
from treebank import DATASETS, Sentence, read_conll2000, read_conllu, read_ists

import postil.language.chunk_tagger  # noqa: F401 - registers the chunker
from postil.language.chunks import NO_BOUNDARIES
from postil.language.pipeline import Pipeline
from postil.language.words.forms import Lemmatiser

VERBS = {
    "pack": ("data", "out"),
    "train": ("data", "silver", "teacher", "out"),
    "ship": ("data", "silver", "teacher", "model", "wordnet", "out"),
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "upstream": "*"}


def pack(data: Path, out: Path) -> None:
    """Put all gold sentences into one file, held-out ones marked; the UD and CoNLL test sets stay out."""
    with lzma.open(out, "wt", encoding="utf-8") as file:
        for split, sentence in _gold(data):
            kept = {name: value for name, value in asdict(sentence).items() if value}
            for unused in ("spaces", "lemmas"):
                kept.pop(unused, None)
            file.write(json.dumps(kept | {"split": split}) + "\n")


def _gold(data: Path) -> Iterator[tuple[str, Sentence]]:
    for part in ("train", "dev"):
        for sentence in read_conllu(data / "ud" / f"en_ewt-{part}.conllu.xz"):
            yield part, sentence
    for number, sentence in enumerate(read_conll2000(data / "chunking" / "conll2000.tar.xz", "train")):
        yield "dev_chunks" if number % 10 == 9 else "train", sentence
    for dataset in DATASETS:
        for sentence in read_ists(data / "ists", dataset, held_out=False):
            yield "train", sentence
        for sentence in read_ists(data / "ists", dataset, held_out=True):
            yield f"held_{dataset}", sentence


def silver_sentences(silver: Path, teacher: Path) -> Iterator[Sentence]:
    """The teacher's sentences: its words, and its labels as text."""
    arrays = np.load(teacher / "silver.npz")
    labels = json.loads((teacher / "teacher.json").read_text(encoding="utf-8"))["labels"]
    columns = {name: arrays[name] for name in ("tags", "pos", "morphs", "deps", "chunks", "ists", "heads")}
    start = 0
    with lzma.open(silver, "rt", encoding="utf-8") as file:
        for line, length in zip(file, arrays["lengths"].tolist(), strict=True):
            marked = line.split()
            glued = [word[0] == "_" and len(word) > 1 for word in marked]
            part = {name: values[start : start + length] for name, values in columns.items()}
            start += length
            heads = [index if head == 0 else int(head) - 1 for index, head in enumerate(part["heads"])]
            if not is_tree(heads):
                continue
            yield Sentence(
                words=[word[1:] if mark else word for word, mark in zip(marked, glued, strict=True)],
                spaces=[not mark for mark in glued[1:]] + [True],
                heads=heads,
                lemmas=[],
                **{name: [labels[name][i] for i in part[name]] for name in part if name != "heads"},
            )


def is_tree(heads: list[int]) -> bool:
    """Whether every token leads to the one root: the teacher picks heads one by one and sometimes closes a ring."""
    for start in range(len(heads)):
        node, steps = start, 0
        while heads[node] != node:
            node, steps = heads[node], steps + 1
            if steps > len(heads):
                return False
    return sum(head == index for index, head in enumerate(heads)) == 1


def make_pipeline(width: int, depth: int, rows: int) -> Language:
    """An untrained pipeline: one encoder, listened to by every other component."""
    nlp = spacy.blank("en")
    encoder = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "width": width,
        "depth": depth,
        "embed_size": rows,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
        "pretrained_vectors": None,
    }
    listener = LISTENER | {"width": width}
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    parser = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": listener,
    }
    nlp.add_pipe("tok2vec", config={"model": encoder})
    nlp.add_pipe("tagger", config={"model": tagger})
    nlp.add_pipe("morphologizer", config={"model": tagger})
    nlp.add_pipe("parser", config={"model": parser})
    nlp.add_pipe("postil_chunker", name="chunks", config={"model": tagger})
    ists = nlp.add_pipe("postil_chunker", name="ists", config={"model": tagger})
    # It learns its few thousand sentences by heart, so it only votes: a linear model joins in the decision.
    ists.cfg["margins"] = True
    return nlp


def make_example(nlp: Language, group: list[Sentence]) -> Example:
    """One training document of one or more sentences, every layer that is known filled in."""
    words = [word for s in group for word in s.words]
    spaces = [space for s in group for space in s.spaces]
    values: dict[str, list] = {}
    if all(s.heads for s in group):
        offset, heads = 0, []
        for s in group:
            heads += [head + offset for head in s.heads]
            offset += len(s.words)
        starts = [index == 0 for s in group for index in range(len(s.words))]
        values = {
            "tags": [tag for s in group for tag in s.tags],
            "pos": [pos for s in group for pos in s.pos],
            "morphs": [morph for s in group for morph in s.morphs],
            "heads": heads,
            "deps": [
                "ROOT" if h == i else dep
                for s in group
                for i, (h, dep) in enumerate(zip(s.heads, s.deps, strict=True))
            ],
            "sent_starts": starts,
        }
        values.pop("sent_starts")  # heads imply them
    reference = Doc(nlp.vocab, words=words, spaces=spaces, **values)
    for name in ("chunks", "ists"):
        if all(getattr(s, name) for s in group):
            reference.user_data[name] = [tag for s in group for tag in getattr(s, name)]
    return Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)


def stream(nlp: Language, sentences: list[Sentence], rng: random.Random) -> Iterator[Example]:
    """One pass over the sentences in random order, made noisy, one to three to a document."""
    order = list(sentences)
    rng.shuffle(order)
    group: list[Sentence] = []
    size = rng.choice((1, 1, 2, 3))
    for sentence in order:
        parsed = bool(sentence.heads)
        if group and (len(group) >= size or not parsed or not group[0].heads):
            yield make_example(nlp, group)
            group, size = [], rng.choice((1, 1, 2, 3))
        group.append(noisy_sentence(sentence, rng))
    if group:
        yield make_example(nlp, group)


def minibatches(examples: Iterable[Example], words: int) -> Iterator[list[Example]]:
    batch: list[Example] = []
    size = 0
    for example in examples:
        batch.append(example)
        size += len(example.reference)
        if size >= words:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def train(options: argparse.Namespace) -> None:
    rng = random.Random(options.seed)
    set_current_ops(NumpyOps(use_blis=False))  # numpy's BLAS is three times as fast on the machines we tried
    spacy.util.fix_random_seed(options.seed)
    gold = [sentence for split, sentence in _gold(options.data) if split == "train"]
    silver = list(silver_sentences(options.silver, options.teacher))
    if options.limit:
        silver = silver[: options.limit]
    print(f"{len(gold)} gold and {len(silver)} silver sentences", flush=True)
    nlp = make_pipeline(options.width, options.depth, options.rows)
    first = [make_example(nlp, [s]) for s in (*gold, *silver[:5000])]
    optimizer = nlp.initialize(lambda: first)
    optimizer.learn_rate = options.rate
    started, seen = time.time(), 0
    # The treebanks are worth more than the teacher's labels, and iSTS chunks are few.
    material = gold * options.gold_copies + [s for s in gold if s.ists] * 2 + silver
    total = options.epochs * sum(len(s.words) for s in material)
    for epoch in range(options.epochs):
        mixed = stream(nlp, material, rng)
        losses: dict[str, float] = {}
        for batch in minibatches(mixed, options.words):
            # Warm up, then down to nothing: the last steps settle.
            done = seen / total
            optimizer.learn_rate = options.rate * min(1.0, (done + 0.001) / 0.02) * max(0.02, 1 - done)
            nlp.update(batch, drop=options.drop, sgd=optimizer, losses=losses)
            seen += sum(len(example.reference) for example in batch)
            if seen // 200_000 > (seen - sum(len(example.reference) for example in batch)) // 200_000:
                print(
                    f"  {seen:,} of {total:,} words, {seen / (time.time() - started):.0f} words/s", flush=True
                )
        with nlp.use_params(optimizer.averages):
            untabled = Pipeline(nlp, Lemmatiser({}, {}, {}), NO_BOUNDARIES, "in training")
            dev = all_figures(untabled, options.data, "dev", limit=600)
            print(
                f"epoch {epoch + 1}: {dev} {seen / (time.time() - started):.0f} words/s {time.time() - started:.0f} s",
                flush=True,
            )
            nlp.to_disk(options.out)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, files in VERBS.items():
        one = verbs.add_parser(verb)
        for name in files:
            one.add_argument(f"--{name}", type=Path, required=True)
        if verb == "ship":
            one.add_argument("--version", default="1.0.0")
        if verb == "train":
            for name, default in (
                ("width", 128),
                ("depth", 4),
                ("rows", 5000),
                ("epochs", 4),
                ("words", 1500),
                ("seed", 0),
                ("limit", 0),
            ):
                one.add_argument(f"--{name}", type=int, default=default)
            one.add_argument("--gold-copies", type=int, default=2)
            one.add_argument("--rate", type=float, default=0.002)
            one.add_argument("--drop", type=float, default=0.1)
    options = parser.parse_args()
    if options.verb == "pack":
        pack(options.data, options.out)
    elif options.verb == "train":
        train(options)
    else:
        gold = read_conllu(options.data / "ud" / "en_ewt-train.conllu.xz")
        silver = list(silver_sentences(options.silver, options.teacher))
        lemmatiser = learn(gold, silver, options.wordnet)
        ship(options.model, lemmatiser, silver, options.data, options.out, options.version)


if __name__ == "__main__":
    main()
