"""The parts of a reference as its author laid it out: list items, headings, alternatives, points to award.

Only what is written decides, not the tree. A part keeps the length and the places of its text: what is no
part of the statement ("1 point for", a bullet) is blanked out, so offsets still point into the reference.

>>> for part in parts_of("Any two of: 1. it is hard 2. it is shiny 3. it conducts (1 mark)"):
...     print(part.text.strip(), part.group, part.needed)
it is hard g1 2
it is shiny g1 2
it conducts g1 2
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise

_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBER = rf"(?:{'|'.join(_NUMBERS)}|\d{{1,2}})"
_MARKS = r"(?:points?|pts?|marks?)"
# What tells the grader something and is said of no thing: blanked out. Each looks at one sentence at most.
_REMARKS = re.compile(
    r"\b(?:student |pupil )?(?:answers?|responses?) (?:may|might|will|can"
    r"|could) (?:also )?vary\b[^.;:\n]{0,80}[.;:]?"
    r"|\b(?:also )?accept (?:any|all|other|similar) [^.;\n]{0,120}[.;]?"
    r"|\b(?:do not|don't|never) (?:accept|award|credit|give)\b[^.;\n]{0,120}[.;]?"
    r"|\b(?:sample|possible|example|model|suggested|expected|correct) (?:student )?(?:answers?|responses?)"
    r"(?: (?:may|might|could|can|should))?(?: includes?)?\s*:"
    r"|\b(?:the |a )?(?:students?|pupils?|answers?|responses?) (?:should|must|needs? to|ha(?:s|ve) to)"
    r" (?:say|state|mention|explain|include|note|identify|recogni[sz]e|describe|refer to"
    r"|show)\b:?(?: that\b)?"
    r"|\((?!for|e\.|eg|ex)[a-z ]{1,20}:\)|\b(?:award|give)(?=\s+(?:\d|one|two|half))"
    r"|\((?:no )?partial credit[^)\n]{0,60}\)",
    re.I,
)
_AWARD = re.compile(
    rf"[(\[]\s*(?P<inside>{_NUMBER}|½)\s*{_MARKS}?(?: each)?\s*\]|\(\s*(?P<bracket>{_NUMBER}"
    rf"|½)\s*{_MARKS}(?: each)?\s*\)"
    rf"|(?:(?<=^)|(?<=[\n.;:]))\s*[-–•*]?\s*(?P<first>{_NUMBER}|½)\s*{_MARKS}(?: each)?\s*(?:for|if|:|[-–])"
    r"\s*(?:(?:saying|stating|mentioning|explaining|noting|identifying|naming|writing|each of"
    r"|the answer)\b)?(?: that\b)?:?",
    re.I,
)
_TICK = re.compile(r"\(1\)(?=\s*(?:[,.;]|and\b|$|\n))")  # a point, where there are several of them
_OPTIONAL = re.compile(
    r"\((?:optional|bonus|not required|not necessary|extra(?: credit)?)\)|^\W*(?:optional(?:ly)?"
    r"|bonus|extra(?: credit)?)\s*[:,]",
    re.I,
)
_EXAMPLE = re.compile(
    r"^\W*(?:for example|for instance|e\.\s?g\.?|eg|(?:an )?examples?(?=\s*[:,]))(?!\w)[\s,:.)]*", re.I
)
_LEADING = re.compile(
    r"^\W*(?:i\.\s?e\.|that is(?= to say|,)(?: to say)?|in other words|as a result|as a consequence"
    r"|in addition|in conclusion"
    r"|in summary|overall(?=,)|of course|for this reason|note that|first(?:ly)?(?=,)"
    r"|second(?:ly)?(?=,)|third(?:ly)?(?=,)"
    r"|finally|lastly|also|i think(?: that)?|basically)(?!\w)[\s,:]*",
    re.I,
)
_OTHERWISE = re.compile(
    r"^\W*(?:or\b(?: else\b)?|alternatively\b(?! to\b)|(?:also )?accept(?:able)?\b"
    r"|you can also say(?: that)?\b)[\s,:]*",
    re.I,
)
_FEW = re.compile(
    rf"\bany (?P<any>{_NUMBER})\b(?: of)?|\b(?P<of>{_NUMBER}) of (?:the following|these|the|them)\b"
    rf"|\bat least (?P<least>{_NUMBER})\b|\b(?P<either>either) of (?:the following|these)\b",
    re.I,
)
_ONLY_FEW = re.compile(
    rf"[(\[]\s*any {_NUMBER}\b[^)\]\n]{{0,40}}[)\]]|^\W*any {_NUMBER}\b(?: of(?: the following"
    rf"| these)?)?\s*:?",
    re.I,
)
_ASKED = re.compile(
    r"\b(?:name|give|list|state|describe|identify|provide|mention|explain|outline|suggest|write"
    r"|discuss|cite)\b"
    rf"(?:\W+\w+){{0,3}}?\W+(?P<count>{_NUMBER})\b",
    re.I,
)
_BULLET = re.compile(
    r"(?:(?<=^)|(?<=\n))[ \t]*[-–*•●○▪◦‣][ \t]*(?=\S)|(?<=\s)[•●○▪◦‣]\s*(?=\S)|(?<=\s)[-–](?=[A-Z])"
)
_ITEM = re.compile(
    r"(?:(?<=^)|(?<=[\s.;:,]))\(?(?P<sign>\d{1,2}|[a-h]|[ivx]{1,4})(?P<mark>[.)]"
    r"|-(?=\s))\s*(?=[^\W_]|[(\"'“])"
)
_FOLLOWING = re.compile(
    r",(\s+)(whereby|so)\b(?=\s+(?:there|the|it|its|they|this|these|each|an?|no|all|you|we|he|she)\b)", re.I
)
_BREAK = re.compile(
    r"^[A-E]\.(?=\s+[A-Z][a-z])|\n\s*\n|(?<=[.:;!?])[ \t]*\n|\n(?=\s*(?:[A-Z(]|or\b))"
    r"|(?<=\s)OR(?=\s)|;(?=\s)|\s(?=Or,?\s|Alternatively\b(?! to\b))|(?<!\S)[a-z]\w+:(?=\s+[A-Z][a-z]+\s)"
)
# A sentence or step that begins without a stop before it, as where line ends were lost.
_STEPS = (
    "Click|Double-click|Right-click|Select|Type|Press|Choose|Open|Drag|Scroll|Enter|Save|Insert|Add"
    "|Move|Go|Highlight|Put"
    "|Place|Set|Use|Check|Turn|Pour|Measure|Mix|Wait|Repeat|Record|Remove|Take|Write|Draw|Connect|Find|Make"
)
_UNSTOPPED = re.compile(
    r"(?<=[a-z0-9)'\"”])\s(?=(?:The|This|These|If|There|Each|When|They|It)\s[A-Za-z(])"
    r"|(?<=[\w'])\s(?=(?:(?:double-|right-)?click|scroll)\s+(?:(?:on|through|over|inside)\s+)?(?:the"
    r"|any|['\"“‘]))"
    rf"|(?<=[\w)'\"”.])\s(?=(?:{_STEPS})\s+(?:on|the|in|any|all|a|an|your|each|through|it|down|to"
    rf"|one|this|that|inside|out|up|['\"“‘]))"
)
_JOINED = re.compile(
    r"(?:\b(?:of|in|to|and|or|for|with|on|at|from|by|the|a|an|is|was|called|named|as|than|then|you"
    r"|can|could|should"
    r"|must|will|just|need)|(?:^|[\s(])\w{1,2}[.)])\s*$",
    re.I,
)
_HEADING = re.compile(
    r"(?:(?<=^)|(?<=[.;!?)]\s)|(?<=\n))\s*(?P<label>[A-Z(][^\n.:;!?]{1,60}?)\s*:(?=\s*[^\s:/\d])"
)
# Headings that say nothing of what they stand above.
_NO_LABEL = re.compile(
    r"(?:(?:the )?(?:some )?(?:possible|main|following|correct|sample|suggested)\b.*"
    rf"|(?:(?:any|{_NUMBER}|one|all|some|at least|either)\b.*(?:following|these|of|should)\b.*)"
    r"|(?:the )?(?:answers?|reasons?|purposes?|solutions?|notes?|explanations?|part)\W*\w?"
    r"|\(?[a-z0-9]\)?)$",
    re.I,
)
_MOST_WORDS = 6  # of a heading


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a reference: where it is, its text, what introduces it, and whether it must be said."""

    start: int
    end: int
    text: str
    label: str = ""
    item: int = 0  # its number in a list; 0 outside of one
    required: bool = True
    group: str = ""
    needed: int = 0
    weight: float = 0.0  # the points that are given for all of it; 0 where nothing is said of points
    otherwise: bool = False  # says in another way what the part before it says


