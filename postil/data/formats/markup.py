"""Marked-up text (HTML, Markdown) as plain lines, wherever it comes from: a quiz, a cell of a table."""

from __future__ import annotations

import re
from html import unescape

from postil.data.files import unify_line_ends

IMAGE = "[image]"
_LONGEST = 30_000  # characters of a text, tags included, that are read; no question is that long
_DEEPEST = 200  # tags within tags
_BLOCK = re.compile(
    r"address|article|blockquote|center|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|li|main|ol|p|pre"
    r"|section|table|tr|ul"
)
_UNREAD = frozenset(("script", "style", "head", "title"))
_EMBEDDED = frozenset(("img", "video", "audio", "object", "iframe", "svg", "canvas"))
_VOID = frozenset(("br", "img", "hr", "input", "wbr", "source", "embed", "meta", "link", "col"))
_TAGS = r"(p|div|span|ul|ol|li|b|strong|i|em|u|sub|sup|h[1-6]|table|td|pre|code|a)"
_OPENING = re.compile(rf"<{_TAGS}(?:\s[^<>]*)?>", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_TAGS}\s*>", re.IGNORECASE)
_ALONE = re.compile(r"<br\s*/?>|<img\s[^<>]*>", re.IGNORECASE)
# No part of a tag reaches over the next one's beginning, so that no text takes long, whatever is in it.
_TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>[a-z][\w:-]*)(?P<rest>(?:[^<>"']|"[^"<]*"|'[^'<]*')*)>|<!--|<[!?][^<>]*>""",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_PICTURE = re.compile(r"data:[\w/+.-]+;base64,[\w+/=]*")
_LANGUAGE = re.compile(r"(\{\s*mlang\b[^{}]*\})", re.IGNORECASE)
# A formula ends before the next of its kind begins, so that a text full of beginnings does not take long.
_MATHS = re.compile(
    r"\$\$(?:[^$]|\$(?!\$)){1,2000}?\$\$"
    r"|\\\((?:[^\\]|\\[^()]){1,2000}?\\\)"
    r"|\\\[(?:[^\\]|\\[^\[\]]){1,2000}?\\\]"
)
_POWER = re.compile(r"[+-]?\d+[+-]?|[+-]|[a-z]")


def without_pictures(text: str) -> str:
    """A text without the pictures that are written out in it, which are longer than all words."""
    return _PICTURE.sub("", text)


def looks_like_html(text: str) -> bool:
    """Whether a text has tags; in `x <b and b> y`, which may be a maths answer, nothing closes."""
    text = text[:_LONGEST]
    opened = {tag.lower() for tag in _OPENING.findall(text)}
    return bool(opened & {tag.lower() for tag in _CLOSING.findall(text)}) or bool(_ALONE.search(text))


def readable(text: str, form: str = "html") -> str:
    """A text in one of Moodle's formats as plain lines.

    The formats are `html`, `markdown`, `plain_text` and `moodle_auto_format`. Of a passage in several
    languages the first is kept. Formulas in LaTeX stay as they are.
    """
    text = one_language(without_pictures(text)[:_LONGEST])
    if form.startswith("plain"):
        return _tidy(text)
    if form.startswith("markdown"):
        text = _without_markdown(text)
    elif form != "html":
        text = text.replace("\n", "<br>\n")  # what is typed without an editor keeps its lines
    reader = _Reader()
    reader.read(text)
    return _tidy("".join(reader.parts))


# What an editor of a web page leaves in a cell: it stands in tags as a whole. Pupils may write about "<b>".
_EDITED = re.compile(rf"\s*<{_TAGS}(?:\s[^<>]*)?>.*</{_TAGS}\s*>\s*", re.IGNORECASE | re.DOTALL)
# Letters and signs, but not the brackets of tags, which would then look like tags.
_ENTITY = re.compile(
    r"&(?!(?:lt|gt|#60|#62|#x3[ce]);)(?:[a-z]{2,8}|#\d{2,6}|#x[0-9a-f]{2,5});", re.IGNORECASE
)


def plain_cell(text: str) -> str:
    """The text of a table's cell without the tags and entities that a web page's editor has left in it."""
    if _EDITED.fullmatch(text[:_LONGEST]) and looks_like_html(text):
        return readable(text) or text
    return _ENTITY.sub(_decoded, text)


def _decoded(entity: re.Match[str]) -> str:
    return unescape(entity[0]).replace("\xa0", " ")


def one_language(text: str) -> str:
    """Keep the first of `{mlang en}…{mlang}{mlang de}…{mlang}`, as sites with several languages write."""
    first, *rest = _LANGUAGE.split(text)
    parts, was_read = [first], False
    for tag, words in zip(rest[::2], rest[1::2], strict=True):
        if re.search(r"mlang\s+\w", tag):
            if not was_read:
                parts.append(words)
        else:
            was_read = not words.strip()  # only a language that follows immediately repeats the text
            parts.append(words)
    return "".join(parts)


def _tidy(text: str) -> str:
    """Single blanks, no blank lines at the ends, and never two of them in a row."""
    lines = [" ".join(line.split()) for line in unify_line_ends(text).replace("\xa0", " ").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _without_markdown(text: str) -> str:
    """Take the signs of Markdown out of a text, but not those within formulas; a list's hyphens stay."""
    formulas: list[str] = []

    def put_by(match: re.Match[str]) -> str:
        formulas.append(match[0])
        return f"\x00{len(formulas) - 1}\x00"

    text = _MATHS.sub(put_by, text.replace("\x00", ""))
    text = re.sub(r"!\[[^\]\n]{0,500}\]\([^)\n]{0,500}\)", IMAGE, text)
    text = re.sub(r"\[([^\]\n]{1,500})\]\([^)\n]{0,500}\)", r"\1", text)
    text = re.sub(r"^[ \t]{0,3}(#{1,6}|>)[ \t]+", "", text, flags=re.MULTILINE)
    text = re.sub(r"^[ \t]{0,3}[*+][ \t]+", "- ", text, flags=re.MULTILINE)
    text = re.sub(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1", r"\2", text)
    text = re.sub(r"(?<!\w)([*_])(?=\S)([^*_\n]{1,500}?)(?<=\S)\1(?!\w)", r"\2", text)
    text = re.sub(r"`([^`\n]{1,500})`", r"\1", text)
    text = re.sub(r"\x00(\d+)\x00", lambda match: formulas[int(match[1])], text)
    return text.replace("\n", "<br>")


class _Reader:
    """Collects the words of marked-up text, as forgiving as browsers are."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._open: list[tuple[str, str]] = []  # each tag, and whether it hides its text or is in a language
        self._powers: list[int] = []
        self._language_was_read = False

    def read(self, text: str) -> None:
        """Read a whole text."""
        position = 0
        while tag := _TAG.search(text, position):
            self._take_words(text[position : tag.start()])
            position = tag.end()
            name = (tag["name"] or "").lower()
            if name and tag["end"]:
                self._end(name)
            elif name:
                self._begin(name, tag["rest"])
            elif tag[0] == "<!--":
                closed = text.find("-->", position)
                position = len(text) if closed < 0 else closed + 3
        self._take_words(text[position:])

    def _begin(self, tag: str, rest: str) -> None:
        """Start a tag: its role for the text in it, and new lines."""
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append((tag, self._role(tag, rest)))
        if self._hidden():
            return
        if tag == "br":
            self.parts.append("\n")
        elif _BLOCK.fullmatch(tag):
            self._new_line()
        if tag == "li":
            self.parts.append("- ")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag == "sup":
            self._powers.append(len(self.parts))
        elif tag in _EMBEDDED:
            self._language_was_read = False
            self.parts.append(f" {IMAGE} ")

    def _role(self, tag: str, rest: str) -> str:
        if tag in _UNREAD:
            return "hidden"
        attributes = dict(_ATTRIBUTE.findall(rest)) if tag == "span" else {}
        if "multilang" in attributes.get("class", "") and "lang" in attributes:
            return "hidden language" if self._language_was_read else "language"
        return ""

    def _end(self, tag: str) -> None:
        """End a tag, and those within it that were never closed."""
        hidden = self._hidden()
        depths = [depth for depth, (name, _) in enumerate(self._open) if name == tag]
        if depths:
            if self._open[depths[-1]][1].endswith("language"):
                self._language_was_read = True
            del self._open[depths[-1] :]
        if hidden:
            return
        if _BLOCK.fullmatch(tag):
            self._new_line()
        elif tag == "sup" and self._powers:
            # Powers are written as `m^2`; other raised text, as in `1st`, stays as it is.
            start = self._powers.pop()
            raised = "".join(self.parts[start:]).strip()
            before = self.parts[start - 1] if start else ""
            if _POWER.fullmatch(raised) and before[-1:].strip():
                self.parts[start:] = [f"^{raised}"]

    def _take_words(self, data: str) -> None:
        """Take the words, with single blanks between them."""
        if not data or self._hidden():
            return
        data = unescape(data)
        if data.strip() and not any(role == "language" for _, role in self._open):
            self._language_was_read = False
        inside_pre = any(tag == "pre" for tag, _ in self._open)
        self.parts.append(data if inside_pre else re.sub(r"\s+", " ", data))

    def _hidden(self) -> bool:
        return any(role.startswith("hidden") for _, role in self._open)

    def _new_line(self) -> None:
        # A new line is needless at the start of one, or after the hyphen of a list.
        last = "".join(self.parts[-3:]).rstrip(" ").removesuffix("-").rstrip(" ")
        if last and not last.endswith("\n"):
            self.parts.append("\n")
