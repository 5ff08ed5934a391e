"""From alignments to words: the written examples, and what must hold of every explanation."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.judgements import AlignedPair, Alignment
from postil.errors import PostilError
from postil.explain.differences import KINDS, Difference, find_differences
from postil.explain.explanation import REGISTERS, explain
from postil.explain.phrases import lemma, listed, quoted, spoken
from postil.language.document import Document
from postil.language.pipeline import analyse, analyse_tokens

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "explanations.jsonl")
    .read_text("utf-8")
    .splitlines()
]
# Words of the hints themselves, which a reference may happen to use as well.
OWN = {
    "say",
    "said",
    "be",
    "more",
    "look",
    "again",
    "number",
    "answer",
    "right",
    "else",
    "happen",
    "what",
    "not",
}


def pair_of(source: str, target: str, links: str) -> AlignedPair:
    """A pair from chunks parted by " | " and links such as "1=1 EQUI; 2,3=2 SIMI 3"; the rest is loose."""
    sides = []
    for text in (source, target):
        words: list[str] = []
        chunks: list[tuple[int, ...]] = []
        for chunk in text.split(" | ") if text else ():
            chunks.append(tuple(range(len(words) + 1, len(words) + len(chunk.split()) + 1)))
            words += chunk.split()
        sides.append((tuple(words), chunks))
    (source_words, firsts), (target_words, seconds) = sides
    alignments = []
    for link in filter(None, links.split("; ")):
        places, labels, *score = link.split()
        left, right = ([int(place) for place in side.split(",")] for side in places.split("="))
        numbers = [
            tuple(number for place in side for number in chunks[place - 1])
            for side, chunks in ((left, firsts), (right, seconds))
        ]
        alignments.append(Alignment(*numbers, tuple(labels.split("_")), float(score[0]) if score else 5.0))
    linked = (
        {number for one in alignments for number in one.source},
        {number for one in alignments for number in one.target},
    )
    alignments += [Alignment(chunk, (), ("NOALI",), None) for chunk in firsts if not linked[0] & set(chunk)]
    alignments += [Alignment((), chunk, ("NOALI",), None) for chunk in seconds if not linked[1] & set(chunk)]
    return AlignedPair("", source_words, target_words, tuple(alignments))


def documents_of(pair: AlignedPair) -> tuple[Document, Document]:
    empty = analyse("")
    found = [next(iter(analyse_tokens([words]))) if words else empty for words in (pair.source, pair.target)]
    return found[0], found[1]


def differences_of(source: str, target: str, links: str) -> tuple[Difference, ...]:
    pair = pair_of(source, target, links)
    return find_differences(pair, *documents_of(pair))


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_written_examples(row: dict[str, str], register: str) -> None:
    pair = pair_of(row["source"], row["target"], row["links"])
    assert explain(pair, *documents_of(pair), register=register) == row[register]


def test_there_are_enough_examples_and_the_papers_is_first() -> None:
    assert len(ROWS) >= 40
    assert "Pakistan" in ROWS[0]["source"]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_pupils_read_no_word_of_the_reference_that_they_did_not_use(row: dict[str, str]) -> None:
    pair = pair_of(row["source"], row["target"], row["links"])
    source, target = documents_of(pair)
    known = {lemma(token) for token in source.tokens} | OWN
    new = {token.text.lower() for token in target.tokens if token.is_content and lemma(token) not in known}
    words = set(re.findall(r"[\w'-]+", explain(pair, source, target, register="student").lower()))
    assert not words & new


def test_the_question_may_be_used_in_hints() -> None:
    pair = pair_of(
        "The water | evaporates", "The water | evaporates | and | the salt | stays", "1=1 EQUI; 2=2 EQUI"
    )
    source, target = documents_of(pair)
    plain = explain(pair, source, target, register="student")
    asked = explain(
        pair, source, target, register="student", question=analyse("What can you say about the salt?")
    )
    assert plain.endswith("You have not yet said what else happens.")
    assert asked.endswith("You have not yet said what happens to the salt.")


def test_an_unknown_register_is_refused() -> None:
    pair = pair_of("a", "b", "")
    with pytest.raises(PostilError, match="register"):
        explain(pair, *documents_of(pair), register="poet")


def test_differences_carry_numbers_and_score() -> None:
    found = differences_of(
        "The circuit | has | three bulbs | .",
        "The circuit | has | two bulbs | .",
        "1=1 EQUI; 2=2 EQUI; 3=3 SIMI 3",
    )
    assert found == (
        Difference("same", (1, 2), (1, 2), 5.0),
        Difference("same", (3,), (3,), 5.0),
        Difference("number", (4, 5), (4, 5), 3.0),
    )


@pytest.mark.parametrize(
    ("source", "target", "link", "kind"),
    [
        ("the bulb", "the lamp", "1=1 EQUI", "same"),
        ("is not lit", "is lit", "1=1 OPPO 4", "negated"),
        ("is lit", "is not lit", "1=1 EQUI", "negated"),
        ("is open", "is closed", "1=1 OPPO 4", "opposite"),
        ("might melt", "melts", "1=1 EQUI_FACT", "certainty"),
        ("a great idea", "a bad idea", "1=1 SIMI_POL 3", "opinion"),
        ("a red ball", "a ball", "1=1 SPE1 4", "more_specific"),
        ("a ball", "a red ball", "1=1 SPE2 4", "more_general"),
        ("a ball", "a bat", "1=1 SIMI 2", "similar"),
        ("a ball", "a game", "1=1 REL 2", "related"),
        ("3 km", "5 km", "1=1 SIMI 3", "number"),
        ("3 km", "3000 m", "1=1 SIMI 3", "similar"),
        ("3 cats", "5 apples", "1=1 SIMI 1", "similar"),
    ],
)
def test_kinds(source: str, target: str, link: str, kind: str) -> None:
    assert [one.kind for one in differences_of(source, target, link)] == [kind]
    assert kind in KINDS


@pytest.mark.parametrize(
    ("source", "target", "link", "kind"),
    [
        ("the Moon", "the moon", "1=1 SPE2 4", "same"),
        ("because of a leak", "the leak", "1=1 SPE1 4", "same"),
        ("will freeze", "freezes", "1=1 SIMI 4", "same"),
        ("is", "will be", "1=1 SIMI 4", "same"),
        ("above the shelf", "below the shelf", "1=1 SIMI 3", "similar"),
        ("no movement", "moves", "1=1 EQUI", "negated"),
        ("no movement", "does not move", "1=1 EQUI", "same"),
        ("the positive pole", "the negative pole", "1=1 EQUI", "opposite"),
        ("not the same height", "different heights", "1=1 EQUI", "same"),
        ("the same road", "a narrow road", "1=1 SPE1 4", "similar"),
        ("disolves", "dissolves", "1=1 SIMI 4", "same"),
        ("the shovel", "the cloud", "1=1 SPE1 3", "similar"),
        ("both lamps", "P and Q", "1=1 SPE2 4", "more_general"),
    ],
)
def test_kinds_of_what_an_aligner_links(source: str, target: str, link: str, kind: str) -> None:
    assert [one.kind for one in differences_of(source, target, link)] == [kind]


def test_a_link_of_unlike_words_counts_as_none() -> None:
    found = differences_of("The gate | sings", "The gate | under the bridge", "1=1 EQUI; 2=2 SIMI 2")
    assert [one.kind for one in found] == ["same", "extra", "missing"]


def test_loose_neighbours_are_put_together_and_empty_words_are_not_missed() -> None:
    found = differences_of(
        "It | flows", "It | flows | through the wire | to the battery | .", "1=1 EQUI; 2=2 EQUI"
    )
    assert [(one.kind, one.target) for one in found[2:]] == [("missing", (3, 4, 5, 6, 7, 8))]
    assert differences_of("bulb C", "bulb C | is | and | .", "1=1 EQUI")[1:] == ()


def test_a_clause_ends_a_loose_phrase() -> None:
    found = differences_of("on", "If | bulb A | burns out , | the rest | stay | on", "1=6 EQUI")
    assert [one.target for one in found if one.kind == "missing"] == [(1, 2, 3, 4, 5), (7, 8, 9)]


def test_two_contradictions_with_a_negation_cancel() -> None:
    found = differences_of(
        "is not connected | to the negative terminal",
        "is connected | to the positive terminal",
        "1=1 OPPO 4; 2=2 OPPO 4",
    )
    assert [one.kind for one in found] == ["similar"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The bulb is on .", "the bulb is on"),
        ("NATO troops left", "NATO troops left"),
        ("Indian food", "Indian food"),
        ("I do n't know", "I don't know"),
        ("a cat 's paw ,", "a cat's paw"),
        ("It costs $ 5 , or 3 %", "it costs $5, or 3%"),
        ("and the U.S.", "the U.S."),
        ("a apple", "an apple"),
    ],
)
def test_phrases_inside_a_sentence(text: str, words: str) -> None:
    tokens = next(iter(analyse_tokens([text.split()]))).tokens
    assert spoken(tokens) == words
    assert quoted(tokens) == f"“{words}”"


def test_gaps_are_shown() -> None:
    tokens = analyse("the path that we made is closed").tokens
    assert spoken((*tokens[:2], *tokens[5:])) == "the path … is closed"
    assert spoken((*tokens[:2], *tokens[3:])) == "the path we made is closed"


def test_lists() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a and b", "c"]) == "a and b, and c"


@cache
def noisy_documents() -> tuple[tuple[str, ...], Document]:
    text = "If the ( 2 bulbs , which are not lit , burn out because of 5 V ? The cat 's path is n't . it &"
    words = tuple(text.split())
    return words, next(iter(analyse_tokens([words])))


NUMBERS = st.lists(st.integers(1, 27), max_size=6).map(lambda found: tuple(sorted(set(found))))
LABELS = st.sampled_from(
    [("EQUI",), ("OPPO",), ("SPE1",), ("SPE2", "FACT"), ("SIMI", "POL"), ("REL",), ("NOALI",), ()]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.builds(Alignment, NUMBERS, NUMBERS, LABELS, st.sampled_from([None, 1.0, 4.0])), max_size=8)
)
def test_any_alignment_is_explained(alignments: list[Alignment]) -> None:
    words, document = noisy_documents()
    numbers = range(1, len(words) + 1)
    kept = [
        Alignment(
            tuple(number for number in one.source if number in numbers),
            tuple(number for number in one.target if number in numbers),
            one.labels,
            one.score,
        )
        for one in alignments
    ]
    pair = AlignedPair("", words, words, tuple(kept))
    for register in REGISTERS:
        text = explain(pair, document, document, register=register)
        assert text == explain(pair, document, document, register=register)
        assert text[0].isupper()
        assert text[-1] in ".?"
        assert "  " not in text
        assert "“”" not in text


def test_two_hundred_words_are_explained_in_few() -> None:
    long = " | ".join(["the warm water", "turns", "into vapor", "and"] * 50)
    pair = pair_of(long, "The water | evaporates | .", "1=1 SPE1 4; 2,3=2 EQUI")
    for register in REGISTERS:
        assert len(explain(pair, *documents_of(pair), register=register).split()) < 120
