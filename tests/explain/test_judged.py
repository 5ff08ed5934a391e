"""Judgements get their explanation from the real aligner; plain cases keep their reason."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from postil.alignment.aligner import Aligner
from postil.data.judgements import Judgement, Reason, collapsed, score_of
from postil.data.labels import RESPONSE_SCHEMES
from postil.grader import explain_class, load, make_question

QUESTION = "Why does ice float?"
REFERENCE = "Ice is less dense than water."
OTHER = "It weighs less than the same amount of water."


def judged(label: str, reference: str = REFERENCE, reason: Reason | None = None) -> Judgement:
    five = {label: 0.9, "non_domain": 0.1}
    labels = {scheme.name: scheme.collapse(label) for scheme in RESPONSE_SCHEMES.values()}
    return Judgement(labels, collapsed(five), score_of(five), 0.9, reference=reference, reason=reason)


def explained(question: str, answers: list[str], judgements: list[Judgement]) -> list[Judgement]:
    return explain_class(make_question(question, [REFERENCE, OTHER]), answers, judgements)


def test_each_answer_beside_its_own_reference():
    answers = ["ice is less dense", "it weighs less than water"]
    first, second = explained(QUESTION, answers, [judged("correct"), judged("correct", OTHER)])
    assert first.explanation.alignment.source == ("ice", "is", "less", "dense")
    assert " ".join(first.explanation.alignment.target) == "Ice is less dense than water ."
    assert second.explanation.alignment.target[:2] == ("It", "weighs")
    assert {one.type for one in first.explanation.alignment.alignments} & {"EQUI", "SPE2"}
    assert first.explanation.student.startswith("Your answer")
    assert (first.labels, first.score) == (judged("correct").labels, judged("correct").score)


def test_plain_cases_keep_what_was_said():
    plain = [
        judged("non_domain", "", Reason.EMPTY),
        judged("correct", REFERENCE, Reason.TOLD),
        judged("irrelevant", ""),
        judged("irrelevant"),
    ]
    assert explained(QUESTION, ["", "ice is less dense", "cold", "?!"], plain) == plain
    assert explained(QUESTION, [], []) == []


def test_equal_answers_are_aligned_once(monkeypatch):
    counted = []
    align = Aligner.align_prepared

    def count(self, pairs, documents):
        counted.append(len(pairs))
        return align(self, pairs, documents)

    monkeypatch.setattr(Aligner, "align_prepared", count)
    answers = ["ice is less dense", "ice  is less dense ", "ice is cold", "ice is less dense"]
    found = explained(QUESTION, answers, [judged("correct")] * 3 + [judged("contradictory")])
    assert counted == [2]
    # Each marked as it was written.
    first, second = found[0].explanation, found[1].explanation
    assert replace(second, facets=first.facets) == first
    assert [words.replace("  ", " ") for words in second.facets[0].words] == list(first.facets[0].words)
    # The same chunks, in words that fit another label.
    assert found[3].explanation.alignment == found[0].explanation.alignment
    assert found[3].explanation.student != found[0].explanation.student


def test_the_same_every_time():
    answers = ["ice is less dense", "ice is heavier than water"]
    judgements = [judged("correct"), judged("contradictory")]
    assert explained(QUESTION, answers, judgements) == explained(QUESTION, answers, judgements)


def test_a_denial_is_quoted_in_two_words():
    (found,) = explained(QUESTION, ["ice dont weigh much"], [judged("irrelevant")])
    assert found.explanation.alignment.source == ("ice", "do", "not", "weigh", "much")


@pytest.mark.parametrize(
    "answer", ["ice", "(", "a " * 90, "🧊 ice", "ice. Ice! ICE?", "氷は水より軽い", "\x07 ice"]
)
def test_odd_answers(answer):
    (found,) = explained(QUESTION, [answer], [judged("irrelevant")])
    told = found.explanation
    assert told is None if answer == "(" else told.student


def test_the_facade_explains_if_asked():
    grader = load()
    plain, asked = (
        grader.grade(QUESTION, [REFERENCE, OTHER], "ice is less dence", explain=explain)
        for explain in (False, True)
    )
    assert plain.explanation is None
    assert (asked.labels, asked.score, asked.reference) == (plain.labels, plain.score, plain.reference)
    # The answer stands as it was read, its misspelling put right.
    assert asked.explanation.alignment.source[-1] == "dense"
    # What is quoted and marked is what was written.
    assert "dence" in " ".join(asked.explanation.facets[0].words)
    assert grader.grade(QUESTION, [REFERENCE], "idk", explain=True).explanation is None


def test_plain_grading_loads_no_aligner():
    code = (
        "import sys, postil\n"
        f"postil.load().grade({QUESTION!r}, [{REFERENCE!r}], 'ice is less dense')\n"
        "late = ('postil.alignment', 'postil.explain')\n"
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
