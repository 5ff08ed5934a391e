"""The two examples of EHU-ALM's error analysis, feature by feature: what each one sees.

Aldabe, Maritxalar & Lopez de Lacalle (2013), section 5. Orders and zeros are asserted, not figures, so that a
better pipeline need not change them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from postil.language.document import Document
from postil.language.measures.matching import opposition, relation, word_of
from postil.language.measures.overlap import overlap, overlap_words, soft_similarity
from postil.language.measures.structure import (
    Propositions,
    Subsumption,
    overlap_of,
    propositions_of,
    related_acts,
    structure_overlap,
)
from postil.language.pipeline import analyse_many
from postil.language.words.relations import Relation


@dataclass(frozen=True)
class Case:
    """The answers to one question, analysed, and their features beside the reference."""

    texts: Mapping[str, Document]
    features: Mapping[str, Mapping[str, float]]


def features(reference: Document, answer: Document) -> dict[str, float]:
    opposed = opposition(reference, answer)
    propositions = propositions_of(reference), propositions_of(answer)
    return {
        "words": overlap(overlap_words(reference.text), overlap_words(answer.text)).f1,
        "spelling": soft_similarity(reference, answer),
        "structure": structure_overlap(reference, answer),
        "structure, polarity of the whole": structure_overlap(
            reference, answer, Subsumption(whole_polarity=True)
        ),
        "predicates, exact": overlap_of(*propositions, exact=True),
        "predicates, generalised": overlap_of(*propositions, exact=False),
        "opposites": opposed.opposites,
        "clashes": opposed.polarity_clashes,
        "net": opposed.net_oppositions,
    }


def case(stop: str, **texts: str) -> Case:
    documents = dict(zip(texts, analyse_many(text + stop for text in texts.values()), strict=True))
    answers = {name: one for name, one in documents.items() if name not in ("reference", "question")}
    return Case(documents, {name: features(documents["reference"], one) for name, one in answers.items()})


@pytest.fixture(scope="module", params=["", "."], ids=["bare", "full stop"])
def slap(request: pytest.FixtureRequest) -> Case:
    """Example 5.1: the wrong answer repeats the question, the right one says it in words of its own."""
    return case(
        request.param,
        question="What was Sam's response",
        reference="Sam's response was to slap the mosquito",
        wrong="Sam's response was to say sorry",
        right="To smack the bee",
    )


def without_the_question(said: Propositions, question: Propositions) -> Propositions:
    known = {act.verb for act in question.acts}
    return Propositions(
        tuple(act for act in said.acts if act.verb not in known),
        tuple(link for link in said.links if link.act.verb not in known),
    )


@pytest.mark.parametrize("name", ["words", "spelling", "structure", "predicates, exact"])
def test_words_and_trees_prefer_the_wrong_answer(slap: Case, name: str) -> None:
    """What the paper found: the wrong answer shares most words and nearly the whole tree."""
    assert slap.features["wrong"][name] > slap.features["right"][name]


def test_exact_predicates_do_not_see_that_smacking_is_slapping(slap: Case) -> None:
    assert slap.features["right"]["predicates, exact"] == 0.0


def test_generalised_predicates_see_it(slap: Case) -> None:
    """PropBank links smack.01 to no VerbNet class, which stopped EHU-ALM; the verbs themselves share one."""
    acts = {act.verb: act for said in slap.texts.values() for act in propositions_of(said).acts}
    assert related_acts(acts["slap"], acts["smack"]) > 0.5
    assert related_acts(acts["slap"], acts["say"]) == 0.0
    assert slap.features["right"]["predicates, generalised"] > 0.0


def test_so_do_the_vertices_of_the_tree(slap: Case) -> None:
    words = {token.lemma: word_of(token) for text in slap.texts.values() for token in text.content_words}
    assert relation(words["slap"], words["smack"]) is Relation.SYNONYM
    assert relation(words["slap"], words["say"]) is None
    assert slap.features["right"]["structure"] > 0.0


def test_what_the_question_says_already_hides_it(slap: Case) -> None:
    """Generalised overlap still prefers the wrong answer, for "Sam", "response" and "was" are in it.

    Without the predicates of the question, only the right answer overlaps with the reference.
    """
    general = {name: found["predicates, generalised"] for name, found in slap.features.items()}
    assert general["wrong"] > general["right"]
    question, reference, wrong, right = (
        propositions_of(slap.texts[name]) for name in ("question", "reference", "wrong", "right")
    )
    asked = without_the_question(reference, question)
    assert overlap_of(asked, without_the_question(wrong, question), exact=False) == 0.0
    assert overlap_of(asked, without_the_question(right, question), exact=False) > 0.0


def test_nobody_says_the_opposite(slap: Case) -> None:
    for found in slap.features.values():
        assert found["opposites"] == found["clashes"] == found["net"] == 0.0


@pytest.fixture(scope="module", params=["", "."], ids=["bare", "full stop"])
def terminals(request: pytest.FixtureRequest) -> Case:
    """Example 5.2: S1 of the paper is `other_way`; the others show what the same features say to them."""
    return case(
        request.param,
        reference="Terminals 4, 5 and 6 are not connected to the negative battery terminal",
        other_way="They are connected to the positive battery terminal",
        same_way="They are not connected to the negative battery terminal",
        negation_gone="They are connected to the negative battery terminal",
        word_swapped="They are not connected to the positive battery terminal",
    )


def test_shared_words_prefer_the_contradiction(terminals: Case) -> None:
    found = terminals.features
    for name in ("words", "spelling", "structure"):
        assert found["negation_gone"][name] > found["other_way"][name], name


def test_negation_in_the_graphs_punishes_both(terminals: Case) -> None:
    """What the paper found: a negated predicate does not match, whether or not its object is an opposite."""
    found = terminals.features
    for name in ("other_way", "negation_gone"):
        assert found[name]["predicates, exact"] == found[name]["predicates, generalised"] == 0.0
        assert found[name]["structure, polarity of the whole"] == 0.0
        assert 0.0 < found[name]["structure"] < found["same_way"]["structure"]
    assert found["same_way"]["predicates, exact"] > 0.5


def test_opposites_and_negation_are_seen_apart(terminals: Case) -> None:
    seen = {
        name: (found["opposites"] > 0, found["clashes"] > 0) for name, found in terminals.features.items()
    }
    assert seen == {
        "other_way": (True, True),
        "same_way": (False, False),
        "negation_gone": (False, True),
        "word_swapped": (True, False),
    }


def test_together_they_cancel(terminals: Case) -> None:
    """Not connected to the negative, connected to the positive: two oppositions, and so none."""
    net = {name: found["net"] for name, found in terminals.features.items()}
    assert net == {"other_way": 0.0, "same_way": 0.0, "negation_gone": 1.0, "word_swapped": 1.0}
