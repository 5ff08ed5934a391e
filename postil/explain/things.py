"""What kinds of things nouns name, as far as an explanation asks: persons, times, things that are counted."""

from __future__ import annotations

from collections.abc import Sequence

from postil.explain.phrases import lemma, spoken, trimmed
from postil.language.document import Token
from postil.language.words.ancestors import ancestors
from postil.language.words.wordnet import wordnet

_COUNTED = ("artifact.n.01", "person.n.01", "animal.n.01")


def is_kind(noun: Token, *names: str) -> bool:
    """Whether the first sense of a noun is a kind of one of WordNet's synsets."""
    wn = wordnet()
    senses = wn.synsets(lemma(noun), "n") if noun.pos == "NOUN" else ()
    if not senses:
        return False
    starts, up = ancestors().rows
    above = up[starts[senses[0]] : starts[senses[0] + 1]]
    return any(wn.find(name) in above for name in names)


def wants_article(phrase: Sequence[Token], *, events: bool = False) -> bool:
    """Whether a noun phrase lacks an "a": one thing that can be counted, named without any determiner."""
    last = phrase[-1]
    if last.tag != "NN" or any(token.pos not in ("NOUN", "ADJ", "VERB", "PROPN", "ADV") for token in phrase):
        return False
    return is_kind(last, *_COUNTED, *(("event.n.01",) if events else ()))


def definite(phrase: Sequence[Token]) -> str:
    """A noun phrase as something that was spoken of before: "the bulb" for "a bulb", "each bulb", "bulb"."""
    phrase = trimmed(phrase)
    bare = [token for token in phrase if token.pos not in ("DET", "PRON")]
    if any(token.pos == "CCONJ" for token in phrase):
        return spoken(phrase, gaps=False)
    if not bare or (len(bare) == len(phrase) and not wants_article(phrase)):
        return spoken(phrase, gaps=False)
    return f"the {spoken(bare, gaps=False)}"


def named(phrase: Sequence[Token]) -> str:
    """A noun phrase as a sentence names it, with an article where it was written without one."""
    phrase = trimmed(phrase)
    text = spoken(phrase)
    if not phrase or not wants_article(phrase):
        return text
    return f"{'an' if text[:1].lower() in 'aeiou' else 'a'} {text}"
