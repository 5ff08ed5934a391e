"""The tables of a project: they come back as they were written, and broken ones say what to do."""

from __future__ import annotations

import json

import pytest

from postil.data.formats.rows import read_rows, write_rows
from postil.errors import InputError, PostilError
from postil.senses.corpus.agreement import complete
from postil.senses.corpus.items import Inventory, Item, Tagging, TagSet
from postil.senses.corpus.plan import Assignment
from postil.senses.corpus.project import (
    Settings,
    create_project,
    open_project,
    plan_draws,
    read_tags,
    take_sheet,
    write_disputes,
    write_sheets,
)
from postil.senses.corpus.sheets import (
    read_assignments,
    read_changes,
    read_inventory,
    read_sheet,
    read_taggings,
    write_assignments,
    write_inventory,
    write_sheet,
    write_taggings,
)

ITEMS = [
    Item("a1", "q1", (("question", "Why?"), ("answer", 'it "glows"\nand = -1'))),
    Item("a2", "q1", (("question", "Why?"), ("answer", "no\tidea"))),
    Item("a3", "q2", (("question", "How?"), ("answer", "so"))),
]
GROUPS = {item.id: item.group for item in ITEMS}
TAG_SETS = dict.fromkeys(("q1", "q2"), TagSet(("correct", "irrelevant")))
SENSES = "word\tsense\tgloss\nate\tate_1\tdoor\nate\tate_2\tmountain pass\n"


@pytest.fixture
def file(tmp_path):
    def write(content: str, name: str = "table.tsv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".xlsx", ".jsonl"])
def test_a_sheet_comes_back(tmp_path, ending):
    path = tmp_path / f"Ane{ending}"
    filled = [Tagging("a2", "q1", "Ane", ("irrelevant",), 12.5, "off; quite")]
    write_sheet(path, ITEMS, filled)
    assert read_sheet(path, "Ane", GROUPS, TAG_SETS) == filled


@pytest.mark.parametrize("ending", [".tsv", ".xlsx"])
def test_notes_and_further_columns_stay_in_a_sheet(tmp_path, ending):
    path = tmp_path / f"Ane{ending}"
    write_sheet(path, ITEMS[:2])
    rows = read_rows(path)
    cells = [[*row.cells[:-1], "later", "mine"] for row in rows.rows]
    write_rows(path, (*rows.header, "my column"), cells)
    write_sheet(path, ITEMS, [Tagging("a1", "q1", "Ane", ("correct",), note="sure")])
    again = read_rows(path)
    assert again.column("note") == ["sure", "later", ""]
    assert again.column("my column") == ["mine", "mine", ""]
    assert again.column("tags") == ["correct", "", ""]


def test_an_answer_is_never_a_formula(tmp_path):
    item = Item("=1", "q1", (("answer", "=HYPERLINK(1)"),))
    path = tmp_path / "Ane.csv"
    for _ in range(2):  # a sheet is written anew again and again
        write_sheet(path, [item], [Tagging("=1", "q1", "Ane", ("correct",))])
    assert read_rows(path).rows[0].cells[:3] == ("'=1", "q1", "'=HYPERLINK(1)")
    assert [one.item for one in read_sheet(path, "Ane", {"=1": "q1"}, TAG_SETS)] == ["=1"]


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".xlsx"])
def test_a_tag_that_looks_like_a_formula_comes_back(tmp_path, ending):
    path = tmp_path / f"Ane{ending}"
    told = [Tagging("a1", "q1", "Ane", ("+1", "-1"), note="=so"), Tagging("a2", "q1", "Ane", ("-1",))]
    tag_sets = {"q1": TagSet(("+1", "-1"), several=True)}
    for _ in range(2):
        write_sheet(path, ITEMS[:2], told)
        assert read_sheet(path, "Ane", GROUPS, tag_sets) == told


def test_a_sheet_keeps_the_tags_that_the_editor_has_grouped(tmp_path):
    path = tmp_path / "Ane.tsv"
    tag_sets = {"q1": TagSet(("a",), several=True, folded={"b": "a"})}
    write_sheet(path, ITEMS[:1], [Tagging("a1", "q1", "Ane", ("b",))])
    (told,) = read_sheet(path, "Ane", GROUPS, tag_sets)
    assert (told.tags, told.as_written) == (("a",), ("b",))
    write_sheet(path, ITEMS[:1], [told])
    assert read_rows(path).column("tags") == ["b"]


