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
from itertools import pairwise

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
    r"|\((?:no )?partial credit[^)\n]{0,60}\)"
    r"|\((?:half an?|half|one|an?|\d) (?:points?|marks?)(?: for)? each\)"
    r"|(?:(?<=^)|(?<=[.;:\n•●○▪◦‣] )|(?<=[.;:\n•●○▪◦‣]))(?:(?:the |an )?(?:answers?|results?)"
    r" (?:may|can|could|might) (?:also )?be (?:rounded|given|stated|written|expressed|shortened)"
    r"|it (?:is|would be) (?:also |already )?(?:sufficient|enough|acceptable|fine|okay|ok)"
    r" (?:to (?:give|state|mention|name|say|write|show|list|provide|describe)|if)\b)"
    r"(?:[^.;:\n•●○▪◦‣]|\.(?=\d)|(?<=\b[ei])\.(?=[ge]\.)|(?<=\be\.g)\.|(?<=\bi\.e)\.){0,300}[.:]?",
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
    r"^\W*(?:as a result|as a consequence"
    r"|in addition|in conclusion"
    r"|in summary|overall(?=,)|of course|for this reason|note that|first(?:ly)?(?=,)"
    r"|second(?:ly)?(?=,)|third(?:ly)?(?=,)"
    r"|finally|lastly|also|i think(?: that)?|basically)(?!\w)[\s,:]*",
    re.I,
)
_RESTATED = re.compile(
    r"^\W*(?:i\.\s?e\.|that is(?= to say|,)(?: to say)?|in other words|put (?:differently|another way)"
    r"|or rather|to put it (?:differently|another way))(?!\w)[\s,:]*",
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
_SOMEBODY = re.compile(
    r"\b(?:(?:claim|argue|believ|conclude?|suppos|assum|alleg|den[iy]|think|thought|sa[iy]|said|told|stat"
    r"|testif|insist|suggest|imagin|pretend)(?:e?[sd]|ing|ies|ied)?\b|according to\b|if\b"
    r"|(?:testimony|view|idea|opinion|belief|myth|fallacy) that\b)",
    re.I,
)
BRACKETS = re.compile(r"\((?:[^()\n]|\([^()\n]{0,100}\)){1,400}\)")
_BREAK = re.compile(
    r"^[A-Z]\.(?=\s+(?:The|When|If|It|Because|Since|Both|This|There|In|Its?|They|As|A|An)\s)"
    r"|(?<=\s[A-Z]\.)\s(?=(?:The|When|If|It|This|There|These|Therefore)\s+[a-z])"
    r"|^[A-E]\.(?=\s+[A-Z][a-z])|\n\s*\n|(?<=[.:;!?])[ \t]*\n|\n(?=\s*(?:[A-Z(]|or\b))"
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
    r"|(?<=[\w'])(?<!shown)(?<!listed)(?<!below)(?<!above)\s(?=(?:(?:double-|right-)?click|scroll)\s+(?:(?:on|through|over|inside)\s+)?(?:the"
    r"|any|['\"“‘]))"
    r"|(?<=[\w)'\"”])(?<!ouble)(?<!ight)(?<!Left)\s(?=(?:(?:Double-|Right-)?[Cc]lick|Press|Hit|Tap|Type)\s+[A-Z0-9('\"“])"
    rf"|(?<=[\w)'\"”.])\s(?=(?:{_STEPS})\s+(?:on|the|in|any|all|a|an|your|each|through|it|down|to"
    rf"|one|this|that|inside|out|up|['\"“‘]))"
)
_JOINED = re.compile(
    r"(?:\b(?:of|in|to|and|or|for|with|on|at|from|by|the|a|an|is|was|called|named|as|than|then|you"
    r"|can|could|should"
    r"|must|will|just|need|alternatively)|(?:^|[\s(])\w{1,2}[.)])\s*$",
    re.I,
)
_AIM = re.compile(r"(?:^|[.!?:)]\s+)(?:To|In order to)\s[^.!?]{0,80}$")  # "To remove it click …"
_HEADING = re.compile(
    r"(?:(?<=^)|(?<=[.;!?)]\s)|(?<=\n))\s*(?P<label>[A-Z(][^\n.:;!?]{1,60}?)\s*:(?=\s*[^\s:/\d])"
)
# Headings that say nothing of what they stand above.
_NO_LABEL = re.compile(
    r"(?:(?:the )?(?:some )?(?:possible|main|following|correct|sample|suggested)\b.*"
    rf"|(?:(?:any|{_NUMBER}|one|all|some|at least|either)\b.*(?:following|these|of|should)\b.*)"
    r"|(?:see|note)\b.*|(?:the )?(?:answers?|reasons?|purposes?|solutions?|notes?|explanations?|part)\W*\w?"
    r"|\(?[a-z0-9]\)?)$",
    re.I,
)
_DASHED = re.compile(r"\s*(?P<label>[A-Za-z][\w/ -]{1,50}?)\s+[-–—]\s+(?=\S)")  # "full duplex - both at once"
_SIGNS = "●•○▪◦‣"
_EXAMPLES_FOLLOW = re.compile(r"\b(?:examples?|e\.g|such as|for instance)\b", re.I)
_BESIDE = re.compile(r"\W*(?:while|whereas|and|but)\s", re.I)  # after a semicolon
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
    headed: bool = False  # begins with its label, which then holds for all of it
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
    above, label_end = "", -1  # the heading of the part before, and where the last one ended
    examples = _examples(plain, items)
    for start, end in pairwise(bounds):
        part, is_label = _part(plain, start, end, cuts.get(start, 0), weights)
        if is_label:
            label, label_end = part.label or label, end
        elif any(map(str.isalnum, part.text)):
            if part.item > 1 and parts and parts[-1].item and part.item != parts[-1].item + 1:
                label = ""  # an outer list goes on after an inner one
            own = part.label or (label if part.item or not parts or not parts[-1].item else "")
            goes_on = plain[:start].rstrip().endswith(";") and not part.item and bool(parts)
            if goes_on:  # "Advantage: it is light; it is cheap", "for example, x; y"
                part = replace(part, headed=part.headed or (not own and parts[-1].headed))
                own = own or above
                part = replace(part, required=parts[-1].required and not is_example(parts[-1].text))
            elif own and not part.item and start == label_end and "\n" not in plain[end - 1 : end]:
                part = replace(part, headed=not own.lower().startswith("to "))
            above = own
            parts.append(replace(part, label=own, required=part.required and start not in examples))
            label = label if part.item else ""
    lettered = re.search(r"\([a-c]\)|\b[a-c]\)", question)
    return _grouped(parts, few, 0 if lettered else asked_for(question))


def _examples(text: str, items: Iterable[int]) -> set[int]:
    """The items of an inner list that are examples of the point above it: "noise, e.g.: i) … ii) …"."""
    examples: set[int] = set()
    places = sorted(items)
    for number, place in enumerate(places):
        sign = _ITEM.match(text, place)
        before = re.split(r"[.;\n]", text[places[number - 1] if number else 0 : place].rstrip(" (.:"))[-1]
        if sign and _EXAMPLES_FOLLOW.search(before) and _value(sign["sign"], _kind(sign["sign"])) == 1:
            kind = _kind(sign["sign"])
            for other in places[number:]:
                match = _ITEM.match(text, other)
                if not match or _kind(match["sign"]) != kind:
                    break
                examples.add(other)
    return examples


def _kind(sign: str) -> str:
    return "\\d+" if sign.isdigit() else "[ivx]+" if re.fullmatch("[ivx]+", sign) else "[a-h]"


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
    # Clauses that the parser often takes for something else: "leaves a gap, so there is no path".
    plain = _FOLLOWING.sub(_stopped, plain)
    plain = re.sub(r"\((or\b[^()\n]*)\)(?=\W*$)", r" \1 ", plain)
    plain = re.sub(r"(^|[.!?:;]\s*)\[([^\[\]\n]{15,})\]", r"\1 \2 ", plain)
    return _blanked(plain, _REMARKS), weights


def _stopped(match: re.Match[str]) -> str:
    """A semicolon for ", so", unless it belongs to what somebody says: "he says it floats, so it …"."""
    sentence = re.split(r"[.!?;\n]", match.string[max(0, match.start() - 400) : match.start()])[-1]
    if _SOMEBODY.search(sentence) or re.match(
        r"\s+(?:the story|it is said|they say)", match.string[match.end() :]
    ):
        return match[0]
    if re.match(r"\s*(?:if|when|in|at|on|during|after|before|once|with|without)\b", sentence, re.I):
        return match[0]  # what holds for both
    if sentence.count("(") != sentence.count(")"):
        return match[0]
    return f";{match[1]}{' ' * len(match[2])}"


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
        if not _JOINED.search(text[max(0, match.start() - 16) : match.start()])
        and not _AIM.search(text[max(0, match.start() - 90) : match.start()])
    }
    bullets = [match.start() for match in _BULLET.finditer(text)]
    signs = {place: text[place:].lstrip()[:1] for place in bullets}
    inner = [place for place in bullets if signs[place] != signs[bullets[0]]]
    if inner and _few(text):  # what stands below one of several ways belongs to it
        below = range(inner[0], next((b for b in bullets if b > inner[-1] and b not in inner), len(text)))
        cuts = {place: number for place, number in cuts.items() if place not in below}
        bullets = [place for place in bullets if place not in inner]
    if len(bullets) > 1:
        cuts |= {place: number for number, place in enumerate(bullets, 1)}
        cuts |= {match.end(): 0 for match in _HEADING.finditer(text[: bullets[0]])}
    brackets = [(match.start(), match.end()) for match in BRACKETS.finditer(text)]
    cuts = {p: number for p, number in cuts.items() if not any(start < p < end for start, end in brackets)}
    numbered = _numbered(text)
    signs_end = {match.end() for match in map(partial(_ITEM.match, text), numbered) if match}
    return {place: number for place, number in cuts.items() if place not in signs_end} | numbered


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
    beside = _BESIDE.match(part.text) if text[:start].rstrip().endswith(";") else None
    part = _blank(part, beside.end()) if beside else part
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
        part = replace(part, headed=not part.label.lower().startswith("to "))
    elif item and (dashed := _DASHED.match(part.text)) and _is_heading(dashed["label"]):
        part = replace(part, label=dashed["label"].strip(), headed=True)
    return _in_one_line(part), False


def _in_one_line(part: Part) -> Part:
    """A part without the bullets inside it: what stands below it goes on after a semicolon."""
    text = re.sub(rf"[{_SIGNS}](?=[\s{_SIGNS}]*$|\s*[{_SIGNS}])", " ", part.text)
    text = re.sub(rf"(?<!:)(\s)[{_SIGNS}](?=\s)", r"\1;", text)
    return replace(part, text=re.sub(rf"[{_SIGNS}](?=\s)", " ", text))


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
    grouped = [part if part.required else replace(part, item=0) for part in grouped]
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


def restates(text: str) -> int:
    """The length of "in other words", "that is", at the beginning of a text; 0 where it does not begin so."""
    match = _RESTATED.match(text)
    return match.end() if match else 0


def is_example(text: str) -> int:
    """The length of "for example" at the beginning of a text; 0 where it does not begin so."""
    match = _EXAMPLE.match(text)
    return match.end() if match else 0
