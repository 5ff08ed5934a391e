"""Write the cards of the encoder and of the grader: sources, licences, figures, limits, hashes.

python training/grader_card.py --figures figures.json [--resources postil/resources]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from card import hashes, wrapped

VERSION = "1.0.0"
LICENCE = "CC BY-SA 4.0"
ENCODER_SOURCES = (
    ("all-MiniLM-L6-v2", "Apache-2.0", "the network that was fine-tuned (pairs.onnx), its first four layers (words.onnx), the tokenizer"),
    ("all-mpnet-base-v2", "Apache-2.0", "the teacher, fine-tuned on the data below; none of its weights ship"),
    ("SemEval-2013 task 7, Beetle and SciEntsBank, training sets", "CC BY-SA 3.0", "responses; also made, changed and crossed ones from their texts"),
    ("Antonym pairs from PPDB and WordNet", "Apache-2.0", "words of answers turned into their opposites, for the teacher to label"),
    ("MultiNLI, development sets", "OANC and others, permissive", "inference"),
    ("SNLI, development and test sets", "CC BY-SA 4.0", "inference"),
    ("Breaking NLI, MED, HELP, SemAntoNeg, WikiFactCheck negated, GLUE diagnostic", "CC BY-SA 4.0", "inference: antonyms, monotonicity, negation"),
    ("CAD-NLI, EntailmentBank steps", "Apache-2.0", "inference: minimal edits, science steps"),
    ("ConjNLI, NegNLI, HANS regenerated, SugarCrepe, Curriculum", "MIT", "inference: conjunction, negation, order, phenomena"),
    ("PAWS-Wiki", "free for any purpose", "inference: word order"),
    ("TaxiNLI", "C-UDA 1.0", "inference"),
    ("Semi-automatic NLI on Wikipedia, DNC", "CC BY-SA / MIT premises, partly unstated", "inference: general, factuality"),
    ("RTE-1 to RTE-3, development sets and the tests of the first two", "research use", "inference"),
    ("STS 2012–2016", "mixed, research use", "similarity; sentences for the teacher to align"),
    ("SemEval-2016 task 2 (iSTS), training sets", "CC BY-SA (captions, answers); headlines unstated", "chunks and how they are linked"),
    ("Edinburgh++", "Apache-2.0", "words and how they are linked"),
)  # fmt: skip
GRADER_SOURCES = (
    ("postil encoder", LICENCE, "out-of-fold logits and word vectors"),
    ("SemEval-2013 task 7, Beetle and SciEntsBank, training sets", "CC BY-SA 3.0", "labels the stack learned from; fingerprints of the questions"),
)  # fmt: skip

ENCODER_CARD = """# The encoder

Two small networks that run on a CPU through onnxruntime, in eight-bit integers.

- `words.onnx`: embeddings and the first {layers} layers of all-MiniLM-L6-v2, as they came: a vector for each piece of a
  text. Compared word by word they tell which parts of a reference an answer covers.
- `pairs.onnx`: all six layers, fine-tuned to read two texts at once (answer, then reference). Heads: `response` (five
  labels), `nli` (entailment, neutral, contradiction), `similarity` (one logit); and `pieces`, 96 numbers for each piece, to
  compare chunks by.
- `links.npz`: two small matrices that compare a chunk of the first text with one of the second, each the mean of its pieces:
  logits of the seven types of iSTS (EQUI, OPPO, SPE1, SPE2, SIMI, REL, NOALI), and one for how alike they are.

All together {size:.1f} MB.

## How it was made
training/encoder_data.py packs the pairs, training/encoder.py trains, training/encoder_export.py exports. A larger network
(all-mpnet-base-v2, its matrices rounded to eight bits before) is first trained on inference and similarity, then on responses and
links; the small one learns from the labels and from what the larger one says, also of 114,199 pairs without a label: answers beside other answers to
their question, beside other references, with a word turned into its opposite or a part left out, and 6,500 pairs of sentences without links.
Answers negated, copied from the question or typed at random (5,113) were made so that the label is known. Answers stand there as the grader
reads them: spelling put right, fillers left out, "doesn't" spelled out. Texts are cut at 160 pieces. 2,600 steps of 96 pairs.

## Sources
{sources}

## Limits
English only. It has seen school science and little else labelled as answers; on other subjects trust it less. It knows word
meaning better than reasoning, and finds a contradiction only when it is rather plain. Pretrained weights carry biases of
the web text they come from; nobody has measured whether answers of some groups of pupils (by dialect, first language,
disability) are judged less well, so let a person look at marks that matter.
"""

GRADER_CARD = """# The grader

