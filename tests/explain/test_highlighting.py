"""Answers as they were written, with marks on what makes a claim or contradicts one."""

from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ET
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.questions import Facet
from postil.explain.highlighting import as_written, highlight_svg, highlighted, pieces


def outcome(label: str, *spans: tuple[int, int], words: tuple[str, ...] = ()) -> FacetOutcome:
    return FacetOutcome(Facet("1", "the water evaporates"), label, 0.9, words, spans)


def brought_back(read: str, written: str, words: str) -> str:
    """What stands where these words of the text that was read were written."""
    start = read.index(words)
    (moved,) = as_written([outcome(EXPRESSED, (start, start + len(words)))], read, written)
    return " … ".join(moved.words)


@pytest.mark.parametrize(
    ("read", "written", "words", "original"),
    [
        ("it evaporates up", "it evaperates up", "evaporates", "evaperates"),
        ("it does not melt", "it doesn't melt", "does not melt", "doesn't melt"),
        ("it can not melt", "it cannot melt", "can not", "cannot"),
        ("it is hot", "it is really  hot", "is hot", "is really  hot"),
        ("the sun heats", "The Sun\nheats", "sun heats", "Sun\nheats"),
        ("it melts", "it melts", "melts", "melts"),
        ("because it rains", "becuase it rians", "because it rains", "becuase it rians"),
    ],
)
def test_corrected_words_are_shown_as_they_were_written(read, written, words, original):
    assert brought_back(read, written, words) == original


def test_words_side_by_side_are_one_mark():
    (moved,) = as_written(
        [outcome(EXPRESSED, (0, 2), (3, 8), (12, 15))], "it melts at the", "it melts at the"
    )
    assert moved.spans == ((0, 8), (12, 15))


@given(st.text("ab .'\n’é", max_size=40), st.text("ab .'\n’é", max_size=40), st.integers(0, 40))
def test_spans_stay_inside_the_answer(read, written, start):
    (moved,) = as_written([outcome(EXPRESSED, (start, start + 3))], read, written)
    assert all(0 <= first < last <= len(written) for first, last in moved.spans)


def test_long_texts_without_a_word_in_common_cost_little():
    started = time.perf_counter()
    as_written([outcome(EXPRESSED, (0, 1))], "a b " * 2000, "b c " * 2000)
    assert time.perf_counter() - started < 5


def test_pieces_are_the_answer():
    answer = "the sun heats it and it freezes"
    cut = pieces(answer, [outcome(EXPRESSED, (0, 16)), outcome(CONTRADICTED, (4, 7), (21, 31))])
    assert "".join(piece.text for piece in cut) == answer
    assert [(piece.text, piece.makes, piece.contradicts) for piece in cut if piece.is_marked] == [
        ("the ", (1,), ()),
        ("sun", (1,), (2,)),
        (" heats it", (1,), ()),
        ("it freezes", (), (2,)),
    ]
    assert not any(piece.is_marked for piece in pieces(answer, [outcome(UNADDRESSED, (0, 3))]))


def test_marks_can_be_seen_without_colour_and_heard():
    page = highlighted("<b> melts", [outcome(EXPRESSED, (4, 9)), outcome(UNADDRESSED)])
    assert page == (
        '&lt;b&gt; <mark class="says">melts</mark><sup aria-hidden="true">✓1</sup>'
        '<span class="visually-hidden"> (makes point 1) </span>'
    )
    alone = highlighted("melts", [outcome(CONTRADICTED, (0, 5))])
    assert 'class="denies"' in alone
    assert "✗<" in alone
    assert "(contradicts the point)" in alone


def test_the_text_of_a_marked_answer_is_the_answer():
    answer = 'a < b & "c"\n d'
    page = highlighted(answer, [outcome(EXPRESSED, (2, 3), (8, 11))])
    visible = re.sub(r"<sup.*?</sup>|<span.*?</span>", "", page)
    assert unescape(re.sub(r"<[^>]+>", "", visible)) == answer


def test_a_picture_names_every_claim_and_is_dark_where_the_screen_is():
    answer = (
        "the water evaperates because the sun is hot & it goes up into the air, as we all have seen before"
    )
    outcomes = [outcome(EXPRESSED, (4, 20)), outcome(CONTRADICTED, (29, 43)), outcome(UNADDRESSED)]
    drawing = highlight_svg(answer, outcomes, ["one", "two <3>", "three"])
    root = ET.fromstring(drawing)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert " ".join(text for text in texts if text in answer.split()) == answer
    assert {"one", "two <3>", "three", "✓ 1.", "✗ 2.", "– 3."} <= set(texts)
    assert "prefers-color-scheme:dark" in drawing
    assert "evaperates (makes point 1)" in root.find("{http://www.w3.org/2000/svg}desc").text
