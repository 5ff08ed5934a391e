"""Texts judged by the library, with results as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postil.alignment.aligner import load_aligner
from postil.data.judgements import APPROXIMATE, Judgement
from postil.data.questions import Answer, Facet
from postil.entailment.entailer import load_entailer
from postil.explain.alignments import plain_alignment, plain_entailment, plain_outcome
from postil.explain.explanation import explain
from postil.explain.justification import justified
from postil.explain.notes import facets_in_words
from postil.grader import grade_class, make_question
from postil.grading.claims import judge_facets
from postil.grading.screening import screen
from postil.language.pipeline import analyse_tokens
from postil.workbench.jobs.judging import AlignTask, ClassTask, EntailTask, FacetsTask, Findings, Plain, Task


def judge(task: Task) -> Findings:
    """Do a task."""
    if isinstance(task, ClassTask):
        return judge_class(task)
    if isinstance(task, AlignTask):
        return Findings(align_pairs(task))
    if isinstance(task, EntailTask):
        return Findings(entail_pairs(task))
    return Findings(find_facets(task))


def judge_class(task: ClassTask) -> Findings:
    """Judge the answers to a question as one class, by a new grader: it remembers only what came along."""
    question = make_question(task.question, task.references)
    explain = task.explain or task.with_facets
    claims = _facets(task.facets) if explain else None
    judgements = grade_class(question, task.answers, task.decided, claims, explain=explain)
    answers = tuple(Answer(str(number), text) for number, text in enumerate(task.answers))
    warnings = tuple(concern.sentence for concern in screen(replace(question, answers=answers)))
    return Findings([_plain(judgement, task) for judgement in judgements], warnings)


def align_pairs(task: AlignTask) -> list[Plain]:
    """Align the chunks of each pair of sentences, and say what that shows."""
    texts = [(" ".join(source.split()), " ".join(target.split())) for source, target in task.pairs]
    # A sentence is its tokens here, as in alignment files, not the text that they were cut from.
    pairs = [replace(one, source_text="", target_text="") for one in load_aligner().align_texts(texts)]
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
    return [plain_entailment(one, task.scheme) for one in judged]


def find_facets(task: FacetsTask) -> list[Plain]:
    """Say what each answer does with the facets of the reference."""
    judged = judge_facets(task.question, task.reference, task.answers, _facets(task.facets))
    return [
        {"facets": [plain_outcome(one) for one in outcomes], "explanation": facets_in_words(outcomes)}
        for outcomes in judged
    ]


def _facets(names: Sequence[str] | None) -> tuple[Facet, ...] | None:
    if names is None:
        return None
    return tuple(Facet(f"f{number}", name) for number, name in enumerate(names, 1))


def _plain(judged: Judgement, task: ClassTask) -> Plain:
    words = judged.explanation if task.explain else None
    found = judged.explanation if task.with_facets else None
    return {
        "label": judged.labels[task.scheme],
        "probabilities": dict(judged.probabilities[task.scheme]),
        "score": judged.score,
        "confidence": judged.confidence,
        "deferred": judged.deferred,
        "because": judged.because,
        "reference": judged.reference,
        "feedback": {"teacher": words.teacher, "student": words.student} if words else None,
        "facets": [plain_outcome(one) for one in found.facets] if found else None,
        "alignment": plain_alignment(words.alignment) if words else None,
    }
