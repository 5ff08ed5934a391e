"""The shipped encoder: vectors of words and logits of pairs, the same whoever else is in the batch."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.language.network import WIDTH, Encoder, encoder

TEXTS = (
    "The battery gives a voltage.",
    "",
    "electromagnetism!",
    "Warm air rises; cold air sinks below it and is warmed in turn.",
    "🙂 ½ naïve",
)
PAIRS = [(text, "Warm air rises.") for text in TEXTS]


def test_every_piece_has_a_word_and_a_vector_of_length_one() -> None:
    for text, pieces in zip(TEXTS, encoder().words(TEXTS), strict=True):
        assert pieces.vectors.shape == (len(pieces.owners), WIDTH)
        assert pieces.vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(pieces.vectors, axis=1), 1, atol=1e-5)
        assert set(pieces.owners.tolist()) == set(range(len(pieces.words)))
        assert pieces.words == tuple(text[start:end].lower() for start, end in pieces.spans)


def test_a_long_word_is_one_word_of_several_pieces() -> None:
    (pieces,) = encoder().words(["electromagnetism!"])
    assert pieces.words == ("electromagnetism", "!")
    assert len(pieces.owners) > 2


def test_a_text_without_words_has_no_pieces() -> None:
    for pieces in encoder().words(["", " \n", "\u200b"]):
        assert pieces.words == ()
        assert pieces.vectors.shape == (0, WIDTH)


def test_nothing_asked_nothing_found() -> None:
    assert encoder().words([]) == []
    assert len(encoder().pairs([])["response"]) == 0


def test_the_heads_asked_for_and_no_others() -> None:
    logits = encoder().pairs(PAIRS, Encoder.heads)
    assert tuple(logits) == Encoder.heads == ("response", "nli", "similarity")
    assert logits["response"].shape == (len(PAIRS), 5)
    assert logits["nli"].shape == (len(PAIRS), 3)
    assert len(logits["similarity"]) == len(PAIRS)
    assert all(np.isfinite(values).all() for values in logits.values())
    assert tuple(encoder().pairs(PAIRS[:1])) == ("response",)
    np.testing.assert_array_equal(encoder().pairs(PAIRS, ("nli",))["nli"], logits["nli"])


def test_company_changes_nothing() -> None:
    """Eight-bit networks scale by the largest number of a run: texts must not share one."""
    crowd = [*TEXTS, *(f"{number} magnets attract {'iron ' * number}" for number in range(40))]
    random.Random(5).shuffle(crowd)
    together = dict(zip(crowd, encoder().words(crowd), strict=True))
    logits = encoder().pairs([(text, "Warm air rises.") for text in crowd])["response"]
    for text, pair in zip(TEXTS, PAIRS, strict=True):
        (alone,) = encoder().words([text])
        np.testing.assert_allclose(together[text].vectors, alone.vectors, atol=1e-5)
        np.testing.assert_allclose(
            logits[crowd.index(text)], encoder().pairs([pair])["response"][0], atol=1e-5
        )


def test_one_thread_or_several() -> None:
    one = type(encoder())(encoder()._folder)
    one._threads = 1
    np.testing.assert_array_equal(one.pairs(PAIRS)["response"], encoder().pairs(PAIRS)["response"])


def test_a_long_text_is_read_from_its_beginning() -> None:
    words = "closed path " * 10_000
    (pieces,) = encoder().words([words])
    assert len(pieces.owners) == Encoder.longest - 2  # the marks at the two ends count as well
    assert np.isfinite(encoder().pairs([(words, words)])["response"]).all()


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_can_be_read(first: str, second: str) -> None:
    assert np.isfinite(encoder().pairs([(first, second)])["response"]).all()
    for text, pieces in zip((first, second), encoder().words([first, second]), strict=True):
        assert all(0 <= start < end <= len(text) for start, end in pieces.spans)


def test_half_a_character_is_read_as_something() -> None:
    (pieces,) = encoder().words(["\ud83d is lit"])
    assert pieces.words[-2:] == ("is", "lit")
    assert np.isfinite(encoder().pairs([("\ud83d", "a \udc00 b")])["response"]).all()


def test_words_of_like_meaning_are_nearer() -> None:
    big, large, wet = (one.vectors[0] for one in encoder().words(["big", "large", "wet"]))
    assert big @ large > big @ wet


def test_the_same_encoder_is_given_again() -> None:
    assert encoder() is encoder()


def test_another_folder_is_another_encoder(tmp_path) -> None:
    empty = encoder(tmp_path)
    assert empty is not encoder()
    with pytest.raises(Exception, match=r"(?i)no such file|not found|exist"):
        empty.words(["a"])


@pytest.mark.parametrize(("cores", "said"), [("1", "false"), ("2", None)])
def test_a_process_that_shares_the_cores_reads_in_one_thread(monkeypatch, cores, said) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", cores)
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "")  # so that it is put back
    monkeypatch.delenv("TOKENIZERS_PARALLELISM")
    assert Encoder(encoder()._folder)._tokenizer
    assert os.environ.get("TOKENIZERS_PARALLELISM") == said
