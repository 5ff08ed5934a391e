"""The answer to a request is what the library says."""

from __future__ import annotations

import pytest

from postil.alignment.aligner import load_aligner
from postil.data.judgements import Reason
from postil.data.questions import Answer, Question, Reference
from postil.entailment.entailer import LONGEST_HYPOTHESIS, LONGEST_TEXT, load_entailer
from postil.explain.explanation import justified
from postil.grader import load
from postil.grading.claims import judge_facets
from postil.workbench.api import judging_schemas as limits
from postil.workbench.api import judging_schemas as schemas
from postil.workbench.jobs.judging import AlignTask, ClassTask, EntailTask, FacetsTask, load_judge
from postil.workbench.jobs.library import judge as judge_texts

ASKED = "Why does the bulb light up?"
REFERENCES = ("The circuit is closed, so current flows.", "Current flows through the bulb.")
ANSWERS = ("", "because the circuit is closed", "The circuit is open.", "it has a battery", "!!!")


@pytest.fixture(scope="module")
def judge():
    judging = load_judge()
    return lambda task: judging(task).items


def class_of(answers):
    references = tuple(Reference(str(number), text) for number, text in enumerate(REFERENCES))
    return Question("q", ASKED, references, tuple(Answer(str(n), text) for n, text in enumerate(answers)))


def said(judged):
    names = ("label", "probabilities", "score", "confidence", "deferred", "because", "reference")
    return [tuple(one[name] for name in names) for one in judged]


def expected(judgements, scheme):
    return [
        (
            one.labels[scheme], one.probabilities[scheme], one.score, one.confidence, one.deferred,
            one.because, one.reference,
        )
        for one in judgements
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["5way", "3way", "2way"])
def test_a_class_is_judged_as_the_library_does(judge, scheme):
    judged = judge(ClassTask(ASKED, REFERENCES, ANSWERS, scheme=scheme))
    [(_, same)] = load().grade_many([class_of(ANSWERS)])
    assert said(judged) == expected(same, scheme)
    assert {one[name] for one in judged for name in ("feedback", "facets", "alignment")} == {None}


def test_explanations_are_the_library_s(judge):
    judged = judge(ClassTask(ASKED, REFERENCES, ANSWERS, explain=True, with_facets=True))
    [(_, same)] = load().grade_many([class_of(ANSWERS)], explain=True)
    assert said(judged) == expected(same, "5way")
    for one, its in zip(judged, same, strict=True):
        if its.explanation is None:
            assert one["feedback"] is one["alignment"] is one["facets"] is None
            continue
        words = its.explanation
        assert one["feedback"] == {"teacher": words.teacher, "student": words.student}
        assert [facet["first"] for facet in one["facets"]] == [facet.facet.first for facet in words.facets]
        assert tuple(one["alignment"]["source"]) == words.alignment.source
        assert len(one["alignment"]["alignments"]) == len(words.alignment.alignments)
    assert sum(one["feedback"] is not None for one in judged) == 3


def test_what_a_teacher_decided_counts_for_this_request_only(judge):
    decided = (("it has a battery", "correct"),)
    told = judge(ClassTask(ASKED, REFERENCES, ANSWERS, decided))
    plain = judge(ClassTask(ASKED, REFERENCES, ANSWERS))
    assert (told[3]["label"], told[3]["because"]) == ("correct", Reason.TOLD.words)
    assert plain[3]["because"] == ""
    assert plain[3]["label"] != "correct"


def test_facets_that_are_named_are_looked_for(judge):
    judged = judge(
        ClassTask(ASKED, REFERENCES, ("the circuit is closed",), with_facets=True, facets=("closed circuit",))
    )
    (facet,) = judged[0]["facets"]
    assert (facet["first"], facet["label"]) == ("closed circuit", "Expressed")
    assert judged[0]["feedback"] is None  # nobody asked for it


