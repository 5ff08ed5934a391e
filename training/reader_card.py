"""Write the card of the careful reader: how it was made, sources, licences, figures, limits, hashes.

python training/reader_card.py --figures figures.json --folder packages/careful/postil_careful
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from card import hashes, wrapped
from grader_card import LICENCE

FORMAT = 1  # what postil/language/network.py and expert.py ask for
VERSION = "0.1.0"
SOURCES = (
    ("all-mpnet-base-v2", "Apache-2.0", "the network that was fine-tuned; the tokenizer"),
    ("Qwen2.5-Coder-1.5B-Instruct, fine-tuned", "Apache-2.0", "the teacher: its probabilities of 353,213 pairs, and those of 109,246 by an earlier one; none of its weights ship here"),
    ("SemEval-2013 task 7, Beetle and SciEntsBank, training sets", "CC BY-SA 3.0", "answers; also made, changed, joined and crossed ones from their texts"),
    ("Short Answer Feedback (English)", "MIT", "answers about communication networks"),
    ("Brooklyn office exams", "Apache-2.0", "answers in exams about office software"),
    ("STITA", "CC BY-SA 4.0", "answers in an exam about statistics"),
    ("EVOUNA", "Apache-2.0", "answers to factual questions; **written by commercial language models**, graded by people"),
    ("EfficientQA, judged", "CC BY-SA 3.0", "answers of two words"),
    ("FairytaleQA, second answers", "Apache-2.0", "answers that are right in other words"),
    ("ARC, OpenBookQA, QASC, MMLU, TruthfulQA, OpenTriviaQA, OneStopQA", "CC BY-SA 4.0, Apache-2.0, MIT", "right and wrong options as answers"),
    ("ArgKP 2021, BEGIN, Pyramid (REALSumm), RoSE, WiCE, FoolMeTwice", "Apache-2.0, CC BY 4.0, CDLA-Sharing, BSD-3, ODC-BY", "claims: whether a text makes them"),
    ("Factcheck-GPT", "Apache-2.0", "claims; **texts written by commercial language models**"),
    ("MultiNLI, development sets", "OANC and others, permissive", "inference"),
    ("SNLI, development and test sets", "CC BY-SA 4.0", "inference"),
    ("BUMP, SummEdits, SciTail, SciNLI", "MIT, Apache-2.0, CC BY-SA 4.0", "inference: minimal contradictions, science"),
    ("Breaking NLI, MED, HELP, SemAntoNeg, WikiFactCheck, GLUE diagnostics", "CC BY-SA 4.0", "inference: antonyms, monotonicity, negation"),
    ("CAD-NLI, ConjNLI, NegNLI, HANS (made anew), SugarCrepe, CURRICULUM, EntailmentBank", "Apache-2.0, MIT", "inference: what changes a label, and what does not"),
    ("PAWS-Wiki, TaxiNLI", "free for any purpose, C-UDA 1.0", "inference: word order"),
    ("Semi-automatic NLI of Wikipedia, DNC", "CC BY-SA, MIT; premises partly unstated", "inference: factuality"),
    ("RTE-1 and RTE-2; of RTE-3's development set only the stack", "research use", "inference"),
)  # fmt: skip

CARD = """# The careful reader

all-mpnet-base-v2 (12 layers, 109 million weights), fine-tuned to read two texts at once: an answer, then the question and a reference. Heads: `response` (five labels),
`claim` (expressed, contradicted, unaddressed) and `nli` (entailment, neutral, contradiction). Matrices in eight-bit integers;
{size:.0f} MB in all. `stack.json` says how far to trust its probabilities, and holds fingerprints of the {known} questions of
the challenge; `home.npz` says where these are, so that the quick reader has a say on questions like them. `entailment.json`
weighs the probabilities of inference together with evidence from words.

## How it was made
`training/reader_data.py` packs the pairs, `reader_teacher.py` teaches a larger model, which judges them, `reader.py`
teaches this one ({taught}), `reader_export.py` makes the weights small, and `reader_stack.py` measures. The network learns
from the larger teacher's probabilities, from people's labels and from answers made to fool a grader. It was trained once;
nothing about its training was tuned. The teacher learned for too long: on questions that it had not seen it is three times
too sure of itself, and this network about twice, which is why it is calibrated.

## Figures
Of questions that the network had not seen. Brooklyn and STITA were left out of its training altogether: a class of
another subject is like them. Of the other collections it knew other questions. Accuracy is two-way, of answers graded
without any labels unless the column says how many; "surest quarter" is the accuracy of the answers it is surest of.

{table}

{curve}

