"""One student's data over all courses: find it, see what is stored, download it and erase it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field

from postil.errors import PostilError, number_of
from postil.workbench.exports import points_of
from postil.workbench.http.access import OfPerson, refuse_blind
from postil.workbench.http.addresses import client_address
from postil.workbench.http.rendering import NotAllowedError, OfStore, back, download, flash, render
from postil.workbench.pupils import ZIP, pupil_zip
from postil.workbench.records import Person
from postil.workbench.store.accounts import names_of
from postil.workbench.store.database import Store
from postil.workbench.store.pupils import (
    MOST_FOUND,
    Pupil,
    Stored,
    erase,
    find_pupils,
    get_pupils,
    note_export,
    stored_of,
)
from postil.workbench.store.rows import ChangedError
from postil.workbench.store.tables import now

_MOST_CHOSEN = 200
# Students are named by numbers of answers, so that no address and no server's log has a name in it.
_Number = Annotated[int, Field(gt=0, le=2**31 - 1)]
Who = Annotated[list[_Number] | None, Query(max_length=_MOST_CHOSEN)]


def _demand_teacher(person: OfPerson) -> None:
    if not person.makes_courses:
        raise NotAllowedError("Only those who teach in a course can take its answers away or erase them.")


router = APIRouter(dependencies=[Depends(_demand_teacher)])


@router.get("/pupils")
def show_search(request: Request, person: OfPerson) -> HTMLResponse:
    """A form that asks whose data is wanted."""
    return _search(request, person)


@router.post("/pupils")
def search(
    request: Request, store: OfStore, person: OfPerson, words: Annotated[str, Form(max_length=200)] = ""
) -> HTMLResponse:
    """Those who have these words in their name or id; sent as a form, so that no address has a name in it."""
    try:
        return _search(request, person, words, find_pupils(store, words, person))
    except PostilError as error:
        return _search(request, person, words, error=error)


@router.get("/pupils/stored")
def show_stored(request: Request, store: OfStore, person: OfPerson, who: Who = None) -> HTMLResponse:
    """Everything that is stored about those who were chosen."""
    if not who:
        raise PostilError("nobody was chosen.", hint="Tick at least one line.")
    pupils, stored = _chosen(store, person, who)
    return render(
        request,
        "pupil.html",
        pupils=pupils,
        stored=stored,
        points_of=points_of,
        query=urlencode({"who": who}, doseq=True),
        who=who,
    )


@router.get("/pupils/export.zip")
def export(request: Request, store: OfStore, person: OfPerson, who: Who = None) -> Response:
    """The same as a file."""
    pupils, stored = _chosen(store, person, who or [])
    note_export(store, pupils, person, client_address(request))
    deciders = {decision.by for item in stored for decision in item.decisions if decision.by is not None}
    return download(pupil_zip(stored, now(), names_of(store, deciders)), ZIP, "student-data.zip")


@router.post("/pupils/erase")
def erase_stored(
    request: Request,
    store: OfStore,
    person: OfPerson,
    who: Annotated[list[_Number] | None, Form(max_length=_MOST_CHOSEN)] = None,
    answers: Annotated[int, Form()] = 0,
) -> RedirectResponse:
    """Erase it; `answers` is how many the page said these are."""
    pupils, stored = _chosen(store, person, who or [])
    try:
        if len(stored) != answers:
            what = "these answers have changed in the meantime, so nothing was erased."
            raise ChangedError(what, "Look at what is stored now, then erase it.")
        erased = erase(store, pupils, person, address=client_address(request))
    except ChangedError as error:
        flash(request, error.what, "warning", error.hint)
        return back(f"/pupils/stored?{urlencode({'who': who or []}, doseq=True)}")
    uploads = f" and {number_of(erased.uploads, 'upload')} not added yet" if erased.uploads else ""
    hint = "Backups made before still contain them. The log says that you did this, without a name."
    flash(request, f"{number_of(erased.answers, 'answer')}{uploads} erased.", hint=hint)
    return back("/pupils")


def _search(
    request: Request,
    person: Person,
    words: str = "",
    pupils: Sequence[Pupil] | None = None,
    error: PostilError | None = None,
) -> HTMLResponse:
    context: dict[str, Any] = {
        "words": words,
        "pupils": pupils,
        "full": pupils is not None and len(pupils) == MOST_FOUND,
        "most": MOST_FOUND,
        "every": person.is_owner,
    }
    return render(request, "pupils.html", error=error, **context)


def _chosen(store: Store, person: Person, who: Sequence[int]) -> tuple[list[Pupil], list[Stored]]:
    """The chosen pupils and their stored data; refused to people who are still labelling some of it blind."""
    pupils = get_pupils(store, who, person)
    stored = stored_of(store, pupils)
    for question_id in {item.question.id for item in stored}:
        refuse_blind(store, person, question_id)
    return pupils, stored
