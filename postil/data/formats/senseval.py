"""Reads and writes lexical-sample files (Senseval): words in context, labelled with their senses.

The formats, and what is forgiven in them, are described in docs/reference/formats-senses.md.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from itertools import groupby, pairwise
from pathlib import Path

from postil.data.files import NOT_XML, line_numbers, read_bytes, read_text, write_text
from postil.errors import InputError, Problem, warn_of


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
    """The encoding of a sense file: UTF-8 if its bytes are valid, else latin-1.

    Hardly any text in latin-1 is valid UTF-8 by chance, and most of these corpora predate UTF-8.
    """
    data = read_bytes(path)
    # `read_text` follows a byte-order mark.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return "utf-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


# The tags inside lexical-sample files, read tolerantly and written strictly.
#
# The files look like XML and are not: bare `&` and `<`, unquoted attributes, SGML entities. So only known
# tags are looked for and any other `<` is text. Every pattern stops at the next `<`, which keeps the work
# linear in the size of the text whatever it holds.

# What follows a tag's name: well-formed attributes, whose quoted values may hold `>`; failing that, anything
# up to the `>`, so that one broken attribute does not hide the tag.
_REST = r"""((?:\s++[\w.:-]++(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>]++))?+)*+\s*+/?|[^<>]*+)>"""
_STRUCTURE = re.compile(rf"<(/?)(lexelt|instance|answer|context|head)(?=[\s/>]){_REST}", re.IGNORECASE)
_INLINE = re.compile(
    # A whole word first: nearly all tags of a tagged corpus are these.
    rf"<wf(?=[\s/>]){_REST}([^<]*+)</wf\s*>|<(/?)(head|sat|compound|wf|s|p)(?=[\s/>]){_REST}",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""(?:^|\s)([\w.:-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"']++))""")
_PERCENT_HEAD = re.compile(r"%%([^%\n]+)%%")
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{0,31}));")
# The quotation marks of the British National Corpus, which HTML does not know.
_MORE_ENTITIES = {"bquo": "\N{LEFT DOUBLE QUOTATION MARK}", "equo": "\N{RIGHT DOUBLE QUOTATION MARK}"}
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class MarkupError(ValueError):
    """A problem inside a context, and its position in the text."""

    def __init__(self, position: int, what: str) -> None:
        super().__init__(what)
        self.position = position


def attributes(rest: str) -> dict[str, str]:
    """Read the attributes of a tag, quoted or not: the part between its name and its `>`."""
    values = {}
    for match in _ATTRIBUTE.finditer(rest.rstrip().removesuffix("/")):
        name, double, single, bare = match.groups()
        values[name.lower()] = decode(next(value for value in (double, single, bare) if value is not None))
    return values


