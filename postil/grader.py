"""The façade: load a grader, grade answers, remember a teacher's labels, ask which to label next.

>>> import postil
>>> grader = postil.load()
>>> judged = grader.grade("Why is the bulb lit?", ["It is in a closed path with the battery."],
...     "because there is a closed path with a battery in it")
>>> judged.label
'correct'
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from postil.data.arrays import Floats
from postil.data.judgements import CREDIT, Judgement, collapsed, score_of
from postil.data.labels import RESPONSE_SCHEMES
from postil.data.questions import Answer, Question, Reference
from postil.errors import PostilError, unknown_label
from postil.grading import memory
from postil.grading.decision import LABELS, decide, demand_known
from postil.grading.evidence import gather, similarities
from postil.grading.plain_cases import PlainCase, plain_case
from postil.grading.probabilities import Stack, demand_labels, fit_to, load_stacks, save_stacks
from postil.language.fillers import without_fillers
from postil.language.measures.coverage import Side
from postil.language.measures.overlap import overlap_words
from postil.language.spelling import correct

Progress = Callable[[int, int], None]
Labelled = tuple[str, str]  # an answer and its label

STACK_FILE = "stack.json"
# Unless the user asks for an accuracy, the surest four in five are passed.
PASSED = 0.8
# A longer answer is judged by its beginning: it is not a short one, and every measure grows with length.
LONGEST_ANSWER = 3000
_MANY_WORDS = 100  # more are left to a person
_SURE = 0.96  # of what is plain to see
TOLD = "a person has labelled this answer"  # why an answer has the label that is remembered


def fingerprint(question: str, references: Sequence[str]) -> str:
    """A short name for a question and its first reference, whatever their case and punctuation.

    "Explain your answer." is asked often; the reference tells which of these questions it is.
    """
    reference = next((one for one in references if one.strip()), "")
    words = " ".join(overlap_words(f"{question} | {reference}"))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Grader:
    """Judges answers. What it remembers, it remembers while it lives; nothing is written anywhere."""

    stacks: Mapping[str, Stack]
    # The questions that the encoder learned from (fingerprints), and how many answers to each.
    known: Mapping[str, int] = field(default_factory=dict)
    credit: Mapping[str, float] = field(default_factory=lambda: CREDIT)
    target: float | None = None
    _remembered: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)

    def grade(
        self, question: str, references: Sequence[str], answer: str, *, explain: bool = False
    ) -> Judgement:
        """Judge one answer by itself.

        With `explain`, the judgement has an `explanation`: what the answer and the reference share and how
        they differ, chunk by chunk and in words. This takes longer.
        """
        judged = self._judge(question, references, [answer])
        if explain:
            from postil.explain.judged import explained  # only here: plain grading needs no aligner

            judged = explained(question, as_read(question, references, [shortened(answer)]), judged)
        return judged[0]

    def grade_many(
        self, questions: Iterable[Question], *, progress: Progress | None = None, explain: bool = False
    ) -> Iterator[tuple[Question, list[Judgement]]]:
        """Judge questions with their answers, one after the other; a question's answers are one class.

        Labels that the answers may carry are not read. `explain` is as in `grade`.
        """
        done = 0
        judged: Iterator[tuple[Question, list[Judgement]]] = (
            (one, self._judge(one.text, _texts(one.references), _texts(one.answers))) for one in questions
        )
        if explain:
            from postil.explain.judged import explained_questions

            judged = explained_questions(judged, _read)
        for question, judgements in judged:
            yield question, judgements
            done += len(question.answers)
            if progress:
                progress(done, done)

    def remember(self, question: str, references: Sequence[str], labelled: Sequence[Labelled]) -> None:
        """Take note of answers that a person has labelled: this question's others are judged by them, too."""
        demand_known(label for _, label in labelled)
        own = self._remembered.setdefault(fingerprint(question, references), {})
        own.update({shortened(answer): label for answer, label in labelled})

    def propose(
        self, question: str, references: Sequence[str], answers: Sequence[str], count: int
    ) -> list[int]:
        """The places of the answers to label first: those that tell a grader most about the others."""
        if count < 1:
            raise PostilError(f"at least one answer must be asked for, not {count}.")
        references = _demanded(references)
        remembered = self._remembered.get(fingerprint(question, references), {})
        texts = [shortened(answer) for answer in answers]
        found = [plain_case(question, references, text) for text in texts]
        first = {text: place for place, text in reversed(list(enumerate(texts)))}
        open_ = [p for p, text in enumerate(texts) if found[p] is None and first[text] == p]
        asked = [place for place in open_ if texts[place] not in remembered]
        if not asked:
            return []
        evidence = gather(question, references, as_read(question, references, [texts[p] for p in open_]))
        probabilities = self._stack(question, references).probabilities(evidence.table)
        seen = [number for number, place in enumerate(open_) if texts[place] in remembered]
        likeness = similarities(evidence.sides, evidence.sides)
        kernel = self._kernel(question, references)
        return [open_[number] for number in memory.propose(probabilities, likeness, count, seen, kernel)]

    def _stack(self, question: str, references: Sequence[str]) -> Stack:
        return self.stacks["known" if fingerprint(question, references) in self.known else "new"]

    def _kernel(self, question: str, references: Sequence[str]) -> memory.Kernel:
        return memory.KNOWN if fingerprint(question, references) in self.known else memory.NEW

    def _judge(self, question: str, references: Sequence[str], answers: Sequence[str]) -> list[Judgement]:
        references = _demanded(references)
        remembered = self._remembered.get(fingerprint(question, references), {})
        # Who writes the same gets the same: answers that differ in capitals and full stops are judged as one.
        first: dict[str, str] = {bare(text): text for text in remembered}
        texts = [first.setdefault(bare(text), text) for text in map(shortened, answers)]
        plain: dict[int, PlainCase] = {}
        for place, text in enumerate(texts):
            case = _told(remembered.get(text)) or plain_case(question, references, text)
            if case is not None:
                plain[place] = case
        rest = [place for place in range(len(texts)) if place not in plain]
        stack = self._stack(question, references)
        judged = {place: self._plain(case) for place, case in plain.items()}
        if rest:
            # What is remembered belongs to the class: the rest is compared with it, too.
            texts_read = as_read(question, references, [*(texts[place] for place in rest), *remembered])
            evidence = gather(question, references, texts_read)
            found = stack.probabilities(evidence.table)
            kernel = self._kernel(question, references)
            found = _reconsidered(found, evidence.sides, list(remembered.values()), kernel)
            chosen = evidence.references[: len(rest)]
            judged |= zip(rest, self._judgements(found, chosen, stack), strict=True)
        judged |= {place: _doubted(judged[place]) for place in rest if _is_long(texts[place])}
        return [judged[place] for place in range(len(texts))]

    def _judgements(
        self, probabilities: Floats, references: Sequence[str], stack: Stack
    ) -> Iterator[Judgement]:
        decided = decide(probabilities, stack.biases)
        level = stack.threshold_for(PASSED) if self.target is None else stack.threshold(self.target)
        for row, reference in enumerate(references):
            five = dict(zip(LABELS, probabilities[row].tolist(), strict=True))
            chances = collapsed(five)
            labels = {name: RESPONSE_SCHEMES[name].labels[given[row]] for name, given in decided.items()}
            confidence = chances["2way"][labels["2way"]]
            score = score_of(five, self.credit)
            yield Judgement(labels, chances, score, confidence, confidence < level, reference)

    def _plain(self, case: PlainCase) -> Judgement:
        """A judgement that needs no model; a coarse label leaves the finer ones to the most frequent."""
        label = "irrelevant" if case.label == "incorrect" else case.label
        five = dict.fromkeys(LABELS, (1 - _SURE) / (len(LABELS) - 1)) | {label: _SURE}
        labels = {name: scheme.collapse(label) or label for name, scheme in RESPONSE_SCHEMES.items()}
        chances = collapsed(five)
        confidence = chances["2way"][labels["2way"]]
        return Judgement(labels, chances, score_of(five, self.credit), confidence, because=case.because)


