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
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel

TASKS = ("pos", "tags", "morphs", "chunks", "ists")
MAX_PIECES = 200


def shape(word: str) -> int:
    """What uncased MiniLM cannot see: 0 lower, 1 Title, 2 UPPER, 3 mIxed, 4 with digits, 5 none of these."""
    if any(c.isdigit() for c in word):
        return 4
    if word.islower():
        return 0
    if word.isupper():
        return 2 if len(word) > 1 else 1
    if word.istitle() or word[:1].isupper():
        return 1
    return 3 if any(c.isupper() for c in word) else 5


def autocast(device: str) -> torch.autocast:
    """Half precision where it is fast."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


class Teacher(nn.Module):
    """MiniLM, a word-level LSTM, softmax heads for the taggings and a biaffine head for the tree."""

    def __init__(self, config, sizes: dict[str, int], deps: int, width: int = 320) -> None:
        super().__init__()
        self.encoder = AutoModel.from_config(config)
        layers = config.num_hidden_layers + 1
        self.mix = nn.Parameter(torch.zeros(layers))
        self.shapes = nn.Embedding(6, 32)
        hidden = config.hidden_size + 32
        self.lstm = nn.LSTM(hidden, width, num_layers=2, batch_first=True, bidirectional=True, dropout=0.3)
        total = hidden + 2 * width
        self.drop = nn.Dropout(0.3)
        self.heads = nn.ModuleDict({name: nn.Linear(total, size) for name, size in sizes.items()})
        self.arc_head, self.arc_dep = (
            nn.Sequential(nn.Linear(total, 384), nn.GELU(), nn.Dropout(0.3)) for _ in "ab"
        )
        self.rel_head, self.rel_dep = (
            nn.Sequential(nn.Linear(total, 128), nn.GELU(), nn.Dropout(0.3)) for _ in "ab"
        )
        self.arc = nn.Parameter(torch.randn(385, 384) * 0.02)
        self.rel = nn.Parameter(torch.randn(129, deps, 129) * 0.02)
        self.root = nn.Parameter(torch.randn(total) * 0.02)

    def forward(self, batch):
        states = self.encoder(
            input_ids=batch["ids"], attention_mask=batch["mask"], output_hidden_states=True
        ).hidden_states
        weights = torch.softmax(self.mix, 0)
        mixed = sum(weight * state for weight, state in zip(weights, states, strict=True))
        words = torch.bmm(batch["gather"], mixed)  # mean of each word's pieces
        words = torch.cat([words, self.shapes(batch["shapes"])], -1)
        with torch.autocast(words.device.type, enabled=False):
            packed = nn.utils.rnn.pack_padded_sequence(
                self.drop(words).float(), batch["lengths"].cpu(), batch_first=True, enforce_sorted=False
            )
            recurrent, _ = nn.utils.rnn.pad_packed_sequence(
                self.lstm(packed)[0], batch_first=True, total_length=words.shape[1]
            )
        features = self.drop(torch.cat([words, recurrent], -1))
        tags = {name: head(features) for name, head in self.heads.items()}
        # The root is a made-up word before the first: column 0 of the arc scores.
        root = self.root.expand(features.shape[0], 1, -1)
        heads = torch.cat([root, features], 1)
        dep, head = self.arc_dep(features), self.arc_head(heads)
        one = torch.ones(*dep.shape[:2], 1, device=dep.device, dtype=dep.dtype)
        arcs = torch.cat([dep, one], -1) @ self.arc @ head.transpose(1, 2)
        padded = torch.cat([batch["words"].new_ones(len(batch["words"]), 1), batch["words"]], 1)
        arcs = arcs.masked_fill(~padded[:, None, :], -1e4)
        return tags, arcs, (self.rel_dep(features), self.rel_head(heads))

    def relations(self, parts, heads):
        dep, head = parts
        chosen = torch.gather(head, 1, heads[..., None].expand(-1, -1, head.shape[-1]))
        one = torch.ones(*dep.shape[:2], 1, device=dep.device, dtype=dep.dtype)
        return torch.einsum(
            "bni,irj,bnj->bnr", torch.cat([dep, one], -1), self.rel, torch.cat([chosen, one], -1)
        )


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


class Batcher:
    """Turns items into padded tensors."""

    def __init__(self, tokenizer: Tokenizer, labels: dict[str, list[str]], device: str) -> None:
        self.tokenizer, self.device = tokenizer, device
        self.number = {name: {label: i for i, label in enumerate(values)} for name, values in labels.items()}

    def __call__(self, items: list[dict]) -> dict:
        encodings = self.tokenizer.encode_batch([item["words"] for item in items], is_pretokenized=True)
        pieces = min(MAX_PIECES, max(len(e.ids) for e in encodings))
        longest = max(len(item["words"]) for item in items)
        size = len(items)
        ids = np.zeros((size, pieces), dtype=np.int64)
        gather = np.zeros((size, longest, pieces), dtype=np.float32)
        shapes = np.zeros((size, longest), dtype=np.int64)
        words = np.zeros((size, longest), dtype=bool)
        for row, (item, encoding) in enumerate(zip(items, encodings, strict=True)):
            ids[row, : len(encoding.ids)] = encoding.ids[:pieces]
            for column, word in enumerate(encoding.word_ids[:pieces]):
                if word is not None:
                    gather[row, word, column] = 1
            count = len(item["words"])
            shapes[row, :count] = [shape(word) for word in item["words"]]
            words[row, :count] = True
        gather /= np.maximum(gather.sum(-1, keepdims=True), 1)
        batch = {
            "ids": torch.tensor(ids),
            "mask": torch.tensor(ids != 0).long(),
            "gather": torch.tensor(gather),
            "shapes": torch.tensor(shapes),
            "words": torch.tensor(words),
            "lengths": torch.tensor(words.sum(1)),
        }
        for name in (*TASKS, "deps", "heads"):
            target = np.full((size, longest), -100, dtype=np.int64)
            for row, item in enumerate(items):
                values = item.get(name) or []
                if name == "heads":
                    target[row, : len(values)] = [
                        0 if head == i else head + 1 for i, head in enumerate(values)
                    ]
                else:
                    target[row, : len(values)] = [self.number[name].get(value, -100) for value in values]
            batch[name] = torch.tensor(target)
        return {name: value.to(self.device) for name, value in batch.items()}


def batches(items: list[dict], words: int, rng: random.Random | None = None) -> list[list[dict]]:
    """Group sentences of similar length into batches of about so many words."""
    order = sorted(items, key=lambda item: len(item["words"]) + (rng.random() * 4 if rng else 0))
    groups: list[list[dict]] = [[]]
    for item in order:
        if groups[-1] and (len(groups[-1]) + 1) * len(item["words"]) > words:
            groups.append([])
        groups[-1].append(item)
    if rng:
        rng.shuffle(groups)
    return groups


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


def tree_heads(scores: np.ndarray) -> np.ndarray:
    """Each word's best head, with one root; rings are rare, and training/pipeline.py leaves them out."""
    heads = scores.argmax(1)
    roots = np.flatnonzero(heads == 0)
    if len(roots) != 1:
        keep = roots[scores[roots, 0].argmax()] if len(roots) else scores[:, 0].argmax()
        others = scores[:, 1:].argmax(1) + 1
        heads = np.where(np.arange(len(scores)) == keep, 0, np.where(heads == 0, others, heads))
    return heads


