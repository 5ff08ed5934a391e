"""What a cue negates.

The tree decides where it can be trusted; where it cannot, the words up to the end of the clause are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from postil.language.document import Token

# The words that negate, the words that only look so, and the words that end what is negated.


class Reach(Enum):
    """What a cue negates: a predicate, a noun phrase, the clause of a pronoun, or the words that follow."""

    PREDICATE = auto()
    NOUN = auto()
    PRONOUN = auto()
    PHRASE = auto()


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _table(reach: Reach, words: str) -> dict[str, Reach]:
    return dict.fromkeys(words.split(), reach)


WORD_CUES = {
    **_table(Reach.PREDICATE, "not n't nt n`t nto never hardly barely scarcely nor"),
    # Written as one word and not cut by the tokenizer.
    **_table(Reach.PREDICATE, "dont doesnt didnt isnt arent wasnt werent cant wont aint hasnt havent cannot"),
    **_table(Reach.PREDICATE, "dosnt dosent doesent doenst doesnot donot dident diddnt isint wasent cannt"),
    **_table(Reach.NOUN, "no neither"),
    **_table(Reach.PRONOUN, "none nobody nothing nowhere noone"),
    **_table(Reach.PHRASE, "without w/o witout withought whitout lack"),
}
WEAK = frozenset(("hardly", "barely", "scarcely"))

# Two words in a row, the first as a form or a lemma.
PAIR_CUES = {
    ("no", "longer"): Reach.PREDICATE,
    ("no", "one"): Reach.PRONOUN,
    ("instead", "of"): Reach.PHRASE,
    ("rather", "than"): Reach.PHRASE,
    ("rather", "then"): Reach.PHRASE,
    ("lack", "of"): Reach.PHRASE,
    ("absence", "of"): Reach.PHRASE,
    ("fail", "to"): Reach.PHRASE,
    ("failure", "to"): Reach.PHRASE,
    ("refuse", "to"): Reach.PHRASE,
    ("refusal", "to"): Reach.PHRASE,
    ("unable", "to"): Reach.PHRASE,
    ("inability", "to"): Reach.PHRASE,
}
# Verbs that negate what comes after "from": it keeps the water from leaking.
FROM_VERBS = frozenset(("prevent", "stop", "keep", "block", "hinder"))

# A cue before one of these negates nothing: no doubt, not only, nothing but.
IDLE_BEFORE = {
    "no": frozenset(("doubt", "doubts", "matter", "wonder")),
    "not": frozenset(("only", "just", "merely", "simply")),
    "n't": frozenset(("only", "just", "merely", "simply")),
    "nt": frozenset(("only", "just", "merely", "simply")),
    "nothing": frozenset(("but",)),
    "none": frozenset(("other",)),
}

# Where a negation ends, whatever the tree says. What follows "because" is the reason, and it holds.
BECAUSE = frozenset(("because", "becuase", "becasue", "becuse", "becaus", "cuz", "coz", "bc", "b/c", "since"))
BOUNDARIES = BECAUSE | _words(
    "if when whenever unless until while whereas although though but however therefore then "
    "why how whether what where . ! ? ; :"
)
# "Not all metals are magnetic": the not belongs to the noun phrase.
QUANTIFIERS = frozenset(("all", "every", "each", "both", "many"))
PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
NEW_SUBJECTS = PRONOUNS | {"there", "this", "that", "these", "those"}
ARTICLES = frozenset(("a", "an", "the"))

# Verbs whose negation reaches the clause they govern: "I don't think it lights", not "I don't know why".
CLAUSE_VERBS = _words("think believe mean imply suppose expect let allow make want cause require need")
# "No gap means that it lights": the lack of a gap is what acts, so the verb holds.
ACTING_VERBS = _words("mean make cause create let allow lead result imply keep help show tell give")

_UN_LOOKALIKE = re.compile(
    r"un(der|til|less|to\b|cle|anim|able|like\b|gula|dulat|canny|ct|doubt|ravel"
    r"|i(?!n[a-z]{4}|m(?!o)[a-z]{4}|dentified|lluminat))"
)
_NON_LOOKALIKE = re.compile(r"non(e|ce|cha|plus|ag|sens)")
_PREFIXED = re.compile(r"(un|non)-?[a-z]{3,}")
# Stems of dis-, in-, im-, il- and ir- words: too many others only look negative for a rule to be safe.
_STEM_LIST = """
    disab disadvant disagree disallow disappear disapprov disassembl disbelie discharg discomfort
    disconect disconnect discontin disengag disequil dishonest dislik disobe disorder disorgani
    dispropor disprov disqualif dissatisf dissimilar dissociat distrust disus inaccura inactiv inadequa
    inappropriat incapab incomplet inconclusiv inconsisten incorrect independ indirect inedib ineffect
    inefficien inelastic inequal inexact inexpensiv infertil infinit inflexib infrequen inhuman
    inorganic insecur insignifican insolub instab insufficien insensitiv intoleran invalid invariab
    invertebrat invisib involuntar imbalanc immatur immeasur immobil immortal impartial impassab
    imperfect impermeab impossib impractical imprecis improbab improper impur illegal illegib illiterat
    illogical irrational irregular irrelevan irresponsib irreversib
