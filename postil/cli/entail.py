"""`postil entail` and `postil facets`: what a text implies, and which claims an answer expresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.options import JsonOption, choose, refuse_output
from postil.cli.show import console, note_long, print_json, print_text, progress_bar, table
from postil.data.formats.rte import PairJudgement, read_pairs, write_run
from postil.errors import PostilError, number_of
from postil.explain.page import printable

if TYPE_CHECKING:
    from postil.data.judgements import FacetOutcome
    from postil.data.questions import Question
    from postil.entailment.entailer import Entailment

_FILES = (".xml", ".tsv")
_ONLY_ANSWER = "answer"  # the id of an answer that was given on the command line


def entail(
    given: Annotated[
        list[str],
        Argument(
            metavar="TEXT HYPOTHESIS|FILE",
            help="A text and a hypothesis, in quotes; or a file of pairs (RTE's .xml, or .tsv with columns "
            "id, t, h; labels are ignored).",
        ),
    ],
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write a run here: id, label, confidence (.tsv).")
    ] = None,
    question: Annotated[
        str | None,
        Option(
            help="Take the hypothesis as a short answer to this question, and turn both into a statement."
        ),
    ] = None,
    scheme: Annotated[str, Option(help="2way or 3way labels.")] = "3way",
    as_json: Annotated[
        bool, Option("--json", help="Print judgements with their justifications as JSON.")
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
        what = f"{len(given)} texts were given, but only a text and a hypothesis can be judged."
        raise PostilError(what, hint="Put each in quotes.")
    if output is not None:
        raise PostilError("-o writes the run of a file of pairs.", hint="Give a file, or leave out -o.")
    text, hypothesis = (" ".join(text.split()) for text in given)
    _judge_pair(text, hypothesis, question, scheme, as_json=as_json)


def _judge_pair(text: str, hypothesis: str, question: str | None, scheme: str, *, as_json: bool) -> None:
    from rich.text import Text

    from postil.entailment.entailer import load_entailer
    from postil.explain.explanation import justified
    from postil.language.statements import statement

    if not text or not hypothesis:
        raise PostilError("the text or the hypothesis is empty.", hint="Give both, in quotes.")
    if question is not None:
        hypothesis = statement(question, hypothesis)
    _note_long([("the text", text)], [("the hypothesis", hypothesis)])
    (judged,) = justified([hypothesis], load_entailer().judge([(text, hypothesis)]))
    if as_json:
        print_json(_as_json("1", hypothesis, judged, scheme))
        return
    chances = ", ".join(f"{name.lower()} {value:.2f}" for name, value in judged.probabilities.items())
    console().print(Text.assemble((_label(judged, scheme), "bold"), f"  ({chances})"))
    if question is not None:
        print_text(f"Judged: {hypothesis}")
    print_text(judged.justification)


def _note_long(texts: Iterable[tuple[str, str]], hypotheses: Iterable[tuple[str, str]]) -> None:
    from postil.entailment import entailer

    note_long(texts, entailer.MOST_OF_TEXT, entailer.LONGEST_TEXT)
    note_long(hypotheses, entailer.MOST_OF_HYPOTHESIS, entailer.LONGEST_HYPOTHESIS)


def _judge_file(path: Path, output: Path | None, scheme: str, *, as_json: bool) -> None:
    from postil.entailment.entailer import load_entailer

    if path.suffix.lower() not in _FILES:
        what = "there is only one text, and it is not a file of pairs (.xml or .tsv)."
        raise PostilError(what, hint="Give a text and a hypothesis, each in quotes.")
    if output is None and not as_json:
        raise PostilError("a file of pairs needs a file for the results.", hint="Name it with -o RUN.tsv.")
    pairs = read_pairs(path)
    _note_long(
        ((f"the text of pair {pair.id}", pair.text) for pair in pairs),
        ((f"the hypothesis of pair {pair.id}", pair.hypothesis) for pair in pairs),
    )
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
        from postil.explain.explanation import justified

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


def facets(
    reference: Annotated[
        str,
        Argument(
            metavar="REFERENCE|FILE",
            help="A right answer, in quotes; or, on its own, an SRA XML file or folder with facets.",
        ),
    ],
    answer: Annotated[
        str | None, Argument(metavar="ANSWER", help="The answer to compare, in quotes.")
    ] = None,
    question: Annotated[
        str, Option(help="The question; an answer need not repeat what it already says.")
    ] = "",
    facet_file: Annotated[
        Path | None,
        Option(
            "--facets",
            help="Facets to use instead of Postil's own: a TSV with id, first and second, or SRA XML.",
        ),
    ] = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write a tab-separated run, as in the challenge.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say for each facet of a reference whether the answer expresses it, and in which words."""
    from postil.alignment.aligner import MOST_ALIGNED
    from postil.data.formats import sra
    from postil.explain.alignments import plain_outcome
    from postil.explain.notes import facets_in_words
    from postil.grading.claims import judge_facets
    from postil.language.spelling import spelled_out

    refuse_output(output)
    if answer is None:
        if question or facet_file is not None or as_json or output is None:
            raise PostilError(
                "there is no answer to compare with the reference.",
                hint="Give REFERENCE and ANSWER in quotes, or an SRA XML FILE with -o RUN.tsv.",
            )
        _judge_facets_of(Path(reference), output)
        return
    if not any(map(str.isalnum, reference)) or not any(map(str.isalnum, answer)):
        raise PostilError("one of the two texts contains no words.", hint="Give two texts, in quotes.")
    chosen = None if facet_file is None else sra.read_facets(facet_file)
    texts = [("the question", question), ("the reference", reference), ("the answer", spelled_out(answer))]
    note_long(texts, MOST_ALIGNED)
    (outcomes,) = judge_facets(question, reference, [answer], chosen)
    if output is not None:
        sra.write_run(output, {f"{outcome.facet.id}*{_ONLY_ANSWER}": outcome.label for outcome in outcomes})
        typer.echo(f"Judged {number_of(len(outcomes), 'facet')}; wrote {output}.", err=True)
    if as_json:
        print_json(
            {
                "question": question,
                "reference": reference,
                "answer": answer,
                "facets": [plain_outcome(outcome) for outcome in outcomes],
                "explanation": facets_in_words(outcomes),
            }
        )
    elif output is None:
        _show_facets(outcomes)


