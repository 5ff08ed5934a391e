"""The pairs that the encoder learns from, in padded batches, and what a network says of them."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from encoder_model import ALIGNED, HEADS, TYPES, Encoder, autocast
from tokenizers import Encoding, Tokenizer
from torch import nn

RESPONSES = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")
GRADES = (*RESPONSES, "not_correct")  # some people only say right or wrong
INFERENCES = ("entailment", "neutral", "contradiction", "not_entailment")
LONGEST = 160
Pieces = list[list[int]]  # of each chunk


class Pairs:
    """Tokenised pairs, cut to size and put into padded batches of like length."""

    def __init__(self, folder: Path, items: Sequence[dict], device: str, longest: int = LONGEST) -> None:
        self.device = device
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest)
        self.mask_id = tokenizer.token_to_id("[MASK]") or tokenizer.token_to_id("<mask>")
        self.kinds = json.loads((folder / "config.json").read_text())["model_type"] == "bert"
        self.items = items
        self.rows: list[tuple[list[int], list[int]]] = []
        self.chunks: dict[int, tuple[Pieces, Pieces]] = {}
        for place, one in enumerate(
            tokenizer.encode_batch([(item["first"], item["second"]) for item in items])
        ):
            self.rows.append((one.ids, one.type_ids))
            if items[place]["task"] == "link":
                self.chunks[place] = chunk_pieces(one, items[place]["chunks"])
        # While learning, an answer may also be shown beside the reference an annotator matched.
        with_match = [index for index, item in enumerate(items) if item.get("matched")]
        matched = tokenizer.encode_batch(
            [(items[place]["first"], items[place]["matched"]) for place in with_match]
        )
        self.others = {place: (one.ids, one.type_ids) for place, one in zip(with_match, matched, strict=True)}
        self.labels = [label_of(item) for item in items]

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
        if places[0] in self.chunks:
            batch |= {name: self._means(places, side, width) for side, name in enumerate(("first", "second"))}
        return {
            name: torch.from_numpy(value).to(self.device, non_blocking=True) for name, value in batch.items()
        }

    def _means(self, places: Sequence[int], side: int, width: int) -> np.ndarray:
        """The matrices that make means of chunks out of the vectors of pieces."""
        chunks = [self.chunks[place][side] for place in places]
        found = np.zeros((len(places), max(map(len, chunks)), width), np.float32)
        for row, chunk in enumerate(chunks):
            for number, pieces in enumerate(chunk):
                found[row, number, pieces] = 1 / max(len(pieces), 1)
        return found

    def targets(self, places: Sequence[int]) -> torch.Tensor:
        if places[0] in self.chunks:
            return torch.from_numpy(self.padded([link_targets(self.items[p]) for p in places], -1)).to(
                self.device
            )
        return torch.tensor([self.labels[place] for place in places], device=self.device)

    def padded(self, tables: Sequence[np.ndarray], empty: float) -> np.ndarray:
        """Tables of pairs of chunks in one array, as large as the largest."""
        sizes = [max(table.shape[side] for table in tables) for side in (0, 1)]
        found = np.full((len(tables), *sizes, tables[0].shape[2]), empty, np.float32)
        for row, table in enumerate(tables):
            found[row, : table.shape[0], : table.shape[1]] = table
        return found


def chunk_pieces(encoding: Encoding, chunks: Sequence[Sequence[Sequence[int]]]) -> tuple[Pieces, Pieces]:
    """The pieces of each chunk of both texts."""
    found: tuple[Pieces, Pieces] = ([], [])
    for side, spans in enumerate(chunks):
        pieces = [
            (index, *encoding.offsets[index])
            for index, number in enumerate(encoding.sequence_ids)
            if number == side
        ]
        for start, end in spans:
            found[side].append([place for place, first, last in pieces if first < end and last > start])
    return found


def link_targets(item: dict) -> np.ndarray:
    """The type and score of every pair of chunks; -1 where nothing is known."""
    first, second = map(len, item["chunks"])
    found = np.full((first, second, 2), -1, np.float32)
    found[..., 0] = len(TYPES) - 1
    for ours, theirs, kind, score in item["links"]:
        where = np.ix_(ours, theirs)
        # "possible" links count neither as aligned nor as not aligned.
        found[..., 0][where] = TYPES.index(kind) if kind in TYPES else ALIGNED if kind == "aligned" else -1
        found[..., 1][where] = -1 if score is None else score / 5
    return found


def label_of(item: dict) -> float:
    """The label as a number; -1 where there is none."""
    if item["task"] == "link":
        return -1 if item["links"] is None else 0
    if item["label"] is None:
        return -1
    if item["task"] == "response":
        return GRADES.index(item["label"])
    return INFERENCES.index(item["label"]) if item["task"] == "nli" else item["label"]


def read_pairs(path: Path, limit: int = 0) -> list[dict]:
    """The packed pairs; `limit` takes so many of each task, to try a script."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    if not limit:
        return items
    random.Random(0).shuffle(items)
    return [
        one for task in (*HEADS, "link") for one in [item for item in items if item["task"] == task][:limit]
    ]


def endless(pairs: Pairs, places: Sequence[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Batch after batch, round after round."""
    while places:
        yield from pairs.batches(places, size, rng)


@torch.no_grad()
def said(model: nn.Module, pairs: Pairs, places: Sequence[int], task: str) -> dict[int, np.ndarray]:
    """A network's logits by place; for links, a table of pairs of chunks."""
    model.eval()
    found: dict[int, np.ndarray] = {}
    for group in in_order(pairs, places):
        with autocast(pairs.device):
            logits = model(pairs.tensors(group), task).float().cpu().numpy()
        for place, logit in zip(group, logits, strict=True):
            found[place] = (
                logit if task != "link" else logit[tuple(slice(len(side)) for side in pairs.chunks[place])]
            )
    model.train()
    return {place: found[place] for place in places}


@torch.no_grad()
def small_states(model: Encoder, pairs: Pairs, places: Sequence[int]) -> list[np.ndarray]:
    """The vectors of pieces that chunks are made of, of each pair."""
    model.eval()
    found: dict[int, np.ndarray] = {}
    for group in in_order(pairs, places):
        with autocast(pairs.device):
            states = model.links.project(model.states(pairs.tensors(group))).half().cpu().numpy()
        found |= {p: state[: len(pairs.rows[p][0])] for p, state in zip(group, states, strict=True)}
    model.train()
    return [found[place] for place in places]


def in_order(pairs: Pairs, places: Sequence[int], size: int = 384) -> Iterator[list[int]]:
    """Batches of rows of about one length."""
    order = sorted(places, key=lambda place: len(pairs.rows[place][0]))
    for at in range(0, len(order), size):
        yield order[at : at + size]
