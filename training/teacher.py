"""Train a tagger and parser on MiniLM, and let it label plain sentences for the small pipeline.

    python training/teacher.py --model MODEL_DIR --gold gold.jsonl.xz --silver silver.txt.xz --out OUT [--epochs 12]

MODEL_DIR holds MiniLM's config.json, model.safetensors (any precision) and tokenizer.json. `gold.jsonl.xz` is
written by `training/pipeline.py pack`: the treebank and chunk sentences, so that one file travels to a machine
with a GPU. Needs only torch, transformers, tokenizers and numpy; runs on a CPU too, in hours. Writes
`teacher.json` (figures, label lists) and `silver.npz` (labels of every silver token).
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from pathlib import Path

import numpy as np
import torch
from teacher_model import TASKS, Batcher, Teacher, autocast, batches, predict
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel


def noisy(item: dict, rng: random.Random) -> dict:
    """Students' spelling: lower case, dropped punctuation, typos; labels stay right."""
    if rng.random() < 0.6:
        return item
    words = list(item["words"])
    if rng.random() < 0.6:
        words = [word.lower() for word in words]
    if rng.random() < 0.3:
        for index, word in enumerate(words):
            if len(word) > 3 and word.isalpha() and rng.random() < 0.08:
                spot = rng.randrange(len(word) - 1)
                words[index] = rng.choice(
                    (
                        word[:spot] + word[spot + 1 :],
                        word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :],
                    )
                )
    item = item | {"words": words}
    punctuation = item.get("pos") and rng.random() < 0.5
    if punctuation:
        heads = item["heads"]
        parents = {head for index, head in enumerate(heads) if head != index}
        keep = [i for i, pos in enumerate(item["pos"]) if pos != "PUNCT" or i in parents or heads[i] == i]
        place = {old: new for new, old in enumerate(keep)}
        if keep and all(heads[i] in place for i in keep):
            item = {
                name: [values[i] for i in keep] if isinstance(values, list) and values else values
                for name, values in item.items()
            }
            item["heads"] = [place[head] for head in item["heads"]]
    return item


def loss_of(model: Teacher, batch: dict) -> torch.Tensor:
    tags, arcs, parts = model(batch)
    entropy = nn.functional.cross_entropy
    loss = torch.zeros((), device=arcs.device)
    for name, logits in tags.items():
        if (batch[name] >= 0).any():
            loss = loss + entropy(logits.flatten(0, 1).float(), batch[name].flatten(), ignore_index=-100)
    if (batch["heads"] >= 0).any():
        loss = loss + entropy(arcs.flatten(0, 1).float(), batch["heads"].flatten(), ignore_index=-100)
        relations = model.relations(parts, batch["heads"].clamp(min=0))
        loss = loss + entropy(relations.flatten(0, 1).float(), batch["deps"].flatten(), ignore_index=-100)
    return loss


def figures(model: Teacher, batcher: Batcher, items: list[dict], words: int) -> dict[str, float]:
    right: dict[str, int] = {}
    total: dict[str, int] = {}
    for item, given in zip(items, predict(model, batcher, items, words), strict=True):
        for name in TASKS:
            if item.get(name):
                gold = np.array([batcher.number[name].get(value, -1) for value in item[name]])
                right[name] = right.get(name, 0) + int((gold == given[name]).sum())
                total[name] = total.get(name, 0) + len(gold)
        if item.get("heads"):
            heads = np.array([0 if head == i else head + 1 for i, head in enumerate(item["heads"])])
            deps = np.array([batcher.number["deps"].get(value, -1) for value in item["deps"]])
            same = heads == given["heads"]
            for name, hits in (("uas", same), ("las", same & (deps == given["deps"]))):
                right[name] = right.get(name, 0) + int(hits.sum())
                total[name] = total.get(name, 0) + len(heads)
    return {name: round(right[name] / total[name], 4) for name in right}


