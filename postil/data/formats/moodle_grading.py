"""Moodle's marking guides and rubrics, which are only in its backups: `activities/…/grading.xml`.

Moodle has no file for these forms alone. A backup of one assignment (`.mbz`, a tar or zip archive) holds
them, so that they can be read from it. What is written is a `grading.xml` as such a backup has it.
"""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile

from postil.data.files import XmlFile, parse_xml, read_bytes, text_of, write_xml
from postil.data.formats.markup import readable
from postil.data.questions import Facet
from postil.data.rubrics import LONGEST_ITEM
from postil.errors import InputError, number_of

GUIDE, RUBRIC = "guide", "rubric"
_ENDINGS = (".mbz", ".xml")
_INSIDE = re.compile(r"(\./)?activities/[^/]+/grading\.xml")
_MOST_BYTES = 4 * 1024 * 1024  # of a grading.xml
_MOST_UNPACKED = 256 * 1024 * 1024
_MOST_MEMBERS = 20_000  # of an archive
_MOST_TAGS = 100_000
_LONGEST_NAME = 255  # of a criterion of a marking guide
_BACK_UP = "In Moodle, back up the one assignment that has the form, and give that file."


def is_grading(path: Path) -> bool:
    """Whether a file is to be read as a backup or a `grading.xml` of Moodle's, by its name."""
    return path.suffix.lower() in _ENDINGS


def read_grading(path: Path) -> tuple[list[Facet], tuple[str, ...]]:
    """The items of the one form in a file, and what Postil reads differently from what the form says."""
    forms = [form for xml in _documents(path) for form in _forms(xml)]
    if not forms:
        raise InputError(path, "holds no marking guide and no rubric.", hint=_BACK_UP)
    if len(forms) > 1:
        raise InputError(path, f"holds {number_of(len(forms), 'grading form')}, not one.", hint=_BACK_UP)
    xml, method, definition = forms[0]
    facets, notes = (_read_guide if method == GUIDE else _read_rubric)(definition)
    long = next((number for number, facet in enumerate(facets, 1) if len(facet.first) > LONGEST_ITEM), None)
    if long is not None:
        what = f"criterion {long} has more than {LONGEST_ITEM} characters, which is too long for an item."
        raise xml.error(definition, what, hint="Shorten it in Moodle, or split it in two.")
    return facets, notes


