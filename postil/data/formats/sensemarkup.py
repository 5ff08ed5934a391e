"""The tags inside lexical-sample files, read tolerantly and written strictly.

The files look like XML and are not: bare `&` and `<`, unquoted attributes, SGML entities. So only known tags
are looked for and any other `<` is text. Every pattern stops at the next `<`, which keeps the work linear in
the size of the text whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from itertools import pairwise

from postil.data.formats.senses import SenseInstance, Token

# What follows a tag's name: well-formed attributes, whose quoted values may hold `>`; failing that, anything
# up to the `>`, so that one broken attribute does not hide the tag.
_REST = r"""((?:\s++[\w.:-]++(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>]++))?+)*+\s*+/?|[^<>]*+)>"""
STRUCTURE = re.compile(rf"<(/?)(lexelt|instance|answer|context|head)(?=[\s/>]){_REST}", re.IGNORECASE)
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
# What XML 1.0 cannot hold, not even as a character reference.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class MarkupError(ValueError):
    """Something wrong inside a context, and the position in the text where it shows."""

    def __init__(self, position: int, what: str) -> None:
        super().__init__(what)
        self.position = position


def attributes(rest: str) -> dict[str, str]:
    """Read the attributes of a tag, quoted or not: the part between its name and its `>`."""
    found = {}
    for match in _ATTRIBUTE.finditer(rest.rstrip().removesuffix("/")):
        name, double, single, bare = match.groups()
        found[name.lower()] = decode(next(value for value in (double, single, bare) if value is not None))
    return found


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
        """Read the context that stands between two positions of a text."""
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
                what = "this </head> closes nothing." if closing else "this <head> stands inside another."
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
            given = attributes(rest)
            values = (given.get(name, "") for name in ("lemma", "pos", "case"))
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


def context_lines(instance: SenseInstance, *, lemmatised: bool) -> Iterator[str]:
    """Write a context as well-formed XML, one sentence a line."""
    heads = set(instance.head)
    bounds = (*instance.sentences, len(instance.tokens))
    for start, end in pairwise(bounds):
        words = []
        for index in range(start, end):
            token = instance.tokens[index]
            word = _word(token) if lemmatised else encode(token.form)
            words.append(f"<head>{word}</head>" if index in heads else word)
        yield " ".join(words)


def _word(token: Token) -> str:
    given = (("lemma", token.lemma), ("pos", token.pos), ("case", token.case))
    written = "".join(f' {name}="{encode(value)}"' for name, value in given if value)
    return f"<wf{written}>{encode(token.form)}</wf>"
