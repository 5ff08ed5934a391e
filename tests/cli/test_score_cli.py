"""`postil score` as people and programs use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postil.data.formats.sra import LabelledItem, write_gold, write_question, write_run
from postil.data.questions import Answer, FacetLabel, Question, Reference

CASES = Path(__file__).parent.parent / "conformance"


@pytest.fixture
def data(postil):
    """Run a score with --json and give what it printed."""

    def run(*arguments: object) -> dict:
        status, out, err = postil("score", *arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return run


def sra(case: str) -> tuple[Path, Path]:
    return CASES / "sra" / f"{case}.system.txt", CASES / "sra" / f"{case}.gold.txt"


def test_a_table_for_people(postil):
    status, out, err = postil("score", "responses", *sra("5way.plain"))
    assert (status, err) == (0, "")
    figures = dict(line.split()[:2] for line in out.splitlines() if len(line.split()) == 2)
    assert figures["macro_f1"] == "0.6039"
    assert figures["weighted_f1"] == "0.6173"
    classes = {line.split()[0]: line.split()[1:] for line in out.splitlines() if len(line.split()) == 5}
    assert classes["contradictory"][:3] == ["0.7500", "0.7500", "0.7500"]
    assert sum(int(row[3]) for name, row in classes.items() if name != "class") == 60
    assert "task:sra|scheme:5way|classes:5|n:60|v:" in out
    assert "\x1b" not in out  # no colours in a pipe


def test_the_scheme_is_found_or_asked_for(postil, data):
    assert data("responses", *sra("5way.plain"))["scheme"] == "5way"
    assert data("responses", *sra("3way.plain"))["scheme"] == "3way"
    assert data("responses", *sra("2way.plain"), "--scheme", "2way")["scheme"] == "2way"
    # correct and incorrect alone fit two schemes.
    status, out, err = postil("score", "responses", *sra("2way.plain"))
    assert (status, out) == (2, "")
    assert err.startswith("postil: ")
    assert "--scheme" in err
    status, _, err = postil("score", "responses", *sra("2way.plain"), "--scheme", "4way")
    assert status == 2
    assert "5way, 3way, 2way" in err


def test_finer_labels_are_collapsed(data):
    five = data("responses", *sra("5way.plain"))
    three = data("responses", *sra("5way.plain"), "--scheme", "3way")
    assert set(three["per_class"]) == {"correct", "contradictory", "incorrect"}
    assert three["per_class"]["correct"] == five["per_class"]["correct"]
    assert three["accuracy"] >= five["accuracy"]


def test_scientsbank_is_recognised_or_named(tmp_path, data):
    labels = ["correct", "non_domain", "correct", "irrelevant"]
    write_gold(tmp_path / "gold", [LabelledItem(f"EM.45b.{n}.1", x, "EM_45b") for n, x in enumerate(labels)])
    write_run(tmp_path / "run", {f"EM.45b.{n}.1": "correct" for n in range(4)})
    found = data("responses", tmp_path / "run", tmp_path / "gold")
    assert "classes:4" in found["signature"]
    named = data("responses", tmp_path / "run", tmp_path / "gold", "--corpus", "sciEntsBank")
    assert named == found
    other = data("responses", tmp_path / "run", tmp_path / "gold", "--corpus", "other")
    assert "classes:5" in other["signature"]
    assert found["macro_f1_5"] == other["macro_f1_5"] == other["macro_f1"] != found["macro_f1"]


def test_gold_may_be_xml(tmp_path, data):
    answers = tuple(
        Answer(f"q.{n}", "text", label, facets=(FacetLabel("f1", facet),))
        for n, (label, facet) in enumerate([("correct", "Expressed"), ("irrelevant", "Contradicted")])
    )
    write_question(tmp_path / "gold" / "q.xml", Question("q", "?", (Reference("r", "x"),), answers))
    write_run(tmp_path / "run", {"q.1": "irrelevant", "q.0": "correct"})
    for gold in (tmp_path / "gold", tmp_path / "gold" / "q.xml"):
        assert data("responses", tmp_path / "run", gold)["accuracy"] == 1
    write_run(tmp_path / "facets", {"f1*q.0": "Expressed", "f1*q.1": "Unaddressed"})
    assert data("facets", tmp_path / "facets", tmp_path / "gold")["accuracy"] == 0.5
    two = data("facets", tmp_path / "facets", tmp_path / "gold", "--scheme", "2way")
    assert (two["accuracy"], two["scheme"]) == (1, "2way")


def perfect_run(tmp_path: Path, gold: Path) -> Path:
    lines = [line.split("\t") for line in gold.read_text(encoding="utf-8").splitlines()[1:]]
    write_run(tmp_path / "perfect", {fields[0]: fields[-1] for fields in lines})
    return tmp_path / "perfect"


def test_against_another_run(tmp_path, postil, data):
    system, gold = sra("5way.plain")
    other = perfect_run(tmp_path, gold)
    compared = data("responses", system, gold, "--against", other, "--iterations", 500)["against"]
    assert compared["accuracy"]["value"] == 1
    assert compared["accuracy"]["difference"] == pytest.approx(37 / 60 - 1)
    low, high = compared["accuracy"]["interval"]
    assert low < compared["accuracy"]["difference"] < high < 0
    assert compared["accuracy"]["p_value"] == pytest.approx(1 / 501)
    assert compared["accuracy"]["significant"] is True
    assert "against" not in data("responses", system, gold)
    arguments = ("score", "responses", system, gold, "--against", other, "--iterations", 500)
    status, out, err = postil(*arguments)
    assert (status, err) == (0, "")
    assert "0.0020 *" in out
    assert "approximate randomisation" in out
    assert postil(*arguments) == (status, out, err)
    assert postil(*arguments, "--seed", 7)[1] != out


def test_against_itself(data):
    system, gold = sra("3way.plain")
    compared = data("responses", system, gold, "--against", system, "--iterations", 200)["against"]
    assert {item["p_value"] for item in compared.values()} == {1.0}


def test_by_question(tmp_path, postil, data):
    system, gold = sra("5way.plain")
    other = perfect_run(tmp_path, gold)
    arguments = ("responses", system, gold, "--against", other, "--iterations", 2000)
    by_item = data(*arguments)["against"]["accuracy"]
    by_question = data(*arguments, "--by", "question")["against"]["accuracy"]
    # Six questions leave 2^6 exchanges, two of which are as extreme.
    assert by_question["p_value"] == pytest.approx(2 / 64, abs=0.015)
    assert by_item["p_value"] < 0.01
    without = tmp_path / "without-questions"
    text = gold.read_text(encoding="utf-8")
    without.write_text("\n".join("\t".join(x.split("\t")[::2]) for x in text.splitlines()), encoding="utf-8")
    status, _, err = postil("score", "responses", system, without, "--by", "question")
    assert status == 2
    assert "--by item" in err
    status, _, err = postil("score", "responses", system, gold, "--by", "pupil")
    assert status == 2
    assert "item, question" in err


@pytest.mark.parametrize(
    ("task", "system", "gold", "figure"),
    [
        ("facets", "sra/partEnt.plain.system.txt", "sra/partEnt.plain.gold.txt", "macro_f1"),
        ("entailment", "rte/case2.system.tsv", "rte/case2.gold.tsv", "average_precision"),
        ("alignment", "ists/case3.system.wa", "ists/case3.gold.wa", "f_type_score"),
        ("senses", "senses/answers", "senses/key", "recall"),
    ],
)
def test_every_task_for_people_and_against(postil, task, system, gold, figure):
    arguments = ("score", task, CASES / system, CASES / gold)
    status, out, err = postil(*arguments, "--against", CASES / system, "--iterations", 100)
    assert status == 0
    row = next(line.split() for line in out.splitlines() if line.startswith(figure))
    assert row[1] == row[2]
    assert row[-1] == "1.0000"
    # The key lacks one of the answered instances, which is worth a note; nothing else is.
    assert (err == "") is (task != "senses")
    assert "warm.a.999" in err or task != "senses"


@pytest.mark.parametrize("granularity", ["coarse", "mixed"])
def test_senses_of_other_grain(postil, granularity):
    folder = CASES / "senses"
    arguments = ("score", "senses", folder / "answers", folder / "key", "--granularity", granularity)
    status, out, _ = postil(*arguments, "--sense-map", folder / "sensemap", "--json")
    assert status == 0
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[granularity]
    assert json.loads(out)["precision"] == pytest.approx(expected["precision"], abs=5e-4)
    status, _, err = postil(*arguments)
    assert status == 2
    assert "sense map" in err


def test_other_items_are_refused(tmp_path, postil):
    _, gold = sra("5way.plain")
    write_run(tmp_path / "run", {"nobody": "correct"})
    status, out, err = postil("score", "responses", tmp_path / "run", gold)
    assert (status, out) == (2, "")
    assert "'nobody'" in err
    assert "60 items" in err
    assert "Traceback" not in err
