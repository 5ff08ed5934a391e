"""Answers as they are read, and those that need no model: empty ones, "I don't know", a copied question."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, product

from postil.data.formats.sra import function_words
from postil.data.judgements import Reason
from postil.grading.asks import either
from postil.grading.facts import items_named, same_fact
from postil.language.fillers import without_fillers
from postil.language.measures.overlap import overlap_words, word_alike
from postil.language.pipeline import beginning
from postil.language.spelling import correct
from postil.language.words.spaces import vocabulary
from postil.language.words.wordnet import wordnet

# Said instead of an answer; compared without punctuation and case.
_NO_ANSWER = frozenset(
    """idk|i dont know|i do not know|dont know|do not know|dunno|i dunno|no idea|i have no idea|i have no clue
    |no clue|not sure|im not sure|i am not sure|i forgot|i forget|i cant remember|i dont remember|i give up
    |pass|skip|help|i need help|na|n/a|none|nothing|no answer|i dont get it|i dont understand
    |i do not understand|i have no answer|i dont understand the question|what|huh|ok|okay|hello|hi|lol
    |whatever|sorry|please help|i wasnt here|i was absent|next|test""".replace("\n    ", "").split("|")
)
# What `overlap_words` drops and yet tells answers apart, as "a < b" from "a > b" and "1:2" from "1.2".
_SIGNS = re.compile(r"[<>%$]|(?<=\d)[.,:](?=\d)")
_LIKE_A_KNOWN_WORD = 0.5
_SHORT = 8  # words: a misspelling is put right before an answer so short is compared
_OPEN = frozenset(("what", "why", "how", "which", "who", "when", "where", "explain", "describe"))
_ADDED = frozenset(("the", "answer", "to", "is", "my", "question", "was", "a", "because", "that", "it"))
_COPIED = 0.9  # share of words that question and answer have in common when one copies the other


# What is said to whoever grades: an order to mark it right, a claim that it is, a role to play.
_MARKS = r"(?:marks?|points?|credit|score|grade)"
_RIGHT = rf"(?:correct|right|perfect|100 ?%|(?:full|highest|best|top) {_MARKS})"
_GRADER = r"(?:grader|marker|teacher|examiner|professor|assistant|computer|ai|machine)"
_FIRST = rf"^\W*(?:(?:please|pls|kindly|now|{_GRADER}|you (?:must|should|have to))\W+)*"
_PLEA = either(
    rf"{_FIRST}(?:mark|grade|score|count|accept|rate|label|treat|output|return)\b.{{0,40}}\b{_RIGHT}",
    rf"{_FIRST}(?:mark|grade|count|accept|pass)\W+(?:this|it|me|my answer|everything)\W*$",
    rf"\b(?:give|award)\b.{{0,30}}\b{_MARKS}\b",
    rf"{_FIRST}(?:ignore|disregard|forget|override|do(?:n'?t| not) (?:check|compare))\b.{{0,40}}"
    r"\b(?:instructions?|rules?|prompts?|told|reference|mark(?:ing)? scheme|criteria|answer key)\b",
    r"^\W*(?:this|my|the|every) (?:answer|student|pupil)\b.{0,30}\b(?:is|was|has|counts?|deserves?)\b"
    rf".{{0,30}}\b(?:{_RIGHT}|perfectly|correctly|accepted|checked)\b",
    r"^\W*(?:it|this)\b.{0,20}\b(?:says?|match(?:es)?|means?)\b.{0,20}\b(?:reference|answer key)\b",
    rf"^\W*(?:label|result|verdict|status|{_MARKS})\s*[:=]\s*(?:{_RIGHT}|\d)",
    rf"^\W*(?:system|admin|assistant)\W*[:\]>]|^\W*(?:if )?you(?:'re| are)\b.{{0,40}}\b{_GRADER}\b",
)
_AFTER_SENTENCE = re.compile(r"(?<=[.!?;])\s+")

# A longer answer is judged by its beginning: it is not a short one, and every measure grows with length.
LONGEST_ANSWER = 3000  # characters
MOST_READ = 400  # words and symbols
_REPEATED = re.compile(r"([^\w\s]|_)(?: ?\1){3,}")
# Characters that nobody sees and that can break a word: soft hyphens, zero-width blanks, directions.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)


def fingerprint(question: str, references: Sequence[str]) -> str:
    """A short name for a question and its first reference, whatever their case and punctuation.

    "Explain your answer." is asked often; the reference tells which of these questions it is.
    """
    reference = next((text for text in references if text.strip()), "")
    words = " ".join(overlap_words(f"{question} | {reference}"))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def shortened(answer: str) -> str:
    """What is read of an answer: what can be seen, blanks made one, "!!!!!!" as "!!!", within the limits."""
    text = " ".join(_UNSEEN.sub("", answer).split())[:LONGEST_ANSWER].rstrip()
    return beginning(_REPEATED.sub(r"\1\1\1", text), MOST_READ)


def bare(text: str) -> str:
    """An answer without capitals and full stop: whoever writes the same gets the same label.

    "Paris?" asks, so it is another answer than "Paris."
    """
    return text.casefold().strip(" .!…") or text


def as_read(question: str, references: Sequence[str], answers: Sequence[str]) -> list[str]:
    """The answers as they are meant: misspellings put right, fillers left out; the question's words stay."""
    known = (question, *references)
    return [without_fillers(correct(answer, known)[0], known) for answer in answers]