def parts_of(text: str, question: str = "") -> list[Part]:
    """The parts of a reference, in order; the question may ask for fewer than the reference has."""
    plain, weights = _without_awards(text)
    cuts = _cuts(plain)
    parts: list[Part] = []
    label = ""
    bounds = sorted({0, len(plain), *cuts})
    few = _few(plain)
    items = {place: number for place, number in cuts.items() if number}
    if few and not items:
        items = _sentences(plain, _FEW.search(plain))
        cuts |= items
        bounds = sorted({*bounds, *items})
    bounds = sorted({*bounds, *filter(None, map(partial(_before_heading, plain), bounds, bounds[1:]))})
    for start, end in pairwise(bounds):
        part, is_label = _part(plain, start, end, cuts.get(start, 0), weights)
        if is_label:
            label = part.label
        elif any(map(str.isalnum, part.text)):
            if part.item > 1 and parts and parts[-1].item and part.item != parts[-1].item + 1:
                label = ""  # an outer list goes on after an inner one
            own = part.label or (label if part.item or not parts or not parts[-1].item else "")
            parts.append(replace(part, label=own))
            label = label if part.item else ""
    lettered = re.search(r"\([a-c]\)|\b[a-c]\)", question)
    return _grouped(parts, few, 0 if lettered else asked_for(question))


