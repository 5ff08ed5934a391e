"""Claims that people have judged: a text, a claim, and whether the text makes it; one JSON object a line.

Each has `text`, `claim` and `label`, and perhaps an `id` and the `question` that the text answers. Corpora
call the same labels by many names; they all become the three outcomes of a claim here.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path

from postil.data.files import MAX_BYTES, read_bytes
from postil.data.formats.rows import demand_object
from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED
from postil.errors import InputError, some

_NAMES = {
    EXPRESSED: "expressed|express|true|yes|1|entailment|entails|entailed|supports|support|supported|correct"
    "|made|present|completely support|fully supported|fully attributable|attributable|consistent|stated",
    CONTRADICTED: "contradicted|contradiction|contradicts|contradictory|contradict|refutes|refute|refuted"
    "|conflict|conflicting|denied",
    UNADDRESSED: "unaddressed|not addressed|unexpressed|not expressed|false|no|0|neutral|unknown"
    "|not entailment|no entailment|non entailment|not entailed|unsupported|not supported|not support"
    "|partially supported|partially support|partially expressed|partially entailed"
    "|partial|irrelevant|unrelated|nei|not enough info|not enough information|not fully attributable"
    "|not attributable|generic|incorrect|inconsistent|not made|absent|missing|other",
}
_OUTCOMES = {name: outcome for outcome, names in _NAMES.items() for name in names.split("|")}
_FIELDS = ("text", "claim", "label")


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A text, a claim, and what people say of the two; `label` is one of the three outcomes."""

    id: str
    question: str
    text: str
    claim: str
    label: str


def read_claims(path: Path | str) -> list[ClaimRow]:
    """Read judged claims from a file of JSON lines, which may be compressed (.xz)."""
    path = Path(path)
    rows = []
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            rows.append(_row(path, line, number))
    if not rows:
        raise InputError(path, "holds no claims.")
    return rows


def _lines(path: Path) -> list[bytes]:
    if path.suffix.lower() != ".xz":
        return read_bytes(path).split(b"\n")
    packed = read_bytes(path, in_lines=False)
    try:
        unpacking = lzma.LZMADecompressor()
        data = unpacking.decompress(packed, MAX_BYTES)
    except lzma.LZMAError as error:
        raise InputError(path, "is not a file compressed with xz, or is damaged.") from error
    if not unpacking.eof:
        # Either there is more than is read at once, or the file breaks off.
        what = f"is damaged, or has more than {MAX_BYTES // 2**20} MB when it is unpacked."
        raise InputError(path, what, hint="Unpack it, and split it into smaller files.")
    return data.split(b"\n")


def _row(path: Path, line: bytes, number: int) -> ClaimRow:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = "A .jsonl file holds one JSON object a line, not one list."
        raise InputError(path, "is not JSON.", line=number, hint=hint) from error
    fields = demand_object(path, value, number)
    texts = {name: _text(path, fields.get(name), name, number) for name in ("id", "question", *_FIELDS)}
    missing = [name for name in _FIELDS if not texts[name].strip()]
    if missing:
        raise InputError(path, f"the object has no {some(missing)}.", line=number)
    name = " ".join(texts["label"].lower().replace("_", " ").replace("-", " ").split())
    if name not in _OUTCOMES:
        hint = "Labels can be expressed, contradicted or unaddressed, or what corpora call the same."
        raise InputError(path, f"the label {some([texts['label']])} is not known.", line=number, hint=hint)
    return ClaimRow(
        texts["id"] or str(number), texts["question"], texts["text"], texts["claim"], _OUTCOMES[name]
    )


def _text(path: Path, value: object, name: str, number: int) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise InputError(path, f"the field {name!r} is not a text.", line=number)
    return str(value)
