"""Lists of facets, tab-separated and in the challenge's XML."""

import pytest

from postil.data.formats.sra import read_facets, write_question
from postil.data.questions import Facet, Question, Reference
from postil.errors import InputError


def test_tab_separated(tmp_path):
    path = tmp_path / "facets.tsv"
    path.write_text("id\tfirst\tsecond\trelation\nf1\tcontains\tseeds\tobj\nf2\tfruit\t\t\n")
    assert read_facets(path) == [Facet("f1", "contains", "seeds", "obj"), Facet("f2", "fruit", "")]


def test_the_challenges_xml(tmp_path):
    facets = (Facet("f1", "contains", "seeds"),)
    reference = Reference("r", "It contains seeds.", facets=facets)
    write_question(tmp_path / "q.xml", Question("q", "Why?", (reference,)))
    assert read_facets(tmp_path / "q.xml") == list(facets)
    write_question(tmp_path / "p.xml", Question("p", "Why?", (Reference("r", "It contains seeds."),)))
    with pytest.raises(InputError, match="no reference here has facets"):
        read_facets(tmp_path / "p.xml")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("f1\ta\tb\nf1\tc\td\n", "occurs twice"),
        ("f1\t\tb\n", "no first term"),
        ("", "no record"),
    ],
)
def test_what_is_refused(tmp_path, rows, said):
    path = tmp_path / "facets.tsv"
    path.write_text("id\tfirst\tsecond\n" + rows)
    with pytest.raises(InputError, match=said):
        read_facets(path)
