"""Teach the shipped reader anew: a larger teacher's soft labels, graded answers of other subjects, tricks and facts.

    python training/reader.py --model MINILM --shipped postil/resources/encoder --pairs reader.jsonl.xz --out reader.safetensors

Learning goes on from what ships (`reader_weights.py`), for as many minutes as are given: two cores are enough. PAIRS is
what `reader_data.py` packed. What chunks are compared by must not drift, because the aligner stands on it: one batch in
ten asks the network to give the same vectors and the same similarity as before.
"""

from __future__ import annotations

import argparse
import copy
import json
import lzma
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from encoder_learning import Average
from encoder_model import Encoder
from encoder_pairs import INFERENCES, LONGEST, RESPONSES
from reader_weights import reader_weights
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

TOKENS = 3000  # in a batch, padding included
HEAT = 1.3  # the teacher's labels are softened by it
TRUST = 0.75  # in the teacher, where a person has spoken as well
HIDDEN = 0.05  # of the pieces, so that none is relied upon alone
NOT_CORRECT = len(RESPONSES)  # a label that only says that an answer is not correct


@dataclass(frozen=True)
class Stream:
    """Pairs of one kind, and their share of the batches."""

    name: str
    task: str
    share: float
    rows: Sequence[int]


SHARES = {
    "taught answers": 0.33,  # SRA's, beside other answers and references; made and joined ones
    "taught others": 0.20,  # other subjects
    "graded": 0.13,
    "options wrong": 0.03,  # as many right ones: how frequent a label is must not be learned from what was made
    "options right": 0.03,
    "tricks": 0.08,
    "honest": 0.08,
    "inference": 0.06,
    "kept": 0.06,
}
_SRA = ("sra", "crossed", "foreign", "joined", "made")


def stream_of(item: dict) -> str:
    kind, _, corpus = item["source"].partition(" ")
    if item["task"] == "nli":
        return "inference"
    if kind == "taught":
        return "taught answers" if corpus in _SRA else "taught others"
    if kind == "trick":
        return "honest" if item["label"] == "correct" else "tricks"
    return "graded" if kind == "graded" else item["source"]


