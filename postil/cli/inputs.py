"""What several verbs do with their arguments: choose among names, settle a scheme, read gold in any form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from postil.data.files import is_folder
from postil.data.formats.rte import EntailmentRun, Pair
from postil.data.formats.sra import LabelledItem, read_labels
from postil.data.labels import (
    ENTAILMENT_SCHEMES,
    FACET_SCHEMES,
    RESPONSE_SCHEMES,
    Scheme,
    choose_scheme,
    fitting_schemes,
)
from postil.data.questions import Question
from postil.errors import InputError, MismatchError, PostilError, number_of, some

if TYPE_CHECKING:
    from postil.scoring.significance import Groups


def choose(option: str, value: str, allowed: Sequence[str]) -> str:
    """Return the value if it is one of those allowed, else say which are."""
    if value not in allowed:
        raise PostilError(f"{option} {value!r} is not known.", hint=f"Choose from: {', '.join(allowed)}.")
    return value


def refuse_ending(path: Path, endings: Sequence[str]) -> None:
    """Say before the work, not after it, that a file of this kind cannot be written."""
    ending = path.suffix.lower()
    if ending not in endings:
        what = f"the name ends in {ending!r}." if ending else "its name has no ending."
        raise InputError(path, f"cannot be written: {what}", hint=f"Known endings: {', '.join(endings)}.")


def demand_references(source: Path, questions: Sequence[Question]) -> None:
    """Refuse questions that have no reference to compare answers with."""
    without = [question.id for question in questions if not question.references]
    if without:
        raise InputError(
            source,
            f"no reference answer to compare with is there for {number_of(len(without), 'question')}: "
            f"{some(without)}.",
            hint="Give one with --reference, in a column 'reference', or in a key file (--key).",
        )


@contextmanager
def comparing(system: Path, gold: Path) -> Iterator[None]:
    """Say of which two files a mismatch speaks."""
    try:
        yield
    except MismatchError as error:
        raise MismatchError(f"{system} and {gold}: {error.what}", hint=error.hint) from error


def resolve_scheme(
    name: str, schemes: Mapping[str, Scheme], files: Mapping[Path, Sequence[LabelledItem]]
) -> Scheme:
    """The scheme asked for, or with `auto` the one that the gold's and the runs' labels fit."""
    if name != "auto":
        return schemes[choose("--scheme", name, tuple(schemes))]
    labels = {path: {item.label for item in items} for path, items in files.items()}
    for path, found in labels.items():
        if not fitting_schemes(found, schemes):
            return choose_scheme(found, schemes, str(path))  # which says what is wrong with this one
    return choose_scheme(set().union(*labels.values()), schemes, " with ".join(map(str, labels)))


def resolve_facet_scheme(name: str, files: Sequence[Sequence[LabelledItem]]) -> Scheme:
    """The scheme asked for, or with `auto` the pilot's two labels unless a third occurs."""
    if name != "auto":
        return FACET_SCHEMES[choose("--scheme", name, tuple(FACET_SCHEMES))]
    third = any(item.label == "Contradicted" for items in files for item in items)
    return FACET_SCHEMES["3way" if third else "2way"]


def resolve_entailment_scheme(name: str, gold: Sequence[Pair], runs: Sequence[EntailmentRun]) -> Scheme:
    """The scheme asked for, or with `auto` three-way unless the gold or a run knows only two labels."""
    if name != "auto":
        return ENTAILMENT_SCHEMES[choose("--scheme", name, tuple(ENTAILMENT_SCHEMES))]
    labels = {pair.label for pair in gold} | {item.label for run in runs for item in run.judgements}
    return ENTAILMENT_SCHEMES["2way" if "NO_ENTAILMENT" in labels else "3way"]


def read_gold_labels(path: Path) -> list[LabelledItem]:
    """Read the gold of a response run: tab-separated, or SRA XML (a file or a folder)."""
    if not _is_xml(path):
        return read_labels(path, RESPONSE_SCHEMES)
    from postil.data.formats.sra import read_corpus

    items = [
        LabelledItem(answer.id, answer.label or "", question.id, question.test_set, question.module)
        for question in read_corpus(path)
        for answer in question.answers
    ]
    return _complete(path, items)


def read_gold_facets(path: Path) -> list[LabelledItem]:
    """Read the gold of a facet run: tab-separated, or SRA XML with facets; ids are `facet*answer`."""
    if not _is_xml(path):
        return read_labels(path, FACET_SCHEMES)
    from postil.data.formats.sra import read_corpus

    items = [
        LabelledItem(f"{facet.facet_id}*{answer.id}", facet.label, question.id)
        for question in read_corpus(path)
        for answer in question.answers
        for facet in answer.facets
    ]
    return _complete(path, items)


def _is_xml(path: Path) -> bool:
    return is_folder(path) or path.suffix.lower() == ".xml"


def _complete(path: Path, items: list[LabelledItem]) -> list[LabelledItem]:
    missing = next((item for item in items if not item.label), None)
    if missing is not None:
        raise InputError(path, "an answer has no label; the gold needs them all.", record=missing.id)
    if not items:
        raise InputError(path, "holds no labels of this kind.")
    return items


def label_groups(by: str, items: Sequence[LabelledItem]) -> Groups:
    """Group items by question where asked to, for resampling."""
    if choose("--by", by, ("item", "question")) == "item":
        return None
    if not all(item.question_id for item in items):
        raise PostilError("the gold has no question ids (column 'qid').", hint="Use --by item.")
    from postil.scoring.significance import group_numbers

    return group_numbers([item.question_id for item in items])
