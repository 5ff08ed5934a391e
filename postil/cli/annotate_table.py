"""The plan and the agreement of an annotation project as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.markup import escape
from rich.table import Table

from postil.cli.show import console
from postil.errors import number_of
from postil.senses.corpus.agreement import Agreement, GroupAgreement
from postil.senses.corpus.items import by_group
from postil.senses.corpus.plan import Draw
from postil.senses.corpus.project import Project


def show_plan(project: Project, draws: Sequence[Draw]) -> None:
    """Print how many items each group has and needs, and who does what."""
    found = by_group(project.items.values())
    table = Table(box=None, pad_edge=False)
    for name in ("group", "found", "needed", "to tag", "untagged", "annotators", "referee"):
        table.add_column(name, justify="left" if name in ("group", "annotators", "referee") else "right")
    for one in draws:
        who = project.assignments[one.group]
        counts = (len(found[one.group]), one.needed, len(one.tagged), len(one.untagged))
        table.add_row(escape(one.group), *map(str, counts), ", ".join(who.annotators), who.referee or "–")
    console().print(table)
    short = [one.group for one in draws if len(one.tagged) < one.needed]
    if short:
        typer.echo(f"note: too few occurrences in the texts: {', '.join(short)}", err=True)
    typer.echo(f"The sheets to fill in are in {project.folder / 'sheets'}.", err=True)


def show_agreement(agreement: Agreement) -> None:
    """Print agreement in each group, between each two people, and over all."""
    out = console()
    groups, people = Table(box=None, pad_edge=False), Table(box=None, pad_edge=False)
    for name in ("group", "items", "agreement", "identical", "kappa", "tags per item"):
        groups.add_column(name, justify="left" if name == "group" else "right")
    for one in (*agreement.groups, agreement.overall):
        groups.add_row(*_row(one), style="bold" if one is agreement.overall else None)
    for name in ("people", "items", "agreement", "kappa"):
        people.add_column(name, justify="left" if name == "people" else "right")
    for pair in agreement.pairs:
        people.add_row(", ".join(pair.people), str(pair.items), f"{pair.agreement:.3f}", f"{pair.kappa:.3f}")
    out.print(groups)
    out.print()
    out.print(people)
    out.print()
    if agreement.mean_agreement is None or agreement.mean_kappa is None:
        out.print(f"No two people share {number_of(agreement.shared, 'item')} (--shared).")
    else:
        out.print(
            f"Mean over pairs of people who share at least {number_of(agreement.shared, 'item')}: "
            f"agreement {agreement.mean_agreement:.3f}, kappa {agreement.mean_kappa:.3f}."
        )
    if agreement.seconds is not None:
        out.print(f"{agreement.seconds:.0f} seconds an item and annotator.")


def _row(one: GroupAgreement) -> tuple[str, ...]:
    shares = (f"{value:.3f}" for value in (one.agreement, one.identical, one.kappa))
    return escape(one.group), str(one.items), *shares, f"{one.tags_per_item:.2f}"
