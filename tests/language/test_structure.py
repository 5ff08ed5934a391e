"""Graph subsumption over dependencies."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.measures.structure import (
    Edge,
    Graph,
    Subsumption,
    Vertex,
    graph_of,
    structure_overlap,
    subsumes,
)
from postil.language.pipeline import analyse, analyse_many
from postil.language.words.spaces import idf

BULB, WIRE = Vertex(("bulb", "n", "bulb")), Vertex(("wire", "n", "wire"))
GLOW = Vertex(("glow", "v", "glow"))
NOT_GLOW = Vertex(GLOW.word, negated=True)


def joined(graph: Graph) -> set[tuple[str, str, str]]:
    words = [vertex.word[0] for vertex in graph.vertices]
    return {(edge.label, words[edge.governor], words[edge.dependent]) for edge in graph.edges}


def test_a_graph_has_content_words_and_what_joins_them() -> None:
    graph = graph_of(analyse("The current flows from the battery."))
    assert [vertex.word[0] for vertex in graph.vertices] == ["current", "flow", "battery"]
    assert joined(graph) == {("nsubj", "flow", "current"), ("obl from", "flow", "battery")}


def test_the_formula_by_hand() -> None:
    text = Graph((BULB, GLOW), (Edge("nsubj", 1, 0),))
    hypothesis = Graph((GLOW, BULB, WIRE), (Edge("nsubj", 0, 1), Edge("obl by", 0, 2)))
    assert subsumes(text, hypothesis) == pytest.approx(0.5 * 2 / 3 + 0.5 * 1 / 2)
    assert subsumes(hypothesis, text) == 1.0
    options = Subsumption(vertices=0.6, edges=0.3, base=0.1)
    assert subsumes(text, hypothesis, options) == pytest.approx(0.6 * 2 / 3 + 0.3 / 2 + 0.1)
    # A graph without edges is weighed by its vertices alone.
    assert subsumes(text, Graph((BULB, WIRE), ())) == pytest.approx(0.5)


def test_an_edge_needs_its_label_and_both_ends() -> None:
    text = Graph((BULB, GLOW, WIRE), (Edge("nsubj", 1, 0),))
    for edge in (Edge("obj", 1, 0), Edge("nsubj", 0, 1), Edge("nsubj", 1, 2), Edge("nsubj", 2, 0)):
        assert subsumes(text, Graph((BULB, GLOW, WIRE), (edge,))) == pytest.approx(0.5)


def test_synonyms_count_a_little_less() -> None:
    large, big = analyse_many(["a large circuit", "a big circuit"])
    assert 0.8 < structure_overlap(large, big) < 1.0


def test_a_negated_word_is_another_vertex() -> None:
    text = Graph((BULB, GLOW), (Edge("nsubj", 1, 0),))
    denied = Graph((BULB, NOT_GLOW), (Edge("nsubj", 1, 0),), negations=1)
    assert subsumes(text, denied) == pytest.approx(0.5 * 1 / 2)
    assert subsumes(denied, denied) == 1.0
    whole = Subsumption(whole_polarity=True)
    assert subsumes(text, denied, whole) == 0.0
    assert subsumes(denied, denied, whole) == 1.0


def test_only_what_is_denied_stops_matching() -> None:
    """The original makes this 0 for one "not" anywhere; here the clause without it still counts."""
    first, second = analyse_many(
        [
            "The bulb is not lit because the switch is open.",
            "The bulb is lit because the switch is open.",
        ]
    )
    assert structure_overlap(first, second, Subsumption(whole_polarity=True)) == 0.0
    assert 0.3 < structure_overlap(first, second) < 0.8


def test_active_and_passive_are_one_structure() -> None:
    active, passive = analyse_many(["The battery powers the bulb.", "The bulb is powered by the battery."])
    assert ("obj", "power", "bulb") in joined(graph_of(passive))
    assert structure_overlap(active, passive) > 0.7


def test_prepositions_tell_directions_apart() -> None:
    there, back = analyse_many(
        ["Current flows from the battery to the bulb.", "Current flows from the bulb to the battery."]
    )
    assert structure_overlap(there, back) < 1.0


def test_rare_words_weigh_more_when_asked() -> None:
    rare, common = Vertex(("osmosis", "n", "osmosis")), Vertex(("thing", "n", "thing"))
    graph = Graph((rare, common), ())
    share = idf()("osmosis") / (idf()("osmosis") + idf()("thing"))
    weighed = subsumes(Graph((rare,), ()), graph, Subsumption(weighted=True))
    assert weighed == pytest.approx(share, abs=1e-6)
    assert weighed > subsumes(Graph((rare,), ()), graph)


TEXTS = (
    "", "It is.", "?!", "水は蒸発する", "Not.", "Never", "bulb", "The bulb is not lit.",
    "the bulb is on bulb bulb",    "Terminals 4, 5 and 6 are not connected to the negative battery terminal",
    "Water evaporates because the sun heats it.", "No gap; no current!", "zorblax 🙂 blorp",
)  # fmt: skip


def test_every_value_is_defined() -> None:
    documents = list(analyse_many(TEXTS))
    for options in (Subsumption(), Subsumption(weighted=True), Subsumption(whole_polarity=True)):
        for one, other in product(documents, repeat=2):
            value = structure_overlap(one, other, options)
            assert 0.0 <= value <= 1.0
            assert value == structure_overlap(other, one, options)
            if not one.content_words:
                assert value == subsumes(graph_of(one), graph_of(other), options) == 0.0
        for one in documents:
            assert structure_overlap(one, one, options) == pytest.approx(float(bool(one.content_words)))


SOME = "the bulb battery is not never no connected open closed lights positive terminal to and 4 big ."
WORDS = st.sampled_from(SOME.split())


@settings(max_examples=25, deadline=None)
@given(st.lists(WORDS, max_size=12), st.lists(WORDS, max_size=12))
def test_any_words(first: list[str], second: list[str]) -> None:
    one, other = analyse_many([" ".join(first), " ".join(second)])
    assert 0.0 <= structure_overlap(one, other) <= 1.0
    assert structure_overlap(one, other) == structure_overlap(other, one)
    assert structure_overlap(one, one) == pytest.approx(float(bool(one.content_words)))
