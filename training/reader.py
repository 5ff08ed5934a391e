"""Teach a reader: a larger teacher's soft labels, people's labels, and tricks.

    python training/reader.py --model MPNET --pool pool.jsonl.xz [--soft soft.npz] --out FOLDER

MODEL holds all-mpnet-base-v2 (the careful reader) or all-MiniLM-L6-v2 (the quick one), POOL is what `reader_data.py`
packed, SOFT what `reader_teacher.py` says of it (without, the pool's own judgements of an earlier teacher count). Writes `chosen.safetensors`, a network that has not seen what is held
back and by which things are chosen and measured, and goes on from it with everything to `final.safetensors`, which
ships. Meant for a GPU; on two cores that multiply in bfloat16, an hour and a half makes a careful reader (`--tokens 3840
--frozen 3`).
"""

from __future__ import annotations

import argparse
import copy
import queue
import random
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from encoder_model import Encoder
from reader_pool import LABELS, TASKS, Pool, kind_of, label_cost, masked, read_pool, rounded
from reader_soft import read_soft
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

HEADS = {task: len(labels) for task, labels in TASKS.items()}
HEAT = 1.3  # the teacher's labels are softened by it
# In the teacher, where a person has spoken as well; less where it has not seen what the person said.
TRUST, TRUST_HELD = 0.7, 0.5
HIDDEN = 0.05  # share of the pieces that are hidden while learning, so that none is relied upon alone
UNASKED = 0.15  # share of the pairs that are shown without their question
AGAIN = 3  # times more often what was held back is shown to a reader that may see it at last
HELD = ("corpus", "question", "answer")
SHARES = {
    "sra": 0.13,
    "crossed": 0.18,
    "made": 0.03,
    "graded": 0.16,
    "beside": 0.10,
    "options": 0.09,
    "trick": 0.09,
    "honest": 0.05,
    "composed": 0.02,
    "elaborated": 0.05,
    "claims": 0.06,
    "clauses": 0.04,
    "nli": 0.05,
}
# Where an earlier teacher has judged some of the pool only.
SHARES_BEFORE = {
    "sra": 0.18, "taught": 0.26, "made": 0.02, "graded": 0.20, "options": 0.07, "trick": 0.09, "honest": 0.06,
    "composed": 0.02, "claims": 0.05, "nli": 0.05,
}  # fmt: skip


@dataclass(frozen=True)
class Taught:
    """The pool for a reader: pairs with and without their question, and the teacher's log-probabilities."""

    asked: Pool
    unasked: Sequence[np.ndarray]
    soft: torch.Tensor
    trust: torch.Tensor
    special: tuple[int, int]  # the pieces that hide and that pad


def taught(options: argparse.Namespace) -> Taught:
    rows = read_pool(options.pool)
    if options.soft:
        soft = read_soft(options.soft, rows)
        rows = [{**row, "soft": values} for row, values in zip(rows, soft, strict=True)]
    rows = [row for row in rows if row["label"] or row.get("soft")]
    if options.limit:
        rows = random.Random(0).sample(rows, options.limit)
    tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(options.longest)
    tokenizer.encode_special_tokens = True  # a pupil may write "</s>"
    sides = []
    for side in ("asked", "second"):
        pairs = [(row["first"], row[side]) for row in rows]
        sides.append([np.array(encoding.ids, np.int32) for encoding in tokenizer.encode_batch(pairs)])
    wide = np.full((len(rows), len(LABELS)), -30.0, np.float32)
    pool = Pool(rows, sides[0])
    for number, row in enumerate(rows):
        if row.get("soft"):
            wide[number, pool.possible[number]] = row["soft"][: HEADS[row["task"]]]
    trust = [trust_in_teacher(row) for row in rows]
    hide = tokenizer.token_to_id("[MASK]") or tokenizer.token_to_id("<mask>")
    pad = tokenizer.token_to_id("<pad>")
    special = hide, 0 if pad is None else pad
    return Taught(pool, sides[1], torch.from_numpy(wide), torch.tensor(trust), special)


def trust_in_teacher(row: dict) -> float:
    if not row.get("soft"):
        return 0.0
    return 1.0 if row["label"] is None else TRUST_HELD if row["held"] else TRUST


def batches(
    data: Taught, held: Collection[str], shares: Mapping[str, float], tokens: int, seed: int
) -> Iterator[tuple[torch.Tensor, ...]]:
    """Batches made ahead by a thread: pieces, mask, possible and right labels, the teacher's, and its trust."""
    pool, rng = data.asked, random.Random(seed)
    hidden = np.random.default_rng(seed)
    rows, weights = pool.draws(shares, held, AGAIN)
    print(f"{len(rows):,} pairs to learn from", flush=True)
    waiting: queue.Queue[tuple[torch.Tensor, ...]] = queue.Queue(6)

    def make() -> None:
        for group in pool.drawn(rows, weights, tokens, rng):
            hide, pad = data.special
            pieces = [data.unasked[row] if rng.random() < UNASKED else pool.pieces[row] for row in group]
            width = rounded(max(map(len, pieces)))
            ids = np.full((len(group), width), pad, np.int64)
            mask = np.zeros((len(group), width), np.int64)
            for place, one in enumerate(pieces):
                ids[place, : len(one)] = one
                mask[place, : len(one)] = 1
            cover = (hidden.random(ids.shape) < HIDDEN) & (mask == 1)
            cover[:, 0] = False
            ids[cover] = hide
            arrays = (ids, mask, pool.possible[group], pool.right[group])
            waiting.put((*map(torch.from_numpy, arrays), data.soft[group], data.trust[group]))

    threading.Thread(target=make, daemon=True).start()
    while True:
        yield waiting.get()


