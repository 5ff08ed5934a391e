"""`postil bench`: run registered systems on a benchmark and print their figures beside the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from postil.research.tables import BenchResult

app = typer.Typer(
    short_help="Run systems on the field's benchmarks.",
    help="Run systems on the field's benchmarks, beside the published figures.",
    no_args_is_help=True,
)

Train = Annotated[Path, typer.Option("--train", help="Folder with the training data.", show_default=False)]
System = Annotated[str, typer.Option("--system", help="The system; `postil bench systems` lists them.")]
Against = Annotated[
    list[str] | None,
    typer.Option("--against", help="Another system to run and test against; may be repeated."),
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write the result here as JSON.", show_default=False)
]
Markdown = Annotated[
    Path | None, typer.Option("--table", help="Write the Markdown table here too.", show_default=False)
]
Resamples = Annotated[
    int,
    typer.Option("--resamples", min=0, max=100_000, help="Bootstrap resamples for intervals; 0 for none."),
]
Folds = Annotated[int, typer.Option("--folds", min=2, help="Folds of the cross-validation.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the folds.")]


@app.command("responses")
def responses(
    train: Train,
    system: System,
    test: Annotated[
        Path | None,
        typer.Option(
            "--test", help="Folder with test sets; without it, cross-validation.", show_default=False
        ),
    ] = None,
    scenario: Annotated[
        str, typer.Option("--scenario", help="unseen-answers, unseen-questions or unseen-domains.")
    ] = "unseen-questions",
    folds: Folds = 10,
    seed: Seed = 0,
    against: Against = None,
    json_out: Json = None,
    table: Markdown = None,
    resamples: Resamples = 1000,
) -> None:
    """Student responses: `<corpus>/<set>/**/*.xml`, in the 5-, 3- and 2-way schemes."""
    from postil.cli.show import progress_bar
    from postil.research.responses import run_responses

    def run(name: str) -> BenchResult:
        with progress_bar(name) as progress:
            return run_responses(
                train, name, test=test, scenario=scenario, folds=folds, seed=seed, progress=progress
            )

    _run_and_report("responses", run, [system, *(against or [])], json_out, table, resamples)


@app.command("entailment")
def entailment(
    train: Train,
    test: Annotated[
        list[Path], typer.Option("--test", help="An RTE file; may be repeated.", show_default=False)
    ],
    system: System,
    scheme: Annotated[str, typer.Option("--scheme", help="2way or 3way.")] = "2way",
    against: Against = None,
    json_out: Json = None,
    table: Markdown = None,
    resamples: Resamples = 1000,
) -> None:
    """Textual entailment: accuracy and average precision, by application and length too."""
    from postil.cli.inputs import choose
    from postil.research.benchmarks import run_entailment

    choose("--scheme", scheme, ("2way", "3way"))
    _run_and_report(
        "entailment",
        lambda name: run_entailment(train, test, name, scheme=scheme),
        [system, *(against or [])],
        json_out,
        table,
        resamples,
    )


@app.command("alignment")
def alignment(
    train: Train,
    test: Annotated[Path, typer.Option("--test", help="Folder with the test datasets.", show_default=False)],
    system: System,
    chunks: Annotated[str, typer.Option("--chunks", help="gold, system (our own) or both.")] = "both",
    against: Against = None,
    json_out: Json = None,
    table: Markdown = None,
    resamples: Resamples = 1000,
) -> None:
    """Interpretable similarity: `STSint.input.*` or `STSint.testinput.*` files."""
    from postil.cli.inputs import choose
    from postil.research.benchmarks import CHUNKS, run_alignment

    choose("--chunks", chunks, (*CHUNKS, "both"))
    kinds = CHUNKS if chunks == "both" else (chunks,)
    _run_and_report(
        "alignment",
        lambda name: run_alignment(train, test, name, chunks=kinds),
        [system, *(against or [])],
        json_out,
        table,
        resamples,
    )


@app.command("facets")
def facets(
    gaps: Annotated[
        list[Path],
        typer.Option(
            "--gaps",
            help="A table of what answers leave out of the reference; may be repeated.",
            show_default=False,
        ),
    ],
    system: System,
    against: Against = None,
    json_out: Json = None,
    table: Markdown = None,
    resamples: Resamples = 1000,
) -> None:
    """Facets: which words of the reference an answer leaves out, on tables of gaps."""
    from postil.cli.show import progress_bar
    from postil.research.benchmarks import run_facets

    def run(name: str) -> BenchResult:
        with progress_bar(name) as progress:
            return run_facets(gaps, name, progress=progress)

    _run_and_report("facets", run, [system, *(against or [])], json_out, table, resamples)


@app.command("senses")
def senses(
    train: Annotated[Path, typer.Option("--train", help="A lexical-sample file.", show_default=False)],
    system: System,
    test: Annotated[
        Path | None,
        typer.Option("--test", help="A lexical-sample file; without it, --folds.", show_default=False),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="The test file's key, where it stands apart.", show_default=False),
    ] = None,
    folds: Folds = 10,
    seed: Seed = 0,
    against: Against = None,
    json_out: Json = None,
    table: Markdown = None,
    resamples: Resamples = 1000,
) -> None:
    """Word senses: precision, recall and attempted, on a test file or by cross-validation."""
    from postil.research.benchmarks import run_senses

    _run_and_report(
        "senses",
        lambda name: run_senses(train, name, test=test, key=key, folds=folds, seed=seed),
        [system, *(against or [])],
        json_out,
        table,
        resamples,
    )


@app.command("systems")
def systems() -> None:
    """List the systems that are registered, by task."""
    from rich.table import Table

    from postil.cli.show import console
    from postil.research.systems import REGISTRY

    listing = Table(box=None, pad_edge=False)
    for name in ("task", "system", "what it is"):
        listing.add_column(name)
    for entry in REGISTRY:
        listing.add_row(entry.task, entry.name, entry.about)
    console().print(listing)


def _run_and_report(
    task: str,
    run: Callable[[str], BenchResult],
    names: Sequence[str],
    json_out: Path | None,
    table: Path | None,
    resamples: int,
) -> None:
    """Run each system, print the table, and write what was asked for."""
    from postil.data.files import refuse_unwritable, write_text
    from postil.research.systems import find
    from postil.research.tables import render

    for path in (json_out, table):
        if path is not None:
            refuse_unwritable(path)  # now, not after the work is done
    for name in names:
        find(task, name)  # a mistyped name should be told before hours of work, not after
    results = [run(name) for name in dict.fromkeys(names)]
    text = render(results, iterations=resamples)
    if json_out is not None:
        data = results[0].as_json(resamples)
        write_text(json_out, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if table is not None:
        write_text(table, text)
    typer.echo(text)
