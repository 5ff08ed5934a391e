"""`postil train`: what reaches the training, what is shown of it, and what is refused before it begins."""

from __future__ import annotations

import re

import pytest

TABLE = """question_id,question,reference,id,answer,label
ice,Why does ice float?,It is less dense than water.,ann,it is less dense,correct
ice,Why does ice float?,It is less dense than water.,ben,because it is heavy,contradictory
ice,Why does ice float?,It is less dense than water.,cem,dunno,
air,What does a plant take from the air?,It takes carbon dioxide.,dee,carbon dioxide,correct
air,What does a plant take from the air?,It takes carbon dioxide.,eva,i have no idea,non_domain
sun,Why is it warm?,The sun shines.,fay,maybe,
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "labelled.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def trained(monkeypatch):
    """What the training was given, in the place of the training."""
    calls = []

    def train(questions, folder, *, progress=None, reader=None):
        calls.append((questions, folder))
        folder.mkdir()
        return {"answers": 2000.0, "accuracy as shipped": 0.75, "accuracy after training": 1.0}

    monkeypatch.setattr("postil.grader.train", train)
    return calls


def test_labelled_answers_are_learned_and_figures_shown(postil, table, tmp_path, trained):
    status, out, err = postil("train", table, "-o", tmp_path / "model")
    assert (status, err) == (0, "")
    ((questions, folder),) = trained
    assert folder == tmp_path / "model"
    assert [[answer.id for answer in question.answers] for question in questions] == [
        ["ann", "ben"],
        ["dee", "eva"],
    ]
    assert re.search(r"answers +2,000\n", out)
    assert re.search(r"accuracy as shipped +0\.7500\n", out)
    assert re.search(r"accuracy after training +1\.0000\n", out)
    assert "4 labelled answers to 2 questions" in out
    assert f"postil grade FILE --model {tmp_path / 'model'}" in out


def test_a_folder_of_the_challenge_is_read(postil, table, tmp_path, trained):
    assert postil("convert", table, "-o", tmp_path / "sra")[0] == 0
    assert postil("train", tmp_path / "sra", "-o", tmp_path / "model")[0] == 0
    ((questions, _),) = trained
    assert {question.id for question in questions} == {"ice", "air"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("".join(TABLE.splitlines(keepends=True)[:4]), "--remember-labelled"),
        (
            re.sub(r",(correct|contradictory|non_domain)$", ",", TABLE, flags=re.MULTILINE),
            "no labelled answers",
        ),
        (
            TABLE.replace("It takes carbon dioxide.", ""),
            "there is no reference answer for 1 question: 'air'",
        ),
        ("question,answer\n", "no row below it"),
    ],
)
def test_too_little_to_learn_from(postil, table, tmp_path, trained, text, said):
    table.write_text(text, encoding="utf-8")
    status, out, err = postil("train", table, "-o", tmp_path / "model")
    assert (status, out) == (2, "")
    assert said in err
    assert not trained
    assert not (tmp_path / "model").exists()


def test_a_place_that_is_taken(postil, table, trained):
    status, _, err = postil("train", table, "-o", table)
    assert status == 2
    assert "a folder is needed here" in err
    assert not trained


def test_somewhere_to_write_is_needed(postil, table, trained):
    status, _, err = postil("train", table)
    assert status == 2
    assert "--output" in err
    assert not trained


def test_a_trained_model_grades(postil, table, tmp_path):
    lines = [
        f"q{number},What is {word}?,It is {meaning}.,{word}{place},{answer},{label}"
        for number, (word, meaning) in enumerate([("ice", "frozen water"), ("steam", "water in the air")])
        for place, (answer, label) in enumerate(
            [(f"{meaning} {end}", "correct") for end in ("", "i think", "of course", "maybe", "it is")]
            + [(f"a kind of {thing}", "not correct") for thing in ("stone", "metal", "bird", "song", "tree")]
        )
    ]
    header = "question_id,question,reference,id,answer,label"
    table.write_text("\n".join([header, *lines]), encoding="utf-8")
    status, out, err = postil("train", table, "-o", tmp_path / "model")
    assert (status, err) == (0, "")
    assert re.search(r"answers +20\n", out)
    status, _, err = postil("grade", table, "-o", tmp_path / "graded.csv", "--model", tmp_path / "model")
    assert status == 0
    agreed = re.search(r"correct or not: (\d+) of 20", err)
    assert int(agreed[1]) >= 18


def test_too_few_answers_for_the_real_training(postil, table, tmp_path):
    status, _, err = postil("train", table, "-o", tmp_path / "model")
    assert status == 2
    assert "at least 20" in err
    assert not (tmp_path / "model").exists()


def test_a_folder_without_a_model(postil, table, tmp_path):
    status, _, err = postil("grade", table, "--model", tmp_path / "nowhere")
    assert status == 2
    assert "nowhere" in err
