"""Warn a teacher, before grading, of questions that no grader can be fair to.

The organisers of the 2013 challenge took such questions out by hand (Dzikovska et al. 2013, section 3.3):
those that lean on a chart or a picture, and those with several unrelated right answers. Here are their two
reasons and those that a teacher's own table adds: a reference that is none, and two questions in one.

>>> from postil.data.questions import Question, Reference
>>> [w.kind for w in screen(Question("1", "What does the graph show?", (Reference("r", "It rises."),)))]
['missing_material']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from postil.data.questions import Question
from postil.grading.answers import MOST_READ
from postil.grading.asks import A_NUMBER, QUOTED, YES_OR_NO, either, find_asks, question_type
from postil.language.document import Document
from postil.language.pipeline import analyse_many, beginning
from postil.language.words.relations import word_relation
from postil.language.words.spaces import lsa

Kind = Literal["missing_material", "many_right_answers", "poor_reference", "no_reference", "two_questions"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_FOR_A_REASON = either(
    r"^(?:briefly )?(?:why|explain|justify|say why)\b|^give (?:a |your )?reasons?\b|\bevidence\b",
    r"^how (?:do|did|can|could) you (?:know|tell|decide)",
)
_GIVES_REASON = either(r"\b(?:because|since|so|therefore|due to|thus|hence)\b|\w[.;:—]\s*\w|^(?:yes|no), ")


@dataclass(frozen=True, slots=True)
class Concern:
    """Something to mend before grading: its kind, and a sentence that says what to do."""

    kind: Kind
    sentence: str


def screen(question: Question) -> tuple[Concern, ...]:
    """The concerns about a question and its references, in the order of `KINDS`; none is the good case."""
    asks = find_asks(question.text)
    material, choice = _missing_material(question.text), _many_answers(question)
    # Where pupils choose their topic, or a picture holds it, the question does not tell what is off it.
    poor = _poor_references(question, asks, topical=not material and not choice)
    missing = "" if question.references else "There is no reference: write down a fully right answer."
    sentences: list[tuple[Kind, str]] = [
        ("missing_material", material),
        ("many_right_answers", choice),
        *(("poor_reference", sentence) for sentence in poor),
        ("no_reference", missing),
        ("two_questions", _two_questions(question, asks)),
    ]
    return tuple(Concern(kind, sentence) for kind, sentence in sentences if sentence)


def _two_questions(question: Question, asks: Sequence[str]) -> str:
    """Two asks, unless the second is the reason for the first and every reference also gives one."""
    if len(asks) < 2:
        return ""
    texts = [reference.text for reference in question.references]
    if len(asks) == 2 and _FOR_A_REASON.search(asks[1]) and texts and all(map(_GIVES_REASON.search, texts)):
        return ""
    return "The question asks for more than one thing: split it, or check that each reference answers it all."


# Questions with several right answers.
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_SOME = rf"(?P<{{}}>one|any|another|some|several|at least|{'|'.join(_NUMBERS)})"
_NO_SUM = r"(?!(?:plus|minus|times|divided|half|third|quarter|percent|hundred|squared|cubed)\b)"
_MANY = either(
    r"\b(?:give|name|list|state|suggest|describe|identify|mention|write|think of|provide|explain)\s+"
    rf"(?:me |us |just |at least )?{_SOME.format('listed')}\s+(?!sentences?|paragraphs?|words?|lines?)\w+",
    r"\b(?:give|provide|write|describe|think of|suggest)\s+(?:me |us )?(?:your own |an? )"
    r"(?:\w+ ){0,2}?(?:example|sentence|way|use|thing|reason)s?\b(?! for (?:your|the) (?:answer|choice))",
    rf"\bwhat (?:is|are|was|were|would be|might be|could be) {_SOME.format('asked')}\s+{_NO_SUM}\w+",
    r"\bwhat (?:is|are) (?:an |some )?(?:examples?|possible (?:reason|way|cause)s?)\b|\bname an? \w+",
    r"\bwhy do you think\b(?! so\b)|\bin your (?:own )?opinion\b|\bwhat do you think (?:of|about)\b",
    r"\bhow do you feel\b|\bwould you rather\b|\bdo you (?:prefer|like)\b|\byour favou?rite\b",
    r"\bwhat would you (?:do|say|choose)\b|\bimagine (?:that )?you(?:'re| are| were)\b|\bdescribe a time\b",
    r"^should (?:we|people|schools?|pupils|students|children|(?:the )?governments?|everyone|countries)\b",
)


def _many_answers(question: Question) -> str:
    """A question that lets pupils choose what to answer, with no more references than it asks for."""
    match = _MANY.search(question.text)
    if not match:
        return ""
    least = _NUMBERS.get((match["listed"] or match["asked"] or "").lower(), 1)
    if len(question.references) > least:
        return ""
    words = " ".join(match.group().split())
    return f"Several answers can be right (“{words}”): add a reference for each."


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


def _missing_material(text: str) -> str:
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
        return bool(_ITEMS.search(after)) or any(
            quotation.count(" ") > 2 for quotation in QUOTED.findall(text)
        )
    return False


# A reference is off the topic below this cosine, where both sides have enough words to tell.
_UNRELATED = 0.2
_ENOUGH_WORDS = 3
_START = r"(?:^|[.;:(]\s*)"
_VARIES = either(
    r"\banswers? (?:will|may|can|might|should)? ?var(?:y|ies)\b|^\W*(?:it )?varies\W*$|\bopen[- ]ended\b",
    rf"{_START}(?:also )?(?:accept|allow) |{_START}(?:sample|possible|suggested) (?:answer|response)s?\b",
    r"\bany (?:other )?(?:reasonable|sensible|suitable|valid|correct|appropriate|plausible|acceptable|good) "
    r"(?:answer|response|reason|example|explanation|suggestion|point)",
    rf"{_START}see (?:the |your )?(?:rubric|mark scheme|answer key|textbook|notes|page|above|below)\b",
    r"^\W*(?:n/?a|tbd|to ?do|pupils?'? own (?:answer|opinion)s?|students?'? own (?:answer|opinion)s?)\W*$",
)
_RUBRIC = either(
    rf"{_START}(?:the )?(?:students?|pupils?|learners?|candidates?|answers?|responses?) "
    r"(?:(?:should|must|needs? to|will|may|correctly|clearly) )?"
    r"(?:mention|state|explain|say|identif(?:y|ie)|include|describe|note|recogni[sz]e|understand|refer)s?\b",
    r"\b(?:\d|one|two|half an?) (?:points?|marks?)(?: each)?(?: (?:for|if|per|max\w*)\b|\s*[:=)\]])",
    rf"{_START}award\b|\bfull (?:marks|credit)\b|\bpartial credit\b|\brubric\b|\b(?:points?|marks?):\s*\d",
)
_DECIDES = either(
    r"\b(?:yes|no|not|never|agree|disagree|true|false|right|wrong|correct|incorrect|depends?|always|sometimes"
    r"|only|both|neither|\w+n['’]t|cannot|hardly|maybe|probably|un\w+|impossible|possible|if|unless)\b"
)
_COUNTS = either(
    r"\d|\b(?:none|no|all|every|half|third|quarter|twice|double|dozens|hundreds|thousands|millions|many|few|most"
    r"|more|less|fewer|same|several|once|never|infinite\w*)\b"
)
_CHOICE = either(r"\bor\b", r"\bwhich\b", r"\bwhose\b", r"\bwho\b")
_EMPTY_WORDS = frozenset(("DET", "AUX", "PUNCT", "PRON", "SYM"))
_ASKING_WORDS = frozenset(("why", "how", "when", "where", "explain", "describe", "state", "say"))


def _poor_references(question: Question, asks: Sequence[str], *, topical: bool) -> Iterator[str]:
    """A sentence for each reference that is no answer to the question."""
    texts = (question.text, *(reference.text for reference in question.references))
    documents = list(analyse_many([beginning(text, MOST_READ) for text in texts]))
    for number, document in enumerate(documents[1:], 1):
        others = documents[:number] + documents[number + 1 :]
        fault = _fault(document, documents[0], asks)
        if not fault and topical and _is_unrelated(document, others):
            fault = "seems to be about something else: check that it stands beside the right question."
        if fault:
            name = "The reference" if len(documents) == 2 else f"Reference {number}"
            yield f"{name} {fault}"


def _fault(reference: Document, question: Document, asks: Sequence[str]) -> str:
    """What is wrong with a reference, to be read after "the reference"; empty where nothing is."""
    text = reference.text.strip()
    letters = re.sub(r"\W|_", "", text)
    explains = question_type(question.text) != "what" and not any(map(A_NUMBER.match, asks))
    if not letters or (explains and len(letters) <= 3 and not letters.isdigit() and not _has_choice(asks)):
        return "is too short to compare answers with: write the answer as a full sentence."
    if _VARIES.search(text):
        return "does not say what is right: write out one good answer, and others as further references."
    if _RUBRIC.search(text):
        return "tells how to mark instead of answering: write it as a pupil would answer."
    if _repeats(reference, question) and not _has_choice(asks):
        return "only repeats the question: add what the answer should say."
    if any(map(A_NUMBER.match, asks)) and not (_COUNTS.search(text) or reference.quantities):
        return "has no number, though the question asks for one: add it."
    if len(asks) == 1 and YES_OR_NO.match(asks[0]) and not _settles(reference, question):
        return "says neither yes nor no, though the question asks for it: begin with one of them."
    return ""


def _has_choice(asks: Sequence[str]) -> bool:
    return any(_CHOICE.search(ask) or YES_OR_NO.match(ask) for ask in asks)


def _repeats(reference: Document, question: Document) -> bool:
    """Whether a reference has most words of its question and adds none, not even a "not"."""
    asked = {token.lemma.lower() for token in question.tokens}
    words = {token.lemma.lower() for token in reference.tokens if token.pos not in _EMPTY_WORDS}
    topic = {token.lemma.lower() for token in question.content_words} - _ASKING_WORDS
    same_negation = bool(reference.negations) == bool(question.negations)
    return bool(words) and words <= asked and 2 * len(words & topic) > len(topic) and same_negation


def _settles(reference: Document, question: Document) -> bool:
    """Whether a reference says yes or no in some way; to say again what is asked is to say yes."""
    if _DECIDES.search(reference.text):
        return True
    roots = {token.lemma.lower() for token in question.tokens if token.relation == "root"}
    return not roots.isdisjoint(token.lemma.lower() for token in reference.tokens)


def _is_unrelated(reference: Document, others: Sequence[Document]) -> bool:
    """Whether a reference has no word in common with the rest, none related in WordNet, and another topic."""
    sides = [reference.content_words, [token for other in others for token in other.content_words]]
    # What a name stands for is not in the books: "the First World War" and its alliances share no passage.
    if any(token.pos == "PROPN" and token.text[0].isupper() for side in sides for token in side):
        return False
    words, topic = ({(t.lemma.lower(), t.wordnet_letter) for t in side if t.wordnet_letter} for side in sides)
    lemmas, rest = (sorted({lemma for lemma, _ in side}) for side in (words, topic))
    known = lsa()
    enough = min(sum(known.vocabulary.row(lemma) >= 0 for lemma in side) for side in (lemmas, rest))
    if enough < _ENOUGH_WORDS or not set(lemmas).isdisjoint(rest):
        return False
    if known.similarity(lemmas, rest) >= _UNRELATED:
        return False
    return not any(word_relation(word, other) for word in words for other in topic)
