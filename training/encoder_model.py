"""The encoder's network with its heads, and the batches it learns from."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel

RESPONSES = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")
INFERENCES = ("entailment", "neutral", "contradiction", "not_entailment")
HEADS = {"response": 5, "nli": 3, "similarity": 1}
LONGEST = 160


def autocast(device: str) -> torch.autocast:
    """Half precision where it is fast."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


class Encoder(nn.Module):
    """A pretrained encoder that reads two texts at once, the mean of its last vectors, and a head a task."""

    def __init__(self, folder: Path, attention: str = "sdpa") -> None:
        super().__init__()
        config = AutoConfig.from_pretrained(folder)
        self.body = AutoModel.from_config(config, attn_implementation=attention)
        weights = {name: value.float() for name, value in load_file(folder / "model.safetensors").items()}
        missing = self.body.load_state_dict(weights, strict=False).missing_keys
        if any("position_ids" not in name and "pooler" not in name for name in missing):
            raise SystemExit(f"{folder}: weights are missing: {missing[:5]}")
        self.drop = nn.Dropout(0.1)
        self.heads = nn.ModuleDict(
            {name: nn.Linear(self.body.config.hidden_size, size) for name, size in HEADS.items()}
        )

    def pooled(self, batch: dict) -> torch.Tensor:
        kinds = {"token_type_ids": batch["kinds"]} if "kinds" in batch else {}
        states = self.body(input_ids=batch["ids"], attention_mask=batch["mask"], **kinds).last_hidden_state
        mask = batch["mask"][..., None].to(states.dtype)
        return (states * mask).sum(1) / mask.sum(1)

    def forward(self, batch: dict, task: str) -> torch.Tensor:
        return self.heads[task](self.drop(self.pooled(batch))).float()


class Pairs:
    """Tokenised pairs, cut to size and put into padded batches of like length."""

    def __init__(self, folder: Path, items: Sequence[dict], device: str) -> None:
        self.device = device
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        self.mask_id = tokenizer.token_to_id("[MASK]") or tokenizer.token_to_id("<mask>")
        self.kinds = json.loads((folder / "config.json").read_text())["model_type"] == "bert"
        self.items = items
        self.rows = self._encode(tokenizer, [(one["first"], one["second"]) for one in items])
        # While learning, an answer may also be shown beside the reference an annotator matched.
        with_match = [place for place, one in enumerate(items) if one.get("matched")]
        texts = [(items[place]["first"], items[place]["matched"]) for place in with_match]
        self.others = dict(zip(with_match, self._encode(tokenizer, texts), strict=True))
        self.labels = [label_of(item) for item in items]

    @staticmethod
    def _encode(tokenizer: Tokenizer, texts: list[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
        return [(one.ids, one.type_ids) for one in tokenizer.encode_batch(texts)]

    def batches(self, places: Sequence[int], size: int, rng: random.Random) -> list[list[int]]:
        """Batches in random order, each of rows of about one length."""
        shuffled = list(places)
        rng.shuffle(shuffled)
        pools = [shuffled[at : at + 50 * size] for at in range(0, len(shuffled), 50 * size)]
        groups = []
        for pool in pools:
            pool.sort(key=lambda place: len(self.rows[place][0]))
            groups += [pool[at : at + size] for at in range(0, len(pool), size)]
        rng.shuffle(groups)
        return groups

    def tensors(self, places: Sequence[int], rng: np.random.Generator | None = None) -> dict:
        """The padded batch; with a generator, some words are hidden, so that none is relied upon alone."""
        shown = self.others if rng is not None and rng.random() < 0.3 else {}
        rows = [shown.get(place, self.rows[place]) for place in places]
        width = -(-max(len(ids) for ids, _ in rows) // 8) * 8
        ids, kinds, mask = (np.zeros((len(rows), width), np.int64) for _ in range(3))
        for row, (pieces, types) in enumerate(rows):
            ids[row, : len(pieces)] = pieces
            kinds[row, : len(pieces)] = types
            mask[row, : len(pieces)] = 1
        if rng is not None:
            hidden = (rng.random(ids.shape) < 0.06) & (mask == 1)
            hidden[:, 0] = False
            ids[hidden] = self.mask_id
        batch = {"ids": ids, "mask": mask} | ({"kinds": kinds} if self.kinds else {})
        return {
            name: torch.from_numpy(value).to(self.device, non_blocking=True) for name, value in batch.items()
        }

    def targets(self, places: Sequence[int]) -> torch.Tensor:
        return torch.tensor([self.labels[place] for place in places], device=self.device)


def label_of(item: dict) -> float:
    """The label as a number; -1 where there is none."""
    if item["label"] is None:
        return -1
    if item["task"] == "response":
        return RESPONSES.index(item["label"])
    return INFERENCES.index(item["label"]) if item["task"] == "nli" else item["label"]


def read_pairs(path: Path, limit: int = 0) -> list[dict]:
    """The packed pairs; `limit` takes so many of each task, to try a script."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    if not limit:
        return items
    random.Random(0).shuffle(items)
    return [one for task in HEADS for one in [item for item in items if item["task"] == task][:limit]]


def loss_of(
    logits: torch.Tensor, targets: torch.Tensor, task: str, weights: torch.Tensor | None
) -> torch.Tensor:
    """What a batch of one task costs against its labels."""
    if task == "similarity":
        return nn.functional.binary_cross_entropy_with_logits(logits[:, 0], targets.float())
    logs = torch.log_softmax(logits, -1)
    if task == "nli":
        either = torch.logsumexp(logs[:, 1:], -1, keepdim=True)  # not entailment: neutral or contradiction
        return nn.functional.nll_loss(torch.cat([logs, either], -1), targets)
    five = nn.functional.cross_entropy(logits, targets, weight=weights, label_smoothing=0.05)
    wrong = torch.stack([logs[:, 0], torch.logsumexp(logs[:, 1:], -1)], -1)
    return five + 0.5 * nn.functional.nll_loss(wrong, (targets > 0).long())


def soft_loss(logits: torch.Tensor, teacher: torch.Tensor, task: str, heat: float = 1.5) -> torch.Tensor:
    """What a batch costs against the teacher's logits, both softened."""
    if task == "similarity":
        return nn.functional.binary_cross_entropy_with_logits(logits, torch.sigmoid(teacher))
    wanted = torch.softmax(teacher / heat, -1)
    return -(wanted * torch.log_softmax(logits / heat, -1)).sum(-1).mean() * heat**2


def endless(pairs: Pairs, places: Sequence[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Batch after batch, round after round."""
    while places:
        yield from pairs.batches(places, size, rng)


@torch.no_grad()
def predict(model: nn.Module, pairs: Pairs, places: Sequence[int], task: str) -> np.ndarray:
    """The logits of some pairs, in order."""
    model.eval()
    order = sorted(places, key=lambda place: len(pairs.rows[place][0]))
    found: dict[int, np.ndarray] = {}
    for at in range(0, len(order), 256):
        group = order[at : at + 256]
        with autocast(pairs.device):
            logits = model(pairs.tensors(group), task)
        found.update(zip(group, logits.float().cpu().numpy(), strict=True))
    model.train()
    return np.array([found[place] for place in places])
