"""`postil convert`, and `postil check` with the same options: teachers' tables in every shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil.cli.options import TableOptions, parse_columns, read_source
from postil.data.formats.sra import read_corpus, write_question
from postil.data.formats.tables import read_table, write_table
from postil.data.formats.wide import read_wide
from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError

MOODLE = """\
Email address,Question 1,Response 1,Right answer 1,Question 2,Response 2,Right answer 2
ann@x.org,Why?,Because it is.,Because.,How?,-,Thus.
ben@x.org,How?,Thus so,Thus.,Why?,No,Because.
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def put(text: str, name: str = "class.csv", encoding: str = "utf-8") -> Path:
    path = Path(name)
    path.write_text(text, encoding=encoding)
    return path


@pytest.fixture
def convert(postil):
    """Run a conversion that succeeds, and give what it says."""

    def run(*arguments: object) -> str:
        status, out, err = postil("convert", *arguments)
        assert (status, out) == (0, ""), err
        return err

    return run


def texts(questions: list[Question]) -> list[tuple[str, list[str], list[str]]]:
    return [
        (question.text, [each.text for each in question.references], [each.text for each in question.answers])
        for question in questions
    ]


def test_wide_to_long_to_xml_and_back(convert):
    put(MOODLE)
    said = convert("class.csv", "-o", "class.xlsx")
    assert said == "Read 2 questions, 4 answers, 0 labelled from class.csv; wrote class.xlsx.\n"
    long = read_table("class.xlsx")
    assert texts(long) == texts(read_wide("class.csv"))
    convert("class.xlsx", "-o", "corpus")
    assert sorted(file.name for file in Path("corpus").iterdir()) == ["q1.xml", "q2.xml"]
    assert texts(read_corpus("corpus")) == texts(long)
    convert("corpus", "-o", "again.jsonl")
    assert read_table("again.jsonl") == long


def test_options_name_columns_questions_and_references(convert):
    put("Name;Osmosis\nAnn;water moves\n")
    convert(
        *("class.csv", "-o", "a.csv", "--question", "Osmosis=What is it?"),
        *("--reference", "Osmosis=Water moves."),
    )
    assert texts(read_table("a.csv")) == [("What is it?", ["Water moves."], ["water moves"])]
    put("Who,Wrote\nAnn,water moves\n")
    options = ("--column", "answer=Wrote", "--column", "id=Who", "--question", "What?", "--reference", "W")
    said = convert("class.csv", "-o", "b.xml", *options)
    assert said.startswith("Read 1 question, 1 answer, ")
    assert texts(read_corpus("b.xml")) == [("What?", ["W"], ["water moves"])]


def test_a_key_file(convert):
    put("question,reference\nWhy?,So.\n", "key.csv")
    put("question,answer\nWhy?,x\n")
    convert("class.csv", "-o", "c.tsv", "--key", "key.csv")
    assert texts(read_table("c.tsv")) == [("Why?", ["So."], ["x"])]


