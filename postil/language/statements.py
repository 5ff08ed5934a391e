"""From a question and a short answer to a statement, as is done to make entailment pairs.

"How high is Mount Everest?" and "8848 m" give "Mount Everest is 8848 m high." So a fragment can be judged,
and aligned, like a sentence. Where no rule fits, the answer stays as it is.

>>> from postil.language.statements import statement
>>> statement("Who wrote Hamlet?", "Shakespeare")
'Shakespeare wrote Hamlet.'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from postil.language.document import Document, Token
from postil.language.pipeline import analyse_many
from postil.language.words.forms import past_tense, third_person

_BE = frozenset(("is", "are", "was", "were", "am", "'s"))
_DO = frozenset(("do", "does", "did"))
_OTHERS = frozenset(("can", "could", "will", "would", "should", "may", "might", "must", "has", "have", "had"))
_AUXILIARIES = _BE | _DO | _OTHERS
_ASKING = frozenset(("what", "which", "who", "whom", "whose", "where", "when", "why", "how"))
_CLAUSES = frozenset(("when", "if", "because", "after", "before", "while", "since", "unless"))
_YES, _NO = frozenset(("yes", "yeah", "yep")), frozenset(("no", "nope"))
_FINITE = frozenset(("VBZ", "VBD", "VBP", "MD"))
_INFLECTED = {"did": past_tense, "does": third_person}
_VERBAL = frozenset(("VB", "VBN", "VBG", "VBZ", "VBD", "VBP"))


def statement(question: str, answer: str) -> str:
    """A statement that says what a short answer to a question says."""
    asked, replied = analyse_many([question, " ".join(answer.split())])
    words = [token for token in asked.tokens if any(map(str.isalnum, token.text)) or token.text == ","]
    reply = replied.text.strip().rstrip(".!").strip()
    has_subject = any(token.relation.split(":")[0] in ("nsubj", "expl") for token in replied.tokens)
    is_sentence = has_subject and any(token.tag in _FINITE for token in replied.tokens)
    if not words or not reply or (is_sentence and _low(words[0]) != "why"):
        return _sentence(replied.text)
    claim = _of_yes_or_no(words, reply) or _of_open(_last_question(words), reply, replied)
    return _sentence(claim or replied.text)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        return ""
    ended = text if text[-1] in ".!?" else f"{text}."
    return ended[0].upper() + ended[1:]


def _last_question(words: Sequence[Token]) -> Sequence[Token]:
    """The part that asks, where a clause with a comma stands before it: "When water boils, what forms?"."""
    for comma in reversed([index for index, token in enumerate(words) if token.text == ","]):
        if any(_low(token) in _ASKING for token in words[comma + 1 : comma + 4]):
            return words[comma + 1 :]
    return words


def _low(token: Token) -> str:
    return token.text.lower()


def _written(tokens: Sequence[Token]) -> str:
    """Tokens as they were written, with blanks where there were any."""
    text = tokens[0].text if tokens else ""
    for before, token in pairwise(tokens):
        text += (" " if token.start > before.end else "") + token.text
    return text


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class _Clause:
    """What a question says besides what it asks for: subject, verbs, the rest, and a clause after it."""

    subject: str
    verbs: str
    rest: str
    tail: str


def _of_yes_or_no(words: Sequence[Token], reply: str) -> str:
    first = reply.split()[0].lower().strip(",.")
    if _low(words[0]) not in _AUXILIARIES or first not in _YES | _NO:
        return ""
    clause = _clause(words, 0, denied=first in _NO)
    return _joined(clause.subject, clause.verbs, clause.rest, clause.tail)


def _of_open(words: Sequence[Token], reply: str, replied: Document) -> str:
    """The statement for a question that begins with what is asked for: what, which year, how many moons."""
    start = next((index for index, token in enumerate(words) if token.tag in _FINITE), None)
    # What is asked for comes first, or after a preposition: "in which year".
    first = words[1:2] if words[0].pos == "ADP" else words[:1]
    if not start or not any(_low(token) in _ASKING for token in first):
        return ""
    asked, word = words[:start], next(_low(token) for token in words[:start] if _low(token) in _ASKING)
    phrase = _reply(asked, word, reply, replied)
    after = words[start + 1 :]
    asks_subject = word in ("what", "which", "who", "whose", "how") and not _has_adverb(asked)
    # No subject stands between an auxiliary and its verb: "was killed", "can conduct".
    follower = next((token for token in after if token.pos not in ("ADV", "PART")), None)
    is_verb = follower is not None and follower.tag in _VERBAL
    if asks_subject and (_low(words[start]) not in _AUXILIARIES or is_verb):
        return _joined(phrase, _written(words[start:]))
    inside, _ = _parted(after)
    if _low(words[start]) in _BE and _main_verb(words, start, len(inside)) is None:
        return _of_copula(words, start, word, phrase)
    clause = _clause(words, start)
    if clause.verbs.endswith(("did", "does", "do")):  # "What did she do?": the answer has the verb
        return _joined(clause.subject, phrase, clause.rest, clause.tail)
    # The answer follows the verb or, where it tells place, time or reason, everything.
    is_last = _has_adverb(asked) or asked[0].pos == "ADP" or word in ("where", "when", "why")
    if is_last or clause.rest in ("of", "from", "to", "with", "for"):
        return _joined(clause.subject, clause.verbs, clause.rest, phrase, clause.tail)
    return _joined(clause.subject, clause.verbs, phrase, clause.rest, clause.tail)


def _has_adverb(asked: Sequence[Token]) -> bool:
    """Whether "how" asks for the way or the degree, and not for a number of things."""
    return _low(asked[0]) == "how" and not any(_low(token) in ("many", "much") for token in asked)


def _of_copula(words: Sequence[Token], start: int, word: str, phrase: str) -> str:
    """A question with nothing but a form of "be": what is X, how high is X, which planet is the largest."""
    asked, verb = words[:start], _low(words[start])
    subject, tail = _parted(words[start + 1 :])
    if not subject:
        return ""
    is_degree = len(asked) > 1 and asked[1].pos in ("ADJ", "ADV") and _low(asked[1]) not in ("many", "much")
    if word == "how" and is_degree:
        return _joined(_written(subject), verb, phrase, _written(asked[1:]), _written(tail))
    superlative = any(token.tag in ("JJS", "RBS") for token in subject)
    if word in ("which", "what") and len(asked) > 1 and superlative:
        return _joined(phrase, verb, _written(subject), _written(asked[1:]), _written(tail))
    return _joined(_written(subject), verb, phrase, _written(tail))


def _clause(words: Sequence[Token], start: int, *, denied: bool = False) -> _Clause:
    """A clause whose auxiliary stands before its subject, put in the order of a statement."""
    auxiliary = words[start]
    inside, tail = _parted(words[start + 1 :])
    verb = _main_verb(words, start, len(inside))
    denial = "not" if denied else ""
    if verb is None:
        subject, rest = _subject(inside)
        verbs = _joined(_low(auxiliary), denial)
    else:
        subject, rest = words[start + 1 : verb], words[verb + 1 : start + 1 + len(inside)]
        verbs = _joined(_low(auxiliary), denial, words[verb].text)
        if _low(auxiliary) in _DO and not denied:
            verbs = _INFLECTED.get(_low(auxiliary), str)(_low(words[verb]))
    return _Clause(_written(subject), verbs, _written(rest), _written(tail))


def _subject(words: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Where the subject ends in "the switch closed", after its noun, and what follows."""
    relations = [token.relation.split(":")[0] for token in words]
    head = next((i for i, relation in enumerate(relations) if relation in ("nsubj", "expl", "csubj")), None)
    if head is None and words and words[0].pos in ("PRON", "PROPN"):
        head = 0
    return (words, ()) if head is None else (words[: head + 1], words[head + 1 :])