A softmax regression (the *stack*) over the evidence about an answer: what the encoder says, how much of the reference is
covered, how words and their opposites compare, and how the answer stands in its class. Two sets of weights: `new` for
questions never seen, `known` for the {known} that the encoder has learned from (fingerprints only are stored). A person's labels
move the result by a Gaussian process on the errors (postil/grading/memory.py).

## Figures
Cross-validated on the training sets, encoder, stack and decision biases each from other folds (five folds; 95 % intervals
over questions); macro F1 as in the challenge (four classes on SciEntsBank in 5-way). Chosen by these same folds: which features the stack
has, its penalty, the memory's variances. The official test sets were not used.

{table}

Means over the counterparts of the challenge's five test sets (all but Beetle's unseen domains): {means}.
A new question, labels for k answers chosen by `propose`, two-way macro F1 of the others, mean of both corpora: {gains}.

## Sources
{sources}

## Limits
It judges agreement with the references, not truth: a right answer that no reference foresees is often called wrong. It is
weakest on contradictions (F1 in the table) and on strictness: teachers differ, and a few labels help more than anything
else. Probabilities are calibrated on school science answers and can be off elsewhere. Not for marks without a person's look; see the
encoder's card on fairness.
"""


def sources_table(sources) -> str:
    rows = "\n".join(f"| {name} | {licence} | {use} |" for name, licence, use in sources)
    return f"| source | licence | used for |\n| --- | --- | --- |\n{rows}"


def figures_table(figures: dict) -> str:
    """A row for each scenario and corpus."""
    rows = [
        "| | 5-way | 3-way | 2-way | contradictory F1 | calibration error, 2-way | 5-way | accuracy 2-way, all | surest 80 % |",
        "| --- |" + " ---: |" * 8,
    ]
    for scenario in ("unseen-answers", "unseen-questions", "unseen-domains"):
        for corpus, one in figures[scenario].items():
            macros = [
                f"{value:.3f} [{low:.3f}, {high:.3f}]"
                for value, low, high in (one[n] for n in ("5way", "3way", "2way"))
            ]
            rest = [
                one[name]
                for name in (
                    "contradictory F1, 3way",
                    "calibration error, 2way",
                    "calibration error, 5way",
                    "accuracy, 2way",
                    "accuracy, 2way, surest 80 %",
                )
            ]
            rows.append(
                f"| {scenario}, {corpus} | "
                + " | ".join([*macros, *(f"{value:.3f}" for value in rest)])
                + " |"
            )
    return "\n".join(rows)


def size(folder: Path) -> int:
    """The bytes of everything in a folder but the card."""
    return sum(f.stat().st_size for f in folder.iterdir() if f.name not in ("card.json", "CARD.md"))


def mean_of_cells(figures: dict, scheme: str) -> float:
    """The mean over the counterparts of the challenge's five test sets."""
    cells = [
        figures[scenario][corpus][scheme][0]
        for scenario in ("unseen-answers", "unseen-questions", "unseen-domains")
        for corpus in figures[scenario]
        if (scenario, corpus) != ("unseen-domains", "beetle")
    ]
    return sum(cells) / len(cells)


def write(folder: Path, name: str, text: str, sources, figures: dict) -> None:
    card = {
        "name": name,
        "version": VERSION,
        "licence": LICENCE,
        "size_bytes": size(folder),
        "figures": figures,
        "sources": sources,
        "files": hashes(folder),
    }
    (folder / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "CARD.md").write_text(wrapped(text), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("postil/resources"))
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text("utf-8"))
    known = json.loads((options.resources / "grader" / "stack.json").read_text("utf-8"))["known"]
    gains = ", ".join(
        f"k = {k}: +{one['gain']:.3f}" for k, one in figures["labels on a new question"].items()
    )
    encoder = ENCODER_CARD.format(
        layers=4, size=size(options.resources / "encoder") / 1e6, sources=sources_table(ENCODER_SOURCES)
    )
    schemes = {"5-way": "5way", "3-way": "3way", "2-way": "2way"}
    grader = GRADER_CARD.format(
        known=len(known),
        table=figures_table(figures),
        means=", ".join(f"{name} {mean_of_cells(figures, scheme):.3f}" for name, scheme in schemes.items()),
        gains=gains,
        sources=sources_table(GRADER_SOURCES),
    )
    write(options.resources / "encoder", "postil_encoder", encoder, ENCODER_SOURCES, {})
    write(options.resources / "grader", "postil_grader", grader, GRADER_SOURCES, figures)


if __name__ == "__main__":
    main()
