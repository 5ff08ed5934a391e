"""Taggers: learning, answering, abstaining, keeping; and the odd words that corpora have."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from postil.data.formats.sensekeys import SenseAnswer, sense_key
from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import InputError, PostilError
from postil.scoring.senses import tally_senses
from postil.senses.features import make_table
from postil.senses.learners import MostFrequentSense
from postil.senses.systems import RECIPES, Member, Recipe, learn_members
from postil.senses.tagger import ABOUT, NUMBERS, Tagger, load_tagger, train_tagger

WORDS = {
    "money": ("lent", "cash", "loan", "paid", "account", "interest"),
    "river": ("water", "fish", "mud", "boat", "grass", "swam"),
}
FAST = [name for name in RECIPES if name not in ("mfs", "postil-encoder")]


def corpus(count: int, *, seed: int, lexelt: str = "bank.n") -> list[SenseInstance]:
    """Made-up contexts: three words of the sense, three of no sense, in any order."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(count):
        sense = ("money", "river")[number % 2]
        told = random.choice(WORDS[sense], 3, replace=False)
        around = [*told, *random.choice(["the", "a", "old", "near", "of"], 3)]
        random.shuffle(around)
        tokens = tuple(Token(str(form)) for form in (*around[:3], "bank", *around[3:]))
        made.append(SenseInstance(f"{seed}.{number}", lexelt, tokens, (3,), (0,), (sense,)))
    return made


def unlabelled(instances: list[SenseInstance]) -> list[SenseInstance]:
    return [replace(instance, senses=()) for instance in instances]


@pytest.mark.parametrize("system", FAST)
def test_every_system_learns_answers_and_is_kept(system, tmp_path):
    test = corpus(40, seed=1)
    tagger = train_tagger(corpus(60, seed=0), system)
    answers = tagger.predict(unlabelled(test))
    # Three trees, each on one kind of words, learn less from sixty examples.
    assert tally_senses(sense_key(test), answers).values()["precision"] > (
        0.7 if system == "duluth" else 0.85
    )
    tagger.save(tmp_path / "model")
    assert load_tagger(tmp_path / "model").predict(unlabelled(test)) == answers


def test_labels_are_never_looked_at():
    test = corpus(20, seed=1)
    tagger = train_tagger(corpus(60, seed=0))
    lies = [replace(instance, senses=("nonsense",)) for instance in test]
    assert tagger.predict(lies) == tagger.predict(unlabelled(test))


def test_order_is_kept_and_does_not_matter():
    training = corpus(60, seed=0) + corpus(40, seed=3, lexelt="shore.n")
    test = [
        item
        for pair in zip(corpus(9, seed=1), corpus(9, seed=2, lexelt="shore.n"), strict=True)
        for item in pair
    ]
    tagger = train_tagger(training)
    answers = tagger.predict(test)
    assert [answer.instance for answer in answers] == [instance.id for instance in test]
    backwards = tagger.predict(test[::-1])
    assert backwards[::-1] == answers


def test_a_word_with_one_sense_and_one_never_met():
    training = [
        *corpus(20, seed=0),
        *(replace(instance, lexelt="shore.n", senses=("U",)) for instance in corpus(3, seed=5)),
    ]
    tagger = train_tagger(training)
    asked = [
        replace(instance, lexelt=word)
        for word, instance in zip(("shore.n", "lake.n"), corpus(2, seed=1), strict=True)
    ]
    assert tagger.predict(asked) == [SenseAnswer("1.0", "shore.n", (("U", None),))]


@pytest.mark.parametrize("system", FAST)
def test_a_sense_with_one_example_and_a_word_with_two(system):
    single = [*corpus(30, seed=0), replace(corpus(1, seed=7)[0], senses=("P",))]
    assert len(train_tagger(single, system).predict(corpus(4, seed=1))) + (system == "umd") >= 4
    two = train_tagger(corpus(2, seed=0), system)
    assert {sense for answer in two.predict(corpus(4, seed=1)) for sense, _ in answer.senses} <= {
        "money",
        "river",
    }


