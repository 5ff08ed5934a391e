"""The format of a file, by its ending and first lines, and a one-line summary of what it holds."""

from __future__ import annotations

import pytest

from postil.data.formats.detection import describe, detect
from postil.data.formats.ists import write_alignments
from postil.data.judgements import AlignedPair, Alignment
from postil.errors import InputError, PostilError

SRA = (
    '<question id="q"><questionText>Why?</questionText>\n'
    '<referenceAnswers><referenceAnswer id="r">So.</referenceAnswer></referenceAnswers>\n'
    '<studentAnswers><studentAnswer id="a" accuracy="correct">So</studentAnswer>'
    '<studentAnswer id="b">Yes</studentAnswer></studentAnswers></question>'
)
RTE = '<entailment-corpus><pair id="1" entailment="YES"><t>a b</t><h>a</h></pair></entailment-corpus>'
SENSES = (
    '<corpus>\n<lexelt item="bank.n">\n<instance id="bank.1">\n<answer instance="bank.1" senseid="s1"/>\n'
    "<context>\nthe <head>bank</head> &\n</context>\n</instance>\n</lexelt>\n</corpus>\n"
)
RELEASE = "qid\tid\taccuracy\nq\ta\tcorrect\nq\tb\tirrelevant\n"

FILES = {
    "q.xml": (SRA, "response corpus", "1 question, 1 reference, 2 answers (1 correct, 1 unlabelled)"),
    "rte.xml": (RTE, "entailment pairs", "1 pair (1 ENTAILMENT)"),
    "rte.tsv": ("id\tt\th\n1\ta\tb\n", "entailment pairs", "1 pair (1 unlabelled)"),
    "rte.txt": ("id\tt\th\n1\ta\tb\n", "entailment pairs", "1 pair (1 unlabelled)"),
    "gold.tsv": (RELEASE, "response labels", "1 correct, 1 irrelevant"),
    "run.txt": ("id\tpredicted\na\tcorrect\n", "response labels", "1 correct"),
    "labels.tsv": ("id\tlabel\na\tcorrect\n", "response labels", "1 correct"),
    "facets.tsv": ("id\tpredicted\nf*a\tExpressed\n", "facet labels", "1 Expressed"),
    "ranked.txt": ("ranked: yes\n1 YES\n2 NO\n", "entailment run", "2 judgements"),
    "spaced.txt": ("Ranked : no\n1 YES\n", "entailment run", "1 judgement"),
    "run.tsv": ("id\tlabel\tconfidence\n1\tYES\t0.5\n", "entailment run", "1 judgement (1 ENTAILMENT)"),
    "noted.txt": ("id\tlabel\tnote\n1\tYES\tsure\n", "entailment run", "1 judgement (1 ENTAILMENT)"),
    "judgement.tsv": ("id\tjudgement\n1\tYES\n", "entailment run", "1 judgement (1 ENTAILMENT)"),
    "a.sent1.txt": ("a b\nc\n", "sentences", "2 sentences, 3 tokens"),
    "excel.txt": ("student\tquestion\tanswer\na\tWhy?\tSo\n", "table", "1 answer (1 unlabelled)"),
    "a.sent1.chunk.txt": ("[ a b ] [ c ]\n", "chunks", "1 sentence, 2 chunks"),
    "train": (SENSES, "sense corpus", "1 instance of 1 word, 1 labelled"),
    "sensemap": ("coil1 2 coil\ncoil2 2 coil\ncoil\n", "sense map", "3 senses"),
    "key": ("bank.n bank.1 s1\nbank.n bank.2 s1 s2\n", "sense key", "2 instances in 2 lines"),
    "class.csv": ("id,question,answer,label\na,Why?,So,correct\n", "table", "1 answer (1 correct)"),
    "class.tsv": ("id\tquestion\tanswer\tlabel\na\tWhy?\tSo\tcorrect\n", "table", "1 answer (1 correct)"),
    "class.jsonl": ('{"question": "Why?", "answer": "So"}\n', "table", "answers in column 'answer'"),
    "wide.csv": ("Name,Why is it so?,What is it?\nAnn,one,two\n", "table", "one column a question"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
def test_kind_and_contents(tmp_path, name, mark):
    content, kind, holds = FILES[name]
    path = tmp_path / name
    path.write_bytes((mark + content).encode())
    assert detect(path) == kind
    assert describe(path).startswith(f"{kind}: ")
    assert holds in describe(path)


def test_alignments(tmp_path):
    path = tmp_path / "a.wa"
    write_alignments(path, [AlignedPair("1", ("a",), ("a",), (Alignment((1,), (1,), ("EQUI",), 5),))])
    assert describe(path) == "alignments: 1 pair (1 EQUI)"


def test_folder(tmp_path):
    (tmp_path / "q.xml").write_text(SRA)
    assert describe(tmp_path).startswith("response corpus: 1 question")


def test_ending_in_capitals(tmp_path):
    path = tmp_path / "Q.XML"
    path.write_text(SRA)
    assert detect(path) == "response corpus"


@pytest.mark.parametrize("content", ["hello world\n", "<html>\n", "word\n"])
def test_unknown(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    assert detect(path) == ""
    with pytest.raises(InputError, match="not in a format that Postil knows"):
        describe(path)


@pytest.mark.parametrize("name", ["missing.txt", "missing.xml", "missing.wa", "missing.xlsx", "n" * 5000])
def test_missing(tmp_path, name):
    with pytest.raises(PostilError, match="cannot be read"):
        describe(tmp_path / name)


@pytest.mark.parametrize("name", ["essay.txt", "essay", "class.json", "class.odt"])
def test_a_text_is_not_taken_for_a_sense_key(tmp_path, name):
    path = tmp_path / name
    path.write_text("It is because of the heat.\nI do not know it.\n", encoding="utf-8")
    assert detect(path) == ""
    with pytest.raises(InputError, match="not in a format"):
        describe(path)
