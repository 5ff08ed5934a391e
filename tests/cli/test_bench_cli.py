"""`postil bench`: the table, the files it writes, what it says when something is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_files import write_chunks, write_pairs_xml

from postil.data.formats.ists import write_alignments
from postil.data.formats.rte import Pair
from postil.data.formats.senseval import SenseInstance, Token, write_senseval
from postil.data.formats.sra import write_question
from postil.data.judgements import AlignedPair, Alignment
from postil.data.questions import Answer, Question, Reference


@pytest.fixture
def corpus(tmp_path) -> Path:
    """A Beetle of one training set and one test set, easy for word overlap and larger than its leaves."""
    folder = tmp_path / "sra"
    for name in ("train", "test-unseen-answers"):
        for number in range(6):
            id = f"{name}-{number}"
            answers = tuple(
                Answer(f"{id}.{n}", f"{text} {n}", label)
                for n, (text, label) in enumerate(
                    [("there is a gap", "correct"), ("i do not know", "non_domain")] * 40
                )
            )
            question = Question(id, "Why?", (Reference("r", "there is a gap"),), answers, f"m{number % 2}")
            write_question(folder / "beetle" / name / f"{id}.xml", question)
    return folder


def test_responses_on_a_test_folder(corpus, tmp_path, postil):
    out_json, out_table = tmp_path / "out" / "result.json", tmp_path / "out" / "table.md"
    status, out, err = postil(
        *("bench", "responses", "--train", corpus, "--test", corpus, "--system", "lexical"),
        *("--resamples", 50, "--json", out_json, "--table", out_table),
    )
    assert (status, err) == (0, "")
    assert out.strip() == out_table.read_text(encoding="utf-8").strip()
    assert "| ETS2 | " in out
    assert "| *lexical (Postil)* | " in out
    data = json.loads(out_json.read_text(encoding="utf-8"))
    assert data["scores"]["2way"]["beetle/test-unseen-answers"]["macro_f1"] == 1
    assert len(data["scores"]["5way"]["beetle/all"]["intervals"]["macro_f1"]) == 2
    assert {path.name for path in out_json.parent.iterdir()} == {"result.json", "table.md"}


def test_responses_in_cross_validation_against_another(corpus, postil):
    arguments = ("bench", "responses", "--train", corpus, "--system", "lexical", "--against", "majority")
    status, out, err = postil(*arguments, "--scenario", "unseen-answers", "--folds", 3, "--resamples", 0)
    assert (status, err) == (0, "")
    assert "beetle/cv-unseen-answers" in out
    assert "cross-validated" in out
    assert "Significance of lexical against other systems" in out
    assert "against majority" in out
    assert "folds:3" in out
    assert " [" not in out.split("Significance")[0]  # no intervals were asked for


def test_a_system_is_not_run_against_itself(corpus, postil):
    arguments = ("bench", "responses", "--train", corpus, "--system", "majority", "--against", "majority")
    status, out, _ = postil(*arguments, "--resamples", 0)
    assert status == 0
    assert "Significance" not in out


def test_entailment(tmp_path, postil):
    for name in ("train", "RTE3_test"):
        pairs = [
            Pair(f"{n}", f"bell {name} {n} rings", text, label, "QA")
            for n in range(4)
            for text, label in [(f"bell {name} {n}", "ENTAILMENT")]
        ]
        pairs += [Pair(f"n{n}", f"bell {name} {n}", f"no {n} cats", "NO_ENTAILMENT", "IE") for n in range(4)]
        write_pairs_xml(tmp_path / name / f"{name}.xml", pairs)
    test = tmp_path / "RTE3_test" / "RTE3_test.xml"
    arguments = ("bench", "entailment", "--train", tmp_path / "train", "--test", test, "--system", "overlap")
    status, out, err = postil(*arguments, "--resamples", 20, "--json", tmp_path / "r.json")
    assert (status, err) == (0, "")
    assert "| Hickl | " in out
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert set(data["scores"]["2way"]["RTE3_test"]["by_application"]) == {"QA", "IE"}
    status, _, err = postil(*arguments, "--scheme", "5way")
    assert status == 2
    assert "2way, 3way" in err


def test_alignment(tmp_path, postil):
    pair = AlignedPair("1", ("a", "bell"), ("the", "bell"), (Alignment((1, 2), (1, 2), ("EQUI",), 5.0),))
    write_alignments(tmp_path / "STSint.input.headlines.wa", [pair])
    write_chunks(tmp_path / "STSint.input.headlines.sent1.chunk.txt", [[["a", "bell"]]])
    write_chunks(tmp_path / "STSint.input.headlines.sent2.chunk.txt", [[["the", "bell"]]])
    arguments = ("bench", "alignment", "--train", tmp_path, "--test", tmp_path, "--system", "identical")
    status, out, err = postil(*arguments, "--resamples", 20, "--json", tmp_path / "r.json")
    assert (status, err) == (0, "")
    assert "| Inspire r1 | " in out
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert set(data["scores"]) == {"gold", "system"}
    assert data["scores"]["gold"]["headlines"]["f_type_score"] == 1
    status, _, err = postil(
        *arguments, "--chunks", "system", "--resamples", 20, "--json", tmp_path / "s.json"
    )
    assert (status, err) == (0, "")
    own = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))["scores"]["system"]["headlines"]
    assert own["f_type_score"] == 1
    status, _, err = postil(*arguments, "--chunks", "none")
    assert status == 2
    assert "gold, system, both" in err


def test_senses(tmp_path, postil):
    made = [
        SenseInstance(f"{n}", "arm.n", (Token("arm"),), (0,), (0,), ("gun" if n % 5 == 0 else "limb",))
        for n in range(20)
    ]
    write_senseval(tmp_path / "arm.xml", made)
    write_senseval(tmp_path / "basque.xml", [replace(item, id=f"b{item.id}") for item in made])
    arguments = ("bench", "senses", "--train", tmp_path / "arm.xml", "--system", "mfs", "--resamples", 20)
    status, out, err = postil(*arguments, "--folds", 5, "--json", tmp_path / "r.json")
    assert (status, err) == (0, "")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data["scores"]["fine"]["arm/cv"]["recall"] == pytest.approx(0.8)
    assert "folds:5" in out
    status, out, _ = postil(*arguments, "--test", tmp_path / "basque.xml")
    assert status == 0
    assert "| BCU_Basque_svm | " in out
    assert "cross-validated" not in out
    status, _, err = postil(*arguments, "--test", tmp_path / "arm.xml")
    assert (status, "learned from 20 of these 20 items" in err) == (2, True)


def test_facets(tmp_path, postil):
    header = "student_answer_id,question_text,student_answer,model_answer,gap\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"{header}1,Why?,It is lit.,The bulb is lit.,The bulb\n")
    arguments = ("--gaps", tmp_path / "a.csv", "--gaps", tmp_path / "b.csv", "--system", "lexical")
    arguments = (*arguments, "--against", "majority", "--resamples", 20)
    status, out, err = postil("bench", "facets", *arguments, "--json", tmp_path / "r.json")
    assert (status, err) == (0, "")
    assert "### facets, partial, b" in out
    assert "| *majority (Postil)* | " in out
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert set(data["scores"]) == {"words", "partial"}
    assert data["scores"]["partial"]["a"]["weighted_f1"] == 1
    status, _, err = postil("bench", "facets", "--gaps", tmp_path / "a.csv", "--system", "gpt")
    assert status == 2
    assert "majority, lexical, postil" in err


def test_claims(tmp_path, postil):
    for name in ("a", "b"):
        rows = [("It is lit.", "It is lit.", "expressed"), ("No idea.", "It is lit.", "not_expressed")]
        fields = (dict(zip(("text", "claim", "label"), row, strict=True)) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in fields))
    data = ("--data", tmp_path / "a.jsonl", "--data", tmp_path / "b.jsonl")
    arguments = (*data, "--system", "postil", "--reader", "quick", "--against", "overlap", "--resamples", 20)
    status, out, err = postil("bench", "claims", *arguments, "--json", tmp_path / "r.json")
    assert (status, err) == (0, "")
    assert "### claims, claims, b" in out
    assert "| *overlap (Postil)* | " in out
    scores = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["scores"]["claims"]
    assert scores["a"]["auc"] == scores["b"]["auc"] == 1
    assert {"average_precision", "macro_f1", "accuracy", "contradicted_f1"} <= set(scores["a"])
    status, _, err = postil("bench", "claims", *data, "--system", "postil", "--reader", "slow")
    assert (status, "'slow' is not a reader" in err) == (2, True)


def test_the_list_of_systems(postil):
    status, out, err = postil("bench", "systems")
    assert (status, err) == (0, "")
    listed = {tuple(line.split()[:2]) for line in out.splitlines()}
    assert {
        ("responses", "majority"),
        ("responses", "lexical"),
        ("entailment", "overlap"),
        ("alignment", "identical"),
        ("facets", "postil"),
        ("claims", "overlap"),
        ("senses", "mfs"),
    } <= listed


def test_an_unknown_system(corpus, tmp_path, postil):
    arguments = ("bench", "responses", "--train", corpus, "--system", "gpt")
    status, out, err = postil(*arguments, "--json", tmp_path / "r.json")
    assert (status, out) == (2, "")
    assert "'gpt'" in err
    assert "majority, lexical" in err
    assert not (tmp_path / "r.json").exists()


def test_missing_data(tmp_path, postil):
    status, out, err = postil("bench", "responses", "--train", tmp_path / "x", "--system", "majority")
    assert (status, out) == (2, "")
    assert "no such folder" in err


def test_the_json_file_is_written_whole_or_not_at_all(corpus, tmp_path, postil, monkeypatch):
    target = tmp_path / "out" / "r.json"
    target.parent.mkdir()
    target.write_text("before", encoding="utf-8")
    arguments = ("bench", "responses", "--train", corpus, "--system", "majority", "--resamples", 0)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupted)
        status, *_ = postil(*arguments, "--json", target)
        assert status != 0
    assert target.read_text(encoding="utf-8") == "before"
    assert list(target.parent.iterdir()) == [target]
    assert postil(*arguments, "--json", target)[0] == 0
    assert json.loads(target.read_text(encoding="utf-8"))["system"] == "majority"
    status, _, err = postil(*arguments, "--json", target.parent)
    assert status == 2
    assert "folder" in err