"""
_STEMS = tuple(_STEM_LIST.split())
_SPLIT_PREFIXES = frozenset(("non", "un", "dis"))
_WORD_POS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV"))


# Every word that a cue of more than a prefix can begin with.
_FIRST_WORDS = frozenset(WORD_CUES) | {first for first, _ in PAIR_CUES} | FROM_VERBS


def is_prefixed(word: str, pos: str) -> bool:
    """Whether a word in lower case is negative by its prefix: unequal, nonmetal, disconnected, impossible."""
    if pos not in _WORD_POS:
        return False
    if word.startswith(_STEMS):
        return True
    lookalike = _UN_LOOKALIKE.match(word) or _NON_LOOKALIKE.match(word)
    return not lookalike and _PREFIXED.fullmatch(word) is not None


def is_split_prefix(word: str) -> bool:
    """Whether a token is a negative prefix on its own, as in non-metal cut at the hyphen."""
    return word in _SPLIT_PREFIXES


def normal_form(word: str) -> str:
    """A word as cues are listed: in lower case, with a plain apostrophe."""
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 14)
def may_begin(text: str, lemma: str, pos: str) -> bool:
    """Whether a cue can begin at such a token; nearly all words cannot, and are passed over at once."""
    word = normal_form(text)
    known = word in _FIRST_WORDS or lemma.lower() in _FIRST_WORDS
    return known or is_split_prefix(word) or is_prefixed(word, pos)


# How many tokens after its cue a head can be, a scope can end, and a scope can end where there is no tree.
FURTHEST = 10
_LONGEST = 60
_WINDOW = 6
_SUBJECTS = ("nsubj", "csubj")
_OUTSIDE = frozenset(
    ("punct", "cc", "aux", "cop", "expl", "discourse", "vocative", "parataxis", "mark", "reparandum")
)
_FINITE = frozenset(("VBZ", "VBD"))
_PREDICATES = frozenset(("VERB", "AUX", "ADJ"))


@dataclass(frozen=True, slots=True)
class Words:
    """Tokens with their words in lower case and the tree turned downwards."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tokens: tuple[Token, ...]) -> Words:
        """Prepare tokens; heads outside the text are left out."""
        children: list[list[int]] = [[] for _ in tokens]
        for place, token in enumerate(tokens):
            if token.head != place and 0 <= token.head < len(tokens):
                children[token.head].append(place)
        words = tuple(normal_form(token.text) for token in tokens)
        return cls(tokens, words, tuple(map(tuple, children)))

    def __len__(self) -> int:
        return len(self.tokens)

    def word(self, place: int) -> str:
        """The word at a place, empty outside the text."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def forms(self, place: int) -> tuple[str, str]:
        """A word as it is written and its lemma."""
        return self.words[place], self.tokens[place].lemma.lower()

    def head(self, place: int) -> int:
        """The place of the head of a token; its own for a root."""
        head = self.tokens[place].head
        return head if 0 <= head < len(self.tokens) else place

    def ends(self, place: int) -> bool:
        """Whether a clause has ended before a place: by punctuation, a boundary word or with the text."""
        return place >= len(self) or self.tokens[place].pos == "PUNCT" or self.is_boundary(place)

    def is_boundary(self, place: int) -> bool:
        """Whether a word ends what is negated before it; a so does, but for "so bright"."""
        if self.words[place] == "so" and place + 1 < len(self):
            return self.tokens[place + 1].pos not in ("ADJ", "ADV")
        return self.words[place] in BOUNDARIES

    def has_child(self, place: int, *relations: str) -> bool:
        """Whether a token has a dependent with one of these relations, subtypes included."""
        return any(self.tokens[child].relation.startswith(relations) for child in self.children[place])


def scope_of(text: Words, reach: Reach, first: int, last: int) -> set[int]:
    """The tokens that the cue from `first` to `last` negates."""
    if text.word(last + 1) == "," and (first == 0 or text.ends(first - 1)):
        return set()
    rules = {
        Reach.PREDICATE: _predicate_scope,
        Reach.NOUN: _noun_scope,
        Reach.PRONOUN: _pronoun_scope,
        Reach.PHRASE: phrase_scope,
    }
    return rules[reach](text, first, last)


def _predicate_scope(text: Words, first: int, last: int) -> set[int]:
    """What a not negates: its predicate and what follows that, without the subject."""
    if text.words[last] == "not" and text.word(last + 1) in PRONOUNS:
        return set()  # "If you do not it breaks": the verb is left out
    if text.word(last + 1) in QUANTIFIERS:
        return _noun_scope(text, last + 1, last + 1) | {last + 1}
    top = text.head(first)
    while _is_inner(text, top) and text.head(top) > last:
        top = text.head(top)
    if not _is_trusted(text, top, last):
        return _window(text, last + 1)
    return _below(text, top, last + 1) or _window(text, last + 1) or {top}


def _noun_scope(text: Words, first: int, last: int) -> set[int]:
    """What a no negates: its noun phrase and, where that is the subject, the predicate."""
    top = text.head(first)
    if not (top > last and _is_trusted(text, top, last)):
        clause = range(last + 1, _clause_end(text, last + 1))
        top = next((place for place in clause if text.tokens[place].pos in ("NOUN", "PROPN")), -1)
    if top < 0:
        return _pronoun_scope(text, first, last)
    return _with_predicate(text, top, last)


def _pronoun_scope(text: Words, first: int, last: int) -> set[int]:
    """What a nothing negates: the verb it belongs to, and what describes it."""
    place = first if text.head(first) != last else last
    scope = _below(text, place, last + 1)
    verb = text.head(place)
    argument = text.tokens[place].relation.startswith(("nsubj", "obj", "advmod"))
    is_near = abs(verb - place) <= FURTHEST and not _parted(text, min(verb, last), max(verb, last))
    if argument and verb != place and is_near and not _is_existential(text, place):
        scope |= _below(text, verb, last + 1) | {verb}
    return scope or _window(text, last + 1)


def phrase_scope(text: Words, first: int, last: int) -> set[int]:
    """What a without or a fails to negates: the phrase that follows."""
    heads = [text.head(last), text.head(first)]
    heads += [child for child in text.children[first] if text.tokens[child].relation.startswith("obj")]
    top = next((head for head in heads if head > last and _is_trusted(text, head, last)), -1)
    return _below(text, top, last + 1) if top > 0 else _window(text, last + 1)


def neither_scope(text: Words, neither: int, nor: int) -> set[int]:
    """What a neither … nor negates: both and what is said of them."""
    after = range(nor + 1, _clause_end(text, nor + 1))
    return {*range(neither + 1, nor), *after}


def _with_predicate(text: Words, noun: int, last: int) -> set[int]:
    """A negated noun phrase, with the predicate that it is the subject of."""
    scope = _below(text, noun, last + 1) | {noun}
    verb = text.head(noun)
    is_subject = text.tokens[noun].relation.startswith("nsubj") and verb > noun
    if is_subject and not ACTING_VERBS.intersection(text.forms(verb)) and not _parted(text, last, verb):
        scope |= _below(text, verb, noun + 1)
    return scope


def _is_inner(text: Words, place: int) -> bool:
    """Whether a token only modifies or helps the one that is negated: not *very* bright, *does* not light."""
    token = text.tokens[place]
    return token.relation.startswith(("aux", "cop", "det", "advmod", "nummod")) and text.head(place) != place


def _is_existential(text: Words, noun: int) -> bool:
    return text.has_child(text.head(noun), "expl")


def _parted(text: Words, first: int, second: int) -> bool:
    """Whether a clause ends between two places."""
    start = first + 1 + _negates_reason(text, first)
    return any(text.is_boundary(place) for place in range(start, second))


def _is_trusted(text: Words, top: int, cue: int) -> bool:
    """Whether the tree's word for what a cue negates makes sense."""
    if top > cue:
        return top - cue <= FURTHEST and not _parted(text, cue, top)
    # What is negated follows its cue, but for "there is not" and "it does not".
    return top < cue and cue - top <= 3 and bool({"be", "have", "do"}.intersection(text.forms(top)))


