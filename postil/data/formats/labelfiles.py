"""The response challenge's tab-separated files: gold (id, qid, …, accuracy) and runs (id, predicted)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.data.labels import Scheme
from postil.data.tsv import Seen, read_tsv, write_tsv
from postil.errors import InputError, unknown_label

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
    """Read a gold or run file, refusing unknown labels and ids that come twice."""
    known = {label for scheme in schemes.values() for label in scheme.labels}
    seen = Seen(path)
    items = []
    for row in read_tsv(path, required=(("id",), _LABEL_COLUMNS)):
        fields = row.fields
        label = next(fields[name] for name in _LABEL_COLUMNS if name in fields)
        if label not in known:
            raise InputError(
                path,
                unknown_label(label),
                line=row.line,
                record=fields["id"],
                hint=f"Known labels: {', '.join(sorted(known))}.",
            )
        seen.add(fields["id"], row.line)
        items.append(
            LabelledItem(
                fields["id"],
                label,
                fields.get("qid", ""),
                fields.get("testSet", ""),
                fields.get("module", ""),
            )
        )
    return items


def write_gold(path: Path | str, items: Iterable[LabelledItem]) -> None:
    """Write a gold file; the test set and module columns appear when any item has them."""
    listed = list(items)
    columns: list[tuple[str, Sequence[str]]] = [
        ("id", [item.id for item in listed]),
        ("qid", [item.question_id for item in listed]),
        ("testSet", [item.test_set for item in listed]),
        ("module", [item.module for item in listed]),
        ("accuracy", [item.label for item in listed]),
    ]
    kept = [(name, values) for name, values in columns if name not in ("testSet", "module") or any(values)]
    write_tsv(path, [name for name, _ in kept], zip(*(values for _, values in kept), strict=True))


def write_run(path: Path | str, labels: Mapping[str, str]) -> None:
    """Write a run file: for each id the label a system gave."""
    write_tsv(path, ("id", "predicted"), labels.items())
