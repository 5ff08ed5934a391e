"""The feature table."""

import numpy as np
import pytest

from postil.language import pipeline
from postil.language.measures import features
from postil.language.measures.features import EXTENDED, FEATURES, THIRTY, feature_families, feature_table
from postil.language.measures.structure import structure_overlap
from postil.language.measures.texts import TEXT_MEASURES, compare
from postil.language.pipeline import analyse_many

QUESTION = "Why does the bulb not light when the switch is open?"
REFERENCE = "There is a gap in the path, so no current can flow."
ANSWERS = ("because there is a gap in the circuit", "the bulb is not broken", "idk", "", "当 the 🙂")
TRIPLETS = [(QUESTION, REFERENCE, answer) for answer in ANSWERS]


@pytest.fixture(autouse=True)
def fresh() -> None:
    features.forget_measured()


def test_the_papers_thirty_come_first() -> None:
    assert len(THIRTY) == len(set(THIRTY)) == 30
    pairs = [FEATURES[name].pair for name in THIRTY]
    assert pairs.count("reference") == 16
    assert pairs.count("question") == 14
    assert THIRTY[28:] == ("reference_structure", "reference_predicates")
    counts = {family: len(names) for family, names in feature_families(THIRTY).items()}
    assert counts == {"overlap": 8, "WordNet": 14, "graph": 2, "corpus": 4, "structure": 1, "predicates": 1}


def test_families_share_out_every_feature() -> None:
    names = [name for group in feature_families().values() for name in group]
    assert sorted(names) == sorted(EXTENDED)
    assert {"soft cardinality", "opposition"} < set(feature_families())


def test_values_are_those_of_the_measures() -> None:
    table = feature_table(TRIPLETS[:1])
    reference, question, answer = analyse_many([REFERENCE, QUESTION, ANSWERS[0]])
    with_reference, with_question = compare(reference, answer), compare(question, answer)
    for place, name in enumerate(TEXT_MEASURES):
        assert table[0, place] == pytest.approx(with_reference[name], abs=1e-6)
        assert table[0, 14 + place] == pytest.approx(with_question[name], abs=1e-6)
    assert table[0, 28] == pytest.approx(structure_overlap(reference, answer))


def test_every_value_is_finite_and_within_bounds() -> None:
    table = feature_table(TRIPLETS, EXTENDED)
    assert table.shape == (len(TRIPLETS), len(EXTENDED))
    assert np.isfinite(table).all()
    assert (table >= -1).all()
    assert (table <= 1 + 1e-6).all()
    assert not table[3, :30].any()  # the empty answer


def test_rows_do_not_depend_on_their_company(monkeypatch: pytest.MonkeyPatch) -> None:
    together = feature_table(TRIPLETS, EXTENDED)
    monkeypatch.setattr(features, "_BATCH", 2)
    monkeypatch.setattr(pipeline, "_MOST", 3)
    pipeline.forget()
    monkeypatch.setattr(features, "_MOST_VALUES", 2)
    features.forget_measured()
    assert feature_table(TRIPLETS, EXTENDED) == pytest.approx(together, abs=1e-6)
    assert len(features._VALUES) <= 3


def test_columns_can_be_chosen_in_any_order() -> None:
    names = ("reference_opposites", "question_lsa", "reference_lesk")
    table, whole = feature_table(TRIPLETS, names), feature_table(TRIPLETS, EXTENDED)
    for place, name in enumerate(names):
        assert table[:, place] == pytest.approx(whole[:, EXTENDED.index(name)])


def test_demotion_takes_the_questions_words_out_of_the_comparison_with_the_reference() -> None:
    triplet = (QUESTION, "The bulb does not light because of a gap.", "The bulb does not light.")
    names = ("reference_f_measure", "question_f_measure", "reference_soft_dice", "reference_structure")
    plain, demoted = feature_table([triplet], names)[0], feature_table([triplet], names, demote=True)[0]
    assert plain[0] > 0.6
    assert demoted[0] == 0.0
    assert demoted[2] < plain[2]
    assert demoted[[1, 3]] == pytest.approx(plain[[1, 3]])


@pytest.mark.slow
def test_processes_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = feature_table(TRIPLETS, THIRTY)
    monkeypatch.setattr(features, "_BATCH", 3)
    assert feature_table(TRIPLETS, THIRTY, workers=2) == pytest.approx(alone, abs=1e-6)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    feature_table(TRIPLETS[:2], THIRTY[:4], progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (2, 2)]
    assert feature_table([], THIRTY).shape == (0, 30)
