"""Sentence and chunk files: one line a sentence, chunks in brackets, projected onto the tokens."""

from __future__ import annotations

import pytest
from corpus_files import write_chunks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.chunks import project_chunks, read_chunks, read_sentences
from postil.errors import InputError, InputWarning, MismatchError

round_trip = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
words = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r"), max_size=6)
    .map(lambda text: "".join(text.split()))
    .filter(lambda word: word and not word.startswith("\ufeff"))
)
chunk_words = words.filter(lambda word: word not in ("[", "]") and "][" not in word)


def test_chunks(file):
    path = file("[ the battery ]  [ is ] [ in a\tpath ] \r\n\r\n[ x ] [ [1] ]\r\n")
    assert read_chunks(path) == [
        (("the", "battery"), ("is",), ("in", "a", "path")),
        (),
        (("x",), ("[1]",)),
    ]


# Lines in the likeness of those that the task released.
@pytest.mark.parametrize(
    ("line", "chunks", "what"),
    [
        ("[ a bulb ] is [ lit ]", "a bulb|is|lit", "1 token is outside any chunk"),
        ("[ a ] b c [ d ] e", "a|b c|d|e", "3 tokens are outside any chunk"),
        ("[ it ] [is not ] [ lit ]", "it|is not|lit", "a blank is missing beside a bracket"),
        ("[ it ] [ is not] [ lit ]", "it|is not|lit", "a blank is missing beside a bracket"),
        ("[it][is not][lit]", "it|is not|lit", "a blank is missing beside a bracket"),
        ("[ it ][ is ] [ x[1] ]", "it|is|x[1]", "a blank is missing beside a bracket"),
        ("[ in [ a path ]", "in|a path", "a chunk opens inside another"),
        ("[ [ x ]", "x", "a chunk opens inside another"),
        ("[ a ] ]", "a", "closes a chunk that no"),
        ("a b ] [ c ]", "a b|c", "closes a chunk that no"),
        ("[ a ] [ ]", "a", "a chunk is empty"),
        ("[ a ] [ b", "a|b", "the last chunk is not closed"),
        ("[ a ] [", "a", "the last chunk is not closed"),
    ],
)
def test_irregular_chunks_are_read_with_a_warning(file, line, chunks, what):
    path = file(f"[ fine ]\n{line}\n")
    with pytest.warns(InputWarning) as caught:
        sentences = read_chunks(path)
    assert sentences == [(("fine",),), tuple(tuple(chunk.split()) for chunk in chunks.split("|"))]
    (warning,) = (item.message for item in caught)
    assert warning.path == str(path)
    assert {problem.line for problem in warning.problems} == {2}
    assert any(what in problem.what for problem in warning.problems)


def test_one_warning_counts_all_places_and_names_the_first_lines(file):
    path = file("".join("[ a ] b\n" for _ in range(9)))
    with pytest.warns(InputWarning) as caught:
        read_chunks(path)
    (warning,) = caught
    assert str(warning.message).startswith(
        f"{path}: 9 irregular places (lines 1, 2, 3, 4, 5 and 4 more), read all the same. The first: 1 token"
    )


def test_a_sentence_without_chunks_is_an_error(file):
    with pytest.raises(InputError, match="line 2: this sentence is not divided into chunks"):
        read_chunks(file("[ fine ]\na b\n"))


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
        ("it is lit.", (("it",), ("is", "lit")), ((1,), (2, 3))),
        ("it is lit .", (("it",), ("is", "lit")), ((1,), (2, 3), (4,))),
        ("- it is", (("It",), ("is", ".")), ((1,), (2,), (3,))),
        ("a, b", (("a",), (".",), ("b",)), ((1,), (2,))),
        ("", (), ()),
    ],
)
def test_projection(tokens, chunks, numbers):
    assert project_chunks(tokens.split(), chunks) == numbers


def test_chunks_of_another_sentence():
    for chunks in ([["a", "cat"]], [["a"]], [["a", "dog", "s"]]):
        with pytest.raises(MismatchError, match="do not make up the sentence"):
            project_chunks(["a", "dog"], chunks)


@settings(max_examples=100, deadline=None)
@given(chunks=st.lists(st.lists(words, min_size=1, max_size=3), max_size=4))
def test_every_token_has_one_chunk(chunks):
    tokens = [word for chunk in chunks for word in chunk]
    projected = project_chunks(tokens, chunks)
    assert [number for chunk in projected for number in chunk] == list(range(1, len(tokens) + 1))
    assert [[tokens[number - 1] for number in chunk] for chunk in projected] == chunks
