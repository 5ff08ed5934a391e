"""The rolesets and classes that ship: whole, consistent, and what their card says."""

import importlib.util
import json
import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

from postil.language.words.verbs import verbs

FOLDER = Path(str(files("postil.resources").joinpath("verbs")))
CARD = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
CLASSES = json.loads((FOLDER / "verbs.json").read_text(encoding="utf-8"))["classes"]
TRAINING = Path(__file__).parents[2] / "training"


def test_size_and_counts_are_the_cards() -> None:
    size = (FOLDER / "verbs.json").stat().st_size
    assert size == CARD["size_bytes"] < 3_000_000
    assert len(list(verbs().ids())) == CARD["figures"]["rolesets"]
    assert len(CLASSES) == CARD["figures"]["classes"]


def test_every_alias_finds_its_roleset() -> None:
    lexicon = verbs()
    for id in lexicon.ids():
        roleset = lexicon.roleset(id)
        assert roleset is not None
        assert roleset.aliases, id
        for word, pos in roleset.aliases:
            assert roleset in lexicon.rolesets(word), (id, word)
            if pos in "vnj":
                assert roleset in lexicon.rolesets(word.replace("_", " ").upper(), pos), (id, word, pos)


def test_every_verb_of_a_noun_shares_a_roleset_with_it() -> None:
    lexicon = verbs()
    nouns = {word for id in lexicon.ids() for word in lexicon.roleset(id).words("n")}  # type: ignore[union-attr]
    for noun in sorted(nouns):
        named = {roleset.id for roleset in (*lexicon.rolesets(noun, "n"), *lexicon.rolesets(noun, "j"))}
        for verb in lexicon.verbs_of(noun):
            assert named & {roleset.id for roleset in lexicon.rolesets(verb, "v")}, (noun, verb)


def test_every_part_is_well_formed() -> None:
    lexicon = verbs()
    for id in lexicon.ids():
        roleset = lexicon.roleset(id)
        assert roleset is not None
        assert roleset.lemma
        assert not roleset.lemma.endswith(".01")
        assert all(re.fullmatch(r"\S+", word) and pos in "vnjlmrpxf" for word, pos in roleset.aliases), id
        for role in roleset.roles:
            assert re.fullmatch(r"ARG[0-6]", role.number), id
            assert re.fullmatch(r"[a-z]{2,3}[a-z0-9]?|", role.function), (id, role.function)
            assert all(re.fullmatch(r"[A-Z][A-Za-z_-]+", theme) for theme in role.themes), (id, role.themes)
            assert role.description == " ".join(role.description.split()), id


def test_every_class_is_known_and_has_its_main_class() -> None:
    lexicon = verbs()
    known = set(CLASSES)
    linked = {cls for id in lexicon.ids() for cls in lexicon.roleset(id).classes}  # type: ignore[union-attr]
    assert linked <= known
    for cls in known:
        main = lexicon.main_class(cls)
        assert main in known
        assert lexicon.main_class(main) == main
        assert set(lexicon.members(cls)) <= set(lexicon.members(main))


def test_members_and_classes_agree() -> None:
    lexicon = verbs()
    for cls in CLASSES:
        for member in lexicon.members(cls):
            mains = {lexicon.main_class(found) for found in lexicon.classes(member)}
            assert lexicon.main_class(cls) in mains, (cls, member)


def test_the_card_names_the_licences() -> None:
    assert CARD["licence"] == "CC BY-SA 4.0"
    text = (FOLDER / "CARD.md").read_text(encoding="utf-8")
    for name, licence, _ in CARD["sources"]:
        assert name in text
        assert licence in text


@pytest.mark.corpus
@pytest.mark.skipif("POSTIL_DATA" not in os.environ, reason="POSTIL_DATA does not name the corpora's folder")
def test_it_is_built_again_byte_for_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRAINING))
    spec = importlib.util.spec_from_file_location("training_verbs", TRAINING / "verbs.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    lexicons = Path(os.environ["POSTIL_DATA"]) / "lexicons"
    script.build(lexicons / "verbnet-3.4.tar.xz", lexicons / "propbank-frames.tar.xz", tmp_path)
    for file in ("verbs.json", "card.json", "CARD.md"):
        assert (tmp_path / file).read_bytes() == (FOLDER / file).read_bytes(), file