def _sentences(text: str, cue: re.Match[str] | None) -> dict[int, int]:
    """The sentences after "any one of the following" as the items of a list, if there are several."""
    start = text.find(":", cue.end()) if cue else -1
    if not -1 < start - (cue.end() if cue else 0) < 60:
        return {}
    places = [
        match.end()
        for match in re.finditer(r":\s+|[.!?]\s+(?=[A-Z])|[;\n]\s+", text)
        if match.start() >= start
    ]
    return {place: number for number, place in enumerate(places, 1)} if len(places) > 1 else {}


def _before_heading(text: str, start: int, end: int) -> int:
    """Where the last sentence of a stretch begins, if it only introduces what follows; else 0."""
    written = text[start:end].rstrip()
    stops = [
        match.end() for match in re.finditer(r"[.!?]\s+|(?<=[a-z)]\s)(?=[A-Z][a-z]+\s[^:.]{0,80}:$)", written)
    ]
    if (
        not written.endswith(":")
        or not stops
        or len(written.split()) <= _MOST_WORDS
        or _JOINED.search(written[: stops[-1]])
    ):
        return 0
    return start + stops[-1]


def _without_awards(text: str) -> tuple[str, list[tuple[int, float]]]:
    """The text with remarks to the grader blanked out, and where how many points are to be given."""
    weights = []
    for match in _AWARD.finditer(text):
        written = next(filter(None, match.groups()))
        weights.append((match.start(), _number(written)))
    if len(weights) > 1 and re.match(r"\s*[(\[]", text) and not text[: weights[0][0]].strip():
        del weights[0]  # the sum of those that follow
    plain = _blanked(text, _AWARD)
    ticks = list(_TICK.finditer(plain))
    if len(ticks) > 1:
        weights += [(match.start(), 1.0) for match in ticks]
        plain = _blanked(plain, _TICK)
    plain = re.sub(r"[-–=]>|→", lambda match: " " * len(match[0]), plain) if "1" in plain[:3] else plain
    # Clauses that the parser often takes for something else: "leaves a gap, so there is no path".
    plain = _FOLLOWING.sub(lambda match: f";{match[1]}{' ' * len(match[2])}", plain)
    plain = re.sub(r"\((or\b[^()\n]*)\)", r" \1 ", plain)
    plain = re.sub(r"\[([^\[\]\n]{15,})\]", r" \1 ", plain)
    return _blanked(plain, _REMARKS), weights


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _number(written: str) -> float:
    return 0.5 if written == "½" else float(_NUMBERS.get(written.lower(), 0) or written)


