"""Which words keep their capital inside a sentence: names, labels and abbreviations, not first words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postil.language.document import CONTENT_POS, Document, Token
from postil.language.words.wordnet import wordnet

QUOTES = frozenset(("``", "''", '"', "`", "'", "“", "”", "‘", "’"))


def is_label(token: Token) -> bool:
    """Whether a token is the name of a thing in a drawing: the Z of "switch Z"."""
    return len(token.text) == 1 and token.text.isupper() and token.text != "I" and token.pos != "DET"


def uncapitalised(document: Document) -> Document:
    """A document whose sentences begin with small letters, but for names, so that parts can be quoted."""
    tokens = document.tokens
    elsewhere = {token.text for place, token in enumerate(tokens) if not _begins(tokens, place)}
    kept = [
        token
        if (token.text in elsewhere and token.is_content) or not _is_lowered(tokens, place)
        else replace(token, text=token.text[:1].lower() + token.text[1:])
        for place, token in enumerate(tokens)
    ]
    return replace(document, tokens=tuple(kept))


def keeps_capital(token: Token) -> bool:
    """Whether a word begins with a capital wherever it stands: a name, a label, an abbreviation, I."""
    if token.index > 0 or token.pos == "PROPN" or _stays_capital(token):
        return True
    return token.is_content and _is_proper(token.text)


def is_title(word: Token, after: Token) -> bool:
    """Whether words are written with capitals as in a headline, so that the first keeps its own."""
    both = word.text[:1].isupper() and after.text[:1].isupper() and not is_label(after)
    return both and word.pos in CONTENT_POS


def _begins(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word begins a sentence, also inside of brackets or after a colon."""
    before = [token for token in tokens[:place] if token.text not in QUOTES]
    return not before or before[-1].text[-1] in ".!?:([-"


def _is_lowered(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word has its capital only because of where it stands."""
    token, after = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else None
    if not token.text[:1].isupper() or _stays_capital(token):
        return False
    if not token.is_content:
        # Within a sentence, "A" is the name of something.
        inner = len(token.text) > 1 and (after is None or after.text[:1].islower())
        return inner or _begins(tokens, place)
    if not _begins(tokens, place) or (after is not None and is_title(token, after)):
        return False
    if token.pos != "PROPN":
        return not _is_proper(token.text)
    common = bool(wordnet().synsets(token.text.lower(), "n")) and not _is_proper(token.text)
    return common and after is not None and (is_label(after) or after.pos in ("NUM", "NOUN"))


def _stays_capital(token: Token) -> bool:
    """Whether a word is a label, an abbreviation or I."""
    word = token.text
    return (
        is_label(token)
        or word[1:] == "."
        or word.split("'")[0] == "I"
        or any(map(str.isupper, word[1:]))
        or "." in word[:-1]
    )


def _is_proper(word: str) -> bool:
    """Whether a dictionary writes a word with a capital: Indian, Monday."""
    wn = wordnet()
    forms = {form for sense in wn.synsets(word)[:1] for form in wn.lemmas(sense)}
    return word in forms and word.lower() not in forms
