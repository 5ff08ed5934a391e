"""Negation: which words negate, and what they negate."""

from __future__ import annotations

from dataclasses import replace

from postil.language.document import Negation, Token
from postil.language.negation_scopes import (
    FROM_VERBS,
    FURTHEST,
    IDLE_BEFORE,
    NEW_SUBJECTS,
    PAIR_CUES,
    WEAK,
    WORD_CUES,
    Reach,
    Words,
    is_prefixed,
    is_split_prefix,
    may_begin,
    neither_scope,
    phrase_scope,
    scope_of,
)


def find_negations(tokens: tuple[Token, ...]) -> tuple[Negation, ...]:
    """Find the cues of negation and, for each, the tokens it negates; in the order of the cues.

    A negation's kind is `word`, `weak` (hardly, barely, scarcely) or `prefix` (unequal).
    """
    starts = [p for p, token in enumerate(tokens) if may_begin(token.text, token.lemma, token.pos)]
    if not starts:
        return ()
    text = Words.of(tokens)
    found: list[Negation] = []
    taken: set[int] = set()
    for start in starts:
        if start in taken:
            continue
        negation = _at(text, start)
        if negation:
            # Two cues can claim the same second word: it neither stops nor keeps it from moving.
            cue = tuple(place for place in negation.cue if place not in taken)
            taken.update(cue)
            found.append(replace(negation, cue=cue))
    return tuple(found)


def _at(text: Words, start: int) -> Negation | None:
    """The negation whose cue begins at a token, if one does."""
    word = text.words[start]
    if word == "neither" and (nor := _nor(text, start)):
        return _negation(text, (start, nor), neither_scope(text, start, nor))
    for form in text.forms(start):
        reach = PAIR_CUES.get((form, text.word(start + 1)))
        if reach:
            return _negation(text, (start, start + 1), scope_of(text, reach, start, start + 1))
        if form in FROM_VERBS and (place := _from_doing(text, start)):
            return _negation(text, (start, place), phrase_scope(text, place, place))
    reach = next((WORD_CUES[form] for form in text.forms(start) if form in WORD_CUES), None)
    if reach and not _is_idle(text, start):
        cue = (start, *(_any_more(text, start) if reach is Reach.PREDICATE else ()))
        kind = "weak" if word in WEAK else "word"
        return _negation(text, cue, scope_of(text, reach, start, start), kind)
    if is_split_prefix(word) and not text.tokens[start].text.isupper():  # "UN" is a name
        whole = start + 1 + (text.word(start + 1) == "-")
        return Negation((start,), (whole,), "prefix") if whole < len(text) and not text.ends(whole) else None
    return Negation((start,), (start,), "prefix") if is_prefixed(word, text.tokens[start].pos) else None


def _negation(text: Words, cue: tuple[int, ...], scope: set[int], kind: str = "word") -> Negation:
    kept = (place for place in scope if place not in cue and text.tokens[place].pos != "PUNCT")
    return Negation(cue, tuple(sorted(kept)), kind)


def _nor(text: Words, neither: int) -> int:
    """Where the nor of a neither is, or 0."""
    for place in range(neither + 1, min(neither + FURTHEST, len(text))):
        if text.words[place] == "nor":
            return place
        if text.words[place] in ".?!;":
            break
    return 0


def _from_doing(text: Words, verb: int) -> int:
    """Where the "from" of "prevent it from working" is, or 0."""
    for place in range(verb + 1, min(verb + FURTHEST, len(text) - 1)):
        if text.ends(place):
            break
        if text.words[place] == "from" and text.words[place + 1].endswith("ing"):
            return place
    return 0


def _any_more(text: Words, start: int) -> tuple[int, ...]:
    """The rest of a cue like "not … any more"."""
    for place in range(start + 1, min(start + FURTHEST, len(text))):
        if text.ends(place):
            break
        if text.words[place] == "anymore":
            return (place,)
        if text.words[place] == "any" and text.word(place + 1) in ("more", "longer") and text.ends(place + 2):
            return place, place + 1
    return ()


def _is_idle(text: Words, start: int) -> bool:
    """Whether a word that often negates does not here: not only, why not, or not, No. 5, isn't it?"""
    word, before, after = text.words[start], text.word(start - 1), text.word(start + 1)
    if after in IDLE_BEFORE.get(word, ()):
        return True
    if word == "no":
        number = after == "." and text.word(start + 2)[:1].isdigit()
        return number or after[:1].isdigit() or _is_answer(text, start)
    if word == "not":
        asked = "whether" in text.words[max(0, start - FURTHEST) : start]
        or_not = before == "or" and (text.ends(start + 1) or asked)
        return before == "why" or or_not or text.words[start + 1 : start + 3] == ("to", "mention")
    if word in ("n't", "nt"):
        asks = after in NEW_SUBJECTS and start > 2 and text.word(start + 2) in ("", "?", ".", "!")
        return asks and text.tokens[start - 1].pos == "AUX"
    return False


def _is_answer(text: Words, no: int) -> bool:
    """Whether a no answers a question ("no because …") and does not belong to a noun."""
    if text.ends(no + 1) or text.word(no + 1) in NEW_SUBJECTS:
        return True
    return text.tokens[no].pos == "INTJ" and text.tokens[no + 1].pos in ("DET", "AUX", "PRON")
