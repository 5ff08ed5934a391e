"""Learn how sure the readers of a cascade must be to be believed, on answers that no training has seen.

    python training/thresholds.py --data DATA --kept FOLDER [--each 120] [--json OUT] [--cascades cascade thorough]

Of each corpus (`held_out.py`), `--each` answers are read by every reader of a cascade, as the grader would let them read;
what they say, and how long it took, is kept in FOLDER, so that it can be broken off and goes on from there. Then
all thresholds are tried: a reader is believed where it is at least so sure that an answer is correct, or is not.
Every corpus counts alike. The quick reader has learned from the challenge's answers, so there it is taken to be unsure of
everything. Costs are processor time, as a share of what the last reader takes to read everything. Among those within .01
of the last reader at a third of its cost the most accurate are chosen; where none is so cheap, the cheapest within .01.
The second table says how each corpus fares, also by what the others choose (`left out`). Write what is chosen into
`postil/language/network.py: SURE`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from held_out import CHALLENGE, RIGHT, Kept, held_out
from scipy.special import softmax

from postil.cli.show import progress_bar
from postil.data.questions import Question
from postil.grading.answers import as_read, plain_case, shortened
from postil.grading.evidence import ENCODER, gather
from postil.language.network import CAREFUL, CASCADE, EXPERT, QUICK, THOROUGH, Pair, reader
from postil.language.network import SURE as SHIPPED

CASCADES = {CASCADE: (QUICK, CAREFUL), THOROUGH: (QUICK, CAREFUL, EXPERT)}
LEVELS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.95, 0.97, 0.99, 1.01)  # always believed … never
MARGIN, COST = 0.01, 1 / 3  # what a cascade may lose against its last reader, and take of its time
DRAWS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What each reader says of a corpus's answers (chance of correct, a column a reader), and its seconds an answer."""

    chances: np.ndarray
    right: np.ndarray  # whether people call the answer correct
    group: np.ndarray  # the number of its question
    seconds: np.ndarray
    heard: tuple[
        bool, ...
    ]  # whether a reader's word counts: not where it has learned from these very answers


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a cascade with some thresholds is right in, what each reader reads, and the time beside its last reader's."""

    accuracy: float
    shares: tuple[float, ...]
    cost: float


class Overheard:
    """Stands in for a cascade, to see which pairs the grader would give it to read."""

    name, gullible, longest = CASCADE, True, 256

    def __init__(self, most_words: int) -> None:
        self.most_words = most_words
        self.read: list[Pair] = []

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, np.ndarray]:
        self.read = list(pairs)
        return {head: np.zeros((len(pairs), 5), np.float32) for head in heads}


def read(corpus: str, questions: Sequence[Question], readers: Sequence[Kept], most_words: int) -> Readings:
    """Let every reader read the answers; those that need none are left out."""
    chances, right, group = [], [], []
    before = [each.seconds for each in readers]
    for number, question in enumerate(questions):
        references = [reference.text for reference in question.references]
        labels = {}  # of what is read: the same words are read once
        texts = [shortened(answer.text) for answer in question.answers]
        members = as_read(question.text, references, texts)
        for answer, text, member in zip(question.answers, texts, members, strict=True):
            if plain_case(question.text, references, text) is None:
                labels.setdefault(member, answer.label == RIGHT)
        if not labels:
            continue
        overheard = Overheard(most_words)
        gather(question.text, references, list(labels), overheard, ENCODER)
        asked = shortened(question.text)
        said = [each.pairs(overheard.read, question=asked)["response"] for each in readers]
        chances.append(
            np.stack([softmax(logits.astype(np.float64), axis=1)[:, 0] for logits in said], axis=1)
        )
        right += labels.values()
        group += [number] * len(labels)
    seconds = [each.seconds - start for each, start in zip(readers, before, strict=True)]
    heard = tuple(each.name != QUICK or corpus not in CHALLENGE for each in readers)
    each = np.array(seconds) / len(right)
    return Readings(np.concatenate(chances), np.array(right), np.array(group), each, heard)


