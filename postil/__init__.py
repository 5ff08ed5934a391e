"""Postil reads a short answer, judges it against a reference, and writes the note in the margin."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.data.judgements import Judgement, Reason
    from postil.data.questions import Answer, Question, Reference
    from postil.grader import Grader, grade_class, load

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Grader",
    "Judgement",
    "Question",
    "Reason",
    "Reference",
    "__version__",
    "grade_class",
    "load",
]
_HOMES = {
    **dict.fromkeys(("Grader", "grade_class", "load"), "postil.grader"),
    **dict.fromkeys(("Judgement", "Reason"), "postil.data.judgements"),
    **dict.fromkeys(("Answer", "Question", "Reference"), "postil.data.questions"),
}


def __getattr__(name: str) -> object:
    """Import a public name only when it is asked for: the command line must start at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'postil' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
