"""`postil score`: the official scorers, a table for people or JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from postil.scoring.score import Score
    from postil.scoring.significance import Groups, Tally

Run = TypeVar("Run")
AnyTally = TypeVar("AnyTally")

app = typer.Typer(
    short_help="Score a run with the task's official scorer.",
    help="Score a system's file against the gold with the task's official scorer.",
    no_args_is_help=True,
)

System = Annotated[Path, typer.Argument(help="The system's run file.", show_default=False)]
Gold = Annotated[Path, typer.Argument(help="The gold file.", show_default=False)]
Against = Annotated[
    Path | None,
    typer.Option("--against", help="Another run: is the difference significant?", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Iterations = Annotated[
    int,
    typer.Option("--iterations", min=100, max=1_000_000, help="Randomisations and resamples for --against."),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the random generator.")]
By = Annotated[str, typer.Option("--by", help="Resample by item or by question.")]


@app.command("responses")
def responses(
    system: System,
    gold: Gold,
    scheme: Annotated[str, typer.Option("--scheme", help="auto, 5way, 3way or 2way.")] = "auto",
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus",
            help="auto, beetle or sciEntsBank (whose 5-way macro average leaves non_domain out), or other.",
        ),
    ] = "auto",
    by: By = "item",
    against: Against = None,
    iterations: Iterations = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score labels of student answers (tab-separated run; gold tab-separated or SRA XML)."""
    from postil.cli.inputs import choose, label_groups, read_gold_labels, resolve_scheme
    from postil.data.formats.sra import read_labels
    from postil.data.labels import RESPONSE_SCHEMES
    from postil.scoring.responses import guess_corpus, score_labels, tally_labels

    choose("--corpus", corpus, ("auto", "beetle", "sciEntsBank", "other"))
    items = read_gold_labels(gold)
    runs = [(path, read_labels(path, RESPONSE_SCHEMES)) for path in _given(system, against)]
    chosen = resolve_scheme(scheme, RESPONSE_SCHEMES, {gold: items, **dict(runs)})
    name = guess_corpus(item.id for item in items) if corpus == "auto" else corpus
    tallies = _tallied(
        runs, gold, lambda run: tally_labels(items, {item.id: item.label for item in run}, chosen, name)
    )
    _report(
        score_labels("sra", tallies[0], chosen, name),
        {"task": "responses", "scheme": chosen.name},
        tallies,
        label_groups(by, items),
        (iterations, seed, as_json),
    )