def _cuts(text: str) -> dict[int, int]:
    """Where parts begin: each place with the number of its item in a list, 0 where it is none."""
    cuts = {match.end(): 0 for match in _BREAK.finditer(text)}
    cuts |= {match.start("label"): 0 for match in _HEADING.finditer(text) if _is_heading(match["label"])}
    cuts |= {
        match.end(): 0
        for match in _UNSTOPPED.finditer(text)
        if not _JOINED.search(text[max(0, match.start() - 12) : match.start()])
    }
    bullets = [match.start() for match in _BULLET.finditer(text)]
    if len(bullets) > 1:
        cuts |= {place: number for number, place in enumerate(bullets, 1)}
        cuts |= {match.end(): 0 for match in _HEADING.finditer(text[: bullets[0]])}
    depths = list(accumulate((character == "(") - (character == ")") for character in text))
    cuts = {place: number for place, number in cuts.items() if not place or depths[place - 1] <= 0}
    return cuts | _numbered(text)


def _numbered(text: str) -> dict[int, int]:
    """Where the items of a numbered list begin: signs that count up from the first of their kind."""
    cuts: dict[int, int] = {}
    for kind in ("\\d+", "[a-h]", "[ivx]+"):
        items: list[int] = []
        for match in _ITEM.finditer(text):
            sign = match["sign"]
            if sign.isdigit() and text[match.end() : match.end() + 1].isdigit():
                continue  # 3.5
            if re.fullmatch(kind, sign) and _value(sign, kind) == len(items) + 1:
                before = text[: match.start()].rstrip(" \t")
                stops = not before or before[-1] in ".;:,\n)!?" or match[0].startswith("(")
                if stops or (sign.isdigit() and (items or match["mark"] == ")")):
                    items.append(match.start())
        if len(items) > 1:
            cuts |= {place: number for number, place in enumerate(items, 1)}
    return cuts


def _value(sign: str, kind: str) -> int:
    if sign.isdigit():
        return int(sign)
    if kind == "[a-h]":
        return ord(sign) - ord("a") + 1
    return (
        ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x").index(sign) + 1 if len(sign) < 5 else 0
    )


def _is_heading(label: str) -> bool:
    words = label.split()
    if label.count("(") != label.count(")") or is_step(label.strip()):
        return False
    return len(words) <= _MOST_WORDS and "," not in label


