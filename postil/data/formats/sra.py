"""Student response analysis: the challenge's XML, gold and run files, lists of facets, and tables of gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from itertools import compress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from postil.data.files import Seen, XmlFile, is_folder, read_tsv, read_xml, text_of, write_tsv, write_xml
from postil.data.formats.rows import read_rows
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES, Scheme, fitting_schemes
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.errors import InputError, MissingDataError, Problem, some, unknown_label, warn_of

CORPORA = ("beetle", "sciEntsBank")
_LABELS = {label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels}
_FACET_LABELS = set(FACET_SCHEMES["3way"].labels)

Collection = dict[tuple[str, str], list[Question]]


def read_question(path: Path | str, *, corpus: str = "") -> Question:
    """Read one question from one SRA XML file."""
    xml = read_xml(path, lenient=True)
    problems = list(xml.problems)
    root = xml.root
    if root.tag != "question":
        raise xml.error(root, f"the root element is <{root.tag}>, not <question>.", hint="Is this SRA XML?")
    seen = Seen(xml.path, "answer id")
    answers = []
    for element in root.iterfind("./studentAnswers/studentAnswer"):
        answer = _answer(xml, element, problems)
        seen.add(answer.id, xml.lines[element])
        answers.append(answer)
    references = root.iterfind("./referenceAnswers/referenceAnswer")
    warn_of(path, sorted(problems, key=lambda problem: problem.line))
    return Question(
        id=xml.required(root, "id"),
        text=text_of(root.find("questionText")),
        references=tuple(_reference(xml, element) for element in references),
        answers=tuple(answers),
        module=root.get("module", ""),
        corpus=corpus,
        test_set=root.get("testSet", ""),
        qtype=root.get("qtype", ""),
        stype=root.get("stype", ""),
    )


def _own_text(element: ET.Element) -> str:
    """The text of an answer: in a <text> child if there are facets, else the element's own."""
    child = element.find("text")
    return text_of(element if child is None else child)


def _reference(xml: XmlFile, element: ET.Element) -> Reference:
    facets = []
    for facet in element.iter("facet"):
        first = facet.get("term1Text") or facet.get("govText") or ""
        second = facet.get("term2Text") or facet.get("modText") or ""
        relation = facet.get("relation") or facet.get("reltn") or ""
        facets.append(Facet(xml.required(facet, "id"), first, second, relation))
    about = element.get("category", ""), element.get("fileID", "")
    return Reference(xml.required(element, "id"), _own_text(element), *about, tuple(facets))


def _official(written: str, known: Iterable[str]) -> str | None:
    """The official spelling of a label, whatever its capitals and the blanks around it."""
    plain = "_".join(written.casefold().split())
    return next((label for label in known if label.casefold() == plain), None)


def _answer(xml: XmlFile, element: ET.Element, problems: list[Problem]) -> Answer:
    written = element.get("accuracy") or None  # test files without labels may keep an empty attribute
    label = None if written is None else _official(written, _LABELS)
    if written is not None and label is None:
        raise xml.error(element, unknown_label(written), hint=f"Known labels: {', '.join(sorted(_LABELS))}.")
    if label != written:
        what = f"the label is not spelled {label!r}, as it should be."
        problems.append(Problem(xml.lines[element], f"answer {element.get('id')}", what, "warning"))
    count = element.get("count")
    if count is not None and not (count.isdecimal() and len(count) < 10):
        raise xml.error(element, f"count is {count[:20]!r}, not a whole number (of fewer than 10 digits).")
    facets = []
    for facet in element.iter("facetEntailment"):
        facet_label = xml.required(facet, "label")
        if facet_label not in _FACET_LABELS:
            hint = f"Known: {', '.join(sorted(_FACET_LABELS))}."
            raise xml.error(facet, unknown_label(facet_label, "facet label"), hint=hint)
        facets.append(FacetLabel(xml.required(facet, "facetID"), facet_label))
    return Answer(
        id=xml.required(element, "id"),
        text=_own_text(element),
        label=label,
        match=element.get("answerMatch", ""),
        count=None if count is None else int(count),
        facets=tuple(facets),
    )


def read_corpus(path: Path | str, *, corpus: str = "") -> list[Question]:
    """Read every question of a file or of a folder and what is below it, in order of file name."""
    path = Path(path)
    files = [path]
    if is_folder(path):
        files = sorted(file for file in path.rglob("*.xml") if not file.name.startswith("."))
        # SciEntsBank also comes as "Extra", the same answers with facets: reading both would double them.
        files = [file for file in files if "Core" in file.relative_to(path).parts] or files
    if not files:
        raise MissingDataError(f"{path}: there are no XML files below this folder.")
    questions = [read_question(file, corpus=corpus) for file in files]
    _refuse_clashes(path, files, questions)
    return questions


