"""Formats that are read and written: one module a format, to frozen dataclasses and back."""
