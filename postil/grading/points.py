"""The points of a reference: its facets merged to what a person would list, a clause each.

>>> from postil.grading.points import find_points
>>> from postil.language.pipeline import analyse
>>> for found in find_points(analyse("The solid dissolves and the liquid remains clear.")):
...     print(found.facet.first)
solid dissolves
liquid remains clear
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from postil.data.questions import Facet
from postil.grading.clauses import is_key
from postil.grading.facets import TOPIC, FoundFacet, extract_facets
from postil.language.document import Document

_GAP = " … "


def find_points(reference: Document, question: Document | None = None) -> tuple[FoundFacet, ...]:
    """The points of a reference, in order, each in the reference's words; what it is about is not one."""
    told = [one for one in extract_facets(reference, question) if one.facet.relation != TOPIC]
    found: dict[str, FoundFacet] = {}  # a reference may say the same twice
    for _, group in groupby(told, key=lambda one: one.clause):
        its = list(group)
        tokens = tuple(sorted({token for one in its for token in one.tokens}))
        name = _in_words(reference, tokens)
        facet = Facet(f"p{len(found) + 1}", name)
        found.setdefault(name.lower(), replace(its[0], facet=facet, tokens=tokens))
    return tuple(found.values())


def _in_words(reference: Document, tokens: Iterable[int]) -> str:
    """Words of a reference as they stand in it, with the small words between them; others leave a gap."""
    said = ""
    last: int | None = None
    for index in tokens:
        token = reference.tokens[index]
        if last is not None:
            left_out = any(map(is_key, reference.tokens[last + 1 : index]))
            said += _GAP if left_out else reference.text[reference.tokens[last].end : token.start]
        said += reference.text[token.start : token.end]
        last = index
    return said + ")" * (said.count("(") > said.count(")"))
