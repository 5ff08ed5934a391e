"""GIFT: questions as teachers type them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from postil.data.formats import quizzes
from postil.data.formats.detection import describe, detect
from postil.data.formats.gift import looks_like_gift, parse_gift, read_gift
from postil.data.formats.quizzes import ESSAY, Example
from postil.errors import InputError

BANK = Path(__file__).parent.parent / "fixtures" / "moodle" / "bank.gift"


def test_a_question_bank():
    quiz = read_gift(BANK)
    shadow, rainbow, gap, speed = quiz.questions
    assert (shadow.name, shadow.text) == ("Shadow", "Why does a tree have a shadow?")
    assert shadow.references == ("The tree stops the light.", "Light cannot pass through the tree.")
    assert shadow.examples == (
        Example("It is dark there.", 0.5, "Why is it dark there?"),
        Example("The sun makes it.", 0.0, ""),
    )
    assert (shadow.feedback, shadow.category) == ("Draw the rays!", "Physics 7b/Light")
    assert (shadow.idnumber, shadow.tags, shadow.line) == ("PH-SHADOW", ("light",), 7)
    assert (rainbow.kind, rainbow.references) == (ESSAY, ())
    assert gap.text == "The colour that is bent most is _____ light."
    assert gap.references == ("violet",)
    assert speed.name == "Speed: a formula"
    assert speed.text == "What does c stand for in E=mc^2 {Einstein}?\nUse one word."
    assert speed.references == ("the speed of light", "the speed ~300000 km/s")
    assert [(one.name, one.kind) for one in quiz.skipped] == [
        ("Primary colours", "multichoice"),
        ("Moon", "truefalse"),
        ("Speed of light", "numerical"),
        ("Pairs", "match"),
        ("This text only leads over to the next part.", "description"),
    ]


@pytest.mark.parametrize(
    ("answers", "references", "kind"),
    [
        ("{=a=b}", ("a", "b"), "shortanswer"),
        ("{ = a # good = %50% b#not all }", ("a",), "shortanswer"),
        ("{just this}", ("just this",), "shortanswer"),
        ("{}", (), "essay"),
        ("{ \n }", (), "essay"),
        ("{####See page 3}", (), "essay"),
        (r"{=a\=b \#1 \: \\ c}", (r"a=b #1 : \ c",), "shortanswer"),
        ("{=*}", (), "shortanswer"),
        ("{=*dense*}", ("dense",), "shortanswer"),
    ],
)
def test_answers(answers, references, kind):
    (question,) = parse_gift(f"Why?{answers}").questions
    assert (question.text, question.references, question.kind) == ("Why?", references, kind)


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ("{=a ~b}", "multichoice"),
        ("{~%50%a ~%50%b}", "multichoice"),
        ("{T}", "truefalse"),
        ("{FALSE#no#yes}", "truefalse"),
        ("{#3:0.1}", "numerical"),
        ("{=a -> b =c -> d}", "match"),
    ],
)
def test_other_kinds_are_skipped_by_name(answers, kind):
    quiz = parse_gift(f"::Name:: Which?{answers}")
    assert [(one.name, one.kind) for one in quiz.skipped] == [("Name", kind)]
    assert not quiz.questions


def test_any_line_ends_and_marks(tmp_path):
    path = tmp_path / "bank.gift"
    path.write_bytes(
        "\ufeff// é\r\n::Ü::[markdown]Why *so*?\r\n{=Därum 🙂}\r\n\r\n\r\nHow? {=so}\r\n".encode()
    )
    assert [(one.name, one.text, one.references) for one in read_gift(path).questions] == [
        ("Ü", "Why so?", ("Därum 🙂",)),
        ("How?", "How?", ("so",)),
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("One? {=a}\n\nTwo? {=b\n\n", 3, "does not close"),
        ("One? {=a}\n\n// c\nTwo? =b}", 4, "never opened"),
        ("One {a}? {=a}", 1, "more braces"),
        ("One? {=%x%a}", 1, "not a number"),
        ("{=a}", 1, "no text"),
        ("// nothing\n", None, "no questions"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, line, words):
    with pytest.raises(InputError, match=words) as caught:
        parse_gift(text, "bank.gift")
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "is_gift"),
    [
        ("Why? {=so}", True),
        ("Explain. {}", True),
        ("// c\n\n$CATEGORY: x\n\nq", True),
        ("::A:: b {c}", True),
        ("It is {so} because.", False),
        ("id,answer\n1,x = {2}\n", False),
        ("Just a text.", False),
        (r"A set \{=1, 2\} of numbers", False),
    ],
)
def test_gift_is_told_from_other_texts(text, is_gift):
    assert looks_like_gift(text) is is_gift


def test_both_kinds_are_recognised_by_their_contents(tmp_path):
    for name, kind in (("a.txt", "GIFT"), ("a.gift", "GIFT"), ("a", "GIFT")):
        (tmp_path / name).write_text("Why? {=so}", encoding="utf-8")
        assert detect(tmp_path / name) == kind
    assert describe(tmp_path / "a.txt") == "GIFT: 1 question, 1 reference"
    assert detect(BANK.with_name("bank.xml")) == "Moodle XML"


def test_no_text_takes_long_to_look_at():
    began = time.process_time()
    for blank in ("\n", " \n", "\t", ":: \n", "{ "):
        looks_like_gift(f"text{blank * 100_000}text")
    assert time.process_time() - began < 3


def test_a_title_may_be_indented():
    assert looks_like_gift("\n\n \t::Ice:: Why? {")


def test_a_quiz_too_long_to_be_read_is_refused(monkeypatch):
    monkeypatch.setattr(quizzes, "MOST_TEXT", 60)
    picture = f'<img src="data:image/png;base64,{"A" * 100}">'
    assert parse_gift(f"What is this? {picture} {{}}").questions[0].text == "What is this? [image]"
    with pytest.raises(InputError, match="more than 60 characters"):
        parse_gift("Why is it so? {=because}\n\n" * 3)
