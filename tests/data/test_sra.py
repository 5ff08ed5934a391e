"""SRA XML: both corpora's variants in, the same out, and every broken record named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.sra import read_collection, read_corpus, read_question, write_question
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference
from postil.errors import InputError, InputWarning, MissingDataError

BEETLE = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<question qtype="Q_EXPLAIN_SPECIFIC" id="BULB_C" module="FaultFinding" stype="PREDICT">
<questionText>Why does the lamp stay on?</questionText>
<referenceAnswers>
<referenceAnswer category="BEST" id="answer1" fileID="BULB_C_ANS1">A path &amp; a battery</referenceAnswer>
<referenceAnswer category="MINIMAL" id="answer2" fileID="BULB_C_ANS2">a closed path</referenceAnswer>
</referenceAnswers>
<studentAnswers>
<studentAnswer count="1" answerMatch="answer2" id="FF-LBK-001" accuracy="correct">  it has a
 closed path </studentAnswer>
<studentAnswer id="FF-LBK-002" accuracy="non_domain">no idea</studentAnswer>
<studentAnswer id="FF-LBK-003"></studentAnswer>
</studentAnswers>
</question>
"""

EXTRA = """<question id="EM_45b" module="EM">
  <questionText>What do the plates do?</questionText>
  <referenceAnswers>
    <referenceAnswer id="EM_45b-a1"><text>They pull.</text>
      <facet id="f1" relation="Agent" term1Text="pull" term2Text="they"/>
      <facet id="f2" govText="pull" modText="hard" reltn="Manner"/>
    </referenceAnswer>
  </referenceAnswers>
  <studentAnswers>
    <studentAnswer id="EM.45b.110.1" accuracy="correct"><text> pull </text>
      <facetEntailment facetID="f1" label="Expressed"/>
      <facetEntailment facetID="f2" label="Unaddressed"/>
    </studentAnswer>
  </studentAnswers>
</question>
"""


def with_answers(*answers: str, id: str = "q") -> str:
    return f'<question id="{id}"><studentAnswers>\n{"".join(answers)}\n</studentAnswers></question>'


def answer(id: str, label: str = "correct") -> str:
    return f'<studentAnswer id="{id}" accuracy="{label}">x</studentAnswer>\n'


def test_beetle(tmp_path):
    path = tmp_path / "FF-LBK.xml"
    path.write_text(BEETLE)
    assert read_question(path, corpus="beetle") == Question(
        id="BULB_C",
        text="Why does the lamp stay on?",
        references=(
            Reference("answer1", "A path & a battery", "BEST", "BULB_C_ANS1"),
            Reference("answer2", "a closed path", "MINIMAL", "BULB_C_ANS2"),
        ),
        answers=(
            Answer("FF-LBK-001", "it has a\n closed path", "correct", "answer2", 1),
            Answer("FF-LBK-002", "no idea", "non_domain"),
            Answer("FF-LBK-003", ""),
        ),
        module="FaultFinding",
        corpus="beetle",
        qtype="Q_EXPLAIN_SPECIFIC",
        stype="PREDICT",
    )


def test_facets_beside_the_text(tmp_path):
    path = tmp_path / "EM-inv1-45b.xml"
    path.write_text(EXTRA)
    question = read_question(path)
    assert question.references[0].text == "They pull."
    assert question.references[0].facets == (
        Facet("f1", "pull", "they", "Agent"),
        Facet("f2", "pull", "hard", "Manner"),
    )
    assert question.answers == (
        Answer(
            "EM.45b.110.1",
            "pull",
            "correct",
            facets=(FacetLabel("f1", "Expressed"), FacetLabel("f2", "Unaddressed")),
        ),
    )


