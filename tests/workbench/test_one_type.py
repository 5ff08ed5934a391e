"""One thing, one type: a field that two shapes of one thing share has the same name and a compatible type.

The API's models are held against the records of the store, and these against `postil.data`; the client's
results are held against the API in `tests/client/test_client_openapi.py`. Every difference is listed here
with its reason: one that is missing from the list makes the test fail, and so does one listed in vain.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

from postil.data import judgements, questions
from postil.entailment import entailer, findings
from postil.workbench import claims, records
from postil.workbench.api import auth, judging_schemas, rubric_schemas, schemas
from postil.workbench.api import pupils as pupil_schemas
from postil.workbench.store import pupils as stored_pupils

COUNTED = "counted by the store, of what it holds"
EXPLAINED = "part of its `explanation`"
RESEARCH = "only research corpora have it"
SHOWN = "what counts, worked out from judgement and decision when it is shown"
SHOWN_OF_WEIGHT = "worked out from the weight when it is shown"
VERSION = "made from the rest when it is shown"
INSIDE = "for the workbench itself; nobody else can use it"
ELSEWHERE = "has an address of its own in the API"
STORE_ID = "a number of the store; files have names of their own"
SENT = "left out by the sender: the server knows it, or works it out"


@dataclass
class Pair:
    """Two shapes of one thing: fields that only one of them has, and those of another type, with reasons."""

    shape: type
    other: type
    only_shape: Mapping[str, str] = field(default_factory=dict)
    only_other: Mapping[str, str] = field(default_factory=dict)
    differ: Mapping[str, str] = field(default_factory=dict)


PAIRS = [
    # The API and the store
    Pair(schemas.Course, records.Course, only_other={"owner": "the API tells nothing of other people"}),
    Pair(
        schemas.Question,
        records.Question,
        only_shape={"version": VERSION},
        only_other={"facets": ELSEWHERE},
    ),
    Pair(
        schemas.Answer,
        records.Answer,
        only_shape=dict.fromkeys(("label", "points", "doubtful", "feedback", "provisional"), SHOWN)
        | {"version": VERSION}
        | dict.fromkeys(("judgement", "decision", "facets"), "records.View has them beside the answer"),
    ),
    Pair(
        schemas.NewAnswer,
        records.NewAnswer,
        only_shape={"label": "becomes a decision, which the store takes apart from the answer"},
    ),
    Pair(
        schemas.Judgement,
        records.Judged,
        only_shape={"explanation": "`reason`, `teacher` and `doubt` in one text"},
        only_other={
            "answer_id": "stands inside its answer",
            "score": "`points` of the answer counts",
            "student": "`feedback` of the answer counts",
            "facets": "`facets` of the answer count",
            "alignment": "too large for lists; texts judged at once have it",
            "teacher": "in `explanation`",
            "doubt": "in `explanation`",
            "looked_for": INSIDE,
        },
    ),
    Pair(
        schemas.Decision,
        records.Decision,
        only_other={
            "batch": INSIDE,
            "machine_probabilities": INSIDE,
            "by": "the API tells nothing of other people",
        },
    ),
    Pair(
        schemas.Job,
        records.Job,
        only_shape=dict.fromkeys(("answers", "facets"), "in `result`, which depends on the kind of job"),
        only_other={"result": "`answers` and `facets`", "lease": INSIDE, "forsaken": INSIDE},
    ),
    Pair(
        schemas.Change,
        records.Change,
        only_shape={
            "answer_id": "of `answer`",
            "key": "of `answer`",
            "confidence": "of `after`",
        },
        only_other={"answer": "`answer_id` and `key` are enough"},
        differ=dict.fromkeys(("before", "after"), "labels in the API, whole judgements in the store"),
    ),
    Pair(
        schemas.AnswerFacet,
        claims.FacetView,
        only_shape={
            "id": "of `facet`",
            "name": "of `facet`, in words",
            "outcome": "a property of the view, `label`",
            "decided": "`told`",
        },
        only_other={
            "facet": "`id` and `name`",
            "machine": INSIDE,
            "ticked": "in `outcome`",
            "denied": "in `outcome`",
            "told": "`decided`",
        },
    ),
    Pair(pupil_schemas.Pupil, stored_pupils.Pupil),
    Pair(pupil_schemas.Erased, stored_pupils.Erased),
    # What is sent to the API, and what it shows
    Pair(
        schemas.NewCourse,
        schemas.Course,
        only_other=dict.fromkeys(("id", "created", "questions", "answers"), SENT),
        differ={"strictness": "may be left out by whoever sends a course"},
    ),
    Pair(
        schemas.NewQuestion,
        schemas.Question,
        only_other=dict.fromkeys(
            ("id", "course_id", "created", "answers", "judged", "decided", "provisional", "version"), SENT
        ),
    ),
    Pair(
        schemas.QuestionEdit,
        schemas.NewQuestion,
        only_shape={"version": "what the edit is based on"},
        differ=dict.fromkeys(("text", "references", "points"), "what is left out stays as it is"),
    ),
    Pair(
        rubric_schemas.NewFacet,
        rubric_schemas.Facet,
        only_other={"points": SHOWN_OF_WEIGHT},
        differ={"id": "none for a new facet"},
    ),
    Pair(
        schemas.NewDecision,
        schemas.Decision,
        only_shape={"version": "what the decision is based on", "contradicted": "in `ticked`, after a `!`"},
        only_other=dict.fromkeys(("id", "answer_id", "source", "made", "undone", "machine_label"), SENT),
        differ={"ticked": "the ids of those that are ticked; the others that are set are not"},
    ),
    # The API and the library
    Pair(
        judging_schemas.GivenAnswer,
        questions.Answer,
        only_other=dict.fromkeys(("match", "count", "facets"), RESEARCH)
        | {"label": "the answer is sent to get one", "row": "there is no table"},
        differ={"id": "by default the answer's number"},
    ),
    Pair(
        judging_schemas.GivenDecision,
        questions.Answer,
        only_other=dict.fromkeys(("match", "count", "facets"), RESEARCH)
        | {"id": "nothing is said of it", "row": "there is no table"},
        differ={"label": "without one there is nothing to learn"},
    ),
    Pair(
        judging_schemas.AlignedSentences,
        judgements.AlignedPair,
        only_shape={"approximate": "of `status`", "explanation": "written by `postil.explain`"},
        only_other=dict.fromkeys(("source_text", "target_text"), "the sender knows them")
        | {"status": "`approximate`"},
    ),
    Pair(
        judging_schemas.TextEntailment,
        entailer.Entailment,
        only_shape={"id": "of the pair that was sent"}
        | dict.fromkeys(("sentence", "stands_for", "supported", "unsupported", "differences"), "of `found`"),
        only_other={"findings": "its fields"},
    ),
    Pair(
        judging_schemas.TextEntailment,
        findings.Findings,
        only_shape=dict.fromkeys(
            ("id", "label", "confidence", "probabilities", "justification"),
            "of the judgement, not of its findings",
        ),
        differ={"stands_for": "pairs of a name and what it stands for; JSON has objects"},
    ),
    Pair(judging_schemas.TextDifference, findings.Difference),
    Pair(
        rubric_schemas.Facet,
        questions.Facet,
        only_shape={"name": "`first`: a person's facet is one phrase", "points": SHOWN_OF_WEIGHT},
        only_other={"first": "`name`", "second": RESEARCH, "relation": RESEARCH},
    ),
    Pair(
        judging_schemas.FoundFacet,
        judgements.FacetOutcome,
        only_shape=dict.fromkeys(("id", "first", "second", "relation"), "of `facet`"),
        only_other={"facet": "its fields"}
        | dict.fromkeys(("expressed", "contradicted"), "on the way to `label`")
        | dict.fromkeys(
            ("spans", "reference_spans", "near"), "characters of the text as it was read, not as sent"
        ),
    ),
    Pair(
        judging_schemas.Link,
        judgements.Alignment,
        only_shape=dict.fromkeys(("source_text", "target_text"), "so that nobody has to join tokens")
        | dict.fromkeys(("type", "additions"), "`labels`, taken apart"),
        only_other={"labels": "`type` and `additions`"},
    ),
    Pair(
        judging_schemas.TextAlignment,
        judgements.AlignedPair,
        only_other=dict.fromkeys(("id", "status", "source_text", "target_text"), "the sender knows them"),
    ),
    Pair(
        judging_schemas.TextJudgement,
        judgements.Judgement,
        only_shape={
            "id": "of the answer that was sent",
            "label": "of the scheme that was asked for",
            "feedback": EXPLAINED,
            "facets": EXPLAINED,
            "alignment": EXPLAINED,
        },
        only_other={
            "labels": "`label`, of one scheme",
            "explanation": "`feedback`, `facets` and `alignment`",
        },
        differ={"probabilities": "of one scheme in the API, by scheme in the library"},
    ),
    Pair(
        judging_schemas.Feedback,
        judgements.Explanation,
        only_shape={"teacher": "`note` and `doubt`, which are one text here"},
        only_other={
            "alignment": "beside the feedback",
            "facets": "beside the feedback",
            "note": "the beginning of `teacher`",
            "doubt": "the end of `teacher`",
        },
    ),
    # The store and the library
    Pair(
        records.Question,
        questions.Question,
        only_shape={
            "course_id": STORE_ID,
            "points": "a teacher's; the library scores from 0 to 1",
            "created": COUNTED,
            "judged": COUNTED,
            "provisional": COUNTED,
            "decided": COUNTED,
            "facets": "set for the question; a corpus has those of each reference",
        },
        only_other=dict.fromkeys(("module", "corpus", "test_set", "qtype", "stype"), RESEARCH),
        differ={
            "id": STORE_ID,
            "references": "texts alone: category, file and facets belong to corpora",
            "answers": "how many: a class is read page by page",
        },
    ),
    Pair(
        records.Answer,
        questions.Answer,
        only_shape={
            "question_id": STORE_ID,
            "key": "`id` of the teacher's file",
            "student": "the library is never told who wrote an answer",
            "place": "`row` without the rows that were skipped",
            "group": COUNTED,
        },
        only_other={
            "label": "a Decision, with who gave it and when",
            "match": RESEARCH,
            "count": RESEARCH,
            "facets": RESEARCH,
            "row": "`place`",
        },
        differ={"id": STORE_ID},
    ),
    Pair(
        records.Judged,
        judgements.Judgement,
        only_shape={
            "answer_id": STORE_ID,
            "label": "a property of the library's, of the five labels",
            "made": COUNTED,
            "looked_for": INSIDE,
        }
        | dict.fromkeys(("teacher", "student", "doubt", "alignment", "facets"), EXPLAINED),
        only_other={
            "labels": "follow from `label`",
            "because": "follows from `reason`",
            "explanation": "`teacher`, `student`, `doubt`, `alignment` and `facets`",
        },
        differ={"probabilities": "of the five labels; the other schemes follow from them"},
    ),
    Pair(
        claims.Outcome,
        judgements.FacetOutcome,
        only_shape={"id": "of `facet`", "name": "of `facet`, in words"},
        only_other={"facet": "`id` and `name`"}
        | dict.fromkeys(("expressed", "contradicted"), "on the way to `label`")
        | dict.fromkeys(("reference_spans", "near"), "only pictures need them, when an answer is explained"),
    ),
]
KNOWN = {(pair.shape, pair.other) for pair in PAIRS}
LIST = "a list of what is compared, with what belongs to the whole list"
REQUEST = "what to do, with what: it is never stored, nor shown"
COUNT = "what came of a request"
# The API's models that are no shape of a question, an answer, a judgement or anything else that is kept.
ALONE = {
    **dict.fromkeys(("Answers", "Changes", "Courses", "Decisions", "Jobs", "Pupils", "Questions"), LIST),
    **dict.fromkeys(("Facets", "NewFacets", "NewAnswers"), LIST),
    **dict.fromkeys(("GradedTexts", "AlignedTexts", "EntailedTexts", "AnswerFacets", "FoundFacets"), LIST),
    **dict.fromkeys(("GradeTexts", "AlignTexts", "EntailTexts", "FacetTexts"), REQUEST),
    **dict.fromkeys(("SentencePair", "TextPair", "NewJob", "ChosenChanges"), REQUEST),
    **dict.fromkeys(("SoughtPupil", "ErasedPupils"), REQUEST),
    **dict.fromkeys(("Added", "Applied", "Undone", "CurrentDecision"), COUNT),
    **dict.fromkeys(("FacetsPreview", "PointsChange"), "what other facets would change, which nobody keeps"),
    **dict.fromkeys(("Health", "Me"), "about the server and the token, which only the API has"),
    **dict.fromkeys(("Received", "Shown", "Page"), "what the others are made from"),
}


def kinds_of(hint: Any) -> list[Any]:
    """What a value may be: the options of a union, without what only Pydantic needs to know."""
    if get_origin(hint) is Annotated:
        return kinds_of(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return [kind for option in get_args(hint) for kind in kinds_of(option)]
    if get_origin(hint) is Literal:
        return [type(get_args(hint)[0])]
    return [hint]


def agree(hint: Any, other: Any) -> bool:
    """Whether two types of a field mean the same, the one in JSON, the other in memory."""
    kinds, others = kinds_of(hint), kinds_of(other)
    if len(kinds) > 1 or len(others) > 1:
        matched = all(any(agree(kind, second) for second in others) for kind in kinds)
        return matched and len(kinds) == len(others)
    (kind,), (second,) = kinds, others
    if get_origin(kind) in (list, tuple) and get_origin(second) in (list, tuple):
        return agree(get_args(kind)[0], get_args(second)[0])
    if get_origin(kind) in (dict, Mapping) and get_origin(second) in (dict, Mapping):
        return all(map(agree, get_args(kind), get_args(second)))
    return kind is second or (kind, second) in KNOWN


def hints_of(shape: type) -> dict[str, Any]:
    hints = get_type_hints(shape, include_extras=True)
    return {name: hint for name, hint in hints.items() if name != "model_config"}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.shape.__name__}-{pair.other.__qualname__}")
def test_two_shapes_of_one_thing_agree(pair):
    shape, other = hints_of(pair.shape), hints_of(pair.other)
    assert shape.keys() - other.keys() == pair.only_shape.keys()
    assert other.keys() - shape.keys() == pair.only_other.keys()
    different = {name for name in shape.keys() & other.keys() if not agree(shape[name], other[name])}
    assert different == pair.differ.keys()


def test_every_model_of_the_api_is_compared_or_stands_alone():
    models = {
        kind.__name__
        for module in (schemas, rubric_schemas, judging_schemas, pupil_schemas, auth)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind.__module__ == module.__name__
    }
    compared = {pair.shape.__name__ for pair in PAIRS if issubclass(pair.shape, BaseModel)}
    assert models - compared == ALONE.keys()


def test_every_model_that_shows_a_record_is_compared_with_it():
    named = {name for name, kind in vars(schemas).items() if isinstance(kind, type)} & vars(records).keys()
    compared = {pair.shape.__name__ for pair in PAIRS if pair.other.__module__ == records.__name__}
    assert {name for name in named if vars(records)[name].__module__ == records.__name__} <= compared