| macro F1 on the questions held back | 5-way | 3-way | 2-way |
| --- | ---: | ---: | ---: |
{macro}

`calibration.json` says how far the network's two heads are believed; each corpus's figures are by what the others choose (all
but STITA, whose references are longer than what the network reads). Two limits were chosen with these figures in view: the
claim head counts beside references of up to 60 words, and the line is moved by .15 at most.

These figures were measured before the network learned from what had been held back, Brooklyn and STITA included:
{final}. Nothing that it has not seen since is large enough to measure it again.

## Sources
| source | licence | used for |
| --- | --- | --- |
{sources}

No question whose sha1 (of its words) ends in 0 was ever learned from, in any of the collections of graded answers, claims
and options.

## Limits
English only. The teacher is a language model of 2024 and may have met the public test sets of RTE while it was made. It is
weakest on references of several sentences, where teachers differ most about how much of them must be said; a few labels
help more than anything else. Pretrained weights carry biases of the web text they come from; nobody has measured whether
answers of some groups of pupils (by dialect, first language, disability) are judged less well, so let a person look at
marks that matter.
"""

COLUMNS = (
    ("answers", "answers"), ("really correct", "correct"), ("called correct", "called so"), ("accuracy", "accuracy"),
    ("accuracy, 5 labels", "5 labels"), ("accuracy, 10 labels", "10 labels"),
    ("accuracy of the surest quarter", "surest quarter"), ("auc", "AUC"), ("calibration error", "calibration error"),
)  # fmt: skip


def table(figures: dict[str, dict[str, float]], columns: Sequence[tuple[str, str]] = COLUMNS) -> str:
    """The figures of every corpus."""
    head = " | ".join(title for _, title in columns)
    lines = [f"| corpus | {head} |", f"| --- |{' ---: |' * len(columns)}"]
    for corpus, values in figures.items():
        cells = (f"{values[name]:g}" if name in values else "" for name, _ in columns)
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return "\n".join(lines)


def curve(figures: dict[str, dict[str, float]]) -> str:
    """How labels on a question help, with intervals over questions; of questions with twice as many answers."""
    counts = (0, 3, 5, 10, 20)
    lines = [
        f"| accuracy with labels: | {' | '.join(map(str, counts))} |",
        f"| --- |{' ---: |' * len(counts)}",
    ]
    for corpus, values in figures.items():
        names = [f"accuracy, {count} labels" if count else "accuracy" for count in counts]
        cells = (
            f"{values[name]:.3f} [{values[f'{name}, from']:.3f}, {values[f'{name}, to']:.3f}]"
            if f"{name}, from" in values
            else ""
            for name in names
        )
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return "\n".join(lines)


def macro(figures: dict[str, dict[str, float]]) -> str:
    """Macro F1 with intervals, of the challenge's corpora."""
    lines = []
    for corpus in ("beetle", "sciEntsBank"):
        values = figures[corpus]
        cells = (
            f"{values[name]:.3f} [{values[f'{name}, from']:.3f}, {values[f'{name}, to']:.3f}]"
            for name in ("macro F1, 5way", "macro F1, 3way", "macro F1, 2way")
        )
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return "\n".join(lines)


def files_of(folder: Path) -> dict[str, str]:
    """The hashes of the files of a reader's package, but for its code."""
    return {name: value for name, value in hashes(folder).items() if not name.endswith((".py", ".pyc"))}


def write_card(folder: Path, name: str, sources: Sequence[Sequence[str]], figures: dict, text: str) -> None:
    """The card for people, and the one that programs check."""
    (folder / "CARD.md").write_text(wrapped(text), "utf-8")
    card = {
        "name": name,
        "format": FORMAT,
        "version": VERSION,
        "licence": LICENCE,
        "sources": sources,
        "figures": figures,
        "files": files_of(folder),
    }
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--taught", required=True, help="how long, in steps and pairs")
    parser.add_argument("--final", required=True, help="what was learned after the figures were taken")
    options = parser.parse_args()
    every = json.loads(options.figures.read_text("utf-8"))
    figures = every["new questions"]
    size = sum((options.folder / name).stat().st_size for name in files_of(options.folder)) / 1e6
    text = CARD.format(
        size=size,
        known=len(json.loads((options.folder / "stack.json").read_text("utf-8"))["known"]),
        taught=options.taught,
        final=options.final,
        table=table(figures),
        curve=curve(figures),
        macro=macro(figures),
        sources="\n".join(f"| {' | '.join(source)} |" for source in SOURCES),
    )
    write_card(options.folder, "postil_careful", SOURCES, every, text)


if __name__ == "__main__":
    main()