def who_reads(corpus: Readings, sure: Sequence[float]) -> np.ndarray:
    """The number of the reader that decides on each answer, as in `Cascade`."""
    sureness = np.where(corpus.heard, np.maximum(corpus.chances, 1 - corpus.chances), 0)
    doubtful, last = np.ones(len(sureness), bool), np.zeros(len(sureness), int)
    for number, least in enumerate(sure):
        doubtful &= sureness[:, number] < least
        last[doubtful] = number + 1
    return last


def outcome(corpus: Readings, sure: Sequence[float]) -> Outcome:
    last = who_reads(corpus, sure)
    hits = (corpus.chances[np.arange(len(last)), last] > 0.5) == corpus.right
    shares = [float((last >= number).mean()) for number in range(len(sure) + 1)]
    cost = float(np.dot(shares, corpus.seconds) / corpus.seconds[-1])
    return Outcome(float(hits.mean()), tuple(shares), cost)


def alone(corpus: Readings, reader: int) -> float:
    """How often a reader is right that reads everything."""
    return float(((corpus.chances[:, reader] > 0.5) == corpus.right).mean())


def mean(outcomes: Sequence[Outcome]) -> Outcome:
    accuracy, cost = (
        float(np.mean([getattr(each, name) for each in outcomes])) for name in ("accuracy", "cost")
    )
    return Outcome(accuracy, tuple(np.mean([each.shares for each in outcomes], axis=0).tolist()), cost)


def thresholds(steps: int) -> list[tuple[float, ...]]:
    return list(product(LEVELS, repeat=steps))


def chosen(corpora: Sequence[Readings]) -> tuple[float, ...]:
    """The most accurate thresholds at a third of the last reader's time, or the cheapest that come within .01 of it."""
    last = float(np.mean([alone(corpus, -1) for corpus in corpora]))
    tried = {
        sure: mean([outcome(corpus, sure) for corpus in corpora])
        for sure in thresholds(corpora[0].chances.shape[1] - 1)
    }
    close = {sure: each for sure, each in tried.items() if each.accuracy >= last - MARGIN}
    cheap = {sure: each for sure, each in close.items() if each.cost <= COST}
    if cheap:
        return max(cheap, key=lambda sure: (round(cheap[sure].accuracy, 3), -cheap[sure].cost))
    return min(close, key=lambda sure: close[sure].cost)


def difference(corpora: Sequence[Readings], sure: Sequence[float]) -> tuple[float, float]:
    """Between which figures (95 %) the cascade's accuracy less its last reader's lies; drawn by question."""
    rng = np.random.default_rng(0)
    drawn = np.zeros(DRAWS)
    for corpus in corpora:
        last = who_reads(corpus, sure)
        hits = (corpus.chances[np.arange(len(last)), last] > 0.5) == corpus.right
        gain = hits.astype(float) - ((corpus.chances[:, -1] > 0.5) == corpus.right)
        groups = sorted(set(corpus.group.tolist()))
        sums = np.array(
            [(gain[corpus.group == group].sum(), (corpus.group == group).sum()) for group in groups]
        )
        draws = sums[rng.integers(len(sums), size=(DRAWS, len(sums)))].sum(axis=1)
        drawn += draws[:, 0] / draws[:, 1] / len(corpora)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True, help="a folder for what the readers say")
    parser.add_argument("--each", type=int, default=120, help="answers of a corpus; 0 for all")
    parser.add_argument("--cascades", nargs="+", choices=CASCADES, default=list(CASCADES))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.kept.mkdir(parents=True, exist_ok=True)
    classes = held_out(options.data, most=options.each)
    report = {}
    for cascade in options.cascades:
        names = CASCADES[cascade]
        total = len(names) * sum(
            len(question.answers) for questions in classes.values() for question in questions
        )
        with progress_bar(f"{cascade}: reading", "answers", total) as shown:
            corpora = all_readings(classes, names, options.kept, shown)
        report[cascade] = learned(cascade, names, corpora)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def all_readings(
    classes: Mapping[str, list[Question]], names: Sequence[str], folder: Path, shown
) -> dict[str, Readings]:
    done = 0

    def told() -> None:
        nonlocal done
        done += 1
        if shown:
            shown(done, done)

    readers = [Kept(reader(name), folder / f"{name}.jsonl", told) for name in names]
    most_words = min(each.most_words for each in readers[1:])
    read_all = {corpus: read(corpus, questions, readers, most_words) for corpus, questions in classes.items()}
    # Where only the last reader's word counts there is nothing to choose.
    return {corpus: each for corpus, each in read_all.items() if any(each.heard[:-1])}


