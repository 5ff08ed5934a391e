"""Lists of facets: tab-separated (id, first, second), or the challenge's XML with facets in references."""

from __future__ import annotations

from pathlib import Path

from postil.data.formats.sra import read_question
from postil.data.questions import Facet
from postil.data.tsv import Seen, read_tsv
from postil.errors import InputError


def read_facets(path: Path | str) -> list[Facet]:
    """Read the facets of one reference; ids that come twice and facets without a term are refused."""
    path = Path(path)
    if path.suffix.lower() == ".xml":
        found = [facet for reference in read_question(path).references for facet in reference.facets]
        if not found:
            raise InputError(path, "no reference here has facets.")
        return found
    seen = Seen(path)
    found = []
    for row in read_tsv(path, required=(("id",), ("first",), ("second",))):
        fields = row.fields
        seen.add(fields["id"], row.line)
        if not fields["first"]:
            raise InputError(path, "this facet has no first term.", line=row.line, record=fields["id"])
        found.append(Facet(fields["id"], fields["first"], fields["second"], fields.get("relation", "")))
    return found
