"""`postil analyse`, with a pipeline that needs no model."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from postil.language import pipeline as module
from postil.language.document import Argument, Document, Negation, Predicate, Quantity, Span, Token
from postil.language.words import walks
from postil.language.words.walks import Sense


class Pipeline:
    """Cuts at blanks and calls the second word's neighbour negated."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def analyse_many(self, texts):
        return (self._document(text, [word for word in text.split() if word.isprintable()]) for text in texts)

    def analyse_tokens(self, sentences):
        return (self._document(" ".join(words), [f"{word}/t" for word in words]) for words in sentences)

    def _document(self, text, words):
        tokens, at = [], 0
        for index, word in enumerate(words):
            relation = "root" if index == 0 else "dep"
            tokens.append(Token(index, word, at, word.lower(), "NOUN", "NN", 0, relation, "Number=Sing"))
            at += len(word) + 1
        size = len(tokens)
        document = Document(
            text=" ".join(words),
            tokens=tuple(tokens),
            sentences=(Span(0, size),) if size else (),
            chunks=(Span(0, 2, "NP"), Span(3, 4, "VP")) if size >= 4 else (),
            ists_chunks=(Span(0, 4),) if size >= 4 else (),
            negations=(Negation((1,), (0, 2, 3)),) if size >= 4 else (),
            quantities=(Quantity(3, 4, 3000.0, "m"),) if size >= 4 else (),
            pipeline=f"made-{self.folder or 'shipped'}",
        )
        light = Predicate(3, "lit", "light.01", (Argument("ARG1", 0, 2, 0),)) if size >= 4 else None
        object.__setattr__(document, "_predicates", (light,) if light else ())
        return document


@pytest.fixture(autouse=True)
def no_model(monkeypatch):
    monkeypatch.setattr(module, "load_pipeline", Pipeline)
    monkeypatch.setattr(walks, "find_senses", lambda document: (Sense(0, "bulb.n.01", "a round thing"),))


@pytest.fixture
def standard_input(monkeypatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))

    return give


def test_the_table(postil):
    status, out, err = postil("analyse", "Bulbs not [red] lit")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["word", "lemma", "pos", "tag", "relation", "head", "negated", "sense"]
    assert lines[1] == ["Bulbs", "bulbs", "NOUN", "NN", "root", "yes", "bulb.n.01"]
    assert lines[2] == ["not", "not", "NOUN", "NN", "dep", "Bulbs"]
    assert lines[3] == ["[red]", "[red]", "NOUN", "NN", "dep", "Bulbs", "yes"]
    for line in (
        "chunks  [NP Bulbs not] [red] [VP lit]",
        "iSTS chunks  [Bulbs not [red] lit]",
        "predicate  lit (light.01): ARG1 Bulbs not",
        "negation  not → Bulbs … [red] lit",
        "quantity  lit = 3000 m",
        "made-shipped",
    ):
        assert line in out.splitlines()


def test_json_has_every_field(postil):
    status, out, err = postil("analyse", "Bulbs not é lit", "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    shown = [field.name for field in fields(Document) if not field.name.startswith("_")]
    assert list(data) == [*shown, "predicates", "senses"]
    assert data["predicates"][0]["arguments"] == [{"role": "ARG1", "start": 0, "end": 2, "head": 0}]
    assert data["senses"] == [{"token": 0, "name": "bulb.n.01", "definition": "a round thing"}]
    assert list(data["tokens"][0]) == [field.name for field in fields(Token)]
    assert data["negations"] == [{"cue": [1], "scope": [0, 2, 3], "kind": "word"}]
    assert data["quantities"] == [{"start": 3, "end": 4, "value": 3000.0, "unit": "m"}]
    assert "é" in out


def test_a_page(postil, tmp_path):
    page = tmp_path / "new" / "page.html"
    status, out, err = postil("analyse", "bulbs not <b> lit", "--html", page)
    assert (status, out, err) == (0, "", f"Wrote {page}.\n")
    text = page.read_text("utf-8")
    assert "<svg" in text
    assert "light.01" in text
    assert "&lt;b&gt;" in text


def test_a_page_and_json(postil, tmp_path):
    status, out, _ = postil("analyse", "bulbs", "--json", "--html", tmp_path / "page.html")
    assert status == 0
    assert json.loads(out)["text"] == "bulbs"
    assert (tmp_path / "page.html").exists()


def test_a_folder_is_no_page(postil, tmp_path):
    status, out, err = postil("analyse", "bulbs", "--html", tmp_path)
    assert (status, out) == (2, "")
    assert "this is a folder" in err


def test_a_text_that_begins_with_a_dash(postil):
    status, out, _ = postil("analyse", "--json", "--", "- bulbs")
    assert status == 0
    assert json.loads(out)["text"] == "- bulbs"


def test_standard_input(postil, standard_input):
    standard_input("\ufeffbulbs glöw\n".encode())
    status, out, _ = postil("analyse", "-", "--json")
    assert status == 0
    assert json.loads(out)["text"] == "bulbs glöw"


def test_standard_input_that_is_not_text(postil, standard_input):
    standard_input(b"\xff\xfe\x00")
    status, out, err = postil("analyse", "-")
    assert (status, out) == (2, "")
    assert "not UTF-8" in err


def test_too_much_standard_input(postil, standard_input, monkeypatch):
    monkeypatch.setattr("postil.cli.analyse._MOST_BYTES", 3)
    standard_input(b"bulbs")
    status, _, err = postil("analyse", "-")
    assert status == 2
    assert "too long" in err


def test_tokens_and_pipeline(postil):
    status, out, _ = postil("analyse", "path. is", "--tokens", "--json", "--pipeline", "there")
    assert status == 0
    data = json.loads(out)
    assert [token["text"] for token in data["tokens"]] == ["path./t", "is/t"]
    assert data["pipeline"] == "made-there"


@pytest.mark.parametrize("text", ["", " \t\n", "\x00\x01"])
@pytest.mark.parametrize("option", ["--json", "--html"])
def test_empty_text(postil, tmp_path, text, option):
    page = tmp_path / "page.html"
    status, out, err = postil("analyse", text, option, *([page] if option == "--html" else []))
    assert (status, out) == (2, "")
    assert err.startswith("postil: the text contains no words")
    assert not page.exists()


def test_empty_standard_input(postil, standard_input):
    standard_input(b"")
    assert postil("analyse", "-")[0] == 2


def test_nothing_heavy_is_imported_with_the_command():
    code = "import sys, postil.cli.analyse; print({'spacy', 'numpy', 'rich.table'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