@pytest.mark.parametrize("system", FAST)
def test_examples_with_several_senses(system):
    training = [
        replace(instance, senses=("money", "business")) if number % 4 == 0 else instance
        for number, instance in enumerate(corpus(80, seed=0))
    ]
    test = corpus(20, seed=1)
    found = train_tagger(training, system).predict(test)
    right = [
        replace(one, senses=(*one.senses, "business")) if one.senses == ("money",) else one for one in test
    ]
    assert tally_senses(sense_key(right), found).values()["precision"] > 0.6


def test_a_higher_threshold_answers_less_and_better():
    noisy = [
        replace(instance, senses=("river",)) if number % 10 == 0 else instance
        for number, instance in enumerate(corpus(120, seed=0))
    ]
    tagger, test = train_tagger(noisy), corpus(60, seed=1)
    tallies = [
        tally_senses(sense_key(test), tagger.predict(test, threshold=threshold))
        for threshold in (0.0, 0.8, 1.0)
    ]
    assert [tally.values()["attempted"] for tally in tallies] == sorted(
        (tally.values()["attempted"] for tally in tallies), reverse=True
    )
    assert tallies[0].values()["attempted"] == 1
    assert tallies[-1].values()["attempted"] < 1


def test_umd_leaves_out_what_no_sense_claims():
    strange = SenseInstance("x", "bank.n", (Token("bank"),), (0,), (0,))
    test = [*corpus(10, seed=1), strange]
    training = [
        replace(instance, senses=(f"s{number % 5}",)) for number, instance in enumerate(corpus(50, seed=0))
    ]
    tagger = train_tagger(training, "umd")
    assert "x" not in {answer.instance for answer in tagger.predict(test)}


def test_of_two_senses_umd_claims_one_always():
    tagger = train_tagger(corpus(50, seed=0), "umd")
    assert len(tagger.predict(corpus(40, seed=1))) == 40
    assert len(tagger.predict(corpus(40, seed=1), threshold=0.9)) < 40


@pytest.mark.parametrize("system", ["mfs", *FAST])
def test_contexts_that_hold_nothing_but_the_word(system):
    alone = [
        SenseInstance(str(number), "bank.n", (Token("bank"),), (0,), (0,), ("money" if number else "river",))
        for number in range(6)
    ]
    answers = train_tagger(alone, system).predict(unlabelled(alone))
    assert {answer.senses[0][0] for answer in answers} <= {"money"}
    assert len(answers) == 6


def test_mfs_answers_as_the_baseline_does(tmp_path):
    training = [
        *corpus(5, seed=0),
        *(replace(instance, lexelt="shore.n") for instance in corpus(4, seed=1)),
        replace(corpus(1, seed=2)[0], lexelt="shore.n", senses=("river", "edge")),
    ]
    test = [*corpus(3, seed=3), *(replace(instance, lexelt="shore.n") for instance in corpus(3, seed=4))]
    train_tagger(training, "mfs").save(tmp_path)
    expected = MostFrequentSense().fit(training).predict(test)
    assert load_tagger(tmp_path).predict(unlabelled(test)) == expected


@pytest.mark.parametrize("system", ["duluth", "bcu-svm", "postil"])
def test_another_seed_draws_otherwise(system):
    noisy = [
        replace(instance, senses=("river",)) if number % 5 == 0 else instance
        for number, instance in enumerate(corpus(80, seed=0))
    ]
    test = corpus(30, seed=1)
    assert train_tagger(noisy, system, seed=0).chances(test) != train_tagger(noisy, system, seed=1).chances(
        test
    )


def test_members_draw_apart_and_by_the_seed():
    rows = make_table(corpus(40, seed=0), ["bag"]).rows(corpus(40, seed=0))[0]
    shares = np.eye(2)[np.arange(40) % 2]
    recipe = Recipe((Member("bagged-trees", ("bag",)),) * 2, "vote")
    first, second = learn_members(recipe, [rows, rows], shares, 0)
    other, _ = learn_members(recipe, [rows, rows], shares, 7)
    asked = [one.feature.tolist() for one in (first, second, other)]
    assert asked[0] != asked[1]
    assert asked[0] != asked[2]


def test_weighted_answers_sum_to_one():
    tagger = train_tagger(corpus(20, seed=0))
    strange = SenseInstance("x", "bank.n", (Token("bank"),), (0,), (0,))
    (answer,) = tagger.predict([strange], weighted=True)
    assert len(answer.senses) == 2
    assert sum(weight or 0 for _, weight in answer.senses) == pytest.approx(1, abs=1e-3)
    assert answer.senses[0][1] >= answer.senses[1][1]


