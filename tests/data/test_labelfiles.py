"""Gold and run files: tab-separated lines in, the same out, and every broken line named."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.sra import LabelledItem, read_labels, write_gold, write_run
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES, choose_scheme, fitting_schemes
from postil.errors import InputError, InputWarning, PostilError

RESPONSE_LABELS = sorted({label for scheme in RESPONSE_SCHEMES.values() for label in scheme.labels})


def test_gold_with_every_column(file):
    path = file(
        "id\tqid\ttestSet\tmodule\tcount\taccuracy\r\n"
        "EM.45b.110.1\tEM_45b\tunseen-answers\tEM\t3\tcorrect\r\n"
        "\r\n"
        "EM.45b.111.1\tEM_45b\tunseen-answers\tEM\t1\tnon_domain\r\n"
    )
    assert read_labels(path, RESPONSE_SCHEMES) == [
        LabelledItem("EM.45b.110.1", "correct", "EM_45b", "unseen-answers", "EM"),
        LabelledItem("EM.45b.111.1", "non_domain", "EM_45b", "unseen-answers", "EM"),
    ]


@pytest.mark.parametrize("column", ["accuracy", "predicted", "label"])
def test_runs_name_their_column_variously(file, column):
    path = file(f" {column} \tid\n incorrect \t a1 \n")
    assert read_labels(path, RESPONSE_SCHEMES) == [LabelledItem("a1", "incorrect")]


def test_facets(file):
    path = file("id\tpredicted\nf1*a1\tExpressed\nf2*a1\tContradicted\n")
    assert [item.label for item in read_labels(path, FACET_SCHEMES)] == ["Expressed", "Contradicted"]


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [
        ("id\tpredicted\na\tcorrect\nb\tright\n", r"\(b\): the label 'right' is unknown", 3),
        ("id\tpredicted\na\tRight\n", "'Right' is unknown", 2),
        ("id\tpredicted\na\t\n", "label '' is unknown", 2),
        ("id\tpredicted\na\tExpressed\n", "'Expressed' is unknown", 2),
        ("id\tpredicted\na\tcorrect\n\na\tcorrect\n", r"id 'a' occurs twice \(first on line 2\)", 4),
        ("id\tpredicted\n\tcorrect\n", "no id", 2),
        ("id\tpredicted\na\n", "1 columns where the header has 2", 2),
        ("id\tpredicted\na\tcorrect\t1\n", "3 columns where the header has 2", 2),
        ("id,predicted\na,correct\n", "no column 'id'", 1),
        ("id\tlabels\na\tcorrect\n", "no column 'accuracy' or 'predicted' or 'label'", 1),
        ("id\tpredicted\tid\na\tcorrect\ta\n", "names a column twice", 1),
        ("id\tpredicted\n", "header but no record", None),
    ],
)
def test_broken_lines_are_named(file, content, what, line):
    path = file(content)
    with pytest.raises(InputError, match=what) as caught:
        read_labels(path, RESPONSE_SCHEMES)
    assert caught.value.line == line
    assert caught.value.path == str(path)


def test_labels_and_tabs_of_careless_files(file):
    path = file("id\tqid\taccuracy\t\na\tq\tCorrect\nb\t\tq\tnon domain\nc\tq\tcorrect\t\n")
    with pytest.warns(InputWarning) as caught:
        items = read_labels(path, RESPONSE_SCHEMES)
    assert [(item.id, item.question_id, item.label) for item in items] == [
        ("a", "q", "correct"),
        ("b", "q", "non_domain"),
        ("c", "q", "correct"),
    ]
    (warning,) = (item.message for item in caught)
    assert [(problem.line, problem.what) for problem in warning.problems] == [
        (2, "the label is not spelled 'correct', as it should be."),
        (3, "there are more tabs than columns."),
        (3, "the label is not spelled 'non_domain', as it should be."),
        (4, "there are more tabs than columns."),
    ]


# Ids and the like: no tabs, no line ends, no blanks around them.
values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r"), max_size=15).map(
    str.strip
)
ids = values.filter(bool)
round_trip = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@round_trip
@given(
    items=st.lists(
        st.builds(LabelledItem, ids, st.sampled_from(RESPONSE_LABELS), values, values, values),
        min_size=1,
        max_size=5,
        unique_by=lambda item: item.id,
    )
)
def test_gold_round_trip(tmp_path, items):
    write_gold(tmp_path / "gold.tsv", items)
    assert read_labels(tmp_path / "gold.tsv", RESPONSE_SCHEMES) == items


@round_trip
@given(labels=st.dictionaries(ids, st.sampled_from(FACET_SCHEMES["3way"].labels), min_size=1, max_size=5))
def test_run_round_trip(tmp_path, labels):
    write_run(tmp_path / "run.tsv", labels)
    read = read_labels(tmp_path / "run.tsv", FACET_SCHEMES)
    assert {item.id: item.label for item in read} == labels


@pytest.mark.parametrize("id", ["a\tb", "a\nb", "a\rb", " a", "a\u00a0", "a\0b", "a\ud800"])
def test_what_a_line_cannot_hold_is_refused(tmp_path, id):
    with pytest.raises(PostilError, match=r"run\.tsv"):
        write_run(tmp_path / "run.tsv", {id: "correct"})
    assert not list(tmp_path.iterdir())


def test_schemes_that_fit():
    assert [scheme.name for scheme in fitting_schemes(["correct"], RESPONSE_SCHEMES)] == [
        "5way",
        "3way",
        "2way",
    ]
    assert choose_scheme(["correct", "contradictory", "incorrect"], RESPONSE_SCHEMES, "x").name == "3way"
    with pytest.raises(PostilError, match="fits 3way and 2way"):
        choose_scheme(["incorrect"], RESPONSE_SCHEMES, "x")
    with pytest.raises(PostilError, match="mixes labels"):
        choose_scheme(["incorrect", "irrelevant"], RESPONSE_SCHEMES, "x")
    with pytest.raises(PostilError, match="no scheme has: 'odd'"):
        choose_scheme(["odd", "correct"], RESPONSE_SCHEMES, "x")


@pytest.mark.parametrize(
    ("scheme", "label", "collapsed"),
    [
        ("3way", "partially_correct_incomplete", "incorrect"),
        ("3way", "contradictory", "contradictory"),
        ("2way", "contradictory", "incorrect"),
        ("2way", "correct", "correct"),
        ("5way", "incorrect", None),
        ("3way", "odd", None),
    ],
)
def test_collapsing(scheme, label, collapsed):
    assert RESPONSE_SCHEMES[scheme].collapse(label) == collapsed
