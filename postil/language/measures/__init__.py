"""Measures: two texts to a number; one module a family."""