def decode(text: str) -> str:
    """Replace the entities of XML, HTML and SGML by their characters; what is not one stays as it is."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(f"{name};") or _MORE_ENTITIES.get(name, match[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    character = chr(code) if code <= 0x10FFFF else ""
    return character if character and not NOT_XML.match(character) else match[0]


def encode(text: str) -> str:
    """Escape text so that any XML reader, and `decode`, gives it back unchanged."""
    return text.translate(_ESCAPES)


class Context:
    """The tokens, heads and sentence starts of one context, read from marked-up text.

    `shared` keeps the tokens already made, over all contexts of a file: equal ones are one object.
    """

    def __init__(self, shared: dict[tuple[str, str], Token]) -> None:
        self.tokens: list[Token] = []
        self.head: list[int] = []
        self.sentences: list[int] = []
        self._shared = shared
        self._in_head = False
        self._new_sentence = True
        # A <wf> that does not hold just text: its attributes, its text so far, whether a head is in it.
        self._word: str | None = None
        self._pieces: list[str] = []
        self._word_is_head = False

    def read(self, text: str, start: int, end: int) -> None:
        """Read the context between two positions of a text."""
        # Only a context without <head> is searched for %%heads%%: elsewhere these are words.
        marked = "<head" not in text[start:end].lower()
        for tag in _INLINE.finditer(text, start, end):
            self._text(text[start : tag.start()], marked)
            start = tag.end()
            rest, form, slash, name, other_rest = tag.groups()
            if name is None:
                self._end_word()
                self._add(self._token(rest, form))
            else:
                self._tag(tag.start(), name.lower(), bool(slash), other_rest)
        self._text(text[start:end], marked)
        self._end_word()
        if self._in_head:
            raise MarkupError(end, "a <head> of the context is not closed.")

    def _tag(self, position: int, name: str, closing: bool, rest: str) -> None:
        if name == "head" and not rest.endswith("/"):
            if self._in_head != closing:
                what = "this </head> closes nothing." if closing else "this <head> is inside another."
                raise MarkupError(position, what)
            self._in_head = not closing
        elif name == "wf":
            self._end_word()
            self._word = None if closing else rest
        elif name in ("s", "p"):
            self._new_sentence = True

    def _text(self, text: str, marked: bool) -> None:
        if self._word is not None:
            self._pieces.append(text)
            self._word_is_head |= self._in_head and bool(text.strip())
            return
        for number, line in enumerate(text.split("\n")):
            if number and not self._in_head:
                self._new_sentence = True
            if not line or line == " ":
                continue
            for index, piece in enumerate(_PERCENT_HEAD.split(line) if marked else (line,)):
                for form in decode(piece).split():
                    self._add(self._plain(form), index % 2 == 1)

    def _end_word(self) -> None:
        if self._word is not None:
            self._add(self._token(self._word, "".join(self._pieces)), self._word_is_head)
            self._pieces.clear()
            self._word = None
            self._word_is_head = False

    def _plain(self, form: str) -> Token:
        # No clash with `_token`: what follows the name in a tag never starts with a letter.
        token = self._shared.get(("text", form))
        if token is None:
            token = self._shared["text", form] = Token(form)
        return token

    def _token(self, rest: str, form: str) -> Token | None:
        token = self._shared.get((rest, form))
        if token is None and (words := decode(form).split()):
            fields = attributes(rest)
            values = (fields.get(name, "") for name in ("lemma", "pos", "case"))
            token = Token(" ".join(words), *values)
            self._shared[rest, form] = token
        return token

    def _add(self, token: Token | None, is_head: bool = False) -> None:
        if token is None:
            return
        if self._new_sentence:
            self.sentences.append(len(self.tokens))
            self._new_sentence = False
        if is_head or self._in_head:
            self.head.append(len(self.tokens))
        self.tokens.append(token)


def _context_lines(instance: SenseInstance, lemmatised: bool) -> Iterator[str]:
    """Write a context as well-formed XML, one sentence a line."""
    words = [_word(token) if lemmatised else encode(token.form) for token in instance.tokens]
    for index in set(instance.head):
        words[index] = f"<head>{words[index]}</head>"
    for start, end in pairwise((*instance.sentences, len(words))):
        yield " ".join(words[start:end])


def _word(token: Token) -> str:
    fields = (("lemma", token.lemma), ("pos", token.pos), ("case", token.case))
    attributes_text = "".join(f' {name}="{encode(value)}"' for name, value in fields if value)
    return f"<wf{attributes_text}>{encode(token.form)}</wf>"


def read_senseval(path: Path | str, *, encoding: str | None = None) -> list[SenseInstance]:
    """Read every instance of a lexical-sample file, labelled or not.

    Without `encoding` the file is read as UTF-8 and, where its bytes are not that, as latin-1.
    """
    scan = _Scan(path, read_text(path, encoding=encoding or likely_encoding(path)))
    for tag in _STRUCTURE.finditer(scan.text):
        scan.take(tag)
    scan.close(len(scan.text))
    if not scan.instances:
        raise InputError(path, "holds no <instance>.", hint="Is this a lexical-sample file?")
    warn_of(path, scan.problems())
    return scan.instances


@dataclass(slots=True)
class _Draft:
    """An instance whose end has not been reached yet, with the positions of its parts."""

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
        self._unclosed: dict[int, str] = {}  # by where it begins, an instance without </instance>
        self._path = path
        self._lexelt = ""
        self._draft: _Draft | None = None
        self._starts: dict[str, int] = {}
        self._tokens: dict[tuple[str, str], Token] = {}

    def take(self, tag: re.Match[str]) -> None:
        """Take the next tag."""
        slash, name, rest = tag.groups()
        draft, position = self._draft, tag.start()
        match (name.lower(), bool(slash)):
            case ("lexelt", closing):
                self.close(position)
                self._lexelt = "" if closing else attributes(rest).get("item", "").strip()
                if not closing and not self._lexelt:
                    raise self._error(position, "this <lexelt> has no item, which names its word.")
            case ("instance", False):
                self._start_instance(position, attributes(rest))
            case ("instance", True):
                self._end_instance(position)
            case ("answer", False):
                if draft is None:
                    raise self._error(position, "an <answer> is outside any <instance>.")
                fields = attributes(rest)
                instance = fields.get("instance", "").strip() or draft.id
                if instance != draft.id:
                    raise self._error(position, f"this <answer> is for another instance, {instance!r}.")
                sense = fields.get("senseid", "").strip()
                if not sense:
                    raise self._error(position, "this <answer> has no senseid.")
                draft.senses[sense] = None
            case ("context", closing):
                if draft is None:
                    raise self._error(position, "a <context> is outside any <instance>.")
                if not closing:
                    if draft.context is not None:
                        raise self._error(position, "this is a second <context> in the same instance.")
                    draft.context = tag.end()
                elif draft.context is None or draft.context_end is not None:
                    raise self._error(position, "this </context> closes nothing.")
                else:
                    draft.context_end = position
            case ("head", _):
                if draft is None or draft.context is None or draft.context_end is not None:
                    raise self._error(position, "a <head> is outside any <context>.")

    def close(self, position: int) -> None:
        """End an instance that is complete but for its </instance>; refuse to go on inside any other."""
        if self._draft is not None and self._draft.context_end is not None:
            self._unclosed[self._draft.start] = self._draft.id
            self._end_instance(position)
        elif self._draft is not None:
            hint = "Is the file cut short, or a tag broken?"
            raise self._error(self._draft.start, "this <instance> is not closed.", hint)

    def problems(self) -> list[Problem]:
        """What was irregular."""
        lines = line_numbers(self.text, self._unclosed)
        what = "the instance is not closed with </instance>."
        return [
            Problem(line, name, what, "warning")
            for line, name in zip(lines, self._unclosed.values(), strict=True)
        ]

    def _error(self, position: int, what: str, hint: str = "") -> InputError:
        record = self._draft.id if self._draft else None
        line = self.text.count("\n", 0, position) + 1
        return InputError(self._path, what, line=line, record=record, hint=hint)

    def _start_instance(self, position: int, fields: dict[str, str]) -> None:
        self.close(position)
        name = fields.get("id", "").strip()
        if not name:
            raise self._error(position, "this <instance> has no id.")
        # Ids with blanks exist, but one like `1 docsrc=` has swallowed the attribute after it.
        if name.endswith("=") and len(name.split()) > 1:
            raise self._error(position, f"{name!r} cannot be an id.", "Is a quote missing?")
        self._draft = _Draft(name, position, fields.get("docsrc", ""))
        if not self._lexelt:
            raise self._error(position, "this <instance> is outside any <lexelt>.")
        if name in self._starts:
            first = self.text.count("\n", 0, self._starts[name]) + 1
            raise self._error(position, f"the instance in line {first} has the same id.")
        self._starts[name] = position

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
            lines += (*_context_lines(instance, lemmatised), "</context>", "</instance>")
        lines.append("</lexelt>")
    if not seen:
        raise InputError(path, "cannot be written: there are no instances to write.")
    lines.append("</corpus>")
    write_text(path, "\n".join(lines) + "\n")


def _problem(instance: SenseInstance, lemmatised: bool) -> str:
    """Why a file could not hold this instance; empty if it can."""
    tokens, head, sentences = instance.tokens, instance.head, instance.sentences
    names = (instance.id, instance.lexelt, *instance.senses)
    if any(not name or name != name.strip() for name in names):
        return "an id, a lexelt or a sense is empty or has spaces around it."
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
