"""How the spaces are built: words of a text, lemmas without a tagger, passages, what the builder writes."""

import lzma
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from postil.language.words.spaces import idf, lda, lsa

TRAINING = Path(__file__).parents[2] / "training"
pytestmark = pytest.mark.skipif(not TRAINING.is_dir(), reason="the training scripts are not here")
OWN = ("spaces", "space_words", "space_card", "card", "treebank", "figures", "boundary_model")


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(TRAINING))
    import space_words

    yield space_words
    for name in OWN:
        sys.modules.pop(name, None)


def lexicon(build: ModuleType) -> object:
    return build.Lexicon(
        lemmas={"heated": Counter(heat=9, heated=1), "bases": Counter(basis=1), "bed": Counter(bed=4)},
        irregular={"bases": {"base", "basis"}, "mice": {"mouse"}},
        bases={
            "noun": {"physics", "physic", "dense"},
            "verb": {"bend"},
            "adj": {"dense", "heavy"},
            "adv": set(),
        },
        closed=frozenset(("the",)),
    )


def test_words_of_a_text(build: ModuleType) -> None:
    found = build.words_of("The cell’s walls don't break; CO2 and 3 x-rays (Newton’s) can't.")
    assert found == [
        "the",
        "cell",
        "walls",
        "do",
        "not",
        "break",
        "co2",
        "and",
        "x",
        "rays",
        "newton",
        "ca",
        "not",
    ]


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("heated", "heat"),  # the treebank's
        ("bed", "bed"),
        ("bases", "base"),  # irregular, and of two the one the books use more
        ("mice", "mouse"),
        ("exons", "exon"),  # unknown elsewhere, but the books have it
        ("physics", "physics"),  # the books have no physic
        ("bending", "bend"),
        ("denser", "dense"),
        ("heavier", "heavy"),
        ("mass", "mass"),
        ("qrs", "qrs"),
    ],
)
def test_lemmas_without_a_tagger(build: ModuleType, form: str, lemma: str) -> None:
    counts = Counter(
        {
            "heat": 5,
            "base": 20,
            "basis": 9,
            "mouse": 2,
            "exon": 4,
            "bend": 3,
            "dense": 3,
            "heavy": 2,
            "mas": 9,
        }
    )
    counts.update(["heated", "bed", "bases", "mice", "bending", "denser", "heavier", "mass", "qrs"])
    counts.update({"physics": 50, "exons": 9, "physic": 1})
    assert build.lemma_of(form, counts, lexicon(build)) == lemma


def test_headings_part_modules(build: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "books.txt.xz"
    text = "# some-book\n## m1 Title\nOne cell.\n# of cells counted\n## m2 Other\nTwo bulbs.\n"
    file.write_bytes(lzma.compress(text.encode()))
    assert build.read_modules(file) == [[["one", "cell"], ["of", "cells", "counted"]], [["two", "bulbs"]]]


def test_passages_stay_within_modules(build: ModuleType) -> None:
    import spaces

    modules = [[["a"], ["b", "c"], ["d"]], [["e"]]]
    assert list(spaces.passages(modules, 3)) == [["a", "b", "c"], ["d"], ["e"]]
    assert modules == [[["a"], ["b", "c"], ["d"]], [["e"]]]


@pytest.fixture
def books(build: ModuleType, monkeypatch: pytest.MonkeyPatch) -> object:
    import spaces

    monkeypatch.setattr(spaces, "DIMENSIONS", 3)
    monkeypatch.setattr(spaces, "TOPICS", 2)
    monkeypatch.setattr(spaces, "LDA_MOST", 0.9)
    electric = ["the", "bulb", "battery", "circuit", "wire"]
    green = ["the", "leaf", "root", "stem", "flower"]
    modules = [[electric], [green]] * 20
    spread = Counter(word for module in modules for words in module for word in words)
    made = spaces.Books(modules, spread, {"leaf": ["leaves"]}, frozenset(("the",)))
    monkeypatch.setattr(spaces, "read_books", lambda data, wordnet: made)
    return spaces


def test_what_is_built_can_be_read(books: ModuleType, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        books.build(tmp_path, tmp_path, folder)
    for name in ("words.txt", "idf.npz", "lsa.npz", "lda.npz"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    for space in (lsa(first), lda(first)):
        assert space.similarity(["bulb"], ["wire"]) > 0.9
        assert space.similarity(["bulb"], ["leaves"]) < 0.2
        assert not space.vector(["the"]).any()
    assert idf(first)("the") == pytest.approx(0)
    assert idf(first)("leaves") == pytest.approx(np.log(41 / 21))
