"""Tables of gaps: which words are scored, which of them are missing, and what a table must have."""

import pytest

from postil.data.formats.sra import GapRow, function_words, read_gaps
from postil.errors import InputError

HEADER = "student_answer_id,question_paper,question_text,student_answer,model_answer,gap\n"


def row(reference: str, gap: str) -> GapRow:
    return GapRow("1", "Why?", reference, "because", gap)


def missing(reference: str, gap: str) -> list[str]:
    one = row(reference, gap)
    return [word.text for word, inside in zip(one.words, one.missing, strict=True) if inside]


def test_words_are_letters_and_digits_outside_the_list():
    words = row("The 2 BULBS (don't) light-up, are more bright.", "").words
    assert [word.text for word in words] == ["2", "bulbs", "don", "t", "light", "more", "bright"]
    assert words[1].start == 6


def test_words_that_compare_are_kept():
    assert {"more", "less", "same", "other", "most"}.isdisjoint(function_words())
    assert {"the", "of", "is", "because", "which"} <= function_words()


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        ("", []),
        ("the liquid remains clear", ["liquid", "remains", "clear"]),
        ("The solid ( dissolves )", ["solid", "dissolves"]),
        ("solid dissolves . liquid remains clear", ["solid", "dissolves", "liquid", "remains", "clear"]),
        ("unknown words", []),
    ],
)
def test_a_word_is_missing_if_it_lies_inside_the_gap(gap, expected):
    assert missing("The solid dissolves and the liquid remains clear.", gap) == expected


def test_a_word_that_comes_twice_is_missing_where_the_gap_is():
    one = row("A short string is high. A long string is low.", "a long string is low")
    assert one.missing == (False, False, False, True, True, True)


def test_partial_is_neither_empty_nor_whole():
    reference = "The solid dissolves."
    assert [row(reference, gap).is_partial for gap in ("", "solid", "solid dissolves")] == [
        False,
        True,
        False,
    ]


def test_reading(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text(
        HEADER + 'a1,P,"Why, then?",It is.,The bulb is lit.,the bulb\na2,P,Why?,No.,It is lit., \n'
    )
    first, second = read_gaps(path)
    assert first == GapRow("a1", "Why, then?", "The bulb is lit.", "It is.", "the bulb")
    assert second.gap == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("student_answer_id,gap\n1,x\n", "question_text"),
        (HEADER, "no row"),
        (HEADER + "a1,P,Why?,It is., ,x\n", "line 2 (a1): there is no reference"),
    ],
)
def test_what_cannot_be_read(tmp_path, text, said):
    path = tmp_path / "gaps.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
        read_gaps(path)