@app.command("facets")
def facets(
    system: System,
    gold: Gold,
    scheme: Annotated[str, typer.Option("--scheme", help="auto, 2way or 3way (with Contradicted).")] = "auto",
    by: By = "item",
    against: Against = None,
    iterations: Iterations = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score facets (partial entailment): Expressed, Unaddressed."""
    from postil.cli.inputs import label_groups, read_gold_facets, resolve_facet_scheme
    from postil.data.formats.sra import read_labels
    from postil.data.labels import FACET_SCHEMES
    from postil.scoring.responses import score_labels, tally_labels

    items = read_gold_facets(gold)
    runs = [(path, read_labels(path, FACET_SCHEMES)) for path in _given(system, against)]
    chosen = resolve_facet_scheme(scheme, [items, *(run for _, run in runs)])
    tallies = _tallied(
        runs, gold, lambda run: tally_labels(items, {item.id: item.label for item in run}, chosen)
    )
    _report(
        score_labels("facets", tallies[0], chosen),
        {"task": "facets", "scheme": chosen.name},
        tallies,
        label_groups(by, items),
        (iterations, seed, as_json),
    )


@app.command("entailment")
def entailment(
    system: System,
    gold: Gold,
    scheme: Annotated[str, typer.Option("--scheme", help="auto, 2way or 3way.")] = "auto",
    against: Against = None,
    iterations: Iterations = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score entailment judgements (run with confidences or ranked; gold RTE XML or TSV)."""
    from postil.cli.inputs import resolve_entailment_scheme
    from postil.data.formats.rte import read_gold, read_run
    from postil.scoring.entailment import score_entailment, tally_entailment

    pairs = read_gold(gold)
    runs = [(path, read_run(path)) for path in _given(system, against)]
    chosen = resolve_entailment_scheme(scheme, pairs, [run for _, run in runs])
    tallies = _tallied(runs, gold, lambda run: tally_entailment(pairs, run, chosen))
    _report(
        score_entailment(pairs, runs[0][1], chosen),
        {"task": "entailment", "scheme": chosen.name},
        tallies,
        None,
        (iterations, seed, as_json),
    )


@app.command("alignment")
def alignment(
    system: System,
    gold: Gold,
    against: Against = None,
    iterations: Iterations = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score alignments of chunks (.wa files): F1, with type, with score, with both."""
    from postil.data.formats.ists import read_alignments
    from postil.scoring.alignment import score_alignments, tally_alignments

    pairs = read_alignments(gold)
    runs = [(path, read_alignments(path)) for path in _given(system, against)]
    tallies = _tallied(runs, gold, lambda run: tally_alignments(pairs, run))
    _report(
        score_alignments(pairs, runs[0][1]),
        {"task": "alignment"},
        tallies,
        None,
        (iterations, seed, as_json),
    )


@app.command("senses")
def senses(
    system: System,
    gold: Gold,
    granularity: Annotated[str, typer.Option("--granularity", help="fine, coarse or mixed.")] = "fine",
    sense_map: Annotated[
        Path | None,
        typer.Option("--sense-map", help="The sense map, for coarse and mixed.", show_default=False),
    ] = None,
    single_key: Annotated[
        bool, typer.Option("--single-key", help="Only instances with one right sense.")
    ] = False,
    against: Against = None,
    iterations: Iterations = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score word senses (answers against a key) as Senseval did."""
    from postil.cli.inputs import choose
    from postil.data.formats.sensekeys import read_sense_answers, read_sense_key, read_sense_map
    from postil.scoring.senses import score_senses, tally_of, tally_senses

    choose("--granularity", granularity, ("fine", "coarse", "mixed"))
    key = read_sense_key(gold)
    mapping = read_sense_map(sense_map) if sense_map is not None else None
    tallies = [
        tally_senses(
            key,
            read_sense_answers(path),
            granularity=granularity,  # type: ignore[arg-type]
            sense_map=mapping,
            single_key_only=single_key,
        )
        for path in _given(system, against)
    ]
    if tallies[0].unknown:
        from postil.errors import number_of, some

        unknown = tallies[0].unknown
        typer.echo(
            f"note: not in the key, and not counted: {number_of(len(unknown), 'answer')} ({some(unknown)})",
            err=True,
        )
    _report(
        score_senses(tallies[0], granularity=granularity),
        {"task": "senses", "granularity": granularity},
        [tally_of(tally) for tally in tallies],
        None,
        (iterations, seed, as_json),
    )


def _given(*paths: Path | None) -> list[Path]:
    return [path for path in paths if path is not None]


def _tallied(
    runs: Sequence[tuple[Path, Run]], gold: Path, tally: Callable[[Run], AnyTally]
) -> list[AnyTally]:
    """Tally each run against the gold; a mismatch names the two files it is between."""
    from postil.cli.inputs import comparing

    tallies = []
    for path, run in runs:
        with comparing(path, gold):
            tallies.append(tally(run))
    return tallies


def _report(
    score: Score,
    head: Mapping[str, Any],
    tallies: list[Any],
    groups: Groups,
    how: tuple[int, int, bool],
) -> None:
    """Print a score, and the comparison with a second system where one was given."""
    from postil.scoring.significance import compare

    iterations, seed, as_json = how
    comparisons = {}
    if len(tallies) > 1:
        first: Tally = tallies[0]
        comparisons = compare(
            first, tallies[1], iterations=iterations, resamples=iterations, seed=seed, groups=groups
        )
    if as_json:
        data = {**head, **score.as_json()}
        if comparisons:
            data["against"] = {
                name: {
                    "value": item.second,
                    "difference": item.difference,
                    "interval": [item.interval.low, item.interval.high],
                    "p_value": item.p_value,
                    "significant": item.significant,
                }
                for name, item in comparisons.items()
            }
        typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return
    from postil.cli.show import show_score

    show_score(score, comparisons)