def _judge_facets_of(path: Path, output: Path) -> None:
    """Judge every facet of a challenge's file or folder for every answer in it."""
    from postil.alignment.aligner import MOST_ALIGNED
    from postil.data.formats import sra
    from postil.grading.claims import judge_facets

    questions = sra.read_corpus(path)
    note_long(_read_for_facets(questions), MOST_ALIGNED)
    labels: dict[str, str] = {}
    with progress_bar("Judging facets", "questions") as progress:
        for done, question in enumerate(questions, start=1):
            texts = [answer.text for answer in question.answers]
            for reference in question.references:
                if not reference.facets:
                    continue
                judged = judge_facets(question.text, reference.text, texts, reference.facets)
                for answer, outcomes in zip(question.answers, judged, strict=True):
                    labels |= {f"{outcome.facet.id}*{answer.id}": outcome.label for outcome in outcomes}
            if progress:
                progress(done, len(questions))
    if not labels:
        raise PostilError(f"{path}: no reference here has facets, or no question has answers.")
    sra.write_run(output, labels)
    typer.echo(f"Judged {number_of(len(labels), 'facet')}; wrote {output}.", err=True)


def _read_for_facets(questions: Sequence[Question]) -> Iterator[tuple[str, str]]:
    """The texts that are read where facets are judged, each with its name."""
    from postil.language.spelling import spelled_out

    for question in questions:
        references = [reference for reference in question.references if reference.facets]
        if references:
            yield f"question {question.id}", question.text
            yield from ((f"reference {reference.id}", reference.text) for reference in references)
            yield from ((f"answer {answer.id}", spelled_out(answer.text)) for answer in question.answers)


def _show_facets(outcomes: Sequence[FacetOutcome]) -> None:
    from rich.text import Text

    from postil.explain.notes import facets_in_words
    from postil.explain.points import facet_text

    if outcomes:
        out = console()
        rows = table("facet", "outcome", "sure", "in the words", right=("sure",))
        for outcome in outcomes:
            words = Text(printable(" … ".join(outcome.words)))
            name = Text(printable(facet_text(outcome.facet)))
            rows.add_row(name, outcome.label, f"{outcome.confidence:.2f}", words)
        out.print(rows)
        out.print()
    print_text(facets_in_words(outcomes))
