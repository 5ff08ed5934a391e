"""The shipped entailer as a system: it learns nothing more, and refuses what would flatter."""

from __future__ import annotations

import pytest

from postil.data.formats.rte import Pair
from postil.data.labels import ENTAILMENT_SCHEMES
from postil.errors import PostilError
from postil.research import shipped
from postil.research.shipped import ShippedEntailer
from postil.research.systems import create

PAIRS = [
    Pair("1", "Rosa Diaz bought a small house.", "Rosa Diaz bought a house."),
    Pair("2", "The bulb is not lit.", "The bulb is lit."),
]


def test_it_is_registered():
    assert isinstance(create("entailment", "postil"), ShippedEntailer)


def test_it_judges_in_both_schemes():
    system = ShippedEntailer().fit([])
    labels = {
        name: [one.label for one in system.predict(PAIRS, scheme)]
        for name, scheme in ENTAILMENT_SCHEMES.items()
    }
    assert labels == {
        "2way": ["ENTAILMENT", "NO_ENTAILMENT"],
        "3way": ["ENTAILMENT", "CONTRADICTION"],
    }
    first, second = system.predict(PAIRS, ENTAILMENT_SCHEMES["2way"])
    assert first.id == "1"
    assert first.confidence > 0.5 > second.confidence


def test_it_refuses_training_pairs(monkeypatch):
    monkeypatch.setattr(shipped, "has_learned", lambda text, _: text.startswith("The bulb"))
    with pytest.raises(PostilError, match="learned from 1 of these 1 items"):
        ShippedEntailer().predict(PAIRS[1:], ENTAILMENT_SCHEMES["2way"])


def test_single_known_pairs_are_judged_and_named(monkeypatch):
    monkeypatch.setattr(shipped, "has_learned", lambda text, _: text.startswith("The bulb"))
    system = ShippedEntailer()
    assert system.learned_from(PAIRS) == [False, True]
    assert len(system.predict(PAIRS, ENTAILMENT_SCHEMES["2way"])) == 2
