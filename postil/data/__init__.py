"""Readers and writers: official formats and users' tables to frozen dataclasses and back."""
