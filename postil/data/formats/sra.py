"""SRA XML: one question a file, with its references and answers, as the 2013 challenge distributed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from postil.data.files import is_folder
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES, fitting_schemes
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.data.tsv import Seen
from postil.data.xmlfile import XmlFile, read_xml, text_of, write_xml
from postil.errors import InputError, MissingDataError, some, unknown_label

CORPORA = ("beetle", "sciEntsBank")
_LABELS = {label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels}
_FACET_LABELS = set(FACET_SCHEMES["3way"].labels)

Collection = dict[tuple[str, str], list[Question]]


def read_question(path: Path | str, *, corpus: str = "") -> Question:
    """Read one question from one SRA XML file."""
    xml = read_xml(path)
    root = xml.root
    if root.tag != "question":
        raise xml.error(root, f"the root element is <{root.tag}>, not <question>.", hint="Is this SRA XML?")
    seen = Seen(xml.path, "answer id")
    answers = []
    for element in root.iterfind("./studentAnswers/studentAnswer"):
        answer = _answer(xml, element)
        seen.add(answer.id, xml.lines[element])
        answers.append(answer)
    return Question(
        id=xml.required(root, "id"),
        text=text_of(root.find("questionText")),
        references=tuple(
            _reference(xml, element) for element in root.iterfind("./referenceAnswers/referenceAnswer")
        ),
        answers=tuple(answers),
        module=root.get("module", ""),
        corpus=corpus,
        test_set=root.get("testSet", ""),
        qtype=root.get("qtype", ""),
        stype=root.get("stype", ""),
    )


def _own_text(element: ET.Element) -> str:
    """The text of an answer: in a <text> child where facets stand beside it, else the element's own."""
    child = element.find("text")
    return text_of(element if child is None else child)


def _reference(xml: XmlFile, element: ET.Element) -> Reference:
    return Reference(
        id=xml.required(element, "id"),
        text=_own_text(element),
        category=element.get("category", ""),
        file_id=element.get("fileID", ""),
        facets=tuple(
            Facet(
                id=xml.required(facet, "id"),
                first=facet.get("term1Text") or facet.get("govText") or "",
                second=facet.get("term2Text") or facet.get("modText") or "",
                relation=facet.get("relation") or facet.get("reltn") or "",
            )
            for facet in element.iter("facet")
        ),
    )


def _answer(xml: XmlFile, element: ET.Element) -> Answer:
    label = element.get("accuracy")
    if label is not None and label not in _LABELS:
        raise xml.error(element, unknown_label(label), hint=f"Known labels: {', '.join(sorted(_LABELS))}.")
    count = element.get("count")
    if count is not None and not (count.isdecimal() and len(count) < 10):
        raise xml.error(element, f"count is {count[:20]!r}, not a whole number (of fewer than 10 digits).")
    return Answer(
        id=xml.required(element, "id"),
        text=_own_text(element),
        label=label,
        match=element.get("answerMatch", ""),
        count=None if count is None else int(count),
        facets=tuple(_facet_label(xml, facet) for facet in element.iter("facetEntailment")),
    )


def _facet_label(xml: XmlFile, element: ET.Element) -> FacetLabel:
    label = xml.required(element, "label")
    if label not in _FACET_LABELS:
        raise xml.error(
            element,
            unknown_label(label, "facet label"),
            hint=f"Known: {', '.join(sorted(_FACET_LABELS))}.",
        )
    return FacetLabel(xml.required(element, "facetID"), label)


def read_corpus(path: Path | str, *, corpus: str = "") -> list[Question]:
    """Read every question of a file or of a folder and what is below it, in order of file name."""
    path = Path(path)
    files = [path] if not is_folder(path) else _xml_files(path)
    if not files:
        raise MissingDataError(f"{path}: there are no XML files below this folder.")
    questions = [read_question(file, corpus=corpus) for file in files]
    _refuse_clashes(path, files, questions)
    return questions


def _xml_files(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.rglob("*.xml") if not file.name.startswith("."))
    # SciEntsBank also comes as "Extra", the same answers with facets: reading both would double them.
    core = [file for file in files if "Core" in file.relative_to(folder).parts]
    return core or files


def _refuse_clashes(path: Path, files: Sequence[Path], questions: Sequence[Question]) -> None:
    """Refuse answer ids that occur in two files, and labels of more than one scheme."""
    owner: dict[str, Path] = {}
    labels: set[str] = set()
    for file, question in zip(files, questions, strict=True):
        for answer in question.answers:
            if owner.setdefault(answer.id, file) is not file:
                raise InputError(
                    file,
                    f"the answer id {answer.id!r} also stands in {owner[answer.id].name}.",
                    hint="Ids must be unique in a corpus; are there two copies of it below this folder?",
                )
            if answer.label is not None:
                labels.add(answer.label)
    if not fitting_schemes(labels, RESPONSE_SCHEMES):
        raise InputError(
            path,
            f"mixes labels of different schemes: {some(sorted(labels), 6)}.",
            hint="Keep the 5-way, 3-way and 2-way releases in separate folders.",
        )


def read_collection(folder: Path | str) -> Collection:
    """Read `<corpus>/<set>/**/*.xml` below a folder, by corpus (`beetle`, …) and set (`train`, `test-…`)."""
    folder = Path(folder)
    if not is_folder(folder):
        raise MissingDataError(f"{folder}: there is no such folder.", hint="docs/data.md shows the layout.")
    collection: Collection = {}
    for corpus in CORPORA:
        base = next((child for child in folder.iterdir() if child.name.lower() == corpus.lower()), None)
        if base is None or not base.is_dir():
            continue
        for subset in sorted(child for child in base.iterdir() if child.is_dir()):
            collection[corpus, subset.name] = read_corpus(subset, corpus=corpus)
    if not collection:
        raise MissingDataError(
            f"{folder}: there is no folder 'beetle' or 'sciEntsBank' with XML files in it.",
            hint="The layout is <corpus>/<set>/**/*.xml; docs/data.md shows it.",
        )
    return collection


def _attributes(**values: str | int | None) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value not in ("", None)}


def _text_element(
    parent: ET.Element, tag: str, text: str, facets: bool, attributes: Mapping[str, str]
) -> ET.Element:
    element = ET.SubElement(parent, tag, dict(attributes))
    if facets:
        ET.SubElement(element, "text").text = text
    else:
        element.text = text
    return element


def write_question(path: Path | str, question: Question) -> None:
    """Write one question as an SRA XML file."""
    root = ET.Element(
        "question",
        _attributes(
            qtype=question.qtype,
            id=question.id,
            module=question.module,
            stype=question.stype,
            testSet=question.test_set,
        ),
    )
    ET.SubElement(root, "questionText").text = question.text
    references = ET.SubElement(root, "referenceAnswers")
    for reference in question.references:
        attributes = _attributes(category=reference.category, id=reference.id, fileID=reference.file_id)
        facets = bool(reference.facets)
        element = _text_element(references, "referenceAnswer", reference.text, facets, attributes)
        for facet in reference.facets:
            terms = _attributes(
                id=facet.id, relation=facet.relation, term1Text=facet.first, term2Text=facet.second
            )
            ET.SubElement(element, "facet", terms)
    answers = ET.SubElement(root, "studentAnswers")
    for answer in question.answers:
        attributes = _attributes(
            count=answer.count, answerMatch=answer.match, id=answer.id, accuracy=answer.label
        )
        element = _text_element(answers, "studentAnswer", answer.text, bool(answer.facets), attributes)
        for label in answer.facets:
            ET.SubElement(element, "facetEntailment", facetID=label.facet_id, label=label.label)
    write_xml(path, root)
