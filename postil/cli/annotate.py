"""`postil annotate`: make a labelled corpus with other people, from the plan to the release."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.errors import PostilError, number_of
from postil.senses.corpus.plan import FIRST_BATCH, SHARED_ITEMS, TEST_SHARE

if TYPE_CHECKING:
    from postil.data.formats.senseval import SenseInstance
    from postil.senses.corpus.items import Item
    from postil.senses.corpus.project import Project, Settings

app = typer.Typer(
    short_help="Make a labelled corpus: plan, tag twice, agree, arbitrate, release.",
    help="Make a labelled corpus with other people: several tag each item, and a referee decides.",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The project's folder.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


@app.command("plan")
def plan(
    context: typer.Context,
    folder: Folder,
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TEXTS",
            help="What to label, for a new project: lemmatised texts or lexical-sample XML (senses), "
            "RTE pairs (entailment), tables or SRA XML (responses).",
            show_default=False,
        ),
    ] = None,
    task: Annotated[str, typer.Option("--task", help="senses, entailment or responses.")] = "senses",
    people: Annotated[
        str, typer.Option("--people", metavar="NAMES", help="Who takes part: Ane,Miren,Jon.")
    ] = "",
    inventory: Annotated[
        Path | None,
        typer.Option("--inventory", metavar="FILE", help="A table of senses: word, sense, gloss."),
    ] = None,
    scheme: Annotated[
        str | None, typer.Option("--scheme", help="The labels: 5way, 3way or 2way.", show_default=False)
    ] = None,
    annotators: Annotated[int, typer.Option("--annotators", min=2, help="How many tag each item.")] = 2,
    referee: Annotated[
        bool,
        typer.Option("--referee/--no-referee", help="A referee decides, or disagreements are discarded."),
    ] = True,
    first: Annotated[
        int, typer.Option("--first", min=1, help="The first batch of each word, in which senses are counted.")
    ] = FIRST_BATCH,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn by chance.")] = 0,
    ending: Annotated[
        str, typer.Option("--sheets", help="The sheets' format: tsv, csv, xlsx, jsonl.")
    ] = "tsv",
) -> None:
    """Plan a project, or bring it up to date.

    With texts, a new project is made. Without, the editor's changes are applied, the senses that occur in the
    first batch say how many examples are needed, and the sheets grow; what is filled in stays.
    """
    from postil.cli.annotate_table import show_plan
    from postil.cli.inputs import choose
    from postil.senses.corpus.project import (
        TASKS,
        Settings,
        open_project,
        plan_draws,
        read_tags,
        write_sheets,
    )

    if sources:
        names = tuple(name.strip() for name in people.split(",") if name.strip())
        if not names:
            raise PostilError("a new project needs people.", hint="Name them: --people Ane,Miren,Jon.")
        labels = _labels(choose("--task", task, TASKS), scheme)
        settings = Settings(
            task, names, annotators, referee, first, seed, labels, f".{ending.lower().lstrip('.')}"
        )
        project = _create(folder, settings, sources, inventory)
    else:
        project = open_project(folder)
        _refuse_options(context)
    taggings = read_tags(project)
    draws = plan_draws(project, taggings)
    write_sheets(project, draws, taggings)
    show_plan(project, draws)


def _refuse_options(context: typer.Context) -> None:
    """Object to options that a project which exists would not heed."""
    options = [one for one in context.command.params if one.name and one.param_type_name == "option"]
    sources = {one.opts[0]: context.get_parameter_source(one.name or "") for one in options}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if given:
        raise PostilError(
            f"the project is planned already, and {', '.join(given)} would change nothing.",
            hint="Its settings are in project.json. Leave the option out, or name texts and a new folder.",
        )


def _labels(task: str, scheme: str | None) -> tuple[str, ...]:
    from postil.cli.inputs import choose
    from postil.data.labels import ENTAILMENT_SCHEMES, RESPONSE_SCHEMES

    if task == "senses":
        return ()
    schemes = ENTAILMENT_SCHEMES if task == "entailment" else RESPONSE_SCHEMES
    return schemes[choose("--scheme", scheme or next(iter(schemes)), tuple(schemes))].labels


def _create(folder: Path, settings: Settings, sources: Sequence[Path], inventory: Path | None) -> Project:
    from postil.senses.corpus.project import create_project
    from postil.senses.corpus.sheets import read_inventory

    if settings.task != "senses":
        return create_project(folder, settings, items=_items(settings.task, sources))
    if inventory is None:
        raise PostilError(
            "a project about senses needs a list of them.",
            hint="Give a table with the columns word, sense and gloss: --inventory FILE.",
        )
    senses = read_inventory(inventory)
    return create_project(folder, settings, instances=_instances(sources, senses.words), inventory=senses)


def _items(task: str, sources: Sequence[Path]) -> list[Item]:
    from postil.cli.table_options import read_source
    from postil.data.formats.rte import read_pairs
    from postil.senses.corpus.items import answer_items, pair_item

    if task == "entailment":
        return [pair_item(pair) for path in sources for pair in read_pairs(path)]
    return [item for path in sources for item in answer_items(read_source(path))]


def _instances(sources: Sequence[Path], words: Sequence[str]) -> list[SenseInstance]:
    """The occurrences of words: found in texts, or as a lexical-sample file has them."""
    from postil.data.formats.senseval import read_senseval
    from postil.senses.corpus.plan import occurrences, read_documents

    files = [path for path in sources if path.suffix.lower() == ".xml"]
    documents = [one for path in sources if path not in files for one in read_documents(path)]
    found = [one for path in files for one in read_senseval(path) if one.lexelt in words]
    found += occurrences(documents, words)
    missing = [word for word in words if word not in {one.lexelt for one in found}]
    if missing:
        raise PostilError(
            f"the texts do not have {', '.join(missing)}.",
            hint="A word is looked for by its lemma, or by lemma and part of speech: lemma.POS.",
        )
    return found


@app.command("merge")
def merge(
    folder: Folder,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SHEETS",
            help="Sheets that came back, each called after its annotator; else those in the project.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Check the annotators' sheets, and put what they say into one table, tags.tsv."""
    from postil.senses.corpus.project import (
        multiwords,
        open_project,
        plan_draws,
        read_tags,
        take_sheet,
        write_sheets,
    )
    from postil.senses.corpus.sheets import read_taggings, write_taggings

    project = open_project(folder)
    told = {(one.item, one.person): one for one in read_tags(project)}
    told |= {(one.item, one.person): one for path in files or () for one in take_sheet(project, path)}
    taggings = list(told.values())
    draws = plan_draws(project, taggings)
    write_sheets(project, draws, taggings, files or ())
    taggings, table = read_tags(project), folder / "tags.tsv"
    before = multiwords(project, read_taggings(table)) if table.exists() else {}
    write_taggings(table, taggings)
    for person in project.settings.people:
        groups = project.groups_of(person)
        wanted = {item for one in draws if one.group in groups for item in one.tagged}
        if wanted:
            done = sum(one.person == person and one.item in wanted for one in taggings)
            typer.echo(f"{person}: {done:,} of {number_of(len(wanted), 'item')} tagged")
    new = [f"{tag} ({group})" for group, tag in multiwords(project, taggings) if (group, tag) not in before]
    if new:
        typer.echo(f"note: new multiword terms: {', '.join(new)}", err=True)


