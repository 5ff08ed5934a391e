"""An upload that was packed comes back unchanged, whatever was in the file."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.formats.quizzes import Example, Quiz, QuizQuestion, Skipped
from postil.data.formats.rows import Row, Rows
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.workbench.drafts import Opened, open_file, open_paste
from postil.workbench.store.drafts import pack, unpack

texts = st.text(st.characters(), max_size=12)  # also halves of characters, which JSON files can hold
some = st.lists(texts, max_size=3).map(tuple)
numbers = st.none() | st.integers(0, 10**6)
shares = st.floats(0, 100)
facets = st.builds(Facet, texts, texts, texts, texts, shares, st.booleans())
answers = st.builds(
    Answer,
    id=texts,
    text=texts,
    label=st.none() | texts,
    match=texts,
    count=numbers,
    facets=st.lists(st.builds(FacetLabel, texts, texts), max_size=2).map(tuple),
    row=st.integers(0, 99),
)
references = st.builds(Reference, texts, texts, texts, texts, st.lists(facets, max_size=2).map(tuple))
questions = st.builds(
    Question,
    texts,
    texts,
    st.lists(references, max_size=2).map(tuple),
    st.lists(answers, max_size=3).map(tuple),
    texts,
)
examples = st.lists(st.builds(Example, texts, shares, texts), max_size=2).map(tuple)
asked = st.builds(
    QuizQuestion, texts, texts, texts, some, examples, shares, texts, texts, texts, some, st.booleans(), some,
    numbers,
)  # fmt: skip
quizzes = st.builds(
    Quiz,
    st.lists(asked, max_size=3).map(tuple),
    st.lists(st.builds(Skipped, texts, texts, numbers), max_size=2).map(tuple),
)


@st.composite
def tables(draw):
    width = draw(st.integers(0, 4))
    cells = st.lists(texts, min_size=width, max_size=width).map(tuple)
    rows = st.lists(st.builds(Row, st.integers(1, 10**6), cells), max_size=5).map(tuple)
    return Rows(Path("upload.csv"), draw(cells), draw(rows))


uploads = st.builds(
    Opened, texts, tables(), st.lists(questions, max_size=2).map(tuple), some, st.booleans(),
    st.none() | quizzes,
)  # fmt: skip


@given(uploads)
@settings(max_examples=150, deadline=None)
def test_what_was_packed_is_unpacked(opened):
    again = unpack(pack(opened))
    assert again == opened
    assert [[one.row for one in wide.answers] for wide in again.wide] == [
        [one.row for one in wide.answers] for wide in opened.wide
    ]  # which comparing leaves out


def test_what_files_hold():
    wide = b"Email address,Question 1,Response 1,Right answer 1\na@x,Why does ice float?,light,So.\n"
    quiz = "::Ice:: Why does ice float? {=It is lighter. =%50%light#Why?}\n\nTrue {T}\n"
    for opened in (
        open_file("form.csv", wide),
        open_file("quiz.gift", quiz.encode()),
        open_file("a.csv", "name;answer\nZoë;naïve\n".encode("cp1252")),
        open_paste("Ann\t“so”\nBob\tnot"),
    ):
        assert unpack(pack(opened)) == opened
    assert open_file("form.csv", wide).wide
    assert open_file("quiz.gift", quiz.encode()).quiz.skipped


def test_what_another_version_has_packed_is_not_read():
    body = zlib.compress(json.dumps({"format": 2, "table": []}).encode())
    assert unpack(body) is None


def test_equal_texts_are_packed_small():
    assert len(pack(open_paste("it is closed and the lamp is lit\n" * 5000))) < 20_000
