"""What may stand in a cell for tags, and what is read from it."""

from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.senses.corpus.items import Tagging, TagSet, by_item, written

HERRI = TagSet(
    ("herri_1", "herri_2"),
    special=("U", "P", "X"),
    several=True,
    lemma="herri",
    folded={"herri_3": "herri_2"},
    deleted=frozenset({"herri_4"}),
)
LABELS = TagSet(("correct", "contradictory", "irrelevant"))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("herri_1", ("herri_1",)),
        (" herri_2 ;herri_1 ", ("herri_2", "herri_1")),
        ("herri_1, herri_2", ("herri_1", "herri_2")),
        ("Herri_1", ("herri_1",)),
        ("herri 1", ("herri_1",)),
        ("herri_1; herri_1", ("herri_1",)),
        ("herri_3", ("herri_2",)),
        ("herri_2; herri_3", ("herri_2",)),
        ("u", ("U",)),
        ("X", ("X",)),
        ("herri_kirol", ("herri_kirol",)),
        ("herri kirol", ("herri_kirol",)),
        ("Herri_Kirol", ("herri_kirol",)),
        ("", ()),
        (" ; ", ()),
    ],
)
def test_tags_are_read(text, tags):
    assert HERRI.read(text) == tags


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("herri_7", "'herri_7' is unknown", "Choose from: herri_1, herri_2, U, P, X; or the lemma"),
        ("herri_l", "'herri_l' is unknown", "Choose from"),
        ("herri_2b", "'herri_2b' is unknown", "Choose from"),
        ("kirol_handi", "'kirol_handi' is unknown", "herri_…"),
        ("herri_4", "the editor has deleted 'herri_4'", "Choose from"),
        ("herri_1; X", "'X' cannot be combined", "alone"),
        ("herri_kirol; herri_1", "'herri_kirol' cannot be combined", "alone"),
        ("a longer remark that somebody put here", "a longer text", "Choose from"),
    ],
)
def test_what_cannot_be_a_tag(text, what, hint):
    with pytest.raises(PostilError) as caught:
        HERRI.read(text)
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_labels_come_one_at_a_time_and_without_multiwords():
    assert LABELS.read("Correct") == ("correct",)
    assert LABELS.read("x") == ("X",)
    with pytest.raises(PostilError, match="2 labels are given"):
        LABELS.read("correct; irrelevant")
    with pytest.raises(PostilError, match="'U' is unknown"):
        LABELS.read("U")


def test_multiword_terms():
    assert HERRI.is_multiword("herri_kirol")
    assert not any(map(HERRI.is_multiword, ("herri_1", "herri_9", "herri", "kirol_alde", "herri_", "U")))
    assert not LABELS.is_multiword("not_correct")


def test_tags_before_the_editor_grouped_them():
    assert HERRI.as_written("Herri_3; herri 2") == ("herri_3", "herri_2")
    assert HERRI.grouped(("herri_3", "herri_2")) == ("herri_2",)


def test_what_is_written_is_read_back():
    tags = ("herri_2", "herri_1")
    assert HERRI.read(written(tags)) == tags


def test_nobody_tags_an_item_twice():
    once = Tagging("a", "g", "Ane", ("x",))
    assert by_item([once, Tagging("a", "g", "Jon", ("y",))])["a"][0] is once
    with pytest.raises(PostilError, match="Ane has tagged 'a' twice"):
        by_item([once, once])
