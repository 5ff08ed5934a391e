"""A reference as the small statements that a grader would tick.

>>> from postil.language.pipeline import analyse
>>> for claim in claims_of(analyse("It is less dense than water. A fruit has seeds and a skin."),
...                        analyse("Why does ice float?")):
...     print(claim.text)
ice is less dense than water
a fruit has seeds
a fruit has a skin
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from postil.data.questions import Claim
from postil.language.clauses import drafts_of
from postil.language.document import Document, Span
from postil.language.drafts import Draft, word_set
from postil.language.fragments import ASKING, AUXILIARIES, BAD_END, LONGEST, answered, completed, repeats
from postil.language.lists import alternatives
from postil.language.outline import (
    BRACKETS,
    Part,
    asked_for,
    is_example,
    is_step,
    leading,
    parts_of,
    restates,
)
from postil.language.pipeline import documents_of
from postil.language.pronouns import Mention, mentions_of, resolved, topic_of
from postil.language.wording import label_in_text, text_of

MOST_CLAIMS = 20  # as many as a rubric may have items
_MOST_WORDS = 1500  # of a reference that are read
_SHORT_REPLY = 5
_YES_OR_NO = re.compile(r"^\W*(yes|no)\b[\s,.:;!–-]*", re.I)
_EXAMPLES = re.compile(r"\((?:e\.?\s?g\.?|for example|for instance|such as|see)\b[^()]{0,300}\)", re.I)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # a capital letter within a sentence
_SHORTENED = re.compile(r"\b(?:etc|e\.g|i\.e|vs|approx|resp|fig|no|[A-Za-z])\.\s*$")
_NOT_NEEDED = re.compile(
    r"\b(?:not|n't|n’t) (?:have|need|required?) to (?:mention|say|state|write|give|include)\b", re.I
)
_FOLLOWS = re.compile(r"(?:this|these|here|in this)\b", re.I)
_LIGHT = word_set(
    "a an the is are was were be been there it they this that these those of in on at to for from by with "
    "and has have had do does did will would can could its their his her as so than then first second third"
)
_BAD_START = re.compile(
    r"\(|i\.e\.|(?:even|not only|does|do|did|of|which|whose|who|whom|and|or|than|is|are|was|were|be|'s)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Segment:
    """A stretch of the reference that is analysed by itself: its part, its document, and where it begins."""

    part: Part
    document: Document
    start: int


@dataclass(frozen=True, slots=True)
class _Saying:
    """A claim before it is counted: its text, its characters in the reference, the sentence it is from."""

    text: str
    places: tuple[int, ...]  # of its tokens
    part: Part
    sentence: tuple[int, int]
    required: bool = True
    draft: Draft | None = None


def claims_of(reference: Document, question: Document | None = None) -> tuple[Claim, ...]:
    """The claims of a reference, in order, each a statement that can be understood by itself.

    With the question, pronouns and fragments are put in its light: "it is less dense" is "ice is less dense".
    """
    asked = question if question is not None and question.tokens else None
    sayings = _fitting(_grouped(_joined(_sayings(reference, asked)), asked))
    sayings = _less_what_is_given(sayings, asked) if asked else sayings
    shares = Counter(saying.part.start for saying in sayings)
    return tuple(
        Claim(
            f"p{number}",
            saying.text,
            _tokens(reference, saying.places),
            saying.part.weight / shares[saying.part.start] or 1.0,
            saying.required,
            saying.part.group,
            saying.part.needed,
        )
        for number, saying in enumerate(sayings, 1)
    )


def _joined(sayings: list[_Saying]) -> list[_Saying]:
    """What is no thing of its own among "to …", "to …" belongs to the one before it."""
    aims = [saying.text.lower().startswith("to ") for saying in sayings]
    joined: list[_Saying] = []
    for saying, is_aim in zip(sayings, aims, strict=True):
        verbs = saying.draft and any(
            saying.draft.tokens[i].pos in ("VERB", "AUX") for i in saying.draft.order
        )
        if joined and sum(aims) > 2 and not is_aim and not verbs and saying.text != "yes":
            last = joined[-1]
            text = f"{last.text}: {saying.text[:1].lower()}{saying.text[1:]}"
            joined[-1] = replace(last, text=text, places=(*last.places, *saying.places))
        else:
            joined.append(saying)
    return joined


def _less_what_is_given(sayings: list[_Saying], question: Document) -> list[_Saying]:
    """What only repeats the question is optional, where something else says more."""
    opening = question.tokens[0].text.lower()
    asks = {token.text.lower() for token in question.tokens} & ASKING
    if not asks or opening in AUXILIARIES or re.search(r"\b(?:or|which|true|false)\b", question.text, re.I):
        return sayings
    given = {_stem(token.text) for token in question.tokens}
    repeated = [
        saying.required
        and not saying.part.group
        and bool(saying.draft and saying.draft.has_subject(saying.draft.root))
        and not re.search(r"\b(?:not|no|never|only)\b|n't", saying.text)
        and _content(saying.text) <= given
        for saying in sayings
    ]
    news = any(not r and s.required for r, s in zip(repeated, sayings, strict=True))
    return [
        replace(saying, required=False) if news and echo else saying
        for saying, echo in zip(sayings, repeated, strict=True)
    ]


def _stem(word: str) -> str:
    word = word.lower()
    return re.sub(r"(?:ed|ing|es|s|e)$", "", word) if len(word) > 3 and word.isalpha() else word


def _content(text: str) -> set[str]:
    """The words of a claim that say something: no function words, no "1st" or "second"."""
    words = re.findall(r"[A-Za-z]+|\d+(?:[.,]\d+)*(?![a-z\d])", re.sub(r"\b\d+(?:st|nd|rd|th)\b", " ", text))
    return {_stem(word) for word in words if word.lower() not in _LIGHT}


def _grouped(sayings: list[_Saying], question: Document | None) -> list[_Saying]:
    """Fragments are alternatives where the question asks for fewer; if all are examples, none is optional."""
    needed = asked_for(question.text) if question else 0
    fragments = all(s.draft is not None and _is_item(s.draft) for s in sayings)
    if 0 < needed < len(sayings) and fragments and not any(s.part.group or s.part.item for s in sayings):
        sayings = [replace(s, part=replace(s.part, group="g1", needed=needed)) for s in sayings]
    if not any(saying.required for saying in sayings):
        sayings = [replace(saying, required=True) for saying in sayings]
    names = {
        name: f"g{n}"
        for n, name in enumerate(dict.fromkeys(s.part.group for s in sayings if s.part.group), 1)
    }
    return [replace(s, part=replace(s.part, group=names.get(s.part.group, ""))) for s in sayings]


def _is_item(draft: Draft) -> bool:
    """Whether a fragment may stand in a list: no sentence, and no command."""
    is_command = draft.tokens[draft.root].tag == "VB" and not draft.below(draft.root, "mark")
    return not draft.has_subject(draft.root) and not is_command


def _fitting(sayings: list[_Saying]) -> list[_Saying]:
    """At most as many as a rubric may have: examples go first, then sentences stay whole."""
    distinct = {saying.text.lower(): saying for saying in reversed(sayings)}
    kept = [saying for saying in sayings if distinct[saying.text.lower()] is saying]
    if len(kept) > MOST_CLAIMS:
        kept = [saying for saying in kept if saying.required or saying.part.group] or kept
    return kept[:MOST_CLAIMS]


def _tokens(reference: Document, places: Iterable[int]) -> tuple[int, ...]:
    """The tokens of the reference at these characters."""
    starts = [token.start for token in reference.tokens]
    found = {bisect_right(starts, place) - 1 for place in places}
    return tuple(sorted(index for index in found if index >= 0))


def _segments(reference: Document, question: str) -> Iterator[_Segment]:
    """The parts of a reference, analysed."""
    text = reference.text
    cut = reference.tokens[_MOST_WORDS].start if len(reference.tokens) > _MOST_WORDS else len(text)
    parts = parts_of(text[:cut], question)
    pieces: list[tuple[Part, str]] = []
    for part in parts:
        pieces.append((part, _EXAMPLES.sub(lambda match: " " * len(match[0]), part.text)))
    documents = documents_of(plain.strip() for _, plain in pieces)
    for part, plain in pieces:
        stripped = plain.strip()
        if any(map(str.isalnum, stripped)):
            document = reference if stripped == text else documents[stripped]
            yield _Segment(part, document, part.start + len(plain) - len(plain.lstrip()))


def _sentences(document: Document) -> list[Span]:
    """The sentences of a text, less those that begin in the middle of something: brackets, a calculation."""
    sentences: list[Span] = []
    brackets = [(match.start(), match.end()) for match in BRACKETS.finditer(document.text)]
    if document.text.count("=") > 2 and ";" in document.text:
        return [Span(0, len(document.tokens))]
    for sentence in document.sentences:
        first = document.tokens[sentence.start]
        before = document.text[: first.start].rstrip().rstrip("\"'”’)")
        begins = first.text[0].isupper() and len(first.text) > 1 and first.pos not in ("PROPN", "SYM", "X")
        shortened = _SHORTENED.search(document.text[: first.start]) and not first.text[0].isupper()
        inside = any(start < first.start < end for start, end in brackets)
        unfinished = BAD_END.search(document.text[: first.start].rstrip()) and before[-1:].isalnum()
        if sentences and (
            inside or unfinished or shortened or (before[-1:] not in (".", "!", "?", ";", ":") and not begins)
        ):
            sentences[-1] = Span(sentences[-1].start, sentence.end)
        else:
            sentences.append(sentence)
    return sentences


def _sayings(reference: Document, question: Document | None) -> list[_Saying]:
    asked = question.text if question else ""
    topic = topic_of(question)
    names = frozenset(_NAME.findall(f"{asked} | {reference.text}"))
    before: list[Mention] = []
    spoken: list[_Saying] = []
    said: list[_Saying] = []
    for number, segment in enumerate(_segments(reference, asked)):
        mentions = mentions_of(segment.document)
        for order, sentence in enumerate(_sentences(segment.document)):
            here = [m for m in mentions if sentence.start <= m.index < sentence.end]
            context = _Context(here, before, topic, spoken, names, [])
            last = said[-1] if said and said[-1].part.start == segment.part.start else None
            if said and not segment.part.item and not order:
                last = said[-1]
            if last and restates(segment.document.text_of(sentence)):
                said[-1] = _with(said[-1], segment, sentence)
                continue
            sayings = list(_of_sentence(segment, sentence, (number, order), question, context))
            follows = _FOLLOWS.match(segment.document.text_of(sentence))
            if last and order and follows and not last.required and not last.part.group:
                sayings = [replace(saying, required=False) for saying in sayings]  # of an example
            spoken = sayings or spoken
            for saying in sayings:
                if (
                    last
                    and not saying.required
                    and saying.text.lower().startswith(f"{last.text.lower()}, which")
                ):
                    said[-1] = replace(last, text=saying.text, places=(*last.places, *saying.places))
                else:
                    said.append(saying)
            latest = sorted((replace(m, sentence=-1) for m in reversed(here)), key=lambda m: not m.main)
            before = [*context.named, *latest, *before[:40]]
    return said


def _with(saying: _Saying, segment: _Segment, sentence: Span) -> _Saying:
    """A claim with a sentence that says it again: "…; in other words, it floats"."""
    document = segment.document
    words = document.text_of(sentence).strip().rstrip(".")
    places = tuple(
        segment.start + token.start for token in document.words(sentence) if token.text[0].isalnum()
    )
    text = f"{saying.text}; {words[:1].lower()}{words[1:]}"
    return replace(saying, text=text, places=(*saying.places, *places))


@dataclass(frozen=True, slots=True)
class _Context:
    """What a sentence can refer to: things named in it and before it, the question's, what was said last."""

    here: Sequence[Mention]
    before: Sequence[Mention]
    topic: Sequence[Mention]
    spoken: Sequence[_Saying]
    names: frozenset[str]
    named: list[Mention]  # what pronouns in it stood for

    @property
    def mentions(self) -> list[Mention]:
        return [*reversed(self.here), *self.before]


