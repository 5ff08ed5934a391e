"""`postil senses`: learn the senses of words from labelled examples, tag new ones, score a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from postil.cli import score
from postil.cli.options import ModelFolder, refuse_file, refuse_output
from postil.cli.show import console, progress_bar, table
from postil.data.formats.senseval import SenseInstance, read_senseval, write_senseval
from postil.errors import InputError, PostilError, number_of, some

if TYPE_CHECKING:
    from postil.data.formats.sensekeys import SenseAnswer
    from postil.senses.tagger import Tagger

app = typer.Typer(
    short_help="Tell the senses of words apart, in any language.",
    help="Learn the senses of words from labelled examples, and tag new ones; in any language.",
    no_args_is_help=True,
)


@app.command("train")
def train(
    source: Annotated[Path, Argument(metavar="FILE", help="A labelled lexical-sample file.")],
    output: ModelFolder,
    system: Annotated[
        str,
        Option(
            help="The system; `postil bench systems` lists them. For English, "
            "postil-encoder is better but slower."
        ),
    ] = "postil",
    untagged: Annotated[Path | None, Option(help="Examples without labels, for self-training.")] = None,
    seed: Annotated[int, Option(min=0, help="Seed of the random generator.")] = 0,
) -> None:
    """Learn each word of a file from its labelled examples."""
    from postil.senses.systems import find_recipe
    from postil.senses.tagger import train_tagger

    find_recipe(system)  # a mistyped name shows before the work
    refuse_file(output)
    instances = read_senseval(source)
    learned = {instance.lexelt for instance in instances if instance.senses}
    if not learned:
        raise InputError(source, "no instance has a sense to learn from.", hint="Is it the training file?")
    examples = [] if untagged is None else read_senseval(untagged)
    if untagged is not None and not any(instance.lexelt in learned for instance in examples):
        words = some(sorted(learned))
        typer.echo(f"note: {untagged}: no example of {words}: nothing to learn from.", err=True)
    with progress_bar("Training") as progress:
        tagger = train_tagger(instances, system, untagged=examples, seed=seed, progress=progress)
    tagger.save(output)
    _show(tagger, instances)
    typer.echo(
        f"\nThe model is in {output}. To tag with it: postil senses tag {output} FILE -o RUN\n"
        f"To see how well it does: postil bench senses --train {source} --system {system}"
    )


@app.command("tag")
def tag(
    model: Annotated[Path, Argument(metavar="MODEL", help="The model's folder.")],
    source: Annotated[Path, Argument(metavar="FILE", help="A lexical-sample file; its labels are ignored.")],
    output: Annotated[Path, Option("--output", "-o", metavar="RUN", help="Where to write the run.")],
    threshold: Annotated[
        float, Option(min=0, max=1, help="Give no answer if the best sense is less likely than this.")
    ] = 0.0,
    weighted: Annotated[
        bool, Option("--weighted", help="Give all likely senses, each with its weight.")
    ] = False,
) -> None:
    """Answer each instance of a file with its most likely sense."""
    from postil.data.formats.sensekeys import write_sense_answers
    from postil.senses.tagger import load_tagger

    refuse_output(output)
    tagger = load_tagger(model)
    instances = read_senseval(source)
    answers = tagger.predict(instances, threshold=threshold, weighted=weighted)
    _warn_of_unanswered(tagger, instances, answers)
    write_sense_answers(output, answers)
    counts = f"{number_of(len(answers), 'answer')} to {number_of(len(instances), 'instance')}"
    typer.echo(f"{counts}; wrote {output}.")


app.command("evaluate")(score.senses)


@app.command("lemmatise")
def lemmatise(
    source: Annotated[Path, Argument(metavar="FILE", help="A lexical-sample file of raw Basque.")],
    output: Annotated[Path, Option("--output", "-o", metavar="FILE", help="Where to write it.")],
    dictionary: Annotated[Path | None, Option(help="The analyser's dictionary (.automorf.bin).")] = None,
) -> None:
    """Add lemma, part of speech and case, with Apertium's analyser (lt-proc), a separate program."""
    from postil.senses import apertium

    refuse_output(output)
    instances = apertium.lemmatise(read_senseval(source), dictionary=dictionary or apertium.DICTIONARY)
    write_senseval(output, instances, lemmatised=True)
    tokens = [token for instance in instances for token in instance.tokens]
    known = sum(bool(token.lemma) for token in tokens)
    typer.echo(f"{known:,} of {number_of(len(tokens), 'token')} now have a lemma; wrote {output}.")


def _show(tagger: Tagger, instances: list[SenseInstance]) -> None:
    counts = Counter(instance.lexelt for instance in instances if instance.senses)
    senses = {(instance.lexelt, sense) for instance in instances for sense in instance.senses}
    sizes = Counter(word for word, _ in senses)
    words = table("word", "examples", "senses", right=("examples", "senses"))
    for word in tagger.words_:
        words.add_row(word, f"{counts[word]:,}", str(sizes[word]))
    console().print(words)


def _warn_of_unanswered(tagger: Tagger, instances: list[SenseInstance], answers: list[SenseAnswer]) -> None:
    """Warn of words that the model does not know; if it answers nothing at all, that is an error."""
    unknown = sorted({instance.lexelt for instance in instances} - set(tagger.words_))
    known = f"The model knows {some(sorted(tagger.words_))}."
    if not answers:
        raise PostilError("no instance could be answered.", hint=known if unknown else "Lower --threshold.")
    if unknown:
        typer.echo(f"note: not in the model, and not answered: {some(unknown)}", err=True)
