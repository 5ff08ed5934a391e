"""`postil similarity`: how alike two words or two texts are, by every measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from postil.cli.options import JsonOption
from postil.errors import PostilError


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the table: which measure, its value, and by which senses it came about."""

    family: str
    measure: str
    title: str
    value: float
    by: str = ""


def similarity(
    first: Annotated[str, typer.Argument(metavar="WORD|TEXT", help="A word or a text.")],
    second: Annotated[str, typer.Argument(metavar="WORD|TEXT", help="Another word or text.")],
    as_json: JsonOption = False,
) -> None:
    """Show how alike two words or two texts are, by every measure."""
    first, second = first.strip(), second.strip()
    if not first or not second:
        raise PostilError("one of the two is empty.", hint="Give two words or two texts, in quotes.")
    are_words = len(first.split()) == len(second.split()) == 1
    rows = list(_word_rows(first, second) if are_words else _text_rows(first, second))
    relation = _relation(first, second) if are_words else ""
    if as_json:
        from postil.cli.show import print_json

        measures = [asdict(row) for row in rows]
        print_json({"first": first, "second": second, "relation": relation or None, "measures": measures})
    else:
        _show(rows, relation)


def _word_rows(first: str, second: str) -> Iterator[_Row]:
    from postil.language.words.spaces import lda, lsa
    from postil.language.words.walks import similarity as walk_similarity
    from postil.language.words.wordnet import wordnet
    from postil.language.words.wordnet_measures import MEASURES, best_senses, word_similarity

    wn = wordnet()
    for word in (first, second):
        if not wn.synsets(word):
            typer.echo(f"WordNet does not know {word!r}; its measures are 0.", err=True)
    for measure in MEASURES.values():
        senses = best_senses(first, second, measure.name)
        by = " – ".join(wn.name(sense) for sense in senses) if senses else ""
        yield _Row("WordNet", measure.name, measure.title, word_similarity(first, second, measure.name), by)
    words = [first.lower()], [second.lower()]
    yield _Row("graph", "walk", "personalised PageRank", walk_similarity(*words))
    yield _Row("corpus", "lsa", "latent semantic analysis", lsa().similarity(*words))
    yield _Row("corpus", "lda", "latent topics", lda().similarity(*words))


def _text_rows(first: str, second: str) -> Iterator[_Row]:
    from postil.language.measures.texts import TEXT_MEASURES, compare
    from postil.language.pipeline import analyse_many

    for name, value in compare(*analyse_many([first, second])).items():
        measure = TEXT_MEASURES[name]
        yield _Row(measure.family, name, measure.title, value)


def _relation(first: str, second: str) -> str:
    from postil.language.words.relations import word_relation

    relation = word_relation(first, second)
    return f"{first} {relation.value} {second}" if relation else ""


def _show(rows: list[_Row], relation: str) -> None:
    from rich.text import Text

    from postil.cli.show import console, table

    with_senses = any(row.by for row in rows)
    senses = ["by the senses"] if with_senses else []
    measures = table("family", "measure", "what it is", "value", *senses, right=("value",))
    before = ""
    for row in rows:
        cells = (row.family if row.family != before else "", row.measure, row.title, f"{row.value:.4f}")
        measures.add_row(*(Text(cell) for cell in (*cells, *([row.by] if with_senses else []))))
        before = row.family
    out = console()
    out.print(measures)
    if relation:
        out.print()
        out.print(Text(f"{relation}."))
