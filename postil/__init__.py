"""Postil reads a short answer, judges it against a reference, and writes the note in the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.grader import Grader, load

__version__ = "0.1.0"
__all__ = ["Grader", "__version__", "load"]


def __getattr__(name: str) -> object:
    """Import the grader only when it is asked for: the command line must start at once."""
    if name not in ("Grader", "load"):
        raise AttributeError(f"module 'postil' has no attribute {name!r}")
    from postil import grader

    return getattr(grader, name)
