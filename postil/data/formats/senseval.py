"""Reads and writes lexical-sample files (Senseval): words in context, labelled with their senses.

The formats, and what is forgiven in them, are described in docs/formats-senses.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path

from postil.data.files import read_text, write_text
from postil.data.formats.sensemarkup import (
    NOT_XML,
    STRUCTURE,
    Context,
    MarkupError,
    attributes,
    context_lines,
    encode,
)
from postil.data.formats.senses import SenseInstance, Token, likely_encoding
from postil.errors import InputError

__all__ = ["SenseInstance", "Token", "read_senseval", "write_senseval"]


def read_senseval(path: Path | str, *, encoding: str | None = None) -> list[SenseInstance]:
    """Read every instance of a lexical-sample file, labelled or not.

    Without `encoding` the file is read as UTF-8 and, where its bytes are not that, as latin-1.
    """
    scan = _Scan(path, read_text(path, encoding=encoding or likely_encoding(path)))
    for tag in STRUCTURE.finditer(scan.text):
        scan.take(tag)
    scan.expect_closed()
    if not scan.instances:
        raise InputError(path, "holds no <instance>.", hint="Is this a lexical-sample file?")
    return scan.instances


@dataclass(slots=True)
class _Draft:
    """An instance whose end has not been met yet, with the positions at which its parts stand."""

    id: str
    start: int
    source: str
    senses: dict[str, None] = field(default_factory=dict)  # a set that keeps its order
    context: int | None = None
    context_end: int | None = None


class _Scan:
    """Follows the tags that make up the instances of a file."""

    def __init__(self, path: Path | str, text: str) -> None:
        self.text = text
        self.instances: list[SenseInstance] = []
        self._path = path
        self._lexelt = ""
        self._draft: _Draft | None = None
        self._starts: dict[str, int] = {}
        self._tokens: dict[tuple[str, str], Token] = {}

    def take(self, tag: re.Match[str]) -> None:
        """Go on by one tag."""
        slash, name, rest = tag.groups()
        match (name.lower(), bool(slash)):
            case ("lexelt", closing):
                self._take_lexelt(tag.start(), closing, attributes(rest))
            case ("instance", False):
                self._start_instance(tag.start(), attributes(rest))
            case ("instance", True):
                self._end_instance(tag.start())
            case ("answer", False):
                self._take_answer(tag.start(), attributes(rest))
            case ("context", closing):
                self._take_context(tag, closing)
            case ("head", _):
                draft = self._draft
                if draft is None or draft.context is None or draft.context_end is not None:
                    raise self._error(tag.start(), "a <head> stands outside any <context>.")

    def expect_closed(self) -> None:
        """Refuse to go on, or to end, inside an instance."""
        if self._draft is not None:
            hint = "Is the file cut short, or a tag broken?"
            raise self._error(self._draft.start, "this <instance> is not closed.", hint)

    def _error(self, position: int, what: str, hint: str = "") -> InputError:
        record = self._draft.id if self._draft else None
        return InputError(self._path, what, line=self._line(position), record=record, hint=hint)

    def _line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def _take_lexelt(self, position: int, closing: bool, given: dict[str, str]) -> None:
        self.expect_closed()
        self._lexelt = "" if closing else given.get("item", "").strip()
        if not closing and not self._lexelt:
            raise self._error(position, "this <lexelt> has no item, which names its word.")

    def _start_instance(self, position: int, given: dict[str, str]) -> None:
        self.expect_closed()
        name = given.get("id", "").strip()
        if not name:
            raise self._error(position, "this <instance> has no id.")
        # Ids with blanks exist, but one like `1 docsrc=` has swallowed the attribute after it.
        if name.endswith("=") and len(name.split()) > 1:
            raise self._error(position, f"{name!r} cannot be an id.", "Is a quote missing?")
        self._draft = _Draft(name, position, given.get("docsrc", ""))
        if not self._lexelt:
            raise self._error(position, "this <instance> stands outside any <lexelt>.")
        if name in self._starts:
            first = self._line(self._starts[name])
            raise self._error(position, f"the instance in line {first} has the same id.")
        self._starts[name] = position

    def _take_answer(self, position: int, given: dict[str, str]) -> None:
        draft = self._draft
        if draft is None:
            raise self._error(position, "an <answer> stands outside any <instance>.")
        name = given.get("instance", "").strip() or draft.id
        if name != draft.id:
            raise self._error(position, f"this <answer> is for another instance, {name!r}.")
        sense = given.get("senseid", "").strip()
        if not sense:
            raise self._error(position, "this <answer> has no senseid.")
        draft.senses[sense] = None

    def _take_context(self, tag: re.Match[str], closing: bool) -> None:
        draft = self._draft
        if draft is None:
            raise self._error(tag.start(), "a <context> stands outside any <instance>.")
        if not closing:
            if draft.context is not None:
                raise self._error(tag.start(), "this is a second <context> in the same instance.")
            draft.context = tag.end()
        elif draft.context is None or draft.context_end is not None:
            raise self._error(tag.start(), "this </context> closes nothing.")
        else:
            draft.context_end = tag.start()

    def _end_instance(self, position: int) -> None:
        draft = self._draft
        if draft is None:
            hint = "Is the <instance> tag before it broken?"
            raise self._error(position, "this </instance> closes nothing.", hint)
        if draft.context is None:
            raise self._error(draft.start, "the instance has no <context>.")
        if draft.context_end is None:
            raise self._error(draft.context, "the <context> of the instance is not closed.")
        context = Context(self._tokens)
        try:
            context.read(self.text, draft.context, draft.context_end)
        except MarkupError as error:
            raise self._error(error.position, str(error)) from error
        if not context.head:
            raise self._error(draft.start, "no <head> marks the word in the context.")
        self.instances.append(
            SenseInstance(
                id=draft.id,
                lexelt=self._lexelt,
                tokens=tuple(context.tokens),
                head=tuple(context.head),
                sentences=tuple(context.sentences),
                senses=tuple(draft.senses),
                source=draft.source,
            )
        )
        self._draft = None


def write_senseval(path: Path | str, instances: Iterable[SenseInstance], *, lemmatised: bool = False) -> None:
    """Write instances as a lexical-sample file that is also well-formed XML.

    The plain form carries the words, one sentence a line; the lemmatised one also lemma, part of speech and
    case. What could not be read back as it is (a word with a blank in it, two equal ids) is refused.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<corpus>"]
    seen: set[str] = set()
    for lexelt, group in groupby(instances, key=lambda instance: instance.lexelt):
        lines.append(f'<lexelt item="{encode(lexelt)}">')
        for instance in group:
            problem = "another instance has the same id." if instance.id in seen else ""
            problem = problem or _problem(instance, lemmatised)
            if problem:
                raise InputError(path, f"cannot be written: {problem}", record=instance.id)
            seen.add(instance.id)
            source = f' docsrc="{encode(instance.source)}"' if instance.source else ""
            name = encode(instance.id)
            lines.append(f'<instance id="{name}"{source}>')
            lines += (f'<answer instance="{name}" senseid="{encode(sense)}"/>' for sense in instance.senses)
            lines.append("<context>")
            lines += context_lines(instance, lemmatised=lemmatised)
            lines += ("</context>", "</instance>")
        lines.append("</lexelt>")
    if not seen:
        raise InputError(path, "cannot be written: there are no instances to write.")
    lines.append("</corpus>")
    write_text(path, "\n".join(lines) + "\n")


