"""Fine-tune the encoder on inference, similarity and responses, with a larger teacher; fold by fold, then for good.

    python training/encoder.py PART --model MINILM --teacher MPNET --pairs pairs.jsonl.xz --out OUT

MINILM and MPNET hold config.json, model.safetensors and tokenizer.json. PART is `base` (both networks learn
inference and similarity, the small one from the large one), a scenario (`folds-….npz`: the logits of every response
from networks that did not learn from its fold), `final` (the encoder that learned from everything, `final.safetensors`)
or `all`. Parts may run side by side, each in a process: they wait for `base`. What is in OUT already is not done again.
Some minutes each on a GPU, hours on two cores.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from encoder_model import (
    HEADS,
    Encoder,
    Pairs,
    autocast,
    endless,
    loss_of,
    predict,
    read_pairs,
    soft_loss,
)
from safetensors.torch import load_file, save_file
from torch import nn

SCENARIOS = ("unseen-questions", "unseen-domains", "unseen-answers")
TEACHER_RATE, RATE = 4e-5, 1.5e-4
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
    own = [p for name, p in model.named_parameters() if name.startswith("heads.")]
    body = [p for name, p in model.named_parameters() if not name.startswith("heads.")]
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
    wanted = torch.from_numpy(np.stack([stream.teacher[place] for place in group])).to(pairs.device)
    soft = soft_loss(logits, wanted, stream.task)
    return TRUST * soft + (1 - TRUST) * hard if labelled else soft


def class_weights(pairs: Pairs, places: list[int]) -> torch.Tensor:
    """Rare labels weigh more, by the root of how rare they are."""
    counts = np.bincount([pairs.labels[place] for place in places], minlength=HEADS["response"])
    weights = np.maximum(counts, 1.0) ** -0.5
    return torch.tensor(
        weights * len(places) / (weights * counts).sum(), dtype=torch.float, device=pairs.device
    )


class Workshop:
    """The two networks, their pairs, and the folder where what is done is kept."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.started = options, time.time()
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.items = read_pairs(options.pairs, options.limit)
        self.small = Pairs(options.model, self.items, self.device)
        self.large = Pairs(options.teacher, self.items, self.device)
        self.nli, self.similar = (
            self._of(lambda one, t=task: one["task"] == t) for task in ("nli", "similarity")
        )
        self.real = self._of(lambda one: one["task"] == "response" and "kind" not in one)
        self.made = self._of(lambda one: one.get("kind") == "made")
        self.crossed = self._of(lambda one: one.get("kind") == "crossed")
        self.say(f"read {len(self.items)} pairs")

    def _of(self, wanted) -> list[int]:
        return [place for place, item in enumerate(self.items) if wanted(item)]

    def say(self, what: str) -> None:
        print(f"{self.options.part}: {what}, {time.time() - self.started:.0f} s", flush=True)

    def path(self, name: str) -> Path:
        return self.options.out / name

    def keep(self, model: nn.Module, name: str) -> None:
        weights = {key: value.half().contiguous() for key, value in model.state_dict().items()}
        save_file(weights, self.path(name + ".part"))
        self.path(name + ".part").rename(self.path(name))

    def network(self, folder: Path, weights: str = "") -> Encoder:
        torch.manual_seed(0)
        model = Encoder(folder).to(self.device)
        if weights:
            while not self.path(weights).exists():
                time.sleep(1)
            model.load_state_dict({k: v.float() for k, v in load_file(self.path(weights)).items()})
        return model

    def base(self) -> None:
        """Both networks learn inference and similarity; the small one also from what the large one says."""
        steps = self.options.first_steps
        streams = [Stream("nli", self.nli, 0.85), Stream("similarity", self.similar, 0.15)]
        if not self.path("teacher.safetensors").exists():
            model = learn(self.network(self.options.teacher), self.large, streams, steps, TEACHER_RATE, 64)
            self.keep(model, "teacher.safetensors")
            self.say("teacher's base")
        if not self.path("student.safetensors").exists():
            teacher = self.network(self.options.teacher, "teacher.safetensors")
            streams = [
                Stream(s.task, s.places, s.share, said(teacher, self.large, s.places, s.task))
                for s in streams
            ]
            self.say("teacher has spoken")
            model = learn(self.network(self.options.model), self.small, streams, steps * 3 // 2, RATE, 64)
            self.keep(model, "student.safetensors")
            self.say("student's base")

    def teacher_says(
        self, real: list[int], made: list[int], crossed: list[int]
    ) -> dict[str, dict[int, np.ndarray]]:
        """Train the teacher on some responses, and let it speak of them and of pairs without labels."""
        model = self.network(self.options.teacher, "teacher.safetensors")
        streams = [Stream("response", real, 0.7), Stream("response", made, 0.1), Stream("nli", self.nli, 0.2)]
        model = learn(
            model,
            self.large,
            streams,
            self.options.teacher_steps,
            TEACHER_RATE,
            weights=class_weights(self.large, real),
        )
        general = random.Random(0).sample(self.nli, min(len(self.nli), 16_000))
        return {
            "response": said(model, self.large, [*real, *made, *crossed, *general], "response"),
            "nli": said(model, self.large, general, "nli"),
        }

    def tuned(self, teacher: dict[str, dict[int, np.ndarray]], real: list[int], steps: int) -> nn.Module:
        """The small network, taught."""
        spoken = teacher["response"]
        own = [place for place in spoken if self.items[place]["task"] == "response"]
        made = sorted(set(own).intersection(self.made))
        crossed = sorted(set(own).intersection(self.crossed))
        general = list(teacher["nli"])
        streams = [
            Stream("response", real, 0.45, spoken),
            Stream("response", made, 0.08, spoken),
            Stream("response", crossed, 0.14, spoken),
            Stream("response", general, 0.14, spoken),
            Stream("nli", general, 0.14, teacher["nli"]),
            Stream("similarity", self.similar, 0.05),
        ]
        model = self.network(self.options.model, "student.safetensors")
        return learn(model, self.small, streams, steps, RATE, weights=class_weights(self.small, real))

    def scenario(self, name: str) -> None:
        """Judge every response with networks that did not learn from its fold."""
        if self.path(f"folds-{name}.npz").exists():
            return
        folds = range(max(max(self.items[place]["folds"][name]) for place in self.real) + 1)

        def outside(places: list[int], fold: int) -> list[int]:
            return [place for place in places if fold not in self.items[place]["folds"][name]]

        # The teachers first: meanwhile another process may be at the student's base.
        taught = []
        for fold in folds:
            taught.append(
                self.teacher_says(*(outside(some, fold) for some in (self.real, self.made, self.crossed)))
            )
            self.say(f"{name}, teacher {fold + 1}")
        logits = np.full((len(self.real), HEADS["response"]), np.nan, np.float32)
        for fold in folds:
            model = self.tuned(taught[fold], outside(self.real, fold), self.options.steps)
            rows = [row for row, place in enumerate(self.real) if fold in self.items[place]["folds"][name]]
            logits[rows] = predict(model, self.small, [self.real[row] for row in rows], "response")
            np.savez(self.path(f"part-{name}.npz"), logits=logits)
            self.say(f"{name}, student {fold + 1}")
        self.path(f"part-{name}.npz").rename(self.path(f"folds-{name}.npz"))
        gold = np.array([self.small.labels[place] for place in self.real])
        self.say(report([self.items[place] for place in self.real], gold, logits, name))

    def final(self) -> None:
        """The encoder that ships."""
        if not self.path("final.safetensors").exists():
            taught = self.teacher_says(self.real, self.made, self.crossed)
            self.say("final teacher")
            self.keep(self.tuned(taught, self.real, self.options.steps), "final.safetensors")
            self.say("final student")


def said(model: nn.Module, pairs: Pairs, places: list[int], task: str) -> dict[int, np.ndarray]:
    """A network's logits by place."""
    return dict(zip(places, predict(model, pairs, places, task), strict=True))


def macro(gold: np.ndarray, given: np.ndarray, classes: int) -> float:
    hits = [((gold == one) & (given == one)).sum() for one in range(classes)]
    sums = [(gold == one).sum() + (given == one).sum() for one in range(classes)]
    return float(np.mean([2 * hit / max(total, 1) for hit, total in zip(hits, sums, strict=True)]))


def report(items: list[dict], gold: np.ndarray, logits: np.ndarray, name: str) -> str:
    """Macro F1 in 5-, 3- and 2-way by corpus, F1 of contradictory answers."""
    parts = [name]
    chances = np.exp(logits - logits.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    for corpus in ("beetle", "sciEntsBank"):
        here = np.array([item["corpus"] == corpus for item in items])
        five, p = gold[here], chances[here]
        three = np.stack([p[:, 0], p[:, 2], p[:, 1] + p[:, 3] + p[:, 4]], 1).argmax(1)
        gold3 = np.array([0, 2, 1, 2, 2])[five]
        parts.append(
            f"{corpus} 5-way {macro(five, p.argmax(1), 5 if corpus == 'beetle' else 4):.3f} 3-way {macro(gold3, three, 3):.3f} "
            f"contradictory {macro((gold3 != 1) * 1, (three != 1) * 1, 1):.3f} 2-way {macro((five > 0) * 1, (p[:, 0] < 0.5) * 1, 2):.3f}"
        )
    return " | ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("base", *SCENARIOS, "final", "all"))
    for name in ("model", "teacher", "pairs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--first-steps", type=int, default=2200, help="steps on inference and similarity")
    parser.add_argument("--teacher-steps", type=int, default=650, help="the teacher's steps on responses")
    parser.add_argument("--steps", type=int, default=900, help="the student's")
    parser.add_argument(
        "--limit", type=int, default=0, help="use only so many pairs a task, to try the script"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    workshop = Workshop(options)
    wanted = ("base", *SCENARIOS, "final") if options.part == "all" else (options.part,)
    for part in wanted:
        if part in SCENARIOS:
            workshop.scenario(part)
        else:
            {"base": workshop.base, "final": workshop.final}[part]()


if __name__ == "__main__":
    main()
