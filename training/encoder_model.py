"""The encoder's network with its heads, and what a batch of each task costs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from transformers import AutoConfig, AutoModel

HEADS = {"response": 5, "nli": 3, "similarity": 1}
TYPES = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI")
ALIGNED = len(TYPES)  # the target of chunks that are aligned, nobody says how
LINK_WIDTH, LINK_HIDDEN = 96, 128


def autocast(device: str) -> torch.autocast:
    """Half precision where it is fast."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


class Links(nn.Module):
    """How every chunk of the first text relates to every one of the second: logits of the types, and a score.

    A chunk is the mean of its pieces' vectors, made small before: any chunks can be compared afterwards.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.project = nn.Linear(hidden, LINK_WIDTH)
        self.inner = nn.Linear(4 * LINK_WIDTH, LINK_HIDDEN)
        self.outer = nn.Linear(LINK_HIDDEN, len(TYPES) + 1)

    def compare(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """From (texts, chunks, width) twice to (texts, chunks, chunks, types and score)."""
        wide = (first.shape[0], first.shape[1], second.shape[1], first.shape[2])
        one, other = first[:, :, None].expand(wide), second[:, None].expand(wide)
        both = torch.cat([one, other, one * other, (one - other).abs()], -1)
        return self.outer(nn.functional.gelu(self.inner(both)))


class Encoder(nn.Module):
    """A pretrained encoder that reads two texts at once, the mean of its last vectors, and a head a task."""

    def __init__(
        self, folder: Path, attention: str = "sdpa", layers: int = 0, heads: Mapping[str, int] = HEADS
    ) -> None:
        super().__init__()
        config = AutoConfig.from_pretrained(folder)
        if config.model_type == "mpnet":  # has no other
            attention = "eager"
        self.body = AutoModel.from_config(config, attn_implementation=attention)
        weights = {name: value.float() for name, value in load_file(folder / "model.safetensors").items()}
        missing = self.body.load_state_dict(weights, strict=False).missing_keys
        if any("position_ids" not in name and "pooler" not in name for name in missing):
            raise SystemExit(f"{folder}: weights are missing: {missing[:5]}")
        if layers:
            keep_layers(self.body, layers)
        self.drop = nn.Dropout(0.1)
        size = self.body.config.hidden_size
        self.heads = nn.ModuleDict({name: nn.Linear(size, count) for name, count in heads.items()})
        self.links = Links(size)

    def states(self, batch: dict) -> torch.Tensor:
        kinds = {"token_type_ids": batch["kinds"]} if "kinds" in batch else {}
        return self.body(input_ids=batch["ids"], attention_mask=batch["mask"], **kinds).last_hidden_state

    def pooled(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        wide = mask[..., None].to(states.dtype)
        return (states * wide).sum(1) / wide.sum(1)

    def forward(self, batch: dict, task: str) -> torch.Tensor:
        states = self.drop(self.states(batch))
        if task == "link":
            small = self.links.project(states)
            chunks = [batch[side].to(small.dtype) @ small for side in ("first", "second")]
            return self.links.compare(*chunks).float()
        return self.heads[task](self.pooled(states, batch["mask"])).float()


def keep_layers(body: nn.Module, count: int) -> None:
    """Leave only some layers of a network, evenly spread from the first to the last."""
    layers = body.encoder.layer
    wanted = torch.linspace(0, len(layers) - 1, count).round().int().tolist()
    body.encoder.layer = nn.ModuleList([layers[place] for place in wanted])
    body.config.num_hidden_layers = count


def loss_of(
    logits: torch.Tensor, targets: torch.Tensor, task: str, weights: torch.Tensor | None
) -> torch.Tensor:
    """What a batch of one task costs against its labels."""
    if task == "similarity":
        return nn.functional.binary_cross_entropy_with_logits(logits[:, 0], targets.float())
    if task == "link":
        return link_loss(logits, targets)
    logs = torch.log_softmax(logits, -1)
    if task == "nli":
        either = torch.logsumexp(logs[:, 1:], -1, keepdim=True)  # not entailment: neutral or contradiction
        return nn.functional.nll_loss(torch.cat([logs, either], -1), targets)
    five = nn.functional.cross_entropy(logits, targets, weight=weights, label_smoothing=0.05)
    wrong = torch.stack([logs[:, 0], torch.logsumexp(logs[:, 1:], -1)], -1)
    return five + 0.5 * nn.functional.nll_loss(wrong, (targets > 0).long())


def link_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Types of pairs of chunks (-1 for none) and scores of aligned ones (below 0 for none).

    `targets` is (texts, chunks, chunks, type and score). Most pairs are not aligned, so pairs are counted by the
    chunk, not by themselves.
    """
    types, scores = targets[..., 0].long(), targets[..., 1]
    logs = torch.log_softmax(logits[..., : len(TYPES)], -1)
    some = torch.logsumexp(logs[..., : len(TYPES) - 1], -1, keepdim=True)
    flat = torch.cat([logs, some], -1).flatten(0, 2)
    cost = nn.functional.nll_loss(flat, types.flatten(), ignore_index=-1, reduction="sum")
    scored = scores >= 0
    wrong = nn.functional.binary_cross_entropy_with_logits(
        logits[..., -1][scored], scores[scored], reduction="sum"
    )
    return (cost + wrong) / chunk_count(types >= 0)


def chunk_count(counted: torch.Tensor) -> torch.Tensor:
    return (counted.any(1).sum() + counted.any(2).sum()).clamp(min=1) / 2


def soft_loss(logits: torch.Tensor, teacher: torch.Tensor, task: str, heat: float = 1.5) -> torch.Tensor:
    """What a batch costs against the teacher's logits, both softened."""
    if task == "similarity":
        return nn.functional.binary_cross_entropy_with_logits(logits, torch.sigmoid(teacher))
    if task == "link":
        return soft_link_loss(logits, teacher)
    wanted = torch.softmax(teacher / heat, -1)
    return -(wanted * torch.log_softmax(logits / heat, -1)).sum(-1).mean() * heat**2


def soft_link_loss(logits: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """The same for pairs of chunks; where there is no pair, the teacher's logits are not numbers."""
    there = ~teacher[..., 0].isnan()
    given, wanted = logits[there], teacher[there]
    chances = torch.softmax(wanted[:, : len(TYPES)], -1)
    cost = -(chances * torch.log_softmax(given[:, : len(TYPES)], -1)).sum()
    wrong = nn.functional.binary_cross_entropy_with_logits(
        given[:, -1], torch.sigmoid(wanted[:, -1]), reduction="none"
    )
    return (cost + (wrong * (1 - chances[:, len(TYPES) - 1])).sum()) / chunk_count(there)