def _refuse_clashes(path: Path, files: Sequence[Path], questions: Sequence[Question]) -> None:
    """Refuse answer ids that occur in two files, and labels of more than one scheme."""
    owner: dict[str, Path] = {}
    labels: set[str] = set()
    for file, question in zip(files, questions, strict=True):
        for answer in question.answers:
            if owner.setdefault(answer.id, file) is not file:
                what = f"the answer id {answer.id!r} also occurs in {owner[answer.id].name}."
                hint = "Ids must be unique in a corpus; are there two copies of it below this folder?"
                raise InputError(file, what, hint=hint)
            if answer.label is not None:
                labels.add(answer.label)
    if not fitting_schemes(labels, RESPONSE_SCHEMES):
        hint = "Keep the 5-way, 3-way and 2-way releases in separate folders."
        raise InputError(path, f"mixes labels of different schemes: {some(sorted(labels), 6)}.", hint=hint)


def read_collection(folder: Path | str) -> Collection:
    """Read `<corpus>/<set>/**/*.xml` below a folder, by corpus (`beetle`, …) and set (`train`, `test-…`)."""
    folder = Path(folder)
    if not is_folder(folder):
        hint = "docs/researchers/data.md shows the layout."
        raise MissingDataError(f"{folder}: no such folder.", hint=hint)
    collection: Collection = {}
    for corpus in CORPORA:
        base = next((child for child in folder.iterdir() if child.name.lower() == corpus.lower()), None)
        if base is None or not base.is_dir():
            continue
        for subset in sorted(child for child in base.iterdir() if child.is_dir()):
            collection[corpus, subset.name] = read_corpus(subset, corpus=corpus)
    if not collection:
        what = f"{folder}: there is no folder 'beetle' or 'sciEntsBank' with XML files in it."
        hint = "The layout is <corpus>/<set>/**/*.xml; docs/researchers/data.md shows it."
        raise MissingDataError(what, hint=hint)
    return collection


def _attributes(**values: str | int | None) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value not in ("", None)}


def _text_element(parent: ET.Element, tag: str, text: str, facets: bool, **values: Any) -> ET.Element:
    element = ET.SubElement(parent, tag, _attributes(**values))
    (ET.SubElement(element, "text") if facets else element).text = text
    return element


def write_question(path: Path | str, question: Question) -> None:
    """Write one question as an SRA XML file."""
    about = {"qtype": question.qtype, "id": question.id, "module": question.module, "stype": question.stype}
    root = ET.Element("question", _attributes(**about, testSet=question.test_set))
    ET.SubElement(root, "questionText").text = question.text
    references = ET.SubElement(root, "referenceAnswers")
    for reference in question.references:
        about = {"category": reference.category, "id": reference.id, "fileID": reference.file_id}
        facets = bool(reference.facets)
        element = _text_element(references, "referenceAnswer", reference.text, facets, **about)
        for facet in reference.facets:
            terms = {"relation": facet.relation, "term1Text": facet.first, "term2Text": facet.second}
            ET.SubElement(element, "facet", _attributes(id=facet.id, **terms))
    answers = ET.SubElement(root, "studentAnswers")
    for answer in question.answers:
        attributes = {"count": answer.count, "answerMatch": answer.match}
        attributes |= {"id": answer.id, "accuracy": answer.label}
        element = _text_element(answers, "studentAnswer", answer.text, bool(answer.facets), **attributes)
        for label in answer.facets:
            ET.SubElement(element, "facetEntailment", facetID=label.facet_id, label=label.label)
    write_xml(path, root)


# Tab-separated files: gold (id, qid, …, accuracy) and runs (id, predicted).

_LABEL_COLUMNS = ("accuracy", "predicted", "label")


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """One line of a gold or run file: an answer (or `facet*answer`) and its label."""

    id: str
    label: str
    question_id: str = ""
    test_set: str = ""
    module: str = ""


