"""Reads lemmatised texts: one word a line, a blank line after each sentence, in either of two forms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from postil.data.files import read_lines
from postil.data.formats.senses import Token
from postil.errors import InputError
from postil.senses.corpus.contexts import Document

_NOTE = re.compile(r"#\s*(document|newdoc id|section)\s*=\s*(.*\S)\s*")
_CASE = re.compile(r"(?:^|\|)Case=([^|]+)")
_FORM = "A line is: form, lemma, pos, case, with tabs between; or the ten fields of CoNLL-U."
_OWN_FIELDS = 4
_CONLLU_FIELDS = 10


@dataclass(slots=True)
class _Draft:
    """A document whose end has not been met yet."""

    name: str
    section: str = ""
    sentences: list[list[Token]] = field(default_factory=lambda: [[]])


def read_documents(path: Path | str) -> list[Document]:
    """Read the documents of a file; the corpus is called after the file.

    A line is `form lemma pos case`, separated by tabs, of which only the form must be there; or it has the
    ten columns of CoNLL-U. `# document = NAME` starts a document, `# section = NAME` says where it stood.
    """
    drafts = [_Draft("1")]
    shared: dict[str, Token | None] = {}  # long texts say the same words again and again
    for number, line in enumerate(read_lines(path), start=1):
        note = _NOTE.fullmatch(line)
        if note and note[1] == "section":
            drafts[-1].section = note[2]
        elif note:
            drafts.append(_Draft(note[2]))
        elif not line.strip():
            drafts[-1].sentences.append([])
        elif "\t" in line or not line.startswith("#"):
            if line not in shared:
                shared[line] = _token(path, number, line.split("\t"))
            token = shared[line]
            if token is not None:
                drafts[-1].sentences[-1].append(token)
    documents = []
    for draft in drafts:
        sentences = tuple(tuple(sentence) for sentence in draft.sentences if sentence)
        if sentences:
            documents.append(Document(Path(path).stem, draft.name, sentences, draft.section))
    if not documents:
        raise InputError(path, "holds no words.", hint=_FORM)
    return documents


def _token(path: Path | str, line: int, fields: list[str]) -> Token | None:
    """The token of a line; None for CoNLL-U's lines about words that are split or not there at all."""
    fields = [value.strip() for value in fields]
    if len(fields) == _CONLLU_FIELDS:
        id, form, lemma, pos, _, features, *_ = ("" if value == "_" else value for value in fields)
        if not id.isdecimal():
            return None
        case = _CASE.search(features)
        fields = [form or "_", lemma, pos, case[1] if case else ""]
    if len(fields) > _OWN_FIELDS:
        raise InputError(
            path,
            f"this line has {len(fields)} fields.",
            line=line,
            hint=_FORM,
        )
    if not fields[0]:
        raise InputError(path, "this line has no word in its first field.", line=line)
    return Token(*fields)