def learned(cascade: str, names: Sequence[str], corpora: Mapping[str, Readings]) -> dict:
    """Choose the thresholds, print the table, and give everything as JSON has it."""
    every = list(corpora.values())
    sure = chosen(every)
    low, high = difference(every, sure)
    left_out = {
        corpus: chosen([other for name, other in corpora.items() if name != corpus]) for corpus in corpora
    }
    print(f"\n{cascade}: {len(names)} readers, {sum(len(each.right) for each in every)} answers\n")
    print(f"| sure | accuracy | less the last | {' | '.join(f'{name} reads' for name in names[1:])} | cost |")
    print("| --- " * (len(names) + 3) + "|")
    last = float(np.mean([alone(corpus, -1) for corpus in every]))
    rows = {
        levels: mean([outcome(corpus, levels) for corpus in every]) for levels in thresholds(len(names) - 1)
    }
    for levels, each in rows.items():
        if each.cost <= 1 and (
            len(levels) == 1 or each.accuracy >= last - MARGIN or levels in (sure, SHIPPED[cascade])
        ):
            mark = " chosen" * (levels == sure) + " shipped" * (levels == SHIPPED[cascade])
            print(f"| {row(levels)}{mark} | {figures(each, last)} |")
    print(f"\nDifference of the chosen to the last reader, 95 %, by question: {low:+.3f} to {high:+.3f}\n")
    print(f"| corpus | {' | '.join(names)} | {cascade} | its reading | left out | {cascade} then |")
    print("| --- " * (len(names) + 5) + "|")
    for corpus, each in corpora.items():
        whole, other = outcome(each, sure), outcome(each, left_out[corpus])
        readers = " | ".join(f"{alone(each, number):.3f}" for number in range(len(names)))
        share = ", ".join(f"{share:.2f}" for share in whole.shares[1:])
        print(
            f"| {corpus} | {readers} | {whole.accuracy:.3f} | {share} | {row(left_out[corpus])} | {other.accuracy:.3f} |"
        )
    crossed = mean([outcome(each, left_out[corpus]) for corpus, each in corpora.items()])
    means = " | ".join(
        f"{np.mean([alone(each, number) for each in every]):.3f}" for number in range(len(names))
    )
    share = ", ".join(f"{share:.2f}" for share in rows[sure].shares[1:])
    print(
        f"| mean | {means} | {rows[sure].accuracy:.3f} | {share} | cost {crossed.cost:.2f} | {crossed.accuracy:.3f} |"
    )
    return {
        "readers": names, "chosen": sure, "difference": [low, high], "last": last, "left out": left_out,
        "crossed": asdict(crossed),
        "seconds": {corpus: each.seconds.tolist() for corpus, each in corpora.items()},
        "table": [{"sure": levels, **asdict(each)} for levels, each in rows.items()],
        "corpora": {
            corpus: {
                "answers": len(each.right),
                "alone": [alone(each, number) for number in range(len(names))],
                **asdict(outcome(each, sure)),
                "crossed": asdict(outcome(each, left_out[corpus])),
            }
            for corpus, each in corpora.items()
        },
    }  # fmt: skip


def row(levels: Sequence[float]) -> str:
    return " · ".join(
        "never" if level > 1 else "always" if level <= 0.5 else f"{level:g}" for level in levels
    )


def figures(each: Outcome, last: float) -> str:
    shares = " | ".join(f"{share:.2f}" for share in each.shares[1:])
    return f"{each.accuracy:.3f} | {each.accuracy - last:+.3f} | {shares} | {each.cost:.2f}"


if __name__ == "__main__":
    main()
