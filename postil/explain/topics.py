"""What a missing idea is about, and the one question to a pupil that leads to it and gives nothing away.

A hint is made of words that the pupil has in view, in the question or in the answer, and of a few that say
nothing about the matter. It names the missing idea by what it is about.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from postil.explain.clauses import Tree, predicate_over
from postil.explain.hints import Asking, IndirectQuestion, question_for
from postil.explain.phrases import (
    article,
    base,
    carries_meaning,
    forms_in,
    is_kind,
    is_label,
    is_proper,
    is_punctuation,
    lemma,
    negation_cues,
    wordset,
)
from postil.explain.wording import Kind, Statement
from postil.grading.asks import find_asks
from postil.language.document import Document, Token

# Nouns that are about the answer or stand for anything: asking about them leads nowhere.
_NO_TOPICS = wordset(
    "answer question example reason sentence explanation statement explain kind sort type way thing one lot"
    " bit part word time case number amount name term following something anything everything someone step"
    " difference purpose use idea information fact result effect cause point order property sequence"
)
# Verbs that tell what one thing does to another.
_EFFECTS = wordset(
    "affect change cause increase decrease raise lower reduce heat warm cool melt move push pull attract"
    " repel break block stop prevent protect slow speed strengthen weaken control influence damage dissolve"
)
# Verbs that tell what becomes of something.
_CHANGES = wordset(
    "evaporate melt freeze boil condense dissolve expand contract shrink grow rise fall sink increase"
    " decrease change move turn burn rust rot die cool warm heat break stop disappear spread float settle"
    " separate vanish drop bend stretch swell harden soften dry decay explode"
    " collapse accelerate germinate ripen"
)
# To say that a question asks for one of these leads nowhere either.
_NO_THINGS = _NO_TOPICS | wordset("requirement condition role advantage disadvantage conclusion argument")
_ASKING = frozenset(("WDT", "WP", "WRB", "WP$"))
_TELLING = wordset("must may might should cannot never not always only no without more less than")
_CAUSES = wordset("because since due so therefore")
_COMPARED = frozenset(("JJR", "RBR"))
_PRONOUNS = wordset("you we i it he she they there")
_LEAST_SHARED = 2  # words that a part of the question shares with what is missing, to be named


@dataclass(frozen=True, slots=True)
class View:
    """What a pupil has in view: the question, if it is known, and the own answer."""

    question: Document | None
    answer: Document

    @property
    def texts(self) -> tuple[Document, ...]:
        """The texts, the question first."""
        return (self.answer,) if self.question is None else (self.question, self.answer)


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that a claim is about and the pupil has in view: a phrase and its noun in the claim."""

    words: str
    token: Token
    in_answer: bool


def leading_question(claim: Sequence[Token], tree: Tree, view: View, *, said: bool = False) -> Statement:
    """The question that leads to a claim, or to some words of one, in the tree of the text that makes it.

    `said` tells that the answer says something else already, so that more can be asked for.
    """
    if said and _asks_why_as_well(view):
        return Statement(Kind.WHY)
    known = set().union(*map(forms_in, view.texts))
    new = [token for token in claim if carries_meaning(token) and lemma(token) not in known]
    question = question_for(tree, new, known) if new else None
    tells = question is not None and not (set(str(question).lower().split()) & _TELLING) <= known
    if question is not None and question.is_clear and _leads(question) and not tells:
        if said and question.word is Asking.WHAT:  # something of the kind is said
            question, said = replace(question, word=Asking.WHAT_ELSE), False
        asked = _in_small_letters(str(question), view)
        return Statement(Kind.CAN_ALSO_SAY if said else Kind.CAN_SAY, (asked,))
    return _about_topics(claim, tree, view, said=said)


def _in_small_letters(words: str, view: View) -> str:
    """Words without the capitals that only begin a sentence of the answer or of the reference."""
    seen = set() if view.question is None else {token.text for token in view.question.tokens}
    return " ".join(
        word.lower() if word.istitle() and word not in seen and word != "I" and not is_proper(word) else word
        for word in words.split(" ")
    )


def _leads(question: IndirectQuestion) -> bool:
    """Whether an indirect question leads to what is missing; "what works", "what the bulb does" do not."""
    vague = question.word is Asking.WHAT and (
        question.lemmas[:1] == ("happen",)
        or "be" in question.lemmas
        or question.lemmas[-1:] in (("do",), ("like",))
        or question.rest.partition(" ")[0] in _PRONOUNS
    )
    alone = question.word in (Asking.WHAT, Asking.WHO) and " " not in question.rest
    return not (vague or alone)


