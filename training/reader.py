"""Teach the careful reader: a larger teacher's soft labels, graded answers of other subjects, tricks and facts.

    python training/reader.py --model MPNET --pairs reader.jsonl.xz --out reader.safetensors --minutes 100

MPNET holds all-mpnet-base-v2, PAIRS is what `reader_data.py` packed. Two cores are enough where the processor
multiplies in bfloat16. A reader that is used for choosing does not see what is held back; with `--everything` it does.
`--begin` goes on from weights that were kept.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from encoder_learning import Average, Stream
from encoder_model import HEADS, Encoder
from encoder_pairs import RESPONSES, Pairs, read_pairs
from safetensors.torch import load_file, save_file
from torch import nn

LONGEST = 224  # pieces of a pair
TOKENS = 3840  # in a batch, padding included
# Of a batch, in pieces: with few different shapes, the processor's matrix products are planned only once.
WIDTHS = (16, 24, 32, 40, 48, 64, 80, 96, 128, 160, LONGEST)
HEAT = 1.3  # the teacher's labels are softened by it
TRUST = 0.75  # in the teacher, where a person has spoken as well
AGAIN = 3  # times more often what was held back is shown to a reader that may see it at last
FROZEN = 3  # layers that stay as they are, after the words' own vectors

SHARES = {
    "taught answers": 0.32,  # SRA's, beside other answers and references; made and joined ones
    "taught others": 0.20,  # other subjects
    "graded": 0.12,
    "options wrong": 0.03,  # as many right ones: how frequent a label is must not be learned from what was made
    "options right": 0.03,
    "tricks": 0.10,
    "honest": 0.08,
    "inference": 0.12,  # claims among it
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


def batches(pairs: Pairs, rows: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
    """Batch after batch, round after round, each of rows of about one length and of as many pieces in all."""
    groups: dict[int, list[int]] = {width: [] for width in WIDTHS}
    while True:
        for row in rng.sample(rows, len(rows)):
            width = next(width for width in WIDTHS if len(pairs.rows[row][0]) <= width)
            groups[width].append(row)
            if len(groups[width]) == TOKENS // width:
                yield groups[width]
                groups[width] = []


def tensors(pairs: Pairs, group: Sequence[int], hide: np.random.Generator) -> dict:
    """The batch, padded to one of the widths."""
    batch = pairs.tensors(group, hide)
    width = TOKENS // len(group)
    missing = max(each for each in WIDTHS if each <= width) - batch["ids"].shape[1]
    return {name: nn.functional.pad(values, (0, missing)) for name, values in batch.items()}


def soft_labels(pairs: Pairs, group: Sequence[int], count: int) -> torch.Tensor:
    """The teacher's log-probabilities; not a number where it has said nothing."""
    return torch.tensor([pairs.items[row]["soft"] or [math.nan] * count for row in group])


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


def learn(
    model: Encoder, pairs: Pairs, streams: dict[str, Stream], minutes: float, rate: float, out: Path
) -> Encoder:
    """Learn for so many minutes; the average of the last third's weights."""
    rng, hide = random.Random(0), np.random.default_rng(0)
    groups = {name: batches(pairs, stream.places, rng) for name, stream in streams.items()}
    shares = [stream.share for stream in streams.values()]
    for part in (
        model.body.embeddings,
        *model.body.encoder.layer[:FROZEN],
    ):  # what words are, it knows already
        part.requires_grad_(False)
    body = [p for name, p in model.named_parameters() if name.startswith("body.") and p.requires_grad]
    own = list(model.heads.parameters())
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": rate, "times": 1}, {"params": own, "lr": 10 * rate, "times": 10}],
        weight_decay=0.01,
        fused=True,
    )
    average = None
    model.train()
    started, told, step, seen, costs = time.time(), 0.0, 0, 0, {}
    while (done := (time.time() - started) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * group["times"] * min(done / 0.05 + 0.02, max(0.02, (1 - done) / 0.95))
        name = rng.choices(list(streams), shares)[0]
        rows, task = next(groups[name]), streams[name].task
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(tensors(pairs, rows, hide), task).float()
        cost = cost_of(logits, pairs.targets(rows), soft_labels(pairs, rows, HEADS[task]))
        optimiser.zero_grad()
        cost.backward()
        norm = nn.utils.clip_grad_norm_([*body, *own], 1.0)
        if torch.isfinite(norm):
            optimiser.step()
        if done > 0.67:
            average = average or Average(model, 1200)
            average.update(model)
        step, seen = step + 1, seen + len(rows)
        costs.setdefault(name, []).append(float(cost.detach()))
        if time.time() - told > 120:
            told = time.time()
            said = ", ".join(f"{kind} {np.mean(values[-40:]):.3f}" for kind, values in sorted(costs.items()))
            print(f"{step} steps, {seen:,} pairs, {done:.0%}: {said}", flush=True)
            keep(average.model if average else model, out)
    return average.model if average else model


def keep(model: Encoder, path: Path) -> None:
    weights = {
        name: value.half().contiguous()
        for name, value in model.state_dict().items()
        if not name.startswith("links.")
    }
    save_file(weights, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "pairs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--begin", type=Path, help="weights to go on from; without, the public ones")
    parser.add_argument("--everything", action="store_true", help="learn from what is held back as well")
    parser.add_argument("--minutes", type=float, default=100)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--limit", type=int, default=0, help="use only so many pairs, to try the script")
    options = parser.parse_args()
    torch.manual_seed(0)
    kinds = ("", "corpus", "question", "answer") if options.everything else ("",)
    items = [item for item in read_pairs(options.pairs, options.limit) if item["held"] in kinds]
    model = Encoder(options.model)
    for part in model.modules():  # a teacher's soft labels keep it from learning by heart
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    if options.begin:
        weights = {name: value.float() for name, value in load_file(options.begin).items()}
        model.load_state_dict(weights, strict=False)
    pairs = Pairs(options.model, items, "cpu", LONGEST)
    groups: dict[str, list[int]] = {name: [] for name in SHARES}
    for row, item in enumerate(items):
        groups[stream_of(item)] += [row] * (1 + AGAIN if item["held"] else 1)
    streams = {
        name: Stream("nli" if name == "inference" else "response", groups[name], share)
        for name, share in SHARES.items()
        if groups[name]
    }
    for name, stream in streams.items():
        pieces = sum(len(pairs.rows[row][0]) for row in stream.places)
        print(f"{name}: {len(stream.places):,} pairs, {pieces:,} pieces", flush=True)
    keep(learn(model, pairs, streams, options.minutes, options.rate, options.out), options.out)


if __name__ == "__main__":
    main()