@dataclass(frozen=True, slots=True)
class PlainCase:
    """The label of an answer that speaks for itself, and why."""

    label: str
    reason: Reason


def plain_case(question: str, references: Sequence[str], answer: str) -> PlainCase | None:
    """Judge an answer by what it plainly is; None where a model must look at it."""
    words = overlap_words(answer)
    if not any(character.isalnum() for character in answer):
        return PlainCase("non_domain", Reason.NO_WORDS if answer.strip() else Reason.EMPTY)
    right = [overlap_words(reference) for reference in references]
    fact = _fact(question, references, answer)
    short = len(words) <= _SHORT and any(len(expected) <= _SHORT for expected in right)
    if fact is None and short and "spell" not in question.casefold():
        fact = _fact(question, references, correct(answer, (question, *references))[0])
    if fact is not None:
        return fact
    said = " ".join(words).replace("'", "").replace("’", "")
    if said in _NO_ANSWER and not any(set(words) <= set(expected) for expected in right):
        return PlainCase("non_domain", Reason.NO_ANSWER)
    if _only_pleads(answer) and {*chain(*right)} & {*words} <= function_words():
        return PlainCase("irrelevant", Reason.PLEA)
    asked = overlap_words(question)
    if asked and _repeats(words, asked):
        return PlainCase("irrelevant", Reason.QUESTION)
    known = {*asked, *chain(*right)}
    # "captialism" is not gibberish where the reference says "capitalism".
    if _is_gibberish(words, known) and _is_gibberish(_spelt(question, references, answer), known):
        return PlainCase("non_domain", Reason.UNKNOWN_WORDS)
    return None


def _fact(question: str, references: Sequence[str], answer: str) -> PlainCase | None:
    """The case of an answer that is the reference, one amount with it, or a list of the same things."""
    named = items_named(question, references, answer)
    if named is not None and named[0] > named[1]:
        return PlainCase("partially_correct_incomplete", Reason.TOO_FEW)
    words, signs = overlap_words(answer), _SIGNS.findall(answer)
    for reference in references:
        expected = overlap_words(reference)
        # Whoever writes "carbondioxide" means the same; "1 23" and "12 3" are two numbers.
        joined = "".join(words) == "".join(expected) and not any(map(str.isdigit, answer))
        if (words == expected or joined) and signs == _SIGNS.findall(reference):
            return PlainCase("correct", Reason.REFERENCE)
    if named or any(same_fact(question, reference, answer) for reference in references):
        return PlainCase("correct", Reason.REFERENCE)
    return None


def _only_pleads(answer: str) -> bool:
    """Whether every sentence is meant for whoever grades; where there are others, the reader decides."""
    sentences = [text for text in _AFTER_SENTENCE.split(answer.strip()) if any(map(str.isalnum, text))]
    return all(map(_PLEA.search, sentences))


def _repeats(words: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether an answer has all the question's words and hardly any of its own.

    Who turns a yes-or-no question round ("Is it lit?" "It is lit.") has answered it.
    """
    said, question = set(words), set(asked)
    common = len(said & question)
    if words[0] == asked[0] and common / len(said | question) >= _COPIED:
        return True
    return bool(_OPEN & question) and said <= question | _ADDED and common >= _COPIED * len(question)


def _spelt(question: str, references: Sequence[str], answer: str) -> Sequence[str]:
    return overlap_words(correct(answer, (question, *references))[0])


def _is_gibberish(words: Sequence[str], expected: Iterable[str]) -> bool:
    """Whether there is no number, hardly an English word and nothing like a word of question or reference."""
    if any(character.isdigit() for word in words for character in word):
        return False
    longer = [word for word in words if len(word) > 1]
    known = [word for word in longer if vocabulary().row(word) >= 0 or wordnet().base_forms(word)]
    if 3 * len(known) > len(longer):
        return False
    return not any(word_alike(word, other) >= _LIKE_A_KNOWN_WORD for word, other in product(words, expected))
