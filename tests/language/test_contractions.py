"""Contracted denials come apart; words that only look like them stay whole."""

import pytest

from postil.language.spelling import spelled_out


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("it doesn't melt", "it does not melt"),
        ("it doesnt melt", "it does not melt"),
        ("it doesn’t melt", "it does not melt"),
        ("they weren't wet and hadnt dried", "they were not wet and had not dried"),
        ("it can't, cant and cannot burn", "it can not, can not and can not burn"),
        ("it won't and ain't", "it will not and is not"),
        ("Don't touch. Can't burn. Won't melt. CANNOT", "Do not touch. Can not burn. Will not melt. Can not"),
        ("DON'T", "DO not"),
        ("", ""),
    ],
)
def test_denials_are_two_words(text: str, read: str) -> None:
    assert spelled_out(text) == read
    assert spelled_out(read) == read


@pytest.mark.parametrize(
    "text",
    [
        "the parent wants an important plant",
        "a cantilever and a cantaloupe",
        "it is not what it was, and it's wet",
        "as is his wont",
        "the student's tent isnta",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert spelled_out(text) == text
