"""`postil align`, with an aligner, a chunker and an explainer that need no model."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from postil.data.formats.ists import read_alignments, write_alignments
from postil.data.judgements import APPROXIMATE, AlignedPair, Alignment
from postil.language import pipeline
from postil.language.document import Span
from postil.research.baselines import IdenticalTokens

FIRST, SECOND = "The bulb is red", "the bulb glows"
PAIR = AlignedPair(
    "7",
    ("the", "bulb", "glows"),
    ("a", "bulb"),
    (Alignment((1, 2), (1, 2), ("SIMI", "FACT"), 4.0), Alignment((3,), (), ("NOALI",), None)),
)


class Aligner:
    """Says that chunks with the same words are the same; cuts texts at blanks, a chunk a word."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def align(self, pairs):
        self.batches.append(len(pairs))
        return IdenticalTokens().predict(pairs)

    def align_texts(self, pairs):
        from postil.alignment.aligner import own_chunks

        cut = [AlignedPair("", tuple(one.split()), tuple(two.split())) for one, two in pairs]
        words = [[word for word in pair.source if word.isalnum()] for pair in cut]
        return [
            AlignedPair(each.id, each.source if kept else (), each.target, each.alignments)
            for each, kept in zip(self.align(own_chunks(cut)), words, strict=True)
        ]


class Document:
    """Knows its words, each a chunk, but for the last two, which are one."""

    def __init__(self, tokens) -> None:
        self.words = tuple(tokens)
        size = len(self.words)
        self.ists_chunks = (*(Span(at, at + 1) for at in range(size - 2)), Span(max(size - 2, 0), size))


@pytest.fixture(autouse=True)
def aligner(monkeypatch, tmp_path):
    """Everything heavy replaced; the tests work in an empty folder."""

    def explain(pair, source, target):
        assert (source.words, target.words) == (pair.source, pair.target)
        return f"Explained [{pair.id}]."

    made = Aligner()
    monkeypatch.setattr("postil.alignment.aligner.load_aligner", lambda: made)
    monkeypatch.setattr("postil.explain.explanation.explain", explain)
    monkeypatch.setattr(pipeline, "analyse_tokens", lambda sentences: map(Document, sentences))
    monkeypatch.setattr("postil.alignment.aligner.analyse_tokens", pipeline.analyse_tokens)
    monkeypatch.chdir(tmp_path)
    return made


def put(name: str, *lines: str) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


def dataset(pairs: int = 2) -> str:
    """An alignment file whose alignments say nothing, with its chunk files."""
    written = [
        AlignedPair(str(number), ("the", "red", "bulb"), ("red", "bulb"), source_text="the red  bulb")
        for number in range(5, 5 + pairs)
    ]
    write_alignments("a.wa", written)
    put("a.sent1.chunk.txt", *["[ the red bulb ]"] * pairs)
    put("a.sent2.chunk.txt", *["[ red ] [ bulb ]"] * pairs)
    return "a.wa"


def test_links_that_may_not_be_the_best_are_told(postil, aligner, monkeypatch):
    found = aligner.align
    monkeypatch.setattr(
        aligner, "align", lambda pairs: [replace(one, status=APPROXIMATE) for one in found(pairs)]
    )
    status, _, err = postil("align", dataset(), "-o", "b.wa")
    assert status == 0
    assert "warning: 2 pairs ('5', '6')" in err
    assert [pair.status for pair in read_alignments("b.wa")] == [APPROXIMATE] * 2


# --- two sentences ------------------------------------------------------------------------------------------


def test_two_sentences_in_the_terminal(postil):
    status, out, err = postil("align", FIRST, SECOND)
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["sentence", "1", "sentence", "2"]
    assert ["The", "=EQUI", "5=", "the"] in lines
    assert ["is", "red", "NOALI"] in lines
    assert "Explained [1]." in out
    assert "\x1b" not in out


