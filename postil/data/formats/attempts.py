"""Moodle's report of responses to a quiz: which columns belong together, and whose attempt counts.

The report speaks the language of whoever downloads it, so its columns are known in several. Letters that are
not plain are left out when names are compared, as Moodle's JSON leaves them out itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from postil.data.formats.markup import looks_like_html, readable
from postil.data.formats.rows import Row, Rows
from postil.errors import InputError, number_of


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _names(listed: str) -> frozenset[str]:
    return frozenset(map(_bare, listed.split("|")))


# English, German, Spanish, Basque, Catalan, French, Italian, Portuguese, Dutch.
_PARTS = {
    "question": "question|frage|pregunta|galdera|domanda|pergunta|vraag",
    "response": "response|antwort|respuesta|erantzuna|resposta|réponse|risposta|antwoord",
    "right": "right answer|richtige antwort|respuesta correcta|erantzun zuzena|resposta correcta"
    "|bonne réponse|réponse correcte|risposta corretta|resposta correta|juiste antwoord|goede antwoord",
}
_COMPLETED = _names(
    "completed|completed on|finished|beendet|abgeschlossen|finalizado|completado|osatua|noiz bukatua"
    "|completat|finalitzat|terminé|completato|concluída|voltooid"
)
_STATE = _names("state|status|estado|estatus|egoera|estat|état|stato")
_UNFINISHED = _names(
    "in progress|overdue|never submitted|not started|in bearbeitung|überfällig|nie abgeschlossen"
    "|nie abgegeben|en curso|en progreso|atrasado|nunca envió|nunca enviado|ari da|egiten|atzeratutakoak"
    "|bidali gabeak|en curs|en cours|in corso|em curso|bezig"
)
# By what Moodle knows people, surest first.
_WHO = (
    _names(
        "username|anmeldename|benutzername|nombre de usuario|erabiltzaile-izena|nom d'usuari"
        "|nom d'utilisateur"
    ),
    _names(
        "email address|email|e-mail-adresse|e-mail|dirección de correo|dirección de correo electrónico"
        "|correo electrónico|e-posta helbidea|e-posta|adreça electrònica|adresse de courriel|indirizzo email"
    ),
    _names(
        "id number|id-nummer|número de id|id zenbakia|número id|numéro d'identification|codice identificativo"
    ),
)
_NOTHING = ("", "-")  # so Moodle writes that there is nothing


_PART_OF = {name: part for part, listed in _PARTS.items() for name in _names(listed)}
_SLOT = re.compile(r"(\d{0,6})([a-z]+)(\d{0,6})")


def slot_of(name: str) -> tuple[int, str] | None:
    """The number of the question that a column belongs to, and which part it holds; None for other columns.

    The parts are `question`, `response` and `right`: what was asked, what was answered, what is right.
    """
    match = _SLOT.fullmatch(_bare(name))
    if match is None or bool(match[1]) == bool(match[3]):
        return None
    part = _PART_OF.get(match[2])
    return (int(match[1] or match[3]), part) if part else None


def find_slots(header: Iterable[str]) -> dict[int, dict[str, str]]:
    """The report's columns by the number of their question; those without a response are left out."""
    slots: dict[int, dict[str, str]] = {}
    for name in header:
        found = slot_of(name)
        if found:
            slots.setdefault(found[0], {}).setdefault(found[1], name)
    return {number: slot for number, slot in sorted(slots.items()) if "response" in slot}


def identity_column(rows: Rows) -> str | None:
    """The column by which Moodle knows the students, the fullest first; None where the report has none."""
    known = [name for names in _WHO for name in rows.header if _bare(name) in names]
    filled = {name: sum(bool(cell.strip()) for cell in rows.column(name)) for name in known}
    return max(known, key=filled.__getitem__, default=None) if any(filled.values()) else None


def last_attempts(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Keep the last finished attempt of each student, and say what was left out; other tables stay.

    Where the report does not tell when an attempt was finished, or who made it, all of them stay.
    """
    slots = find_slots(rows.header)
    if not slots:
        return rows, ()
    cleaned = _cleaned(rows, slots)
    who = identity_column(cleaned)
    place = None if who is None else cleaned.header.index(who)
    own = [row for row in cleaned.rows if place is None or _is_somebodys(cleaned.header, row, place)]
    finished = [row for row in own if _is_finished(cleaned.header, row)]
    if not finished:
        raise InputError(
            rows.path,
            "holds no attempt that is finished.",
            hint="In Moodle’s report, choose the attempts that are finished.",
        )
    notes = []
    left = len(own) - len(finished)
    if left:
        notes.append(f"{number_of(left, 'row')} without a finished attempt {_was(left)} left out.")
    kept = finished if place is None else _last_of_each(finished, place)
    earlier = len(finished) - len(kept)
    if earlier:
        notes.append(
            f"{number_of(earlier, 'earlier attempt')} {_was(earlier)} left out: "
            "of each student the last finished attempt counts."
        )
    return replace(cleaned, rows=tuple(kept)), tuple(notes)


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _cleaned(rows: Rows, slots: dict[int, dict[str, str]]) -> Rows:
    """The report without tags in questions and responses, and without hyphens for nothing."""
    parts = {name for slot in slots.values() for name in slot.values()}
    places = [place for place, name in enumerate(rows.header) if name in parts]
    cleaned = []
    for row in rows.rows:
        cells = list(row.cells)
        for place in places:
            text = "" if cells[place].strip() in _NOTHING else cells[place]
            cells[place] = readable(text) if looks_like_html(text) else text
        cleaned.append(Row(row.line, tuple(cells)))
    return replace(rows, rows=tuple(cleaned))


def _is_somebodys(header: Sequence[str], row: Row, place: int) -> bool:
    """Whether a row is a student's: the last of some reports has averages, names nobody and says nothing."""
    said = (cell for name, cell in zip(header, row.cells, strict=True) if slot_of(name))
    return bool(row.cells[place].strip()) or any(map(str.strip, said))


def _is_finished(header: Sequence[str], row: Row) -> bool:
    completed = _cell(header, row, _COMPLETED)
    if completed is not None:
        return completed not in _NOTHING
    state = _cell(header, row, _STATE)
    return state is None or (state not in _NOTHING and _bare(state) not in _UNFINISHED)


def _last_of_each(rows: Sequence[Row], place: int) -> list[Row]:
    """The last row of each student; those that name nobody stay, for they may be different people's."""
    last = {row.cells[place].strip().casefold(): row for row in rows}
    last.pop("", None)
    return [row for row in rows if last.get(row.cells[place].strip().casefold(), row) is row]


def _cell(header: Sequence[str], row: Row, names: frozenset[str]) -> str | None:
    place = next((place for place, name in enumerate(header) if _bare(name) in names), None)
    return None if place is None else row.cells[place].strip()
