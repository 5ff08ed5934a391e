"""Made answers whose label is known from how they were made: negated, copied, empty-handed ones.

Real answers hardly ever deny a whole reference word for word, repeat the question or bang on the keyboard, so
a network that learns from them alone does not know what to do with such.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from postil.data.questions import Question
from postil.language.document import Document, Token
from postil.language.pipeline import analyse_many

_BE_LIKE = {"be", "can", "will", "would", "could", "should", "may", "might", "must", "shall"}
_NOTHING = (
    "idk", "I don't know", "i dont know", "dunno", "no idea", "I have no idea.", "not sure", "I'm not sure", "?", "???",
    "i forgot", "I do not know the answer.", "can you help me", "help", "what", "I don't understand the question",
    "this is boring", "skip", "next", "n/a", "none", "pass", "i give up", "sorry", "hello", "ok", "whatever",
    "please tell me the answer", "I wasn't here for this lesson", "we did not learn this", "ask my teacher", "lol",
)  # fmt: skip


def negated(document: Document) -> str | None:
    """The text with its first main verb denied, or None where there is no place for a "not"."""
    for sentence in document.sentences:
        tokens = document.words(sentence)
        root = next((token for token in tokens if token.head == token.index), None)
        if root is None or any(
            token.index in negation.cue for negation in document.negations for token in tokens
        ):
            continue
        helpers = [t for t in tokens if t.head == root.index and t.relation in ("aux", "aux:pass", "cop")]
        place = next((t for t in helpers if t.lemma in _BE_LIKE or t.relation != "cop"), None)
        if place is None and root.lemma in _BE_LIKE:
            place = root
        if place is not None:
            return f"{document.text[: place.end]} not{document.text[place.end :]}"
        if root.pos == "VERB" and root.tag in ("VBZ", "VBP", "VBD", "VB"):
            return f"{document.text[: root.start]}{_do(root)} not {root.lemma}{document.text[root.end :]}"
    return None


def _do(verb: Token) -> str:
    return {"VBZ": "does", "VBD": "did"}.get(verb.tag, "do")


def mashed(rng: random.Random) -> str:
    """What comes of hitting keys at random."""
    rows = ("asdfghjkl", "qwertyuiop", "zxcvbnm", "asdfjkl;", "abcdefghijklmnopqrstuvwxyz")
    return " ".join(
        "".join(rng.choices(rng.choice(rows), k=rng.randint(3, 9))) for _ in range(rng.randint(1, 4))
    )


def made_answers(
    questions: Sequence[Question], rng: random.Random
) -> Iterator[tuple[Question, str, str, str]]:
    """Question, reference, answer and label: the label follows from the making."""
    texts = sorted(
        {
            one.text
            for q in questions
            for one in (*q.references, *(a for a in q.answers if a.label == "correct"))
        }
    )
    analysed = dict(zip(texts, analyse_many(texts), strict=True))
    for question in questions:
        others = [q for q in questions if q.module == question.module and q.id != question.id] or list(
            questions
        )
        for reference in question.references:
            denied = negated(analysed[reference.text])
            yield question, reference.text, reference.text, "correct"
            yield question, reference.text, question.text, "irrelevant"
            yield question, reference.text, rng.choice(rng.choice(others).references).text, "irrelevant"
            if denied:
                yield question, reference.text, denied, "contradictory"
        best = question.references[0].text
        for nothing in (*rng.sample(_NOTHING, 4), mashed(rng), mashed(rng)):
            yield question, best, nothing, "non_domain"
        for answer in question.answers:
            denied = negated(analysed[answer.text]) if answer.label == "correct" else None
            if denied:
                yield question, best, denied, "contradictory"
