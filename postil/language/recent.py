"""Texts analysed lately: whoever grades an answer, explains it and measures it analyses it once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from postil.language.document import Document
from postil.language.pipeline import analyse_many

_MOST = 3_000  # texts


@dataclass(slots=True)
class _Kept:
    """The documents kept, by text; replaced, never changed, as several threads may read them."""

    documents: dict[str, Document] = field(default_factory=dict)


_KEPT = _Kept()


def documents_of(texts: Iterable[str]) -> dict[str, Document]:
    """The documents of texts, by text; those analysed lately are not analysed again."""
    wanted = dict.fromkeys(texts)
    kept = _KEPT.documents
    # In alphabetical order: the same texts give the same batches, and so the same numbers to the last digit.
    new = sorted(text for text in wanted if text not in kept)
    found = {text: kept[text] for text in wanted if text in kept}
    found.update(zip(new, analyse_many(new), strict=True))
    others = [(text, one) for text, one in kept.items() if text not in found]
    _KEPT.documents = dict([*others, *found.items()][-_MOST:])
    return found


def forget() -> None:
    """Keep nothing, as speed is measured from a fresh start."""
    _KEPT.documents = {}