def test_untagged_examples_teach_words_that_no_label_has():
    few = corpus(12, seed=0)
    tagger = train_tagger(few, untagged=unlabelled(corpus(200, seed=2)))
    plain = train_tagger(few)
    test = corpus(100, seed=3)
    recall = [tally_senses(sense_key(test), one.predict(test)).values()["recall"] for one in (plain, tagger)]
    assert recall[1] >= recall[0]
    assert tagger.words_["bank.n"].table.width > plain.words_["bank.n"].table.width


def test_the_same_seed_gives_the_same_tagger():
    test = corpus(30, seed=1)
    first, second = (train_tagger(corpus(60, seed=0), seed=4).chances(test) for _ in range(2))
    assert first == second


def test_nothing_to_learn_from():
    with pytest.raises(PostilError, match="no instance has a sense"):
        train_tagger(unlabelled(corpus(4, seed=0)))
    assert Tagger().fit([]).predict(corpus(2, seed=0)) == []
    assert train_tagger(corpus(10, seed=0)).predict([]) == []


def test_a_mistyped_system():
    with pytest.raises(PostilError, match="no sense system 'bcu'") as caught:
        train_tagger(corpus(4, seed=0), "bcu")
    assert "bcu-svm" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (ABOUT, "{}", "is not a sense model"),
        (ABOUT, "[1]", "is not a sense model"),
        (ABOUT, "no json", "is not a sense model"),
        (ABOUT, '{"format": 99}', "another version"),
        (NUMBERS, "other numbers", "does not belong"),
    ],
)
def test_broken_models_are_told(tmp_path, name, content, problem):
    train_tagger(corpus(10, seed=0)).save(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=problem):
        load_tagger(tmp_path)


EDITS = {
    "sense": lambda about: about["words"][0]["senses"].pop(),
    "same sense twice": lambda about: about["words"][0].update(senses=["money", "money"]),
    "member of a word": lambda about: about["words"][0]["members"].pop(),
    "member of the recipe": lambda about: about["recipe"]["members"].pop(),
    "member of both": lambda about: (
        about["recipe"]["members"].pop(),
        about["words"][0]["members"].pop(),
    ),
    "feature": lambda about: about["words"][0]["features"]["bag"].pop(),
    "group": lambda about: about["words"][0]["features"].pop("bag"),
    "all features": lambda about: about["words"][0].pop("features"),
    "word": lambda about: about["words"].pop(),
    "unknown combination": lambda about: about["recipe"].update(combination="guess"),
    "other combination": lambda about: about["recipe"].update(combination="sum"),
    "unknown group": lambda about: about["recipe"]["members"][0]["groups"].append("smell"),
    "unknown learner": lambda about: about["recipe"]["members"][0].update(learner="guess"),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("system", ["postil", "duluth"])
def test_models_edited_by_hand_are_refused(tmp_path, system, edit):
    train_tagger(corpus(20, seed=0), system).save(tmp_path)
    about = json.loads((tmp_path / ABOUT).read_text("utf-8"))
    EDITS[edit](about)
    (tmp_path / ABOUT).write_text(json.dumps(about), "utf-8")
    with pytest.raises(InputError, match=r"its .* unknown or do not fit tagger.npz"):
        load_tagger(tmp_path)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_tagger(tmp_path / "none")


def test_a_model_says_what_it_is(tmp_path):
    train_tagger(corpus(10, seed=0), "bcu-comb").save(tmp_path)
    about = json.loads((tmp_path / ABOUT).read_text("utf-8"))
    assert about["system"] == "bcu-comb"
    assert about["words"][0]["senses"] == ["money", "river"]
    assert about["recipe"]["combination"] == "vote"


def test_contextual_vectors_of_english(tmp_path):
    training, test = corpus(24, seed=0), corpus(12, seed=1)
    tagger = train_tagger(training, "postil-encoder")
    answers = tagger.predict(test)
    assert tally_senses(sense_key(test), answers).values()["recall"] > 0.7
    assert tagger.words_["bank.n"].table.centre is not None
    tagger.save(tmp_path)
    assert load_tagger(tmp_path).predict(test) == answers