def _documents(path: Path) -> Iterator[XmlFile]:
    """The file itself, or each `grading.xml` in an archive."""
    data = read_bytes(path, in_lines=False)
    if path.suffix.lower() == ".xml":
        yield parse_xml(path, data, _MOST_TAGS)
        return
    try:
        members = list(_zipped(path, data) if data.startswith(b"PK") else _tarred(path, data))
    except (BadZipFile, tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise InputError(path, "is not a backup of Moodle's, or is damaged.", hint=_BACK_UP) from error
    for member in members:
        yield parse_xml(path, member, _MOST_TAGS)


def _zipped(path: Path, data: bytes) -> Iterator[bytes]:
    with ZipFile(BytesIO(data)) as archive:
        names = [name for name in archive.namelist()[:_MOST_MEMBERS] if _INSIDE.fullmatch(name)]
        for name in names:
            with archive.open(name) as file:
                yield _bounded(path, file.read(_MOST_BYTES + 1))


def _tarred(path: Path, data: bytes) -> Iterator[bytes]:
    with tarfile.open(fileobj=_Unpacked(path, data), mode="r|") as archive:
        for number, member in enumerate(archive):
            if number >= _MOST_MEMBERS:
                raise InputError(path, "holds too many files.", hint=_BACK_UP)
            file = archive.extractfile(member) if _INSIDE.fullmatch(member.name) else None
            if file is not None:
                yield _bounded(path, file.read(_MOST_BYTES + 1))


class _Unpacked(gzip.GzipFile):
    """A packed file as it is read, up to a limit: a few bytes can unpack to more than a disk holds."""

    def __init__(self, path: Path, data: bytes) -> None:
        super().__init__(fileobj=BytesIO(data))
        self.path, self.left = path, _MOST_UNPACKED

    def read(self, size: int | None = -1) -> bytes:
        """Read some more, and refuse what is too much."""
        part = super().read(size)
        self.left -= len(part)
        if self.left < 0:
            raise InputError(self.path, "holds more than a backup of one assignment does.", hint=_BACK_UP)
        return part


def _bounded(path: Path, data: bytes) -> bytes:
    if len(data) > _MOST_BYTES:
        raise InputError(path, "holds a grading form that is too large to be read.", hint=_BACK_UP)
    return data


def _forms(xml: XmlFile) -> Iterator[tuple[XmlFile, str, ET.Element]]:
    """The forms that are in use, or all where none is, each with its method."""
    if xml.root.tag != "areas":
        what = f"the root element is <{xml.root.tag}>, not <areas>."
        raise xml.error(xml.root, what, hint="Give a backup (.mbz), or the file grading.xml in it.")
    for area in xml.root.iterfind("area"):
        definitions = [
            (xml, method, definition)
            for definition in area.iterfind("definitions/definition")
            if (method := text_of(definition.find("method")).strip()) in (GUIDE, RUBRIC)
        ]
        active = text_of(area.find("activemethod")).strip()
        yield from [form for form in definitions if form[1] == active] or definitions


def _read_guide(definition: ET.Element) -> tuple[list[Facet], tuple[str, ...]]:
    """A criterion is an item: what it says to students or else to markers, or its name where that is all."""
    facets = []
    for criterion in _sorted(definition, "plugin_gradingform_guide_definition/guidecriteria/guidecriterion"):
        texts = (_words(criterion.find(name)) for name in ("description", "descriptionmarkers", "shortname"))
        words = next(filter(None, texts), "")
        facets.append(Facet("", words, weight=_number(criterion.find("maxscore"))))
    return facets, ()


def _read_rubric(definition: ET.Element) -> tuple[list[Facet], tuple[str, ...]]:
    """A criterion is an item that earns its highest level; its lowest, where below 0, is the deduction."""
    facets, between = [], 0
    for criterion in _sorted(definition, "plugin_gradingform_rubric_definition/criteria/criterion"):
        scores = [_number(score) for score in criterion.iterfind("levels/level/score")] or [0.0]
        most, least = max(scores), min(scores)
        between += any(0 < score < most for score in scores)
        words = _words(criterion.find("description"))
        facets.append(Facet("", words, weight=max(most, 0.0), deduction=max(-least, 0.0)))
    if not between:
        return facets, ()
    told = f"{number_of(between, 'criterion').replace('criterions', 'criteria')} with levels in between"
    return facets, (f"{told}: Postil gives an item's points or none, so only the highest level counts.",)


def _sorted(definition: ET.Element, path: str) -> list[ET.Element]:
    return sorted(definition.iterfind(path), key=lambda criterion: _number(criterion.find("sortorder")))


def _words(element: ET.Element | None) -> str:
    return " ".join(readable(text_of(element)).split())


def _number(element: ET.Element | None) -> float:
    try:
        return float(text_of(element).strip() or "0")
    except ValueError:
        return 0.0


def write_grading(path: Path, facets: Sequence[Facet], name: str) -> tuple[str, ...]:
    """Write a rubric as Moodle's `grading.xml`, and return what the form cannot say.

    Where nothing is taken off, it is a marking guide, else a rubric, for only its levels go below 0.
    """
    method = RUBRIC if any(facet.deduction for facet in facets) else GUIDE
    root = ET.Element("areas")
    area = ET.SubElement(root, "area", id="1")
    _add(area, areaname="submissions", activemethod=method)
    definition = ET.SubElement(ET.SubElement(area, "definitions"), "definition", id="1")
    _add(definition, method=method, name=name[:_LONGEST_NAME], description="", descriptionformat="1")
    _add(definition, status="20")
    form = ET.SubElement(definition, f"plugin_gradingform_{method}_definition")
    criteria = ET.SubElement(form, "criteria" if method == RUBRIC else "guidecriteria")
    add = _add_levels if method == RUBRIC else _add_criterion
    left_out = [facet for facet in facets if not facet.required and not facet.wrong]
    parts = list(_parts([facet for facet in facets if facet not in left_out]))
    for number, members in enumerate(parts, 1):
        add(criteria, number, members)
    write_xml(path, root)
    notes = []
    if left_out:
        items = number_of(len(left_out), "optional item")
        notes.append(f"{items} left out: in Moodle every criterion counts towards the whole.")
    if any(len(members) > 1 for members in parts):
        notes.append("A group is one criterion, and comes back from Moodle as one item.")
    return tuple(notes)


def _parts(facets: Sequence[Facet]) -> Iterator[list[Facet]]:
    """The items one by one, those of a group together at the place of its first."""
    groups: dict[str, list[Facet]] = {}
    for number, facet in enumerate(facets):
        groups.setdefault(facet.group or f"\0{number}", []).append(facet)
    yield from groups.values()


def _title(members: Sequence[Facet]) -> str:
    if len(members) == 1:
        return members[0].first
    return f"Any {members[0].needed} of: {'; '.join(facet.first for facet in members)}"


def _scores(members: Sequence[Facet]) -> list[float]:
    """What saying none, one, two … of them earns."""
    best = sorted((facet.weight for facet in members), reverse=True)[: max(1, members[0].needed)]
    return [sum(best[:count]) for count in range(len(best) + 1)]


def _add_criterion(criteria: ET.Element, number: int, members: Sequence[Facet]) -> None:
    criterion, title = ET.SubElement(criteria, "guidecriterion", id=str(number)), _title(members)
    _add(criterion, sortorder=str(number), shortname=title[:_LONGEST_NAME], description=title)
    _add(criterion, descriptionformat="2", descriptionmarkers="", descriptionmarkersformat="2")
    _add(criterion, maxscore=f"{_scores(members)[-1]:.5f}")


def _add_levels(criteria: ET.Element, number: int, members: Sequence[Facet]) -> None:
    criterion = ET.SubElement(criteria, "criterion", id=str(number))
    _add(criterion, sortorder=str(number), description=_title(members), descriptionformat="0")
    levels = ET.SubElement(criterion, "levels")
    wrong = all(facet.wrong for facet in members)
    words = {0.0: "not said"}
    if taken := max(facet.deduction for facet in members):
        words[-taken] = "said, though it is wrong" if wrong else "contradicted"
    if not wrong:
        words |= {
            score: "said" if len(members) == 1 else f"{count} said"
            for count, score in enumerate(_scores(members))
            if count
        }
    for count, (score, said) in enumerate(sorted(words.items()), 1):
        level = ET.SubElement(levels, "level", id=str(100 * number + count))
        _add(level, score=f"{score:.5f}", definition=said, definitionformat="0")


def _add(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(parent, name).text = text
