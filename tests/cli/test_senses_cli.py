"""`postil senses`: train, tag and evaluate, and what can be wrong with the files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.data.formats.sensekeys import read_sense_answers, sense_key, write_sense_answers
from postil.data.formats.senseval import SenseInstance, Token, write_senseval

SENSES = {"ate_1": ["etxe", "zabaldu", "itxi", "giltza"], "ate_2": ["gol", "jokalari", "baloi", "partida"]}


def corpus(prefix: str, count: int = 24) -> list[SenseInstance]:
    made = []
    for number in range(count):
        sense, words = list(SENSES.items())[number % 2]
        forms = (words[number % 4], words[(number // 2 + 1) % 4], "ate", words[(number // 3 + 2) % 4])
        tokens = tuple(Token(form, form, "IZE", "ABS") for form in forms)
        made.append(SenseInstance(f"{prefix}.{number}", "ate", tokens, (2,), (0,), (sense,)))
    return made


@pytest.fixture
def files(tmp_path):
    test = corpus("te", 12)
    write_senseval(tmp_path / "train.xml", corpus("tr"), lemmatised=True)
    write_senseval(tmp_path / "test.xml", [replace(one, senses=()) for one in test], lemmatised=True)
    write_sense_answers(tmp_path / "key", sense_key(test))
    return tmp_path


def test_train_tag_evaluate(postil, files):
    status, out, err = postil("senses", "train", files / "train.xml", "-o", files / "model")
    assert (status, err) == (0, "")
    assert "ate         24       2" in out
    status, out, err = postil("senses", "tag", files / "model", files / "test.xml", "-o", files / "run")
    assert (status, err) == (0, "")
    assert out.startswith("12 answers to 12 instances")
    status, out, err = postil("senses", "evaluate", files / "run", files / "key")
    assert (status, err) == (0, "")
    figures = dict(line.split()[:2] for line in out.splitlines() if len(line.split()) == 2)
    assert float(figures["recall"]) > 0.9
    assert out == postil("score", "senses", files / "run", files / "key")[1]


def test_unsorted_keys_and_unknown_instances(postil, files):
    postil("senses", "train", files / "train.xml", "-o", files / "model", "--system", "bcu-comb")
    postil("senses", "tag", files / "model", files / "test.xml", "-o", files / "run")
    right = postil("senses", "evaluate", files / "run", files / "key", "--json")[1]
    lines = (files / "key").read_text().splitlines()
    (files / "key").write_text("\n".join(lines[::-1]) + "\n")
    assert postil("senses", "evaluate", files / "run", files / "key", "--json")[1] == right
    with (files / "run").open("a") as run:
        run.write("ate nobody ate_1\n")
    status, out, err = postil("senses", "evaluate", files / "run", files / "key", "--json")
    assert (status, out) == (0, right)
    assert "not in the key" in err


def test_a_bad_key(postil, files):
    (files / "run").write_text("ate te.0 ate_1\n")
    (files / "key").write_text("ate te.0 ate_1\nate te.1\n")
    status, _, err = postil("senses", "evaluate", files / "run", files / "key")
    assert status == 2
    assert "line 2: this line has too few fields" in err


def test_weights_and_a_threshold(postil, files):
    postil("senses", "train", files / "train.xml", "-o", files / "model")
    postil("senses", "tag", files / "model", files / "test.xml", "-o", files / "run", "--weighted")
    assert all(weight is not None for one in read_sense_answers(files / "run") for _, weight in one.senses)
    status, _, err = postil(
        "senses", "tag", files / "model", files / "test.xml", "-o", files / "none", "--threshold", "1"
    )
    assert status == 2
    assert "Lower --threshold" in err
    assert not (files / "none").exists()


def test_words_that_the_model_does_not_know(postil, files):
    postil("senses", "train", files / "train.xml", "-o", files / "model")
    other = replace(corpus("x", 1)[0], id="x.9", lexelt="kanal")
    write_senseval(files / "mixed.xml", [*corpus("y", 2), other], lemmatised=True)
    status, out, err = postil("senses", "tag", files / "model", files / "mixed.xml", "-o", files / "run")
    assert status == 0
    assert "2 answers to 3 instances" in out
    assert "not answered: 'kanal'" in err
    write_senseval(files / "other.xml", [other], lemmatised=True)
    status, _, err = postil("senses", "tag", files / "model", files / "other.xml", "-o", files / "run")
    assert status == 2
    assert "The model knows 'ate'" in err


def test_untagged_examples(postil, files):
    status, out, _ = postil(
        "senses", "train", files / "train.xml", "-o", files / "model", "--untagged", files / "test.xml"
    )
    assert status == 0
    assert "ate         24       2" in out


def test_untagged_examples_of_other_words_are_told(postil, files):
    other = [replace(one, lexelt="kanal", senses=()) for one in corpus("x", 2)]
    write_senseval(files / "other.xml", other, lemmatised=True)
    status, out, err = postil(
        "senses", "train", files / "train.xml", "-o", files / "model", "--untagged", files / "other.xml"
    )
    assert status == 0
    assert "ate         24       2" in out
    assert "other.xml: no example of 'ate'" in err


def test_the_most_frequent_sense_is_a_system_too(postil, files):
    status, out, err = postil(
        "senses", "train", files / "train.xml", "-o", files / "model", "--system", "mfs"
    )
    assert (status, err) == (0, "")
    assert "ate         24       2" in out
    postil("senses", "tag", files / "model", files / "test.xml", "-o", files / "run")
    assert {answer.senses for answer in read_sense_answers(files / "run")} == {(("ate_1", None),)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "test.xml", "-o", "model"), "no instance has a sense"),
        (("train", "train.xml", "-o", "key"), "is a file, but a folder is needed"),
        (("train", "train.xml", "-o", "model", "--system", "svm"), "no sense system 'svm'"),
        (("tag", "nowhere", "test.xml", "-o", "run"), "cannot be read"),
        (("lemmatise", "train.xml", "-o", "out.xml", "--dictionary", "none.bin"), "dictionary was not found"),
    ],
)
def test_what_can_be_wrong(postil, files, monkeypatch, arguments, said):
    monkeypatch.chdir(files)
    status, _, err = postil("senses", *arguments)
    assert status == 2
    assert said in err


def test_every_registered_system_is_the_one_it_is_called(files):
    from postil.research.systems import create, names
    from postil.senses.systems import RECIPES

    assert set(names("senses")) == set(RECIPES)
    for name in RECIPES:
        assert name == "mfs" or create("senses", name).system == name
