"""Compile VerbNet's classes and PropBank's frame files into the one table that ships in postil/resources/verbs.

    python training/verbs.py --verbnet verbnet-3.4.tar.xz --propbank propbank-frames.tar.xz --out postil/resources/verbs

Examples, FrameNet links and annotators' notes are left out: nothing uses them, and the examples quote other texts.
"""

from __future__ import annotations

import argparse
import json
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring

VERSION = "1.0.0"
SOURCES = (
    (
        "PropBank frame files 3.4 (github.com/propbank/propbank-frames, commit c66e0ccf28)",
        "CC BY-SA 4.0",
        "rolesets: names, aliases, arguments, links to VerbNet",
    ),
    (
        "VerbNet 3.4 (github.com/cu-clear/verbnet, commit ae8e9cfdc2)",
        "none stated in its files; only class names and lists of member verbs are taken",
        "classes, subclasses and their member verbs",
    ),
)
# The thematic roles as VerbNet 3.4 spells them are read from its classes; these are slips in the frame files.
SLIPS = {
    "copatiet": "Co-Patient",
    "intiallocation": "Initial_Location",
    "intialstate": "Initial_State",
    "ptient": "Patient",
}
NO_ROLE = {"nm", "expired"}  # "no match" and "class withdrawn"
NEWEST_FIRST = ("verbnet3.4", "verbnet3.3", "UNK")


def read_archive(path: Path) -> Iterator[tuple[str, str]]:
    """The XML files of an archive, as name and text, in alphabetical order."""
    with tarfile.open(path, "r:xz") as archive:
        texts = {
            Path(member.name).name: archive.extractfile(member).read().decode("utf-8")
            for member in archive
            if member.isfile() and member.name.endswith(".xml")
        }
    yield from sorted(texts.items())


def tidy(text: str | None) -> str:
    """Text on one line, without the invisible hyphens and the dangling commas that crept in."""
    return " ".join((text or "").replace("\u00ad", "").split()).strip(" ,;")


class VerbNet:
    """The classes with their members, and the names of the thematic roles."""

    def __init__(self, archive: Path) -> None:
        self.members: dict[str, list[str]] = {}
        self.themes: dict[str, str] = {}
        for _, text in read_archive(archive):
            root = fromstring(text)
            for theme in root.iter("THEMROLE"):
                self.themes[letters(theme.get("type"))] = theme.get("type")
            name = root.get("ID").split("-")[0]
            for element in (root, *root.iter("VNSUBCLASS")):
                # A subclass bears its class's name; one has lost a letter of it ("odge-46-1").
                id = f"{name}-{element.get('ID').split('-', 1)[1]}"
                names = {tidy(member.get("name")).replace(" ", "_") for member in element.find("MEMBERS")}
                self.members[id] = sorted(names)
        self.members = dict(sorted(self.members.items()))
        # Old links give the number alone or the name with an old number; both are good where one class fits.
        numbers = only_ones((cls.split("-", 1)[1], cls) for cls in self.members)
        names = only_ones((cls.split("-", 1)[0], cls) for cls in self.members if cls.count("-") == 1)
        self._short = numbers | names

    def resolve(self, cls: str) -> str:
        """The class of this version that a link means: itself, what it was a part of, or its new number; or ""."""
        while cls and cls not in self.members:
            cls = self._short.get(cls) or cls.rpartition("-")[0]
        return cls

    def theme(self, name: str) -> str:
        """A thematic role as VerbNet spells it; roles of older versions are capitalised; "" when there is none."""
        key = letters(name)
        if key in NO_ROLE:
            return ""
        return self.themes.get(key) or SLIPS.get(key) or key.capitalize()


