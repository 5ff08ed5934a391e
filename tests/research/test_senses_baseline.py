"""The most frequent sense: what it counts, how it breaks ties, what it leaves alone."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from postil.data.formats.sensekeys import SenseAnswer, sense_key
from postil.data.formats.senseval import SenseInstance, Token
from postil.scoring.senses import tally_senses
from postil.senses.learners import MostFrequentSense


def instance(name: str, *senses: str, lexelt: str = "arm.n") -> SenseInstance:
    return SenseInstance(name, lexelt, (Token("arm"),), (0,), (0,), senses)


def test_the_most_frequent_sense_of_each_word():
    training = [
        instance("1", "body"),
        instance("2", "weapon"),
        instance("3", "weapon"),
        instance("4", "dish", lexelt="serve.v"),
    ]
    model = MostFrequentSense().fit(training)
    assert model.senses_ == {"arm.n": "weapon", "serve.v": "dish"}
    assert model.predict([instance("9"), instance("8", lexelt="serve.v")]) == [
        SenseAnswer("9", "arm.n", (("weapon", None),)),
        SenseAnswer("8", "serve.v", (("dish", None),)),
    ]


def test_every_sense_of_an_instance_counts():
    model = MostFrequentSense().fit(
        [instance("1", "a"), instance("2", "b", "a"), instance("3", "b", "c", "b2")]
    )
    assert model.senses_ == {"arm.n": "a"}


def test_ties_go_to_the_sense_met_first():
    training = [instance("1", "z"), instance("2", "a"), instance("3", "a"), instance("4", "z")]
    assert MostFrequentSense().fit(training).senses_["arm.n"] == "z"


def test_unknown_words_and_unlabelled_training_are_left_alone():
    model = MostFrequentSense().fit([instance("1")])
    assert model.senses_ == {}
    assert model.predict([instance("2")]) == []
    assert MostFrequentSense().predict([instance("2")]) == []


def test_fit_starts_anew():
    model = MostFrequentSense().fit([instance("1", "a")])
    assert model.fit([instance("2", "b", lexelt="x")]).senses_ == {"x": "b"}


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30))
def test_its_score_on_its_training_set_is_the_largest_share(senses):
    training = [instance(str(number), sense) for number, sense in enumerate(senses)]
    tally = tally_senses(sense_key(training), MostFrequentSense().fit(training).predict(training))
    assert (
        tally.values()["recall"] == tally.values()["precision"] == max(Counter(senses).values()) / len(senses)
    )
