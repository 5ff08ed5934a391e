"""The teacher's network: MiniLM, a word-level LSTM, taggers and a biaffine parser; batching and decoding."""

from __future__ import annotations

import random

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoModel

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