def _part(
    text: str, start: int, end: int, item: int, weights: Sequence[tuple[int, float]]
) -> tuple[Part, bool]:
    """One part, without its signs; and whether it is only the heading of what follows."""
    written = text[start:end]
    own = [weight for place, weight in weights if start <= place < end or (not weights[1:] and not start)]
    part = Part(start, end, written, item=item, weight=sum(own))
    if item:
        sign = _BULLET.match(text, start) or (
            _ITEM.match(text, start) if text[start : start + 2] != "A " else None
        )
        part = _blank(part, sign.end() - start if sign else 0)
    if _OPTIONAL.search(part.text):
        part = replace(part, text=_blanked(part.text, _OPTIONAL), required=False)
    part = replace(part, text=_blanked(part.text, _ONLY_FEW))
    if otherwise := _OTHERWISE.match(part.text):
        part = replace(_blank(part, otherwise.end()), otherwise=True)
    elif re.search(r"\bOR\s*$", text[max(0, start - 12) : start]):
        part = replace(part, otherwise=True)
    part = replace(part, text=re.sub(r"\b(?:OR|or)\s*$", lambda match: " " * len(match[0]), part.text))
    stripped = part.text.strip()
    heading = _HEADING.match(part.text)
    if stripped.endswith(":") and len(stripped.split()) <= 2 * _MOST_WORDS + 2:
        return replace(part, label=_label(stripped)), True
    if heading and _is_heading(heading["label"]):
        part = replace(_blank(part, heading.end()), label=_label(heading["label"]))
    return part, False


def _label(written: str) -> str:
    """A heading without what only introduces: "Possible differences are:" → ""."""
    label = written.rstrip(" :").strip()
    if label.startswith("(") and label.endswith(")"):
        label = label[1:-1]
    if not re.match(r"(?:if|when)\b", label, re.I):
        label = re.sub(r"\s+(?:are|is|include|includes|were|was)$", "", label)
    if _NO_LABEL.match(label) or label.count("(") != label.count(")"):
        return ""
    return label if _is_heading(label) or len(label.split()) <= 2 * _MOST_WORDS else ""


def _blank(part: Part, length: int) -> Part:
    return replace(part, text=" " * length + part.text[length:])


def _few(text: str) -> int:
    """How many of its items a reference says are enough; 0: all."""
    match = _FEW.search(text)
    if not match:
        return 0
    written = next(filter(None, match.groups()))
    return 1 if written == "either" else int(_number(written))


def asked_for(question: str) -> int:
    """How many things a question asks for; 0 where it does not say."""
    match = _ASKED.search(question)
    return int(_number(match["count"])) if match else 0


def _grouped(parts: Iterable[Part], few: int, asked: int) -> list[Part]:
    """Alternatives get a group: items of which some are enough, a part and what may be said instead."""
    grouped = list(parts)
    needed = few or asked
    if needed and sum(bool(part.item) for part in grouped) > needed:
        grouped = _with_steps(grouped)
    items = [number for number, part in enumerate(grouped) if part.item]
    if few and not items:
        items = list(range(len(grouped)))
    if needed and len(items) > needed:
        for number in items:
            grouped[number] = replace(grouped[number], group="g1", needed=needed)
    names = _names()
    for number, part in enumerate(grouped):
        if part.otherwise and number and not part.group:
            before = grouped[number - 1]
            name = before.group or next(names)
            grouped[number - 1] = replace(before, group=name, needed=before.needed or 1)
            grouped[number] = replace(part, group=name, needed=before.needed or 1)
    return grouped


def _with_steps(parts: list[Part]) -> list[Part]:
    """List items with what follows them up to the next: one of several ways is all of its steps."""
    joined: list[Part] = []
    for part in parts:
        if joined and joined[-1].item and not part.item and not part.label and not part.otherwise:
            last = joined[-1]
            gap = " " * (part.start - last.start - len(last.text))
            joined[-1] = replace(last, end=part.end, text=last.text + gap + part.text)
        else:
            joined.append(part)
    return joined


def _names() -> Iterator[str]:
    yield from (f"g{number}" for number in range(2, 1000))


def is_step(text: str) -> bool:
    """Whether a text begins as a step of an instruction does: "Click the button"."""
    return bool(re.match(rf"(?:{_STEPS})\b", text))


def leading(text: str) -> int:
    """The length of what only leads to a statement: "that is", "in other words"."""
    match = _LEADING.match(text)
    return match.end() if match else 0


def is_example(text: str) -> int:
    """The length of "for example" at the beginning of a text; 0 where it does not begin so."""
    match = _EXAMPLE.match(text)
    return match.end() if match else 0
