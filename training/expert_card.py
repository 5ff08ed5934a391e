"""Write the card of the expert reader: how it was made, sources, licences, figures, limits, hashes.

python training/expert_card.py --figures figures.json --folder packages/expert/postil_expert --taught "2,000 steps"
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from reader_card import SOURCES as CAREFUL_SOURCES
from reader_card import macro, table, write_card

SOURCES = (
    ("Qwen2.5-Coder-1.5B-Instruct, 4-bit", "Apache-2.0", "the model that the adapter belongs to; none of its weights ship"),
    *(source for source in CAREFUL_SOURCES[2:] if "RTE-1" not in source[0] and "Brooklyn" not in source[0] and "STITA" not in source[0]),
    ("Short Answer Feedback (German), Chinese short answers, Indonesian essays", "MIT, Apache-2.0, CC BY 4.0", "answers in other languages"),
    ("RTE-1 and RTE-2", "research use", "inference"),
    ("Brooklyn office exams, STITA", "Apache-2.0, CC BY-SA 4.0", "figures only: nothing was learned from them"),
)  # fmt: skip

CARD = """# The expert reader

An adapter (LoRA of rank 16, 18 million weights, {size:.0f} MB) for Qwen2.5-Coder-1.5B-Instruct in four bits. The model reads question, reference and answer, and its next
word is the judgement: one word for each of the five labels (`response`), three for claims (`claim`), three for inference (`nli`).
`prompts.json` has the texts around them, the words, and the hash of the model's file. `stack.json` says how far to trust its
probabilities; `home.npz` says where the questions of the challenge are, so that the quick reader has a say on questions like them.

## How it was made
`training/reader_data.py` packs the pairs, `reader_teacher.py` teaches on a GPU ({taught}), `expert_export.py` writes the
adapter, and `expert_stack.py` measures. It was trained once; nothing about its training was tuned. It is too sure of itself, so
its log-probabilities are divided by {temperature:g}, and {lift:g} is added to that of
"correct"; both numbers (in `prompts.json`) were learned from questions that were held back.

## Figures
Of answers to questions that the adapter had not seen; Brooklyn and STITA were left out of its training altogether. Each
answer beside one reference, alone, without class or labels; accuracy is two-way, "surest quarter" is the accuracy of the answers it
is surest of. Judged by the run that trained it, in sixteen bits; llama.cpp agrees ({agreement}).

{table}

| macro F1 on the questions held back | 5-way | 3-way | 2-way |
| --- | ---: | ---: | ---: |
{macro}

Entailment (`entailment.json` weighs the model's probabilities together with evidence from words): RTE-3's development pairs,
which the adapter has not learned from, .828 two-way and .758 three-way in five folds of the weights (the model alone .819 and .729).

Compare with the [careful reader's card](../../careful/postil_careful/CARD.md), whose network it taught: the expert ranks the answers of an exam
that it has never seen (Brooklyn) better and is harder to fool (tricks), but is no better, or worse, on new questions of the challenge and on facts.

## Sources
| source | licence | used for |
| --- | --- | --- |
{sources}

No question whose sha1 (of its words) ends in 0 was ever learned from, in any of the collections of graded answers, claims
and options.

## Limits
English, though the model has met other languages. The model is of 2024 and may have met the public test sets of RTE, and pages about
the other corpora, while it was made. It is weakest where teachers ask for less of a long reference than it says: a few labels help
more than anything else. Its STITA figure (statistics, 333 answers) is no better than chance. It reads the first 80 pieces of a
question, 200 of a reference and 220 of an answer. Pretrained weights carry biases of the web text they come from; nobody has
measured whether answers of some groups of pupils (by dialect, first language, disability) are judged less well, so let a person
look at marks that matter.
"""

COLUMNS = (
    ("answers", "answers"), ("really correct", "correct"), ("called correct", "called so"), ("accuracy", "accuracy"),
    ("accuracy of the surest quarter", "surest quarter"), ("passed", "passed"), ("accuracy of passed", "accuracy of passed"),
    ("auc", "AUC"), ("calibration error", "calibration error"),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--taught", required=True, help="how long, in steps and pairs")
    parser.add_argument(
        "--agreement", required=True, help="how llama.cpp's judgements differ from the figures'"
    )
    options = parser.parse_args()
    every = json.loads(options.figures.read_text("utf-8"))
    text = CARD.format(
        size=(options.folder / "adapter.gguf").stat().st_size / 1e6,
        taught=options.taught,
        temperature=every["temperature"],
        lift=every["lift"],
        agreement=options.agreement,
        table=table(every["new questions"], COLUMNS),
        macro=macro(every["new questions"]),
        sources="\n".join(f"| {' | '.join(source)} |" for source in SOURCES),
    )
    write_card(options.folder, "postil_expert", SOURCES, every, text)


if __name__ == "__main__":
    main()
