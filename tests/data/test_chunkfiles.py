"""Sentence and chunk files: one line a sentence, chunks in brackets, projected onto the tokens."""

from __future__ import annotations

import pytest
from corpus_files import write_chunks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.chunks import project_chunks, read_chunks, read_sentences
from postil.errors import InputError, MismatchError

round_trip = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
words = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r"), max_size=6)
    .map(lambda text: "".join(text.split()))
    .filter(lambda word: word and not word.startswith("\ufeff"))
)
chunk_words = words.filter(lambda word: word not in ("[", "]"))


def test_chunks(file):
    path = file("[ the battery ] [ is ] [ in [ a closed path ] \r\n\r\n[ [ x ] [ [1] ]\r\n")
    assert read_chunks(path) == [
        (("the", "battery"), ("is",), ("in",), ("a", "closed", "path")),
        (),
        (("x",), ("[1]",)),
    ]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[ a ] ]", "closes a chunk that no"),
        ("[ a ] b", "'b' is outside any chunk"),
        ("a b", "'a' is outside any chunk"),
        ("[a b]", "'\\[a' is outside any chunk"),
        ("[ a ] [ ]", "empty or not closed"),
        ("[ a ] [ b", "empty or not closed"),
        ("[ a ] [", "empty or not closed"),
    ],
)
def test_broken_chunks_are_named(file, line, what):
    path = file(f"[ fine ]\n{line}\n")
    with pytest.raises(InputError, match=what) as caught:
        read_chunks(path)
    assert caught.value.line == 2
    assert caught.value.path == str(path)


@round_trip
@given(sentences=st.lists(st.lists(words, max_size=4).map(tuple), min_size=1, max_size=4).filter(any))
def test_sentences_round_trip(tmp_path, sentences):
    lines = (" ".join(tokens) + "\n" for tokens in sentences)
    (tmp_path / "a.txt").write_bytes("".join(lines).encode())
    assert read_sentences(tmp_path / "a.txt") == sentences


@round_trip
@given(
    sentences=st.lists(
        st.lists(st.lists(chunk_words, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
        min_size=1,
        max_size=4,
    ).filter(any)
)
def test_chunks_round_trip(tmp_path, sentences):
    write_chunks(tmp_path / "a.chunk.txt", sentences)
    assert read_chunks(tmp_path / "a.chunk.txt") == sentences


@pytest.mark.parametrize(
    ("tokens", "chunks", "numbers"),
    [
        ("the cat sat", (("the", "cat"), ("sat",)), ((1, 2), (3,))),
        ("path. closed", (("path",), (".", "closed")), ((1,), (2,))),
        ("do n't", (("don't",),), ((1, 2),)),
        ("don't", (("do",), ("n't",)), ((1,),)),
        ("", (), ()),
    ],
)
def test_projection(tokens, chunks, numbers):
    assert project_chunks(tokens.split(), chunks) == numbers


def test_chunks_of_another_sentence():
    with pytest.raises(MismatchError, match="do not hold the text of the sentence"):
        project_chunks(["a", "dog"], [["a", "cat"]])


@settings(max_examples=100, deadline=None)
@given(chunks=st.lists(st.lists(words, min_size=1, max_size=3), max_size=4))
def test_every_token_has_one_chunk(chunks):
    tokens = [word for chunk in chunks for word in chunk]
    projected = project_chunks(tokens, chunks)
    assert [number for chunk in projected for number in chunk] == list(range(1, len(tokens) + 1))
    assert [[tokens[number - 1] for number in chunk] for chunk in projected] == chunks
