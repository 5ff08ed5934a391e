"""The client: a method for everything that the API does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Self, TypeVar

from postil.client.calls import Caller, read_items
from postil.client.results import (
    Added,
    AlignedSentences,
    Answer,
    AnswerFacets,
    Applied,
    Change,
    Changes,
    Course,
    Decision,
    Facets,
    GradedTexts,
    Health,
    Job,
    Me,
    NewAnswer,
    NewFacet,
    Question,
    TextEntailment,
    Undone,
)
from postil.errors import PostilError

T = TypeVar("T")
Pair = tuple[str, str]
# Those with ids of their own come back with them, the others with their places.
Texts = Sequence[str] | Mapping[str, str]
Pairs = Sequence[Pair] | Mapping[str, Pair]
_OVER = ("done", "failed", "applied", "dropped")
_POLL = 1.0  # seconds between looks at a job


class Judging(Caller):
    """What a token with the scope `judge` is for."""

    def grade_class(
        self,
        question: str,
        references: Sequence[str],
        answers: Texts,
        *,
        decided: Iterable[tuple[str, str]] = (),
        scheme: str = "5way",
        explain: bool = False,
        facets: bool | Sequence[str] = False,
    ) -> GradedTexts:
        """Judge up to 200 answers to a question, given as texts or as texts by id; fewer with explanations.

        `decided` has answers that a person has labelled, with their labels.
        """
        body = {
            "question": question,
            "references": list(references),
            "answers": _answers(answers),
            "decided": [{"text": text, "label": label} for text, label in decided],
            "scheme": scheme,
            "explain": explain,
            "facets": facets if isinstance(facets, bool) else list(facets),
        }
        return self._ask(GradedTexts, "POST", "/grade", body=body, keyed=False)

    def align_pairs(self, pairs: Pairs) -> list[AlignedSentences]:
        """Align the chunks of up to 50 pairs of sentences."""
        sent = [{"id": id, "source": source, "target": target} for id, (source, target) in _named(pairs)]
        return self._judged(AlignedSentences, "/align", {"pairs": sent})

    def entail_pairs(self, pairs: Pairs, *, scheme: str = "3way") -> list[TextEntailment]:
        """Judge whether each of up to 50 texts implies its hypothesis."""
        sent = [{"id": id, "text": text, "hypothesis": implied} for id, (text, implied) in _named(pairs)]
        return self._judged(TextEntailment, "/entail", {"pairs": sent, "scheme": scheme})

    def find_facets(
        self, reference: str, answers: Texts, *, question: str = "", facets: Sequence[str] | None = None
    ) -> list[AnswerFacets]:
        """Look in up to 50 answers for the facets of a reference, or for those that are named."""
        body = {
            "question": question,
            "reference": reference,
            "answers": _answers(answers),
            "facets": None if facets is None else list(facets),
        }
        return self._judged(AnswerFacets, "/facets", body)

    def _judged(self, kind: type[T], path: str, body: Mapping[str, object]) -> list[T]:
        # Nothing is kept, so nothing is done twice: there is no need for a key.
        return read_items(kind, self._call("POST", path, body=body, keyed=False))[1]


def _answers(texts: Texts) -> list[dict[str, str | None]]:
    return [{"id": id, "text": text} for id, text in _named(texts)]


def _named(items: Sequence[T] | Mapping[str, T]) -> list[tuple[str | None, T]]:
    return list(items.items()) if isinstance(items, Mapping) else [(None, item) for item in items]


class Client(Judging):
    """A Postil server, by its address and a token, or by POSTIL_ADDRESS and POSTIL_TOKEN.

    Lists are iterators that fetch page by page. What is refused raises `ApiError`. A call whose connection
    breaks, or that the server asks to repeat, is tried again; a write is done once all the same.

    >>> with Client() as postil:  # doctest: +SKIP
    ...     postil.grade_class("Why does ice float?", ["It is less dense than water."], ["it is lighter"])
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def health(self) -> Health:
        """Whether the server answers."""
        return self._ask(Health, "GET", "/health")

    def me(self) -> Me:
        """Whom the token speaks for, and what it may be used for."""
        return self._ask(Me, "GET", "/me")

    # Courses and questions

    def list_courses(self) -> Iterator[Course]:
        """The courses that can be seen."""
        return self._list(Course, "/courses")

    def create_course(self, name: str) -> Course:
        """Make a course."""
        return self._ask(Course, "POST", "/courses", body={"name": name})

    def get_course(self, course_id: int) -> Course:
        """A course."""
        return self._ask(Course, "GET", f"/courses/{course_id}")

    def rename_course(self, course_id: int, name: str) -> Course:
        """Give a course another name."""
        return self._ask(Course, "PATCH", f"/courses/{course_id}", body={"name": name})

    def delete_course(self, course_id: int) -> None:
        """Delete a course with all that is in it."""
        self._call("DELETE", f"/courses/{course_id}")

    def list_questions(self, course_id: int) -> Iterator[Question]:
        """The questions of a course."""
        return self._list(Question, f"/courses/{course_id}/questions")

    def create_question(
        self, course_id: int, text: str, references: Sequence[str], *, points: float = 1.0
    ) -> Question:
        """Make a question with its references."""
        body = {"text": text, "references": list(references), "points": points}
        return self._ask(Question, "POST", f"/courses/{course_id}/questions", body=body)

    def get_question(self, question_id: int) -> Question:
        """A question."""
        return self._ask(Question, "GET", f"/questions/{question_id}")

    def edit_question(
        self,
        question_id: int,
        *,
        text: str | None = None,
        references: Sequence[str] | None = None,
        points: float | None = None,
    ) -> Question:
        """Change what is given about a question."""
        edits = {"text": text, "references": references and list(references), "points": points}
        body = {name: value for name, value in edits.items() if value is not None}
        return self._ask(Question, "PATCH", f"/questions/{question_id}", body=body)

    def delete_question(self, question_id: int) -> None:
        """Delete a question with its answers."""
        self._call("DELETE", f"/questions/{question_id}")

    def get_facets(self, question_id: int) -> Facets:
        """What a full answer says, as a teacher set it."""
        return self._ask(Facets, "GET", f"/questions/{question_id}/facets")

    def set_facets(self, question_id: int, facets: Iterable[NewFacet]) -> Facets:
        """Set what a full answer says."""
        body = {"facets": [asdict(facet) for facet in facets]}
        return self._ask(Facets, "PUT", f"/questions/{question_id}/facets", body=body)

    def forget_facets(self, question_id: int) -> Facets:
        """Leave it to Postil to find what a full answer says."""
        return self._ask(Facets, "DELETE", f"/questions/{question_id}/facets")

    # Answers and decisions

    def list_answers(
        self,
        question_id: int,
        *,
        label: str | None = None,
        state: str | None = None,
        search: str | None = None,
    ) -> Iterator[Answer]:
        """The answers to a question, or those with a label, in a state or with these words."""
        query = {"label": label, "state": state, "search": search}
        return self._list(Answer, f"/questions/{question_id}/answers", query)

    def add_answers(self, question_id: int, answers: Iterable[NewAnswer]) -> Added:
        """Store answers: all of them, or none."""
        body = {"answers": [asdict(answer) for answer in answers]}
        return self._ask(Added, "POST", f"/questions/{question_id}/answers", body=body)

    def get_answer(self, answer_id: int) -> Answer:
        """An answer, with what the machine and a person say of it."""
        return self._ask(Answer, "GET", f"/answers/{answer_id}")

    def delete_answer(self, answer_id: int) -> None:
        """Delete an answer."""
        self._call("DELETE", f"/answers/{answer_id}")

    def decide(self, answer_id: int, label: str, *, ticked: Sequence[str] | None = None) -> Decision:
        """Give an answer the label that counts; `ticked` are the ids of the facets that it says."""
        body = {"label": label, "ticked": None if ticked is None else list(ticked)}
        return self._ask(Decision, "PUT", f"/answers/{answer_id}/decision", body=body)

    def list_decisions(self, answer_id: int) -> Iterator[Decision]:
        """All that was ever decided about an answer."""
        return self._list(Decision, f"/answers/{answer_id}/decisions")

    def undo(self, question_id: int) -> Undone:
        """Take back the last step that was decided about a question's answers."""
        return self._ask(Undone, "POST", f"/questions/{question_id}/undo")

    # Work in the background

    def start_job(self, question_id: int, kind: str) -> Job:
        """Start work on a question: `grade`, `regrade`, `recheck`, `propose` or `facets`."""
        return self._ask(Job, "POST", f"/questions/{question_id}/jobs", body={"kind": kind})

    def list_jobs(self, question_id: int) -> Iterator[Job]:
        """The jobs of a question."""
        return self._list(Job, f"/questions/{question_id}/jobs")

    def get_job(self, job_id: int) -> Job:
        """A job, and how far it is."""
        return self._ask(Job, "GET", f"/jobs/{job_id}")

    def wait(
        self,
        job: Job | int,
        *,
        progress: Callable[[Job], None] | None = None,
        timeout: float | None = None,
        every: float = _POLL,
    ) -> Job:
        """Wait until a job is over; `progress` is told how far it is, each time somebody looks."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            latest = self.get_job(job if isinstance(job, int) else job.id)
            if progress:
                progress(latest)
            if latest.state == "failed":
                raise PostilError(f"job {latest.id} failed: {latest.error}")
            if latest.state in _OVER:
                return latest
            if until is not None and time.monotonic() >= until:
                raise PostilError(f"job {latest.id} is not done after {timeout:g} seconds.")
            time.sleep(every)

    def list_changes(self, question_id: int) -> Changes:
        """What the latest regrade would change."""
        pages = list(self._pages(Change, f"/questions/{question_id}/changes"))
        return Changes(pages[0][0]["job_id"], tuple(change for _, items in pages for change in items))

    def apply_changes(self, question_id: int, job_id: int) -> Applied:
        """Let the labels of a regrade count."""
        return self._ask(Applied, "POST", f"/questions/{question_id}/changes/apply", body={"job_id": job_id})

    def drop_changes(self, question_id: int, job_id: int) -> None:
        """Leave all labels as they are."""
        self._call("POST", f"/questions/{question_id}/changes/drop", body={"job_id": job_id})

    # Files

    def export_question(
        self, question_id: int, kind: str = "csv", *, answers: str = "all", to: Path | str | None = None
    ) -> bytes:
        """A question's answers as a file: `csv`, `xlsx`, `moodle`, `jsonl` or `report`; kept in `to`.

        `answers` are `all`, or those that a person `decided` about.
        """
        return self._file(f"/questions/{question_id}/export", {"format": kind, "answers": answers}, to)

    def export_course(self, course_id: int, kind: str = "xlsx", *, to: Path | str | None = None) -> bytes:
        """A course as a file: `xlsx`, `moodle` or `report`; kept in `to`."""
        return self._file(f"/courses/{course_id}/export", {"format": kind}, to)

    def _file(self, path: str, query: Mapping[str, object], to: Path | str | None) -> bytes:
        content = self._call("GET", path, query=query).content
        if to is not None:
            from postil.data.files import atomic_writer

            with atomic_writer(to) as file:
                file.write(content)
        return content