def read_gold(path: Path, limit: int, rng: random.Random) -> dict[str, list[dict]]:
    """The gold sentences by split."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        gold = [json.loads(line) for line in file]
    if limit:
        rng.shuffle(gold)
        gold = gold[:limit]
    parts: dict[str, list[dict]] = {}
    for item in gold:
        parts.setdefault(item["split"], []).append(item)
    return parts


def make_teacher(folder: Path, labels: dict[str, list[str]], device: str) -> tuple[Teacher, Batcher]:
    """The network with MiniLM's weights in it, and what feeds it."""
    config = AutoConfig.from_pretrained(folder)
    model = Teacher(config, {name: len(labels[name]) for name in TASKS}, len(labels["deps"]))
    model.encoder.load_state_dict(AutoModel.from_pretrained(folder).float().state_dict())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return model.to(device), Batcher(tokenizer, labels, device)


def fit(model: Teacher, batcher: Batcher, parts: dict[str, list[dict]], epochs: int, words: int) -> None:
    """Train, with figures on the development part after each epoch."""
    rng = random.Random(0)
    train = [item for item in parts["train"] if len(item["words"]) <= 120]
    own = [p for n, p in model.named_parameters() if not n.startswith("encoder.")]
    optimiser = torch.optim.AdamW(
        [{"params": model.encoder.parameters(), "lr": 1e-4}, {"params": own, "lr": 1.5e-3}], weight_decay=0.01
    )
    steps = epochs * len(batches(train, words))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / (0.06 * steps), max(0.0, (steps - step) / (0.94 * steps)))
    )
    started = time.time()
    for epoch in range(epochs):
        model.train()
        total = count = 0.0
        for group in batches([noisy(item, rng) for item in train], words, rng):
            batch = batcher(group)
            with autocast(batcher.device):
                loss = loss_of(model, batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        dev = figures(model, batcher, parts.get("dev", []), words)
        print(
            f"epoch {epoch + 1} loss {total / count:.3f} dev {dev} {time.time() - started:.0f} s", flush=True
        )


def label_silver(model: Teacher, batcher: Batcher, path: Path, out: Path, words: int, limit: int) -> int:
    """Label the plain sentences and write the labels as numbers; how many sentences there were."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        silver = [
            {"words": [w[1:] if w[0] == "_" and len(w) > 1 else w for w in line.split()]} for line in file
        ]
    silver = silver[: limit or None]
    given = predict(model, batcher, silver, words)
    arrays = {
        name: np.concatenate([item[name] for item in given]).astype(np.int16)
        for name in (*TASKS, "deps", "heads")
    }
    lengths = np.array([len(item["words"]) for item in silver], np.int16)
    np.savez_compressed(out / "silver.npz", lengths=lengths, **arrays)
    return len(silver)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "gold", "silver", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--words", type=int, default=4000, help="words a batch")
    parser.add_argument("--limit", type=int, default=0, help="use only so many sentences, to try the script")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parts = read_gold(options.gold, options.limit, random.Random(0))
    labels = {
        name: sorted({value for item in parts["train"] for value in item.get(name) or []})
        for name in (*TASKS, "deps")
    }
    print(
        {name: len(items) for name, items in parts.items()},
        {name: len(v) for name, v in labels.items()},
        flush=True,
    )
    model, batcher = make_teacher(options.model, labels, device)
    fit(model, batcher, parts, options.epochs, options.words)
    report = {
        name: figures(model, batcher, items, options.words)
        for name, items in parts.items()
        if name != "train"
    }
    print(report, flush=True)
    count = label_silver(model, batcher, options.silver, options.out, options.words * 4, options.limit)
    text = json.dumps({"figures": report, "labels": labels, "sentences": count})
    (options.out / "teacher.json").write_text(text, encoding="utf-8")
    print(f"labelled {count} sentences", flush=True)


if __name__ == "__main__":
    main()
