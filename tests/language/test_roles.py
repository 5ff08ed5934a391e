"""Roles: written groups of paraphrases through the pipeline, and the steps on trees made by hand."""

from __future__ import annotations

import csv
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.document import Document, Predicate, Token
from postil.language.pipeline import analyse, analyse_many
from postil.language.predicates import verb_inside, verb_of
from postil.language.role_features import Tree, candidates, distance, hashed, reach, voice
from postil.language.roles import find_predicates, role_model

CASES = Path(__file__).parents[1] / "fixtures" / "roles.tsv"


def read_cases() -> list[dict[str, str]]:
    with CASES.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def parameters() -> list[object]:
    return [
        pytest.param(
            case,
            id=case["sentence"],
            marks=[pytest.mark.xfail(strict=True, reason=case["known"])] if case["known"] else [],
        )
        for case in read_cases()
    ]


def heads(document: Document, predicate: Predicate) -> dict[str, str]:
    return {a.role: document.tokens[a.head].lemma.lower() for a in predicate.arguments}


def tree(*rows: tuple[str, str, int, str]) -> Tree:
    """A tree of (word, tag, head, relation); the word is its own lemma."""
    pos = {"N": "NOUN", "V": "VERB", "I": "ADP", "D": "DET", "M": "AUX", ",": "PUNCT"}
    return Tree(
        [
            Token(i, word, 0, word, pos[tag[0]], tag, head, relation)
            for i, (word, tag, head, relation) in enumerate(rows)
        ]
    )


@pytest.mark.parametrize("case", parameters())
def test_written_case(case: dict[str, str]) -> None:
    document = analyse(case["sentence"])
    found = [one for one in document.predicates if one.roleset == case["roleset"]]
    assert found, [one.roleset for one in document.predicates]
    wanted = dict(pair.split("=") for pair in case["roles"].split())
    given = heads(document, found[0])
    assert {role: given.get(role) for role in wanted} == wanted
    assert found[0].verb == case["roleset"].split(".")[0]


def test_enough_cases_and_few_known_failures() -> None:
    cases = read_cases()
    assert sum(not case["known"] for case in cases) >= 60
    assert sum(bool(case["known"]) for case in cases) <= 8
    assert len({case["sentence"] for case in cases}) == len(cases)


def test_predicates_are_found_once_and_change_nothing_else() -> None:
    document, same = analyse_many(["The sun evaporates the water."] * 2)
    before = hash(document), repr(document)
    first = document.predicates
    assert first is document.predicates
    assert (hash(document), repr(document)) == before
    assert document == same
    with pytest.raises(FrozenInstanceError):
        document.text = ""  # type: ignore[misc]


def test_a_copy_with_other_tokens_finds_its_own() -> None:
    document = analyse("The sun evaporates the water.")
    assert document.predicates
    assert replace(document, tokens=(), sentences=()).predicates == ()


def test_in_bulk_as_one_by_one() -> None:
    texts = ["The mirror reflects light.", "", "the circuit is broken", "Plants grow. They need water."] * 80
    documents = list(analyse_many(texts))
    together = find_predicates(documents)
    assert [document.predicates for document in documents] == together
    for document, predicates in list(zip(documents, together, strict=True))[:4]:
        assert find_predicates([document])[0] == predicates


@pytest.mark.parametrize(
    "text", ["", " ", "...", "水は蒸発する。", "вода испаряется", "🙂🙂", "a", "\u0000", "123 456"]
)
def test_odd_texts(text: str) -> None:
    for predicate in analyse(text).predicates:
        assert predicate.roleset


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_arguments_lie_in_the_text_and_apart(text: str) -> None:
    document = analyse(text)
    for predicate in document.predicates:
        taken = [predicate.index]
        for argument in predicate.arguments:
            assert 0 <= argument.start <= argument.head < argument.end <= len(document.tokens)
            taken += range(argument.start, argument.end)
        assert len(taken) == len(set(taken))
        core = [a.role for a in predicate.arguments if a.role[3:4].isdecimal()]
        assert len(core) == len(set(core))


def test_argument_by_role() -> None:
    document = analyse("The sun evaporates the water.")
    predicate = document.predicates[0]
    found = predicate.argument("ARG1")
    assert found is not None
    assert document.tokens[found.head].text == "water"
    assert predicate.argument("ARG5") is None


def test_an_auxiliary_has_no_arguments() -> None:
    document = analyse("The water has evaporated.")
    auxiliary = [one for one in document.predicates if one.lemma == "have"]
    assert all(not one.arguments for one in auxiliary)


def test_passive_and_active_voice() -> None:
    assert (
        voice(
            tree(("water", "NN", 2, "nsubj:pass"), ("be", "MD", 2, "aux:pass"), ("heat", "VBN", 2, "root")), 2
        )
        == "passive"
    )
    assert voice(tree(("heat", "VB", 0, "root"), ("water", "NN", 0, "obj")), 0) == "active"
    assert voice(tree(("water", "NN", 0, "root"), ("heat", "VBN", 0, "acl")), 1) == "participle"
    assert voice(tree(("water", "NN", 0, "root")), 0) == "noun"


def test_candidates_are_dependents_ancestors_and_theirs() -> None:
    made = tree(
        ("sun", "NN", 1, "nsubj"),
        ("make", "VBZ", 1, "root"),
        ("water", "NN", 1, "obj"),
        ("boil", "VB", 1, "xcomp"),
    )
    assert {c.node: c.path for c in candidates(made, 3)} == {
        1: "^xcomp",
        0: "^xcompvnsubj",
        2: "^xcompvobj",
    }


def test_an_argument_reaches_over_kept_branches_up_to_a_gap() -> None:
    made = tree(
        ("the", "DT", 1, "det"),
        ("water", "NN", 1, "root"),
        (",", ",", 3, "punct"),
        ("boil", "VBG", 1, "acl"),
        ("now", "NN", 1, "nmod"),
    )
    assert reach(made, 1, [0, 3, 4], []) == (0, 4)
    assert reach(made, 1, [0, 4], []) == (0, 1)
    assert reach(made, 1, [0, 3], [3]) == (0, 1)


def test_the_verb_inside_a_word() -> None:
    assert verb_inside("melting", "n") == ("melt",)
    assert verb_inside("melting", "v") == ()
    assert verb_inside("ice", "n") == ()


def test_the_verb_of_a_roleset() -> None:
    assert verb_of("evaporate.01", "evaporation") == "evaporate"
    assert verb_of("blorf.01", "blorf") == "blorf"


def test_distances_are_signed_and_coarse() -> None:
    assert [distance(n) for n in (-1, 1, 5, -9, 40)] == ["-1", "+1", "+4", "-7", "+13"]


def test_hashing_depends_on_template_and_atoms_only() -> None:
    atoms = np.array([[1, 2], [1, 3], [1, 2]], dtype=np.uint64)
    buckets = hashed(atoms, [(0,), (0, 1), (1,)], 12)
    assert (buckets[0] == buckets[2]).all()
    assert buckets[0, 0] == buckets[1, 0]
    assert (buckets[0, 1:] != buckets[1, 1:]).all()
    assert buckets.min() >= 0
    assert buckets.max() < 1 << 12


def test_an_unknown_verb_is_still_a_predicate() -> None:
    assert role_model().rolesets.options("blorfify", "v", "") == ("blorfify.01",)
    assert role_model().rolesets.options("blorfiness", "n", "") == ()
