"""The front door: load a grader, judge a class, remember a teacher's labels, ask which answers to label next.

>>> import postil
>>> grader = postil.load()
>>> judgement = grader.grade("Why is the bulb lit?", ["It is in a closed path with the battery."],
...     "because there is a closed path with a battery in it")
>>> judgement.label
'correct'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from postil.data.arrays import Floats, Singles
from postil.data.judgements import CREDIT, Facets, Judgement, Pupils
from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError, some, unknown_label
from postil.grading.answers import as_read, fingerprint, plain_case, shortened
from postil.grading.decision import LABELS, STRICTNESS, demand_known, demand_strictness, reconciled
from postil.grading.evidence import gather, nearness
from postil.grading.judging import Opinion, judge_class, unaided, worth_labelling
from postil.grading.memory import KNOWN, NEW, NEW_CAREFUL, Kernel, leniency
from postil.grading.probabilities import (
    Model,
    Stack,
    demand_labels,
    fit_to,
    load_model,
    save_model,
    trusting,
)
from postil.language.network import (
    QUICK,
    SERVER,
    default_reader,
    demand_reader,
    full_name,
    kind_of,
    reader,
    stack_folder,
    weighed_as,
)

Progress = Callable[[int, int], None]
Labelled = tuple[str, str]  # an answer and its label
Graded = tuple[Question, list[Judgement]]

STACK_FILE = "stack.json"
# How alike a question must be to those of the challenge for the quick reader to have half of its vote, how
# quickly it gets the whole, and how much that is beside the other reader's (docs/decisions.md); with less
# than so much of one, it is not asked.
_AT_HOME, _AT_HOME_SPREAD, _VOTE, _LEAST_SHARE = 0.74, 0.01, 0.5, 0.05
_TOGETHER = 256  # answers explained at once: many are faster than a few


@dataclass(slots=True, eq=False)
class _Lesson:
    """What a person said about some answers to a question, and what the grader says of them by itself."""

    question: str
    references: tuple[str, ...]
    labels: dict[str, str] = field(default_factory=dict)
    unaided: tuple[Floats, list[str]] | None = None  # worked out when it is first needed


@dataclass(frozen=True, eq=False)
class Grader:
    """Judges answers. It remembers labels only as long as it exists; nothing is written anywhere."""

    stacks: Mapping[str, Stack]
    # The questions that the encoder learned from (fingerprints), and how many answers to each.
    known: Mapping[str, int] = field(default_factory=dict)
    credit: Mapping[str, float] = field(default_factory=lambda: CREDIT)
    target: float | None = None
    # Who reads the answers: the quick reader, the careful one, the expert one, or several in turn.
    reader: str = QUICK
    # Whether answers are called correct more or less readily than by the teachers it has learned from.
    strictness: str = "normal"
    # Where the questions are that the quick reader is at home with (`evidence.landmarks`).
    home: Singles = field(default_factory=lambda: np.zeros((0, 0), np.float32), repr=False)
    # Whom the feedback for students is for.
    pupils: Pupils = Pupils.OLDER
    _remembered: dict[str, _Lesson] = field(default_factory=dict, repr=False)

    def grade(
        self, question: str, references: Sequence[str], answer: str, *, explain: bool = False
    ) -> Judgement:
        """Judge one answer by itself.

        With `explain`, the judgement has an `explanation`: what the answer and the reference share and how
        they differ, chunk by chunk and in words. This takes longer, and changes nothing else.
        """
        return self.grade_class(make_question(question, references), [answer], explain=explain)[0]

    def grade_many(
        self,
        questions: Iterable[Question],
        *,
        progress: Progress | None = None,
        explain: bool = False,
        claims: Mapping[str, Facets] | None = None,
    ) -> Iterator[Graded]:
        """Judge questions with their answers, one after the other; a question's answers are one class.

        Labels that the answers may carry are not read. `explain` is as in `grade`, and `claims` has those
        that a person set, by the question's id, as in `grade_class`.
        """
        done = 0
        set_claims = claims or {}
        classes = (
            (question, _texts(question.answers), set_claims.get(question.id)) for question in questions
        )
        for question, judgements in self._grade(classes, explain=explain):
            yield question, judgements
            done += len(judgements)
            if progress:
                progress(done, done)

    def grade_class(
        self,
        question: Question,
        answers: Sequence[str],
        decided: Sequence[Labelled] = (),
        claims: Facets = None,
        *,
        explain: bool = False,
    ) -> list[Judgement]:
        """Judge the answers to a question as one class, by the labels that a person gave to some texts.

        Claims that a person set count: where they speak against a label, a person should look. Asking for an
        explanation changes nothing but the `explanation`.
        """
        self.remember(question.text, _texts(question.references), decided)
        ((_, judgements),) = self._grade([(question, answers, claims)], explain=explain)
        return judgements

    def remember(self, question: str, references: Sequence[str], labelled: Sequence[Labelled]) -> None:
        """Take note of answers that a person has labelled.

        They help to judge this question's others, and say how strict the person is with other questions.
        """
        demand_known(label for _, label in labelled)
        if not labelled:
            return
        name = fingerprint(question, references)
        lesson = self._remembered.setdefault(name, _Lesson(question, tuple(references)))
        lesson.labels.update({shortened(answer): label for answer, label in labelled})
        lesson.unaided = None

    def propose(
        self, question: str, references: Sequence[str], answers: Sequence[str], count: int
    ) -> list[int]:
        """The places of the answers to label first: those that tell a grader most about the others."""
        if count < 1:
            raise PostilError(f"at least one answer must be asked for, not {count}.")
        references = _demanded(references)
        opinions, kernel, decided = self._knowledge(question, references)
        return worth_labelling(question, references, answers, count, opinions, kernel, decided)

    def _grade(
        self, classes: Iterable[tuple[Question, Sequence[str], Facets]], *, explain: bool
    ) -> Iterator[Graded]:
        """Judge classes one by one, and explain some of them together."""
        waiting: list[_Judged] = []
        for question, answers, claims in classes:
            waiting.append(_Judged(question, answers, self._judge(question, answers), claims))
            if not explain or sum(len(members.answers) for members in waiting) >= _TOGETHER:
                yield from _finished(waiting, words=explain, pupils=self.pupils)
                waiting.clear()
        yield from _finished(waiting, words=explain, pupils=self.pupils)

    def _judge(self, question: Question, answers: Sequence[str]) -> list[Judgement]:
        references = _demanded(_texts(question.references))
        opinions, kernel, decided = self._knowledge(question.text, references)
        return judge_class(
            question.text,
            references,
            answers,
            opinions,
            kernel,
            decided,
            self.credit,
            self.target,
            STRICTNESS[self.strictness] + self._learned_leniency(question.text, references),
        )

    def _learned_leniency(self, question: str, references: Sequence[str]) -> float:
        """How readily the person calls answers correct whose labels of other questions are remembered.

        Questions that the readers have learned from say nothing: there they know how strict to be.
        """
        name = fingerprint(question, references)
        if name in self.known:
            return 0.0
        others = (lesson for other, lesson in self._remembered.items() if other not in (name, *self.known))
        return leniency([self._unaided(lesson) for lesson in others])

    def _unaided(self, lesson: _Lesson) -> tuple[Floats, list[str]]:
        if lesson.unaided is None:
            question, references = lesson.question, _demanded(lesson.references)
            labels = {
                answer: label
                for answer, label in lesson.labels.items()
                if plain_case(question, references, answer) is None
            }
            opinions = self._opinions(question, references)
            lesson.unaided = unaided(question, references, list(labels), opinions), list(labels.values())
        return lesson.unaided

    def _knowledge(
        self, question: str, references: Sequence[str]
    ) -> tuple[list[Opinion], Kernel, dict[str, str]]:
        """Who judges a question, and what is remembered of it."""
        name = fingerprint(question, references)
        lesson = self._remembered.get(name)
        kernel = KNOWN if name in self.known else NEW if self.reader == QUICK else NEW_CAREFUL
        return self._opinions(question, references), kernel, dict(lesson.labels) if lesson else {}

    def _opinions(self, question: str, references: Sequence[str]) -> list[Opinion]:
        """Who judges a question.

        On questions that they have learned from, the readers know different things, so both are asked; on a
        new one the quick reader has a say if it is much like those.
        """
        if fingerprint(question, references) in self.known:
            opinions = [Opinion(self.stacks["known"], reader(self.reader))]
            if self.reader != QUICK:
                opinions.append(Opinion(_shipped(QUICK).stacks["known"], reader(QUICK)))
            return opinions
        opinions = [Opinion(self.stacks["new"], reader(self.reader))]
        near = nearness(question, references, self.home)
        share = _VOTE * float(expit((near - _AT_HOME) / _AT_HOME_SPREAD))
        if share > _LEAST_SHARE:
            opinions.append(Opinion(_shipped(QUICK).stacks["new"], reader(QUICK), share))
        return opinions


def grade_class(
    question: Question,
    answers: Sequence[str],
    decided: Sequence[Labelled] = (),
    claims: Facets = None,
    *,
    explain: bool = False,
    strictness: str = "normal",
    lessons: Sequence[Question] = (),
    reader: str | None = None,
    pupils: str = Pupils.OLDER,
) -> list[Judgement]:
    """Judge a class by a fresh grader, which knows only what is `decided` here; see `Grader.grade_class`.

    `lessons` are other questions with answers that the same person has labelled; they say how strict to be.
    """
    grader = load(strictness=strictness, reader=reader, pupils=pupils)
    for lesson in lessons:
        labelled = [(answer.text, answer.label) for answer in lesson.answers if answer.label]
        grader.remember(lesson.text, _texts(lesson.references), labelled)
    return grader.grade_class(question, answers, decided, claims, explain=explain)


def explain_class(
    question: Question,
    answers: Sequence[str],
    judgements: Sequence[Judgement],
    claims: Facets = None,
    *,
    words: bool = True,
) -> list[Judgement]:
    """The judgements of a class weighed against the claims that a person set, and with `words` explained."""
    ((_, finished),) = _finished([_Judged(question, answers, judgements, claims)], words=words)
    return finished


class _Judged(NamedTuple):
    """A class that was judged, and the claims that a person set for it."""

    question: Question
    answers: Sequence[str]
    judgements: Sequence[Judgement]
    claims: Facets


def _finished(classes: Sequence[_Judged], *, words: bool, pupils: Pupils = Pupils.OLDER) -> list[Graded]:
    """Judgements weighed against the claims that a person set, and with `words` explained."""
    if not words and all(members.claims is None for members in classes):
        return [(members.question, list(members.judgements)) for members in classes]
    from postil.explain.notes import explained  # only here: plain grading needs neither aligner nor words
    from postil.grading.comparison import Class, compare, settled

    read = []
    for question, answers, judgements, claims in classes:
        texts = as_read(question.text, _texts(question.references), [shortened(text) for text in answers])
        read.append(Class(question.text, texts, judgements, claims))
    finished = []
    for (question, answers, judgements, claims), comparisons in zip(classes, compare(read), strict=True):
        if claims is not None:
            judgements = [
                judgement if comparison is None else reconciled(judgement, comparison.claims)
                for judgement, comparison in zip(judgements, comparisons, strict=True)
            ]
        told = (
            explained(judgements, settled(judgements, comparisons), answers, pupils)
            if words
            else [*judgements]
        )
        finished.append((question, told))
    return finished


def make_question(text: str, references: Sequence[str], id: str = "") -> Question:
    """A question without answers, from plain texts."""
    return Question(id, text, tuple(Reference(str(number), words) for number, words in enumerate(references)))


def _texts(items: Sequence[Reference] | Sequence[Answer]) -> list[str]:
    return [item.text for item in items]


def _demanded(references: Sequence[str]) -> list[str]:
    written = [reference for reference in references if reference.strip()]
    if not written:
        raise PostilError("there is no reference to compare with.", hint="Give at least one right answer.")
    return written


@cache
def _shipped(name: str) -> Model:
    """The model for a reader: the cascade's answers are weighed as the careful reader's are.

    A server's model is of somebody's choice, so it is taken at its word.
    """
    if kind_of(name) == SERVER:
        return trusting(name)
    folder = stack_folder(name)
    if folder is not None:
        return load_model(folder / STACK_FILE)
    with as_file(files("postil.resources").joinpath("grader", STACK_FILE)) as path:
        return load_model(path)


def load(
    model: Path | str | None = None,
    *,
    credit: Mapping[str, float] | None = None,
    target: float | None = None,
    reader: str | None = None,
    strictness: str = "normal",
    pupils: str = Pupils.OLDER,
) -> Grader:
    """The grader that ships, or one that `train` wrote into a folder.

    `reader` is `quick`, `careful`, `cascade` (the careful one reads what the quick one is unsure of),
    `expert` (a language model; `postil readers` says what it needs), `thorough` (a cascade in which the
    expert one reads what the careful one is unsure of) or `server` (the language model that was connected by
    `postil readers connect`). By default it is the careful reader where the package postil-careful is
    installed, otherwise the quick one.
    `strictness` is `lenient`, `normal` or `strict`; labels of a person say the same more exactly.
    `pupils` says whom the feedback for students is for: `younger` or `older` ones.

    `credit` says what each label earns (0 to 1); `target` is the accuracy that judgements passed without a
    person's look should have (0 to 1): those less sure are marked as deferred.
    """
    if target is not None and not 0 < target <= 1:
        raise PostilError(f"the target must lie between 0 and 1, not {target}.")
    unknown = next((label for label in credit or {} if label not in LABELS), None)
    if unknown is not None:
        raise PostilError(unknown_label(unknown), hint=f"Labels that earn credit: {', '.join(LABELS)}.")
    if any(not 0 <= value <= 1 for value in (credit or {}).values()):
        raise PostilError("what a label earns must be between 0 and 1.")
    demand_strictness(strictness)
    if pupils not in list(Pupils):
        raise PostilError(
            f"{some([pupils])} is not a kind of pupils.", hint=f"It can be {', '.join(Pupils)}."
        )
    if reader is not None:
        demand_reader(reader)
    if model is None:
        name = full_name(reader or default_reader())
        fitted = _shipped(name)
    else:
        fitted = load_model(Path(model) / STACK_FILE)
        name = full_name(reader or fitted.reader)
        demand_reader(name)
        if weighed_as(name) != fitted.reader:
            raise PostilError(
                f"the model in {model} was trained with the {fitted.reader} reader, not with the {name} one.",
                hint="Leave out the reader, or train the model again with: postil train --reader",
            )
    earned = {**CREDIT, **(credit or {})}
    return Grader(fitted.stacks, fitted.known, earned, target, name, strictness, fitted.home, Pupils(pupils))


def evidence_of(questions: Sequence[Question], progress: Progress | None = None, name: str = QUICK) -> Floats:
    """The evidence about every answer, question by question, by a reader."""
    tables = []
    total = sum(len(question.answers) for question in questions)
    for question in questions:
        references = _demanded(_texts(question.references))
        answers = as_read(question.text, references, [shortened(answer.text) for answer in question.answers])
        tables.append(gather(question.text, references, answers, reader(name)).table)
        if progress:
            progress(sum(map(len, tables)), total)
    return np.concatenate(tables)


def train(
    questions: Sequence[Question],
    folder: Path | str,
    *,
    progress: Progress | None = None,
    reader: str | None = None,
) -> dict[str, float]:
    """Fit the grader to labelled answers and write it into a folder that `load` reads.

    Returns how often the two-way label was right on questions left out, before and after.
    """
    demand_labels(questions)  # before the long work
    name = weighed_as(full_name(reader or default_reader()))
    demand_reader(name)
    shipped = _shipped(name)
    stack, figures = fit_to(evidence_of(questions, progress, name), questions, shipped.stacks["new"])
    model = Model({**shipped.stacks, "new": stack}, shipped.known, name)
    save_model(Path(folder) / STACK_FILE, model)
    return figures
