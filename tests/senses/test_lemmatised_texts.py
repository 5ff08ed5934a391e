"""Lemmatised texts in both forms, and the contexts that are cut from them."""

from __future__ import annotations

import pytest

from postil.data.formats.senseval import Token
from postil.errors import InputError
from postil.senses.corpus.items import instance_item
from postil.senses.corpus.plan import Document, corpus_of, occurrences, read_documents

OWN = """\
# document = eg-1
# section = kultura
Etxeko\tetxe\tIZE\tGEL
atea\tate\tIZE\tABS

# a remark that says nothing
jo\tjo\tADI
#\t#

# document = eg-2
.
"""
CONLLU = """\
# newdoc id = a
# sent_id = 1
1-2\tetxekoa\t_\t_\t_\t_\t_\t_\t_\t_
1\tEtxeko\tetxe\tNOUN\t_\tAnimacy=Inan|Case=Loc\t2\tnmod\t_\t_
2\tatea\tate\tNOUN\t_\tCase=Abs|Number=Sing\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
"""


@pytest.fixture
def text(tmp_path):
    def write(content: str):
        path = tmp_path / "egunkaria.tsv"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_our_own_form(text):
    first, second = read_documents(text(OWN))
    assert first == Document(
        "egunkaria",
        "eg-1",
        (
            (Token("Etxeko", "etxe", "IZE", "GEL"), Token("atea", "ate", "IZE", "ABS")),
            (Token("jo", "jo", "ADI"), Token("#", "#")),
        ),
        "kultura",
    )
    assert (second.name, second.section, second.sentences) == ("eg-2", "", ((Token("."),),))


def test_conllu(text):
    (document,) = read_documents(text(CONLLU))
    assert document.name == "a"
    assert document.sentences == (
        (
            Token("Etxeko", "etxe", "NOUN", "Loc"),
            Token("atea", "ate", "NOUN", "Abs"),
            Token(".", ".", "PUNCT"),
        ),
    )


def test_a_text_without_documents_is_one(text):
    (document,) = read_documents(text("Kaixo\n"))
    assert (document.name, document.sentences) == ("1", ((Token("Kaixo"),),))


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a\tb\tc\td\te\n", 1, "5 fields"),
        ("Kaixo\n\tlemma\n", 2, "no word"),
        ("# document = a\n\n", None, "holds no words"),
    ],
)
def test_broken_texts(text, content, line, what):
    with pytest.raises(InputError, match=what) as caught:
        read_documents(text(content))
    assert caught.value.line == line


def sentence(number: int, *, word: str = "") -> tuple[Token, ...]:
    return (Token(f"s{number}"), *([Token(word.upper(), word, "IZE")] if word else []), Token("."))


def test_five_sentences_with_the_word_in_the_middle():
    sentences = tuple(sentence(number, word="ate" if number == 3 else "") for number in range(7))
    document = Document("eg", "d1", sentences, "kul")
    (found,) = occurrences([document], ["ate.IZE"])
    assert [token.form for token in found.tokens] == [
        "s1",
        ".",
        "s2",
        ".",
        "s3",
        "ATE",
        ".",
        "s4",
        ".",
        "s5",
        ".",
    ]
    assert (found.id, found.lexelt, found.head) == ("ate.IZE.0001", "ate.IZE", (5,))
    assert found.sentences == (0, 2, 4, 7, 9)
    assert found.source == "eg/d1/kul#4"
    assert corpus_of(found) == "eg"
    assert dict(instance_item(found).shown) == {
        "before": "s1 . s2 . s3",
        "occurrence": "ATE",
        "after": ". s4 . s5 .",
        "source": "eg/d1/kul#4",
    }


def test_contexts_end_with_the_document():
    one = Document("eg", "d1", (sentence(1, word="ate"), sentence(2)))
    two = Document("eg", "d2", (sentence(3), sentence(4, word="ate")))
    first, second = occurrences([one, two], ["ate"])
    assert [token.form for token in first.tokens] == ["s1", "ATE", ".", "s2", "."]
    assert (second.id, second.head, second.source) == ("ate.0002", (3,), "eg/d2#2")


def test_the_part_of_speech_counts_where_it_is_given():
    document = Document("eg", "d", ((Token("jo", "jo", "ADI"), Token("jo", "jo", "IZE")),))
    found = occurrences([document], ["jo", "jo.ADJ", "jo.ADI"])
    assert [(one.id, one.head) for one in found] == [
        ("jo.0001", (0,)),
        ("jo.0002", (1,)),
        ("jo.ADI.0001", (0,)),
    ]
