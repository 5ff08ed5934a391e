"""Overlap of predicates and their arguments, exact and generalised."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.document import Document
from postil.language.measures.structure import (
    RELATED,
    Act,
    Link,
    Propositions,
    overlap_of,
    predicate_overlap,
    propositions_of,
    related_acts,
)
from postil.language.pipeline import analyse, analyse_many

SLAP, SMACK = Act("slap.01", "slap", False), Act("smack.01", "smack", False)
OPEN, CLOSE = Act("open.01", "open", False), Act("close.01", "close", False)
FLOW = Act("flow.01", "flow", False)
NOT_FLOW = Act("flow.01", "flow", True)
BEE, CURRENT, WATER = (("bee", "n", "bee"), ("current", "n", "current"), ("water", "n", "water"))


def exact_overlap(first: Document, second: Document) -> float:
    return overlap_of(propositions_of(first), propositions_of(second), exact=True)


def generalised_overlap(first: Document, second: Document) -> float:
    return overlap_of(propositions_of(first), propositions_of(second), exact=False)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (FLOW, FLOW, 1.0),
        (FLOW, Act("flow.02", "flow", False), 1.0),
        (Act("smack.01", "smack", True), Act("slap.01", "slap", True), RELATED),
        # PropBank links smack.01 to no class: VerbNet's own list of verbs bridges them.
        (SLAP, SMACK, RELATED),
        # One VerbNet class, but opposites.
        (OPEN, CLOSE, 0.0),
        (SLAP, Act("say.01", "say", False), 0.0),
        (FLOW, NOT_FLOW, 0.0),
        (FLOW, Act("zorblax.01", "zorblax", False), 0.0),
        # Synonyms without a class in common.
        (Act("buy.01", "buy", False), Act("purchase.01", "purchase", False), RELATED),
    ],
)
def test_predicates_alike(one: Act, other: Act, expected: float) -> None:
    assert related_acts(one, other) == related_acts(other, one) == expected


def test_the_formula_by_hand() -> None:
    one = Propositions((FLOW, SLAP), (Link(FLOW, "ARG1", CURRENT), Link(SLAP, "ARG1", BEE)))
    other = Propositions((FLOW, SMACK), (Link(FLOW, "ARG1", WATER), Link(SMACK, "ARG1", BEE)))
    # One predicate of two and no link: ½ (½ + 0), from either side.
    assert overlap_of(one, other, exact=True) == pytest.approx(0.25)
    # 1 and RELATED of two predicates, RELATED of two links.
    assert overlap_of(one, other, exact=False) == pytest.approx(((1 + RELATED) / 2 + RELATED / 2) / 2)
    # Without arguments predicates alone count, on the side that has none.
    bare = Propositions((FLOW,), ())
    assert overlap_of(bare, bare, exact=True) == 1.0
    assert overlap_of(bare, one, exact=True) == pytest.approx((1 + 0.25) / 2)


def test_roles_count() -> None:
    text = Propositions((FLOW,), (Link(FLOW, "ARG1", CURRENT),))
    for link in (Link(FLOW, "ARGM-LOC", CURRENT), Link(FLOW, "ARG1", WATER), Link(NOT_FLOW, "ARG1", CURRENT)):
        assert overlap_of(text, Propositions((link.act,), (link,)), exact=True) == (
            0.5 if link.act == FLOW else 0.0
        )


def test_a_text_as_propositions() -> None:
    said = propositions_of(analyse("The current does not flow from the battery."))
    assert [(act.verb, act.negated) for act in said.acts] == [("flow", True)]
    assert ("ARG1", "current") in {(link.role, link.word[0]) for link in said.links}
    assert not {"ARGM-NEG", "ARGM-MOD"} & {link.role for link in said.links}


@pytest.mark.parametrize(
    ("text", "verb", "negated"),
    [
        ("The current does not flow.", "flow", True),
        ("No current flows.", "flow", True),
        ("The current never flows.", "flow", True),
        ("The current flows.", "flow", False),
        ("There is no gap in the circuit.", "be", True),
    ],
)
def test_negated_predicates(text: str, verb: str, negated: bool) -> None:
    assert [act.negated for act in propositions_of(analyse(text)).acts if act.verb == verb] == [negated]


def test_auxiliaries_are_not_predicates() -> None:
    said = propositions_of(analyse("The bulbs are connected to the battery."))
    assert [act.verb for act in said.acts] == ["connect"]


def test_a_noun_names_the_same_event() -> None:
    verb, noun = analyse_many(["Water evaporates.", "the evaporation of water"])
    assert predicate_overlap(verb, noun) == 1.0


def test_the_default_is_the_mean_of_both() -> None:
    slap, smack, deny = analyse_many(
        ["He slapped the bee.", "He smacked the bee.", "He did not slap the bee."]
    )
    exact, general = exact_overlap(slap, smack), generalised_overlap(slap, smack)
    assert exact == 0.0 < general
    assert predicate_overlap(slap, smack) == pytest.approx((exact + general) / 2)
    assert predicate_overlap(slap, deny) == 0.0


TEXTS = (
    "", "?!", "水は蒸発する", "the bulb", "Not.", "The bulb is not lit.", "zorblax 🙂 blorps", "It is.",
    "Water evaporates because the sun heats it.", "No gap; no current!", "There is no lack of evaporation.",
    "Terminals 4, 5 and 6 are not connected to the negative battery terminal",
)  # fmt: skip


@pytest.mark.parametrize("measure", [predicate_overlap, exact_overlap, generalised_overlap])
def test_every_value_is_defined(measure) -> None:  # type: ignore[no-untyped-def]
    documents = list(analyse_many(TEXTS))
    has_acts = [bool(propositions_of(document).acts) for document in documents]
    assert any(has_acts)
    assert not all(has_acts)
    for (one, some), (other, more) in product(zip(documents, has_acts, strict=True), repeat=2):
        assert 0.0 <= measure(one, other) <= 1.0
        assert measure(one, other) == measure(other, one)
        if not (some and more):
            assert measure(one, other) == 0.0
    for one, some in zip(documents, has_acts, strict=True):
        assert measure(one, one) == pytest.approx(float(some))


SOME = "the bulb is not no connected open lights battery flows to slap he and say ."
WORDS = st.sampled_from(SOME.split())


@settings(max_examples=25, deadline=None)
@given(st.lists(WORDS, max_size=10), st.lists(WORDS, max_size=10))
def test_any_words(first: list[str], second: list[str]) -> None:
    one, other = analyse_many([" ".join(first), " ".join(second)])
    exact, general = exact_overlap(one, other), generalised_overlap(one, other)
    assert 0.0 <= exact <= general + 1e-12 <= 1.0 + 1e-9
    assert predicate_overlap(one, other) == predicate_overlap(other, one)
