"""`postil annotate`: make a labelled corpus with other people, from the plan to the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli.options import JsonOption, choose
from postil.cli.show import console, print_json, table
from postil.data.formats.rte import read_pairs
from postil.data.formats.senseval import SenseInstance, read_senseval
from postil.data.labels import ENTAILMENT_SCHEMES, RESPONSE_SCHEMES
from postil.errors import PostilError, number_of
from postil.senses.corpus.plan import FIRST_BATCH, SHARED_ITEMS, TEST_SHARE, Draw

if TYPE_CHECKING:
    from postil.senses.corpus.agreement import Agreement
    from postil.senses.corpus.items import Item
    from postil.senses.corpus.project import Project, Settings

app = typer.Typer(
    short_help="Make a labelled corpus: plan, tag twice, agree, arbitrate, release.",
    help="Make a labelled corpus with other people: several people tag each item, and a referee decides.",
    no_args_is_help=True,
)

Folder = Annotated[Path, Argument(metavar="FOLDER", help="The project's folder.")]


@app.command("plan")
def plan(
    context: typer.Context,
    folder: Folder,
    sources: Annotated[
        list[Path] | None,
        Argument(
            metavar="TEXTS",
            help="What to label in a new project: lemmatised texts or lexical-sample XML (senses), "
            "RTE pairs (entailment), tables or SRA XML (responses).",
        ),
    ] = None,
    task: Annotated[str, Option(help="senses, entailment or responses.")] = "senses",
    people: Annotated[
        str, Option(metavar="NAMES", help="Who takes part, separated by commas: Ane,Miren,Jon.")
    ] = "",
    inventory: Annotated[
        Path | None, Option(metavar="FILE", help="A table of senses: word, sense, gloss.")
    ] = None,
    scheme: Annotated[str | None, Option(help="The labels: 5way, 3way or 2way.")] = None,
    annotators: Annotated[int, Option(min=2, help="How many people tag each item.")] = 2,
    referee: Annotated[
        bool, Option("--referee/--no-referee", help="Let a referee decide, or discard disagreements.")
    ] = True,
    first: Annotated[
        int, Option(min=1, help="Size of the first batch for each word, in which senses are counted.")
    ] = FIRST_BATCH,
    seed: Annotated[int, Option(help="Seed of the random choices.")] = 0,
    ending: Annotated[str, Option("--sheets", help="Format of the sheets: tsv, csv, xlsx or jsonl.")] = "tsv",
) -> None:
    """Plan a project, or bring it up to date.

    With texts, this makes a new project. Without, it applies the editor's changes, works out from the senses
    in the first batch how many examples are needed, and extends the sheets; what is filled in stays.
    """
    from postil.senses.corpus import project as projects

    if sources:
        names = tuple(name.strip() for name in people.split(",") if name.strip())
        if not names:
            raise PostilError("a new project needs people.", hint="Name them: --people Ane,Miren,Jon.")
        labels = _labels(choose("--task", task, projects.TASKS), scheme)
        settings = projects.Settings(
            task, names, annotators, referee, first, seed, labels, f".{ending.lower().lstrip('.')}"
        )
        project = _create(folder, settings, sources, inventory)
    else:
        project = projects.open_project(folder)
        _refuse_options(context)
    taggings = projects.read_tags(project)
    draws = projects.plan_draws(project, taggings)
    projects.write_sheets(project, draws, taggings)
    _show_plan(project, draws)


def _refuse_options(context: typer.Context) -> None:
    """Refuse options that would have no effect because the project has been planned already."""
    options = [option for option in context.command.params if option.param_type_name == "option"]
    sources = {option.opts[0]: context.get_parameter_source(option.name or "") for option in options}
    used = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if used:
        raise PostilError(
            f"the project has been planned already, so {', '.join(used)} would have no effect.",
            hint="Its settings are in project.json. Leave the option out, or name texts and a new folder.",
        )


def _labels(task: str, scheme: str | None) -> tuple[str, ...]:
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
        what = "a project about senses needs a list of them."
        raise PostilError(what, hint="Give a table with the columns word, sense and gloss: --inventory FILE.")
    senses = read_inventory(inventory)
    return create_project(folder, settings, instances=_instances(sources, senses.words), inventory=senses)


def _items(task: str, sources: Sequence[Path]) -> list[Item]:
    from postil.cli.options import read_source
    from postil.senses.corpus.items import answer_items, pair_item

    if task == "entailment":
        return [pair_item(pair) for path in sources for pair in read_pairs(path)]
    return [item for path in sources for item in answer_items(read_source(path))]


def _instances(sources: Sequence[Path], words: Sequence[str]) -> list[SenseInstance]:
    """The occurrences of words: found in texts, or as a lexical-sample file has them."""
    from postil.senses.corpus.plan import occurrences, read_documents

    files = [path for path in sources if path.suffix.lower() == ".xml"]
    documents = [document for path in sources if path not in files for document in read_documents(path)]
    listed = [instance for path in files for instance in read_senseval(path) if instance.lexelt in words]
    instances = [*listed, *occurrences(documents, words)]
    known = {instance.lexelt for instance in instances}
    missing = [word for word in words if word not in known]
    if missing:
        raise PostilError(
            f"the texts do not contain {', '.join(missing)}.",
            hint="Words are found by their lemma, or by lemma and part of speech: lemma.POS.",
        )
    return instances


@app.command("merge")
def merge(
    folder: Folder,
    files: Annotated[
        list[Path] | None,
        Argument(
            metavar="SHEETS",
            help="Sheets that came back, each named after its annotator; by default those in the project.",
        ),
    ] = None,
) -> None:
    """Check the annotators' sheets, and collect their tags in one table, tags.tsv."""
    from postil.senses.corpus import project as projects
    from postil.senses.corpus.sheets import read_taggings, write_taggings

    project = projects.open_project(folder)
    sheets = (tagging for path in files or () for tagging in projects.take_sheet(project, path))
    latest = {(tagging.item, tagging.person): tagging for tagging in (*projects.read_tags(project), *sheets)}
    taggings = list(latest.values())
    draws = projects.plan_draws(project, taggings)
    projects.write_sheets(project, draws, taggings, files or ())
    taggings, table = projects.read_tags(project), folder / "tags.tsv"
    before = projects.multiwords(project, read_taggings(table)) if table.exists() else {}
    write_taggings(table, taggings)
    for person in project.settings.people:
        groups = project.groups_of(person)
        items = {item for draw in draws if draw.group in groups for item in draw.tagged}
        if items:
            done = sum(tagging.person == person and tagging.item in items for tagging in taggings)
            typer.echo(f"{person}: {done:,} of {number_of(len(items), 'item')} tagged")
    new = [
        f"{tag} ({group})"
        for group, tag in projects.multiwords(project, taggings)
        if (group, tag) not in before
    ]
    if new:
        typer.echo(f"note: new multiword terms: {', '.join(new)}", err=True)


