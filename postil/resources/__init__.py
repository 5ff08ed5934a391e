"""Compiled artefacts and tables that ship with the package."""
