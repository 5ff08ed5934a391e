"""The client: a method for each operation of the API.

Calls carry the token, are tried again where that is safe and useful, and raise what went wrong.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import EllipsisType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from postil import __version__
from postil.client.problems import ApiError, UnreachableError, json_of, problem_of, retry_after_of
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
    Erased,
    Facets,
    FacetsPreview,
    GradedTexts,
    Health,
    Job,
    Judged,
    Me,
    NewAnswer,
    NewFacet,
    Pupil,
    Question,
    TextEntailment,
    Undone,
    read,
)
from postil.errors import PostilError

T = TypeVar("T")
Pair = tuple[str, str]
# Those with ids of their own come back with them, the others with their places.
Texts = Sequence[str] | Mapping[str, str]
Pairs = Sequence[Pair] | Mapping[str, Pair]
TIMEOUT = 60.0  # seconds; a class judged at once may take half of them
RETRIES = 3
PER_PAGE = 100
_PATIENCE = 60  # seconds that a server may ask to wait
_FIRST_PAUSE = 0.5  # seconds after a lost connection; doubled each time
_AGAIN = (409, 429, 503)  # if they say when; of 409 that is a key whose first request is still under way
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_OVER = ("done", "failed", "applied", "dropped")
_POLL = 1.0  # seconds between looks at a job


class Client:
    """A Postil server, by its address and a token, or by POSTIL_ADDRESS and POSTIL_TOKEN.

    Lists are iterators that fetch page by page. What is refused raises `ApiError`. A call whose connection
    breaks, or that the server asks to repeat, is tried again; a write is done once all the same.

    >>> with Client() as postil:  # doctest: +SKIP
    ...     postil.grade_class("Why does ice float?", ["It is less dense than water."], ["it is lighter"])
    """

    def __init__(
        self,
        address: str | None = None,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        address = _demanded(address, "POSTIL_ADDRESS", "address of the server, such as http://127.0.0.1:8400")
        token = _demanded(token, "POSTIL_TOKEN", "token from the server's account page")
        if urlsplit(address).scheme not in ("http", "https"):
            raise PostilError("the address must begin with http:// or https://.")
        self._retries = retries
        self._http = httpx.Client(
            base_url=f"{address.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {token}", "User-Agent": f"postil-client/{__version__}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def health(self) -> Health:
        """Whether the server answers."""
        return self._ask(Health, "GET", "/health")

    def me(self) -> Me:
        """Whose token this is, and what it may be used for."""
        return self._ask(Me, "GET", "/me")

    # Judging at once: a token with the scope `judge`

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
        strictness: str = "normal",
        reader: str | None = None,
        pupils: str = "older",
    ) -> GradedTexts:
        """Judge up to 200 answers to a question, given as texts or as texts by id; fewer with explanations.

        `decided` has answers with a person's labels. Slower readers may be sent fewer answers at once.
        """
        body = {
            "question": question,
            "references": list(references),
            "answers": _answers(answers),
            "decided": [{"text": text, "label": label} for text, label in decided],
            "scheme": scheme,
            "explain": explain,
            "facets": facets if isinstance(facets, bool) else list(facets),
            "strictness": strictness,
            "pupils": pupils,
            **_given(reader=reader),
        }
        return self._ask(GradedTexts, "POST", "/grade", body=body, keyed=False)

    def align_pairs(self, pairs: Pairs) -> Judged[AlignedSentences]:
        """Align the chunks of up to 50 pairs of sentences."""
        sent = [{"id": id, "source": source, "target": target} for id, (source, target) in _named(pairs)]
        return self._judged(AlignedSentences, "/align", {"pairs": sent})

    def entail_pairs(self, pairs: Pairs, *, scheme: str = "3way") -> Judged[TextEntailment]:
        """Judge whether each of up to 50 texts implies its hypothesis."""
        sent = [{"id": id, "text": text, "hypothesis": implied} for id, (text, implied) in _named(pairs)]
        return self._judged(TextEntailment, "/entail", {"pairs": sent, "scheme": scheme})

    def find_facets(
        self, reference: str, answers: Texts, *, question: str = "", facets: Sequence[str] | None = None
    ) -> Judged[AnswerFacets]:
        """Look in up to 50 answers for the facets of a reference, or for those that are named."""
        body = {
            "question": question,
            "reference": reference,
            "answers": _answers(answers),
            "facets": None if facets is None else list(facets),
        }
        return self._judged(AnswerFacets, "/facets", body)

    # Courses and questions

    def list_courses(self) -> Iterator[Course]:
        """The courses that can be seen."""
        return self._list(Course, "/courses")

    def create_course(self, name: str, *, strictness: str | None = None, reader: str | None = None) -> Course:
        """Make a course; `strictness` is how readily answers are called correct, `normal` unless given.

        `reader` reads the answers; None is the reader that is installed on the server.
        """
        body = {"name": name, **_given(strictness=strictness, reader=reader)}
        return self._ask(Course, "POST", "/courses", body=body)

    def get_course(self, course_id: int) -> Course:
        """A course."""
        return self._ask(Course, "GET", f"/courses/{course_id}")

    def rename_course(
        self,
        course_id: int,
        name: str,
        *,
        strictness: str | None = None,
        reader: str | EllipsisType | None = ...,
    ) -> Course:
        """Give a course another name, and another `strictness` or `reader` if one is given.

        The reader None is the one that is installed on the server.
        """
        body: dict[str, object] = {"name": name, **_given(strictness=strictness)}
        if not isinstance(reader, EllipsisType):
            body["reader"] = reader
        return self._ask(Course, "PATCH", f"/courses/{course_id}", body=body)

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
        version: str | None = None,
    ) -> Question:
        """Change the given fields of a question, if it still has this `version`."""
        edits: dict[str, object] = {"text": text, "references": references and list(references)}
        edits |= {"points": points, "version": version}
        body = {name: value for name, value in edits.items() if value is not None}
        return self._ask(Question, "PATCH", f"/questions/{question_id}", body=body)

    def delete_question(self, question_id: int) -> None:
        """Delete a question with its answers."""
        self._call("DELETE", f"/questions/{question_id}")

    def get_facets(self, question_id: int) -> Facets:
        """The points that a full answer makes, as set by a teacher."""
        return self._ask(Facets, "GET", f"/questions/{question_id}/facets")

    def set_facets(
        self, question_id: int, facets: Iterable[NewFacet], *, version: str | None = None
    ) -> Facets:
        """Set the points that a full answer makes, if the facets still have this `version`."""
        body = {"facets": [asdict(facet) for facet in facets], **_given(version=version)}
        return self._ask(Facets, "PUT", f"/questions/{question_id}/facets", body=body)

    def preview_facets(
        self, question_id: int, facets: Iterable[NewFacet], *, version: str | None = None
    ) -> FacetsPreview:
        """Say whose points these facets would change; nothing is stored."""
        body = {"facets": [asdict(facet) for facet in facets], **_given(version=version)}
        path = f"/questions/{question_id}/facets/preview"
        return self._ask(FacetsPreview, "POST", path, body=body, keyed=False)

    def forget_facets(self, question_id: int) -> Facets:
        """Let Postil find the points of a full answer again."""
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

    def decide(
        self,
        answer_id: int,
        label: str,
        *,
        ticked: Sequence[str] | None = None,
        contradicted: Sequence[str] | None = None,
        version: str | None = None,
    ) -> Decision:
        """Give an answer the label that counts; `ticked` are the ids of the facets that it says.

        `contradicted` are those of which it says the opposite, where that takes points off.

        With the `version` of the answer as it was read, what somebody has decided since is not overwritten:
        `ApiError` with the type `/api/v1/docs#changed` has the decision in `current`.
        """
        ticks = {"ticked": ticked, "contradicted": contradicted}
        chosen = {name: list(ids) for name, ids in ticks.items() if ids is not None}
        body = {"label": label, **chosen, **_given(version=version)}
        return self._ask(Decision, "PUT", f"/answers/{answer_id}/decision", body=body)

    def list_decisions(self, answer_id: int) -> Iterator[Decision]:
        """All decisions about an answer, newest first."""
        return self._list(Decision, f"/answers/{answer_id}/decisions")

    def undo(self, question_id: int, *, decision: int | None = None) -> Undone:
        """Take back the last step in deciding a question's answers, if it includes this `decision`."""
        return self._ask(Undone, "POST", f"/questions/{question_id}/undo", query={"decision": decision})

    # Work in the background

    def start_job(self, question_id: int, kind: str) -> Job:
        """Start work on a question: `grade`, `regrade`, `recheck`, `propose` or `facets`."""
        return self._ask(Job, "POST", f"/questions/{question_id}/jobs", body={"kind": kind})

    def list_jobs(self, question_id: int) -> Iterator[Job]:
        """The jobs of a question."""
        return self._list(Job, f"/questions/{question_id}/jobs")

    def get_job(self, job_id: int) -> Job:
        """A job and its progress."""
        return self._ask(Job, "GET", f"/jobs/{job_id}")

    def wait(
        self,
        job: Job | int,
        *,
        progress: Callable[[Job], None] | None = None,
        timeout: float | None = None,
        every: float = _POLL,
    ) -> Job:
        """Wait until a job is over; `progress` is called with the job each time its state is read."""
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
        """Apply the labels of a regrade."""
        return self._ask(Applied, "POST", f"/questions/{question_id}/changes/apply", body={"job_id": job_id})

    def drop_changes(self, question_id: int, job_id: int) -> None:
        """Leave all labels as they are."""
        self._call("POST", f"/questions/{question_id}/changes/drop", body={"job_id": job_id})

    # Files

    def export_question(
        self, question_id: int, kind: str = "csv", *, answers: str = "all", to: Path | str | None = None
    ) -> bytes:
        """A question's answers as a file: `csv`, `xlsx`, `moodle`, `jsonl` or `report`.

        `answers` is `all`, or `decided` for those that a person has decided. With `to`, it is also written
        to that file.
        """
        return self._file(f"/questions/{question_id}/export", {"format": kind, "answers": answers}, to)

    def export_course(self, course_id: int, kind: str = "xlsx", *, to: Path | str | None = None) -> bytes:
        """A course as a file: `xlsx`, `moodle` or `report`; written to `to`, if given."""
        return self._file(f"/courses/{course_id}/export", {"format": kind}, to)

    # One pupil's data

    def find_pupils(self, name_or_id: str) -> list[Pupil]:
        """Find pupils by name or id, course by course."""
        body = {"name_or_id": name_or_id}
        return _items(Pupil, self._call("POST", "/pupils/find", body=body, keyed=False))[1]

    def export_pupils(self, who: Sequence[int], *, to: Path | str | None = None) -> bytes:
        """All data about pupils, named by their `answer_id`, as a ZIP file; written to `to`, if given."""
        return self._file("/pupils/export", {"who": list(who)}, to)

    def erase_pupils(self, who: Sequence[int], answers: int) -> Erased:
        """Erase all that is stored about pupils, if they still have this number of answers."""
        return self._ask(Erased, "POST", "/pupils/erase", body={"who": list(who), "answers": answers})

    # How calls are made

    def _file(self, path: str, query: Mapping[str, object], to: Path | str | None) -> bytes:
        content = self._call("GET", path, query=query).content
        if to is not None:
            from postil.data.files import atomic_writer

            with atomic_writer(to) as file:
                file.write(content)
        return content

    def _judged(self, kind: type[T], path: str, body: Mapping[str, object]) -> Judged[T]:
        # Nothing is kept, so nothing is done twice: there is no need for a key.
        answer, items = _items(kind, self._call("POST", path, body=body, keyed=False))
        return Judged(items, answer.get("warnings", ()))  # older servers have none

    def _ask(self, kind: type[T], method: str, path: str, **options: Any) -> T:
        """Call, and read the response."""
        return read(kind, json_of(self._call(method, path, **options)))

    def _pages(
        self, kind: type[T], path: str, query: Mapping[str, object] | None = None
    ) -> Iterator[tuple[Mapping[str, Any], list[T]]]:
        """Each page of a list, with its items."""
        after: str | None = None
        while True:
            parameters = {**(query or {}), "limit": PER_PAGE, "after": after}
            page, items = _items(kind, self._call("GET", path, query=parameters))
            yield page, items
            after = page.get("next")
            if after is None:
                return

    def _list(self, kind: type[T], path: str, query: Mapping[str, object] | None = None) -> Iterator[T]:
        """The items of a list, page by page as they are needed."""
        for _, items in self._pages(kind, path, query):
            yield from items

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        keyed: bool = True,
    ) -> httpx.Response:
        """Call until there is a response; a write has a key by which the server recognises a repetition."""
        headers = {"Idempotency-Key": str(uuid4())} if keyed and method in _WRITES else {}
        parameters: Any = {name: value for name, value in (query or {}).items() if value is not None}
        request = self._http.build_request(method, path, params=parameters, json=body, headers=headers)
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._http.send(request)
            except httpx.TransportError as error:
                if last:
                    raise UnreachableError(
                        f"the server did not answer ({type(error).__name__}).",
                        hint="Is it running, and is this its address?",
                    ) from error
                time.sleep(_FIRST_PAUSE * 2**attempt)
                continue
            if answer.is_success:
                return answer
            wait = retry_after_of(answer)
            if last or answer.status_code not in _AGAIN or wait is None or wait > _PATIENCE:
                raise ApiError(answer.status_code, problem_of(answer), wait)
            time.sleep(wait)
        raise AssertionError  # the last attempt returns or raises


def _given(**values: str | None) -> dict[str, str]:
    """What was given; the rest is left out, for older servers do not know it."""
    return {name: value for name, value in values.items() if value is not None}


def _answers(texts: Texts) -> list[dict[str, str | None]]:
    return [{"id": id, "text": text} for id, text in _named(texts)]


def _named(items: Sequence[T] | Mapping[str, T]) -> list[tuple[str | None, T]]:
    return list(items.items()) if isinstance(items, Mapping) else [(None, item) for item in items]


def _items(kind: type[T], answer: httpx.Response) -> tuple[Mapping[str, Any], list[T]]:
    """A response with several items: the whole of it, and the items."""
    page = json_of(answer)
    if not isinstance(page, dict) or not isinstance(page.get("items"), list):
        raise PostilError("the server's answer is not a list of items.")
    return page, [read(kind, item) for item in page["items"]]


def _demanded(value: str | None, variable: str, what: str) -> str:
    value = os.environ.get(variable, "") if value is None else value
    if not value:
        raise PostilError(f"there is no {what}.", hint=f"Give it, or set {variable}.")
    return value
