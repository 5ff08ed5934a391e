"""Lexical-sample files: what is read, what is forgiven, what is refused, and that writing loses nothing."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.senseval import SenseInstance, Token, read_senseval, write_senseval
from postil.errors import InputError, InputWarning


def wrap(context: str, *, answers: str = "", name: str = "arm.n.1", root: bool = True) -> str:
    body = (
        f'<lexelt item="arm.n">\n<instance id="{name}" docsrc="BNC">\n{answers}'
        f"<context>\n{context}\n</context>\n</instance>\n</lexelt>\n"
    )
    return f'<corpus lang="en">\n{body}</corpus>\n' if root else body


@pytest.fixture
def read(tmp_path):
    def read_content(content: str | bytes, **options) -> list[SenseInstance]:
        path = tmp_path / "corpus.xml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_senseval(path, **options)

    return read_content


def forms(instance: SenseInstance) -> list[str]:
    return [token.form for token in instance.tokens]


def heads(instance: SenseInstance) -> list[str]:
    return [instance.tokens[index].form for index in instance.head]


# --- what is read -----------------------------------------------------------------------------------------


def test_plain_text(read):
    answers = '<answer instance="arm.n.1" senseid="arm%1:08:00::"/>\n'
    (instance,) = read(wrap("She raised her <head>arm</head> .", answers=answers))
    assert instance == SenseInstance(
        id="arm.n.1",
        lexelt="arm.n",
        tokens=tuple(map(Token, ["She", "raised", "her", "arm", "."])),
        head=(3,),
        sentences=(0,),
        senses=("arm%1:08:00::",),
        source="BNC",
    )


def test_unlabelled_and_several_answers(read):
    assert read(wrap("<head>arm</head>"))[0].senses == ()
    answers = "".join(f'<answer instance="arm.n.1" senseid="{sense}"/>\n' for sense in ("b", "a", "b", "U"))
    assert read(wrap("<head>arm</head>", answers=answers))[0].senses == ("b", "a", "U")


def test_tagged_words(read):
    context = (
        ' <wf pos="DT">the</wf> FRASL <head> <wf pos="NNS">lines</wf></head> '
        '<wf pos=\'"\'>"</wf>  \n <wf pos=".">.</wf> <wf pos="NN"> New  York </wf><wf></wf>\n\n'
    )
    (instance,) = read(wrap(context))
    assert instance.tokens == (
        Token("the", pos="DT"),
        Token("FRASL"),
        Token("lines", pos="NNS"),
        Token('"', pos='"'),
        Token(".", pos="."),
        Token("New York", pos="NN"),
    )
    assert instance.head == (2,)
    assert instance.sentences == (0, 4)


def test_lemma_and_case(read):
    (instance,) = read(wrap('<head><wf lemma="etxe" pos="IZE" case="GEL">etxeko</wf></head>'))
    assert instance.tokens == (Token("etxeko", "etxe", "IZE", "GEL"),)


@pytest.mark.parametrize(
    "context",
    [
        '<wf pos="JJ"><head>hard</head></wf> work',
        "<WF POS=JJ><HEAD>hard</HEAD></WF> work",
        '<head><wf pos="JJ">hard</head></wf> work',
        '<head><wf pos="JJ">hard</wf></head> <wf>work',
        '<compound><head><wf pos="JJ">hard</wf></head></compound><head/><wf>work</wf>',
    ],
)
def test_words_and_heads_nest_either_way(read, context):
    (instance,) = read(wrap(context))
    assert instance.tokens == (Token("hard", pos="JJ"), Token("work"))
    assert instance.head == (0,)


def test_heads_of_several_words_and_several_heads(read):
    context = 'to <head sats="up.1">pick it</head> <sat id="up.1">up</sat> or <head>picked</head>up'
    (instance,) = read(wrap(context))
    assert forms(instance) == ["to", "pick", "it", "up", "or", "picked", "up"]
    assert instance.head == (1, 2, 5)


def test_percent_heads_only_where_no_head_tag_is(read):
    (instance,) = read(wrap("young couples , %%arm%% in %%arm%%s , 5 % of all"))
    assert heads(instance) == ["arm", "arm"]
    assert forms(instance) == ["young", "couples", ",", "arm", "in", "arm", "s", ",", "5", "%", "of", "all"]
    (instance,) = read(wrap("%%not%% this <head>arm</head>"))
    assert heads(instance) == ["arm"]
    assert forms(instance)[0] == "%%not%%"


def test_lines_and_marks_end_sentences(read):
    context = '<s snum="1"/> One .\n<s snum=2/>Two <p/> three .\n\n<head>four\nfive</head> .\n'
    (instance,) = read(wrap(context))
    assert forms(instance) == ["One", ".", "Two", "three", ".", "four", "five", "."]
    assert instance.sentences == (0, 2, 3, 5)
    assert instance.head == (5, 6)


@pytest.mark.parametrize(
    "lead", ["", "\ufeff", "<home>\n", '<!DOCTYPE corpus SYSTEM "ls.dtd">\n', "\ufeff<?xml version='1.0'?>"]
)
def test_any_root_or_none(read, lead):
    assert len(read(lead + wrap("<head>arm</head>", root=False))) == 1


def test_not_well_formed(read):
    context = "AT&T & Co. x<y <b> a <sx> [/] &nosuch; &#0; &#xD800; &#9999999; <head>arm</head> <"
    (instance,) = read(wrap(context))
    assert forms(instance) == [
        *("AT&T", "&", "Co.", "x<y", "<b>", "a", "<sx>", "[/]", "&nosuch;", "&#0;", "&#xD800;", "&#9999999;"),
        *("arm", "<"),
    ]  # fmt: skip


def test_entities(read):
    context = "caf&eacute; &amp;amp; &lt;head&gt; &dash; &bquo;x&equo; &#233;&#xE9; a&nbsp;b <head>arm</head>"
    (instance,) = read(wrap(context))
    assert forms(instance) == ["café", "&amp;", "<head>", "‐", "“x”", "éé", "a", "b", "arm"]


def test_unquoted_and_odd_attributes(read):
    content = (
        "<lexelt item=arm.n pos=n>\n<instance  id = 'a>1' docsrc=bnc/A0 topic=\"x>y\" flag>\n"
        "<answer instance=a&gt;1 senseid=arm%1:08:00::/>\n<context><head>arm</head></context>\n</instance>"
    )
    (instance,) = read(content)
    assert (instance.id, instance.lexelt, instance.source) == ("a>1", "arm.n", "bnc/A0")
    assert instance.senses == ("arm%1:08:00::",)


def test_ids_may_have_blanks(read, tmp_path):
    instances = read(wrap("<head>arm</head>", name="arm.n.art} 0130 1:"))
    assert instances[0].id == "arm.n.art} 0130 1:"
    write_senseval(tmp_path / "out.xml", instances)
    assert read_senseval(tmp_path / "out.xml") == instances


def test_several_lexelts_and_answers_after_the_context(read):
    second = wrap("<head>serve</head>", name="serve.v.1", root=False).replace("arm.n", "serve.v")
    second = second.replace("</context>", '</context><answer senseid="S1"/>')
    instances = read(wrap("<head>arm</head>", root=False).replace("</lexelt>", "") + second)
    assert [(instance.lexelt, instance.senses) for instance in instances] == [
        ("arm.n", ()),
        ("serve.v", ("S1",)),
    ]


# --- encodings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_encodings_are_told_apart(read, encoding):
    (instance,) = read(wrap("café <head>bráço</head>\r\nñu").encode(encoding))
    assert forms(instance) == ["café", "bráço", "ñu"]
    assert instance.sentences == (0, 2)


def test_encoding_can_be_named(read):
    assert forms(read(wrap("“a <head>b</head>").encode("cp1252"), encoding="cp1252")[0])[0] == "“a"
    with pytest.raises(InputError, match="is not UTF-8 text") as caught:
        read(wrap("caf\xe9 <head>b</head>").encode("latin-1"), encoding="utf-8")
    assert caught.value.line == 5
    with pytest.raises(InputError, match="no encoding called"):
        read(wrap("<head>b</head>"), encoding="klingon")


# --- what is refused --------------------------------------------------------------------------------------


GOOD = wrap("<head>arm</head>")


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        ("", "the file is empty", None),
        (" \n\n", "the file is empty", None),
        ("PK\x03\x04\0\0", "NUL characters", 1),
        ("<corpus>\n</corpus>", "Is this a lexical-sample file", None),
        ("lexelt instance sense\n", "holds no <instance>", None),
        (GOOD.replace(' id="arm.n.1"', ""), "<instance> has no id", 3),
        (GOOD.replace('"arm.n.1"', '" "'), "<instance> has no id", 3),
        (GOOD.replace('"arm.n.1"', '"arm.n.1'), "Is a quote missing", 3),
        (GOOD.replace('"arm.n.1" docsrc="BNC"', '"arm.n.1'), "<instance> has no id", 3),
        (GOOD.replace(' item="arm.n"', ""), "<lexelt> has no item", 2),
        (GOOD.replace('<lexelt item="arm.n">', ""), "outside any <lexelt>", 3),
        (GOOD.replace("<head>", "").replace("</head>", ""), "no <head> marks", 3),
        (GOOD.replace("arm</head>", "</head>"), "no <head> marks", 3),
        (GOOD.replace("<head>arm</head>", "<wf>arm<head/></wf>"), "no <head> marks", 3),
        (GOOD.replace("</head>", ""), "<head> of the context is not closed", 6),
        (GOOD.replace("<head>", ""), "</head> closes nothing", 5),
        (GOOD.replace("<head>", "<head><head>"), "is inside another", 5),
        (GOOD.replace("<context>", "<head>x</head><context>"), "outside any <context>", 4),
        (GOOD.replace("</context>", "</context><head>x</head>"), "outside any <context>", 6),
        (GOOD.replace("<corpus", "<head>x</head><corpus"), "outside any <context>", 1),
        (GOOD.replace("<context>", "").replace("</context>", ""), "outside any <context>", 5),
        ('<lexelt item="a">\n<instance id="1">\n</instance>', "has no <context>", 2),
        (GOOD.replace("</context>", ""), "<context> of the instance is not closed", 4),
        (GOOD.replace("<context>", "x"), "outside any <context>", 5),
        (GOOD.replace("<context>\n<head>arm</head>", ""), "</context> closes nothing", 5),
        (GOOD.replace("</context>", "</context><context>"), "second <context>", 6),
        (GOOD.replace("<corpus", "<context><corpus"), "<context> is outside any <instance>", 1),
        (GOOD[: GOOD.index("</context>")], "<instance> is not closed", 3),
        (GOOD.replace("</context>\n</instance>", '<instance id="2">'), "<instance> is not closed", 3),
        (GOOD.replace('<instance id="arm.n.1" docsrc="BNC">', ""), "<context> is outside any", 4),
        (GOOD.replace("</corpus>", "</instance>"), "</instance> closes nothing", 9),
        (
            wrap("<head>a</head>", answers='<answer instance="x" senseid="s"/>'),
            "for another instance, 'x'",
            4,
        ),
        (wrap("<head>a</head>", answers='<answer instance="arm.n.1"/>'), "has no senseid", 4),
        ('<answer instance="x" senseid="s"/>' + GOOD, "<answer> is outside any <instance>", 1),
    ],
)
def test_broken_files_say_what_and_where(read, content, message, line):
    with pytest.raises(InputError, match=message) as caught:
        read(content)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "after", ["", '<instance id="2"><context>an <head>arm</head></context></instance>\n']
)
def test_a_complete_instance_needs_no_end(read, after):
    with pytest.warns(InputWarning, match=r"\(line 3\).* the instance is not closed with </instance>"):
        instances = read(GOOD.replace("</instance>\n", after))
    assert instances[0] == read(GOOD)[0]
    assert len(instances) == 1 + bool(after)


def test_duplicate_ids_name_both_lines(read):
    with pytest.raises(InputError, match=r"line 11 \(arm\.n\.1\): the instance in line 3 has the same id"):
        read(GOOD + GOOD[GOOD.index("\n") + 1 :])


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_senseval(tmp_path / "none.xml")
    with pytest.raises(InputError, match="this is a folder"):
        read_senseval(tmp_path)


@pytest.mark.parametrize(
    "unit",
    [
        "<wf ",
        '<wf "',
        "<wf '\"'\"",
        "&amp",
        "%%a ",
        "<",
        "<instance id=",
        "<wf          ",
        "<s/>",
        "x=' ",
        "<context ",
    ],
)
def test_hostile_text_takes_linear_time(read, unit):
    def seconds(size: int) -> float:
        content = wrap("<wf " + unit * (size // len(unit)) + "\n<head>x</head>")
        start = time.perf_counter()
        assert heads(read(content)[0]) == ["x"]
        return time.perf_counter() - start

    # Quadratic work on a million characters would take minutes, linear work takes about a second.
    assert seconds(1_000_000) < 20


@given(st.text(alphabet=st.sampled_from("<>/&;%\"'=a \n"), max_size=60), st.data())
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_or_refused_plainly(tmp_path, noise, data):
    """Whatever stands in a file, the reader answers with instances or with an InputError."""
    names = [
        "<wf>",
        "</wf>",
        "<head>",
        "</head>",
        "<context>",
        "</instance>",
        "<s/>",
        '<answer senseid="b"/>',
    ]
    tags = "".join(data.draw(st.lists(st.sampled_from([*names, "x", "\n"]), max_size=8)))
    path = tmp_path / "noise.xml"
    path.write_text(wrap(f"{noise}{tags}<head>arm</head>"), encoding="utf-8")
    try:
        (instance,) = read_senseval(path)
    except InputError:
        return
    assert instance.sentences[0] == 0
    assert list(instance.sentences) == sorted(set(instance.sentences))
    assert all(index < len(instance.tokens) for index in (*instance.head, *instance.sentences))
    assert all(token.form == " ".join(token.form.split()) != "" for token in instance.tokens)


# --- writing ----------------------------------------------------------------------------------------------

characters = st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufffe\uffff")
words = st.text(characters, min_size=1, max_size=8) | st.sampled_from(
    ["%%arm%%", "<head>", "</context>", "&amp;", "&", "]]>", "</wf>", '"', "<s/>", "'"]
)
values = st.text(characters | st.sampled_from(" \n\t\r"), max_size=6)


@st.composite
def corpora(draw):
    instances = []
    for name in draw(st.lists(words, min_size=1, max_size=4, unique=True)):
        tokens = tuple(
            draw(st.lists(st.builds(Token, words, values, values, values), min_size=1, max_size=8))
        )
        indices = st.integers(0, len(tokens) - 1)
        instances.append(
            SenseInstance(
                id=name,
                lexelt=draw(words),
                tokens=tokens,
                head=tuple(sorted(draw(st.sets(indices, min_size=1)))),
                sentences=tuple(sorted({0} | draw(st.sets(indices)))),
                senses=tuple(draw(st.lists(words, max_size=3, unique=True))),
                source=draw(values),
            )
        )
    return instances


@given(corpora())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_round_trip(tmp_path, instances):
    path = tmp_path / "out.xml"
    write_senseval(path, instances, lemmatised=True)
    assert read_senseval(path) == instances
    ET.fromstring(path.read_bytes())
    write_senseval(path, instances)
    plain = [replace(it, tokens=tuple(Token(token.form) for token in it.tokens)) for it in instances]
    assert read_senseval(path) == plain
    ET.fromstring(path.read_bytes())


def test_written_form(tmp_path):
    tokens = (Token("Etxeko", "etxe", "IZE", "GEL"), Token("atea", "ate", "IZE"), Token("&"), Token("."))
    instance = SenseInstance("ate.1", "ate.n", tokens, (1,), (0, 2), ("ate_1",), "egunkaria")
    write_senseval(tmp_path / "plain.xml", [instance])
    assert (tmp_path / "plain.xml").read_text(encoding="utf-8").splitlines()[1:-1] == [
        "<corpus>",
        '<lexelt item="ate.n">',
        '<instance id="ate.1" docsrc="egunkaria">',
        '<answer instance="ate.1" senseid="ate_1"/>',
        "<context>",
        "Etxeko <head>atea</head>",
        "&amp; .",
        "</context>",
        "</instance>",
        "</lexelt>",
    ]
    write_senseval(tmp_path / "lemmas.xml", [instance], lemmatised=True)
    lines = (tmp_path / "lemmas.xml").read_text(encoding="utf-8").splitlines()
    assert lines[6] == (
        '<wf lemma="etxe" pos="IZE" case="GEL">Etxeko</wf> <head><wf lemma="ate" pos="IZE">atea</wf></head>'
    )
    assert lines[7] == "<wf>&amp;</wf> <wf>.</wf>"


BASE = SenseInstance("i.1", "i.n", (Token("a"), Token("b")), (0,), (0,), ("s",))


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        (replace(BASE, id=""), "is empty or has spaces"),
        (replace(BASE, id="a b="), "broken tag"),
        (replace(BASE, lexelt=" x"), "is empty or has spaces"),
        (replace(BASE, senses=("s", "")), "is empty or has spaces"),
        (replace(BASE, senses=("s", "s")), "same sense"),
        (replace(BASE, head=()), "its head"),
        (replace(BASE, head=(1, 0)), "its head"),
        (replace(BASE, head=(-1,)), "its head"),
        (replace(BASE, head=(2,)), "its head"),
        (replace(BASE, sentences=()), "its sentences"),
        (replace(BASE, sentences=(1,)), "its sentences"),
        (replace(BASE, sentences=(0, 2)), "its sentences"),
        (replace(BASE, sentences=(0, 0)), "its sentences"),
        (replace(BASE, tokens=(Token("a b"),)), "has blanks"),
        (replace(BASE, tokens=(Token(""),)), "is empty"),
        (replace(BASE, tokens=(Token("\x01"),)), "control character"),
        (replace(BASE, source="\ud800"), "control character"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, instance, message):
    path = tmp_path / "out.xml"
    with pytest.raises(InputError, match=message):
        write_senseval(path, [instance])
    assert not path.exists()


def test_writing_refuses_equal_ids_and_nothing(tmp_path):
    with pytest.raises(InputError, match="same id"):
        write_senseval(tmp_path / "out.xml", [BASE, replace(BASE, lexelt="other.n")])
    with pytest.raises(InputError, match="no instances to write"):
        write_senseval(tmp_path / "out.xml", [])
    with pytest.raises(InputError, match="this is a folder"):
        write_senseval(tmp_path, [BASE])


def test_the_lemmatised_form_carries_words_with_blanks(tmp_path):
    instance = replace(BASE, tokens=(Token("New York", "New York"), Token("b")))
    path: Path = tmp_path / "out.xml"
    write_senseval(path, [instance], lemmatised=True)
    assert read_senseval(path) == [instance]
    with pytest.raises(InputError, match="control character"):
        write_senseval(path, [replace(BASE, tokens=(Token("a", lemma="\x01"),))], lemmatised=True)
