"""What "it", "they" and "this" stand for: a thing named before, or what the question asks about.

No network decides: the subject of the clause before, of the right number, is right most often. A pronoun
whose thing is named within the same statement stays; where nothing fits, it stays as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from postil.language.document import Document, Token
from postil.language.drafts import Draft, word_set
from postil.language.words.wordnet import wordnet

_SINGULAR, _PLURAL, _HE, _SHE = "singular", "plural", "he", "she"
_STANDS_FOR = {
    "it": _SINGULAR, "its": _SINGULAR, "itself": "", "they": _PLURAL, "them": _PLURAL, "their": _PLURAL,
    "he": _HE, "him": _HE, "his": _HE, "she": _SHE, "her": _SHE, "this": _SINGULAR, "these": _PLURAL,
    "theirs": "", "that": _SINGULAR, "those": _PLURAL,
}  # fmt: skip
_POINTING = frozenset(("this", "these", "that", "those"))
_OWNING = frozenset(("its", "their", "his", "her"))
_NO_THING = word_set(
    "thing way one lot kind type reason example part case fact order time use result something "
    "advantage disadvantage difference purpose benefit question answer"
)
_WOMEN = word_set(
    "woman girl lady mother wife sister daughter aunt grandmother queen princess mistress maiden "
    "maid witch widow "
    "bride niece goddess stepmother duchess empress nun waitress actress heroine mom mum hen cow"
)
_MEN = word_set(
    "man boy gentleman father husband brother son uncle grandfather king prince knight lord widower "
    "groom nephew "
    "god stepfather duke emperor monk waiter fisherman hunter dad wizard rooster bull"
)
_SUBJECTS = ("nsubj", "nsubj:pass", "csubj")
_QUOTED = re.compile(r"^(?:What|Who|How|Why)\b[^\"“]{0,30}[\"“]([\w -]{3,40})[\"”]")
_LONGEST = 8  # words of a name


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that a text names: its words, as text and as lemmas, its number and its place in the clause."""

    text: str
    words: frozenset[str]
    plural: bool
    person: bool
    gender: str  # he or she where the noun tells
    subject: bool
    main: bool  # of a sentence's main clause
    sentence: int
    index: int


def mentions_of(document: Document) -> list[Mention]:
    """The things that a text names, in order."""
    kids: dict[int, list[int]] = {}
    for token in document.tokens:
        if token.head != token.index:
            kids.setdefault(token.head, []).append(token.index)
    sentence_of = {i: n for n, span in enumerate(document.sentences) for i in range(span.start, span.end)}
    mentions = [
        mention
        for token in document.tokens
        if (token.pos in ("NOUN", "PROPN") or (token.tag == "VBG" and token.relation in ("nsubj", "csubj")))
        and token.relation.split(":")[0] not in ("compound", "flat", "fixed")
        for mention in _mention(document, token, kids, sentence_of[token.index])
    ]
    # What a question puts in quotation marks is what it asks about: What is "frame bursting"?
    quoted = _QUOTED.search(document.text)
    if quoted and "?" in document.text:
        words = frozenset(quoted[1].lower().split())
        mentions.insert(0, Mention(quoted[1], words, quoted[1].endswith("s"), False, "", True, True, 99, 0))
    return mentions


def _mention(document: Document, noun: Token, kids: dict[int, list[int]], sentence: int) -> Iterator[Mention]:
    tokens, lemma = document.tokens, noun.lemma.lower()
    if lemma in _NO_THING or not noun.text[0].isalnum():
        return
    members = _members(tokens, noun.index, kids)
    if noun.pos == "VERB":
        members = sorted(
            {*members, *(kid for kid in kids.get(noun.index, ()) if tokens[kid].relation == "obj")}
        )
    joined = [
        kid
        for kid in kids.get(noun.index, ())
        if tokens[kid].relation == "conj" and tokens[kid].pos in ("NOUN", "PROPN")
    ]
    conjunctions = {
        tokens[cc].text.lower() for kid in joined for cc in kids.get(kid, ()) if tokens[cc].relation == "cc"
    }
    relation = noun.relation.split(":")[0]
    relation = "nsubj" if relation == "csubj" else relation
    main = relation == "nsubj" and tokens[noun.head].relation in ("root", "parataxis", "conj")
    person = _is_person(noun)
    gender = _SHE if lemma in _WOMEN else _HE if lemma in _MEN else ""
    helping = [
        tokens[kid].text.lower()
        for kid in [noun.head, *kids.get(noun.head, ())]
        if tokens[kid].pos in ("AUX", "VERB")
    ]
    plural = noun.tag in ("NNS", "NNPS") or (
        relation == "nsubj" and bool({"are", "were"} & set(helping)) and not joined
    )
    words = frozenset(tokens[i].lemma.lower() for i in members if tokens[i].is_content)
    text = _text(document, members)
    if len(text) > 1:
        yield Mention(
            text,
            words,
            plural,
            person,
            gender,
            subject=relation == "nsubj",
            main=main,
            sentence=sentence,
            index=noun.index,
        )
    if joined and conjunctions == {"and"}:
        every = sorted({*members, *(i for kid in joined for i in _members(tokens, kid, kids, joined=True))})
        if text := _text(document, range(every[0], every[-1] + 1)):
            yield Mention(
                text,
                frozenset(tokens[i].lemma.lower() for i in every if tokens[i].is_content),
                True,
                person,
                "",
                subject=relation == "nsubj",
                main=main,
                sentence=sentence,
                index=noun.index,
            )