@torch.no_grad()
def predict(model: Teacher, batcher: Batcher, items: list[dict], words: int) -> list[dict]:
    """Label items; the results are in the order of `items`."""
    model.eval()
    results: list[dict | None] = [None] * len(items)
    indexed = [item | {"index": index} for index, item in enumerate(items)]
    for group in batches(indexed, words):
        batch = batcher(group)
        with autocast(batcher.device):
            tags, arcs, parts = model(batch)
        arcs = arcs.float().cpu().numpy()
        heads = np.zeros(arcs.shape[:2], dtype=np.int64)
        for row, item in enumerate(group):
            count = len(item["words"])
            heads[row, :count] = tree_heads(arcs[row, :count, : count + 1])
        with autocast(batcher.device):
            deps = model.relations(parts, torch.tensor(heads, device=batcher.device)).argmax(-1).cpu().numpy()
        chosen = {name: logits.argmax(-1).cpu().numpy() for name, logits in tags.items()}
        for row, item in enumerate(group):
            count = len(item["words"])
            results[item["index"]] = {
                "heads": heads[row, :count],
                "deps": deps[row, :count],
                **{name: values[row, :count] for name, values in chosen.items()},
            }
    return results  # type: ignore[return-value]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "gold", "silver", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--words", type=int, default=4000, help="words a batch")
    parser.add_argument("--limit", type=int, default=0, help="use only so many sentences, to try the script")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rng = random.Random(0)
    torch.manual_seed(0)

    with lzma.open(options.gold, "rt", encoding="utf-8") as file:
        gold = [json.loads(line) for line in file]
    if options.limit:
        rng.shuffle(gold)
        gold = gold[: options.limit]
    parts: dict[str, list[dict]] = {}
    for item in gold:
        parts.setdefault(item["split"], []).append(item)
    labels = {
        name: sorted({value for item in parts["train"] for value in item.get(name) or []})
        for name in (*TASKS, "deps")
    }
    print(
        {name: len(items) for name, items in parts.items()},
        {name: len(v) for name, v in labels.items()},
        flush=True,
    )

    config = AutoConfig.from_pretrained(options.model)
    model = Teacher(config, {name: len(labels[name]) for name in TASKS}, len(labels["deps"]))
    pretrained = AutoModel.from_pretrained(options.model).float()
    model.encoder.load_state_dict(pretrained.state_dict())
    model.to(device)
    tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    batcher = Batcher(tokenizer, labels, device)

    train = [item for item in parts["train"] if len(item["words"]) <= 120]
    own = [p for n, p in model.named_parameters() if not n.startswith("encoder.")]
    optimiser = torch.optim.AdamW(
        [{"params": model.encoder.parameters(), "lr": 1e-4}, {"params": own, "lr": 1.5e-3}], weight_decay=0.01
    )
    steps = options.epochs * len(batches(train, options.words))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / (0.06 * steps), max(0.0, (steps - step) / (0.94 * steps)))
    )
    started = time.time()
    for epoch in range(options.epochs):
        model.train()
        total = count = 0.0
        for group in batches([noisy(item, rng) for item in train], options.words, rng):
            batch = batcher(group)
            with autocast(device):
                loss = loss_of(model, batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        dev = figures(model, batcher, parts.get("dev", []), options.words)
        print(
            f"epoch {epoch + 1} loss {total / count:.3f} dev {dev} {time.time() - started:.0f} s", flush=True
        )
    report = {
        name: figures(model, batcher, items, options.words)
        for name, items in parts.items()
        if name != "train"
    }
    print(report, flush=True)

    with lzma.open(options.silver, "rt", encoding="utf-8") as file:
        silver = [
            {"words": [w[1:] if w[0] == "_" and len(w) > 1 else w for w in line.split()]} for line in file
        ]
    if options.limit:
        silver = silver[: options.limit]
    given = predict(model, batcher, silver, options.words * 4)
    arrays = {
        name: np.concatenate([item[name] for item in given]).astype(np.int16)
        for name in (*TASKS, "deps", "heads")
    }
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        options.out / "silver.npz", lengths=np.array([len(i["words"]) for i in silver], np.int16), **arrays
    )
    text = json.dumps({"figures": report, "labels": labels, "sentences": len(silver)})
    (options.out / "teacher.json").write_text(text, encoding="utf-8")
    print(f"labelled {len(silver)} sentences, {time.time() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
