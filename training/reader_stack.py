"""Make the stack of a reader, and measure it on classes that the reader has not seen.

    python training/reader_stack.py --data DATA --reader FOLDER --out packages/careful/postil_careful [--cache texts.npz]

FOLDER holds what `reader_export.py` wrote of the network that has not seen what is held back. How far its two heads are
to be believed (`Calibration`) is chosen on that, every corpus counting alike; the figures of each corpus are by what the
others choose. The stack takes the reader at its word then: whatever else was weighed with it was worse on the corpora left
out (docs/decisions.md). What is added before a finer label is chosen, and how sure one must be, is learned from what was
held back as well. Writes stack.json, home.npz, calibration.json and figures.json.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path

import numpy as np
from grader_figures import calibration_error, classes_of, curve, interval, macro
from reader_data import WHOLE, digit, held_back, read_lines, set_aside
from scipy.special import log_softmax
from tricks import TRICKS

from postil.data.formats.sra import read_collection
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Question, Reference
from postil.grading.answers import as_read, shortened
from postil.grading.decision import LABELS, collapse, collapse_labels, decide, tune_bias
from postil.grading.evidence import ENCODER, best_coverage, landmarks, similarities
from postil.grading.judging import LONG_REFERENCE
from postil.grading.memory import NEW_CAREFUL, adjust, propose, targets
from postil.grading.probabilities import Model, Stack, load_model, save_model
from postil.language.network import CALIBRATION_FILE, CAREFUL, Calibration, PairReader, encoder
from postil.language.pipeline import analyse_many
from postil.language.spelling import spelled_out

CHALLENGE = ("beetle", "sciEntsBank")
OTHERS = ("saf_en", "brooklyn_office_exams", "stita", "evouna", "efficientqa_judged")
WRONG = len(LABELS)  # wrong, nobody says in which way
NAMES = {"partially correct": "partially_correct_incomplete", "correct": "correct"}
FOLDS = 5
FARTHEST, MIDDLE = 4.0, -4.0  # log-probabilities between -16 and 8 are weighed as they are
# From this confidence on, what passes is right in .89 or more of every corpus, and a third of each passes; beside long
# references answers are called wrong from a higher one on, since exams about office software ask for less of a
# reference than the challenge does. (Statistics, with references of 280 words, pass hardly at all.)
PASSING, PASSING_LONG = 0.75, 0.85
LABELLED = (0, 3, 5, 10, 20)  # labels on a question
EACH = 400  # answers of a corpus that say how often one is right who is so sure


@dataclass(frozen=True)
class Class:
    """The answers to a question: numbers of labels, and which answers the reader has not seen."""

    corpus: str
    question: Question
    gold: np.ndarray
    unseen: np.ndarray
    known: bool  # whether the reader has learned from others of its answers


def challenge(data: Path) -> Iterator[Class]:
    for (_, name), questions in read_collection(data / "sra").items():
        for question in questions if name == "train" else ():
            if set_aside(question.text):
                continue
            held = [held_back("sra", question.text, answer.text) for answer in question.answers]
            gold = np.array([LABELS.index(answer.label) for answer in question.answers])
            unseen = np.array([reason != "" for reason in held])
            yield Class(question.corpus, question, gold, unseen, "question" not in held)


def others(data: Path) -> Iterator[Class]:
    for corpus in OTHERS:
        groups: dict[tuple, list[dict]] = {}
        for row in read_lines(data / "graded" / f"{corpus}.jsonl.xz"):
            asked = row["question"] or ""
            if set_aside(asked) or (corpus not in WHOLE and digit(asked) not in "12"):
                continue
            if row["score"] is not None and row["label"] != "possibly_correct" and row["answer"].strip():
                groups.setdefault((row["question_id"], asked, tuple(row["references"])), []).append(row)
        for (id, asked, references), rows in groups.items():
            answers = tuple(Answer(str(n), row["answer"]) for n, row in enumerate(rows))
            question = Question(
                id, asked, tuple(Reference(str(n), text) for n, text in enumerate(references)), answers
            )
            yield Class(
                corpus, question, np.array([number_of(row) for row in rows]), np.ones(len(rows), bool), False
            )


def tricked(classes: Sequence[Class]) -> Iterator[Class]:
    """Answers made to fool a grader, and honest ones like them, each alone; of questions the reader has not seen."""
    rng = random.Random(0)
    for group in classes:
        if group.known or group.corpus not in CHALLENGE:
            continue
        right = [
            answer.text for answer, gold in zip(group.question.answers, group.gold, strict=True) if gold == 0
        ]
        wrong = [
            answer.text for answer, gold in zip(group.question.answers, group.gold, strict=True) if gold > 1
        ]
        texts = [reference.text for reference in group.question.references[:2]]
        texts = [
            text for text in (*texts, *rng.sample(right, min(2, len(right)))) if 3 < len(text.split()) < 60
        ]
        for document in analyse_many(texts):
            for make, label, share in TRICKS.values():
                made = (
                    make(document, rng.choice(wrong) if wrong else "", rng) if rng.random() < share else None
                )
                if made:
                    gold = LABELS.index(label) if label in LABELS else WRONG
                    question = replace(group.question, answers=(Answer("1", made),))
                    yield Class("tricks", question, np.array([gold]), np.ones(1, bool), False)


def number_of(row: dict) -> int:
    if row["score"] >= 0.999:
        return 0
    label = NAMES.get((row["label"] or "").lower(), "")
    return LABELS.index(label) if label in LABELS[1:] else WRONG


class Data:
    """All classes with their evidence, and which rows are to be judged."""

    def __init__(self, data: Path, reader: PairReader, cache: Path) -> None:
        self.classes = [*challenge(data), *others(data)]
        self.classes += tricked(self.classes)
        texts = self._texts(cache)
        self.likeness = [texts[f"likeness{n}"].astype(np.float64) for n in range(len(self.classes))]
        responses, claims = [], []
        for number in range(len(self.classes)):
            answers, chosen = texts[f"answers{number}"], texts[f"chosen{number}"]
            pairs = [
                (" ".join(spelled_out(str(answer)).split()[: reader.most_words]), spelled_out(str(reference)))
                for answer, reference in zip(answers, chosen, strict=True)
            ]
            asked = shortened(self.classes[number].question.text)
            read = reader.pairs(pairs, ("response", "claim"), question=asked)
            responses.append(read["response"])
            claims.append(read["claim"])
            print(f"\r{number + 1} of {len(self.classes)} classes", end="", flush=True)
        print()
        self.response, self.claim = np.concatenate(responses), np.concatenate(claims)
        self.length = np.concatenate(
            [[len(str(text).split()) for text in texts[f"chosen{n}"]] for n in range(len(self.classes))]
        )
        self.gold = np.concatenate([group.gold for group in self.classes])
        self.group = np.concatenate([np.full(len(c.gold), n) for n, c in enumerate(self.classes)])
        self.corpus = np.array([self.classes[n].corpus for n in self.group])
        unseen = np.concatenate([group.unseen for group in self.classes])
        known = np.array([self.classes[n].known for n in self.group])
        self.new, self.known = unseen & ~known, unseen & known

    def table(self, calibration: Calibration) -> np.ndarray:
        """The log-probabilities of the five labels of every answer."""
        logits = calibration.response(self.response, self.claim, self.length)
        return log_softmax(logits.astype(np.float64), axis=-1)

    def _texts(self, cache: Path) -> dict[str, np.ndarray]:
        """What does not depend on the reader; kept, since it takes minutes."""
        if not cache.exists():
            kept: dict[str, np.ndarray] = {}
            for number, group in enumerate(self.classes):
                question = group.question
                references = [reference.text for reference in question.references]
                texts = [shortened(answer.text) for answer in question.answers]
                answers = as_read(question.text, references, texts)
                _, chosen, sides = best_coverage(encoder(), question.text, references, answers)
                kept[f"answers{number}"], kept[f"chosen{number}"] = np.array(answers), np.array(chosen)
                kept[f"likeness{number}"] = similarities(sides, sides).astype(np.float16)
                print(f"\r{number + 1} of {len(self.classes)} classes", end="", flush=True)
            print()
            np.savez_compressed(cache, **kept)
        with np.load(cache, allow_pickle=False) as file:
            return dict(file)


# What is tried: the heat beside a reference of one word, how it grows, the share of the claim head, and the lean.
HEATS, GROWTHS = (0.25, 0.5, 0.75, 1, 1.5, 2, 2.5), (0, 0.25, 0.5, 0.75, 1, 1.25)
CLAIMED = (0, 0.25, 0.5)
# All corpora together ask for .3, without Brooklyn for none; since the final network learns from Brooklyn how little
# some teachers ask for, half of it is the most.
LEANS = (-0.15, 0, 0.15)
# Most references to these are longer than what the network reads, so they tell nothing about how far to believe it.
UNREAD = frozenset(("stita",))


def calibrated(data: Data) -> tuple[Calibration, dict[str, Calibration]]:
    """The calibration that all corpora choose together, and for each corpus the one that the others choose."""
    losses: dict[Calibration, dict[str, float]] = {}
    correct = data.gold == 0
    for settings in product(HEATS, GROWTHS, CLAIMED, LEANS):
        calibration = Calibration(*settings)
        said = data.table(calibration)[:, 0]
        costs = -np.where(correct, said, np.log1p(-np.minimum(np.exp(said), 1 - 1e-6)))
        losses[calibration] = {
            corpus: float(costs[data.new & (data.corpus == corpus)].mean())
            for corpus in sorted(set(data.corpus[data.new]) - UNREAD)
        }

    def best(left_out: str) -> Calibration:
        return min(
            losses,
            key=lambda calibration: np.mean(
                [loss for corpus, loss in losses[calibration].items() if corpus != left_out]
            ),
        )

    corpora = sorted(set(data.corpus[data.new]))
    return best(""), {corpus: best(corpus) for corpus in corpora}


def as_it_says() -> Stack:
    """A stack that gives the reader's own probabilities."""
    weights = np.zeros((WRONG, WRONG + 1))
    weights[:, 0] = MIDDLE
    weights[:, 1:] = FARTHEST * np.eye(WRONG)
    rows = tuple(map(tuple, weights.tolist()))
    return Stack(
        rows,
        (MIDDLE,) * WRONG,
        (FARTHEST,) * WRONG,
        features=ENCODER,
        passing=PASSING,
        passing_long=PASSING_LONG,
    )