def read_labels(path: Path | str, schemes: Mapping[str, Scheme]) -> list[LabelledItem]:
    """Read a gold or run file, refusing unknown labels and repeated ids."""
    known = {label for scheme in schemes.values() for label in scheme.labels}
    seen = Seen(path)
    items = []
    problems: list[Problem] = []
    for line, fields in read_tsv(path, (("id",), _LABEL_COLUMNS), problems):
        written = next(fields[name] for name in _LABEL_COLUMNS if name in fields)
        label = _official(written, known)
        if label is None:
            hint = f"Known labels: {', '.join(sorted(known))}."
            raise InputError(path, unknown_label(written), line=line, record=fields["id"], hint=hint)
        if label != written:
            what = f"the label is not spelled {label!r}, as it should be."
            problems.append(Problem(line, fields["id"], what, "warning"))
        seen.add(fields["id"], line)
        others = (fields.get(name, "") for name in ("qid", "testSet", "module"))
        items.append(LabelledItem(fields["id"], label, *others))
    warn_of(path, sorted(problems, key=lambda problem: problem.line))
    return items


def write_gold(path: Path | str, items: Iterable[LabelledItem]) -> None:
    """Write a gold file; the test set and module columns appear when any item has them."""
    rows = [(item.id, item.question_id, item.test_set, item.module, item.label) for item in items]
    filled = [True, True, any(row[2] for row in rows), any(row[3] for row in rows), True]
    header = compress(("id", "qid", "testSet", "module", "accuracy"), filled)
    write_tsv(path, list(header), [list(compress(row, filled)) for row in rows])


def write_run(path: Path | str, labels: Mapping[str, str]) -> None:
    """Write a run file: for each id the label a system gave."""
    write_tsv(path, ("id", "predicted"), labels.items())


# Lists of facets: tab-separated (id, first, second), or the challenge's XML with facets in references.


def read_facets(path: Path | str) -> list[Facet]:
    """Read the facets of one reference; repeated ids and facets without a term are refused."""
    path = Path(path)
    if path.suffix.lower() == ".xml":
        facets = [facet for reference in read_question(path).references for facet in reference.facets]
        if not facets:
            raise InputError(path, "no reference here has facets.")
        return facets
    seen = Seen(path)
    facets = []
    for line, fields in read_tsv(path, required=(("id",), ("first",), ("second",))):
        seen.add(fields["id"], line)
        if not fields["first"]:
            raise InputError(path, "this facet has no first term.", line=line, record=fields["id"])
        facets.append(Facet(fields["id"], fields["first"], fields["second"], fields.get("relation", "")))
    return facets


# Tables of gaps: for each answer the part of the reference that it leaves out, and the words to score.

COLUMNS = ("student_answer_id", "question_text", "model_answer", "student_answer", "gap")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a reference in lower case, and its position."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GapRow:
    """An answer, the reference, and what the answer leaves out of it: nothing, a part or all."""

    id: str
    question: str
    reference: str
    answer: str
    gap: str = ""

    @property
    def words(self) -> tuple[Word, ...]:
        """The reference's words that carry meaning, each time they occur."""
        return tuple(word for word in _words(self.reference) if word.text not in function_words())

    @property
    def missing(self) -> tuple[bool, ...]:
        """For each of these words, whether it is inside the gap.

        The gap repeats words of the reference in order; they are located by the longest runs of words that
        both have in common.
        """
        words = _words(self.reference)
        texts = [word.text for word in words], [word.text for word in _words(self.gap)]
        blocks = SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks()
        inside = {words[place].start for block in blocks for place in range(block.a, block.a + block.size)}
        return tuple(word.start in inside for word in self.words)

    @property
    def is_partial(self) -> bool:
        """Whether the gap is neither empty nor the whole reference."""
        return len(set(self.missing)) == 2


def read_gaps(path: Path | str) -> list[GapRow]:
    """Read a table of gaps (CSV, TSV, JSON lines or XLSX)."""
    table = read_rows(path)
    table.demand_rows()
    lacking = [name for name in COLUMNS if name not in table.header]
    if lacking:
        what = f"there is no column {some(lacking)}; there are {some(table.header, 10)}."
        raise InputError(path, what, hint=f"A table of gaps has the columns {', '.join(COLUMNS)}.")
    places = [table.header.index(name) for name in COLUMNS]
    gaps = []
    for row in table.rows:
        values = [row.cells[place].strip() for place in places]
        if not values[2]:
            raise InputError(path, "there is no reference here.", line=row.line, record=values[0])
        gaps.append(GapRow(*values))
    return gaps


@cache
def function_words() -> frozenset[str]:
    """The words that hold sentences together, by a fixed list.

    Words that compare ("more", "same", "other") are not among them: in a reference they matter.
    """
    text = files("postil.resources").joinpath("words", "function_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def _words(text: str) -> list[Word]:
    return [Word(match.group().lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
