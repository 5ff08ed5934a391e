"""Writes small files in formats that Postil reads and does not write itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from postil.data.files import write_text, write_xml
from postil.data.formats.rte import Pair


def write_pairs_xml(path: Path, pairs: Iterable[Pair]) -> None:
    """Write entailment pairs as RTE XML."""
    root = ET.Element("entailment-corpus")
    for pair in pairs:
        values = {"id": pair.id, "entailment": pair.label or "", "task": pair.task, "length": pair.length}
        element = ET.SubElement(root, "pair", {name: value for name, value in values.items() if value})
        ET.SubElement(element, "t").text = pair.text
        ET.SubElement(element, "h").text = pair.hypothesis
    write_xml(path, root)


def write_chunks(path: Path, sentences: Iterable[Sequence[Sequence[str]]]) -> None:
    """Write a chunk file: a sentence a line, each chunk as `[ its tokens ]`."""
    lines = (" ".join(f"[ {' '.join(chunk)} ]" for chunk in chunks) + " \n" for chunks in sentences)
    write_text(path, "".join(lines))
