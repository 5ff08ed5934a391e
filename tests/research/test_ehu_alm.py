"""EHU-ALM's frameworks on a small made-up class, with stand-ins for the features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError
from postil.language.measures.features import FEATURES, THIRTY
from postil.language.measures.overlap import overlap, overlap_words
from postil.research import ehu_alm, systems
from postil.research.ehu_alm import DESIGNS, EhuAlm, Expert, Parameters, Search, design_table

FIVE, THREE, TWO = (RESPONSE_SCHEMES[name] for name in ("5way", "3way", "2way"))
PARTLY = "partially_correct_incomplete"
FIXED = Parameters(8.0, 0.5)
TINY = Search(grid=(Parameters(0.01, 0.01), FIXED), rows=(100,), folds=3)
WORDS = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel")


def fake_table(texts, design):
    """Two overlap figures with the reference, in place of the real features."""
    rows = []
    for _, reference, answer in texts:
        shared = overlap(overlap_words(reference), overlap_words(answer))
        rows.append([shared.f1, shared.cosine])
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


@pytest.fixture(autouse=True)
def fake_features(monkeypatch):
    monkeypatch.setattr(ehu_alm, "design_table", fake_table)


def make_question(number: int, text: str = "Why?", copies: int = 3, labelled: bool = True) -> Question:
    """A question whose right answers repeat the reference, whose partly right ones say half of it."""
    reference = " ".join(f"{word}{number}" for word in WORDS)
    half = " ".join(reference.split()[:4])
    kinds = ((reference, "correct"), (half, PARTLY), ("bananas", "irrelevant"))
    answers = tuple(
        Answer(f"{number}.{copy}.{label}", answer, label if labelled else None)
        for copy in range(copies)
        for answer, label in kinds
    )
    return Question(f"q{number}", text, (Reference("r", reference),), answers, corpus="made up")


TRAINING = [make_question(n, text) for n, text in enumerate(("Why?", "How?", "What?") * 2)]
NEW = [make_question(n, text, copies=1, labelled=False) for n, text in ((50, "Why?"), (51, "What?"))]
RIGHT = ["correct", PARTLY, "irrelevant"]


# --- learning and judging -----------------------------------------------------------------------------------


@pytest.mark.parametrize("design", [DESIGNS["run1"], DESIGNS["run2"], DESIGNS["run3"], DESIGNS["extended"]])
def test_every_framework_learns_what_the_features_show(design):
    system = EhuAlm(design, search=TINY, fewest=6).fit(TRAINING)
    assert system.predict(NEW, FIVE) == RIGHT * 2
    assert system.predict(NEW, THREE) == ["correct", "incorrect", "incorrect"] * 2
    assert system.predict(NEW, TWO) == ["correct", "incorrect", "incorrect"] * 2
    assert system.predict([], FIVE) == []
    assert set(system.searches) == set(system.experts_)
    assert {search.macro_f1 for search in system.searches.values()} == {1.0}


def test_run1_has_one_classifier_for_every_question():
    system = EhuAlm(DESIGNS["run1"], parameters=FIXED).fit(TRAINING)
    system.predict([*NEW, TRAINING[0]], TWO)
    assert list(system.experts_) == [Expert("5way", "unseen-questions")]


def test_run2_chooses_by_whether_the_question_was_in_training():
    system = EhuAlm(DESIGNS["run2"], parameters=FIXED).fit(TRAINING)
    system.predict(NEW, FIVE)
    assert list(system.experts_) == [Expert("5way", "unseen-questions")]
    system.predict(TRAINING[:1], FIVE)
    assert list(system.experts_)[1:] == [Expert("5way", "unseen-answers")]
    elsewhere = replace(TRAINING[0], corpus="another corpus")
    assert system._expert_for(ehu_alm.make_triplets([elsewhere], ehu_alm.first_reference)[0], FIVE) == Expert(
        "5way", "unseen-questions"
    )


def test_the_scenarios_are_simulated_by_the_folds(monkeypatch):
    seen = []

    class Recorder(ehu_alm.Classifier):
        def fit(self, features, labels, groups):
            seen.append(list(groups))
            return super().fit(features, labels, groups)

    monkeypatch.setattr(ehu_alm, "Classifier", Recorder)
    system = EhuAlm(DESIGNS["run2"], parameters=FIXED).fit(TRAINING)
    system.predict([NEW[0], TRAINING[0]], FIVE)
    by_question, by_answer = seen
    assert by_question == [("made up", question.id) for question in TRAINING for _ in question.answers]
    assert len(set(by_answer)) == len(by_answer) == len(by_question)


def test_run3_has_an_expert_for_each_type_with_enough_instances():
    rare = make_question(60, "How come?", copies=1)
    training = [q for q in TRAINING if q.text != "How?"] + [rare]
    system = EhuAlm(DESIGNS["run3"], parameters=FIXED, fewest=10).fit(training)
    tests = [*NEW, make_question(61, "How?", labelled=False), training[0], rare]
    system.predict(tests, FIVE)
    assert set(system.experts_) == {
        Expert("5way", "unseen-questions", "why"),
        Expert("5way", "unseen-questions", "what"),
        Expert("5way", "unseen-questions", ""),
        Expert("5way", "unseen-answers", "why"),
        Expert("5way", "unseen-answers", ""),
    }


def test_a_direct_design_has_a_classifier_for_each_scheme():
    system = EhuAlm(DESIGNS["extended"], parameters=FIXED).fit(TRAINING)
    system.predict(NEW, TWO)
    system.predict(NEW, FIVE)
    assert [expert.scheme for expert in system.experts_] == ["2way", "5way"]


def test_coarse_training_labels_are_enough_for_coarse_judgements():
    coarse = [
        replace(q, answers=tuple(replace(a, label=TWO.collapse(a.label)) for a in q.answers))
        for q in TRAINING
    ]
    system = EhuAlm(DESIGNS["run2"], parameters=FIXED).fit(coarse)
    assert system.predict(NEW, TWO) == ["correct", "incorrect", "incorrect"] * 2
    with pytest.raises(PostilError, match="coarser than 5way"):
        system.predict(NEW, FIVE)


def test_training_needs_labels():
    with pytest.raises(PostilError, match="no labelled answer"):
        EhuAlm().fit(NEW)


def test_unlabelled_training_answers_are_passed_over():
    mixed = [*TRAINING, make_question(70, labelled=False)]
    alone, beside = (EhuAlm(parameters=FIXED).fit(questions) for questions in (TRAINING, mixed))
    assert np.array_equal(alone._features, beside._features)
    assert beside.predict(NEW, FIVE) == RIGHT * 2


def test_a_class_of_one_label_gives_that_label():
    only = [replace(q, answers=q.answers[:1]) for q in TRAINING]
    assert set(EhuAlm(DESIGNS["run3"]).fit(only).predict(NEW, FIVE)) == {"correct"}


# --- which reference ----------------------------------------------------------------------------------------


def test_judging_compares_with_the_first_reference_or_the_best():
    (question,) = NEW[:1]
    wrong_first = replace(question, references=(Reference("x", "nothing of the kind"), *question.references))
    first = EhuAlm(DESIGNS["run2"], parameters=FIXED).fit(TRAINING)
    best = EhuAlm(ehu_alm.BEST_REFERENCE, parameters=FIXED).fit(TRAINING)
    assert first.predict([wrong_first], FIVE) == ["irrelevant"] * 3
    assert best.predict([wrong_first], FIVE) == RIGHT


@pytest.mark.parametrize("design", [DESIGNS["run3"], DESIGNS["extended"]])
def test_judging_reads_neither_labels_nor_matches(design):
    system = EhuAlm(design, parameters=FIXED).fit(TRAINING)
    (question,) = NEW[:1]
    told = tuple(replace(answer, label="non_domain", match="x") for answer in question.answers)
    references = (*question.references, Reference("x", "bananas"))
    plain, revealing = (replace(question, answers=a, references=references) for a in (question.answers, told))
    assert system.predict([plain], FIVE) == system.predict([revealing], FIVE)


# --- features and registry ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("design", "families"),
    [
        (DESIGNS["run3"], set()),
        (ehu_alm.BEST_REFERENCE, set()),
        (DESIGNS["demoted"], set()),
        (DESIGNS["opposition"], {"opposition"}),
        (DESIGNS["soft"], {"soft cardinality"}),
    ],
)
def test_each_step_adds_its_features(monkeypatch, design, families):
    calls = record_tables(monkeypatch)
    table = design_table([("q", "r", "a")], design)
    plain = calls[False]
    assert plain[:30] == THIRTY
    assert {FEATURES[name].family for name in plain[30:]} == families
    assert len(set(plain)) == len(plain)
    assert (True in calls) == design.demote
    assert table.shape == (1, sum(map(len, calls.values())))


def test_a_family_can_be_left_out(monkeypatch):
    calls = record_tables(monkeypatch)
    design_table([("q", "r", "a")], replace(DESIGNS["demoted"], without=("WordNet", "graph")))
    assert {FEATURES[name].family for name in calls[False]} == {
        "overlap",
        "corpus",
        "structure",
        "predicates",
    }
    assert {FEATURES[name].family for name in calls[True]} == {"overlap", "corpus"}


def test_the_extended_system_has_every_feature(monkeypatch):
    calls = record_tables(monkeypatch)
    design_table([("q", "r", "a")], DESIGNS["extended"])
    assert calls[False] == ehu_alm.EVERY
    # Leaving out the question's words changes only what compares the words of reference and answer.
    assert len(calls[True]) > 14
    assert {name.split("_")[0] for name in calls[True]} == {"reference"}
    assert "reference_structure" not in calls[True]


def record_tables(monkeypatch):
    """Put empty tables in place of the measured ones; what was asked for, by whether words are left out."""
    calls = {}

    def table(texts, names, *, demote=False):
        calls[demote] = tuple(names)
        return np.zeros((len(texts), len(names)))

    monkeypatch.setattr(ehu_alm, "feature_table", table)
    return calls


def test_the_registered_systems_are_the_designs():
    made = {
        name: systems.create("responses", name).design
        for name in systems.names("responses")
        if name.startswith("ehu-alm-")
    }
    assert made == {
        "ehu-alm-run1": DESIGNS["run1"],
        "ehu-alm-run2": DESIGNS["run2"],
        "ehu-alm-run3": DESIGNS["run3"],
        "ehu-alm-best-reference": ehu_alm.BEST_REFERENCE,
        "ehu-alm-demoted": DESIGNS["demoted"],
        "ehu-alm-opposition": DESIGNS["opposition"],
        "ehu-alm-soft": DESIGNS["soft"],
        "ehu-alm-extended": DESIGNS["extended"],
    }