class Pairs:
    """Tokenised pairs in padded batches of like length."""

    def __init__(self, folder: Path, items: Sequence[dict]) -> None:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        self.mask_id = tokenizer.token_to_id("[MASK]")
        self.items = items
        self.rows = [
            (np.array(one.ids, np.int32), np.array(one.type_ids, np.int8))
            for one in tokenizer.encode_batch([(item["first"], item["second"]) for item in items])
        ]

    def batches(self, rows: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
        """Batch after batch, round after round."""
        while True:
            shuffled = rng.sample(rows, len(rows))
            pools = [shuffled[at : at + 4000] for at in range(0, len(shuffled), 4000)]
            for pool in pools:
                pool.sort(key=lambda row: len(self.rows[row][0]))
                groups, group = [], []
                for row in pool:
                    if (len(group) + 1) * len(self.rows[row][0]) > TOKENS:
                        groups.append(group)
                        group = []
                    group.append(row)
                groups.append(group)
                rng.shuffle(groups)
                yield from groups

    def tensors(self, group: Sequence[int], hide: np.random.Generator | None = None) -> dict:
        width = max(len(self.rows[row][0]) for row in group)
        ids, kinds, mask = (np.zeros((len(group), width), np.int64) for _ in range(3))
        for place, row in enumerate(group):
            pieces, types = self.rows[row]
            ids[place, : len(pieces)], kinds[place, : len(pieces)], mask[place, : len(pieces)] = (
                pieces,
                types,
                1,
            )
        if hide is not None:
            hidden = (hide.random(ids.shape) < HIDDEN) & (mask == 1) & (ids > 999)
            ids[hidden] = self.mask_id
        return {
            "ids": torch.from_numpy(ids),
            "kinds": torch.from_numpy(kinds),
            "mask": torch.from_numpy(mask),
        }

    def targets(self, group: Sequence[int], task: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Labels (-1 for none) and the teacher's log-probabilities (not a number for none)."""
        names = RESPONSES if task == "response" else INFERENCES
        labels, soft = [], []
        for row in group:
            item = self.items[row]
            label = item["label"]
            labels.append(
                -1 if label is None else NOT_CORRECT if label == "not_correct" else names.index(label)
            )
            soft.append(item["soft"] or [math.nan] * (5 if task == "response" else 3))
        return torch.tensor(labels), torch.tensor(soft)


def cost_of(logits: torch.Tensor, labels: torch.Tensor, soft: torch.Tensor) -> torch.Tensor:
    """By the labels, by the teacher, or by both; a coarse label is the sum of the finer ones."""
    logs = torch.log_softmax(logits, -1)
    if logits.shape[1] == len(RESPONSES):
        coarse = torch.cat([logs, torch.logsumexp(logs[:, 1:], -1, keepdim=True)], -1)
    else:
        coarse = logs
    hard = -coarse.gather(1, labels.clamp(min=0)[:, None])[:, 0]
    taught = ~soft[:, 0].isnan()
    wanted = torch.softmax(torch.where(taught[:, None], soft, torch.zeros_like(soft)) / HEAT, -1)
    by_teacher = -(wanted * torch.log_softmax(logits / HEAT, -1)).sum(-1) * HEAT**2
    labelled = labels >= 0
    trust = torch.where(taught, torch.where(labelled, TRUST, 1.0), 0.0)
    return (trust * by_teacher + (1 - trust) * torch.where(labelled, hard, 0.0)).mean()


def kept_cost(model: Encoder, before: Encoder, batch: dict) -> torch.Tensor:
    """How far vectors of pieces and similarities are from what they were."""
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        old = before.states(batch)
        old_pieces = before.links.project(old).float()
        old_similar = before.heads["similarity"](before.pooled(old, batch["mask"])).float()
    states = model.states(batch)
    pieces = model.links.project(states).float()
    similar = model.heads["similarity"](model.pooled(states, batch["mask"])).float()
    here = batch["mask"][..., None].bool()
    scale = old_pieces[here.expand_as(old_pieces)].var()
    apart = ((pieces - old_pieces) ** 2 * here).sum() / here.expand_as(pieces).sum() / scale
    return 2 * apart + nn.functional.binary_cross_entropy_with_logits(similar, torch.sigmoid(old_similar))


def learn(
    model: Encoder, pairs: Pairs, streams: list[Stream], minutes: float, rate: float, out: Path
) -> Encoder:
    rng, hide = random.Random(0), np.random.default_rng(0)
    before = copy.deepcopy(model).eval()
    batches = {stream.name: pairs.batches(list(stream.rows), rng) for stream in streams}
    for part in (model.body.embeddings, model.body.encoder.layer[0]):  # what words are, it knows already
        part.requires_grad_(False)
    body = [p for name, p in model.named_parameters() if name.startswith("body.") and p.requires_grad]
    own = [
        p
        for name, p in model.named_parameters()
        if not name.startswith(("body.", "links.inner", "links.outer"))
    ]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": rate, "times": 1}, {"params": own, "lr": 4 * rate, "times": 4}],
        weight_decay=0.01,
        fused=True,
    )
    average = None
    model.train()
    started, told, step, costs = time.time(), 0.0, 0, {}
    while (done := (time.time() - started) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * group["times"] * min(done / 0.05 + 0.02, max(0.02, (1 - done) / 0.95))
        stream = rng.choices(streams, [stream.share for stream in streams])[0]
        rows = next(batches[stream.name])
        batch = pairs.tensors(rows, None if stream.name == "kept" else hide)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            cost = (
                kept_cost(model, before, batch)
                if stream.name == "kept"
                else cost_of(model(batch, stream.task).float(), *pairs.targets(rows, stream.task))
            )
        optimiser.zero_grad()
        cost.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):
            optimiser.step()
        if done > 0.5:  # an average of the second half: steadier than the last weights
            average = average or Average(model, 4000)
            average.update(model)
        step += 1
        recent = costs.setdefault(stream.name, [])
        recent.append(float(cost.detach()))
        if time.time() - told > 120:
            told = time.time()
            said = ", ".join(f"{name} {np.mean(values[-60:]):.3f}" for name, values in sorted(costs.items()))
            print(f"{step} steps, {done:.0%}: {said}", flush=True)
            keep(average.model if average else model, out)
    return average.model if average else model


@torch.no_grad()
def rejoin_links(
    model: Encoder, before: Encoder, pairs: Pairs, rows: Sequence[int], most: int = 6000
) -> None:
    """Fit the layer that makes vectors of pieces small, so that they are again what the aligner knows."""
    size = model.links.project.in_features + 1
    left, right = (
        torch.zeros(size, size, dtype=torch.float64),
        torch.zeros(size, before.links.project.out_features, dtype=torch.float64),
    )
    model.eval()
    before.eval()
    chosen = sorted(
        random.Random(1).sample(list(rows), min(most, len(rows))), key=lambda row: len(pairs.rows[row][0])
    )
    for at in range(0, len(chosen), 48):
        batch = pairs.tensors(chosen[at : at + 48])
        here = batch["mask"].bool()
        states = model.states(batch)[here].double()
        wanted = before.links.project(before.states(batch))[here].double()
        states = torch.cat([states, torch.ones(len(states), 1, dtype=torch.float64)], 1)
        left += states.T @ states
        right += states.T @ wanted
    found = torch.linalg.solve(left + torch.eye(size, dtype=torch.float64), right).float()
    model.links.project.weight.copy_(found[:-1].T)
    model.links.project.bias.copy_(found[-1])


def mixed(model: Encoder, before: Encoder, share: float) -> Encoder:
    """Between the weights before and after: new questions gain from both."""
    old = before.state_dict()
    model.load_state_dict(
        {name: torch.lerp(old[name], value, share) for name, value in model.state_dict().items()}
    )
    return model


def keep(model: Encoder, path: Path) -> None:
    weights = {name: value.half().contiguous() for name, value in model.state_dict().items()}
    save_file(weights, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "shipped", "pairs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--begin", type=Path, help="weights to go on from; without, what ships")
    parser.add_argument("--minutes", type=float, default=70)
    parser.add_argument(
        "--mix", type=float, default=0.75, help="share of the new weights; the rest are what ships"
    )
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--limit", type=int, default=0, help="use only so many pairs, to try the script")
    options = parser.parse_args()
    torch.manual_seed(0)
    with lzma.open(options.pairs, "rt", encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    if options.limit:
        items = random.Random(0).sample(items, options.limit)
    model = Encoder(options.model)
    weights = reader_weights(options.shipped / "pairs.onnx")
    compare = np.load(options.shipped / "links.npz")
    weights |= {f"links.{name}": torch.tensor(compare[name]) for name in compare}
    left = model.load_state_dict(weights, strict=False)
    assert not [name for name in left.missing_keys if "pooler" not in name and "position" not in name], left
    pairs = Pairs(options.model, items)
    groups: dict[str, list[int]] = {name: [] for name in SHARES}
    for row, item in enumerate(items):
        groups[stream_of(item)].append(row)
    groups["kept"] = [*groups["taught answers"], *groups["inference"]]
    streams = [
        Stream(name, "nli" if name == "inference" else "response", share, groups[name])
        for name, share in SHARES.items()
        if groups[name]
    ]
    print(", ".join(f"{stream.name} {len(stream.rows):,}" for stream in streams), flush=True)
    shipped = copy.deepcopy(model)
    if options.begin:
        model.load_state_dict({name: value.float() for name, value in load_file(options.begin).items()})
    if options.minutes:
        model = learn(model, pairs, streams, options.minutes, options.rate, options.out)
    model = mixed(model, shipped, options.mix)
    rejoin_links(model, shipped, pairs, [*groups["taught answers"], *groups["inference"]])
    keep(model, options.out)


if __name__ == "__main__":
    main()
