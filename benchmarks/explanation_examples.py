"""Write the examples of docs/teachers/explanations.md and their pictures from the bundled class.

    python benchmarks/explanation_examples.py

Only what stands between the two marks in the page is written anew. The quick reader judges: everybody has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import postil
from postil.data.files import write_text
from postil.data.formats.tables import read_table
from postil.data.labels import PLAIN_NAMES
from postil.explain.alignment_picture import alignment_svg

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "teachers" / "explanations.md"
START, END = "<!-- examples: benchmarks/explanation_examples.py -->", "<!-- end of the examples -->"
EXAMPLES = (
    "price.04",
    "seeds.07",
    "revolution.05",
    "circuit.07",
    "water.11",
    "metaphor.06",
    "price.08",
    "rust.04",
    "revolution.01",
    "rust.09",
)


def examples() -> Iterator[str]:
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    graded = {
        answer.id: (question.text, answer.text, judgement)
        for question, judgements in postil.load(reader="quick").grade_many(questions, explain=True)
        for answer, judgement in zip(question.answers, judgements, strict=True)
    }
    for number, name in enumerate(EXAMPLES, 1):
        question, answer, judgement = graded[name]
        explanation = judgement.explanation
        if explanation is None:
            raise SystemExit(f"{name} has no explanation")
        picture = f"images/explanation-{number:02}.svg"
        drawing = alignment_svg(explanation.alignment, ("answer", "reference"), plain=True)
        write_text(DOCS / picture, drawing + "\n")
        yield (
            f"### {number}. {question}\n\n"
            f"> {answer}\n\n"
            f"| | |\n| --- | --- |\n"
            f"| reference | {judgement.reference} |\n"
            f"| label | {PLAIN_NAMES[judgement.label]}, {judgement.confidence:.0%} sure |\n"
            f"| to the teacher | {explanation.teacher} |\n"
            f"| to the student | {explanation.student} |\n\n"
            f"![The chunks of the answer beside the reference's](../{picture})\n"
        )


def main() -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    write_text(PAGE, f"{before}{START}\n\n" + "\n".join(examples()) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
