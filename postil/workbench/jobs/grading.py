"""What a job does: propose answers to label, grade a class, or grade it again to compare."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from math import ceil
from typing import Protocol, runtime_checkable

from postil.data.judgements import (
    CONTRADICTED,
    EXPRESSED,
    UNADDRESSED,
    Judgement,
    Reason,
    collapsed,
    score_of,
)
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.rubrics import LONGEST_ITEM, MOST_FACETS
from postil.errors import PostilError
from postil.grading.answers import bare, shortened
from postil.workbench.claims import Outcome, denial, kept_outcome, looked_for
from postil.workbench.records import Answer, Decision, Job, Judged, Lessons, Manner, Question
from postil.workbench.store import answers, courses, decisions, jobs, judgements
from postil.workbench.store.answers import Filter
from postil.workbench.store.database import Store
from postil.workbench.store.rubrics import drafted
from postil.workbench.store.tables import now

BATCH = 128  # answers explained and stored together
PROPOSED = 4
_LOG = logging.getLogger(__name__)
_MOST_READ = 500  # answers of a large class from which the proposed are chosen: somebody waits for them


class Stopwatch:
    """The seconds spent in each stage since they were last taken."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside the block to a stage."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.monotonic() - begun

    def take(self) -> dict[str, float]:
        """Return the seconds spent since the last call, by stage, and start again from zero."""
        spent, self._spent = self._spent, {}
        return spent


