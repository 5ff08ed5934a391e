"""Words in context with their senses: what a lexical-sample corpus becomes."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from postil.data.files import read_bytes


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a context, with its lemma, part of speech and case where the corpus gives them."""

    form: str
    lemma: str = ""
    pos: str = ""
    case: str = ""


@dataclass(frozen=True, slots=True)
class SenseInstance:
    """One occurrence of a word whose sense is asked for, in its context.

    `lexelt` names the word ("arm.n"), `head` holds the indices of the tokens that are its occurrence,
    `sentences` the index at which each sentence starts, and `senses` the labels (none: unlabelled).
    """

    id: str
    lexelt: str
    tokens: tuple[Token, ...]
    head: tuple[int, ...]
    sentences: tuple[int, ...]
    senses: tuple[str, ...] = ()
    source: str = ""


def likely_encoding(path: Path | str) -> str:
    """Tell how a sense file is encoded: UTF-8 where its bytes allow that, else latin-1.

    Hardly any text in latin-1 is valid UTF-8 by chance, and most of these corpora predate UTF-8.
    """
    data = read_bytes(path)
    # Text with a byte-order mark says itself what it is; `read_text` follows the mark.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return "utf-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"
