"""How a network learns: batches from several streams, labels and a teacher, and an average of the weights."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass

import numpy as np
import torch
from encoder_model import HEADS, autocast, loss_of, soft_loss
from encoder_pairs import Pairs, endless
from torch import nn

TRUST = 0.7  # in the teacher, where there is a label, too


@dataclass(frozen=True)
class Stream:
    """Pairs to learn a task from, their share of all batches, and the teacher's logits where it has spoken."""

    task: str
    places: list[int]
    share: float
    teacher: dict[int, np.ndarray] | None = None


class Average:
    """A moving average of the weights: steadier than the last ones."""

    def __init__(self, model: nn.Module, steps: int) -> None:
        self.model, self.take = copy.deepcopy(model), 8 / max(steps, 80)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        torch._foreach_lerp_(list(self.model.parameters()), list(model.parameters()), self.take)


def learn(
    model, pairs: Pairs, streams: list[Stream], steps: int, rate: float, size: int = 48, weights=None, seed=0
):
    """Take so many steps over the streams; the averaged network."""
    rng, hide = random.Random(seed), np.random.default_rng(seed)
    torch.manual_seed(seed)
    batches = [(stream, endless(pairs, stream.places, size, rng)) for stream in streams if stream.places]
    shares = [stream.share for stream, _ in batches]
    own = [p for name, p in model.named_parameters() if not name.startswith("body.")]
    body = [p for name, p in model.named_parameters() if name.startswith("body.")]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": rate}, {"params": own, "lr": rate * 10}],
        weight_decay=0.01,
        fused=pairs.device == "cuda",
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / (0.08 * steps), max(0.02, (steps - step) / (0.92 * steps)))
    )
    average = Average(model, steps)
    model.train()
    for _ in range(steps):
        stream, groups = rng.choices(batches, shares)[0]
        group = next(groups)
        with autocast(pairs.device):
            logits = model(pairs.tensors(group, hide), stream.task)
        optimiser.zero_grad()
        batch_loss(logits, pairs, group, stream, weights).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        average.update(model)
    return average.model


def batch_loss(logits, pairs: Pairs, group: list[int], stream: Stream, weights) -> torch.Tensor:
    """By the labels, by the teacher, or by both."""
    labelled = (
        all(pairs.items[place]["task"] == stream.task for place in group) and pairs.labels[group[0]] != -1
    )
    hard = loss_of(logits, pairs.targets(group), stream.task, weights) if labelled else 0.0
    if stream.teacher is None:
        return hard
    spoken = [stream.teacher[place] for place in group]
    wanted = pairs.padded(spoken, np.nan) if stream.task == "link" else np.stack(spoken)
    soft = soft_loss(logits, torch.from_numpy(wanted).to(pairs.device), stream.task)
    return TRUST * soft + (1 - TRUST) * hard if labelled else soft


def class_weights(pairs: Pairs, places: list[int]) -> torch.Tensor:
    """Rare labels weigh more, by the root of how rare they are."""
    counts = np.bincount([pairs.labels[place] for place in places], minlength=HEADS["response"])
    weights = np.maximum(counts, 1.0) ** -0.5
    return torch.tensor(
        weights * len(places) / (weights * counts).sum(), dtype=torch.float, device=pairs.device
    )