def test_markup_inside_an_answer_does_not_cut_it(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(with_answers('<studentAnswer id="a">the <b>bulb</b> is on</studentAnswer>'))
    assert read_question(path).answers[0].text == "the bulb is on"


@pytest.mark.parametrize("scheme", RESPONSE_SCHEMES.values(), ids=lambda scheme: scheme.name)
def test_a_release_in_each_scheme(tmp_path, scheme):
    path = tmp_path / "a.xml"
    path.write_text(with_answers(*(answer(label, label) for label in scheme.labels)))
    assert [item.label for item in read_corpus(path)[0].answers] == list(scheme.labels)


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [
        (with_answers(answer("a"), answer("a")), r"answer id 'a' occurs twice \(first on line 2\)", 3),
        (with_answers(answer("a", "wrong")), "label 'wrong' is unknown", 2),
        (with_answers("<studentAnswer>x</studentAnswer>"), "no 'id' attribute", 2),
        (with_answers('<studentAnswer id="  ">x</studentAnswer>'), "no 'id' attribute", 2),
        (with_answers('<studentAnswer id="a" count="-1">x</studentAnswer>'), "not a whole number", 2),
        (with_answers(f'<studentAnswer id="a" count="{"9" * 5000}">x</studentAnswer>'), "whole number", 2),
        (
            with_answers('<studentAnswer id="a"><facetEntailment facetID="f" label="No"/></studentAnswer>'),
            "facet label 'No' is unknown",
            2,
        ),
        (
            with_answers('<studentAnswer id="a"><facetEntailment label="Expressed"/></studentAnswer>'),
            "no 'facetID' attribute",
            2,
        ),
        ("<questions/>", "root element is <questions>", 1),
        ("<question/>", "no 'id' attribute", 1),
        ('<question id="q">\n<questionText>a < b</questionText></question>', "not well-formed", 2),
        ('<question id="q">\n<questionText>a &foo; b</questionText></question>', "undefined entity", 2),
        ('<question id="q">\n', "no element found", 2),
    ],
)
def test_broken_records_are_named(tmp_path, content, what, line):
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(InputError, match=what) as caught:
        read_question(path)
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_latin_1_under_a_utf_8_declaration_is_called_so(tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(b'<?xml version="1.0" encoding="UTF-8"?>\n' + BEETLE[55:].encode() + b"<!-- \xe9 -->")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_question(path)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
def test_a_declared_or_marked_encoding_is_followed(tmp_path, encoding):
    path = tmp_path / "a.xml"
    declared = encoding.removesuffix("-sig")
    content = f'<?xml version="1.0" encoding="{declared}"?>' + with_answers(answer("café"))
    path.write_bytes(content.encode(encoding))
    assert read_question(path).answers[0].id == "café"


def test_deep_nesting_is_no_trouble(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text('<question id="q"><questionText>' + "<b>" * 50_000 + "x" + "</b>" * 50_000)
    with pytest.raises(InputError, match="no element found"):
        read_question(path)


def test_folder_is_read_in_order_and_core_preferred(tmp_path):
    for folder, label in (("Core", "correct"), ("Extra", "incorrect")):
        for name in ("b", "a"):
            path = tmp_path / "train" / folder / f"{name}.xml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(with_answers(answer(f"{name}.1", label), id=name))
    (tmp_path / "train" / "Core" / "._a.xml").write_text("left by another system")
    questions = read_corpus(tmp_path, corpus="sciEntsBank")
    assert [question.id for question in questions] == ["a", "b"]
    assert {item.label for question in questions for item in question.answers} == {"correct"}
    assert {question.corpus for question in questions} == {"sciEntsBank"}
    extra = read_corpus(tmp_path / "train" / "Extra")
    assert {item.label for question in extra for item in question.answers} == {"incorrect"}


def test_ids_twice_in_a_corpus(tmp_path):
    (tmp_path / "a.xml").write_text(with_answers(answer("x"), id="a"))
    (tmp_path / "b.xml").write_text(with_answers(answer("x"), id="b"))
    with pytest.raises(InputError, match=r"b\.xml.*'x' also occurs in a\.xml"):
        read_corpus(tmp_path)


def test_schemes_mixed_in_a_corpus(tmp_path):
    (tmp_path / "a.xml").write_text(with_answers(answer("x", "irrelevant"), id="a"))
    (tmp_path / "b.xml").write_text(with_answers(answer("y", "incorrect"), id="b"))
    with pytest.raises(InputError, match="mixes labels of different schemes: 'incorrect', 'irrelevant'"):
        read_corpus(tmp_path)


def test_collection(tmp_path):
    for folder in ("Beetle/train/Core", "beetle-notes", "sciEntsBank/test-unseen-answers"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "Beetle/train/Core/a.xml").write_text(with_answers(answer("x"), id="a"))
    (tmp_path / "sciEntsBank/test-unseen-answers/b.xml").write_text(with_answers(answer("x"), id="b"))
    collection = read_collection(tmp_path)
    assert {key: [question.id for question in group] for key, group in collection.items()} == {
        ("beetle", "train"): ["a"],
        ("sciEntsBank", "test-unseen-answers"): ["b"],
    }
    assert collection["beetle", "train"][0].corpus == "beetle"


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(MissingDataError, match="no such folder"):
        read_collection(tmp_path / "nowhere")
    with pytest.raises(MissingDataError, match="no folder 'beetle' or 'sciEntsBank'"):
        read_collection(tmp_path)
    with pytest.raises(MissingDataError, match="no XML files"):
        read_corpus(tmp_path)
    (tmp_path / "beetle").write_text("a file")
    with pytest.raises(MissingDataError, match="no folder 'beetle'"):
        read_collection(tmp_path)


# --- round trips ------------------------------------------------------------------------------------------

# XML 1.0 holds all of Unicode but most control characters, halves of surrogate pairs and two non-characters.
xml_characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | (
    st.sampled_from("\t\n\r\x7f\x85<>&\"']")
)
values = st.text(xml_characters, max_size=20)
texts = values.map(str.strip)
ids = texts.filter(bool)
facets = st.builds(Facet, ids, values, values, values)
facet_labels = st.builds(FacetLabel, ids, st.sampled_from(FACET_SCHEMES["3way"].labels))


def few(strategy):
    return st.lists(strategy, max_size=3).map(tuple)


@st.composite
def questions(draw) -> Question:
    labels = st.sampled_from(draw(st.sampled_from(list(RESPONSE_SCHEMES.values()))).labels)
    answers = st.builds(
        Answer, ids, texts, st.none() | labels, values, st.none() | st.integers(0, 10**6), few(facet_labels)
    )
    references = few(st.builds(Reference, ids, texts, values, values, few(facets)))
    return Question(
        id=draw(ids),
        text=draw(texts),
        references=draw(references),
        answers=tuple(draw(st.lists(answers, max_size=3, unique_by=lambda item: item.id))),
        module=draw(values),
        test_set=draw(values),
        qtype=draw(values),
        stype=draw(values),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=questions())
def test_round_trip(tmp_path, question):
    path = tmp_path / "q.xml"
    write_question(path, question)
    assert read_question(path) == question
    assert read_corpus(path, corpus="c") == [replace(question, corpus="c")]


@pytest.mark.parametrize("character", ["\0", "\x08", "\x1b", "\ud800", "\uffff"])
@pytest.mark.parametrize("place", ["text", "module"])
def test_what_xml_cannot_hold_is_refused(tmp_path, character, place):
    question = replace(Question("q", "text"), **{place: f"a{character}b"})
    with pytest.raises(InputError, match=f"U\\+{ord(character):04X}"):
        write_question(tmp_path / "q.xml", question)
    assert not list(tmp_path.iterdir())


def test_files_as_careless_editors_leave_them(file):
    content = (
        '<question id="q">\n<questionText>Salt &amp; water & air&nbsp;?</questionText>\n<studentAnswers>\n'
        '<studentAnswer id="a" accuracy=" Correct">R&D</studentAnswer>\n'
        '<studentAnswer id="b" accuracy="">so</studentAnswer></studentAnswers></question>'
    )
    with pytest.warns(InputWarning) as caught:
        question = read_question(file(content.replace("\n", "\r\n"), "q.xml"))
    assert question.text == "Salt & water & air\xa0?"
    assert [(answer.text, answer.label) for answer in question.answers] == [("R&D", "correct"), ("so", None)]
    (warning,) = (item.message for item in caught)
    assert [problem.line for problem in warning.problems] == [2, 2, 4, 4]


def test_many_ampersands_are_read_in_no_time(file):
    text = "& \n" * 200_000
    path = file(f'<question id="q"><questionText>{text}</questionText></question>', "q.xml")
    with pytest.warns(InputWarning, match="200,000 irregular places"):
        question = read_question(path)
    assert question.text.count("&") == 200_000