def test_sentences_are_aligned_as_the_library_does(judge):
    pairs = (("12 killed in  bus accident", "10 killed in road accident"), ("It is open.", "It is closed."))
    found = judge(AlignTask(pairs))
    same = load_aligner().align_texts([(" ".join(a.split()), " ".join(b.split())) for a, b in pairs])
    for one, its in zip(found, same, strict=True):
        links = [
            (tuple(link["source"]), tuple(link["target"]), link["type"], link["score"])
            for link in one["alignments"]
        ]
        assert links == [(link.source, link.target, link.type, link.score) for link in its.alignments]
        assert one["explanation"]
    assert "number" in found[0]["explanation"]


def test_pairs_are_judged_as_the_library_does(judge):
    pairs = (("The dog is asleep on the mat.", "The dog sleeps."), ("It is red.", "It is not red."))
    same = justified([hypothesis for _, hypothesis in pairs], load_entailer().judge(pairs))
    three, two = judge(EntailTask(pairs)), judge(EntailTask(pairs, "2way"))
    assert [one["label"] for one in three] == [one.label for one in same]
    assert [one["label"] for one in two] == [one.two_way for one in same]
    assert [one["confidence"] for one in three] == [one.confidence for one in same]
    assert [one["justification"] for one in three] == [one.justification for one in same]


def test_facets_are_found_as_the_library_does(judge):
    answers = ("the circuit is closed", "")
    found = judge(FacetsTask(ASKED, REFERENCES[0], answers))
    same = judge_facets(ASKED, REFERENCES[0], answers)
    assert [[facet["label"] for facet in one["facets"]] for one in found] == [
        [outcome.label for outcome in outcomes] for outcomes in same
    ]
    assert "It leaves out" in found[0]["explanation"]


def test_results_fit_what_the_api_describes(judge):
    """The API would fail to answer where they did not."""
    for task, kind in (
        (ClassTask(ASKED, REFERENCES, ANSWERS, explain=True, with_facets=True), schemas.TextJudgement),
        (AlignTask((("It is not open.", "It may be closed."), ("a", "."))), schemas.AlignedSentences),
        (EntailTask((("It has 3 legs.", "It has 4 legs."), ("a", "."))), schemas.TextEntailment),
        (FacetsTask("", REFERENCES[0], ANSWERS, ("current",)), schemas.AnswerFacets),
    ):
        for one in judge(task):
            assert kind.model_validate({"id": "1", **one}).model_dump() == {"id": "1", **one}


def test_questions_that_nobody_can_judge_well_are_told():
    task = ClassTask("What does the graph show?", ("It rises.",), ("it falls",))
    (warning,) = judge_texts(task).warnings
    assert "points to something outside it" in warning
    assert judge_texts(ClassTask(ASKED, REFERENCES, ANSWERS)).warnings == ()


def test_what_is_not_read_to_its_end_is_told():
    long, longer = "a gap, " * 70, "It is open. " * 700
    (aligned,) = judge_texts(AlignTask((("a gap", "a gap"), ("a gap", long)))).warnings
    assert aligned == (
        "The target of pair 2 is long; Postil read its first 200 words and symbols, up to “… a gap, a gap”."
    )
    entailed = judge_texts(EntailTask((("a gap", long), (longer, "It is open.")), ids=("u1", "u2"))).warnings
    assert [sentence.partition(",")[0] for sentence in entailed] == [
        "The hypothesis of pair u1 is long; Postil read its first 200 words and symbols",
        "The text of pair u2 is long; Postil read its first 2",
    ]
    found = judge_texts(FacetsTask(long, long, ("a gap", "don't " * 150), ids=("u1", "u2"))).warnings
    assert [sentence.partition(" is long")[0] for sentence in found] == [
        "The question",
        "The reference",
        "Answer u2",
    ]
    assert found[2].endswith("up to “… do not do not”.")
    for task in (
        AlignTask((("a gap", "a  gap "),)),
        EntailTask((("It is\nopen.", "a gap"),)),
        FacetsTask("", "a gap", ("don't " * 100,)),
    ):
        assert judge_texts(task).warnings == ()


def test_what_the_api_takes_is_read_whole():
    assert (limits.LONGEST_PASSAGE, limits.LONGEST_HYPOTHESIS) == (LONGEST_TEXT, LONGEST_HYPOTHESIS)
