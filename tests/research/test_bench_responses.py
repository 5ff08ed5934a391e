"""The response benchmark on small made-up corpora: its layout, its figures, what it hides from systems."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from postil.data.formats.sra import write_question
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, FacetLabel, Question, Reference
from postil.errors import MissingDataError, PostilError
from postil.research import benchmarks as bench
from postil.research.benchmarks import run_responses

LABELS = RESPONSE_SCHEMES["5way"].labels
TEXTS = {
    "correct": "the gap is in the path",
    "partially_correct_incomplete": "the gap",
    "contradictory": "there is no gap in the path",
    "irrelevant": "because of voltage",
    "non_domain": "i do not know",
}
SETS = {
    "beetle": ("train", "test-unseen-answers", "test-unseen-questions"),
    "sciEntsBank": ("train", "test-unseen-answers", "test-unseen-questions", "test-unseen-domains"),
}


def write_corpus(folder: Path, sets=SETS, labels=LABELS, questions: int = 4) -> Path:
    for corpus, names in sets.items():
        for name in names:
            for number in range(questions):
                id = f"{corpus}-{name}-{number}"
                # `correct` twice, so that it is the majority.
                answers = tuple(
                    Answer(
                        f"{id}.{n}",
                        TEXTS.get(label, "a b"),
                        label,
                        "r1",
                        None,
                        (FacetLabel("f", "Expressed"),),
                    )
                    for n, label in enumerate((*labels, "correct"))
                )
                write_question(
                    folder / corpus / name / "Core" / f"{id}.xml",
                    Question(
                        id, "Why is it off?", (Reference("r1", TEXTS["correct"]),), answers, f"m{number % 2}"
                    ),
                )
    return folder


def test_the_contract_of_the_json(tmp_path):
    folder = write_corpus(tmp_path)
    data = json.loads(json.dumps(run_responses(folder, "lexical", test=folder).as_json()))
    assert set(data) == {"task", "system", "signature", "scores", "seconds"}
    assert (data["task"], data["system"]) == ("responses", "lexical")
    assert data["signature"].startswith("task:sra|system:lexical|train:")
    assert data["seconds"] > 0
    tests = {f"{corpus}/{name}" for corpus, names in SETS.items() for name in names if name != "train"}
    for scheme in ("5way", "3way", "2way"):
        assert set(data["scores"][scheme]) == tests | {"beetle/all", "sciEntsBank/all", "all"}
        for cell in data["scores"][scheme].values():
            assert {"macro_f1", "macro_f1_5", "weighted_f1", "accuracy", "per_class"} <= set(cell)
            assert set(cell["per_class"]) == set(RESPONSE_SCHEMES[scheme].labels)
            assert set(cell["per_class"]["correct"]) == {"precision", "recall", "f1", "support"}
    counts = {test: cell["count"] for test, cell in data["scores"]["5way"].items()}
    assert counts["beetle/test-unseen-answers"] == 24
    assert (counts["beetle/all"], counts["sciEntsBank/all"], counts["all"]) == (48, 72, 120)


def test_majority_figures_by_hand(tmp_path):
    folder = write_corpus(tmp_path)
    cells = run_responses(folder, "majority", test=folder).cells
    # Of six answers two are correct and all are called so: P = 1/3, R = 1, F1 = 1/2; the other classes 0.
    five = cells["5way"]["beetle/test-unseen-answers"].score.metrics
    assert five["accuracy"] == pytest.approx(1 / 3)
    assert five["macro_f1"] == five["macro_f1_5"] == pytest.approx(0.5 / 5)
    bank = cells["5way"]["sciEntsBank/test-unseen-domains"].score
    assert bank.metrics["macro_f1"] == pytest.approx(0.5 / 4)
    assert bank.metrics["macro_f1_5"] == pytest.approx(0.5 / 5)
    assert "classes:4" in bank.signature
    assert cells["5way"]["all"].score.metrics["macro_f1"] == pytest.approx(0.5 / 5)
    # Two-way: four of six are incorrect.
    two = cells["2way"]["beetle/all"].score.metrics
    assert two["accuracy"] == pytest.approx(2 / 3)
    assert two["macro_f1"] == pytest.approx((0 + 2 * (2 / 3) / (5 / 3)) / 2)
    # Three-way: two correct, one contradictory, three incorrect.
    assert cells["3way"]["beetle/all"].score.metrics["accuracy"] == pytest.approx(1 / 2)


@pytest.mark.parametrize("scenario", ["unseen-answers", "unseen-questions", "unseen-domains"])
def test_cross_validation(tmp_path, scenario):
    folder = write_corpus(tmp_path, {"beetle": ("train",), "sciEntsBank": ("train",)})
    noted = []
    result = run_responses(
        folder, "lexical", scenario=scenario, folds=2, seed=3, progress=lambda *args: noted.append(args)
    )
    assert set(result.cells["5way"]) == {
        f"beetle/cv-{scenario}",
        f"sciEntsBank/cv-{scenario}",
        "beetle/all",
        "sciEntsBank/all",
        "all",
    }
    assert result.cells["5way"]["all"].score.count == 48
    assert f"cv:{scenario}|folds:2|seed:3" in result.signature
    assert [done for done, *_ in noted] == [0, 1]
    again = run_responses(folder, "lexical", scenario=scenario, folds=2, seed=3).as_json()
    assert again["scores"] == result.as_json()["scores"]


def test_answers_are_grouped_by_question(tmp_path):
    folder = write_corpus(tmp_path)
    cells = run_responses(folder, "majority", test=folder).cells["2way"]
    assert sorted(cells["beetle/test-unseen-answers"].groups.tolist()) == sorted(list(range(4)) * 6)
    assert len(set(cells["all"].groups.tolist())) == 20


def test_intervals_in_the_json(tmp_path):
    folder = write_corpus(tmp_path)
    cell = run_responses(folder, "majority", test=folder).as_json(50)["scores"]["5way"]["beetle/all"]
    low, high = cell["intervals"]["accuracy"]
    assert low <= cell["accuracy"] <= high
    assert (
        "intervals" not in run_responses(folder, "majority", test=folder).as_json()["scores"]["5way"]["all"]
    )


@dataclass
class Spy:
    """A system that notes what it is shown and always says `correct`."""

    trained: list[Question] = field(default_factory=list)
    judged: list[Question] = field(default_factory=list)

    def fit(self, questions):
        self.trained += questions

    def predict(self, questions, scheme):
        self.judged += questions
        return ["correct" for question in questions for _ in question.answers]


def test_systems_never_see_the_labels_they_are_tested_on(tmp_path, monkeypatch):
    folder = write_corpus(tmp_path)
    spy = Spy()
    monkeypatch.setattr(bench, "create", lambda task, name: spy)
    run_responses(folder, "spy", test=folder)
    assert {answer.label for q in spy.trained for answer in q.answers} == set(LABELS)
    assert all("train" in q.id for q in spy.trained)
    assert not any("train" in q.id for q in spy.judged)
    assert {(a.label, a.match, a.facets) for q in spy.judged for a in q.answers} == {(None, "", ())}
    assert {q.corpus for q in spy.judged} == {"beetle", "sciEntsBank"}


def test_coarser_corpora_are_scored_in_the_schemes_they_allow(tmp_path):
    folder = write_corpus(tmp_path, {"beetle": ("train",)}, ("correct", "incorrect"))
    assert set(run_responses(folder, "majority", folds=2).cells) == {"3way", "2way"}


@pytest.mark.parametrize("system", ["majority", "lexical"])
def test_training_and_test_in_different_schemes(tmp_path, system):
    fine = write_corpus(tmp_path / "fine", {"beetle": ("train", "test-unseen-answers")})
    coarse = write_corpus(
        tmp_path / "coarse",
        {"beetle": ("train", "test-unseen-answers")},
        ("correct", "incorrect", "contradictory"),
    )
    assert set(run_responses(coarse, system, test=fine).cells) == {"3way", "2way"}
    assert set(run_responses(fine, system, test=coarse).cells) == {"3way", "2way"}


def test_unlabelled_answers_are_passed_over(tmp_path):
    folder = write_corpus(tmp_path, {"beetle": ("train", "test-unseen-answers")}, questions=2)
    extra = Question(
        "u", "?", (Reference("r", "x"),), (Answer("u.1", "text"), Answer("u.2", "text", "correct"))
    )
    write_question(folder / "beetle" / "test-unseen-answers" / "Core" / "u.xml", extra)
    assert run_responses(folder, "majority", test=folder).cells["5way"]["all"].score.count == 13


def test_errors(tmp_path):
    folder = write_corpus(tmp_path / "data", {"beetle": ("train",)})
    with pytest.raises(PostilError, match="no system 'best'") as caught:
        run_responses(folder, "best")
    assert "majority, lexical" in caught.value.hint
    with pytest.raises(MissingDataError, match="no test set"):
        run_responses(folder, "majority", test=folder)
    with pytest.raises(MissingDataError, match="'beetle' or 'sciEntsBank'"):
        run_responses(tmp_path, "majority")
    with pytest.raises(MissingDataError, match="no such folder"):
        run_responses(tmp_path / "nowhere", "majority")
    other = write_corpus(tmp_path / "tests", {"beetle": ("test-unseen-answers",)})
    with pytest.raises(MissingDataError, match="'train'"):
        run_responses(other, "majority")
    with pytest.raises(PostilError, match="scenario"):
        run_responses(folder, "majority", scenario="unseen-everything")