def _members(
    tokens: Sequence[Token], noun: int, kids: dict[int, list[int]], *, joined: bool = False
) -> list[int]:
    """The words that name a thing: without clauses, lists, asides and long phrases after it."""
    members, waiting = {noun}, [noun]
    inside = {"det", "amod", "compound", "nummod", "flat", "nmod", "case", "fixed", "goeswith"} | (
        {"cc"} if joined else set()
    )
    while waiting:
        above = waiting.pop()
        for kid in kids.get(above, ()):
            token = tokens[kid]
            relation = token.relation.split(":")[0]
            if (
                relation == "nmod"
                and token.relation == "nmod"
                and not any(tokens[k].text.lower() == "of" for k in kids.get(kid, ()))
            ):
                continue
            if relation in inside and not (relation == "case" and above == noun):
                if relation == "amod" and kid > above:
                    continue
                members.add(kid)
                waiting.append(kid)
    return sorted(members)


def _text(document: Document, members: Iterable[int]) -> str:
    """The name as it is said again: with "the" instead of "a"."""
    order = [i for i in members if document.tokens[i].tag != "PDT"]
    first = document.tokens[order[0]]
    if len(order) > _LONGEST or any(document.tokens[i].pos == "PRON" and i != order[0] for i in order):
        return ""
    if first.pos == "PRON" or first.text.lower() in ("what", "which", "whose", "no", "how"):
        return ""
    words = ""
    for before, index in zip([None, *order], order, strict=False):
        token = document.tokens[index]
        gap = before is None or token.start > document.tokens[before].end or index > before + 1
        words += (" " if gap else "") + token.text
    words = words.strip()
    low = first.text.lower()
    if low in (
        "a",
        "an",
        "another",
        "each",
        "every",
        "this",
        "these",
        "that",
        "those",
        "some",
        "any",
        "either",
    ):
        words = f"the {words[len(low) :].strip()}"
    elif first.text[:1].isupper() and first.pos != "PROPN" and first.text[1:].islower():
        words = words[:1].lower() + words[1:]
    return words


def _is_person(noun: Token) -> bool:
    if noun.pos == "PROPN" and noun.tag == "NNP" and noun.text[1:].islower() and len(noun.text) > 1:
        return True
    wn = wordnet()
    waiting, person = list(wn.synsets(noun.lemma.lower(), "n")[:1]), wn.find("person.n.01")
    for _ in range(20):
        if not waiting:
            return False
        synset = waiting.pop()
        if synset == person:
            return True
        waiting += wn.hypernyms(synset)
    return False


def topic_of(question: Document | None) -> list[Mention]:
    """What a question asks about: the subject of its last sentence that has one, then other things in it."""
    if question is None:
        return []
    mentions = mentions_of(question)
    return sorted(mentions, key=_prominence)


def _prominence(mention: Mention) -> tuple[int, bool, bool, int, int]:
    return -mention.sentence, not mention.main, not mention.subject, mention.index, -len(mention.words)


def resolved(
    draft: Draft, before: Sequence[Mention], topic: Sequence[Mention]
) -> tuple[Draft, bool, list[Mention]]:
    """The statement with names for its pronouns, whether one of them stays open, and the things named.

    `before` are the things named earlier, the latest first.
    """
    words: dict[int, str] = {}
    named: set[str] = set()
    things: list[Mention] = []
    is_open = False
    for index in draft.order:
        low = draft.low(index)
        number = _STANDS_FOR.get(low, "")
        if index in draft.words or not number or number in named or not _is_reference(draft, index, low):
            continue
        if low in _POINTING:
            is_open = True
            continue
        if _named_within(draft, index, number):
            continue
        earlier = [mention for mention in before if mention.sentence < 0 or mention.index < index]
        mention = _antecedent(draft, index, number, earlier, topic)
        if mention is None:
            is_open = True
            continue
        if not draft.has_subject(draft.root) and topic and mention == topic[0]:
            continue  # this will be the subject of the fragment
        ending = "'" if mention.plural and mention.text.endswith("s") else "'s"
        owns = low in _OWNING and draft.tokens[index].tag == "PRP$"
        words[index] = mention.text + ending if owns else mention.text
        named.add(number)
        things.append(replace(mention, subject=True, sentence=-1))
    return (draft.said(words) if words else draft), is_open, things


