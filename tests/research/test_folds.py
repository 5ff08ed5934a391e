"""Cross-validation: nothing leaks, everything is tested once."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError
from postil.research.benchmarks import SCENARIOS, response_folds


@st.composite
def corpora(draw):
    """One or two corpora of at least two modules, questions of one to five answers."""
    questions = []
    for corpus in draw(st.sampled_from([("beetle",), ("beetle", "sciEntsBank")])):
        for number in range(draw(st.integers(2, 6))):
            # Ids are unique within a corpus only.
            answers = tuple(
                Answer(f"a{number}.{n}", "text", "correct") for n in range(draw(st.integers(1, 5)))
            )
            questions.append(
                Question(f"q{number}", "?", (Reference("r", "x"),), answers, f"m{number % 3}", corpus)
            )
    return questions


def keys(questions, of=lambda question, answer: answer.id):
    return [(q.corpus, of(q, a)) for q in questions for a in q.answers]


UNITS = {
    "unseen-answers": lambda question, answer: answer.id,
    "unseen-questions": lambda question, answer: question.id,
    "unseen-domains": lambda question, answer: question.module,
}


@settings(deadline=None, max_examples=80)
@given(corpora(), st.sampled_from(SCENARIOS), st.integers(2, 12), st.integers(0, 5))
def test_nothing_leaks_and_everything_is_tested_once(questions, scenario, folds, seed):
    splits = list(response_folds(questions, scenario, folds, seed))
    tested = Counter()
    for train, test in splits:
        assert not set(keys(train, UNITS[scenario])) & set(keys(test, UNITS[scenario]))
        assert sorted(keys(train) + keys(test)) == sorted(keys(questions))
        assert all(question.answers for question in (*train, *test))
        assert {question.corpus for question in train} == {question.corpus for question in questions}
        tested.update(keys(test))
    assert tested == Counter(keys(questions))
    assert len(splits) <= folds


@settings(deadline=None, max_examples=30)
@given(corpora(), st.sampled_from(SCENARIOS), st.integers(0, 5))
def test_questions_keep_their_text_and_references(questions, scenario, seed):
    known = {(q.corpus, q.id): q for q in questions}
    for train, test in response_folds(questions, scenario, 3, seed):
        for question in (*train, *test):
            original = known[question.corpus, question.id]
            assert (question.text, question.references, question.module) == (
                original.text,
                original.references,
                original.module,
            )
            assert set(question.answers) <= set(original.answers)


def some_questions() -> list[Question]:
    return [
        Question(
            f"q{n}", "?", (), tuple(Answer(f"{n}.{k}", "t", "correct") for k in range(5)), f"m{n}", "beetle"
        )
        for n in range(20)
    ]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_folds_are_even_and_reproducible(scenario):
    first = list(response_folds(some_questions(), scenario, 10, 1))
    assert len(first) == 10
    assert {len(keys(test)) for _, test in first} == {10}
    assert list(response_folds(some_questions(), scenario, 10, 1)) == first
    assert list(response_folds(some_questions(), scenario, 10, 2)) != first


def test_a_corpus_does_not_change_the_folds_of_another():
    beetle = some_questions()
    other = [Question("q0", "?", (), (Answer("0.0", "t"), Answer("0.1", "t")), "m", "sciEntsBank")]
    alone = [keys(test) for _, test in response_folds(beetle, "unseen-answers", 4)]
    together = [
        [key for key in keys(test) if key[0] == "beetle"]
        for _, test in response_folds([*other, *beetle], "unseen-answers", 4)
    ]
    assert together == alone


def test_errors():
    with pytest.raises(PostilError, match="'unseen'"):
        list(response_folds(some_questions(), "unseen"))
    with pytest.raises(PostilError, match="at least 2"):
        list(response_folds(some_questions(), "unseen-answers", 1))
    one = [Question("q", "?", (), (Answer("a", "t"), Answer("b", "t")), "m", "beetle")]
    assert len(list(response_folds(one, "unseen-answers"))) == 2
    for scenario in ("unseen-questions", "unseen-domains"):
        with pytest.raises(PostilError, match="only 1 unit"):
            list(response_folds(one, scenario))