def test_json(postil):
    status, out, err = postil("align", FIRST, SECOND, "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert list(data) == ["source", "target", "alignments", "explanation"]
    assert data["alignments"][0] == {
        "source": [1],
        "target": [1],
        "source_text": "The",
        "target_text": "the",
        "type": "EQUI",
        "additions": [],
        "score": 5.0,
    }
    assert data["explanation"] == "Explained [1]."


def test_a_picture_and_a_file(postil):
    status, out, err = postil("align", " The  bulb\nis red", SECOND, "--svg", "new/a.svg", "-o", "a.wa")
    assert (status, out) == (0, "")
    assert err == "Aligned 1 pair; wrote a.wa and new/a.svg.\n"
    svg = ET.parse("new/a.svg").getroot()
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    (pair,) = read_alignments("a.wa")
    assert pair.id == "1"
    assert pair.source_text == FIRST


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FIRST,), "only one sentence"),
        ((FIRST, SECOND, "more"), "3 sentences or files were given"),
        ((FIRST, " \n"), "sentences is empty"),
        (("?!", SECOND), "holds no words"),
        ((FIRST, SECOND, "--chunks", "gold"), "have no gold chunks"),
        ((FIRST, SECOND, "--chunks", "best"), "cannot be 'best'"),
        ((FIRST, SECOND, "-o", "a.txt"), "files ending in '.txt' are not supported"),
        ((FIRST, SECOND, "--svg", "a.png"), "Supported endings: .svg, .html"),
        ((FIRST, SECOND, "-o", "folder.wa"), "this is a folder"),
        (("one.txt", SECOND), "the other a sentence"),
        (("none.txt", "none.txt"), "No such file"),
        (("none.wa",), "No such file"),
        (("none.wa", "none.wa"), "holds both sentences"),
        (("one.txt",), "only one sentence or file"),
        (("one.txt", "two.txt"), "one.txt has 1 sentence, and two.txt has 2 sentences"),
        (("two.txt", "hole.txt"), "hole.txt, line 2: this sentence is empty"),
        (
            ("one.txt", "one.txt", "--chunks", "gold"),
            "one.chunk.txt: this file of gold chunks does not exist",
        ),
        (("two.txt", "two.txt", "--json"), "--json shows one pair, but there are 2"),
        (("two.txt", "two.txt", "--svg", "a.svg"), "an .svg file shows one pair"),
        (("--check", FIRST), "--check takes alignment files"),
        (("--check", "a.wa", "--json"), "no other option"),
    ],
)
def test_it_explains_what_it_cannot_do(postil, aligner, arguments, message):
    Path("folder.wa").mkdir()
    put("one.txt", "the bulb")
    put("two.txt", "the bulb", "a bulb")
    put("hole.txt", "the bulb", " ")
    status, out, err = postil("align", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_sentence_may_look_like_a_name(postil):
    status, out, _ = postil("align", "see notes.txt", "x" * 300 + " \u00e9")
    assert status == 0
    assert "notes.txt" in out


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chunks", "sides"), [((), (1, 2, 3)), (("--chunks", "system"), (2, 3))])
def test_a_dataset(postil, chunks, sides):
    status, out, err = postil("align", dataset(), *chunks, "-o", "new/b.wa")
    assert (status, out, err) == (0, "", "Aligned 2 pairs; wrote new/b.wa.\n")
    pairs = read_alignments("new/b.wa")
    assert [pair.id for pair in pairs] == ["5", "6"]
    assert pairs[0].source_text == "the red  bulb"
    assert pairs[0].alignments[0].source == sides


def test_a_dataset_without_its_chunks(postil):
    dataset()
    Path("a.sent2.chunk.txt").unlink()
    assert postil("align", "a.wa", "-o", "b.wa")[0] == 0
    assert read_alignments("b.wa")[0].alignments[0].source == (2, 3)
    status, _, err = postil("align", "a.wa", "--chunks", "gold", "-o", "b.wa")
    assert status == 2
    assert "a.sent2.chunk.txt: this file of gold chunks does not exist" in err


def test_sentence_files_and_chunk_files(postil):
    put("s.sent1.txt", "the red bulb", "the bulb")
    put("s.sent2.txt", "red bulb", "the bulb")
    put("s.sent1.chunk.txt", "[ the red bulb ]", "[ the ] [ bulb ]")
    put("s.sent2.chunk.txt", "[ red bulb ]", "[ the ] [ bulb ]")
    written = []
    for files in (("s.sent1.txt", "s.sent2.txt"), ("s.sent1.chunk.txt", "s.sent2.chunk.txt")):
        assert postil("align", *files, "-o", "b.wa")[0] == 0
        written.append(Path("b.wa").read_text("utf-8"))
    assert written[0] == written[1]
    assert [len(pair.alignments) for pair in read_alignments("b.wa")] == [1, 2]


def test_chunks_of_other_sentences(postil):
    put("s.txt", "the bulb")
    for lines, message in (
        (["[ a ]", "[ a ]"], "the chunk files have 2 and 2 lines for 1 pair."),
        (["[ the ]"], "s.chunk.txt, pair 1: the chunks do not make up"),
    ):
        put("s.chunk.txt", *lines)
        status, _, err = postil("align", "s.txt", "s.txt", "--chunks", "gold", "-o", "b.wa")
        assert status == 2
        assert message in err
    assert not Path("b.wa").exists()


def test_many_pairs_go_batch_by_batch(postil, aligner):
    assert postil("align", dataset(130), "-o", "b.wa")[0] == 0
    assert aligner.batches == [64, 64, 2]
    assert len(read_alignments("b.wa")) == 130


def test_many_pairs_as_a_page(postil):
    assert postil("align", dataset(), "--svg", "b.html")[0] == 0
    page = Path("b.html").read_text("utf-8")
    assert page.count("<svg") == 2
    assert "Pair 5" in page
    assert "Explained [6]." in page
    assert "<script" not in page


def test_many_pairs_in_the_terminal(postil):
    status, out, _ = postil("align", dataset())
    assert status == 0
    assert "pair 5\n" in out
    assert out.count("Explained") == 2


# --- check --------------------------------------------------------------------------------------------------


def test_a_good_annotation(postil):
    write_alignments("a.wa", [PAIR])
    assert postil("align", "--check", "a.wa") == (0, "a.wa: follows all rules\n", "")


def test_a_broken_annotation(postil):
    broken = (Alignment((1, 2), (1, 2), ("EQUI",), 4.0), PAIR.alignments[1])
    write_alignments("a.wa", [AlignedPair("7", PAIR.source, PAIR.target, broken)])
    write_alignments("b.wa", [PAIR])
    status, out, err = postil("align", "--check", "a.wa", "b.wa")
    assert (status, err) == (2, "")
    assert out.splitlines() == [
        "a.wa:14: EQUI should have the score 5. (sentence 7)",
        "a.wa: 1 problem",
        "b.wa: follows all rules",
    ]


def test_chunks_are_checked_where_they_are_known(postil):
    write_alignments("a.wa", [PAIR])
    put("a.sent1.chunk.txt", "[ the ] [ bulb glows ]")
    put("a.sent2.chunk.txt", "[ a bulb ]")
    status, out, _ = postil("align", "--check", "a.wa")
    assert status == 2
    assert "a.wa:14: only part of the chunk of tokens 2 3 of the first sentence" in out


def test_what_it_writes_keeps_the_rules(postil):
    assert postil("align", FIRST, SECOND, "-o", "a.wa")[0] == 0
    assert postil("align", "--check", "a.wa")[0] == 0


def test_nothing_heavy_is_imported_with_the_command():
    code = "import sys, postil.cli.align; print({'spacy', 'numpy', 'rich.table'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