def _reconsidered(
    found: Floats, sides: Sequence[Side], labels: Sequence[str], kernel: memory.Kernel
) -> Floats:
    """What the stack says of answers, moved by the labels that a person gave to the last of them."""
    count = len(found) - len(labels)
    rest, known = found[:count], found[count:]
    likeness = similarities(sides, sides[count:])
    wanted = memory.targets(labels, known)
    return memory.adjust(rest, likeness[:count], known, likeness[count:], wanted, kernel)


def as_read(question: str, references: Sequence[str], answers: Sequence[str]) -> list[str]:
    """The answers as they are meant: misspellings put right, fillers left out; the question's words stay."""
    known = (question, *references)
    return [without_fillers(correct(answer, known)[0], known) for answer in answers]


def _read(question: Question) -> list[str]:
    answers = [shortened(answer.text) for answer in question.answers]
    return as_read(question.text, _texts(question.references), answers)


def _texts(items: Sequence[Reference] | Sequence[Answer]) -> list[str]:
    return [one.text for one in items]


def bare(text: str) -> str:
    """An answer as far as it matters who wrote the same: whatever its capitals and its full stop."""
    return text.casefold().strip(" .!?…") or text


def _is_long(answer: str) -> bool:
    return len(answer.split()) > _MANY_WORDS