def test_only_id_and_tags_are_needed(file):
    path = file("id;tags\na3; Correct\n", "Jon.csv")
    assert read_sheet(path, "Jon", GROUPS, TAG_SETS) == [Tagging("a3", "q2", "Jon", ("correct",))]


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("id\tlabels\na1\tcorrect\n", 1, "no column 'tags'"),
        ("id;tags;note\na1;correct;\n", 1, "has ';' between its columns"),
        ("id\ttags\na1\tcorrect\na9\tcorrect\n", 3, "the project has no item 'a9'"),
        ("id\ttags\na1\tcorect\n", 2, "'corect' is unknown"),
        ("id\ttags\na1\tcorrect\na1\tcorrect\n", 3, "occurs twice"),
        ("id\ttags\n\tcorrect\n", 2, "no id here"),
        ("id\ttags\tseconds\na1\tcorrect\tsoon\n", 2, "'soon' is not a number of seconds"),
    ],
)
def test_a_broken_sheet_says_where(file, content, line, what):
    with pytest.raises(InputError, match=what) as caught:
        read_sheet(file(content), "Ane", GROUPS, TAG_SETS)
    assert caught.value.line == line
    assert caught.value.hint or "no id" in what


def test_the_inventory_comes_back(file, tmp_path):
    inventory = read_inventory(file(SENSES))
    changes = file(
        "by\tword\tchange\tsense\tinto\tgloss\nE\tate\tadd\tate_3\t\tduck\nE\tate\tgroup\tate_2\tate_1\t\n",
        "changes.tsv",
    )
    revised, made = read_changes(changes, inventory)
    assert [change.action for change in made] == ["add", "group"]
    write_inventory(tmp_path / "senses.tsv", revised)
    assert read_inventory(tmp_path / "senses.tsv").senses == revised.senses
    assert (tmp_path / "senses.tsv").read_text("utf-8").splitlines()[1] == "ate\tate_1\tdoor\t\tate_2"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("word\tsense\nate\tate_1\n", 1, "no column 'gloss'"),
        ("word\tsense\tgloss\n", None, "no senses"),
        ("word\tsense\tgloss\na/b\tx\ty\n", 2, "no spaces or slashes"),
        ("word\tsense\tgloss\nate\tate_1\t\n", 2, "a gloss"),
        (SENSES + "ate\tate_1\tagain\n", 4, "already has"),
    ],
)
def test_a_broken_inventory_says_where(file, content, line, what):
    with pytest.raises(InputError, match=what) as caught:
        read_inventory(file(content))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("ate\tadd\tate_3\t\t", "needs a gloss"),
        ("ate\tdelete\tate_9\t\t", "no sense 'ate_9'"),
        ("ate\tsplit\tate_1\t\t", "the change 'split' is unknown"),
    ],
)
def test_a_broken_change_says_where(file, row, what):
    inventory = read_inventory(file(SENSES))
    with pytest.raises(InputError, match=what) as caught:
        read_changes(file(f"word\tchange\tsense\tinto\tgloss\n{row}\n", "changes.tsv"), inventory)
    assert (caught.value.line, bool(caught.value.hint)) == (2, True)


def test_assignments_come_back(tmp_path):
    drawn = [Assignment("q1", ("Ane", "Jon"), "Miren"), Assignment("q2", ("Jon", "Miren", "Ane"))]
    write_assignments(tmp_path / "a.tsv", drawn)
    assert list(read_assignments(tmp_path / "a.tsv", ("Ane", "Jon", "Miren")).values()) == drawn


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("q1\tAne; Ines\tJon", "nobody is called 'Ines'"),
        ("q1\tAne\tJon", "two different annotators"),
        ("q1\tAne; Jon\tAne", "neither of them"),
        ("q0\tAne; Jon\t", "listed twice"),
    ],
)
def test_a_broken_assignment_says_where(file, row, what):
    path = file(f"group\tannotators\treferee\nq0\tAne; Jon\t\n{row}\n")
    with pytest.raises(InputError, match=what) as caught:
        read_assignments(path, ("Ane", "Jon"))
    assert (caught.value.line, caught.value.hint) == (3, "People: Ane, Jon.")


