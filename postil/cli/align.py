"""`postil align`: which chunks of two sentences belong together, how, and how strongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from postil.cli.options import choose, expand, refuse_output
from postil.cli.show import console, note_long, print_json, print_text, progress_bar
from postil.data.files import write_text
from postil.data.judgements import APPROXIMATE, AlignedPair, ChunkedPair
from postil.errors import MissingDataError, PostilError, number_of, some

_BATCH = 64
_FILES = (".wa", ".txt")


@dataclass(frozen=True, slots=True)
class AlignOptions:
    """Whose chunks to align, and what to do with the result."""

    chunks: Annotated[
        str | None,
        Option(
            metavar="gold|system",
            help="Read chunks from the files NAME.sent1.chunk.txt and NAME.sent2.chunk.txt (gold), or find "
            "them (system); by default gold if the files exist.",
        ),
    ] = None
    output: Annotated[Path | None, Option("--output", "-o", help="Write an alignment file (.wa).")] = None
    svg: Annotated[
        Path | None, Option(help="Draw one pair (.svg), or any number of pairs in a web page (.html).")
    ] = None
    as_json: Annotated[bool, Option("--json", help="Print one pair as JSON on standard output.")] = False


@expand
def align(
    given: Annotated[
        list[str],
        Argument(
            metavar="SENTENCE|FILE",
            help="Two sentences in quotes; an alignment file (its alignments are ignored); or two files "
            "with one sentence per line, or with chunks (.chunk.txt).",
        ),
    ],
    *,
    options: AlignOptions,
    check: Annotated[
        bool, Option("--check", help="Do not align; list where FILE.wa breaks the annotation rules.")
    ] = False,
) -> None:
    """Align the chunks of two sentences, with the type and the score of each link, and say what differs.

    With --check, verify a human annotation instead; the exit status is 2 if it breaks a rule.
    """
    if check:
        _check(given, alone=options == AlignOptions())
        return
    if options.chunks is not None:
        choose("--chunks", options.chunks, ("gold", "system"))
    refuse_output(options.output, (".wa",))
    refuse_output(options.svg, (".svg", ".html"))
    aligned = _aligned(given, options)
    _warn_of_approximate(aligned)
    _write(aligned, options)


def _aligned(inputs: Sequence[str], options: AlignOptions) -> list[AlignedPair]:
    """Align two sentences, or the pairs of files."""
    from postil.data.formats.chunks import read_pairs

    files = _files(inputs)
    if not files:
        return [_align_texts(inputs, options.chunks)]
    pairs = read_pairs(files)
    if len(pairs) > 1 and options.as_json:
        raise PostilError(f"--json shows one pair, but there are {len(pairs):,}.", hint="Use -o FILE.wa.")
    if len(pairs) > 1 and options.svg is not None and options.svg.suffix.lower() == ".svg":
        what = f"an .svg file shows one pair, but there are {len(pairs):,}."
        raise PostilError(what, hint="Name an .html file.")
    return _align_files(pairs, _gold_chunks(files, pairs, options.chunks))


def _write(pairs: Sequence[AlignedPair], options: AlignOptions) -> None:
    """Write the files that were asked for; print the pairs as JSON, or if there is no file, as a table."""
    from postil.data.formats.ists import write_alignments
    from postil.explain.alignment_picture import alignment_page, alignment_svg
    from postil.explain.alignments import plain_alignment

    if options.output is not None:
        write_alignments(options.output, pairs)
    if options.svg is not None:
        single = options.svg.suffix.lower() == ".svg"
        write_text(
            options.svg, f"{alignment_svg(pairs[0])}\n" if single else alignment_page(_explained(pairs))
        )
    written = [str(path) for path in (options.output, options.svg) if path is not None]
    if options.as_json:
        ((pair, explanation),) = _explained(pairs)
        print_json({**plain_alignment(pair), "explanation": explanation})
    elif written:
        typer.echo(f"Aligned {number_of(len(pairs), 'pair')}; wrote {' and '.join(written)}.", err=True)
    else:
        _show(pairs)


def _files(inputs: Sequence[str]) -> list[Path]:
    """The files that the arguments name; none if they are sentences."""
    if len(inputs) > 2:
        what = f"{len(inputs)} sentences or files were given, but only two can be aligned."
        raise PostilError(what, hint="Put each sentence in quotes.")
    named = [_is_file(text) for text in inputs]
    if len(inputs) == 1 and not (named[0] and inputs[0].lower().endswith(".wa")):
        raise PostilError(
            "there is only one sentence or file; it takes two to align.",
            hint="Put each sentence in quotes. Only an alignment file (.wa) holds both sentences.",
        )
    if not any(named):
        return []
    if not all(named):
        what = "one of the two is a file, the other a sentence."
        raise PostilError(what, hint="Give two files or two sentences.")
    if len(inputs) == 2 and any(text.lower().endswith(".wa") for text in inputs):
        what = "an alignment file holds both sentences of each pair."
        raise PostilError(what, hint="Name it alone, or two .txt files.")
    return [Path(text) for text in inputs]


def _is_file(text: str) -> bool:
    """Whether an argument names a file: one that exists, or a single word with the ending of a file."""
    if text.lower().endswith(_FILES) and len(text.split()) == 1:
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, as sentences are
        return False


def _gold_chunks(
    files: Sequence[Path], pairs: Sequence[AlignedPair], chunks: str | None
) -> list[ChunkedPair] | None:
    """The gold chunks, or None if Postil finds the chunks itself."""
    from postil.data.formats.chunks import chunk_files, read_gold_chunks

    gold = chunk_files(files)
    missing = [file for file in gold if not file.is_file()]
    if chunks == "system" or (chunks is None and missing):
        return None
    if missing:
        what = f"{missing[0]}: this file of gold chunks does not exist."
        raise MissingDataError(what, hint="To let Postil find the chunks, use --chunks system.")
    return read_gold_chunks(pairs, gold)


def _align_texts(sentences: Sequence[str], chunks: str | None) -> AlignedPair:
    from postil.alignment.aligner import MOST_ALIGNED, load_aligner

    if chunks == "gold":
        what = "sentences on the command line have no gold chunks."
        raise PostilError(what, hint="Give two .chunk.txt files.")
    first, second = (" ".join(text.split()) for text in sentences)
    if not first or not second:
        raise PostilError("one of the two sentences is empty.", hint="Give two sentences, in quotes.")
    note_long([("the first sentence", first), ("the second sentence", second)], MOST_ALIGNED)
    (aligned,) = load_aligner().align_texts([(first, second)])
    if not aligned.source or not aligned.target:
        raise PostilError("one of the two sentences holds no words.", hint="Give two sentences, in quotes.")
    # In the file's format a sentence is its tokens, so these are written, not the text they were cut from.
    return replace(aligned, id="1", source_text="", target_text="")


def _align_files(pairs: Sequence[AlignedPair], gold: Sequence[ChunkedPair] | None) -> list[AlignedPair]:
    """Align pairs batch by batch, so that a bar can show the progress."""
    from postil.alignment.aligner import MOST_ALIGNED, load_aligner, own_chunks

    names = [f"pair {pair.id}" for pair in pairs for _ in range(2)]
    words = (" ".join(tokens) for pair in pairs for tokens in (pair.source, pair.target))
    note_long(zip(names, words, strict=True), MOST_ALIGNED)
    aligner = load_aligner()
    aligned: list[AlignedPair] = []
    with progress_bar("Aligning", "pairs") as progress:
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            chunked = own_chunks(batch) if gold is None else gold[start : start + _BATCH]
            for pair, result in zip(batch, aligner.align(chunked), strict=True):
                # The sentences as the file writes them, which chunks do not tell.
                aligned.append(replace(pair, alignments=result.alignments, status=result.status))
            if progress:
                progress(len(aligned), len(pairs))
    return aligned


def _warn_of_approximate(pairs: Sequence[AlignedPair]) -> None:
    """Say which pairs were too large for the optimiser to be sure."""
    names = [pair.id for pair in pairs if pair.status == APPROXIMATE]
    if names:
        typer.echo(
            f"warning: {number_of(len(names), 'pair')} ({some(names, 5)}): so many chunks are alike that the "
            "links may not be the best possible.",
            err=True,
        )


def _explained(pairs: Sequence[AlignedPair]) -> Iterator[tuple[AlignedPair, str]]:
    """Each pair with the sentence that says what its alignment shows."""
    from postil.explain.explanation import explain
    from postil.language.pipeline import analyse_tokens

    documents = iter(analyse_tokens(tokens for pair in pairs for tokens in (pair.source, pair.target)))
    for pair in pairs:
        yield pair, explain(pair, next(documents), next(documents))


def _show(pairs: Sequence[AlignedPair]) -> None:
    from rich.text import Text

    from postil.explain.alignments import alignment_table, legend_line

    out = console()
    for pair, explanation in _explained(pairs):
        if len(pairs) > 1:
            out.print(Text(f"pair {pair.id}", "bold"))
        out.print(alignment_table(pair))
        out.print()
        print_text(explanation)
        out.print(legend_line(pair), soft_wrap=not out.is_terminal)
        if len(pairs) > 1:
            out.print()


def _check(files: Sequence[str], *, alone: bool) -> None:
    from postil.data.formats.ists_rules import check_annotation

    if not alone or not all(text.lower().endswith(".wa") for text in files):
        raise PostilError("--check takes alignment files (.wa) and no other option.")
    broken = 0
    for file in files:
        problems = check_annotation(file)
        for problem in problems:
            record = f" ({problem.record})" if problem.record else ""
            typer.echo(f"{file}:{problem.line}: {problem.what}{record}")
        typer.echo(f"{file}: {number_of(len(problems), 'problem') if problems else 'follows all rules'}")
        broken += len(problems)
    if broken:
        raise typer.Exit(2)
