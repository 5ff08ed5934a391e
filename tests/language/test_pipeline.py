"""Analysis with the shipped pipeline: offsets, sentences, messy and hostile text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import PostilError
from postil.language.document import Document
from postil.language.pipeline import MAX_CHARACTERS, analyse, analyse_many, analyse_tokens


def check(document: Document, text: str) -> None:
    """What must hold of every document."""
    assert document.text == text
    size = len(document.tokens)
    for number, token in enumerate(document.tokens):
        assert token.index == number
        assert text[token.start : token.end] == token.text
        assert 0 <= token.head < size
        assert all((token.lemma, token.pos, token.tag, token.relation))
        assert (token.relation == "root") == (token.head == token.index)
    covered = [index for span in document.sentences for index in range(span.start, span.end)]
    assert covered == list(range(size))
    for span in (*document.chunks, *document.ists_chunks):
        assert 0 <= span.start < span.end <= size
    for negation in document.negations:
        assert all(0 <= index < size for index in (*negation.cue, *negation.scope))
    for quantity in document.quantities:
        assert 0 <= quantity.start < quantity.end <= size


def test_a_plain_sentence() -> None:
    text = "The bulbs are not connected to the battery."
    document = analyse(text)
    check(document, text)
    lemmas = " ".join(token.lemma for token in document.tokens)
    assert lemmas == "the bulb be not connect to the battery ."
    assert [token.pos for token in document.tokens][:2] == ["DET", "NOUN"]
    assert document.is_negated(4)
    assert [token.text for token in document.content_words] == ["bulbs", "connected", "battery"]
    assert "to the battery" in [document.text_of(span) for span in document.ists_chunks]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\t ",
        "idk",
        "???",
        "😀😀 🎉",
        "Вода испаряется. 水蒸发了。",
        "the bulb wont light b/c theres a gap",
        "- first, heat it\n- then it evaporates\n\n* done",
        "it is closed it is in the path and the current flows it lights",
        "a\x00b\x07c\u200bd\u202e e",
        "https://example.org/a?b=c&d  user@example.org",
        "x" * 5000,
        "water " * 3000,
        "\u00e9" + "e\u0301" + "\ufb01",
    ],
)
def test_messy_text(text: str) -> None:
    check(analyse(text), text)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_in_a_batch(texts: list[str]) -> None:
    documents = list(analyse_many(texts))
    assert len(documents) == len(texts)
    for document, text in zip(documents, texts, strict=True):
        check(document, text)


def test_a_batch_gives_what_single_calls_give() -> None:
    texts = ["Water evaporates.", "", "The plant needs light, water and air.", "no idea"]
    assert list(analyse_many(texts)) == [analyse(text) for text in texts]


def test_the_same_text_twice() -> None:
    text = "The harder mineral leaves a scratch on the softer one."
    assert analyse(text) == analyse(text)


def test_tokens_given() -> None:
    words = ["The", "bulb", "is", "in", "a", "closed", "path."]
    document = next(analyse_tokens([words]))
    assert [token.text for token in document.tokens] == words
    assert document.text == "The bulb is in a closed path."


def test_a_blank_token_is_refused() -> None:
    with pytest.raises(PostilError, match="blank"):
        list(analyse_tokens([["a", " "]]))


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(PostilError, match="too long"):
        analyse("a " * MAX_CHARACTERS)


@pytest.mark.slow
def test_a_megabyte() -> None:
    text = "The water in the puddle evaporates when the sun heats it. " * 18_000
    document = analyse(text)
    check(document, text)
    assert len(document.sentences) > 15_000


def test_several_sentences() -> None:
    document = analyse("Seeds need water. They need air too.")
    assert [document.text_of(span) for span in document.sentences] == [
        "Seeds need water.",
        "They need air too.",
    ]
