"""Moodle XML: what is read of a question bank, what is skipped, and what is wrong with a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.data.formats import quizzes
from postil.data.formats.moodle import read_moodle_xml, write_moodle_xml
from postil.data.formats.quizzes import Example, QuizQuestion, as_questions, describe_quiz, without_wildcards
from postil.errors import InputError

BANK = Path(__file__).parent.parent / "fixtures" / "moodle" / "bank.xml"


def one(body, kind="shortanswer", text="<questiontext><text>Why?</text></questiontext>"):
    return f'<quiz>\n<question type="{kind}"><name><text>n</text></name>{text}{body}</question></quiz>'


@pytest.fixture
def read(file):
    return lambda content: read_moodle_xml(file(content, "quiz.xml"))


def test_a_question_bank():
    quiz = read_moodle_xml(BANK)
    ice, rain, dry, dew = quiz.questions
    assert ice.name == "Ice floats"
    assert ice.text == "Why does ice float on water?\n[image]"
    assert ice.references == ("Ice is less dense than water.", "lower density water")
    assert ice.examples == (
        Example("It is light.", 0.5, "Lighter than what, for the same volume?"),
        Example("It is cold.", 0.0, "Cold things sink, too."),
    )
    assert "wildcard" in ice.notes[0]
    assert (ice.points, ice.idnumber, ice.tags) == (2.0, "PH-ICE-1", ("water", "density"))
    assert (ice.category, ice.case_matters) == ("Physics 7b/Water and ice", False)
    assert ice.feedback == "Right: its molecules stand further apart."
    assert rain.text == "Explain how rain forms. Say what happens\n- to the warm air,\n- to the H2O in it."
    assert rain.references[0].startswith("Warm air rises")
    assert dry.references == ()  # what graders are told there is no answer
    assert dry.text == r"Why does a puddle dry up when the energy is only \(E = mc\Delta T\)?"
    assert (dew.text, dew.category, dew.case_matters) == ("What is dew?", "Physics 7b/Languages", True)
    assert dew.references == ("Water vapour that has condensed on cold grass",)
    assert [(skipped.name, skipped.plain) for skipped in quiz.skipped] == [
        ("Boiling point", "multiple choice"),
        ("Is steam visible?", "true or false"),
    ]
    assert describe_quiz(quiz) == (
        "4 questions, 4 references (1 question without); not read: 1 multiple choice, 1 true or false"
    )


def test_what_is_written_comes_back(tmp_path):
    written = [
        QuizQuestion("Ice", "Why?\nSay so.", references=("2 * 3", "<b> & so"), points=2.5, category="A/B"),
        QuizQuestion(
            "Dew", "What?", examples=(Example("no", 0.25, "why?"), Example("x", 0)), tags=("t",), idnumber="7"
        ),
        QuizQuestion("Rain", "How?", kind="essay", references=("Warm air rises and cools.",), category="A"),
    ]
    write_moodle_xml(tmp_path / "quiz.xml", written)
    back = read_moodle_xml(tmp_path / "quiz.xml").questions
    fields = ("name", "text", "kind", "references", "examples", "points", "idnumber", "tags")
    assert [[getattr(one, name) for name in fields] for one in back] == [
        [getattr(one, name) for name in fields] for one in written
    ]
    assert [question.category for question in back] == ["A/B", "", "A"]


def test_ids_for_tables():
    assert [question.id for question in as_questions(read_moodle_xml(BANK))] == [
        "PH-ICE-1", "PH-RAIN", "PH-DRY", "PH-DEW",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "text", "wild"),
    [
        ("*dense*", "dense", True),
        ("less * dense", "less dense", True),
        (r"2 \* 3", "2 * 3", False),
        ("*", "", True),
        ("plain", "plain", False),
    ],
)
def test_wildcards(pattern, text, wild):
    assert without_wildcards(pattern) == (text, wild)


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        ("Warm air rises and cools.", True),
        ("Award 1 point for warm air and one for cooling.", False),
        ("50% for warm air, 50 % for cooling", False),
        ("See the slides of week 3", False),
        ("rain", False),
        ("", False),
        ("word " * 200, False),
    ],
)
def test_what_graders_are_told_is_a_reference_only_if_it_reads_like_an_answer(read, told, taken):
    quiz = read(one(f"<graderinfo format='html'><text>{told}</text></graderinfo>", "essay"))
    assert bool(quiz.questions[0].references) is taken


def test_shares_and_answers_with_tags(read):
    quiz = read(
        one(
            '<answer fraction="100"><text>&lt;p&gt;It is &lt;b&gt;dense&lt;/b&gt;&lt;/p&gt;</text></answer>'
            '<answer fraction="33,33333"><text>a &lt; b</text></answer>'
            '<answer fraction="-50"><text>no</text></answer><defaultgrade>0</defaultgrade>'
        )
    )
    question = quiz.questions[0]
    assert question.references == ("It is dense",)
    assert [(round(example.share, 2), example.text) for example in question.examples] == [
        (0.33, "a < b"),
        (0.0, "no"),
    ]
    assert question.points == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<quiz>", "not well-formed"),
        ("<questestinterop/>", "not <quiz>"),
        ("<quiz></quiz>", "no questions"),
        ("<quiz>\n<question><name/></question></quiz>", "line 2: <question> has no 'type'"),
        (one('<answer fraction="all"><text>x</text></answer>'), "line 2: fraction is 'all'"),
        (one("<defaultgrade>nan</defaultgrade>"), "defaultgrade is 'nan'"),
        (one("<answer><text>x</text></answer>"), "no 'fraction'"),
        (one("", text=""), "line 2: the question 'n' has no text"),
        ('<!DOCTYPE q [<!ENTITY a "x">]><quiz>&a;</quiz>', "entities"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(read, content, words):
    with pytest.raises(InputError, match=words) as caught:
        read(content)
    assert "quiz.xml" in str(caught.value)


def test_a_quiz_too_long_to_be_read_is_refused(read, monkeypatch):
    monkeypatch.setattr(quizzes, "MOST_TEXT", 500)
    long = "word " * 120
    file = f'<file name="a.png" encoding="base64">{"A" * 1000}</file>'
    picture = f'&lt;img src="data:image/png;base64,{"A" * 1000}"&gt;'
    text = f"<questiontext><text>Why?{picture}</text>{file}</questiontext>"
    assert read(one("", text=text)).questions
    assert read(one(f"<generalfeedback><text>{long}</text></generalfeedback>", "multichoice")).skipped
    with pytest.raises(InputError, match="more than 500 characters"):
        read(one(f'<answer fraction="100"><text>{long}</text></answer>'))
