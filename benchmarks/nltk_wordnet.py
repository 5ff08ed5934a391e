"""NLTK reading Debian's WordNet, as the peer of postil.language.words: nothing is downloaded.

NLTK wants files that Debian leaves out (lexnames, index.sense); what it needs of them is written to a
temporary folder.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from postil.language.words.wordnet_measures import information

DEBIAN = Path("/usr/share/wordnet")
# NLTK's names of ours.
NAMES = {name: f"{name}_similarity" for name in ("res", "lin", "jcn", "lch", "wup")}
CONTENT = ("res", "lin", "jcn")


def available() -> bool:
    """Whether NLTK and Debian's files are here."""
    try:
        import nltk  # noqa: F401
    except ImportError:
        return False
    return (DEBIAN / "data.noun").exists()


@contextmanager
def nltk_wordnet() -> Iterator[tuple[Any, Callable[[int], Any], dict[str, Any]]]:
    """(NLTK's reader, how to get its synset for one of ours, our counts as its information content)."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetICCorpusReader

    with TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name).resolve()
        nltk.data.path.append(str(folder))  # NLTK opens only files in the folders it is told of
        for file in DEBIAN.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        (folder / "lexnames").write_text("".join(f"{n:02d}\tname{n}\t1\n" for n in range(45)))
        (folder / "index.sense").write_text("")
        reader = type("Reader", (WordNetCorpusReader,), {"map_wn": lambda self, version=None: None})(
            str(folder), None
        )
        places = list(offsets(folder))
        write_information(folder / "ic-ours.dat", places)
        content = WordNetICCorpusReader(str(folder), ["ic-ours.dat"]).ic("ic-ours.dat")
        try:
            yield reader, (lambda number: reader.synset_from_pos_and_offset(*places[number])), content
        finally:
            nltk.data.path.remove(str(folder))


def offsets(folder: Path) -> Iterator[tuple[str, int]]:
    """Nouns and verbs in the order that ours are numbered in."""
    for pos, name in (("n", "noun"), ("v", "verb")):
        with (folder / f"data.{name}").open(encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("  "):
                    yield pos, int(line[:8])


def write_information(path: Path, places: list[tuple[str, int]]) -> None:
    """Our counts in the format of NLTK's information content files; the line of offset 0 has the total."""
    table = information()
    lines = ["wnver::ours"]
    lines += [f"0{pos} {total!r} ROOT" for pos, total in zip("nv", table.totals, strict=True)]
    lines += [f"{offset}{pos} {float(table.counts[n])!r}" for n, (pos, offset) in enumerate(places)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def nltk_value(name: str, first: Any, second: Any, content: dict[str, Any]) -> float | None:
    """NLTK's value for two of its synsets."""
    compare = getattr(first, NAMES[name])
    return compare(second, content) if name in CONTENT else compare(second)
