"""`postil score`: the official scorers, a table for people or JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer import Argument, Option

from postil.cli.options import JsonOption, choose, expand
from postil.cli.show import print_json, show_score
from postil.data.files import is_folder
from postil.data.formats.rte import read_gold, read_run
from postil.data.labels import (
    ENTAILMENT_SCHEMES,
    FACET_SCHEMES,
    RESPONSE_SCHEMES,
    Scheme,
    choose_scheme,
    fitting_schemes,
)
from postil.errors import InputError, MismatchError, PostilError, number_of, some

if TYPE_CHECKING:
    from postil.data.formats.sra import LabelledItem
    from postil.data.questions import Question
    from postil.scoring.significance import Groups, Score

Run = TypeVar("Run")
AnyTally = TypeVar("AnyTally")

app = typer.Typer(
    short_help="Score a run with the task's official scorer.",
    help="Score a system's file against the gold with the task's official scorer.",
    no_args_is_help=True,
)

System = Annotated[Path, Argument(metavar="SYSTEM", help="The system's run file.")]
Gold = Annotated[Path, Argument(metavar="GOLD", help="The gold file.")]
By = Annotated[str, Option("--by", help="Resample by item or by question.")]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What every scorer can be asked for: a second run to compare with, and JSON."""

    against: Annotated[
        Path | None, Option(help="Another run to compare with: is the difference significant?")
    ] = None
    iterations: Annotated[
        int, Option(min=100, max=1_000_000, help="Randomisations and resamples for --against.")
    ] = 10_000
    seed: Annotated[int, Option(help="Seed of the random generator.")] = 0
    as_json: JsonOption = False

    def runs(self, system: Path) -> list[Path]:
        """The files to score: the system's, and the one to compare it with."""
        return [system, self.against] if self.against else [system]


@app.command("responses")
@expand
def responses(
    system: System,
    gold: Gold,
    scheme: Annotated[str, Option(help="auto, 5way, 3way or 2way.")] = "auto",
    corpus: Annotated[
        str,
        Option(
            help="auto, beetle or sciEntsBank (whose 5-way macro average leaves non_domain out), or other."
        ),
    ] = "auto",
    by: By = "item",
    *,
    options: ReportOptions,
) -> None:
    """Score labels of student answers (tab-separated run; gold tab-separated or SRA XML)."""
    from postil.data.formats.sra import LabelledItem, read_labels
    from postil.scoring.responses import guess_corpus, score_labels, tally_labels

    def labels(question: Question) -> Iterator[LabelledItem]:
        for answer in question.answers:
            yield LabelledItem(answer.id, answer.label or "", question.id, question.test_set, question.module)

    choose("--corpus", corpus, ("auto", "beetle", "sciEntsBank", "other"))
    items = _read_gold(gold, RESPONSE_SCHEMES, labels)
    runs = [(path, read_labels(path, RESPONSE_SCHEMES)) for path in options.runs(system)]
    chosen = _scheme(scheme, RESPONSE_SCHEMES, lambda: _fitting_scheme({gold: items, **dict(runs)}))
    name = guess_corpus(item.id for item in items) if corpus == "auto" else corpus
    tallies = _tallied(
        runs, gold, lambda run: tally_labels(items, {item.id: item.label for item in run}, chosen, name)
    )
    score = score_labels("sra", tallies[0], chosen, name)
    _report(score, {"task": "responses", "scheme": chosen.name}, tallies, options, _groups(by, items))


@app.command("facets")
@expand
def facets(
    system: System,
    gold: Gold,
    scheme: Annotated[str, Option(help="auto, 2way or 3way (with Contradicted).")] = "auto",
    by: By = "item",
    *,
    options: ReportOptions,
) -> None:
    """Score facets (partial entailment): Expressed, Unaddressed."""
    from postil.data.formats.sra import LabelledItem, read_labels
    from postil.scoring.responses import score_labels, tally_labels

    def labels(question: Question) -> Iterator[LabelledItem]:
        for answer in question.answers:
            for facet in answer.facets:
                yield LabelledItem(f"{facet.facet_id}*{answer.id}", facet.label, question.id)

    items = _read_gold(gold, FACET_SCHEMES, labels)
    runs = [(path, read_labels(path, FACET_SCHEMES)) for path in options.runs(system)]
    used = {item.label for file in (items, *(run for _, run in runs)) for item in file}
    chosen = _scheme(scheme, FACET_SCHEMES, lambda: "3way" if "Contradicted" in used else "2way")
    tallies = _tallied(
        runs, gold, lambda run: tally_labels(items, {item.id: item.label for item in run}, chosen)
    )
    score = score_labels("facets", tallies[0], chosen)
    _report(score, {"task": "facets", "scheme": chosen.name}, tallies, options, _groups(by, items))


