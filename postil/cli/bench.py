"""`postil bench`: run registered systems on a benchmark and print their figures beside the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from postil.cli.options import ReaderOption, choose, expand, refuse_output
from postil.cli.show import console, progress_bar, table
from postil.data.files import write_text

if TYPE_CHECKING:
    from postil.research.tables import BenchResult

app = typer.Typer(
    short_help="Run systems on the field's benchmarks.",
    help="Run systems on the field's benchmarks, beside the published figures.",
    no_args_is_help=True,
)

Train = Annotated[Path, Option("--train", help="Folder with the training data.")]
Folds = Annotated[int, Option("--folds", min=2, help="Folds of the cross-validation.")]
Seed = Annotated[int, Option("--seed", help="Seed of the folds.")]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Which systems to run, and what to write."""

    system: Annotated[str, Option(help="The system; `postil bench systems` lists them.")]
    against: Annotated[
        list[str] | None, Option(help="Another system to run and compare with; may be repeated.")
    ] = None
    json_out: Annotated[Path | None, Option("--json", help="Write the result here as JSON.")] = None
    table: Annotated[Path | None, Option(help="Also write the Markdown table here.")] = None
    resamples: Annotated[
        int, Option(min=0, max=100_000, help="Bootstrap resamples for intervals; 0 for none.")
    ] = 1000


@app.command("responses")
@expand
def responses(
    train: Train,
    test: Annotated[Path | None, Option(help="Folder with test sets; without one, cross-validation.")] = None,
    scenario: Annotated[
        str, Option(help="unseen-answers, unseen-questions or unseen-domains.")
    ] = "unseen-questions",
    folds: Folds = 10,
    seed: Seed = 0,
    *,
    options: RunOptions,
) -> None:
    """Student responses: `<corpus>/<set>/**/*.xml`, in the 5-, 3- and 2-way schemes."""
    from postil.research.benchmarks import run_responses

    run = partial(run_responses, train, test=test, scenario=scenario, folds=folds, seed=seed)
    _run_and_report("responses", _with_bar(run), options)


@app.command("entailment")
@expand
def entailment(
    train: Train,
    test: Annotated[list[Path], Option(help="An RTE file; may be repeated.")],
    scheme: Annotated[str, Option(help="2way or 3way.")] = "2way",
    *,
    options: RunOptions,
) -> None:
    """Textual entailment: accuracy and average precision, also by application and length."""
    from postil.research.benchmarks import run_entailment

    choose("--scheme", scheme, ("2way", "3way"))
    _run_and_report("entailment", partial(run_entailment, train, test, scheme=scheme), options)


@app.command("alignment")
@expand
def alignment(
    train: Train,
    test: Annotated[Path, Option(help="Folder with the test datasets.")],
    chunks: Annotated[str, Option(help="gold, system (Postil's own) or both.")] = "both",
    *,
    options: RunOptions,
) -> None:
    """Interpretable similarity: `STSint.input.*` or `STSint.testinput.*` files."""
    from postil.research.benchmarks import CHUNKS, run_alignment

    choose("--chunks", chunks, (*CHUNKS, "both"))
    kinds = CHUNKS if chunks == "both" else (chunks,)
    _run_and_report("alignment", partial(run_alignment, train, test, chunks=kinds), options)


@app.command("facets")
@expand
def facets(
    gaps: Annotated[
        list[Path], Option(help="A table of what answers leave out of the reference; may be repeated.")
    ],
    *,
    options: RunOptions,
) -> None:
    """Facets: which words of the reference an answer leaves out, on tables of gaps."""
    from postil.research.benchmarks import run_facets

    _run_and_report("facets", _with_bar(partial(run_facets, gaps)), options)


@app.command("claims")
@expand
def claims(
    data: Annotated[
        list[Path],
        Option(
            help="Judged claims: a .jsonl file (or .jsonl.xz) with text, claim and label; may be repeated."
        ),
    ],
    reader: ReaderOption = None,
    *,
    options: RunOptions,
) -> None:
    """Claims: whether texts make them, on sets of claims that people have judged."""
    from postil.language.network import demand_reader
    from postil.research.benchmarks import run_claims

    if reader is not None:
        demand_reader(reader)
    _run_and_report("claims", _with_bar(partial(run_claims, data, reader=reader)), options)


@app.command("senses")
@expand
def senses(
    train: Annotated[Path, Option(help="A lexical-sample file.")],
    test: Annotated[Path | None, Option(help="A lexical-sample file; without one, cross-validation.")] = None,
    key: Annotated[
        list[Path] | None,
        Option(help="The key of the test file or of the training file, if separate; may be repeated."),
    ] = None,
    folds: Folds = 10,
    seed: Seed = 0,
    *,
    options: RunOptions,
) -> None:
    """Word senses: precision, recall and attempted, on a test file or by cross-validation."""
    from postil.research.benchmarks import run_senses

    run = partial(run_senses, train, test=test, keys=key or (), folds=folds, seed=seed)
    _run_and_report("senses", run, options)


@app.command("systems")
def systems() -> None:
    """List the registered systems, by task."""
    from postil.research.systems import REGISTRY

    listing = table("task", "system", "what it is")
    for entry in REGISTRY:
        listing.add_row(entry.task, entry.name, entry.about)
    console().print(listing)


def _with_bar(run: Callable[..., BenchResult]) -> Callable[[str], BenchResult]:
    def run_with_bar(name: str) -> BenchResult:
        with progress_bar(name) as progress:
            return run(name, progress=progress)

    return run_with_bar


def _run_and_report(task: str, run: Callable[[str], BenchResult], options: RunOptions) -> None:
    """Run each system, print the table, and write what was asked for."""
    from postil.research.systems import find
    from postil.research.tables import render

    for path in (options.json_out, options.table):
        refuse_output(path)
    names = dict.fromkeys([options.system, *(options.against or [])])
    for name in names:
        find(task, name)  # a mistyped name shows before hours of work, not after
    results = [run(name) for name in names]
    text = render(results, iterations=options.resamples)
    if options.json_out is not None:
        data = results[0].as_json(options.resamples)
        write_text(options.json_out, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if options.table is not None:
        write_text(options.table, text)
    typer.echo(text)