def _parted(words: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """What belongs to the clause itself, and a clause of time or condition after it."""
    end = next((index for index, token in enumerate(words) if index and _low(token) in _CLAUSES), len(words))
    return words[:end], words[end:]


def _main_verb(words: Sequence[Token], start: int, length: int) -> int | None:
    """The index of the verb that an auxiliary belongs to, after the subject."""
    auxiliary, inside = words[start], range(start + 2, start + 1 + length)
    if auxiliary.relation.startswith("aux"):
        head = next((index for index in inside if words[index].index == auxiliary.head), None)
        if head is not None:
            return head
    tagged = [index for index in inside if words[index].tag in ("VB", "VBN", "VBG")]
    if tagged and not (_low(auxiliary) in _BE and words[tagged[0]].relation.startswith(("acl", "amod"))):
        return tagged[0]
    # "When did the war end?": where a do-form must have a verb, it is the last word.
    return inside[-1] if _low(auxiliary) in _DO and len(inside) else None


def _reply(asked: Sequence[Token], word: str, reply: str, replied: Document) -> str:
    """The answer as it stands in the statement: with the thing counted, a preposition or "because"."""
    first = replied.tokens[0]
    amount = next((index for index, token in enumerate(asked) if _low(token) in ("many", "much")), None)
    if word == "how" and amount is not None:
        has_noun = any(token.pos == "NOUN" for token in replied.tokens)
        return reply if has_noun else _joined(reply, _written(asked[amount + 1 :]))
    if first.pos in ("ADP", "SCONJ", "ADV") or _low(first) in ("because", "by", "due", "to"):
        return reply
    if word in ("which", "what") and asked[0].pos == "ADP":
        return _joined(_low(asked[0]), reply)
    if word == "why":
        return _joined("because", reply)
    if word == "how" and len(asked) == 1 and first.tag == "VBG":
        return _joined("by", reply)
    if word == "where" and first.pos in ("NOUN", "PROPN", "DET"):
        return _joined("in", reply)
    is_year = len(reply) == 4 and reply.isdigit()
    return _joined("in", reply) if word == "when" and is_year else reply
