"""Runs a machine in a process with limits, and finds the answers that break it.

Whatever a pupil writes, it costs at most one process, which is replaced, and a person reads the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import ceil
from typing import Any, TypeVar

from postil.data.judgements import Judgement, Reason
from postil.errors import PostilError, number_of
from postil.workbench.jobs.grading import LoadMachine, unread_judgement
from postil.workbench.jobs.limited import FailedError, LimitedProcess
from postil.workbench.jobs.readers import missing, reader_price
from postil.workbench.records import Lessons, Question

_BEGINNING, _THOUSAND = 5.0, 0.5  # seconds for any task, for 1,000 characters
_LONGEST = 5_000  # characters of an answer that count
_TOGETHER = 128  # answers that are tried together at first
_PARTS = 12  # of what fails: each failure costs a process, and what can be read costs nearly nothing
_MOST_FAILURES = 250  # in one search, which takes an hour at worst; then whole batches are left to a person
_ROUNDS = 3  # fruitless searches after which the class as a whole counts as too much
_HARMLESS = "I think that it is so."
_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")


class IsolatedMachine:
    """A machine in a process of its own: answers that break it are found and left to a person.

    The rest of the class is judged as if they had not been written. `breakable` surrounds every wait.
    """

    def __init__(
        self,
        load: LoadMachine,
        *,
        memory: int = 0,
        breakable: Callable[[], AbstractContextManager[None]] = nullcontext,
        beginning: float = _BEGINNING,
    ) -> None:
        self._process = LimitedProcess(load, memory=memory)
        self._memory = memory
        self._breakable = breakable
        self._beginning = beginning
        self.tell: Callable[[Sequence[int]], None] | None = None  # the places of answers that are given up

    def missing(self, reader: str) -> str:
        """Why a reader cannot be used, with as much memory as the process may have."""
        return missing(reader, self._memory)

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def judge(
        self,
        question: Question,
        answers: Sequence[str],
        decided: Sequence[str | None],
        strictness: str = "normal",
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> list[Judgement]:
        """Judge the class; answers that cannot be read get a judgement that says so."""

        def ask(indexes: Sequence[int], patience: int = 1, taught: Lessons = ()) -> list[Judgement]:
            texts, labels = [answers[index] for index in indexes], [decided[index] for index in indexes]
            read = [*texts, *_texts(taught)]
            given = question, texts, labels, strictness, taught, reader
            judged: list[Judgement] = self._ask(read, "judge", *given, patience=patience, reader=reader)
            return judged

        judged = self._without_failing(question, answers, ask, lessons, reader)
        if judged is None:
            what = "the class as a whole takes more time or memory than a worker may use."
            raise PostilError(what, hint="Divide it among several questions, or give workers more memory.")
        return [judged.get(index) or unread_judgement() for index in range(len(answers))]

    def explain(
        self, question: Question, answers: Sequence[str], judgements: Sequence[Judgement]
    ) -> list[Judgement]:
        """Explain judgements; those that cannot be explained say so."""

        def ask(indexes: Sequence[int]) -> list[Judgement]:
            texts, own = [answers[index] for index in indexes], [judgements[index] for index in indexes]
            explained: list[Judgement] = self._ask(texts, "explain", question, texts, own)
            return explained

        readable = [
            index for index, judgement in enumerate(judgements) if judgement.reason is not Reason.UNREAD
        ]
        explained = self._sifted(question, answers, readable, ask)
        return [
            explained.get(index)
            or (judgement if judgement.reason is Reason.UNREAD else _unexplained(judgement))
            for index, judgement in enumerate(judgements)
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
        """The indices of the answers to label first, among those that can be read."""

        def ask(indexes: Sequence[int], patience: int = 1, taught: Lessons = ()) -> list[int]:
            texts = [answers[index] for index in indexes]
            read = [*texts, *_texts(taught)]
            given = question, texts, count, strictness, taught, reader
            proposed = self._ask(read, "propose", *given, patience=patience, reader=reader)
            return [proposed.index(number) + 1 if number in proposed else 0 for number in range(len(texts))]

        ranks = self._without_failing(question, answers, ask, lessons, reader) or {}
        return sorted((index for index, rank in ranks.items() if rank), key=lambda index: ranks[index])

    def facets(self, question: Question) -> list[str]:
        """What a full answer says."""
        try:
            names: list[str] = self._ask(question.references, "facets", question)
        except FailedError as failure:
            raise _unreadable_question(failure) from failure
        return names

    def group(self, answers: Sequence[str]) -> list[int]:
        """The group of each answer; one that cannot be compared is alone in its group."""

        def ask(indexes: Sequence[int], patience: int = 1, _: Lessons = ()) -> list[int]:
            texts = [answers[index] for index in indexes]
            numbers = self._ask(texts, "group", texts, patience=patience)
            return [indexes[number - 1] + 1 for number in numbers]

        groups = self._without_failing(None, answers, ask) or {}
        return [groups.get(index, index + 1) for index in range(len(answers))]

    def _ask(
        self,
        texts: Sequence[str],
        method: str,
        *arguments: object,
        patience: int = 1,
        reader: str | None = None,
    ) -> Any:
        length = sum(min(len(text), _LONGEST) for text in texts)
        price = reader_price(reader)
        seconds = self._beginning + price.patience * len(texts) + _THOUSAND * length / 1000
        seconds += price.loading if reader else 0.0  # the usual reader is loaded beforehand
        with self._breakable():
            return self._process.call(method, *arguments, seconds=patience * seconds)

    def _without_failing(
        self,
        question: Question | None,
        texts: Sequence[str],
        ask: Callable[..., list[_T]],
        lessons: Lessons = (),
        reader: str | None = None,
    ) -> dict[int, _T] | None:
        """The results for all readable texts together; None if together they are too much.

        If the process was killed from outside, no text is to blame, so one fruitless search proves nothing.
        But the lessons may be to blame as well, and a class that has had none is better than one unread: they
        are left out from then on. They take no part in the search, where they would be read for every batch.
        """
        indexes = list(range(len(texts)))
        fruitless = 0
        while indexes and fruitless < _ROUNDS:
            try:
                taught = () if fruitless else lessons
                return dict(zip(indexes, ask(indexes, 2**fruitless, taught), strict=True))
            except FailedError as failure:
                _LOG.warning("%d answers could not be read together: %s", len(indexes), failure)
            readable = sorted(self._sifted(question, texts, indexes, ask, reader, together=_TOGETHER))
            fruitless += readable == indexes
            indexes = readable
        return None if indexes else {}

    def _sifted(
        self,
        question: Question | None,
        texts: Sequence[str],
        indexes: Sequence[int],
        ask: Callable[[Sequence[int]], list[_T]],
        reader: str | None = None,
        *,
        together: int | None = None,
    ) -> dict[int, _T]:
        """The results for the texts that can be read, found by dividing every batch that fails.

        Equal texts stay together. One that fails alone is tried again: something else may have killed the
        process.
        """
        equal: dict[str, list[int]] = {}
        for index in indexes:
            equal.setdefault(texts[index], []).append(index)
        results: dict[int, _T] = {}
        failures = 0
        batches = list(_cut(list(equal.values()), together or len(equal)))
        retried: set[int] = set()
        while batches:
            batch = batches.pop()
            members = [index for same in batch for index in same]
            try:
                results.update(zip(members, ask(members), strict=True))
                continue
            except FailedError as failure:
                if not failures and question is not None:
                    self._demand_readable(question, reader)
                failures += 1
                why = failure
            if len(batch) > 1 and failures < _MOST_FAILURES:
                batches += _cut(batch, ceil(len(batch) / _PARTS))
            elif len(batch) == 1 and members[0] not in retried:
                retried.add(members[0])
                batches.append(batch)
            else:
                _LOG.warning("left to a person: %s; %s", number_of(len(members), "answer"), why)
                if self.tell:
                    self.tell(members)
        return results

    def _demand_readable(self, question: Question, reader: str | None) -> None:
        """Refuse a question with which not even a harmless answer can be read."""
        given = question, [_HARMLESS], [None], "normal", (), reader
        for attempt in range(_ROUNDS):
            try:
                self._ask([_HARMLESS], "judge", *given, reader=reader)
            except FailedError as failure:
                if attempt == _ROUNDS - 1:
                    raise _unreadable_question(failure, reader) from failure
            else:
                return


def _texts(lessons: Lessons) -> list[str]:
    return [answer.text for lesson in lessons for answer in lesson.answers]


def _cut(items: Sequence[_T], size: int) -> Iterable[Sequence[_T]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _unreadable_question(failure: FailedError, reader: str | None = None) -> PostilError:
    _LOG.warning("a question could not be read: %s", failure)
    if reader:
        what = f"the {reader} reader could not read the question and its references within its limits."
        return PostilError(what, hint="Shorten them, or choose another reader on the course's page.")
    what = "Postil could not read the question and its references within its limits."
    return PostilError(what, hint="Shorten them and start again; if it happens again, please report it.")


def _unexplained(judgement: Judgement) -> Judgement:
    return replace(judgement, deferred=True, because="", reason=Reason.UNEXPLAINED)
