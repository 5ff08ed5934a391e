"""What a job does: propose answers to label, grade a class, or grade it again beside what is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from postil.data.judgements import Judgement
from postil.errors import PostilError
from postil.workbench.jobs import keeping
from postil.workbench.jobs.machine import Machine
from postil.workbench.jobs.stopwatch import Stopwatch
from postil.workbench.records import Answer, Job, Question
from postil.workbench.store import answers, decisions, facets, jobs, judgements, questions
from postil.workbench.store.answers import Filter
from postil.workbench.store.database import Store

BATCH = 128  # answers explained and stored together
PROPOSED = 4
_MOST_READ = 500  # answers of a large class from which the proposed are chosen: somebody waits for them


def run(store: Store, job: Job, machine: Machine, *, batch: int = BATCH) -> None:
    """Do a job, or what is left of it, and say that it is done."""
    question = questions.get_question(store, job.question_id)
    watch = Stopwatch()
    if job.kind == "facets":
        with watch.stage("facets"):
            names = machine.facets(question)
        jobs.finish(store, job, {"names": _usable(names)}, watch.take())
        return
    given = answers.list_answers(store, job.question_id)
    if not given:
        raise PostilError("there are no answers to grade.", hint="Add answers first.")
    if job.kind == "propose":
        with watch.stage("proposing"):
            result = _propose(store, job, question, given, machine)
    else:
        result = _grade(store, job, question, given, machine, batch, watch)
    jobs.finish(store, job, result, watch.take())


def _propose(
    store: Store, job: Job, question: Question, given: Sequence[Answer], machine: Machine
) -> dict[str, object]:
    jobs.set_phase(store, job, "reading", len(given))
    decided = {decision.answer_id for decision in decisions.current(store, question.id)}
    open_ = [answer for answer in given if answer.id not in decided]
    open_ = open_[:: ceil(len(open_) / _MOST_READ) or 1]
    places = machine.propose(question, [answer.text for answer in open_], PROPOSED) if open_ else []
    return {"answers": [open_[place].id for place in places]}


def _grade(
    store: Store,
    job: Job,
    question: Question,
    given: Sequence[Answer],
    machine: Machine,
    batch: int,
    watch: Stopwatch,
) -> dict[str, object]:
    """Judge everybody at once, for answers are compared with each other; then explain and store in batches.

    Answers that come late are judged beside all the others, but only they get a judgement. Judging gives the
    same result every time: after a kill it is done again, and only what was not stored is explained.
    """
    jobs.set_phase(store, job, "reading", len(given))
    heard = decisions.teaching(store, question.id)
    labels = {decision.answer_id: decision.label for decision in heard}
    texts = [answer.text for answer in given]
    with watch.stage("judging"):
        judged = machine.judge(question, texts, [labels.get(answer.id) for answer in given])
    judgement_of = {answer.id: judgement for answer, judgement in zip(given, judged, strict=True)}
    if job.kind == "recheck":
        judgement_of |= _labels_kept(store, question, judgement_of)
    ticks = keeping.ticks_by_words(given, heard)
    save = judgements.save_proposals if job.kind == "regrade" else judgements.save_judgements
    left = set(judgements.missing(store, job))
    total = job.done + len(left)
    jobs.set_phase(store, job, "explaining", total)
    for some in _batches([answer for answer in given if answer.id in left], batch):
        mine = [judgement_of[answer.id] for answer in some]
        with watch.stage("explaining"):
            explained = machine.explain(question, [answer.text for answer in some], mine)
        pairs = zip(some, explained, strict=True)
        kept = [keeping.kept(question, answer, judgement, ticks) for answer, judgement in pairs]
        spent = watch.take()
        with watch.stage("storing"):  # which is counted with the next batch
            save(store, job, kept, spent)
    jobs.set_phase(store, job, "grouping", total)
    with watch.stage("grouping"):
        groups = machine.group(texts)
    numbers = {one.id: group for one, group in zip(given, groups, strict=True)}
    answers.set_groups(store, question.id, numbers, job)
    return {"answers": len(given), "decided": _heard(store, job, len(labels))}


def _heard(store: Store, job: Job, decided: int) -> int:
    """How many decisions all judgements that count have heard; those made since can still teach."""
    if job.kind == "recheck":  # its labels are those of before
        return min(jobs.decisions_heard(store, job.question_id), decided)
    earlier = None if job.kind == "regrade" else judgements.least_heard(store, job)
    return decided if earlier is None else min(earlier, decided)


def _labels_kept(store: Store, question: Question, new: Mapping[int, Judgement]) -> dict[int, Judgement]:
    """The earlier judgements of answers that would now have another label: no label changes unseen."""
    views = answers.find_views(store, question.id, Filter(order="place"), 0, question.answers, aligned=False)
    judged = [view.judged for view in views if view.judged]
    return {one.answer_id: keeping.as_judged(one) for one in judged if new[one.answer_id].label != one.label}


def _usable(names: Sequence[str]) -> list[str]:
    """As many facets as a question can have, none too long or there twice."""
    cut = {name[: facets.LONGEST_NAME].casefold(): name[: facets.LONGEST_NAME] for name in names}
    return list(cut.values())[: facets.MOST_FACETS]


def _batches(given: Sequence[Answer], size: int) -> Iterator[Sequence[Answer]]:
    """Answers in batches, equal texts one after the other: together, they are looked at once."""
    first: dict[str, int] = {}
    for answer in given:
        first.setdefault(answer.text, answer.place)
    ordered = sorted(given, key=lambda answer: (first[answer.text], answer.place))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