def _asks_why_as_well(view: View) -> bool:
    """Whether a question asks for a thing and then for the reason, and the answer gives none."""
    if view.question is None or not forms_in(view.answer).isdisjoint(_CAUSES):
        return False
    words = view.question.text.lower().split()
    return (
        "why" in "".join(words[1:])
        and not words[0].startswith("why")
        and len(find_asks(view.question.text)) > 1
    )


def _about_topics(claim: Sequence[Token], tree: Tree, view: View, *, said: bool) -> Statement:
    """A question about what a claim is about; a general one where the pupil has nothing of it in view."""
    topics = _topics(claim, tree, view)
    fresh = [topic for topic in topics if not topic.in_answer]
    words = tuple(topic.words for topic in topics)
    if len(words) > 1 and _compares(claim):
        return Statement(Kind.COMPARE, words[:2])
    if len(topics) > 1 and _affects(topics[0], topics[1], tree):
        verb = "do" if topics[0].token.tag in ("NNS", "NNPS") else "does"
        return Statement(Kind.AFFECTS, (*words[:2], verb))
    if fresh and len(fresh) < len(topics):
        return Statement(Kind.ABOUT, (fresh[0].words,))
    joined = len(words) > 1 and topics[1].token.head == topics[0].token.index
    if joined and base(topics[1].token) == "conj":  # "the switch and the bulb"
        return Statement(Kind.ABOUT, (" and ".join(words[:2]),))
    if words:
        happens = _happens(topics[0], tree)
        more = Kind.ELSE_ABOUT if said and not fresh else Kind.ABOUT
        return Statement(Kind.HAPPENS if happens else more, words)
    part = _unanswered_part(claim, view)
    if part:
        return Statement(Kind.PART_ASKED, (f"“{part}”",))
    return Statement(Kind.READ_AGAIN)


def _compares(claim: Sequence[Token]) -> bool:
    """Whether a claim compares two things, not a thing and an amount: "less dense than water"."""
    pairs = pairwise(claim)
    than = any(lemma(token) == "than" and after.pos != "NUM" for token, after in pairs)
    return than and any(token.tag in _COMPARED for token in claim)


def _topics(claim: Sequence[Token], tree: Tree, view: View) -> list[Topic]:
    """What a claim is about in words that the pupil has in view: its subject first, then in its order."""
    seen = [[token for token in text.tokens if not is_punctuation(token)] for text in view.texts]
    known = {lemma(token) for tokens in seen for token in tokens if token.pos in ("NOUN", "PROPN")}
    pairs = {(lemma(token), lemma(after)) for tokens in seen for token, after in pairwise(tokens)}
    small = {token.text for tokens in seen for token in tokens}
    own = forms_in(view.answer)
    counted = {index for amount in tree.document.quantities for index in range(amount.start, amount.end)}
    topics: dict[str, Topic] = {}
    for token in sorted(claim, key=lambda token: not _is_subject(token)):
        noun = lemma(token)
        if token.pos not in ("NOUN", "PROPN") or token.index in counted or noun in _NO_TOPICS:
            continue
        if base(token) in ("compound", "flat", "amod") or noun not in known or len(noun) < 2:
            continue
        if "-" in {each.text for each in tree.document.tokens[max(token.index - 1, 0) : token.index + 2]}:
            continue  # "full-duplex": a part of a word
        lowered = token.text.lower()
        common = lowered in small or _in_small_letters(token.text, view) == lowered
        name = replace(token, text=lowered) if common else token
        topics.setdefault(noun, Topic(_named(tree, name, pairs), token, noun in own))
    things = [topic for topic in topics.values() if not _is_somebody(topic.token)]
    return things or list(topics.values())


def _is_somebody(token: Token) -> bool:
    """Whether a word names a person, such as the one in the story that a question tells."""
    return (token.pos == "PROPN" and not token.text.isupper()) or is_kind(token, "person.n.01")


def _affects(first: Topic, second: Topic, tree: Tree) -> bool:
    """Whether a claim tells what one thing does to another: "the sun warms the water"."""
    if first.token.relation != "nsubj":
        return False
    predicate = predicate_over(tree, first.token)
    return (
        predicate is not None
        and lemma(predicate) in _EFFECTS
        and second.token in tree.dependents(predicate, "obj")
        and not negation_cues(tree.document)
    )


