"""Uploading answers: what a draft shows, what is stored of it, and that bad files change nothing."""

from __future__ import annotations

import io
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from threading import Event

import pytest
from hostile_files import make_workbook
from webclient import let_in, make_account

from postil.data.formats.rows import write_rows
from postil.workbench.app import create_app
from postil.workbench.pages import uploads
from postil.workbench.settings import Settings
from postil.workbench.store import answers, courses, decisions, drafts

CLASS = "id,name,answer,label\n1,Ann,it is closed,correct\n2,Bob,it is <script>alert(1)</script>,\n"


@pytest.fixture
def client(store, tmp_path):
    return let_in(create_app(Settings(tmp_path / "workbench.db"), store))


@pytest.fixture
def question(store):
    course = courses.create_course(store, "Physics")
    return courses.create_question(store, course, "Why is it lit?", ["The path is closed."], 2)


def teacher(app, store, login):
    """The client of somebody with an account, and a question of theirs."""
    course = courses.create_course(store, "Biology", make_account(store, login).id)
    return let_in(app, login), courses.create_question(store, course, "Why?", ["So."], 1)


def upload(client, question, data, name="class.csv"):
    return client.post(f"/questions/{question}/answers/draft", files={"file": (name, data)})


def bring(client, data, name="class.csv"):
    return client.post("/courses/1/draft", files={"file": (name, data)})


def paste(client, question, text):
    return client.post(f"/questions/{question}/answers/draft", data={"text": text})


def chosen(page):
    """The columns that a draft's page has chosen, as its form would send them."""
    selects = re.findall(r'<select id="role-\w+" name="(\w+)">(.*?)</select>', page, re.DOTALL)
    picked = {name: re.search(r'value="([\d,]*)" selected', options) for name, options in selects}
    return {name: match[1] if match else "" for name, match in picked.items()}


def add(client, draft, **fields):
    return client.post(f"{draft.url.path}/store", data=chosen(draft.text) | fields)


def stored(store, question):
    return [(one.key, one.student, one.text) for one in answers.list_answers(store, question)]


def test_a_file_is_shown_first_and_stored_when_said(client, store, question):
    draft = upload(client, question, CLASS)
    assert chosen(draft.text) == {"answer": "2", "id": "0", "student": "1", "label": "3"}
    assert "Nothing has been stored yet" in draft.text
    assert "&lt;script&gt;" in draft.text
    assert "<script>alert" not in draft.text
    assert stored(store, question) == []
    page = add(client, draft)
    assert page.url.path == f"/questions/{question}"
    assert "2 answers added." in page.text
    assert "<script>alert" not in page.text
    assert stored(store, question) == [
        ("1", "Ann", "it is closed"),
        ("2", "Bob", "it is <script>alert(1)</script>"),
    ]
    made = decisions.current(store, question)
    assert [(one.label, one.source) for one in made] == [("correct", "uploaded")]
    assert client.get(draft.url.path).status_code == 404  # it is gone


@pytest.mark.parametrize("name", ["class.tsv", "class.jsonl", "class.xlsx"])
def test_the_other_formats_are_read_too(client, store, question, tmp_path, name):
    write_rows(tmp_path / name, ["id", "answer"], [["1", "=1+1"], ["2", "it is lit"]])
    draft = upload(client, question, (tmp_path / name).read_bytes(), name)
    add(client, draft)
    assert stored(store, question) == [("1", "", "=1+1"), ("2", "", "it is lit")]


def test_a_paste_is_one_answer_a_line_or_name_and_answer(client, store, question):
    add(client, paste(client, question, "it is closed\r\n\r\n  a, b; c  \r\n"))
    add(client, paste(client, question, 'Ann\t"two\nlines"\nBob\tit is "on"\n'))
    assert stored(store, question) == [
        ("a1", "", "it is closed"),
        ("a2", "", "a, b; c"),
        ("a3", "Ann", "two\nlines"),
        ("a4", "Bob", 'it is "on"'),
    ]


def test_a_paste_may_bring_its_header(client, store, question):
    draft = paste(client, question, "Name\tYour answer\tid\nAnn\tit is lit\tx7")
    assert chosen(draft.text) == {"answer": "1", "id": "2", "student": "0", "label": ""}
    add(client, draft)
    assert stored(store, question) == [("x7", "Ann", "it is lit")]


