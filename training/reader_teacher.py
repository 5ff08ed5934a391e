"""Teach a larger model, as a low-rank adapter, and let it judge the pairs that the readers learn from (needs a GPU).

    python training/reader_teacher.py --model QWEN.gguf --tokenizer tokenizer.json --pool pool.jsonl.xz --out FOLDER

QWEN is Qwen2.5-Coder-1.5B-Instruct with 4-bit weights (`training/README.md` gives its hash). The model reads question,
reference and answer and says a word: its probabilities of the labels' words are those of the labels, so that any
runtime which gives a word's probability can use the adapter. It does not learn from what is held back, but judges all.
Writes `adapter.safetensors` and `soft.npz`: log-probabilities of the pool's pairs (`response`: the five labels;
`claim`: expressed, contradicted, unaddressed; `nli`: entailment, neutral, contradiction).
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader
from reader_pool import TASKS, Pool, label_cost, masked, read_pool
from reader_soft import save_soft
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import nn
from transformers import Qwen2Config, Qwen2Model

RANK, SCALE = 16, 2.0
# A word for each label, one piece long.
WORDS = {
    "response": (" correct", " partial", " opposite", " irrelevant", " nothing"),
    "claim": (" said", " denied", " missing"),
    "nli": (" yes", " unknown", " no"),
}
PROMPTS = {
    "response": ("Question: ", "\nReference: ", "\nAnswer: ", "\nGrade:"),
    "claim": ("Question: ", "\nClaim: ", "\nAnswer: ", "\nOutcome:"),
    "nli": ("", "Statement: ", "\nText: ", "\nVerdict:"),
}
MOST_PIECES = (80, 200, 220)  # of question, reference and answer
# How often each kind of pair is learned from.
SHARES = {
    "sra": 0.22, "made": 0.04, "graded": 0.19, "beside": 0.04, "elaborated": 0.05, "foreign": 0.05, "options": 0.12,
    "trick": 0.09, "honest": 0.04, "claims": 0.08, "composed": 0.02, "nli": 0.08,
}  # fmt: skip
_NAMES = {
    "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
    "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
}  # fmt: skip


def unpacked(data: np.ndarray, kind: str, device: str) -> torch.Tensor:
    """Weights of 4 or 6 bits as numbers; the layout is that of llama.cpp's blocks of 256."""
    blocks = torch.from_numpy(np.ascontiguousarray(data)).to(device)
    if kind == "F32":
        return blocks.view(torch.float32)
    rows = blocks.shape[0]
    if kind == "Q4_K":
        blocks = blocks.reshape(-1, 144)
        base, least = (blocks[:, at : at + 2].contiguous().view(torch.float16).float() for at in (0, 2))
        low, middle, high = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
        scales = torch.cat([low & 63, (high & 15) | ((low >> 2) & 48)], 1).float()
        offsets = torch.cat([middle & 63, (high >> 4) | ((middle >> 2) & 48)], 1).float()
        packed = blocks[:, 16:].reshape(-1, 4, 1, 32)
        values = torch.cat([packed & 15, packed >> 4], 2).reshape(-1, 8, 32).float()
        found = (base * scales)[..., None] * values - (least * offsets)[..., None]
    elif kind == "Q6_K":
        blocks = blocks.reshape(-1, 210)
        low, high = blocks[:, :128].reshape(-1, 2, 1, 64), blocks[:, 128:192].reshape(-1, 2, 1, 32)
        low = torch.cat([low & 15, low >> 4], 2).reshape(-1, 8, 32)
        high = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 8, 32)
        scales = blocks[:, 192:208].contiguous().view(torch.int8).float()
        base = blocks[:, 208:210].contiguous().view(torch.float16).float()
        values = ((low | (high << 4)).float() - 32).reshape(-1, 16, 16)
        found = (base * scales)[..., None] * values
    else:
        raise SystemExit(f"weights of kind {kind} are not known here")
    return found.reshape(rows, -1)


class Adapted(nn.Module):
    """A layer that stays as it is, and a small one beside it that learns."""

    def __init__(self, layer: nn.Linear, rank: int = RANK) -> None:
        super().__init__()
        self.layer = layer
        device = layer.weight.device
        self.down = nn.Parameter(
            torch.randn(rank, layer.in_features, device=device) / math.sqrt(layer.in_features)
        )
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        small = SCALE * nn.functional.linear(x, self.down.to(x.dtype))
        large = self.layer(x)
        # In one step: reading and writing the large result again would take longer than the product.
        both = torch.addmm(large.flatten(0, -2), small.flatten(0, -2), self.up.to(x.dtype).T)
        return both.view_as(large)