@app.command("agree")
def agree(
    source: Annotated[
        Path, Argument(metavar="FOLDER|TABLE", help="A project, or a table with id, annotator, tags.")
    ],
    shared: Annotated[
        int, Option(min=1, help="Average over pairs of people who share at least this many items.")
    ] = SHARED_ITEMS,
    own_tags: Annotated[
        bool,
        Option(
            "--own-tags", help="Groups have their own tags: compute the kappa of two people group by group."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Report how well the annotators agree, in each group and pair by pair."""
    from postil.senses.corpus.agreement import assigned, measure_agreement
    from postil.senses.corpus.project import open_project, read_tags
    from postil.senses.corpus.sheets import read_taggings

    if source.is_dir():
        project = open_project(source)
        taggings, own_tags = assigned(read_tags(project), project.assignments), project.own_tags
    else:
        taggings = read_taggings(source)
    agreement = measure_agreement(taggings, shared=shared, own_tags=own_tags)
    if as_json:
        print_json(asdict(agreement))
    else:
        _show_agreement(agreement)


@app.command("arbitrate")
def arbitrate(folder: Folder) -> None:
    """Give the referees the disagreements to decide; write labels.tsv once all are decided.

    Run it again after a sheet has been filled in.
    """
    from postil.senses.corpus.agreement import settle
    from postil.senses.corpus.project import open_project, read_tags, write_disputes
    from postil.senses.corpus.sheets import write_outcomes

    project = open_project(folder)
    taggings, decisions = read_tags(project), read_tags(project, referee=True)
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
    counts = Counter(outcome.how for outcome in outcomes)
    ways = ", ".join(f"{count:,} {how}" for how, count in counts.items())
    typer.echo(f"{number_of(len(outcomes), 'item')}: {ways}; wrote {folder / 'labels.tsv'}.", err=True)


@app.command("release")
def release(
    folder: Folder,
    output: Annotated[Path, Option("--output", "-o", metavar="TARGET", help="The folder to write.")],
    test_share: Annotated[float, Option(help="The share of test items, chosen at random.")] = TEST_SHARE,
    as_json: JsonOption = False,
) -> None:
    """Write the corpus: training and test items, keys, untagged examples and the figures."""
    from postil.senses.corpus.project import open_project
    from postil.senses.corpus.release import release as write

    figures = write(open_project(folder), output, test_share=test_share)
    if as_json:
        print_json(figures)
        return
    typer.echo(
        f"{number_of(figures['items'], 'item')}: {figures['train']:,} to train, {figures['test']:,} to test; "
        f"{figures['untagged']:,} untagged, {figures['removed']:,} removed, "
        f"{figures['unfinished']:,} unfinished; wrote {output}.",
        err=True,
    )


def _show_plan(project: Project, draws: Sequence[Draw]) -> None:
    """Print how many items each group has and needs, and who does what."""
    from rich.markup import escape

    from postil.senses.corpus.items import by_group

    items = by_group(project.items.values())
    numbers = ("found", "needed", "to tag", "untagged")
    groups = table("group", *numbers, "annotators", "referee", right=numbers)
    for draw in draws:
        people = project.assignments[draw.group]
        counts = (len(items[draw.group]), draw.needed, len(draw.tagged), len(draw.untagged))
        groups.add_row(
            escape(draw.group), *map(str, counts), ", ".join(people.annotators), people.referee or "–"
        )
    console().print(groups)
    short = [draw.group for draw in draws if len(draw.tagged) < draw.needed]
    if short:
        typer.echo(f"note: too few occurrences in the texts: {', '.join(short)}", err=True)
    typer.echo(f"The sheets to fill in are in {project.folder / 'sheets'}.", err=True)


def _show_agreement(agreement: Agreement) -> None:
    """Print agreement in each group, between each two people, and over all."""
    from rich.markup import escape

    out = console()
    numbers = ("items", "agreement", "identical", "kappa", "tags per item")
    groups = table("group", *numbers, right=numbers)
    for group in (*agreement.groups, agreement.overall):
        figures = (f"{value:.3f}" for value in (group.agreement, group.identical, group.kappa))
        row = (escape(group.group), str(group.items), *figures, f"{group.tags_per_item:.2f}")
        groups.add_row(*row, style="bold" if group is agreement.overall else None)
    shares = ("items", "agreement", "kappa")
    people = table("people", *shares, right=shares)
    for pair in agreement.pairs:
        people.add_row(", ".join(pair.people), str(pair.items), f"{pair.agreement:.3f}", f"{pair.kappa:.3f}")
    for part in (groups, "", people, ""):
        out.print(part)
    if agreement.mean_agreement is None or agreement.mean_kappa is None:
        out.print(f"No two people share {number_of(agreement.shared, 'item')} (--shared).")
    else:
        out.print(
            f"Mean over pairs of people who share at least {number_of(agreement.shared, 'item')}: "
            f"agreement {agreement.mean_agreement:.3f}, kappa {agreement.mean_kappa:.3f}."
        )
    if agreement.seconds is not None:
        out.print(f"{agreement.seconds:.0f} seconds per item and annotator.")