def test_a_table_without_a_heading(client, store, question):
    draft = upload(client, question, "Ann,it is closed,\nBob,it is open,now\n")
    assert "The first row is an answer" in draft.text
    assert "Add 1 answer" in draft.text
    told = {"headless": "1", **chosen(draft.text)}
    part = client.post(draft.url.path, data=told, headers={"HX-Request": "true"})
    assert "Add 2 answers" in part.text
    assert re.search(r'name="headless" value="1" checked', part.text)
    add(client, draft, headless="1", student="0", answer="1")
    assert stored(store, question) == [("a1", "Ann", "it is closed"), ("a2", "Bob", "it is open")]


def test_only_a_heading_can_be_no_heading(client, question):
    for draft in (
        upload(client, question, '{"answer": "one"}', "class.jsonl"),
        paste(client, question, "one\ntwo"),
    ):
        assert "The first row is an answer" not in draft.text
    assert "The first row is an answer" in paste(client, question, "id\tanswer\n1\tone").text


def test_a_row_of_sentences_is_no_wide_heading_if_a_person_says_so(client, question):
    draft = bring(client, "Why,Does ice float?,What do plants need?\nBecause,it is light,sun\n")
    told = {"headless": "1", **chosen(draft.text)}
    part = client.post(draft.url.path, data=told, headers={"HX-Request": "true"}).text
    assert set(chosen(part)) == {"answer", "id", "student", "label"}
    told["shape"] = "rows"
    part = client.post(draft.url.path, data=told, headers={"HX-Request": "true"}).text
    assert set(chosen(part)) == {"answer", "id", "student", "label", "question", "reference"}


def test_an_empty_paste_is_told(client, question):
    page = paste(client, question, " \n\t\n")
    assert page.url.path == f"/questions/{question}"
    assert "The text box is empty." in page.text


def test_another_choice_of_columns_refreshes_the_preview(client, store, question):
    draft = upload(client, question, "a,b\nshort,a much longer text\nx,y\n")
    assert chosen(draft.text)["answer"] == "1"
    part = client.post(draft.url.path, data={"answer": "0"}, headers={"HX-Request": "true"})
    assert "<html" not in part.text
    assert chosen(part.text)["answer"] == "0"
    none = client.post(draft.url.path, data={"answer": "9"}, headers={"HX-Request": "true"}).text
    assert "Choose the column with the answers." in none
    assert "disabled" in none
    assert add(client, draft, answer="").status_code == 400
    add(client, draft, answer="0")
    assert stored(store, question) == [("a1", "", "short"), ("a2", "", "x")]


def test_repeated_ids_are_refused_until_another_column_is_chosen(client, store, question):
    draft = upload(client, question, "id,answer\nx,one\nx,two\ny,\n")
    assert "occurs more than once (rows 2 and 3)" in draft.text
    assert "1 answer is empty" in draft.text
    assert add(client, draft).status_code == 400
    assert stored(store, question) == []
    add(client, draft, id="")
    assert [key for key, *_ in stored(store, question)] == ["a1", "a2"]
    again = upload(client, question, "id,answer\na2,three\nz,four\n")
    assert "&#39;a2&#39; is already used for this question" in again.text
    assert add(client, again).status_code == 400
    assert len(stored(store, question)) == 2


def test_unknown_labels_are_refused_and_coarse_ones_are_told(client, store, question):
    draft = upload(client, question, "answer,label\none,correct\ntwo,B+\n")
    assert "Row 3 has no valid label" in draft.text
    add(client, draft, label="")
    assert decisions.current(store, question) == []
    coarse = upload(client, question, "answer,label\nthree,correct\nfour,incorrect\n")
    assert "1 label “not correct” will be ignored" in coarse.text
    add(client, coarse)
    assert [one.label for one in decisions.current(store, question)] == ["correct"]


def test_a_wide_export_makes_several_questions(client, store, question):
    export = (
        "Surname,First name,Email address,Why does ice float?,What do plants need?\n"
        "Ray,Ann,a@x.org,it is light,sun\nFox,Bob,b@x.org,,water\n"
    )
    draft = bring(client, export)
    assert chosen(draft.text) == {"id": "2", "student": "1,0"}
    assert "2 questions have no right answer" in draft.text
    assert add(client, draft, **{"take-3": "1", "right-3": " ", "right-4": ""}).status_code == 400
    endless = f"right-{'7' * 5000}"  # no number of a question
    assert add(client, draft, **{"take-3": "1", "right-3": " ", endless: "x"}).status_code == 400
    page = add(client, draft, **{"take-3": "1", "right-3": "It is less dense.", "right-4": ""})
    assert "2 answers added to 1 new question." in page.text
    made = courses.list_questions(store, 1)[-1]
    assert (made.text, made.references) == ("Why does ice float?", ("It is less dense.",))
    assert stored(store, made.id) == [("a@x.org", "Ann Ray", "it is light"), ("b@x.org", "Bob Fox", "")]


