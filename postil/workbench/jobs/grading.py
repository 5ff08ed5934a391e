"""What a job does: propose answers to label, grade a class, or grade it again beside what is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil
from typing import Protocol

from postil.data.judgements import EXPRESSED, UNADDRESSED, Judgement, Reason, collapsed
from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.errors import PostilError
from postil.grading.answers import bare, shortened
from postil.workbench.claims import Outcome, kept_outcome, looked_for
from postil.workbench.records import Answer, Decision, Job, Judged, Question
from postil.workbench.store import answers, courses, decisions, jobs, judgements
from postil.workbench.store.answers import Filter
from postil.workbench.store.database import Store
from postil.workbench.store.tables import now

# How long the stages of a job take.


class Stopwatch:
    """The seconds spent in each stage that were not taken to be counted yet."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Inside, a stage goes on."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.monotonic() - begun

    def take(self) -> dict[str, float]:
        """What was spent since this was last asked."""
        spent, self._spent = self._spent, {}
        return spent


# The machine that jobs work with: judges a class, explains judgements, proposes what to label first.


class Machine(Protocol):
    """What a job needs of a grader; tests put a simple one in its place."""

    def judge(
        self, question: Question, answers: Sequence[str], decided: Sequence[str | None]
    ) -> list[Judgement]:
        """Judge a whole class; `decided` has the label that a person gave, answer by answer, or None."""
        ...

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Give some of the judgements their explanation, with what became of the question's facets."""
        ...

    def propose(self, question: Question, answers: Sequence[str], count: int) -> list[int]:
        """The places of the answers to label first."""
        ...

    def facets(self, question: Question) -> list[str]:
        """What a full answer says, in the words of the first reference."""
        ...

    def group(self, answers: Sequence[str]) -> list[int]:
        """Answer by answer the number of its group: like answers have the same."""
        ...


LoadMachine = Callable[[], Machine]


def load_machine() -> Machine:
    """The grader that ships; only this imports what is slow to import."""
    from postil.workbench.jobs.library import GraderMachine

    return GraderMachine()


# Between what the machine says of answers and what is kept of it.

# By the words of an answer and the label that a person gave it: the facets that the person was asked about.
Ticks = Mapping[tuple[str, str], Mapping[str, bool]]


def kept_judgement(question: Question, answer: Answer, judgement: Judgement, ticks: Ticks) -> Judged:
    """What is kept of the judgement of an answer.

    Why a label was given that is only repeated after a person, the machine cannot say: it has no notes.
    """
    explanation = judgement.explanation
    noted = explanation if judgement.reason is not Reason.TOLD else None
    outcomes = _outcomes(question, judgement, ticks.get((_words(answer), judgement.label), {}))
    return Judged(
        answer_id=answer.id,
        label=judgement.label,
        probabilities=judgement.probabilities["5way"],
        score=judgement.score,
        confidence=judgement.confidence,
        deferred=judgement.deferred or _earns_nothing(question, judgement, outcomes),
        reason=judgement.reason,
        reference=judgement.reference,
        teacher=noted.note if noted else "",
        doubt=noted.doubt if noted else "",
        student=noted.student if noted else "",
        alignment=explanation.alignment if explanation else None,
        made=now(),
        facets=outcomes,
        looked_for=looked_for(question.facets),
    )


def _earns_nothing(question: Question, judgement: Judgement, outcomes: Sequence[Outcome]) -> bool:
    """Whether an answer is called partly right and yet says no part that counts: a person should look."""
    partly = judgement.label == PARTLY and judgement.reason is not Reason.TOLD
    return partly and bool(question.facets and outcomes) and all(one.label != EXPRESSED for one in outcomes)


def as_judged(one: Judged) -> Judgement:
    """A judgement as it was before it was explained and kept: no facets have spoken against it yet.

    If it was left to a person, it still is; whether only the facets were the reason is not kept.
    """
    labels = {name: scheme.collapse(one.label) or one.label for name, scheme in RESPONSE_SCHEMES.items()}
    chances = collapsed(one.probabilities)
    confidence = chances["2way"][labels["2way"]]
    return Judgement(labels, chances, one.score, confidence, one.deferred, one.reference, reason=one.reason)


def ticks_by_words(given: Sequence[Answer], decisions: Sequence[Decision]) -> Ticks:
    """What a person ticked, by the words of the answer and its label."""
    words = {answer.id: _words(answer) for answer in given}
    return {(words[one.answer_id], one.label): one.ticked for one in decisions if one.ticked is not None}


def _outcomes(question: Question, judgement: Judgement, told: Mapping[str, bool]) -> tuple[Outcome, ...]:
    """What became of the facets; a person's label that is repeated brings its ticks: equals earn the same."""
    explanation = judgement.explanation
    found = tuple(map(kept_outcome, explanation.facets)) if explanation else ()
    if judgement.reason is not Reason.TOLD:
        return found
    ticked = [
        Outcome(one.id, one.first, EXPRESSED if told[one.id] else UNADDRESSED, 1.0)
        for one in question.facets or ()
        if one.id in told
    ]
    names = {one.name for one in ticked}
    return (*ticked, *(one for one in found if one.name not in names))


def _words(answer: Answer) -> str:
    """What makes answers the same to the grader."""
    return bare(shortened(answer.text))


BATCH = 128  # answers explained and stored together
PROPOSED = 4
_MOST_READ = 500  # answers of a large class from which the proposed are chosen: somebody waits for them


def run(store: Store, job: Job, machine: Machine, *, batch: int = BATCH) -> None:
    """Do a job, or what is left of it, and say that it is done."""
    question = courses.get_question(store, job.question_id)
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
    ticks = ticks_by_words(given, heard)
    save = judgements.save_proposals if job.kind == "regrade" else judgements.save_judgements
    left = set(judgements.missing(store, job))
    total = job.done + len(left)
    jobs.set_phase(store, job, "explaining", total)
    for some in _batches([answer for answer in given if answer.id in left], batch):
        mine = [judgement_of[answer.id] for answer in some]
        with watch.stage("explaining"):
            explained = machine.explain(question, [answer.text for answer in some], mine)
        pairs = zip(some, explained, strict=True)
        kept = [kept_judgement(question, answer, judgement, ticks) for answer, judgement in pairs]
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
    return {one.answer_id: as_judged(one) for one in judged if new[one.answer_id].label != one.label}


def _usable(names: Sequence[str]) -> list[str]:
    """As many facets as a question can have, none too long or there twice."""
    cut = {name[: courses.LONGEST_NAME].casefold(): name[: courses.LONGEST_NAME] for name in names}
    return list(cut.values())[: courses.MOST_FACETS]


def _batches(given: Sequence[Answer], size: int) -> Iterator[Sequence[Answer]]:
    """Answers in batches, equal texts one after the other: together, they are looked at once."""
    first: dict[str, int] = {}
    for answer in given:
        first.setdefault(answer.text, answer.place)
    ordered = sorted(given, key=lambda answer: (first[answer.text], answer.place))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
