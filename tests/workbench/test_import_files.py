"""Files as people have them, each from its upload to stored questions, with no dead end on the way."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from openpyxl import Workbook
from webclient import let_in

from postil.workbench.app import create_app
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses


@pytest.fixture
def client(store, tmp_path):
    return let_in(create_app(Settings(tmp_path / "workbench.db"), store))


def workbook(*rows):
    made, buffer = Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(row)
    made.save(buffer)
    return buffer.getvalue()


def opendocument(*rows):
    cells = (
        "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        for row in rows
    )
    lines = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(
            "content.xml",
            '<o:document xmlns:o="o" xmlns:table="t" xmlns:text="x"><o:spreadsheet>'
            f'<table:table table:name="A">{lines}</table:table></o:spreadsheet></o:document>',
        )
    return buffer.getvalue()


FLOAT, LIT = "Why does ice float?", "Why is the lamp lit?"
FORMS = (
    "ID",
    "Start time",
    "Email",
    "Name",
    "Total points",
    FLOAT,
    f"Points - {FLOAT}",
    f"Feedback - {FLOAT}",
)
FILES = {
    "wide": ("class.csv", b"Name,Q1,Q2,Q3,Q4,Q5\nAnn,a,b,c,d,e\nBo,f,g,h,i,j\n", 5),
    "one question": ("one.csv", b"Name,Answer\nAnn,it is light\nBo,no idea\n", 1),
    "titles and merged headings": (
        "marks.xlsx",
        workbook(
            ("Physics 7B",),
            ("Student", None, "Question 1", None, "Question 2", None),
            ("Name", "ID", "Answer", "Points", "Answer", "Points"),
            ("Ann", 1, "it is light", 2, "closed", 1),
            ("Bo", 2, "no idea", 0, "lit", 1),
        ),
        2,
    ),
    "HTML": (
        "lms.csv",
        b"question,reference,id,answer\n<p>Why <b>so</b>?</p>,<p>So.</p>,1,<p>a &amp; b</p>\n"
        b"<p>Why <b>so</b>?</p>,<p>So.</p>,2,c\n",
        1,
    ),
    "semicolons and Windows": (
        "schule.csv",
        "Name;Question 1 (2 points);Question 2\nZoë;größer;ja\nBö;klein;nein\n".encode("cp1252"),
        2,
    ),
    "OpenDocument": ("class.ods", opendocument(("Name", FLOAT), ("Ann", "light"), ("Bo", "no idea")), 1),
    "Google Forms": (
        "form.csv",
        f'"Timestamp","Email Address","Score","{FLOAT}","{LIT}"\n'
        '"2026/05/01 9:00:00","a@x.org","1 / 2","light","closed"\n'
        '"2026/05/01 9:01:00","b@x.org","0 / 2","no","no"\n'.encode(),
        2,
    ),
    "Microsoft Forms": (
        "forms.xlsx",
        workbook(
            FORMS,
            (1, "2026-05-01", "a@x.org", "Ann", 1, "light", 1, ""),
            (2, "2026-05-01", "b@x.org", "Bo", 0, "no", 0, "Look again"),
        ),
        1,
    ),
    "Moodle": (
        "responses.csv",
        b"Last name,First name,Email address,Question 1,Response 1,Right answer 1\n"
        b"Ray,Ann,a@x.org,Why so?,it is,So.\nFox,Bo,b@x.org,Why so?,-,So.\n",
        1,
    ),
}


def form(page):
    """What the form of a page sends, as a browser without scripts would send it."""
    fields = dict(re.findall(r'<input type="hidden" name="(drawn|right-\d+)" value="([^"]*)"', page))
    for name, options in re.findall(r'<select id="[^"]*" name="([\w-]+)">(.*?)</select>', page, re.DOTALL):
        picked = re.search(r'value="([^"]*)" selected', options)
        fields[name] = picked[1] if picked else ""
    boxes = re.findall(r'<input type="checkbox" name="((?:take|column)-\d+)"[^>]* checked>', page)
    areas = re.findall(r'<textarea [^>]*name="([\w-]+)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    points = re.findall(r'name="(points-\d+)" value="([^"]*)"', page)
    return fields | dict.fromkeys(boxes, "1") | dict(areas) | dict(points)


def bring(client, name, data):
    page = client.post("/courses/1/draft", files={"file": (name, data)})
    assert page.url.path.startswith("/drafts/"), page.text
    return page


@pytest.mark.parametrize("kind", FILES)
def test_a_file_leads_to_stored_questions(client, store, kind):
    name, data, count = FILES[kind]
    course = courses.create_course(store, "Physics")
    draft = bring(client, name, data)
    fields = form(draft.text)
    for field in fields:
        if field.startswith("right-") and not fields[field]:
            fields[field] = "It is so."
        if field.startswith("text-") and not fields[field]:
            fields[field] = "Why is it so?"
    page = client.post(f"{draft.url.path}/store", data=fields)
    assert page.url.path == f"/courses/{course}", page.text
    made = courses.list_questions(store, course)
    assert len(made) == count
    assert all(question.text and question.references for question in made)
    assert [question.answers for question in made] == [2] * count
    assert "<p>" not in "".join(question.text for question in made)


def test_columns_are_ticked_and_what_was_asked_is_typed(client, store):
    course = courses.create_course(store, "Physics")
    draft = bring(client, "class.csv", b"Name,Q1 (2 points),Q2,Notes\nAnn,light,closed,late\nBo,no,lit,\n")
    fields = form(draft.text)
    assert {name for name in fields if name.startswith("column-")} >= {"column-2"}
    fields |= {"column-1": "1", "column-3": "1"}
    fields |= {"text-2": LIT, "right-2": "The path is closed.", "points-2": "3"}
    again = client.post(draft.url.path, data=fields)
    fields = form(again.text)
    assert (fields["text-2"], fields["points-2"], fields["points-1"]) == (LIT, "3", "2")
    del fields["column-3"], fields["take-3"]
    fields |= {"text-1": FLOAT, "right-1": "It is less dense."}
    client.post(f"{draft.url.path}/store", data=fields)
    made = courses.list_questions(store, course)
    assert [(question.text, question.points) for question in made] == [(FLOAT, 2), (LIT, 3)]
    assert [answer.student for answer in answers.list_answers(store, made[0].id)] == ["Ann", "Bo"]
    assert [answer.text for answer in answers.list_answers(store, made[1].id)] == ["closed", "lit"]


def test_one_question_needs_its_text_or_goes_to_one_that_exists(client, store):
    course = courses.create_course(store, "Physics")
    there = courses.create_question(store, course, FLOAT, ["It is less dense."], 1)
    draft = bring(client, "one.csv", FILES["one question"][1])
    fields = form(draft.text) | {"right-0": "So."}
    refused = client.post(f"{draft.url.path}/store", data=fields)
    assert refused.status_code == 400
    assert "Write the question below." in refused.text
    client.post(f"{draft.url.path}/store", data=fields | {"to-0": str(there)})
    (question,) = courses.list_questions(store, course)
    assert question.answers == 2


@pytest.mark.parametrize("points", ["0", "-1", "many"])
def test_points_must_be_a_number_above_0(client, store, points):
    courses.create_course(store, "Physics")
    draft = bring(client, *FILES["Google Forms"][:2])
    page = client.post(draft.url.path, data=form(draft.text) | {"points-3": points})
    assert "must be a number above 0" in page.text
