"""How whether a text makes a claim was set up, and how well it is told on claims that no training has seen.

    python benchmarks/claim_judging.py DATA [--rows 150] [--reader careful]

DATA is a folder with `claims/` and `sra/` below it. Two sets of rows are drawn from each corpus. With the
first the window, the line and how the question is read are chosen, by leaving out one corpus after another.
The shipped careful reader has seen little or nothing of these: they are pairs that its training did not draw
(`argkp2021`, `pyramid_realsumm`), or belong to questions that it met only in its last minutes (sha1 ends in 1
or 2). The second are questions set aside (sha1 ends in 0), on which the setting that ships is measured beside
counting shared words.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.special import log_softmax, logsumexp

sys.path.append(str(Path(__file__).parents[1] / "training"))

from reader_data import as_seen, digit, pair
from reader_soft import read_soft

from postil.data.arrays import Floats
from postil.data.formats.claim_sets import ClaimRow, read_claims
from postil.data.formats.sra import read_collection
from postil.data.judgements import EXPRESSED, UNADDRESSED
from postil.grading.verdicts import windows
from postil.language.network import asked, reader
from postil.language.spelling import spelled_out
from postil.research.baselines import SharedWords
from postil.research.ehu_alm import best_reference
from postil.scoring.claims import tally_claims

WINDOWS = (20, 70, 130)  # words; the first is about a sentence
LINES = (-0.5, -0.25, 0.0, 0.25, 0.5, 0.75)
MODES = ("question", "none", "either")
DRAWN = ("argkp2021", "pyramid_realsumm")  # of these training drew only a part
TAUGHT = Path(__file__).parents[1] / "training" / "reader_soft.npz"
Odds = dict[tuple[int, str], Floats]  # by window and mode, the log odds that each claim is made


def corpora(data: Path) -> Iterator[tuple[str, list[ClaimRow]]]:
    """The corpora of claims, and the challenge's answers beside their reference as one claim."""
    for name in ("argkp2021", "pyramid_realsumm", "begin"):
        yield name, read_claims(data / "claims" / f"{name}.jsonl.xz")
    rows = []
    for (_, part), questions in read_collection(data / "sra").items():
        for question in questions if part == "train" else ():
            for answer in question.answers:
                if answer.label and answer.label != "partially_correct_incomplete":
                    label = EXPRESSED if answer.label == "correct" else UNADDRESSED
                    claim = best_reference(question, answer)
                    rows.append(ClaimRow(answer.id, question.text, answer.text, claim, label))
    yield "sra", rows


def unseen(name: str, rows: Sequence[ClaimRow]) -> list[ClaimRow]:
    """Rows that may choose, and that the reader has hardly learned from, or not at all."""
    rows = [row for row in rows if digit(row.question) != "0" or not row.question]
    if name not in DRAWN:
        return [row for row in rows if digit(row.question) in "12"]
    pairs = [
        as_seen(pair("claim", row.question, " ".join(row.text.split()[:150]), row.claim, name))
        for row in rows
    ]
    return [row for row, soft in zip(rows, read_soft(TAUGHT, pairs), strict=True) if soft is None]


def set_aside(name: str, rows: Sequence[ClaimRow]) -> list[ClaimRow]:
    """Rows that measure; the questions of Pyramid are not known, so there it is pairs that were not drawn."""
    if name == "pyramid_realsumm":
        return unseen(name, rows)
    return [row for row in rows if row.question and digit(row.question) == "0"]


def read(rows: Sequence[ClaimRow], name: str) -> Odds:
    """What the claim head says, with windows of every size, with the question and without."""
    network = reader(name)
    odds: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for row in rows:
        text, claim = (spelled_out(" ".join(each.split())) for each in (row.text, row.claim))
        for size in WINDOWS:
            parts = windows(text, size)
            for mode, words in (("question", asked(row.question, claim)), ("none", claim)):
                logits = network.pairs([(part, words) for part in parts], ("claim",))["claim"]
                logs = log_softmax(logits.astype(np.float64), axis=-1)
                values = np.clip(logs[:, 0] - logsumexp(logs[:, 1:], axis=-1), -9, 9)
                odds[size, mode].append(float(values.max()))
    known = {key: np.array(values) for key, values in odds.items()}
    return known | {
        (size, "either"): np.maximum(known[size, "question"], known[size, "none"]) for size in WINDOWS
    }


def figures(rows: Sequence[ClaimRow], odds: Floats, line: float) -> dict[str, float]:
    labels = [EXPRESSED if value + line >= 0 else UNADDRESSED for value in odds]
    return tally_claims([row.label for row in rows], labels, odds.tolist()).values()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=150, help="rows of each corpus, for each of the two")
    parser.add_argument("--reader", default="careful")
    options = parser.parse_args()
    chosen, measured = {}, {}
    for name, rows in corpora(options.data):
        for kind, drawn in ((unseen, chosen), (set_aside, measured)):
            allowed = kind(name, rows)
            sample = random.Random(kind is unseen).sample(allowed, min(options.rows, len(allowed)))
            drawn[name] = sample, read(sample, options.reader)
            print(f"{name}: {len(sample)} rows, {kind.__name__}", flush=True)
    choose(chosen)
    for name, (rows, odds) in measured.items():
        own = figures(rows, odds[130, "either"], 0.25)
        words = SharedWords().predict(rows)
        counted = tally_claims([row.label for row in rows], *zip(*words, strict=True)).values()
        shown = ", ".join(f"{key} {own[key]:.3f} ({counted[key]:.3f})" for key in ("auc", "macro_f1"))
        print(f"set aside, {name}: {shown}; shared words in brackets")


def choose(drawn: dict[str, tuple[list[ClaimRow], Odds]]) -> None:
    """The setting that is best on average over all corpora but one, and its figures on that one."""
    settings: list[tuple[int, str]] = [(size, mode) for size in WINDOWS for mode in MODES]
    auc = {
        (name, setting): figures(rows, odds[setting], 0)["auc"]
        for name, (rows, odds) in drawn.items()
        for setting in settings
    }
    for setting in settings:
        shown = ", ".join(f"{name} {auc[name, setting]:.3f}" for name in drawn)
        print(f"window {setting[0]}, question {setting[1]}: AUC {shown}")
    for left_out, (rows, odds) in drawn.items():
        others = [name for name in drawn if name != left_out]
        best = max(settings, key=lambda setting: sum(auc[name, setting] for name in others))

        def quality(line: float, best: tuple[int, str] = best, others: Sequence[str] = others) -> float:
            return sum(figures(drawn[name][0], drawn[name][1][best], line)["macro_f1"] for name in others)

        line = max(LINES, key=quality)
        own = figures(rows, odds[best], line)
        print(
            f"without {left_out}: window {best[0]}, question {best[1]}, line {line:+}; "
            f"there AUC {own['auc']:.3f}, macro F1 {own['macro_f1']:.3f}"
        )


if __name__ == "__main__":
    main()
