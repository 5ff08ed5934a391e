"""The senses of words under the editor's hands."""

from __future__ import annotations

import pytest

from postil.errors import PostilError
from postil.senses.corpus.items import Change, Inventory, Sense, added, changed, lemma_of


@pytest.fixture
def inventory():
    found = Inventory()
    for id in ("herri_1", "herri_2", "herri_3"):
        found = added(found, Sense("herri.IZE", id, "?"))
    return added(found, Sense("kanal.IZE", "kanal_1", "ur-bidea"))


def test_added_deleted_grouped(inventory):
    inventory = changed(inventory, Change("kanal.IZE", "add", "kanal_2", gloss="telebista-katea"))
    inventory = changed(inventory, Change("kanal.IZE", "delete", "kanal_1"))
    inventory = changed(inventory, Change("herri.IZE", "group", "herri_3", into="herri_2"))
    assert inventory.ids("kanal.IZE") == ("kanal_2",)
    assert inventory.ids("herri.IZE") == ("herri_1", "herri_2")
    assert inventory.words == ("herri.IZE", "kanal.IZE")
    tags = inventory.tag_set("herri.IZE")
    assert tags.read("herri_3") == ("herri_2",)
    assert tags.lemma == "herri"
    with pytest.raises(PostilError, match="deleted"):
        inventory.tag_set("kanal.IZE").read("kanal_1")


def test_a_group_moves_with_the_sense_it_was_grouped_with(inventory):
    inventory = changed(inventory, Change("herri.IZE", "group", "herri_3", into="herri_2"))
    inventory = changed(inventory, Change("herri.IZE", "group", "herri_2", into="herri_1"))
    tags = inventory.tag_set("herri.IZE")
    assert tags.read("herri_3; herri_2; herri_1") == ("herri_1",)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (Change("herri.IZE", "add", "herri_1", gloss="?"), "already has"),
        (Change("herri.IZE", "add", "X", gloss="?"), "cannot name a sense"),
        (Change("herri.IZE", "add", "a b", gloss="?"), "cannot name a sense"),
        (Change("herri.IZE", "add", "", gloss="?"), "cannot name a sense"),
        (Change("mahai.IZE", "add", "mahai_1", gloss="?"), "does not have the word 'mahai.IZE'"),
        (Change("herri.IZE", "delete", "herri_9"), "has no sense 'herri_9'"),
        (Change("kanal.IZE", "delete", "kanal_1"), "is the only sense"),
        (Change("herri.IZE", "group", "herri_1"), "has no sense ''"),
        (Change("herri.IZE", "group", "herri_1", into="herri_1"), "grouped with itself"),
        (Change("herri.IZE", "rename", "herri_1"), "the change 'rename' is unknown"),
    ],
)
def test_changes_that_cannot_be_made(inventory, change, what):
    with pytest.raises(PostilError) as caught:
        changed(inventory, change)
    assert what in caught.value.what
    assert caught.value.hint


def test_a_deleted_sense_does_not_come_back_under_its_name(inventory):
    inventory = changed(inventory, Change("herri.IZE", "delete", "herri_1"))
    with pytest.raises(PostilError, match="or had"):
        changed(inventory, Change("herri.IZE", "add", "herri_1", gloss="?"))


@pytest.mark.parametrize(
    ("word", "parts"), [("herri.IZE", ("herri", "IZE")), ("herri", ("herri", "")), (".n", (".n", ""))]
)
def test_lemma_and_part_of_speech(word, parts):
    assert lemma_of(word) == parts