def _problem(instance: SenseInstance, lemmatised: bool) -> str:
    """Say why a file could not carry this instance, or nothing if it can."""
    tokens, head, sentences = instance.tokens, instance.head, instance.sentences
    names = (instance.id, instance.lexelt, *instance.senses)
    if any(not name or name != name.strip() for name in names):
        return "an id, a lexelt or a sense is empty or has blanks around it."
    if instance.id.endswith("=") and len(instance.id.split()) > 1:
        return "its id would be taken for a broken tag."
    if len(set(instance.senses)) < len(instance.senses):
        return "the same sense is given twice."
    if not head or list(head) != sorted(set(head)) or head[0] < 0 or head[-1] >= len(tokens):
        return "its head should be indices of its tokens, in order."
    bounds = (*sentences, len(tokens))
    if sentences[:1] != (0,) or any(start >= end for start, end in pairwise(bounds)):
        return "its sentences should start at 0 and go up, each with a token at least."
    for token in tokens:
        words = token.form.split()
        if " ".join(words) != token.form or not words or (len(words) > 1 and not lemmatised):
            return f"the token {token.form!r} is empty or has blanks, which this form cannot carry."
    carried = [*names, instance.source, *(token.form for token in tokens)]
    if lemmatised:
        carried += (value for token in tokens for value in (token.lemma, token.pos, token.case))
    if any(NOT_XML.search(value) for value in carried):
        return "it holds a control character, which XML cannot carry."
    return ""
