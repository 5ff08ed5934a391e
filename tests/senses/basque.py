"""A made-up Basque corpus, and people who tag it; sentence patterns and words are in tests/fixtures/basque.

    python tests/senses/basque.py texts FOLDER      writes the texts and their true senses
    python tests/senses/basque.py tag PROJECT GOLD  fills in the sheets that lie open in a project

The people are played by chance with a fixed seed, which confuses the senses that real people would confuse.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from pathlib import Path

from postil.data.formats.rows import read_rows, write_rows

DATA = Path(__file__).parent.parent / "fixtures" / "basque"
SECTIONS = ("gizartea", "kultura", "ekonomia", "kirolak")
DOCUMENTS = {"egunkaria": 260, "orekatua": 80, "sarea": 260}

# How often somebody takes one sense for another, and how often both seem to fit.
CONFUSED = {
    ("herri_2", "herri_3"): 0.4,
    ("herri_3", "herri_2"): 0.4,
    ("herri_1", "herri_2"): 0.08,
    ("hari_2", "hari_1"): 0.08,
    ("jo_3", "U"): 0.08,
    ("U", "jo_1"): 0.3,
    ("P", "kanal_1"): 0.2,
    ("adar_jo", "jo_1"): 0.1,
}
BOTH = {"hari_1": "hari_2", "herri_2": "herri_3"}


def table(name: str) -> list[dict[str, str]]:
    rows = read_rows(DATA / name)
    return [dict(zip(rows.header, row.cells, strict=True)) for row in rows.rows]


class Writer:
    """Writes sentences from the patterns, each word drawn from the list its slot names."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.words = defaultdict(list)
        for row in table("words.tsv"):
            self.words[row["slot"]].append((row["form"], row["lemma"], row["pos"], row["case"]))
        self.patterns = defaultdict(list)
        for row in table("patterns.tsv"):
            kind = "target" if "*" in row["sentence"] else "company"
            self.patterns[kind, row["word"], row["sense"]].append(row["sentence"])
        self.senses = [
            (word, sense)
            for (kind, word, sense), found in self.patterns.items()
            if kind == "target"
            for _ in found
        ]

    def sentence(self, pattern: str) -> list[tuple[str, str, str, str]]:
        tokens = []
        for part in re.findall(r"\{[^}]+\}|\S+", pattern):
            if part.startswith("{"):
                tokens.append(self.chance.choice(self.words[part[1:-1]]))
            else:
                form, lemma, pos, case = (*part.lstrip("*").split(":"), "")[:4]
                tokens.append((form, lemma, pos, case))
        form, *rest = tokens[0]
        return [(form[0].upper() + form[1:], *rest), *tokens[1:], (".", ".", "PUNT", "")]

    def document(self):
        """Sentences with the word and sense of each: one sense, now and then two, and other talk between."""
        told = []
        for word, sense in self.chance.sample(self.senses, 2 if self.chance.random() < 0.3 else 1):
            for _ in range(self.chance.choice((1, 2, 2, 3))):
                told.append((word, sense, self.chance.choice(self.patterns["target", word, sense])))
                company = self.patterns["company", word, sense]
                if company and self.chance.random() < 0.5:
                    told.append(("", "", self.chance.choice(company)))
                if self.chance.random() < 0.7:
                    told.append(("", "", self.chance.choice(self.patterns["company", "", ""])))
        return [(word, sense, self.sentence(pattern)) for word, sense, pattern in told]


def write_texts(folder: Path, seed: int = 1) -> None:
    """Write three corpora of lemmatised texts, and `gold.tsv`: the true sense at each place."""
    writer = Writer(seed)
    gold = []
    for corpus, count in DOCUMENTS.items():
        lines = []
        for number in range(1, count + 1):
            name, section = f"{corpus[:2]}-{number:03d}", writer.chance.choice(SECTIONS)
            lines.append(f"# document = {name}")
            link = f"{corpus}/{name}"
            if corpus == "egunkaria":
                lines.append(f"# section = {section}")
                link = f"{link}/{section}"
            for index, (word, sense, sentence) in enumerate(writer.document(), start=1):
                lines += ("\t".join(token) for token in sentence)
                lines.append("")
                if word:
                    gold.append((f"{link}#{index}", word, sense))
        (folder / f"{corpus}.tsv").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{corpus}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_rows(folder / "gold.tsv", ("source", "word", "sense"), gold)


def said(true: str, person: str, item: str, allowed: set[str]) -> tuple[str, int]:
    """What a person says of an item, and in how many seconds."""
    chance = random.Random(f"{person} {item}")
    tags = true
    for (sense, other), share in CONFUSED.items():
        if sense == true and other in allowed and chance.random() < share:
            tags = other
    if tags == true and BOTH.get(true) in allowed and chance.random() < 0.1:
        tags = f"{true}; {BOTH[true]}"
    return tags, chance.randint(20, 90)


def fill_in(project: Path, gold: Path) -> None:
    """Fill in every empty row of every sheet: annotators err now and then, referees do not."""
    rows = read_rows(gold)
    true = {(source, word): sense for source, word, sense in (row.cells for row in rows.rows)}
    listed = read_rows(project / "senses.tsv")
    senses = set(zip(listed.column("word"), listed.column("sense"), strict=True))
    for sheet in (*project.glob("sheets/*.tsv"), *project.glob("referee/*.tsv")):
        rows = read_rows(sheet)
        filled = []
        for row in rows.rows:
            cells = dict(zip(rows.header, row.cells, strict=True))
            if not cells["tags"]:
                sense = true[cells["source"], cells["group"]]
                if sheet.parent.name == "referee":
                    tags, seconds = sense, 20
                else:
                    allowed = {"U", *(one for word, one in senses if word == cells["group"])}
                    tags, seconds = said(sense, sheet.stem, cells["id"], allowed)
                cells |= {"tags": tags, "seconds": str(seconds)}
            filled.append(list(cells.values()))
        write_rows(sheet, rows.header, filled)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["texts", folder]:
            write_texts(Path(folder))
        case ["tag", project, gold]:
            fill_in(Path(project), Path(gold))
        case _:
            sys.exit(__doc__)
