"""Makes up answers: as many as wanted, all different, and the same for the same seed.

Two hundred questions, each about what happens to a thing, with a reference (the words are in
generated.json); the answers say it in other words, in part, the wrong way round, of something else or not at
all, with slips of the pen. They measure nothing of how well answers are graded: they are there to be many.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

WORDS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
COLUMNS = ("id", "question", "reference", "answer", "school")
ENDINGS = ("parquet", "csv", "parquet", "jsonl", "parquet", "tsv")
GROUP = 5_000  # rows of a Parquet file's row group
ADDED = 0.2  # the share of answers with something before or after what they say
MEASURED = 0.7  # the share of terse answers that also say when
SLIPS = 0.25  # the share of answers with two letters in the wrong order

Case = dict[str, Any]
Row = dict[str, str]


def questions() -> list[tuple[Case, str]]:
    """What the two hundred questions are about: what is done, and to which thing."""
    return list(product(WORDS["cases"], WORDS["things"]))


def rows(count: int, seed: int = 0, *, terse: bool = False) -> Iterator[Row]:
    """So many rows, question by question, as a board hands them out; ids are in order.

    Answers have some thirteen words, as the challenge's do; terse ones four, for what has to be many.
    """
    asked = questions()
    chance = random.Random(seed)
    seen: set[bytes] = set()
    for index, (case, thing) in enumerate(asked):
        question = f"What happens when a {thing} {case['done']}{'' if terse else ', and why'}?"
        reference = f"The {thing} {case['effects'][0]} because {case['causes'][0]}."
        if terse:
            reference = f"It {case['effects'][0]}."
        write = partial(_terse if terse else _answer, case, thing, chance)
        for _ in range(count // len(asked) + (index < count % len(asked))):
            answer = _new(seen, write, chance)
            values = (f"{len(seen):09}", question, reference, answer, chance.choice(WORDS["schools"]))
            yield dict(zip(COLUMNS, values, strict=True))


def _new(seen: set[bytes], write: Callable[[], str], chance: random.Random) -> str:
    """An answer that has not been given; sixteen bytes of each are remembered."""
    while True:
        answer = _slipped(write(), chance)
        digest = hashlib.blake2b(answer.encode(), digest_size=16).digest()
        if digest not in seen:
            seen.add(digest)
            return answer


def _answer(case: Case, thing: str, chance: random.Random) -> str:
    pick = chance.choice
    name = pick((f"{pick(WORDS['owners'])} {thing}", "it"))
    effect, cause, link = pick(case["effects"]), pick(case["causes"]), pick(WORDS["links"])
    body = pick(
        (
            f"{name} {effect} {link} {cause}",
            f"{name} {effect} {link} {cause}",
            f"{name} {effect}",
            f"{name} {effect}",
            cause,
            f"{link} {cause}",
            f"{name} {case['wrong_effect']}",
            f"{name} {effect} {link} {case['wrong_cause']}",
            f"{name} {pick(WORDS['denials'])} {effect}",
            f"{name} {pick(pick(WORDS['cases'])['effects'])}",
            f"{pick(WORDS['talk'])}, I only saw {name}",
        )
    )
    opening = pick(WORDS["openings"]) if chance.random() < ADDED else ""
    tail = pick(WORDS["tails"]) if chance.random() < ADDED else ""
    number = f", number {chance.randrange(1, 500)} on the list" if chance.random() < ADDED / 2 else ""
    return f"{opening}{body}{number}{tail}{pick(('', '.', '!'))}"


def _terse(case: Case, thing: str, chance: random.Random) -> str:
    pick = chance.choice
    effect = pick(case["effects"])
    body = pick(
        (
            effect,
            f"it {effect}",
            f"{thing} {effect}",
            case["wrong_effect"],
            f"never {effect}",
            pick(pick(WORDS["cases"])["effects"]),
            pick(WORDS["talk"]),
        )
    )
    return f"{body}, {chance.randrange(1, 10_000)} s" if chance.random() < MEASURED else body


def _slipped(text: str, chance: random.Random) -> str:
    """Two neighbouring letters change places, now and then; and some begin with a capital."""
    if chance.random() < SLIPS:
        index = chance.randrange(len(text) - 1)
        text = text[:index] + text[index + 1] + text[index] + text[index + 2 :]
    return text[0].upper() + text[1:] if chance.random() < 0.5 else text


def write_dataset(
    folder: Path,
    count: int,
    files: int,
    seed: int = 0,
    endings: Sequence[str] = ENDINGS,
    *,
    terse: bool = False,
) -> None:
    """Write so many rows as so many files, of several formats in turn."""
    folder.mkdir(parents=True)
    source = rows(count, seed, terse=terse)
    for number in range(files):
        ending = endings[number % len(endings)]
        share = count // files + (number < count % files)
        WRITERS[ending](folder / f"answers-{number:03}.{ending}", islice(source, share))


def _write_parquet(path: Path, source: Iterator[Row]) -> None:
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])
    with pq.ParquetWriter(path, schema) as writer:
        while group := list(islice(source, GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema))


def _write_json_lines(path: Path, source: Iterator[Row]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in source:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _write_delimited(path: Path, source: Iterator[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(source)


WRITERS: dict[str, Callable[[Path, Iterator[Row]], None]] = {
    "parquet": _write_parquet,
    "jsonl": _write_json_lines,
    "csv": _write_delimited,
    "tsv": _write_delimited,
}