def test_a_long_table_with_questions_makes_them(client, store, question):
    table = (
        "question,reference,reference_2,id,answer\n"
        "Why?,Because.,It is so.,1,as\nHow?,Thus.,,1,this way\nWhy?,Because.,It is so.,2,so\n"
    )
    draft = bring(client, table)
    assert chosen(draft.text)["reference"] == "1,2"
    page = add(client, draft, **{"take-0": "1", "take-1": "1", "right-0": "", "right-1": ""})
    assert "3 answers added to 2 new questions." in page.text
    _, why, how = courses.list_questions(store, 1)
    assert (why.references, why.answers) == (("Because.", "It is so."), 2)
    assert (how.references, how.answers) == (("Thus.",), 1)


def test_a_table_by_rows_needs_a_column_with_the_questions(client, question):
    draft = bring(client, "id,answer\n1,one\n")
    page = client.post(draft.url.path, data={"shape": "rows"}).text
    assert "Choose the column with the questions" in page
    assert "No file was chosen." in client.post("/courses/1/draft").text


def test_a_draft_can_be_dropped(client, store, question):
    draft = upload(client, question, CLASS)
    assert client.post(f"{draft.url.path}/drop").url.path == f"/questions/{question}"
    assert client.get(draft.url.path).status_code == 404
    assert stored(store, question) == []


def bomb():
    """A workbook of a few kilobytes whose sheet claims and holds 150 MB."""
    return make_workbook("", more={"xl/worksheets/sheet1.xml": " " * 150 * 2**20})


def entities(tmp_path):
    """A workbook whose sheet swells by entities that hold entities."""
    write_rows(tmp_path / "good.xlsx", ["id", "answer"], [["1", "one"]])
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    file = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "good.xlsx") as good, zipfile.ZipFile(file, "w") as bad:
        for name in good.namelist():
            text = good.read(name).decode()
            if "sheet1" in name or "sharedStrings" in name:
                text = text.replace("one", "&l9;")
                start = text.index("<", text.index("?>")) if text.startswith("<?xml") else 0
                text = f'{text[:start]}<!DOCTYPE x [<!ENTITY l0 "ha">{levels}]>{text[start:]}'
            bad.writestr(name, text)
    return file.getvalue()