def _of_sentence(
    segment: _Segment, sentence: Span, place: tuple[int, int], question: Document | None, context: _Context
) -> Iterator[_Saying]:
    """The claims of a sentence: whole where it is one of several that suffice, else taken apart."""
    document, part = segment.document, segment.part
    tokens = document.words(sentence)
    if not any(token.text[0].isalnum() for token in tokens):
        return
    text = document.text_of(sentence)
    example, gone = is_example(text), leading(text) or restates(text)
    required = part.required and not example
    gone = example or gone
    reply = _YES_OR_NO.match(text)
    if reply and tokens[0].tag != "DT":
        whole = answered(question, reply[1].lower()) if question else ""
        rest = any(map(str.isalnum, text[reply.end() :]))
        if whole and rest and repeats(text[reply.end() :], whole):
            whole = ""
        if whole or not rest:
            yield _Saying(
                whole or reply[1].lower(), (segment.start + tokens[0].start,), part, place, required
            )
        gone = reply.end()
    offset = tokens[0].start + gone
    kept = [token.index for token in tokens if token.start >= offset]
    if not any(document.tokens[i].text[0].isalnum() for i in kept) or text.rstrip().endswith("?"):
        return
    if _NOT_NEEDED.search(text):
        return
    if text.rstrip().endswith(":") and len(kept) <= LONGEST:
        return  # a heading without anything below it
    grouped = bool(part.group) or bool(re.match(r"(?:if|when)\b", part.label, re.I))
    drafts = _drafts(document, sentence, kept, whole=grouped)
    if len(drafts) > 1 and not all(_is_sound(text_of(draft), text) for draft in drafts):
        drafts = _drafts(document, sentence, kept, whole=True)
    if part.group and place[1]:
        part, required, grouped = replace(part, group="", needed=0), False, False
    options = alternatives(drafts[0]) if len(drafts) == 1 and not grouped else drafts
    if len(options) > 1 and len(drafts) == 1:
        part, drafts = replace(part, group=f"o{place[0]}.{place[1]}", needed=1), options
    for draft in drafts:
        words = _said(draft, segment, question, context)
        if words and any(map(str.isalnum, words)):
            places = tuple(
                segment.start + document.tokens[i].start
                for i in draft.order
                if document.tokens[i].text[0].isalnum()
            )
            saying = _Saying(_labelled(words, part, place[1]), places, part, place, required, draft)
            context = replace(context, spoken=[saying])
            yield saying