@app.command("agree")
def agree(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER|TABLE", help="A project, or a table with id, annotator, tags.", show_default=False
        ),
    ],
    shared: Annotated[
        int, typer.Option("--shared", min=1, help="Means are over people who share this many items.")
    ] = SHARED_ITEMS,
    own_tags: Annotated[
        bool,
        typer.Option("--own-tags", help="Groups have tags of their own: kappa of two people by group."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Say how far the annotators agree: in each group, and each two of them."""
    from postil.cli.annotate_table import show_agreement
    from postil.senses.corpus.agreement import measure_agreement
    from postil.senses.corpus.arbitration import assigned
    from postil.senses.corpus.project import open_project, read_tags
    from postil.senses.corpus.sheets import read_taggings

    if source.is_dir():
        project = open_project(source)
        taggings, own_tags = assigned(read_tags(project), project.assignments), project.own_tags
    else:
        taggings = read_taggings(source)
    agreement = measure_agreement(taggings, shared=shared, own_tags=own_tags)
    if as_json:
        typer.echo(json.dumps(asdict(agreement), indent=2, ensure_ascii=False))
    else:
        show_agreement(agreement)


@app.command("arbitrate")
def arbitrate(folder: Folder) -> None:
    """Give the referees their disagreements, grouped by what was said; write labels.tsv once all are decided.

    Run it again after a sheet has been filled in.
    """
    from postil.senses.corpus.arbitration import settle
    from postil.senses.corpus.project import open_project, read_decisions, read_tags, write_disputes
    from postil.senses.corpus.sheets import write_outcomes

    project = open_project(folder)
    taggings, decisions = read_tags(project), read_decisions(project)
    waiting = write_disputes(project, taggings, decisions)
    for person, count in waiting.items():
        if count:
            sheet = project.sheet(person, referee=True)
            typer.echo(f"{person}: {number_of(count, 'disagreement')} to decide, in {sheet}")
    if any(waiting.values()):
        (folder / "labels.tsv").unlink(missing_ok=True)  # it says what was agreed before
        return
    outcomes = settle(taggings, decisions, project.assignments)
    write_outcomes(folder / "labels.tsv", outcomes)
    counts = Counter(one.how for one in outcomes)
    told = ", ".join(f"{count:,} {how}" for how, count in counts.items())
    typer.echo(f"{number_of(len(outcomes), 'item')}: {told}; wrote {folder / 'labels.tsv'}.", err=True)


@app.command("release")
def release(
    folder: Folder,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="TARGET", help="The folder to write.", show_default=False),
    ],
    test_share: Annotated[
        float, typer.Option("--test-share", help="The share of test items, drawn by chance.")
    ] = TEST_SHARE,
    as_json: Json = False,
) -> None:
    """Write the corpus: training and test items, keys, untagged examples and the figures."""
    from postil.senses.corpus.project import open_project
    from postil.senses.corpus.release import release as write

    figures = write(open_project(folder), output, test_share=test_share)
    if as_json:
        typer.echo(json.dumps(figures, indent=2, ensure_ascii=False))
        return
    typer.echo(
        f"{number_of(figures['items'], 'item')}: {figures['train']:,} to train, {figures['test']:,} to test; "
        f"{figures['untagged']:,} untagged, {figures['removed']:,} removed, "
        f"{figures['unfinished']:,} unfinished; wrote {output}.",
        err=True,
    )