def _named_within(draft: Draft, index: int, number: str) -> bool:
    """Whether the statement itself names what a pronoun in it may stand for."""
    nouns = [
        i
        for i in draft.order
        if draft.tokens[i].pos in ("NOUN", "PROPN") and _fits_token(draft.tokens[i], number)
    ]
    verb = draft.heads[index]
    if number == _PLURAL:
        subjects = [
            i
            for i in draft.order
            if i < index
            and draft.relations[i].startswith("nsubj")
            and draft.tokens[i].pos in ("NOUN", "PROPN")
        ]
        if len(subjects) > 1:
            return True
    for noun in nouns:
        if noun == verb or draft.relations[noun] == "conj" or len(draft.tokens[noun].text) < 2:
            continue  # "his friend": not the friend himself
        is_subject = draft.relations[noun].startswith("nsubj")
        if noun > index:
            # "When it melts, the ice …"
            if (
                is_subject
                and draft.heads[noun] == draft.root
                and verb != draft.root
                and index < draft.heads[noun]
            ):
                return True
        elif not (is_subject and draft.heads[noun] == verb and draft.low(index) not in _OWNING):
            return True
    return False


def _fits_token(token: Token, number: str) -> bool:
    plural = token.tag in ("NNS", "NNPS")
    return plural if number == _PLURAL else not plural


def _is_reference(draft: Draft, index: int, low: str) -> bool:
    """Whether a pronoun stands for something: not "it is likely that", not "this" before a noun."""
    relation = draft.relations[index].split(":")[0]
    if low in _POINTING:
        return (
            relation in ("nsubj", "obj", "obl")
            and draft.tokens[index].pos in ("PRON", "DET")
            and draft.tokens[index].tag == "DT"
        )
    if relation == "expl":
        return False
    if low == "it" and relation == "nsubj":
        verb = draft.heads[index]
        extraposed = [
            k
            for k in draft.kids[verb]
            if k > verb and draft.relations[k] in ("csubj", "ccomp", "advcl", "xcomp", "csubj:outer")
        ]
        marks = {draft.low(mark) for kid in extraposed for mark in draft.below(kid, "mark")}
        light = draft.below(verb, "cop") or draft.tokens[verb].lemma in (
            "be",
            "take",
            "seem",
            "appear",
            "help",
            "make",
            "mean",
        )
        if light and marks & {"that", "to", "for", "whether", "if"} and not (marks <= {"if"}):
            return draft.tokens[verb].lemma in ("help", "make")
    return True


def _antecedent(
    draft: Draft, index: int, number: str, before: Sequence[Mention], topic: Sequence[Mention]
) -> Mention | None:
    """The subject of the clause before, or else what the question asks about, or else the latest thing."""

    def fits(mention: Mention) -> bool:
        if number in (_HE, _SHE):
            return mention.person and not mention.plural and mention.gender in (number, "")
        if number == _PLURAL:
            return mention.plural
        return not mention.plural and not mention.person

    owns = draft.low(index) in _OWNING
    same = {
        i
        for i in draft.order
        if draft.relations[i].startswith("nsubj") and draft.heads[i] == draft.heads[index]
    }
    recent = [m for m in before if fits(m) and (owns or m.sentence < 0 or m.index not in same)]
    subjects = [mention for mention in recent if mention.subject]
    asked = [mention for mention in topic if fits(mention)]
    if len({mention.text.lower() for mention in asked}) > 1:
        asked = [mention for mention in asked if mention.subject]
    if number in (_HE, _SHE) and len({m.text.lower() for m in asked}) > 1 and not asked[0].main:
        asked = []  # the question has two people to choose from
    # "Calculate the value and compare it": as an object it is more often the object before.
    is_object = draft.relations[index].split(":")[0] in ("obj", "obl", "iobj")
    here = [m for m in recent if m.sentence >= 0 and not m.subject] if is_object else []
    mention = next(iter(here or subjects or asked or recent), None)
    # "Frame" for "frame bursting", where the question puts the longer name first.
    longer = mention and topic and topic[0].text.lower().startswith(mention.text.lower())
    return topic[0] if longer and fits(topic[0]) else mention
