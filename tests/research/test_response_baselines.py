"""The challenge's response baselines on small made-up classes."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Question, Reference
from postil.research.baselines import FEATURES, LexicalOverlap, MajorityLabel, lexical_features

FIVE, THREE, TWO = (RESPONSE_SCHEMES[name] for name in ("5way", "3way", "2way"))
PARTLY = "partially_correct_incomplete"


def question(id: str, labels: list[str | None], corpus: str = "", texts: list[str] | None = None) -> Question:
    texts = texts or ["some words"] * len(labels)
    answers = tuple(
        Answer(f"{id}.{number}", text, label)
        for number, (text, label) in enumerate(zip(texts, labels, strict=True))
    )
    references = (Reference(f"{id}.r", "the gap is open"),)
    return Question(id, "Why is the bulb off?", references, answers, corpus=corpus)


def unlabelled(questions: list[Question]) -> list[Question]:
    return [replace(q, answers=tuple(replace(a, label=None, match="") for a in q.answers)) for q in questions]


# --- the most frequent label ------------------------------------------------------------------------------


def test_the_majority_is_that_of_corpus_and_scheme():
    training = [
        question("b", ["correct", "correct", "contradictory"], "beetle"),
        question("s", ["correct", "correct", "irrelevant", PARTLY], "sciEntsBank"),
        question("s2", ["correct", "contradictory", "contradictory", "non_domain"], "sciEntsBank"),
    ]
    model = MajorityLabel().fit(training)
    test = [
        question("x", [None], "beetle"),
        question("y", [None, None], "sciEntsBank"),
        question("z", [None]),
    ]
    # SciEntsBank: 3 correct of 8 is the most 5-way; 3-way 3 correct, 2 contradictory, 3 incorrect;
    # 2-way 3 correct, 5 incorrect. All together: 5 correct, 3 contradictory, 3 others.
    assert model.predict(test, FIVE) == ["correct"] * 4
    assert model.predict(test, THREE) == ["correct"] * 4
    assert model.predict(test, TWO) == ["correct", "incorrect", "incorrect", "incorrect"]


def test_the_majority_of_a_class_that_is_not_correct():
    training = [question("q", ["irrelevant", "irrelevant", "correct", PARTLY, "non_domain"])]
    model = MajorityLabel().fit(training)
    test = [question("t", [None])]
    assert [model.predict(test, scheme) for scheme in (FIVE, THREE, TWO)] == [
        ["irrelevant"],
        ["incorrect"],
        ["incorrect"],
    ]


def test_ties_do_not_hang_on_the_order_of_files():
    one, two = question("1", ["irrelevant", "irrelevant"]), question("2", [PARTLY, PARTLY])
    test = [question("t", [None])]
    there = MajorityLabel().fit([one, two]).predict(test, FIVE)
    assert there == MajorityLabel().fit([two, one]).predict(test, FIVE) == [PARTLY]


def test_the_majority_of_coarser_data():
    model = MajorityLabel().fit([question("q", ["incorrect", "incorrect", "contradictory"])])
    assert model.predict([question("t", [None])], THREE) == ["incorrect"]
    assert {name for _, name in model.labels_} == {"3way", "2way"}


def test_unlabelled_answers_teach_nothing():
    model = MajorityLabel().fit([question("q", [None, None, None, "irrelevant"])])
    assert model.predict([question("t", [None])], FIVE) == ["irrelevant"]


# --- lexical overlap --------------------------------------------------------------------------------------


def test_the_features_of_an_answer_by_hand():
    asked = Question(
        "q",
        "Why is bulb A out?",
        references=(
            Reference("r1", "Bulb A is in an open path."),
            Reference("r2", "There is a gap."),
        ),
        answers=(Answer("a", "bulb a is in a gap"), Answer("b", "???")),
    )
    features = dict(zip(FEATURES, lexical_features(asked)[0], strict=True))
    # First reference: `bulb a is in` (4 of 6 and 7 words); second: `a gap`, and `is` apart (3 of 6 and 4).
    assert features["reference_overlap"] == 4
    assert features["reference_f"] == pytest.approx(max(8 / 13, 6 / 10))
    assert features["reference_lesk"] == pytest.approx(max(16 / 42, (4 + 1) / 24))
    assert features["reference_cosine"] == pytest.approx(max(4 / sqrt(42), 3 / sqrt(24)))
    # Question: why is bulb a out: `bulb a` and `is`, 3 of 6 and 5 words.
    assert features["question_overlap"] == 3
    assert features["question_f"] == pytest.approx(6 / 11)
    assert features["question_lesk"] == pytest.approx((4 + 1) / 30)
    assert features["question_cosine"] == pytest.approx(3 / sqrt(30))
    assert lexical_features(asked)[1].tolist() == [0.0] * 8


def test_each_feature_takes_its_own_best_reference():
    asked = Question(
        "q",
        "",
        references=(
            Reference("long", "one two x three four y five six z w v u"),
            Reference("short", "one two"),
        ),
        answers=(Answer("a", "one two three four five six"),),
    )
    features = dict(zip(FEATURES, lexical_features(asked)[0], strict=True))
    assert features["reference_overlap"] == 6  # from the long one
    assert features["reference_lesk"] == pytest.approx(4 / 12)  # from the short one: 12/72 is less


def test_questions_without_references_or_answers():
    assert lexical_features(Question("q", "why", (), (Answer("a", "why"),))).tolist() == [[0] * 4 + [1] * 4]
    assert lexical_features(Question("q", "why")).shape == (0, 8)


@pytest.fixture
def lesson() -> list[Question]:
    good = [f"the gap is open {word}" for word in ("now", "here", "yes", "so", "then")]
    bad = [f"bananas {word}" for word in ("now", "here", "yes", "so", "then")]
    return [
        question("q1", ["correct"] * 5 + ["irrelevant"] * 5, "beetle", good + bad),
        # SciEntsBank turned upside down: each corpus has its own tree.
        question("q2", ["contradictory"] * 5 + ["correct"] * 5, "sciEntsBank", good + bad),
    ]


def test_the_tree_learns_by_corpus_and_scheme(lesson):
    model = LexicalOverlap(leaf=3).fit(lesson)
    texts = ["well the gap is open", "ham"]
    test = [question("t", [None, None], corpus, texts) for corpus in ("beetle", "sciEntsBank")]
    assert model.predict(test, FIVE) == ["correct", "irrelevant", "contradictory", "correct"]
    assert model.predict(test, THREE) == ["correct", "incorrect", "contradictory", "correct"]
    assert model.predict(test, TWO) == ["correct", "incorrect", "incorrect", "correct"]


def test_an_unknown_corpus_gets_the_tree_of_all(lesson):
    model = LexicalOverlap(leaf=3).fit([lesson[0]])
    assert model.predict([question("t", [None], "other", ["the gap is open"])], FIVE) == ["correct"]
    assert model.predict([question("t", []), question("u", [None], "", ["ham"])], FIVE) == ["irrelevant"]


@pytest.mark.parametrize("system", [MajorityLabel, LexicalOverlap])
def test_labels_are_not_read_when_judging(lesson, system):
    model = system().fit(lesson)
    wrong = [
        replace(q, answers=tuple(replace(a, label="non_domain", match="r1") for a in q.answers))
        for q in lesson
    ]
    for scheme in (FIVE, THREE, TWO):
        seen = model.predict(lesson, scheme)
        assert model.predict(unlabelled(lesson), scheme) == seen == model.predict(wrong, scheme)


def test_unlabelled_answers_do_not_shift_the_training_rows(lesson):
    gaps = replace(
        lesson[0],
        answers=tuple(
            answer
            for pair in zip(lesson[0].answers, unlabelled(lesson)[0].answers, strict=True)
            for answer in pair
        ),
    )
    test = [question("t", [None, None], "beetle", ["the gap is open", "ham"])]
    assert LexicalOverlap(leaf=3).fit([gaps]).predict(test, FIVE) == ["correct", "irrelevant"]


def test_trees_are_grown_alike_every_time(lesson):
    rng = np.random.default_rng(0)
    words = ["the", "gap", "is", "open", "bulb", "off", "why"]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 8))) for _ in range(60)]
    labels = [str(label) for label in rng.choice(FIVE.labels, size=60)]
    noisy = [question("n", labels, "beetle", texts)]
    test = unlabelled(noisy)
    runs = [LexicalOverlap(leaf=1, seed=seed).fit(noisy).predict(test, FIVE) for seed in (0, 0)]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 2
