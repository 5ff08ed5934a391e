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
from postil.explain.highlighting import highlight_svg
from postil.explain.points import facet_text

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "teachers" / "explanations.md"
START, END = "<!-- examples: benchmarks/explanation_examples.py -->", "<!-- end of the examples -->"
# The answers, and of those where the note or the label fails, what is wrong.
EXAMPLES = {
    "price.04": "",
    "seeds.07": "",
    "metaphor.06": "",
    "water.06": "",
    "water.11": "",
    "price.03": "",
    "revolution.08": "",
    "rust.09": "",
    "metaphor.09": "",
    "seeds.05": "The claims in the picture have it that air is left out, which the answer does name. In a "
    "bare list the quick reader does not see every item.",
    "price.07": "The price does not fall: the label should be “contradicts”. The note sees the mistake, but "
    "not that the reason is right.",
    "mountains.04": "What the answer says is right as far as it goes. The quick reader took it for the "
    "opposite of the first claim.",
}


def examples() -> Iterator[str]:
    with as_file(files("postil.resources").joinpath("demo", "class.csv")) as path:
        questions = read_table(path)
    graded = {
        answer.id: (question.text, answer.text, judgement)
        for question, judgements in postil.load(reader="quick").grade_many(questions, explain=True)
        for answer, judgement in zip(question.answers, judgements, strict=True)
    }
    for number, (name, fault) in enumerate(EXAMPLES.items(), 1):
        question, answer, judgement = graded[name]
        explanation = judgement.explanation
        if explanation is None:
            raise SystemExit(f"{name} has no explanation")
        picture = f"images/explanation-{number:02}.svg"
        names = [facet_text(outcome.facet) for outcome in explanation.facets]
        drawing = highlight_svg(answer, explanation.facets, names)
        write_text(DOCS / picture, drawing + "\n")
        yield (
            f"### {number}. {question}\n\n"
            f"> {answer}\n\n"
            f"| | |\n| --- | --- |\n"
            f"| reference | {judgement.reference} |\n"
            f"| label | {PLAIN_NAMES[judgement.label]}, {judgement.confidence:.0%} sure |\n"
            f"| to the teacher | {explanation.teacher or '(no note: nothing is missing or wrong)'} |\n"
            f"| to the student | {explanation.student} |\n\n"
            f"![The answer with its claims marked, and what became of each claim](../{picture})\n"
            + (f"\n**A failure.** {fault}\n" if fault else "")
        )


def main() -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    write_text(PAGE, f"{before}{START}\n\n" + "\n".join(examples()) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
