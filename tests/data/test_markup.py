"""Marked-up text as a person reads it."""

from __future__ import annotations

import time

import pytest

from postil.data.formats.markup import looks_like_html, one_language, readable


@pytest.mark.parametrize(
    ("html", "plain"),
    [
        ("<p>one</p>\n<p>two</p>", "one\ntwo"),
        ("a<br>b<br />c", "a\nb\nc"),
        ("<ul>\n<li><p>one</p></li>\n<li>two</li></ul>end", "- one\n- two\nend"),
        ("H<sub>2</sub>O, m<sup>2</sup>, Ca<sup>2+</sup>, 1<sup>st</sup>", "H2O, m^2, Ca^2+, 1st"),
        ("a &lt; b &amp; c&nbsp;d &eacute;", "a < b & c d é"),
        ('see <img src="@@PLUGINFILE@@/a.png" alt="a cat">!', "see [image] !"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        (r"<p>\( x^2 &lt; y \) and $$\frac{1}{2}$$</p>", r"\( x^2 < y \) and $$\frac{1}{2}$$"),
        ("<style>p {}</style><script>x()</script>text", "text"),
        ("<p>never <b>closed", "never closed"),
        ("a<!-- <p>not this</p> -->b<!DOCTYPE x>c", "abc"),
        ("a &lt;b&gt; c", "a <b> c"),
        ('<a title="x > y" href=z>link</a>', "link"),
        ("x < y and z > w", "x < y and z > w"),
        ("", ""),
        (
            '<span lang="en" class="multilang">Hi <b>you</b></span> '
            '<span class="multilang" lang="de">Du</span> all',
            "Hi you all",
        ),
    ],
)
def test_html(html, plain):
    assert readable(html) == plain


def test_a_picture_within_the_text_does_not_push_it_out():
    assert readable(f'<img src="data:image/png;base64,{"A" * 200_000}">Why?') == "[image] Why?"


def test_markdown_and_plain_text():
    text = "# Title\n* **bold** x\n* \\(a*b*c\\) *em* ![i](x.png) [l](u) snake_case_name"
    assert readable(text, "markdown") == "Title\n- bold x\n- \\(a*b*c\\) em [image] l snake_case_name"
    assert readable("<b> & **so**\r\n\r\n\r\n\r\nx", "plain_text") == "<b> & **so**\n\nx"
    assert readable("one\ntwo <b>three</b>", "moodle_auto_format") == "one\ntwo three"


def test_of_several_languages_the_first():
    text = "{mlang en}Hi{mlang}{mlang de}Hallo{mlang} there {mlang en}a{mlang} {mlang other}b{mlang}"
    assert readable(text) == "Hi there a"
    assert one_language("{no mlang} {mlang") == "{no mlang} {mlang"


@pytest.mark.parametrize(
    ("text", "is_html"),
    [
        ("<p>x</p>", True),
        ("one<br/>two", True),
        ("<P CLASS='a'>x</P>", True),
        ("x <b and b> y", False),
        ("if a<b then </p>", False),
    ],
)
def test_tags_are_told_from_signs(text, is_html):
    assert looks_like_html(text) is is_html


@pytest.mark.parametrize(
    "hostile",
    ["<b>", "</b>", "**a ", "{mlang a}", "<", "&", "<!--", "<a b='", "$$", "![", "\\(", "\\[", r"\([$$a"],
)
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_no_text_takes_long(hostile, form):
    began = time.monotonic()
    readable(hostile * 50_000, form)
    assert time.monotonic() - began < 3


def test_many_blanks_before_a_new_line_do_not_take_long():
    began = time.monotonic()
    for _ in range(10):
        assert readable(f"<pre>{' ' * 20_000}x<p>y<p>z</pre>") == "x\ny\nz"
    assert time.monotonic() - began < 3


def test_a_formula_ends_where_its_sign_says():
    text = r"\(a*b \\ *c*\) $$x*y$ *z*$$ \[_a_ \) _b_\] \(*open* \(d*e\)"
    assert readable(text, "markdown") == text.replace("*open*", "open")