class Machine(Protocol):
    """What a job needs from a grader; tests use a simple substitute.

    `strictness` and `reader` are the course's, and `lessons` are its other questions, with answers that
    people labelled. The reader None is the one that is installed.
    """

    def missing(self, reader: str) -> str:
        """Why a reader cannot be used; empty if it can."""
        ...

    def judge(
        self,
        question: Question,
        answers: Sequence[str],
        decided: Sequence[str | None],
        strictness: str = "normal",
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> list[Judgement]:
        """Judge a whole class; `decided` has the label that a person gave, answer by answer, or None.

        What could not be read is judged so (`Reason.UNREAD`), and the others as if it were not there.
        """
        ...

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Give some of the judgements their explanation, with what became of the question's facets."""
        ...

    def propose(
        self,
        question: Question,
        answers: Sequence[str],
        count: int,
        strictness: str = "normal",
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> list[int]:
        """The indices of the answers to label first."""
        ...

    def facets(self, question: Question) -> list[str]:
        """What a full answer says, in the words of the first reference."""
        ...

    def group(self, answers: Sequence[str]) -> list[int]:
        """The number of each answer's group: the position of the group's first answer, counted from 1."""
        ...


@runtime_checkable
class SearchingMachine(Protocol):
    """A machine that searches for unreadable answers, and reports their indices as it finds them.

    A search can take minutes, and whoever takes the job over should not begin anew.
    """

    tell: Callable[[Sequence[int]], None] | None


LoadMachine = Callable[[], Machine]


def load_machine() -> Machine:
    """The grader that ships, with its models; only this imports what is slow to import."""
    from postil.workbench.jobs.library import GraderMachine, warm_up

    warm_up()
    return GraderMachine()


# By the words of an answer and the label that a person gave it: the facets that the person was asked about.
Ticks = Mapping[tuple[str, str], Mapping[str, bool]]


def judged_record(question: Question, answer: Answer, judgement: Judgement, ticks: Ticks) -> Judged:
    """What is stored of the judgement of an answer.

    A label that only repeats a person's has no notes: the machine cannot say why it was given.
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
        deferred=judgement.deferred,
        reason=judgement.reason,
        reference=judgement.reference,
        teacher=noted.note if noted else "",
        doubt=noted.doubt if noted else "",
        student=noted.student if noted else "",
        alignment=explanation.alignment if explanation else None,
        made=now(),
        facets=outcomes,
        looked_for=looked_for(question.facets),
        reader=judgement.reader,
        read_by=judgement.read_by,
    )


def as_judged(judged: Judged) -> Judgement:
    """Turn a stored judgement back into what it was before its explanation, when facets did not matter yet.

    If it was left to a person, it still is; whether only the facets were the reason is not stored.
    """
    label, chances = judged.label, collapsed(judged.probabilities)
    labels = {name: scheme.collapse(label) or label for name, scheme in RESPONSE_SCHEMES.items()}
    confidence, reference = chances["2way"][labels["2way"]], judged.reference
    return Judgement(
        labels,
        chances,
        judged.score,
        confidence,
        judged.deferred,
        reference,
        reason=judged.reason,
        reader=judged.reader,
        read_by=judged.read_by,
    )


def unread_judgement(earlier: Judged | None = None) -> Judgement:
    """The judgement of an answer that could not be read: it is left to a person, with its earlier label.

    Without one, no label is right; it gets the one that earns nothing until somebody has read the answer.
    """
    if earlier is not None:
        return replace(as_judged(earlier), deferred=True, because="", reason=Reason.UNREAD)
    label, five = "non_domain", dict.fromkeys(RESPONSE_SCHEMES["5way"].labels, 0.0)
    five |= {"correct": 0.5, label: 0.5}
    labels = {name: scheme.collapse(label) or label for name, scheme in RESPONSE_SCHEMES.items()}
    return Judgement(labels, collapsed(five), score_of(five), 0.5, deferred=True, reason=Reason.UNREAD)


def _outcomes(question: Question, judgement: Judgement, ticks: Mapping[str, bool]) -> tuple[Outcome, ...]:
    """The facet outcomes; a repeated decision keeps its ticks, so that equal answers earn the same."""
    explanation = judgement.explanation
    outcomes = tuple(map(kept_outcome, explanation.facets)) if explanation else ()
    if judgement.reason is not Reason.TOLD:
        return outcomes
    ticked = [
        Outcome(facet.id, facet.first, _ticked(facet.id, ticks), 1.0)
        for facet in question.facets or ()
        if facet.id in ticks
    ]
    names = {outcome.name for outcome in ticked}
    return (*ticked, *(outcome for outcome in outcomes if outcome.name not in names))


def _ticked(facet_id: str, ticks: Mapping[str, bool]) -> str:
    if ticks[facet_id]:
        return EXPRESSED
    return CONTRADICTED if ticks.get(denial(facet_id)) else UNADDRESSED


def _words(answer: Answer) -> str:
    """The words by which the grader recognises equal answers."""
    return bare(shortened(answer.text))


def run(store: Store, job: Job, machine: Machine, *, batch: int = BATCH) -> None:
    """Do a job, or what is left of it, and say that it is done."""
    question = courses.get_question(store, job.question_id)
    watch = Stopwatch()
    if job.kind == "facets":
        with watch.stage("facets"):
            names = machine.facets(question)
        # As many items as a rubric can have, none too long or listed twice.
        cut = [name[:LONGEST_ITEM] for name in names]
        usable = list({name.casefold(): name for name in cut}.values())[:MOST_FACETS]
        jobs.finish(store, job, {"names": usable}, watch.take())
        return
    if job.kind == "preview":
        jobs.finish(store, job, _look_for(store, job, question, machine, batch, watch), watch.take())
        return
    class_answers = answers.list_answers(store, job.question_id)
    if not class_answers:
        raise PostilError("there are no answers to grade.", hint="Add answers first.")
    jobs.set_phase(store, job, "reading", len(class_answers))
    if job.kind == "propose":
        with watch.stage("proposing"):
            decided = {decision.answer_id for decision in decisions.current(store, question.id)}
            open_ = [answer for answer in class_answers if answer.id not in decided]
            open_ = open_[:: ceil(len(open_) / _MOST_READ) or 1]
            texts = [answer.text for answer in open_]
            manner, lessons = _manner(store, question, machine)[0], decisions.lessons(store, question.id)
            given = PROPOSED, manner.strictness, lessons, manner.reader
            places = machine.propose(question, texts, *given) if open_ else []
            result: dict[str, object] = {"answers": [open_[place].id for place in places]}
    else:
        result = _grade(store, job, question, class_answers, machine, batch, watch)
    jobs.finish(store, job, result, watch.take())


def _grade(
    store: Store,
    job: Job,
    question: Question,
    class_answers: Sequence[Answer],
    machine: Machine,
    batch: int,
    watch: Stopwatch,
) -> dict[str, object]:
    """Judge the whole class at once, for answers are compared; then explain and store in batches.

    Answers that come late are judged beside all the others, but only they get a judgement. Judging gives the
    same result every time: after a kill it is done again, and only what was not stored is explained.
    """
    heard = decisions.teaching(store, question.id)
    manner, missed = _manner(store, question, machine)
    lessons = decisions.lessons(store, question.id)
    labels = {decision.answer_id: decision.label for decision in heard}
    words = {answer.id: _words(answer) for answer in class_answers}
    ticks = _ticks(heard, words)
    left = set(judgements.missing(store, job))
    total = job.done + len(left)
    unread = judgements.unread(store, job)
    readable = [answer for answer in class_answers if answer.id not in unread]
    earlier = _earlier(store, job, question)

    def set_aside(places: Sequence[int]) -> None:
        """Store at once what could not be read: it would break the next attempt as well."""
        aside = [readable[place] for place in places if readable[place].id not in unread]
        unread.update(answer.id for answer in aside)
        records = [
            judged_record(question, answer, unread_judgement(earlier.get(answer.id)), ticks)
            for answer in aside
            if answer.id in left
        ]
        if records:
            judgements.save_judgements(store, job, records)

    with watch.stage("judging"), _telling(machine, set_aside):
        given = [labels.get(answer.id) for answer in readable]
        texts = [answer.text for answer in readable]
        told = manner.strictness, lessons, manner.reader
        judged = machine.judge(question, texts, given, *told) if readable else []
    set_aside([place for place, judgement in enumerate(judged) if judgement.reason is Reason.UNREAD])
    judgement_of = {answer.id: judgement for answer, judgement in zip(readable, judged, strict=True)}
    if job.kind == "recheck":  # no label changes unseen: where it would, the earlier judgement stays
        for id, before in earlier.items():
            if id in judgement_of and judgement_of[id].label != before.label:
                judgement_of[id] = as_judged(before)
    jobs.set_phase(store, job, "explaining", total)
    for members in _batches([answer for answer in readable if answer.id in left - unread], batch):
        unexplained = [judgement_of[answer.id] for answer in members]
        with watch.stage("explaining"):
            explained = machine.explain(question, [answer.text for answer in members], unexplained)
        pairs = zip(members, explained, strict=True)
        records = [judged_record(question, answer, judgement, ticks) for answer, judgement in pairs]
        spent = watch.take()
        with watch.stage("storing"):  # which is counted with the next batch
            judgements.save_judgements(store, job, records, spent)
    jobs.set_phase(store, job, "grouping", total)
    numbers = {answer.id: number for number, answer in enumerate(class_answers, 1)}  # each by itself
    compared = [answer for answer in class_answers if answer.id not in unread]
    with watch.stage("grouping"):
        groups = machine.group([answer.text for answer in compared])
    first = [numbers[answer.id] for answer in compared]
    numbers |= {answer.id: first[group - 1] for answer, group in zip(compared, groups, strict=True)}
    answers.set_groups(store, question.id, numbers, job)
    heard_now = _heard(store, job, len(labels), manner)
    return {"answers": len(class_answers), **heard_now, **({"missing_reader": missed} if missed else {})}


def _manner(store: Store, question: Question, machine: Machine) -> tuple[Manner, str | None]:
    """How answers to a question are graded, as its course says; and its reader, if that cannot be used.

    The class is then read by the reader that is installed: a reader may be gone with a computer or a package.
    """
    manner = courses.get_course(store, question.course_id).manner
    why = machine.missing(manner.reader) if manner.reader else ""
    if why:
        _LOG.warning("a course is graded without its %s reader: %s", manner.reader, why)
    return manner.usable(why), manner.reader if why else None


def _look_for(
    store: Store, job: Job, question: Question, machine: Machine, batch: int, watch: Stopwatch
) -> dict[str, object]:
    """Look in the judged answers for the items of a draft of a rubric; labels stay as they are."""
    asked = replace(question, facets=drafted(job))
    class_answers = answers.list_answers(store, question.id)
    words = {answer.id: _words(answer) for answer in class_answers}
    ticks = _ticks(decisions.teaching(store, question.id), words)
    earlier, left = _earlier(store, job, question), set(judgements.missing(store, job))
    members = [answer for answer in class_answers if answer.id in left and answer.id in earlier]
    jobs.set_phase(store, job, "explaining", len(earlier))
    for some in _batches(members, batch):
        judged = [as_judged(earlier[answer.id]) for answer in some]
        with watch.stage("explaining"):
            explained = machine.explain(asked, [answer.text for answer in some], judged)
        pairs = zip(some, explained, strict=True)
        records = [judged_record(asked, answer, judgement, ticks) for answer, judgement in pairs]
        judgements.save_judgements(store, job, records, watch.take())
    return {**job.result, "answers": len(earlier)}


def _ticks(heard: Sequence[Decision], words: Mapping[int, str]) -> Ticks:
    """The facets that people were asked about, by the words of the answers and their labels."""
    return {
        (words[decision.answer_id], decision.label): decision.ticked
        for decision in heard
        if decision.ticked is not None
    }


def _earlier(store: Store, job: Job, question: Question) -> dict[int, Judged]:
    """The judgements that a job must not change unseen, by answer."""
    if job.kind == "grade":
        return {}
    views = answers.find_views(store, question.id, Filter(order="place"), 0, question.answers, aligned=False)
    return {view.answer.id: view.judged for view in views if view.judged}


@contextmanager
def _telling(machine: Machine, tell: Callable[[Sequence[int]], None]) -> Iterator[None]:
    """Inside the block, a machine that searches for unreadable answers reports them to `tell`."""
    if not isinstance(machine, SearchingMachine):
        yield
        return
    machine.tell = tell
    try:
        yield
    finally:
        machine.tell = None


def _heard(store: Store, job: Job, decided: int, manner: Manner) -> dict[str, object]:
    """How many decisions, which strictness and which reader all current judgements already reflect.

    Later decisions can still teach the grader; and while some answers were graded in another manner than the
    course's, that one is told, so that grading again is offered.
    """
    if job.kind == "recheck":  # its labels are those of before
        before = jobs.manner_heard(store, job.question_id) or manner
        decided = min(jobs.decisions_heard(store, job.question_id), decided)
        return {"decided": decided, **asdict(before)}
    others = [] if job.kind == "regrade" else judgements.other_results(store, job)
    earlier = [int(result.get("decided", 0)) for result in others]
    differing = (jobs.manner_of(result) for result in others)
    other = next((each for each in differing if each != manner), manner)
    return {"decided": min([*earlier, decided]), **asdict(other)}


def _batches(unordered: Sequence[Answer], size: int) -> Iterator[Sequence[Answer]]:
    """Answers in batches, equal texts one after the other: together, they are looked at once."""
    first: dict[str, int] = {}
    for answer in unordered:
        first.setdefault(answer.text, answer.place)
    ordered = sorted(unordered, key=lambda answer: (first[answer.text], answer.place))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
