"""What a question points to and does not hold: a picture, a text, an experiment, an earlier question."""

from __future__ import annotations

import re

from postil.grading.asks import QUOTED, either

# A question with so many words before "the experiment" tells it; one with so many in all holds its story.
_TOLD_BEFORE = 12
_TOLD_IN_ALL = 60
# What a question leans on. Nouns first, then the ways to point at them.
_DRAWN = (
    r"(?:pictures?|photo(?:graph)?s?|diagrams?|graphs?|charts?|drawings?|illustrations?|sketch(?:es)?|cartoons?"
    r"|timelines?|maps?|rubbings?|prints?)"
)
_SEEN = rf"(?:{_DRAWN}|images?|figures?|tables?|data)"
_LISTED = r"(?:lists?|options|choices|statements|words|sentences?|code|program|equations?|box|results)"
_READ = r"(?:passages?|articles?|extracts?|excerpts?|paragraphs?|texts?)"
_TOLD = r"(?:story|poem|novel|play|chapter|speech|videos?|clip|film|movie|animation|simulation|podcast)"
_TRIED = r"(?:experiment|investigation|activity)"
_THE = r"\b(?:the|this|these|those|each|both)\s+"
# What may stand between "the" and the noun, but for words that end the phrase, make the noun another thing
# ("the water table") or one that everybody knows ("the periodic table").
_NOT_BETWEEN = (
    "water|periodic|dinner|kitchen|times|multiplication|coffee|pool|big|bigger|whole|mind|concept|historical"
    "|public|central|human|main|mental|road|of|in|on|at|is|are|and|to|for|with|that|from"
)
_MORE = rf"(?:(?!(?:{_NOT_BETWEEN})\s)[\w'\"-]+\s+){{0,3}}?"
_HEAD = r"(?!\s+(?:salt|sugar|top|tennis|leg|cloth|frame|book|message|box|type|structure|projection)s?\b)"
_LOOK = (
    r"(?<!he )(?<!they )(?<!to )\b(?:look(?:ing)? (?:closely )?at|study|examine|refer to|us(?:e|ing)|see"
    r"|label|complete|fill in|based on|according to|read|watch)\s+"
)
_SHOWS = (
    r"(?:shows?|showed|displays?|gives?|lists?|compares?|illustrates?|represents?|tells?|depicts?|indicates?|says?"
    r"|suggests?|means?|describes?|helps?|helped)\b"
)
# "Below" at the end of its clause; "below the surface" is a place in the world.
_BELOW = (
    r"\b(?:below|above|here|overleaf)"
    rf"(?=\s*(?:[.,;:?!)\[]|$|(?:is|are|to|and|which|that|will|do|does|{_SHOWS})))"
)
_ASIDE = r"(?:provided|attached|(?:at|on|to) the (?:right|left|board|screen|(?:next|facing|following) page))"
_MATERIAL = either(
    rf"{_LOOK}{_THE}{_MORE}{_SEEN}\b{_HEAD}",
    rf"\b(?:in|on|by|from)\s+{_THE}{_MORE}{_DRAWN}\b{_HEAD}|\bin\s+{_THE}(?:\w+\s+)?table\b{_HEAD}",
    rf"(?:{_THE}|\bwhich ){_MORE}{_SEEN}\s+{_SHOWS}|{_THE}following\s+{_MORE}(?:{_SEEN}|{_READ})\b",
    rf"\b(?:this|these|each|both)\s+(?:\w+\s+)?{_DRAWN}\b{_HEAD}|\bin this (?:figure|image)\b",
    r"\bthe following (?!(?:year|month|week|day|night)s\b)(?:\w+ )?\w+s\b",
    rf"\b(?:{_SEEN}|{_LISTED}|{_READ}|shown|drawn|pictured|given|patterns|circuits?)\b"
    rf"(?:[^.?!:;]{{0,40}}?{_BELOW}|\s+{_ASIDE}|\s+(?:below|above)(?!\s+(?:the|an?|its?|\d|zero|average)\b))",
    rf"\b(?:look at|using|see)\b[^.?!:;]*(?:{_BELOW}|\b{_ASIDE})",
    rf"\b(?:below|above|here) (?:is|are)\b[^.?!:;]*\b{_SEEN}\b",
    r"\bas shown\s*[,.?!]|\b(?:in the book|from the list|words in the box|word bank|of the following)\b",
    r"\b(?:figure|fig\.|table|diagram|graph|source|map|chart|extract)\s+(?!8\b)(?:\d+|(?-i:[A-H]))\b",
    rf"\b(?:according to|read|in|from|of|by)\s+(?:the|this)\s+{_READ}\b(?!\s+(?:of|message|box)\b)",
    rf"\bthe\s+{_READ}\s+{_SHOWS}",
    rf"\b(?:in|of|from|read|watch|does)\s+(?:the|this)\s+{_TOLD}\b"
    r"(?!\s+(?:of|by|called|about)\b|\s+(?-i:[A-Z\"“‘']))",
    r"\b(?:does|did|is|was)\s+the\s+(?:author|narrator|poet|speaker)\b(?! of\b)",
    rf"\b(?:in|during|from|for|of|did)\s+(?:the|this|your|our)\s+{_TRIED}\b|\byour results\b",
    r"\b(?:in|to) (?:question|part|problem) (?:\d+|\(?(?-i:[a-h])\)?)(?!\w)|\bprevious question\b",
)
_HELD = either(rf"\b(?:tables?|data|{_LISTED}|{_READ}|{_TOLD}|following|given)\b")
_TELLABLE = either(rf"\b(?:{_TRIED}|results)$")
_READABLE = either(rf"\b(?:{_READ}|{_TOLD}|author|narrator|poet|speaker)\b")
# Something is listed: after a colon or the question mark, as options, in brackets.
_ITEMS = either(
    r":\s*(?:\S+\s+){0,3}\S*[,;\d\n]|:\s*(?:\S+\s+){4}|\b(?-i:A)[.)]\s|, or\b|\([^)]{8,}\)|\?\s*[^.?!]+,"
)
_OWN = either(
    rf"\b(?:draw|make|sketch|create|write)\s+(?:an?|your own)\s+(?:\w+\s+){{0,2}}?(?:{_SEEN}|{_TOLD})\b"
)
_BARE = either(
    r"^\W*(?:why|how|why not|why or why not|how so|how do you know|explain|say why)\W*$",
    r"^\W*(?:explain|justify) your (?:\w+ )?(?:reasoning|answers?|choices?|thinking)\W*$",
)


