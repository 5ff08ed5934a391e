"""Many alignments as one web page: for each pair its picture and, in a sentence, what it shows."""

from __future__ import annotations

from collections.abc import Iterable

from postil.data.alignments import AlignedPair
from postil.explain.alignment_picture import alignment_svg
from postil.explain.alignments import SENTENCES, Names
from postil.explain.page import escape, page

_STYLE = """
h2 { font-size: .8rem; font-weight: 600; color: #64748b; margin: 0; }
figure { margin: 0; overflow-x: auto; }
figure svg { display: block; max-width: 100%; min-width: 35rem; height: auto; }
@media print { section { break-inside: avoid; } }
"""


def alignment_page(
    pairs: Iterable[tuple[AlignedPair, str]], title: str = "Alignments", names: Names = SENTENCES
) -> str:
    """Draw pairs, each with its explanation, into a whole page."""
    sections = "\n".join(
        f"<section>\n<h2>Pair {escape(pair.id)}</h2>\n<figure>{alignment_svg(pair, names)}</figure>\n"
        f"<p>{escape(explanation)}</p>\n</section>"
        for pair, explanation in pairs
    )
    return page(title, sections, _STYLE)
