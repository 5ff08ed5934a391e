"""`postil entail`: does a text imply a hypothesis, deny it or leave it open, and which part of it says so?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import choose, refuse_output
from postil.errors import PostilError, number_of

if TYPE_CHECKING:
    from postil.entailment.entailer import Entailment

_FILES = (".xml", ".tsv")


def entail(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT HYPOTHESIS|FILE",
            help="A text and a hypothesis, in quotes; or a file of pairs (RTE's .xml, or .tsv with columns "
            "id, t, h; labels are ignored).",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a run here: id, label, confidence (.tsv).")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            help="Take the hypothesis as a short answer to this question, and turn both into a statement.",
        ),
    ] = None,
    scheme: Annotated[str, typer.Option("--scheme", help="2way or 3way labels.")] = "3way",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print judgements with their justifications as JSON.")
    ] = False,
) -> None:
    """Judge whether a text entails a hypothesis, contradicts it, or leaves it unknown, and say why."""
    choose("--scheme", scheme, ("2way", "3way"))
    refuse_output(output)
    if len(given) == 1:
        if question is not None:
            raise PostilError("--question goes with a text and an answer, not with a file.")
        _judge_file(Path(given[0]), output, scheme, as_json=as_json)
        return
    if len(given) > 2:
        raise PostilError(
            f"{len(given)} texts were given, but only a text and a hypothesis can be judged.",
            hint="Put each in quotes.",
        )
    if output is not None:
        raise PostilError("-o writes the run of a file of pairs.", hint="Give a file, or leave out -o.")
    text, hypothesis = (" ".join(text.split()) for text in given)
    _judge_pair(text, hypothesis, question, scheme, as_json=as_json)


def _judge_pair(text: str, hypothesis: str, question: str | None, scheme: str, *, as_json: bool) -> None:
    from rich.text import Text

    from postil.cli.show import console, print_json, print_text
    from postil.entailment.entailer import load_entailer
    from postil.explain.justification import justified
    from postil.language.statements import statement

    if not text or not hypothesis:
        raise PostilError("the text or the hypothesis is empty.", hint="Give both, in quotes.")
    if question is not None:
        hypothesis = statement(question, hypothesis)
    (judged,) = justified([hypothesis], load_entailer().judge([(text, hypothesis)]))
    if as_json:
        print_json(_as_json("1", hypothesis, judged, scheme))
        return
    chances = ", ".join(f"{name.lower()} {value:.2f}" for name, value in judged.probabilities.items())
    console().print(Text.assemble((_label(judged, scheme), "bold"), f"  ({chances})"))
    if question is not None:
        print_text(f"Judged: {hypothesis}")
    print_text(judged.justification)


def _judge_file(path: Path, output: Path | None, scheme: str, *, as_json: bool) -> None:
    from postil.cli.show import print_json, progress_bar
    from postil.data.formats.rte import PairJudgement, read_pairs, write_run
    from postil.entailment.entailer import load_entailer

    if path.suffix.lower() not in _FILES:
        raise PostilError(
            "there is only one text, and it is not a file of pairs (.xml or .tsv).",
            hint="Give a text and a hypothesis, each in quotes.",
        )
    if output is None and not as_json:
        raise PostilError("a file of pairs needs a file for the results.", hint="Name it with -o RUN.tsv.")
    pairs = read_pairs(path)
    with progress_bar("Judging", "pairs") as progress:
        judged = load_entailer().judge([(pair.text, pair.hypothesis) for pair in pairs], progress=progress)
    if output is not None:
        run = [
            PairJudgement(pair.id, _label(entailment, scheme), entailment.confidence)
            for pair, entailment in zip(pairs, judged, strict=True)
        ]
        write_run(output, run)
        typer.echo(f"Judged {number_of(len(pairs), 'pair')}; wrote {output}.", err=True)
    if as_json:
        from postil.explain.justification import justified

        judged = justified([pair.hypothesis for pair in pairs], judged)
        items = [
            _as_json(pair.id, pair.hypothesis, entailment, scheme)
            for pair, entailment in zip(pairs, judged, strict=True)
        ]
        print_json(items)


def _label(judged: Entailment, scheme: str) -> str:
    return judged.two_way if scheme == "2way" else judged.label


def _as_json(id: str, hypothesis: str, judged: Entailment, scheme: str) -> dict[str, object]:
    from postil.explain.alignments import plain_entailment

    return {"id": id, "hypothesis": hypothesis, **plain_entailment(judged, scheme)}
