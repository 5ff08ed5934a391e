"""The story of docs/researchers/senses.md: plan, two annotators, arbitration, release, train, tag, score.

The texts are made-up Basque (tests/fixtures/basque), the people are played (basque.py);
every step is the command that a person would type.
"""

from __future__ import annotations

import json

import pytest
from basque import DATA, fill_in, write_texts
from typer.testing import CliRunner

from postil.cli.main import app
from postil.data.formats.rows import read_rows
from postil.data.formats.sensekeys import read_sense_answers, read_sense_key, sense_key, write_sense_answers
from postil.data.formats.senseval import read_senseval
from postil.senses.corpus.sheets import read_taggings
from postil.senses.learners import MostFrequentSense
from postil.senses.tagger import load_tagger, train_tagger

pytestmark = pytest.mark.slow

WORDS = ("kanal.IZE", "hari.IZE", "herri.IZE", "jo.ADI")


def postil(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    write_texts(folder)
    return folder


def test_from_texts_to_a_score(texts, tmp_path):
    project, output = tmp_path / "basque", tmp_path / "release"
    gold, changes = texts / "gold.tsv", (DATA / "changes.tsv").read_text("utf-8").splitlines(keepends=True)

    # Plan: the first batch of each word, two annotators and a referee drawn by chance.
    corpora = [texts / f"{name}.tsv" for name in ("egunkaria", "orekatua", "sarea")]
    how = (*("--people", "Ane,Miren,Jon,Nerea"), *("--first", 60), *("--seed", 3))
    inventory = ("--inventory", DATA / "inventory.tsv")
    planned = postil("annotate", "plan", project, *corpora, *inventory, *how)
    assert _needed(planned) == dict.fromkeys(WORDS, 60)
    # The editor adds the sense that the texts have most often, and deletes one they do not have.
    (project / "changes.tsv").write_text("".join(changes[:3]), "utf-8")
    postil("annotate", "plan", project)

    # They tag the first batch; then 75 + 15·senses + 7·multiwords is known.
    fill_in(project, gold)
    postil("annotate", "merge", project)
    needed = _needed(postil("annotate", "plan", project))
    assert needed == {
        "kanal.IZE": 75 + 15 * 2,
        "hari.IZE": 75 + 15 * 3,
        "herri.IZE": 75 + 15 * 3 + 7,
        "jo.ADI": 75 + 15 * 3 + 7,
    }
    fill_in(project, gold)
    postil("annotate", "merge", project)
    told = read_taggings(project / "tags.tsv")
    assert len(told) == 2 * sum(needed.values())
    assert any(len(one.tags) > 1 for one in told)

    # Two senses of herri cannot be told apart; the editor groups them.
    before = json.loads(postil("annotate", "agree", project, "--json"))
    (project / "changes.tsv").write_text("".join(changes), "utf-8")
    postil("annotate", "plan", project)
    after = json.loads(postil("annotate", "agree", project, "--json"))
    assert _agreement(before, "herri.IZE") < 0.8 < 0.9 < _agreement(after, "herri.IZE")
    assert _agreement(before, "jo.ADI") == _agreement(after, "jo.ADI")

    # The referees decide what is left.
    assert "disagreements to decide" in postil("annotate", "arbitrate", project)
    fill_in(project, gold)
    assert postil("annotate", "arbitrate", project) == ""
    _check_labels(project, gold)

    figures = json.loads(postil("annotate", "release", project, "-o", output, "--json"))
    _check_release(output, figures, needed)
    # The figures tell the agreement of the tags as they were given, too, although the senses are grouped.
    assert figures["agreement_before_grouping"] == {
        one["group"]: one["agreement"] for one in (*before["groups"], before["overall"])
    }
    assert figures["agreement"]["herri.IZE"] == _agreement(after, "herri.IZE")
    assert figures["pairs_of_people"] == after["pairs"]

    # Train, save, load, tag and score; the baseline shows what there was to learn.
    train, test = (read_senseval(output / f"{name}.lemmatised.xml") for name in ("train", "test"))
    train_tagger(train).save(tmp_path / "model")
    answers = load_tagger(tmp_path / "model").predict(test)
    assert _recall(tmp_path, answers, output / "test.key") > 0.9
    assert _recall(tmp_path, MostFrequentSense().fit(train).predict(test), output / "test.key") < 0.6
    postil("senses", "tag", tmp_path / "model", output / "test.lemmatised.xml", "-o", tmp_path / "tagged")
    assert read_sense_answers(tmp_path / "tagged") == answers


def _recall(folder, answers, key) -> float:
    write_sense_answers(folder / "run", answers)
    score = json.loads(postil("score", "senses", folder / "run", key, "--json"))
    assert score["attempted"] == 1
    return score["recall"]


def _needed(table: str) -> dict[str, int]:
    rows = [line.split() for line in table.splitlines()]
    return {row[0]: int(row[2]) for row in rows if row and row[0] in WORDS}


def _agreement(found, word):
    return next(one["agreement"] for one in found["groups"] if one["group"] == word)


def _check_labels(project, gold):
    """Where somebody decided, the item has its true sense; X is what the lemmatiser got wrong."""
    true = {(row.cells[0], row.cells[1]): row.cells[2] for row in read_rows(gold).rows}
    places = {
        one.id: one.source for word in WORDS for one in read_senseval(project / "contexts" / f"{word}.xml")
    }
    for row in read_rows(project / "labels.tsv").rows:
        id, word, tags, how = row.cells
        sense = true[places[id], word].replace("herri_3", "herri_2")
        assert how in ("agreed", "decided")
        assert how == "agreed" or tags == sense
        assert (tags == "X") == (sense == "X")


def _check_release(output, figures, needed):
    plain, lemmatised = (
        {name: read_senseval(output / f"{name}{kind}.xml") for name in ("train", "test", "untagged")}
        for kind in ("", ".lemmatised")
    )
    assert {name: len(found) for name, found in plain.items()} == {name: figures[name] for name in plain}
    assert figures["train"] + figures["test"] + figures["removed"] == sum(needed.values())
    assert figures["test"] / figures["items"] == pytest.approx(1 / 3, abs=0.01)
    assert figures["changes"] == {"add": 1, "delete": 1, "group": 1}
    assert figures["unfinished"] == 0
    ids = [one.id for found in lemmatised.values() for one in found]
    assert len(set(ids)) == len(ids)
    # The senses of the test items are in the key alone; untagged items have none anywhere.
    assert read_sense_key(output / "train.key") == sense_key(lemmatised["train"])
    assert [one.instance for one in read_sense_key(output / "test.key")] == [one.id for one in plain["test"]]
    assert not any(one.senses for name in ("test", "untagged") for one in plain[name])
    seen = {tag for one in read_sense_key(output / "train.key") for tag, _ in one.senses}
    assert {"kanal_2", "P", "U", "herri_kirol", "adar_jo"} <= seen
    assert not {"X", "herri_3", "kanal_3"} & seen
    token = lemmatised["train"][0].tokens[lemmatised["train"][0].head[0]]
    assert (token.lemma, token.pos) == ("kanal", "IZE")
    assert all(len(one.sentences) <= 5 for one in lemmatised["train"])