def _is_sound(words: str, sentence: str) -> bool:
    """Whether a statement begins and ends as one may; not as "air rises over the mountains, cools" does."""
    tail = re.search(r", (\w+)$", words)
    cut = tail and tail[1] not in ("too", "either", "though") and not sentence.rstrip(" .!").endswith(tail[1])
    return not (cut or _BAD_START.match(words) or BAD_END.search(words))


def _labelled(words: str, part: Part, order: int) -> str:
    """A claim with the heading above it, unless it has its words."""
    label = part.label.strip()
    if not label or (order and not part.headed) or label.lower() in words.lower():
        return words
    if re.match(r"(?:if|when)\b", label, re.I):
        return f"{label[:1].lower()}{label[1:]} {words}"
    words = re.sub(r"^(?:instead(?! of\b)|additionally|furthermore|moreover),? ", "", words, flags=re.I)
    return f"{label_in_text(label)}: {words}"


def _drafts(document: Document, sentence: Span, kept: Sequence[int], *, whole: bool) -> list[Draft]:
    if len(kept) < sentence.end - sentence.start:
        text = document.text[document.tokens[kept[0]].start : document.tokens[kept[-1]].end]
        shift = kept[0]
        inner = documents_of([text])[text]
        if [t.text for t in inner.tokens] == [document.tokens[i].text for i in kept] and len(
            inner.sentences
        ) == 1:
            tokens = list(document.tokens)
            for token in inner.tokens:
                tokens[token.index + shift] = replace(
                    token,
                    index=token.index + shift,
                    head=token.head + shift,
                    start=document.tokens[token.index + shift].start,
                )
            document = replace(document, tokens=tuple(tokens))
        sentence = Span(kept[0], kept[-1] + 1)
    drafts = drafts_of(document, sentence)
    if whole and len(drafts) > 1:
        heads = {i: document.tokens[i].head for i in kept}
        root = next((i for i in kept if heads[i] == i or heads[i] not in heads), kept[0])
        heads = {i: (head if head in heads and i != root else root) for i, head in heads.items()}
        return [Draft(document.tokens, heads, {i: document.tokens[i].relation for i in kept})]
    return drafts