def logits_of(model: Encoder, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The logits of all heads, one after the other."""
    batch = {"ids": ids, "mask": mask}
    pooled = model.pooled(model.states(batch), mask)
    return torch.cat([model.heads[name](pooled) for name in HEADS], 1).float()


def cost_of(logits, possible, right, soft, trust) -> torch.Tensor:
    """By the labels, by the teacher, or by both."""
    wanted = torch.softmax(masked(soft / HEAT, possible), 1)
    given = torch.log_softmax(masked(logits / HEAT, possible), 1)
    by_teacher = -(wanted * given.masked_fill(~possible, 0)).sum(1) * HEAT**2
    by_label = torch.where(trust < 1, label_cost(logits, possible, right | (trust == 1)[:, None]), 0)
    return (trust * by_teacher + (1 - trust) * by_label).mean()


def learn(
    model: Encoder, data: Taught, held: Collection[str], options: argparse.Namespace, minutes: float, rate: float, seed: int
) -> Encoder:  # fmt: skip
    """Learn for so many minutes; the average of the last third's weights."""
    device = next(model.parameters()).device
    named = [(name, weights) for name, weights in model.named_parameters() if weights.requires_grad]
    weights = [values for _, values in named]
    swift = copy.deepcopy(model).to(torch.bfloat16)  # computes; the whole numbers are kept beside it
    shadows = [values for values in swift.parameters() if values.requires_grad]
    groups = [
        {"params": [values for name, values in named if name.startswith("body.") is body], "times": times}
        for body, times in ((True, 1), (False, 10))
    ]
    optimiser = torch.optim.AdamW(groups, lr=rate, weight_decay=0.01, fused=True)
    average: list[torch.Tensor] = []
    swift.train()
    started, told, step, seen = time.time(), time.time(), 0, 0
    costs: list[torch.Tensor] = []
    shares = SHARES if options.soft else SHARES_BEFORE
    for batch in batches(data, held, shares, options.tokens, seed):
        done = (time.time() - started) / (60 * minutes)
        if done >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate * group["times"] * min(done / 0.05 + 0.02, max(0.02, (1 - done) / 0.95))
        ids, mask, *others = (values.to(device, non_blocking=True) for values in batch)
        cost = cost_of(logits_of(swift, ids, mask), *others)
        swift.zero_grad(set_to_none=True)
        cost.backward()
        for values, shadow in zip(weights, shadows, strict=True):
            values.grad = torch.zeros_like(values) if shadow.grad is None else shadow.grad.float()
        norm = nn.utils.clip_grad_norm_(weights, 1.0)
        if torch.isfinite(norm):
            optimiser.step()
        with torch.no_grad():
            torch._foreach_copy_(shadows, weights)
            if done > 0.67:
                average = average or [values.clone() for values in weights]
                torch._foreach_lerp_(average, weights, 0.01)
        step, seen = step + 1, seen + len(ids)
        costs.append(cost.detach())
        if time.time() - told > 60:
            told = time.time()
            mean = torch.stack(costs[-200:]).mean()
            print(f"{step} steps, {seen:,} pairs, {done:.0%}: {mean:.4f}", flush=True)
    print(f"learned: {step} steps, {seen:,} pairs", flush=True)
    with torch.no_grad():
        torch._foreach_copy_(weights, average or weights)
    return model


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
    for name in ("model", "pool", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--soft", type=Path, help="what a teacher says of the whole pool")
    parser.add_argument("--begin", type=Path, help="weights to go on from; without, the public ones")
    parser.add_argument(
        "--minutes", type=float, default=6, help="until the network that things are chosen by"
    )
    parser.add_argument("--final-minutes", type=float, default=2, help="more, with everything")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--tokens", type=int, default=24000, help="in a batch, padding included")
    parser.add_argument("--frozen", type=int, default=0, help="lowest layers that stay as they are")
    parser.add_argument("--longest", type=int, default=256, help="pieces of a pair")
    parser.add_argument("--limit", type=int, default=0, help="use only so many pairs, to try the script")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Encoder(options.model, heads=HEADS)
    for part in model.modules():  # a teacher's soft labels keep it from learning by heart
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    model.links.requires_grad_(False)
    if options.begin:
        weights = {name: value.float() for name, value in load_file(options.begin).items()}
        model.load_state_dict(weights, strict=False)
    if options.frozen:  # what words are, it knows already
        for part in (model.body.embeddings, *model.body.encoder.layer[: options.frozen]):
            part.requires_grad_(False)
    model.to(device)
    data = taught(options)
    kinds = sorted({kind_of(row) for row in data.asked.rows})
    print(
        f"{len(data.asked.rows):,} pairs, {data.asked.lengths.mean():.0f} pieces each: {', '.join(kinds)}",
        flush=True,
    )
    chosen = learn(model, data, ("",), options, options.minutes, options.rate, 0)
    keep(chosen, options.out / "chosen.safetensors")
    if options.final_minutes:
        final = learn(chosen, data, ("", *HELD), options, options.final_minutes, options.rate / 3, 1)
        keep(final, options.out / "final.safetensors")


if __name__ == "__main__":
    main()