def _below(text: Words, top: int, start: int) -> set[int]:
    """The tokens from `start` on that depend on `top`, without subjects and other clauses."""
    end = _boundary(text, start)
    scope: set[int] = set()
    waiting = [top]
    seen = {top}
    while waiting:
        place = waiting.pop()
        if start <= place < end:
            scope.add(place)
        kept = {child for child in _kept(text, place, top) if child not in seen and child >= start}
        seen |= kept
        waiting += kept
    return scope


def _kept(text: Words, place: int, top: int) -> Iterator[int]:
    """The dependents of a token that are negated with it."""
    is_clause = place == top or text.tokens[place].relation.startswith(("ccomp", "conj"))
    for child in text.children[place]:
        relation = text.tokens[child].relation
        if relation.partition(":")[0] in _OUTSIDE:
            continue
        if relation.startswith(_SUBJECTS) and is_clause and not text.has_child(place, "expl"):
            continue
        if relation.startswith("conj") and not _shares(text, place, child):
            continue
        if relation.startswith("advcl") and _stands_alone(text, child):
            continue
        if relation.startswith("ccomp") and not CLAUSE_VERBS.intersection(text.forms(place)):
            continue
        yield child


def _shares(text: Words, place: int, conjunct: int) -> bool:
    """Whether a conjunct shares the negation of what it is joined to; "not open and is closed" does not."""
    if text.has_child(conjunct, *_SUBJECTS, "aux", "cop"):
        return False
    return text.tokens[conjunct].tag not in _FINITE or text.tokens[place].tag in _FINITE