WRONG = {
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "class.csv", "not"),
    "no table": (b"%PDF-1.7 text", "class.pdf", "is not a table format that Postil reads"),
    "no ending": (b"id,answer\n1,one\n", "class", "is not a table format that Postil reads"),
    "an odd ending": (b"id,answer\n1,one\n", "../../x.c/s", "is not a table format that Postil reads"),
    "nothing": (b"", "class.csv", "the file is empty"),
    "a header": (b"id,answer\n", "class.csv", "there is a header but no row below it"),
    "utf-16 without its mark": ("id,answer\n1,one\n".encode("utf-16-le"), "class.csv", "not a text file"),
    "no encoding at all": (b"id,answer\n1,\xff\x81\x8d\n", "class.csv", "Save it as UTF-8"),
    "a broken workbook": (b"PK\x03\x04 no", "class.xlsx", "is not an .xlsx workbook"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "class.xls", "old .xls workbook"),
    "300 columns": (
        b",".join(b"c%d" % n for n in range(300)) + b"\n" + b"x," * 299 + b"x",
        "w.csv",
        "at most 200",
    ),
    "10,000 columns": (
        b",".join(b"c%d" % n for n in range(10_000)) + b"\n" + b"x," * 9_999 + b"x",
        "w.csv",
        "10,000 columns",
    ),
    "an open quotation mark": (b'id,answer\n1,"one\n2,two\n', "class.csv", "never closes"),
    "one list": (b'[{"answer": "one"}]', "class.jsonl", "not an object"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_bad_file_is_told_in_plain_words_and_nothing_is_stored(client, store, question, kind):
    data, name, told = WRONG[kind]
    for page in (upload(client, question, data, name), bring(client, data, name)):
        assert page.status_code == 200
        message = re.search(r'<div class="message error".*?</div>', page.text, re.DOTALL)[0]
        assert told in message
        assert "--" not in message
        assert "upload." not in message
    assert stored(store, question) == []
    assert len(courses.list_questions(store, 1)) == 1


def test_workbooks_that_swell_are_refused(client, store, question, tmp_path):
    page = upload(client, question, bomb(), "bomb.xlsx")
    assert "“bomb.xlsx”: unpacks to 150 MB" in page.text
    page = upload(client, question, entities(tmp_path), "laughs.xlsx")
    assert "is not an .xlsx workbook" in page.text
    assert stored(store, question) == []


def test_a_file_of_older_windows_is_read_with_a_warning(client, store, question):
    draft = upload(client, question, "id;answer\n1;Électricité – “lit”\n".encode("cp1252"))
    assert "not saved as UTF-8" in draft.text
    assert "Électricité – “lit”" in draft.text
    add(client, draft)
    assert stored(store, question)[0][2] == "Électricité – “lit”"


def test_fifty_megabytes_are_refused(client, store, question):
    page = upload(client, question, b"id,answer\n" + b"1,x\n" * (13 * 2**20))
    assert page.status_code == 413
    assert "larger than the limit of 25 MB" in page.text
    assert stored(store, question) == []


def test_more_answers_than_a_school_has_are_refused(store, tmp_path, question):
    client = let_in(create_app(Settings(tmp_path / "workbench.db", most_answers=3), store))
    assert "has more than 3 rows" in paste(client, question, "a\nb\nc\nd").text
    draft = bring(client, "id,Why does ice float?,What do plants need?\n1,a,b\n2,c,d\n")
    assert "at most 3 can be imported at once" in draft.text
    assert add(client, draft).status_code == 400
    assert stored(store, question) == []
    assert len(courses.list_questions(store, 1)) == 1


def test_somebody_who_sends_many_files_at_once_delays_only_their_own(store, tmp_path, monkeypatch):
    app = create_app(Settings(tmp_path / "workbench.db", local=False), store)
    (ane, ones), (bea, others) = (teacher(app, store, login) for login in ("ane", "bea"))
    open_file, at_once, goes_on = uploads.open_file, [], Event()

    def slow(*given):
        at_once.append(None)
        assert goes_on.wait(20)
        return open_file(*given)

    monkeypatch.setattr(uploads, "open_file", slow)
    with ThreadPoolExecutor(12) as senders:
        sent = [senders.submit(upload, ane, ones, CLASS) for _ in range(8)]
        refused = [future.result() for future in islice(as_completed(sent, 20), 5)]
        other = senders.submit(upload, bea, others, CLASS)
        assert ane.get("/").status_code == 200
        assert len(at_once) == 2
        goes_on.set()
        pages = [future.result() for future in sent]
        assert other.result().url.path.startswith("/drafts/")
    assert {page.status_code for page in refused} == {429}
    assert "Several of your files are being read" in refused[0].text
    assert sum(page.url.path.startswith("/drafts/") for page in pages) == 3
    assert upload(ane, ones, CLASS).url.path.startswith("/drafts/")  # those before are forgotten


def test_a_hostile_file_name_is_only_shown(client, question):
    draft = upload(client, question, CLASS, '"><img src=x onerror=alert(1)>.csv')
    assert "<img" not in draft.text


def test_of_several_questions_all_are_stored_or_none(client, store, question, monkeypatch):
    """Whatever happens in between: also a crash, which nothing can clean up after."""
    table = "question,reference,answer\nWhy is it lit?,,closed\nWhy not?,It is open.,open\n"
    draft = bring(client, table)
    put, called = drafts.put_answers, []

    def crash(*given):
        called.append(given)
        if len(called) > 1:
            raise RuntimeError("the power is off")
        return put(*given)

    with monkeypatch.context() as patched:
        patched.setattr(drafts, "put_answers", crash)
        assert add(client, draft).status_code == 500
    assert len(called) == 2
    assert stored(store, question) == []
    assert len(courses.list_questions(store, 1)) == 1
    assert add(client, bring(client, table)).status_code == 200
    assert [one.answers for one in courses.list_questions(store, 1)] == [1, 1]
