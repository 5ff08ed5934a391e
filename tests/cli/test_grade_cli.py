"""`postil grade`: every form of result, what is remembered, and what is refused before any grading."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from postil.cli.grade_table import COLUMNS, EXPLAINED, PROPOSED, columns
from postil.data.formats.rows import read_rows
from postil.data.judgements import CREDIT, AlignedPair, Alignment, Explanation, Judgement, collapsed, score_of
from postil.errors import PostilError

QUESTIONS = {
    "Why does ice float?": "It is less dense than water.",
    "What does a plant take from the air?": "It takes carbon dioxide.",
}
TABLE = """question_id,question,reference,id,answer,label
ice,Why does ice float?,It is less dense than water.,ann,It is less dense than water.,correct
ice,Why does ice float?,It is less dense than water.,ben,because it is heavy,contradictory
ice,Why does ice float?,It is less dense than water.,cem,,
air,What does a plant take from the air?,It takes carbon dioxide.,dee,carbon dioxide,
air,What does a plant take from the air?,It takes carbon dioxide.,eva,i have no idea,non_domain
"""
UNLABELLED = re.sub(r",(correct|contradictory|non_domain)$", ",", TABLE, flags=re.MULTILINE)


def explained(judgement: Judgement) -> Judgement:
    """A judgement with an explanation that is the same for all."""
    pair = AlignedPair("1", ("ice",), ("water",), (Alignment((1,), (1,), ("REL",), 2.0),))
    told = Explanation(pair, "The answer says “ice” where the reference says “water”.", "Think again.")
    return replace(judgement, explanation=told)


@dataclass
class MadeUp:
    """A grader without a model: what shares all its words with the reference is correct, and so on."""

    credit: dict[str, float] = field(default_factory=dict)
    target: float | None = None
    model: object = None
    reader: str = "quick"
    strictness: str = ""
    remembered: dict[tuple[str, str], str] = field(default_factory=dict)
    proposed: list[tuple[str, int]] = field(default_factory=list)

    def grade(self, question: str, references: list[str], answer: str) -> Judgement:
        told = self.remembered.get((question, answer))
        words = set(re.findall(r"\w+", answer.lower()))
        shared = len(words & set(re.findall(r"\w+", references[0].lower()))) / max(1, len(words))
        if told:
            label, confidence, because = told, 1.0, "a person has labelled this answer"
        elif not words:
            label, confidence, because = "non_domain", 1.0, "nothing was written"
        else:
            label = "correct" if shared == 1 else "contradictory" if "heavy" in words else "irrelevant"
            confidence, because = 0.6 + 0.39 * shared, ""
        five = dict.fromkeys(CREDIT, (1 - confidence) / 4) | {label: confidence}
        probabilities = collapsed(five)
        return Judgement(
            labels={name: max(each, key=each.__getitem__) for name, each in probabilities.items()},
            probabilities=probabilities,
            score=score_of(five, CREDIT | self.credit),
            confidence=confidence,
            deferred=confidence < (self.target or 0.7),
            because=because,
            reader="" if because else self.reader,
            read_by="" if because else "careful" if confidence < 0.9 else "quick",
        )

    def grade_many(
        self, questions, *, progress=None, explain=False, claims=None
    ) -> Iterator[tuple[object, list[Judgement]]]:
        for question in questions:
            references = [reference.text for reference in question.references]
            judged = [self.grade(question.text, references, one.text) for one in question.answers]
            yield question, [explained(one) if explain and not one.because else one for one in judged]

    def remember(self, question: str, references: list[str], labelled: list[tuple[str, str]]) -> None:
        assert references == [QUESTIONS[question]]
        self.remembered |= {(question, answer): label for answer, label in labelled}

    def propose(self, question: str, references: list[str], answers: list[str], k: int) -> list[int]:
        self.proposed.append((question, k))
        open_ = [place for place, text in enumerate(answers) if (question, text) not in self.remembered]
        return open_[::-1][:k]


@pytest.fixture
def made_up(monkeypatch) -> MadeUp:
    """The made-up grader in the place of the real one."""
    grader = MadeUp()

    def load(model=None, *, credit=None, target=None, reader=None, strictness="", pupils=""):
        grader.model, grader.credit, grader.target = model, dict(credit or {}), target
        grader.reader, grader.strictness = reader or "quick", strictness
        return grader

    monkeypatch.setattr("postil.grader.load", load)
    return grader


@pytest.fixture
def ungraded(monkeypatch) -> None:
    """Nothing may be loaded: what is wrong must show before."""

    def load(*arguments: object, **options: object) -> None:
        raise AssertionError("the grader was loaded")

    monkeypatch.setattr("postil.grader.load", load)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def read(path) -> list[dict[str, str]]:
    rows = read_rows(path)
    return [dict(zip(rows.header, row.cells, strict=True)) for row in rows.rows]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "xlsx"])
@pytest.mark.usefixtures("made_up")
def test_every_answer_in_order_in_every_format(postil, table, tmp_path, ending):
    result = tmp_path / f"graded.{ending}"
    status, out, err = postil("grade", table, "-o", result)
    assert (status, out) == (0, "")
    rows = read(result)
    assert tuple(rows[0]) == COLUMNS
    assert [row["id"] for row in rows] == ["ann", "ben", "cem", "dee", "eva"]
    assert rows[0] == {
        "question_id": "ice",
        "question": "Why does ice float?",
        "id": "ann",
        "answer": "It is less dense than water.",
        "label": "correct",
        "says": "correct",
        "score": "0.991",
        "confidence": "0.990",
        "deferred": "",
        "because": "",
        "reader": "quick",
        "read_by": "quick",
        "teacher": "correct",
    }
    assert [row["says"] for row in rows[1:]] == ["contradicts", "not an answer", "correct", "off the point"]
    assert [row["deferred"] for row in rows] == ["", "", "", "", "yes"]
    assert rows[2]["because"] == "nothing was written"
    assert [row["teacher"] for row in rows] == ["correct", "contradictory", "", "", "non_domain"]
    assert "5 answers to 2 questions" in err
    assert "a person should look at 1" in err
    assert str(result) in err


@pytest.mark.usefixtures("made_up")
def test_rows_keep_their_order_though_questions_mix(postil, tmp_path):
    path = tmp_path / "mixed.csv"
    rows = ["one?,r,a,x1", "two?,r,b,x2", "one?,r,c,x3", "two?,r,d,x4"]
    path.write_text("question,reference,answer,id\n" + "\n".join(rows) + "\n", "utf-8")
    postil("grade", path, "-o", tmp_path / "out.csv")
    assert [row["id"] for row in read(tmp_path / "out.csv")] == ["x1", "x2", "x3", "x4"]


@pytest.mark.parametrize(
    ("scheme", "labels"),
    [
        ("5way", ["correct", "contradictory", "non_domain", "correct", "irrelevant"]),
        ("3way", ["correct", "contradictory", "incorrect", "correct", "incorrect"]),
        ("2way", ["correct", "incorrect", "incorrect", "correct", "incorrect"]),
    ],
)
@pytest.mark.usefixtures("made_up")
def test_the_labels_asked_for(postil, table, tmp_path, scheme, labels):
    assert postil("grade", table, "-o", tmp_path / "graded.csv", "--labels", scheme)[0] == 0
    assert [row["label"] for row in read(tmp_path / "graded.csv")] == labels


@pytest.mark.usefixtures("made_up")
def test_on_the_terminal_the_doubtful_come_first(postil, tmp_path, table):
    long = "an answer that goes on " * 30
    table.write_text(TABLE + f"air,,,fay,{long},\n", encoding="utf-8")
    status, out, err = postil("grade", table)
    assert (status, err) == (0, "")
    assert out.index("Why does ice float?") < out.index("reference: It is less dense than water.")
    shown = out[out.index("What does a plant") :]
    assert re.search(r"eva +i have no idea +off the point +not an answer +0\.\d\d +60% +look", shown)
    assert shown.index("eva") < shown.index("dee")
    assert "…" in shown
    assert long.strip() not in out
    assert "(empty)" in out
    assert "because nothing was written" in out
    assert "6 answers to 2 questions, mean score" in out


@pytest.mark.usefixtures("made_up")
def test_explanations_in_the_table_and_the_report(postil, table, tmp_path):
    result, report = tmp_path / "graded.csv", tmp_path / "report.html"
    assert postil("grade", table, "--explain", "-o", result, "--report", report)[0] == 0
    rows = read(result)
    assert tuple(rows[0]) == columns(explained=True)
    assert list(rows[0])[-4:] == [*EXPLAINED, "teacher"]
    assert rows[1]["explanation"] == "The answer says “ice” where the reference says “water”."
    assert rows[1]["feedback"] == "Think again."
    # Nothing was written, and that is all there is to say.
    assert (rows[2]["because"], rows[2]["explanation"], rows[2]["feedback"]) == (
        "nothing was written",
        "",
        "",
    )
    page = report.read_text("utf-8")
    assert page.count("To the student<") == page.count("Alignment of answer and reference") == 4
    assert not re.search(r"<script|<link|<img|src=|https?://", page)


@pytest.mark.usefixtures("made_up")
def test_explanations_on_the_terminal(postil, table):
    said = "The answer says “ice” where the reference says “water”."
    assert postil("grade", table, "--explain")[1].count(said) == 4
    assert said not in postil("grade", table)[1]


def test_an_explained_result_can_be_remembered(postil, table, tmp_path, made_up):
    result = tmp_path / "graded.csv"
    postil("grade", table, "--explain", "-o", result)
    assert postil("grade", table, "-o", tmp_path / "again.csv", "--remember", result)[0] == 0
    assert sorted(made_up.remembered.values()) == ["contradictory", "correct", "non_domain"]


@pytest.mark.usefixtures("made_up")
def test_labels_in_the_table_are_compared_and_not_used(postil, table, tmp_path):
    _, _, err = postil("grade", table, "-o", tmp_path / "with.tsv")
    assert "not used: 100.0% (correct or not: 3 of 3), 66.7% (5 labels: 2 of 3)" in err
    table.write_text(UNLABELLED, encoding="utf-8")
    _, _, quiet = postil("grade", table, "-o", tmp_path / "without.tsv")
    assert "Agreement" not in quiet
    judged, again = read(tmp_path / "with.tsv"), read(tmp_path / "without.tsv")
    assert [row.pop("teacher") for row in judged] != [row.pop("teacher") for row in again]
    assert judged == again


@pytest.mark.usefixtures("made_up")
def test_two_labels_are_compared_once(postil, table, tmp_path):
    text = TABLE.replace("contradictory", "not correct").replace("non_domain", "correct")
    table.write_text(text, encoding="utf-8")
    _, _, err = postil("grade", table, "-o", tmp_path / "graded.csv")
    assert "not used: 66.7% (correct or not: 2 of 3)." in err


@pytest.mark.usefixtures("made_up")
def test_the_report_stands_alone_and_carries_the_warnings(postil, table, tmp_path):
    table.write_text(
        TABLE.replace("Why does ice", "Look at the picture below. Why does ice"), encoding="utf-8"
    )
    report = tmp_path / "pages" / "report.html"
    status, _, err = postil("grade", table, "-o", tmp_path / "graded.csv", "--report", report)
    assert status == 0
    page = report.read_text("utf-8")
    assert "class.csv" in page
    assert "carbon dioxide" in page
    assert not re.search(r"<script|<link|<img|src=|https?://", page)
    warnings = [line for line in err.splitlines() if line.startswith("warning: question ice: ")]
    assert len(warnings) == 1
    assert warnings[0].removeprefix("warning: question ice: ") in page
    assert "question air" not in err


def test_what_a_person_filled_in_is_remembered(postil, table, tmp_path, made_up):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    table.write_text(UNLABELLED, encoding="utf-8")
    postil("grade", table, "-o", first)
    rows = read(first)
    rows[4]["teacher"] = "partly right"
    with first.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    status, _, err = postil("grade", table, "-o", second, "--remember", first)
    assert status == 0
    # Only the person's label, not those that Postil wrote into the same file.
    plant = "What does a plant take from the air?"
    assert made_up.remembered == {(plant, "i have no idea"): "partially_correct_incomplete"}
    again = read(second)
    assert again[4]["says"] == "partly right"
    assert again[4]["because"] == "a person has labelled this answer"
    assert again[4]["teacher"] == "partially_correct_incomplete"
    assert again[:4] == rows[:4]
    assert "Learned from 1 label given by a person." in err
    assert "Agreement" not in err


def test_a_labelled_table_of_another_class_is_remembered(postil, table, tmp_path, made_up):
    other = tmp_path / "last_year.csv"
    other.write_text(
        "question,id,answer,label\nwhy does ICE float?,ann,like a boat,off the point\nWho?,bob,me,correct\n",
        encoding="utf-8",
    )
    status, _, err = postil("grade", table, "-o", tmp_path / "graded.csv", "--remember", other)
    assert status == 0
    assert made_up.remembered == {("Why does ice float?", "like a boat"): "irrelevant"}
    assert "ignored 1 label for questions" in err
    assert read(tmp_path / "graded.csv")[0]["teacher"] == "correct"


def test_labelled_rows_are_remembered_on_request(postil, table, tmp_path, made_up):
    status, _, err = postil("grade", table, "-o", tmp_path / "graded.csv", "--remember-labelled")
    assert status == 0
    assert sorted(made_up.remembered.values()) == ["contradictory", "correct", "non_domain"]
    assert read(tmp_path / "graded.csv")[4]["label"] == "non_domain"
    assert "Agreement" not in err


def test_credit_target_and_model_reach_the_grader(postil, table, tmp_path, made_up):
    options = (
        "--credit",
        "partly right=0.6",
        "--credit",
        "Off the point=.25",
        "--target",
        ".95",
        "--model",
        "m",
        "--reader",
        "cascade",
        "--strictness",
        "lenient",
    )
    assert postil("grade", table, "-o", tmp_path / "graded.csv", *options)[0] == 0
    assert (made_up.reader, made_up.strictness) == ("cascade", "lenient")
    assert {row["reader"] for row in read(tmp_path / "graded.csv")} == {"cascade", ""}
    assert {row["read_by"] for row in read(tmp_path / "graded.csv")} == {"careful", "quick", ""}
    assert made_up.credit == {"partially_correct_incomplete": 0.6, "irrelevant": 0.25}
    assert (made_up.target, str(made_up.model)) == (0.95, "m")


def test_proposals_are_shown_or_written_to_be_filled_in(postil, table, tmp_path, made_up):
    status, out, err = postil("grade", table, "--propose", 2)
    assert (status, err) == (0, "")
    assert [name for name in re.findall(r"^(\w{3}) ", out, re.MULTILINE) if name != "Why"] == [
        "cem",
        "ben",
        "eva",
        "dee",
    ]
    assert "sure" not in out
    status, out, err = postil(
        "grade", table, "--propose", 1, "-o", tmp_path / "label.csv", "--remember-labelled"
    )
    assert (status, out) == (0, "")
    rows = read(tmp_path / "label.csv")
    assert tuple(rows[0]) == PROPOSED
    assert [(row["id"], row["teacher"]) for row in rows] == [("cem", ""), ("dee", "")]
    assert made_up.proposed[2:] == [("Why does ice float?", 1), ("What does a plant take from the air?", 1)]
    assert "--remember" in err


@pytest.mark.usefixtures("made_up")
def test_tables_are_read_with_the_options_of_every_verb(postil, tmp_path):
    wide = tmp_path / "form.csv"
    wide.write_text("student,Q1,Q2\nann,It is less dense than water.,rain\nben,,\n", encoding="utf-8")
    key = tmp_path / "key.csv"
    entries = [f"Q{number},{text},{right}" for number, (text, right) in enumerate(QUESTIONS.items(), 1)]
    key.write_text("\n".join(["column,question,reference", *entries]), encoding="utf-8")
    assert postil("grade", wide, "--key", key, "-o", tmp_path / "graded.jsonl")[0] == 0
    rows = [json.loads(line) for line in (tmp_path / "graded.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["Q1.ann", "Q2.ann", "Q1.ben", "Q2.ben"]
    assert rows[0]["label"] == "correct"

    one = tmp_path / "one.csv"
    one.write_text("said\nheavy\n", encoding="utf-8")
    options = ("--column", "answer=said", "--question", "Why does ice float?", "--reference", "Less dense.")
    status, out, _ = postil("grade", one, *options)
    assert status == 0
    assert "contradicts" in out


@pytest.mark.usefixtures("ungraded")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "graded.doc"), "Supported endings: .csv, .tsv, .jsonl, .xlsx"),
        (("-o", "folder.csv"), "this is a folder"),
        (("-o", "class.csv"), "is also one of the files to read"),
        (("--report", "report.pdf"), "Supported endings: .html"),
        (("--labels", "4way"), "Choose from: 5way, 3way, 2way"),
        (("--credit", "great=1"), "the label 'great' is unknown"),
        (("--credit", "not correct=.1"), "the label 'not correct' is unknown"),
        (("--credit", "partly right"), "Write LABEL=NUMBER"),
        (("--credit", "partly right=half"), "the number must be from 0 to 1"),
        (("--credit", "partly right=nan"), "the number must be from 0 to 1"),
        (("--credit", "partly right=1.5"), "the number must be from 0 to 1"),
        (("--propose", "0"), "--propose"),
        (("--propose", "2", "--report", "report.html"), "so there is no report"),
        (("--propose", "2", "--explain"), "so there is nothing to explain"),
        (("--remember", "nowhere.csv"), "nowhere.csv"),
        (("--remember", "blank.csv"), "no labels to remember"),
        (("--remember", "strange.csv"), "none of the questions of this class"),
    ],
)
def test_options_refused_before_grading(postil, table, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "blank.csv").write_text(UNLABELLED)
    (tmp_path / "strange.csv").write_text("question,answer,label\nWho?,me,correct\n")
    before = sorted(tmp_path.iterdir())
    status, out, err = postil("grade", table, *options)
    assert (status, out) == (2, "")
    assert said in err
    assert sorted(tmp_path.iterdir()) == before
    assert table.read_text("utf-8") == TABLE


@pytest.mark.usefixtures("ungraded")
@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("question,answer\nWhy?,because\n", (), "for 1 question: 'q1'"),
        ("question,reference,answer\n", (), "no row below it"),
        ("", (), "the file is empty"),
        ("question,reference,id,answer\nWhy?,So.,,\n", (), "contains no answers"),
        ("question,reference,answer\nWhy?,So.,so\n", ("--remember-labelled",), "no labels to remember"),
        ("question,reference,answer,label\nWhy?,So.,so,great\n", (), "the label 'great' is unknown"),
    ],
)
def test_tables_refused_before_grading(postil, tmp_path, text, options, said):
    path = tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    status, out, err = postil("grade", path, *options)
    assert (status, out) == (2, "")
    assert said in err


def test_a_failure_leaves_nothing_half_written(postil, table, tmp_path, made_up, monkeypatch):
    def fail(questions: object, **options: object) -> None:
        raise PostilError("the chalk is broken.")

    monkeypatch.setattr(made_up, "grade_many", fail)
    before = sorted(tmp_path.iterdir())
    status, _, err = postil(
        "grade", table, "-o", tmp_path / "graded.csv", "--report", tmp_path / "report.html"
    )
    assert status == 2
    assert "the chalk is broken" in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_target_out_of_reach(postil, table):
    status, out, err = postil("grade", table, "--target", "90")
    assert (status, out) == (2, "")
    assert "between 0 and 1" in err


def test_the_real_grader_does_not_look_at_labels(postil, table, tmp_path):
    assert postil("grade", table, "-o", tmp_path / "with.csv")[0] == 0
    swapped = TABLE.replace(",correct\n", ",irrelevant\n").replace(",non_domain\n", ",correct\n")
    table.write_text(swapped, encoding="utf-8")
    assert postil("grade", table, "-o", tmp_path / "swapped.csv")[0] == 0
    judged, again = read(tmp_path / "with.csv"), read(tmp_path / "swapped.csv")
    assert [row.pop("teacher") for row in judged] != [row.pop("teacher") for row in again]
    assert judged == again
    assert [row["label"] for row in judged][:1] == ["correct"]
    assert judged[2]["because"]
    assert all(0 <= float(row["score"]) <= 1 and 0.5 <= float(row["confidence"]) <= 1 for row in judged)


def test_the_real_grader_takes_a_person_at_their_word(postil, table, tmp_path):
    table.write_text(TABLE.replace(",carbon dioxide,\n", ",carbon dioxide,irrelevant\n"), encoding="utf-8")
    status, _, err = postil("grade", table, "-o", tmp_path / "graded.csv", "--remember-labelled")
    assert status == 0
    assert "Learned from 4 labels" in err
    rows = read(tmp_path / "graded.csv")
    assert [row["label"] for row in rows if row["teacher"]] == [
        row["teacher"] for row in rows if row["teacher"]
    ]
    assert rows[3]["label"] == "irrelevant"


def test_a_mistyped_file_name_is_answered_with_the_right_one(postil, tmp_path):
    (tmp_path / "class.csv").write_text("answer\nIt melts.\n", encoding="utf-8")
    status, _, err = postil("grade", tmp_path / "clas.csv")
    assert status == 2
    assert f"Did you mean {tmp_path / 'class.csv'}?" in err


def test_a_folder_of_tables_needs_a_folder_for_the_result(postil, tmp_path):
    (tmp_path / "class.csv").write_text("answer\nIt melts.\n", encoding="utf-8")
    status, _, err = postil("grade", tmp_path)
    assert status == 2
    assert "Name a folder with -o" in err


FORMULAS = ["=HYPERLINK(1)", "+1", "-5 °C", "@a", "\t=1", "＝1", "'=1", " =1", "a=b", "'tis", "-"]


@pytest.fixture
def formulas(tmp_path):
    """A class whose answers are formulas, or look like some."""
    path = tmp_path / "formulas.csv"
    rows = [["question_id", "question", "reference", "id", "answer"]]
    reference = QUESTIONS["Why does ice float?"]
    rows += [
        ["ice", "Why does ice float?", reference, f"a{n}", text] for n, text in enumerate(FORMULAS, start=1)
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def cells(path, delimiter=","):
    with path.open(newline="") as file:
        return [row["answer"] for row in csv.DictReader(file, delimiter=delimiter)]


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_answers_are_no_formulas_in_a_spreadsheet(postil, formulas, tmp_path, ending, delimiter):
    safe, raw = tmp_path / f"safe.{ending}", tmp_path / f"raw.{ending}"
    assert postil("grade", formulas, "-o", safe)[0] == 0
    assert postil("grade", formulas, "-o", raw, "--raw")[0] == 0
    assert cells(raw, delimiter) == FORMULAS
    assert cells(safe, delimiter) == [f"'{text}" for text in FORMULAS[:8]] + FORMULAS[8:]
    assert [row["answer"] for row in read(safe)] == FORMULAS  # Postil reads its own file as it was


@pytest.mark.usefixtures("made_up")
def test_a_workbook_needs_no_apostrophe(postil, formulas, tmp_path):
    result = tmp_path / "graded.xlsx"
    assert postil("grade", formulas, "-o", result)[0] == 0
    assert [row["answer"] for row in read(result)] == FORMULAS


def test_labels_for_answers_like_formulas_are_remembered(postil, formulas, tmp_path, made_up):
    result = tmp_path / "graded.csv"
    assert postil("grade", formulas, "-o", result)[0] == 0
    result.write_text(re.sub(r",$", ",contradictory", result.read_text(), flags=re.MULTILINE))
    again = tmp_path / "again.csv"
    assert postil("grade", formulas, "--remember", result, "-o", again)[0] == 0
    assert {answer for _, answer in made_up.remembered} == set(FORMULAS)
    assert {row["because"] for row in read(again)} == {"a person has labelled this answer"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "xlsx"])
def test_only_their_owner_can_read_the_results(postil, table, tmp_path, ending):
    result, report, proposed = (tmp_path / name for name in (f"g.{ending}", "r.html", f"p.{ending}"))
    result.touch(0o644)
    report.touch(0o400)
    before = os.umask(0o002)
    try:
        assert postil("grade", table, "-o", result, "--report", report)[0] == 0
        assert postil("grade", table, "--propose", "1", "-o", proposed)[0] == 0
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (result, proposed, report)]
    assert modes == [0o600, 0o600, 0o400]