def test_taggings_come_back_and_from_elsewhere(file, tmp_path):
    told = [Tagging("i", "g", "Ane", ("a", "b"), 3.5, "note"), Tagging("i", "g", "Jon", ("a",))]
    write_taggings(tmp_path / "tags.tsv", told)
    assert read_taggings(tmp_path / "tags.tsv") == told
    elsewhere = file("annotator,id,tags\nA,1,YES\n", "rte.csv")
    assert read_taggings(elsewhere) == [Tagging("1", "all", "A", ("YES",))]
    with pytest.raises(InputError, match="line 2: an id, an annotator and a tag"):
        read_taggings(file("annotator\tid\ttags\nA\t1\t\n"))
    with pytest.raises(InputError, match=r"line 3 \(1\): belongs to 'h' here, and to 'g' above"):
        read_taggings(file("annotator\tid\tgroup\ttags\nA\t1\tg\tYES\nB\t1\th\tYES\n"))


@pytest.fixture
def project(tmp_path):
    settings = Settings("responses", ("Ane", "Jon", "Miren"), labels=("correct", "irrelevant"), seed=1)
    return create_project(tmp_path / "p", settings, items=ITEMS)


def test_a_project_comes_back(project):
    again = open_project(project.folder)
    assert again == project
    assert list(again.items) == ["a1", "a2", "a3"]
    assert dict(again.items["a1"].shown)["answer"] == 'it "glows"\nand = -1'


def test_sheets_keep_what_is_filled_in(project):
    draws = plan_draws(project, [])
    write_sheets(project, draws, [])
    person = project.assignments["q1"].annotators[0]
    came = project.folder / f"{person}.csv"
    came.write_text("id,tags\na2,irrelevant\n", encoding="utf-8")
    told = take_sheet(project, came)
    write_sheets(project, draws, told)
    write_sheets(project, draws, read_tags(project))
    assert read_tags(project) == told == [Tagging("a2", "q1", person, ("irrelevant",))]


def test_what_came_back_in_a_sheet_is_taken_over_whole(project):
    """Notes on items that are not tagged yet, and columns that the person added."""
    person = project.assignments["q1"].annotators[0]
    draws = plan_draws(project, [])
    write_sheets(project, draws, [Tagging("a1", "q1", person, ("correct",), 9, "sure")])
    came = project.folder / f"{person}.csv"
    came.write_text("id,tags,note,mine\na1,irrelevant,,\na2,,ask Jon,7\n", encoding="utf-8")
    write_sheets(project, draws, take_sheet(project, came), [came])
    rows = read_rows(project.sheet(person))
    cells = {row.cells[0]: dict(zip(rows.header, row.cells, strict=True)) for row in rows.rows}
    assert [cells["a2"][name] for name in ("tags", "note", "mine")] == ["", "ask Jon", "7"]
    assert [cells["a1"][name] for name in ("tags", "seconds", "note")] == ["irrelevant", "9", "sure"]


def _decided(project):
    """The project with a disagreement on a1 and a2 of q1, of which the referee has decided the first."""
    who = project.assignments["q1"]
    first, second = (
        [Tagging(item, "q1", person, (tag,)) for item in ("a1", "a2")]
        for person, tag in zip(who.annotators, ("correct", "irrelevant"), strict=True)
    )
    assert write_disputes(project, [*first, *second], []) == {who.referee: 2}
    decided = Tagging("a1", "q1", who.referee, ("correct",), note="clear")
    write_sheet(project.sheet(who.referee, referee=True), ITEMS[:2], [decided])
    return first, second, decided


def test_a_decision_stays_when_its_item_is_not_disputed_for_a_while(project):
    first, second, decided = _decided(project)
    assert write_disputes(project, [*first, second[1]], [decided]) == {decided.person: 1}
    assert read_tags(project, referee=True) == [decided]
    assert write_disputes(project, [*first, *second], read_tags(project, referee=True)) == {decided.person: 1}


