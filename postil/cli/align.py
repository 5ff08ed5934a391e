"""`postil align`: which chunks of two sentences belong together, how, and how strongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.options import choose, refuse_output
from postil.errors import MissingDataError, PostilError, number_of, some

if TYPE_CHECKING:
    from postil.data.judgements import AlignedPair, ChunkedPair

_BATCH = 64
_FILES = (".wa", ".txt")


def align(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="SENTENCE|FILE",
            help="Two sentences in quotes; an alignment file (its alignments are ignored); or two files "
            "with one sentence per line, or with chunks (.chunk.txt).",
        ),
    ],
    chunks: Annotated[
        str | None,
        typer.Option(
            "--chunks",
            metavar="gold|system",
            help="Read chunks from the files NAME.sent1.chunk.txt and NAME.sent2.chunk.txt (gold), or find "
            "them (system); by default gold if the files exist.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write an alignment file (.wa).")
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", help="Draw one pair (.svg), or any number of pairs in a web page (.html)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one pair as JSON on standard output.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Do not align; list where FILE.wa breaks the annotation rules."),
    ] = False,
) -> None:
    """Align the chunks of two sentences, with the type and the score of each link, and say what differs.

    With --check, verify a human annotation instead; the exit status is 2 if it breaks a rule.
    """
    from postil.cli.show import print_json
    from postil.data.formats.chunks import read_pairs
    from postil.explain.alignments import plain_alignment

    if check:
        _check(given, alone=chunks is None and output is None and svg is None and not as_json)
        return
    if chunks is not None:
        choose("--chunks", chunks, ("gold", "system"))
    refuse_output(output, (".wa",))
    refuse_output(svg, (".svg", ".html"))
    files = _files(given)
    pairs = read_pairs(files) if files else [_two_sentences(given, chunks)]
    if len(pairs) > 1 and as_json:
        raise PostilError(f"--json shows one pair, but there are {len(pairs):,}.", hint="Use -o FILE.wa.")
    if len(pairs) > 1 and svg is not None and svg.suffix.lower() == ".svg":
        raise PostilError(
            f"an .svg file shows one pair, but there are {len(pairs):,}.", hint="Name an .html file."
        )
    aligned = _align_files(pairs, _gold_chunks(files, pairs, chunks)) if files else _align_texts(pairs[0])
    _warn_of_approximate(aligned)
    if output is not None:
        from postil.data.formats.ists import write_alignments

        write_alignments(output, aligned)
    if svg is not None:
        _draw(svg, aligned)
    if as_json:
        ((pair, explanation),) = _explained(aligned)
        print_json({**plain_alignment(pair), "explanation": explanation})
    elif output is not None or svg is not None:
        written = " and ".join(str(path) for path in (output, svg) if path is not None)
        typer.echo(f"Aligned {number_of(len(aligned), 'pair')}; wrote {written}.", err=True)
    else:
        _show(aligned)


def _files(inputs: Sequence[str]) -> list[Path]:
    """The files that the arguments name; none if they are sentences."""
    if len(inputs) > 2:
        raise PostilError(
            f"{len(inputs)} sentences or files were given, but only two can be aligned.",
            hint="Put each sentence in quotes.",
        )
    named = [_is_file(text) for text in inputs]
    if len(inputs) == 1 and not (named[0] and inputs[0].lower().endswith(".wa")):
        raise PostilError(
            "there is only one sentence or file; it takes two to align.",
            hint="Put each sentence in quotes. Only an alignment file (.wa) holds both sentences.",
        )
    if not any(named):
        return []
    if not all(named):
        raise PostilError(
            "one of the two is a file, the other a sentence.", hint="Give two files or two sentences."
        )
    if len(inputs) == 2 and any(text.lower().endswith(".wa") for text in inputs):
        raise PostilError(
            "an alignment file holds both sentences of each pair.", hint="Name it alone, or two .txt files."
        )
    return [Path(text) for text in inputs]


def _is_file(text: str) -> bool:
    """Whether an argument names a file: one that is there, or a single word that ends as files do."""
    if text.lower().endswith(_FILES) and len(text.split()) == 1:
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, as sentences are
        return False


def _two_sentences(sentences: Sequence[str], chunks: str | None) -> AlignedPair:
    from postil.data.judgements import AlignedPair

    if chunks == "gold":
        raise PostilError(
            "sentences on the command line have no gold chunks.", hint="Give two .chunk.txt files."
        )
    first, second = (" ".join(text.split()) for text in sentences)
    if not first or not second:
        raise PostilError("one of the two sentences is empty.", hint="Give two sentences, in quotes.")
    return AlignedPair("1", (), (), source_text=first, target_text=second)


def _gold_chunks(
    files: Sequence[Path], pairs: Sequence[AlignedPair], chunks: str | None
) -> list[ChunkedPair] | None:
    """The gold chunks where they are wanted: None means our own."""
    from postil.data.formats.chunks import chunk_files, read_gold_chunks

    gold = chunk_files(files)
    missing = [file for file in gold if not file.is_file()]
    if chunks == "system" or (chunks is None and missing):
        return None
    if missing:
        raise MissingDataError(
            f"{missing[0]}: this file of gold chunks does not exist.",
            hint="To let Postil find the chunks, use --chunks system.",
        )
    return read_gold_chunks(pairs, gold)


def _align_texts(pair: AlignedPair) -> list[AlignedPair]:
    from postil.alignment.aligner import load_aligner

    (aligned,) = load_aligner().align_texts([(pair.source_text, pair.target_text)])
    if not aligned.source or not aligned.target:
        raise PostilError("one of the two sentences holds no words.", hint="Give two sentences, in quotes.")
    # In the file's format a sentence is its tokens, so these are written, not the text they were cut from.
    return [replace(aligned, id=pair.id, source_text="", target_text="")]


def _align_files(pairs: Sequence[AlignedPair], gold: Sequence[ChunkedPair] | None) -> list[AlignedPair]:
    """Align pairs batch by batch, so that a bar can show how far the work is."""
    from postil.alignment.aligner import load_aligner, own_chunks
    from postil.cli.show import progress_bar

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
    from postil.data.judgements import APPROXIMATE

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


def _draw(path: Path, pairs: Sequence[AlignedPair]) -> None:
    from postil.data.files import write_text
    from postil.explain.alignment_picture import alignment_page, alignment_svg

    if path.suffix.lower() == ".svg":
        write_text(path, alignment_svg(pairs[0]) + "\n")
    else:
        write_text(path, alignment_page(_explained(pairs)))


def _show(pairs: Sequence[AlignedPair]) -> None:
    from rich.text import Text

    from postil.cli.show import console, print_text
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
    from postil.data.formats.chunks import check_annotation

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