def test_file_names_are_safe_and_unique(convert):
    ids = ["../../x", "Q1", "q1", "???"]
    write_table("t.csv", [Question(id, "W", answers=(Answer(f"n{id}", "x"),)) for id in ids])
    convert("t.csv", "-o", "out")
    assert sorted(file.name for file in Path("out").iterdir()) == [
        *("Q1.xml", "q1_2.xml", "question.xml", "x.xml")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["class.csv", "-o", "t.xml"], "holds one question, but there are 2"),
        (["class.csv", "-o", "t.pdf"], "files ending in '.pdf' are not supported"),
        (["class.csv", "-o", "full"], "already contains other XML files"),
        (["class.csv", "-o", "file"], "a folder is needed"),
        (["class.csv", "-o", "./class.csv"], "is the file being read"),
        (["full", "-o", "t.csv", "--wide"], "SRA XML, where options"),
        (["class.csv", "-o", "t.csv", "--long"], "no column for the answer"),
        (["class.csv", "-o", "t.csv", "--wide", "--column", "label=x"], "can only name the id"),
        (["class.csv", "-o", "t.csv", "--wide", "--question", "Q=1", "--question", "Q=2"], "two texts"),
        (["class.csv", "-o", "t.csv", "--long", "--question", "a", "--question", "b"], "only one --question"),
        (["none.csv", "-o", "t.csv"], "does not exist"),
    ],
)
def test_it_explains_what_it_cannot_do(postil, arguments, message):
    put(MOODLE)
    put("", "file")
    write_question("full/other.xml", Question("o", "W", (Reference("r", "R"),)))
    status, out, err = postil("convert", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert not Path("t.csv").exists()
    assert Path("class.csv").read_text(encoding="utf-8") == MOODLE


def test_columns_are_parsed():
    assert parse_columns(["answer = Reply", "reference=A", "reference=B", "id="]) == {
        "answer": "Reply",
        "reference": "A",
        "reference_2": "B",
        "id": "",
    }
    with pytest.raises(PostilError, match="ROLE=NAME"):
        parse_columns(["answer"])
    with pytest.raises(PostilError, match="'answer' to two columns"):
        parse_columns(["answer=a", "answer=b"])


def test_a_named_answer_means_a_long_table():
    path = put("question,Why did you answer as you did?\nW,x\n")
    read = read_source(path, TableOptions(column=["answer=Why did you answer as you did?"]))
    assert texts(read) == [("W", [], ["x"])]


# --- check: whatever an error advises can be tried there ----------------------------------------------------


@pytest.mark.parametrize(
    ("content", "encoding", "advice", "options"),
    [
        ("question;answer\nWhy?;größer\n", "cp1252", "--encoding", ("--encoding", "cp1252")),
        ("student,question,answer\na,Why?,x\na,Why?,y\n", "utf-8", "--column id=", ("--column", "id=")),
        ("answer\nx\n", "utf-8", "--question", ("--question", "Why?")),
        ("Student;Q1\nann;x\n", "utf-8", "--question", ("--question", "Q1=Why?")),
        ("question,answer,label\nWhy?,x,2\n", "utf-8", "--column label=", ("--column", "label=")),
        ("question,Wrote\nWhy?,x\n", "utf-8", "--column 'answer=", ("--column", "answer=Wrote")),
    ],
)
def test_check_takes_the_options_it_advises(postil, content, encoding, advice, options):
    path = put(content, encoding=encoding)
    status, _, err = postil("check", path)
    assert status == 2
    assert advice in err
    status, out, err = postil("check", path, *options)
    assert (status, err) == (0, "")
    assert out.startswith("class.csv: table: 1 question, ")


def test_check_names_the_questions_of_a_wide_table(postil):
    put(f"Email,What is a gas?,{'Explain at length ' * 10}why.\na@x.org,air,x\n")
    _, out, _ = postil("check", "class.csv")
    assert "one column a question: 'What is a gas?', 'Explain at length" in out
    assert len(out) < 250


PRIVATE = "my father drinks every evening"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("class.csv", f"student,question,answer,label\nann,Why?,correct,{PRIVATE}\n"),
        ("class.csv", f"student,question,answer\nann,Why?,{PRIVATE}\nann,Why?,{PRIVATE}\n"),
        ("class.csv", f'student,question,answer\nann,Why?,"{PRIVATE}\n'),
        ("class.csv", f"student,question,answer\nann,,{PRIVATE}\n"),
        ("class.csv", f"student,question,answer\nann,Why?,{PRIVATE},{PRIVATE}\n"),
        ("class.jsonl", f'{{"answer": "{PRIVATE}\n'),
        ("run.tsv", f"id\tpredicted\na\t{PRIVATE}\n"),
        ("essay.txt", f"{PRIVATE}\n{PRIVATE} {PRIVATE}\n"),
        ("class.json", f'[{{"answer": "{PRIVATE}"}}]'),
        (
            "q.xml",
            f'<question id="q"><questionText>{PRIVATE}</answer></question>',
        ),
        ("a.sent1.chunk.txt", f"{PRIVATE} \n"),
    ],
)
def test_errors_do_not_repeat_answers(postil, name, content):
    status, out, err = postil("check", put(content, name))
    assert (status, out) == (2, "")
    assert not {"father", "drinks", "evening"} & set(err.replace("'", " ").split())


def test_a_quiz_becomes_a_table(convert, postil):
    put(
        "$CATEGORY: $course$/top/Light\n\n::A:: Why? {=So. =Thus. =%50%Maybe}\n\nHow? {}\n\nIs it? {T}",
        "q.gift",
    )
    said = convert("q.gift", "-o", "q.csv")
    assert said == "Read 2 questions, 0 answers, 0 labelled from q.gift; wrote q.csv.\n"
    assert texts(read_table("q.csv")) == [("Why?", ["So.", "Thus."], []), ("How?", [], [])]
    assert [question.module for question in read_table("q.csv")] == ["Light", "Light"]
    question = (
        '<question type="essay"><name><text>n</text></name><questiontext><text>Why?</text></questiontext>'
    )
    put(f"<quiz>{question}</question></quiz>", "q.xml")
    convert("q.xml", "-o", "x.csv")
    assert texts(read_table("x.csv")) == [("Why?", [], [])]
    status, out, _ = postil("check", "q.xml", "q.gift")
    assert status == 0
    assert out.splitlines() == [
        "q.xml: Moodle XML: 1 question, 0 references (1 question without)",
        "q.gift: GIFT: 2 questions, 2 references (1 question without); not read: 1 true or false",
    ]


def test_a_quiz_takes_no_options_for_tables(postil):
    put("Why? {=So.}", "q.gift")
    status, _, err = postil("convert", "q.gift", "-o", "q.csv", "--wide")
    assert status == 2
    assert "is read as GIFT" in err