def _stands_alone(text: Words, clause: int) -> bool:
    marks = (text.words[child] for child in text.children[clause])
    return text.has_child(clause, *_SUBJECTS) or any(mark in BOUNDARIES for mark in marks)


def _negates_reason(text: Words, cue: int) -> bool:
    """Whether a cue negates the reason itself, as in "it is not because it is heavy"."""
    return text.word(cue + 1) in BECAUSE and (cue < 1 or "be" in text.forms(cue - 1))


def _boundary(text: Words, start: int) -> int:
    """Where the words end that a negation can reach: before but, because, a full stop, ", it"."""
    last = min(start + _LONGEST, len(text))
    for place in range(start + _negates_reason(text, start - 1), last):
        if text.is_boundary(place):
            return place
        after = text.word(place + 1)
        # "Its an open path" is how many write "it's an open path".
        starts_anew = {",": NEW_SUBJECTS, "its": ARTICLES}.get(text.words[place], frozenset())
        if after in starts_anew:
            return place
    return last


def _clause_end(text: Words, start: int) -> int:
    """Where the clause from `start` ends, judged by its words alone."""
    last = min(start + _WINDOW, len(text))
    for place in range(start, last):
        if text.ends(place) or (place > start and text.words[place] == "cause"):
            return place
        is_subject = text.words[place] in NEW_SUBJECTS and place + 1 < len(text)
        if place > start and is_subject and text.tokens[place + 1].pos in _PREDICATES:
            return place
    return last


def _window(text: Words, start: int) -> set[int]:
    return set(range(start, _clause_end(text, start)))