def thing_asked_for(view: View) -> str:
    """The kind of thing that a question asks for: "a sport" for "in what sport", a time for "when"."""
    if view.question is None:
        return ""
    tokens = view.question.tokens
    for token, after in pairwise(tokens):
        if lemma(token) in ("which", "what") and after.tag == "NN" and lemma(after) not in _NO_THINGS:
            ends = after.index + 1 == len(tokens) or tokens[after.index + 1].pos not in (
                "NOUN",
                "PROPN",
                "ADP",
            )
            if ends and not _is_somebody(after):
                return f"{article(after.text)} {after.text}"
    first = lemma(tokens[0]) if tokens else ""
    return {"when": "a time", "where": "a place", "who": "a person"}.get(first, "")


def question_topic(view: View) -> str:
    """What the last part of a question is about, in its words: "the finger patterns"; empty if unclear."""
    if view.question is None:
        return ""
    question = view.question
    asks = find_asks(question.text)
    start = question.text.rfind(asks[-1].strip()) if asks else 0
    phrases = []
    for chunk in question.chunks:
        tokens = question.tokens[chunk.start : chunk.end]
        nouns = [token for token in tokens if token.pos == "NOUN"]
        if chunk.kind != "NP" or tokens[0].start < start or not nouns or nouns[-1] is not tokens[-1]:
            continue
        if any(token.pos in ("PRON", "CCONJ", "PUNCT", "NUM") or token.tag in _ASKING for token in tokens):
            continue
        if lemma(nouns[-1]) in _NO_TOPICS or _is_somebody(nouns[-1]):
            continue
        phrases.append(tokens)
    if not phrases:
        return ""
    best = next((tokens for tokens in phrases if _is_subject(tokens[-1])), phrases[0])
    words = " ".join(token.text for token in best if token.pos != "DET")
    return f"the {words}" if best[0].pos == "DET" or best[-1].tag == "NN" else words


def _is_subject(token: Token) -> bool:
    return base(token).startswith("nsubj")


def _named(tree: Tree, noun: Token, pairs: Collection[tuple[str, str]]) -> str:
    """A noun as something spoken of before, with those modifiers that the pupil has seen beside it.

    Other words together may give an idea away although each is known: "very different sounds".
    """
    children = tree.children[noun.index]
    after = next((child for child in children if child.index == noun.index + 1), None)
    if after is not None and (is_label(after) or after.pos == "NUM") and (lemma(noun), lemma(after)) in pairs:
        return f"{noun.text} {after.text}"  # "bulb A", "terminal 1"
    phrase = [noun]
    for child in sorted(children, key=lambda child: -child.index):
        inside = child.index < noun.index and base(child) in ("amod", "compound", "flat")
        if inside and child.index == phrase[0].index - 1 and (lemma(child), lemma(phrase[0])) in pairs:
            phrase = [child, *phrase]
    name = " ".join(token.text for token in phrase)
    article = noun.tag == "NN" or any(child.pos == "DET" and child.tag == "DT" for child in children)
    return f"the {name}" if article and noun.pos == "NOUN" else name


def _happens(topic: Topic, tree: Tree) -> bool:
    """Whether a claim tells what becomes of its subject: "the water evaporates"."""
    if topic.token.relation != "nsubj":  # of "is separated", more than what happens is known
        return False
    predicate = predicate_over(tree, topic.token)
    if predicate is None or predicate.pos != "VERB" or lemma(predicate) not in _CHANGES:
        return False
    denied = negation_cues(tree.document) & {token.index for token in tree.children[predicate.index]}
    acts = tree.dependents(predicate, "obj", "xcomp", "ccomp") or tree.dependents(predicate, "cop")
    return not (denied or acts or _is_somebody(topic.token))


def _unanswered_part(claim: Sequence[Token], view: View) -> str:
    """The part of a question that asks for a claim, by its words; empty where none stands out."""
    if view.question is None:
        return ""
    parts = find_asks(view.question.text)
    if len(parts) < 2:
        return ""
    words = {lemma(token) for token in claim if carries_meaning(token)}
    shared = [len(words & set(part.lower().replace("?", "").split())) for part in parts]
    best = max(shared)
    return parts[shared.index(best)].strip(" ?.") if best >= _LEAST_SHARED and shared.count(best) == 1 else ""


def keeps_secret(text: str, reference: Document, view: View, harmless: Collection[str] = ()) -> bool:
    """Whether a text for a pupil has no word of the reference that the pupil does not have in view."""
    known = set().union(*map(forms_in, view.texts), harmless)
    secret = {
        form
        for token in reference.tokens
        if carries_meaning(token) and known.isdisjoint((token.text.lower(), lemma(token)))
        for form in (token.text.lower(), lemma(token))
    }
    return not secret & {word.strip(".,;:?!“”\"'()").lower() for word in text.split()}