def labelled(data: Data, probabilities: np.ndarray, corpus: str, count: int) -> list[np.ndarray]:
    """Of each question: whether answers are right, two-way, once `count` of them are labelled."""
    found = []
    for number, group in enumerate(data.classes):
        rows = np.flatnonzero((data.group == number) & data.new)
        if group.corpus != corpus or len(rows) < max(2 * count, 1):
            continue
        given, gold = probabilities[rows], data.gold[rows] == 0
        if count:
            likeness = data.likeness[number]
            chosen = propose(given, likeness, count, kernel=NEW_CAREFUL)
            rest = np.setdiff1d(np.arange(len(rows)), chosen)
            wanted = targets(["correct" if right else "incorrect" for right in gold[chosen]], given[chosen])
            given = adjust(
                given[rest], likeness[np.ix_(rest, chosen)], given[chosen],
                likeness[np.ix_(chosen, chosen)], wanted, NEW_CAREFUL,
            )  # fmt: skip
            gold = gold[rest]
        found.append((given[:, 0] > 0.5) == gold)
    return found


def report(data: Data, unseen: np.ndarray, probabilities: np.ndarray, labels: dict[str, np.ndarray]) -> dict:
    """Everything about answers that the reader has not seen, by corpus."""
    found: dict = {}
    for corpus in (*CHALLENGE, *OTHERS, "tricks"):
        rows = np.flatnonzero(unseen & (data.corpus == corpus))
        if not len(rows):
            continue
        given, gold, groups = probabilities[rows], data.gold[rows], data.group[rows]
        correct = gold == 0
        right = (given[:, 0] > 0.5) == correct
        sure = np.maximum(given[:, 0], 1 - given[:, 0])
        wary = (given[:, 0] <= 0.5) & (data.length[rows] > LONG_REFERENCE)
        passed = sure >= np.where(wary, PASSING_LONG, PASSING)
        order = np.argsort(-sure, kind="stable")
        values = {
            "answers": len(rows),
            "really correct": correct.mean(),
            "called correct": (given[:, 0] > 0.5).mean(),
            "accuracy": right.mean(),
            "accuracy of the surest half": right[order[: len(order) // 2]].mean(),
            "accuracy of the surest quarter": right[order[: len(order) // 4]].mean(),
            "passed": passed.mean(),
            "accuracy of passed": right[passed].mean(),
            "calibration error": calibration_error(sure, right),
            "auc": auc(given[:, 0], correct),
        }
        for count in LABELLED if unseen is data.new else ():
            if hits := labelled(data, probabilities, corpus, count):
                name = f"accuracy, {count} labels" if count else "accuracy"
                values[name] = np.concatenate(hits).mean()
                values[f"{name}, from"], values[f"{name}, to"] = of_questions(hits)
        if corpus in CHALLENGE:
            for name, scheme in RESPONSE_SCHEMES.items():
                wanted, classes = collapse_labels(gold, scheme), classes_of(name, corpus)
                values[f"macro F1, {name}"] = macro(wanted, labels[name][rows], classes)
                values[f"macro F1, {name}, from"], values[f"macro F1, {name}, to"] = interval(
                    wanted, labels[name][rows], groups, classes
                )
        found[corpus] = {name: round(float(value), 3) for name, value in values.items()}
    return found


def of_questions(hits: Sequence[np.ndarray], draws: int = 1000) -> tuple[float, float]:
    """The accuracy's interval (95 %), bootstrapped by question."""
    rng = np.random.default_rng(0)
    right, counts = (np.array([function(part) for part in hits]) for function in (np.sum, len))
    drawn = rng.integers(len(hits), size=(draws, len(hits)))
    low, high = np.quantile(right[drawn].sum(1) / counts[drawn].sum(1), (0.025, 0.975))
    return float(low), float(high)


def auc(scores: np.ndarray, positive: np.ndarray) -> float:
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    count = positive.sum()
    return (ranks[positive].sum() - count * (count + 1) / 2) / max(count * (len(scores) - count), 1)


def biases_of(data: Data, rows: np.ndarray, probabilities: np.ndarray) -> dict[str, tuple[float, ...]]:
    """Biases best for the challenge's macro F1 in finer schemes; none where the question is only right or wrong."""
    rows = rows[np.isin(data.corpus[rows], CHALLENGE)]
    given, gold, corpus = probabilities[rows], data.gold[rows], data.corpus[rows]
    found: dict[str, tuple[float, ...]] = {"2way": (0.0, 0.0)}
    for name in ("3way", "5way"):
        scheme = RESPONSE_SCHEMES[name]
        wanted = collapse_labels(gold, scheme)

        def quality(chosen: np.ndarray, wanted=wanted, name=name) -> float:
            return float(
                np.mean(
                    [
                        macro(wanted[corpus == one], chosen[corpus == one], classes_of(name, one))
                        for one in CHALLENGE
                    ]
                )
            )

        found[name] = tune_bias(collapse(given, scheme), quality)
    return found


def crossed_biases(data: Data, rows: np.ndarray, probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """Labels of the challenge's answers, the biases from the other folds of questions."""
    labels = {name: np.zeros(len(data.gold), int) for name in RESPONSE_SCHEMES}
    for fold in range(FOLDS):
        inside = data.group[rows] % FOLDS == fold
        biases = biases_of(data, rows[~inside], probabilities)
        for name, given in decide(probabilities[rows[inside]], biases).items():
            labels[name][rows[inside]] = given
    return labels


def sureness(
    data: Data, rows: np.ndarray, probabilities: np.ndarray
) -> tuple[tuple[float, float, float], ...]:
    """How often one is right who is so sure; every corpus counts alike."""
    rng = np.random.default_rng(0)
    chosen = np.concatenate(
        [rng.choice(rows[data.corpus[rows] == corpus], EACH) for corpus in sorted(set(data.corpus[rows]))]
    )
    return curve(probabilities[chosen], np.minimum(data.gold[chosen], 1), {"2way": (0.0, 0.0)})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("data", "reader", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("reader-texts.npz"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    data = Data(options.data, PairReader(options.reader), options.cache)
    finish(data, options.out)


def finish(data: Data, out: Path) -> None:
    """Write the stack and the figures."""
    stack = as_it_says()
    calibration, others_say = calibrated(data)
    probabilities = stack.probabilities(data.table(calibration))
    left_out = probabilities.copy()
    for corpus, other in others_say.items():
        rows = data.corpus == corpus
        left_out[rows] = stack.probabilities(data.table(other))[rows]
    stacks, labels = {}, {}
    for name, unseen in (("new", data.new), ("known", data.known)):
        rows = np.flatnonzero(unseen)
        labels[name] = crossed_biases(data, rows, left_out)
        stacks[name] = replace(
            stack,
            biases=biases_of(data, rows, probabilities),
            sureness=sureness(data, rows, probabilities),
        )
    figures = {
        "calibration": {
            corpus: asdict(other) for corpus, other in {"all": calibration, **others_say}.items()
        },
        "new questions": report(data, data.new, left_out, labels["new"]),
        "known questions, new answers": report(data, data.known, left_out, labels["known"]),
    }
    # The questions that both readers have learned from; those of them set aside the quick one has.
    with as_file(files("postil.resources").joinpath("grader", "stack.json")) as path:
        known = load_model(path).known
    learned = [group.question for group in data.classes if group.corpus in CHALLENGE]
    home = landmarks([(question.text, question.references[0].text) for question in learned])
    save_model(out / "stack.json", Model(stacks, known, CAREFUL, home))
    (out / CALIBRATION_FILE).write_text(json.dumps(asdict(calibration), indent=1) + "\n", "utf-8")
    (out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
