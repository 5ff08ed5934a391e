"""Facets: the small claims of a reference, and which of them an answer expresses."""
