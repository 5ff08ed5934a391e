"""Postil reads a short answer, judges it against a reference, and writes the note in the margin."""

__version__ = "0.1.0"