def _doubted(judgement: Judgement) -> Judgement:
    because = "it is much longer than the answers that the grader has learned from"
    return replace(judgement, deferred=True, because=because)


def _told(label: str | None) -> PlainCase | None:
    return PlainCase(label, TOLD) if label else None


def _demanded(references: Sequence[str]) -> list[str]:
    given = [reference for reference in references if reference.strip()]
    if not given:
        raise PostilError("there is no reference to compare with.", hint="Give at least one right answer.")
    return given


def shortened(answer: str) -> str:
    """An answer as far as it is read: blanks made one, and no more than `LONGEST_ANSWER` characters."""
    return " ".join(answer.split())[:LONGEST_ANSWER].rstrip()


@cache
def _shipped() -> tuple[dict[str, Stack], dict[str, int]]:
    with as_file(files("postil.resources").joinpath("grader", STACK_FILE)) as path:
        return load_stacks(path)


def load(
    model: Path | str | None = None,
    *,
    credit: Mapping[str, float] | None = None,
    target: float | None = None,
) -> Grader:
    """The grader that ships, or one that `train` wrote into a folder.

    `credit` says what each label earns (0 to 1); `target` is the accuracy that judgements passed without a
    person's look should have (0 to 1): those less sure are marked as deferred.
    """
    if target is not None and not 0 < target <= 1:
        raise PostilError(f"the target must lie between 0 and 1, not {target}.")
    unknown = next((label for label in credit or {} if label not in LABELS), None)
    if unknown is not None:
        raise PostilError(unknown_label(unknown), hint=f"Labels that earn credit: {', '.join(LABELS)}.")
    if any(not 0 <= value <= 1 for value in (credit or {}).values()):
        raise PostilError("a label can earn from 0 to 1, no less and no more.")
    stacks, known = _shipped() if model is None else load_stacks(Path(model) / STACK_FILE)
    return Grader(stacks, known, {**CREDIT, **(credit or {})}, target)


def evidence_of(questions: Sequence[Question], progress: Progress | None = None) -> Floats:
    """The evidence about every answer, question by question."""
    tables = []
    total = sum(len(question.answers) for question in questions)
    for question in questions:
        references = _demanded([one.text for one in question.references])
        answers = [shortened(answer.text) for answer in question.answers]
        tables.append(gather(question.text, references, as_read(question.text, references, answers)).table)
        if progress:
            progress(sum(map(len, tables)), total)
    return np.concatenate(tables)


def train(
    questions: Sequence[Question], folder: Path | str, *, progress: Progress | None = None
) -> dict[str, float]:
    """Fit the grader to labelled answers and write it into a folder that `load` reads.

    Returns how often the two-way label was right on questions left out, before and after.
    """
    demand_labels(questions)  # before the long work
    shipped, known = _shipped()
    stack, figures = fit_to(evidence_of(questions, progress), questions, shipped["new"])
    save_stacks(Path(folder) / STACK_FILE, {**shipped, "new": stack}, known)
    return figures
