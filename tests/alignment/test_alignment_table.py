"""What is known about chunks: heads, numbers, best others, and how words compare."""

from __future__ import annotations

import numpy as np
import pytest

from postil.alignment.aligner import single_table
from postil.alignment.conventions import CONVENTIONS, find_convention
from postil.alignment.features import (
    KINDS,
    _best_other,
    _heads,
    features,
    members,
    prepare,
    read,
    sentence,
)
from postil.data.judgements import ChunkedPair
from postil.language.pipeline import analyse_tokens


def pair_of(first: str, second: str, first_chunks, second_chunks):
    words, others = tuple(first.split()), tuple(second.split())
    given = ChunkedPair("1", words, others, first_chunks, second_chunks)
    documents = list(analyse_tokens([words, others]))
    return prepare([given], documents, read([(first, second)]))[0]


def columns_of(pair):
    return features(pair, pair.first_chunks, pair.second_chunks)


def test_members_count_tokens_from_one():
    assert members(((1, 3), (2,)), 4).tolist() == [[True, False, True, False], [False, True, False, False]]


def test_best_other():
    values = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 0.0]])
    assert _best_other(values).tolist() == [[2, 3, 3], [5, 5, 5]]
    assert _best_other(np.array([[4.0], [1.0]])).tolist() == [[0], [0]]


def test_heads_depend_on_no_other_word_of_their_chunk():
    pair = pair_of(
        "The old dog sleeps in the kitchen", "A dog sleeps", ((1, 2, 3), (4,), (5, 6, 7)), ((1, 2), (3,))
    )
    words = pair.first.words
    assert [words[head] for head in _heads(pair.first.marks, pair.first_chunks)] == [
        "dog",
        "sleeps",
        "kitchen",
    ]


def test_numbers_that_differ_and_numbers_that_are_shared():
    pair = pair_of(
        "12 people waited 3 hours",
        "twelve people waited 4 hours",
        ((1, 2), (3,), (4, 5)),
        ((1, 2), (3,), (4, 5)),
    )
    columns = columns_of(pair)
    assert columns["numbers_equal"][0, 0] == 1
    assert (columns["numbers_equal"][2, 2], columns["numbers_different"][2, 2]) == (0, 2)
    assert columns["numbers_different"][1, 1] == 0


def test_words_compare_by_form_and_meaning():
    pair = pair_of("The poodle was cold", "The dog was hot", ((1, 2), (3, 4)), ((1, 2), (3, 4)))
    found = pair.matrices
    assert set(found) == set(KINDS)
    assert found["same"][0, 0] == found["same"][2, 2] == 1
    assert found["specific"][1, 1] == 1
    assert found["opposite"][3, 3] == 1
    assert found["alike"].max() == 1
    assert not found["general"].any()


def test_a_table_has_a_row_a_pair_of_chunks_and_keeps_its_width():
    small = pair_of("a cat", "a dog", ((1, 2),), ((1, 2),))
    large = pair_of("a cat sleeps here", "a dog", ((1, 2), (3,), (4,)), ((1,), (2,)))
    tables = [single_table(small), single_table(large)]
    assert [table.shape[:2] for table in tables] == [(1, 1), (3, 2)]
    assert tables[0].shape[2] == tables[1].shape[2] == len(columns_of(small))
    assert all(np.isfinite(table).all() for table in tables)


def test_a_side_without_chunks_has_an_empty_table():
    assert single_table(pair_of("", "a dog", (), ((1, 2),))).size == 0


# --- conventions of circuit classes -------------------------------------------------------------------------

CIRCUITS = CONVENTIONS["circuits"]


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Z is open", ["switch", "", ""]),
        ("bulb A and C .", ["", "bulb", "", "bulb", ""]),
        ("A bulb is lit", ["", "", "", ""]),
        ("A is lit", ["bulb", "", ""]),
        ("x is open", ["", "", ""]),
    ],
)
def test_named_things(text, things):
    assert CIRCUITS.named_things(text.split()) == things


def test_a_path_is_a_closed_path():
    words = ["in", "a", "closed", "path", "with", "a", "closed", "switch"]
    assert CIRCUITS.goes_without_saying(words) == [number == 2 for number in range(8)]


def test_only_circuits_have_such_names():
    assert find_convention(["Bulbs", "glow"]) is CIRCUITS
    assert find_convention(["Malcolm", "X", "spoke"]) is None
    pair = pair_of("X spoke", "the switch spoke", ((1,), (2,)), ((1, 2), (3,)))
    assert pair.matrices["alike"][0, 1] == 0


def test_a_name_is_as_good_as_the_thing():
    pair = pair_of(
        "Z closes the circuit", "the switch closes the circuit", ((1,), (2,), (3, 4)), ((1, 2), (3,), (4, 5))
    )
    assert pair.matrices["alike"][0, 1] == 1
    swapped = pair_of(
        "the switch closes the circuit", "Z closes the circuit", ((1, 2), (3,), (4, 5)), ((1,), (2,), (3, 4))
    )
    assert swapped.matrices["alike"][1, 0] == 1


def test_closed_weighs_little_before_path():
    words = ["the", "bulb", "is", "in", "a", "closed", "path"]
    (document,) = analyse_tokens([words])
    found = sentence(document)
    assert found.weights[5] == pytest.approx(0.15)
    assert found.weights[6] > 0.15