def missing_material(text: str) -> str:
    """What a question points to and does not hold: a picture, a text, an experiment, an earlier question."""
    if not re.search(r"\w", text):
        return "The question is empty: write it out in full."
    if _BARE.match(text):
        return "The question needs the one before it: write both as one."
    match = next((match for match in _MATERIAL.finditer(text) if not _is_told(text, match)), None)
    if match is None:
        return ""
    words = " ".join(match.group().strip(" .,;:?!").split())
    return f"The question points to something outside it (“{words}”): say in words what pupils can see there."


def _is_told(text: str, match: re.Match[str]) -> bool:
    """Whether the question itself holds or tells what it points to, or has the pupil make it."""
    before, words, after = text[: match.start()], match.group(), text[match.end() :]
    # In brackets, somebody has told already what can be seen.
    if _OWN.search(before) or re.match(r"[^.?!]*\[", after):
        return True
    if _TELLABLE.search(words):
        return len(before.split()) >= _TOLD_BEFORE
    if _READABLE.search(words) and len(text.split()) > _TOLD_IN_ALL:
        return True
    if _HELD.search(words) and not re.search(_DRAWN, words, re.IGNORECASE):
        return bool(_ITEMS.search(after)) or any(one.count(" ") > 2 for one in QUOTED.findall(text))
    return False
