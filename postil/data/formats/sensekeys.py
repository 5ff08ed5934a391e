"""Reads and writes sense keys, systems' answers and sense maps, in the formats of the Senseval scorer.

A key and a run look alike: `lexelt instance sense[/weight] … [!! comment]`, one instance a line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from postil.data.files import read_lines, write_text
from postil.data.formats.senseval import SenseInstance, likely_encoding
from postil.errors import InputError

# What follows the last slash is meant as a weight when it looks like a number at all: "0,5" is a weight
# someone wrote wrongly, "or" in "and/or" is a part of the sense's name.
_NUMBER_LIKE = re.compile(r"(?=[-+.,e]*+[0-9])[-+.,0-9e]++|[-+]?(?:nan|inf|infinity)|", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
_COUNT = re.compile(r"[1-9][0-9]{0,8}")
_COMMENT = "!!"


@dataclass(frozen=True, slots=True)
class SenseAnswer:
    """The senses that a key or a system gives one instance, each with its weight if it has one."""

    instance: str
    lexelt: str
    senses: tuple[tuple[str, float | None], ...]


@dataclass(frozen=True, slots=True)
class SenseMap:
    """Which senses belong under which coarser ones.

    `ancestors` holds, for each sense that has a line, the senses above it from the nearest to the topmost,
    each with the branching count: how many senses are directly under it.
    """

    ancestors: Mapping[str, tuple[tuple[int, str], ...]]

    def coarsest(self, sense: str) -> str:
        """The topmost sense above this one, or the sense itself if nothing is above it or it is unknown."""
        above = self.ancestors.get(sense)
        return above[-1][1] if above else sense

    def share(self, ancestor: str, sense: str) -> float:
        """The share of `ancestor` that is `sense`: 1 for itself, 1/(product of counts) below it, else 0."""
        if ancestor == sense:
            return 1.0
        product = 1.0
        for count, above in self.ancestors.get(sense, ()):
            product *= count
            if above == ancestor:
                return 1.0 / product
        return 0.0


def read_sense_key(path: Path | str, *, encoding: str | None = None) -> list[SenseAnswer]:
    """Read a key: the right senses of each instance (UTF-8, else latin-1, unless `encoding` says)."""
    answers = []
    first: dict[tuple[str, str], int] = {}
    for number, fields in _lines(path, encoding):
        if len(fields) < 3:
            hint = "A line is: lexelt instance sense[/weight] …"
            raise InputError(path, "this line has too few fields.", line=number, hint=hint)
        lexelt, instance, *written = fields
        # Instance names are unique within a word only, so the scorer also joins by both fields.
        if (lexelt, instance) in first:
            what = f"this instance is already on line {first[lexelt, instance]}."
            raise InputError(path, what, line=number, record=instance)
        first[lexelt, instance] = number
        senses: dict[str, float | None] = {}
        for word in written:
            sense, weight, problem = _parse(word)
            if not problem and sense in senses:
                problem = f"the sense {sense!r} occurs twice on this line."
            if problem:
                raise InputError(path, problem, line=number, record=instance)
            senses[sense] = weight
        answers.append(SenseAnswer(instance, lexelt, tuple(senses.items())))
    if not answers:
        raise InputError(path, "holds no answers.", hint="A line is: lexelt instance sense[/weight] …")
    return answers


def read_sense_answers(path: Path | str, *, encoding: str | None = None) -> list[SenseAnswer]:
    """Read a run, the senses a system gives each instance, which has the form of a key."""
    return read_sense_key(path, encoding=encoding)


def _lines(path: Path | str, encoding: str | None) -> Iterator[tuple[int, list[str]]]:
    """The number and fields of each line that has any, without comments."""
    for number, line in enumerate(read_lines(path, encoding=encoding or likely_encoding(path)), 1):
        fields = line.partition(_COMMENT)[0].split()
        if fields:
            yield number, fields


def _parse(word: str) -> tuple[str, float | None, str]:
    """Split `sense/weight`; the third part is what is wrong with it, if anything."""
    sense, slash, number = word.rpartition("/")
    if not slash or not _NUMBER_LIKE.fullmatch(number):
        return word, None, ""
    if not sense:
        return word, None, f"there is no sense before the weight in {word!r}."
    if not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        return sense, None, f"{number!r} is not a weight: write a number such as 0.5."
    if number.startswith("-"):
        return sense, None, f"the weight {number} is negative."
    return sense, float(number), ""


def write_sense_answers(path: Path | str, answers: Iterable[SenseAnswer]) -> None:
    """Write answers, or a key, one instance a line; what could not be read back is refused."""
    lines = []
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        # The format knows no exponents, which `repr` would use for small numbers.
        # (Adding 0 makes a negative zero an ordinary one.)
        words = [
            sense if weight is None else f"{sense}/{Decimal(repr(float(weight) + 0.0)):f}"
            for sense, weight in answer.senses
        ]
        name = (answer.lexelt, answer.instance)
        names = [sense for sense, _ in answer.senses]
        if name in seen or not words or len(set(names)) < len(names):
            what = "cannot be written: an instance needs one answer, with one sense at least and none twice."
            raise InputError(path, what, record=answer.instance)
        seen.add(name)
        readable = all(_parse(word) == (*pair, "") for word, pair in zip(words, answer.senses, strict=True))
        if not readable or any(field.split() != [field] or _COMMENT in field for field in (*name, *names)):
            raise InputError(
                path,
                "cannot be written: a name here is empty, has a blank or '!!' in it or ends like a weight, "
                "or a weight is not a number from 0 up.",
                record=answer.instance,
            )
        lines.append(" ".join((*name, *words)) + "\n")
    write_text(path, "".join(lines))


def sense_key(instances: Iterable[SenseInstance]) -> list[SenseAnswer]:
    """Make the key of labelled instances; the unlabelled ones are left out."""
    return [
        SenseAnswer(instance.id, instance.lexelt, tuple((sense, None) for sense in instance.senses))
        for instance in instances
        if instance.senses
    ]


def read_sense_map(path: Path | str, *, encoding: str | None = None) -> SenseMap:
    """Read a sense map: lines `sense [count parent]…`, from each sense up to the topmost one above it."""
    ancestors: dict[str, tuple[tuple[int, str], ...]] = {}
    # Each sense's one link upwards as first met (None: it is topmost), and where that was. Lines that agree
    # on all links cannot form a cycle, since every line ends at a topmost sense.
    links: dict[str, tuple[tuple[int, str] | None, int]] = {}
    for number, (sense, *rest) in _lines(path, encoding):
        above = _chain(path, number, sense, rest)
        ancestors[sense] = above
        # A group may carry the name of one of its senses (`a 2 a`): that is no link.
        below = sense
        for link in (*above, None):
            if link is not None and link[1] == below:
                continue
            known, line = links.setdefault(below, (link, number))
            if known != link:
                what = f"{below!r} is {_place(link)} here and {_place(known)} in line {line}."
                raise InputError(path, what, line=number, record=sense, hint="A sense has one place.")
            if link is not None:
                below = link[1]
    if not ancestors:
        raise InputError(path, "holds no senses.", hint="A line is: sense [count parent]…")
    return SenseMap(ancestors)


def _chain(path: Path | str, number: int, sense: str, rest: list[str]) -> tuple[tuple[int, str], ...]:
    counts, parents = rest[::2], rest[1::2]
    if len(counts) != len(parents):
        hint = "A line is: sense [count parent]…"
        raise InputError(path, "a count has no parent after it.", line=number, record=sense, hint=hint)
    for count in counts:
        if not _COUNT.fullmatch(count):
            what = f"{count!r} is not a branching count (1, 2, 3 …)."
            raise InputError(path, what, line=number, record=sense)
    met = {sense}
    for index, parent in enumerate(parents):
        if parent in met and (index or parent != sense):
            what = f"{parent!r} is above itself: the map has a cycle."
            raise InputError(path, what, line=number, record=sense)
        met.add(parent)
    return tuple((int(count), parent) for count, parent in zip(counts, parents, strict=True))


def _place(link: tuple[int, str] | None) -> str:
    return f"one of {link[0]} under {link[1]!r}" if link else "topmost"
