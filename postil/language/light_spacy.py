"""Import spaCy without its command line, which is a third of the time and no part of analysis."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def import_spacy() -> ModuleType:
    """The spacy module; `spacy.cli` is left to be imported by whoever asks for it."""
    if "spacy" not in sys.modules and "spacy.cli" not in sys.modules:
        stand_ins = {name: ModuleType(name) for name in ("spacy.cli", "spacy.cli.info")}
        stand_ins["spacy.cli.info"].info = _info  # type: ignore[attr-defined]
        sys.modules.update(stand_ins)
        try:
            import spacy
        finally:
            for name in stand_ins:
                sys.modules.pop(name, None)
        vars(spacy).pop("cli", None)
    import spacy

    return spacy


def _info(*arguments: Any, **options: Any) -> Any:
    """What spaCy offers as `spacy.info`, with the import put off."""
    from spacy.cli.info import info

    return info(*arguments, **options)
