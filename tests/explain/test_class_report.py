"""The report of a class, from judgements made by hand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape
from html.parser import HTMLParser

import pytest

from postil.data.judgements import (
    CONTRADICTED,
    EXPRESSED,
    UNADDRESSED,
    AlignedPair,
    Alignment,
    Explanation,
    FacetOutcome,
    Judgement,
    collapsed,
    score_of,
)
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Facet, Question, Reference
from postil.errors import MismatchError
from postil.explain.charts import Bar, bar_chart, histogram, share_bar
from postil.explain.class_report import (
    GradedQuestion,
    class_report,
    shortened,
    teachers_scheme,
    who_read,
    whole,
)

EVIL = '<script>alert("1")</script>&\'"'
PARTLY = "partially_correct_incomplete"


def judged(label: str, confidence: float = 0.9, second: str = "irrelevant", **more) -> Judgement:
    """A judgement whose second-best label has all the probability that the first leaves."""
    five = {label: confidence, second: 1 - confidence}
    labels = {scheme.name: scheme.collapse(label) for scheme in RESPONSE_SCHEMES.values()}
    return Judgement(labels, collapsed(five), score_of(five), confidence, **more)


def graded(*pairs: tuple[Answer, Judgement], name: str = "Q", warnings: tuple[str, ...] = ()):
    question = Question(
        name, f"Why {name}?", (Reference("r", f"Because of {name}."),), tuple(answer for answer, _ in pairs)
    )
    return GradedQuestion(question, [judgement for _, judgement in pairs], warnings)


CLASS = [
    graded(
        (Answer("a1", "It is closed."), judged("correct", 0.97)),
        (Answer("a2", "It is open."), judged("contradictory", 0.55, "correct", deferred=True)),
        (Answer("a3", ""), judged("non_domain", 1.0, because="the answer is empty")),
        name="circuit",
        warnings=("The reference repeats the question.",),
    ),
    graded(
        (Answer("b1", "Same mass"), judged("correct", 0.52, PARTLY)),
        (Answer("b2", "My dog"), judged("irrelevant", 0.8, deferred=True)),
        name="mass",
    ),
]


class Page(HTMLParser):
    """The tags of a page with their attributes; feeding fails where they do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def words(markup: str) -> str:
    """The text of some HTML, without tags and runs of blanks."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def part(page: str, name: str) -> str:
    """The section with this id."""
    return re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)[0]


def lines(section: str) -> list[str]:
    """The text of each row below the head of a table."""
    return [words(row) for row in re.findall(r"<tr.*?</tr>", section.split("<tbody>")[1], re.DOTALL)]


def test_the_top_says_how_many():
    page = class_report(CLASS, "Class 7b")
    assert "<title>Class 7b</title>" in page
    top = words(page.split("</h1>")[1].split('<section id="doubtful">')[0])
    assert "questions 2 answers 5 mean score, out of 1 0.44 need your look 2" in top
    assert "correct 2 · 40%" in top
    assert "partly right 0 · 0%" in top
    assert "agreement" not in top


def test_the_deferred_come_first_then_the_least_sure():
    page = class_report(CLASS)
    assert [line.split()[0] for line in lines(part(page, "doubtful"))] == ["a2", "b2"]
    without = [graded((Answer("x", "1"), judged("correct", 0.8)), (Answer("y", "2"), judged("correct", 0.6)))]
    section = part(class_report(without), "doubtful")
    assert lines(section) == ["y 1. Why Q? 2 correct 60% off the point 40%"]
    assert "No answer needs your look" in section


def test_a_doubtful_answer_shows_its_second_label():
    assert (
        lines(part(class_report(CLASS), "doubtful"))[0]
        == "a2 1. Why circuit? It is open. contradicts 55% needs your look correct 45%"
    )


def test_thousands_of_deferred_are_not_shown_twice():
    many = [
        graded(*((Answer(str(i), "x"), judged("correct", 0.5 + i / 1000, deferred=True)) for i in range(300)))
    ]
    section = part(class_report(many), "doubtful")
    assert len(lines(section)) == 100
    assert lines(section)[0].startswith("0 ")
    assert "300 answers need your look" in section


def test_a_question_shows_its_answers_least_sure_first():
    section = part(class_report(CLASS), "q1")
    assert lines(section) == [
        "a2 It is open. contradicts 0.45 55% needs your look",
        "a1 It is closed. correct 0.97 97%",
        "a3 (empty) Why: the answer is empty not an answer 0.00 100%",
    ]
    said = words(section)
    assert "Why circuit? 1 reference Because of circuit." in said
    assert "The reference repeats the question." in said
    assert "3 answers, mean score 0.47 out of 1 correct 1 contradicts 1 not an answer 1" in said
    assert "warn" not in part(class_report(CLASS), "q2")


def test_disagreement_is_marked_and_counted():
    one = graded(
        (Answer("a", "1", "correct"), judged("correct", 0.6)),
        (Answer("b", "2", PARTLY), judged("contradictory", 0.7)),
        (Answer("c", "3"), judged("correct", 0.8)),
    )
    page = class_report([one])
    assert lines(part(page, "q1")) == [
        "a 1 correct correct 0.60 60%",
        "b 2 contradicts partly right ≠ differs 0.00 70%",
        "c 3 correct – 0.80 80%",
    ]
    said = words(page)
    assert "agreement with the teacher 50%" in said
    assert "The teacher's label is the same for 1 of 2 answers" in said
    assert "labels compared: correct, partly right, contradicts" in said


def test_a_coarse_label_is_compared_coarsely():
    one = graded(
        (Answer("a", "1", "correct"), judged("correct", 0.6)),
        (Answer("b", "2", "incorrect"), judged("contradictory", 0.7)),
        (Answer("c", "3", "incorrect"), judged(PARTLY, 0.8)),
        (Answer("d", "4", "incorrect"), judged("correct", 0.9)),
    )
    page = class_report([one])
    assert "agreement with the teacher 75%" in words(page)
    assert [line[0] for line in lines(part(page, "q1")) if "differs" in line] == ["d"]


def test_a_label_of_no_scheme_is_shown_and_not_compared():
    page = class_report([graded((Answer("a", "1", "B+"), judged("correct")))])
    assert lines(part(page, "q1")) == ["a 1 correct B+ 0.90 90%"]
    assert "agreement" not in words(page)


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"correct", PARTLY}, "5way"),
        ({"correct", "contradictory", "incorrect"}, "3way"),
        ({"correct", "incorrect", None, "B+"}, "2way"),
        ({PARTLY, "incorrect"}, "2way"),
    ],
)
def test_the_scheme_of_a_teacher(labels, name):
    assert teachers_scheme(labels).name == name


def test_no_labels_no_scheme():
    assert teachers_scheme([None, "", "B+"]) is None


def test_one_question_is_counted_as_one():
    tiles = class_report([graded()])
    assert ">question<" in tiles
    assert ">questions<" not in tiles


@pytest.mark.parametrize("questions", [[], [GradedQuestion(Question("q", ""), ())], [graded(), graded()]])
def test_nothing_answered(questions):
    page = class_report(questions)
    Page(page)
    assert "There are no answers to show." in page
    assert "<table" not in page
    assert "<svg" not in page
    assert page.count("There are no answers yet.") == len(questions)


def test_answers_and_judgements_must_fit():
    with pytest.raises(MismatchError, match="question Q has 1 answer and 2 judgements"):
        GradedQuestion(Question("Q", "?", (), (Answer("a", "secret"),)), [judged("correct")] * 2)


def test_nothing_is_fetched_and_nothing_runs():
    page = class_report(CLASS)
    tags = Page(page).tags
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in page
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & {tag for tag, _ in tags}
    assert not re.search(r"https?://|url\(|@import", page)
    names = {name for _, attributes in tags for name in attributes}
    assert not {name for name in names if name.startswith("on") or name == "src"}


def test_every_link_leads_somewhere_and_names_are_unique():
    tags = Page(class_report(CLASS)).tags
    names = [attributes["id"] for _, attributes in tags if "id" in attributes]
    links = {attributes["href"] for _, attributes in tags if "href" in attributes}
    assert len(names) == len(set(names))
    assert {"#doubtful", "#q1", "#q2", "#q1a2", "#q2a2"} == links
    assert links <= {f"#{name}" for name in names}


def test_headers_say_what_they_head_and_pictures_what_they_show():
    tags = Page(class_report(CLASS)).tags
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in tags if tag == "th")
    pictures = [attributes for tag, attributes in tags if tag == "svg"]
    assert len(pictures) == 4
    assert all(picture["role"] == "img" and picture["aria-label"] for picture in pictures)


def test_everything_is_escaped():
    answer = Answer(EVIL, EVIL, EVIL)
    question = Question(EVIL, EVIL, (Reference(EVIL, EVIL),), (answer,))
    one = GradedQuestion(question, [judged("correct", deferred=True, because=EVIL)], [EVIL])
    page = class_report([one, one], EVIL)
    Page(page)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 15


PAIR = AlignedPair("1", ("It", "shuts"), ("It", "opens"), (Alignment((2,), (2,), ("OPPO",), 4.0),))


def test_an_explanation_stands_under_its_answer():
    told = Explanation(PAIR, "They are opposites.", "Is that so?")
    one = graded(
        (Answer("a", "It shuts", "correct"), judged("contradictory", explanation=told)),
        (Answer("b", "It opens", "correct"), judged("correct")),
    )
    page = class_report([one])
    Page(page)
    rows = lines(part(page, "q1"))
    assert rows[0] == "a It shuts contradicts correct ≠ differs 0.00 90%"
    assert rows[1].startswith("They are opposites. To the student Is that so? How the phrases match")
    assert "Alignment of answer and reference “shuts” – “opens”" in rows[1]
    assert rows[2].startswith("b ")
    # The row under an answer's is as wide as the table without its first column.
    assert f'colspan="{page.split("q1a1")[1].split("</tr>")[0].count("<td")}"' in page
    assert "://" not in page


def test_what_an_answer_says_is_marked_in_it():
    outcomes = (
        FacetOutcome(Facet("1", "it is shut"), CONTRADICTED, 0.9, spans=((3, 8),)),
        FacetOutcome(Facet("2", "it is old"), UNADDRESSED, 0.9),
    )
    told = Explanation(PAIR, "", "Is that so?", outcomes)
    page = class_report([graded((Answer("a", "It shuts"), judged("contradictory", explanation=told)))])
    assert 'It <mark class="denies">shuts</mark><sup aria-hidden="true">✗1</sup>' in page
    assert '<p class="told">' not in page  # no note rather than an empty one
    long = Answer("a", "It shuts " * 40)
    page = class_report([graded((long, judged("contradictory", explanation=told)))])
    assert '<mark class="denies">' in page.split("<details open>")[1].split("</details>")[0]


def test_an_explanation_is_escaped():
    pair = AlignedPair("1", (EVIL,), (EVIL,), (Alignment((1,), (1,), ("EQUI",), 5.0),))
    one = graded((Answer("a", "b"), judged("correct", explanation=Explanation(pair, EVIL, EVIL))))
    page = class_report([one])
    Page(page)
    assert "<script" not in page


def test_what_cannot_be_shown_is_replaced():
    page = class_report([graded((Answer("a\x00", "one\r\ntwo \x1b[31m \ud800 सूर्य 🙂"), judged("correct")))])
    assert not re.search(r"[\x00\r\x1b\ud800]", page)
    assert "one two" in page
    assert "सूर्य 🙂" in page
    page.encode("utf-8")


def test_a_long_text_is_folded_and_loses_nothing():
    text = " ".join(f"word{number}" for number in range(200))
    folded = whole(text)
    start, rest = re.fullmatch(r"<details><summary>(.*)…</summary>…(.*)</details>", folded).groups()
    assert start + rest == text
    assert len(start) < 280
    assert "<details>" not in whole("short")


def test_pictures_of_explanations_speak_plainly_and_may_be_scrolled():
    pair = AlignedPair("1", ("open",), ("closed",), (Alignment((1,), (1,), ("OPPO",), 4),))
    told = judged("contradictory", explanation=Explanation(pair, "It says “open”.", "Look again."))
    page = class_report([graded((Answer("a1", "open"), told))])
    picture = re.search(r'<div class="pic"><svg .*?</svg>', page, re.DOTALL)[0]
    assert ">opposite<" in picture
    assert "OPPO" not in picture
    assert "style=" not in picture
    assert ".pic { overflow-x: auto;" in page


@pytest.mark.parametrize(
    ("text", "short"),
    [("a b c", "a b c"), ("one two three four", "one two…"), ("x" * 30, "x" * 9 + "…"), (" a \n b ", "a b")],
)
def test_shortened(text, short):
    assert shortened(text, 10) == short


def test_a_big_class_makes_a_small_page():
    text = "The bulb goes out because no charge can flow when the switch is open, as there is a gap in it."
    pairs = [
        (Answer(f"EM-inv1-45b.{i}.1", text, PARTLY), judged("correct", 0.5 + i / 10_000, deferred=i % 2 == 0))
        for i in range(5000)
    ]
    assert len(class_report([graded(*pairs)]).encode()) < 1200 * 5000 / 2


def test_a_page_is_the_same_every_time():
    assert class_report(CLASS) == class_report(CLASS)


def test_many_references_are_folded():
    def page(count: int) -> str:
        return class_report([GradedQuestion(Question("q", "?", (Reference("r", "x"),) * count), ())])

    assert '<details class="refs" open><summary>3 references' in page(3)
    assert '<details class="refs"><summary>4 references' in page(4)
    assert "This question has no reference." in page(0)


def test_bars_are_as_long_as_their_counts():
    figure = ET.fromstring(bar_chart([Bar("<a>", 4, "l0"), Bar("b", 1, "l1"), Bar("c", 0, "l2")], "T"))
    widths = [float(node.get("width")) for node in figure.iter("rect")]
    assert widths == [pytest.approx(4 * widths[1]), widths[1], 0]
    assert figure.find("figcaption").text == "T"
    assert figure.find("svg").get("aria-label") == "T: <a> 4 (80%), b 1 (20%), c 0 (0%)"


def test_shares_fill_the_bar():
    svg = ET.fromstring(share_bar([Bar("a", 3, "l0"), Bar("b", 0, "l1"), Bar("c", 1, "l2")], "T"))
    places = [(float(node.get("x")), float(node.get("width"))) for node in svg.iter("rect")]
    assert places == [(0, pytest.approx(74.7)), (75, 0), (75, pytest.approx(24.7))]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.5, 0.54, 0.55, 1.0, 1.0], "50% to 55%: 2; 55% to 60%: 1; 95% to 100%: 2"),
        ([0.7, 0.3, 0.29], "20% to 30%: 1; 30% to 40%: 1; 70% to 80%: 1"),
        ([0.7, 0.85], "70% to 75%: 1; 85% to 90%: 1"),
    ],
)
def test_histogram(values, said):
    figure = ET.fromstring(histogram(values, "T"))
    assert figure.find("svg").get("aria-label") == f"T: {said}"


def ticked(*outcomes, given=()):
    """The page of one answer with these outcomes of its facets."""
    facets = tuple(FacetOutcome(Facet(str(n), name), label, 0.9) for n, (name, label) in enumerate(outcomes))
    return reported(facets, given)


def reported(facets, given=()):
    pair = AlignedPair("1", ("x",), ("y",), (Alignment((1,), (1,), ("EQUI",), 5.0),))
    told = Explanation(pair, "It says much.", "Well.", facets)
    asked = Question("Q", "Why?", (Reference("r", "So.", facets=given),), (Answer("a1", "it is"),))
    return class_report([GradedQuestion(asked, [judged("correct", explanation=told)])])


def test_facets_stand_under_the_note_with_words_for_their_signs():
    page = ticked((EVIL, EXPRESSED), ("air", UNADDRESSED), ("sun", CONTRADICTED))
    assert "<script>" not in page
    listed = re.search(r'<ul class="facets".*?</ul>', page, re.DOTALL)[0]
    assert re.findall(r'role="img" aria-label="([^"]*)"[^>]*>(.)<', listed) == [
        ("said:", "✓"),
        ("left out:", "–"),
        ("contradicted:", "✗"),
    ]
    assert page.index("It says much.") < page.index(listed)
    assert words(listed).startswith(f"✓ {EVIL} – air")
    Page(page)


def test_one_facet_is_shown_only_where_it_was_given():
    one = ("air", EXPRESSED)
    assert '<ul class="facets"' not in ticked(one)
    assert '<ul class="facets"' in ticked(one, given=(Facet("0", "air"),))
    assert '<ul class="facets"' not in ticked(given=(Facet("0", "air"),))


def test_of_a_cascade_it_says_how_much_each_reader_decided():
    judgements = [
        judged("correct", reader="thorough", read_by=name) for name in ("quick", "careful", "expert", "quick")
    ]
    empty = judged("non_domain", because="nothing was written")
    page = class_report([graded(*((Answer("a", "it"), one) for one in (*judgements, empty)))])
    told = (
        "Of 4 answers that had to be read, the quick reader decided 2, the careful reader decided 1 and "
        "the expert reader decided 1."
    )
    assert who_read([*judgements, empty]) == told
    assert told in page
    assert who_read(judgements[:1]).endswith("the quick reader decided 1.")
    assert who_read([]) == who_read([empty, judged("correct", reader="quick", read_by="quick")]) == ""


def test_a_wrong_statement_is_shown_only_where_it_is_made():
    wrong = [Facet(name, name, weight=0.0, required=False, deduction=1.0) for name in ("ice", "wood")]
    labels = {"ice": EXPRESSED, "wood": UNADDRESSED}
    claim = FacetOutcome(Facet("a", "air"), EXPRESSED, 0.9)
    page = reported((claim, *(FacetOutcome(facet, labels[facet.id], 0.9) for facet in wrong)))
    listed = re.search(r'<ul class="facets".*?</ul>', page, re.DOTALL)[0]
    assert re.findall(r'aria-label="([^"]*)" title="[^"]*">(.)<', listed) == [("said:", "✓"), ("wrong:", "✗")]
    assert words(listed) == "✓ air ✗ ice"
