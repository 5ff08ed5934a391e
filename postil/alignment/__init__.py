"""Alignment of two sentences: which chunks belong together, how, and how strongly."""
