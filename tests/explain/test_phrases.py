"""Words of a text inside another sentence: small first letters, shortened quotations, brackets in pairs."""

from __future__ import annotations

import pytest

from postil.explain.phrases import article, quoted, spoken, uncapitalised
from postil.language.pipeline import analyse, analyse_tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It boils . The lid moves .", "it boils . the lid moves ."),
        ("Lamp P glows . Maria sees it .", "lamp P glows . Maria sees it ."),
        ("It is warm ( The oven is on ) .", "it is warm ( the oven is on ) ."),
        ("It is cold . NASA knows . I do too .", "it is cold . NASA knows . I do too ."),
        ("Monday is warm .", "Monday is warm ."),
    ],
)
def test_sentences_begin_small(text: str, words: str) -> None:
    document = uncapitalised(next(iter(analyse_tokens([text.split()]))))
    assert " ".join(token.text for token in document.tokens) == words


def test_long_quotations_are_cut_between_chunks() -> None:
    tokens = analyse(
        "stir the red paint in the large bucket with a clean stick until the color is even"
    ).tokens
    text = quoted(tokens)
    assert text.endswith(" …”")
    assert len(text.split()) <= 13
    assert text.split()[-2] not in ("the", "a", "with", "in", "until", "clean", "large")


def test_brackets_come_in_pairs() -> None:
    tokens = next(iter(analyse_tokens([["a", "jar", "(", "made", "of", "glass", ")", "falls"]]))).tokens
    assert spoken(tokens) == "a jar (made of glass) falls"
    assert "(" not in spoken(tokens[:5])
    assert ")" not in spoken(tokens[3:])


@pytest.mark.parametrize(
    ("word", "before"),
    [("apple", "an"), ("hour", "an"), ("bulb", "a"), ("unit", "a"), ("user", "a"), ("European", "a")],
)
def test_the_article_of_a_word(word: str, before: str) -> None:
    assert article(word) == before


@pytest.mark.parametrize(
    ("text", "places", "phrase"),
    [
        ("a very big apple", (0, 3), "an apple"),
        ("an old bulb", (0, 2), "a bulb"),
        ("terminal a is lit", (0, 1, 2, 3), "terminal a is lit"),
    ],
)
def test_an_article_fits_the_word_that_is_left_behind_it(
    text: str, places: tuple[int, ...], phrase: str
) -> None:
    tokens = next(iter(analyse_tokens([text.split()]))).tokens
    assert spoken([tokens[place] for place in places], gaps=False) == phrase


def test_an_article_before_a_gap_stays_as_it_was() -> None:
    tokens = next(iter(analyse_tokens([["a", "very", "big", "apple"]]))).tokens
    assert spoken([tokens[0], tokens[3]]) == "a … apple"