def only_ones(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs whose first part occurs once."""
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: values[0] for key, values in found.items() if len(values) == 1}


def letters(name: str | None) -> str:
    return re.sub(r"[^a-z]", "", (name or "").lower())


def links(elements: Iterable[Element]) -> list[Element]:
    """The links to the newest version of VerbNet that any of them names; older ones are superseded."""
    verbnet = [element for element in elements if element.get("resource") == "VerbNet"]
    for version in NEWEST_FIRST:
        chosen = [element for element in verbnet if element.get("version") == version]
        if chosen:
            return chosen
    return []


def read_rolesets(archive: Path) -> Iterator[tuple[str, Element]]:
    """Every roleset with the lemma of its predicate."""
    for _, text in read_archive(archive):
        # Without the examples, of which two are not well-formed, parsing is safe and takes a third of the time.
        frameset = fromstring(re.sub(r"<example\b.*?</example>", "", text, flags=re.DOTALL))
        for predicate in frameset.iter("predicate"):
            lemma = re.sub(r"\.\d+$", "", predicate.get("lemma"))
            for roleset in predicate.iter("roleset"):
                yield lemma, roleset


def role_row(role: Element, verbnet: VerbNet) -> str:
    """An argument as it is written, "0:pag:Agent:heat source"; several thematic roles are joined with "+"."""
    function = re.sub(r"[^a-z0-9]", "", role.get("f").lower())
    themes = dict.fromkeys(verbnet.theme(link.text) for link in links(role.iter("rolelink")))
    return f"{int(role.get('n'))}:{function}:{'+'.join(theme for theme in themes if theme)}:{tidy(role.get('descr'))}"


def roleset_row(lemma: str, roleset: Element, verbnet: VerbNet) -> str:
    """A roleset as it is written: name, lemma, aliases, classes and each role, with tabs between."""
    aliases = (f"{a.get('pos')}:{tidy(a.text).replace(' ', '_')}" for a in roleset.iter("alias"))
    linked = links((*roleset.iter("lexlink"), *roleset.iter("rolelink")))
    classes = dict.fromkeys(verbnet.resolve(link.get("class")) for link in linked)
    roles = (role_row(role, verbnet) for role in roleset.iter("role") if role.get("n").isdigit())
    fields = (
        tidy(roleset.get("name")),
        lemma,
        " ".join(dict.fromkeys(aliases)),
        " ".join(cls for cls in classes if cls),
        *roles,
    )
    return "\t".join(fields)


def compile_table(verbnet: VerbNet, rolesets: Iterable[tuple[str, Element]]) -> dict[str, Any]:
    """The whole resource as it is written."""
    rows: dict[str, str] = {}
    for lemma, roleset in sorted(rolesets, key=lambda found: found[1].get("id")):
        id, row = roleset.get("id"), roleset_row(lemma, roleset, verbnet)
        # One roleset stands in two files; the fuller account of it is kept.
        if len(row) > len(rows.get(id, "")):
            rows[id] = row
    # Rows are strings, and so are lists of members: a string loads many times faster than what is in it.
    return {"rolesets": rows, "classes": {id: " ".join(names) for id, names in verbnet.members.items()}}


def dump(table: dict[str, Any]) -> str:
    """Compact JSON with one roleset or class a line, so that a change shows as a change."""
    parts = [
        json.dumps(name)
        + ":{\n"
        + ",\n".join(
            json.dumps(key, ensure_ascii=False)
            + ":"
            + json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            for key, value in entries.items()
        )
        + "}"
        for name, entries in table.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def figures(table: dict[str, Any]) -> dict[str, int]:
    """What is in the table, counted."""
    rows = [row.split("\t") for row in table["rolesets"].values()]
    names = {alias for row in rows for alias in row[2].split()}
    return {
        "rolesets": len(rows),
        "verbs": sum(name.startswith("v:") for name in names),
        "nouns": sum(name.startswith("n:") for name in names),
        "adjectives": sum(name.startswith("j:") for name in names),
        "arguments": sum(len(row) - 4 for row in rows),
        "rolesets_with_classes": sum(bool(row[3]) for row in rows),
        "classes": len(table["classes"]),
        "members": len({member for members in table["classes"].values() for member in members.split()}),
    }


def card_text(card: dict[str, Any]) -> str:
    """The card for people."""
    counts = card["figures"]
    return "\n".join(
        [
            f"# verbs {card['version']}: what predicates take",
            "",
            f"{counts['rolesets']:,} PropBank rolesets with {counts['arguments']:,} numbered arguments, named by "
            f"{counts['verbs']:,} verbs, {counts['nouns']:,} nouns and {counts['adjectives']:,} adjectives; "
            f"{counts['classes']:,} VerbNet classes and subclasses with {counts['members']:,} verbs; "
            f"{counts['rolesets_with_classes']:,} rolesets are linked to a class. Built by `training/verbs.py`; "
            "used by `postil.language.words.verbs`.",
            "",
            f"Size {card['size_bytes'] / 1e6:.1f} MB. Licence {card['licence']} (the frame files' share-alike).",
            "",
            "| source | licence | used for |",
            "| --- | --- | --- |",
            *(f"| {name} | {licence} | {use} |" for name, licence, use in card["sources"]),
            "",
            "Changed from the sources: examples, notes, FrameNet links and modifier (ARGM) entries are left out; of links "
            "to VerbNet only the newest version's are kept; links to classes that 3.4 no longer has go to the class "
            "they were a part of or to the one class of their name, or are dropped; misspelt thematic roles and one "
            "class (lodge-46-1) are mended; of one roleset given twice (overhang.01) the fuller account is kept.",
            "",
            "PropBank: Palmer, Gildea and Kingsbury (2005) and its later annotators, University of Colorado Boulder. "
            "VerbNet: Kipper Schuler (2005) and its later editors, University of Colorado Boulder.",
            "",
            "Limits: English only, mostly American spelling; the frames were written for newspapers, web text, "
            "conversation and clinical notes, so that some science words are missing; VerbNet lists verbs without "
            "their particles more often than with them.",
            "",
        ]
    )


def build(verbnet: Path, propbank: Path, out: Path) -> None:
    """Write the table, its card and the card for people."""
    from card import hashes, wrapped  # brings in spaCy, which reading the sources does not need

    table = compile_table(VerbNet(verbnet), read_rolesets(propbank))
    out.mkdir(parents=True, exist_ok=True)
    (out / "verbs.json").write_text(dump(table), encoding="utf-8")
    card = {
        "name": "verbs",
        "version": VERSION,
        "licence": "CC BY-SA 4.0",
        "size_bytes": (out / "verbs.json").stat().st_size,
        "figures": figures(table),
        "sources": [list(source) for source in SOURCES],
        "files": hashes(out),
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(wrapped(card_text(card)), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--verbnet", type=Path, required=True)
    parser.add_argument("--propbank", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    build(arguments.verbnet, arguments.propbank, arguments.out)
