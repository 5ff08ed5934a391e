"""The library at work: texts judged for a request, and the shipped grader as the machine of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from postil.alignment.aligner import MOST_ALIGNED, load_aligner
from postil.data.judgements import APPROXIMATE, Judgement, Reason
from postil.data.questions import Answer, Facet
from postil.entailment.entailer import (
    LONGEST_HYPOTHESIS,
    LONGEST_TEXT,
    MOST_OF_HYPOTHESIS,
    MOST_OF_TEXT,
    load_entailer,
)
from postil.explain.alignments import plain_alignment, plain_entailment, plain_outcome
from postil.explain.explanation import explain, justified
from postil.explain.notes import facets_in_words
from postil.explain.wording import read_up_to
from postil.grader import explain_class, grade_class, load, make_question
from postil.grading.answers import MOST_READ
from postil.grading.claims import find_points, judge_facets
from postil.grading.facets import MOST_CLAUSES
from postil.grading.screening import screen
from postil.language.pipeline import analyse_many, analyse_tokens, beginning
from postil.language.spelling import spelled_out
from postil.workbench.groups import group_texts
from postil.workbench.jobs.judging import AlignTask, ClassTask, EntailTask, FacetsTask, Findings, Plain, Task
from postil.workbench.jobs.readers import missing
from postil.workbench.records import Lessons, Question

# Of a pair: its name; the words and symbols, and characters, that are read.
_Side = tuple[str, int, int | None]
_ALIGNED: tuple[_Side, ...] = (("source", MOST_ALIGNED, None), ("target", MOST_ALIGNED, None))
_ENTAILED: tuple[_Side, ...] = (
    ("text", MOST_OF_TEXT, LONGEST_TEXT),
    ("hypothesis", MOST_OF_HYPOTHESIS, LONGEST_HYPOTHESIS),
)


def warm_up() -> None:
    """Load the models that grade and explain, so that no task has to wait for them."""
    judge_class(ClassTask("Why is it lit?", ("The circuit is closed.",), ("It has a path.",), explain=True))


def judge(task: Task) -> Findings:
    """Do a task."""
    if isinstance(task, ClassTask):
        return judge_class(task)
    if isinstance(task, AlignTask):
        return Findings(align_pairs(task), _cut_pairs(task, _ALIGNED))
    if isinstance(task, EntailTask):
        return Findings(entail_pairs(task), _cut_pairs(task, _ENTAILED))
    return Findings(find_facets(task), _cut_answers(task))


def judge_class(task: ClassTask) -> Findings:
    """Judge the answers as one class, with a new grader that knows only the decisions sent with them."""
    question = make_question(task.question, task.references)
    explain = task.explain or task.with_facets
    claims = _facets(task.facets) if explain else None
    judgements = grade_class(
        question,
        task.answers,
        task.decided,
        claims,
        explain=explain,
        strictness=task.strictness,
        reader=task.reader,
        pupils=task.pupils,
    )
    answers = tuple(Answer(str(number), text) for number, text in enumerate(task.answers))
    warnings = tuple(concern.sentence for concern in screen(replace(question, answers=answers)))
    return Findings([_plain(judgement, task) for judgement in judgements], warnings)


def align_pairs(task: AlignTask) -> list[Plain]:
    """Align the chunks of each pair of sentences, and say what that shows."""
    texts = [(" ".join(source.split()), " ".join(target.split())) for source, target in task.pairs]
    # A sentence is its tokens here, as in alignment files, not the text that they were cut from.
    pairs = [replace(pair, source_text="", target_text="") for pair in load_aligner().align_texts(texts)]
    documents = iter(analyse_tokens(tokens for pair in pairs for tokens in (pair.source, pair.target)))
    return [
        {
            **plain_alignment(pair),
            "approximate": pair.status == APPROXIMATE,
            "explanation": explain(pair, next(documents), next(documents)),
        }
        for pair in pairs
    ]


def entail_pairs(task: EntailTask) -> list[Plain]:
    """Judge whether each text implies its hypothesis, and say why."""
    pairs = [(" ".join(text.split()), " ".join(hypothesis.split())) for text, hypothesis in task.pairs]
    judged = justified([hypothesis for _, hypothesis in pairs], load_entailer().judge(pairs))
    return [plain_entailment(judgement, task.scheme) for judgement in judged]


def find_facets(task: FacetsTask) -> list[Plain]:
    """Say what each answer does with the facets of the reference."""
    facets = _facets(task.facets)
    judged = judge_facets(task.question, task.reference, task.answers, facets, most=MOST_CLAUSES)
    return [
        {"facets": [*map(plain_outcome, outcomes)], "explanation": facets_in_words(outcomes)}
        for outcomes in judged
    ]


def _cut_pairs(task: AlignTask | EntailTask, sides: Sequence[_Side]) -> tuple[str, ...]:
    """A sentence for each text of a pair that was not read to its end."""
    told: list[str] = []
    for id, pair in zip(_ids(task.ids, task.pairs), task.pairs, strict=True):
        for (side, most, longest), text in zip(sides, pair, strict=True):
            told += read_up_to([(f"The {side} of pair {id}", text)], most, longest)
    return tuple(told)


def _cut_answers(task: FacetsTask) -> tuple[str, ...]:
    """A sentence for each text that was not read to its end."""
    texts = [("The question", task.question), ("The reference", task.reference)]
    answers = zip(_ids(task.ids, task.answers), task.answers, strict=True)
    texts += [(f"Answer {id}", spelled_out(answer)) for id, answer in answers]
    return tuple(read_up_to(texts, MOST_ALIGNED))


def _ids(ids: Sequence[str], texts: Sequence[object]) -> Sequence[str]:
    return ids or [str(number) for number in range(1, len(texts) + 1)]


def _facets(names: Sequence[str] | None) -> tuple[Facet, ...] | None:
    if names is None:
        return None
    return tuple(Facet(f"f{number}", name) for number, name in enumerate(names, 1))


def _plain(judged: Judgement, task: ClassTask) -> Plain:
    words = judged.explanation if task.explain else None
    outcomes = judged.explanation.facets if judged.explanation and task.with_facets else None
    return {
        "label": judged.labels[task.scheme],
        "probabilities": dict(judged.probabilities[task.scheme]),
        "score": judged.score,
        "confidence": judged.confidence,
        "deferred": judged.deferred,
        "because": judged.because,
        "reference": judged.reference,
        "feedback": {"teacher": words.teacher, "student": words.student} if words else None,
        "facets": None if outcomes is None else [*map(plain_outcome, outcomes)],
        "alignment": plain_alignment(words.alignment) if words else None,
        "reason": judged.reason,
        "reader": judged.reader,
        "read_by": judged.read_by,
    }


class GraderMachine:
    """Makes a new grader for every class: a long-lived one would remember decisions since undone."""

    def missing(self, reader: str) -> str:
        """Why a reader cannot be used in this process, whatever memory it has."""
        return missing(reader, memory=0)

    def judge(
        self,
        question: Question,
        answers: Sequence[str],
        decided: Sequence[str | None],
        strictness: str = "normal",
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> list[Judgement]:
        """Judge the class by what was decided, and the decided answers as if nobody had decided.

        Of these the grader would only repeat the label; what it says by itself shows how far to trust it. It
        is as strict with them as with the others, and has had the same lessons from other questions.
        """
        asked = make_question(question.text, question.references)
        labels = {index: label for index, label in enumerate(decided) if label is not None}
        examples = [(answers[index], label) for index, label in labels.items()]
        grade = partial(grade_class, asked, strictness=strictness, lessons=lessons, reader=reader)
        judgements = grade(answers, examples)
        if labels:
            own = [answers[index] for index in labels]
            alone = grade(own)
            for index, judgement in zip(labels, alone, strict=True):
                judgements[index] = judgement
        return judgements

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Explain the judgements, with the answers as the grader read them.

        Where a label was only repeated after a person there is nothing to explain; but where a teacher set
        claims, these have to be looked for there as well: the answer may earn a part.
        """
        asked = make_question(question.text, question.references)
        first = question.references[0]
        untold = [
            replace(judgement, reason=None, because="", reference=first)
            if judgement.reason is Reason.TOLD and question.facets is not None
            else judgement
            for judgement in judgements
        ]
        explained = explain_class(asked, answers, untold, question.facets)
        return [
            replace(judgement, explanation=other.explanation) if judgement.reason is Reason.TOLD else other
            for judgement, other in zip(judgements, explained, strict=True)
        ]

    def propose(
        self,
        question: Question,
        answers: Sequence[str],
        count: int,
        strictness: str = "normal",
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> list[int]:
        """The answers that tell the grader most about the others."""
        grader = load(strictness=strictness, reader=reader)
        for lesson in lessons:
            references = [reference.text for reference in lesson.references]
            labelled = [(answer.text, answer.label) for answer in lesson.answers if answer.label is not None]
            grader.remember(lesson.text, references, labelled)
        return grader.propose(question.text, question.references, answers, count)

    def facets(self, question: Question) -> list[str]:
        """The points of the first reference."""
        texts = (question.text, question.references[0])
        asked, reference = analyse_many([beginning(text, MOST_READ) for text in texts])
        return [point.facet.first for point in find_points(reference, asked)]

    def group(self, answers: Sequence[str]) -> list[int]:
        """Groups of answers that say the same in the same words."""
        return group_texts(answers)
