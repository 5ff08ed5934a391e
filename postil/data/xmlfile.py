"""Safe XML: entity bombs refused, and every element remembers its line for error messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from postil.data.files import read_bytes, read_text, write_text
from postil.errors import InputError

_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)""")


@dataclass(frozen=True)
class XmlFile:
    """A parsed XML file and the line each element starts on."""

    path: Path
    root: Element
    lines: dict[Element, int]

    def error(self, element: Element, what: str, *, hint: str = "") -> InputError:
        """Make the error for something wrong in `element`, naming file, line and record."""
        record = element.get("id")
        return InputError(
            self.path,
            what,
            line=self.lines.get(element),
            record=f"{element.tag} {record}" if record else None,
            hint=hint,
        )

    def required(self, element: Element, attribute: str) -> str:
        """Return an attribute that must be there and not be blank."""
        value = element.get(attribute, "").strip()
        if not value:
            raise self.error(element, f"<{element.tag}> has no {attribute!r} attribute.")
        return value


class _LineTreeBuilder(TreeBuilder):
    """Builds the tree and notes on which line each element began."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[Element, int] = {}
        self.expat: Any = None

    def start(self, tag: Any, attrs: Any, /) -> Element:
        element = super().start(tag, attrs)
        self.lines[element] = self.expat.CurrentLineNumber
        return element


def read_xml(path: Path | str) -> XmlFile:
    """Parse an XML file, or say in one sentence why it cannot be."""
    path = Path(path)
    data = read_bytes(path)
    builder = _LineTreeBuilder()
    parser = DefusedXMLParser(target=builder)
    builder.expat = parser.parser
    try:
        parser.feed(data)
        root = parser.close()
    except DefusedXmlException as error:
        raise InputError(
            path,
            "declares XML entities, which can be used to exhaust a machine; such files are refused.",
            hint="Remove the <!ENTITY …> declarations.",
        ) from error
    except ParseError as error:
        line, column = error.position
        reason = str(error).split(":")[0]
        declared = _DECLARED.match(data)
        if "invalid token" in reason and (declared is None or declared[1].lower() == b"utf-8"):
            read_text(path)  # says so, better, if the real trouble is the encoding
        raise InputError(
            path, f"is not well-formed XML at column {column + 1}: {reason}.", line=line
        ) from error
    except (LookupError, ValueError) as error:
        raise InputError(path, f"cannot be decoded: {error}.") from error
    return XmlFile(path, root, builder.lines)


def text_of(element: Element | None) -> str:
    """All the text below an element, with the white space around it removed."""
    return "" if element is None else "".join(element.itertext()).strip()


def write_xml(path: Path | str, root: ET.Element) -> None:
    """Write an indented XML file, refusing characters that XML cannot hold."""
    ET.indent(root)
    # A carriage return would come back as a line feed, as XML demands of parsers, unless it is escaped.
    text = ET.tostring(root, encoding="unicode").replace("\r", "&#13;")
    for character in text:
        code = ord(character)
        if (
            (code < 0x20 and character not in "\t\n\r")
            or 0xD800 <= code <= 0xDFFF
            or code in (0xFFFE, 0xFFFF)
        ):
            raise InputError(
                path, f"XML cannot hold the control character U+{code:04X}.", hint="Remove it first."
            )
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')