class Teacher(nn.Module):
    """The model with its adapter; the logits of the labels' words."""

    def __init__(self, path: Path, words: Sequence[int], device: str) -> None:
        super().__init__()
        reader = GGUFReader(path)
        number = lambda name: reader.fields[f"qwen2.{name}"].contents()  # noqa: E731
        config = Qwen2Config(
            vocab_size=next(t for t in reader.tensors if t.name == "token_embd.weight").data.shape[0],
            hidden_size=number("embedding_length"),
            intermediate_size=number("feed_forward_length"),
            num_hidden_layers=number("block_count"),
            num_attention_heads=number("attention.head_count"),
            num_key_value_heads=number("attention.head_count_kv"),
            rms_norm_eps=number("attention.layer_norm_rms_epsilon"),
            rope_parameters={"rope_type": "default", "rope_theta": number("rope.freq_base")},
            attn_implementation="sdpa",
        )
        self.body = Qwen2Model(config).to(torch.bfloat16).to(device).requires_grad_(False)
        parts = {f"{ours}": theirs for theirs, ours in _NAMES.items()}
        state = {}
        for tensor in reader.tensors:
            name = tensor.name
            data = np.asarray(tensor.data)
            if name == "output.weight":
                # Only the labels' words are ever said.
                rows = unpacked(data[list(words)], tensor.tensor_type.name, device)
                self.register_buffer("words", rows.float())
                continue
            values = unpacked(data, tensor.tensor_type.name, device).to(torch.bfloat16)
            if name.startswith("blk."):
                _, layer, part, kind = name.split(".")
                if part in ("attn_norm", "ffn_norm"):
                    place = "input_layernorm" if part == "attn_norm" else "post_attention_layernorm"
                else:
                    place = ("self_attn." if part.startswith("attn") else "mlp.") + parts[part]
                state[f"layers.{layer}.{place}.{kind}"] = values
            else:
                state["embed_tokens.weight" if name.startswith("token") else "norm.weight"] = values
        left = self.body.load_state_dict(state, strict=False)
        assert not left.unexpected_keys, left
        assert not left.missing_keys, left
        for layer in self.body.layers:
            for part in (layer.self_attn, layer.mlp):
                for name in _NAMES:
                    if hasattr(part, name):
                        setattr(part, name, Adapted(getattr(part, name)))

    def forward(self, ids: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        # Padding stands on the right, where nothing that counts looks; so no mask is needed.
        states = self.body(input_ids=ids, use_cache=False).last_hidden_state
        return states[torch.arange(len(ids), device=ids.device), last].float() @ self.words.T

    def adapter(self) -> dict[str, torch.Tensor]:
        """What was learned, under llama.cpp's names; the scale is in it."""
        found = {}
        for number, layer in enumerate(self.body.layers):
            for part in (layer.self_attn, layer.mlp):
                for name, other in _NAMES.items():
                    if hasattr(part, name):
                        place = f"blk.{number}.{other}.weight.lora_"
                        found[place + "a"] = getattr(part, name).down.detach().half().contiguous()
                        found[place + "b"] = (SCALE * getattr(part, name).up.detach()).half().contiguous()
        return found


def prompted(rows: Sequence[dict], tokenizer: Tokenizer) -> list[np.ndarray]:
    """The pieces of each pair's prompt."""
    texts = sorted({text for row in rows for text in _texts(row)})
    pieces: dict[str, list[int]] = {}
    for start in range(0, len(texts), 20000):
        some = texts[start : start + 20000]
        pieces |= zip(some, (encoding.ids for encoding in tokenizer.encode_batch(some)), strict=True)
    fixed = {text: tokenizer.encode(text).ids for prompt in PROMPTS.values() for text in prompt}
    found = []
    for row in rows:
        *openings, closing = PROMPTS[row["task"]]
        ids: list[int] = []
        for opening, text, most in zip(openings, _texts(row), MOST_PIECES, strict=True):
            if text:
                ids += fixed[opening] + pieces[text][:most]
        found.append(np.array(ids + fixed[closing], np.int32))
    return found


def _texts(row: dict) -> tuple[str, str, str]:
    return row["question"], row["second"], row["first"]


def learn(teacher: Teacher, pool: Pool, options: argparse.Namespace, device: str) -> None:
    rows, weights = pool.draws(SHARES, ("",), labelled=True)
    parameters = [p for p in teacher.parameters() if p.requires_grad]
    print(f"{sum(p.numel() for p in parameters):,} weights learn, from {len(rows):,} pairs", flush=True)
    optimiser = torch.optim.AdamW(
        parameters, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.0, fused=device != "cpu"
    )
    started, told, step, seen, skipped = time.time(), time.time(), 0, 0, 0
    costs: list[torch.Tensor] = []
    teacher.train()
    for group in pool.drawn(rows, weights, options.tokens, random.Random(0)):
        done = (time.time() - started) / (60 * options.minutes)
        if done >= 1:
            break
        for settings in optimiser.param_groups:
            settings["lr"] = options.rate * min(done / 0.04 + 0.01, max(0.01, (1 - done) / 0.96))
        logits, possible, right = said(teacher, pool, group, device)
        cost = label_cost(logits, possible, right).mean()
        optimiser.zero_grad(set_to_none=True)
        cost.backward()
        norm = nn.utils.clip_grad_norm_(parameters, 1.0)
        if torch.isfinite(norm):
            optimiser.step()
        else:
            skipped += 1
        step, seen = step + 1, seen + len(group)
        costs.append(cost.detach())
        if time.time() - told > 20:
            told = time.time()
            mean = torch.stack(costs[-100:]).mean().item()
            print(f"{step} steps, {seen:,} pairs, {done:.0%}: {mean:.3f}, {skipped} skipped", flush=True)
    print(f"learned: {step} steps, {seen:,} pairs, {skipped} skipped", flush=True)


def said(teacher: Teacher, pool: Pool, group: Sequence[int], device: str) -> tuple[torch.Tensor, ...]:
    """The logits of the labels, and which of them are possible and right."""
    ids, lengths = pool.ids(group)
    logits = teacher(ids.to(device, non_blocking=True), (lengths - 1).to(device))
    rows = list(group)
    masks = (torch.from_numpy(mask[rows]).to(device) for mask in (pool.possible, pool.right))
    return logits, *masks


@torch.no_grad()
def judge(teacher: Teacher, pool: Pool, tokens: int, device: str) -> np.ndarray:
    """Log-probabilities of each pair's own labels; not a number where there are fewer than five."""
    teacher.eval()
    found = np.full((len(pool.rows), 5), np.nan, np.float32)
    for number, group in enumerate(pool.batches(range(len(pool.rows)), tokens)):
        logits, possible, _ = said(teacher, pool, group, device)
        logs = torch.log_softmax(masked(logits, possible), 1).cpu().numpy()
        for row, values in zip(group, logs, strict=True):
            own = values[pool.possible[row]]
            found[row, : len(own)] = own
        if number % 100 == 0:
            print(f"judged down to {pool.lengths[group[0]]} pieces", flush=True)
    return found


def summary(pool: Pool, soft: np.ndarray) -> None:
    """How often the likeliest label is right, source by source, of what was held back and of what was not."""
    hits: dict[tuple, list[bool]] = defaultdict(list)
    for number, row in enumerate(pool.rows):
        if row["label"] in TASKS[row["task"]] or row["label"] in (
            "not_correct",
            "not_said",
            "not_entailment",
        ):
            first = TASKS[row["task"]][0]
            hits[row["source"], row["held"]].append(
                (soft[number, 0] > math.log(0.5)) == (row["label"] == first)
            )
    for (source, held), values in sorted(hits.items()):
        print(f"{np.mean(values):.3f} of {len(values):6,} {source} {held and f'({held})'}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "tokenizer", "pool", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--tokens", type=int, default=12000, help="in a batch, padding included")
    parser.add_argument("--limit", type=int, default=0, help="use only so many pairs, to try the script")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    started = time.time()
    rows = read_pool(options.pool, options.limit)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    pool = Pool(rows, prompted(rows, tokenizer))
    words = [tokenizer.encode(word).ids for word in chain(*WORDS.values())]
    assert all(len(word) == 1 for word in words), words
    print(f"{len(rows):,} pairs, {pool.lengths.sum():,} pieces, {time.time() - started:.0f} s", flush=True)
    teacher = Teacher(options.model, [word for (word,) in words], device)
    print(f"loaded after {time.time() - started:.0f} s", flush=True)
    learn(teacher, pool, options, device)
    save_file(teacher.adapter(), options.out / "adapter.safetensors")
    soft = judge(teacher, pool, 8 * options.tokens, device)
    save_soft(options.out / "soft.npz", rows, soft)
    summary(pool, soft)
    print(f"done after {time.time() - started:.0f} s", Counter(row["task"] for row in rows), flush=True)


if __name__ == "__main__":
    main()
