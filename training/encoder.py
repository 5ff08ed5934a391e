"""Fine-tune the encoder on inference, similarity, responses and links, with a larger teacher; fold by fold, then for good.

    python training/encoder.py PART --model MINILM --teacher MPNET --pairs pairs.jsonl.xz --out OUT

MINILM and MPNET hold config.json, model.safetensors and tokenizer.json. PART is `base` (both networks learn
inference and similarity, the small one from the large one), `links` (teachers of alignment, one a fold), a scenario (`folds-….npz`: what networks say of every
response, RTE pair and alignment that did not learn from its fold), `final` (the encoder that learned from everything,
`final.safetensors`) or `all`. Parts, and the folds of a scenario (`--only`), may run side by side, each in a process:
they wait for `base` and `links`. What is in OUT already is not done again. Some minutes each on a GPU, hours on two cores.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch
from encoder_learning import Stream, class_weights, learn
from encoder_model import HEADS, Encoder
from encoder_pairs import Pairs, link_targets, read_pairs, said, small_states
from encoder_report import link_report, report
from safetensors.torch import load_file, save_file
from torch import nn

SCENARIOS = ("unseen-questions", "unseen-domains", "unseen-answers")
TEACHER_RATE, RATE = 4e-5, 1.5e-4
ALL = -1  # in place of a fold: nothing is held out
GENERAL = 16_000  # inference pairs that the student sees again beside responses
Speech = dict[str, dict[int, np.ndarray]]  # by task and place, what the teacher says


class Workshop:
    """The two networks, their pairs, and the folder where what is done is kept."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.started = options, time.time()
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.items = read_pairs(options.pairs, options.limit)
        self.small = Pairs(options.model, self.items, self.device)
        self.large = Pairs(options.teacher, self.items, self.device)
        self.nli = self._of(lambda one: one["task"] == "nli" and one["source"] != "rte")
        self.rte = self._of(lambda one: one["task"] == "nli" and one["source"] == "rte")
        self.similar = self._of(lambda one: one["task"] == "similarity")
        self.real = self._of(lambda one: one["task"] == "response" and "kind" not in one)
        self.made = self._of(lambda one: one.get("kind") == "made")
        self.crossed = self._of(lambda one: one.get("kind") == "crossed")
        self.gold = self._of(lambda one: one["task"] == "link" and "fold" in one)
        self.words = self._of(lambda one: one["task"] == "link" and one["source"] == "edinburgh")
        self.opposites = self._of(lambda one: one.get("source") == "opposites")
        self.unlinked = self._of(lambda one: one["task"] == "link" and one["links"] is None)
        self.say(f"read {len(self.items)} pairs")

    def _of(self, wanted) -> list[int]:
        return [index for index, item in enumerate(self.items) if wanted(item)]

    def say(self, what: str) -> None:
        print(f"{self.options.part}: {what}, {time.time() - self.started:.0f} s", flush=True)

    def path(self, name: str) -> Path:
        return self.options.out / name

    def keep(self, model: nn.Module, name: str) -> None:
        weights = {key: value.half().contiguous() for key, value in model.state_dict().items()}
        save_file(weights, self.path(name + ".part"))
        self.path(name + ".part").rename(self.path(name))

    def network(self, folder: Path, weights: str = "", layers: int = 0) -> Encoder:
        torch.manual_seed(0)
        model = Encoder(folder, layers=layers).to(self.device)
        if weights:
            self.wait_for(weights)
            model.load_state_dict({k: v.float() for k, v in load_file(self.path(weights)).items()})
        return model

    def wait_for(self, name: str) -> None:
        while not self.path(name).exists():
            time.sleep(1)

    def student(self, weights: str = "") -> Encoder:
        return self.network(self.options.model, weights, self.options.layers)

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
            model = learn(self.student(), self.small, streams, steps * 3 // 2, RATE, 96)
            self.keep(model, "student.safetensors")
            self.say("student's base")

    def outside(self, name: str, fold: int):
        """A choice of the places that a fold of a scenario does not hold."""

        def keep(places: list[int]) -> list[int]:
            return [place for place in places if fold not in self.folds_of(place, name)]

        return keep

    def folds_of(self, place: int, name: str) -> list[int]:
        item = self.items[place]
        return [item["fold"]] if "fold" in item else item.get("folds", {}).get(name, [])

    def links(self) -> None:
        """Teachers of alignment, one for each fold that it must not learn from, and one of all."""
        for fold in [0, 1, 2, 3, 4, ALL] if self.options.only is None else self.options.only:
            path = self.path(f"speech-links-{fold}.npz")
            if path.exists():
                continue
            gold = [place for place in self.gold if self.items[place]["fold"] != fold]
            streams = [
                Stream("link", gold, 0.66),
                Stream("link", self.words, 0.12),
                Stream("link", self.opposites, 0.12),
                Stream("nli", self.nli, 0.10),
            ]
            model = self.network(self.options.teacher, "teacher.safetensors")
            model = learn(model, self.large, streams, self.options.link_steps, TEACHER_RATE)
            held = [place for place in self.gold if place not in set(gold)]
            if held:
                self.say(f"links, fold {fold}: " + self.link_report(model, self.large, held))
            places = [*gold, *self.unlinked, *self.opposites]
            write_speech(path, {"link": said(model, self.large, places, "link")})

    def link_report(self, model: Encoder, pairs: Pairs, held: list[int]) -> str:
        found = said(model, pairs, held, "link")
        return link_report([link_targets(self.items[place]) for place in held], list(found.values()))

    def teacher_says(self, name: str, keep) -> Speech:
        """Train the teacher on what may be kept, and let it speak of that and of pairs without labels."""
        path = self.path(f"speech-{name}.npz")
        if path.exists():
            return read_speech(path)
        real, made, crossed, rte = map(keep, (self.real, self.made, self.crossed, self.rte))
        streams = [
            Stream("response", real, 0.66),
            Stream("response", made, 0.09),
            Stream("nli", self.nli, 0.20),
            Stream("nli", rte, 0.05),
        ]
        model = learn(
            self.network(self.options.teacher, "teacher.safetensors"),
            self.large,
            streams,
            self.options.teacher_steps,
            TEACHER_RATE,
            weights=class_weights(self.large, real),
        )
        general = random.Random(0).sample(self.nli, min(len(self.nli), GENERAL))
        spoken = {
            "response": said(model, self.large, [*real, *made, *crossed, *general], "response"),
            "nli": said(model, self.large, [*general, *rte], "nli"),
        }
        held = [place for place in self.real if place not in set(real)]
        if held:
            self.say("teacher on its fold: " + self.report(held, said(model, self.large, held, "response")))
        write_speech(path, spoken)
        return spoken

    def tuned(self, teacher: Speech, keep, fold: int) -> Encoder:
        """The small network, taught."""
        self.wait_for(f"speech-links-{fold}.npz")
        linked = read_speech(self.path(f"speech-links-{fold}.npz"))["link"]
        spoken, inferred = teacher["response"], teacher["nli"]
        general = [place for place in inferred if self.items[place]["source"] != "rte"]
        real = keep(self.real)
        streams = [
            Stream("response", real, 0.17, spoken),
            Stream("response", keep(self.made), 0.05, spoken),
            Stream("response", keep(self.crossed), 0.32, spoken),
            Stream("response", general, 0.06, spoken),
            Stream("nli", general, 0.10, inferred),
            Stream("nli", keep(self.rte), 0.03, inferred),
            Stream("similarity", self.similar, 0.03),
            Stream("link", keep(self.gold), 0.11, linked),
            Stream("link", keep(self.unlinked), 0.08, linked),
            Stream("link", keep(self.opposites), 0.03, linked),
            Stream("link", self.words, 0.02),
        ]
        weights = class_weights(self.small, real)
        model = self.student("student.safetensors")
        return learn(model, self.small, streams, self.options.steps, RATE, self.options.size, weights=weights)

    def report(self, places: list[int], logits: dict[int, np.ndarray]) -> str:
        gold = np.array([self.small.labels[place] for place in places])
        corpora = [self.items[place]["corpus"] for place in places]
        return report(corpora, gold, np.stack([logits[place] for place in places]))

    def scenario(self, name: str) -> None:
        """Judge everything with networks that did not learn from its fold."""
        folds = range(max(max(self.folds_of(place, name)) for place in self.real) + 1)
        wanted = [fold for fold in self.options.only or folds if fold in folds]
        # The teachers first: meanwhile another process may be at the student's base.
        for fold in wanted:
            self.teacher_says(f"{name}-{fold}", self.outside(name, fold))
            self.say(f"{name}, teacher {fold}")
        for fold in wanted if not self.options.teachers_only else ():
            if not self.path(f"fold-{name}-{fold}.npz").exists():
                keep = self.outside(name, fold)
                model = self.tuned(self.teacher_says(f"{name}-{fold}", keep), keep, fold)
                self.keep_fold(model, name, fold)
                self.say(f"{name}, student {fold}")
        parts = [self.path(f"fold-{name}-{fold}.npz") for fold in folds]
        if all(part.exists() for part in parts):
            self.join(name, parts)

    def keep_fold(self, model: Encoder, name: str, fold: int) -> None:
        """What a network says of the fold it has not learned from."""
        held = {
            kind: [place for place in places if fold in self.folds_of(place, name)]
            for kind, places in (("real", self.real), ("rte", self.rte), ("gold", self.gold))
        }
        found = {f"{kind}_places": np.array(places) for kind, places in held.items()}
        for head in HEADS:
            logits = said(model, self.small, held["real"], head)
            found[head] = np.stack([logits[place] for place in held["real"]]).astype(np.float32)
        rte = said(model, self.small, held["rte"], "nli")
        found["rte"] = np.array([rte[place] for place in held["rte"]], np.float32).reshape(-1, HEADS["nli"])
        self.say(f"{name}, links {fold}: " + self.link_report(model, self.small, held["gold"]))
        states = small_states(model, self.small, held["gold"])
        found["gold_sizes"] = np.array([len(state) for state in states])
        found["gold"] = np.concatenate(states)
        found |= {f"links.{key}": value.cpu().numpy() for key, value in model.links.state_dict().items()}
        path = self.path(f"fold-{name}-{fold}.npz")
        np.savez(path.with_suffix(".part.npz"), **found)
        path.with_suffix(".part.npz").rename(path)

    def join(self, name: str, parts: list[Path]) -> None:
        """One file of the responses and RTE pairs of all folds, in their order."""
        folds = [dict(np.load(part)) for part in parts]
        joined = {}
        for kind, heads in (("real", tuple(HEADS)), ("rte", ("rte",))):
            order = np.argsort(np.concatenate([fold[f"{kind}_places"] for fold in folds]))
            joined |= {head: np.concatenate([fold[head] for fold in folds])[order] for head in heads}
        np.savez(self.path(f"folds-{name}.npz"), **joined)
        self.say(f"{name}: " + self.report(self.real, dict(zip(self.real, joined["response"], strict=True))))

    def final(self) -> None:
        """The encoder that ships."""
        taught = self.teacher_says("final", list)
        self.say("final teacher")
        if not self.options.teachers_only and not self.path("final.safetensors").exists():
            self.keep(self.tuned(taught, list, ALL), "final.safetensors")
            self.say("final student")


def write_speech(path: Path, speech: Speech) -> None:
    """Keep what the teacher said, so that a student can be taught again."""
    found = {}
    for task, logits in speech.items():
        values = list(logits.values())
        found[f"{task}_places"] = np.array(list(logits))
        found[f"{task}_shapes"] = np.array([value.shape for value in values])
        found[f"{task}_values"] = np.concatenate([value.ravel() for value in values]).astype(np.float16)
    np.savez(path.with_suffix(".part.npz"), **found)
    path.with_suffix(".part.npz").rename(path)


def read_speech(path: Path) -> Speech:
    stored = dict(np.load(path))
    speech: Speech = {}
    for task in sorted({name.partition("_")[0] for name in stored}):
        shapes = stored[f"{task}_shapes"]
        parts = np.split(stored[f"{task}_values"].astype(np.float32), np.cumsum(shapes.prod(1))[:-1])
        places = stored[f"{task}_places"].tolist()
        speech[task] = {
            place: part.reshape(shape) for place, part, shape in zip(places, parts, shapes, strict=True)
        }
    return speech


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("base", "links", *SCENARIOS, "final", "all"))
    for name in ("model", "teacher", "pairs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--first-steps", type=int, default=2200, help="steps on inference and similarity")
    parser.add_argument("--teacher-steps", type=int, default=800, help="the teacher's steps on responses")
    parser.add_argument("--link-steps", type=int, default=600, help="its steps on alignments")
    parser.add_argument("--steps", type=int, default=5200, help="the student's")
    parser.add_argument("--size", type=int, default=96, help="pairs in a batch of the student's")
    parser.add_argument("--layers", type=int, default=0, help="layers of the student's network; 0 for all")
    parser.add_argument("--only", type=int, nargs="*", help="folds to do in this process; -1 for all pairs")
    parser.add_argument("--teachers-only", action="store_true", help="stop before the students")
    parser.add_argument(
        "--limit", type=int, default=0, help="use only so many pairs a task, to try the script"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    workshop = Workshop(options)
    wanted = ("base", "links", *SCENARIOS, "final") if options.part == "all" else (options.part,)
    for part in wanted:
        if part in SCENARIOS:
            workshop.scenario(part)
        else:
            {"base": workshop.base, "links": workshop.links, "final": workshop.final}[part]()


if __name__ == "__main__":
    main()
