"""Which reference an answer is compared with, in training and in judging."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.data.questions import Answer, Question, Reference
from postil.research.ehu_alm import best_reference, first_reference, make_triplets, matched_or_random

REFERENCES = (
    Reference("r1", "the circuit is open", "MINIMAL"),
    Reference("r2", "there is a gap in the path", "BEST"),
    Reference("r3", "the path has a gap", "BEST"),
    Reference("r4", "no current flows", "GOOD"),
)
BEST_TEXTS = {"there is a gap in the path", "the path has a gap"}


def question(*answers: Answer, references: tuple[Reference, ...] = REFERENCES) -> Question:
    return Question("q", "Why is the bulb off?", references, answers, corpus="beetle")


def test_training_takes_the_matched_reference():
    answer = Answer("a", "it is open", match="r1")
    assert matched_or_random(0)(question(answer), answer) == "the circuit is open"


@pytest.mark.parametrize("match", ["", "r9"])
def test_without_a_match_one_of_the_best_is_drawn(match):
    answers = [Answer(f"a{number}", "dunno", match=match) for number in range(40)]
    chosen = {matched_or_random(0)(question(answer), answer) for answer in answers}
    assert chosen == BEST_TEXTS


def test_without_any_best_all_can_be_drawn():
    plain = tuple(replace(reference, category="") for reference in REFERENCES)
    answers = [Answer(f"a{number}", "dunno") for number in range(80)]
    chosen = {matched_or_random(0)(question(answer, references=plain), answer) for answer in answers}
    assert chosen == {reference.text for reference in REFERENCES}


def test_the_draw_depends_on_the_seed_and_not_on_the_company():
    answers = [Answer(f"a{number}", "dunno") for number in range(40)]
    everyone = make_triplets([question(*answers)], matched_or_random(3))
    half = make_triplets([question(*answers[::2])], matched_or_random(3))
    assert half == everyone[::2]
    assert make_triplets([question(*answers)], matched_or_random(4)) != everyone


def test_judging_takes_the_first_and_never_the_match():
    answer = Answer("a", "no current flows", match="r4")
    assert first_reference(question(answer), answer) == "the circuit is open"
    free = replace(answer, text="there is a gap in the path", match="r4")
    assert best_reference(question(free), free) == "there is a gap in the path"


def test_among_equally_near_references_a_best_one_is_taken():
    answer = Answer("a", "bananas")
    assert best_reference(question(answer), answer) == "there is a gap in the path"
    plain = tuple(replace(reference, category="") for reference in REFERENCES)
    assert best_reference(question(answer, references=plain), answer) == "the circuit is open"


@pytest.mark.parametrize("choose", [first_reference, best_reference, matched_or_random(0)])
def test_a_question_without_references_is_compared_with_nothing(choose):
    answer = Answer("a", "bananas", match="r1")
    (triplet,) = make_triplets([question(answer, references=())], choose)
    assert (triplet.question, triplet.reference, triplet.answer) == ("Why is the bulb off?", "", "bananas")
    assert triplet.source == ("beetle", "q")
