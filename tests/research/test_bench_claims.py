"""The claim benchmark on small made-up sets: what is read, what is scored, by which systems."""

import json
import lzma

import pytest

from postil.data.formats.claim_sets import read_claims
from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED
from postil.errors import InputError, PostilError
from postil.research import benchmarks
from postil.research.benchmarks import run_claims

ROWS = (
    ("the salt dissolves in the water", "salt dissolves", "expressed"),
    ("the salt dissolves in the water", "the sugar burns", "not_expressed"),
    ("ice floats", "ice floats on water", "Entailment"),
    ("my dog barks", "ice floats on water", "refuted"),
)


def write(path, rows=ROWS, opened=open):
    lines = [
        json.dumps({"id": f"c{n}", "question": None, "text": text, "claim": claim, "label": label})
        for n, (text, claim, label) in enumerate(rows)
    ]
    with opened(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def test_labels_have_many_names(tmp_path):
    names = {
        EXPRESSED: ("expressed", True, "True", "SUPPORTS", "completely-support", "Fully attributable", 1),
        CONTRADICTED: ("contradicted", "Contradiction", "REFUTES", "refute"),
        UNADDRESSED: ("unaddressed", "Neutral", False, "not_supported", "not-entailment", "irrelevant", 0),
    }
    rows = [("a", "b", name) for own in names.values() for name in own]
    labels = [row.label for row in read_claims(write(tmp_path / "a.jsonl", rows))]
    assert labels == [outcome for outcome, own in names.items() for _ in own]


def test_an_id_may_be_missing_and_the_file_compressed(tmp_path):
    plain, packed = write(tmp_path / "a.jsonl"), write(tmp_path / "a.jsonl.xz", opened=lzma.open)
    assert read_claims(plain) == read_claims(packed)
    (tmp_path / "b.jsonl").write_text('\n{"text": "a", "claim": "b", "label": "expressed"}\n')
    (row,) = read_claims(tmp_path / "b.jsonl")
    assert (row.id, row.question) == ("2", "")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"text": "a", "claim": "b", "label": "perhaps"}', "label 'perhaps' is not known"),
        ('{"text": "a", "label": "expressed"}', "no 'claim'"),
        ('{"text": ["a"], "claim": "b", "label": "expressed"}', "'text' is not a text"),
        ("[1]", "not an object"),
        ("{", "is not JSON"),
        ("\n", "empty"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, content, what):
    path = tmp_path / "a.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=what):
        read_claims(path)


def test_a_damaged_or_endless_compressed_file(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl.xz"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="not a file compressed with xz"):
        read_claims(path)
    whole = lzma.compress(b"x" * 100_000)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is damaged, or has more than"):
        read_claims(path)
    monkeypatch.setattr("postil.data.formats.claim_sets.MAX_BYTES", 1000)
    path.write_bytes(whole)
    with pytest.raises(InputError, match="is damaged, or has more than"):
        read_claims(path)


def test_overlap_counts_shared_words(tmp_path):
    result = run_claims([write(tmp_path / "made.jsonl.xz", opened=lzma.open)], "overlap")
    scores = result.as_json(20)["scores"]["claims"]["made"]
    assert scores["auc"] == scores["average_precision"] == 1
    assert scores["macro_f1"] == scores["accuracy"] == 1
    assert scores["contradicted_f1"] == 0  # shared words never contradict
    assert set(scores["intervals"]) == {"auc", "average_precision", "macro_f1", "accuracy", "contradicted_f1"}
    assert result.signature.startswith("task:claims|system:overlap|rows:4")


def test_postil_by_a_reader(tmp_path):
    seen = []
    rows = [(text, "the salt dissolves", "no") for text in ("my dog barks", "i do not know")]
    path = write(tmp_path / "made.jsonl", [("the salt dissolves", "the salt dissolves", "yes"), *rows])
    result = run_claims([path], "postil", reader="quick", progress=lambda *at: seen.append(at))
    assert result.as_json()["scores"]["claims"]["made"]["auc"] == 1
    assert "|reader:quick|" in result.signature
    assert seen == [(3, 3, "made")]


def test_labels_are_hidden_from_the_system(tmp_path, monkeypatch):
    seen = []

    class Spy:
        def fit(self, rows):
            return self

        def predict(self, rows):
            seen.extend(row.label for row in rows)
            return [(EXPRESSED, 0.5)] * len(rows)

    monkeypatch.setattr(benchmarks, "create", lambda task, name: Spy())
    scores = run_claims([write(tmp_path / "a.jsonl")], "spy").as_json()["scores"]["claims"]["a"]
    assert set(seen) == {""}
    assert scores["auc"] == 0.5


def test_two_sets_of_one_name_are_refused(tmp_path):
    paths = [write(tmp_path / "a.jsonl"), write(tmp_path / "a.jsonl.xz", opened=lzma.open)]
    with pytest.raises(PostilError, match="same name"):
        run_claims(paths, "overlap")
