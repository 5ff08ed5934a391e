"""Contradictions and everything else there is to say, in English: statements become sentences.

This is the last step. `explanation`, `notes` and `hints` plan what is said, as statements; only here are they
written, and nothing reads a sentence again to decide anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from postil.explain.phrases import listed


class Verb(Enum):
    """How a text says something: it names a thing, states a clause, has a few words, or is about a thing."""

    MENTION = auto()
    SAY = auto()
    HAVE = auto()
    ABOUT = auto()
    QUOTE = auto()  # as HAVE, but the whole text


@dataclass(frozen=True, slots=True)
class Content:
    """What a text says, or a part of it: a verb, and the words that follow it."""

    verb: Verb
    words: str
    is_condition: bool = False


class Subject(Enum):
    """Whom a statement is about; the first text is the answer where an answer is compared."""

    FIRST = auto()
    SECOND = auto()
    BOTH = auto()
    PUPIL = auto()


class Kind(Enum):
    """What a statement says, with its English.

    {subject} and {other} are the two texts, {0} and {1} the words of the statement, {contents} what the
    subject says, {missing} and {not_found} what it does not say, or does not say in these words.
    """

    # How two texts compare
    EMPTY = "{subject} is empty"
    BOTH_EMPTY = "both sentences are empty"
    SAME = "{subject} says the same as {other}"
    NEARLY_SAME = "{subject} says much the same as {other}"
    SAME_WORDS = "{subject} uses words of {other}, but does not say quite the same"
    NOTHING_SHARED = "{subject} has nothing in common with {other}, which {each[1]}"
    SHARED = "like {other}, {subject} {contents}"
    SHARED_BUT = "{subject} {contents} but {missing}"
    LEFT_OUT = "{subject} {missing}"
    ALSO = "{subject} also {contents}"
    ONLY = "only {subject} {contents}"
    UNLIKE = "{subject} says {0} where {other} says {1}"
    UNLIKE_TWICE = f"{UNLIKE}, and {{2}} where {{other}} says {{3}}"
    SPECIFIC = "{subject} is more specific: it says {0} where {other} says just {1}"
    SPECIFIC_TWICE = f"{SPECIFIC}, and {{2}} where {{other}} says just {{3}}"
    EACH_SPECIFIC = (
        "{subject} is more specific in one place ({0} against {1}), {other} in another ({2} against {3})"
    )
    # Contradictions
    NUMBER = "{subject} gives {0} as {1}, {other} as {2}"
    OPPOSITE = "{subject} says {0}, {other} the opposite, {1}"
    DENIES = "{subject} denies what {other} says: {0} against {1}"
    DENIED = "{subject} says {0}, {other} denies it: {1}"
    LESS_CERTAIN = "{subject} is less certain: it says {0} where {other} says {1}"
    MORE_CERTAIN = "{subject} is more certain: it says {0} where {other} says {1}"
    CERTAINTY = "{subject} differ in what they hold for certain: {0} against {1}"
    CERTAINTY_OF_WORDS = "{subject} differ in what they hold for certain: {0}"
    OPINION = "{subject} express different opinions: {0} against {1}"
    # How an answer fits its label
    WHOLE = "{subject} {contents}"
    AGREES = "{subject} agrees with {other}, which {contents}"
    AGREES_ON_NAMES = "{subject} agrees with {other}: both mention {0}"
    AGREES_ON_WORDS = "{subject} agrees with {other}: both say {0}"
    AGREES_IN_OTHER_WORDS = "{subject} agrees with {other}: its {0} says the same as {1}"
    JUDGED_CORRECT = "{subject} was judged correct; compare {other}, which {contents}"
    NOT_FOUND = "{subject} {not_found}"
    A_PART = "{subject} says a part of what {other} says"
    ONLY_A_PART = "{subject} says only a part of what {other} does, which {contents}"
    NOT_ALL = "{subject} says much of what {other} says, but not all"
    CONTRADICTS = "{subject} contradicts {other}, which {contents}"
    CONTRADICTS_POINT = "{subject} contradicts one point of {other}: {0}"
    OFF_THE_POINT = "{subject} does not come to the point: {other} {contents}"
    ONLY_MENTIONS = "{subject} mentions {0}, as {other} does, but does not come to the point"
    NO_ANSWER = "{subject} says nothing about the subject"
    POINT_NOT_FOUND = "it was judged {0}, although {1} was not found in it"
    POINTS_NOT_FOUND = "it was judged {0}, although {1} and {2} were not found in it"
    SEEMS_COMPLETE = "it was judged {0}, although it seems to say all that {other} does"
    # To the pupil
    UNANSWERED = "You have not answered yet"
    NOTHING_TO_COMPARE = "There is nothing to compare with"
    RIGHT = "Your answer is right"
    LOOKS_RIGHT = "Your answer looks right"
    RIGHT_THAT = "You are right that {0}"
    ALL_SAID = "Your answer says all that it should"
    NEARLY_ALL_SAID = "Your answer says nearly all that it should"
    NOTHING_SAID = "Your answer does not say yet what it should"
    READ_AGAIN = "Read the question again"
    MISSING = "Something is still missing"
    MISSING_READ_AGAIN = "Something is still missing: read the question again"
    PARTLY_RIGHT = "Your answer is partly right: something is still missing"
    WRONG = "Something in your answer is not right"
    OFF_THE_QUESTION = "Your answer does not answer the question yet"
    NOT_AN_ANSWER = "This does not answer the question yet"
    NOT_YET = "You have not yet said {0}"
    MORE_CLEARLY = "Say more clearly {0}"
    MORE_ABOUT = "Say more about {0}"
    MEANING = "Say what you mean by {0}"
    MORE_EXACT = "Be more exact about {0}"
    THINK_AGAIN = "Think again about {0}"
    LOOK_AGAIN = "Look again at {0}"
    CLOSE = "Look again at {0}: it is close, but not quite right"
    SEVERAL_CLOSE = "Look again at {0}: they are close, but not quite right"
    DOUBT = "You say that {0}: {1}?"
    DOUBT_WORDS = "You say {0}: is that right?"
    TOO_UNCERTAIN = "You say {0}: can you be more certain?"
    TOO_CERTAIN = "You say {0}: how certain is that?"
    OPINION_DOUBT = "Look again at {0}: is that the right way to judge it?"
    ALSO_MENTIONED = "You also mention {0}: does that belong here?"
    ALSO_SAID = "You also say {0}: does that belong here?"


# Where two sentences of equal rank are compared.
_NEUTRAL = {
    Kind.EMPTY: "{subject} sentence is empty",
    Kind.SAME: "both sentences say the same",
    Kind.NEARLY_SAME: "both sentences say much the same",
    Kind.SAME_WORDS: "both sentences use much the same words, but they do not say quite the same",
    Kind.NOTHING_SHARED: "the two sentences have nothing in common: {subject} {each[0]}, {other} {each[1]}",
    Kind.SHARED: "both sentences {plural}",
}
_NAMES = {"neutral": ("the first", "the second")}
_SAYS = {
    Verb.MENTION: "mentions",
    Verb.SAY: "says",
    Verb.HAVE: "says",
    Verb.ABOUT: "is about",
    Verb.QUOTE: "says",
}
_PLURAL = {Verb.MENTION: "mention", Verb.SAY: "say", Verb.ABOUT: "are about"}
_LACKS = {Verb.MENTION: "does not mention", Verb.SAY: "does not say", Verb.HAVE: "leaves out"}
# "They" may stand for what is not named, and other words for what is not said.
_NOT_FOUND = {
    Verb.MENTION: "does not name",
    Verb.SAY: "does not say in so many words",
    Verb.HAVE: "does not repeat",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing to say: what kind of thing, with which words, about whom.

    `contents` are what the subject says and `missing` what it does not; `words` are names and quotations.
    With `check`, a person is asked to look. `then` follows in the same sentence. What is not `clear` leads a
    pupil nowhere.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    contents: tuple[Content, ...] = ()
    missing: tuple[Content, ...] = ()
    subject: Subject = Subject.FIRST
    check: bool = False
    clear: bool = True
    then: Statement | None = None


def write(plan: Iterable[Statement], register: str = "teacher") -> str:
    """Statements as sentences; "the answer" is "it" where the sentence before was about it."""
    sentences: list[str] = []
    topic: Subject | None = None
    for statement in plan:
        text = _sentence(statement, register, goes_on=topic in (Subject.FIRST, Subject.BOTH))
        topic = statement.subject
        stop = "" if statement.kind.value.endswith("?") else "."
        sentences.append(f"{text[:1].upper()}{text[1:]}{stop}")
    return " ".join(sentences)


def _sentence(statement: Statement, register: str, *, goes_on: bool) -> str:
    names = _NAMES.get(register, ("the answer", "the reference"))
    template = statement.kind.value
    if register == "neutral":
        template = _NEUTRAL.get(statement.kind, template)
    subject, other = names[::-1] if statement.subject is Subject.SECOND else names
    if statement.subject is Subject.BOTH:
        subject = " and ".join(names)
    elif statement.subject is Subject.FIRST and goes_on and register != "neutral":
        subject = "it"
    text = template.format(
        *statement.words,
        subject=subject,
        other=other,
        contents=_predicate(statement.contents, _SAYS),
        plural=_predicate(statement.contents, _PLURAL),
        each=[_predicate([content], _SAYS) for content in statement.contents],
        missing=_predicate(statement.missing, _LACKS),
        not_found=_predicate(statement.missing, _NOT_FOUND),
    )
    if statement.then:
        joint = ", and" if statement.then.kind is Kind.ONLY else ";"
        text = f"{text}{joint} {_sentence(statement.then, register, goes_on=False)}"
    return f"please check: {text}" if statement.check else text


def _predicate(contents: Sequence[Content], verbs: Mapping[Verb, str]) -> str:
    """What a text says or does not say: "mentions a and b and says that …", "does not mention a or b"."""
    parts = []
    for verb, words in verbs.items():
        group = [content for content in contents if content.verb is verb]
        if not group:
            continue
        short = group[0].is_condition or " " not in group[0].words
        if verb is Verb.HAVE and verbs is _SAYS and short:
            words = "has"
        denied = verbs in (_LACKS, _NOT_FOUND) and verb is not Verb.HAVE
        parts.append(f"{words} {listed([_object(content) for content in group], 'or' if denied else 'and')}")
    return listed(parts)


def _object(content: Content) -> str:
    if content.verb is Verb.SAY:
        return f"that {content.words}"
    if content.verb in (Verb.HAVE, Verb.QUOTE):
        return f"the condition “{content.words}”" if content.is_condition else f"“{content.words}”"
    return content.words
