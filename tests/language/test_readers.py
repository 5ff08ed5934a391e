"""The readers: which one is used, what each needs, and what the careful one and the cascade give."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

import postil
from postil.errors import PostilError
from postil.grading.probabilities import Model, load_model, save_model
from postil.language import network
from postil.language.network import (
    CAREFUL,
    CASCADE,
    QUICK,
    READER_SETTING,
    Calibration,
    Cascade,
    default_reader,
    reader,
)

QUESTION = "Why does a puddle disappear on a sunny day?"
REFERENCES = ["The water evaporates because the sun warms it."]
PAIRS = [("the sun heats it and it turns into vapour", REFERENCES[0]), ("it is blue", REFERENCES[0])]


class Fake:
    """A reader that is as sure as it is told, and notes what it was asked."""

    name, most_words, longest = "fake", 7, 9

    def __init__(self, correct: Sequence[float], label: int = 1) -> None:
        self.correct, self.label = dict(enumerate(correct)), label
        self.asked: list[tuple[str, str]] = []
        self.questions: set[str] = set()

    def pairs(self, pairs, heads=("response",), question=""):
        self.asked += pairs
        self.questions.add(question)
        rows = []
        for first, _ in pairs:
            chances = np.full(5, 1e-6)
            chances[[0, self.label]] = self.correct[int(first)], 1 - self.correct[int(first)]
            rows.append(np.log(chances))
        return {head: np.array(rows) for head in heads}

    def forget(self) -> None:
        self.asked.clear()


@pytest.fixture
def no_companion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(READER_SETTING)
    monkeypatch.setattr(network, "companion", lambda: None)


def test_the_careful_reader_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_reader() == QUICK  # the tests' own setting
    monkeypatch.delenv(READER_SETTING)
    assert default_reader() == CAREFUL
    assert postil.load().reader == CAREFUL
    monkeypatch.setenv(READER_SETTING, CASCADE)
    assert postil.load().reader == CASCADE
    assert postil.load(reader=QUICK).reader == QUICK


@pytest.mark.usefixtures("no_companion")
def test_without_it_the_quick_one_does_everything() -> None:
    assert default_reader() == QUICK
    assert postil.load().grade(QUESTION, REFERENCES, PAIRS[0][0]).reader == QUICK


@pytest.mark.usefixtures("no_companion")
@pytest.mark.parametrize("name", [CAREFUL, CASCADE])
def test_a_reader_that_is_not_installed_is_refused_with_the_way_to_get_it(name: str) -> None:
    with pytest.raises(PostilError, match="not installed") as caught:
        postil.load(reader=name)
    assert "make wheel" in caught.value.hint


@pytest.mark.parametrize("name", ["Careful", "", "expert of experts"])
def test_an_unknown_reader_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PostilError, match="is not a reader"):
        postil.load(reader=name)
    monkeypatch.setenv(READER_SETTING, name or "none")
    with pytest.raises(PostilError, match="is not a reader"):
        postil.load()


def test_a_companion_of_another_version_is_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "card.json").write_text(json.dumps({"format": 99}))
    monkeypatch.setattr(network, "companion", lambda: tmp_path)
    network._careful.cache_clear()
    try:
        with pytest.raises(PostilError, match="another version"):
            network._careful()
    finally:
        network._careful.cache_clear()


def test_the_cascade_asks_the_careful_reader_only_in_doubt() -> None:
    quick, careful = Fake([0.99, 0.6, 0.001, 0.3]), Fake([0.1, 0.8, 0.9, 0.2], label=2)
    cascade = Cascade(quick, careful)  # type: ignore[arg-type]
    pairs = [(str(number), "") for number in range(4)]
    chances = np.exp(cascade.pairs(pairs, question=QUESTION)["response"])[:, 0].round(2)
    assert chances.tolist() == [0.99, 0.8, 0, 0.2]
    assert careful.asked == [pairs[1], pairs[3]]
    assert careful.questions == {QUESTION}
    quick.name, careful.name = QUICK, CAREFUL
    assert cascade.read(pairs)[1] == [QUICK, CAREFUL, QUICK, CAREFUL]
    careful.asked = careful.asked[:2]
    assert (cascade.most_words, cascade.longest) == (careful.most_words, careful.longest)
    assert cascade.pairs([pairs[0]])["response"].shape == (1, 5)
    assert len(careful.asked) == 2
    cascade.forget()
    assert quick.asked == careful.asked == []


def test_a_calibration_cools_what_is_said_most_beside_long_references_and_hears_the_claim_head() -> None:
    response = np.log(np.array([[0.8, 0.05, 0.05, 0.05, 0.05]] * 3, np.float32))
    claim = np.log(np.array([[0.2, 0.5, 0.3]] * 3, np.float32))
    lengths = np.array([1, 20, 200])

    def correct(**settings: float) -> list[float]:
        logits = Calibration(**settings).response(response, claim, lengths)
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        assert np.ptp(chances[:, 1:], axis=1).max() < 1e-6  # the other labels keep their order
        return [round(float(chance), 3) for chance in chances[:, 0]]

    assert correct() == [0.8] * 3
    assert correct(heat=2) == [0.667] * 3
    short, longer, longest = correct(growth=0.5)
    assert short == 0.8 > longer > longest > 0.5
    assert correct(share=0.5) == [0.5, 0.5, 0.8]  # beside the longest reference the claim head is not heard
    assert correct(lean=1.0)[0] > 0.9 > correct(lean=1.0)[2] == 0.8


def test_the_careful_reader_ships_calibrated() -> None:
    said = reader(CAREFUL).pairs(PAIRS, ("response", "claim"), question=QUESTION)
    assert said["response"].shape == (2, 5)
    assert said["response"][0, 0] > said["response"][1, 0]
    assert (reader(QUICK).gullible, reader(CAREFUL).gullible, reader(CASCADE).gullible) == (True, False, True)


def test_nothing_to_read() -> None:
    for name in (QUICK, CAREFUL, CASCADE):
        assert len(reader(name).pairs([])["response"]) == 0


def test_only_the_careful_reader_reads_the_question() -> None:
    for name, reads in ((CAREFUL, True), (QUICK, False)):
        alone, asked = (reader(name).pairs(PAIRS, question=text)["response"] for text in ("", QUESTION))
        assert np.array_equal(alone, asked) is not reads


def test_of_a_long_question_the_end_is_read() -> None:
    assert network.asked("", "the sun") == "the sun"
    assert network.asked(QUESTION, "the sun") == f"{QUESTION} → the sun"
    assert network.asked("first " + "so " * 38 + "what now?", "x").startswith("so so")


def test_the_careful_reader_reads_each_pair_by_itself() -> None:
    careful = reader(CAREFUL)
    heads = ("response", "claim", "nli")
    together = careful.pairs([*PAIRS, ("", ""), ("\ud83d" * 9, "日本" * 4000)], heads)
    assert together["response"].shape == (4, 5)
    assert together["claim"].shape == together["nli"].shape == (4, 3)
    assert np.isfinite(together["response"]).all()
    careful.forget()
    assert (careful.pairs(PAIRS[1:])["response"][0] == together["response"][1]).all()
    assert together["response"][0].argmax() == 0
    assert together["response"][1].argmax() > 0


@pytest.mark.parametrize("name", [CAREFUL, CASCADE])
def test_judgements_say_who_read_the_answer(name: str) -> None:
    right, wrong, empty = postil.load(reader=name).grade_class(
        postil.Question("q", QUESTION, (postil.Reference("r", REFERENCES[0]),)),
        ["the sun warms the water so it evaporates", "it is blue", ""],
    )
    assert right.labels["2way"] == "correct"
    assert wrong.labels["2way"] == "incorrect"
    assert right.reader == wrong.reader == name
    assert {right.read_by, wrong.read_by} <= ({QUICK, CAREFUL} if name == CASCADE else {name})
    assert (empty.reader, empty.read_by) == ("", "")


def test_each_judgement_of_a_cascade_says_who_decided_it(monkeypatch: pytest.MonkeyPatch) -> None:
    question = postil.Question("q", QUESTION, (postil.Reference("r", REFERENCES[0]),))
    answers = [PAIRS[1][0], PAIRS[0][0], PAIRS[1][0], ""]
    chances = {PAIRS[0][0]: 0.6, PAIRS[1][0]: 0.001}

    class Sure(Fake):
        name, most_words, gullible = QUICK, 40, True

        def pairs(self, pairs, heads=("response",), question=""):
            self.correct = dict(enumerate(chances[answer] for answer, _ in pairs))
            return super().pairs([(str(row), "") for row in range(len(pairs))], heads, question)

    cascade = Cascade(Sure([]), reader(CAREFUL))  # type: ignore[arg-type]
    monkeypatch.setattr("postil.grader.reader", lambda name: cascade)
    judged = postil.load(reader=CASCADE).grade_class(question, answers)
    assert [judgement.reader for judgement in judged] == [CASCADE, CASCADE, CASCADE, ""]
    assert [judgement.read_by for judgement in judged] == [QUICK, CAREFUL, QUICK, ""]


def test_a_model_belongs_to_its_reader(tmp_path) -> None:
    shipped = postil.load(reader=CAREFUL)
    save_model(tmp_path / "stack.json", Model(shipped.stacks, shipped.known, CAREFUL))
    assert load_model(tmp_path / "stack.json").reader == CAREFUL
    assert postil.load(tmp_path).reader == CAREFUL
    assert postil.load(tmp_path, reader=CASCADE).reader == CASCADE
    with pytest.raises(PostilError, match="trained with the careful reader"):
        postil.load(tmp_path, reader=QUICK)