def test_a_decision_stays_when_somebody_else_becomes_the_referee(project):
    first, second, decided = _decided(project)
    people = project.settings.people
    path = project.folder / "assignment.tsv"
    others = tuple(name for name in people if name != decided.person)
    write_assignments(path, [Assignment("q1", others), Assignment("q2", others, decided.person)])
    changed = open_project(project.folder)
    third = [Tagging("a3", "q2", name, (tag,)) for name, tag in zip(others, ("X", "correct"), strict=True)]
    assert write_disputes(changed, [*first, *second, *third], [decided]) == {decided.person: 1}
    assert read_tags(changed, referee=True) == [decided]
    assert read_rows(changed.sheet(decided.person, referee=True)).column("id") == ["a3", "a1"]


def test_somebody_else_takes_over(project):
    """The new annotator's tags count, and what the old one did is not lost."""
    old, kept = project.assignments["q1"].annotators
    new = project.assignments["q1"].referee
    write_sheet(project.sheet(old), ITEMS[:2], [Tagging("a1", "q1", old, ("correct",))])
    path = project.folder / "assignment.tsv"
    write_assignments(path, [Assignment("q1", (new, kept)), project.assignments["q2"]])
    changed = open_project(project.folder)
    told = read_tags(changed)
    write_sheets(changed, plan_draws(changed, told), told)
    assert [(tagging.person, tagging.item) for tagging in read_tags(changed)] == [(old, "a1")]
    assert complete(told, changed.assignments) == []
    assert {"a1", "a2"} <= set(read_rows(changed.sheet(new)).column("id"))


def test_a_sheet_under_the_wrong_name(project, file):
    referee = project.assignments["q1"].referee
    with pytest.raises(InputError, match=rf"\(a1\): {referee} does not tag 'q1'"):
        take_sheet(project, file("id\ttags\na1\tcorrect\n", f"{referee}.tsv"))


def test_a_sheet_of_a_stranger(project, file):
    with pytest.raises(InputError, match=r"nobody in this project is called 'Ines'.*Ane, Jon, Miren"):
        take_sheet(project, file("id\ttags\na1\tcorrect\n", "Ines.tsv"))


def test_a_project_is_not_made_twice(project):
    with pytest.raises(PostilError, match="already holds a project"):
        create_project(project.folder, project.settings, items=ITEMS)


@pytest.mark.parametrize(
    ("people", "ending", "what"),
    [
        (("Ane", "../Jon", "Miren"), ".tsv", "cannot name a person"),
        (("Ane", "ANE", "Miren"), ".tsv", "the same name"),
        (("Ane", "Jon", "Miren"), ".pdf", "cannot end in '.pdf'"),
    ],
)
def test_settings_that_cannot_be(tmp_path, people, ending, what):
    with pytest.raises(PostilError, match=what):
        create_project(tmp_path / "p", Settings("responses", people, ending=ending), items=ITEMS)


def test_items_with_the_same_id(tmp_path):
    with pytest.raises(PostilError, match="same id: 'a1'"):
        create_project(
            tmp_path / "p", Settings("responses", ("Ane", "Jon", "Miren")), items=[*ITEMS, ITEMS[0]]
        )


def test_a_folder_that_is_no_project_or_a_broken_one(project, tmp_path):
    with pytest.raises(PostilError, match="is not an annotation project"):
        open_project(tmp_path)
    (project.folder / "assignment.tsv").write_text("group\tannotators\treferee\nq1\tAne; Jon\t\n", "utf-8")
    with pytest.raises(InputError, match="nobody is assigned to 'q2'"):
        open_project(project.folder)
    extra = "group\tannotators\treferee\n" + "".join(f"q{n}\tAne; Jon\t\n" for n in (1, 2, 3))
    (project.folder / "assignment.tsv").write_text(extra, "utf-8")
    with pytest.raises(InputError, match="the project has nothing in 'q3'"):
        open_project(project.folder)
    (project.folder / "project.json").write_text('{"people": 3}', "utf-8")
    with pytest.raises(InputError, match="Restore it"):
        open_project(project.folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("first", "7"),
        ("seed", 1.5),
        ("people", "Ane"),
        ("people", ["Ane", 2, "Jon"]),
        ("referee", 1),
        ("task", "parsing"),
        ("frist", 7),
    ],
)
def test_a_setting_of_the_wrong_kind_is_named(project, name, value):
    path = project.folder / "project.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), name: value}), "utf-8")
    with pytest.raises(InputError, match=rf"the setting '{name}' is not one.*Restore it"):
        open_project(project.folder)


def test_an_empty_inventory_has_no_words():
    assert Inventory().words == ()
