"""`postil facets`: table, JSON, the challenge's run, and what is refused."""

import json

from postil.data.formats.sra import read_labels, write_question
from postil.data.labels import FACET_SCHEMES
from postil.data.questions import Answer, Facet, FacetLabel, Question, Reference

REFERENCE, ANSWER = "The solid dissolves and the liquid remains clear.", "the liquid remains clear"


def test_the_table(postil):
    status, out, err = postil("facets", REFERENCE, ANSWER)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["facet", "outcome", "sure", "in", "the", "words"]
    assert [line.split()[3] for line in lines[1:4]] == ["Unaddressed", "Expressed", "Expressed"]
    assert lines[2].endswith("the liquid remains clear")
    assert "It leaves out: dissolves – solid." in out


def test_json(postil):
    status, out, _ = postil(
        "facets", "Voltage is a gap.", "Voltage is a dog.", "--question", "What is voltage?", "--json"
    )
    data = json.loads(out)
    assert status == 0
    assert data["question"] == "What is voltage?"
    assert data["facets"][0] == {
        "id": "f1",
        "first": "Voltage",
        "second": "",
        "relation": "topic",
        "label": "Expressed",
        "confidence": 0.9,
        "words": ["Voltage"],
    }


def test_the_challenges_form_with_given_facets(tmp_path, postil):
    facets = tmp_path / "facets.tsv"
    facets.write_text("id\tfirst\tsecond\nx\tremains\tclear\ny\tdissolves\tsolid\n")
    run = tmp_path / "run.tsv"
    status, out, err = postil("facets", REFERENCE, ANSWER, "--facets", facets, "-o", run)
    assert (status, out) == (0, "")
    assert err == f"Judged 2 facets; wrote {run}.\n"
    assert [(one.id, one.label) for one in read_labels(run, FACET_SCHEMES)] == [
        ("x*answer", "Expressed"),
        ("y*answer", "Unaddressed"),
    ]


def test_a_challenges_file_is_judged_and_scored(tmp_path, postil):
    facets = (Facet("x", "remains", "clear"), Facet("y", "dissolves", "solid"))
    answers = tuple(
        Answer(f"a{number}", text, "correct", facets=tuple(map(FacetLabel, "xy", labels)))
        for number, (text, labels) in enumerate(
            [(ANSWER, ("Expressed", "Unaddressed")), (REFERENCE, ("Expressed", "Expressed"))]
        )
    )
    gold, run = tmp_path / "q.xml", tmp_path / "run.tsv"
    write_question(
        gold, Question("q", "What do you see?", (Reference("r", REFERENCE, facets=facets),), answers)
    )
    status, _, err = postil("facets", gold, "-o", run)
    assert status == 0
    assert "4 facets" in err
    status, out, _ = postil("score", "facets", run, gold, "--json")
    assert json.loads(out)["accuracy"] == 1


def test_what_is_refused(tmp_path, postil):
    for arguments, said in (
        (("facets", REFERENCE), "no answer"),
        (("facets", REFERENCE, "…"), "no words"),
        (("facets", tmp_path / "none.xml", "-o", tmp_path / "run.tsv"), "none.xml"),
        (("facets", REFERENCE, ANSWER, "--facets", tmp_path / "none.tsv"), "none.tsv"),
        (("facets", REFERENCE, ANSWER, "-o", tmp_path), "folder"),
    ):
        status, out, err = postil(*arguments)
        assert (status, out) == (2, "")
        assert said in err
    write_question(
        tmp_path / "q.xml", Question("q", "Why?", (Reference("r", "It is."),), (Answer("a", "no"),))
    )
    status, _, err = postil("facets", tmp_path / "q.xml", "-o", tmp_path / "run.tsv")
    assert status == 2
    assert "no reference here has facets" in err
    assert not (tmp_path / "run.tsv").exists()
