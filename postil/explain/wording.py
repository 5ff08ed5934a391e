"""All that explanations say, in English: statements become sentences.

This is the last step. `explanation`, `notes` and `hints` plan what is said, as statements; only here are they
written, and nothing reads a sentence again to decide anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from postil.data.judgements import Pupils
from postil.explain.page import printable
from postil.explain.phrases import listed
from postil.language.document import Token
from postil.language.pipeline import beginning


class Verb(Enum):
    """How a text says something: it names a thing, states a clause, has a few words, or is about a thing."""

    MENTION = auto()
    SAY = auto()
    HAVE = auto()
    TELL = auto()  # what to do
    POINT = auto()  # a claim that is no clause, so that it has to be quoted
    ABOUT = auto()
    QUOTE = auto()  # as HAVE, but the whole text
    EXAMPLE = auto()  # what may be said, among other things


@dataclass(frozen=True, slots=True)
class Content:
    """What a text says, or a part of it: a verb, the words that follow it, and their tokens."""

    verb: Verb
    words: str
    tokens: tuple[Token, ...] = ()
    is_condition: bool = False


class Subject(Enum):
    """Whom a statement is about; the first text is the answer where an answer is compared."""

    FIRST = auto()
    SECOND = auto()
    BOTH = auto()


class Kind(Enum):
    """What a statement says, with its English.

    {subject} and {other} are the two texts, {0} and {1} the words of the statement, {contents} what the
    subject says, {missing} what it does not say.
    """

    # How two texts compare
    EMPTY = "{subject} is empty"
    BOTH_EMPTY = "both sentences are empty"
    SAME = "{subject} says the same as {other}"
    NEARLY_SAME = "{subject} says almost the same as {other}"
    SAME_WORDS = "{subject} uses words from {other} but does not say quite the same thing"
    NOTHING_SHARED = "{subject} has nothing in common with {other}, which {each[1]}"
    SHARED = "like {other}, {subject} {contents}"
    SHARED_BUT = "{subject} {contents} but {missing}"
    LEFT_OUT = "{subject} {missing}"
    ALSO = "{subject} also {contents}"
    ONLY = "only {subject} {contents}"
    UNLIKE = "{subject} says {0} where {other} says {1}"
    UNLIKE_TWICE = f"{UNLIKE}, and {{2}} where {{other}} says {{3}}"
    SPECIFIC = "{subject} is more specific: it says {0} where {other} only says {1}"
    SPECIFIC_TWICE = f"{SPECIFIC}, and {{2}} where {{other}} only says {{3}}"
    EACH_SPECIFIC = (
        "{subject} is more specific in one place ({0} rather than {1}) and {other} in another "
        "({2} rather than {3})"
    )
    # Contradictions
    NUMBER = "{subject} gives {0} as {1}, but {other} gives it as {2}"
    OPPOSITE = "{subject} says {0}, but {other} says the opposite: {1}"
    NEGATED = "{subject} says {0}, but {other} says {1}"
    LESS_CERTAIN = "{subject} is less certain: it says {0} where {other} says {1}"
    MORE_CERTAIN = "{subject} is more certain: it says {0} where {other} says {1}"
    CERTAINTY = "{subject} are not equally certain: {0} and {1}"
    CERTAINTY_OF_WORDS = "{subject} are not equally certain of {0}"
    OPINION = "{subject} express different opinions: {0} and {1}"
    # What an answer does with the claims of its reference
    SAID = "{subject} {contents}"
    SAID_SO = "{subject} {contents} ({0})"
    AGREES = "the pupil's {0} agrees with {subject}"
    UNCLEAR = "{subject} {vague}"
    MENTIONS = "{subject} mentions {0} but not {1}; {other} {contents}"
    NOT_MENTIONED = "{subject} does not mention {0}; {other} {contents}"
    LESS_EXACT = "{subject} is less exact than {other}, which {contents}"
    OF_REFERENCE = "{other} {contents}"
    NOT_COUNTED = "{subject} {missing}, which did not count against it"
    WROTE = "the pupil writes {0}; the reference {contents}"
    AGAINST = "{subject} contradicts {other}, which {contents}"
    NOT_FOUND = "{subject} was judged {0}, but {missing}"
    NOT_IN_LINE = "{subject} was judged {0}, but seems to contradict {other}, which {contents}"
    SEEMS_COMPLETE = "{subject} was judged {0}, but it seems to say everything the reference says"
    READ_TO = "only the first {0} words and symbols of the answer were compared with the reference"
    # To the pupil: what is right
    RIGHT = "Your answer is right"
    LOOKS_RIGHT = "Your answer looks right"
    RIGHT_WORDS = "Your answer is right: {0} is what matters here"
    RIGHT_THAT = "You are right that {0}"
    GOOD_PART = "{0} is right"
    GOOD_START = "Your answer is partly right"
    ALL_SAID = "Your answer says everything it should"
    NEARLY_ALL_SAID = "Your answer says nearly everything it should"
    # … what is not
    UNANSWERED = "You have not answered yet"
    NOTHING_TO_COMPARE = "There is nothing to compare your answer with yet"
    NOTHING_SAID = "Your answer does not say what it needs to yet"
    OFF_THE_QUESTION = "Your answer does not answer the question yet"
    NO_ANSWER_YET = "This does not answer the question yet"
    READ_AGAIN = "Read the question again"
    MISSING_READ_AGAIN = "Something is still missing: read the question again"
    NOT_RIGHT = "Something in your answer is not right"
    NOT_YET = "You have not yet said {0}"
    MORE_ABOUT = "Say more about {0}"
    MEANING = "Say what you mean by {0}"
    MORE_EXACT = "Be more precise about {0}"
    THINK_AGAIN = "Think again about {0}"
    LOOK_AGAIN = "Look again at {0}"
    CLOSE = "Look again at {0}: it is close, but not quite right"
    SEVERAL_CLOSE = "Look again at {0}: they are close, but not quite right"
    DOUBT = "You say that {0}. {1}?"
    DOUBT_WORDS = "You say {0}. Is that right?"
    TOO_UNCERTAIN = "You say {0}. Can you be more certain?"
    TOO_CERTAIN = "You say {0}. Can you be that certain?"
    OPINION_DOUBT = "Look again at {0}. Is that a fair description?"
    ALSO_MENTIONED = "You also mention {0}. Does that belong here?"
    ALSO_SAID = "You also say {0}. Does that belong here?"
    # … and what to think about next
    CAN_SAY = "Can you say {0}?"
    CAN_ALSO_SAY = "Can you also say {0}?"
    COMPARE = "How do {0} and {1} compare?"
    AFFECTS = "How {2} {0} affect {1}?"
    HAPPENS = "What happens to {0}?"
    ABOUT = "What can you say about {0}?"
    ELSE_ABOUT = "What else can you say about {0}?"
    WHY = "Can you also say why?"
    PART_ASKED = "Have you answered this part of the question: {0}?"
    MORE_ITEMS = "The question asks for more than that"
    IS_IT_SO = "Is it really so?"
    SOME_DO_NOT_FIT = "Not all of this fits the question"
    ONE_DOES_NOT_FIT = "One of these does not fit"
    RIGHT_STEPS = "Are these the right steps?"
    ASKS_FOR = "The question asks for {0}"
    WHAT_IS_ASKED = "What exactly does the question ask for?"
    MORE_EXACTLY = "Can you say it more exactly?"
    STILL_MISSING = "What is still missing?"


_LAST, _LONGEST_LAST = 4, 60  # words and characters that show where reading ended

# Where two sentences of equal rank are compared
_NEUTRAL = {
    Kind.SAME: "both sentences say the same thing",
    Kind.NEARLY_SAME: "both sentences say almost the same thing",
    Kind.SAME_WORDS: "the two sentences use similar words but do not say quite the same thing",
    Kind.NOTHING_SHARED: "the sentences have nothing in common: the first {each[0]}, the second {each[1]}",
    Kind.SHARED: "both sentences {plural}",
}
# The same to younger pupils, where it can be said more simply or more warmly
_YOUNGER = {
    Kind.RIGHT: "well done, your answer is right",
    Kind.RIGHT_WORDS: "well done: {0} is just right",
    Kind.GOOD_PART: "good: {0} is right",
    Kind.GOOD_START: "good start: some of this is right",
    Kind.LOOK_AGAIN: "read this bit again: {0}",
    Kind.NOT_RIGHT: "one thing here is not right yet",
    Kind.OFF_THE_QUESTION: "this does not answer the question yet, so try again",
    Kind.NO_ANSWER_YET: "have a go: even a short answer helps",
    Kind.ABOUT: "can you say something about {0}?",
    Kind.ELSE_ABOUT: "can you say more about {0}?",
    Kind.CAN_ALSO_SAY: "can you say {0}, too?",
    Kind.WHY: "can you say why, too?",
    Kind.PART_ASKED: "have you answered this bit: {0}?",
    Kind.MORE_ITEMS: "the question asks for more than that",
    Kind.MORE_EXACTLY: "can you say it even more clearly?",
    Kind.STILL_MISSING: "what could you add?",
}
_SAYS = {
    Verb.MENTION: "mentions",
    Verb.SAY: "says",
    Verb.HAVE: "says",
    Verb.TELL: "says to",
    Verb.POINT: "makes the point",
    Verb.ABOUT: "is about",
    Verb.QUOTE: "says",
    Verb.EXAMPLE: "gives, for example,",
}
_PLURAL = {Verb.MENTION: "mention", Verb.SAY: "say", Verb.ABOUT: "are about"}
_LACKS = {
    Verb.MENTION: "does not mention",
    Verb.SAY: "does not say",
    Verb.HAVE: "leaves out",
    Verb.TELL: "does not say to",
    Verb.POINT: "leaves out",
    Verb.EXAMPLE: "leaves out, for example,",
}
_CLEARLY = {
    Verb.MENTION: "does not clearly mention",
    Verb.SAY: "does not clearly say",
    Verb.TELL: "does not clearly say to",
    Verb.POINT: "does not clearly give",
    Verb.EXAMPLE: "does not give, for example,",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing to say: what kind of thing, with which words, about whom.

    `contents` are what the subject says and `missing` what it does not; `words` are names and quotations.
    With `check`, a person is asked to look. `then` follows in the same sentence. A hint that is not `clear`
    leads a pupil nowhere; two hints of one kind and with the same `lemmas` are one.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    contents: tuple[Content, ...] = ()
    missing: tuple[Content, ...] = ()
    subject: Subject = Subject.FIRST
    check: bool = False
    clear: bool = True
    lemmas: tuple[str, ...] = ()
    then: Statement | None = None


def write(plan: Iterable[Statement], register: str = "teacher", pupils: Pupils = Pupils.OLDER) -> str:
    """Statements as one text."""
    return " ".join(sentences_of(plan, register, pupils))


def sentences_of(
    plan: Iterable[Statement], register: str = "teacher", pupils: Pupils = Pupils.OLDER
) -> list[str]:
    """Statements as sentences with capitals and stops."""
    sentences: list[str] = []
    before: Statement | None = None
    for statement in plan:
        text = _sentence(statement, register, before, pupils)
        stop = "" if text.endswith("?") else "."
        sentences.append(f"{text[:1].upper()}{text[1:]}{stop}")
        before = statement
    return sentences


def _names(subject: Subject, register: str, before: Statement | None) -> tuple[str, str]:
    """What the subject of a sentence and the other text are called, after the statement before."""
    if register == "neutral":
        texts = ("the first", "the second")
        both = "they" if before else "the two sentences"
    else:
        texts = ("the answer", "the reference")
        both = "the answer and the reference"
    name, other = texts[::-1] if subject is Subject.SECOND else texts
    if subject is Subject.BOTH:
        return both, other
    if register == "neutral":
        return name if before else f"{name} sentence", other
    return "it" if before and before.subject is subject is Subject.FIRST else name, other


def _sentence(
    statement: Statement, register: str, before: Statement | None, pupils: Pupils = Pupils.OLDER
) -> str:
    template = statement.kind.value
    if register == "neutral":
        template = _NEUTRAL.get(statement.kind, template)
    elif register == "student" and pupils is Pupils.YOUNGER:
        template = _YOUNGER.get(statement.kind, template)
    subject, other = _names(statement.subject, register, before)
    text = template.format(
        *statement.words,
        subject=subject,
        other=other,
        contents=_predicate(statement.contents, _SAYS),
        plural=_predicate(statement.contents, _PLURAL),
        each=[_predicate([content], _SAYS) for content in statement.contents],
        missing=_predicate(statement.missing, _LACKS),
        vague=_predicate(statement.missing, _CLEARLY),
    )
    if statement.then:
        joint = ", and" if statement.then.kind is Kind.ONLY else ";"
        text = f"{text}{joint} {_sentence(statement.then, register, statement)}"
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
            words = "gives" if group[0].is_condition else "has"
        denied = verbs is not _SAYS and words.split()[0] != "leaves" and verb is not Verb.HAVE
        parts.append(f"{words} {listed([_object(content) for content in group], 'or' if denied else 'and')}")
    return listed(parts)


def _object(content: Content) -> str:
    if content.verb is Verb.SAY:
        return f"that {content.words}"
    if content.verb in (Verb.HAVE, Verb.POINT, Verb.QUOTE, Verb.EXAMPLE):
        return f"the condition “{content.words}”" if content.is_condition else f"“{content.words}”"
    return content.words


def read_up_to(texts: Iterable[tuple[str, str]], most: int, longest: int | None = None) -> list[str]:
    """Say of texts (each with its name) that are longer than is read, where reading ended.

    At most so many words and symbols are read, of so many characters.
    """
    told = []
    for name, text in texts:
        characters, whole = " ".join(text[:longest].split()), " ".join(text.split())
        part = beginning(characters, most)
        if part != whole:
            limit = f"{most:,} words and symbols" if part != characters else f"{longest:,} characters"
            last = printable(" ".join(part.split()[-_LAST:])[-_LONGEST_LAST:])
            told.append(f"{name} is long; Postil read its first {limit}, up to “… {last}”.")
    return told
