"""Every verb with every kind of broken file: exit status 2, one message that names the file, no traceback."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.data.formats.chunks import read_chunks, read_sentences
from postil.data.formats.detection import describe
from postil.data.formats.ists import parse_alignments, read_alignments
from postil.data.formats.ists_rules import check_alignments
from postil.data.formats.rows import read_rows, write_rows
from postil.data.formats.rte import read_gold, read_pairs, read_pairs_tsv, read_pairs_xml, read_run
from postil.data.formats.sensekeys import read_sense_answers, read_sense_key, read_sense_map
from postil.data.formats.senseval import read_senseval
from postil.data.formats.sra import read_corpus, read_labels, read_question
from postil.data.formats.tables import read_key, read_table
from postil.data.formats.wide import read_wide
from postil.data.labels import FACET_SCHEMES, RESPONSE_SCHEMES
from postil.errors import PostilError

WA = (
    '<sentence id="1" status="">\n// a café\n// a café\n<source>\n1 a : \n2 café : \n</source>\n'
    "<translation>\n1 a : \n2 café : \n</translation>\n<alignment>\n"
    "1 2 <==> 1 2 // EQUI // 5 // a café <==> a café \n</alignment>\n</sentence>\n"
)
SRA = (
    '<question id="q">\n<questionText>Où?</questionText>\n<referenceAnswers>\n'
    '<referenceAnswer id="r"><text>Là</text><facet id="f" term1Text="a" term2Text="b"/></referenceAnswer>\n'
    "</referenceAnswers>\n<studentAnswers>\n"
    '<studentAnswer id="é" accuracy="correct"><text>là</text>'
    '<facetEntailment facetID="f" label="Expressed"/></studentAnswer>\n'
    '<studentAnswer id="b" accuracy="irrelevant">non</studentAnswer>\n</studentAnswers>\n</question>\n'
)
RTE = (
    '<entailment-corpus>\n<pair id="é" entailment="YES">\n<t>Là</t>\n<h>là</h>\n</pair>\n'
    '<pair id="b" entailment="UNKNOWN">\n<t>a</t>\n<h>b</h>\n</pair>\n</entailment-corpus>\n'
)
SENSES = (
    '<corpus>\n<lexelt item="bank.n">\n<instance id="bank.1">\n<answer instance="bank.1" senseid="s1"/>\n'
    "<context>\nthe <head>bank</head> é\n</context>\n</instance>\n</lexelt>\n</corpus>\n"
)
# task → (ending of the run, its text, ending of the gold, its text)
VALID = {
    "responses": (".tsv", "id\tpredicted\né\tcorrect\nb\tirrelevant\n", ".xml", SRA),
    "responses-tsv": (
        ".tsv",
        "id\tpredicted\né\tcorrect\nb\tirrelevant\n",
        ".tsv",
        "id\tqid\taccuracy\né\tq\tcorrect\nb\tq\tnon_domain\n",
    ),
    "facets": (".tsv", "id\tpredicted\nf*é\tUnaddressed\n", ".xml", SRA),
    "entailment": (".tsv", "id\tlabel\né\tYES\nb\tUNKNOWN\n", ".xml", RTE),
    "entailment-tsv": (
        ".txt",
        "ranked: yes\né YES\nb UNKNOWN\n",
        ".tsv",
        "id\tentailment_3way\tt\th\né\tYES\tlà\tlà\nb\tUNKNOWN\ta\tb\n",
    ),
    "alignment": (".wa", WA, ".wa", WA),
    "senses": (".txt", "bank.n bank.1 s1\nbank.n é s1\n", ".key", "bank.n bank.1 s1\nbank.n é s2\n"),
}
SIDES = [(task, side) for task in VALID for side in ("system", "gold")]


@pytest.fixture
def refused(postil):
    """Run the command, see that it refuses properly, and give its message."""

    def run(*arguments: object, begins: str = "postil: ") -> str:
        status, out, err = postil(*arguments)
        assert status == 2
        assert out == ""
        assert "Traceback" not in err
        first, *rest = err.splitlines()
        assert first.startswith(begins)
        # A hint may follow, indented; a second message may not.
        assert len(rest) <= 1
        assert all(line.startswith("        ") for line in rest)
        assert len(err) < 2000
        return err

    return run


def files_for(folder: Path, task: str) -> dict[str, Path]:
    system_ending, system, gold_ending, gold = VALID[task]
    paths = {"system": folder / f"the-run{system_ending}", "gold": folder / f"the-gold{gold_ending}"}
    paths["system"].write_bytes(system.encode())
    paths["gold"].write_bytes(gold.encode())
    return paths


def score(task: str, paths: dict[str, Path]) -> tuple[object, ...]:
    return "score", task.partition("-")[0], paths["system"], paths["gold"], "--json"


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def sparse(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(100 * 2**20)


# XML in UTF-16 tells its encoding without a mark, so only the others are broken by that.
NOT_XML = "UTF-16 without a mark"
BROKEN = {
    "empty": lambda path: path.write_bytes(b""),
    "blank": lambda path: path.write_bytes(b" \n\r\n\t\n"),
    "only a mark": lambda path: path.write_bytes(b"\xef\xbb\xbf"),
    "missing": lambda path: path.unlink(),
    "folder": as_folder,
    "NUL": lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\n\0", 1)),
    "binary": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    NOT_XML: lambda path: path.write_bytes(path.read_text("utf-8").encode("utf-16-le")),
}


def test_the_valid_files_are_valid(tmp_path, postil):
    for task in VALID:
        status, out, err = postil(*score(task, files_for(tmp_path, task)))
        assert (status, err) == (0, "")
        assert out.startswith("{")


# --- score: files that are no files, and files in no encoding -----------------------------------------------


@pytest.mark.parametrize(
    ("task", "side", "kind"),
    [
        (task, side, kind)
        for task, side in SIDES
        for kind in BROKEN
        if kind != NOT_XML or side == "system" or VALID[task][2] != ".xml"
    ],
)
def test_score_broken_file(tmp_path, refused, task, side, kind):
    paths = files_for(tmp_path, task)
    BROKEN[kind](paths[side])
    message = refused(*score(task, paths))
    assert paths[side].name in message
    if kind == "NUL":
        assert "line 2" in message


@pytest.mark.parametrize(("task", "side"), [item for item in SIDES if item[0] != "senses"])
def test_score_latin_1(tmp_path, refused, task, side):
    paths = files_for(tmp_path, task)
    paths[side].write_bytes(paths[side].read_text("utf-8").encode("latin-1"))
    message = refused(*score(task, paths))
    assert paths[side].name in message
    assert "not UTF-8 text" in message
    assert "line " in message


@pytest.mark.parametrize(("task", "side"), SIDES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_score_accepts_byte_order_marks(tmp_path, postil, task, side, encoding):
    paths = files_for(tmp_path, task)
    expected = postil(*score(task, paths))
    paths[side].write_bytes(paths[side].read_text("utf-8").encode(encoding))
    assert postil(*score(task, paths)) == expected
    assert expected[0] == 0


@pytest.mark.parametrize(("task", "side"), [("responses-tsv", "system"), ("entailment", "gold")])
def test_a_line_of_100_megabytes(tmp_path, refused, task, side):
    paths = files_for(tmp_path, task)
    sparse(paths[side])
    started = time.perf_counter()
    message = refused(*score(task, paths))
    assert time.perf_counter() - started < 2
    assert paths[side].name in message
    assert "MB long" in message
    assert "line " in message


@pytest.mark.parametrize("task", VALID)
def test_a_name_that_is_too_long(tmp_path, refused, task):
    paths = files_for(tmp_path, task)
    for side in paths:
        assert "too long" in refused(*score(task, {**paths, side: tmp_path / ("n" * 1000)}))


# --- score: XML --------------------------------------------------------------------------------------------

BOMB = "<!DOCTYPE x [<!ENTITY a0 'ha'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12)
)
XML_TASKS = [task for task, (_, _, ending, _) in VALID.items() if ending == ".xml"]


def entities(tmp_path: Path) -> dict[str, str]:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret")
    return {
        "bomb": f"{BOMB}]>",
        "external": f"<!DOCTYPE x [<!ENTITY e SYSTEM '{secret.as_uri()}'>]>",
        "parameter": f"<!DOCTYPE x [<!ENTITY % e SYSTEM '{secret.as_uri()}'> %e;]>",
    }


@pytest.mark.parametrize("task", XML_TASKS)
@pytest.mark.parametrize("kind", ["bomb", "external", "parameter"])
def test_score_entities(tmp_path, refused, task, kind):
    paths = files_for(tmp_path, task)
    use = {"bomb": "&a11;", "external": "&e;", "parameter": ""}[kind]
    content = paths["gold"].read_text("utf-8").replace("là", use).replace("Là", use)
    paths["gold"].write_text(entities(tmp_path)[kind] + content)
    message = refused(*score(task, paths))
    assert paths["gold"].name in message
    assert "entities" in message
    assert "s3cret" not in message


@pytest.mark.parametrize("task", XML_TASKS)
@pytest.mark.parametrize(
    ("old", "new"), [("</", "<"), ("id=", "id"), ("\n", "\n&x; ")], ids=["tag", "attribute", "entity"]
)
def test_score_malformed_xml(tmp_path, refused, task, old, new):
    paths = files_for(tmp_path, task)
    paths["gold"].write_text(paths["gold"].read_text("utf-8").replace(old, new, 1), "utf-8")
    message = refused(*score(task, paths))
    assert f"{paths['gold'].name}, line " in message
    assert "well-formed" in message


@pytest.mark.parametrize("task", XML_TASKS)
def test_score_other_xml(tmp_path, refused, task):
    paths = files_for(tmp_path, task)
    paths["gold"].write_text("<html><body/></html>")
    assert paths["gold"].name in refused(*score(task, paths))


# --- score: records ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", XML_TASKS)
def test_score_reads_bare_ampersands(tmp_path, postil, task):
    paths = files_for(tmp_path, task)
    expected = postil(*score(task, paths))
    content = paths["gold"].read_text("utf-8").replace("\n", "\n& AT&T &mdash; ", 1)
    paths["gold"].write_text(content, "utf-8")
    status, out, err = postil(*score(task, paths))
    assert (status, out, "") == expected
    assert err.startswith(f"warning: {paths['gold']}: 3 irregular places (line 2), read all the same.")


# (task, side, what to replace, by what, what the message holds)
RECORDS = [
    ("responses", "system", "irrelevant", "fine", ("the-run.tsv, line 3 (b)", "'fine'")),
    ("responses", "system", "b\t", "é\t", ("the-run.tsv, line 3", "'é' occurs twice")),
    ("responses", "system", "b\t", "\t", ("the-run.tsv, line 3", "no id")),
    ("responses", "system", "b\t", "c\t", ("the-run.tsv", "the-gold.xml", "'b'", "'c'")),
    ("responses", "system", "b\tirrelevant\n", "", ("the-run.tsv", "the-gold.xml", "'b'")),
    ("responses", "system", "é\tcorrect\nb\tirrelevant\n", "", ("the-run.tsv", "no record")),
    ("responses", "system", "irrelevant\n", "irrelevant\nx\tincorrect\n", ("the-run.tsv mixes", "incorrect")),
    ("responses", "system", "irrelevant", "incorrect", ("the-run.tsv", "the-gold.xml", "mixes")),
    ("responses", "system", "\tpredicted", "\tguess", ("the-run.tsv, line 1", "'predicted'")),
    ("responses", "gold", 'accuracy="irrelevant"', 'accuracy="fine"', ("the-gold.xml, line 8", "b)")),
    ("responses", "gold", 'id="b"', 'id="é"', ("the-gold.xml, line 8", "'é' occurs twice")),
    ("responses", "gold", 'id="b" ', "", ("the-gold.xml, line 8", "no 'id'")),
    ("responses", "gold", ' accuracy="irrelevant"', "", ("the-gold.xml (b)", "no label")),
    ("responses", "gold", 'accuracy="correct"', 'accuracy="incorrect"', ("the-gold.xml", "mixes")),
    ("responses-tsv", "gold", "non_domain", "nondomain", ("the-gold.tsv, line 3 (b)", "'nondomain'")),
    ("responses-tsv", "gold", "\nb", "\né", ("the-gold.tsv, line 3", "occurs twice")),
    ("responses-tsv", "gold", "\nb\tq", "\nb", ("the-gold.tsv, line 3", "columns")),
    ("facets", "system", "Unaddressed", "Absent", ("the-run.tsv, line 2 (f*é)", "'Absent'")),
    ("facets", "system", "f*é", "g*é", ("the-run.tsv", "the-gold.xml", "'f*é'", "'g*é'")),
    ("facets", "system", "Unaddressed\n", "Unaddressed\nf*é\tExpressed\n", ("the-run.tsv, line 3", "twice")),
    ("facets", "system", "f*é\tUnaddressed\n", "", ("the-run.tsv", "no record")),
    ("facets", "gold", 'label="Expressed"', 'label="Express"', ("the-gold.xml, line 7", "'Express'")),
    ("facets", "gold", '<facetEntailment facetID="f" label="Expressed"/>', "", ("the-gold.xml", "no labels")),
    ("entailment", "system", "UNKNOWN", "DUNNO", ("the-run.tsv, line 3 (b)", "'DUNNO'")),
    ("entailment", "system", "YES", "NO ENTAILMENT", ("the-run.tsv", "mixes two-way")),
    ("entailment", "system", "\nb", "\né", ("the-run.tsv, line 3", "'é' occurs twice")),
    ("entailment", "system", "\nb", "\nc", ("the-run.tsv", "the-gold.xml", "'b'", "'c'")),
    ("entailment", "system", "é\tYES\nb\tUNKNOWN\n", "", ("the-run.tsv", "no record")),
    ("entailment", "gold", "UNKNOWN", "DUNNO", ("the-gold.xml, line 6 (b)", "'DUNNO'")),
    ("entailment", "gold", 'id="b"', 'id="é"', ("the-gold.xml, line 6", "occurs twice")),
    ("entailment", "gold", ' entailment="UNKNOWN"', "", ("the-gold.xml (b)", "no label")),
    (
        "entailment",
        "gold",
        "</entailment-corpus>",
        '<pair id="c" entailment="NO ENTAILMENT"><t/><h/></pair></entailment-corpus>',
        ("the-gold.xml", "mixes two-way"),
    ),
    ("entailment-tsv", "system", "ranked: yes", "ranked: so so", ("the-run.txt, line 1", "ranked")),
    ("entailment-tsv", "system", "é YES\nb UNKNOWN\n", "", ("the-run.txt", "no judgement")),
    ("entailment-tsv", "gold", "\nb", "\né", ("the-gold.tsv, line 3", "occurs twice")),
    ("alignment", "system", "EQUI", "SAME", ("the-run.wa, line 13 (sentence 1)", "'SAME'")),
    ("alignment", "system", 'id="1"', 'id="2"', ("the-run.wa", "the-gold.wa", "'1'", "'2'")),
    (
        "alignment",
        "system",
        "2 café : \n</tr",
        "2 ca : \n3 fé : \n</tr",
        ("the-run.wa", "pair 1 has 2 and 2"),
    ),
    ("alignment", "gold", "</alignment>\n</sentence>\n", "", ("the-gold.wa, line 13", "ends before")),
    ("alignment", "gold", "</sentence>\n", f"</sentence>\n{WA}", ("the-gold.wa, line 16", "also on line")),
    ("alignment", "gold", WA[WA.index("\n") :], "\n", ("the-gold.wa, line 1", "ends before")),
    ("senses", "system", "\nbank.n é s1", "\nbank.n bank.1 s1", ("the-run.txt, line 2 (bank.1)", "already")),
    ("senses", "system", "é s1", "é s1/-1", ("the-run.txt, line 2 (é)", "negative")),
    ("senses", "gold", "é s2", "é", ("the-gold.key, line 2", "too few")),
    ("senses", "gold", "é s2", "é s2 s2", ("the-gold.key, line 2 (é)", "twice")),
    ("senses", "gold", "bank.n bank.1 s1\nbank.n é s2\n", "!! nothing\n", ("the-gold.key", "no answers")),
]


@pytest.mark.parametrize(("task", "side", "old", "new", "holds"), RECORDS)
def test_score_broken_record(tmp_path, refused, task, side, old, new, holds):
    paths = files_for(tmp_path, task)
    content = paths[side].read_text("utf-8")
    assert old in content
    paths[side].write_text(content.replace(old, new, 1), "utf-8")
    message = refused(*score(task, paths))
    for part in holds:
        assert part in message


@pytest.mark.parametrize("task", ["responses", "facets", "entailment", "alignment"])
def test_against_is_named_when_it_is_the_one(tmp_path, refused, task):
    paths = files_for(tmp_path, task)
    other = tmp_path / f"other{paths['system'].suffix}"
    content = paths["system"].read_text("utf-8")
    other.write_text(content.replace("é\t", "x\t").replace('id="1"', 'id="9"'), "utf-8")
    message = refused(*score(task, paths), "--against", other)
    assert other.name in message
    assert paths["system"].name not in message


def test_senses_without_a_counterpart_are_only_noted(tmp_path, postil):
    paths = files_for(tmp_path, "senses")
    paths["system"].write_text("bank.n bank.1 s1\nbank.n bank.9 s1\n")
    status, out, err = postil(*score("senses", paths))
    assert status == 0
    assert '"recall": 0.5' in out
    assert err == "note: not in the key, and not counted: 1 answer ('bank.9')\n"


# --- check -------------------------------------------------------------------------------------------------

NAMES = ["a.xml", "a.tsv", "a.csv", "a.jsonl", "a.xlsx", "a.wa", "a.chunk.txt", "a.key"]


@pytest.mark.parametrize("kind", [kind for kind in BROKEN if kind not in ("folder", "NUL")])
@pytest.mark.parametrize("name", NAMES)
def test_check_broken_file(tmp_path, refused, name, kind):
    path = tmp_path / name
    path.write_text("id\tlabel\n1\tYES\n")
    BROKEN[kind](path)
    assert name in refused("check", path, begins="error: ")


@pytest.mark.parametrize("name", NAMES)
def test_check_nul(tmp_path, refused, name):
    path = tmp_path / name
    path.write_bytes(b"a b c\n\0\n")
    assert name in refused("check", path, begins="error: ")


def test_check_folder_without_a_corpus(tmp_path, refused):
    assert str(tmp_path) in refused("check", tmp_path, begins="error: ")


@pytest.mark.parametrize("name", ["a.csv", "a.xml"])
def test_check_a_line_of_100_megabytes(tmp_path, refused, name):
    path = tmp_path / name
    path.write_text("id,answer\n")
    sparse(path)
    started = time.perf_counter()
    assert f"{name}, line 2" in refused("check", path, begins="error: ")
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("kind", ["bomb", "external", "parameter"])
@pytest.mark.parametrize("content", [SRA, RTE], ids=["responses", "entailment"])
def test_check_entities(tmp_path, refused, kind, content):
    path = tmp_path / "a.xml"
    path.write_text(entities(tmp_path)[kind] + content, "utf-8")
    message = refused("check", path, begins="error: ")
    assert "a.xml" in message
    assert "entities" in message


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("a.xml", SRA.replace("irrelevant", "wrong"), "line 8 (studentAnswer b)"),
        ("a.xml", SRA.replace('id="b"', 'id="é"'), "line 8"),
        ("a.xml", RTE.replace("UNKNOWN", "PERHAPS"), "line 6 (b)"),
        ("a.tsv", "id\taccuracy\na\tcorrect\na\tcorrect\n", "line 3"),
        ("a.tsv", "id\taccuracy\n", "no record"),
        ("a.tsv", "id\tt\th\n1\ta\n", "line 2"),
        ("a.txt", "ranked: yes\n1 PERHAPS\n", "line 2 (1)"),
        ("a.chunk.txt", "[ a ]\nb\n", "line 2"),
        ("a.csv", "question,answer,label\nWhy?,So,wrong?\n", "line 2"),
        ("a.key", "bank.n bank.1 s1\nbank.n bank.1 s1\n", "line 2"),
        ("train", SENSES.replace("</context>", ""), "line "),
        ("notes", "hello\n", "not in a format"),
    ],
)
def test_check_broken_record(tmp_path, refused, name, content, where):
    path = tmp_path / name
    path.write_text(content, "utf-8")
    message = refused("check", path, begins="error: ")
    assert str(path) in message
    assert where in message


def test_check_lists_every_problem_of_alignments(tmp_path, postil):
    path = tmp_path / "a.wa"
    path.write_text(WA.replace("EQUI", "SAME").replace("2 café :", "2 : :").replace("1 ", "x "), "utf-8")
    status, out, err = postil("check", path)
    assert (status, err) == (2, "")
    assert f"{path}:5: error: a token line should be" in out
    assert f"{path}:9: error: a token line should be" in out
    assert f"{path}:13: error: " in out
    errors, warnings = out.count(": error: "), out.count(": warning: ")
    assert out.endswith(f"{path}: {errors} errors, {warnings} warnings\n")


def test_check_lists_irregular_chunks(tmp_path, postil):
    path = tmp_path / "a.sent1.chunk.txt"
    path.write_text("[ a ] b\n[ c ]\n[is not ] [ d ]\n")
    (tmp_path / "a.sent1.txt").write_text("a b\nc.\nis not d\n")
    status, out, err = postil("check", path)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"{path}:1: warning: 1 token is outside any chunk; neighbours make a chunk of their own.",
        f"{path}:2: warning: the punctuation differs from the sentence's; letters and digits agree.",
        f"{path}:3: warning: a blank is missing beside a bracket.",
        f"{path}: chunks: 3 sentences, 5 chunks; 3 warnings",
    ]
    (tmp_path / "a.sent1.txt").write_text("a b\nx\nis not d\n")
    status, out, _ = postil("check", path)
    assert status == 2
    assert f"{path}:2: error: the chunks do not make up the sentence." in out


def test_score_warns_once_and_scores(tmp_path, postil):
    paths = files_for(tmp_path, "alignment")
    expected = postil(*score("alignment", paths))
    content = paths["gold"].read_text("utf-8")
    paths["gold"].write_text(content.replace("EQUI", "equi").replace("2 café :", "2 café"), "utf-8")
    status, out, err = postil(*score("alignment", paths))
    assert (status, out, "") == expected
    assert err.startswith(f"warning: {paths['gold']}: 3 irregular places (lines 6, 10, 13), read all the")
    assert err.count("\n") == 1


def test_check_goes_on_after_a_broken_file(tmp_path, postil):
    bad, good = tmp_path / "bad.xml", tmp_path / "good.xml"
    bad.write_text("<question>")
    good.write_text(SRA, "utf-8")
    status, out, err = postil("check", bad, tmp_path / "missing.tsv", good)
    assert status == 2
    assert [line.startswith("error: ") for line in err.splitlines()] == [True, True]
    assert f"{good}: response corpus: 1 question" in out


# --- bench -------------------------------------------------------------------------------------------------


@pytest.fixture
def train(tmp_path) -> Path:
    """A folder of data, two questions of one corpus, for the benchmark of responses."""
    folder = tmp_path / "data" / "beetle" / "train"
    folder.mkdir(parents=True)
    for name in ("a", "b", "c"):
        content = SRA.replace('id="q"', f'id="{name}"').replace('id="é"', f'id="{name}é"')
        (folder / f"{name}.xml").write_text(content.replace('id="b"', f'id="{name}b"'), "utf-8")
    return folder


def bench(train: Path, *more: object) -> tuple[object, ...]:
    arguments = ("--system", "majority", "--folds", 2, "--resamples", 0)
    return "bench", "responses", "--train", train.parent.parent, *arguments, *more


def out_files(folder: Path) -> tuple[object, ...]:
    return "--json", folder / "out" / "result.json", "--table", folder / "out" / "table.md"


def test_bench_works_on_the_valid_folder(tmp_path, train, postil):
    status, _, err = postil(*bench(train, *out_files(tmp_path)))
    assert (status, err) == (0, "")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"result.json", "table.md"}


@pytest.mark.parametrize("kind", [kind for kind in BROKEN if kind not in ("missing", "folder", NOT_XML)])
def test_bench_broken_file(tmp_path, train, refused, kind):
    BROKEN[kind](train / "b.xml")
    message = refused(*bench(train, *out_files(tmp_path)))
    assert "b.xml" in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["bomb", "external", "parameter"])
def test_bench_entities(tmp_path, train, refused, kind):
    (train / "b.xml").write_text(entities(tmp_path)[kind] + SRA, "utf-8")
    assert "b.xml" in refused(*bench(train, *out_files(tmp_path)))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("</studentAnswers>", "", "b.xml, line "),
        ("irrelevant", "wrong", "b.xml, line 8 (studentAnswer bb)"),
        ("irrelevant", "incorrect", "mixes labels"),
        ('id="bb"', 'id="ab"', "b.xml: the answer id 'ab' also occurs in a.xml"),
        ('id="bb"', 'id="bé"', "b.xml, line 8"),
        ('id="bb" ', "", "b.xml, line 8"),
    ],
)
def test_bench_broken_record(tmp_path, train, refused, old, new, holds):
    path = train / "b.xml"
    assert old in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    assert holds in refused(*bench(train, *out_files(tmp_path)))
    assert not (tmp_path / "out").exists()


def test_bench_latin_1(tmp_path, train, refused):
    path = train / "b.xml"
    path.write_bytes(path.read_text("utf-8").encode("latin-1"))
    assert "b.xml, line 2: is not UTF-8 text" in refused(*bench(train, *out_files(tmp_path)))


def test_bench_without_labels(tmp_path, train, refused):
    for path in train.iterdir():
        content = path.read_text("utf-8").replace('accuracy="correct"', "")
        path.write_text(content.replace('accuracy="irrelevant"', ""), "utf-8")
    message = refused(*bench(train, *out_files(tmp_path)))
    assert "label" in message
    assert str(train.parent.parent) in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("what", ["missing", "file", "empty", "no train", "no files"])
def test_bench_broken_folder(tmp_path, train, refused, what):
    folder = tmp_path / "other" / "beetle" / "train"
    if what in ("empty", "no train", "no files"):
        folder.parent.parent.mkdir()
    if what == "file":
        folder.parent.parent.write_text("a file")
    if what == "no train":
        (folder.parent / "test").mkdir(parents=True)
        (folder.parent / "test" / "a.xml").write_text(SRA, "utf-8")
    if what == "no files":
        folder.mkdir(parents=True)
    assert str(tmp_path / "other") in refused(*bench(folder, *out_files(tmp_path)))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("what", ["missing", "only train", "unlabelled"])
def test_bench_broken_test_folder(tmp_path, train, refused, what):
    test = tmp_path / "test"
    if what == "only train":
        test = train.parent.parent
    if what == "unlabelled":
        (test / "beetle" / "test-unseen-answers").mkdir(parents=True)
        path = test / "beetle" / "test-unseen-answers" / "a.xml"
        path.write_text(
            '<question id="q"><studentAnswers><studentAnswer id="a"/></studentAnswers></question>'
        )
    assert str(test) in refused(*bench(train, "--test", test, *out_files(tmp_path)))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (("--system", "magic"), "no system 'magic'"),
        (("--scenario", "unseen-worlds"), "no scenario 'unseen-worlds'"),
        (("--scenario", "unseen-domains"), "only 1 unit"),
    ],
)
def test_bench_broken_options(tmp_path, train, refused, arguments, holds):
    assert holds in refused(*bench(train, *arguments, *out_files(tmp_path)))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", ["--json", "--table"])
def test_bench_writes_nothing_when_one_output_is_a_folder(tmp_path, train, refused, option):
    (tmp_path / "folder").mkdir()
    message = refused(*bench(train, *out_files(tmp_path), option, tmp_path / "folder"))
    assert str(tmp_path / "folder") in message
    assert not (tmp_path / "out").exists()
    assert not list((tmp_path / "folder").iterdir())


@pytest.mark.parametrize("option", ["--json", "--table"])
def test_bench_output_below_a_file(tmp_path, train, postil, option):
    (tmp_path / "file").write_text("mine")
    status, out, err = postil(*bench(train, option, tmp_path / "file" / "result"))
    assert (status, out) == (2, "")
    assert err.startswith(f"postil: {tmp_path / 'file' / 'result'}: cannot be written")
    assert (tmp_path / "file").read_text() == "mine"


# --- any bytes to any reader -------------------------------------------------------------------------------

TABLE = "id\tquestion\tanswer\treference\tlabel\n1\tWhy?\tSo, é.\tSo\tcorrect\n2\tWhy?\tNo\tSo\tirrelevant\n"
WIDE = "Name,What is a café?,Why is it one?\nAnn,one,two\nBob,three,\n"
JSONL = '{"question": "Why?", "answer": "é\\u00e9"}\n{"question": "Why?", "answer": 5}\n'
RUN = VALID["responses"][1]
READERS = [
    (read_question, "a.xml", SRA),
    (read_corpus, "a.xml", SRA),
    (lambda path: read_labels(path, RESPONSE_SCHEMES), "a.tsv", RUN),
    (lambda path: read_labels(path, FACET_SCHEMES), "a.tsv", VALID["facets"][1]),
    (read_pairs_xml, "a.xml", RTE),
    (read_pairs_tsv, "a.tsv", VALID["entailment-tsv"][3]),
    (read_pairs, "a", VALID["entailment-tsv"][3]),
    (read_run, "a.tsv", "id\tlabel\tconfidence\n1\tYES\t0.5\n2\tNO\t0.1\n"),
    (read_run, "a.txt", VALID["entailment-tsv"][1]),
    (read_gold, "a.txt", VALID["entailment-tsv"][3]),
    (read_alignments, "a.wa", WA),
    (parse_alignments, "a.wa", WA),
    (check_alignments, "a.wa", WA),
    (read_sentences, "a.txt", "a b\n\nc\n"),
    (read_chunks, "a.chunk.txt", "[ a b ] [ c ]\n"),
    (read_senseval, "a", SENSES),
    (read_sense_key, "a.key", VALID["senses"][3]),
    (read_sense_answers, "a.txt", "bank.n bank.1 s1/0.5 s2/1e3 !! é\n"),
    (read_sense_map, "a.map", "s1 2 s3\ns2 2 s3\n"),
    (read_rows, "a.csv", TABLE.replace("\t", ";")),
    (read_rows, "a.xlsx", ""),
    (read_rows, "a.jsonl", JSONL),
    (read_table, "a.tsv", TABLE),
    (read_wide, "a.csv", WIDE),
    (read_key, "a.csv", "column,question,reference\nQ1,Why?,So\n"),
    *((describe, f"a{ending}", text) for ending, text in ((".xml", RTE), (".tsv", RUN), (".wa", WA))),
    *((describe, f"a{ending}", text) for ending, text in ((".csv", WIDE), (".jsonl", JSONL), (".xlsx", ""))),
    *((describe, f"a{ending}", text) for ending, text in ((".chunk.txt", "[ a ]\n"), ("", SENSES))),
]


@pytest.fixture(scope="module")
def workbook(tmp_path_factory) -> bytes:
    """A small workbook, as bytes."""
    path = tmp_path_factory.mktemp("workbook") / "a.xlsx"
    write_rows(path, ["question", "answer"], [["Why?", "So"]])
    return path.read_bytes()


PIECES = [
    *(b"\0", b"\n", b"\r", b"\t", b" ", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b'"', b"'", b"//", b"<==>"),
    *(b"9" * 5000, b"-1", b"1e999", b"nan", b"[" * 2000, b"<" * 50, b"<b>", b"&#0;", b"&x;", b"\xed\xa0\x80"),
    *(b"<!DOCTYPE x [", b"\\ud800", b"\xe2\x80\xa8", "é".encode(), "é".encode("latin-1"), b"{" * 2000, b"="),
]


@st.composite
def damaged(draw, content: bytes) -> bytes:
    """A valid file with some places cut out, doubled, or overwritten with what readers stumble over."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        piece = draw(st.sampled_from([*PIECES, b"", content[start:end] * 2]) | st.binary(max_size=5))
        content = content[:start] + piece + content[end:]
    return content


@pytest.mark.filterwarnings("ignore::postil.errors.InputWarning")
@pytest.mark.parametrize(("reader", "name", "valid"), READERS)
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_readers_meet_any_bytes(tmp_path, workbook, reader, name, valid, data):
    path = tmp_path / name
    original = valid.encode() or workbook
    path.write_bytes(data.draw(st.binary(max_size=60) | damaged(original)))
    error = None
    try:
        reader(path)
    except PostilError as caught:
        error = caught
    assert error is None or str(path) in str(error)


@pytest.mark.parametrize(("reader", "name", "valid"), READERS)
def test_readers_read_what_is_valid(tmp_path, workbook, reader, name, valid):
    path = tmp_path / name
    path.write_bytes(valid.encode() or workbook)
    assert reader(path) is not None