def _said(draft: Draft, segment: _Segment, question: Document | None, context: _Context) -> str:
    """A statement in words: pronouns named, fragments completed."""
    # One of several things to say, or what stands under a heading, goes on from the question.
    mentions = list(reversed(context.here)) if segment.part.group and context.topic else context.mentions
    is_command = draft.tokens[draft.root].tag == "VB" and not draft.has_subject(draft.root)
    # "Click on the slide. Drag it": which of several things is meant is seldom sure in a command.
    named, is_open, things = (draft, True, []) if is_command else resolved(draft, mentions, context.topic)
    context.named.extend(thing for thing in things if thing not in context.named)
    root = draft.root
    if is_open and context.spoken and (first := _this(named)) is not None:
        last = context.spoken[-1].text
        if len(last.split()) <= 30 and ", which" not in last:
            return f"{last}, which {text_of(named.without({first}))}"
    words = text_of(named, context.names)
    if draft.has_subject(root) or not words:
        return words
    first = next(i for i in draft.order if draft.tokens[i].text[0].isalnum())
    if (
        draft.tokens[root].pos not in ("VERB", "AUX")
        and first not in named.words
        and words[:1] == draft.low(first)[:1]
    ):
        is_title = bool(re.match(r"\w+ [A-Z][a-z]", words)) and not re.match(r"(?:the|an?) ", words, re.I)
        is_title = is_title or bool(re.match(r"an? [A-Z][a-z]+ (?:of|[A-Z])", words))
        if (draft.tokens[first].is_content or is_title) and not is_step(draft.tokens[first].text):
            words = draft.tokens[first].text[:1] + words[1:]  # a fragment may be a name
    return (
        completed(
            named,
            words,
            question,
            context.topic,
            context.before,
            alone=_is_alone(segment, draft),
            label=segment.part.label,
        )
        or words
    )


def _is_alone(segment: _Segment, draft: Draft) -> bool:
    """Whether a fragment is all that the reference says, or a short reply before the rest."""
    document, part = segment.document, segment.part
    first = document.sentences[0]
    opens = draft.order[0] < first.end and (len(document.sentences) == 1 or first.end <= _SHORT_REPLY)
    return opens and not part.label and not part.item and not segment.start


def _this(draft: Draft) -> int | None:
    """The "this" that is a statement's whole subject and stands first in it."""
    subjects = [
        i for i in draft.below(draft.root, "nsubj") if draft.low(i) in ("this", "that") and not draft.kids[i]
    ]
    first = next(i for i in draft.order if draft.tokens[i].text[0].isalnum())
    return first if subjects == [first] and draft.is_finite(draft.root) else None
