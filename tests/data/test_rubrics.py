"""Rubrics in files: tables and back, what is wrong in which row, and the forms in Moodle's backups."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.data.formats.detection import describe
from postil.data.formats.rubrics import COLUMNS, read_rubric, read_rubrics, rubric_rows, write_rubric
from postil.data.questions import Facet
from postil.data.rubrics import usable
from postil.errors import InputError, PostilError

FACETS = (
    Facet("f1", "the water evaporates", weight=2.0),
    Facet("f2", "a lid, a film", weight=0.5, group="covers", needed=1),
    Facet("f3", '=a "foil"', weight=0.5, group="covers", needed=1),
    Facet("f4", "heat speeds it up", required=False),
    Facet("f5", "it cools", weight=1.5, deduction=0.25),
    Facet("f6", "the water vanishes", weight=0.0, required=False, deduction=1.0),
)


@pytest.fixture
def table(tmp_path):
    """A function that writes a table and returns its path."""

    def write(*lines, name="rubric.csv"):
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".xlsx"])
def test_what_is_written_comes_back(tmp_path, ending):
    path = tmp_path / f"rubric{ending}"
    assert write_rubric(path, FACETS) == ()
    assert read_rubric(path).facets == FACETS


words = st.text("abcdefghij,;\"'=+-@ äß🙂", min_size=1, max_size=40).map(
    lambda text: f"x {' '.join(text.split())}x"
)
numbers = st.integers(1, 400).map(lambda quarters: quarters / 4)


@given(
    st.lists(
        st.builds(
            Facet,
            st.just(""),
            words,
            weight=numbers,
            required=st.booleans(),
            deduction=st.one_of(st.just(0.0), numbers.filter(lambda number: number <= 100)),
        ),
        min_size=1,
        max_size=20,
        unique_by=lambda facet: facet.first.casefold(),
    )
)
def test_any_rubric_comes_back_from_a_table(tmp_path_factory, facets):
    path = tmp_path_factory.mktemp("rubrics") / "rubric.csv"
    facets[0] = replace(facets[0], required=True)
    items = usable(facets)
    write_rubric(path, items)
    assert [replace(facet, id="") for facet in read_rubric(path).facets] == list(items)


def test_a_short_table_with_other_names_and_commas(table):
    path = table("Criterion;Marks;Penalty", "heat;2,5;0,5", "air;1;", "ice;0;1")
    heat, air, ice = read_rubric(path).facets
    assert (heat.first, heat.weight, heat.deduction, heat.required) == ("heat", 2.5, 0.5, True)
    assert (air.weight, air.deduction) == (1, 0)
    assert (ice.wrong, ice.required) == (True, False)
    assert [facet.weight for facet in read_rubric(table("item", "heat", "air")).facets] == [1, 1]


@pytest.mark.parametrize(
    ("lines", "line", "told"),
    [
        (("item,points", "heat,1", "air,much"), 3, "the points of this item must be a number"),
        (("item,points", "heat,1", "air,"), 3, "the points of this item are missing"),
        (("item,points", "heat,1", "air,0"), 3, "the points of item 2 must be a number above 0"),
        (("item,points", "heat,1", "air,nan"), 3, "the points of item 2 must be"),
        (("item,points", "heat,1", "Heat,1"), 3, "item 2 occurs twice"),
        (("item,points", "heat,1", ",1"), 3, "item 2 is empty"),
        (("item,points", f"{'x' * 201},1"), 2, "item 1 has more than 200 characters"),
        (("item,required", "heat,perhaps"), 2, "whether this item is required"),
        (("item,deduction", "heat,-1"), 2, "the deduction of item 1 must be a number from 0"),
        (("item,group,needed", "heat,a,1.5"), 2, "must be a whole number"),
        (("item,group,needed", "heat,a,", "air,a,"), 2, "of the group of item 1 are needed is missing"),
        (("item,group,needed", "heat,a,1", "air,a,2"), 2, "is told in two ways"),
        (("item,group,needed", "heat,a,3", "air,a,"), 2, "3 items are needed, but it has 2"),
        (("item,group,needed,required", "heat,a,1,yes", "air,a,1,no"), 2, "and some optional"),
        (("item,group,needed,points,deduction", "heat,,,1,", "ice,a,1,0,1"), 3, "cannot be in a group"),
        (("item,required", "heat,no"), None, "at least one item must be required"),
        (("name,points", "heat,1"), 1, "no column for the items"),
        (("item,claim", "heat,air"), 1, "mean the same"),
        (("item,question", "heat,Why?", "air,"), 3, "does not say which question"),
        (("item,points", *(f"part {number},1" for number in range(21))), None, "at most 20 items"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_row(table, lines, line, told):
    with pytest.raises(InputError, match=told) as raised:
        read_rubrics(table(*lines))
    assert raised.value.line == line


def test_a_table_for_several_questions(table):
    path = table("question,item,points", "q1,heat,1", "q2,light,2", "q1,air,3")
    first, second = read_rubrics(path)
    assert (first.question, [facet.first for facet in first.facets]) == ("q1", ["heat", "air"])
    assert (second.question, [facet.id for facet in second.facets]) == ("q2", ["f1"])
    with pytest.raises(InputError, match="for 2 questions"):
        read_rubric(path)


def test_a_rubric_that_can_be_used_is_tidy():
    messy = [Facet("", " the \n heat", group=" a  b ", needed=1), Facet("", "air", group="a b")]
    assert [(facet.first, facet.group, facet.needed) for facet in usable(messy)] == [
        ("the heat", "a b", 1),
        ("air", "a b", 1),
    ]
    with pytest.raises(PostilError, match="needs at least one item"):
        usable([])
    # A number without a group says nothing.
    assert usable([Facet("", "heat", needed=3)])[0].needed == 0


GUIDE = """<?xml version="1.0" encoding="UTF-8"?>
<areas><area id="1"><areaname>submissions</areaname><activemethod>guide</activemethod><definitions>
<definition id="4"><method>guide</method><name>Rain</name>
<plugin_gradingform_guide_definition><guidecriteria>
<guidecriterion id="2"><sortorder>2</sortorder><shortname>Air</shortname><description></description>
<descriptionmarkers>the air cools</descriptionmarkers><maxscore>1.50000</maxscore></guidecriterion>
<guidecriterion id="1"><sortorder>1</sortorder><shortname>Heat</shortname>
<description>&lt;p&gt;the water &lt;b&gt;evaporates&lt;/b&gt;&lt;/p&gt;</description>
<descriptionmarkers>any words</descriptionmarkers><maxscore>2.00000</maxscore></guidecriterion>
<guidecomments><guidecomment id="1"><description>Well done</description></guidecomment></guidecomments>
</guidecriteria></plugin_gradingform_guide_definition></definition>
<definition id="5"><method>rubric</method><name>An old one</name></definition>
</definitions></area></areas>"""
RUBRIC = """<areas><area id="1"><activemethod>rubric</activemethod><definitions><definition id="1">
<method>rubric</method><plugin_gradingform_rubric_definition><criteria>
<criterion id="1"><sortorder>1</sortorder><description>it evaporates</description><levels>
<level id="1"><score>0.00000</score><definition>no</definition></level>
<level id="2"><score>1.00000</score><definition>half</definition></level>
<level id="3"><score>2.00000</score><definition>yes</definition></level></levels></criterion>
<criterion id="2"><sortorder>2</sortorder><description>it boils</description><levels>
<level id="4"><score>-1.00000</score></level><level id="5"><score>0</score></level></levels></criterion>
</criteria></plugin_gradingform_rubric_definition></definition></definitions></area></areas>"""


def backup(path, *texts, kind="gz"):
    """A backup of assignments with these forms."""
    members = {f"activities/assign_{number}/grading.xml": text.encode() for number, text in enumerate(texts)}
    members |= {"moodle_backup.xml": b"<x/>", "activities/assign_0/assign.xml": b"<y/>"}
    if kind == "zip":
        with ZipFile(path, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        return path
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, BytesIO(data))
    return path


@pytest.mark.parametrize("kind", ["gz", "zip", "xml"])
def test_a_marking_guide_is_read_from_a_backup(tmp_path, kind):
    path = tmp_path / ("grading.xml" if kind == "xml" else "backup.mbz")
    path.write_text(GUIDE) if kind == "xml" else backup(path, GUIDE, kind=kind)
    rubric = read_rubric(path)
    assert [(facet.first, facet.weight) for facet in rubric.facets] == [
        ("the water evaporates", 2.0),
        ("the air cools", 1.5),
    ]
    assert rubric.notes == ()


def test_a_rubric_is_read_with_its_highest_and_its_lowest_levels(tmp_path):
    rubric = read_rubric(backup(tmp_path / "b.mbz", RUBRIC))
    said, wrong = rubric.facets
    assert (said.first, said.weight, said.deduction) == ("it evaporates", 2, 0)
    assert (wrong.first, wrong.wrong, wrong.deduction) == ("it boils", True, 1)
    assert rubric.notes == (
        "1 criterion with levels in between: Postil gives an item's points or none, "
        "so only the highest level counts.",
    )


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ((), "no marking guide and no rubric"),
        ((GUIDE, RUBRIC), "2 grading forms"),
        (("<areas/>",), "no marking guide"),
        (("<quiz/>",), "root element is <quiz>"),
        ((GUIDE.replace("the air cools", "long " * 60),), "criterion 2 has more than 200 characters"),
        ((GUIDE.replace(">1.50000<", ">much<"),), "the points of item 2 must be"),
        (("<areas>" + " " * (5 * 1024 * 1024) + "</areas>",), "too large"),
        (('<!DOCTYPE a [<!ENTITY b "c">]><areas>&b;</areas>',), "b.mbz"),
    ],
)
def test_backups_that_cannot_be_used(tmp_path, texts, told):
    with pytest.raises(InputError, match=told):
        read_rubrics(backup(tmp_path / "b.mbz", *texts))


def test_a_file_that_is_no_backup(tmp_path):
    for data in (b"nothing of the kind", b"PK\3\4", b"\x1f\x8b"):
        path = tmp_path / "b.mbz"
        path.write_bytes(data)
        with pytest.raises(InputError, match="is not a backup of Moodle's, or is damaged"):
            read_rubrics(path)


def test_a_backup_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("postil.data.formats.moodle_grading._MOST_UNPACKED", 20_000)
    with pytest.raises(InputError, match="holds more than a backup of one assignment does"):
        read_rubrics(backup(tmp_path / "b.mbz", "<areas>" + " " * 1_000_000 + "</areas>"))


def test_a_rubric_without_deductions_is_written_as_a_marking_guide(tmp_path):
    path = tmp_path / "grading.xml"
    notes = write_rubric(path, FACETS[:4], name="Rain")
    assert notes == (
        "1 optional item left out: in Moodle every criterion counts towards the whole.",
        "A group is one criterion, and comes back from Moodle as one item.",
    )
    assert [(facet.first, facet.weight) for facet in read_rubric(path).facets] == [
        ("the water evaporates", 2),
        ('Any 1 of: a lid, a film; =a "foil"', 0.5),
    ]


def test_a_rubric_with_deductions_is_written_as_one_with_levels_below_zero(tmp_path):
    path = tmp_path / "grading.xml"
    write_rubric(path, FACETS)
    read = read_rubric(path).facets
    assert [(facet.first, facet.weight, facet.deduction) for facet in read][-2:] == [
        ("it cools", 1.5, 0.25),
        ("the water vanishes", 0.0, 1.0),
    ]
    assert read[-1].wrong


def test_files_that_rubrics_are_not_written_to(tmp_path):
    with pytest.raises(InputError, match="not a kind of file"):
        write_rubric(tmp_path / "rubric.pdf", FACETS)


def test_a_row_has_a_cell_for_every_column():
    assert all(len(row) == len(COLUMNS) for row in rubric_rows(FACETS))


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".xml"])
def test_check_knows_a_rubric(tmp_path, ending):
    path = tmp_path / f"rubric{ending}"
    write_rubric(path, FACETS)
    count = 4 if ending == ".xml" else 6
    assert describe(path) == f"rubric: {count} items for 1 question"
