"""WordNet as arrays: looking words up, going from sense to sense."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.words.wordnet import INVERSES, LETTERS, WordNet, wordnet


@pytest.fixture(scope="module")
def wn() -> WordNet:
    return wordnet()


def names(wn: WordNet, word: str, pos: str | None = None) -> list[str]:
    return [wn.name(one) for one in wn.synsets(word, pos)]


def test_size_and_order(wn: WordNet) -> None:
    assert wn.size == 117_659
    letters = "".join(dict.fromkeys(wn.letter(one) for one in range(0, wn.size, 50)))
    assert letters[:2] == "nv"
    assert set(letters[2:4]) == {"a", "s"}
    assert letters[4:] == "r"
    assert [int((wn.pos == LETTERS.index(one)).sum()) for one in "nvasr"] == [82115, 13767, 7463, 10693, 3621]


@pytest.mark.parametrize(
    ("word", "pos", "first"),
    [
        ("dog", None, "dog.n.01"),
        ("Dogs", "n", "dog.n.01"),
        ("dogs'", "n", "dog.n.01"),
        ("dog's", "n", "dog.n.01"),
        ("mice", None, "mouse.n.01"),
        ("ran", None, "run.v.01"),
        ("running", "v", "run.v.01"),
        ("evaporated", "v", "evaporate.v.01"),
        ("batteries", None, "battery.n.01"),
        ("better", "a", "better.a.01"),
        ("leaves", "n", "leaf.n.01"),
        ("hot dogs", None, "hotdog.n.01"),
        ("hot_dog", None, "hotdog.n.01"),
        ("attorneys general", None, "attorney_general.n.01"),
        ("Electric  Circuits", None, "circuit.n.01"),
        ("boxesful", None, "box.n.03"),
        ("time table", None, "timetable.n.01"),
        ("passers-by", None, "passerby.n.01"),
        ("women", None, "woman.n.01"),
        ("happiest", "s", "happy.a.01"),
        ("quickly", "r", "quickly.r.01"),
    ],
)
def test_lookup(wn: WordNet, word: str, pos: str | None, first: str) -> None:
    assert names(wn, word, pos)[0] == first


def test_irregular_forms_keep_the_form_itself(wn: WordNet) -> None:
    assert {"better.a.01", "good.a.01", "well.a.01"} <= set(names(wn, "better", "a"))
    assert wn.base_forms("saw", "v") == ("saw", "see")
    assert wn.base_forms("ran") == ("run",)


@pytest.mark.parametrize(
    "word", ["", " ", "zorp", "狗", "'", "_", "s", "'s", "a" * 10_000, "\x00", "🐶 dog", "ß"]
)
def test_odd_words_are_no_error(wn: WordNet, word: str) -> None:
    for synset in wn.synsets(word):
        assert 0 <= synset < wn.size
    assert len(wn.sense_counts(word)) == len(wn.synsets(word))
    assert isinstance(wn.antonyms(word), tuple)


def test_unknown_words_and_parts_of_speech_have_no_senses(wn: WordNet) -> None:
    assert wn.synsets("zorp") == wn.synsets("狗") == wn.synsets("") == wn.synsets("dog", "x") == ()
    assert "zorp" not in wn
    assert "Hot dog" in wn


@given(st.text(max_size=30))
def test_any_text_can_be_looked_up(word: str) -> None:
    assert len(set(wordnet().synsets(word))) == len(wordnet().synsets(word))


def test_senses_come_commonest_first(wn: WordNet) -> None:
    counts = wn.sense_counts("run", "v")
    assert counts[0] == max(counts) == 106
    assert len(counts) == len(wn.synsets("run", "v")) == 41


def test_every_synset_is_found_by_its_name(wn: WordNet) -> None:
    for one in range(0, wn.size, 13):
        assert wn.find(wn.name(one)) == one


@pytest.mark.parametrize(
    "name", ["dog", "dog.n", "dog.n.99", "dog.n.00", "dog.x.01", "zorp.n.01", "dog.n.x", "", ".."]
)
def test_names_that_are_none(wn: WordNet, name: str) -> None:
    with pytest.raises(KeyError):
        wn.find(name)


def test_a_synset(wn: WordNet) -> None:
    dog = wn.find("dog.n.01")
    assert wn.lemmas(dog) == ("dog", "domestic_dog", "Canis_familiaris")
    assert wn.definition(dog).startswith("a member of the genus Canis")
    assert wn.gloss(dog).endswith('"the dog barked all night"')
    assert {wn.name(one) for one in wn.hypernyms(dog)} == {"canine.n.02", "domestic_animal.n.01"}
    assert wn.find("puppy.n.01") in wn.hyponyms(dog)
    assert wn.depth(dog) == (8, 13)
    assert wn.depth(wn.find("entity.n.01")) == (0, 0)
    assert wn.find("Canis_familiaris.n.01") == dog


@pytest.mark.parametrize(
    ("source", "relation", "target"),
    [
        ("einstein.n.01", "instance_hypernym", "physicist.n.01"),
        ("physicist.n.01", "instance_hyponym", "einstein.n.01"),
        ("finger.n.01", "part_holonym", "hand.n.01"),
        ("hand.n.01", "part_meronym", "finger.n.01"),
        ("snore.v.01", "entailment", "sleep.v.01"),
        ("kill.v.01", "cause", "die.v.01"),
        ("fast.a.01", "similar", "hurried.s.01"),
        ("hot.a.01", "attribute", "temperature.n.01"),
        ("hot.a.01", "antonym", "cold.a.01"),
        ("cell.n.02", "topic", "biology.n.01"),
    ],
)
def test_relations(wn: WordNet, source: str, relation: str, target: str) -> None:
    found = [wn.name(one) for one in wn.related(wn.find(source), relation)]
    if relation == "similar":
        assert found
    else:
        assert target in found


def test_inverses_mirror_each_other(wn: WordNet) -> None:
    for one, other in INVERSES.items():
        pairs = []
        for name in (one, other):
            starts, targets = wn.relations[name]
            sources = np.repeat(np.arange(wn.size), np.diff(starts))
            pairs.append(set(zip(sources.tolist(), targets.tolist(), strict=True)))
        assert pairs[0] == {(b, a) for a, b in pairs[1]}
        assert pairs[0]


@pytest.mark.parametrize(
    ("word", "opposite"),
    [
        ("hot", "cold"),
        ("Rise", "fall"),
        ("increases", "decrease"),
        ("open", "close"),
        ("positive", "negative"),
    ],
)
def test_antonyms(wn: WordNet, word: str, opposite: str) -> None:
    assert opposite in wn.antonyms(word)
    assert wn.base_forms(word)[0] in wn.antonyms(opposite)


def test_words_of_the_family(wn: WordNet) -> None:
    assert "evaporation" in wn.derivations("evaporates")
    assert "evaporate" in wn.derivations("evaporation", "n")
    assert wn.word_relatives("quickly", "pertainym") == ("quick",)
    assert wn.derivations("zorp") == ()


def test_depths_are_those_of_the_graph(wn: WordNet) -> None:
    for one in range(0, wn.size, 101):
        above = [wn.depth(parent) for parent in wn.hypernyms(one)]
        assert wn.depth(one) == (
            1 + min((low for low, _ in above), default=-1),
            1 + max((high for _, high in above), default=-1),
        )