@app.command("entailment")
@expand
def entailment(
    system: System,
    gold: Gold,
    scheme: Annotated[str, Option(help="auto, 2way or 3way.")] = "auto",
    *,
    options: ReportOptions,
) -> None:
    """Score entailment judgements (run with confidences or ranked; gold RTE XML or TSV)."""
    from postil.scoring.entailment import score_entailment, tally_entailment

    pairs = read_gold(gold)
    runs = [(path, read_run(path)) for path in options.runs(system)]
    used = {pair.label for pair in pairs} | {item.label for _, run in runs for item in run.judgements}
    chosen = _scheme(scheme, ENTAILMENT_SCHEMES, lambda: "2way" if "NO_ENTAILMENT" in used else "3way")
    tallies = _tallied(runs, gold, lambda run: tally_entailment(pairs, run, chosen))
    score = score_entailment(pairs, runs[0][1], chosen)
    _report(score, {"task": "entailment", "scheme": chosen.name}, tallies, options)


@app.command("alignment")
@expand
def alignment(system: System, gold: Gold, *, options: ReportOptions) -> None:
    """Score alignments of chunks (.wa files): F1, with type, with score, with both."""
    from postil.data.formats.ists import read_alignments
    from postil.scoring.alignment import score_alignments, tally_alignments

    pairs = read_alignments(gold)
    runs = [(path, read_alignments(path)) for path in options.runs(system)]
    tallies = _tallied(runs, gold, lambda run: tally_alignments(pairs, run))
    _report(score_alignments(pairs, runs[0][1]), {"task": "alignment"}, tallies, options)


@app.command("senses")
@expand
def senses(
    system: System,
    gold: Gold,
    granularity: Annotated[str, Option(help="fine, coarse or mixed.")] = "fine",
    sense_map: Annotated[Path | None, Option(help="The sense map, for coarse and mixed.")] = None,
    single_key: Annotated[bool, Option("--single-key", help="Only instances with one right sense.")] = False,
    *,
    options: ReportOptions,
) -> None:
    """Score word senses (answers against a key) as Senseval did."""
    from postil.data.formats.sensekeys import read_sense_answers, read_sense_key, read_sense_map
    from postil.scoring.senses import score_senses, tally_senses

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
        for path in options.runs(system)
    ]
    unknown = tallies[0].unknown
    if unknown:
        typer.echo(
            f"note: not in the key, and not counted: {number_of(len(unknown), 'answer')} ({some(unknown)})",
            err=True,
        )
    score = score_senses(tallies[0], granularity=granularity)
    _report(score, {"task": "senses", "granularity": granularity}, tallies, options)


def _read_gold(
    path: Path, schemes: Mapping[str, Scheme], labels: Callable[[Question], Iterator[LabelledItem]]
) -> list[LabelledItem]:
    """Read the gold of a run: tab-separated, or SRA XML (a file or a folder)."""
    from postil.data.formats.sra import read_corpus, read_labels

    if not is_folder(path) and path.suffix.lower() != ".xml":
        return read_labels(path, schemes)
    items = [item for question in read_corpus(path) for item in labels(question)]
    missing = next((item for item in items if not item.label), None)
    if missing is not None:
        what = "an answer has no label, but the gold needs one for every answer."
        raise InputError(path, what, record=missing.id)
    if not items:
        raise InputError(path, "contains no labels of this kind.")
    return items


def _scheme(name: str, schemes: Mapping[str, Scheme], auto: Callable[[], str]) -> Scheme:
    """The scheme asked for, or with `auto` the one that fits the labels."""
    return schemes[auto() if name == "auto" else choose("--scheme", name, tuple(schemes))]


def _fitting_scheme(files: Mapping[Path, Sequence[LabelledItem]]) -> str:
    """The scheme that the labels of the gold and of the runs fit."""
    labels = {str(path): {item.label for item in items} for path, items in files.items()}
    for path, used in labels.items():
        if not fitting_schemes(used, RESPONSE_SCHEMES):
            return choose_scheme(used, RESPONSE_SCHEMES, path).name  # which says what is wrong with this one
    return choose_scheme(set().union(*labels.values()), RESPONSE_SCHEMES, " with ".join(labels)).name


def _groups(by: str, items: Sequence[LabelledItem]) -> Groups:
    """The groups for resampling by question; None to resample by item."""
    from postil.scoring.significance import group_numbers

    if choose("--by", by, ("item", "question")) == "item":
        return None
    if not all(item.question_id for item in items):
        raise PostilError("the gold has no question ids (column 'qid').", hint="Use --by item.")
    return group_numbers([item.question_id for item in items])


def _tallied(
    runs: Sequence[tuple[Path, Run]], gold: Path, tally: Callable[[Run], AnyTally]
) -> list[AnyTally]:
    """Tally each run against the gold; a mismatch names the two files it is between."""
    tallies = []
    for path, run in runs:
        try:
            tallies.append(tally(run))
        except MismatchError as error:
            raise MismatchError(f"{path} and {gold}: {error.what}", hint=error.hint) from error
    return tallies


def _report(
    score: Score,
    head: Mapping[str, str],
    tallies: Sequence[Any],
    options: ReportOptions,
    groups: Groups = None,
) -> None:
    """Print a score, and the comparison with a second system if there is one."""
    from postil.scoring.significance import compare

    comparisons = {}
    if len(tallies) > 1:
        count, seed = options.iterations, options.seed
        comparisons = compare(*tallies, iterations=count, resamples=count, seed=seed, groups=groups)
    if not options.as_json:
        show_score(score, comparisons)
        return
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
    print_json(data)
